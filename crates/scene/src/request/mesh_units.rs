//! Unit and up axis of mesh files, which hold neither.

use nalgebra::{Point3, Vector3};

use extricate_core::geometry::{ShapeError, TriangleMesh};

/// Unit and up axis of the mesh files that a command names.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct MeshUnits {
    /// Scale factor of all mesh files of the command; 0.001 reads millimetres.
    #[cfg_attr(feature = "clap", arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = positive))]
    pub scale: f64,
    /// Axis that points up in these files; it becomes z.
    #[cfg_attr(feature = "clap", arg(long, value_name = "AXIS", value_enum, default_value = "z"))]
    pub up: UpAxis,
}

/// The axis of a file that points up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum UpAxis {
    /// x becomes z, and z becomes −x.
    X,
    /// y becomes z, and z becomes −y, as for glTF files of modelling programs.
    Y,
    /// The coordinates stay.
    Z,
}

#[cfg(feature = "clap")]
fn positive(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor: &f64| *factor > 0.0 && factor.is_finite());
    factor.ok_or_else(|| "must be a positive and finite number".to_owned())
}

impl Default for MeshUnits {
    fn default() -> Self {
        Self { scale: 1.0, up: UpAxis::Z }
    }
}

impl MeshUnits {
    /// Whether the coordinates of files are those of the meshes.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The mesh of a file in metres, with z up.
    ///
    /// # Errors
    /// [`ShapeError`] when a coordinate overflows.
    pub fn of_file(&self, mesh: TriangleMesh) -> Result<TriangleMesh, ShapeError> {
        // Exchanged axes are exact, and a rotation matrix is not.
        let rotated = |p: &Point3<f64>| match self.up {
            UpAxis::X => Point3::new(-p.z, p.y, p.x),
            UpAxis::Y => Point3::new(p.x, -p.z, p.y),
            UpAxis::Z => *p,
        };
        if self.is_default() {
            return Ok(mesh);
        }
        let vertices = mesh.vertices().iter().map(rotated).collect();
        TriangleMesh::new(vertices, mesh.triangles().to_vec())?.scaled(&Vector3::repeat(self.scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_core::geometry::mass_properties::signed_volume;
    use extricate_core::geometry::procedural::{Cuboid, Procedural};

    #[test]
    fn the_up_axis_becomes_z_and_no_axis_mirrors_the_mesh() {
        for (up, axis) in [(UpAxis::X, 0), (UpAxis::Y, 1), (UpAxis::Z, 2)] {
            let mut size = [1.0, 1.0, 1.0];
            size[axis] = 5.0;
            let cuboid = Cuboid { x: size[0], y: size[1], z: size[2], ..Cuboid::default() };
            let units = MeshUnits { scale: 0.5, up };
            let mesh = units.of_file(cuboid.mesh().unwrap()).unwrap();
            assert_eq!(mesh.aabb().extents(), Vector3::new(0.5, 0.5, 2.5));
            // A mirrored solid would have a negative volume.
            let volume = signed_volume(&mesh);
            assert!((volume - 0.625).abs() < 1e-12, "{volume}");
        }
    }
}
