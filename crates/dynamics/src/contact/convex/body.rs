//! Convex shapes as shapes of rapier's: custom ones, so that our dispatcher computes their contacts.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};
use rapier3d::math::{Pose, Vector};
use rapier3d::parry::bounding_volume::{Aabb, BoundingSphere};
use rapier3d::parry::mass_properties::MassProperties as RapierMassProperties;
use rapier3d::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use rapier3d::parry::shape::{FeatureId, Shape, ShapeType, SharedShape, TypedShape};

use crate::contact::mesh_shape::MeshShape;
use extricate_core::geometry::Solidity;
use extricate_core::geometry::convex::{ConvexShape, Core, START_ANYWHERE};
use extricate_core::proximity::Model;

/// Speculative margin between bodies at rest, as a fraction of the size. Contacts of convex shapes cost the same at any
/// distance, so it is larger than that of meshes; it widens the boxes of the broad phase. Half and twice change 1 of 5
/// runs and the work by +0.12 % and −0.21 % (docs/sensitivity.md).
pub(super) const SPECULATIVE_MARGIN: f64 = 0.01;

/// A convex shape. Its contacts with convex shapes are those of the shape itself; those with meshes are those of its
/// proxy.
#[derive(Clone)]
pub(crate) struct ConvexBody {
    shape: Arc<ConvexShape>,
    /// Core → rapier's shape, where they differ: rapier's cylinders and cones have their axis along y.
    core_to_shape: Option<Isometry3<f64>>,
    /// Radius [m] of a ball around the shape, centred in its middle.
    size: f64,
    bounds: Bounds,
    /// Margin of its boxes around the shape [m].
    margin: f64,
    proxy: ProxyGeometry,
}

/// A box and a ball around a core, frame of the core [m].
#[derive(Clone, Copy)]
struct Bounds {
    middle: Vector3<f64>,
    half_extents: Vector3<f64>,
    center: Vector3<f64>,
    radius: f64,
}

impl Bounds {
    fn of(shape: &ConvexShape, size: f64) -> Self {
        let extreme = |axis: usize, side: f64| {
            let mut outward = Vector3::zeros();
            outward[axis] = side;
            shape.core().support(&outward, START_ANYWHERE).point[axis]
        };
        let corner = |side: f64| Vector3::new(extreme(0, side), extreme(1, side), extreme(2, side));
        let (min, max) = (corner(-1.0), corner(1.0));
        let center = match shape.core() {
            Core::Hull(hull) => hull.center().coords,
            _ => Vector3::zeros(),
        };
        let (middle, half_extents) = ((min + max) / 2.0, (max - min) / 2.0);
        Self { middle, half_extents, center, radius: size - shape.radius() }
    }
}

/// Geometry in place of a convex shape where the shape itself cannot be used.
#[derive(Clone)]
pub(crate) enum ProxyGeometry {
    /// A primitive of rapier's.
    Primitive(SharedShape),
    /// Mesh of a hull, or a fine one of a rounded shape, with the shape for rapier's own narrow phase.
    Mesh(Arc<MeshShape>, Option<SharedShape>),
}

impl ProxyGeometry {
    /// Mesh of a hull or a rounded shape, in the frame of rapier's shape, with the shape for rapier's own narrow phase;
    /// `None` for a hull without area.
    pub(crate) fn mesh(
        shape: &ConvexShape,
        core_to_shape: Option<&Isometry3<f64>>,
        for_rapier: Option<SharedShape>,
    ) -> Option<Self> {
        let mesh = shape.inscribed_polyhedron()?;
        let mesh =
            core_to_shape.map_or_else(|| mesh.clone(), |core_to_shape| mesh.transformed(core_to_shape));
        let model = Arc::new(Model::new(mesh, Solidity::Solid));
        Some(Self::Mesh(Arc::new(MeshShape::new(model)), for_rapier))
    }
}

impl ConvexBody {
    /// A convex shape of a size [m], the radius of a ball around it centred at its origin, or for a hull at the hull's
    /// centre; `core_to_shape` is the pose of its core in rapier's shape, where they differ.
    pub(crate) fn new(
        shape: ConvexShape,
        core_to_shape: Option<Isometry3<f64>>,
        size: f64,
        proxy: ProxyGeometry,
    ) -> Self {
        let bounds = Bounds::of(&shape, size);
        Self { shape: Arc::new(shape), core_to_shape, size, bounds, margin: 0.0, proxy }
    }

