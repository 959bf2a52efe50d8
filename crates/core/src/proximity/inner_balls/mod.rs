//! Balls inside a solid and the depth of points in it, from which lower bounds of the penetration depth are derived.
//!
//! Everything is in the frame of the model's tree. A ball is inside when no triangle is closer to its centre than its
//! radius, and its centre is inside. That is a proof if the winding number is constant between triangles, as for a
//! closed mesh; a solid with holes has no balls. Faces between pieces that overlap or touch do not belong to the
//! boundary.

mod boundary;
mod choice;
pub(crate) mod steepest_ascent;
mod uncut;

use nalgebra::{Point3, Vector3};

use super::depth_grid::DepthGrid;
use super::depth_grid::Estimate;
use super::inner_ball::{Ball, Field, InnerBalls};
use super::model::Model;
use super::nearest::{closest_beyond, rounding_of};
use crate::bvh::tree::TriangleBvh;
use crate::geometry::topology::Topology;
use crate::geometry::triangle_mesh::Solidity;

impl InnerBalls {
    /// The balls of a model; none in a surface or in a mesh that is not closed.
    pub(super) fn of(model: &Model) -> Self {
        let topology = (model.solidity() == Solidity::Solid).then(|| Topology::of(model.mesh()));
        let Some(topology) = topology.filter(Topology::is_closed) else {
            return Self { balls: Vec::new(), field: None };
        };
        let boundary = boundary::boundary_of(model, &topology).map(|mesh| TriangleBvh::new(&mesh));
        let origin = boundary.as_ref().map_or(Vector3::zeros(), |tree| tree.center().coords);
        let is_inside = |point: &Vector3<f64>| model.contains_in_tree(&(point + origin));
        let tree = boundary.as_ref().unwrap_or(model.bvh());
        let grid = DepthGrid::new(tree, &is_inside);
        let rounding = rounding_of(tree);
        let mut balls = choice::choose(tree, &grid, &is_inside);
        for ball in &mut balls {
            ball.center += origin;
            ball.radius -= rounding;
        }
        balls.retain(|ball| ball.radius > 0.0);
        Self { balls, field: Some(Field { boundary, origin, grid, rounding }) }
    }

    /// The balls in the order of their choice: those that tighten the bounds of depths most come first.
    pub fn balls(&self) -> &[Ball] {
        &self.balls
    }

    /// The depth grid and its origin [m, frame of the model's tree]; `None` in a model without balls.
    pub(super) fn grid(&self) -> Option<(&DepthGrid, &Vector3<f64>)> {
        self.field.as_ref().map(|field| (&field.grid, &field.origin))
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let of_field =
            |field: &Field| field.grid.memory() + field.boundary.as_ref().map_or(0, TriangleBvh::memory);
        size_of_val(&*self.balls) + self.field.as_ref().map_or(0, of_field)
    }

    /// Estimate of the depth of `point` [m, frame of the tree] from the grid, in constant time; `None` in a model
    /// without balls.
    #[inline]
    pub(crate) fn estimate(&self, point: &Vector3<f64>) -> Option<Estimate> {
        self.field.as_ref().map(|field| field.grid.estimate(&(point - field.origin)))
    }
}

impl Model {
    /// Lower bound of the depth of `point` in the solid [m, frame of the tree], negative outside, if it exceeds
    /// `floor`, with the closest point of the boundary, or nearly. The bound is less than the depth by at most the
    /// fraction `slack`, which saves time.
    pub(crate) fn depth_above(
        &self,
        point: &Vector3<f64>,
        floor: f64,
        slack: f64,
    ) -> Option<(f64, Vector3<f64>)> {
        let field = self.inner_balls().field.as_ref()?;
        let in_field = point - field.origin;
        let known = field.grid.estimate(&in_field);
        let min = floor + field.rounding;
        if !(known.max > min) {
            return None;
        }
        // The winding number is needed only where the grid leaves the sign open.
        let is_inside = known.min > 0.0 || (known.max > 0.0 && self.contains_in_tree(point));
        let (beyond, up_to) = if is_inside { (min, known.max) } else { (0.0, (-min).min(-known.min)) };
        if !(up_to > beyond) {
            return None;
        }
        let tree = field.boundary.as_ref().unwrap_or(self.bvh());
        let (closest, distance) = closest_beyond(tree, &Point3::from(in_field), beyond, up_to, slack)?;
        let depth = if is_inside { distance / (1.0 + slack) } else { -distance } - field.rounding;
        (depth > floor).then(|| (depth, closest.coords + field.origin))
    }
}

#[cfg(test)]
mod tests;
