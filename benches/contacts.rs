//! Cost of the contacts of one pair of meshes in a step: resting, sliding, rolling, colliding and deep in each other.
//!
//! `cargo bench --bench contacts` prints a table; a word behind it picks the scenes whose names contain it. Each scene
//! is a body and a fixed one in a world of the standard accuracy. The times are those of our contacts alone, without
//! rapier's broad phase and solver: the mean over the steps of interest, and the 99th percentile. Depth is that of
//! the deepest contact that the solver was given in those steps, over the bounding radius of the smaller body.

#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::f64::consts::FRAC_PI_2;

use extricate::dynamics::{BodyDescription, BodyKind, Shape, World, WorldOptions};
use extricate::geometry::Solidity;
use extricate::geometry::procedural::{
    Blob, BumpySphere, Cuboid, Figurine, GolfClub, Procedural, Sphere, Torus, TorusKnot,
};
use extricate::proximity::Model;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// A body and a fixed one.
struct Pair {
    fixed: (Shape, Isometry3<f64>),
    moving: (Shape, Isometry3<f64>),
    velocity: Vector3<f64>,
    spin: Vector3<f64>,
    gravity: f64,
    /// Begin and end of the measurement [s].
    span: [f64; 2],
}

impl Pair {
    fn new(fixed: (Shape, Isometry3<f64>), moving: (Shape, Isometry3<f64>)) -> Self {
        let still = Vector3::zeros();
        Self { fixed, moving, velocity: still, spin: still, gravity: 9.81, span: [1.0, 2.0] }
    }

    fn moving(self, velocity: [f64; 3], spin: [f64; 3]) -> Self {
        Self { velocity: velocity.into(), spin: spin.into(), ..self }
    }

    fn between(self, from: f64, to: f64) -> Self {
        Self { span: [from, to], ..self }
    }

    fn weightless(self) -> Self {
        Self { gravity: 0.0, span: [0.0, 0.5], ..self }
    }
}

