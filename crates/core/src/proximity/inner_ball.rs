//! Balls inside a solid, and the field of its depths.

use nalgebra::Vector3;

use super::depth_grid::DepthGrid;
use crate::bvh::tree::TriangleBvh;

/// A ball inside a solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Centre [m, frame of the tree].
    pub center: Vector3<f64>,
    /// No more than the distance of the centre from the boundary [m].
    pub radius: f64,
}

/// Balls inside a solid, spread over it so that each point's depth is nearly what the balls say.
#[derive(Debug, Clone)]
pub struct InnerBalls {
    pub(super) balls: Vec<Ball>,
    pub(super) field: Option<Field>,
}

/// How deep the points of a solid are.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// The tree over the boundary where that is less than the model's triangles, which the model's own tree is over.
    pub(super) boundary: Option<TriangleBvh>,
    /// Origin of the boundary's tree in the frame of the model's [m].
    pub(super) origin: Vector3<f64>,
    /// In the frame of the boundary's tree.
    pub(super) grid: DepthGrid,
    /// What the distance from the boundary may be overestimated by [m].
    pub(super) rounding: f64,
}
