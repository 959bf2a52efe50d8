//! Contacts of a mesh with the core of a round shape: the centre of a ball or the axis of a capsule.
//!
//! The surface of a round shape is the set of points at a fixed distance from its core, so its contacts are the
//! local minima of the distance between mesh and core, shortened by the radius: exact, without a tessellation.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::adjacency::Adjacency;
use super::features::{
    Feature, FeaturePair, PARALLEL, foot_is_inside, inner_foot, owned_edges, owned_vertices, rises_little,
};
use crate::bvh::lanes::isa::Isa;
use crate::bvh::node::{Node, WIDTH};
use crate::bvh::packet::{Packet, above, below};
use crate::bvh::single;
use crate::bvh::single::Single;
use crate::proximity::model::Model;

/// The core of a round shape, in the frame of the mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Core {
    /// The centre of a ball.
    Point(Point3<f64>),
    /// The ends of the axis of a capsule.
    Segment([Point3<f64>; 2]),
}

/// Where a core is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoreSide {
    /// Outside the mesh, as far as the triangles near it tell: all contacts were found.
    Outside,
    /// Within the mesh or across its surface: there is no answer in terms of distances.
    Inside,
}

/// Finds contacts of cores. Holds buffers only; reuse it.
#[derive(Debug, Clone, Default)]
pub struct CoreFinder {
    triangles: Vec<u32>,
    found: Vec<FeaturePair>,
}

impl CoreFinder {
    /// Local minima, up to `reach` [m], of the distance between a mesh (A) and a core (B), frame of the mesh.
    ///
    /// The core's features are `Vertex(0)`, `Vertex(1)` for its ends and `Edge(0)` for what is between them. With
    /// `one_sided` the mesh has an inside, and its normals point outwards.
    pub fn find(
        &mut self,
        model: &Model,
        adjacency: &Adjacency,
        core: &Core,
        reach: f64,
        one_sided: bool,
    ) -> (CoreSide, &[FeaturePair]) {
        self.found.clear();
        self.triangles.clear();
        let ends = core.ends();
        let mut near = NearBox::new(model, &ends, reach, &mut self.triangles);
        single::descend(model.bvh(), &mut near);
        self.triangles.sort_unstable();
        let mut search = Search { adjacency, core, reach, one_sided, nearest: f64::INFINITY, inside: false };
        for &triangle in &self.triangles {
            search.faces(triangle, &mut self.found);
            search.vertices(triangle, &mut self.found);
            search.edges(triangle, &mut self.found);
        }
        let side = if search.inside { CoreSide::Inside } else { CoreSide::Outside };
        (side, &self.found)
    }
}

impl Core {
    fn ends(&self) -> [Point3<f64>; 2] {
        match *self {
            Self::Point(point) => [point; 2],
            Self::Segment(ends) => ends,
        }
    }

    /// The ends with the vector to the other end.
    fn tips(&self) -> impl Iterator<Item = (u32, Point3<f64>, Vector3<f64>)> {
        let [from, to] = self.ends();
        let count = if matches!(self, Self::Point(_)) { 1 } else { 2 };
        [(0, from, to - from), (1, to, from - to)].into_iter().take(count)
    }
}

struct Search<'a> {
    adjacency: &'a Adjacency,
    core: &'a Core,
    reach: f64,
    one_sided: bool,
    nearest: f64,
    inside: bool,
}

