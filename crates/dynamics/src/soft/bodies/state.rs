//! The state of a world's soft bodies at an instant, and what overlaps there.

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use crate::state::AnyBody;

/// Where a soft body is and how it does, world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftBodyState {
    /// Name of the body.
    pub name: String,
    /// Centre of mass [m].
    pub centroid: Point3<f64>,
    /// Velocity of the centre of mass [m/s].
    pub velocity: Vector3<f64>,
    /// Volume of all its tetrahedra, the signed one [m³].
    pub volume: f64,
    /// The same at rest [m³].
    pub rest_volume: f64,
    /// Deepest contact that it has part in [m], ≥ 0.
    pub max_penetration: f64,
    /// Number of elements that are turned inside out.
    pub inverted: usize,
}

/// Overlap of a soft body with another body or with itself.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftOverlap {
    /// Names of the soft body and of the other one, soft or rigid; the same name twice for an overlap with itself.
    pub bodies: [String; 2],
    /// Greatest depth [m].
    pub depth: f64,
    /// Where that is [m, world].
    pub point: Point3<f64>,
    /// Number of points in contact.
    pub count: usize,
}

/// What soft bodies did to a rigid one in the last step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SoftLoad {
    /// Force of contacts, friction and attachments [N, world].
    pub force: Vector3<f64>,
    /// Torque about the centre of mass, of a fixed body about the origin of its frame [N·m, world].
    pub torque: Vector3<f64>,
}

/// What a step did to the soft bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SoftReport {
    /// Equal parts the step was cut into because it did not converge at once; 1 where it did.
    pub parts: usize,
    /// Newton iterations: linear systems solved.
    pub newton_iterations: usize,
    /// Iterations of conjugate gradients, all systems together.
    pub linear_iterations: usize,
    /// Norm of the forces out of balance at the end [N].
    pub residual: f64,
    /// The same over the forces that meet.
    pub relative_residual: f64,
    /// Points in contact at the end of the step.
    pub contacts: usize,
    /// Deepest of them [m].
    pub max_penetration: f64,
    /// The bodies of that contact, the soft one first; the same twice for one with itself.
    pub deepest: Option<[AnyBody; 2]>,
    /// Magnitudes of all contacts' forces, summed, friction left out [N].
    pub contact_force: f64,
    /// Magnitude of the sum of all contacts' forces over all bodies, friction included, which must vanish [N].
    pub imbalance: f64,
    /// Elements that are turned inside out at the end of the step.
    pub inverted: usize,
}
