//! Proof that the surfaces of two meshes stay apart: a lower bound of their distance at one pose holds at all others, less the motion from that pose.
//!
//! Most pairs of links whose boxes overlap are centimetres apart, and move by millimetres in a step: what looks for their contacts, in the step and at
//! its ends, has nothing to find for several steps.

use nalgebra::Isometry3;

use extricate_core::proximity::contacts::FeatureFront;
use extricate_core::proximity::{DistanceCache, Model, clearance_of_surfaces};

/// Steps like the present one for which a proof has to hold to be worth its work. More leaves pairs to the longer work that it saves.
const STEPS: f64 = 2.0;
/// Steps after which it is tried again where it did not.
const WAIT: u32 = 8;
/// Rounding of the bound and of the motion, relative to both.
const ROUNDING: f64 = 1e-6;

/// Lower bound of the distance of the surfaces of two meshes, A and B, at a pose, with the search for the next one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clearance {
    /// Pose B → A, and the bound there \[m\].
    proved: Option<(Isometry3<f64>, f64)>,
    closest: DistanceCache,
    /// Steps until it is determined again.
    wait: u32,
}

impl Clearance {
    /// Whether the surfaces are proved to be farther than a distance \[m\] from each other at a pose B → A.
    pub(crate) fn exceeds(&self, b: &Model, b_to_a: &Isometry3<f64>, distance: f64) -> bool {
        self.proved.is_some_and(|(at, clearance)| {
            let motion = FeatureFront::motion(b, &at, b_to_a);
            clearance - motion > distance + ROUNDING * (clearance + motion)
        })
    }

    /// Determines the bound at a pose at which the surfaces were found to be apart, if it is likely to remain above a distance \[m\] for some steps of
    /// a motion \[m\].
    pub(crate) fn determine(
        &mut self,
        [a, b]: [&Model; 2],
        b_to_a: &Isometry3<f64>,
        [distance, motion]: [f64; 2],
    ) {
        if self.wait > 0 {
            self.wait -= 1;
            return;
        }
        let clearance = clearance_of_surfaces((a, &Isometry3::identity()), (b, b_to_a), &mut self.closest);
        self.proved = Some((*b_to_a, clearance));
        // Negated, so that what is not a number waits.
        if !(clearance > distance + STEPS * motion) {
            self.wait = WAIT;
        }
    }
}