fn made(kind: &impl Procedural) -> Shape {
    let mesh = kind.mesh().expect("its parameters are in range");
    Shape::from(Model::new(mesh, Solidity::Solid))
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// Turned by Euler angles about x, y and z.
fn rotated(angles: [f64; 3], pose: Isometry3<f64>) -> Isometry3<f64> {
    let [x, y, z] = angles;
    Isometry3::from_parts(pose.translation, UnitQuaternion::from_euler_angles(x, y, z))
}

fn cube(subdivisions: u32) -> Shape {
    made(&Cuboid { subdivisions, ..Cuboid::default() })
}

/// A cube with this number of parts along an edge on another one.
fn cubes(subdivisions: u32, pose: Isometry3<f64>) -> Pair {
    Pair::new((cube(subdivisions), at(0.0, 0.0, -0.5)), (cube(subdivisions), pose))
}

/// Something on a long floor.
fn on_floor(shape: Shape, pose: Isometry3<f64>) -> Pair {
    let floor = Cuboid { x: 20.0, y: 4.0, z: 1.0, subdivisions: 12 };
    Pair::new((made(&floor), at(0.0, 0.0, -0.5)), (shape, pose))
}

fn askew() -> Isometry3<f64> {
    rotated([0.0, 0.0, 0.4], at(0.13, -0.07, 0.5))
}

fn slides(subdivisions: u32) -> Pair {
    on_floor(cube(subdivisions), at(-5.0, 0.0, 0.5)).moving([4.0, 0.5, 0.0], [0.0; 3]).between(0.1, 0.7)
}

fn rolls(shape: Shape, height: f64) -> Pair {
    on_floor(shape, at(-5.0, 0.0, height)).moving([2.0, 0.0, 0.0], [0.0, 4.0, 0.0]).between(0.2, 1.2)
}

fn ball() -> Shape {
    made(&Sphere { radius: 0.5, frequency: 16 })
}

fn bumpy(frequency: u32) -> Shape {
    made(&BumpySphere { frequency, ..BumpySphere::default() })
}

fn blob(seed: u32) -> Shape {
    made(&Blob { frequency: 60, seed, ..Blob::default() })
}

/// A torus of R = 1 m in a fixed upright one.
fn linked(minor_radius: f64, [segments, sides]: [u32; 2]) -> Pair {
    let ring = || made(&Torus { major_radius: 1.0, minor_radius, segments, sides });
    let below = at(0.0, 0.0, -1.99 + 2.0 * minor_radius);
    let (upright, lower) =
        (rotated([FRAC_PI_2, 0.0, 0.0], at(0.0, 0.0, 0.0)), rotated([0.0, FRAC_PI_2, 0.0], below));
    Pair::new((ring(), upright), (ring(), lower)).between(2.0, 3.0)
}

/// A torus of 2016 triangles on another one, both about z.
fn rings(pose: Isometry3<f64>) -> Pair {
    let ring = || made(&Torus { major_radius: 1.0, minor_radius: 0.2, segments: 48, sides: 21 });
    Pair::new((ring(), at(0.0, 0.0, 0.0)), (ring(), pose))
}

fn falls(fixed: Shape, moving: Shape, pose: Isometry3<f64>) -> Pair {
    Pair::new((fixed, at(0.0, 0.0, 0.0)), (moving, pose)).between(0.0, 1.5)
}

/// Makes a pair.
type Make = fn() -> Pair;

const SCENES: [(&str, Make); 25] = [
    ("cube 12 rests", || cubes(1, at(0.0, 0.0, 0.5))),
    ("cube 12 rests askew", || cubes(1, askew())),
    ("cube 768 rests", || cubes(8, at(0.0, 0.0, 0.5))),
    ("cube 768 rests askew", || cubes(8, askew())),
    ("cube 3072 rests", || cubes(16, at(0.0, 0.0, 0.5))),
    ("cube 12 slides", || slides(1)),
    ("cube 768 slides", || slides(8)),
    ("cube 3072 deep", || cubes(16, at(0.0, 0.0, -0.4)).weightless()),
    ("ball 5120 rolls", || rolls(ball(), 0.5)),
    ("ball 5120 on ball", || falls(ball(), ball(), at(0.02, 0.0, 1.0)).between(0.2, 1.0)),
    ("bumpy 20480 rolls", || rolls(bumpy(32), 0.6)),
    ("bumpy 20480 rests", || on_floor(bumpy(32), at(0.0, 0.0, 0.6)).between(4.0, 5.0)),
    ("tori 2k hang", || linked(0.2, [48, 21])),
    ("tori 2k swing", || linked(0.2, [48, 21]).moving([0.6, 0.8, 0.0], [0.0, 0.0, 1.0]).between(0.1, 2.0)),
    ("tori thin hang", || linked(0.06, [64, 16])),
    ("tori 2k lie", || rings(at(0.0, 0.0, 0.4))),
    ("tori 2k lie askew", || rings(rotated([0.0, 0.0, 0.3], at(0.4, 0.1, 0.41))).between(2.0, 3.0)),
    ("tori 2k half in", || rings(at(0.0, 0.0, 0.2)).weightless()),
    ("knots fall", || {
        let knot = || made(&TorusKnot::default());
        falls(knot(), knot(), rotated([0.4, 0.3, 0.2], at(0.1, 0.2, 1.6)))
    }),
    ("blobs 72k tumble", || falls(blob(1), blob(2), at(0.1, 0.05, 1.2)).between(0.1, 0.8)),
    ("blob 72k rests", || {
        let floor = made(&Cuboid { x: 20.0, y: 4.0, z: 1.0, subdivisions: 77 });
        Pair::new((floor, at(0.0, 0.0, -0.5)), (blob(1), at(0.0, 0.0, 0.6))).between(5.0, 6.0)
    }),
    ("bumpies 72k", || {
        falls(bumpy(60), bumpy(60), rotated([0.1, 0.2, 0.3], at(0.1, 0.1, 1.0))).between(0.2, 0.9)
    }),
    ("club on figure", || {
        let pose = rotated([0.0, 1.2, 0.3], at(0.1, 0.0, 0.9));
        falls(made(&Figurine::default()), made(&GolfClub::default()), pose)
    }),
    ("club in figure", || {
        let pose = rotated([0.0, 1.2, 0.3], at(0.0, 0.05, 0.1));
        falls(made(&Figurine::default()), made(&GolfClub::default()), pose).weightless()
    }),
    ("figure on figure", || {
        let figure = || made(&Figurine::default());
        falls(figure(), figure(), rotated([0.5, 0.0, 0.3], at(0.1, 0.0, 1.2)))
    }),
];

/// Measurements of a run.
#[derive(Default)]
struct Seen {
    micros: Vec<f64>,
    contacts: usize,
    deepest: f64,
    gain: f64,
}

fn run(pair: &Pair) -> (Seen, World) {
    let gravity = Vector3::new(0.0, 0.0, -pair.gravity);
    let mut builder = World::builder(WorldOptions { gravity, ..WorldOptions::default() });
    let (shape, pose) = pair.fixed.clone();
    builder.add_body(BodyDescription::new("fixed", BodyKind::Fixed, shape, pose)).expect("a valid body");
    let (shape, pose) = pair.moving.clone();
    let mut body = BodyDescription::new("moving", BodyKind::Dynamic, shape, pose);
    (body.linear_velocity, body.angular_velocity) = (pair.velocity, pair.spin);
    builder.add_body(body).expect("a valid body");
    let mut world = builder.build().expect("a valid world");
    let (start, mut seen) = (world.energy().total(), Seen::default());
    while world.time() < pair.span[1] {
        let report = world.step().expect("it does not diverge");
        seen.gain = seen.gain.max(report.energy.total() - start);
        if report.time > pair.span[0] {
            seen.micros.push(report.timings.contacts.as_secs_f64() * 1e6);
            seen.contacts += report.contacts;
            seen.deepest = seen.deepest.max(report.max_penetration);
        }
    }
    (seen, world)
}

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    println!(
        "{:<20} {:>9} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9}",
        "scene", "mean us", "median us", "p99 us", "contacts", "depth/r", "speed", "gain"
    );
    for (name, make) in SCENES.iter().filter(|(name, _)| name.contains(&wanted)) {
        let pair = make();
        let (mut seen, world) = run(&pair);
        let count = seen.micros.len();
        let mean = seen.micros.iter().sum::<f64>() / count as f64;
        seen.micros.sort_by(f64::total_cmp);
        let body = world.body("moving").expect("it was added");
        let size = pair.fixed.0.bounding_radius().min(pair.moving.0.bounding_radius());
        println!(
            "{:<20} {:>9.1} {:>9.1} {:>9.1} {:>8.1} {:>9.1e} {:>9.1e} {:>9.1e}",
            name,
            mean,
            seen.micros[count / 2],
            seen.micros[count * 99 / 100],
            seen.contacts as f64 / count as f64,
            seen.deepest / size,
            body.linear_velocity.norm() + body.angular_velocity.norm() * size,
            seen.gain,
        );
    }
}
