//! Shape of a link or an obstacle: its convex pieces, where it is a union of such, and its triangle model.
//!
//! A solid mesh whose connected components (by shared corners) are all closed and convex is the union of their hulls: then
//! signed distances are certified and cheap. Every hull contains its component, so a configuration free for the hulls is free
//! for the mesh.

use std::collections::HashMap;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3};

use super::oriented_box::LocalBox;
use crate::geometry::convex::hull::ConvexHull;
use crate::geometry::convex::shape::{ConvexShape, Core};
use crate::geometry::triangle_mesh::{Solidity, TriangleMesh};
use crate::proximity::model::Model;

/// Fraction of a component's radius by which the centroid of one of its triangles may lie inside its hull. A smaller
/// one rejects the rounding of flat faces in single-precision files; a larger one fills visible dents. No effect on the
/// sets of docs/sensitivity.md.
const DENT: f64 = 1e-5;
/// Relative difference between the volumes of a component and of its hull up to which the component fills its hull: a
/// layer of [`DENT`] radii below the surface of a ball is three times [`DENT`] of its volume, and more of other bodies.
const VOLUME_TOLERANCE: f64 = 10.0 * DENT;

/// A convex piece of a shape.
#[derive(Debug, Clone)]
pub struct Piece {
    pub shape: ConvexShape,
    /// Pose of the piece in the frame of the shape.
    pub pose: Isometry3<f64>,
    /// Centre [m, frame of the shape] and radius [m] of a bounding sphere of the piece.
    pub(crate) ball: (Point3<f64>, f64),
    /// Bounding box in the frame of its shape.
    pub(crate) bounds: LocalBox,
}

/// The shape of a link of a movable model or of an obstacle.
#[derive(Debug, Clone)]
pub struct Shape {
    model: Option<Arc<Model>>,
    pieces: Vec<Piece>,
}

impl Shape {
    /// The shape of a triangle model; a solid whose connected components are all closed and convex is recognised as the
    /// union of their hulls. A model that is shared is not copied.
    ///
    /// ```
    /// use extricate_core::geometry::Solidity;
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural, Torus};
    /// use extricate_core::penetration::generalized::Shape;
    /// use extricate_core::proximity::Model;
    ///
    /// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
    /// let torus = Model::new(Torus::default().mesh()?, Solidity::Solid);
    /// assert_eq!(Shape::of_model(cube).convex_pieces(), Some(1));
    /// assert_eq!(Shape::of_model(torus).convex_pieces(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_model(model: impl Into<Arc<Model>>) -> Self {
        let model = model.into();
        let hulls = if model.solidity() == Solidity::Solid { hulls(model.mesh()) } else { None };
        let piece = |hull| Piece::new(ConvexShape::hull(hull), Isometry3::identity());
        let pieces = hulls.unwrap_or_default().into_iter().map(piece).collect();
        Self { model: Some(model), pieces }
    }

    /// A convex shape: a primitive of a scene, or a hull.
    #[must_use]
    pub fn convex(shape: ConvexShape) -> Self {
        Self::of_pieces(vec![(shape, Isometry3::identity())])
    }

    /// The union of convex shapes, each at its pose in the frame of the shape.
    #[must_use]
    pub fn of_pieces(pieces: Vec<(ConvexShape, Isometry3<f64>)>) -> Self {
        let pieces = pieces.into_iter().map(|(shape, pose)| Piece::new(with_corners(shape), pose));
        Self { model: None, pieces: pieces.collect() }
    }

    /// The triangle model, if the shape was built from one.
    #[must_use]
    pub fn model(&self) -> Option<&Model> {
        self.model.as_deref()
    }

    /// The triangle model as a shared reference.
    pub fn shared_model(&self) -> Option<Arc<Model>> {
        self.model.clone()
    }

    /// Number of convex pieces; `None` where no convex decomposition is known.
    #[must_use]
    pub fn convex_pieces(&self) -> Option<usize> {
        (!self.pieces.is_empty()).then_some(self.pieces.len())
    }

    /// The same shape without its convex decomposition, known by its triangles alone.
    #[must_use]
    pub fn without_pieces(self) -> Self {
        let pieces = if self.model.is_some() { Vec::new() } else { self.pieces };
        Self { pieces, ..self }
    }

    /// The convex pieces and meshes that make up the shape.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Centre [m, frame of the shape] and radius \[m\] of a bounding sphere of all of it.
    pub fn ball(&self) -> (Point3<f64>, f64) {
        if let Some(model) = &self.model {
            return (model.center(), model.radius());
        }
        let Some(first) = self.pieces.first() else { return (Point3::origin(), 0.0) };
        let sum = self.pieces.iter().fold(nalgebra::Vector3::zeros(), |sum, piece| sum + piece.ball.0.coords);
        let center =
            if self.pieces.len() == 1 { first.ball.0 } else { Point3::from(sum / self.pieces.len() as f64) };
        let reach = |piece: &Piece| (piece.ball.0 - center).norm() + piece.ball.1;
        (center, self.pieces.iter().map(reach).fold(0.0, f64::max))
    }
}

