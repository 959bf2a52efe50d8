//! Chains of rings, held together by contact alone, thrown around: do they stay linked?
//!
//! ```text
//! cargo run --release --example thrown_chains -- [--seeds 20] [--seconds 2] [--rings 5]
//! ```
//!
//! Rings of 1 m with wire of 0.2 and 0.06 m, the first one fixed, the others with random velocities; steps of 1/60 and
//! 1/240 s. After every step the linking number of every two neighbours is that of their centre lines, and so is their
//! distance: over the diameter of the wire it is 1 where rings touch, but for the facets of the mesh (cos π/12 = 0.966).
//! Exits with 1 when a chain came apart.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a program that prints a table and counts"
)]

use std::error::Error;
use std::f64::consts::{FRAC_PI_2, TAU};
use std::process::ExitCode;

use clap::Parser;
use extricate::dynamics::{BodyDescription, BodyKind, BodyState, Shape, World, WorldOptions};
use extricate::geometry::Solidity;
use extricate::geometry::procedural::{Procedural, Torus};
use extricate::proximity::Model;
use extricate::scene::linking_number;
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Chains of rings thrown around.
#[derive(Debug, Parser)]
struct Arguments {
    /// Random starts of each chain.
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// Simulated time of each [s].
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Rings of a chain.
    #[arg(long, default_value_t = 5)]
    rings: usize,
    /// Maximum velocity along an axis at the start [m/s], and angular velocity [rad/s].
    #[arg(long, default_value_t = 6.0)]
    speed: f64,
}

/// Radius of the rings [m].
const RADIUS: f64 = 1.0;
/// Radii of the wire [m].
const WIRES: [f64; 2] = [0.2, 0.06];
/// Lengths of a step [1/s].
const RATES: [f64; 2] = [60.0, 240.0];
/// Corners of the centre lines.
const CORNERS: u32 = 48;
/// Observations of a chain.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Steps with neighbours that were not linked once.
    unlinked: u64,
    /// Minimum distance of centre lines [m].
    nearest: f64,
    /// Deepest contact that the solver was given [m].
    deepest: f64,
    /// Maximum speed of a ring [m/s].
    fastest: f64,
    steps: u64,
    /// Wall-clock time of the steps [s].
    time: f64,
}

impl Seen {
    const NOTHING: Self =
        Self { unlinked: 0, nearest: f64::INFINITY, deepest: 0.0, fastest: 0.0, steps: 0, time: 0.0 };
}

