//! Warm starts.

use std::collections::BTreeMap;

use super::pieces::Pieces;
use crate::penetration::MotionCoherence;
use crate::penetration::convex::ConvexCache;
use crate::penetration::generalized::GeneralizedCoherence;
use crate::proximity::DistanceCache;

/// State that a sequence of queries of the same two shapes, in the same order, carries from one to the next.
///
/// Distances and penetrations of convex shapes are the same with and without it, to within their tolerance. A penetration
/// of meshes with a cache separates them towards the side from which they came
/// ([`penetration_coherent`](crate::penetration::penetration_coherent)).
#[derive(Debug, Clone, Default)]
pub struct Cache {
    pairs: BTreeMap<[usize; 2], PairCache>,
    pub(super) rigid: GeneralizedCoherence,
    pub(super) pieces: Option<Pieces>,
}

/// State of one pair of parts.
#[derive(Debug, Clone, Default)]
pub(super) struct PairCache {
    pub(super) convex: ConvexCache,
    pub(super) distance: DistanceCache,
    pub(super) coherence: MotionCoherence,
}

impl Cache {
    /// Discards everything, for another pair of shapes.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Discards what earlier queries found, so that the next answer does not depend on them. What was prepared of the shapes
    /// stays.
    pub fn forget(&mut self) {
        self.pairs.clear();
        self.rigid = GeneralizedCoherence::default();
    }

    pub(super) fn pair(&mut self, parts: [usize; 2]) -> &mut PairCache {
        self.pairs.entry(parts).or_default()
    }
}
