//! Vertices of a mesh in blocks with boxes, for their minimum height above a plane.
//!
//! A block whose box is higher than a vertex that was found has no lower one. The heights of the others are evaluated one by one, so that the
//! minimum is that over all vertices, bit for bit.

use nalgebra::{Point3, Vector3};

use extricate_core::geometry::Aabb;

/// Number of vertices of a block. It changes the time only. Chosen, not tuned.
const BLOCK: usize = 32;
/// Rounding of heights, over the lengths that enter them.
const ROUNDING: f64 = 1e-12;

/// Vertices, in blocks of those that are near each other.
pub(super) struct VertexBlocks {
    vertices: Vec<Point3<f64>>,
    /// Box of each block.
    boxes: Vec<Aabb>,
    /// Largest distance of a vertex from the origin \[m\].
    size: f64,
}

impl VertexBlocks {
    /// Blocks of the vertices of a mesh.
    pub(super) fn new(vertices: &[Point3<f64>]) -> Self {
        let mut vertices = vertices.to_vec();
        divide(&mut vertices);
        let boxes = vertices.chunks(BLOCK).map(Aabb::of_points).collect();
        let size = vertices.iter().map(|vertex| vertex.coords.norm()).fold(0.0, f64::max);
        Self { vertices, boxes, size }
    }

    /// Minimum `height` \[m\] of a vertex, which grows with the coordinate along the unit vector `up`, infinite if there is none;
    /// `size` \[m\] is that of the other lengths in it.
    pub(super) fn min_height(
        &self,
        height: impl Fn(Point3<f64>) -> f64,
        (up, size): (&Vector3<f64>, f64),
    ) -> f64 {
        let above = height(Point3::origin()) - ROUNDING * (self.size + size);
        let lowest =
            |aabb: &Aabb| above + up.dot(&aabb.center().coords) - 0.5 * aabb.extents().dot(&up.abs());
        let blocks = || self.vertices.chunks(BLOCK).zip(self.boxes.iter().map(lowest));
        let min =
            |min: f64, block: &[Point3<f64>]| block.iter().map(|vertex| height(*vertex)).fold(min, f64::min);
        // The block that reaches lowest leaves few of the others.
        let first = blocks().min_by(|(_, a), (_, b)| a.total_cmp(b));
        let first = first.map_or(f64::INFINITY, |(block, _)| min(f64::INFINITY, block));
        blocks()
            .fold(first, |lowest, (block, bound)| if bound > lowest { lowest } else { min(lowest, block) })
    }
}

/// Sorts vertices so that blocks of them are near each other: halves of a box across its longest side, and so on.
fn divide(vertices: &mut [Point3<f64>]) {
    let blocks = vertices.len().div_ceil(BLOCK);
    if blocks < 2 {
        return;
    }
    let extents = Aabb::of_points(&*vertices).extents();
    let (axis, middle) = (extents.imax(), blocks.div_ceil(2) * BLOCK);
    vertices.select_nth_unstable_by(middle - 1, |a, b| a[axis].total_cmp(&b[axis]));
    let (first, last) = vertices.split_at_mut(middle);
    divide(first);
    divide(last);
}

#[cfg(test)]
mod tests {
    use extricate_test_support::Noise;
    use nalgebra::{Isometry3, UnitQuaternion};

    use super::*;

    #[test]
    fn the_minimum_height_is_that_over_all_vertices_bit_for_bit() {
        let mut noise = Noise(7);
        for count in [0, 1, 31, 32, 33, 64, 65, 1000] {
            let vertices: Vec<_> = (0..count).map(|_| Point3::from(noise.vector() * 0.3)).collect();
            let blocks = VertexBlocks::new(&vertices);
            for _ in 0..50 {
                let rotation = UnitQuaternion::from_scaled_axis(noise.vector() * 3.0);
                let pose = Isometry3::from_parts((noise.vector() * 20.0).into(), rotation);
                let (up, ground) = (noise.direction(), Point3::from(noise.vector()));
                let height = |vertex: Point3<f64>| (pose * vertex - ground).dot(&up);
                let exact = vertices.iter().map(|&vertex| height(vertex)).fold(f64::INFINITY, f64::min);
                let size = pose.translation.vector.norm() + ground.coords.norm();
                let found = blocks.min_height(height, (&(rotation.inverse() * up), size));
                assert_eq!(found.to_bits(), exact.to_bits(), "{count}: {found} is not {exact}");
            }
        }
    }
}
