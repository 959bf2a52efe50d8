//! Bounds of the depth of points in a solid, on a grid.

use nalgebra::{Point3, Vector3};

use super::nearest::closest_beyond;
use crate::bvh::tree::TriangleBvh;

/// Approximate maximum number of nodes of a grid: more bound the depth of a point more tightly, and cost memory and
/// construction time, both proportional to their number.
const NODES: f64 = 3072.0;

/// Relative excess allowed of a node's depth over the distance from the boundary. Exact distances cost more, and the
/// distance of a point from its node, which is added to the error, is usually larger.
const EXCESS: f64 = 0.02;

/// Relative rounding of a depth stored in single precision.
const SINGLE_ROUNDING: f64 = 1e-7;

/// Depths at the centres of the cubic cells that fill the box around a solid, in the frame of its tree.
#[derive(Debug, Clone)]
pub(crate) struct DepthGrid {
    /// Minimum corner of the box [m].
    min: Vector3<f64>,
    /// Edge length of a cell [m].
    spacing: f64,
    counts: [usize; 3],
    single: SingleGrid,
    /// For each node the point of the boundary that is nearest to it, or nearly, and their distance, positive inside [m].
    nodes: Vec<[f32; 4]>,
}

/// The frame of a grid in single precision.
#[derive(Debug, Clone)]
struct SingleGrid {
    /// Position of the first node [m].
    first: [f32; 3],
    /// Middle of the box and half its extents [m].
    middle: [f32; 3],
    half: [f32; 3],
    /// Edge length of a cell [m], and its reciprocal.
    spacing: f32,
    inverse: f32,
    /// Index of the last node along each axis.
    last: [f32; 3],
    /// Numbers of nodes along the first two axes.
    counts: [f32; 2],
}

/// Estimate and bounds of a point's depth [m], negative outside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimate {
    pub(crate) likely: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl DepthGrid {
    /// Builds the grid over the box of `tree`; `is_inside` is evaluated where no neighbouring node decides the side.
    pub(super) fn new(tree: &TriangleBvh, is_inside: &impl Fn(&Vector3<f64>) -> bool) -> Self {
        let bounds = tree.bounds(tree.root());
        let [min, max] = [bounds.min, bounds.max].map(|corner| Vector3::from(corner.map(f64::from)));
        let extent = max - min;
        let spacing = spacing_of(&extent);
        let counts = [0, 1, 2].map(|k| ((extent[k] / spacing).ceil() as usize).max(1));
        let single = SingleGrid {
            first: min.map(|x| (x + 0.5 * spacing) as f32).into(),
            middle: (0.5 * (min + max)).map(|x| x as f32).into(),
            half: (0.5 * extent).map(|x| x as f32).into(),
            spacing: spacing as f32,
            inverse: (1.0 / spacing) as f32,
            last: counts.map(|count| (count - 1) as f32),
            counts: [counts[0] as f32, counts[1] as f32],
        };
        let mut grid = Self { min, spacing, counts, single, nodes: Vec::new() };
        grid.nodes.reserve_exact(counts.iter().product());
        // Each node but the first has a neighbour that is known, the previous one in its row, layer or column; its
        // depth bounds the search.
        let strides = [1, counts[0], counts[0] * counts[1]];
        for index in 0..counts.iter().product() {
            let place = [index % counts[0], index / strides[1] % counts[1], index / strides[2]];
            let neighbor =
                (0..3).find(|&k| place[k] > 0).map(|k| f64::from(grid.nodes[index - strides[k]][3]));
            let (depth, closest) = depth_of_node(tree, &grid.node(index), neighbor, spacing, is_inside);
            let [x, y, z] = closest.map(|x| x as f32).into();
            grid.nodes.push([x, y, z, depth as f32]);
        }
        grid
    }

    /// Position of a node [m, frame of the tree].
    fn node(&self, index: usize) -> Vector3<f64> {
        let place = [
            index % self.counts[0],
            index / self.counts[0] % self.counts[1],
            index / (self.counts[0] * self.counts[1]),
        ];
        self.min + self.spacing * Vector3::from(place.map(|i| i as f64 + 0.5))
    }

    /// The nodes inside the solid with their depths [m].
    pub(super) fn inner_nodes(&self) -> impl Iterator<Item = (Vector3<f64>, f64)> + '_ {
        let inside = self.nodes.iter().enumerate().filter(|(_, node)| node[3] > 0.0);
        inside.map(|(index, node)| (self.node(index), f64::from(node[3])))
    }

    /// Bounds of the depth of `point` [m, frame of the tree].
    ///
    /// A signed distance is 1-Lipschitz, so the depth differs from that of the nearest node by at most their distance.
    #[inline]
    pub(super) fn estimate(&self, point: &Vector3<f64>) -> Estimate {
        let scaled = (point - self.min) / self.spacing;
        let mut place = [0; 3];
        let (mut to_node, mut beyond) = (0.0, 0.0);
        for k in 0..3 {
            let count = self.counts[k] as f64;
            let inside = scaled[k].clamp(0.0, count);
            place[k] = (inside as usize).min(self.counts[k] - 1);
            to_node += (scaled[k] - (place[k] as f64 + 0.5)).powi(2);
            beyond += (scaled[k] - inside).powi(2);
        }
        let index = (place[2] * self.counts[1] + place[1]) * self.counts[0] + place[0];
        let depth = f64::from(self.nodes[index][3]);
        let beyond = self.spacing * beyond.sqrt();
        // The Lipschitz bound, which holds for points outside the grid, too.
        let error = self.spacing * to_node.sqrt() * (1.0 + SINGLE_ROUNDING) + SINGLE_ROUNDING * depth.abs();
        // The excess makes the stored distance too large in size, so it loosens one bound on either side.
        let (inside, outside) = (depth.max(0.0), depth.min(0.0));
        let min = inside / (1.0 + EXCESS) + outside - error;
        let max = inside + outside / (1.0 + EXCESS) + error;
        Estimate { likely: depth - beyond, min, max }
    }

    /// Square of the likely distance of `point` from the boundary [m², frame of the tree], positive inside a solid and negative
    /// elsewhere; minus infinity if the point is farther than `reach` [m] from the box.
    ///
    /// The point of the boundary that is nearest to the nearest node is taken to be the one nearest to `point`, whose side of
    /// the boundary is that of the node if both are seen from there in the same half-space.
    #[inline(always)]
    pub(crate) fn signed_square(&self, point: &[f32; 3], reach: f32, is_solid: bool) -> f32 {
        /// Added to a number from 0 to 2²³ − 1, leaves its integer part in the last bits, rounded: conversions of the
        /// hardware would have to be protected from other numbers.
        const TO_INTEGER: f32 = 8_388_608.0;
        let grid = &self.single;
        let (mut place, mut node, mut beyond) = ([0.0; 3], [0.0; 3], f32::NEG_INFINITY);
        for k in 0..3 {
            let scaled = (point[k] - grid.first[k]) * grid.inverse;
            // In this form a comparison is one instruction; NaN becomes zero.
            let scaled = if scaled > 0.0 { scaled } else { 0.0 };
            let scaled = if scaled < grid.last[k] { scaled } else { grid.last[k] };
            place[k] = (scaled + TO_INTEGER) - TO_INTEGER;
            node[k] = grid.first[k] + place[k] * grid.spacing;
            let outside = (point[k] - grid.middle[k]).abs() - grid.half[k];
            beyond = if outside > beyond { outside } else { beyond };
        }
        if beyond > reach {
            return f32::NEG_INFINITY;
        }
        let index = (place[2] * grid.counts[1] + place[1]) * grid.counts[0] + place[0];
        let index = (index + TO_INTEGER).to_bits() - TO_INTEGER.to_bits();
        let [x, y, z, depth] = self.nodes[index as usize];
        let from_closest = [point[0] - x, point[1] - y, point[2] - z];
        let of_node = [node[0] - x, node[1] - y, node[2] - z];
        let dot = |v: &[f32; 3], w: &[f32; 3]| v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
        let is_inside = is_solid & ((dot(&from_closest, &of_node) >= 0.0) == (depth > 0.0));
        let squared = dot(&from_closest, &from_closest);
        if is_inside { squared } else { -squared }
    }

    /// Edge length of a cell [m].
    pub(crate) fn spacing(&self) -> f64 {
        self.spacing
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.nodes)
    }
}

