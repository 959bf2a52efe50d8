//! Start of a sketch: the scene as its simulation has moved and deformed it.

use std::sync::Arc;

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

use crate::record::WorldState;
use crate::scene::Scene;
use extricate_core::geometry::TetMesh;
use extricate_dynamics::SoftBodyDescription;

/// Deviation of positions and joints, relative to their size, and of nodes from a body at rest, relative to its size, that counts
/// as rounding; that of angles [rad], which are known to half as many digits where they are small.
const ROUNDING: f64 = 1e-12;
const ANGLE_ROUNDING: f64 = 1e-7;
/// Iterations, and angle [rad], at which the rotation of a deformed body is determined.
const ITERATIONS: usize = 100;
const PRECISION: f64 = 1e-12;

/// The scene with the poses of bodies and robots, and the shapes of soft bodies, in a state of its simulation. Each soft body has the
/// mesh of that state, at the pose that fits it best.
pub(super) fn scene_at(scene: &Scene, state: &WorldState) -> Scene {
    let mut moved = scene.clone();
    for body in &mut moved.bodies {
        if let Ok(at) = state.bodies.binary_search_by(|other| other.name.cmp(&body.name)) {
            body.pose = unless_rounded(&body.pose, state.pose(at));
        }
    }
    for robot in &mut moved.robots {
        let Some(found) = state.robots.iter().find(|other| other.name == robot.name) else { continue };
        robot.pose = unless_rounded(&robot.pose, found.base);
        for (joint, value) in &found.joints {
            if let Some(at) = robot.coordinate(joint)
                && (value - robot.configuration[at]).abs() > ROUNDING * (1.0 + value.abs())
            {
                robot.configuration[at] = *value;
            }
        }
    }
    for body in &mut moved.soft_bodies {
        if let Some(found) = state.soft.iter().find(|other| other.name == body.name) {
            deform(body, &found.nodes);
        }
    }
    moved
}

/// A pose, or the one before where only rounding distinguishes them: what has not moved is not written to a file.
fn unless_rounded(before: &Isometry3<f64>, after: Isometry3<f64>) -> Isometry3<f64> {
    let shift = (after.translation.vector - before.translation.vector).norm();
    let is_same = shift <= ROUNDING * (1.0 + before.translation.vector.norm())
        && after.rotation.angle_to(&before.rotation) <= ANGLE_ROUNDING;
    if is_same { *before } else { after }
}

/// Gives a soft body the shape of its nodes [m, world].
fn deform(body: &mut SoftBodyDescription, nodes: &[Point3<f64>]) {
    let rest = body.mesh.nodes();
    // Quadratic elements have further nodes, which the mesh has not.
    let Some(nodes) = nodes.get(..rest.len()).filter(|nodes| !nodes.is_empty()) else { return };
    let size = body.mesh.aabb().extents().norm();
    let is_at_rest = |(node, place): (&Point3<f64>, &Point3<f64>)| {
        (body.pose * node - place).norm() <= ROUNDING * (size + place.coords.norm())
    };
    if rest.iter().zip(nodes).all(is_at_rest) {
        return;
    }
    let pose = fitted(rest, nodes, &body.pose.rotation);
    let own = nodes.iter().map(|node| pose.inverse_transform_point(node)).collect();
    // A mesh with an inverted element is refused: such a body keeps its shape at rest.
    if let Ok(mesh) = TetMesh::new(own, body.mesh.tets().to_vec()) {
        body.mesh = Arc::new(mesh);
    }
    body.pose = pose;
}

/// The pose that takes points nearest to others, in the sum of squared distances, from a guess of its rotation.
fn fitted(from: &[Point3<f64>], to: &[Point3<f64>], guess: &UnitQuaternion<f64>) -> Isometry3<f64> {
    let middle = |points: &[Point3<f64>]| {
        points.iter().map(|point| point.coords).sum::<Vector3<f64>>() / points.len() as f64
    };
    let (before, after) = (middle(from), middle(to));
    let covariance = from.iter().zip(to).fold(Matrix3::zeros(), |sum, (from, to)| {
        sum + (to.coords - after) * (from.coords - before).transpose()
    });
    let guess = guess.to_rotation_matrix();
    let rotation = Rotation3::from_matrix_eps(&covariance, PRECISION, ITERATIONS, guess);
    let rotation = UnitQuaternion::from_rotation_matrix(&rotation);
    Isometry3::from_parts(Translation3::from(after - rotation * before), rotation)
}
