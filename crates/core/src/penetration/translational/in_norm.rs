//! Separating translations that are short in the norms L1 and L∞.
//!
//! The translational obstacle of two meshes is not convex, so that a ball of the norm may leave it anywhere on its boundary. A search in L2
//! comes first. Walks [Je12 §§ 3.2, 6.2] from its result and from the first gaps along other directions then end at local optima of the
//! norm: their in-projections are points of the local contact space that are shortest in the norm, by a linear program. Among the
//! directions are those of the vertices of the unit ball: where the obstacle is convex, the nearest gap along them is the minimum.
//! The result is an upper bound of the depth.

use nalgebra::{Unit, UnitQuaternion, Vector3};

use super::answer::Penetration;
use super::constrained::first_exit;
use super::free_configuration::DIRECTIONS;
use super::free_configuration::spread::fibonacci;
use super::options::Effort;
use super::search::{NEARER_GAPS, nearer_gap};
use super::walk::{ContactSpace, Optimum};
use crate::geometry::Norm;
use crate::penetration::allowed_translations::AllowedTranslations;
use crate::penetration::extreme_translations::extreme_translations;
use crate::penetration::free_configuration::FreeConfiguration;
use crate::penetration::quadratic_program::in_projection::HalfSpace;
use crate::penetration::quadratic_program::shortest_in_norm::shortest_in_norm;

/// Relative gain that another translation must have: without one, equal translations would replace each other.
const SHORTER: f64 = 1e-9;
/// Length of a march, in best depths so far, as in the search in L2: the walk from a gap a little farther may end nearer.
const REACH: f64 = 1.15;
/// Steps of a march over its maximum length, as in the search in L2.
const STRIDES: f64 = 24.0;
/// Steps of a walk one after the other that may only find new contacts without coming nearer: a corner has three planes. A safeguard.
const STUCK: u32 = 8;

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

    /// In-projection of the zero translation in the norm: the shortest one with a gap of `clearance` \[m\] on every contact.
    fn in_projection(&self, rows: &[HalfSpace], clearance: f64) -> Option<Vector3<f64>> {
        let in_world = |row: &HalfSpace| HalfSpace {
            normal: self.to_world * row.normal,
            offset: row.offset + clearance,
        };
        let rows: Vec<HalfSpace> = rows.iter().map(in_world).collect();
        Some(self.to_world.inverse() * shortest_in_norm(self.norm, &rows)?.point)
    }
}

/// A result in L2, measured in a norm: its lower bound is the minimum of the norm over the translations that are as long as the one
/// in L2.
pub(super) fn measured(found: Penetration, norm: Norm) -> Penetration {
    let depth = found.length() * norm.of_unit(&found.direction);
    let lower_bound = (found.lower_bound * norm.range_on_sphere()[0]).min(depth);
    Penetration { depth, lower_bound, norm, ..found }
}

/// The shortest separating translation found in a norm, in the frame of B's tree, if it is shorter than the free configuration `start`; with
/// `jumps` also one that cannot be reached from there.
pub(super) fn shortest(
    space: &mut ContactSpace,
    measure: &NormInTree,
    (start, jumps): (&Vector3<f64>, bool),
    (allowed, effort): (Option<AllowedTranslations>, Effort),
) -> Option<Optimum> {
    let mut search = Search { measure, within: measure.of(start), best: None };
    // In a plane the linear program has no equality, and the vertices of the section remain.
    if allowed.is_none() {
        search.walk(space, start);
    }
    if jumps {
        search.jump(space, (allowed, effort));
    }
    if allowed.is_none() {
        search.exclude_nearer_gaps(space);
    }
    search.best
}

/// Search for an optimum that is nearer in the norm than `within` \[m\].
struct Search<'a> {
    measure: &'a NormInTree,
    within: f64,
    best: Option<Optimum>,
}

