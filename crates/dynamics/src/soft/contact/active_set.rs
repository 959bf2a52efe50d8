//! The active set of contact: the piece of the field of each contact, frozen during a minimisation.
//!
//! The deformed field is linear in each element (or part of one), continuous, and its gradient jumps from piece to piece by as
//! much as their strains differ. Where surfaces press on each other, minima of the energy lie on such kinks, and Newton's
//! method shortens its steps to nothing there. So each contact keeps the piece in which it was at the start, whose linear
//! function is extended beyond its faces; at the minimum the set is refreshed, until no piece changes or the energy hardly does.

use serde::{Deserialize, Serialize};

use super::cell::Cell;

/// The deeper end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum DeeperEnd {
    First = 0,
    Second = 1,
}

/// Barycentric coordinate below zero down to which a point keeps the piece that it had when the set is refreshed. Smaller: points
/// at rest on a kink change sides from step to step, and what they carry trembles; larger: the force is that of a
/// neighbouring piece for as far.
pub(super) const KEPT: f64 = 0.1;

/// Relative difference of depths up to which an edge keeps the pieces that it had when the set is refreshed, and by which it must be
/// deeper than its ends to become a contact. Smaller: edges that lie flat appear and vanish; larger: edges count that much later.
pub(super) const SAME_DEPTH: f64 = 0.02;

/// Fraction of an edge by which its deepest point may move before the active set counts as changed. Smaller: more refreshes at
/// the same equilibrium; larger: the force acts up to that far from the deepest point.
const SAME_POINT: f64 = 0.01;

/// An edge frozen at its deepest point, between two pieces.
///
/// The point where the pieces meet would run along an edge that lies flat as their slopes change, so it is frozen as well: its
/// depth is λ P + (1 − λ) Q with the λ of the start, which has the same gradient there (`edge.rs`).
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct ActiveEdge {
    /// The cells in which the field rises and falls along the edge.
    pub(super) cells: [Cell; 2],
    /// Parameter s of the point along the edge, 0 to 1.
    pub(super) along: f64,
    /// λ.
    pub(super) weight: f64,
    pub(super) deeper: DeeperEnd,
}

/// A value keyed by owner, place or edge, and body.
type Keyed<T> = ([u32; 3], T);

/// Frozen contacts in soft bodies, ascending by their keys.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ActiveSet {
    /// Whether a minimisation is under way: an edge that becomes deeper than its ends then waits for the next refresh, because it
    /// would appear with a kink, unless it is so deep that its pressure stiffens.
    pub(super) frozen: bool,
    pub(super) points: Vec<Keyed<Cell>>,
    pub(super) edges: Vec<Keyed<ActiveEdge>>,
}

impl ActiveSet {
    /// Removes all contacts.
    pub(super) fn clear(&mut self) {
        self.frozen = false;
        self.points.clear();
        self.edges.clear();
    }

    /// Adds those edges of `before` that the set does not contain.
    pub(super) fn retain_edges(&mut self, before: &Self) {
        merge(&mut self.edges, &before.edges);
    }

    /// Adds all contacts of `before` that the set does not contain: those that have separated for the moment may press again.
    pub(super) fn retain_all(&mut self, before: &Self) {
        merge(&mut self.points, &before.points);
        self.retain_edges(before);
    }

    /// Whether both sets have the same contacts in the same pieces.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let same = |((key, first), (other, second)): (&Keyed<ActiveEdge>, &Keyed<ActiveEdge>)| {
            key == other
                && first.cells == second.cells
                && first.deeper == second.deeper
                && (first.along - second.along).abs() <= SAME_POINT
        };
        self.points == other.points
            && self.edges.len() == other.edges.len()
            && self.edges.iter().zip(&other.edges).all(same)
    }
}

/// Merges into `list` the entries of `before` whose keys it does not contain; both ascend.
fn merge<T: Copy>(list: &mut Vec<Keyed<T>>, before: &[Keyed<T>]) {
    let found = list.len();
    for entry in before {
        if list[..found].binary_search_by_key(&entry.0, |entry| entry.0).is_err() {
            list.push(*entry);
        }
    }
    list.sort_unstable_by_key(|entry| entry.0);
}
