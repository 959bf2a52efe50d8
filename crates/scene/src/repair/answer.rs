//! What a repair came to: poses, and what moved by how much.

use nalgebra::Vector3;

use extricate_core::penetration::generalized::{GeneralizedPenetration, Pose};

/// Poses without overlaps, or the best effort.
#[derive(Debug, Clone, PartialEq)]
pub struct Repair {
    /// σ [m²]: the object norm of the change, the mean over all that may move, weighted by volume.
    pub sigma: f64,
    /// √σ [m].
    pub depth: f64,
    /// Mean squared displacement of all points [m²], reported beside σ, which sums what each joint does alone.
    pub mean_squared_displacement: f64,
    /// A pose of each actor, in their order.
    pub poses: Vec<Pose>,
    /// What moved by how much, largest part of σ first.
    pub changes: Vec<Change>,
    /// The point that moved farthest; none where nothing did.
    pub farthest: Option<Farthest>,
    /// Whether all joints are within their limits.
    pub limits_kept: bool,
    /// Whether a collision query that knows nothing of the search found everything free.
    pub verified_free: bool,
    /// Steps of all descents.
    pub iterations: u32,
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
            verified_free: found.verified_free,
            iterations: found.iterations,
        }
    }
}

/// Something that moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Name of the joint, of the robot whose base moved (`base` of one alone), or of the body.
    pub name: String,
    /// How it moved.
    pub moved: Moved,
    /// Its part of σ [m²].
    pub sigma: f64,
}

/// How something moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Moved {
    /// A joint turned, by an angle [rad].
    Turned(f64),
    /// A joint slid, by a length [m].
    Slid(f64),
    /// A base or a body went elsewhere.
    Placed {
        /// How far its frame went [m, world].
        translation: Vector3<f64>,
        /// How far it turned [rad].
        angle: f64,
    },
}

/// What moved farthest.
#[derive(Debug, Clone, PartialEq)]
pub struct Farthest {
    /// Name of the link or body.
    pub name: String,
    /// How far its farthest point moved [m]; of round shapes, a bound.
    pub distance: f64,
}
