//! Volume, centre of mass and inertia of a mesh of unit density.
//!
//! A solid is the signed sum of the tetrahedra from a reference point to its triangles; a surface is a shell of
//! given thickness whose mass lies on its triangles. Both have closed forms for the second moments:
//!
//! | element               | ∫ x xᵀ over it, x from the apex or the reference point          |
//! |-----------------------|------------------------------------------------------------------|
//! | tetrahedron (0,a,b,c) | V/20 · (a aᵀ + b bᵀ + c cᵀ + s sᵀ), s = a + b + c                 |
//! | triangle (a,b,c)      | A/12 · (a aᵀ + b bᵀ + c cᵀ + s sᵀ)                                |
//!
//! The reference point is the centre of the bounding box, so a mesh far from the origin loses no digits to it.

use super::triangle_mesh::TriangleMesh;
use crate::geometry::shape_error::ShapeError;
use nalgebra::{Matrix3, Point3, Vector3};

/// Fraction of area · size below which a volume counts as zero: the rounding of a sum over a million triangles.
/// A larger value would refuse thin plates, a smaller one would accept folded sheets.
const NEGLIGIBLE_VOLUME: f64 = 1e-12;

/// Volume, centre of mass and inertia of a body of density 1 kg/m³.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Volume of the material \[m³\].
    pub volume: f64,
    /// Centre of mass \[m\], body frame.
    pub center: Point3<f64>,
    /// Inertia about the centre of mass per unit density \[m⁵\], axes of the body frame; times the density it is
    /// in [kg·m²].
    pub inertia: Matrix3<f64>,
}

impl MassProperties {
    /// Mass properties of the solid bounded by a closed mesh.
    ///
    /// The volume is weighted by the winding number. A mesh that is inside out has the same properties as its reverse.
    /// Closedness is not checked here; see [`Topology::is_closed`](super::topology::Topology::is_closed).
    ///
    /// ```
    /// use extricate_core::geometry::mass_properties::MassProperties;
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural};
    ///
    /// let mass = MassProperties::of_solid(&Cuboid { x: 2.0, ..Cuboid::default() }.mesh()?)?;
    /// assert!((mass.volume - 2.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::ZeroVolume`] when the volume is zero to within rounding.
    pub fn of_solid(mesh: &TriangleMesh) -> Result<Self, ShapeError> {
        let moments = Moments::of_tetrahedra(mesh);
        let area = surface_area(mesh);
        if is_negligible(moments.measure, area, mesh) {
            return Err(ShapeError::ZeroVolume { volume: moments.measure, area });
        }
        Ok(moments.into_properties(1.0))
    }

    /// Mass properties of a shell of the given thickness \[m\] whose mass is on the triangles: area-weighted, each
    /// triangle counted once.
    ///
    /// # Errors
    /// [`ShapeError::OutOfRange`] when the thickness is not positive and finite.
    pub fn of_surface(mesh: &TriangleMesh, thickness: f64) -> Result<Self, ShapeError> {
        if !(thickness > 0.0 && thickness.is_finite()) {
            return Err(ShapeError::OutOfRange {
                shape: "surface",
                quantity: "thickness",
                value: thickness,
                unit: " m",
                expected: "positive and finite",
            });
        }
        Ok(Moments::of_triangles(mesh).into_properties(thickness))
    }
}

/// Area of all triangles \[m²\].
#[must_use]
pub fn surface_area(mesh: &TriangleMesh) -> f64 {
    (0..mesh.triangles().len()).map(|i| triangle_area(&mesh.triangle(i))).sum()
}

/// Signed volume \[m³\] of the solid bounded by the triangles: negative when they are inside out. It is meaningless for an
/// open mesh.
#[must_use]
pub fn signed_volume(mesh: &TriangleMesh) -> f64 {
    Moments::of_tetrahedra(mesh).measure
}

/// Whether a signed volume is zero to within the rounding of its sum.
pub(super) fn is_negligible(volume: f64, area: f64, mesh: &TriangleMesh) -> bool {
    // Negated, so that NaN from an overflow counts as negligible.
    let is_significant = volume.abs() > NEGLIGIBLE_VOLUME * area * mesh.aabb().extents().norm();
    !is_significant
}

fn triangle_area(&[a, b, c]: &[Point3<f64>; 3]) -> f64 {
    0.5 * (b - a).cross(&(c - a)).norm()
}

