//! Scratch memory of a descent.

use nalgebra::{Isometry3, Point3, Vector3};

use super::mesh_rows::MeshMemory;
use super::rows::ContactRow;
use crate::penetration::convex::cache::ConvexCache;
use crate::penetration::quadratic_program::least_change::LeastChange;
use crate::penetration::quadratic_program::least_change::rows::Rows;

/// What one descent needs: no allocation once it is warm.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) scan: ScanMemory,
    pub(crate) frames: Frames,
    pub(super) rows: Vec<ContactRow>,
    pub(super) trial_rows: Vec<ContactRow>,
    pub(super) trial_frames: Frames,
    pub(super) problem: Rows,
    pub(super) solver: LeastChange,
    pub(super) derivative: Vec<f64>,
    pub(super) boxed: Vec<[f64; 2]>,
    /// Whether the rows contradicted each other in the last step.
    pub(super) soft: bool,
}

/// What a scan needs besides the frames.
#[derive(Debug, Default)]
pub(crate) struct ScanMemory {
    pub(super) caches: Vec<ConvexCache>,
    /// The face through which each pair of pieces that overlaps is on its way out.
    pub(super) exits: Vec<Option<Exit>>,
    /// Pose and middle of each piece [world].
    pub(super) pieces: Vec<(Isometry3<f64>, Point3<f64>)>,
    pub(super) centers: Vec<Point3<f64>>,
    pub(super) meshes: MeshMemory,
}

/// Where everything is at a point of a chart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frames {
    /// Pose of each body, body to world.
    pub(crate) bodies: Vec<Isometry3<f64>>,
    pub(super) links: Vec<Isometry3<f64>>,
    /// Axis and origin of each joint [world].
    pub(super) axes: Vec<[Vector3<f64>; 2]>,
    /// Change of a number of the configuration by a change of y.
    pub(super) slopes: Vec<f64>,
    /// Quaternion of each floating base's turn and its centre [m, world].
    pub(super) turns: Vec<(f64, Vector3<f64>, Vector3<f64>)>,
}

/// A face of a piece, through which the other piece of a pair leaves it.
///
/// The nearest way out changes while a descent resolves one overlap after another, and two links that leave a plate on different
/// sides never come out of it: so the way that was the nearest at first is kept as long as it is not much longer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Exit {
    /// Whether the face belongs to B.
    pub(super) of_b: bool,
    /// Outward normal, and a point of the face [m], in the frame of the piece.
    pub(super) normal: Vector3<f64>,
    pub(super) point: Point3<f64>,
    /// How many times longer than the nearest way out it may be.
    pub(super) detour: f64,
}
