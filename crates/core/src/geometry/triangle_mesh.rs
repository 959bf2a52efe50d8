//! Triangle meshes: indexed triangles over shared vertices, polygon soups allowed.
//!
//! A mesh is validated once, in its constructor: every coordinate is finite, every index is in range and at least one
//! triangle has an area. Nothing is guaranteed about orientation, closedness or duplicates; `geometry::report`
//! analyses them.

use crate::geometry::shape_error::ShapeError;
use nalgebra::{Isometry3, Point3, Vector3};
use serde::{Deserialize, Serialize};

/// Whether a mesh bounds a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Solidity {
    /// The mesh is the boundary of a solid: it has an inside, and being inside counts as collision.
    Solid,
    /// The mesh is a surface without an inside: only intersecting triangles collide.
    Surface,
}

/// An axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// Minimum coordinates \[m\].
    pub min: Point3<f64>,
    /// Maximum coordinates \[m\].
    pub max: Point3<f64>,
}

impl Aabb {
    /// The box that contains nothing, neutral under [`Aabb::include`].
    pub const EMPTY: Self = Self {
        min: Point3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Point3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// Smallest box that contains the points.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a Point3<f64>>) -> Self {
        let mut aabb = Self::EMPTY;
        points.into_iter().for_each(|point| aabb.include(point));
        aabb
    }

    /// Grows the box to contain the point.
    pub fn include(&mut self, point: &Point3<f64>) {
        self.min = self.min.inf(point);
        self.max = self.max.sup(point);
    }

    /// Centre \[m\].
    #[must_use]
    pub fn center(&self) -> Point3<f64> {
        nalgebra::center(&self.min, &self.max)
    }

    /// Full edge lengths \[m\].
    #[must_use]
    pub fn extents(&self) -> Vector3<f64> {
        self.max - self.min
    }
}

