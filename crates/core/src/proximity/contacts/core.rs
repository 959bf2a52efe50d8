//! Contacts of a mesh with the core shape of a rounded one: the centre of a sphere or the axis of a capsule.
//!
//! The surface of a rounded shape is the set of points at a fixed distance from its core, so its contacts are the
//! local minima of the distance between mesh and core, minus the radius: exact, without a tessellation.

use nalgebra::{Point3, Vector3};

use super::adjacency::Adjacency;
use super::features::{
    Feature, FeaturePair, PARALLEL, foot_is_inside, inner_foot, owned_edges, owned_vertices, rises_little,
};
use super::near_triangles::{Region, find_near};
use crate::bvh::node::Node;
use crate::bvh::packet::{above, below};
use crate::proximity::model::Model;

/// CoreShape of a rounded shape, in the frame of the mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CoreShape {
    /// Centre of a sphere.
    Point(Point3<f64>),
    /// Endpoints of the axis of a capsule.
    Segment([Point3<f64>; 2]),
}

/// Side of the mesh on which a core is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoreSide {
    /// Outside the mesh, as far as the nearby triangles show: all contacts were found.
    Outside,
    /// Inside the mesh or across its surface: contacts are not defined by distances.
    Inside,
}

/// Finder of contacts with cores. It holds only buffers and is meant to be reused.
#[derive(Debug, Clone, Default)]
pub struct CoreFinder {
    triangles: Vec<u32>,
    found: Vec<FeaturePair>,
}

impl CoreFinder {
    /// Local minima, up to `reach` \[m\], of the distance between a mesh (A) and a core (B), frame of the mesh.
    ///
    /// The core's features are `Vertex(0)` and `Vertex(1)` for its endpoints and `Edge(0)` for the open segment between
    /// them. `one_sided` declares that the mesh has an inside and that its normals point outwards.
    pub fn find(
        &mut self,
        model: &Model,
        adjacency: &Adjacency,
        core: &CoreShape,
        reach: f64,
        one_sided: bool,
    ) -> (CoreSide, &[FeaturePair]) {
        self.found.clear();
        let ends = core.ends();
        find_near(model.bvh(), &NearBox::new(model, &ends, reach), &mut self.triangles);
        let mut search =
            CoreSearch { adjacency, core, reach, one_sided, nearest: f64::INFINITY, inside: false };
        for &triangle in &self.triangles {
            search.faces(triangle, &mut self.found);
            search.vertices(triangle, &mut self.found);
            search.edges(triangle, &mut self.found);
        }
        let side = if search.inside { CoreSide::Inside } else { CoreSide::Outside };
        (side, &self.found)
    }
}

impl CoreShape {
    fn ends(&self) -> [Point3<f64>; 2] {
        match *self {
            Self::Point(point) => [point; 2],
            Self::Segment(ends) => ends,
        }
    }

    /// Endpoints with their indices and the vector to the other endpoint.
    fn tips(&self) -> impl Iterator<Item = (u32, Point3<f64>, Vector3<f64>)> {
        let [from, to] = self.ends();
        let count = if matches!(self, Self::Point(_)) { 1 } else { 2 };
        [(0, from, to - from), (1, to, from - to)].into_iter().take(count)
    }
}

struct CoreSearch<'a> {
    adjacency: &'a Adjacency,
    core: &'a CoreShape,
    reach: f64,
    one_sided: bool,
    nearest: f64,
    inside: bool,
}

