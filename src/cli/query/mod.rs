//! `extricate query`: queries shapes, once per pose.

mod arguments;
mod broad_phase;

use std::path::Path;

pub(super) use self::arguments::{EXAMPLES, QueryCommand};
use self::arguments::{Lines, QueryRequest};
use super::configurations;
use super::terminal::{Console, Exit, Failure, answers, lines};
use extricate_scene::request::{Context, Library, Origin};

/// A line that is written in place of its file.
fn inline(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| text.trim_start().starts_with('{'))
}

fn in_option(option: &str, why: &str) -> Failure {
    Failure::new(Exit::Usage, format!("`{option}`: {why}"))
}

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
        Some(Lines::Poses(path)) => match inline(&path) {
            Some(line) => vec![prepared.trajectory(line).map_err(|why| in_option("--poses", &why))?],
            None => lines::read_lines(&path, what, |line| prepared.trajectory(line))?,
        },
        Some(Lines::Joints(path)) => configurations::lines(&path)?
            .into_iter()
            .map(|(place, line)| {
                let course = prepared.trajectory(&line);
                course.map_err(|why| Failure::new(Exit::BadFile, format!("{place}: {why}")))
            })
            .collect::<Result<_, _>>()?,
        None => vec![prepared.origin().map_err(|why| Failure::new(Exit::Usage, why))?],
    };
    prepared.announce(&courses);
    if !console.json() {
        prepared.detail();
    }
    answers::answer_all(console, &courses, |course| prepared.answer(course))
}
