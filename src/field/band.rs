//! Exact distances at the nodes near a surface.
//!
//! Each triangle is compared with the nodes in its box, padded by the width of the band: so every node within that
//! width has been compared with its closest triangle.

use std::ops::Range;

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::grid::Grid;
use super::march::FAR;
use crate::geometry::TriangleMesh;

/// Width of the band in cells. A cell that the surface crosses must have all its nodes on that edge in the band, which
/// takes one; the rest is room for rounding. A wider band costs more than it gains.
pub(super) const CELLS: f64 = 1.0 + 1e-6;
/// Parts of the grid that threads work on. Their number changes no distance: the least of some is the least in any
/// order.
const SLABS: usize = 4;
/// Triangles that are worth a task of their own.
const TRIANGLES: usize = 4096;
/// Room for rounding of a triangle's radius.
const ROUNDING: f64 = 1.0 + 1e-9;

/// Writes unsigned distances [m] of at most `band` to the nodes of `region`; the places in memory of those nodes, in no
/// order that matters.
pub(super) fn distances(
    mesh: &TriangleMesh,
    grid: &Grid,
    band: f64,
    region: &[Range<usize>; 3],
    values: &mut [f64],
) -> Vec<u32> {
    let boxes: Vec<Near> = (mesh.triangles().par_iter().enumerate().with_min_len(TRIANGLES))
        .filter_map(|(index, _)| Near::of(&mesh.triangle(index), index as u32, grid, band, region))
        .collect();
    let plane = grid.strides()[2];
    let slab = region[2].len().div_ceil(SLABS).max(1);
    let inner = &mut values[plane * (region[2].start + 1)..plane * (region[2].end + 1)];
    let slabs = inner.par_chunks_mut(plane * slab).enumerate().map(|(index, values)| {
        let from = region[2].start + index * slab;
        let mut raster = Raster { grid, band, values, first: plane * (from + 1), known: Vec::new() };
        for near in &boxes {
            let zs = (near.from[2] as usize).max(from)..(near.to[2] as usize).min(from + slab);
            if !zs.is_empty() {
                raster.triangle(near, &mesh.triangle(near.triangle as usize), zs);
            }
        }
        raster.known
    });
    slabs.collect::<Vec<_>>().concat()
}

/// A triangle and the nodes in its padded box.
#[derive(Debug, Clone, Copy)]
struct Near {
    triangle: u32,
    from: [u32; 3],
    to: [u32; 3],
}

impl Near {
    #[inline]
    fn of(
        corners: &[Point3<f64>; 3],
        triangle: u32,
        grid: &Grid,
        band: f64,
        region: &[Range<usize>; 3],
    ) -> Option<Self> {
        let (mut from, mut to) = ([0; 3], [0; 3]);
        for axis in 0..3 {
            let [a, b, c] = [corners[0][axis], corners[1][axis], corners[2][axis]];
            let (low, high) = (a.min(b).min(c) - band, a.max(b).max(c) + band);
            let Range { start, end } = region[axis];
            from[axis] = grid.first_at(axis, low).max(start) as u32;
            to[axis] = grid.first_above(axis, high).min(end) as u32;
            if from[axis] >= to[axis] {
                return None;
            }
        }
        Some(Self { triangle, from, to })
    }
}

struct Raster<'a> {
    grid: &'a Grid,
    band: f64,
    values: &'a mut [f64],
    /// Place in memory of the first of the values.
    first: usize,
    known: Vec<u32>,
}

impl Raster<'_> {
    fn triangle(&mut self, near: &Near, corners: &[Point3<f64>; 3], zs: Range<usize>) {
        let [a, b, c] = corners.map(|p| p.coords);
        let center = Point3::from((a + b + c) / 3.0);
        let radius =
            corners.iter().map(|p| nalgebra::distance_squared(p, &center)).fold(0.0, f64::max).sqrt();
        // Most triangles of a fine mesh are closest to no node at all, and need not be made ready.
        let mut candidate = Candidate { corners, center, radius: ROUNDING * radius, ready: None };
        for k in zs {
            for j in near.from[1] as usize..near.to[1] as usize {
                self.row(&mut candidate, near.from[0] as usize..near.to[0] as usize, [j, k]);
            }
        }
    }

    #[inline(always)]
    fn row(&mut self, candidate: &mut Candidate, xs: Range<usize>, [j, k]: [usize; 2]) {
        let first = self.grid.node([0, j, k]);
        let line = self.grid.place([0, j, k]) - self.first;
        let (y, z) = (first.y - candidate.center.y, first.z - candidate.center.z);
        let (across, most) = (y * y + z * z, self.band + candidate.radius);
        if across > most * most {
            return;
        }
        let values = &mut self.values[line + xs.start..line + xs.end];
        for (value, i) in values.iter_mut().zip(xs) {
            let x = first.x + self.grid.spacing * i as f64;
            let (along, best) = (x - candidate.center.x, value.min(self.band));
            let reach = best + candidate.radius;
            if across + along * along > reach * reach {
                continue;
            }
            let squared = candidate.squared_distance(&Point3::new(x, first.y, first.z), best * best);
            if squared <= best * best {
                if *value >= FAR {
                    self.known.push((self.first + line + i) as u32);
                }
                *value = squared.sqrt();
            }
        }
    }
}

