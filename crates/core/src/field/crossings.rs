//! Nodes of a grid inside a closed mesh, by the winding number of its surface along lines of nodes.
//!
//! Along each line of nodes parallel to x, the winding number changes where the line crosses a triangle. Crossings are
//! decided edge by edge with values that depend on the edge alone, so that triangles with a common edge agree, and every
//! line crosses a closed mesh inwards as often as outwards regardless of rounding. A node is inside where the winding
//! number is not zero, as in `Model::contains`.

use std::ops::Range;

use nalgebra::Point3;

use super::grid::Grid;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::parallel;

/// A place where a line of nodes crosses the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Crossing {
    /// Index in memory of the line's first node.
    line: u32,
    /// First node behind the crossing.
    node: u32,
    /// Change of the winding number.
    change: i32,
}

/// Triangles per parallel task: fewer cost scheduling, more leave threads idle. The result does not depend on it.
const TRIANGLES: usize = 4096;
/// Allowance for rounding of a triangle's extent, in cells: a larger one only tests more lines, a smaller one must stay above
/// the rounding of coordinates in cells.
const ROUNDING: f64 = 1e-6;

/// Ranges of memory indices, in order, of the nodes inside, for the lines j × k.
pub(super) fn inside(mesh: &TriangleMesh, grid: &Grid, lines: [Range<usize>; 2]) -> Vec<Range<usize>> {
    let vertices = mesh.vertices();
    let of_part = |part: &&[[u32; 3]]| {
        let mut crossings = Vec::new();
        for &[a, b, c] in *part {
            let corners = [vertices[a as usize], vertices[b as usize], vertices[c as usize]];
            cross(&corners, grid, &lines, &mut crossings);
        }
        crossings
    };
    let parts = mesh.triangles().chunks(TRIANGLES).collect::<Vec<_>>();
    let mut crossings = parallel::map_slice(&parts, 1, of_part).concat();
    crossings.sort_unstable();
    let mut ranges = Vec::new();
    for line in crossings.chunk_by(|a, b| a.line == b.line) {
        let mut winding = 0;
        for (at, crossing) in line.iter().enumerate() {
            winding += crossing.change;
            let end = line.get(at + 1).map_or(grid.counts[0] as u32, |next| next.node);
            if winding != 0 && end > crossing.node {
                let first = crossing.line as usize;
                ranges.push(first + crossing.node as usize..first + end as usize);
            }
        }
    }
    ranges
}

/// Crossing of a triangle's edge with a plane of constant z: y and x there, and whether the edge goes up.
#[derive(Debug, Clone, Copy)]
struct Cut {
    y: f64,
    x: f64,
    is_up: bool,
}

#[inline(always)]
fn cross(
    triangle: &[Point3<f64>; 3],
    grid: &Grid,
    [js, ks]: &[Range<usize>; 2],
    crossings: &mut Vec<Crossing>,
) {
    let [p, q, r] = triangle;
    let low = [p.y.min(q.y).min(r.y), p.z.min(q.z).min(r.z)];
    let high = [p.y.max(q.y).max(r.y), p.z.max(q.z).max(r.z)];
    let ks = between(grid, 2, [low[1], high[1]], ks);
    // Most triangles of a fine mesh lie between the lines.
    if ks.is_empty() || between(grid, 1, [low[0], high[0]], js).is_empty() {
        return;
    }
    for k in ks {
        let z = grid.origin.z + grid.spacing * f64::from(k as i32);
        let cuts = [cut(p, q, z), cut(q, r, z), cut(r, p, z)];
        // The half-open comparison in `cut` makes a plane cut two edges or none, also through a corner.
        let (Some(one), Some(other)) = (cuts[0].or(cuts[1]), cuts[2].or(cuts[1])) else { continue };
        let (left, right) = if one.y <= other.y { (one, other) } else { (other, one) };
        for j in between(grid, 1, [left.y, right.y], js) {
            let y = grid.origin.y + grid.spacing * f64::from(j as i32);
            // Half open as well: a line through an edge counts for one of its triangles.
            if !(left.y <= y && y < right.y) {
                continue;
            }
            let x = left.x + (y - left.y) / (right.y - left.y) * (right.x - left.x);
            let node = grid.first_at(0, x);
            let line = grid.place([0, j, k]) as u32;
            if node < grid.counts[0] {
                crossings.push(Crossing { line, node: node as u32, change: if left.is_up { 1 } else { -1 } });
            }
        }
    }
}

/// The nodes of a range between two coordinates, and perhaps one more on either side.
#[inline(always)]
fn between(grid: &Grid, axis: usize, [low, high]: [f64; 2], range: &Range<usize>) -> Range<usize> {
    let cells = 1.0 / grid.spacing;
    // Casts round down, and saturate at zero.
    let from = ((low - grid.origin[axis]) * cells + (1.0 - ROUNDING)) as u32;
    let to = ((high - grid.origin[axis]) * cells + (1.0 + ROUNDING)) as u32;
    (from as usize).max(range.start)..(to as usize).min(range.end)
}

/// Crossing of an edge with the plane at `z`. The lower end comes first in the arithmetic, so that both triangles of the edge
/// get the same bits.
#[inline(always)]
fn cut(from: &Point3<f64>, to: &Point3<f64>, z: f64) -> Option<Cut> {
    let is_up = from.z < to.z;
    let (low, high) = if is_up { (from, to) } else { (to, from) };
    (low.z <= z && z < high.z).then(|| {
        let fraction = (z - low.z) / (high.z - low.z);
        Cut { y: low.y + fraction * (high.y - low.y), x: low.x + fraction * (high.x - low.x), is_up }
    })
}
