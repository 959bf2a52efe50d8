//! Queries answered line by line: each answer is printed as JSON or text, and failures are counted.

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

/// Fields of a failure.
#[derive(Debug, Serialize)]
struct FailedAnswer<'a> {
    error: &'a str,
}

/// Queries every line in order and prints the answers. The time of an answer is that of the query alone.
pub(in crate::cli) fn answer_all<L, R: Reply + Display>(
    console: &mut Console,
    lines: &[L],
    mut query: impl FnMut(&L) -> (Answered<R>, Duration),
) -> Result<(), Failure> {
    let mut progress = console.progress(lines.len() as u64);
    let mut failures = 0_usize;
    for (index, line) in lines.iter().enumerate() {
        if console.is_interrupted() {
            return Err(Failure::Silent(Exit::Interrupted));
        }
        let (answered, time) = query(line);
        let time_us = time.as_secs_f64() * 1e6;
        match &answered {
            Ok(answer) if console.json() => {
                console.json_line(&Line { index, status: answer.status(), answer, time_us })?;
            }
            Ok(answer) => console.line(format_args!("{index}: {answer}"))?,
            Err(error) if console.json() => {
                let answer = &FailedAnswer { error };
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
