//! A few samples of a body: balls inside a solid, and points of the surface.

use super::depth_grid::DepthGrid;

/// A ball inside a solid, or a point of the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BodySample {
    /// Centre [m, frame of the tree].
    pub(crate) center: [f32; 3],
    /// Radius of the ball [m], zero for a point.
    pub(crate) radius: f32,
}

/// Samples of a body.
#[derive(Debug, Clone)]
pub(crate) struct Outline {
    /// Balls inside a solid, those that tighten the bounds of depths most first.
    pub(super) balls: Vec<BodySample>,
    /// Points of the surface, each one the farthest from those before it.
    pub(super) points: Vec<BodySample>,
    /// Half the distance of the last point from those before it [m]: discs of this radius about the points nearly cover the
    /// surface.
    pub(super) disc: f32,
    /// Distances from the surface on a grid, of a body without a depth grid of its own.
    pub(super) grid: Option<DepthGrid>,
}

impl Outline {
    /// Balls inside a solid, those that tighten the bounds of depths most first; none in a surface.
    pub(crate) fn balls(&self) -> &[BodySample] {
        &self.balls
    }

    /// Points of the surface, each one the farthest from those before it.
    pub(crate) fn points(&self) -> &[BodySample] {
        &self.points
    }

    /// Radius of discs about the points that nearly cover the surface [m].
    pub(crate) fn disc(&self) -> f32 {
        self.disc
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.balls)
            + size_of_val(&*self.points)
            + self.grid.as_ref().map_or(0, DepthGrid::memory)
    }
}
