//! Update step: the pairs that overlap now, and the changes.
//!
//! While boxes stay within their fat boxes, only the candidates can begin or end to overlap. Strays, boxes that have left
//! their fat boxes or were inserted, are queried against the trees; once that would cost more than a new search for all
//! candidates, the candidates are rebuilt.

use super::candidates::{AlignedBox, CandidateChanges, Candidates, SlotPair};
use super::coherence::Coherence;
use super::forest::{Forest, NO_BOX};
use super::handle::{BoxHandle, BoxPair, TASK, is_present};
use super::pair_list::pair;
use super::phase::{BroadPhase, PairChanges};
use super::{fat_box, pair_list};
use crate::bvh::lanes::isa::Portable;
use crate::geometry::triangle_mesh::Aabb;
use crate::parallel;

/// Cost of a tree query of one box, in units of the cost per box of a full search for candidates. A larger value rebuilds
/// earlier, a smaller one pays for more single queries first.
const COST_OF_SEARCH: usize = 4;
/// Maximum number of updates for which fat boxes predict the motion. A longer one spares rebuilds only for motions that
/// are slow relative to the boxes.
const MAX_HORIZON: u32 = 64;
/// Ratio of candidates and boxes to pairs and boxes above which the horizon is halved, …
const MANY_CANDIDATES: f64 = 2.0;
/// … and below which it is doubled. The gap between both keeps the horizon from oscillating; a higher range trades more
/// tests per update for fewer rebuilds.
const FEW_CANDIDATES: f64 = 1.3;
/// Growth of the number of tested pairs of leaves, relative to new trees, at which the trees are rebuilt instead of
/// refitted. A larger one tolerates worse trees, a smaller one sorts the boxes more often.
const MAX_COST_GROWTH: f64 = 1.3;

impl Default for Coherence {
    fn default() -> Self {
        Self {
            forest: Forest::default(),
            slots: Vec::new(),
            candidates: Vec::new(),
            inserted: Vec::new(),
            stray_pairs: Vec::new(),
            anchors: Vec::new(),
            age: 0,
            horizon: 8,
            searches: 0,
            must_rebuild: true,
            fresh_cost: 0.0,
        }
    }
}

impl BroadPhase {
    /// Finds the pairs that overlap now, on all threads of the current pool, and returns the changes since the last
    /// update.
    pub fn update(&mut self) -> PairChanges<'_> {
        // No box was inserted, removed or set, so that the pairs are still valid.
        if !std::mem::take(&mut self.is_touched) {
            self.begun.clear();
            self.ended.clear();
            return self.changes();
        }
        let coherence = &mut self.coherence;
        let (mut strays, vacated) = coherence.store_boxes(&self.boxes);
        coherence.inserted.retain(|handle| is_present(&self.boxes[handle.index()]));
        strays.extend_from_slice(&coherence.inserted);
        coherence.searches += strays.len();
        if COST_OF_SEARCH * coherence.searches > self.boxes.len() {
            self.rebuild();
        } else {
            self.update_candidates(&strays);
            // Only now: the changes of this update still name the handles of removed boxes.
            vacated.into_iter().for_each(|slot| self.coherence.forest.vacate(slot));
        }
        // Handles become available only after their pairs have been reported as ended.
        self.vacant.append(&mut self.removed);
        self.changes()
    }

    /// Finds all candidates again, and all pairs from them.
    fn rebuild(&mut self) {
        let coherence = &mut self.coherence;
        coherence.find_candidates(&self.boxes);
        let changes = coherence.changes();
        let pieces = pairs_of(&changes, |changes| &changes.begun, &coherence.forest);
        pair_list::sort_pieces(&pieces, self.boxes.len(), &mut self.next_pairs);
        (self.ended, self.begun) = pair_list::differences(&self.pairs, &self.next_pairs);
        std::mem::swap(&mut self.pairs, &mut self.next_pairs);
        coherence.adapt_horizon(self.pairs.len());
    }

    /// Tests the candidates again, and queries the trees for the strays.
    fn update_candidates(&mut self, strays: &[BoxHandle]) {
        let coherence = &mut self.coherence;
        let changes = coherence.changes();
        let stray_pairs = coherence.pairs_of_strays(&self.boxes, strays);
        let (ended, begun) = pair_list::differences(&coherence.stray_pairs, &stray_pairs);
        coherence.stray_pairs = stray_pairs;
        self.begun = pairs_of(&changes, |changes| &changes.begun, &coherence.forest).concat();
        self.ended = pairs_of(&changes, |changes| &changes.ended, &coherence.forest).concat();
        for (list, of_strays) in [(&mut self.begun, begun), (&mut self.ended, ended)] {
            list.extend(of_strays);
            pair_list::sort(list);
        }
        // A pair may have left the candidates and come back as that of a stray, or vice versa.
        pair_list::cancel(&mut self.begun, &mut self.ended);
        pair_list::apply(&self.pairs, &self.ended, &self.begun, &mut self.next_pairs);
        std::mem::swap(&mut self.pairs, &mut self.next_pairs);
    }
}

