//! The broad phase: pairs of boxes that overlap.

use rayon::prelude::*;

use super::coherence::Coherence;
use super::handle::{BoxHandle, BoxPair, TASK, is_present};
use crate::geometry::triangle_mesh::Aabb;
use crate::proximity::error::ProximityError;

/// What one update has changed; both lists are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairChanges<'a> {
    /// Pairs that overlap now and did not at the last update.
    pub begun: &'a [BoxPair],
    /// Pairs that overlapped at the last update and do not now, be it that one of the boxes was removed.
    pub ended: &'a [BoxPair],
}

/// Many axis-aligned boxes and the pairs of them that overlap.
///
/// ```
/// use extricate_core::geometry::Aabb;
/// use extricate_core::proximity::BroadPhase;
/// use nalgebra::{Point3, Vector3};
///
/// let unit_box = |x: f64| Aabb { min: Point3::new(x, 0.0, 0.0), max: Point3::new(x + 1.0, 1.0, 1.0) };
/// let mut broad_phase = BroadPhase::new();
/// let left = broad_phase.insert(unit_box(0.0))?;
/// let middle = broad_phase.insert(unit_box(1.0))?;
/// let right = broad_phase.insert(unit_box(2.5))?;
/// assert_eq!(broad_phase.update().begun, [[left, middle]]); // They touch.
///
/// broad_phase.set(middle, unit_box(1.5))?;
/// let changes = broad_phase.update();
/// assert_eq!(changes.begun, [[middle, right]]);
/// assert_eq!(changes.ended, [[left, middle]]);
/// assert_eq!(broad_phase.pairs(), [[middle, right]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct BroadPhase {
    /// Box of every handle; [`Aabb::EMPTY`] where there is none.
    pub(super) boxes: Vec<Aabb>,
    /// Handles that new boxes may take.
    pub(super) vacant: Vec<BoxHandle>,
    /// Handles of boxes that were removed since the last update.
    pub(super) removed: Vec<BoxHandle>,
    pub(super) coherence: Coherence,
    /// Whether a box has come, gone or been set since the last update.
    pub(super) is_touched: bool,
    pub(super) pairs: Vec<BoxPair>,
    pub(super) begun: Vec<BoxPair>,
    pub(super) ended: Vec<BoxPair>,
    /// Room for the next list of pairs.
    pub(super) spare: Vec<BoxPair>,
}

impl BroadPhase {
    /// A broad phase without boxes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A broad phase of these boxes [m, world], whose handles have their indices. No pairs are known before the first
    /// [`BroadPhase::update`].
    ///
    /// # Errors
    /// [`ProximityError`] when a box is infinite, NaN or inside out, or when there are too many.
    pub fn with_boxes(boxes: &[Aabb]) -> Result<Self, ProximityError> {
        check_count(boxes.len())?;
        check_all(boxes)?;
        let mut broad_phase = Self { boxes: boxes.to_vec(), is_touched: true, ..Self::default() };
        (0..boxes.len() as u32).for_each(|index| broad_phase.coherence.welcome(BoxHandle(index)));
        Ok(broad_phase)
    }

    /// Adds a box [m, world]; its pairs are known after the next update.
    ///
    /// # Errors
    /// [`ProximityError`] when the box is infinite, NaN or inside out, or when there are too many.
    pub fn insert(&mut self, aabb: Aabb) -> Result<BoxHandle, ProximityError> {
        let handle = match self.vacant.last() {
            Some(&handle) => handle,
            None => BoxHandle(check_count(self.boxes.len() + 1)? - 1),
        };
        check(&aabb, handle)?;
        if self.vacant.pop().is_none() {
            self.boxes.push(Aabb::EMPTY);
        }
        self.boxes[handle.index()] = aabb;
        self.coherence.welcome(handle);
        self.is_touched = true;
        Ok(handle)
    }

    /// Takes a box out and returns it; its pairs end with the next update.
    ///
    /// # Errors
    /// [`ProximityError::NoSuchBox`] when there is no such box.
    pub fn remove(&mut self, handle: BoxHandle) -> Result<Aabb, ProximityError> {
        let taken = *self.get(handle).ok_or(ProximityError::NoSuchBox { index: handle.index() })?;
        self.boxes[handle.index()] = Aabb::EMPTY;
        self.coherence.forget(handle);
        self.removed.push(handle);
        self.is_touched = true;
        Ok(taken)
    }

