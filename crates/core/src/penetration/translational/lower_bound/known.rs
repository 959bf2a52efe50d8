//! The certificate of the last query of a pair, verified at the next pose instead of searched again.
//!
//! Between two poses no point of the curve moves farther than some bound, relative to the patch. If that is less than the
//! margin, moving all of it along straight lines crosses neither the patch with an end nor the border, and the intersection number
//! is the same at the new pose: only the distances are computed again.

use nalgebra::Isometry3;

use super::crossing::{Certificate, CrossingSearch};
use crate::proximity::model::Model;

/// Fraction of what was proved at the last search, relative to the depth, below which a search is made again.
const RENEWED: f64 = 0.9;

/// A certificate with the pose at which it holds.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::penetration::translational) struct KnownCertificate {
    certificate: Certificate,
    /// Pose of A in the frame of B.
    placement: Isometry3<f64>,
    /// Bound over depth at the last search.
    fraction: f64,
    /// Whether A and B are the models in the reverse order.
    pub(in crate::penetration::translational) is_exchanged: bool,
}

impl KnownCertificate {
    pub(super) fn new(certificate: Certificate, placement: Isometry3<f64>, fraction: f64) -> Self {
        Self { certificate, placement, fraction, is_exchanged: false }
    }

    /// The bound that it proves with A placed in the frame of B at `placement` [m], if it is hardly worse than that of the
    /// last search; `depth` is a separating length.
    pub(super) fn verify(
        &mut self,
        search: &CrossingSearch,
        models: [&Model; 2],
        placement: &Isometry3<f64>,
        depth: f64,
    ) -> Option<f64> {
        let moved = match self.certificate.owner() {
            0 => displacement(models[0], &self.placement, placement),
            _ => displacement(models[1], &self.placement.inverse(), &placement.inverse()),
        };
        let certificate = search.after_motion(&self.certificate, moved, depth)?;
        if !(certificate.margin >= RENEWED * self.fraction * depth) {
            return None;
        }
        self.certificate = certificate;
        self.placement = *placement;
        Some(self.certificate.margin)
    }
}

/// Upper bound of the displacement of the points of a body between two placements [m].
pub(in crate::penetration::translational) fn displacement(
    model: &Model,
    from: &Isometry3<f64>,
    to: &Isometry3<f64>,
) -> f64 {
    let centers = (from * model.center() - to * model.center()).norm();
    let angle = from.rotation.angle_to(&to.rotation);
    centers + 2.0 * (0.5 * angle).sin() * model.radius()
}
