//! Scratch memory of a descent.

use std::time::Instant;

use nalgebra::{Isometry3, Point3, Vector3};

use super::equality::{Equations, Subspace};
use super::mesh_rows::MeshMemory;
use super::oriented_box::OrientedBox;
use super::rows::ContactRow;
use super::work::{BOXES, PRODUCTS};
use crate::penetration::convex::cache::ConvexCache;
use crate::penetration::quadratic_program::min_norm_projection::MinNormProjection;
use crate::penetration::quadratic_program::min_norm_projection::rows::Rows;

/// Buffers of one descent, which allocates nothing once they have grown.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) scan: ScanMemory,
    pub(crate) frames: Frames,
    pub(super) rows: Vec<ContactRow>,
    pub(super) trial_rows: Vec<ContactRow>,
    pub(super) trial_frames: Frames,
    pub(super) problem: Rows,
    pub(super) solver: MinNormProjection,
    pub(super) derivative: Vec<f64>,
    pub(super) bounds: Vec<[f64; 2]>,
    pub(super) constraints: ConstraintMemory,
    /// The points on the linearised closures.
    pub(super) subspace: Subspace,
    /// Whether the rows of the last step were contradictory.
    pub(super) soft: bool,
}

impl Workspace {
    /// Work of the scans, pairs of boxes and products of the solver since the workspace was made.
    pub(super) fn counters(&self) -> [u64; 3] {
        [self.scan.work, self.scan.boxes_apart, self.solver.work()]
    }

    /// Work done since the counters had these values, in [units of work](super::work): rounded for itself, so that it does not depend
    /// on what the workspace was used for before.
    pub(super) fn work_since(&self, [scans, boxes, products]: [u64; 3]) -> u64 {
        let of_boxes = (self.scan.boxes_apart - boxes) / BOXES;
        self.scan.work - scans + of_boxes + (self.solver.work() - products) / PRODUCTS
    }
}

/// Buffers of projections onto closures.
#[derive(Debug, Clone, Default)]
pub(super) struct ConstraintMemory {
    pub(super) frames: Frames,
    pub(super) equations: Equations,
    pub(super) step: Subspace,
    pub(super) gradient: Vec<f64>,
}

/// State of a scan besides the frames.
#[derive(Debug, Default)]
pub(crate) struct ScanMemory {
    /// Caches of the pairs of pieces that were ever near each other.
    pub(super) caches: PairCaches,
    /// The exit face of each of these pairs that overlaps.
    pub(super) exits: Vec<Option<ExitFace>>,
    /// Pieces of an obstacle near a piece of a link.
    pub(super) near: Vec<u32>,
    /// Poses of the obstacles for which `pieces` were computed.
    pub(super) placed: Vec<Option<Isometry3<f64>>>,
    /// Pose and centre of the bounding sphere of each piece [world].
    pub(super) pieces: Vec<(Isometry3<f64>, Point3<f64>)>,
    pub(super) centers: Vec<Point3<f64>>,
    pub(super) meshes: MeshMemory,
    /// Box of each piece [world].
    pub(super) boxes: Vec<OrientedBox>,
    /// Work of all scans since the memory was made, in [units of work](super::work), and pairs of pieces proved apart by their boxes.
    pub(super) work: u64,
    pub(super) boxes_apart: u64,
    pub(super) clock: ScanClock,
}

/// Time after which a scan visits no more pairs of pieces.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ScanClock {
    deadline: Option<Instant>,
    /// Support evaluations since the last look at the time.
    supports: u32,
    is_late: bool,
}

impl ScanClock {
    /// A scan that ends soon after the deadline, if there is one.
    pub(super) fn until(deadline: Option<Instant>) -> Self {
        Self { deadline, ..Self::default() }
    }

    /// Whether the deadline was found to have passed: not all pairs were visited then.
    pub(super) fn is_late(&self) -> bool {
        self.is_late
    }

    /// Counts the support evaluations of a pair of pieces; returns whether the deadline was found to have passed. Two round hulls
    /// inside each other take most of a millisecond.
    pub(super) fn spend(&mut self, supports: u32) -> bool {
        /// Support evaluations between two looks at the time: tenths of a millisecond.
        const BETWEEN: u32 = 256;
        self.supports += supports;
        if self.deadline.is_some() && self.supports >= BETWEEN {
            self.look();
        }
        self.is_late
    }

    /// Looks at the time; returns whether the deadline was found to have passed.
    pub(super) fn look(&mut self) -> bool {
        self.supports = 0;
        self.is_late |= self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.is_late
    }
}

/// Warm starts of pairs of pieces, as many as are near each other: most pairs of a large obstacle never are.
#[derive(Debug, Default)]
pub(super) struct PairCaches {
    /// One above the index of the cache of each pair of pieces; zero without one.
    slots: Vec<u32>,
    used: Vec<usize>,
    caches: Vec<ConvexCache>,
}

impl PairCaches {
    /// For this number of pairs of pieces.
    pub(super) fn new(pairs: usize) -> Self {
        Self { slots: vec![0; pairs], ..Self::default() }
    }

    /// Discards all warm starts, and keeps the allocated memory.
    pub(super) fn forget(&mut self) {
        self.caches.iter_mut().take(self.used.len()).for_each(ConvexCache::forget);
        self.used.drain(..).for_each(|pair| self.slots[pair] = 0);
    }

    /// Index of the cache of a pair of pieces, a fresh one at first.
    pub(super) fn slot(&mut self, pair: usize) -> usize {
        if self.slots[pair] == 0 {
            self.used.push(pair);
            self.slots[pair] = self.used.len() as u32;
            if self.caches.len() < self.used.len() {
                self.caches.push(ConvexCache::default());
            }
        }
        self.slots[pair] as usize - 1
    }

    pub(super) fn cache(&mut self, slot: usize) -> &mut ConvexCache {
        &mut self.caches[slot]
    }
}

/// Forward kinematics at a point of a chart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frames {
    /// Pose of each body, body to world.
    pub(crate) bodies: Vec<Isometry3<f64>>,
    pub(super) links: Vec<Isometry3<f64>>,
    /// Poses of the links of all movable models, where there are constraints.
    pub(super) all_links: Vec<Isometry3<f64>>,
    /// Axis and origin of each joint [world].
    pub(super) axes: Vec<[Vector3<f64>; 2]>,
    /// Derivative of each generalized coordinate by its chart coordinate y.
    pub(super) slopes: Vec<f64>,
    /// Rotation of each floating base as a quaternion (w, v), and its centre [m, world].
    pub(super) base_motions: Vec<(f64, Vector3<f64>, Vector3<f64>)>,
}

/// The face of a piece through which the other piece of a pair leaves it.
///
/// The nearest exit changes while a descent resolves one overlap after another, and two links that leave a plate on different
/// sides never come out of it: so the exit that was nearest at first is retained until it becomes much longer than the nearest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ExitFace {
    /// Whether the face belongs to B.
    pub(super) of_b: bool,
    /// Outward normal, and a point of the face [m], in the frame of the piece.
    pub(super) normal: Vector3<f64>,
    pub(super) point: Point3<f64>,
    /// Maximum ratio of the depth along this exit to the penetration depth.
    pub(super) detour: f64,
}
