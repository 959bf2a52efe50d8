//! Small scenes for the tests of dynamics.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "every test file uses its share")]
#![allow(clippy::unwrap_used, reason = "a world that cannot be built is a failed test")]

use std::f64::consts::FRAC_PI_2;

use extricate::dynamics::{BodyDescription, BodyKind, Shape, StepReport, World, WorldOptions};
use extricate::geometry::procedural::{Cuboid, Procedural, Torus};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::proximity::Model;
use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};

pub fn solid(mesh: TriangleMesh) -> Shape {
    Shape::from(Model::new(mesh, Solidity::Solid))
}

/// A box of full sizes, twelve triangles.
pub fn block(x: f64, y: f64, z: f64) -> Shape {
    solid(Cuboid { x, y, z, subdivisions: 1 }.mesh().unwrap())
}

pub fn cube(size: f64) -> Shape {
    block(size, size, size)
}

/// A torus about z whose vertices lie on the true torus.
pub fn torus(major_radius: f64, minor_radius: f64, segments: u32, sides: u32) -> Shape {
    solid(Torus { major_radius, minor_radius, segments, sides }.mesh().unwrap())
}

pub fn pose(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// A pose rotated about an axis.
pub fn rotated(axis: [f64; 3], angle: f64, position: [f64; 3]) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_axis_angle(&Unit::new_normalize(Vector3::from(axis)), angle);
    Isometry3::from_parts(Vector3::from(position).into(), rotation)
}

/// A body whose z axis lies along x.
pub fn lying(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2);
    Isometry3::from_parts(Vector3::new(x, y, z).into(), rotation)
}

/// A body whose z axis lies along y.
pub fn upright(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    Isometry3::from_parts(Vector3::new(x, y, z).into(), rotation)
}

/// A point of a frame that is rotated about y by an angle, with the frame's rotation.
pub fn tilted(angle: f64, x: f64, y: f64, z: f64) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
    Isometry3::from_parts((rotation * Vector3::new(x, y, z)).into(), rotation)
}

pub fn body(name: &str, shape: Shape, pose: Isometry3<f64>) -> BodyDescription {
    BodyDescription::new(name, BodyKind::Dynamic, shape, pose)
}

pub fn fixed(name: &str, shape: Shape, pose: Isometry3<f64>) -> BodyDescription {
    BodyDescription::new(name, BodyKind::Fixed, shape, pose)
}

pub fn half_space(name: &str) -> BodyDescription {
    fixed(name, Shape::half_space(), Isometry3::identity())
}

/// A world with observations of it.
pub struct Run {
    pub world: World,
    pub reports: Vec<StepReport>,
    start: f64,
}

impl Run {
    pub fn new(options: WorldOptions, bodies: impl IntoIterator<Item = BodyDescription>) -> Self {
        let mut builder = World::builder(options);
        for body in bodies {
            builder.add_body(body).unwrap();
        }
        let world = builder.build().unwrap();
        let start = world.energy().total();
        Self { world, reports: Vec::new(), start }
    }

    pub fn step(&mut self) -> StepReport {
        let report = self.world.step().unwrap();
        self.reports.push(report);
        report
    }

    pub fn seconds(&mut self, seconds: f64) {
        let end = self.world.time() + seconds;
        while self.world.time() < end - 1e-9 {
            self.step();
        }
    }

    /// Maximum energy seen minus the energy at the start [J].
    pub fn worst_gain(&self) -> f64 {
        self.reports.iter().map(|report| report.energy.total() - self.start).fold(0.0, f64::max)
    }

    /// Deepest contact [m] from `time` [s] on.
    pub fn worst_penetration_after(&self, time: f64) -> f64 {
        let late = self.reports.iter().filter(|report| report.time > time);
        late.map(|report| report.max_penetration).fold(0.0, f64::max)
    }
}

pub fn weightless() -> WorldOptions {
    WorldOptions { gravity: Vector3::zeros(), ..WorldOptions::default() }
}

/// Weightless cubes of 1 m that overlap at the start come apart, never faster than 1 cm/s: with that little energy.
pub fn assert_overlapping_cubes_part_slowly(cube: &Shape) {
    for overlap in [0.05, 0.2, 0.5, 0.9] {
        let bodies = [
            body("a", cube.clone(), pose(0.0, 0.0, 0.0)),
            body("b", cube.clone(), pose(1.0 - overlap, 0.0, 0.0)),
        ];
        let mut run = Run::new(weightless(), bodies);
        let mut fastest = 0.0_f64;
        for _ in 0..480 {
            run.step();
            fastest =
                run.world.bodies().iter().map(|body| body.linear_velocity.norm()).fold(fastest, f64::max);
        }
        let [a, b] = [0, 1].map(|i| run.world.bodies()[i].position);
        assert!(fastest < 0.01, "overlap {overlap}: speed {fastest}");
        assert!((b - a).norm() > 0.999, "overlap {overlap}: distance {}", (b - a).norm());
    }
}
