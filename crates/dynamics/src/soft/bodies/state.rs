//! The state of a world's soft bodies at an instant, with overlaps, loads and the report of a step.

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use crate::soft::contact::FieldWork;
use crate::state::AnyBody;

/// State of a soft body, world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftBodyState {
    /// Name of the body.
    pub name: String,
    /// Centre of mass \[m\].
    pub centroid: Point3<f64>,
    /// Velocity of the centre of mass [m/s].
    pub velocity: Vector3<f64>,
    /// Sum of the signed volumes of its tetrahedra \[m³\].
    pub volume: f64,
    /// Volume at rest \[m³\].
    pub rest_volume: f64,
    /// Maximum depth of its contacts \[m\], ≥ 0.
    pub max_penetration: f64,
    /// Number of inverted elements.
    pub inverted: usize,
    /// Loads of its handles on it, in their order, each with the name of the handle.
    pub handles: Vec<(String, SoftLoad)>,
}

/// Overlap of a soft body with another body or with itself.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftOverlap {
    /// Names of the soft body and of the other one, soft or rigid; the same name twice for an overlap with itself.
    pub bodies: [String; 2],
    /// Maximum depth \[m\].
    pub depth: f64,
    /// Position of the maximum [m, world].
    pub point: Point3<f64>,
    /// Number of points in contact.
    pub count: usize,
}

/// Load of the soft bodies on a rigid body in the last step, or of a handle on a soft body.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SoftLoad {
    /// Force of contacts, friction and attachments, or of the handle [N, world].
    pub force: Vector3<f64>,
    /// Torque about the centre of mass, of a fixed body about the origin of its frame, of a handle about its pivot [N·m, world].
    pub torque: Vector3<f64>,
}

/// Report of a step of the soft bodies of a world.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SoftReport {
    /// Number of equal substeps that the step was divided into because it did not converge; 1 where it did.
    pub parts: usize,
    /// Number of those that met their bound on Newton iterations and ended with the best iterate, not balanced to the tolerance.
    pub unconverged: usize,
    /// Number of those that ended before that bound, since no iteration took energy from them any more, or with contacts far beyond the onset of
    /// stiffening, although the pressure of deep pairs was eased.
    pub jammed: usize,
    /// Newton iterations: linear systems solved.
    pub newton_iterations: usize,
    /// Iterations of conjugate gradients, all systems together.
    pub linear_iterations: usize,
    /// Norm of the residual forces at the end \[N\].
    pub residual: f64,
    /// Residual forces over the forces in balance.
    pub relative_residual: f64,
    /// Points in contact at the end of the step.
    pub contacts: usize,
    /// Maximum depth of these contacts \[m\].
    pub max_penetration: f64,
    /// The bodies of the deepest contact, the soft one first; the same twice for one with itself.
    pub deepest: Option<[AnyBody; 2]>,
    /// Sum of the magnitudes of all contact forces, without friction \[N\].
    pub contact_force: f64,
    /// Magnitude of the sum of all contact forces over all bodies, friction included, which must vanish \[N\].
    pub imbalance: f64,
    /// Number of inverted elements at the end of the step.
    pub inverted: usize,
    /// Work of the updates of distance fields.
    pub fields: FieldWork,
}