/// A triangle in a ball around it.
struct Candidate<'a> {
    corners: &'a [Point3<f64>; 3],
    center: Point3<f64>,
    radius: f64,
    ready: Option<Triangle>,
}

impl Candidate<'_> {
    /// Squared distance of a point; too large a number when it is more than `best`.
    #[inline(always)]
    fn squared_distance(&mut self, point: &Point3<f64>, best: f64) -> f64 {
        let triangle = self.ready.get_or_insert_with(|| Triangle::new(self.corners));
        let from_corner = point - triangle.corner;
        let height = triangle.normal.dot(&from_corner);
        if height * height > best {
            return f64::INFINITY;
        }
        triangle.squared_distance(&from_corner, height * height)
    }
}

/// A triangle made ready for distances to many points.
struct Triangle {
    corner: Point3<f64>,
    /// Unit normal; zero when the triangle has no area to speak of.
    normal: Vector3<f64>,
    /// From the corner to the other two.
    sides: [Vector3<f64>; 2],
    /// Barycentric coordinates of the second and third corner are dot products with these.
    dual: [Vector3<f64>; 2],
    has_area: bool,
    inverse_squared_lengths: [f64; 3],
}

impl Triangle {
    fn new(corners: &[Point3<f64>; 3]) -> Self {
        /// Squared sine of an angle below which a triangle counts as its edges: their distances are then off by less
        /// than the normal would be.
        const FLAT: f64 = 1e-16;
        let [b, c] = [corners[1] - corners[0], corners[2] - corners[0]];
        let normal = b.cross(&c);
        let squared = normal.norm_squared();
        let has_area = squared > FLAT * b.norm_squared() * c.norm_squared();
        let dual = [c.cross(&normal) / squared, normal.cross(&b) / squared];
        let unit = if has_area { normal / squared.sqrt() } else { Vector3::zeros() };
        let inverse = |side: Vector3<f64>| 1.0 / side.norm_squared().max(f64::MIN_POSITIVE);
        let inverse_squared_lengths = [inverse(b), inverse(c), inverse(c - b)];
        Self { corner: corners[0], normal: unit, sides: [b, c], dual, has_area, inverse_squared_lengths }
    }

    /// Squared distance of a point, given from the corner, whose squared height above the plane is known.
    #[inline(always)]
    fn squared_distance(&self, point: &Vector3<f64>, squared_height: f64) -> f64 {
        let [u, v] = [self.dual[0].dot(point), self.dual[1].dot(point)];
        if self.has_area && u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
            return squared_height;
        }
        let [b, c] = self.sides;
        let to_edge = |from: Vector3<f64>, side: Vector3<f64>, inverse: f64| {
            let along = (from.dot(&side) * inverse).clamp(0.0, 1.0);
            (from - along * side).norm_squared()
        };
        let [of_b, of_c, of_a] = self.inverse_squared_lengths;
        to_edge(*point, b, of_b).min(to_edge(*point, c, of_c)).min(to_edge(point - b, c - b, of_a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Solidity;
    use crate::geometry::procedural::{Procedural, Torus};
    use crate::proximity::{Model, closest_point};

    #[test]
    fn every_node_in_the_band_has_the_distance_of_its_closest_point_and_no_other_has_one() {
        let mesh = Torus::default().mesh().unwrap();
        let model = Model::new(mesh.clone(), Solidity::Solid);
        let grid = Grid::over(&mesh.aabb(), 30).unwrap();
        let band = 1.7 * grid.spacing;
        let mut values = vec![FAR; grid.padded_len()];
        let all = grid.counts.map(|n| 0..n);
        let known = distances(&mesh, &grid, band, &all, &mut values);
        let mut expected = 0;
        for k in 0..grid.counts[2] {
            for j in 0..grid.counts[1] {
                for i in 0..grid.counts[0] {
                    let distance = closest_point(&model, &grid.node([i, j, k])).distance;
                    let value = values[grid.place([i, j, k])];
                    if distance <= band {
                        expected += 1;
                        assert!((value - distance).abs() < 1e-13, "{value} {distance}");
                    } else {
                        assert!(value >= FAR);
                    }
                }
            }
        }
        assert_eq!(known.len(), expected);
    }
}