    /// Moves or resizes a box [m, world]; its pairs are known after the next update.
    ///
    /// # Errors
    /// [`ProximityError`] when there is no such box or the new one is infinite, NaN or inside out. The old one stays
    /// then.
    pub fn set(&mut self, handle: BoxHandle, aabb: Aabb) -> Result<(), ProximityError> {
        self.get(handle).ok_or(ProximityError::NoSuchBox { index: handle.index() })?;
        check(&aabb, handle)?;
        self.boxes[handle.index()] = aabb;
        self.is_touched = true;
        Ok(())
    }

    /// Moves all boxes at once, in the order of their handles [m, world], on all threads of the current pool.
    ///
    /// # Errors
    /// [`ProximityError`] when the number of boxes is not [`BroadPhase::len`], or one is infinite, NaN or inside out.
    /// The old ones stay then.
    pub fn set_all(&mut self, boxes: &[Aabb]) -> Result<(), ProximityError> {
        if boxes.len() != self.len() {
            return Err(ProximityError::Count { what: "boxes", given: boxes.len(), expected: self.len() });
        }
        check_all(boxes)?;
        self.is_touched = true;
        if boxes.len() == self.boxes.len() {
            self.boxes.copy_from_slice(boxes);
        } else {
            let present = self.boxes.iter_mut().filter(|aabb| is_present(aabb));
            present.zip(boxes).for_each(|(old, new)| *old = *new);
        }
        Ok(())
    }

    /// The box of a handle [m, world], if there is one.
    #[must_use]
    pub fn get(&self, handle: BoxHandle) -> Option<&Aabb> {
        self.boxes.get(handle.index()).filter(|aabb| is_present(aabb))
    }

    /// Number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.boxes.len() - self.vacant.len() - self.removed.len()
    }

    /// Whether there is no box.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pairs that overlapped at the last update, sorted.
    #[must_use]
    pub fn pairs(&self) -> &[BoxPair] {
        &self.pairs
    }

    /// What the last update has changed.
    #[must_use]
    pub fn changes(&self) -> PairChanges<'_> {
        PairChanges { begun: &self.begun, ended: &self.ended }
    }

    /// Memory in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let lists = [&self.pairs, &self.begun, &self.ended, &self.spare]
            .map(|list| list.capacity() * size_of::<BoxPair>());
        let boxes = self.boxes.capacity() * size_of::<Aabb>();
        boxes + lists.iter().sum::<usize>() + self.coherence.memory()
    }
}

/// All pairs of indices of boxes [m] that overlap, touching included; sorted, the lesser index first.
///
/// ```
/// use extricate_core::geometry::Aabb;
/// use extricate_core::proximity::overlapping_pairs;
/// use nalgebra::{Point3, Vector3};
///
/// let unit_box = |x: f64| Aabb { min: Point3::new(x, 0.0, 0.0), max: Point3::new(x + 1.0, 1.0, 1.0) };
/// let boxes = [0.0, 2.5, 1.0].map(unit_box);
/// assert_eq!(overlapping_pairs(&boxes)?, [[0, 2]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ProximityError`] when a box is infinite, NaN or inside out, or when there are too many.
pub fn overlapping_pairs(boxes: &[Aabb]) -> Result<Vec<[usize; 2]>, ProximityError> {
    let mut broad_phase = BroadPhase::with_boxes(boxes)?;
    broad_phase.update();
    Ok(broad_phase.pairs.iter().map(|pair| pair.map(BoxHandle::index)).collect())
}

/// Boxes at the most: a place in the trees is half of a 32-bit number, and leaves are filled up.
const MOST_BOXES: usize = 1 << 30;

fn check_count(count: usize) -> Result<u32, ProximityError> {
    if count > MOST_BOXES { Err(ProximityError::TooManyBoxes { count }) } else { Ok(count as u32) }
}

fn check_all(boxes: &[Aabb]) -> Result<(), ProximityError> {
    let first_bad = boxes.par_iter().with_min_len(TASK).enumerate().find_first(|(_, aabb)| !is_proper(aabb));
    first_bad.map_or(Ok(()), |(index, aabb)| check(aabb, BoxHandle(index as u32)))
}

fn check(aabb: &Aabb, handle: BoxHandle) -> Result<(), ProximityError> {
    if is_proper(aabb) {
        Ok(())
    } else {
        Err(ProximityError::ImproperBox { index: handle.index(), aabb: *aabb })
    }
}

/// Whether a box is finite and not inside out; NaN fails.
fn is_proper(aabb: &Aabb) -> bool {
    let axis = |k: usize| aabb.min[k] <= aabb.max[k] && (aabb.max[k] - aabb.min[k]).is_finite();
    axis(0) && axis(1) && axis(2)
}
