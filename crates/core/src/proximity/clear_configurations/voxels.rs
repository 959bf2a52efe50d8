//! Distance grid over the bounding box of a mesh, and its ridges.
//!
//! Only voxels in the bounding slabs of the mesh can be places: distances are computed there and as far around as ridges are
//! compared with their neighbours.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use super::slabs::Slabs;
use crate::geometry::triangle_mesh::Aabb;
use crate::parallel;
use crate::proximity::clear_place::ClearPlace;
use crate::proximity::closest_point::{closest_point, closest_point_up_to};
use crate::proximity::model::Model;
use crate::proximity::nearest::ClosestPoint;

/// Relative difference below which distances are considered equal: results must not depend on the unit of length.
const SAME: f64 = 1e-9;
/// Prominence of a ridge: the distance two voxels away must be lower by this many voxels. A smaller one takes the noise
/// of faceted surfaces for ridges; a ridge between parallel walls falls by two voxels, between walls at an angle by less,
/// so that a larger one loses wedge-shaped holes.
const PROMINENCE: f64 = 0.25;
/// Halvings of the refinement step, from half a voxel: a place is located to 1/32 of a voxel along each axis.
const HALVINGS: u32 = 5;

/// Distances from the surface at the centres of voxels.
pub(super) struct Voxels {
    /// Centre of the first voxel [m, body frame].
    first: Point3<f64>,
    /// Edge of a voxel [m].
    size: f64,
    counts: [usize; 3],
    /// Distances [m], the first axis fastest; NaN where none is needed.
    distances: Vec<f64>,
    /// Voxels of each row along the first axis that may be in the slabs: a superset, for rounding.
    inside: Vec<Range<usize>>,
}

/// Number of voxels on either side that a ridge is compared with along each axis.
const COMPARED: usize = 2;

/// A voxel on a ridge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ridge {
    /// Centre of the voxel with its clearance.
    pub(super) place: ClearPlace,
    /// Axes along which no neighbour has a larger distance.
    axes: [bool; 3],
}

impl Voxels {
    /// Computes the grid with `resolution` voxels along the longest side of the bounding box, an odd number along the others.
    pub(super) fn new(model: &Model, slabs: &Slabs, resolution: u32) -> Self {
        let mesh = model.mesh();
        let corners = mesh.triangles().iter().flatten().map(|&index| &mesh.vertices()[index as usize]);
        let bounds = Aabb::of_points(corners);
        let extents = bounds.extents();
        // A mesh without an extent has no ridges, whatever its voxel size.
        let size = extents.max().max(f64::MIN_POSITIVE) / f64::from(resolution);
        let counts = extents.map(|extent| (extent / size * (1.0 - SAME)).ceil().max(1.0) as usize);
        let longest = extents.imax();
        // An odd number puts a voxel on the plane of symmetry, where the ridge of a symmetric hole lies.
        let odd = |axis: usize| if axis == longest { resolution as usize } else { counts[axis] | 1 };
        let counts: [usize; 3] = std::array::from_fn(odd);
        let half = Vector3::from(counts.map(|count| 0.5 * size * (count as f64 - 1.0)));
        let first = bounds.center() - half;
        let mut voxels = Self { first, size, counts, distances: Vec::new(), inside: Vec::new() };
        let rows = counts[1] * counts[2];
        voxels.inside = (0..rows).map(|row| voxels.inside_of_row(slabs, row)).collect();
        voxels.distances = parallel::map(rows, 1, |row| voxels.row(model, row)).concat();
        voxels
    }

    /// Voxels of a row that may be in the slabs.
    fn inside_of_row(&self, slabs: &Slabs, row: usize) -> Range<usize> {
        let start = self.center([0, row % self.counts[1], row / self.counts[1]]);
        let [low, high] = slabs.along_first_axis(&start, self.size);
        // One more on either side, for rounding; conversions saturate.
        let [low, high] = [(low / self.size).floor() - 1.0, (high / self.size).ceil() + 2.0];
        let [low, high] = [low, high].map(|index| (index.max(0.0) as usize).min(self.counts[0]));
        low..high.max(low)
    }

