//! Supports of a hull: a table from directions to vertices, then a climb along the edges.
//!
//! A vertex from which no edge rises is extreme, because the hull is convex. A small hull is searched through instead.
//!
//! Rises are products with the *edge vectors*, which are exact to their own length, not differences of products with the
//! vertices: among vertices that lie closer together than the rounding of a product, a climb by values gets
//! stuck. An edge is taken only if it rises by more than its rounding, so a climb cannot go round in circles.

use nalgebra::Vector3;

use super::rows::Rows;
use super::skeleton::Edge;
use crate::geometry::convex::support::{START_ANYWHERE, Support};

/// Number of vertices up to which looking at all of them is faster than a climb.
const SMALL: usize = 32;

/// Cells of the table for each vertex.
const CELLS_PER_VERTEX: usize = 4;

/// Share of an edge's length times the direction's that a rise must exceed: the rounding of an edge and of its product.
const RISE: f64 = 8.0 * f64::EPSILON;

/// How supports of a hull are found.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Search {
    /// Look at all vertices.
    All(Blocks),
    /// Climb.
    Climb(Climb),
}

/// Vertices in blocks of four, the last one repeated to fill a block.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Blocks(Vec<[[f64; 4]; 3]>);

/// An edge as a climb needs it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
struct Rung {
    vector: [f64; 3],
    /// Length in units of the hull's size.
    length: f32,
    end: u32,
}

/// Edges, and where to start.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Climb {
    vertices: Vec<Vector3<f64>>,
    rungs: Rows<Rung>,
    size: f64,
    /// Cells along the edge of the table.
    resolution: usize,
    table: Vec<u32>,
}

impl Search {
    /// The search in a hull of vertices, `size` [m] in diameter.
    pub(super) fn new(vertices: &[Vector3<f64>], skeleton: &Rows<Edge>, size: f64) -> Self {
        if vertices.len() <= SMALL {
            return Self::All(Blocks::new(vertices));
        }
        Self::Climb(Climb::new(vertices, skeleton, size))
    }

    /// A vertex extreme in a direction; the search may start at a vertex.
    #[inline]
    pub(super) fn support(&self, direction: &Vector3<f64>, start: u32) -> Support {
        match self {
            Self::All(blocks) => blocks.support(direction),
            Self::Climb(climb) => climb.support(direction, start),
        }
    }
}

impl Blocks {
    pub(super) fn new(vertices: &[Vector3<f64>]) -> Self {
        let block = |four: &[Vector3<f64>]| {
            let lane = |lane: usize| four[lane.min(four.len() - 1)];
            [0, 1, 2].map(|axis| [0, 1, 2, 3].map(|index| lane(index)[axis]))
        };
        Self(vertices.chunks(4).map(block).collect())
    }

    #[inline]
    fn support(&self, direction: &Vector3<f64>) -> Support {
        let mut best = [f64::NEG_INFINITY; 4];
        let mut at = [0_u64; 4];
        for (index, [x, y, z]) in self.0.iter().enumerate() {
            for lane in 0..4 {
                let value = x[lane] * direction.x + y[lane] * direction.y + z[lane] * direction.z;
                let is_better = value > best[lane];
                best[lane] = if is_better { value } else { best[lane] };
                at[lane] = if is_better { index as u64 } else { at[lane] };
            }
        }
        let lane = (1..4).fold(0, |lane, other| if best[other] > best[lane] { other } else { lane });
        let block = &self.0[at[lane] as usize];
        let point = Vector3::new(block[0][lane], block[1][lane], block[2][lane]);
        Support { point, vertex: at[lane] as u32 * 4 + lane as u32 }
    }
}

impl Climb {
    pub(super) fn new(vertices: &[Vector3<f64>], skeleton: &Rows<Edge>, size: f64) -> Self {
        let mut rungs = Rows::new();
        for (vertex, edges) in vertices.iter().zip(skeleton.iter()) {
            rungs.push(edges.iter().map(|edge| {
                let vector = vertices[edge.end as usize] - vertex;
                Rung { vector: vector.into(), length: (vector.norm() / size) as f32, end: edge.end }
            }));
        }
        let cells = (vertices.len() * CELLS_PER_VERTEX) as f64;
        let resolution = cells.sqrt().ceil() as usize;
        let mut climb = Self { vertices: vertices.to_vec(), rungs, size, resolution, table: Vec::new() };
        let mut near = 0;
        let mut table = Vec::with_capacity(resolution * resolution);
        for row in 0..resolution {
            for column in 0..resolution {
                // Every second row runs backwards, so that one cell is beside the next.
                let column = if row % 2 == 0 { column } else { resolution - 1 - column };
                near = climb.top(near, &climb.direction_of(row, column));
                table.push(near);
            }
            if row % 2 == 1 {
                table[row * resolution..].reverse();
            }
        }
        climb.table = table;
        climb
    }

    #[inline]
    fn support(&self, direction: &Vector3<f64>, start: u32) -> Support {
        let mut vertex = self.table[self.cell(direction)];
        if start != START_ANYWHERE && start != vertex {
            let value = |vertex: u32| self.vertices[vertex as usize].dot(direction);
            vertex = if value(start) >= value(vertex) { start } else { vertex };
        }
        let vertex = self.top(vertex, direction);
        Support { point: self.vertices[vertex as usize], vertex }
    }

    /// The vertex from which no edge rises.
    #[inline]
    fn top(&self, mut vertex: u32, direction: &Vector3<f64>) -> u32 {
        let rounding = RISE * self.size * sum_of_sizes(direction);
        let [x, y, z] = [direction.x, direction.y, direction.z];
        loop {
            let mut best = (0.0, vertex);
            for rung in self.rungs.row(vertex as usize) {
                let rise = rung.vector[0] * x + rung.vector[1] * y + rung.vector[2] * z;
                let rise = rise - f64::from(rung.length) * rounding;
                if rise > best.0 {
                    best = (rise, rung.end);
                }
            }
            if best.1 == vertex {
                return vertex;
            }
            vertex = best.1;
        }
    }

    /// The cell of the table in which a direction lies, on the octahedron whose lower half is folded outwards.
    #[inline]
    fn cell(&self, direction: &Vector3<f64>) -> usize {
        let inverse = 1.0 / sum_of_sizes(direction);
        let (u, v) = (direction.x * inverse, direction.y * inverse);
        let (folded_u, folded_v) = ((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v));
        let (u, v) = if direction.z < 0.0 { (folded_u, folded_v) } else { (u, v) };
        let half = 0.5 * self.resolution as f64;
        let last = self.resolution - 1;
        let place = |t: f64| (((t + 1.0) * half) as usize).min(last);
        place(u) * self.resolution + place(v)
    }

    /// The direction at the middle of a cell.
    fn direction_of(&self, row: usize, column: usize) -> Vector3<f64> {
        let middle = |place: usize| (2 * place + 1) as f64 / self.resolution as f64 - 1.0;
        let (u, v) = (middle(row), middle(column));
        let z = 1.0 - u.abs() - v.abs();
        if z >= 0.0 {
            return Vector3::new(u, v, z);
        }
        Vector3::new((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v), z)
    }
}

/// |x| + |y| + |z|, which no square lets underflow.
#[inline]
fn sum_of_sizes(vector: &Vector3<f64>) -> f64 {
    vector.x.abs() + vector.y.abs() + vector.z.abs()
}