impl Coherence {
    /// Registers a new box.
    pub(super) fn insert(&mut self, handle: BoxHandle) {
        self.inserted.push(handle);
        self.must_rebuild = true;
    }

    /// Registers the removal of a box.
    pub(super) fn remove(&mut self, handle: BoxHandle) {
        if let Some(anchor) = self.anchors.get_mut(handle.index()) {
            *anchor = Aabb::EMPTY;
        }
        self.must_rebuild = true;
    }

    /// Copies the boxes to their slots; returns those that have left their fat boxes and the slots of removed ones.
    fn store_boxes(&mut self, boxes: &[Aabb]) -> (Vec<BoxHandle>, Vec<usize>) {
        self.age += 1;
        let forest = &self.forest;
        let mut pieces = self.slots.chunks_mut(TASK).zip(forest.handles().chunks(TASK)).collect::<Vec<_>>();
        let lists = parallel::map_mut(&mut pieces, 1, |piece, (slots, handles)| {
            let (mut escaped, mut vacated) = (Vec::new(), Vec::new());
            for (i, (stored, &handle)) in slots.iter_mut().zip(*handles).enumerate() {
                // Escaped and removed boxes must not meet anything as candidates.
                *stored = AlignedBox::EMPTY;
                if handle == NO_BOX {
                    continue;
                }
                let (aabb, slot) = (&boxes[handle.index()], piece * TASK + i);
                if !is_present(aabb) {
                    vacated.push(slot);
                } else if forest.contains(slot, aabb) {
                    *stored = AlignedBox::new(aabb);
                } else {
                    escaped.push(handle);
                }
            }
            (escaped, vacated)
        });
        let (escaped, vacated): (Vec<_>, Vec<_>) = lists.into_iter().unzip();
        (escaped.concat(), vacated.concat())
    }

    /// Enlarges the boxes to new fat boxes and finds the overlapping pairs of these.
    fn find_candidates(&mut self, boxes: &[Aabb]) {
        let new_trees = std::mem::take(&mut self.must_rebuild);
        let fat_boxes = self.fat_boxes(boxes);
        if new_trees {
            let present = (0..).zip(boxes).filter(|(_, aabb)| is_present(aabb));
            let members = present.map(|(index, _)| BoxHandle(index)).collect::<Vec<_>>();
            self.forest = Forest::new(&fat_boxes, &members);
        } else {
            self.forest.refit(&fat_boxes);
        }
        // Freed before the candidates are collected, which bounds the peak of the memory.
        drop(fat_boxes);
        self.slots.resize(self.forest.handles().len(), AlignedBox::EMPTY);
        self.store_boxes(boxes);
        let (candidates, leaf_pairs) = self.forest.candidates();
        self.candidates = candidates;
        let cost = leaf_pairs as f64 / (boxes.len() + self.number_of_candidates()) as f64;
        if new_trees {
            self.fresh_cost = cost;
        }
        self.must_rebuild = cost > MAX_COST_GROWTH * self.fresh_cost;
        (self.age, self.searches) = (0, 0);
        self.inserted = Vec::new();
        self.stray_pairs.clear();
    }

