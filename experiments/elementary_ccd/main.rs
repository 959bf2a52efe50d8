//! The elementary tests of continuous collision against exact arithmetic: no contact may be missed.
//!
//! Usage: `cargo run --release --example elementary_ccd -- [queries] [seed]`, by default 1 000 000 queries of seed 1.
//! The program fails when a contact was missed or was named later than it happens.

mod exact;
mod gap;
mod generate;
mod polynomial;
mod question;
mod tally;

use std::process::ExitCode;
use std::time::Instant;

use extricate::proximity::deforming::ElementaryOptions;
use generate::{CLASSES, query};
use rayon::prelude::*;
use tally::Tally;

#[expect(clippy::print_stdout, reason = "the program's answer")]
fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let (count, seed) = (arguments.next().unwrap_or(1_000_000), arguments.next().unwrap_or(1));
    let options = ElementaryOptions::default();
    let started = Instant::now();
    let classes = CLASSES.len() as u64;
    let tallies = (0..classes).map(|class| {
        let indices = (0..count.div_ceil(classes)).into_par_iter().map(|round| round * classes + class);
        let judge = |index| {
            let (_, kind, query) = query(seed, index);
            Tally::of(kind, &query, &options)
        };
        indices.map(judge).reduce(Tally::default, Tally::plus)
    });
    println!("{}", heading());
    let mut all = Tally::default();
    for (class, tally) in CLASSES.iter().zip(tallies) {
        println!("{}", row(&format!("{class:?}"), &tally));
        all = all.plus(tally);
    }
    println!("{}", row("all", &all));
    println!(
        "seed {seed}, tolerance {:e} of the extent, {:.0} s",
        options.relative_tolerance,
        started.elapsed().as_secs_f64()
    );
    if all.missed + all.late == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn heading() -> String {
    format!(
        "{:<14} {:>9} {:>9} {:>7} {:>6} {:>12} {:>9} {:>9} {:>12} {:>12} {:>8}",
        "class",
        "queries",
        "contacts",
        "missed",
        "late",
        "false alarms",
        "of free",
        "uncertain",
        "maximum gap",
        "false gap",
        "refused"
    )
}

fn row(name: &str, tally: &Tally) -> String {
    let free = tally.queries - tally.contacts;
    let rate = 100.0 * tally.false_alarms as f64 / free.max(1) as f64;
    format!(
        "{name:<14} {:>9} {:>9} {:>7} {:>6} {:>12} {rate:>8.4}% {:>9} {:>12.1e} {:>12.1e} {:>8}",
        tally.queries,
        tally.contacts,
        tally.missed,
        tally.late,
        tally.false_alarms,
        tally.uncertain,
        tally.max_gap,
        tally.max_false_gap,
        tally.refused
    )
}