impl Piece {
    fn new(shape: ConvexShape, pose: Isometry3<f64>) -> Self {
        let (center, radius) = shape.bounding_sphere();
        let bounds = LocalBox::of(&shape);
        Self { shape, pose, ball: (pose * center, radius), bounds }
    }
}

/// Replaces a box without rounding by the hull of its corners, because only hulls have facets to take contact rows from.
fn with_corners(shape: ConvexShape) -> ConvexShape {
    match *shape.core() {
        Core::Cuboid { half_extents: h } if shape.radius() <= 0.0 && h.iter().all(|&x| x > 0.0) => {
            let side = |i: u32, axis: usize| if i >> axis & 1 == 0 { -h[axis] } else { h[axis] };
            let corners: Vec<_> = (0..8).map(|i| Point3::new(side(i, 0), side(i, 1), side(i, 2))).collect();
            ConvexHull::new(&corners).map_or(shape, |hull| ConvexShape::hull(Arc::new(hull)))
        }
        _ => shape,
    }
}

/// The hulls of the components of a mesh, if all are closed and convex. Pieces that touch share positions but no vertices,
/// so components by vertex are tried first; triangles that were never welded share only positions.
fn hulls(mesh: &TriangleMesh) -> Option<Vec<Arc<ConvexHull>>> {
    let of_components = |by_place: bool| -> Option<Vec<_>> {
        components(mesh, by_place).iter().map(|triangles| hull(mesh, triangles)).collect()
    };
    of_components(false).or_else(|| of_components(true))
}

/// The hull of a component, if the component is the surface of that hull.
fn hull(mesh: &TriangleMesh, triangles: &[usize]) -> Option<Arc<ConvexHull>> {
    let corners: Vec<Point3<f64>> = triangles.iter().flat_map(|&i| mesh.triangle(i)).collect();
    let hull = ConvexHull::new(&corners).ok()?;
    let origin = hull.center();
    let volume = |[a, b, c]: [Point3<f64>; 3]| (a - origin).cross(&(b - origin)).dot(&(c - origin));
    let own: f64 = triangles.iter().map(|&i| volume(mesh.triangle(i))).sum();
    let vertices = hull.vertices();
    let whole: f64 = hull.triangles().iter().map(|t| volume(t.map(|i| vertices[i as usize]))).sum();
    // A surface that lies on its hull, is oriented outwards and has the hull's volume covers it exactly once: every triangle
    // on the hull adds a non-negative volume seen from an inner point.
    let fills = whole > 0.0 && (own - whole).abs() <= VOLUME_TOLERANCE * whole;
    let dent = DENT * hull.radius();
    let lies_on_hull = |&i: &usize| {
        let [a, b, c] = mesh.triangle(i);
        let middle = Point3::from((a.coords + b.coords + c.coords) / 3.0);
        let height = |facet: crate::geometry::convex::Facet<'_>| {
            facet.normal.dot(&(vertices[facet.corners[0] as usize] - middle))
        };
        let [a, b, c] = mesh.triangle(i);
        // On a convex surface the facet that faces as the triangle does is the one.
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0);
        let own = normal.and_then(|normal| hull.facet_towards(&normal));
        own.is_some_and(|facet| height(facet) <= dent)
            || hull.facets().map(height).any(|height| height <= dent)
    };
    (fills && triangles.iter().all(lies_on_hull)).then(|| Arc::new(hull))
}

