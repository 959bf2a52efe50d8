//! One update: the pairs that overlap now, and what has changed.
//!
//! While boxes stay in their rooms, only the candidates can begin or end to overlap. Boxes that have left their rooms
//! or are new look for their partners in the trees; once that would cost more than to find all candidates anew, this
//! is done.

use rayon::prelude::*;

use super::candidates::{Candidates, Placed, Places, Turns};
use super::coherence::Coherence;
use super::forest::{Forest, NO_BOX};
use super::handle::{BoxHandle, BoxPair, TASK, is_present};
use super::pair_list::pair;
use super::phase::{BroadPhase, PairChanges};
use super::{pair_list, reach};
use crate::bvh::lanes::isa::Portable;
use crate::geometry::triangle_mesh::Aabb;

/// A search in the trees costs about as much as this many boxes do when all candidates are found anew.
const COST_OF_SEARCH: usize = 4;
/// Updates ahead for which boxes are given room at the most.
const LONGEST_HORIZON: u32 = 64;
/// Rooms shrink when there are so many times the candidates and boxes as there are pairs and boxes, …
const MANY_CANDIDATES: f64 = 2.0;
/// … and grow when there are not even so many.
const FEW_CANDIDATES: f64 = 1.3;
/// The trees are made anew when so many times the pairs of leaves are looked at as when they were new.
const WORN: f64 = 1.3;

impl Default for Coherence {
    fn default() -> Self {
        Self {
            forest: Forest::default(),
            placed: Vec::new(),
            candidates: Vec::new(),
            newcomers: Vec::new(),
            strays: Vec::new(),
            anchors: Vec::new(),
            age: 0,
            horizon: 8,
            searches: 0,
            wants_trees: true,
            effort: 0.0,
        }
    }
}

impl BroadPhase {
    /// Finds the pairs that overlap now, on all threads of the current pool, and says what has changed since the last
    /// update.
    pub fn update(&mut self) -> PairChanges<'_> {
        if !std::mem::take(&mut self.is_touched) {
            self.begun.clear();
            self.ended.clear();
            return self.changes();
        }
        let coherence = &mut self.coherence;
        let (mut seekers, vacated) = coherence.place(&self.boxes);
        coherence.newcomers.retain(|handle| is_present(&self.boxes[handle.index()]));
        seekers.extend_from_slice(&coherence.newcomers);
        coherence.searches += seekers.len();
        if COST_OF_SEARCH * coherence.searches > self.boxes.len() {
            self.start_anew();
        } else {
            self.go_on(&seekers);
            vacated.into_iter().for_each(|place| self.coherence.forest.vacate(place));
        }
        self.vacant.append(&mut self.removed);
        self.changes()
    }

    /// Finds all candidates anew, and the pairs from nothing.
    fn start_anew(&mut self) {
        let coherence = &mut self.coherence;
        coherence.find_candidates(&self.boxes);
        let turns = coherence.turns();
        let pieces = pairs_of(&turns, |turns| &turns.begun, &coherence.forest);
        pair_list::sort_pieces(&pieces, self.boxes.len(), &mut self.spare);
        (self.ended, self.begun) = pair_list::differences(&self.pairs, &self.spare);
        std::mem::swap(&mut self.pairs, &mut self.spare);
        coherence.pace(self.pairs.len());
    }

    /// Looks at the candidates again, and searches the trees for the boxes that have none.
    fn go_on(&mut self, seekers: &[BoxHandle]) {
        let coherence = &mut self.coherence;
        let turns = coherence.turns();
        let strays = coherence.pairs_of_strays(&self.boxes, seekers);
        let (ended, begun) = pair_list::differences(&coherence.strays, &strays);
        coherence.strays = strays;
        self.begun = pairs_of(&turns, |turns| &turns.begun, &coherence.forest).concat();
        self.ended = pairs_of(&turns, |turns| &turns.ended, &coherence.forest).concat();
        for (list, of_strays) in [(&mut self.begun, begun), (&mut self.ended, ended)] {
            list.extend(of_strays);
            pair_list::sort(list);
        }
        // A pair may have left the candidates and come back as that of a stray, or the other way round.
        pair_list::cancel(&mut self.begun, &mut self.ended);
        pair_list::apply(&self.pairs, &self.ended, &self.begun, &mut self.spare);
        std::mem::swap(&mut self.pairs, &mut self.spare);
    }
}

impl Coherence {
    /// Takes note of a new box.
    pub(super) fn welcome(&mut self, handle: BoxHandle) {
        self.newcomers.push(handle);
        self.wants_trees = true;
    }

    /// Takes note that a box is no more.
    pub(super) fn forget(&mut self, handle: BoxHandle) {
        if let Some(anchor) = self.anchors.get_mut(handle.index()) {
            *anchor = Aabb::EMPTY;
        }
        self.wants_trees = true;
    }

