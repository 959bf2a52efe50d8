//! Distance grid over the bounding box of a mesh, and its ridges.

use nalgebra::{Point3, Vector3};

use crate::geometry::triangle_mesh::Aabb;
use crate::parallel;
use crate::proximity::clear_place::ClearPlace;
use crate::proximity::closest_point::{closest_point, closest_point_up_to};
use crate::proximity::model::Model;

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
    /// Distances [m], the first axis fastest.
    distances: Vec<f64>,
}

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
    pub(super) fn new(model: &Model, resolution: u32) -> Self {
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
        let mut voxels = Self { first: bounds.center() - half, size, counts, distances: Vec::new() };
        voxels.distances = parallel::map(counts[1] * counts[2], 1, |row| voxels.row(model, row)).concat();
        voxels
    }

    /// Edge of a voxel [m].
    pub(super) fn size(&self) -> f64 {
        self.size
    }

    /// Distances along a row. From one voxel to the next the distance grows by at most the size of a voxel, which limits
    /// the search.
    fn row(&self, model: &Model, row: usize) -> Vec<f64> {
        let mut limit = f64::INFINITY;
        let distance = |i: usize| {
            let center = self.center([i, row % self.counts[1], row / self.counts[1]]);
            let found = closest_point_up_to(model, &center, limit * (1.0 + SAME));
            let found = found.unwrap_or_else(|| closest_point(model, &center)).distance;
            limit = found + self.size;
            found
        };
        (0..self.counts[0]).map(distance).collect()
    }

    fn center(&self, voxel: [usize; 3]) -> Point3<f64> {
        self.first + Vector3::from(voxel.map(|index| self.size * index as f64))
    }

    /// Distance at an offset of `by` voxels along an axis; `None` outside the grid.
    fn distance_at(&self, mut voxel: [usize; 3], axis: usize, by: isize) -> Option<f64> {
        voxel[axis] = voxel[axis].checked_add_signed(by).filter(|&index| index < self.counts[axis])?;
        Some(self.distances[voxel[0] + self.counts[0] * (voxel[1] + self.counts[1] * voxel[2])])
    }

    /// Voxels on ridges, in the order of the grid.
    pub(super) fn ridges(&self) -> impl Iterator<Item = Ridge> {
        let [nx, ny, nz] = self.counts;
        let voxels = (0..nz).flat_map(move |k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
        voxels.filter_map(|voxel| self.ridge(voxel))
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
        let mut step = 0.5 * self.size;
        for _ in 0..HALVINGS {
            for axis in (0..3).filter(|&axis| ridge.axes[axis]) {
                for side in [-step, step] {
                    let point = best.point + Vector3::ith(axis, side);
                    let clearance = closest_point(model, &point).distance;
                    if clearance > best.clearance * (1.0 + SAME) {
                        best = ClearPlace { point, clearance };
                    }
                }
            }
            step *= 0.5;
        }
        best
    }
}
