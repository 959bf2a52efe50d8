//! Forces at links that bear their weight, or a fraction of it: the `gravcomp` of MJCF.
//!
//! They act at the centre of mass of each link in every configuration, so that the integrator takes them where it takes the weight.

use nalgebra::{Isometry3, Vector3};

use extricate_core::multibody::SpatialVector;

/// A force against gravity at a link of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lift {
    pub(super) link: usize,
    /// Mass whose weight it bears \[kg\].
    pub(super) mass: f64,
    /// Its point [m, link].
    pub(super) point: Vector3<f64>,
}

/// Adds the forces to those on the links (references at their origins), which may be none.
pub(crate) fn lift(
    lifts: &[Lift],
    gravity: &Vector3<f64>,
    poses: &[Isometry3<f64>],
    on_links: &mut Vec<SpatialVector>,
) {
    if lifts.is_empty() {
        return;
    }
    on_links.resize(poses.len(), SpatialVector::ZERO);
    for Lift { link, mass, point } in lifts {
        let force = -*mass * gravity;
        let moment = (poses[*link].rotation * point).cross(&force);
        on_links[*link] += SpatialVector::new(moment, force);
    }
}
