//! Which nodes of a grid are inside a closed mesh: how often its surface winds around them.
//!
//! Along each line of nodes parallel to x, the winding number changes where the line crosses a triangle. Whether it
//! crosses one is decided edge by edge with numbers that belong to the edge alone, so that triangles with a common edge
//! agree, and every line crosses a closed mesh inwards as often as outwards whatever rounding does. A node is inside
//! where the winding number is not zero, as in `Model::contains`.

use std::ops::Range;

use nalgebra::Point3;

use super::grid::Grid;
use crate::geometry::TriangleMesh;

/// A place where a line of nodes crosses the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Crossing {
    /// Place in memory of the line's first node.
    line: u32,
    /// First node behind the crossing.
    node: u32,
    /// Change of the winding number.
    change: i32,
}

/// Ranges of places in memory, in order: the nodes that are inside, of the lines j × k.
pub(super) fn inside(mesh: &TriangleMesh, grid: &Grid, lines: [Range<usize>; 2]) -> Vec<Range<usize>> {
    let mut crossings = Vec::new();
    for index in 0..mesh.triangles().len() {
        cross(&mesh.triangle(index), grid, &lines, &mut crossings);
    }
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

/// Where the boundary of a triangle crosses a plane of constant z: y and x there, and whether it goes up.
#[derive(Debug, Clone, Copy)]
struct Cut {
    y: f64,
    x: f64,
    is_up: bool,
}

fn cross(
    triangle: &[Point3<f64>; 3],
    grid: &Grid,
    [js, ks]: &[Range<usize>; 2],
    crossings: &mut Vec<Crossing>,
) {
    let [low, high] = extent(triangle, 2);
    for k in first_at(grid, 2, low, ks)..first_at(grid, 2, high, ks) {
        let z = grid.origin.z + grid.spacing * k as f64;
        let cuts = [0, 1, 2].map(|corner| cut(&triangle[corner], &triangle[(corner + 1) % 3], z));
        // A plane cuts two edges or none.
        let (Some(one), Some(other)) = (cuts[0].or(cuts[1]), cuts[2].or(cuts[1])) else { continue };
        let (left, right) = if one.y <= other.y { (one, other) } else { (other, one) };
        for j in first_at(grid, 1, left.y, js)..first_at(grid, 1, right.y, js) {
            let y = grid.origin.y + grid.spacing * j as f64;
            let x = left.x + (y - left.y) / (right.y - left.y) * (right.x - left.x);
            let node = first_at(grid, 0, x, &(0..grid.counts[0]));
            let line = grid.place([0, j, k]) as u32;
            if node < grid.counts[0] {
                crossings.push(Crossing { line, node: node as u32, change: if left.is_up { 1 } else { -1 } });
            }
        }
    }
}

#[inline(always)]
fn extent(triangle: &[Point3<f64>; 3], axis: usize) -> [f64; 2] {
    let [a, b, c] = triangle.map(|p| p[axis]);
    [a.min(b).min(c), a.max(b).max(c)]
}

/// The first node of a range whose coordinate is at least `x`, else the range's end.
#[inline(always)]
fn first_at(grid: &Grid, axis: usize, x: f64, range: &Range<usize>) -> usize {
    grid.first_at(axis, x).max(range.start).min(range.end)
}

/// The lower end comes first in the arithmetic, so that it does not depend on the triangle.
#[inline(always)]
fn cut(from: &Point3<f64>, to: &Point3<f64>, z: f64) -> Option<Cut> {
    let is_up = from.z < to.z;
    let (low, high) = if is_up { (from, to) } else { (to, from) };
    (low.z <= z && z < high.z).then(|| {
        let share = (z - low.z) / (high.z - low.z);
        Cut { y: low.y + share * (high.y - low.y), x: low.x + share * (high.x - low.x), is_up }
    })
}
