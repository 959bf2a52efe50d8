//! A fine surface embedded in a coarse tetrahedral mesh: its vertices move with the tetrahedra that contain them.

use nalgebra::{Point3, Vector3};

use crate::geometry::tet_mesh::mesh::{TetMesh, barycentric};
use crate::geometry::triangle_mesh::{Aabb, Solidity};
use crate::parallel;
use crate::proximity::closest_point;
use crate::proximity::model::Model;

/// Barycentric coordinate down to which a point counts as inside a tetrahedron: allows for rounding on a shared face. With
/// zero, points on inner faces could be found in no tetrahedron and be extrapolated.
const ON_FACE: f64 = -1e-12;
/// Maximum number of boxes of the search grid along an axis: bounds its memory for flat or elongated meshes.
const MAX_BOXES: f64 = 256.0;

/// Points embedded in a tetrahedral mesh by barycentric coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    nodes: Vec<[u32; 4]>,
    tets: Vec<u32>,
    coordinates: Vec<[f64; 4]>,
    outside: usize,
}

impl Embedding {
    /// Locates each of `points` \[m\] in the mesh at rest. A point in no tetrahedron is assigned to that of the nearest
    /// surface triangle and extrapolated from it.
    ///
    /// ```
    /// use extricate_core::field::embedding::Embedding;
    /// use extricate_core::geometry::tet_mesh::procedural::block;
    /// use nalgebra::{Point3, Vector3};
    ///
    /// let mesh = block([2, 2, 2], Vector3::repeat(1.0), Point3::origin())?;
    /// let embedding = Embedding::new(&mesh, &[Point3::new(0.3, 0.4, 1.1)]);
    /// let stretched: Vec<_> = mesh.nodes().iter().map(|p| Point3::new(2.0 * p.x, p.y, p.z)).collect();
    /// let mut moved = vec![Point3::origin(); 1];
    /// embedding.deform(&stretched, &mut moved);
    /// assert!((moved[0] - Point3::new(0.6, 0.4, 1.1)).norm() < 1e-14);
    /// # Ok::<(), extricate_core::geometry::ShapeError>(())
    /// ```
    #[must_use]
    pub fn new(mesh: &TetMesh, points: &[Point3<f64>]) -> Self {
        let boxes = Boxes::of(mesh);
        let boundary = mesh.boundary();
        let surface = Model::new(mesh.surface(), Solidity::Solid);
        let find = |point: &Point3<f64>| match boxes.containing(mesh, point) {
            Some(tet) => (tet, true),
            None => (boundary.tets[closest_point(&surface, point).triangle as usize], false),
        };
        let found: Vec<(u32, bool)> = parallel::map_slice(points, 1, find);
        let coordinates = found.iter().zip(points);
        Self {
            nodes: found.iter().map(|&(tet, _)| mesh.tets()[tet as usize]).collect(),
            coordinates: coordinates.map(|(&(tet, _), p)| barycentric(&mesh.tet(tet as usize), p)).collect(),
            outside: found.iter().filter(|(_, inside)| !inside).count(),
            tets: found.into_iter().map(|(tet, _)| tet).collect(),
        }
    }

    /// The tetrahedron of each point.
    #[must_use]
    pub fn tets(&self) -> &[u32] {
        &self.tets
    }

    /// Barycentric coordinates of each point in its tetrahedron; they sum to one, and some are negative for a point
    /// outside.
    #[must_use]
    pub fn coordinates(&self) -> &[[f64; 4]] {
        &self.coordinates
    }

    /// Number of points in no tetrahedron.
    #[must_use]
    pub fn outside(&self) -> usize {
        self.outside
    }

    /// Writes the positions of the points when the nodes of the mesh are at `nodes` \[m\].
    ///
    /// # Panics
    /// When there are fewer nodes than the mesh has, or not as many points as were embedded.
    pub fn deform(&self, nodes: &[Point3<f64>], points: &mut [Point3<f64>]) {
        assert_eq!(points.len(), self.nodes.len(), "one position for each embedded point");
        for ((point, corners), u) in points.iter_mut().zip(&self.nodes).zip(&self.coordinates) {
            let sum = corners.iter().zip(u).map(|(&node, u)| nodes[node as usize].coords * *u);
            *point = Point3::from(sum.fold(Vector3::zeros(), |sum, part| sum + part));
        }
    }
}

