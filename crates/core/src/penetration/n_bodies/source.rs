//! What a separation asks of the bodies: the same solver serves meshes and the shapes of a scene.

use nalgebra::{UnitQuaternion, Vector3};

use crate::penetration::error::PenetrationError;
use crate::penetration::translational::options::Effort;

/// What is known of a body besides its shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facts {
    /// Corners of a box around the body at its start [m, world]; infinite where the body has no end.
    pub bounds: [Vector3<f64>; 2],
    /// Orientation body → world.
    pub rotation: UnitQuaternion<f64>,
    /// Radius of a ball around the body [m]; infinite where it has no end.
    pub size: f64,
    /// How dear its motion is; none for a body that stays where it is.
    pub weight: Option<f64>,
}

/// What a pair asks for: its first body must move by `depth` along `normal`, relative to the second one, to touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// Unit normal [world].
    pub normal: Vector3<f64>,
    /// Depth [m]; minus the distance where the bodies are apart, but nearer than they shall be.
    pub depth: f64,
}

/// The first contact of a pair on a straight way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Share of the way that is free.
    pub share: f64,
    /// Unit normal in which the first body moves away [world].
    pub normal: Vector3<f64>,
}

/// Bodies and the pairs of them that may overlap. A pair is asked about with its first body moved by a relative
/// translation `shift` [m, world] from its start.
pub trait Pairs: Sync {
    /// The bodies.
    fn bodies(&self) -> &[Facts];

    /// Whether the two must be kept apart: not where both are fixed, nor where something exempts them.
    fn count(&self, pair: [usize; 2]) -> bool;

    /// The demand of a pair at `shift`, or `None` where it is at least `clearance` [m] apart. `free` is a shift at
    /// which the pair was apart, from which to look for the way out; without it the search starts from scratch.
    ///
    /// # Errors
    /// [`PenetrationError`] when no way out was found.
    fn demand(
        &self,
        pair: [usize; 2],
        shift: &Vector3<f64>,
        clearance: f64,
        search: Search,
    ) -> Result<Option<Demand>, PenetrationError>;

    /// Whether the pair is apart, and by more than `clearance` [m] where that is above zero.
    fn is_apart(&self, pair: [usize; 2], shift: &Vector3<f64>, clearance: f64) -> bool;

    /// The first contact of a pair that is apart at the shift `from` on the straight way to the shift `to`.
    fn first_contact(&self, pair: [usize; 2], from: &Vector3<f64>, to: &Vector3<f64>) -> Option<Contact>;

    /// Distance of the pair [m], zero where it overlaps.
    fn distance(&self, pair: [usize; 2], shift: &Vector3<f64>) -> f64;
}

/// How to look for a way out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// Effort of a search from scratch.
    pub effort: Effort,
    /// A shift at which the pair was apart.
    pub free: Option<Vector3<f64>>,
}
