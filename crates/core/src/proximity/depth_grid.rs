//! Bounds of the depth of points in a solid, on a grid.

use nalgebra::{Point3, Vector3};

use super::nearest::closest_beyond;
use crate::bvh::tree::TriangleBvh;

/// Nodes of a grid, at the most about this many: more find the depth of a point more closely, and cost memory and
/// time to build.
const NODES: f64 = 3072.0;

/// How much greater than the distance from the boundary a node's depth may be, relative: exact ones cost more, and a
/// point is seldom as near a node.
const EXCESS: f64 = 0.02;

/// What a depth in single precision may be off by, relative to it.
const SINGLE_ROUNDING: f64 = 1e-7;

/// Depths at the middles of the cubes that fill the box around a solid, in the frame of its tree.
#[derive(Debug, Clone)]
pub(super) struct DepthGrid {
    /// Least corner of the box [m].
    min: Vector3<f64>,
    /// Edge of a cube [m].
    spacing: f64,
    counts: [usize; 3],
    /// Distances from the boundary [m], positive inside.
    depths: Vec<f32>,
}

/// What a grid tells of a point's depth [m], negative outside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimate {
    pub(crate) likely: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl DepthGrid {
    /// The grid over the box of `tree`; `is_inside` decides the sides where no neighbour does.
    pub(super) fn new(tree: &TriangleBvh, is_inside: &impl Fn(&Vector3<f64>) -> bool) -> Self {
        let bounds = tree.bounds(tree.root());
        let [min, max] = [bounds.min, bounds.max].map(|corner| Vector3::from(corner.map(f64::from)));
        let extent = max - min;
        let spacing = spacing_of(&extent);
        let counts = [0, 1, 2].map(|k| ((extent[k] / spacing).ceil() as usize).max(1));
        let mut grid = Self { min, spacing, counts, depths: Vec::new() };
        grid.depths.reserve_exact(counts.iter().product());
        // Each node is near one that is known: the one before it in its row, layer or column.
        let strides = [1, counts[0], counts[0] * counts[1]];
        for index in 0..counts.iter().product() {
            let place = [index % counts[0], index / strides[1] % counts[1], index / strides[2]];
            let neighbor = (0..3).find(|&k| place[k] > 0).map(|k| f64::from(grid.depths[index - strides[k]]));
            let depth = depth_of_node(tree, &grid.node(index), neighbor, spacing, is_inside);
            grid.depths.push(depth as f32);
        }
        grid
    }

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
        let inside = self.depths.iter().enumerate().filter(|(_, depth)| **depth > 0.0);
        inside.map(|(index, &depth)| (self.node(index), f64::from(depth)))
    }

    /// What is known of the depth of `point` [m, frame of the tree].
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
        let depth = f64::from(self.depths[index]);
        let beyond = self.spacing * beyond.sqrt();
        let error = self.spacing * to_node.sqrt() * (1.0 + SINGLE_ROUNDING) + SINGLE_ROUNDING * depth.abs();
        let (inside, outside) = (depth.max(0.0), depth.min(0.0));
        let least = inside / (1.0 + EXCESS) + outside - error;
        let most = inside + outside / (1.0 + EXCESS) + error;
        Estimate { likely: depth - beyond, least, most }
    }

    /// Edge of a cube [m].
    pub(super) fn spacing(&self) -> f64 {
        self.spacing
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.depths)
    }
}

/// The edge of the cubes that fill a box with no more than about [`NODES`] of them.
fn spacing_of(extent: &Vector3<f64>) -> f64 {
    let longest = extent.max();
    // An axis shorter than an edge still takes one cube; it then no longer helps to make the edge shorter.
    let mut spacing = longest / NODES;
    for _ in 0..3 {
        let axes = extent.iter().filter(|&&x| x > spacing);
        let (count, size) = axes.fold((0, 1.0), |(count, size), &x| (count + 1, size * (x / longest)));
        spacing = longest * (size / NODES).powf(1.0 / f64::from(count.max(1)));
    }
    spacing
}

fn depth_of_node(
    tree: &TriangleBvh,
    node: &Vector3<f64>,
    neighbor: Option<f64>,
    spacing: f64,
    is_inside: &impl Fn(&Vector3<f64>) -> bool,
) -> f64 {
    /// The box's diagonal bounds all distances, and here the least and the most of an unrounded one is not known.
    const ROOM: f64 = 1.001;
    let farthest = neighbor.map_or(2.0 * tree.half_diagonal(), |depth| depth.abs() + spacing);
    let point = Point3::from(*node);
    let closest = closest_beyond(tree, &point, 0.0, ROOM * farthest, EXCESS);
    let distance = closest.map_or(0.0, |(_, distance)| distance);
    let is_inside = match neighbor {
        // Nothing of the surface is between the two.
        Some(depth) if depth.abs() > (1.0 + EXCESS) * ROOM * spacing => depth > 0.0,
        _ => is_inside(node),
    };
    if is_inside { distance } else { -distance }
}
