//! Judges penetration of convex shapes against ground truth and prints a Markdown table.
//!
//! ```text
//! cargo run --release --example convex_ground_truth -- DIR [CLASS]
//! ```
//!
//! `DIR` holds `convex/shapes.txt` and `convex/cases/*.csv`. An error is measured in units of the tolerance of the case,
//! 1e-9 of the depth and 1e-14 of the size (cylinder and cone: 1e-6, and what the truth is unsure of). "Along n" is how
//! much farther than the true depth A must move along the answered direction, evaluated independently. Exits with 1 when
//! a certified answer is wrong, missed or not certified.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program that prints tables and counts"
)]

mod cases;
mod contenders;
#[allow(dead_code, reason = "shared with the fuzz and the tests")]
mod forms;
mod shapes;

use std::path::PathBuf;
use std::process::ExitCode;

use cases::Class;
use contenders::{Contender, Row, run};
use shapes::Result;

const HEAD: &str = "| class | pairs | contender | error | along n | wrong | missed | uncertified | mean µs | median | p99 | supports | parry ÷ it |\n|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|";

/// The rows of a class; true if all certified answers are right.
fn table(class: &Class) -> bool {
    let rows: Vec<(Contender, Row)> = Contender::ALL
        .into_iter()
        .filter(|contender| contender.runs_on(class))
        .map(|contender| (contender, run(class, contender)))
        .collect();
    let parry = rows.last().map_or(f64::NAN, |(_, row)| row.micros[0]);
    let mut right = true;
    for (contender, row) in &rows {
        let Row {
            error, direction, wrong, missed, uncertified, micros: [mean, median, p99], supports, ..
        } = row;
        println!(
            "| {} | {} | {} | {error:.2e} | {direction:.2e} | {wrong} | {missed} | {uncertified} | {mean:.3} | {median:.3} | {p99:.3} | {supports:.1} | {:.1} |",
            class.name,
            class.cases.len(),
            contender.name(),
            parry / mean,
        );
        if matches!(contender, Contender::Cold | Contender::Warm) {
            right &= wrong + missed + uncertified == 0;
            for failure in row.failures.iter().take(5) {
                eprintln!("{}, {}: {failure}", class.name, contender.name());
            }
        }
    }
    right
}

fn judge() -> Result<bool> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: convex_ground_truth DIR [CLASS]")?);
    let only = arguments.next();
    println!("{HEAD}");
    let classes = cases::read(&folder.join("convex"))?;
    let chosen = classes.iter().filter(|class| only.as_ref().is_none_or(|name| *name == class.name));
    Ok(chosen.filter(|class| !table(class)).count() == 0)
}

fn main() -> ExitCode {
    match judge() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
