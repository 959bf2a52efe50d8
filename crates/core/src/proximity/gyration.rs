//! Centroid, principal axes and radii of gyration of a body, the weights of the object norm of its displacements.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::geometry::mass_properties::MassProperties;
use crate::geometry::triangle_mesh::{Solidity, TriangleMesh};

/// First and second moments of the volume of a solid, or of the area of a surface, per unit of volume or area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gyration {
    /// Centroid [m, body frame].
    pub(crate) centroid: Point3<f64>,
    /// The principal axes as columns, right-handed, in the body frame.
    pub(crate) axes: Matrix3<f64>,
    /// Radii of gyration about the axes [m]: √(I/V), I a moment of inertia of unit density.
    pub(crate) radii: Vector3<f64>,
}

impl Gyration {
    /// Moments of the solid that the mesh bounds; of its surface if the model is not a solid, or if open or reversed
    /// triangles leave it no volume or moments that no solid has.
    pub(super) fn of(mesh: &TriangleMesh, solidity: Solidity) -> Self {
        let solid = (solidity == Solidity::Solid).then(|| MassProperties::of_solid(mesh).ok()).flatten();
        let shell = || MassProperties::of_surface(mesh, 1.0).ok().and_then(|mass| Self::of_mass(&mass));
        solid.and_then(|mass| Self::of_mass(&mass)).or_else(shell).unwrap_or_else(|| Self {
            centroid: mesh.aabb().center(),
            axes: Matrix3::identity(),
            radii: Vector3::repeat(mesh.aabb().extents().norm()),
        })
    }

    /// `None` where the moments are not those of a body.
    fn of_mass(mass: &MassProperties) -> Option<Self> {
        /// Moments below this fraction of the maximum count as zero: that of a needle about its axis.
        const NEEDLE: f64 = 1e-12;
        let max = mass.inertia.amax();
        if !(max > 0.0 && max.is_finite() && mass.volume > 0.0) {
            return None;
        }
        let eigen = (mass.inertia / max).symmetric_eigen();
        let moments = eigen.eigenvalues;
        // Triangle inequality of principal moments: none exceeds the sum of the two others.
        let is_sound = moments.iter().all(|&moment| moment >= -NEEDLE)
            && (0..3).all(|k| 2.0 * moments[k] <= moments.sum() * (1.0 + NEEDLE));
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            axes.neg_mut();
        }
        let radii = moments.map(|moment| (moment.max(0.0) * max / mass.volume).sqrt());
        is_sound.then_some(Self { centroid: mass.center, axes, radii })
    }
}