    /// Puts the boxes in their places; returns those that are out of their rooms and the places of those that are
    /// no more.
    fn place(&mut self, boxes: &[Aabb]) -> (Vec<BoxHandle>, Vec<usize>) {
        self.age += 1;
        let forest = &self.forest;
        let pieces = self.placed.par_chunks_mut(TASK).zip(forest.handles().par_chunks(TASK)).enumerate();
        let lists = pieces.map(|(piece, (placed, handles))| {
            let (mut escaped, mut vacated) = (Vec::new(), Vec::new());
            for (i, (placed, &handle)) in placed.iter_mut().zip(handles).enumerate() {
                *placed = Placed::NOTHING;
                if handle == NO_BOX {
                    continue;
                }
                let (aabb, place) = (&boxes[handle.index()], piece * TASK + i);
                if !is_present(aabb) {
                    vacated.push(place);
                } else if forest.contains(place, aabb) {
                    *placed = Placed::new(aabb);
                } else {
                    escaped.push(handle);
                }
            }
            (escaped, vacated)
        });
        let (escaped, vacated): (Vec<_>, Vec<_>) = lists.unzip();
        (escaped.concat(), vacated.concat())
    }

    /// Gives the boxes new rooms and finds the pairs of rooms that overlap.
    fn find_candidates(&mut self, boxes: &[Aabb]) {
        let new_trees = std::mem::take(&mut self.wants_trees);
        let rooms = self.rooms(boxes);
        if new_trees {
            let present = (0..).zip(boxes).filter(|(_, aabb)| is_present(aabb));
            let members = present.map(|(index, _)| BoxHandle(index)).collect::<Vec<_>>();
            self.forest = Forest::new(&rooms, &members);
        } else {
            self.forest.refit(&rooms);
        }
        drop(rooms);
        self.placed.resize(self.forest.handles().len(), Placed::NOTHING);
        self.place(boxes);
        let (candidates, leaf_pairs) = self.forest.candidates();
        self.candidates = candidates;
        let effort = leaf_pairs as f64 / (boxes.len() + self.number_of_candidates()) as f64;
        if new_trees {
            self.effort = effort;
        }
        self.wants_trees = effort > WORN * self.effort;
        (self.age, self.searches) = (0, 0);
        self.newcomers = Vec::new();
        self.strays.clear();
    }

    /// New rooms of the boxes, which are the new anchors.
    fn rooms(&mut self, boxes: &[Aabb]) -> Vec<Aabb> {
        self.anchors.resize(boxes.len(), Aabb::EMPTY);
        let times = f64::from(self.horizon) / f64::from(self.age.max(1));
        let rooms = self.anchors.par_iter_mut().zip(boxes).with_min_len(TASK).map(|(anchor, aabb)| {
            let before = if is_present(anchor) { *anchor } else { *aabb };
            *anchor = *aabb;
            reach::room(aabb, &before, times)
        });
        rooms.collect()
    }

    fn number_of_candidates(&self) -> usize {
        self.candidates.iter().map(Candidates::len).sum()
    }

    /// Candidates that have turned, in pieces.
    fn turns(&mut self) -> Vec<Turns> {
        let (candidates, placed) = (&mut self.candidates, &self.placed);
        candidates.par_iter_mut().map(|candidates| candidates.turns(placed)).collect()
    }

    /// Chooses the horizon of the next rooms.
    fn pace(&mut self, pairs: usize) {
        let boxes = self.placed.len();
        let share = (self.number_of_candidates() + boxes) as f64 / (pairs + boxes) as f64;
        if share > MANY_CANDIDATES {
            self.horizon = (self.horizon / 2).max(1);
        } else if share < FEW_CANDIDATES {
            self.horizon = (self.horizon * 2).min(LONGEST_HORIZON);
        }
    }

    /// The pairs of the boxes that are not in their rooms, sorted.
    fn pairs_of_strays(&self, boxes: &[Aabb], strays: &[BoxHandle]) -> Vec<BoxPair> {
        if strays.is_empty() {
            return Vec::new();
        }
        let forest = Forest::new(boxes, strays);
        let handle = |place: u32| forest.handles()[place as usize];
        let (among_them, _) = forest.candidates();
        let mut pairs = among_them
            .iter()
            .flat_map(Candidates::iter)
            .map(|[a, b]| pair(handle(a), handle(b)))
            .collect::<Vec<_>>();
        for (own, place) in forest.pairs_with(&self.forest) {
            let placed = &self.placed[place as usize];
            if Placed::new(&boxes[own.index()]).overlaps::<Portable>(placed) {
                pairs.push(pair(own, self.forest.handles()[place as usize]));
            }
        }
        pair_list::sort(&mut pairs);
        pairs
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let candidates = self.candidates.iter().map(Candidates::memory).sum::<usize>();
        let boxes =
            self.placed.capacity() * size_of::<Placed>() + self.anchors.capacity() * size_of::<Aabb>();
        let pairs = self.strays.capacity() * size_of::<BoxPair>();
        let newcomers = self.newcomers.capacity() * size_of::<BoxHandle>();
        self.forest.memory() + candidates + boxes + pairs + newcomers
    }
}

/// One list of all turns as pairs, in pieces.
fn pairs_of(
    turns: &[Turns],
    list: impl Fn(&Turns) -> &Vec<Places> + Sync,
    forest: &Forest,
) -> Vec<Vec<BoxPair>> {
    let handle = |place: u32| forest.handles()[place as usize];
    let pairs = |turns: &Turns| list(turns).iter().map(|&[a, b]| pair(handle(a), handle(b))).collect();
    turns.par_iter().map(pairs).collect()
}