/// Search grid: tetrahedra by the grid boxes that their bounding boxes overlap.
struct Boxes {
    bounds: Aabb,
    counts: [usize; 3],
    /// Start of each box in `tets`, and the end of the last one.
    starts: Vec<usize>,
    tets: Vec<u32>,
}

impl Boxes {
    fn of(mesh: &TetMesh) -> Self {
        let bounds = mesh.aabb();
        let extents = bounds.extents();
        // About as many boxes as tetrahedra.
        let edge = (extents.product() / mesh.tets().len() as f64).cbrt();
        let counts = [0, 1, 2].map(|axis| (extents[axis] / edge).clamp(1.0, MAX_BOXES) as usize);
        let mut boxes = Self { bounds, counts, starts: Vec::new(), tets: Vec::new() };
        let mut pairs: Vec<(usize, u32)> = Vec::new();
        for (tet, _) in (0_u32..).zip(mesh.tets()) {
            let own = Aabb::of_points(&mesh.tet(tet as usize));
            let [low, high] = [boxes.place(&own.min), boxes.place(&own.max)];
            for x in low[0]..=high[0] {
                for y in low[1]..=high[1] {
                    pairs.extend((low[2]..=high[2]).map(|z| (boxes.index([x, y, z]), tet)));
                }
            }
        }
        pairs.sort_unstable();
        let count = counts.iter().product::<usize>();
        boxes.starts = (0..=count).map(|index| pairs.partition_point(|pair| pair.0 < index)).collect();
        boxes.tets = pairs.into_iter().map(|(_, tet)| tet).collect();
        boxes
    }

    /// Grid box of a point, the nearest one for a point outside.
    fn place(&self, point: &Point3<f64>) -> [usize; 3] {
        let extents = self.bounds.extents();
        [0, 1, 2].map(|axis| {
            let fraction = (point[axis] - self.bounds.min[axis]) / extents[axis];
            ((fraction * self.counts[axis] as f64).max(0.0) as usize).min(self.counts[axis] - 1)
        })
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (x * self.counts[1] + y) * self.counts[2] + z
    }

    /// The first tetrahedron that contains the point.
    fn containing(&self, mesh: &TetMesh, point: &Point3<f64>) -> Option<u32> {
        let index = self.index(self.place(point));
        let near = &self.tets[self.starts[index]..self.starts[index + 1]];
        near.iter()
            .copied()
            .find(|&tet| barycentric(&mesh.tet(tet as usize), point).iter().all(|&u| u >= ON_FACE))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Vector3};

    use super::*;
    use crate::geometry::tet_mesh::procedural::{Section, ring};

    #[test]
    fn affine_maps_of_the_tetrahedra_move_every_point_alike_inside_and_outside() {
        let mesh = ring(Section::Disc { radius: 0.3, rings: 2 }, 1.0, 5.0, 20).unwrap();
        let points: Vec<Point3<f64>> = (0..2000)
            .map(|i| {
                let at = |k: f64| (f64::from(i) * k).fract() * 3.0 - 1.5;
                Point3::new(at(0.618_034), at(0.754_878), 0.3 * at(0.569_840))
            })
            .collect();
        let embedding = Embedding::new(&mesh, &points);
        let map = Matrix3::new(1.1, 0.2, -0.3, 0.0, 0.9, 0.4, 0.5, -0.1, 1.3);
        let shift = Vector3::new(3.0, -1.0, 0.5);
        let moved_nodes: Vec<_> = mesh.nodes().iter().map(|p| Point3::from(map * p.coords + shift)).collect();
        let mut moved = vec![Point3::origin(); points.len()];
        embedding.deform(&moved_nodes, &mut moved);
        for (point, moved) in points.iter().zip(&moved) {
            assert!((moved.coords - (map * point.coords + shift)).norm() < 1e-11);
        }
        // Brute force: a point is inside where any tetrahedron contains it.
        let holds = |p: &Point3<f64>| {
            (0..mesh.tets().len()).any(|tet| barycentric(&mesh.tet(tet), p).iter().all(|&u| u >= 0.0))
        };
        let outside = points.iter().filter(|p| !holds(p)).count();
        assert_eq!(embedding.outside(), outside);
        assert!(outside > 1000 && outside < 1950, "{outside}");
        for ((point, &tet), u) in points.iter().zip(embedding.tets()).zip(embedding.coordinates()) {
            assert!((u.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(!holds(point) || u.iter().all(|&u| u >= ON_FACE), "{tet}");
        }
    }
}