    /// Voxels of a row whose distances are compared with those of voxels that may be in the slabs.
    fn needed_of_row(&self, row: usize) -> Range<usize> {
        let [count, rows, layers] = self.counts;
        let at = [row % rows, row / rows];
        let near =
            |index: usize, count: usize| index.saturating_sub(COMPARED)..(index + COMPARED + 1).min(count);
        let own = self.inside[row].clone();
        let own =
            if own.is_empty() { own } else { near(own.start, count).start..near(own.end - 1, count).end };
        let beside = near(at[0], rows).map(|j| j + rows * at[1]);
        let above = near(at[1], layers).map(|k| at[0] + rows * k);
        let others = beside.chain(above).map(|row| self.inside[row].clone());
        let all = others.chain([own]).filter(|range| !range.is_empty());
        all.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    /// Edge of a voxel [m].
    pub(super) fn size(&self) -> f64 {
        self.size
    }

    /// Distances along a row. The point that is closest to one voxel bounds the distance of the next one, which limits the
    /// search.
    fn row(&self, model: &Model, row: usize) -> Vec<f64> {
        let mut distances = vec![f64::NAN; self.counts[0]];
        let mut last: Option<Point3<f64>> = None;
        for i in self.needed_of_row(row) {
            let center = self.center([i, row % self.counts[1], row / self.counts[1]]);
            let found = closest_point_near(model, &center, last.as_ref());
            (distances[i], last) = (found.distance, Some(found.point));
        }
        distances
    }

    fn center(&self, voxel: [usize; 3]) -> Point3<f64> {
        self.first + Vector3::from(voxel.map(|index| self.size * index as f64))
    }

    /// Distance at an offset of `by` voxels along an axis; `None` outside the grid.
    fn distance_at(&self, mut voxel: [usize; 3], axis: usize, by: isize) -> Option<f64> {
        voxel[axis] = voxel[axis].checked_add_signed(by).filter(|&index| index < self.counts[axis])?;
        Some(self.distances[voxel[0] + self.counts[0] * (voxel[1] + self.counts[1] * voxel[2])])
    }

    /// Voxels on ridges that may be in the slabs, in the order of the grid.
    pub(super) fn ridges(&self) -> impl Iterator<Item = Ridge> {
        let [_, rows, _] = self.counts;
        let of_row = move |(row, inside): (usize, &Range<usize>)| {
            inside.clone().map(move |i| [i, row % rows, row / rows])
        };
        self.inside.iter().enumerate().flat_map(of_row).filter_map(|voxel| self.ridge(voxel))
    }

    fn ridge(&self, voxel: [usize; 3]) -> Option<Ridge> {
        let clearance = self.distance_at(voxel, 0, 0)?;
        // Outside the grid the distance counts as infinite: a voxel on its boundary is never a maximum across it.
        let at = |axis, by| self.distance_at(voxel, axis, by).unwrap_or(f64::INFINITY);
        let is_level = |axis| at(axis, -1).max(at(axis, 1)) <= clearance * (1.0 + SAME);
        let is_peak = |axis| at(axis, -2).max(at(axis, 2)) <= clearance - PROMINENCE * self.size;
        let axes: [bool; 3] = std::array::from_fn(is_level);
        let is_ridge = axes.iter().filter(|&&level| level).count() >= 2
            && (0..3).any(|axis| axes[axis] && is_peak(axis));
        is_ridge.then(|| Ridge { place: ClearPlace { point: self.center(voxel), clearance }, axes })
    }

    /// Local maximum of the clearance near the centre of the voxel, along the axes of the ridge (coordinate search).
    pub(super) fn refined(&self, model: &Model, ridge: &Ridge) -> ClearPlace {
        let mut best = ridge.place;
        let mut closest = closest_point(model, &best.point).point;
        let mut step = 0.5 * self.size;
        for _ in 0..HALVINGS {
            for axis in (0..3).filter(|&axis| ridge.axes[axis]) {
                for side in [-step, step] {
                    let point = best.point + Vector3::ith(axis, side);
                    // No clearance is larger than the distance of a point of the surface.
                    if nalgebra::distance(&point, &closest) <= best.clearance {
                        continue;
                    }
                    let found = closest_point_near(model, &point, Some(&closest));
                    if found.distance > best.clearance * (1.0 + SAME) {
                        (best, closest) = (ClearPlace { point, clearance: found.distance }, found.point);
                    }
                }
            }
            step *= 0.5;
        }
        best
    }
}

/// Closest point of the surface to `point`, of which a point of the surface is known that may be near.
fn closest_point_near(model: &Model, point: &Point3<f64>, known: Option<&Point3<f64>>) -> ClosestPoint {
    let limit = known.map(|known| nalgebra::distance(point, known) * (1.0 + SAME));
    let found = limit.and_then(|limit| closest_point_up_to(model, point, limit));
    found.unwrap_or_else(|| closest_point(model, point))
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::super::super::shapes;
    use super::*;
    use crate::geometry::procedural::{Cup, Procedural, TorusKnot};
    use crate::geometry::triangle_mesh::{Solidity, TriangleMesh};

    fn rotated(mesh: &TriangleMesh) -> TriangleMesh {
        let by = Isometry3::rotation(Vector3::new(0.4, -0.3, 0.7));
        let vertices = mesh.vertices().iter().map(|vertex| by * vertex).collect();
        TriangleMesh::new(vertices, mesh.triangles().to_vec()).unwrap()
    }

    #[test]
    fn distances_are_exact_where_a_voxel_in_the_slabs_is_compared_with_them_and_absent_in_corners() {
        let knot = TorusKnot::default().mesh().unwrap();
        let cup = Cup::default().mesh().unwrap();
        for mesh in [shapes::cuboid(Vector3::new(1.0, 0.6, 0.3)), knot.clone(), rotated(&knot), rotated(&cup)]
        {
            let model = Model::new(mesh, Solidity::Solid);
            let slabs = Slabs::new(model.mesh());
            let voxels = Voxels::new(&model, &slabs, 17);
            let [nx, ny, nz] = voxels.counts;
            let (mut compared, mut inside) = (0, 0);
            for voxel in (0..nx * ny * nz).map(|at| [at % nx, at / nx % ny, at / (nx * ny)]) {
                if !slabs.contain(&voxels.center(voxel)) {
                    continue;
                }
                inside += 1;
                for (axis, by) in (0..3).flat_map(|axis| (-2..=2).map(move |by| (axis, by))) {
                    let Some(found) = voxels.distance_at(voxel, axis, by) else { continue };
                    let mut at = voxel;
                    at[axis] = at[axis].checked_add_signed(by).expect("it is in the grid");
                    let exact = closest_point(&model, &voxels.center(at)).distance;
                    assert_eq!(found.to_bits(), exact.to_bits(), "{voxel:?} {axis} {by}");
                    compared += 1;
                }
            }
            assert!(compared > 10 * inside && inside > nx, "{compared} {inside}");
        }
        // Of a ball some corners of the box are not needed.
        let model = Model::new(shapes::sphere(20), Solidity::Solid);
        let voxels = Voxels::new(&model, &Slabs::new(model.mesh()), 33);
        let absent = voxels.distances.iter().filter(|distance| distance.is_nan()).count();
        assert!(absent > voxels.distances.len() / 10, "{absent} of {}", voxels.distances.len());
    }
}
