//! Support function of a hull: hill climbing along the edges.
//!
//! A vertex from which no edge ascends is extreme, because the hull is convex. A climb starts at the vertex that was
//! extreme in a nearby direction (warm start); without one, a table from directions to vertices gives the start, and
//! small hulls are searched exhaustively.
//!
//! The ascent along an edge is the dot product with the *edge vector*, which is accurate relative to its own length, not a
//! difference of products with the vertices: among vertices that are closer together than the rounding of a product, a
//! climb by values gets stuck. An edge is taken only if it ascends by more than its rounding, so a climb cannot cycle.
//!
//! Where rounding has bulged a flat face or a straight edge, the criterion is inconclusive: no edge of a vertex inside a face
//! ascends in the opposite direction either. A climb that ends at such a *blunt* vertex searches all vertices.

use nalgebra::Vector3;

use super::rows::Rows;
use super::skeleton::Edge;
use crate::geometry::convex::extreme::{START_ANYWHERE, Support};

/// Number of vertices up to which an exhaustive search (17 ns at 32) is faster than the table and a climb (22 ns).
const MAX_EXHAUSTIVE: usize = 32;

/// Nodes of the table per vertex: with four, the vertex of the table is extreme, or a neighbour of one that is. Fewer make
/// climbs longer, more make the table larger and slower to build; support values do not depend on it.
const NODES_PER_VERTEX: f64 = 4.0;

/// Maximum number of intervals along half an edge of the table: its 264 kB fit into the cache, and a vertex of very many
/// edges, the apex of a fine cone, is not climbed from once per node of a million nodes. Twice as many take four times
/// the memory and time to build.
const MAX_HALF: f64 = 128.0;

/// Ascent that an edge must exceed, as a fraction of its length times that of the direction: the rounding of an edge and of
/// its product.
const MIN_ASCENT: f64 = 4.0 * f64::EPSILON;

/// Data structure for support queries of a hull.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HillClimbing {
    vertices: Vec<Vector3<f64>>,
    edge_blocks: Rows<EdgeBlock>,
    /// Diameter of the hull [m].
    size: f64,
    /// Whether the vertex is blunt.
    is_blunt: Vec<bool>,
    initial: InitialVertex,
}

/// Four edges from a vertex, in two cache lines; missing edges have zero length.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
struct EdgeBlock {
    /// x, y and z of the edge vectors [m].
    vectors: [[f64; 4]; 3],
    /// Lengths in units of the hull's size.
    lengths: [f32; 4],
    ends: [u32; 4],
}

/// Start vertex of a climb without a warm start.
#[derive(Debug, Clone, PartialEq)]
enum InitialVertex {
    /// Found by exhaustive search: all vertices in blocks of four, the last one repeated to fill a block.
    Exhaustive(Vec<[[f64; 4]; 3]>),
    /// Looked up in the table.
    Table(Table),
}

/// Extreme vertices of a grid of directions: the octahedral map, whose lower half is folded outwards.
#[derive(Debug, Clone, PartialEq)]
struct Table {
    /// Number of intervals between nodes along half an edge of the table.
    half: u32,
    nodes: Vec<u32>,
}

impl HillClimbing {
    /// Data structure for the hull of `vertices`, `size` [m] in diameter, some of them blunt.
    pub(super) fn new(
        vertices: Vec<Vector3<f64>>,
        skeleton: &Rows<Edge>,
        is_blunt: Vec<bool>,
        size: f64,
    ) -> Self {
        let mut edge_blocks = Rows::new();
        for (vertex, edges) in skeleton.iter().enumerate() {
            edge_blocks.push(edges.chunks(4).map(|four| EdgeBlock::new(&vertices, vertex, four, size)));
        }
        let initial = InitialVertex::Exhaustive(blocks(&vertices));
        let mut climb = Self { vertices, edge_blocks, size, is_blunt, initial };
        // The table is filled by climbs, which use the edges alone.
        if climb.vertices.len() > MAX_EXHAUSTIVE {
            climb.initial = InitialVertex::Table(Table::new(&climb));
        }
        climb
    }

