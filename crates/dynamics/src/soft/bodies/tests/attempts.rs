//! Attempts of a step: those that are repeated, and the one that counts.

use super::*;
use crate::soft::Times;
use crate::soft::bodies::finer::Finer;
use crate::soft::bodies::joining::Joining;
use crate::soft::bodies::stepping::Before;
use crate::soft::bodies::world::SoftWorld;
use crate::{SoftError, SoftReport};

/// Onset of stiffening \[m\]: a hundredth of the thickness of a cube of side 0.1 m.
const ONSET: f64 = 1e-3;

/// A cube on another one, before the first step, and their state.
fn cubes() -> (World, Before) {
    let mut builder = World::builder(options(1e7, 0.01));
    builder.add_soft_body(soft_cube("lower", 0.0)).unwrap();
    builder.add_soft_body(soft_cube("upper", 0.1)).unwrap();
    let mut world = built(builder);
    let soft = soft(&mut world);
    let before = soft.before();
    (world, before)
}

fn soft(world: &mut World) -> &mut SoftWorld {
    world.soft.as_mut().unwrap()
}

/// Sinks the upper cube by a depth \[m\], which is that of the node in the middle of its lower face in the lower cube.
fn sink(world: &mut World, before: &Before, depth: f64) {
    let soft = soft(world);
    soft.put_back(before);
    let middle = soft.system.x.len() / 2;
    soft.system.x[middle..].iter_mut().for_each(|p| p.z -= depth);
}

/// Height of the upper cube above its place before the step \[m\].
fn lift(world: &mut World, before: &Before) -> f64 {
    let last = soft(world).system.x.last().unwrap().z;
    sink(world, before, 0.0);
    last - soft(world).system.x.last().unwrap().z
}

#[test]
fn a_step_that_ends_deep_is_repeated_with_edges_that_join_and_without_them_where_they_do_not_help() {
    let (mut world, before) = cubes();
    for (first, second, counts) in
        [(1.5, None, false), (3.0, Some(2.5), false), (3.0, Some(3.5), true), (3.0, Some(3.0), true)]
    {
        let mut joining = soft(&mut world).joins_none();
        sink(&mut world, &before, first * ONSET);
        let is_repeated = soft(&mut world).repeats(&mut joining, &before, false);
        assert_eq!(is_repeated, second.is_some(), "{first}");
        let Some(second) = second else { continue };
        let Joining::Deep(excess) = joining else { panic!("{joining:?}") };
        assert!((excess - (first - 2.0) * ONSET).abs() < 1e-12, "{excess}");
        assert!(lift(&mut world, &before).abs() < 1e-15, "the step begins where it began");
        assert!(soft(&mut world).contact.edges_join());
        sink(&mut world, &before, second * ONSET);
        assert_eq!(soft(&mut world).repeats(&mut joining, &before, false), counts, "{second}");
        // Where the second attempt counts, its edges have joined; else the first one is made once more, and ends the attempts.
        assert_eq!(soft(&mut world).contact.edges_join(), !counts);
        sink(&mut world, &before, first * ONSET);
        assert!(!soft(&mut world).repeats(&mut joining, &before, false));
    }
}

#[test]
fn a_step_that_fails_is_repeated_with_edges_that_join_once() {
    let (mut world, before) = cubes();
    let mut joining = soft(&mut world).joins_none();
    assert!(soft(&mut world).repeats(&mut joining, &before, true));
    assert!(soft(&mut world).contact.edges_join());
    assert!(!soft(&mut world).repeats(&mut joining, &before, true));
    assert!(soft(&mut world).contact.edges_join(), "the parts that follow have them, too");
}

type Done = Result<(SoftReport, Times), SoftError>;

fn ended(parts: usize, jammed: usize) -> Done {
    Ok((SoftReport { parts, jammed, unconverged: jammed, ..SoftReport::default() }, Times::default()))
}

fn failed() -> Done {
    Err(SoftError::NotConverged { iterations: 100, relative: 1.0, tolerance: 1e-4, dt: 0.01 })
}

#[test]
fn of_finer_parts_the_first_that_is_nowhere_deep_counts_and_else_the_shallowest_attempt() {
    let (mut world, before) = cubes();
    // Depth of the divided step in onsets and its jammed parts; of each attempt in finer parts, infinite where it fails; parts of the one that counts.
    type Case<'a> = ((f64, usize), &'a [f64], usize);
    let cases: [Case<'_>; 9] = [
        ((1.5, 0), &[], 4),
        ((1.5, 1), &[1.9], 4),
        ((1.5, 1), &[2.1, 1.9], 8),
        ((1.5, 1), &[2.1, 2.1], 4),
        ((4.0, 0), &[1.0], 4),
        ((4.0, 0), &[3.0, 3.5], 4),
        ((4.0, 0), &[3.5, 3.0], 8),
        ((4.0, 0), &[f64::INFINITY, 3.0], 8),
        ((4.0, 2), &[f64::INFINITY, f64::INFINITY], 4),
    ];
    for ((depth, jammed), attempts, parts) in cases {
        let mut finer = Finer::Untried;
        let mut next = (ended(4, jammed), depth);
        let mut tried = attempts.iter();
        for _ in 0..4 {
            sink(&mut world, &before, if next.1.is_finite() { next.1 * ONSET } else { 0.0 });
            if !soft(&mut world).refines(&mut finer, &before, &next.0) {
                break;
            }
            assert!(lift(&mut world, &before).abs() < 1e-15, "the step begins where it began");
            let now = finer.parts(&SoftOptions::default(), 2).0;
            next = match tried.next() {
                Some(&own) if own.is_finite() => (ended(now, 0), own),
                Some(_) => (failed(), f64::INFINITY),
                None => (ended(now, jammed), depth),
            };
        }
        assert!(tried.next().is_none(), "{depth} {attempts:?}");
        let (now, options) = finer.parts(&SoftOptions::default(), 2);
        assert_eq!(now, parts, "{depth} {attempts:?}");
        // The step without them shares its bound among its parts, and ends with its best iterates.
        let is_finer = attempts.iter().any(|&own| own < depth.max(2.0));
        let bounds = if is_finer { (false, 100) } else { (true, 25) };
        assert_eq!((options.newton.accept, options.newton.max_iterations), bounds);
    }
}

#[test]
fn what_strikes_a_cube_stops_within_a_fiftieth_of_its_thickness_with_few_iterations_too() {
    // Parts that share these iterations end 2.5 to 4.1 % deep.
    for (max_iterations, mass, speed) in
        [(8, 4.0, 2.0), (8, 8.0, 5.0), (12, 4.0, 5.0), (14, 1.0, 5.0), (20, 4.0, 2.0)]
    {
        let mut limited = options(1e7, 1.0 / 240.0);
        limited.soft.newton.max_iterations = max_iterations;
        let mut world = struck_cube(limited, mass, speed);
        let start = world.energy().total();
        for _ in 0..48 {
            let report = world.step().unwrap().soft.unwrap();
            // The thickness of the cube is its side, 0.1 m.
            assert!(report.max_penetration < 0.02 * 0.1, "{max_iterations}, {mass} kg: {report:?}");
            assert_eq!(report.inverted, 0);
            assert!(world.energy().total() < 1.01 * start, "{:?} of {start} J", world.energy());
        }
    }
}
