//! Choice of a random start among several: the one with the smallest overlaps.
//!
//! Nine in ten descents from random points end with an overlap, and the more so the deeper the overlaps of their start. To sum these
//! up takes a small fraction of the work of a descent that fails. Of points in a ball around the input only: those near a result, or with
//! another limb, differ in more than their overlaps. The depth of triangle models takes as much as a step of a descent,
//! so that worlds with some have the first point, and so have searches whose first descent has succeeded.

use super::search::MultiStartSearch;
use super::work::SPHERES;
use super::workspace::Workspace;
use crate::penetration::convex::options::ConvexOptions;

/// Number of points of which one is chosen. Set on the tuning part of `repair_suite` (docs/sensitivity.md).
const CHOICES: u64 = 16;
/// Numbers of random points between two of them, beyond those of all other random points.
const STRIDE: u64 = 1 << 33;
/// Relative tolerance of the depths that are compared.
const ROUGH: f64 = 0.25;

impl MultiStartSearch<'_> {
    /// The point with the smallest sum of overlaps, the first of equal ones, among those that `make` gives for a number and for
    /// others, and the work of the choice.
    pub(super) fn with_smallest_overlap(
        &self,
        [seed, index]: [u64; 2],
        make: impl Fn([u64; 2]) -> Vec<f64>,
    ) -> (Vec<f64>, u64) {
        let mut best = make([seed, index]);
        if !self.chooses || !self.collision_world.mesh_pairs.is_empty() {
            return (best, 0);
        }
        self.collision_world.with_workspace(|workspace| {
            let before = workspace.counters();
            let mut smallest = self.overlap(&best, f64::INFINITY, workspace);
            for choice in 1..CHOICES {
                if !(smallest > 0.0) || (self.stop)() {
                    break;
                }
                let other = make([seed, index + choice * STRIDE]);
                let sum = self.overlap(&other, smallest, workspace);
                if sum < smallest {
                    (best, smallest) = (other, sum);
                }
            }
            (best, workspace.work_since(before))
        })
    }

    /// Sum of the depths of all pairs of convex pieces that overlap at a point \[m\]; a part of it once that is above `limit`.
    pub(super) fn overlap(&self, y: &[f64], limit: f64, workspace: &mut Workspace) -> f64 {
        let collision_world = self.collision_world;
        let Workspace { scan, frames, .. } = workspace;
        scan.forget();
        self.chart.place(collision_world, y, frames);
        scan.place(collision_world, frames);
        scan.work += collision_world.pairs.len() as u64 / SPHERES;
        let options = ConvexOptions { relative_tolerance: ROUGH, ..ConvexOptions::default() };
        let mut sum = 0.0;
        for pair in &collision_world.pairs {
            collision_world.near_pieces(
                pair,
                0.0,
                scan,
                |_, _, found, _| {
                    sum += (-found.value).max(0.0);
                    sum < limit
                },
                &options,
            );
            if !(sum < limit) {
                break;
            }
        }
        sum
    }
}