impl CoreSearch<'_> {
    fn faces(&mut self, triangle: u32, found: &mut Vec<FeaturePair>) {
        let corners = self.adjacency.triangle(triangle);
        let normal = self.adjacency.normal(triangle);
        let heights = self.core.ends().map(|end| (end - corners[0]).dot(&normal));
        if let CoreShape::Segment([from, to]) = self.core {
            // Endpoints on both sides of the plane, the intersection in the triangle: the axis pierces the mesh.
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
            let reversed = !self.one_sided && height < 0.0;
            let (outward, gap) = if reversed { (-normal, -height) } else { (normal, height) };
            // The side is that of the nearest feature found so far.
            if gap.abs() < self.nearest {
                self.nearest = gap.abs();
                self.inside = gap < 0.0;
            }
            // The endpoint is the closest point of the core only if the other endpoint is not nearer to the face.
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
            let index = self.adjacency.corners(triangle)[k];
            let vertex = self.adjacency.position(index);
            let (adjacency, one_sided) = (self.adjacency, self.one_sided);
            let supports = |normal: &Vector3<f64>| {
                adjacency.within_cone(index, normal) && !(one_sided && adjacency.enters(index, normal))
            };
            for (tip, point, along) in self.core.tips() {
                let features = [Feature::Vertex(index), Feature::Vertex(tip)];
                let pair =
                    self.separated([vertex, point], features, |n| supports(n) && rises_little(&-along, n));
                self.add(pair, found);
            }
            if let CoreShape::Segment(ends) = self.core
                && let Some(foot) = inner_foot(&vertex, ends)
            {
                let pair =
                    self.separated([vertex, foot], [Feature::Vertex(index), Feature::Edge(0)], supports);
                self.add(pair, found);
            }
        }
    }

    fn edges(&mut self, triangle: u32, found: &mut Vec<FeaturePair>) {
        for k in owned_edges(self.adjacency.owned(triangle)) {
            let edge = self.adjacency.edges_of(triangle)[k];
            let ends = self.adjacency.ends(edge);
            let supports = |normal: &Vector3<f64>| self.adjacency.sides_are_behind(edge, normal);
            for (tip, point, along) in self.core.tips() {
                if let Some(foot) = inner_foot(&point, &ends) {
                    let features = [Feature::Edge(edge), Feature::Vertex(tip)];
                    let pair =
                        self.separated([foot, point], features, |n| supports(n) && rises_little(&-along, n));
                    self.add(pair, found);
                }
            }
            if let CoreShape::Segment(axis) = self.core
                && let Some(points) = inner_closest_points(&ends, axis)
            {
                let pair = self.separated(points, [Feature::Edge(edge), Feature::Edge(0)], supports);
                self.add(pair, found);
            }
        }
    }

    /// Pair of points at a positive distance up to the reach, if its normal satisfies `supports`.
    fn separated(
        &self,
        points: [Point3<f64>; 2],
        features: [Feature; 2],
        supports: impl Fn(&Vector3<f64>) -> bool,
    ) -> Option<FeaturePair> {
        let between = points[1] - points[0];
        let gap = between.norm();
        let normal = between / gap;
        (gap > 0.0 && gap <= self.reach && supports(&normal)).then_some(FeaturePair {
            points,
            normal,
            gap,
            features,
        })
    }

    /// Appends a pair and updates the nearest feature.
    fn add(&mut self, pair: Option<FeaturePair>, found: &mut Vec<FeaturePair>) {
        let Some(pair) = pair else { return };
        if pair.gap < self.nearest {
            self.nearest = pair.gap;
            self.inside = false;
        }
        found.push(pair);
    }
}

/// Closest points of two segments, if they are interior to both and the segments are not parallel.
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
    // Endpoints are features of their own, with their own cone tests.
    let inner = |x: f64| 0.0 < x && x < 1.0;
    (inner(s) && inner(t)).then(|| [on_a[0] + along_a * s, on_b[0] + along_b * t])
}

/// Points in a box, relative to the centre of a tree.
struct NearBox {
    min: [f32; 3],
    max: [f32; 3],
}

impl NearBox {
    fn new(model: &Model, ends: &[Point3<f64>; 2], reach: f64) -> Self {
        let [from, to] = ends.map(|end| end - model.bvh().center());
        // The boxes of the tree are relative to its centre, in single precision: rounded outwards below.
        let (min, max) = (from.inf(&to), from.sup(&to));
        Self {
            min: std::array::from_fn(|k| below(min[k] - reach)),
            max: std::array::from_fn(|k| above(max[k] + reach)),
        }
    }
}

impl Region for NearBox {
    #[inline(always)]
    fn meets(&self, children: &Node, lane: usize) -> bool {
        (0..3).all(|axis| {
            children.min[axis][lane] <= self.max[axis] && self.min[axis] <= children.max[axis][lane]
        })
    }
}
