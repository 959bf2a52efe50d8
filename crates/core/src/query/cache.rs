//! Warm starts of queries.

use std::collections::BTreeMap;

use super::relative_world::RelativeWorld;
use crate::penetration::MotionCoherence;
use crate::penetration::convex::ConvexCache;
use crate::penetration::generalized::GeneralizedCoherence;
use crate::proximity::DistanceCache;

/// State that a sequence of queries of the same two shapes, in the same order, carries from one query to the next.
///
/// Distances and penetrations of convex shapes are the same with and without it, to within their tolerance. A penetration
/// of meshes with a cache separates them towards the side from which they came
/// ([`penetration_coherent`](crate::penetration::penetration_coherent)).
#[derive(Debug, Clone, Default)]
pub struct Cache {
    pairs: BTreeMap<[usize; 2], PairCache>,
    pub(super) rigid: GeneralizedCoherence,
    pub(super) relative_world: Option<RelativeWorld>,
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

    /// Discards the results of earlier queries, so that the next result does not depend on them. Preprocessed shapes are
    /// retained.
    pub fn forget(&mut self) {
        self.pairs.clear();
        self.rigid = GeneralizedCoherence::default();
    }

    pub(super) fn pair(&mut self, parts: [usize; 2]) -> &mut PairCache {
        self.pairs.entry(parts).or_default()
    }
}
