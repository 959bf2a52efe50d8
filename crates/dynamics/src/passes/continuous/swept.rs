//! Data of a body for sweeps: its shape as a surface and less its skin, its thickness and its extent.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use nalgebra::{Isometry3, Point3, Vector3};

use super::erosion::{eroded, kernel};
use super::path::{Path, relative_motion};
use super::vertex_blocks::VertexBlocks;
use crate::contact::proxy;
use crate::description::{BodyDescription, BodyKind};
use crate::shape::primitive::{is_primitive, pose_of_rapiers, rapiers_own};
use extricate_core::geometry::convex::{ConvexShape, Core};
use extricate_core::geometry::mass_properties::{signed_volume, surface_area};
use extricate_core::geometry::{Aabb, Solidity, TriangleMesh};
use extricate_core::proximity::{Model, overlapping_pairs};
use extricate_core::query::Shape;

/// Motion relative to another body, as a fraction of the smaller thickness of the two, above which a body is fast: up
/// to there contacts push it back to its side of a wall. More lets bodies through; less sweeps more pairs. Half and
/// twice change none of 5 runs and the work by +0.92 % and −0.34 % (docs/sensitivity.md).
const FAR: f64 = 0.5;
/// Minimum of that motion, as a fraction of its size: the depth to which contacts of surfaces without thickness are
/// found. Half and twice change none of 5 runs and the work by +0.28 % and −0.36 % (docs/sensitivity.md).
const FAR_AT_LEAST: f64 = 0.01;
/// Skin as fractions of the size and of the thickness, the smaller of the two: above the overlaps of bodies at rest (a
/// thousandth of the size), which would be stopped in every step; below depths that could get to the far side. Half and
/// twice change none of 6 runs and the work by +0.12 % and < 0.1 % (docs/sensitivity.md).
const SKIN: [f64; 2] = [0.01, 0.15];
/// Erosion of the second core, as a fraction of the thickness: for bodies that are overlapped deeper than their skin. Half
/// of the thickness would leave nothing of a plate.
const DEEP: f64 = 0.4;

/// Number of cores, each within the one before.
pub(super) const CORES: usize = 3;

/// Size and thickness of a shape [m].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outline {
    /// Mean thickness: twice the volume over the area, zero for a surface, infinite for a half-space.
    thickness: f64,
    /// Radius of a ball around the shape, infinite for a half-space.
    size: f64,
}

impl Outline {
    pub(super) const ENDLESS: Self = Self { thickness: f64::INFINITY, size: f64::INFINITY };

    pub(super) fn min(&self, other: &Self) -> Self {
        Self { thickness: self.thickness.min(other.thickness), size: self.size.min(other.size) }
    }

    /// Distance [m] above which a motion in a step is fast.
    fn far(&self) -> f64 {
        (FAR * self.thickness).max(FAR_AT_LEAST * self.size)
    }
}

/// Shape for sweeps; bodies of one shape share it.
pub(super) struct SweptShape {
    pub(super) kind: Kind,
    pub(super) outline: Outline,
    /// A ball around the shape: its centre [m, body frame] and its radius [m].
    around: (Point3<f64>, f64),
    /// Depth to which contacts are left to the solver [m]; zero for what has no inside.
    pub(super) skin: f64,
    surface: OnceLock<Option<Arc<Model>>>,
    cores: [OnceLock<Option<Model>>; CORES],
    vertices: OnceLock<Option<VertexBlocks>>,
    shape: Shape,
}

/// A shape with its motion.
pub(super) type MovingShape<'a> = (&'a SweptShape, &'a Path);

/// Kinds of shapes, by the method of their sweeps.
pub(super) enum Kind {
    /// By certified signed distances.
    Convex(ConvexShape),
    /// By the motion of its triangles.
    Mesh(Aabb),
    /// By the heights of bodies above it.
    HalfSpace,
}

