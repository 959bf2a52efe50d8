//! Tetrahedral meshes.

use super::boundary::Boundary;
use super::element::TET_EDGES;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::{Aabb, TriangleMesh};
use nalgebra::{Point3, Vector3};

/// Volume of a tetrahedron, as a fraction of the cube of its longest edge, below which it counts as flat. It is well above the
/// rounding of coordinates of the size of the edges; a regular tetrahedron has 0.118.
const FLAT: f64 = 1e-10;

/// An indexed tetrahedral mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct TetMesh {
    nodes: Vec<Point3<f64>>,
    tets: Vec<[u32; 4]>,
}

impl TetMesh {
    /// A mesh of `nodes` (#N × 3 \[m\], body frame) and `tets` (#E × 4, 0-based indices, positively oriented).
    ///
    /// ```
    /// use extricate_core::geometry::TetMesh;
    /// use nalgebra::Point3;
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
    /// let mesh = TetMesh::new(corners.to_vec(), vec![[0, 1, 2, 3]])?;
    /// assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
    /// let error = TetMesh::new(corners.to_vec(), vec![[1, 0, 2, 3]]).unwrap_err();
    /// assert!(error.to_string().contains("inverted"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] when there is no tetrahedron, a coordinate is not finite, an index is out of range, or a
    /// tetrahedron is inverted or flat.
    pub fn new(nodes: Vec<Point3<f64>>, tets: Vec<[u32; 4]>) -> Result<Self, ShapeError> {
        if tets.is_empty() {
            return Err(ShapeError::Empty { elements: "tetrahedra", vertices: nodes.len() });
        }
        let count = nodes.len().max(tets.len());
        if u32::try_from(count).is_err() {
            return Err(ShapeError::beyond_indices(count));
        }
        if let Some(node) = nodes.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(ShapeError::NotFinite { element: "node", index: node, point: nodes[node] });
        }
        for (tet, corners) in tets.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= nodes.len()) {
                let (element, vertices) = ("tetrahedron", nodes.len());
                return Err(ShapeError::IndexOutOfRange { element, place: tet, index, vertices });
            }
            check_shape(tet, corners.map(|i| nodes[i as usize]))?;
        }
        Ok(Self { nodes, tets })
    }

    /// Nodes, #N × 3 \[m\], body frame.
    #[must_use]
    pub fn nodes(&self) -> &[Point3<f64>] {
        &self.nodes
    }

    /// Tetrahedra, #E × 4, 0-based node indices, positively oriented.
    #[must_use]
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// Corners of tetrahedron `index` \[m\].
    ///
    /// # Panics
    /// When `index` is not below the number of tetrahedra.
    #[must_use]
    pub fn tet(&self, index: usize) -> [Point3<f64>; 4] {
        self.tets[index].map(|i| self.nodes[i as usize])
    }

    /// Volume of all tetrahedra \[m³\].
    #[must_use]
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|tet| signed_volume(&self.tet(tet))).sum()
    }

    /// Smallest axis-aligned box around the nodes.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        Aabb::of_points(&self.nodes)
    }

    /// Faces and nodes on the surface.
    #[must_use]
    pub fn boundary(&self) -> Boundary {
        Boundary::of(self.nodes.len(), &self.tets)
    }

    /// Surface as a triangle mesh over the surface nodes, with outward normals; vertex `i` is node
    /// `self.boundary().nodes[i]`.
    ///
    /// # Panics
    /// Never: a mesh of tetrahedra with volume has a surface with area.
    #[must_use]
    pub fn surface(&self) -> TriangleMesh {
        let boundary = self.boundary();
        let mut place = vec![u32::MAX; self.nodes.len()];
        for (index, &node) in (0_u32..).zip(&boundary.nodes) {
            place[node as usize] = index;
        }
        let vertices = boundary.nodes.iter().map(|&node| self.nodes[node as usize]).collect();
        let triangles = boundary.faces.iter().map(|face| face.map(|node| place[node as usize])).collect();
        TriangleMesh::new(vertices, triangles).expect("the surface of tetrahedra with volume has area")
    }
}

/// Volume of a tetrahedron \[m³\], positive where it is positively oriented.
#[must_use]
pub fn signed_volume(&[a, b, c, d]: &[Point3<f64>; 4]) -> f64 {
    (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
}

/// Barycentric coordinates of `point` in a tetrahedron, which sum to one: point = Σ uᵢ cornerᵢ. Not finite if it is flat.
#[must_use]
pub fn barycentric(corners: &[Point3<f64>; 4], point: &Point3<f64>) -> [f64; 4] {
    let [a, b, c, d] = *corners;
    let (ab, ac, ad): (Vector3<f64>, Vector3<f64>, Vector3<f64>) = (b - a, c - a, d - a);
    let volume = ab.cross(&ac).dot(&ad);
    let ap = point - a;
    let u =
        [ap.dot(&ac.cross(&ad)), ap.dot(&ad.cross(&ab)), ap.dot(&ab.cross(&ac))].map(|part| part / volume);
    [1.0 - u[0] - u[1] - u[2], u[0], u[1], u[2]]
}

fn check_shape(tet: usize, corners: [Point3<f64>; 4]) -> Result<(), ShapeError> {
    let volume = signed_volume(&corners);
    let longest_edge =
        TET_EDGES.map(|[i, j]| (corners[i] - corners[j]).norm()).into_iter().fold(0.0, f64::max);
    // The limit scales with the cube of a length, so that the unit of length does not matter.
    let min = FLAT * longest_edge.powi(3);
    if volume > min {
        return Ok(());
    }
    Err(if volume < -min {
        ShapeError::Inverted { tet, volume }
    } else {
        ShapeError::Flat { tet, volume, longest_edge }
    })
}
