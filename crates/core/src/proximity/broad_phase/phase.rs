//! The broad phase: overlapping pairs of boxes.

use rayon::prelude::*;

use super::coherence::Coherence;
use super::handle::{BoxHandle, BoxPair, TASK, is_present};
use crate::geometry::triangle_mesh::Aabb;
use crate::proximity::error::ProximityError;

/// Changes of one update; both lists are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairChanges<'a> {
    /// Pairs that overlap now and did not at the last update.
    pub begun: &'a [BoxPair],
    /// Pairs that overlapped at the last update and do not now, including those of removed boxes.
    pub ended: &'a [BoxPair],
}

/// Set of axis-aligned boxes with their overlapping pairs.
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
    /// Handles available for new boxes.
    pub(super) vacant: Vec<BoxHandle>,
    /// Handles of boxes that were removed since the last update.
    pub(super) removed: Vec<BoxHandle>,
    pub(super) coherence: Coherence,
    /// Whether a box was inserted, removed or set since the last update.
    pub(super) is_touched: bool,
    pub(super) pairs: Vec<BoxPair>,
    pub(super) begun: Vec<BoxPair>,
    pub(super) ended: Vec<BoxPair>,
    /// Buffer for the next list of pairs.
    pub(super) next_pairs: Vec<BoxPair>,
}

impl BroadPhase {
    /// Creates a broad phase without boxes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a broad phase of these boxes [m, world], whose handles are their indices. There are no pairs before the
    /// first [`BroadPhase::update`].
    ///
    /// # Errors
    /// [`ProximityError`] when a box is infinite, NaN or inverted, or when there are too many.
    pub fn with_boxes(boxes: &[Aabb]) -> Result<Self, ProximityError> {
        check_count(boxes.len())?;
        check_all(boxes)?;
        let mut broad_phase = Self { boxes: boxes.to_vec(), is_touched: true, ..Self::default() };
        (0..boxes.len() as u32).for_each(|index| broad_phase.coherence.insert(BoxHandle(index)));
        Ok(broad_phase)
    }

    /// Inserts a box [m, world]; its pairs are found by the next update.
    ///
    /// # Errors
    /// [`ProximityError`] when the box is infinite, NaN or inverted, or when there are too many.
    pub fn insert(&mut self, aabb: Aabb) -> Result<BoxHandle, ProximityError> {
        let handle = match self.vacant.last() {
            Some(&handle) => handle,
            None => BoxHandle(check_count(self.boxes.len() + 1)? - 1),
        };
        // Checked before anything changes: a rejected box leaves no trace.
        check(&aabb, handle)?;
        if self.vacant.pop().is_none() {
            self.boxes.push(Aabb::EMPTY);
        }
        self.boxes[handle.index()] = aabb;
        self.coherence.insert(handle);
        self.is_touched = true;
        Ok(handle)
    }

    /// Removes a box and returns it; its pairs end with the next update.
    ///
    /// # Errors
    /// [`ProximityError::NoSuchBox`] when there is no such box.
    pub fn remove(&mut self, handle: BoxHandle) -> Result<Aabb, ProximityError> {
        let removed = *self.get(handle).ok_or(ProximityError::NoSuchBox { index: handle.index() })?;
        self.boxes[handle.index()] = Aabb::EMPTY;
        self.coherence.remove(handle);
        // Not vacant yet: a new box under this handle would inherit the pairs of the old one.
        self.removed.push(handle);
        self.is_touched = true;
        Ok(removed)
    }

    /// Moves or resizes a box [m, world]; its pairs are found by the next update.
    ///
    /// # Errors
    /// [`ProximityError`] when there is no such box or the new one is infinite, NaN or inverted; the old one is then
    /// unchanged.
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
    /// [`ProximityError`] when the number of boxes is not [`BroadPhase::len`], or one is infinite, NaN or inverted;
    /// the old ones are then unchanged.
    pub fn set_all(&mut self, boxes: &[Aabb]) -> Result<(), ProximityError> {
        if boxes.len() != self.len() {
            return Err(ProximityError::Count { what: "boxes", given: boxes.len(), expected: self.len() });
        }
        check_all(boxes)?;
        self.is_touched = true;
        // Without gaps between the handles the boxes are copied as a whole.
        if boxes.len() == self.boxes.len() {
            self.boxes.copy_from_slice(boxes);
        } else {
            let present = self.boxes.iter_mut().filter(|aabb| is_present(aabb));
            present.zip(boxes).for_each(|(old, new)| *old = *new);
        }
        Ok(())
    }

    /// Box of a handle [m, world]; `None` for an invalid handle.
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

    /// Pairs that overlapped at the last update, sorted.
    #[must_use]
    pub fn pairs(&self) -> &[BoxPair] {
        &self.pairs
    }

    /// Changes of the last update.
    #[must_use]
    pub fn changes(&self) -> PairChanges<'_> {
        PairChanges { begun: &self.begun, ended: &self.ended }
    }

    /// Memory in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let lists = [&self.pairs, &self.begun, &self.ended, &self.next_pairs]
            .map(|list| list.capacity() * size_of::<BoxPair>());
        let boxes = self.boxes.capacity() * size_of::<Aabb>();
        boxes + lists.iter().sum::<usize>() + self.coherence.memory()
    }
}

/// Index pairs of all overlapping boxes \[m\], touching included; sorted, the lower index first.
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
/// [`ProximityError`] when a box is infinite, NaN or inverted, or when there are too many.
pub fn overlapping_pairs(boxes: &[Aabb]) -> Result<Vec<[usize; 2]>, ProximityError> {
    let mut broad_phase = BroadPhase::with_boxes(boxes)?;
    broad_phase.update();
    Ok(broad_phase.pairs.iter().map(|pair| pair.map(BoxHandle::index)).collect())
}

/// Maximum number of boxes: slots in the trees have 31 bits ([`super::candidates`] uses the last one), and leaves are
/// padded to whole rows.
const MAX_BOXES: usize = 1 << 30;

fn check_count(count: usize) -> Result<u32, ProximityError> {
    if count > MAX_BOXES { Err(ProximityError::TooManyBoxes { count }) } else { Ok(count as u32) }
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

/// Whether a box is finite and not inverted; NaN fails.
fn is_proper(aabb: &Aabb) -> bool {
    let axis = |k: usize| aabb.min[k] <= aabb.max[k] && (aabb.max[k] - aabb.min[k]).is_finite();
    axis(0) && axis(1) && axis(2)
}