impl SweptShape {
    fn new(shape: &Shape) -> Self {
        let outline = Outline { thickness: thickness(shape), size: shape.bounding_radius() };
        let skin = (SKIN[0] * outline.size).min(SKIN[1] * outline.thickness);
        let kind = match (shape.model(), shape.bounded_core()) {
            (Some(model), _) => Kind::Mesh(model.mesh().aabb()),
            (None, Some(convex)) => Kind::Convex(convex.clone()),
            (None, None) => Kind::HalfSpace,
        };
        Self {
            kind,
            outline,
            around: shape.bounding_sphere(),
            // A half-space is infinitely thick, and has no core to be swept.
            skin: if skin.is_finite() { skin } else { 0.0 },
            surface: OnceLock::new(),
            cores: Default::default(),
            vertices: OnceLock::new(),
            shape: shape.clone(),
        }
    }

    /// Surface of the shape, or of the proxy mesh of a primitive.
    pub(super) fn surface(&self) -> Option<&Arc<Model>> {
        self.surface.get_or_init(|| surface(&self.shape)).as_ref()
    }

    /// Vertices of the surface.
    pub(super) fn vertices(&self) -> Option<&VertexBlocks> {
        let made = || self.surface().map(|model| VertexBlocks::new(model.mesh().vertices()));
        self.vertices.get_or_init(made).as_ref()
    }

    /// Core of the shape, if it has an inside: less its skin (0), less a fraction [`DEEP`] of its thickness (1), a ball in its
    /// thickest part (2).
    pub(super) fn core(&self, level: usize) -> Option<&Model> {
        let core = || match level {
            0 => eroded(self.surface()?, self.skin),
            1 => eroded(self.surface()?, DEEP * self.outline.thickness),
            _ => kernel(self.surface()?),
        };
        self.cores[level].get_or_init(core).as_ref()
    }

    /// Builds the surface, the cores of a shape that `moves`, and the balls inside a mesh, from which deep overlaps are separated; of the mesh of a link also the places with
    /// the largest clearance, to which the separation comes where links overlap at first, and what decides whether a part of it is inside another one.
    pub(super) fn prepare(&self, (moves, is_link): (bool, bool)) {
        if matches!(self.kind, Kind::HalfSpace) {
            return;
        }
        let surface = self.surface();
        if moves {
            for level in 0..CORES {
                self.core(level);
            }
        }
        if let (Kind::Mesh(_), Some(model)) = (&self.kind, surface) {
            model.inner_balls();
            if is_link {
                _ = model.clear_configurations();
                let cores = (0..CORES).filter(|_| moves).filter_map(|level| self.core(level));
                cores.chain([&**model]).for_each(Model::prepare_parts);
            }
        }
    }

    /// A ball around the shape: its centre [m, body frame] and its radius [m].
    pub(super) fn bounding_ball(&self) -> (Point3<f64>, f64) {
        self.around
    }

    /// Maximum distance of a point of the shape from `center` [m, body frame].
    pub(super) fn reach_from(&self, center: &Point3<f64>) -> f64 {
        (self.around.0 - center).norm() + self.around.1
    }

    fn aabb(&self, pose: &Isometry3<f64>) -> Aabb {
        match &self.kind {
            Kind::Convex(convex) => convex.aabb(pose),
            Kind::Mesh(aabb) => {
                let middle = pose * aabb.center();
                let half = pose.rotation.to_rotation_matrix().into_inner().abs() * (aabb.extents() / 2.0);
                Aabb { min: middle - half, max: middle + half }
            }
            Kind::HalfSpace => Aabb {
                min: Point3::from(Vector3::repeat(f64::NEG_INFINITY)),
                max: Point3::from(Vector3::repeat(f64::INFINITY)),
            },
        }
    }
}

/// A body with its shape for sweeps.
pub(super) struct SweptBody {
    pub(super) shape: Arc<SweptShape>,
    /// Whether contacts can stop it.
    pub(super) moves_under_forces: bool,
    /// Whether it is a link of a robot.
    pub(super) is_link: bool,
    /// Whether it is swept at any speed.
    always: bool,
}

impl SweptBody {
    /// A body; `shapes` holds the shapes that were built already, by address.
    pub(super) fn new(body: &BodyDescription, shapes: &mut BTreeMap<usize, Arc<SweptShape>>) -> Self {
        let made = || Arc::new(SweptShape::new(&body.shape));
        let shape = shapes.entry(body.shape.address()).or_insert_with(made).clone();
        let moves_under_forces = body.kind == BodyKind::Dynamic;
        Self { shape, moves_under_forces, is_link: false, always: body.continuous }
    }

