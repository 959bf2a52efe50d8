//! Pieces of the fields that contacts are held in while a minimum is sought.
//!
//! The deformed field is linear in each element (or part of one), continuous, and its gradient jumps from piece to piece: by as
//! much as their strains differ. Where surfaces press on each other minima of the energy lie on such kinks, and Newton's
//! method shortens its steps to nothing there. So each contact keeps the piece in which it was at the start, whose linear
//! function goes on beyond its faces; at the minimum all are found anew, until none changes or the change is next to nothing.

use serde::{Deserialize, Serialize};

use super::cell::Cell;

/// Which end of an edge is the deeper one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum DeeperEnd {
    First = 0,
    Second = 1,
}

/// Part of an edge by which its deepest point may move without counting as moved.
const MOVED: f64 = 0.01;

/// An edge that is held at a point between two pieces.
///
/// The point where they meet would run along an edge that lies flat as their slopes change, so it is held as well: its depth
/// is λ P + (1 − λ) Q with the λ of the start, which has the same gradient there (`edge.rs`).
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct HeldEdge {
    /// Where the field rises along the edge, and where it falls.
    pub(super) cells: [Cell; 2],
    /// Share of the edge before the point.
    pub(super) along: f64,
    /// λ.
    pub(super) weight: f64,
    pub(super) deeper: DeeperEnd,
}

/// Something by owner, place or edge, and body.
type Keyed<T> = ([u32; 3], T);

/// Contacts in soft bodies, ascending by their keys.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Held {
    /// Whether a minimum is sought: an edge that comes to lie deeper than its ends is then left for when all are found anew,
    /// for it would begin with a kink.
    pub(super) seeking: bool,
    pub(super) points: Vec<Keyed<Cell>>,
    pub(super) edges: Vec<Keyed<HeldEdge>>,
}

impl Held {
    pub(super) fn clear(&mut self) {
        self.seeking = false;
        self.points.clear();
        self.edges.clear();
    }

    /// Adds those edges of `before` that are not held.
    pub(super) fn keep_edges(&mut self, before: &Self) {
        keep(&mut self.edges, &before.edges);
    }

    /// Adds all of `before` that is not held: what has come apart for the moment may press again.
    pub(super) fn keep_all(&mut self, before: &Self) {
        keep(&mut self.points, &before.points);
        self.keep_edges(before);
    }

    /// Whether both hold the same contacts in the same pieces.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let same = |((key, first), (other, second)): (&Keyed<HeldEdge>, &Keyed<HeldEdge>)| {
            key == other
                && first.cells == second.cells
                && first.deeper == second.deeper
                && (first.along - second.along).abs() <= MOVED
        };
        self.points == other.points
            && self.edges.len() == other.edges.len()
            && self.edges.iter().zip(&other.edges).all(same)
    }
}

/// Adds to `list` the entries of `before` whose keys it has not; both ascend.
fn keep<T: Copy>(list: &mut Vec<Keyed<T>>, before: &[Keyed<T>]) {
    let found = list.len();
    for entry in before {
        if list[..found].binary_search_by_key(&entry.0, |entry| entry.0).is_err() {
            list.push(*entry);
        }
    }
    list.sort_unstable_by_key(|entry| entry.0);
}
