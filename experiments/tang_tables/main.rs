//! Tables I to IV of [Tang14]: generalized penetration of rigid and articulated models, and planners on top of it.
//!
//! ```text
//! cargo run --release --example tang_tables -- [../shared/data] [rigid|truth|articulated|planners]…
//! ```
//!
//! Models that are not in the folder are replaced by procedural ones of the same kind, or left out.

#![expect(clippy::print_stdout, reason = "a program that prints what it measures")]

mod articulated;
mod planners;
mod rigid;
mod statistics;
#[path = "../truth/mod.rs"]
mod truth;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let tables = ["rigid", "truth", "articulated", "planners"];
    let is_table = |word: &String| tables.contains(&word.as_str());
    let data = words.iter().position(|word| !is_table(word)).map(|at| words.remove(at));
    let data = data.map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let wants = |table: &str| words.is_empty() || words.iter().any(|word| word == table);
    if wants("rigid") {
        rigid::table_1(&data)?;
    }
    if wants("truth") {
        rigid::table_2(&data)?;
    }
    if wants("articulated") {
        articulated::table_3(&data)?;
    }
    if wants("planners") {
        planners::table_4()?;
    }
    Ok(())
}
