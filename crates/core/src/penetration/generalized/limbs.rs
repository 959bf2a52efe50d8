//! Limbs: the variables of a joint and of all that it carries, which a search may change while the rest stays.
//!
//! σ is a sum over variables (see [chart](super::chart)), and the sides on which the limbs of a model leave an obstacle seldom depend on
//! each other. A start that changes all variables must choose well for all limbs at once; one that changes a limb of the best result
//! must choose well for that limb only. Whatever is better than the best result, with the rest as it is, lies in the ball of the
//! limb's own part of σ around the input.

use super::chart::LocalChart;
use super::collision_world::CollisionWorld;
use super::part::Part;
use super::starts;
use crate::geometry::random::fraction;

/// One start in every `RESETS` returns its limb to the input instead of to a random point.
const RESETS: u64 = 4;
/// Parts of σ of a variable, and of a limb, below which moving it back gains next to nothing.
const MIN_VARIABLE: f64 = 1e-6;
const MIN_PART: f64 = 3e-3;

/// The limbs of all movable models: sets of variables, each less than all of them.
#[derive(Debug, Clone)]
pub(super) struct Limbs {
    limbs: Vec<Vec<usize>>,
    /// The variables that each variable carries, and itself.
    carried: Vec<Vec<usize>>,
}

impl Limbs {
    /// The limbs of a collision world. Of limbs with the same variables there is one.
    pub(super) fn new(collision_world: &CollisionWorld, chart: &LocalChart) -> Self {
        let mut carried = vec![Vec::new(); chart.dimension()];
        for body in &collision_world.bodies {
            let Part::Link { movable, link } = body.part else { continue };
            let columns = &collision_world.trees[movable].jacobian_columns[link];
            for (at, column) in columns.iter().enumerate() {
                carried[column.variable].extend(columns[at..].iter().map(|column| column.variable));
            }
        }
        for variables in &mut carried {
            variables.sort_unstable();
            variables.dedup();
        }
        let whole_models = collision_world.trees.iter().map(|tree| {
            let first = tree.base.unwrap_or(tree.first);
            (first..tree.first + tree.coordinates.len()).collect()
        });
        let mut limbs: Vec<Vec<usize>> = carried.iter().cloned().chain(whole_models).collect();
        limbs.sort();
        limbs.dedup();
        limbs.retain(|limb| !limb.is_empty() && limb.len() < chart.dimension());
        Self { limbs, carried }
    }

    /// The limbs, and the single variables, in decreasing order of their parts of σ at a point; without variables and limbs that have
    /// next to none. Equal ones are left out.
    pub(super) fn in_order_of_part(&self, point: &[f64]) -> Vec<Vec<usize>> {
        let part = |limb: &[usize]| limb.iter().map(|&k| point[k] * point[k]).sum::<f64>();
        let whole = point.iter().map(|y| y * y).sum::<f64>();
        let singles = (0..point.len()).map(|k| vec![k]);
        let mut parts: Vec<Vec<usize>> = self.limbs.iter().cloned().chain(singles).collect();
        for limb in &mut parts {
            limb.retain(|&k| point[k] * point[k] > MIN_VARIABLE * whole);
        }
        parts.retain(|limb| part(limb) > MIN_PART * whole);
        parts.sort();
        parts.dedup();
        parts.sort_by(|a, b| part(b).total_cmp(&part(a)));
        parts
    }

    /// A start that differs from a point in one limb, which is chosen with a probability in proportion to its part of σ; `None` where
    /// no limb has one.
    pub(super) fn start(
        &self,
        chart: &LocalChart,
        point: &[f64],
        [seed, index]: [u64; 2],
    ) -> Option<Vec<f64>> {
        let part = |limb: &Vec<usize>| limb.iter().map(|&k| point[k] * point[k]).sum::<f64>();
        let total: f64 = self.limbs.iter().map(part).sum();
        let mut left = total * fraction([seed, index, u64::MAX - 1]);
        let chosen = self.limbs.iter().find(|limb| {
            left -= part(limb);
            left < 0.0
        })?;
        let mut rest = point.to_vec();
        chosen.iter().for_each(|&k| rest[k] = 0.0);
        if index % RESETS == 0 {
            return Some(rest);
        }
        let radius = part(chosen).sqrt();
        Some(starts::random_of(chart, &rest, radius, [seed, index], |k| chosen.binary_search(&k).is_ok()))
    }

    /// A start that differs from a point in a limb of a link that collides there, by at most `radius` √σ [m]; `None` where no
    /// link collides or none can move by itself.
    pub(super) fn start_of_colliding(
        &self,
        (collision_world, chart): (&CollisionWorld, &LocalChart),
        point: &[f64],
        radius: f64,
        [seed, index]: [u64; 2],
    ) -> Option<Vec<f64>> {
        let pairs = collision_world.colliding(&chart.poses(collision_world, point)).ok()?;
        let links = pairs.iter().flat_map(|pair| pair.parts);
        let columns: Vec<usize> = links
            .filter_map(|part| match part {
                Part::Link { movable, link } => Some(&collision_world.trees[movable].jacobian_columns[link]),
                Part::Obstacle(_) => None,
            })
            .flatten()
            .map(|column| column.variable)
            .collect();
        // A variable on the path to several links that collide is chosen as often.
        let pick = fraction([seed, index, u64::MAX - 2]) * columns.len() as f64;
        let limb = &self.carried[*columns.get(pick as usize)?];
        Some(starts::random_of(chart, point, radius, [seed, index], |k| limb.binary_search(&k).is_ok()))
    }
}
