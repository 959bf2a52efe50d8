//! A graph of curves on a surface: some hundred vertices and the shortest paths of edges between neighbours.
//!
//! A vertex of a small surface is a node, an edge an arc. Of a large one, one vertex in every cube of a grid is a node,
//! for each octant of normals, so that both sides of a thin wall have their own; every other vertex belongs to the
//! nearest node along edges, and an arc leads through the shortest connection of two adjacent regions.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use nalgebra::Vector3;

use super::surface::Surface;

/// Vertices up to which all of them are nodes, and about the number of nodes beyond.
const NODES: usize = 320;
/// Marks a side of a triangle that carries no segment.
pub(in crate::proximity) const NO_SEGMENT: u32 = u32::MAX;

/// A path of edges between two nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arc {
    /// The nodes at its ends.
    pub(crate) ends: [u32; 2],
    /// Range of its steps.
    steps: [u32; 2],
    /// Ball around it: centre and radius [m].
    pub(crate) ball: (Vector3<f64>, f64),
}

/// A segment along an arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) segment: u32,
    /// Whether the arc follows the segment from its first to its second end.
    pub(crate) is_forwards: bool,
}

/// A graph of curves on the surface of a model; positions in the frame of the model's tree [m].
#[derive(Debug, Clone)]
pub(crate) struct CurveGraph {
    /// Positions of the nodes.
    pub(crate) nodes: Vec<Vector3<f64>>,
    pub(crate) arcs: Vec<Arc>,
    steps: Vec<Step>,
    /// End points of the segments: edges of the surface.
    pub(in crate::proximity) segments: Vec<[Vector3<f64>; 2]>,
    /// Offsets of the arcs through each segment in `through`, compressed rows.
    offsets: Vec<u32>,
    /// Arcs through the segments, with the sign of their direction.
    through: Vec<(u32, i32)>,
    /// The segments on the sides of each triangle, or [`NO_SEGMENT`]; each segment belongs to exactly one triangle.
    pub(in crate::proximity) carried: Vec<[u32; 3]>,
}

impl CurveGraph {
    /// The graph of a surface.
    pub(super) fn new(surface: &Surface) -> Self {
        let seeds = seeds(surface);
        let regions = Regions::around(surface, &seeds);
        let mut edge_of_segment = Vec::new();
        let mut segment_of_edge = vec![NO_SEGMENT; surface.edges.len()];
        let (mut arcs, mut steps) = (Vec::new(), Vec::new());
        for (ends, edge) in regions.connections(surface) {
            let first = steps.len() as u32;
            for (edge, from) in regions.path(surface, edge, ends[0]) {
                let segment = &mut segment_of_edge[edge as usize];
                if *segment == NO_SEGMENT {
                    *segment = edge_of_segment.len() as u32;
                    edge_of_segment.push(edge);
                }
                let is_forwards = surface.edges[edge as usize][0] == from;
                steps.push(Step { segment: *segment, is_forwards });
            }
            let along = steps[first as usize..]
                .iter()
                .flat_map(|step: &Step| surface.edges[edge_of_segment[step.segment as usize] as usize]);
            let ball = ball_around(along.map(|vertex| surface.points[vertex as usize]));
            arcs.push(Arc { ends, steps: [first, steps.len() as u32], ball });
        }
        let carried = carriers(surface, &edge_of_segment);
        let point = |vertex: u32| surface.points[vertex as usize];
        let segments = edge_of_segment.iter().map(|&edge| surface.edges[edge as usize].map(point)).collect();
        let (offsets, through) = rows(&arcs, &steps, edge_of_segment.len());
        let nodes = seeds.iter().map(|&vertex| point(vertex)).collect();
        Self { nodes, arcs, steps, segments, offsets, through, carried }
    }

    /// The steps of an arc from its first to its second end.
    pub(crate) fn steps(&self, arc: u32) -> &[Step] {
        let [first, last] = self.arcs[arc as usize].steps;
        &self.steps[first as usize..last as usize]
    }

