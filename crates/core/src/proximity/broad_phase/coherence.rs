//! State that updates of a broad phase carry from one to the next.

use super::candidates::{Candidates, Placed};
use super::forest::Forest;
use super::handle::{BoxHandle, BoxPair};
use crate::geometry::triangle_mesh::Aabb;

/// The candidates, and when to find them anew.
#[derive(Debug, Clone)]
pub(crate) struct Coherence {
    /// Over the rooms of the boxes that were there when it was made.
    pub(super) forest: Forest,
    /// The boxes in the places of the forest, as the last update saw them; nothing where one is out of its room.
    pub(super) placed: Vec<Placed>,
    pub(super) candidates: Vec<Candidates>,
    /// Boxes that are not in the forest.
    pub(super) newcomers: Vec<BoxHandle>,
    /// Pairs of newcomers and of boxes out of their rooms.
    pub(super) strays: Vec<BoxPair>,
    /// Boxes as they were when the candidates were found; empty where there was none.
    pub(super) anchors: Vec<Aabb>,
    /// Updates since the candidates were found.
    pub(super) age: u32,
    /// Updates ahead for which boxes are given room.
    pub(super) horizon: u32,
    /// Searches in the trees since the candidates were found.
    pub(super) searches: usize,
    /// Whether the trees are to be made anew with the next candidates.
    pub(super) wants_trees: bool,
    /// Pairs of leaves for each box and candidate when the trees were new.
    pub(super) effort: f64,
}
