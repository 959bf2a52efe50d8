//! Pairs of boxes whose rooms overlap, each with a note whether the boxes themselves did when last looked at.
//!
//! They stand in the order of the trees, in which neighbours in space are neighbours in memory: looking at all of
//! them anew costs little more than reading them.

use crate::bvh::lanes::isa::{Double, Isa, Mask, Portable};
use crate::geometry::triangle_mesh::Aabb;

/// Set in a partner that overlapped when last looked at.
const OVERLAPS: u32 = 1 << 31;

/// A box in a line of the cache [m]; the fourth number is zero.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Placed {
    min: [f64; 4],
    max: [f64; 4],
}

/// Two places in the order of the trees.
pub(super) type Places = [u32; 2];

/// The candidates of a range of places: those of later places that each may meet.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    first: usize,
    /// Where the candidates of each place end.
    ends: Vec<u32>,
    partners: Vec<u32>,
}

/// Candidates that overlap now and did not, and the other way round.
#[derive(Debug, Default)]
pub(super) struct Turns {
    pub(super) begun: Vec<Places>,
    pub(super) ended: Vec<Places>,
}

impl Placed {
    /// Overlaps nothing.
    pub(super) const NOTHING: Self = Self {
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
        (below & above).bits() == 0b1111
    }
}

impl Candidates {
    /// No candidates, of the places from `first` on.
    pub(super) fn starting_at(first: usize) -> Self {
        Self { first, ..Self::default() }
    }

    /// Adds the candidates of the next place.
    pub(super) fn push(&mut self, partners: &[u32]) {
        self.partners.extend_from_slice(partners);
        self.ends.push(self.partners.len() as u32);
    }

    /// The candidates.
    pub(super) fn iter(&self) -> impl Iterator<Item = Places> + '_ {
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

    /// Looks at all candidates, with the boxes as they are now.
    pub(super) fn turns(&mut self, boxes: &[Placed]) -> Turns {
        let mut turns = Turns::default();
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            unsafe {
                self.turns_avx2(boxes, &mut turns);
            }
            return turns;
        }
        self.turns_on::<Portable>(boxes, &mut turns);
        turns
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn turns_avx2(&mut self, boxes: &[Placed], turns: &mut Turns) {
        self.turns_on::<crate::bvh::lanes::Avx2>(boxes, turns);
    }

    #[inline(always)]
    fn turns_on<I: Isa>(&mut self, boxes: &[Placed], turns: &mut Turns) {
        let mut start = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            let own = self.first + row;
            for partner in &mut self.partners[start..end as usize] {
                let other = *partner & !OVERLAPS;
                let overlaps = boxes[own].overlaps::<I>(&boxes[other as usize]);
                if overlaps != (*partner & OVERLAPS != 0) {
                    *partner ^= OVERLAPS;
                    let list = if overlaps { &mut turns.begun } else { &mut turns.ended };
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
