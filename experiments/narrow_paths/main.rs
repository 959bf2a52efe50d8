//! Families of planning problems: bars through holes hardly wider than they are, and links of triangles beside floors.
//!
//! ```text
//! cargo run --release --example narrow_paths -- [choose|report] [bars|floors] [samples=N] [count=N]
//! ```
//!
//! `choose` are the cases on which the constants of the search were chosen, `report` others; `count` cases of each row. Every path
//! found is verified by collision queries at poses that the search did not see. Ends with exit code 1 when one overlaps.

#![expect(clippy::print_stdout, reason = "a program that prints what it measures")]

mod bars;
mod floors;
mod problem;

use std::error::Error;
use std::process::ExitCode;

use problem::{Set, Settings};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, otherwise: u32| {
        let found = words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        found.map_or(Ok(otherwise), str::parse)
    };
    let set = if words.iter().any(|word| word == "report") { Set::Report } else { Set::Choose };
    let settings = Settings { set, max_samples: number("samples", 4000)?, count: number("count", 6)? };
    let wants = |family: &str| {
        let is_family = |word: &String| word == "bars" || word == "floors";
        !words.iter().any(is_family) || words.iter().any(|word| word == family)
    };
    println!("| family | found | s, mean | s, median | s, maximum | samples, mean | length, mean [m] |");
    println!("|---|---|---|---|---|---|---|");
    let mut is_sound = true;
    if wants("bars") {
        is_sound &= bars::run(&settings)?;
    }
    if wants("floors") {
        is_sound &= floors::run(&settings)?;
    }
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
