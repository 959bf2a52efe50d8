//! Solids made of box-shaped cells of a rectilinear grid: the boundary between full and empty cells.
//!
//! The boundary is a manifold if no two full cells, nor two empty ones, touch at an edge or a corner only; the kinds that
//! use it ensure that, and their tests check it.

use std::collections::HashMap;

use nalgebra::Point3;

use super::surface::Surface;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

/// The planes of a grid: ascending coordinates [m] along x, y and z.
pub(super) type Lines = [Vec<f64>; 3];

/// The grid lines with every interval cut into `parts` equal ones.
pub(super) fn subdivided(lines: &Lines, parts: u32) -> Lines {
    lines.each_ref().map(|line| {
        let inner = line.windows(2).flat_map(|ends| {
            let (from, to) = (ends[0], ends[1]);
            (0..parts).map(move |i| from + (to - from) * f64::from(i) / f64::from(parts))
        });
        inner.chain(line.last().copied()).collect()
    })
}

/// Coordinates from the lengths of the intervals [m], centred on the origin.
pub(super) fn centered(intervals: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut line = vec![0.0];
    line.extend(intervals.into_iter().scan(0.0, |sum, interval| {
        *sum += interval;
        Some(*sum)
    }));
    let half = 0.5 * line[line.len() - 1];
    line.iter_mut().for_each(|x| *x -= half);
    line
}

/// Boundary of the full cells; `is_full` takes cell indices along x, y and z.
pub(super) fn boundary(
    lines: &Lines,
    is_full: impl Fn([usize; 3]) -> bool,
) -> Result<TriangleMesh, ShapeError> {
    let cells = lines.each_ref().map(|line| line.len() - 1);
    let is_full_at = |cell: [i64; 3]| {
        let inside = (0..3).all(|k| (0..cells[k] as i64).contains(&cell[k]));
        inside && is_full(cell.map(|i| i as usize))
    };
    let mut walls = Walls { lines, surface: Surface::default(), vertex_of: HashMap::new() };
    for x in 0..cells[0] as i64 {
        for y in 0..cells[1] as i64 {
            for z in (0..cells[2] as i64).filter(|&z| is_full_at([x, y, z])) {
                for axis in 0..3 {
                    for (step, side) in [(-1, 0), (1, 1)] {
                        let mut neighbour = [x, y, z];
                        neighbour[axis] += step;
                        if !is_full_at(neighbour) {
                            walls.add([x, y, z].map(|i| i as usize), axis, side);
                        }
                    }
                }
            }
        }
    }
    walls.surface.finish()
}

struct Walls<'a> {
    lines: &'a Lines,
    surface: Surface,
    vertex_of: HashMap<[usize; 3], u32>,
}

impl Walls<'_> {
    /// Adds the wall of a cell on its lower (0) or upper (1) side along an axis, facing out of the cell.
    fn add(&mut self, cell: [usize; 3], axis: usize, side: usize) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        // Counter-clockwise about the axis, from a corner that alternates like a chessboard: diagonals of neighbouring
        // walls then meet, and an even subdivision is symmetric.
        let around = [(0, 0), (1, 0), (1, 1), (0, 1)];
        let first = (cell[u] + cell[v]) % 2;
        let mut corners = [0, 1, 2, 3].map(|i| {
            let (along_u, along_v) = around[(first + i) % 4];
            let mut node = cell;
            node[axis] += side;
            node[u] += along_u;
            node[v] += along_v;
            self.vertex(node)
        });
        if side == 0 {
            corners.reverse();
            corners.rotate_left(1);
        }
        self.surface.quad(corners);
    }

    fn vertex(&mut self, node: [usize; 3]) -> u32 {
        let (surface, lines) = (&mut self.surface, self.lines);
        *self.vertex_of.entry(node).or_insert_with(|| {
            surface.vertex(Point3::new(lines[0][node[0]], lines[1][node[1]], lines[2][node[2]]))
        })
    }
}
