//! Centroid, principal axes and radii of gyration of a body: what its displacements weigh.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::geometry::mass_properties::MassProperties;
use crate::geometry::triangle_mesh::{Solidity, TriangleMesh};

/// How the volume of a solid, or the area of what has none, is spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gyration {
    /// Centroid [m, body frame].
    pub(crate) centroid: Point3<f64>,
    /// The principal axes as columns, right-handed, in the body frame.
    pub(crate) axes: Matrix3<f64>,
    /// Radii of gyration about them [m]: √(I/V), I a moment of inertia of unit density.
    pub(crate) radii: Vector3<f64>,
}

impl Gyration {
    /// Of the solid that the mesh bounds; of its surface where it is none, or where open or reversed triangles leave it
    /// no volume or a moment that no solid has.
    pub(super) fn of(mesh: &TriangleMesh, solidity: Solidity) -> Self {
        let solid = (solidity == Solidity::Solid).then(|| MassProperties::of_solid(mesh).ok()).flatten();
        let shell = || MassProperties::of_surface(mesh, 1.0).ok().and_then(|mass| Self::of_mass(&mass));
        solid.and_then(|mass| Self::of_mass(&mass)).or_else(shell).unwrap_or_else(|| Self {
            centroid: mesh.aabb().center(),
            axes: Matrix3::identity(),
            radii: Vector3::repeat(mesh.aabb().extents().norm()),
        })
    }

    fn of_mass(mass: &MassProperties) -> Option<Self> {
        /// Moments below this share of the greatest are zero: that of a needle about itself.
        const NEEDLE: f64 = 1e-12;
        let greatest = mass.inertia.amax();
        if !(greatest > 0.0 && greatest.is_finite() && mass.volume > 0.0) {
            return None;
        }
        let eigen = (mass.inertia / greatest).symmetric_eigen();
        let moments = eigen.eigenvalues;
        let is_sound = moments.iter().all(|&moment| moment >= -NEEDLE)
            && (0..3).all(|k| 2.0 * moments[k] <= moments.sum() * (1.0 + NEEDLE));
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            axes.neg_mut();
        }
        let radii = moments.map(|moment| (moment.max(0.0) * greatest / mass.volume).sqrt());
        is_sound.then_some(Self { centroid: mass.center, axes, radii })
    }
}
