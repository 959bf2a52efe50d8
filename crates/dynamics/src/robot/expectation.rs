//! Motion of a robot that the forces within its joints, weights and soft bodies lead to in a step.

use serde::{Deserialize, Serialize};

/// The motion of a step without contacts of rigid bodies and limits of joints, as it was known before.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Expectation {
    /// Velocities at the end; none where soft bodies were not near.
    pub(crate) velocities: Vec<f64>,
    /// Root of twice the kinetic energy of the changes of the velocities in the step: by the robot itself, plus by the soft bodies.
    pub(crate) change: f64,
}