impl Search<'_> {
    /// Ends of walks from gaps that cannot be reached from the start: the first ones along the vertices of the ball, with best effort also along other directions.
    fn jump(&mut self, space: &mut ContactSpace, (allowed, effort): (Option<AllowedTranslations>, Effort)) {
        let directions =
            extreme_translations(self.measure.norm, allowed).expect("balls of L1 and L∞ have vertices");
        let to_tree = self.measure.to_world.inverse();
        for direction in directions {
            self.exit(space, Unit::new_normalize(to_tree * direction.into_inner()));
        }
        if allowed.is_none() && effort == Effort::Best {
            space.source = FreeConfiguration::Spread;
            for direction in (0..DIRECTIONS).map(|i| fibonacci(i, DIRECTIONS)) {
                self.march(space, &direction);
            }
        }
    }

    /// Walks again from free configurations between the overlap and the result, as in L2, so that at every shorter translation along its direction
    /// the models overlap.
    fn exclude_nearer_gaps(&mut self, space: &mut ContactSpace) {
        for _ in 0..NEARER_GAPS {
            let Some(q) = self.best.as_ref().map(|best| best.q) else { break };
            let Some(gap) = nearer_gap(space, &q) else { break };
            let before = self.within;
            self.walk(space, &gap);
            if !(self.within < before) {
                // The walk from there ended farther away than the gap itself.
                self.exit(space, Unit::new_normalize(q));
            }
        }
    }

    fn accept(&mut self, optimum: Optimum) {
        let depth = self.measure.of(&optimum.touching);
        if depth < self.within * (1.0 - SHORTER) {
            self.within = depth;
            self.best = Some(optimum);
        }
    }

    /// The first gap along a direction, if it is nearer, and the end of a walk from there.
    fn exit(&mut self, space: &mut ContactSpace, direction: Unit<Vector3<f64>>) {
        let reach = self.within / self.measure.of(&direction) * (1.0 - SHORTER);
        space.restrict(Some(AllowedTranslations::Direction(direction)));
        let exit = first_exit(space, &direction, reach);
        space.restrict(None);
        if let Some(exit) = exit {
            self.accept(exit);
        }
    }

    /// The end of a walk from the first gap along a direction.
    fn march(&mut self, space: &mut ContactSpace, direction: &Vector3<f64>) {
        let reach = REACH * self.within / self.measure.of(direction);
        if let Some(gap) = space.first_free(direction, reach, reach / STRIDES, |length| length) {
            self.walk(space, &gap);
        }
    }

    /// The end of a walk from a free configuration.
    fn walk(&mut self, space: &mut ContactSpace, start: &Vector3<f64>) {
        if space.is_late() {
            return;
        }
        let (q, converged) = self.descend(space, start);
        let end = space.finish(q, false);
        self.accept(Optimum { converged, ..end });
    }

    /// Alternates in-projections in the norm and out-projections; returns the last configuration, and whether the last
    /// in-projection gained nothing.
    fn descend(&self, space: &mut ContactSpace, start: &Vector3<f64>) -> (Vector3<f64>, bool) {
        let clearance = space.clearance();
        let mut q = space.begin_walk(start);
        let (mut is_touching, mut stuck) = (false, 0);
        for _ in 0..space.max_iterations {
            if space.is_late() {
                break;
            }
            space.iterations += 1;
            let lcs = space.local_contact_space_at(&q);
            let Some(target) = self.measure.in_projection(lcs.rows(), clearance) else { break };
            let depth = self.measure.of(&q) * (1.0 - SHORTER) - clearance;
            if !(self.measure.of(&target) < depth) {
                // Planes of pairs that the walk has left may hold it back: once more without them.
                if !is_touching && space.retain_touching(&q) {
                    is_touching = true;
                    continue;
                }
                return (q, true);
            }
            let next = space.slide(&q, &target);
            stuck = if self.measure.of(&next) < depth { 0 } else { stuck + 1 };
            if stuck > STUCK {
                break;
            }
            if self.measure.of(&next) <= self.measure.of(&q) {
                q = next;
            }
            is_touching = false;
        }
        (q, false)
    }
}
