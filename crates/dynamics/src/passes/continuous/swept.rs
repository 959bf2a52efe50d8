//! What sweeps need to know of a body: its shape as a surface and less its skin, its thickness, how far it reaches.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use nalgebra::{Isometry3, Point3, Vector3};

use super::erosion::{eroded, kernel};
use super::path::Path;
use crate::contact::proxy;
use crate::description::{BodyDescription, BodyKind};
use crate::shape::primitive::{is_primitive, pose_of_rapiers, rapiers_own};
use extricate_core::geometry::convex::{ConvexShape, Core};
use extricate_core::geometry::mass_properties::{signed_volume, surface_area};
use extricate_core::geometry::{Aabb, Solidity, TriangleMesh};
use extricate_core::proximity::{Model, overlapping_pairs};
use extricate_core::query::Shape;

/// A body moves far when it moves by more than this share of its thickness relative to another one, or of the other's: up
/// to there more than half of it is still on its side of a wall, and contacts see it …
const FAR: f64 = 0.5;
/// … but no less than this share of its size: as far as contacts look into an overlap of things without thickness.
const FAR_AT_LEAST: f64 = 0.01;
/// The skin as shares of the size and of the thickness: above the overlaps of bodies at rest (a thousandth), below what
/// could get to the far side.
const SKIN: [f64; 2] = [0.01, 0.15];
/// What is left of a body that is overlapped deeper than its skin: the body less this share of its thickness.
const DEEP: f64 = 0.4;

/// Number of cores, each within the one before.
pub(super) const CORES: usize = 3;

/// How large and how thick a shape is [m].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outline {
    /// Mean thickness: twice the volume over the area, zero for a surface, infinite for a half-space.
    thickness: f64,
    /// Radius of a ball around the shape, infinite for a half-space.
    size: f64,
}

impl Outline {
    pub(super) const ENDLESS: Self = Self { thickness: f64::INFINITY, size: f64::INFINITY };

    pub(super) fn least(&self, other: &Self) -> Self {
        Self { thickness: self.thickness.min(other.thickness), size: self.size.min(other.size) }
    }

    /// The distance [m] above which a motion in a step is far.
    fn far(&self) -> f64 {
        (FAR * self.thickness).max(FAR_AT_LEAST * self.size)
    }
}

/// A shape as the sweeps take it; bodies of one shape share it.
pub(super) struct SweptShape {
    pub(super) kind: Kind,
    pub(super) outline: Outline,
    /// A ball around the shape: its centre [m, body frame] and its radius [m].
    around: (Point3<f64>, f64),
    /// Depth to which contacts are left to the solver [m]; zero for what has no inside.
    pub(super) skin: f64,
    surface: OnceLock<Option<Arc<Model>>>,
    cores: [OnceLock<Option<Model>>; CORES],
    shape: Shape,
}

/// A shape on its way.
pub(super) type Moving<'a> = (&'a SweptShape, &'a Path);

/// Kinds of shapes that are swept in different ways.
pub(super) enum Kind {
    /// By certified signed distances.
    Convex(ConvexShape),
    /// By the motion of its triangles.
    Mesh(Aabb),
    /// By the height of what moves above it.
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
            skin: if skin.is_finite() { skin } else { 0.0 },
            surface: OnceLock::new(),
            cores: Default::default(),
            shape: shape.clone(),
        }
    }

    /// The surface, or that of the mesh that stands for a primitive.
    pub(super) fn surface(&self) -> Option<&Arc<Model>> {
        self.surface.get_or_init(|| surface(&self.shape)).as_ref()
    }

    /// What is left of the shape, if it has an inside: less its skin (0), less what lies deep (1), a ball in its thickest
    /// part (2).
    pub(super) fn core(&self, level: usize) -> Option<&Model> {
        let core = || match level {
            0 => eroded(self.surface()?, self.skin),
            1 => eroded(self.surface()?, DEEP * self.outline.thickness),
            _ => kernel(self.surface()?),
        };
        self.cores[level].get_or_init(core).as_ref()
    }

    /// Farthest distance of a point of the shape from `center` [m, body frame].
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

