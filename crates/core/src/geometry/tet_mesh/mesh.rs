//! Tetrahedral meshes.

use nalgebra::{Point3, Vector3};
use thiserror::Error;

use super::boundary::Boundary;
use super::element::TET_EDGES;
use crate::geometry::triangle_mesh::{Aabb, TriangleMesh};

/// Volume of a tetrahedron over the cube of its longest edge below which it counts as flat: some units of rounding of
/// coordinates of the size of the edges. A regular one has 0.118.
const FLAT: f64 = 1e-10;

/// Why a list of nodes and tetrahedra is not a mesh.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum TetMeshError {
    /// There is no tetrahedron.
    #[error("the mesh has no tetrahedra ({nodes} nodes)")]
    Empty {
        /// Number of nodes that were given.
        nodes: usize,
    },
    /// There are more nodes or tetrahedra than 32-bit indices can name.
    #[error("the mesh has {count} elements, more than 32-bit indices can name")]
    TooLarge {
        /// The offending count.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("node {node} has a coordinate that is not finite: ({}, {}, {})", .point.x, .point.y, .point.z)]
    NotFinite {
        /// 0-based index of the node.
        node: usize,
        /// Its coordinates.
        point: Point3<f64>,
    },
    /// A tetrahedron names a node that does not exist.
    #[error("tetrahedron {tet} names node {index}, but there are only {nodes} nodes (0-based)")]
    IndexOutOfRange {
        /// 0-based index of the tetrahedron.
        tet: usize,
        /// The index that is out of range.
        index: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A tetrahedron is turned inside out.
    #[error("tetrahedron {tet} is inverted: its volume is {volume:e} m³")]
    Inverted {
        /// 0-based index of the tetrahedron.
        tet: usize,
        /// Its signed volume [m³].
        volume: f64,
    },
    /// A tetrahedron has no volume.
    #[error("tetrahedron {tet} is flat: its volume is {volume:e} m³ and its longest edge {longest_edge:e} m")]
    Flat {
        /// 0-based index of the tetrahedron.
        tet: usize,
        /// Its signed volume [m³].
        volume: f64,
        /// Its longest edge [m].
        longest_edge: f64,
    },
}

/// An indexed tetrahedral mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct TetMesh {
    nodes: Vec<Point3<f64>>,
    tets: Vec<[u32; 4]>,
}

impl TetMesh {
    /// A mesh of `nodes` (#N × 3 [m], body frame) and `tets` (#E × 4, 0-based indices, positively oriented).
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
    /// [`TetMeshError`] when there is no tetrahedron, a coordinate is not finite, an index is out of range, or a
    /// tetrahedron is inverted or flat.
    pub fn new(nodes: Vec<Point3<f64>>, tets: Vec<[u32; 4]>) -> Result<Self, TetMeshError> {
        if tets.is_empty() {
            return Err(TetMeshError::Empty { nodes: nodes.len() });
        }
        let count = nodes.len().max(tets.len());
        if u32::try_from(count).is_err() {
            return Err(TetMeshError::TooLarge { count });
        }
        if let Some(node) = nodes.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(TetMeshError::NotFinite { node, point: nodes[node] });
        }
        for (tet, corners) in tets.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= nodes.len()) {
                return Err(TetMeshError::IndexOutOfRange { tet, index, nodes: nodes.len() });
            }
            check_shape(tet, corners.map(|i| nodes[i as usize]))?;
        }
        Ok(Self { nodes, tets })
    }

    /// Nodes, #N × 3 [m], body frame.
    #[must_use]
    pub fn nodes(&self) -> &[Point3<f64>] {
        &self.nodes
    }

    /// Tetrahedra, #E × 4, 0-based node indices, positively oriented.
    #[must_use]
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// Corners of tetrahedron `index` [m].
    ///
    /// # Panics
    /// When `index` is not below the number of tetrahedra.
    #[must_use]
    pub fn tet(&self, index: usize) -> [Point3<f64>; 4] {
        self.tets[index].map(|i| self.nodes[i as usize])
    }

    /// Volume of all tetrahedra [m³].
    #[must_use]
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|tet| signed_volume(&self.tet(tet))).sum()
    }

    /// Smallest axis-aligned box around the nodes.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        Aabb::of_points(&self.nodes)
    }

    /// The faces and nodes on the surface.
    #[must_use]
    pub fn boundary(&self) -> Boundary {
        Boundary::of(self.nodes.len(), &self.tets)
    }

    /// The surface as a triangle mesh over the surface's nodes, outward normals; vertex `i` is node
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

/// Volume of a tetrahedron [m³], positive where it is positively oriented.
#[must_use]
pub fn signed_volume(&[a, b, c, d]: &[Point3<f64>; 4]) -> f64 {
    (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
}

/// Coordinates of `point` in a tetrahedron, which sum to one: point = Σ uᵢ cornerᵢ. Not finite where it is flat.
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

fn check_shape(tet: usize, corners: [Point3<f64>; 4]) -> Result<(), TetMeshError> {
    let volume = signed_volume(&corners);
    let longest_edge =
        TET_EDGES.map(|[i, j]| (corners[i] - corners[j]).norm()).into_iter().fold(0.0, f64::max);
    let least = FLAT * longest_edge.powi(3);
    if volume > least {
        return Ok(());
    }
    Err(if volume < -least {
        TetMeshError::Inverted { tet, volume }
    } else {
        TetMeshError::Flat { tet, volume, longest_edge }
    })
}
