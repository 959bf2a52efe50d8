//! Exact distances at the nodes in a narrow band around a surface.
//!
//! Each triangle is compared with the nodes in its box, padded by the width of the band: so every node within that
//! width has been compared with its closest triangle. Most comparisons end at a lower bound: the distance to a triangle
//! is at least that to its plane and, in the plane, that to the line of an edge that the point is beyond. AxialTerms a row of
//! nodes these are linear, and are evaluated for several nodes at once.

use std::ops::Range;

use nalgebra::Point3;

use super::grid::Grid;
use super::march::FAR;
use super::prism::{AxialTerms, LANES, Prism, Row};
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::parallel;

/// Allowance for rounding in the width of the band, in cells. Both ends of a grid edge that the surface crosses must be in
/// the band, which takes one cell and this.
const ROOM: f64 = 1e-6;
/// Nodes along the longest edge of a grid from which on it counts as fine.
const FINE: usize = 24;
/// Widths of the band in cells on coarse and on fine grids. On a fine grid a wider band costs more time than its accuracy
/// is worth; below one cell the march would start from gaps.
const WIDTHS: [f64; 2] = [2.0, 1.0];

/// Width of the band [m], from its number of cells if given.
pub(super) fn width(grid: &Grid, cells: Option<f64>) -> f64 {
    let is_fine = grid.counts.iter().any(|&count| count >= FINE);
    (cells.unwrap_or(WIDTHS[usize::from(is_fine)]) + ROOM) * grid.spacing
}

/// Slabs of the grid that are processed in parallel. More would repeat the preprocessing of triangles that span several.
/// Their number changes no distance: the minimum does not depend on the order.
const SLABS: usize = 4;
/// Triangles per parallel task: fewer cost scheduling, more leave threads idle. The result does not depend on it.
const TRIANGLES: usize = 4096;
/// Allowance for rounding of a box, in cells; must be above the rounding of coordinates in cells.
const ROUNDING: f64 = 1e-6;
/// Nodes in a row above which the interval near the triangle is computed first: below, testing all nodes takes less time.
const LONG: usize = 8;

/// Writes unsigned distances [m] of at most `band` to the nodes of `region`, which are far before; returns the memory
/// indices of the nodes written, in arbitrary order.
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
    let mut slabs = inner.chunks_mut(plane * slab).collect::<Vec<_>>();
    let known = parallel::map_mut(&mut slabs, 1, |index, values| {
        let from = region[2].start + index * slab;
        let first = plane * (from + 1);
        let (triangles, vertices) = (mesh.triangles(), mesh.vertices());
        let mut raster = Raster { triangles, vertices, grid, band, values, first, known: Vec::new() };
        raster.compare(&boxes, from..from + slab);
        raster.known
    });
    known.concat()
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
        let (triangles, vertices) = (mesh.triangles(), mesh.vertices());
        let near = |index: usize| {
            let [a, b, c] = corners(triangles, vertices, index as u32);
            let (mut from, mut to) = ([0; 3], [0; 3]);
            for axis in 0..3 {
                let in_cells = |x: f64| (x - grid.origin[axis]) * cells;
                let (a, b, c) = (in_cells(a[axis]), in_cells(b[axis]), in_cells(c[axis]));
                // A cast rounds down, and saturates at zero.
                from[axis] = ((a.min(b).min(c) + room[0]) as u32).max(region[axis].start as u32);
                to[axis] = ((a.max(b).max(c) + room[1]) as u32).min(region[axis].end as u32);
                if from[axis] >= to[axis] {
                    return None;
                }
            }
            Some(Self { triangle: index as u32, from, to })
        };
        parallel::map(triangles.len(), TRIANGLES, near).into_iter().flatten().collect()
    }
}

#[inline(always)]
fn corners(triangles: &[[u32; 3]], vertices: &[Point3<f64>], triangle: u32) -> [Point3<f64>; 3] {
    let [a, b, c] = triangles[triangle as usize];
    [vertices[a as usize], vertices[b as usize], vertices[c as usize]]
}

struct Raster<'a> {
    triangles: &'a [[u32; 3]],
    vertices: &'a [Point3<f64>],
    grid: &'a Grid,
    band: f64,
    /// Squared distances, or [`FAR`], until all triangles are processed.
    values: &'a mut [f64],
    /// Index in memory of the first value.
    first: usize,
    known: Vec<u32>,
}

