//! Tetrahedral meshes: indexed tetrahedra over shared nodes.
//!
//! A mesh is validated once, in its constructor: every coordinate is finite, every index is in range, no tetrahedron is
//! inverted or flat. A tetrahedron `[a, b, c, d]` is positively oriented if (b − a) × (c − a) · (d − a) > 0.

mod boundary;
mod element;
pub(crate) mod mesh;
pub mod procedural;
pub mod quality;
pub mod read;
pub mod write;

pub use self::element::{TET_EDGES, TET_FACES};
pub use self::mesh::{TetMesh, barycentric, signed_volume};

pub use boundary::Boundary;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::ShapeError;
    use nalgebra::Point3;
    use nalgebra::Vector3;

    fn corners() -> [Point3<f64>; 4] {
        [[0.1, 0.0, 0.0], [1.0, 0.2, 0.0], [0.0, 1.0, 0.3], [0.1, 0.0, 1.0]].map(Point3::from)
    }

    #[test]
    fn barycentric_coordinates_reproduce_the_point() {
        let corners = corners();
        let point = Point3::new(0.3, -0.2, 0.7);
        let u = barycentric(&corners, &point);
        let sum = corners.iter().zip(u).fold(Vector3::zeros(), |sum, (corner, u)| sum + u * corner.coords);
        assert!((sum - point.coords).norm() < 1e-14 && (u.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn the_faces_of_a_tetrahedron_look_outwards() {
        let corners = corners();
        assert!(signed_volume(&corners) > 0.0);
        for (opposite, face) in TET_FACES.iter().enumerate() {
            let [a, b, c] = face.map(|i| corners[i]);
            assert!((b - a).cross(&(c - a)).dot(&(corners[opposite] - a)) < 0.0);
        }
    }

    #[test]
    fn bad_meshes_are_refused_with_their_numbers() {
        let nodes = corners().to_vec();
        let error = |nodes: &[Point3<f64>], tet| TetMesh::new(nodes.to_vec(), vec![tet]).unwrap_err();
        assert!(matches!(error(&nodes, [0, 1, 2, 4]), ShapeError::IndexOutOfRange { index: 4, .. }));
        assert!(matches!(error(&nodes, [1, 0, 2, 3]), ShapeError::Inverted { tet: 0, .. }));
        assert!(matches!(error(&nodes, [0, 1, 2, 2]), ShapeError::Flat { tet: 0, .. }));
        let mut odd = nodes.clone();
        odd[2].y = f64::NAN;
        assert!(matches!(error(&odd, [0, 1, 2, 3]), ShapeError::NotFinite { index: 2, .. }));
        assert!(matches!(TetMesh::new(nodes, Vec::new()), Err(ShapeError::Empty { vertices: 4, .. })));
    }

    #[test]
    fn a_mesh_is_as_sound_in_any_unit() {
        for unit in [1e-6, 1.0, 1e6] {
            let scaled: Vec<_> = corners().iter().map(|p| p * unit).collect();
            assert!(TetMesh::new(scaled.clone(), vec![[0, 1, 2, 3]]).is_ok());
            assert!(matches!(TetMesh::new(scaled, vec![[0, 2, 1, 3]]), Err(ShapeError::Inverted { .. })));
        }
    }
}
