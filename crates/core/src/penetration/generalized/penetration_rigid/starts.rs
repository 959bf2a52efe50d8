//! Free configurations from which walks start: orientations around that of the input, and positions outside in many
//! directions at each.

use nalgebra::{Vector3, Vector6};

use super::walk::Walk;
use crate::penetration::translational::free_configuration::spread::{axes, fibonacci};

/// Number of directions from outside at the input's orientation, beside the axes of both bodies. These, and the
/// orientations, trade time for quality at best effort. Half and twice change every depth by less than 0.01 % and the
/// steps by −2.6 % and < 0.5 % (docs/sensitivity.md).
const DIRECTIONS: u32 = 200;
/// Number of directions from outside at every other orientation. Half and twice change every depth by less than 0.01 %
/// and the steps by −2.6 % and +2.1 % (docs/sensitivity.md).
const FEW_DIRECTIONS: u32 = 32;
/// Number of orientations on every shell around that of the input. Half and twice change every depth by less than
/// 0.01 % and the steps by −4.3 % and +7.1 % (docs/sensitivity.md).
const ORIENTATIONS: u32 = 16;
/// Shells of orientations, in √σ of the best optimum so far: beyond 1 the rotation alone would cost more than the
/// optimum. Half and twice change every depth by less than 0.01 % and the steps by −1.3 % and −0.87 %
/// (docs/sensitivity.md).
const SHELLS: [f64; 3] = [0.25, 0.5, 0.8];
/// Distance, in the √σ of the better one, within which two starts count as duplicates: they lead to the same optimum.
/// Half and twice change every depth by less than 0.01 % and the steps by +1.4 % and −0.57 % (docs/sensitivity.md).
const SAME: f64 = 0.12;

/// A free configuration and its σ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    pub(super) y: Vector6<f64>,
    pub(super) sigma: f64,
}

/// Free configurations outside with the orientation `rotation` (the first three coordinates), for each direction in which
/// σ stays below `within` [m²]; those found until the deadline.
pub(super) fn from_outside(walk: &Walk<'_>, rotation: &Vector3<f64>, within: f64, many: bool) -> Vec<Start> {
    let mut y = Vector6::zeros();
    y.fixed_rows_mut::<3>(0).copy_from(rotation);
    let Some(at) = walk.chart.at(&y) else { return Vec::new() };
    let sigma_of_rotation = rotation.norm_squared();
    let reach = (within - sigma_of_rotation).max(0.0).sqrt();
    let mut space = walk.space(&at, &Vector3::zeros());
    let count = if many { DIRECTIONS } else { FEW_DIRECTIONS };
    let directions = axes(&space).chain((0..count).map(|i| fibonacci(i, count))).collect::<Vec<_>>();
    let mut found = Vec::new();
    for direction in directions {
        if walk.is_late() {
            break;
        }
        let Some(depth) = space.depth_from_outside(&direction, reach) else { continue };
        let mut y = y;
        let length = depth + space.clearance();
        y.fixed_rows_mut::<3>(3).copy_from(&(direction * length));
        found.push(Start { y, sigma: sigma_of_rotation + length * length });
    }
    found
}

/// Orientations around that of the input, on shells whose radius is a fraction of `root_sigma` [m].
pub(super) fn orientations(root_sigma: f64) -> Vec<Vector3<f64>> {
    let shell = |radius: f64| (0..ORIENTATIONS).map(move |i| fibonacci(i, ORIENTATIONS) * radius);
    SHELLS.into_iter().flat_map(|fraction| shell(fraction * root_sigma)).collect()
}

/// The best `count` of the starts, one in every neighbourhood.
pub(super) fn promising(mut starts: Vec<Start>, count: usize) -> Vec<Start> {
    starts.sort_by(|x, y| x.sigma.total_cmp(&y.sigma));
    let mut retained: Vec<Start> = Vec::with_capacity(count);
    for start in starts {
        if retained.len() == count {
            break;
        }
        let near = |other: &Start| (other.y - start.y).norm_squared() < SAME * SAME * other.sigma;
        if !retained.iter().any(near) {
            retained.push(start);
        }
    }
    retained
}