impl Raster<'_> {
    /// Compares triangles with nodes of the given layers.
    fn compare(&mut self, boxes: &[Near], layers: Range<usize>) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is available.
            return unsafe { self.compare_avx2(boxes, layers) };
        }
        self.compare_portable(boxes, layers);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn compare_avx2(&mut self, boxes: &[Near], layers: Range<usize>) {
        self.compare_portable(boxes, layers);
    }

    /// The same bits on every instruction set.
    #[inline(always)]
    fn compare_portable(&mut self, boxes: &[Near], layers: Range<usize>) {
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
        let prism = Prism::new(&corners(self.triangles, self.vertices, near.triangle));
        let xs = near.from[0] as usize..near.to[0] as usize;
        let ys = near.from[1] as usize..near.to[1] as usize;
        if xs.len() > LONG {
            return self.long_rows(&prism, xs, ys, zs);
        }
        for start in xs.clone().step_by(LANES) {
            let nodes = self.nodes(&prism, start, xs.end);
            for k in zs.clone() {
                for j in ys.clone() {
                    let [y, z] = self.line(j, k);
                    self.row(&prism, &prism.row(y, z), &nodes, [j, k]);
                }
            }
        }
    }

    /// Long rows: only the interval near the triangle is tested.
    #[inline(never)]
    fn long_rows(&mut self, prism: &Prism, xs: Range<usize>, ys: Range<usize>, zs: Range<usize>) {
        for (j, k) in zs.flat_map(|k| ys.clone().map(move |j| (j, k))) {
            let [y, z] = self.line(j, k);
            let row = prism.row(y, z);
            let [from, to] =
                prism.near(&row, self.band).map(|x| (x - self.grid.origin.x) / self.grid.spacing);
            // Casts saturate.
            let from = ((from - ROUNDING) as usize).max(xs.start);
            let to = ((to + 1.0 + ROUNDING) as usize).min(xs.end);
            for start in (from..to).step_by(LANES) {
                let nodes = self.nodes(prism, start, to);
                self.row(prism, &row, &nodes, [j, k]);
            }
        }
    }

    /// y and z of a line of nodes.
    #[inline(always)]
    fn line(&self, j: usize, k: usize) -> [f64; 2] {
        // Conversions from a signed number of 32 bits are fast; there are fewer nodes along an axis.
        let Grid { origin, spacing, .. } = self.grid;
        [origin.y + spacing * f64::from(j as i32), origin.z + spacing * f64::from(k as i32)]
    }

    /// The nodes from `start` on that are tested together, ending before `end`.
    #[inline(always)]
    fn nodes(&self, prism: &Prism, start: usize, end: usize) -> Nodes {
        let mut x = [0.0; LANES];
        for lane in 0..LANES {
            x[lane] = self.grid.origin.x + self.grid.spacing * f64::from(start as i32 + lane as i32);
        }
        Nodes { start, count: LANES.min(end - start), along: prism.along(&x), x }
    }

    /// Compares a triangle with some nodes of a line.
    #[inline(always)]
    fn row(&mut self, prism: &Prism, row: &Row, nodes: &Nodes, [j, k]: [usize; 2]) {
        let (max, [y, z]) = (self.band * self.band, self.line(j, k));
        let min = prism.min(row, &nodes.along);
        let at = self.grid.place([nodes.start, j, k]) - self.first;
        // Lanes may reach over the border, which is NaN, into the next line, but not past the last one.
        let values = &mut self.values[at..at + LANES];
        let mut is_candidate = [false; LANES];
        for lane in 0..LANES {
            is_candidate[lane] = (min[lane] <= max) & (min[lane] < values[lane]);
        }
        if is_candidate == [false; LANES] {
            return;
        }
        for lane in 0..nodes.count {
            if !is_candidate[lane] {
                continue;
            }
            let squared = prism.squared_distance(&Point3::new(nodes.x[lane], y, z), min[lane]);
            if squared <= max && squared < values[lane] {
                if values[lane] >= FAR {
                    self.known.push((self.first + at + lane) as u32);
                }
                values[lane] = squared;
            }
        }
    }
}

/// Nodes of a line that are tested together.
struct Nodes {
    start: usize,
    count: usize,
    x: [f64; LANES],
    along: AxialTerms,
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

    #[test]
    fn every_instruction_set_finds_the_same_bits() {
        let mesh = Torus::default().mesh().unwrap();
        let grid = Grid::over(&mesh.aabb(), 37).unwrap();
        let (band, all) = (1.3 * grid.spacing, grid.counts.map(|n| 0..n));
        let boxes = Near::all(&mesh, &grid, band, &all);
        let on = |portable: bool| {
            let mut values = vec![FAR; grid.padded_len()];
            let (triangles, vertices) = (mesh.triangles(), mesh.vertices());
            let mut raster = Raster {
                triangles,
                vertices,
                grid: &grid,
                band,
                values: &mut values,
                first: 0,
                known: Vec::new(),
            };
            if portable {
                raster.compare_portable(&boxes, all[2].clone());
            } else {
                raster.compare(&boxes, all[2].clone());
            }
            assert!(raster.known.len() > 1000);
            values.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(on(true), on(false));
    }
}
