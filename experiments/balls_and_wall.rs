//! Balls shot at a thin wall at random: does any get through, and how fast does it come back?
//!
//! ```text
//! cargo run --release --example balls_and_wall -- [--runs 10000] [--restitution 0.5]
//! ```
//!
//! A ball of 4 cm, a wall of 1 cm; speeds from 1 to 400 m/s, evenly in their logarithm, random directions up to 70° off
//! the normal, random spins, offsets and phases of the step. Balls and walls are primitives and meshes. Exits with 1 when
//! a ball was ever beyond the wall.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program that prints a table and counts"
)]

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use extricate::dynamics::{BodyDescription, BodyKind, Shape, World, WorldOptions};
use extricate::geometry::procedural::{Cuboid, Procedural, Sphere};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::proximity::Model;
use extricate_test_support::Noise;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Balls shot at a thin wall.
#[derive(Debug, Parser)]
struct Arguments {
    /// Shots at each kind of wall with each kind of ball.
    #[arg(long, default_value_t = 10_000)]
    runs: u64,
    /// Restitution of balls and walls.
    #[arg(long, default_value_t = 0.5)]
    restitution: f64,
    /// Parts of an edge of the icosahedron of the ball's mesh; it has 20 n² triangles.
    #[arg(long, default_value_t = 8)]
    frequency: u32,
}

/// Radius of the ball [m].
const RADIUS: f64 = 0.02;
/// Thickness of the wall [m].
const THICKNESS: f64 = 0.01;
/// Width of the wall [m]: nothing slides off it.
const WIDTH: f64 = 100.0;
/// Maximum speed [m/s].
const FASTEST: f64 = 400.0;
/// Steps a second.
const RATE: f64 = 240.0;
/// Steps after the impact.
const AFTER: usize = 12;

/// Result of a shot.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    through: bool,
    /// Speed away from the wall over that towards it.
    back: f64,
}

fn main() -> ExitCode {
    match shoot(&Arguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Shoots, and says how many got through.
fn shoot(arguments: &Arguments) -> Result<u64> {
    println!("| ball | wall | shots | through | speed back, minimum | mean | most | time of a step |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    let sphere = Sphere { radius: RADIUS, frequency: arguments.frequency };
    let slab = Cuboid { x: THICKNESS, y: WIDTH, z: WIDTH, subdivisions: 1 };
    let balls = [("primitive", Shape::ball(RADIUS)), ("mesh", mesh(sphere.mesh()?))];
    let primitive = Shape::cuboid(Vector3::new(THICKNESS, WIDTH, WIDTH));
    let walls = [("primitive", primitive), ("mesh", mesh(slab.mesh()?))];
    let mut all = 0;
    for (ball_name, ball) in &balls {
        for (wall_name, wall) in &walls {
            let (mut random, mut steps, started) = (Noise(42), 0, Instant::now());
            let mut outcomes = Vec::new();
            for _ in 0..arguments.runs {
                outcomes.push(shot(ball, wall, arguments.restitution, &mut random, &mut steps)?);
            }
            let took = started.elapsed().as_secs_f64();
            let through = outcomes.iter().filter(|outcome| outcome.through).count() as u64;
            let back = outcomes.iter().map(|outcome| outcome.back);
            let [min, most] = [back.clone().fold(f64::INFINITY, f64::min), back.clone().fold(0.0, f64::max)];
            print!("| {ball_name} | {wall_name} | {} | {through} ", arguments.runs);
            print!("| {min:.3} | {:.3} | {most:.3} ", back.sum::<f64>() / arguments.runs as f64);
            println!("| {:.0} µs |", 1e6 * took / steps as f64);
            all += through;
        }
    }
    Ok(all)
}

fn mesh(mesh: TriangleMesh) -> Shape {
    Shape::from(Model::new(mesh, Solidity::Solid))
}

fn shot(
    ball: &Shape,
    wall: &Shape,
    restitution: f64,
    random: &mut Noise,
    steps: &mut u64,
) -> Result<Outcome> {
    let speed = FASTEST.powf(random.unit_interval());
    let direction = loop {
        let direction = random_direction(random);
        if direction.x > 70_f64.to_radians().cos() {
            break direction;
        }
    };
    let at_wall = Vector3::new(-0.5 * THICKNESS - RADIUS, random.signed() * 0.5, random.signed() * 0.5);
    let travel = 0.01 + 3.0 * random.unit_interval() * speed / RATE;
    let rotation = UnitQuaternion::new(random_direction(random) * (3.0 * random.unit_interval()));
    let start = Isometry3::from_parts((at_wall - direction * travel).into(), rotation);
    let spin = random_direction(random) * (500.0 * random.unit_interval());
    let mut builder = World::builder(WorldOptions {
        gravity: Vector3::zeros(),
        time_step: 1.0 / RATE,
        ..WorldOptions::default()
    });
    for (name, kind, shape, pose) in
        [("ball", BodyKind::Dynamic, ball, start), ("wall", BodyKind::Fixed, wall, Isometry3::identity())]
    {
        let mut body = BodyDescription::new(name, kind, shape.clone(), pose);
        (body.restitution, body.friction) = (restitution, 0.0);
        if kind == BodyKind::Dynamic {
            (body.linear_velocity, body.angular_velocity) = (direction * speed, spin);
        }
        builder.add_body(body)?;
    }
    let mut world = builder.build()?;
    let mut outcome = Outcome { through: false, back: 0.0 };
    for _ in 0..(travel / speed * RATE).ceil() as usize + AFTER {
        world.step()?;
        *steps += 1;
        let state = world.body("ball").ok_or("the ball is gone")?;
        outcome.through |= !(state.position.x < 0.0);
        outcome.back = -state.linear_velocity.x / (speed * direction.x);
    }
    Ok(outcome)
}

fn random_direction(noise: &mut Noise) -> Vector3<f64> {
    noise.uniform_direction(0.1..1.0).into_inner()
}
