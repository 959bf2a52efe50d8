//! Supports of a hull: a climb along the edges.
//!
//! A vertex from which no edge rises is extreme, because the hull is convex. A climb starts at the vertex that was
//! extreme in a direction nearby; where none is known, and where the climb would be long, a table from directions to
//! vertices tells where to start, and small hulls are searched through.
//!
//! Rises are products with the *edge vectors*, which are exact to their own length, not differences of products with the
//! vertices: among vertices that lie closer together than the rounding of a product, a climb by values gets
//! stuck. An edge is taken only if it rises by more than its rounding, so a climb cannot go round in circles.
//!
//! Where rounding has bulged a flat face or a straight edge, that no edge rises says nothing: in the middle of a face the same
//! is true at the bottom. A climb that ends at such a *blunt* vertex looks at all vertices.

use nalgebra::Vector3;

use super::rows::Rows;
use super::skeleton::Edge;
use crate::geometry::convex::extreme::{START_ANYWHERE, Support};

/// Number of vertices up to which looking at all of them (17 ns at 32) is faster than the table and a climb (22 ns).
const SMALL: usize = 32;

/// Nodes of the table for each vertex: with four, the vertex of the table is extreme, or a neighbour of one that is.
const NODES_PER_VERTEX: f64 = 4.0;

/// Greatest number of intervals along half an edge of the table: its 264 kB stay in the cache, and a vertex of very many
/// edges, the apex of a fine cone, is not climbed from once for each of a million nodes.
const GREATEST_HALF: f64 = 128.0;

/// Share of an edge's length times the direction's that a rise must exceed: the rounding of an edge and of its product.
const RISE: f64 = 4.0 * f64::EPSILON;

/// How supports of a hull are found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Climb {
    vertices: Vec<Vector3<f64>>,
    rungs: Rows<Rungs>,
    /// Diameter of the hull [m].
    size: f64,
    /// Whether the vertex is blunt.
    is_blunt: Vec<bool>,
    beginning: Beginning,
}

/// Four edges from a vertex, in two cache lines; what is missing has no length.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Rungs {
    /// x, y and z of the edge vectors [m].
    vectors: [[f64; 4]; 3],
    /// Lengths in units of the hull's size.
    lengths: [f32; 4],
    ends: [u32; 4],
}

/// Where a climb begins when no vertex nearby is known.
#[derive(Debug, Clone, PartialEq)]
enum Beginning {
    /// At the top: look at all vertices, in blocks of four, the last one repeated to fill a block.
    All(Vec<[[f64; 4]; 3]>),
    /// Where the table says.
    Table(Table),
}

/// Vertices that are extreme in directions, which are laid out on the octahedron with its lower half folded outwards.
#[derive(Debug, Clone, PartialEq)]
struct Table {
    /// Intervals between nodes, half as many as along an edge of the table.
    half: u32,
    nodes: Vec<u32>,
}

impl Climb {
    /// The search in a hull of vertices, `size` [m] in diameter, some of them blunt.
    pub(super) fn new(
        vertices: Vec<Vector3<f64>>,
        skeleton: &Rows<Edge>,
        is_blunt: Vec<bool>,
        size: f64,
    ) -> Self {
        let mut rungs = Rows::new();
        for (vertex, edges) in skeleton.iter().enumerate() {
            rungs.push(edges.chunks(4).map(|four| Rungs::new(&vertices, vertex, four, size)));
        }
        let beginning = Beginning::All(blocks(&vertices));
        let mut climb = Self { vertices, rungs, size, is_blunt, beginning };
        if climb.vertices.len() > SMALL {
            climb.beginning = Beginning::Table(Table::new(&climb));
        }
        climb
    }

    /// A vertex extreme in a direction; the search may start at a vertex.
    ///
    /// What happens in coherent motion, that the start is still extreme, is small enough to stand wherever a support is
    /// taken; the rest is called.
    #[inline(always)]
    pub(super) fn support(&self, direction: &Vector3<f64>, start: u32) -> Support {
        if start != START_ANYWHERE && self.is_extreme(start, direction) {
            return self.at(start);
        }
        self.at(self.extreme_from(start, direction.x, direction.y, direction.z))
    }

