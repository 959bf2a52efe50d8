//! Reference lengths, speeds and energies of a scene.

use std::collections::BTreeSet;

use nalgebra::{Point3, Vector3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scene::{Judge, Scene};
use extricate_core::geometry::Aabb;
use extricate_core::kinematics::JointKind;
use extricate_dynamics::{BodyKind, World};

/// Reference scales of a scene, from its start alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scales {
    /// Half the diagonal of the box around all moving bodies, at the start \[m\].
    pub length: f64,
    /// Radius of the smallest moving body \[m\].
    pub body: f64,
    /// Speed of a fall through that length, or the maximum speed at the start if that is larger; without both, one
    /// length a second [m/s].
    pub speed: f64,
    /// Energy that lifts every body by its own size, or the kinetic and elastic energy at the start if that is larger \[J\].
    pub energy: f64,
    /// Prismatic joints, as `robot/joint`: their values are lengths.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sliding: BTreeSet<String>,
}

/// Length scale of a scene in which nothing is bounded [m].
const UNBOUNDED: f64 = 1.0;

impl Scales {
    /// The scales of a scene whose world at the start is given.
    #[must_use]
    pub fn of(scene: &Scene, world: &World) -> Self {
        let balls = balls(world);
        let corners = balls.iter().flat_map(|(center, radius)| {
            [center - Vector3::repeat(*radius), center + Vector3::repeat(*radius)]
        });
        let corners: Vec<Point3<f64>> = corners.collect();
        let length = Aabb::of_points(&corners).extents().norm() / 2.0;
        // Nothing bounded, or a single point, has no positive finite size.
        let length = Some(length).filter(|length| *length > 0.0 && length.is_finite()).unwrap_or(UNBOUNDED);
        let body = balls.iter().map(|(_, radius)| *radius).filter(|r| *r > 0.0).fold(length, f64::min);
        let fastest = world.bodies().iter().map(|body| body.linear_velocity.norm()).fold(0.0, f64::max);
        let fastest = world.soft_bodies().iter().map(|body| body.velocity.norm()).fold(fastest, f64::max);
        let fall = (2.0 * scene.options.gravity.norm() * length).sqrt();
        let speed = Some(fall.max(fastest)).filter(|speed| *speed > 0.0).unwrap_or(length);
        Self { length, body, speed, energy: energy(scene, world), sliding: sliding(scene) }
    }
}

/// Bounding balls of all moving bodies; where nothing moves, of all bounded ones.
fn balls(world: &World) -> Vec<(Point3<f64>, f64)> {
    let (states, descriptions) = (world.bodies(), world.descriptions());
    let rigid = |moves: &dyn Fn(BodyKind) -> bool| -> Vec<(Point3<f64>, f64)> {
        let pairs = states.iter().zip(descriptions).filter(|(_, body)| moves(body.kind));
        let balls = pairs.map(|(state, body)| (state.position, body.shape.bounding_radius()));
        balls.filter(|(_, radius)| radius.is_finite()).collect()
    };
    let mut balls = rigid(&|kind| kind != BodyKind::Fixed);
    for body in world.soft_descriptions() {
        let bounds = body.mesh.aabb();
        balls.push((body.pose * bounds.center(), bounds.extents().norm() / 2.0));
    }
    if balls.is_empty() { rigid(&|_| true) } else { balls }
}

fn energy(scene: &Scene, world: &World) -> f64 {
    let gravity = &scene.options.gravity;
    // The energy balance of a run has this scale; at the start one observation makes it.
    let mut checker = Judge::new(&scene.expect, world.descriptions(), world.soft_descriptions(), gravity);
    checker.follow_energy(world.energy());
    let scale = checker.energy().map_or(0.0, |energy| energy.scale);
    Some(scale).filter(|scale| scale.is_finite() && *scale > 0.0).unwrap_or(1.0)
}

fn sliding(scene: &Scene) -> BTreeSet<String> {
    let of_robot = |robot: &extricate_dynamics::RobotDescription| {
        let joints = robot.articulation.joints().iter();
        let slide = joints.filter(|joint| matches!(joint.kind, JointKind::Prismatic { .. }));
        slide.map(|joint| format!("{}/{}", robot.name, joint.name)).collect::<Vec<_>>()
    };
    scene.robots.iter().flat_map(of_robot).collect()
}