/// Edge length of cells of which about [`NODES`] fill a box.
fn spacing_of(extent: &Vector3<f64>) -> f64 {
    let longest = extent.max();
    // An axis shorter than an edge still takes one cell and drops out of the volume, hence the iteration.
    let mut spacing = longest / NODES;
    for _ in 0..3 {
        let axes = extent.iter().filter(|&&x| x > spacing);
        let (count, size) = axes.fold((0, 1.0), |(count, size), &x| (count + 1, size * (x / longest)));
        spacing = longest * (size / NODES).powf(1.0 / f64::from(count.max(1)));
    }
    spacing
}

/// Depth of a node [m]: its distance from the boundary, up to the relative excess, with a sign; and the point of the
/// boundary at that distance [m].
fn depth_of_node(
    tree: &TriangleBvh,
    node: &Vector3<f64>,
    neighbor: Option<f64>,
    spacing: f64,
    is_inside: &impl Fn(&Vector3<f64>) -> bool,
) -> (f64, Vector3<f64>) {
    /// Safety factor: neither the diagonal of the box nor the depth of the neighbour bounds the distance exactly, since
    /// both are rounded.
    const ROOM: f64 = 1.001;
    let farthest = neighbor.map_or(2.0 * tree.half_diagonal(), |depth| depth.abs() + spacing);
    let point = Point3::from(*node);
    let closest = closest_beyond(tree, &point, 0.0, ROOM * farthest, EXCESS);
    let (closest, distance) = closest.map_or((*node, 0.0), |(closest, distance)| (closest.coords, distance));
    let is_inside = match neighbor {
        // The surface does not pass between the two nodes.
        Some(depth) if depth.abs() > (1.0 + EXCESS) * ROOM * spacing => depth > 0.0,
        _ => is_inside(node),
    };
    (if is_inside { distance } else { -distance }, closest)
}
