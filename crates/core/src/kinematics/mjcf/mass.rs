//! Masses of geoms: closed forms of primitives, and MuJoCo's conventions for meshes.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::compiler::Compiler;
use super::defaults::Filled;
use crate::geometry::convex::ConvexHull;
use crate::geometry::mass_properties::MassProperties;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::kinematics::urdf::Inertial;
use crate::kinematics::urdf::document::Geometry;

/// Volume [m³] and inertia of unit density [m⁵] of a primitive about its centre; `None` of a mesh or a plane, and of one
/// without volume.
pub(super) fn of_primitive(geometry: &Geometry) -> Option<Inertial> {
    let (volume, moments) = match *geometry {
        Geometry::Box { size: [x, y, z] } => {
            (x * y * z, [y * y + z * z, x * x + z * z, x * x + y * y].map(|moment| moment / 12.0))
        }
        Geometry::Sphere { radius } => ellipsoid([radius; 3]),
        Geometry::Ellipsoid { radii } => ellipsoid(radii),
        Geometry::Cylinder { radius: r, length: l } => {
            let across = r * r / 4.0 + l * l / 12.0;
            (PI * r * r * l, [across, across, r * r / 2.0])
        }
        Geometry::Capsule { radius: r, length: l } => {
            // A cylinder and the two halves of a ball, whose centres are 3/8 r beyond its ends.
            let (inner, caps) = (PI * r * r * l, 4.0 / 3.0 * PI * r * r * r);
            let across =
                inner * (r * r / 4.0 + l * l / 12.0) + caps * (0.4 * r * r + l * l / 4.0 + 3.0 / 8.0 * l * r);
            let along = inner * r * r / 2.0 + caps * 0.4 * r * r;
            (inner + caps, [across, across, along].map(|moment| moment / (inner + caps)))
        }
        Geometry::Mesh { .. } | Geometry::Loaded(_) | Geometry::Plane => return None,
    };
    let inertia = Matrix3::from_diagonal(&(volume * Vector3::from(moments)));
    (volume > 0.0).then_some(Inertial { mass: volume, center: Point3::origin(), inertia })
}

fn ellipsoid([a, b, c]: [f64; 3]) -> (f64, [f64; 3]) {
    let moments = [b * b + c * c, a * a + c * c, a * a + b * b];
    (4.0 / 3.0 * PI * a * b * c, moments.map(|moment| moment / 5.0))
}

/// Volume, centre and inertia of unit density of a mesh, by the convention of the attribute `inertia` of its asset.
///
/// # Errors
/// [`ShapeError`] where it has no volume.
pub(super) fn of_mesh(mesh: &TriangleMesh, convention: Option<&str>) -> Result<Inertial, ShapeError> {
    let own = match convention {
        Some("exact") => MassProperties::of_solid(mesh)?,
        Some("convex") => MassProperties::of_solid(&ConvexHull::new(mesh.vertices())?.mesh()?)?,
        Some("shell") => MassProperties::of_surface(mesh, 1.0)?,
        _ => legacy(mesh)?,
    };
    Ok(Inertial { mass: own.volume, center: own.center, inertia: own.inertia })
}

/// MuJoCo's default: the tetrahedra from the centre to the triangles all count as positive. The centre is that of
/// the tetrahedra from the centroid of the surface. Equals the exact values for a convex mesh.
fn legacy(mesh: &TriangleMesh) -> Result<MassProperties, ShapeError> {
    let surface = MassProperties::of_surface(mesh, 1.0)?.center;
    let (_, center, _) = unsigned(mesh, &surface);
    let (volume, _, second) = unsigned(mesh, &center);
    if !(volume > 0.0) {
        return Err(ShapeError::ZeroVolume { volume, area: 0.0 });
    }
    Ok(MassProperties { volume, center, inertia: Matrix3::from_diagonal_element(second.trace()) - second })
}

/// Volume, centre and second moment about the apex of the tetrahedra from an apex to the triangles of a mesh.
fn unsigned(mesh: &TriangleMesh, apex: &Point3<f64>) -> (f64, Point3<f64>, Matrix3<f64>) {
    let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for index in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.triangle(index).map(|corner| corner - apex);
        let (own, s) = (a.cross(&b).dot(&c).abs() / 6.0, a + b + c);
        volume += own;
        first += s * (own / 4.0);
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose();
        second += squares * (own / 20.0);
    }
    (volume, apex + first / volume, second)
}

/// An inertia moved by a pose.
pub(super) fn moved(own: &Inertial, pose: &Isometry3<f64>) -> Inertial {
    let rotation = pose.rotation.to_rotation_matrix();
    let inertia = rotation.matrix() * own.inertia * rotation.matrix().transpose();
    Inertial { mass: own.mass, center: pose * own.center, inertia }
}

/// Mass and inertia scaled.
pub(super) fn scaled(own: &Inertial, factor: f64) -> Inertial {
    Inertial { mass: own.mass * factor, inertia: own.inertia * factor, ..*own }
}

/// The inertia of unit density of a geom with the geom's mass.
pub(super) fn weighed(
    own: &Inertial,
    geom: &Filled<'_>,
) -> Result<Option<Inertial>, crate::kinematics::urdf::RobotFileError> {
    let stated = geom.numbers::<1>("mass")?.map(|[mass]| mass / own.mass);
    let density = stated.map_or_else(|| geom.number("density", 1000.0), Ok)?;
    Ok((density > 0.0).then(|| scaled(own, density)))
}

impl Compiler {
    /// The inertia of a body within the bounds of the model.
    pub(super) fn bounded(&self, own: &Inertial) -> Inertial {
        let mass = own.mass.max(self.min_mass);
        let mut principal = own.inertia.symmetric_eigen();
        let [a, b, c]: [f64; 3] = principal.eigenvalues.into();
        let breaks = a + b < c || b + c < a || a + c < b;
        if self.balance_inertia && breaks {
            principal.eigenvalues.fill((a + b + c) / 3.0);
        } else if !(principal.eigenvalues.min() < self.min_inertia) {
            return Inertial { mass, ..*own };
        }
        principal.eigenvalues.apply(|moment| *moment = moment.max(self.min_inertia));
        Inertial { mass, inertia: principal.recompose(), ..*own }
    }
}
