//! Exact distances at the nodes near a surface.
//!
//! Each triangle is compared with the nodes in its box, padded by the width of the band: so every node within that
//! width has been compared with its closest triangle. Most comparisons end at a lower bound: the distance to a triangle
//! is at least that to its plane and, in the plane, that to the line of an edge that the point is behind. Along a row of
//! nodes these are linear, and are found for several nodes at once.

use std::ops::Range;

use nalgebra::Point3;
use rayon::prelude::*;

use super::grid::Grid;
use super::march::FAR;
use super::prism::{LANES, Prism};
use crate::geometry::TriangleMesh;

/// Width of the band in cells. A cell that the surface crosses must have all its nodes on that edge in the band, which
/// takes one; the rest is room for rounding. A wider band costs more than it gains.
pub(super) const CELLS: f64 = 1.0 + 1e-6;
/// Parts of the grid that threads work on. Their number changes no distance: the least of some is the least in any
/// order.
const SLABS: usize = 4;
/// Triangles that are worth a task of their own.
const TRIANGLES: usize = 4096;
/// Room for rounding of a box, in cells.
const ROUNDING: f64 = 1e-6;
/// Nodes in a row from which on it is worth asking which of them are near the triangle.
const LONG: usize = 8;

/// Writes unsigned distances [m] of at most `band` to the nodes of `region`, which are far; the places in memory of
/// those nodes, in no order that matters.
pub(super) fn distances(
    mesh: &TriangleMesh,
    grid: &Grid,
    band: f64,
    region: &[Range<usize>; 3],
    values: &mut [f64],
) -> Vec<u32> {
    let boxes = Near::all(mesh, grid, band, region);
    let plane = grid.strides()[2];
    let slab = region[2].len().div_ceil(SLABS).max(1);
    let inner = &mut values[plane * (region[2].start + 1)..plane * (region[2].end + 1)];
    let slabs = inner.par_chunks_mut(plane * slab).enumerate().map(|(index, values)| {
        let from = region[2].start + index * slab;
        let first = plane * (from + 1);
        let mut raster = Raster { mesh, grid, band, values, first, known: Vec::new() };
        raster.triangles(&boxes, from..from + slab);
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
    /// All triangles that are near a region.
    fn all(mesh: &TriangleMesh, grid: &Grid, band: f64, region: &[Range<usize>; 3]) -> Vec<Self> {
        let cells = 1.0 / grid.spacing;
        let room = [1.0 - ROUNDING - band * cells, 1.0 + ROUNDING + band * cells];
        let near = |index: usize| {
            let [a, b, c] = mesh.triangle(index);
            let (mut from, mut to) = ([0; 3], [0; 3]);
            for axis in 0..3 {
                let [a, b, c] = [a[axis], b[axis], c[axis]].map(|x| (x - grid.origin[axis]) * cells);
                // A cast rounds down, and saturates at zero.
                from[axis] = ((a.min(b).min(c) + room[0]) as u32).max(region[axis].start as u32);
                to[axis] = ((a.max(b).max(c) + room[1]) as u32).min(region[axis].end as u32);
                if from[axis] >= to[axis] {
                    return None;
                }
            }
            Some(Self { triangle: index as u32, from, to })
        };
        (0..mesh.triangles().len()).into_par_iter().with_min_len(TRIANGLES).filter_map(near).collect()
    }
}

struct Raster<'a> {
    mesh: &'a TriangleMesh,
    grid: &'a Grid,
    band: f64,
    /// Squared distances, or [`FAR`], until all triangles are done.
    values: &'a mut [f64],
    /// Place in memory of the first of the values.
    first: usize,
    known: Vec<u32>,
}

impl Raster<'_> {
    /// Compares triangles with nodes of the given layers.
    fn triangles(&mut self, boxes: &[Near], layers: Range<usize>) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            return unsafe { self.triangles_avx2(boxes, layers) };
        }
        self.triangles_portable(boxes, layers);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn triangles_avx2(&mut self, boxes: &[Near], layers: Range<usize>) {
        self.triangles_portable(boxes, layers);
    }

    /// The same bits on every instruction set.
    #[inline(always)]
    fn triangles_portable(&mut self, boxes: &[Near], layers: Range<usize>) {
        for near in boxes {
            let zs = (near.from[2] as usize).max(layers.start)..(near.to[2] as usize).min(layers.end);
            if !zs.is_empty() {
                self.triangle(near, zs);
            }
        }
        for &node in &self.known {
            let value = &mut self.values[node as usize - self.first];
            *value = value.sqrt();
        }
    }

    #[inline(always)]
    fn triangle(&mut self, near: &Near, zs: Range<usize>) {
        let prism = Prism::new(&self.mesh.triangle(near.triangle as usize));
        let xs = near.from[0] as usize..near.to[0] as usize;
        for k in zs {
            for j in near.from[1] as usize..near.to[1] as usize {
                let first = self.grid.node([0, j, k]);
                let line = self.grid.place([0, j, k]) - self.first;
                if xs.len() <= LONG {
                    self.row(&prism, xs.clone(), &first, line);
                } else {
                    let [from, to] = prism.near(&first, self.band).map(|x| (x - first.x) / self.grid.spacing);
                    // Casts saturate.
                    let (from, to) = ((from - ROUNDING) as usize, (to + 1.0 + ROUNDING) as usize);
                    self.row(&prism, from.max(xs.start)..to.min(xs.end), &first, line);
                }
            }
        }
    }

    /// Compares a triangle with the nodes `xs` of the line that begins at `first`, at `line` of the values.
    #[inline(always)]
    fn row(&mut self, prism: &Prism, xs: Range<usize>, first: &Point3<f64>, line: usize) {
        let (row, most) = (prism.row(first), self.band * self.band);
        for start in xs.clone().step_by(LANES) {
            let mut at = [0.0; LANES];
            for lane in 0..LANES {
                at[lane] = first.x + self.grid.spacing * (start + lane) as f64;
            }
            let least = row.least(&at);
            // Lanes may reach over the border, which is NaN, into the next line, but not past the last one.
            let values = &self.values[line + start..line + start + LANES];
            let mut candidates = 0_u32;
            for lane in 0..LANES {
                let is_candidate = least[lane] <= most && least[lane] < values[lane];
                candidates |= u32::from(is_candidate) << lane;
            }
            // Only those of the row.
            candidates &= (1 << (xs.end - start).min(LANES)) - 1;
            while candidates != 0 {
                let lane = candidates.trailing_zeros() as usize;
                candidates &= candidates - 1;
                let squared = prism.squared_distance(&Point3::new(at[lane], first.y, first.z), least[lane]);
                let value = &mut self.values[line + start + lane];
                if squared <= most && squared < *value {
                    if *value >= FAR {
                        self.known.push((self.first + line + start + lane) as u32);
                    }
                    *value = squared;
                }
            }
        }
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