    /// The same for the hull scaled by a factor above zero about the origin.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        let four = |block: &[[f64; 4]; 3]| block.map(|axis| axis.map(|x| factor * x));
        Self {
            vertices: self.vertices.iter().map(|vertex| vertex * factor).collect(),
            edge_blocks: self.edge_blocks.map(|block| EdgeBlock { vectors: four(&block.vectors), ..*block }),
            size: factor * self.size,
            is_blunt: self.is_blunt.clone(),
            initial: match &self.initial {
                InitialVertex::Exhaustive(blocks) => {
                    InitialVertex::Exhaustive(blocks.iter().map(four).collect())
                }
                InitialVertex::Table(table) => InitialVertex::Table(table.clone()),
            },
        }
    }

    /// Support vertex in a direction; `start` is a warm start.
    ///
    /// The common case of coherent motion, a start that is still extreme, is small enough to be inlined at every support query;
    /// the rest is a call.
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
        let ascent = self.max_ascent(vertex, direction, self.rounding(direction));
        ascent <= 0.0 && !self.is_blunt[vertex as usize]
    }

    /// The extreme vertex, if the start is not. Three numbers are passed in registers, which saves a third of the time against
    /// a vector in memory.
    #[inline(never)]
    fn extreme_from(&self, start: u32, x: f64, y: f64, z: f64) -> u32 {
        let direction = Vector3::new(x, y, z);
        let guess = match &self.initial {
            InitialVertex::Exhaustive(blocks) => {
                return max_vertex_in_blocks(blocks, &self.vertices, &direction);
            }
            InitialVertex::Table(table) => table.vertex_near(&direction),
        };
        let value = |vertex: u32| self.vertices[vertex as usize].dot(&direction);
        // A warm start from another direction can be worse than the table.
        let is_better = start != START_ANYWHERE && value(start) >= value(guess);
        let end = self.climb_from(if is_better { start } else { guess }, &direction);
        if self.is_blunt[end as usize] { max_vertex(&self.vertices, &direction) } else { end }
    }

    #[inline]
    fn at(&self, vertex: u32) -> Support {
        Support { point: self.vertices[vertex as usize], vertex }
    }

    /// Climbs from a vertex to one from which no edge ascends.
    #[inline]
    fn climb_from(&self, mut vertex: u32, direction: &Vector3<f64>) -> u32 {
        let rounding = self.rounding(direction);
        loop {
            let next = self.step(vertex, direction, rounding);
            if next == vertex {
                return vertex;
            }
            vertex = next;
        }
    }

    /// End of the steepest ascending edge, or the vertex itself if no edge ascends.
    #[inline]
    fn step(&self, vertex: u32, direction: &Vector3<f64>, rounding: f64) -> u32 {
        let max = self.max_ascent(vertex, direction, rounding);
        if max > 0.0 {
            for block in self.edge_blocks.row(vertex as usize) {
                let ascents = block.ascents(direction, rounding);
                // Found again by its value: cheaper than tracking the lane through the maximum.
                if let Some(lane) = ascents.iter().position(|ascent| *ascent >= max) {
                    return block.ends[lane];
                }
            }
        }
        vertex
    }

    /// Ascent along the steepest edge of a vertex, at least zero.
    #[inline(always)]
    fn max_ascent(&self, vertex: u32, direction: &Vector3<f64>, rounding: f64) -> f64 {
        let mut lanes = [0.0; 4];
        for block in self.edge_blocks.row(vertex as usize) {
            let ascents = block.ascents(direction, rounding);
            for lane in 0..4 {
                lanes[lane] = larger(ascents[lane], lanes[lane]);
            }
        }
        max(lanes)
    }

    /// Ascent that an edge as long as the hull must exceed.
    #[inline]
    fn rounding(&self, direction: &Vector3<f64>) -> f64 {
        MIN_ASCENT * self.size * l1_norm(direction)
    }
}

impl EdgeBlock {
    /// At most four edges of a vertex.
    fn new(vertices: &[Vector3<f64>], vertex: usize, edges: &[Edge], size: f64) -> Self {
        let mut block = Self { vectors: [[0.0; 4]; 3], lengths: [0.0; 4], ends: [vertex as u32; 4] };
        for (lane, edge) in edges.iter().enumerate() {
            let vector = vertices[edge.end as usize] - vertices[vertex];
            (0..3).for_each(|axis| block.vectors[axis][lane] = vector[axis]);
            block.lengths[lane] = (vector.norm() / size) as f32;
            block.ends[lane] = edge.end;
        }
        block
    }

