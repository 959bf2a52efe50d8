//! Free configurations from which walks start: orientations around that of the input, and positions outside in many
//! directions at each.

use nalgebra::{Vector3, Vector6};

use super::walk::Walk;
use crate::penetration::translational::free_configuration::spread::{axes, fibonacci};

/// Directions from outside at the input's orientation, beside the axes of both bodies.
const DIRECTIONS: u32 = 200;
/// Directions from outside at every other orientation.
const FEW_DIRECTIONS: u32 = 32;
/// Orientations on every shell around that of the input.
const ORIENTATIONS: u32 = 16;
/// Shells of orientations, in √σ of the best optimum so far: further ones leave nothing for the translation.
const SHELLS: [f64; 3] = [0.25, 0.5, 0.8];
/// Starts that are this near to a better one, in its √σ, lead to the same place.
const SAME: f64 = 0.12;

/// A free configuration and what it costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    pub(super) y: Vector6<f64>,
    pub(super) sigma: f64,
}

/// Free configurations outside with the orientation `turn` (the first three coordinates), for each direction in which
/// σ stays below `within` [m²].
pub(super) fn from_outside(walk: &Walk<'_>, turn: &Vector3<f64>, within: f64, many: bool) -> Vec<Start> {
    let mut y = Vector6::zeros();
    y.fixed_rows_mut::<3>(0).copy_from(turn);
    let Some(at) = walk.chart.at(&y) else { return Vec::new() };
    let of_turn = turn.norm_squared();
    let reach = (within - of_turn).max(0.0).sqrt();
    let mut space = walk.space(&at, &Vector3::zeros());
    let count = if many { DIRECTIONS } else { FEW_DIRECTIONS };
    let directions = axes(&space).chain((0..count).map(|i| fibonacci(i, count))).collect::<Vec<_>>();
    let mut found = Vec::new();
    for direction in directions {
        let Some(depth) = space.depth_from_outside(&direction, reach) else { continue };
        let mut y = y;
        let length = depth + space.clearance();
        y.fixed_rows_mut::<3>(3).copy_from(&(direction * length));
        found.push(Start { y, sigma: of_turn + length * length });
    }
    found
}

/// Orientations around that of the input, on shells whose radius is a share of `root_sigma` [m].
pub(super) fn orientations(root_sigma: f64) -> Vec<Vector3<f64>> {
    let shell = |radius: f64| (0..ORIENTATIONS).map(move |i| fibonacci(i, ORIENTATIONS) * radius);
    SHELLS.into_iter().flat_map(|share| shell(share * root_sigma)).collect()
}

/// The best `count` of the starts, one in every neighbourhood.
pub(super) fn promising(mut starts: Vec<Start>, count: usize) -> Vec<Start> {
    starts.sort_by(|x, y| x.sigma.total_cmp(&y.sigma));
    let mut kept: Vec<Start> = Vec::with_capacity(count);
    for start in starts {
        if kept.len() == count {
            break;
        }
        let near = |other: &Start| (other.y - start.y).norm_squared() < SAME * SAME * other.sigma;
        if !kept.iter().any(near) {
            kept.push(start);
        }
    }
    kept
}
