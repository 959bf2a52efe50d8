//! Result of a repair: poses, and the displacements of their parts.

use nalgebra::Vector3;

use extricate_core::penetration::generalized::{
    ConstraintError, GeneralizedPenetration, GeneralizedSource, Pose, SearchSummary,
};

/// Poses without overlaps, or the best effort.
#[derive(Debug, Clone, PartialEq)]
pub struct Repair {
    /// σ \[m²\]: the object norm of the change, the mean over everything that may move, weighted by volume.
    pub sigma: f64,
    /// √σ \[m\].
    pub depth: f64,
    /// Mean squared displacement of all points \[m²\], reported beside σ, which sums the displacement by each joint alone.
    pub mean_squared_displacement: f64,
    /// A pose of each actor, in their order.
    pub poses: Vec<Pose>,
    /// Displacements of joints, bases and bodies, largest part of σ first.
    pub changes: Vec<Change>,
    /// The part that moved farthest; none where nothing moved.
    pub farthest: Option<Farthest>,
    /// Whether all joints are within their limits.
    pub limits_kept: bool,
    /// Each constraint, as a joint that closes a loop, with its error.
    pub constraints: Vec<ConstraintError>,
    /// Names of the constraints that leave parts which still overlap no freedom to separate; empty of a repair.
    pub immobilised_by: Vec<String>,
    /// Whether a collision query independent of the search found everything free.
    pub verified_free: bool,
    /// Number of steps of all descents.
    pub iterations: u32,
    /// Source of the start that led to the result.
    pub source: GeneralizedSource,
    /// Extent of the search.
    pub summary: SearchSummary,
}

impl Repair {
    pub(super) fn new(
        found: GeneralizedPenetration,
        changes: Vec<Change>,
        farthest: Option<Farthest>,
    ) -> Self {
        Self {
            sigma: found.sigma,
            depth: found.depth,
            mean_squared_displacement: found.mean_squared_displacement,
            poses: found.poses,
            changes,
            farthest,
            limits_kept: found.limits_kept,
            constraints: found.constraints,
            immobilised_by: found.immobilised_by,
            verified_free: found.verified_free,
            iterations: found.iterations,
            source: found.source,
            summary: found.summary,
        }
    }
}

/// Displacement of a joint, a base or a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Name of the joint, of the robot whose base moved (`base` of one alone), or of the body.
    pub name: String,
    /// Kind and size of the displacement.
    pub moved: Moved,
    /// Its part of σ \[m²\].
    pub sigma: f64,
}

/// Kind and size of a displacement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Moved {
    /// Rotation of a revolute joint, by an angle \[rad\].
    Rotated(f64),
    /// Translation of a prismatic joint, by a length \[m\].
    Slid(f64),
    /// Displacement of a base or a body.
    Placed {
        /// Translation of its frame [m, world].
        translation: Vector3<f64>,
        /// Angle of its rotation \[rad\].
        angle: f64,
    },
}

/// The part that moved farthest.
#[derive(Debug, Clone, PartialEq)]
pub struct Farthest {
    /// Name of the link or body.
    pub name: String,
    /// Displacement of its farthest point \[m\]; for round shapes an upper bound.
    pub distance: f64,
}
