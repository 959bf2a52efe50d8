//! Asks random pairs of convex shapes for their signed distance and checks every answer:
//!
//! ```text
//! cargo run --release --example convex_fuzz -- [--pairs COUNT] [--seed SEED] [--print COUNT] [--only INDEX]
//! ```
//!
//! The bounds are in order and agree, unless the bound of work was hit; along the answered direction the support
//! functions, evaluated independently, give the value; no direction that is found by search shows a wider gap than the
//! upper bound; the witnesses are of the shapes and as far apart; exchanged shapes agree; moved out the shapes are
//! free, moved by 0.999 of it they are not; a memory of nearby poses changes nothing. Exits with 1 when anything fails;
//! `--only` repeats one pair and prints it.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a program that prints counts"
)]

mod checks;
#[path = "../convex_ground_truth/forms.rs"]
mod forms;
#[path = "../convex_ground_truth/random.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod random;

use std::collections::BTreeMap;
use std::process::ExitCode;

use checks::{Pair, Verdict};
use clap::Parser;
use forms::Form;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use random::Random;
use rayon::prelude::*;

/// Pairs between two lines of progress.
const CHUNK: u64 = 20_000;

#[derive(Parser)]
struct Arguments {
    /// Number of pairs.
    #[arg(long, default_value_t = 1_000_000)]
    pairs: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Maximum number of failures that are printed.
    #[arg(long, default_value_t = 40)]
    print: usize,
    /// Only this pair.
    #[arg(long)]
    only: Option<u64>,
}

const PLACEMENTS: [&str; 10] = [
    "anywhere",
    "overlapping",
    "deep",
    "touching",
    "almost touching",
    "aligned",
    "concentric",
    "identical",
    "far from the origin",
    "half-space",
];

/// A pair from its number, and how it is placed.
fn pair(seed: u64, index: u64) -> (Pair, &'static str, Random) {
    let mut random = Random::new(seed.wrapping_mul(0x1000_0000_0000).wrapping_add(index));
    let placement = PLACEMENTS[random.below(PLACEMENTS.len())];
    let mut forms = [random.form(), random.form()];
    if placement == "identical" {
        forms[1] = forms[0].clone();
    }
    if placement == "half-space" {
        forms[random.below(2)] = Form::HalfSpace;
    }
    let scale = if random.below(4) == 0 { random.magnitude(-3.0, 3.0) } else { 1.0 };
    let forms = forms.map(|form| form.scaled(scale));
    let reach = forms.iter().map(Form::reach).sum::<f64>();
    let poses = place(placement, reach, &mut random);
    let mut pair = Pair { forms, poses };
    if placement.ends_with("touching")
        && let Some(found) = pair.signed_distance()
    {
        let off = if placement == "touching" { 0.0 } else { reach * random.magnitude(-16.0, -2.0) };
        let by = (off * [-1.0, 1.0][random.below(2)] - found.value) * found.direction.into_inner();
        pair.poses[0] = Translation3::from(by) * pair.poses[0];
    }
    (pair, placement, random)
}

fn place(placement: &str, reach: f64, random: &mut Random) -> [Isometry3<f64>; 2] {
    let mut near = |fraction: f64| {
        Isometry3::from_parts((random.in_ball() * fraction * reach).into(), random.rotation())
    };
    let [a, b] = match placement {
        "anywhere" => [near(1.0), near(1.0)],
        "deep" => [near(0.05), near(0.05)],
        _ => [near(0.4), near(0.4)],
    };
    match placement {
        "aligned" => {
            // Half of them by parts of the unit cube, so that faces and edges meet.
            let grid = Vector3::from_fn(|_, _| random.below(5) as f64 / 4.0 - 0.5);
            let by = if random.below(2) == 0 { grid } else { b.translation.vector };
            let rotated = Isometry3::from_parts(by.into(), random.quarter_turn());
            if random.below(2) == 0 { [Isometry3::identity(), rotated] } else { [a, a * rotated] }
        }
        "concentric" => [a, Isometry3::from_parts(a.translation, b.rotation)],
        "identical" if random.below(2) == 0 => [a, a],
        "far from the origin" => {
            let away = Translation3::from(random.direction().into_inner() * (1e4 * reach));
            [away * a, away * b]
        }
        _ if random.below(8) == 0 => [a, Isometry3::from_parts(b.translation, UnitQuaternion::identity())],
        _ => [a, b],
    }
}

#[derive(Default)]
struct Count {
    pairs: u64,
    overlapping: u64,
    bounds_apart: u64,
    failed: u64,
    supports: u64,
}

impl Count {
    fn add(&mut self, verdict: &Verdict) {
        self.pairs += 1;
        self.overlapping += u64::from(verdict.overlapping);
        self.bounds_apart += u64::from(verdict.bounds_apart);
        self.failed += u64::from(!verdict.failures.is_empty());
        self.supports += u64::from(verdict.supports);
    }
}

fn fuzz(Arguments { pairs, seed, print, .. }: &Arguments) -> bool {
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut sorts: BTreeMap<(&str, bool), (u64, u64)> = BTreeMap::new();
    let mut printed = 0;
    let mut from = 0;
    while from < *pairs {
        let to = (from + CHUNK).min(*pairs);
        let judged: Vec<_> = (from..to)
            .into_par_iter()
            .map(|index| {
                let (pair, placement, mut random) = pair(*seed, index);
                let kinds = pair.forms.each_ref().map(Form::kind).join(" and ");
                let curved = pair.forms.iter().any(Form::is_curved);
                (index, placement, (kinds, curved), pair.judge(&mut random))
            })
            .collect();
        for (index, placement, (kinds, curved), verdict) in judged {
            counts.entry(placement).or_default().add(&verdict);
            let mut last = "";
            for (sort, numbers) in verdict.failures {
                let (count, example) = sorts.entry((sort, curved)).or_default();
                *count += u64::from(sort != last);
                *example = index;
                last = sort;
                if printed < *print {
                    println!("pair {index} ({placement}, {kinds}): {sort}: {numbers}");
                    printed += 1;
                }
            }
        }
        from = to;
        eprintln!("{from} of {pairs} pairs, {} failed", counts.values().map(|c| c.failed).sum::<u64>());
    }
    println!(
        "| placement | pairs | overlapping | bounds apart | failed | supports |\n|---|--:|--:|--:|--:|--:|"
    );
    for (placement, Count { pairs, overlapping, bounds_apart, failed, supports }) in &counts {
        let mean = *supports as f64 / *pairs as f64;
        println!("| {placement} | {pairs} | {overlapping} | {bounds_apart} | {failed} | {mean:.1} |");
    }
    if !sorts.is_empty() {
        println!("\n| failure | of cylinders and cones | pairs | such as |\n|---|---|--:|--:|");
    }
    for ((sort, curved), (pairs, example)) in sorts {
        println!("| {sort} | {curved} | {pairs} | {example} |");
    }
    counts.values().all(|count| count.failed == 0)
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let good = match arguments.only {
        Some(index) => {
            let (pair, placement, mut random) = pair(arguments.seed, index);
            println!("{placement}: {pair:?}\n{:?}", pair.signed_distance());
            let verdict = pair.judge(&mut random);
            println!("{:?}", verdict.failures);
            verdict.failures.is_empty()
        }
        None => fuzz(&arguments),
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