    /// The arcs through a segment, with the sign of their direction.
    pub(crate) fn arcs_through(&self, segment: u32) -> &[(u32, i32)] {
        let [first, last] = [0, 1].map(|k| self.offsets[segment as usize + k] as usize);
        &self.through[first..last]
    }

    /// End points of a segment [m].
    pub(crate) fn segment(&self, segment: u32) -> &[Vector3<f64>; 2] {
        &self.segments[segment as usize]
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.nodes)
            + size_of_val(&*self.arcs)
            + size_of_val(&*self.steps)
            + size_of_val(&*self.segments)
            + size_of_val(&*self.through)
            + size_of_val(&*self.carried)
    }
}

/// A ball around points, about the centre of their box.
fn ball_around(points: impl Iterator<Item = Vector3<f64>> + Clone) -> (Vector3<f64>, f64) {
    let min = points.clone().fold(Vector3::repeat(f64::INFINITY), |min, point| min.inf(&point));
    let max = points.clone().fold(Vector3::repeat(f64::NEG_INFINITY), |max, point| max.sup(&point));
    let center = 0.5 * (min + max);
    (center, points.map(|point| (point - center).norm()).fold(0.0, f64::max))
}

/// The vertices that become nodes.
fn seeds(surface: &Surface) -> Vec<u32> {
    let mut normals = vec![None; surface.points.len()];
    for (triangle, corners) in surface.triangles.iter().enumerate() {
        let normal = surface.area_vector(triangle as u32);
        for &corner in corners {
            *normals[corner as usize].get_or_insert_with(Vector3::zeros) += normal;
        }
    }
    let used = normals.iter().filter(|normal| normal.is_some()).count();
    // A plane of area 1 meets 1.5 unit cubes of a grid on average.
    let edge = if used <= NODES { 0.0 } else { (1.5 * surface.area() / NODES as f64).sqrt() };
    let mut seen = HashSet::new();
    let mut seeds = Vec::new();
    for (vertex, normal) in normals.iter().enumerate() {
        let Some(normal) = normal else { continue };
        let cell = surface.points[vertex].map(|x| (x / edge).floor() as i64);
        let octant = (0..3).fold(0, |octant, k| 2 * octant + u8::from(normal[k] < 0.0));
        if !(edge > 0.0) || seen.insert((<[i64; 3]>::from(cell), octant)) {
            seeds.push(vertex as u32);
        }
    }
    seeds
}

/// The vertices nearest to each node along edges.
struct Regions {
    /// Node that each vertex belongs to; `u32::MAX` for a vertex of no edge.
    node: Vec<u32>,
    /// Distance from the node along edges [m].
    distance: Vec<f64>,
    /// Last edge of the path from the node.
    last: Vec<u32>,
}

impl Regions {
    /// Dijkstra's algorithm from all seeds at once.
    fn around(surface: &Surface, seeds: &[u32]) -> Self {
        let count = surface.points.len();
        let mut regions = Self {
            node: vec![u32::MAX; count],
            distance: vec![f64::INFINITY; count],
            last: vec![u32::MAX; count],
        };
        for (node, &vertex) in seeds.iter().enumerate() {
            regions.node[vertex as usize] = node as u32;
            regions.distance[vertex as usize] = 0.0;
        }
        if seeds.len() == count {
            return regions;
        }
        let (offsets, at_vertices) = edges_at_vertices(surface);
        // Distances are not negative, so their bits are ordered as they are.
        let mut queue = seeds.iter().map(|&vertex| Reverse((0, vertex))).collect::<BinaryHeap<_>>();
        while let Some(Reverse((bits, vertex))) = queue.pop() {
            let place = vertex as usize;
            if bits > regions.distance[place].to_bits() {
                continue;
            }
            for &edge in &at_vertices[offsets[place] as usize..offsets[place + 1] as usize] {
                let [p, q] = surface.edges[edge as usize];
                let other = if p == vertex { q } else { p };
                let step = (surface.points[p as usize] - surface.points[q as usize]).norm();
                let distance = regions.distance[place] + step;
                if distance < regions.distance[other as usize] {
                    regions.distance[other as usize] = distance;
                    regions.node[other as usize] = regions.node[place];
                    regions.last[other as usize] = edge;
                    queue.push(Reverse((distance.to_bits(), other)));
                }
            }
        }
        regions
    }

