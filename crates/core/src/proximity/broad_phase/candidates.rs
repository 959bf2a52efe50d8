//! Candidate pairs: pairs of boxes whose fat boxes overlap, each with a bit for whether the boxes themselves overlapped
//! at the last test.
//!
//! They are stored in the order of the trees, in which neighbours in space are neighbours in memory: testing all of
//! them again costs little more than reading them.

use crate::bvh::lanes::isa::{Double, Isa, Mask, Portable};
use crate::geometry::triangle_mesh::Aabb;

/// Bit that is set in a partner that overlapped at the last test; slots therefore have 31 bits.
const OVERLAPS: u32 = 1 << 31;

/// Box in one cache line [m]; the fourth coordinate is zero.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct AlignedBox {
    min: [f64; 4],
    max: [f64; 4],
}

/// Two slots in the order of the trees.
pub(super) type SlotPair = [u32; 2];

/// Candidates of a range of slots: for each slot the later slots whose fat boxes overlap its own.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    first: usize,
    /// End of the candidates of each slot in `partners`.
    ends: Vec<u32>,
    partners: Vec<u32>,
}

/// Candidates that have begun and that have ended to overlap since the last test.
#[derive(Debug, Default)]
pub(super) struct CandidateChanges {
    pub(super) begun: Vec<SlotPair>,
    pub(super) ended: Vec<SlotPair>,
}

impl AlignedBox {
    /// Empty box, which overlaps nothing.
    pub(super) const EMPTY: Self = Self {
        min: [f64::INFINITY, f64::INFINITY, f64::INFINITY, 0.0],
        max: [f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0],
    };

    pub(super) fn new(aabb: &Aabb) -> Self {
        let (min, max) = (&aabb.min, &aabb.max);
        Self { min: [min.x, min.y, min.z, 0.0], max: [max.x, max.y, max.z, 0.0] }
    }

    /// Whether the boxes have a point in common.
    #[inline(always)]
    pub(super) fn overlaps<I: Isa>(&self, other: &Self) -> bool {
        let below = I::Double::load(&self.min).less_or_equal(I::Double::load(&other.max));
        let above = I::Double::load(&other.min).less_or_equal(I::Double::load(&self.max));
        // The fourth lane holds zeros in both boxes, so that it always passes.
        (below & above).bits() == 0b1111
    }
}

impl Candidates {
    /// Empty list of candidates for the slots from `first` on.
    pub(super) fn starting_at(first: usize) -> Self {
        Self { first, ..Self::default() }
    }

    /// Appends the candidates of the next slot.
    pub(super) fn push(&mut self, partners: &[u32]) {
        self.partners.extend_from_slice(partners);
        self.ends.push(self.partners.len() as u32);
    }

    /// Iterates over the candidates.
    pub(super) fn iter(&self) -> impl Iterator<Item = SlotPair> + '_ {
        let starts = std::iter::once(&0).chain(&self.ends);
        let rows = starts.zip(&self.ends).zip(self.first as u32..);
        rows.flat_map(|((&start, &end), own)| {
            self.partners[start as usize..end as usize].iter().map(move |partner| [own, partner & !OVERLAPS])
        })
    }

    /// Number of candidates.
    pub(super) fn len(&self) -> usize {
        self.partners.len()
    }

    /// Tests all candidates against the current boxes and returns those whose overlap has changed.
    pub(super) fn changes(&mut self, boxes: &[AlignedBox]) -> CandidateChanges {
        let mut changes = CandidateChanges::default();
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            unsafe {
                self.changes_avx2(boxes, &mut changes);
            }
            return changes;
        }
        self.changes_on::<Portable>(boxes, &mut changes);
        changes
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn changes_avx2(&mut self, boxes: &[AlignedBox], changes: &mut CandidateChanges) {
        self.changes_on::<crate::bvh::lanes::Avx2>(boxes, changes);
    }

    #[inline(always)]
    fn changes_on<I: Isa>(&mut self, boxes: &[AlignedBox], changes: &mut CandidateChanges) {
        let mut start = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            let own = self.first + row;
            for partner in &mut self.partners[start..end as usize] {
                let other = *partner & !OVERLAPS;
                let overlaps = boxes[own].overlaps::<I>(&boxes[other as usize]);
                if overlaps != (*partner & OVERLAPS != 0) {
                    // The bit is stored in the list that is read anyway, so that unchanged candidates write nothing.
                    *partner ^= OVERLAPS;
                    let list = if overlaps { &mut changes.begun } else { &mut changes.ended };
                    list.push([own as u32, other]);
                }
            }
            start = end as usize;
        }
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        4 * (self.ends.capacity() + self.partners.capacity())
    }
}