/// A body with its shape.
pub(super) struct Swept {
    pub(super) shape: Arc<SweptShape>,
    /// Whether contacts can stop it.
    pub(super) moves_under_forces: bool,
    /// Swept however slow it is.
    always: bool,
}

impl Swept {
    /// A body; `shapes` holds what is known already, by the address of the shape.
    pub(super) fn new(body: &BodyDescription, shapes: &mut BTreeMap<usize, Arc<SweptShape>>) -> Self {
        let made = || Arc::new(SweptShape::new(&body.shape));
        let shape = shapes.entry(body.shape.address()).or_insert_with(made).clone();
        Self { shape, moves_under_forces: body.kind == BodyKind::Dynamic, always: body.continuous }
    }

    /// The way of the body through a step, about its centre of mass [m, body frame].
    pub(super) fn path(
        &self,
        from: &Isometry3<f64>,
        to: &Isometry3<f64>,
        center: &Point3<f64>,
        turning: &Vector3<f64>,
    ) -> Path {
        let path = Path::between(from, to, center, turning);
        let is_ball = matches!(&self.shape.kind, Kind::Convex(shape) if *shape.core() == Core::Point);
        if !is_ball {
            return path;
        }
        // No one sees a ball turn.
        let linear = to.translation.vector - from.translation.vector;
        Path { center: Point3::origin(), linear, angular: Vector3::zeros(), ..path }
    }

    /// How far any point of the body moves along a path [m]: not more.
    fn motion(&self, path: &Path) -> f64 {
        if path.rests() {
            return 0.0;
        }
        path.linear.norm() + self.turning(path)
    }

    fn turning(&self, path: &Path) -> f64 {
        let angle = path.angular.norm();
        if angle > 0.0 { angle * self.shape.reach_from(&path.center) } else { 0.0 }
    }

    /// Whether the body may have moved far relative to another one whose outline is not less than `least`.
    pub(super) fn may_be_fast(&self, path: &Path, least: &Outline) -> bool {
        let motion = self.motion(path);
        // Of two bodies one makes half of the relative motion.
        motion > 0.0 && (self.always || motion > 0.5 * self.shape.outline.least(least).far())
    }

    /// Whether two bodies moved far relative to each other.
    pub(super) fn is_fast_pair([a, b]: [&Self; 2], [path_a, path_b]: [&Path; 2]) -> bool {
        let motion = (path_a.linear - path_b.linear).norm() + a.turning(path_a) + b.turning(path_b);
        let always = a.always && !path_a.rests() || b.always && !path_b.rests();
        always || motion > a.shape.outline.least(&b.shape.outline).far()
    }

    /// A box around everything that the body is at on its way.
    fn swept_box(&self, path: &Path) -> Aabb {
        let mut aabb = self.shape.aabb(&path.from);
        if path.rests() {
            return aabb;
        }
        let reach = Vector3::repeat(self.shape.reach_from(&path.center));
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

/// Pairs of bodies, one of them fast, whose ways come near each other; sorted.
pub(super) fn near_pairs(bodies: &[Swept], paths: &[Path], fast: &[bool]) -> Vec<[usize; 2]> {
    let bounded = |index: &usize| !matches!(bodies[*index].shape.kind, Kind::HalfSpace);
    let boxed = (0..bodies.len()).filter(bounded).collect::<Vec<_>>();
    let boxes = boxed.iter().map(|&index| bodies[index].swept_box(&paths[index])).collect::<Vec<_>>();
    // Poses that are not finite stop the world before.
    let found = overlapping_pairs(&boxes).unwrap_or_default();
    let mut pairs = found.into_iter().map(|pair| pair.map(|place| boxed[place])).collect::<Vec<_>>();
    for plane in (0..bodies.len()).filter(|index| !bounded(index)) {
        pairs.extend(boxed.iter().map(|&body| [body.min(plane), body.max(plane)]));
    }
    pairs.retain(|pair| pair.iter().any(|&body| fast[body]));
    pairs.sort_unstable();
    pairs
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