    /// The same with wider boxes, so that bodies at rest have speculative contacts: of two bodies with a prediction distance
    /// rapier drops pairs whose boxes are disjoint, be it by a rounding, unless their velocities predict that they will
    /// meet. Bodies that bounce must not have contacts with bodies that they do not approach: the solver would let them
    /// bounce before they meet.
    pub(crate) fn with_speculative_margin(self) -> Self {
        Self { margin: SPECULATIVE_MARGIN / 2.0 * self.size, ..self }
    }

    /// The shape, in the frame of its core.
    pub(super) fn shape(&self) -> &ConvexShape {
        &self.shape
    }

    /// Radius [m] of a ball around the shape, centred in its middle.
    pub(super) fn size(&self) -> f64 {
        self.size
    }

    /// Centre of the ball around the shape, frame of rapier's shape [m].
    pub(super) fn center(&self) -> Point3<f64> {
        let center = Point3::from(self.bounds.center);
        self.core_to_shape.map_or(center, |core_to_shape| core_to_shape * center)
    }

    /// Core → world, from the pose of rapier's shape.
    pub(super) fn core_pose(&self, shape_pose: &Isometry3<f64>) -> Isometry3<f64> {
        self.core_to_shape.map_or(*shape_pose, |core_to_shape| shape_pose * core_to_shape)
    }

    /// Whether its core has another frame than rapier's shape.
    pub(super) fn has_core_frame(&self) -> bool {
        self.core_to_shape.is_some()
    }

    /// Proxy mesh of a hull or a rounded shape.
    pub(in crate::contact) fn mesh(&self) -> Option<&Arc<MeshShape>> {
        match &self.proxy {
            ProxyGeometry::Mesh(mesh, _) => Some(mesh),
            ProxyGeometry::Primitive(_) => None,
        }
    }

    /// Shape for rapier's own narrow phase.
    fn for_rapier(&self) -> Option<&dyn Shape> {
        match &self.proxy {
            ProxyGeometry::Primitive(shape) | ProxyGeometry::Mesh(_, Some(shape)) => Some(&**shape),
            ProxyGeometry::Mesh(_, None) => None,
        }
    }

    /// Shape for scene queries.
    fn queried(&self) -> &dyn Shape {
        match &self.proxy {
            ProxyGeometry::Primitive(shape) => &**shape,
            ProxyGeometry::Mesh(mesh, _) => &**mesh,
        }
    }
}

/// Shape for rapier's own algorithms: primitives are unwrapped.
pub(in crate::contact) fn for_rapier(shape: &dyn Shape) -> &dyn Shape {
    shape.as_shape::<ConvexBody>().and_then(ConvexBody::for_rapier).unwrap_or(shape)
}

impl Shape for ConvexBody {
    fn compute_local_aabb(&self) -> Aabb {
        self.compute_aabb(&Pose::IDENTITY)
    }

    /// Box around the rotated box of the core, intersected with that of the ball around it.
    fn compute_aabb(&self, position: &Pose) -> Aabb {
        let pose = self.core_pose(&(*position).into());
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        let at = |point: Vector3<f64>| rotation * point + pose.translation.vector;
        let Bounds { middle, half_extents, center, radius } = &self.bounds;
        let (box_middle, ball_middle) = (at(*middle), at(*center));
        let reach = rotation.abs() * half_extents;
        let margin = Vector3::repeat(self.margin + self.shape.radius());
        let ball = Vector3::repeat(*radius);
        let min = (box_middle - reach).sup(&(ball_middle - ball)) - margin;
        let max = (box_middle + reach).inf(&(ball_middle + ball)) + margin;
        Aabb::new(min.into(), max.into())
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        self.compute_local_aabb().bounding_sphere()
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    fn scale_dyn(&self, _scale: Vector, _subdivisions: u32) -> Option<Box<dyn Shape>> {
        None
    }

    fn mass_properties(&self, density: f64) -> RapierMassProperties {
        self.queried().mass_properties(density)
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> f64 {
        self.queried().ccd_thickness()
    }

    fn ccd_angular_thickness(&self) -> f64 {
        self.queried().ccd_angular_thickness()
    }
}

/// rapier's scene queries. The simulation does not call them.
impl RayCast for ConvexBody {
    fn cast_local_ray_and_get_normal(
        &self,
        ray: &Ray,
        max_time: f64,
        solid: bool,
    ) -> Option<RayIntersection> {
        self.queried().cast_local_ray_and_get_normal(ray, max_time, solid)
    }
}

impl PointQuery for ConvexBody {
    fn project_local_point(&self, point: Vector, solid: bool) -> PointProjection {
        self.queried().project_local_point(point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vector) -> (PointProjection, FeatureId) {
        self.queried().project_local_point_and_get_feature(point)
    }
}