fn main() -> ExitCode {
    match throw(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn throw(arguments: &Arguments) -> Result<bool> {
    println!(
        "| wire | step | chains | came apart | nearest centre lines / wire | deepest contact | fastest ring | step mean |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut whole = true;
    for wire in WIRES {
        let mesh = Torus { major_radius: RADIUS, minor_radius: wire, segments: 48, sides: 12 }.mesh()?;
        let ring = Shape::from(Model::new(mesh, Solidity::Solid));
        for rate in RATES {
            let (mut apart, mut all) = (0, Seen::NOTHING);
            for seed in 0..arguments.seeds {
                let seen = chain(&ring, wire, rate, seed, arguments)?;
                apart += u64::from(seen.unlinked > 0);
                all.nearest = all.nearest.min(seen.nearest);
                all.deepest = all.deepest.max(seen.deepest);
                all.fastest = all.fastest.max(seen.fastest);
                (all.steps, all.time) = (all.steps + seen.steps, all.time + seen.time);
            }
            whole &= apart == 0;
            print!("| {wire} m | 1/{rate} s | {} | {apart} ", arguments.seeds);
            print!("| {:.3} | {:.1e} m | {:.0} m/s ", all.nearest / (2.0 * wire), all.deepest, all.fastest);
            println!("| {:.2} ms |", 1e3 * all.time / all.steps as f64);
        }
    }
    Ok(whole)
}

fn chain(ring: &Shape, wire: f64, rate: f64, seed: u64, arguments: &Arguments) -> Result<Seen> {
    let options = WorldOptions { time_step: 1.0 / rate, ..WorldOptions::default() };
    let mut builder = World::builder(options);
    let mut random = Noise(seed);
    for index in 0..arguments.rings {
        builder.add_body(link(ring, wire, index, arguments.speed, &mut random))?;
    }
    let mut world = builder.build()?;
    let mut seen = Seen::NOTHING;
    let start = links(&circles(&world));
    if start.iter().any(|link| link.abs() != 1) {
        return Err(format!("the rings are not linked at the start: {start:?}").into());
    }
    while world.time() < arguments.seconds {
        let report = world.step()?;
        seen.steps += 1;
        seen.time += report.timings.total.as_secs_f64();
        let circles = circles(&world);
        seen.unlinked += u64::from(links(&circles) != start);
        seen.deepest = seen.deepest.max(report.max_penetration);
        seen.nearest =
            circles.windows(2).map(|pair| distance(&pair[0], &pair[1])).fold(seen.nearest, f64::min);
        let speeds = world.bodies().into_iter().map(|body| body.linear_velocity.norm());
        seen.fastest = speeds.fold(seen.fastest, f64::max);
    }
    Ok(seen)
}

/// The rings hang below each other, each rotated by a right angle about the vertical.
fn link(ring: &Shape, wire: f64, index: usize, speed: f64, random: &mut Noise) -> BodyDescription {
    let pitch = 1.9 * (RADIUS - wire);
    let rotation = UnitQuaternion::from_euler_angles(FRAC_PI_2, 0.0, (index % 2) as f64 * FRAC_PI_2);
    let place = Translation3::new(0.0, 0.0, -pitch * index as f64);
    let kind = if index == 0 { BodyKind::Fixed } else { BodyKind::Dynamic };
    let pose = Isometry3::from_parts(place, rotation);
    let mut body = BodyDescription::new(format!("link {index:02}"), kind, ring.clone(), pose);
    let mut vector = || speed * random.signed_vector();
    if index > 0 {
        (body.linear_velocity, body.angular_velocity) = (vector(), vector());
    }
    body
}

/// Centre lines of the rings as polygons.
fn circles(world: &World) -> Vec<Vec<Point3<f64>>> {
    let corner = |state: &BodyState, k: u32| {
        let angle = TAU * f64::from(k) / f64::from(CORNERS);
        state.position + state.rotation * (RADIUS * Vector3::new(angle.cos(), angle.sin(), 0.0))
    };
    world.bodies().iter().map(|state| (0..CORNERS).map(|k| corner(state, k)).collect()).collect()
}

/// Linking numbers of neighbours; zero where the curves meet.
fn links(circles: &[Vec<Point3<f64>>]) -> Vec<i64> {
    circles.windows(2).map(|pair| linking_number(&pair[0], &pair[1]).round() as i64).collect()
}

/// Distance of two polygons [m].
fn distance(a: &[Point3<f64>], b: &[Point3<f64>]) -> f64 {
    let edges = |points: &[Point3<f64>]| -> Vec<[Point3<f64>; 2]> {
        points.iter().zip(points.iter().cycle().skip(1)).map(|(&from, &to)| [from, to]).collect()
    };
    let of_b = edges(b);
    let pairs = edges(a).into_iter().flat_map(|one| of_b.iter().map(move |other| between(&one, other)));
    pairs.fold(f64::INFINITY, f64::min)
}

/// Distance of two segments that have a length [m]: that of an end, or of two points within where the lines are nearest.
fn between([p, p_end]: &[Point3<f64>; 2], [q, q_end]: &[Point3<f64>; 2]) -> f64 {
    let to_segment = |point: &Point3<f64>, from: &Point3<f64>, to: &Point3<f64>| {
        let along = to - from;
        let fraction = ((point - from).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        (from + along * fraction - point).norm()
    };
    let ends = [to_segment(p, q, q_end), to_segment(p_end, q, q_end)];
    let ends = ends.into_iter().chain([to_segment(q, p, p_end), to_segment(q_end, p, p_end)]);
    let (u, v, r) = (p_end - p, q_end - q, q - p);
    let normal = u.cross(&v);
    let across = normal.norm_squared();
    let [s, t] = [v, u].map(|other| r.cross(&other).dot(&normal) / across);
    let within = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    let inner = if within { r.dot(&normal).abs() / across.sqrt() } else { f64::INFINITY };
    ends.fold(inner, f64::min)
}