    /// Whether a vertex is known to be extreme.
    #[inline(always)]
    fn is_extreme(&self, vertex: u32, direction: &Vector3<f64>) -> bool {
        let rise = self.greatest_rise(vertex, direction, self.rounding(direction));
        rise <= 0.0 && !self.is_blunt[vertex as usize]
    }

    /// The extreme vertex, if the start is not. Numbers in registers save the third of the time for which a vector would
    /// wait in memory.
    #[inline(never)]
    fn extreme_from(&self, start: u32, x: f64, y: f64, z: f64) -> u32 {
        let direction = Vector3::new(x, y, z);
        let guess = match &self.beginning {
            Beginning::All(blocks) => return highest(blocks, &self.vertices, &direction),
            Beginning::Table(table) => table.vertex_near(&direction),
        };
        let value = |vertex: u32| self.vertices[vertex as usize].dot(&direction);
        let is_better = start != START_ANYWHERE && value(start) >= value(guess);
        let top = self.top(if is_better { start } else { guess }, &direction);
        if self.is_blunt[top as usize] { highest_of(&self.vertices, &direction) } else { top }
    }

    #[inline]
    fn at(&self, vertex: u32) -> Support {
        Support { point: self.vertices[vertex as usize], vertex }
    }

    /// The vertex from which no edge rises.
    #[inline]
    fn top(&self, mut vertex: u32, direction: &Vector3<f64>) -> u32 {
        let rounding = self.rounding(direction);
        loop {
            let next = self.step(vertex, direction, rounding);
            if next == vertex {
                return vertex;
            }
            vertex = next;
        }
    }

    /// The end of the edge that rises most, or the vertex if none rises.
    #[inline]
    fn step(&self, vertex: u32, direction: &Vector3<f64>, rounding: f64) -> u32 {
        let greatest = self.greatest_rise(vertex, direction, rounding);
        if greatest > 0.0 {
            for rungs in self.rungs.row(vertex as usize) {
                let rises = rungs.rises(direction, rounding);
                if let Some(lane) = rises.iter().position(|rise| *rise >= greatest) {
                    return rungs.ends[lane];
                }
            }
        }
        vertex
    }

    /// How far the steepest edge from a vertex rises, or zero.
    #[inline(always)]
    fn greatest_rise(&self, vertex: u32, direction: &Vector3<f64>, rounding: f64) -> f64 {
        let mut lanes = [0.0; 4];
        for rungs in self.rungs.row(vertex as usize) {
            let rises = rungs.rises(direction, rounding);
            for lane in 0..4 {
                lanes[lane] = greater(rises[lane], lanes[lane]);
            }
        }
        greatest(lanes)
    }

    /// The rise that an edge as long as the hull must exceed.
    #[inline]
    fn rounding(&self, direction: &Vector3<f64>) -> f64 {
        RISE * self.size * sum_of_sizes(direction)
    }
}

impl Rungs {
    /// At most four edges of a vertex.
    fn new(vertices: &[Vector3<f64>], vertex: usize, edges: &[Edge], size: f64) -> Self {
        let mut rungs = Self { vectors: [[0.0; 4]; 3], lengths: [0.0; 4], ends: [vertex as u32; 4] };
        for (lane, edge) in edges.iter().enumerate() {
            let vector = vertices[edge.end as usize] - vertices[vertex];
            (0..3).for_each(|axis| rungs.vectors[axis][lane] = vector[axis]);
            rungs.lengths[lane] = (vector.norm() / size) as f32;
            rungs.ends[lane] = edge.end;
        }
        rungs
    }

    /// How far the edges rise beyond their rounding, times the length of the direction.
    #[inline]
    fn rises(&self, direction: &Vector3<f64>, rounding: f64) -> [f64; 4] {
        let [x, y, z] = &self.vectors;
        let mut rises = [0.0; 4];
        for lane in 0..4 {
            let rise = x[lane] * direction.x + y[lane] * direction.y + z[lane] * direction.z;
            rises[lane] = rise - f64::from(self.lengths[lane]) * rounding;
        }
        rises
    }
}