    /// Path of the body through a step, about its centre of mass [m, body frame]; see [`Path::between`].
    pub(super) fn path(
        &self,
        from: &Isometry3<f64>,
        to: &Isometry3<f64>,
        center: &Point3<f64>,
        expected: &Vector3<f64>,
    ) -> Path {
        let path = Path::between(from, to, center, expected);
        let is_ball = matches!(&self.shape.kind, Kind::Convex(shape) if *shape.core() == Core::Point);
        if !is_ball {
            return path;
        }
        // The rotation of a ball moves nothing.
        let linear = to.translation.vector - from.translation.vector;
        Path { center: Point3::origin(), linear, angular: Vector3::zeros(), ..path }
    }

    /// Upper bound of the displacement of any point of the body along a path [m].
    fn motion(&self, path: &Path) -> f64 {
        if path.rests() {
            return 0.0;
        }
        path.linear.norm() + self.rotational_motion(path)
    }

    fn rotational_motion(&self, path: &Path) -> f64 {
        let angle = path.angular.norm();
        if angle > 0.0 { angle * self.shape.reach_from(&path.center) } else { 0.0 }
    }

    /// Whether the body may be fast relative to another one whose outline is not less than `min`.
    pub(super) fn may_be_fast(&self, path: &Path, min: &Outline) -> bool {
        let motion = self.motion(path);
        // One of two bodies makes at least half of the relative motion.
        motion > 0.0 && (self.always || motion > 0.5 * self.shape.outline.min(min).far())
    }

    /// Whether two bodies are fast relative to each other.
    pub(super) fn is_fast_pair([a, b]: [&Self; 2], [path_a, path_b]: [&Path; 2]) -> bool {
        let motion = if a.is_link && b.is_link {
            // They have the motion of their robot in common.
            let reaches = [a.shape.reach_from(&path_a.center), b.shape.reach_from(&path_b.center)];
            relative_motion([path_a, path_b], reaches)
        } else {
            (path_a.linear - path_b.linear).norm() + a.rotational_motion(path_a) + b.rotational_motion(path_b)
        };
        let always = a.always && !path_a.rests() || b.always && !path_b.rests();
        always || motion > a.shape.outline.min(&b.shape.outline).far()
    }

    /// Box around the volume that the body sweeps.
    fn swept_box(&self, path: &Path) -> Aabb {
        let mut aabb = self.shape.aabb(&path.from);
        if path.rests() {
            return aabb;
        }
        let reach = Vector3::repeat(self.shape.reach_from(&path.center));
        // The box of a translation is exact; that of a rotation contains the bounding ball at both ends.
        if path.angular == Vector3::zeros() {
            let corners = [aabb.min, aabb.max].map(|corner| corner + path.linear);
            corners.iter().for_each(|corner| aabb.include(corner));
            return aabb;
        }
        let ends = [path.center_at(0.0), path.center_at(1.0)];
        let mut around = Aabb::of_points(&ends);
        around.min -= reach;
        around.max += reach;
        around
    }
}

/// Number of boxes up to which they are sorted along one axis: a tree over a few costs more. The pairs are the same.
const FEW: usize = 200;

/// Pairs of bodies, one of them fast, whose swept boxes overlap; sorted.
pub(super) fn near_pairs(bodies: &[SweptBody], paths: &[Path], fast: &[bool]) -> Vec<[usize; 2]> {
    let bounded = |index: &usize| !matches!(bodies[*index].shape.kind, Kind::HalfSpace);
    let boxed = (0..bodies.len()).filter(bounded).collect::<Vec<_>>();
    let boxes = boxed.iter().map(|&index| bodies[index].swept_box(&paths[index])).collect::<Vec<_>>();
    let mut pairs = if boxed.len() <= FEW {
        let is_fast: Vec<bool> = boxed.iter().map(|&index| fast[index]).collect();
        pairs_of_few(&boxes, &is_fast)
    } else {
        // Poses that are not finite have been reported after the step before.
        overlapping_pairs(&boxes).unwrap_or_default()
    };
    pairs.iter_mut().for_each(|pair| *pair = pair.map(|place| boxed[place]));
    for plane in (0..bodies.len()).filter(|index| !bounded(index)) {
        pairs.extend(boxed.iter().map(|&body| [body.min(plane), body.max(plane)]));
    }
    pairs.retain(|pair| pair.iter().any(|&body| fast[body]));
    pairs.sort_unstable();
    pairs
}

