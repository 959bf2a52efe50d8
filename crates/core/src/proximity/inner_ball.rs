//! Balls inside a solid, and its depth field.

use nalgebra::Vector3;

use super::depth_grid::DepthGrid;
use crate::bvh::tree::TriangleBvh;

/// A ball inside a solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Centre [m, frame of the tree].
    pub center: Vector3<f64>,
    /// At most the distance of the centre from the boundary [m].
    pub radius: f64,
}

/// Balls inside a solid, spread over it so that they bound the depth of each point almost tightly.
#[derive(Debug, Clone)]
pub struct InnerBalls {
    pub(super) balls: Vec<Ball>,
    pub(super) field: Option<Field>,
}

/// Depth field of a solid.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// The tree over the boundary where that is only a part of the model's triangles; otherwise the model's own tree
    /// serves.
    pub(super) boundary: Option<TriangleBvh>,
    /// Origin of the boundary's tree in the frame of the model's [m].
    pub(super) origin: Vector3<f64>,
    /// Depth grid in the frame of the boundary's tree.
    pub(super) grid: DepthGrid,
    /// Maximum overestimate of the distance from the boundary by rounding [m].
    pub(super) rounding: f64,
}