/// Vertices in blocks of four, the last one repeated to fill a block.
fn blocks(vertices: &[Vector3<f64>]) -> Vec<[[f64; 4]; 3]> {
    let block = |four: &[Vector3<f64>]| {
        [0, 1, 2].map(|axis| [0, 1, 2, 3].map(|lane: usize| four[lane.min(four.len() - 1)][axis]))
    };
    vertices.chunks(4).map(block).collect()
}

/// The first vertex of the greatest value. To find the value first and then its vertex takes fewer steps that wait for each
/// other than to keep both.
#[inline]
fn highest(blocks: &[[[f64; 4]; 3]], vertices: &[Vector3<f64>], direction: &Vector3<f64>) -> u32 {
    let mut lanes = [f64::NEG_INFINITY; 4];
    for [x, y, z] in blocks {
        for lane in 0..4 {
            let value = x[lane] * direction.x + y[lane] * direction.y + z[lane] * direction.z;
            lanes[lane] = greater(value, lanes[lane]);
        }
    }
    let value = greatest(lanes);
    let dot =
        |vertex: &Vector3<f64>| vertex.x * direction.x + vertex.y * direction.y + vertex.z * direction.z;
    vertices.iter().position(|vertex| dot(vertex) >= value).unwrap_or(0) as u32
}

/// The first vertex of the greatest value, without blocks.
fn highest_of(vertices: &[Vector3<f64>], direction: &Vector3<f64>) -> u32 {
    let mut best = (f64::NEG_INFINITY, 0);
    for (index, vertex) in vertices.iter().enumerate() {
        let value = vertex.dot(direction);
        if value > best.0 {
            best = (value, index);
        }
    }
    best.1 as u32
}

impl Table {
    fn new(climb: &Climb) -> Self {
        let half = (NODES_PER_VERTEX * climb.vertices.len() as f64).sqrt() / 2.0;
        let half = half.ceil().min(GREATEST_HALF) as u32;
        let mut table = Self { half, nodes: Vec::new() };
        let side = 2 * half + 1;
        for row in 0..side {
            // Beside the first node of a row is the first node of the row before.
            let mut near = match row {
                0 => highest_of(&climb.vertices, &table.direction(0, 0)),
                _ => table.nodes[((row - 1) * side) as usize],
            };
            for column in 0..side {
                near = climb.top(near, &table.direction(row, column));
                table.nodes.push(near);
            }
        }
        table
    }

    /// The vertex at the node nearest to a direction.
    #[inline]
    fn vertex_near(&self, direction: &Vector3<f64>) -> u32 {
        /// 3 · 2⁵¹: added to a number below 2³¹ it leaves the nearest whole number in the low bits, which saves the checks
        /// of a conversion.
        const WHOLE: f64 = 6_755_399_441_055_744.0;
        let inverse = 1.0 / sum_of_sizes(direction);
        let (x, y) = (direction.x * inverse, direction.y * inverse);
        let folded = ((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y));
        let (x, y) = if direction.z < 0.0 { folded } else { (x, y) };
        let half = f64::from(self.half);
        let place = |t: f64| (t * half + (half + WHOLE)).to_bits() as u32 as usize;
        let node = place(x) * (2 * self.half as usize + 1) + place(y);
        self.nodes[node.min(self.nodes.len() - 1)]
    }

    /// The direction of a node.
    fn direction(&self, row: u32, column: u32) -> Vector3<f64> {
        let [x, y] = [row, column].map(|place| f64::from(place) / f64::from(self.half) - 1.0);
        let z = 1.0 - x.abs() - y.abs();
        if z >= 0.0 {
            return Vector3::new(x, y, z);
        }
        Vector3::new((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y), z)
    }
}

/// The greater one: a single instruction, which `f64::max` is not.
#[inline]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline]
fn greatest([a, b, c, d]: [f64; 4]) -> f64 {
    greater(greater(a, b), greater(c, d))
}

/// |x| + |y| + |z|, which no square lets underflow.
#[inline]
fn sum_of_sizes(vector: &Vector3<f64>) -> f64 {
    vector.x.abs() + vector.y.abs() + vector.z.abs()
}