    /// Pairs of adjacent nodes with the edge through which the path between them is shortest.
    fn connections(&self, surface: &Surface) -> Vec<([u32; 2], u32)> {
        let mut all = Vec::new();
        for (edge, &[p, q]) in surface.edges.iter().enumerate() {
            let [m, n] = [p, q].map(|vertex| self.node[vertex as usize]);
            if m == n || m == u32::MAX || n == u32::MAX {
                continue;
            }
            let step = (surface.points[p as usize] - surface.points[q as usize]).norm();
            let length = self.distance[p as usize] + step + self.distance[q as usize];
            all.push(([m.min(n), m.max(n)], length.to_bits(), edge as u32));
        }
        all.sort_unstable();
        all.dedup_by_key(|connection| connection.0);
        all.into_iter().map(|(ends, _, edge)| (ends, edge)).collect()
    }

    /// The edges of the path between two nodes through `edge`, each with the vertex it starts from; `from` is the node at
    /// which the path begins.
    fn path(&self, surface: &Surface, edge: u32, from: u32) -> Vec<(u32, u32)> {
        let ends = surface.edges[edge as usize];
        let [near, far] = if self.node[ends[0] as usize] == from { ends } else { [ends[1], ends[0]] };
        let back_to_node = |mut vertex: u32| {
            let mut path = Vec::new();
            while self.last[vertex as usize] != u32::MAX {
                let edge = self.last[vertex as usize];
                let [p, q] = surface.edges[edge as usize];
                path.push((edge, vertex));
                vertex = if p == vertex { q } else { p };
            }
            path
        };
        let start_of = |&(edge, end): &(u32, u32)| {
            let [p, q] = surface.edges[edge as usize];
            (edge, if p == end { q } else { p })
        };
        let mut path = back_to_node(near).iter().rev().map(start_of).collect::<Vec<_>>();
        path.push((edge, near));
        path.extend(back_to_node(far));
        path
    }
}

/// The edges at each vertex, compressed rows.
fn edges_at_vertices(surface: &Surface) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0_u32; surface.points.len() + 1];
    for &end in surface.edges.iter().flatten() {
        offsets[end as usize + 1] += 1;
    }
    for place in 1..offsets.len() {
        offsets[place] += offsets[place - 1];
    }
    let (mut next, mut edges) = (offsets.clone(), vec![0; 2 * surface.edges.len()]);
    for (edge, ends) in surface.edges.iter().enumerate() {
        for &end in ends {
            edges[next[end as usize] as usize] = edge as u32;
            next[end as usize] += 1;
        }
    }
    (offsets, edges)
}

/// The segments on the sides of the triangles.
fn carriers(surface: &Surface, edge_of_segment: &[u32]) -> Vec<[u32; 3]> {
    let mut carried = vec![[NO_SEGMENT; 3]; surface.triangles.len()];
    for (segment, &edge) in edge_of_segment.iter().enumerate() {
        let triangle = surface.at_edge(edge)[0] as usize;
        for side in 0..3 {
            if surface.sides[triangle][side] == edge {
                carried[triangle][side] = segment as u32;
            }
        }
    }
    carried
}

/// The arcs through each segment, compressed rows.
fn rows(arcs: &[Arc], steps: &[Step], segments: usize) -> (Vec<u32>, Vec<(u32, i32)>) {
    let mut offsets = vec![0_u32; segments + 1];
    for step in steps {
        offsets[step.segment as usize + 1] += 1;
    }
    for place in 1..offsets.len() {
        offsets[place] += offsets[place - 1];
    }
    let (mut next, mut through) = (offsets.clone(), vec![(0, 0); steps.len()]);
    for (arc, Arc { steps: [first, last], .. }) in arcs.iter().enumerate() {
        for step in &steps[*first as usize..*last as usize] {
            let place = &mut next[step.segment as usize];
            through[*place as usize] = (arc as u32, if step.is_forwards { 1 } else { -1 });
            *place += 1;
        }
    }
    (offsets, through)
}