/// An indexed triangle mesh; polygon soups are allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<Point3<f64>>,
    triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// A mesh of `vertices` (#V × 3 \[m\], body frame) and `triangles` (#T × 3, 0-based indices).
    ///
    /// ```
    /// use extricate_core::geometry::TriangleMesh;
    /// use nalgebra::Point3;
    ///
    /// let corners = vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
    /// assert!(TriangleMesh::new(corners.clone(), vec![[0, 1, 2]]).is_ok());
    /// let error = TriangleMesh::new(corners, vec![[0, 1, 3]]).unwrap_err();
    /// assert!(error.to_string().contains("references vertex 3"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] when there is no triangle, a coordinate is not finite, an index is out of range, or every
    /// triangle is degenerate.
    pub fn new(vertices: Vec<Point3<f64>>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        if triangles.is_empty() {
            return Err(ShapeError::Empty { elements: "triangles", vertices: vertices.len() });
        }
        let count = vertices.len().max(triangles.len());
        if u32::try_from(count).is_err() {
            return Err(ShapeError::beyond_indices(count));
        }
        if let Some(vertex) = vertices.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(ShapeError::NotFinite { element: "vertex", index: vertex, point: vertices[vertex] });
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= vertices.len()) {
                let (element, vertices) = ("triangle", vertices.len());
                return Err(ShapeError::IndexOutOfRange { element, place: triangle, index, vertices });
            }
        }
        let mesh = Self { vertices, triangles };
        if (0..mesh.triangles.len()).all(|i| mesh.is_degenerate(i)) {
            return Err(ShapeError::AllDegenerate { triangles: mesh.triangles.len() });
        }
        Ok(mesh)
    }

    /// Concatenation of meshes, with their vertices and triangles in order.
    ///
    /// # Errors
    /// As [`TriangleMesh::new`].
    pub fn joined(meshes: impl IntoIterator<Item = Self>) -> Result<Self, ShapeError> {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for mesh in meshes {
            let first = vertices.len() as u32;
            triangles.extend(mesh.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
            vertices.extend(mesh.vertices);
        }
        Self::new(vertices, triangles)
    }

    /// Vertices, #V × 3 \[m\], body frame.
    #[must_use]
    pub fn vertices(&self) -> &[Point3<f64>] {
        &self.vertices
    }

    /// Triangles, #T × 3, 0-based vertex indices.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Corners of triangle `index` \[m\].
    ///
    /// # Panics
    /// When `index` is not below the number of triangles.
    #[must_use]
    pub fn triangle(&self, index: usize) -> [Point3<f64>; 3] {
        self.triangles[index].map(|i| self.vertices[i as usize])
    }

    /// Whether the triangle has no area: two corners coincide, or all are collinear to within rounding.
    #[must_use]
    pub fn is_degenerate(&self, index: usize) -> bool {
        /// Twice the area of a triangle, as a fraction of its longest edge squared, below which it counts as degenerate: some
        /// hundred units of rounding of coordinates of the size of the edges.
        const PARALLEL: f64 = 1e-13;
        let [a, b, c] = self.triangle(index);
        let (ab, ac, bc) = (b - a, c - a, c - b);
        let longest_squared = ab.norm_squared().max(ac.norm_squared()).max(bc.norm_squared());
        let doubled_area = ab.cross(&ac).norm();
        // Negated, so that NaN from an overflow counts as degenerate.
        let has_area = doubled_area > PARALLEL * longest_squared;
        !has_area
    }

    /// Smallest axis-aligned box around the vertices that triangles use.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        Aabb::of_points(self.triangles.iter().flatten().map(|&i| &self.vertices[i as usize]))
    }

    /// The mesh with every vertex transformed by `pose`.
    #[must_use]
    pub fn transformed(&self, pose: &Isometry3<f64>) -> Self {
        Self { vertices: self.vertices.iter().map(|p| pose * p).collect(), triangles: self.triangles.clone() }
    }

    /// The mesh with the orientation of every triangle reversed, which exchanges inside and outside.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let triangles = self.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        Self { vertices: self.vertices.clone(), triangles }
    }

    /// The mesh scaled along its axes. A mirroring scale also reverses the triangles, so that outward normals remain
    /// outward.
    ///
    /// # Errors
    /// [`ShapeError`] when the result is not a mesh: a factor of zero flattens it, a huge one overflows.
    pub fn scaled(&self, factors: &Vector3<f64>) -> Result<Self, ShapeError> {
        let vertices = self.vertices.iter().map(|p| Point3::from(p.coords.component_mul(factors))).collect();
        let mirrored = factors.product() < 0.0;
        let reverse = |&[a, b, c]: &[u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        Self::new(vertices, self.triangles.iter().map(reverse).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner_triangle() -> Vec<Point3<f64>> {
        vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)]
    }

    #[test]
    fn invalid_meshes_are_refused_with_the_index() {
        assert_eq!(
            TriangleMesh::new(corner_triangle(), vec![]),
            Err(ShapeError::Empty { elements: "triangles", vertices: 3 })
        );
        assert_eq!(
            TriangleMesh::new(corner_triangle(), vec![[0, 1, 2], [0, 1, 3]]),
            Err(ShapeError::IndexOutOfRange { element: "triangle", place: 1, index: 3, vertices: 3 })
        );
        let mut points = corner_triangle();
        points[1].y = f64::INFINITY;
        assert!(matches!(
            TriangleMesh::new(points, vec![[0, 1, 2]]),
            Err(ShapeError::NotFinite { index: 1, .. })
        ));
        assert_eq!(
            TriangleMesh::new(corner_triangle(), vec![[0, 1, 1]]),
            Err(ShapeError::AllDegenerate { triangles: 1 })
        );
    }

    #[test]
    fn a_mirroring_scale_keeps_the_winding_outward() {
        let mesh = TriangleMesh::new(corner_triangle(), vec![[0, 1, 2]]).unwrap();
        let mirrored = mesh.scaled(&Vector3::new(-1.0, 1.0, 1.0)).unwrap();
        let [a, b, c] = mirrored.triangle(0);
        assert!((b - a).cross(&(c - a)).z > 0.0);
    }

    #[test]
    fn degeneracy_does_not_depend_on_the_unit_of_length() {
        for scale in [1e-9, 1.0, 1e9] {
            let points = corner_triangle().iter().map(|p| p * scale).collect::<Vec<_>>();
            let mesh = TriangleMesh::new(points, vec![[0, 1, 2], [0, 1, 1]]).unwrap();
            assert!(!mesh.is_degenerate(0) && mesh.is_degenerate(1));
        }
    }
}
