//! `extricate query`: queries shapes, once per pose.

mod arguments;
mod broad_phase;

use std::path::Path;

use self::arguments::QueryRequest;
pub(super) use self::arguments::{EXAMPLES, QueryCommand};
use super::terminal::{Console, Exit, Failure, answers, lines};
use extricate_scene::request::{Context, Library, Origin};

/// Answers the query for every pose, in order.
pub(super) fn execute(console: &mut Console, command: &QueryCommand) -> Result<(), Failure> {
    let QueryRequest { question, poses, cache, what } = match command {
        QueryCommand::BroadPhase(arguments) => return broad_phase::execute(console, arguments),
        command => command.to_request(),
    };
    let library = Library::default().with_access(console.access()).with_cache(cache);
    let context = Context {
        folder: Path::new(""),
        library: &library,
        parallel: true,
        sequence: poses.is_some(),
        origin: Origin::Options,
    };
    let mut prepared = question.prepare(&context)?;
    let courses = match poses {
        Some(path) => lines::read_lines(&path, what, |line| prepared.trajectory(line))?,
        None => vec![prepared.origin().map_err(|why| Failure::new(Exit::Usage, why))?],
    };
    prepared.announce(&courses);
    if !console.json() {
        prepared.detail();
    }
    answers::answer_all(console, &courses, |course| prepared.answer(course))
}