    /// Ascents along the edges less their rounding, times the length of the direction.
    #[inline]
    fn ascents(&self, direction: &Vector3<f64>, rounding: f64) -> [f64; 4] {
        let [x, y, z] = &self.vectors;
        let mut ascents = [0.0; 4];
        for lane in 0..4 {
            let ascent = x[lane] * direction.x + y[lane] * direction.y + z[lane] * direction.z;
            ascents[lane] = ascent - f64::from(self.lengths[lane]) * rounding;
        }
        ascents
    }
}

/// Vertices in blocks of four, the last one repeated to fill the last block.
fn blocks(vertices: &[Vector3<f64>]) -> Vec<[[f64; 4]; 3]> {
    let block = |four: &[Vector3<f64>]| {
        [0, 1, 2].map(|axis| [0, 1, 2, 3].map(|lane: usize| four[lane.min(four.len() - 1)][axis]))
    };
    vertices.chunks(4).map(block).collect()
}

/// The first vertex of maximum value. Finding the value first and its vertex afterwards has a shorter chain of dependent
/// instructions than tracking both.
#[inline]
fn max_vertex_in_blocks(
    blocks: &[[[f64; 4]; 3]],
    vertices: &[Vector3<f64>],
    direction: &Vector3<f64>,
) -> u32 {
    let mut lanes = [f64::NEG_INFINITY; 4];
    for [x, y, z] in blocks {
        for lane in 0..4 {
            let value = x[lane] * direction.x + y[lane] * direction.y + z[lane] * direction.z;
            lanes[lane] = larger(value, lanes[lane]);
        }
    }
    let value = max(lanes);
    let dot =
        |vertex: &Vector3<f64>| vertex.x * direction.x + vertex.y * direction.y + vertex.z * direction.z;
    vertices.iter().position(|vertex| dot(vertex) >= value).unwrap_or(0) as u32
}

/// The first vertex of maximum value, without blocks.
fn max_vertex(vertices: &[Vector3<f64>], direction: &Vector3<f64>) -> u32 {
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
    fn new(climb: &HillClimbing) -> Self {
        let half = (NODES_PER_VERTEX * climb.vertices.len() as f64).sqrt() / 2.0;
        let half = half.ceil().min(MAX_HALF) as u32;
        let mut table = Self { half, nodes: Vec::new() };
        let side = 2 * half + 1;
        for row in 0..side {
            // Adjacent nodes have nearby extreme vertices: each climb starts from its neighbour, the first of a row from that of
            // the previous row.
            let mut near = match row {
                0 => max_vertex(&climb.vertices, &table.direction(0, 0)),
                _ => table.nodes[((row - 1) * side) as usize],
            };
            for column in 0..side {
                near = climb.climb_from(near, &table.direction(row, column));
                table.nodes.push(near);
            }
        }
        table
    }

    /// Vertex at the node nearest to a direction.
    #[inline]
    fn vertex_near(&self, direction: &Vector3<f64>) -> u32 {
        /// 3 · 2⁵¹: added to a number below 2³¹ it leaves the nearest integer in the low bits, without the range checks of a
        /// conversion.
        const WHOLE: f64 = 6_755_399_441_055_744.0;
        let inverse = 1.0 / l1_norm(direction);
        let (x, y) = (direction.x * inverse, direction.y * inverse);
        let folded = ((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y));
        let (x, y) = if direction.z < 0.0 { folded } else { (x, y) };
        let half = f64::from(self.half);
        let place = |t: f64| (t * half + (half + WHOLE)).to_bits() as u32 as usize;
        let node = place(x) * (2 * self.half as usize + 1) + place(y);
        // A zero or non-finite direction yields garbage, which must not be out of bounds.
        self.nodes[node.min(self.nodes.len() - 1)]
    }

    /// Direction of a node.
    fn direction(&self, row: u32, column: u32) -> Vector3<f64> {
        let [x, y] = [row, column].map(|place| f64::from(place) / f64::from(self.half) - 1.0);
        let z = 1.0 - x.abs() - y.abs();
        if z >= 0.0 {
            return Vector3::new(x, y, z);
        }
        Vector3::new((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y), z)
    }
}

/// The larger number in a single instruction; `f64::max` takes more because of its treatment of NaN.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline]
fn max([a, b, c, d]: [f64; 4]) -> f64 {
    larger(larger(a, b), larger(c, d))
}

/// |x| + |y| + |z|: unlike the Euclidean norm, it does not underflow for tiny vectors.
#[inline]
fn l1_norm(vector: &Vector3<f64>) -> f64 {
    vector.x.abs() + vector.y.abs() + vector.z.abs()
}
