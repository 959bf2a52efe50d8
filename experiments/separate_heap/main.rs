//! A heap of 200 overlapping meshes taken apart at once, beside taking them apart one pair after another.
//!
//! `cargo run --release --example separate_heap [COUNT [SEED]]`
//!
//! Tori, knots, cups, bumpy spheres, angles, spoons and boxes, with random orientations and so close to each other and
//! to a fixed floor that most of them overlap. Ends with exit code 1 when anything still overlaps afterwards.

#![expect(clippy::print_stdout, reason = "a program that prints its results")]

mod heap;
mod one_by_one;

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use extricate::penetration::{Body, DisplacementMeasure, Effort, Separation, SeparationOptions, separate};
use extricate::proximity::collide;
use nalgebra::{Translation3, Vector3};
use rayon::ThreadPoolBuilder;

/// Sweeps over all pairs of the plain way.
const SWEEPS: usize = 100;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next().map_or(Ok(200), |count| count.parse())?;
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse())?;
    let models = heap::models()?;
    let bodies = heap::bodies(&models, count, seed);
    println!("{} bodies of {} triangles on a fixed floor", count, heap::triangles(&bodies));

    let mut apart = true;
    let (fast, best) = (Effort::Fast, Effort::Best);
    let searches = [
        ("least squares, fast", fast, DisplacementMeasure::Squares),
        ("minimum lengths, fast", fast, DisplacementMeasure::Lengths),
        ("least squares, best", best, DisplacementMeasure::Squares),
    ];
    for (name, effort, measure) in searches {
        let options = SeparationOptions { effort, measure, ..SeparationOptions::default() };
        let started = Instant::now();
        let found = separate(&bodies, &options)?;
        report(name, &bodies, &found, started.elapsed().as_secs_f64());
        apart &= overlapping(&bodies, &found.translations) == 0;
        apart &= same_with_one_thread(&bodies, &options, &found)?;
    }

    let started = Instant::now();
    let (moved, [sweeps, moves]) = one_by_one::separate(&bodies, SWEEPS)?;
    let total: f64 = moved.iter().map(Vector3::norm).sum();
    println!("one pair after another, each half the way:");
    println!("  overlaps left       {}", overlapping(&bodies, &moved));
    println!("  total displacement  {total:.3} m");
    println!("  sweeps, moves       {sweeps}, {moves}");
    println!("  time                {:.2} s", started.elapsed().as_secs_f64());
    Ok(if apart { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report(name: &str, bodies: &[Body], found: &Separation, time: f64) {
    let depths: f64 = found.overlaps.iter().map(|overlap| overlap.depth).sum();
    let farthest = found.translations.iter().map(Vector3::norm).fold(0.0, f64::max);
    println!("all at once, {name}:");
    println!("  overlaps before     {}, pairwise depths {depths:.3} m in sum", found.overlaps.len());
    println!("  overlaps left       {}", overlapping(bodies, &found.translations));
    println!(
        "  total displacement  {:.3} m, root of squares {:.3} m",
        found.total_displacement, found.root_sum_square
    );
    let moved = found.translations.iter().filter(|moved| moved.norm() > 1e-6).count();
    println!("  bodies moved        {moved}, the farthest by {farthest:.3} m");
    println!("  minimum distance      {:.1e} m", found.clearance);
    println!("  rounds, queries     {}, {}", found.rounds, found.queries);
    println!("  time                {time:.2} s on {} threads", rayon::current_num_threads());
}

/// Pairs that collide where the bodies go, by a plain loop over all pairs.
fn overlapping(bodies: &[Body], moved: &[Vector3<f64>]) -> usize {
    let pose = |body: usize| Translation3::from(moved[body]) * bodies[body].pose;
    let pairs = (0..bodies.len()).flat_map(|i| (i + 1..bodies.len()).map(move |j| [i, j]));
    pairs.filter(|&[i, j]| collide(bodies[i].model, &pose(i), bodies[j].model, &pose(j))).count()
}

/// Whether one thread gives the same bits.
fn same_with_one_thread(
    bodies: &[Body],
    options: &SeparationOptions,
    found: &Separation,
) -> Result<bool, Box<dyn Error>> {
    let alone = ThreadPoolBuilder::new().num_threads(1).build()?.install(|| separate(bodies, options))?;
    let same = alone == *found;
    println!("  with one thread     {}", if same { "the same" } else { "DIFFERENT" });
    Ok(same)
}