/// ∫ 1, ∫ x and ∫ x xᵀ over a body, x from the reference point.
struct Moments {
    reference: Point3<f64>,
    measure: f64,
    first: Vector3<f64>,
    second: Matrix3<f64>,
}

impl Moments {
    fn of_tetrahedra(mesh: &TriangleMesh) -> Self {
        // A tetrahedron's centroid is a quarter of the sum of its corners, the reference point being zero.
        Self::sum(mesh, 1.0 / 4.0, 1.0 / 20.0, |[a, b, c]| a.cross(b).dot(c) / 6.0)
    }

    fn of_triangles(mesh: &TriangleMesh) -> Self {
        Self::sum(mesh, 1.0 / 3.0, 1.0 / 12.0, |[a, b, c]| 0.5 * (b - a).cross(&(c - a)).norm())
    }

    fn sum(
        mesh: &TriangleMesh,
        first_weight: f64,
        second_weight: f64,
        measure_of: impl Fn(&[Vector3<f64>; 3]) -> f64,
    ) -> Self {
        let reference = mesh.aabb().center();
        let mut moments = Self { reference, measure: 0.0, first: Vector3::zeros(), second: Matrix3::zeros() };
        for index in 0..mesh.triangles().len() {
            let corners @ [a, b, c] = mesh.triangle(index).map(|p| p - reference);
            let measure = measure_of(&corners);
            let s = a + b + c;
            moments.measure += measure;
            moments.first += measure * first_weight * s;
            moments.second += measure
                * second_weight
                * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
        }
        moments
    }

