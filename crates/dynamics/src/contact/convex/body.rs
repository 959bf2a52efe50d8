//! Convex shapes as rapier's: custom ones, so that our dispatcher is asked for their contacts.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};
use rapier3d::math::{Pose, Vector};
use rapier3d::parry::bounding_volume::{Aabb, BoundingSphere};
use rapier3d::parry::mass_properties::MassProperties as RapierMassProperties;
use rapier3d::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use rapier3d::parry::shape::{FeatureId, Shape, ShapeType, SharedShape, TypedShape};

use crate::contact::mesh_shape::MeshShape;
use crate::shape::rounded::mesh_of;
use extricate_core::geometry::convex::{ConvexShape, Core, START_ANYWHERE};
use extricate_core::geometry::{ShapeError, Solidity};
use extricate_core::proximity::Model;
use extricate_core::proximity::contacts::Adjacency;

/// Share of the size at which contacts are foreseen between bodies at rest.
pub(super) const FORESEEN: f64 = 0.01;

/// A convex shape. Its contacts with convex shapes are those of the shape itself; for meshes and fast motion its
/// stand-in is taken.
#[derive(Clone)]
pub(crate) struct ConvexBody {
    shape: Arc<ConvexShape>,
    /// Core → rapier's shape, where they differ: rapier's cylinders and cones stand along y.
    core_to_shape: Option<Isometry3<f64>>,
    /// Radius [m] of a ball around the shape, centred in its middle.
    size: f64,
    around: Around,
    /// How much wider its boxes are than the shape [m].
    margin: f64,
    stand_in: StandIn,
}

/// A box and a ball around a core, frame of the core [m].
#[derive(Clone, Copy)]
struct Around {
    middle: Vector3<f64>,
    half_extents: Vector3<f64>,
    center: Vector3<f64>,
    radius: f64,
}

impl Around {
    fn of(shape: &ConvexShape, size: f64) -> Self {
        let extreme = |axis: usize, side: f64| {
            let mut outward = Vector3::zeros();
            outward[axis] = side;
            shape.core().support(&outward, START_ANYWHERE).point[axis]
        };
        let corner = |side: f64| Vector3::new(extreme(0, side), extreme(1, side), extreme(2, side));
        let (least, most) = (corner(-1.0), corner(1.0));
        let center = match shape.core() {
            Core::Hull(hull) => hull.center().coords,
            _ => Vector3::zeros(),
        };
        let (middle, half_extents) = ((least + most) / 2.0, (most - least) / 2.0);
        Self { middle, half_extents, center, radius: size - shape.radius() }
    }
}

/// What else a convex shape is.
#[derive(Clone)]
pub(crate) enum StandIn {
    /// A primitive of rapier's.
    Primitive(SharedShape),
    /// The mesh of a hull, or a fine one of a rounded shape, with what rapier's own narrow phase takes for it.
    Mesh(Arc<MeshShape>, Option<SharedShape>),
}

impl StandIn {
    /// A mesh for a hull or a rounded shape, in the frame of rapier's shape, with what rapier's own narrow phase takes
    /// for it.
    pub(crate) fn mesh(
        shape: &ConvexShape,
        core_to_shape: Option<&Isometry3<f64>>,
        for_rapier: Option<SharedShape>,
    ) -> Result<Self, ShapeError> {
        let mesh = mesh_of(shape)?;
        let mesh =
            core_to_shape.map_or_else(|| mesh.clone(), |core_to_shape| mesh.transformed(core_to_shape));
        let adjacency = Arc::new(Adjacency::new(&mesh));
        let model = Arc::new(Model::new(mesh, Solidity::Solid));
        Ok(Self::Mesh(Arc::new(MeshShape::new(model, adjacency)), for_rapier))
    }
}

impl ConvexBody {
    /// A convex shape of a size [m], the radius of a ball around it centred at its origin, or for a hull at the hull's
    /// centre; its core's pose in rapier's shape where they differ.
    pub(crate) fn new(
        shape: ConvexShape,
        core_to_shape: Option<Isometry3<f64>>,
        size: f64,
        stand_in: StandIn,
    ) -> Self {
        let around = Around::of(&shape, size);
        Self { shape: Arc::new(shape), core_to_shape, size, around, margin: 0.0, stand_in }
    }

    /// The same with boxes that are wider, so that contacts of bodies at rest are foreseen: of two bodies with foresight
    /// rapier drops pairs whose boxes are apart, be it by a rounding, unless their velocities say that they will meet.
    /// Bodies that bounce must not foresee what they do not approach: the solver would let them bounce before they meet.
    pub(crate) fn foreseen_at_rest(self) -> Self {
        Self { margin: FORESEEN / 2.0 * self.size, ..self }
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
        let center = Point3::from(self.around.center);
        self.core_to_shape.map_or(center, |core_to_shape| core_to_shape * center)
    }

    /// Core → world, from the pose of rapier's shape.
    pub(super) fn core_pose(&self, shape_pose: &Isometry3<f64>) -> Isometry3<f64> {
        self.core_to_shape.map_or(*shape_pose, |core_to_shape| shape_pose * core_to_shape)
    }

    /// Whether its core has another frame than rapier's shape.
    pub(super) fn is_turned(&self) -> bool {
        self.core_to_shape.is_some()
    }

    /// The mesh that stands for a hull or a rounded shape.
    pub(in crate::contact) fn mesh(&self) -> Option<&Arc<MeshShape>> {
        match &self.stand_in {
            StandIn::Mesh(mesh, _) => Some(mesh),
            StandIn::Primitive(_) => None,
        }
    }

    /// What rapier itself takes for the shape.
    fn for_rapier(&self) -> Option<&dyn Shape> {
        match &self.stand_in {
            StandIn::Primitive(shape) | StandIn::Mesh(_, Some(shape)) => Some(&**shape),
            StandIn::Mesh(_, None) => None,
        }
    }

    /// What scene queries look at.
    fn queried(&self) -> &dyn Shape {
        match &self.stand_in {
            StandIn::Primitive(shape) => &**shape,
            StandIn::Mesh(mesh, _) => &**mesh,
        }
    }
}

/// A shape as rapier itself takes it: primitives are unwrapped.
pub(in crate::contact) fn for_rapier(shape: &dyn Shape) -> &dyn Shape {
    shape.as_shape::<ConvexBody>().and_then(ConvexBody::for_rapier).unwrap_or(shape)
}

impl Shape for ConvexBody {
    fn compute_local_aabb(&self) -> Aabb {
        self.compute_aabb(&Pose::IDENTITY)
    }

    /// A box around the turned box of the core, within that of the ball around it.
    fn compute_aabb(&self, position: &Pose) -> Aabb {
        let pose = self.core_pose(&(*position).into());
        let turn = pose.rotation.to_rotation_matrix().into_inner();
        let at = |point: Vector3<f64>| turn * point + pose.translation.vector;
        let Around { middle, half_extents, center, radius } = &self.around;
        let (box_middle, ball_middle) = (at(*middle), at(*center));
        let reach = turn.abs() * half_extents;
        let margin = Vector3::repeat(self.margin + self.shape.radius());
        let ball = Vector3::repeat(*radius);
        let least = (box_middle - reach).sup(&(ball_middle - ball)) - margin;
        let most = (box_middle + reach).inf(&(ball_middle + ball)) + margin;
        Aabb::new(least.into(), most.into())
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