impl Search<'_> {
    fn faces(&mut self, triangle: u32, found: &mut Vec<FeaturePair>) {
        let corners = self.adjacency.triangle(triangle);
        let normal = self.adjacency.normal(triangle);
        let heights = self.core.ends().map(|end| (end - corners[0]).dot(&normal));
        if let Core::Segment([from, to]) = self.core {
            let crossing = from + (to - from) * (heights[0] / (heights[0] - heights[1]));
            if heights[0] * heights[1] < 0.0 && foot_is_inside(&crossing, &corners, &normal) {
                self.inside = true;
                self.nearest = 0.0;
            }
        }
        for (tip, point, along) in self.core.tips() {
            let height = heights[tip as usize];
            if height.abs() > self.reach || !foot_is_inside(&point, &corners, &normal) {
                continue;
            }
            let turned = !self.one_sided && height < 0.0;
            let (outward, gap) = if turned { (-normal, -height) } else { (normal, height) };
            if gap.abs() < self.nearest {
                self.nearest = gap.abs();
                self.inside = gap < 0.0;
            }
            if gap >= 0.0 && rises_little(&-along, &outward) {
                let features = [Feature::Face(self.adjacency.region(triangle)), Feature::Vertex(tip)];
                found.push(FeaturePair {
                    points: [point - outward * gap, point],
                    normal: outward,
                    gap,
                    features,
                });
            }
        }
    }

    fn vertices(&mut self, triangle: u32, found: &mut Vec<FeaturePair>) {
        for k in owned_vertices(self.adjacency.owned(triangle)) {
            let place = self.adjacency.corners(triangle)[k];
            let vertex = self.adjacency.place(place);
            let bears = |normal: &Vector3<f64>| self.adjacency.within_cone(place, normal);
            for (tip, point, along) in self.core.tips() {
                let features = [Feature::Vertex(place), Feature::Vertex(tip)];
                let pair = self.apart([vertex, point], features, |n| bears(n) && rises_little(&-along, n));
                self.keep(pair, found);
            }
            if let Core::Segment(ends) = self.core
                && let Some(foot) = inner_foot(&vertex, ends)
            {
                let pair = self.apart([vertex, foot], [Feature::Vertex(place), Feature::Edge(0)], bears);
                self.keep(pair, found);
            }
        }
    }

    fn edges(&mut self, triangle: u32, found: &mut Vec<FeaturePair>) {
        for k in owned_edges(self.adjacency.owned(triangle)) {
            let edge = self.adjacency.edges_of(triangle)[k];
            let ends = self.adjacency.ends(edge);
            let bears = |normal: &Vector3<f64>| self.adjacency.sides_are_behind(edge, normal);
            for (tip, point, along) in self.core.tips() {
                if let Some(foot) = inner_foot(&point, &ends) {
                    let features = [Feature::Edge(edge), Feature::Vertex(tip)];
                    let pair = self.apart([foot, point], features, |n| bears(n) && rises_little(&-along, n));
                    self.keep(pair, found);
                }
            }
            if let Core::Segment(axis) = self.core
                && let Some(points) = inner_closest_points(&ends, axis)
            {
                let pair = self.apart(points, [Feature::Edge(edge), Feature::Edge(0)], bears);
                self.keep(pair, found);
            }
        }
    }

    fn apart(
        &self,
        points: [Point3<f64>; 2],
        features: [Feature; 2],
        bears: impl Fn(&Vector3<f64>) -> bool,
    ) -> Option<FeaturePair> {
        let between = points[1] - points[0];
        let gap = between.norm();
        let normal = between / gap;
        (gap > 0.0 && gap <= self.reach && bears(&normal)).then_some(FeaturePair {
            points,
            normal,
            gap,
            features,
        })
    }

    fn keep(&mut self, pair: Option<FeaturePair>, found: &mut Vec<FeaturePair>) {
        let Some(pair) = pair else { return };
        if pair.gap < self.nearest {
            self.nearest = pair.gap;
            self.inside = false;
        }
        found.push(pair);
    }
}

/// The closest points of two segments, if they are inner points of both and the segments are not parallel.
fn inner_closest_points(on_a: &[Point3<f64>; 2], on_b: &[Point3<f64>; 2]) -> Option<[Point3<f64>; 2]> {
    let (along_a, along_b) = (on_a[1] - on_a[0], on_b[1] - on_b[0]);
    let across = along_a.cross(&along_b);
    let across_squared = across.norm_squared();
    if !(across_squared > PARALLEL * PARALLEL * along_a.norm_squared() * along_b.norm_squared()) {
        return None;
    }
    let between = on_b[0] - on_a[0];
    let s = between.cross(&along_b).dot(&across) / across_squared;
    let t = between.cross(&along_a).dot(&across) / across_squared;
    let inner = |x: f64| 0.0 < x && x < 1.0;
    (inner(s) && inner(t)).then(|| [on_a[0] + along_a * s, on_b[0] + along_b * t])
}

/// Descent to the triangles whose boxes meet a box.
struct NearBox<'a> {
    min: [f32; 3],
    max: [f32; 3],
    triangles: &'a mut Vec<u32>,
}

impl<'a> NearBox<'a> {
    fn new(model: &Model, ends: &[Point3<f64>; 2], reach: f64, triangles: &'a mut Vec<u32>) -> Self {
        let [from, to] = ends.map(|end| end - model.bvh().center());
        let (min, max) = (from.inf(&to), from.sup(&to));
        Self {
            min: std::array::from_fn(|k| below(min[k] - reach)),
            max: std::array::from_fn(|k| above(max[k] + reach)),
            triangles,
        }
    }
}

impl Single for NearBox<'_> {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        std::array::from_fn(|lane| {
            let meets = (0..3).all(|axis| {
                children.min[axis][lane] <= self.max[axis] && self.min[axis] <= children.max[axis][lane]
            });
            if meets { 0.0 } else { f32::INFINITY }
        })
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        self.triangles.extend(packet.lanes().map(|(_, triangle)| triangle));
        ControlFlow::Continue(())
    }
}
