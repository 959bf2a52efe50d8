//! Procedural tetrahedral meshes: blocks, and sections swept along a line or around an axis.
//!
//! All of them are conforming: tetrahedra share whole faces. The documentation of each states its volume in closed form.

mod bored;
mod section;
mod sweep;

use crate::geometry::shape_error::ShapeError;
use nalgebra::{Point3, Vector3};

use super::mesh::TetMesh;

pub use bored::{Bore, bored_rod};
pub use section::Section;
pub use sweep::{ring, rod};

/// The six edge paths from a cube's minimum corner to its maximum corner, as the order of the axes: the tetrahedra of the Kuhn
/// triangulation.
const KUHN_PATHS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// A block of `counts` cubes with edges of `size` in all \[m\] and its minimum corner at `origin` \[m\], each cube split into
/// six tetrahedra around its main diagonal (Kuhn triangulation). Its volume is the product of the sizes.
///
/// The node at grid position (i, j, k) has index (i (n_y + 1) + j) (n_z + 1) + k.
///
/// ```
/// use extricate_core::geometry::tet_mesh::procedural::block;
/// use nalgebra::{Point3, Vector3};
///
/// let mesh = block([4, 4, 4], Vector3::new(1.2, 1.2, 1.0), Point3::new(-0.6, -0.6, 0.0))?;
/// assert_eq!((mesh.nodes().len(), mesh.tets().len()), (125, 384));
/// assert!((mesh.volume() - 1.44).abs() < 1e-14);
/// # Ok::<(), extricate_core::geometry::ShapeError>(())
/// ```
///
/// # Errors
/// [`ShapeError`] when a count is zero or a size is not positive.
pub fn block(counts: [usize; 3], size: Vector3<f64>, origin: Point3<f64>) -> Result<TetMesh, ShapeError> {
    let [x, y, z] = counts;
    let stride = [(y + 1) * (z + 1), z + 1, 1];
    let count = (x + 1).saturating_mul(y + 1).saturating_mul(z + 1);
    if u32::try_from(count).is_err() {
        return Err(ShapeError::beyond_indices(count));
    }
    let mut nodes = Vec::with_capacity(count);
    let mut tets = Vec::with_capacity(6 * x * y * z);
    for (i, j, k) in places([x + 1, y + 1, z + 1]) {
        let at = |axis: usize, step: usize| size[axis] * (step as f64 / counts[axis] as f64);
        nodes.push(origin + Vector3::new(at(0, i), at(1, j), at(2, k)));
    }
    for (i, j, k) in places(counts) {
        let first = i * stride[0] + j * stride[1] + k;
        for (place, path) in KUHN_PATHS.iter().enumerate() {
            let second = first + stride[path[0]];
            let third = second + stride[path[1]];
            let last = third + stride[path[2]];
            // Odd permutations of the axes have the opposite orientation.
            let is_even = [0, 3, 4].contains(&place);
            let [second, third] = if is_even { [second, third] } else { [third, second] };
            tets.push([first, second, third, last].map(|node| node as u32));
        }
    }
    TetMesh::new(nodes, tets)
}

/// All grid positions, the last coordinate varying fastest.
fn places([x, y, z]: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..x).flat_map(move |i| (0..y).flat_map(move |j| (0..z).map(move |k| (i, j, k))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::topology::Topology;

    #[test]
    fn a_block_of_cubes_is_the_one_of_the_validation_cases() {
        // shared/data/fem/valid/v02_bar: counts, first two and last two tetrahedra, fourth node.
        let bar = block([10, 2, 2], Vector3::new(1.0, 0.1, 0.1), Point3::origin()).unwrap();
        assert_eq!((bar.nodes().len(), bar.tets().len()), (99, 240));
        assert_eq!(bar.tets()[..4], [[0, 9, 12, 13], [0, 10, 9, 13], [0, 12, 3, 13], [0, 3, 4, 13]]);
        assert!((bar.nodes()[3] - Point3::new(0.0, 0.05, 0.0)).norm() < 1e-16);
        let boundary = bar.boundary();
        assert_eq!((boundary.faces.len(), boundary.nodes.len()), (176, 90));
        assert!((bar.volume() - 0.01).abs() < 1e-15);
    }

    #[test]
    fn blocks_are_closed_and_fill_their_box_in_any_unit() {
        for unit in [1e-3, 1.0, 1e3] {
            let size = unit * Vector3::new(0.7, 1.1, 0.3);
            let mesh = block([3, 4, 2], size, Point3::new(unit, 0.0, -unit)).unwrap();
            let topology = Topology::of(&mesh.surface());
            assert!(topology.is_closed() && topology.is_manifold() && topology.genus() == Some(0));
            assert!((mesh.volume() / size.product() - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn a_block_of_nothing_and_one_inside_out_are_refused() {
        let size = Vector3::repeat(1.0);
        assert!(matches!(
            block([0, 1, 1], size, Point3::origin()),
            Err(ShapeError::NotFinite { .. } | ShapeError::Empty { .. })
        ));
        assert!(matches!(block([1, 1, 1], -size, Point3::origin()), Err(ShapeError::Inverted { .. })));
    }
}