    /// Shifts the second moment to the centre (Steiner) and converts it to inertia: I = tr(C)·1 − C.
    /// Dividing by the signed measure and multiplying by its absolute value corrects a body that is inside out.
    fn into_properties(self, thickness: f64) -> MassProperties {
        let volume = self.measure.abs() * thickness;
        let offset = self.first / self.measure;
        let covariance = volume * (self.second / self.measure - offset * offset.transpose());
        MassProperties {
            volume,
            center: self.reference + offset,
            inertia: Matrix3::from_diagonal_element(covariance.trace()) - covariance,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use nalgebra::{Isometry3, Translation3, UnitQuaternion};

    use super::*;
    use crate::geometry::procedural::{Cuboid, Procedural, Sphere, Torus};

    const ROUNDING: f64 = 1e-12;

    fn assert_close(found: f64, expected: f64, tolerance: f64) {
        let error = (found - expected).abs();
        assert!(error <= tolerance * expected.abs().max(f64::MIN_POSITIVE), "{found} is not {expected}");
    }

    fn cuboid(x: f64, y: f64, z: f64, subdivisions: u32) -> TriangleMesh {
        Cuboid { x, y, z, subdivisions }.mesh().unwrap()
    }

    #[test]
    fn a_box_has_its_closed_form_at_every_tessellation() {
        let (x, y, z) = (1.0, 2.0, 0.3);
        for subdivisions in [1, 3, 8] {
            let found = MassProperties::of_solid(&cuboid(x, y, z, subdivisions)).unwrap();
            assert_close(found.volume, x * y * z, ROUNDING);
            assert_close(found.inertia[(0, 0)], x * y * z / 12.0 * (y * y + z * z), ROUNDING);
            assert_close(found.inertia[(1, 1)], x * y * z / 12.0 * (z * z + x * x), ROUNDING);
            assert_close(found.inertia[(2, 2)], x * y * z / 12.0 * (x * x + y * y), ROUNDING);
            assert!(found.inertia.m12.abs() + found.inertia.m13.abs() + found.inertia.m23.abs() < ROUNDING);
        }
    }

    #[test]
    fn finer_spheres_converge_to_the_ball_with_second_order() {
        let error = |frequency| {
            let found = MassProperties::of_solid(&Sphere { radius: 2.0, frequency }.mesh().unwrap()).unwrap();
            let inertia = found.inertia[(2, 2)] / (0.4 * found.volume * 4.0);
            (1.0 - found.volume / (4.0 / 3.0 * PI * 8.0), 1.0 - inertia)
        };
        let (coarse, fine) = (error(8), error(16));
        assert!(fine.0 > 0.0 && fine.0 < 0.01 && fine.1.abs() < 0.01);
        assert!((3.5..4.5).contains(&(coarse.0 / fine.0)), "ratio {}", coarse.0 / fine.0);
    }

    #[test]
    fn a_fine_torus_has_its_closed_form() {
        let (major, minor) = (1.0, 0.2);
        let torus = Torus { major_radius: major, minor_radius: minor, segments: 400, sides: 200 };
        let found = MassProperties::of_solid(&torus.mesh().unwrap()).unwrap();
        let volume = 2.0 * PI * PI * major * minor * minor;
        let (major_squared, minor_squared) = (major * major, minor * minor);
        assert_close(found.volume, volume, 1e-3);
        assert_close(found.inertia[(2, 2)], volume * (major_squared + 0.75 * minor_squared), 1e-3);
        assert_close(found.inertia[(0, 0)], volume * (0.5 * major_squared + 0.625 * minor_squared), 1e-3);
    }

    #[test]
    fn a_rigid_motion_moves_the_centre_and_rotates_the_inertia() {
        let mesh = cuboid(1.0, 2.0, 0.3, 2);
        let rotation = UnitQuaternion::from_euler_angles(0.3, -1.1, 2.0);
        let pose = Isometry3::from_parts(Translation3::new(1e3, -2e3, 5.0), rotation);
        let still = MassProperties::of_solid(&mesh).unwrap();
        let moved = MassProperties::of_solid(&mesh.transformed(&pose)).unwrap();
        let rotation = rotation.to_rotation_matrix();
        let expected = rotation.matrix() * still.inertia * rotation.matrix().transpose();
        assert!((moved.center - pose * still.center).norm() < 1e-9);
        assert!((moved.inertia - expected).norm() < 1e-9 * expected.norm());
    }

    #[test]
    fn a_scale_s_gives_volume_s_cubed_and_inertia_s_to_the_fifth() {
        let mesh = cuboid(1.0, 2.0, 0.3, 1);
        let one = MassProperties::of_solid(&mesh).unwrap();
        for scale in [1e-3, 1e3] {
            let mesh = mesh.scaled(&Vector3::repeat(scale)).unwrap();
            let other = MassProperties::of_solid(&mesh).unwrap();
            assert_close(other.volume, one.volume * scale.powi(3), ROUNDING);
            assert_close(other.inertia.norm(), one.inertia.norm() * scale.powi(5), ROUNDING);
        }
    }

    #[test]
    fn inside_out_is_the_same_body() {
        let mesh = cuboid(1.0, 2.0, 0.3, 1).transformed(&Isometry3::translation(5.0, 0.0, 0.0));
        assert!(signed_volume(&mesh.reversed()) < 0.0);
        let (a, b) = (MassProperties::of_solid(&mesh), MassProperties::of_solid(&mesh.reversed()));
        let (a, b) = (a.unwrap(), b.unwrap());
        assert!((a.center - b.center).norm() < ROUNDING && (a.inertia - b.inertia).norm() < ROUNDING);
    }

    #[test]
    fn a_folded_sheet_has_no_volume() {
        let points = vec![Point3::origin(), Point3::new(1.0, 0.0, 3.0), Point3::new(0.0, 1.0, 0.1)];
        let sheet = TriangleMesh::new(points, vec![[0, 1, 2], [2, 1, 0]]).unwrap();
        assert!(matches!(MassProperties::of_solid(&sheet), Err(ShapeError::ZeroVolume { .. })));
    }

    #[test]
    fn a_thin_plate_is_a_solid() {
        assert_close(MassProperties::of_solid(&cuboid(1.0, 1.0, 1e-9, 4)).unwrap().volume, 1e-9, 1e-9);
    }

    #[test]
    fn a_shell_of_a_box_is_six_rectangles() {
        let shell = MassProperties::of_surface(&cuboid(1.0, 1.0, 1.0, 3), 0.01).unwrap();
        assert_close(shell.volume, 0.06, ROUNDING);
        // About z: two faces at ±½ normal to z (1/6 each), four beside it (1/12 + 1/4 each), per unit area.
        assert_close(shell.inertia[(2, 2)], 0.01 * (2.0 / 6.0 + 4.0 * (1.0 / 12.0 + 0.25)), ROUNDING);
        assert!(MassProperties::of_surface(&cuboid(1.0, 1.0, 1.0, 1), f64::NAN).is_err());
    }
}
