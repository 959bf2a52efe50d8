//! Interface between a separation and its bodies: the same solver serves meshes and the shapes of a scene.

use nalgebra::{UnitQuaternion, Vector3};

use crate::penetration::error::PenetrationError;
use crate::penetration::translational::options::Effort;

/// Properties of a body besides its shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyInfo {
    /// Corners of a bounding box of the body at its initial pose [m, world]; infinite for an unbounded body.
    pub bounds: [Vector3<f64>; 2],
    /// Orientation body → world.
    pub rotation: UnitQuaternion<f64>,
    /// Radius of a bounding ball of the body \[m\]; infinite for an unbounded body.
    pub size: f64,
    /// Weight of its displacement in the objective; `None` for a fixed body.
    pub weight: Option<f64>,
}

/// Separating constraint of a pair: its first body must move by `depth` along `normal`, relative to the second one, to touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairConstraint {
    /// Unit normal \[world\].
    pub normal: Vector3<f64>,
    /// Depth \[m\]; minus the distance of bodies that are separated by less than the clearance.
    pub depth: f64,
}

/// The first contact of a pair on a straight path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathContact {
    /// Fraction of the path that is free.
    pub fraction: f64,
    /// Unit normal in which the first body moves away \[world\].
    pub normal: Vector3<f64>,
}

/// Bodies and the pairs of them that may overlap. A query of a pair takes its first body translated by `shift` [m, world]
/// relative to the second one, from the initial poses.
pub trait Pairs: Sync {
    /// The bodies.
    fn bodies(&self) -> &[BodyInfo];

    /// Whether the pair must be separated: not if both are fixed, nor if the pair is exempt.
    fn must_separate(&self, pair: [usize; 2]) -> bool;

    /// The constraint of a pair at `shift`, or `None` if it is separated by at least `clearance` \[m\]. `search.free` is a shift
    /// at which the pair was separated, from which the search starts; without it the search starts from scratch.
    ///
    /// # Errors
    /// [`PenetrationError`] when no separating translation was found.
    fn constraint(
        &self,
        pair: [usize; 2],
        shift: &Vector3<f64>,
        clearance: f64,
        search: PairSearch,
    ) -> Result<Option<PairConstraint>, PenetrationError>;

    /// Whether the pair is separated, and by more than `clearance` \[m\] if that is above zero.
    fn is_apart(&self, pair: [usize; 2], shift: &Vector3<f64>, clearance: f64) -> bool;

    /// The first contact of a pair that is separated at the shift `from` on the straight path to the shift `to`.
    fn first_contact(&self, pair: [usize; 2], from: &Vector3<f64>, to: &Vector3<f64>) -> Option<PathContact>;

    /// Distance of the pair \[m\], zero where it overlaps.
    fn distance(&self, pair: [usize; 2], shift: &Vector3<f64>) -> f64;
}

/// Options of the search for a separating translation of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairSearch {
    /// Effort of a search from scratch.
    pub effort: Effort,
    /// A shift at which the pair was separated.
    pub free: Option<Vector3<f64>>,
}
