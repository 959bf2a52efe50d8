//! Generalized penetration of two triangle models: the least rigid motion of A after which they are apart
//! [Tang14 §3].
//!
//! The measure is the object norm σ, the mean squared displacement of A's points. What is returned is the least one found, an
//! upper bound, and never more than the square of the translational depth found with the same effort. The returned pose
//! is verified by an independent query before it is returned.

mod chart;
mod contacts;
mod feature;
mod search;
mod starts;
mod walk;

use nalgebra::Isometry3;
use thiserror::Error;

use crate::penetration::{Effort, PenetrationError};
use crate::proximity::{Model, collide};

/// What a rigid query is to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidOptions {
    /// One walk from the best start, or many.
    pub effort: Effort,
    /// Whether a thorough search uses all threads of the current pool; the answer does not depend on it.
    pub parallel: bool,
}

impl Default for RigidOptions {
    fn default() -> Self {
        Self { effort: Effort::default(), parallel: true }
    }
}

/// The least motion found.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidPenetration {
    /// σ [m²].
    pub sigma: f64,
    /// Pose of A at which the models are apart.
    pub pose: Isometry3<f64>,
    /// Least changes made.
    pub iterations: u32,
    /// Projections made.
    pub projections: u32,
    /// Whether the best walk ended at a local optimum.
    pub converged: bool,
}

/// Why there is no answer.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum RigidError {
    /// The translational query that everything starts from failed.
    #[error(transparent)]
    Translational(#[from] PenetrationError),
}

/// The generalized penetration of A into B, or `None` when they are proved apart.
///
/// # Errors
/// [`RigidError`] when no free pose was found.
pub fn rigid(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    options: &RigidOptions,
) -> Result<Option<RigidPenetration>, RigidError> {
    if !collide(a, pose_a, b, pose_b) {
        return Ok(None);
    }
    search::search((a, pose_a), (b, pose_b), options).map(Some)
}