/// Pairs of boxes, one of them fast, that have a point in common; sorted along the axis in which their middles are farthest apart.
fn pairs_of_few(boxes: &[Aabb], fast: &[bool]) -> Vec<[usize; 2]> {
    let all = Aabb::of_points(&boxes.iter().map(Aabb::center).collect::<Vec<_>>());
    let axis = all.extents().imax();
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_unstable_by(|&a, &b| boxes[a].min[axis].total_cmp(&boxes[b].min[axis]));
    let mut pairs = Vec::new();
    for (place, &a) in order.iter().enumerate() {
        for &b in order[place + 1..].iter().take_while(|&&b| boxes[b].min[axis] <= boxes[a].max[axis]) {
            if (fast[a] || fast[b]) && meet(&boxes[a], &boxes[b]) {
                pairs.push([a.min(b), a.max(b)]);
            }
        }
    }
    pairs
}

/// Whether two boxes have a point in common.
fn meet(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|axis| a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis])
}

fn surface(shape: &Shape) -> Option<Arc<Model>> {
    if let Some(model) = shape.model() {
        return Some(model.clone());
    }
    let convex = shape.bounded_core()?;
    let mesh = if is_primitive(convex) {
        let pose = pose_of_rapiers(convex.core());
        proxy::new(&*rapiers_own(convex)?)?.model.mesh().transformed(&pose)
    } else {
        convex.inscribed_polyhedron()?
    };
    Some(Arc::new(Model::new(mesh, Solidity::Solid)))
}

/// Twice the volume over the area of a shape [m].
fn thickness(shape: &Shape) -> f64 {
    let of_mesh = |mesh: &TriangleMesh| 2.0 * signed_volume(mesh).abs() / surface_area(mesh);
    let Some(convex) = shape.core() else {
        let solid = shape.model().filter(|model| model.solidity() == Solidity::Solid);
        return solid.map_or(0.0, |model| of_mesh(model.mesh()));
    };
    let ball = 2.0 / 3.0 * convex.radius();
    let core = match convex.core() {
        Core::Point => 0.0,
        Core::Segment { half_length } => {
            let (radius, length) = (convex.radius(), 2.0 * half_length);
            return radius * (length + 4.0 / 3.0 * radius) / (length + 2.0 * radius);
        }
        Core::Cuboid { half_extents } => {
            let s = 2.0 * half_extents;
            s.product() / (s.x * s.y + s.y * s.z + s.z * s.x)
        }
        Core::Cylinder { radius, half_height } => {
            let height = 2.0 * half_height;
            radius * height / (radius + height)
        }
        Core::Cone { radius, half_height } => {
            let height = 2.0 * half_height;
            2.0 / 3.0 * radius * height / (radius + radius.hypot(height))
        }
        Core::Hull(hull) => hull.mesh().map_or(0.0, |mesh| of_mesh(&mesh)),
        Core::HalfSpace => f64::INFINITY,
    };
    core.max(ball)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_meet_are_those_of_the_broad_phase() {
        let mut seed = 1_u64;
        let mut number = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Whole numbers, so that many boxes only touch.
            (seed >> 61) as f64
        };
        let mut total = 0;
        for _ in 0..100 {
            let mut vector = || Vector3::from_fn(|_, _| number());
            let mut made = || (Point3::from(vector()), 0.25 * vector());
            let boxes = (0..12).map(|_| made()).map(|(min, size)| Aabb { min, max: min + size });
            let boxes: Vec<Aabb> = boxes.collect();
            let mut found = overlapping_pairs(&boxes).unwrap();
            found.sort_unstable();
            let mut met = pairs_of_few(&boxes, &[true; 12]);
            met.sort_unstable();
            assert_eq!(met, found);
            let fast: [bool; 12] = std::array::from_fn(|index| index % 3 == 0);
            met = pairs_of_few(&boxes, &fast);
            met.sort_unstable();
            found.retain(|pair| pair.iter().any(|&index| fast[index]));
            assert_eq!(met, found);
            total += met.len();
        }
        assert!(total > 0);
    }
}
