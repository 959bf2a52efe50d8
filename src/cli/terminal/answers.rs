//! Answering a question line by line: a line of JSON or of text for each, the failures counted.

use std::fmt::Display;
use std::time::Duration;

use serde::Serialize;

use super::console::Console;
use super::failure::{Exit, Failure};

use extricate_scene::request::{Answered, Reply};

/// An answer as a line of JSON.
#[derive(Debug, Serialize)]
struct Line<'a, R> {
    index: usize,
    status: &'static str,
    #[serde(flatten)]
    answer: &'a R,
    time_us: f64,
}

/// The fields of a failure.
#[derive(Debug, Serialize)]
struct NoAnswer<'a> {
    error: &'a str,
}

/// Asks the question for every line in their order and tells the answers. The time of an answer is that of the query
/// alone.
pub(in crate::cli) fn answer<L, R: Reply + Display>(
    console: &mut Console,
    lines: &[L],
    mut ask: impl FnMut(&L) -> (Answered<R>, Duration),
) -> Result<(), Failure> {
    let mut progress = console.progress(lines.len() as u64);
    let mut failures = 0_usize;
    for (index, line) in lines.iter().enumerate() {
        if console.is_interrupted() {
            return Err(Failure::Silent(Exit::Interrupted));
        }
        let (answered, time) = ask(line);
        let time_us = time.as_secs_f64() * 1e6;
        match &answered {
            Ok(answer) if console.json() => {
                console.json_line(&Line { index, status: answer.status(), answer, time_us })?;
            }
            Ok(answer) => console.line(format_args!("{index}: {answer}"))?,
            Err(error) if console.json() => {
                let answer = &NoAnswer { error };
                console.json_line(&Line { index, status: "failed", answer, time_us })?;
            }
            Err(error) => console.line(format_args!("{index}: failed: {error}"))?,
        }
        failures += usize::from(answered.is_err());
        progress.update(index as u64 + 1, || format!("{failures} failures"));
    }
    if failures > 0 {
        return Err(Failure::new(Exit::Numerical, format!("{failures} of {} queries failed", lines.len())));
    }
    Ok(())
}
