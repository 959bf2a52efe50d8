//! A mesh as a shape of rapier's: a custom one, so that our dispatcher computes its contacts.

use std::sync::Arc;

use nalgebra::Isometry3;
use rapier3d::math::Vector;
use rapier3d::parry::bounding_volume::{Aabb, BoundingSphere};
use rapier3d::parry::mass_properties::MassProperties as RapierMassProperties;
use rapier3d::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use rapier3d::parry::shape::{FeatureId, Shape, ShapeType, Triangle, TypedShape};

use extricate_core::geometry::Solidity;
use extricate_core::geometry::mass_properties::{MassProperties, signed_volume, surface_area};
use extricate_core::proximity::Model;
use extricate_core::proximity::contacts::{Adjacency, ConeTree, ContactMesh};

/// Margin of boxes as a fraction of the size: boxes of bodies that touch may be disjoint by a rounding. A safeguard,
/// without effect on the sets of docs/sensitivity.md.
const TOUCHING: f64 = 1e-6;

/// A mesh with the data that contacts need.
#[derive(Clone)]
pub(crate) struct MeshShape {
    pub(crate) model: Arc<Model>,
    pub(super) adjacency: Arc<Adjacency>,
    pub(super) cones: Arc<ConeTree>,
    /// Mean thickness [m]: twice the volume over the area for a solid, 0 for a surface.
    thickness: f64,
    /// Box around the mesh, body frame.
    aabb: Aabb,
}

impl MeshShape {
    pub(crate) fn new(model: Arc<Model>) -> Self {
        let adjacency = Arc::new(Adjacency::new(model.mesh()));
        let cones = Arc::new(ConeTree::new(&adjacency, &model));
        let thickness = match model.solidity() {
            Solidity::Solid => 2.0 * signed_volume(model.mesh()).abs() / surface_area(model.mesh()),
            Solidity::Surface => 0.0,
        };
        let aabb = model.mesh().aabb();
        let aabb = Aabb::new(aabb.min.coords.into(), aabb.max.coords.into());
        Self { model, adjacency, cones, thickness, aabb }
    }

    /// Radius [m] of a ball around the mesh: its size as far as contacts are concerned.
    pub(super) fn size(&self) -> f64 {
        self.model.radius()
    }

    /// Whether the mesh has an outside: a closed solid whose triangles agree on it.
    pub(super) fn one_sided(&self) -> bool {
        self.model.solidity() == Solidity::Solid && self.adjacency.oriented()
    }

    /// The mesh for a search of its contact features.
    pub(super) fn contact_mesh(&self) -> ContactMesh<'_> {
        ContactMesh { model: &self.model, adjacency: &self.adjacency, cones: &self.cones }
    }

    fn triangles(&self) -> impl Iterator<Item = Triangle> {
        let mesh = self.model.mesh();
        (0..mesh.triangles().len()).map(|index| {
            let [a, b, c] = mesh.triangle(index).map(|corner| Vector::new(corner.x, corner.y, corner.z));
            Triangle::new(a, b, c)
        })
    }
}

impl Shape for MeshShape {
    fn compute_local_aabb(&self) -> Aabb {
        self.aabb
    }

    fn compute_aabb(&self, position: &rapier3d::math::Pose) -> Aabb {
        // The intersection with the box of the bounding ball, which is smaller for some rotations.
        let boxed = self.compute_local_aabb().transform_by(position);
        let pose: Isometry3<f64> = (*position).into();
        let center: Vector = (pose * self.model.center()).coords.into();
        let reach = Vector::splat(self.model.radius());
        // rapier drops pairs with a prediction distance whose boxes are a rounding apart, though they touch.
        let rounding = Vector::splat(TOUCHING * self.model.radius());
        Aabb::new(boxed.mins.max(center - reach) - rounding, boxed.maxs.min(center + reach) + rounding)
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        BoundingSphere::new(self.model.center().coords.into(), self.model.radius())
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    fn scale_dyn(&self, _scale: Vector, _subdivisions: u32) -> Option<Box<dyn Shape>> {
        None
    }

    fn mass_properties(&self, density: f64) -> RapierMassProperties {
        let Ok(unit) = MassProperties::of_solid(self.model.mesh()) else {
            return RapierMassProperties::default();
        };
        RapierMassProperties::with_inertia_matrix(
            unit.center.coords.into(),
            unit.volume * density,
            (unit.inertia * density).into(),
        )
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> f64 {
        self.thickness
    }

    fn ccd_angular_thickness(&self) -> f64 {
        std::f64::consts::FRAC_PI_4
    }
}

/// rapier's scene queries on a mesh: plain loops over the triangles. The simulation does not call them.
impl RayCast for MeshShape {
    fn cast_local_ray_and_get_normal(
        &self,
        ray: &Ray,
        max_time: f64,
        solid: bool,
    ) -> Option<RayIntersection> {
        self.triangles()
            .filter_map(|triangle| triangle.cast_local_ray_and_get_normal(ray, max_time, solid))
            .min_by(|a, b| a.time_of_impact.total_cmp(&b.time_of_impact))
    }
}

impl PointQuery for MeshShape {
    fn project_local_point(&self, point: Vector, solid: bool) -> PointProjection {
        let on_surface = self
            .triangles()
            .map(|triangle| triangle.project_local_point(point, solid).point)
            .min_by(|a, b| (point - *a).length_squared().total_cmp(&(point - *b).length_squared()));
        PointProjection::new(false, on_surface.unwrap_or(point))
    }

    fn project_local_point_and_get_feature(&self, point: Vector) -> (PointProjection, FeatureId) {
        (self.project_local_point(point, false), FeatureId::Unknown)
    }
}
