//! Separating translations that are short in the norms L1 and L∞.
//!
//! The translational obstacle of two meshes is not convex, so that a ball of the norm may leave it anywhere on its boundary. A search in L2
//! comes first. Then the first gaps on the rays through the vertices of the unit ball are candidates: where the obstacle is convex, the
//! nearest of them is the minimum. The result is an upper bound of the depth.

use nalgebra::{Unit, UnitQuaternion, Vector3};

use super::answer::Penetration;
use super::constrained::first_exit;
use super::walk::{ContactSpace, Optimum};
use crate::geometry::Norm;
use crate::penetration::allowed_translations::AllowedTranslations;
use crate::penetration::extreme_translations::extreme_translations;

/// Relative gain that another translation must have: without one, equal translations would replace each other.
const SHORTER: f64 = 1e-9;

/// A norm along the axes of the world, in the frame of B's tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct NormInTree {
    pub(super) norm: Norm,
    /// Frame of the tree → world.
    pub(super) to_world: UnitQuaternion<f64>,
}

impl NormInTree {
    fn of(&self, vector: &Vector3<f64>) -> f64 {
        self.norm.of(&(self.to_world * vector))
    }
}

/// A result in L2, measured in a norm: its lower bound is the minimum of the norm over the translations that are as long as the one
/// in L2.
pub(super) fn measured(found: Penetration, norm: Norm) -> Penetration {
    let depth = found.length() * norm.of_unit(&found.direction);
    let lower_bound = (found.lower_bound * norm.range_on_sphere()[0]).min(depth);
    Penetration { depth, lower_bound, norm, ..found }
}

/// The nearest gap on the rays through the vertices of the unit ball, if it is nearer than `within` \[m\] in the norm.
pub(super) fn first_exit_in_norm(
    space: &mut ContactSpace,
    measure: &NormInTree,
    allowed: Option<AllowedTranslations>,
    mut within: f64,
) -> Option<Optimum> {
    let mut best = None;
    let directions = extreme_translations(measure.norm, allowed);
    for direction in directions.expect("balls of L1 and L∞ have vertices") {
        let direction = measure.to_world.inverse() * direction;
        let reach = within / measure.of(&direction) * (1.0 - SHORTER);
        space.restrict(Some(AllowedTranslations::Direction(Unit::new_normalize(*direction))));
        let exit = first_exit(space, &direction, reach).filter(|exit| exit.touching.norm() < reach);
        space.restrict(None);
        if let Some(exit) = exit {
            within = measure.of(&exit.touching);
            best = Some(exit);
        }
    }
    best
}