/// The triangles of each connected component, by shared vertices or by shared positions; degenerate triangles are left out.
fn components(mesh: &TriangleMesh, by_place: bool) -> Vec<Vec<usize>> {
    let mut first_at: HashMap<[u64; 3], u32> = HashMap::new();
    let mut parents: Vec<u32> = (0..mesh.vertices().len() as u32).collect();
    for (index, vertex) in mesh.vertices().iter().enumerate().filter(|_| by_place) {
        // Adding zero maps −0 to 0, which have different bits.
        let place = [vertex.x + 0.0, vertex.y + 0.0, vertex.z + 0.0].map(f64::to_bits);
        parents[index] = *first_at.entry(place).or_insert(index as u32);
    }
    let retained: Vec<usize> = (0..mesh.triangles().len()).filter(|&i| !mesh.is_degenerate(i)).collect();
    for &i in &retained {
        let [a, b, c] = mesh.triangles()[i];
        for other in [b, c] {
            let (one, two) = (root(&mut parents, a), root(&mut parents, other));
            parents[one.max(two) as usize] = one.min(two);
        }
    }
    let mut number: HashMap<u32, usize> = HashMap::new();
    let mut components: Vec<Vec<usize>> = Vec::new();
    for i in retained {
        let next = number.len();
        let component = *number.entry(root(&mut parents, mesh.triangles()[i][0])).or_insert(next);
        components.resize_with(components.len().max(component + 1), Vec::new);
        components[component].push(i);
    }
    components
}

/// The root of a vertex's set in the union-find forest, with path halving.
fn root(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        let above = parents[parents[at as usize] as usize];
        parents[at as usize] = above;
        at = above;
    }
    at
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::geometry::procedural::{BumpySphere, Cuboid, Procedural, Sphere};

    fn shape(mesh: TriangleMesh) -> Shape {
        Shape::of_model(Model::new(mesh, Solidity::Solid))
    }

    /// A cube with its last corner pushed in along the diagonal.
    fn dented(by: f64) -> TriangleMesh {
        let cube = Cuboid::default().mesh().unwrap();
        let mut vertices = cube.vertices().to_vec();
        let last = vertices.len() - 1;
        vertices[last] = Point3::from(vertices[last].coords * (1.0 - by));
        TriangleMesh::new(vertices, cube.triangles().to_vec()).unwrap()
    }

    fn joined(meshes: &[TriangleMesh]) -> TriangleMesh {
        TriangleMesh::joined(meshes.iter().cloned()).unwrap()
    }

    #[test]
    fn overlapping_convex_components_are_as_many_pieces_in_every_unit() {
        let cube = Cuboid::default().mesh().unwrap();
        let ball = Sphere::default().mesh().unwrap();
        for unit in [1e-3, 1.0, 1e3] {
            let moved = ball.transformed(&Isometry3::translation(0.3, 0.2, 0.1));
            let both = joined(&[cube.clone(), moved]).scaled(&Vector3::repeat(unit)).unwrap();
            assert_eq!(shape(both).convex_pieces(), Some(2));
        }
    }

    #[test]
    fn what_has_a_dent_a_hole_or_its_inside_out_is_no_union_of_hulls() {
        assert_eq!(shape(BumpySphere::default().mesh().unwrap()).convex_pieces(), None);
        let cube = Cuboid::default().mesh().unwrap();
        let open = TriangleMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec()).unwrap();
        assert_eq!(shape(open).convex_pieces(), None);
        assert_eq!(shape(cube.reversed()).convex_pieces(), None);
        let hollow = joined(&[cube.clone(), cube.reversed().scaled(&Vector3::repeat(0.5)).unwrap()]);
        assert_eq!(shape(hollow).convex_pieces(), None);
        // Pushing in one corner of a cube leaves three dents or none, depending on how its faces are split.
        assert_eq!(shape(dented(0.0)).convex_pieces(), Some(1));
        assert_eq!(shape(dented(0.9)).convex_pieces(), None);
    }
}
