//! `extricate query`: shapes at given poses, asked one question per pose.

mod arguments;
mod broad_phase;

use std::path::Path;

use self::arguments::Asked;
pub(super) use self::arguments::{EXAMPLES, Question};
use super::terminal::{Console, Exit, Failure, answers, lines};
use extricate_scene::request::{Context, Library, Origin};

/// Answers the question for every pose, in their order.
pub(super) fn execute(console: &mut Console, question: &Question) -> Result<(), Failure> {
    let Asked { question, poses, cache, what } = match question {
        Question::BroadPhase(arguments) => return broad_phase::execute(console, arguments),
        question => question.asked(),
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
        Some(path) => lines::read_lines(&path, what, |line| prepared.course(line))?,
        None => vec![prepared.origin().map_err(|why| Failure::new(Exit::Usage, why))?],
    };
    prepared.announce(&courses);
    answers::answer(console, &courses, |course| prepared.answer(course))
}
