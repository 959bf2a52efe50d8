//! Conversion of the bodies and joints of a scene into descriptions of the dynamics.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::placement::{copies, point, vector};
use super::random::Random;
use super::robots::LoadedRobot;
use super::schema::{self, DEFAULT_DENSITY, SceneFile};
use super::shape::LoadedShape;
use extricate_dynamics::{
    Accuracy, BodyDescription, BodyKind, JointDescription, JointKind, Mass, NarrowPhase, SleepOptions,
    SolverOverrides,
};

impl From<schema::Accuracy> for Accuracy {
    fn from(accuracy: schema::Accuracy) -> Self {
        match accuracy {
            schema::Accuracy::Preview => Self::Preview,
            schema::Accuracy::Standard => Self::Standard,
            schema::Accuracy::Reference => Self::Reference,
        }
    }
}

impl From<schema::SolverEntry> for SolverOverrides {
    fn from(solver: schema::SolverEntry) -> Self {
        Self {
            substeps: solver.substeps,
            contact_frequency: solver.contact_frequency,
            contact_damping: solver.contact_damping,
            relax_passes: solver.relax_passes,
            least_bounce_speed: solver.min_bounce_speed,
            sweeps: solver.ccd,
        }
    }
}

impl From<schema::SleepEntry> for SleepOptions {
    fn from(sleep: schema::SleepEntry) -> Self {
        let standard = Self::default();
        Self { speed: sleep.speed.unwrap_or(standard.speed), time: sleep.time.unwrap_or(standard.time) }
    }
}

impl From<schema::NarrowPhase> for NarrowPhase {
    fn from(narrow_phase: schema::NarrowPhase) -> Self {
        match narrow_phase {
            schema::NarrowPhase::Extricate => Self::Extricate,
            schema::NarrowPhase::Rapier => Self::Rapier,
        }
    }
}

impl From<schema::BodyKind> for BodyKind {
    fn from(kind: schema::BodyKind) -> Self {
        match kind {
            schema::BodyKind::Fixed => Self::Fixed,
            schema::BodyKind::Dynamic => Self::Dynamic,
            schema::BodyKind::Kinematic => Self::Kinematic,
        }
    }
}

/// All bodies, copies expanded, in the order of the file.
pub(super) fn bodies(file: &SceneFile, shapes: &BTreeMap<String, LoadedShape>) -> Vec<BodyDescription> {
    let mut random = Random::new(file.seed);
    let mut bodies = Vec::new();
    for entry in &file.bodies {
        let mass = match (entry.mass, entry.density) {
            (Some(mass), _) => Mass::Total(mass),
            (None, density) => Mass::Density(density.unwrap_or(DEFAULT_DENSITY)),
        };
        let of_copy = |(name, pose)| BodyDescription {
            name,
            kind: entry.kind.into(),
            pose,
            linear_velocity: vector(entry.linear_velocity),
            angular_velocity: vector(entry.angular_velocity),
            shape: shapes[&entry.shape].shape.clone(),
            mass,
            friction: entry.friction,
            rolling_friction: entry.rolling_friction,
            restitution: entry.restitution,
            linear_damping: entry.linear_damping,
            angular_damping: entry.angular_damping,
            continuous: entry.continuous,
        };
        bodies.extend(copies(entry, &mut random).into_iter().map(of_copy));
    }
    bodies
}

/// All joints; their two anchor frames coincide with all bodies at their start poses (those of a rope are apart).
pub(super) fn joints(
    file: &SceneFile,
    bodies: &[BodyDescription],
    robots: &[LoadedRobot],
) -> Vec<JointDescription> {
    let of_robots =
        robots.iter().flat_map(|robot| robot.bodies.iter().map(|(name, pose)| (name.as_str(), pose)));
    let of_bodies = bodies.iter().map(|body| (body.name.as_str(), &body.pose));
    let poses: BTreeMap<&str, &Isometry3<f64>> = of_bodies.chain(of_robots).collect();
    let of_entry = |entry: &schema::JointEntry| {
        let names = [entry.bodies.0.clone(), entry.bodies.1.clone()];
        let [first, second] = [poses[names[0].as_str()], poses[names[1].as_str()]];
        let (frames, kind) = frames_in_world(&entry.kind, second);
        let anchors = [first.inverse() * frames[0], second.inverse() * frames[1]];
        JointDescription { name: entry.name.clone(), bodies: names, anchors, kind, contacts: entry.contacts }
    };
    file.joints.iter().map(of_entry).collect()
}

/// Frames of a joint on its two bodies, joint → world, at the start.
fn frames_in_world(kind: &schema::JointKind, second: &Isometry3<f64>) -> ([Isometry3<f64>; 2], JointKind) {
    let at_second = Point3::from(second.translation.vector);
    let twice = |frame: Isometry3<f64>| [frame, frame];
    match kind {
        schema::JointKind::Fixed => (twice(*second), JointKind::Fixed),
        schema::JointKind::Revolute { anchor, axis, limits_degrees } => {
            let limits = limits_degrees.map(|(min, max)| [min.to_radians(), max.to_radians()]);
            (twice(along(point(*anchor), vector(*axis))), JointKind::Revolute { limits })
        }
        schema::JointKind::Prismatic { axis, limits } => {
            let limits = limits.map(|(min, max)| [min, max]);
            (twice(along(at_second, vector(*axis))), JointKind::Prismatic { limits })
        }
        schema::JointKind::Spherical { anchor } => (twice(at(point(*anchor))), JointKind::Spherical),
        schema::JointKind::Rope { anchors, length } => {
            ([at(point(anchors.0)), at(point(anchors.1))], JointKind::Rope { length: *length })
        }
    }
}

fn at(origin: Point3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(origin), UnitQuaternion::identity())
}

/// The frame at `origin` whose x axis points along `axis`.
fn along(origin: Point3<f64>, axis: Vector3<f64>) -> Isometry3<f64> {
    // A reversed axis leaves the rotation undetermined: any half revolution about a perpendicular axis does.
    let rotation = UnitQuaternion::rotation_between(&Vector3::x(), &axis)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI));
    Isometry3::from_parts(Translation3::from(origin), rotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_of_a_joint_is_the_x_axis_of_its_frame_even_reversed() {
        for axis in [Vector3::x(), -Vector3::x(), Vector3::y(), Vector3::new(0.6, 0.0, -0.8)] {
            let frame = along(Point3::new(1.0, 2.0, 3.0), axis);
            assert!((frame * Vector3::x() - axis).norm() < 1e-15, "{axis}");
        }
    }
}