    /// New fat boxes; the boxes become the new anchors.
    fn fat_boxes(&mut self, boxes: &[Aabb]) -> Vec<Aabb> {
        self.anchors.resize(boxes.len(), Aabb::EMPTY);
        let times = f64::from(self.horizon) / f64::from(self.age.max(1));
        parallel::map_mut(&mut self.anchors, TASK, |index, anchor| {
            let aabb = &boxes[index];
            // Without an anchor the box is new and has no motion to extrapolate.
            let before = if is_present(anchor) { *anchor } else { *aabb };
            *anchor = *aabb;
            fat_box::fat_box(aabb, &before, times)
        })
    }

    fn number_of_candidates(&self) -> usize {
        self.candidates.iter().map(Candidates::len).sum()
    }

    /// Candidates whose overlap has changed, one list per range of slots.
    fn changes(&mut self) -> Vec<CandidateChanges> {
        let (candidates, slots) = (&mut self.candidates, &self.slots);
        parallel::map_mut(candidates, 1, |_, candidates| candidates.changes(slots))
    }

    /// Adapts the horizon of the next fat boxes to the number of candidates per pair.
    fn adapt_horizon(&mut self, pairs: usize) {
        let boxes = self.slots.len();
        let ratio = (self.number_of_candidates() + boxes) as f64 / (pairs + boxes) as f64;
        if ratio > MANY_CANDIDATES {
            self.horizon = (self.horizon / 2).max(1);
        } else if ratio < FEW_CANDIDATES {
            self.horizon = (self.horizon * 2).min(MAX_HORIZON);
        }
    }

    /// Overlapping pairs of the strays with one another and with the boxes in their slots, sorted.
    fn pairs_of_strays(&self, boxes: &[Aabb], strays: &[BoxHandle]) -> Vec<BoxPair> {
        if strays.is_empty() {
            return Vec::new();
        }
        let forest = Forest::new(boxes, strays);
        let handle = |slot: u32| forest.handles()[slot as usize];
        let (among_them, _) = forest.candidates();
        let mut pairs = among_them
            .iter()
            .flat_map(Candidates::iter)
            .map(|[a, b]| pair(handle(a), handle(b)))
            .collect::<Vec<_>>();
        for (own, slot) in forest.pairs_with(&self.forest) {
            // The trees hold fat boxes: the boxes themselves decide.
            let stored = &self.slots[slot as usize];
            if AlignedBox::new(&boxes[own.index()]).overlaps::<Portable>(stored) {
                pairs.push(pair(own, self.forest.handles()[slot as usize]));
            }
        }
        pair_list::sort(&mut pairs);
        pairs
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let candidates = self.candidates.iter().map(Candidates::memory).sum::<usize>();
        let boxes =
            self.slots.capacity() * size_of::<AlignedBox>() + self.anchors.capacity() * size_of::<Aabb>();
        let pairs = self.stray_pairs.capacity() * size_of::<BoxPair>();
        let inserted = self.inserted.capacity() * size_of::<BoxHandle>();
        self.forest.memory() + candidates + boxes + pairs + inserted
    }
}

/// Begun or ended candidates as pairs of handles, one list per range of slots.
fn pairs_of(
    changes: &[CandidateChanges],
    list: impl Fn(&CandidateChanges) -> &Vec<SlotPair> + Sync,
    forest: &Forest,
) -> Vec<Vec<BoxPair>> {
    let handle = |slot: u32| forest.handles()[slot as usize];
    let pairs =
        |changes: &CandidateChanges| list(changes).iter().map(|&[a, b]| pair(handle(a), handle(b))).collect();
    parallel::map_slice(changes, 1, pairs)
}
