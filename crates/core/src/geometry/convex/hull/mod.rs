//! Convex hulls of points.
//!
//! Hulls are built with exact predicates, so that there are no degenerate inputs: points may be coincident, collinear, coplanar
//! or cospherical, far from the origin and in any unit. The vertices are the extreme ones of the given points, in the given
//! order; edges and polygons are those of the exact hull. *Facets* merge polygons that are coplanar to within a millionth of
//! the hull's size.

mod blunt;
mod exact;
mod facets;
mod hill_climbing;
mod initial_simplex;
mod plane;
mod rows;
mod skeleton;
mod space;
#[cfg(test)]
mod tests;

use self::blunt::blunt_vertices;
use self::exact::ExactPoints;
use self::facets::{Facets, PolygonArea, Surface};
use self::hill_climbing::HillClimbing;
use self::initial_simplex::InitialSimplex;
use self::rows::Rows;
use self::skeleton::{Edge, skeleton, triangles};
use super::extreme::Support;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;
use nalgebra::{Point3, Unit, Vector3};

/// Convex hull of points.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexHull {
    vertices: Vec<Point3<f64>>,
    triangles: Vec<[u32; 3]>,
    skeleton: Rows<Edge>,
    facets: Facets,
    hill_climbing: HillClimbing,
    center: Point3<f64>,
    radius: f64,
}

/// A flat part of a hull, frame of the hull.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facet<'a> {
    /// Outward normal.
    pub normal: Unit<Vector3<f64>>,
    /// Corners, as indices of vertices, counterclockwise seen from outside. They are coplanar to within 1e-6 of the
    /// hull's size.
    pub corners: &'a [u32],
    /// Adjacent facets across the sides: the first across the side from the first corner to the second.
    pub neighbours: &'a [u32],
}

/// Maximum number of points: quickhull creates a few dozen faces for each in the worst case, which are indexed with 32 bits.
const MAX_POINTS: usize = 1 << 26;

impl ConvexHull {
    /// Convex hull of points \[m\]. Coincident, collinear and coplanar points have a hull too: a point, a segment or a polygon
    /// with two sides.
    ///
    /// ```
    /// use extricate_core::geometry::convex::ConvexHull;
    /// use nalgebra::{Point3, Vector3};
    ///
    /// let grid = |i: u32| Point3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9));
    /// let cube = ConvexHull::new(&(0..27).map(grid).collect::<Vec<_>>())?;
    /// assert_eq!((cube.vertices().len(), cube.facets().len()), (8, 6));
    /// assert_eq!(cube.facet_towards(&Vector3::new(0.1, 0.2, 1.0)).map(|facet| facet.normal), Some(Vector3::z_axis()));
    /// # Ok::<(), extricate_core::geometry::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] without points, for coordinates that are not finite, and for more than 67 million points.
    pub fn new(points: &[Point3<f64>]) -> Result<Self, ShapeError> {
        if points.is_empty() {
            return Err(ShapeError::NoPoints);
        }
        if points.len() > MAX_POINTS {
            let (elements, count) = ("points of a hull", points.len() as u64);
            return Err(ShapeError::TooLarge { elements, count, limit: MAX_POINTS as u64 });
        }
        if let Some(index) = points.iter().position(|point| !point.iter().all(|x| x.is_finite())) {
            return Err(ShapeError::NotFinite { element: "point", index, point: points[index] });
        }
        let exact = ExactPoints::new(points);
        let (extreme, polygons) = boundary(&exact);
        Ok(Self::of_boundary(points, &exact, &extreme, &polygons))
    }

    /// Assembles a hull from the indices of the extreme points, and polygons that are indices of these.
    fn of_boundary(
        points: &[Point3<f64>],
        exact: &ExactPoints,
        extreme: &[u32],
        polygons: &Rows<u32>,
    ) -> Self {
        let vertices: Vec<Point3<f64>> = extreme.iter().map(|&index| points[index as usize]).collect();
        // Areas and normals are computed in scaled coordinates, where no product underflows or overflows.
        let scaled: Vec<Vector3<f64>> = extreme.iter().map(|&index| exact.scaled(index)).collect();
        let (low, high) =
            scaled.iter().fold((scaled[0], scaled[0]), |(low, high), p| (low.inf(p), high.sup(p)));
        let (middle, size) = ((low + high) / 2.0, (high - low).norm());
        let around_middle: Vec<Vector3<f64>> = scaled.iter().map(|point| point - middle).collect();
        let skeleton = match polygons.len() {
            0 => segment(extreme.len()),
            _ => skeleton(polygons, extreme.len()),
        };
        let areas: Vec<PolygonArea> =
            polygons.iter().map(|polygon| PolygonArea::of(&scaled, polygon)).collect();
        let facets =
            Facets::of(&Surface { points: &scaled, size, polygons, skeleton: &skeleton, areas: &areas });
        let triangles = triangles(polygons);
        let center = centroid(&around_middle, &triangles);
        let radius = around_middle.iter().map(|point| (point - center).norm()).fold(0.0, f64::max);
        let is_blunt = blunt_vertices(&scaled, &skeleton, &areas);
        let coordinates: Vec<Vector3<f64>> = vertices.iter().map(|point| point.coords).collect();
        Self {
            hill_climbing: HillClimbing::new(coordinates, &skeleton, is_blunt, size / exact.scale()),
            center: Point3::from((middle + center) / exact.scale()),
            radius: radius / exact.scale(),
            vertices,
            triangles,
            skeleton,
            facets,
        }
    }

    /// Vertices \[m\]: the extreme points in the order in which they were given.
    #[must_use]
    pub fn vertices(&self) -> &[Point3<f64>] {
        &self.vertices
    }

    /// Triangles of the surface, #T × 3 indices of vertices, counterclockwise seen from outside. A flat hull has
    /// them on both sides; a segment and a point have none.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The surface as a triangle mesh: closed, outside outwards.
    ///
    /// # Errors
    /// [`ShapeError`] for hulls without area: a point, a segment and needles as thin as rounding.
    pub fn mesh(&self) -> Result<TriangleMesh, ShapeError> {
        TriangleMesh::new(self.vertices.clone(), self.triangles.clone())
    }

    /// Adjacent vertices of a vertex, in ascending order.
    ///
    /// # Panics
    /// When `vertex` is not below the number of vertices.
    pub fn neighbours(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.skeleton.row(vertex as usize).iter().map(|edge| edge.end)
    }

    /// Flat parts of the surface, the largest first. A flat hull has two; points, segments and needles thinner than 1e-9 of
    /// their length have none.
    #[must_use]
    pub fn facets(&self) -> impl ExactSizeIterator<Item = Facet<'_>> {
        (0..self.facets.normals.len()).map(|index| self.facet(index as u32))
    }

    /// A flat part of the surface.
    ///
    /// # Panics
    /// When `index` is not below the number of facets.
    #[must_use]
    pub fn facet(&self, index: u32) -> Facet<'_> {
        let index = index as usize;
        Facet {
            normal: self.facets.normals[index],
            corners: self.facets.loops.row(index),
            neighbours: self.facets.neighbours.row(index),
        }
    }

    /// Facet that faces a direction, which must not be zero: among those at the support vertex of the direction, the one whose
    /// normal is closest to it. Points, segments and needles have none.
    #[must_use]
    pub fn facet_towards(&self, direction: &Vector3<f64>) -> Option<Facet<'_>> {
        let vertex = self.hill_climbing.support(direction, super::extreme::START_ANYWHERE).vertex;
        self.facet_at(vertex, direction)
    }

    /// Facet that rests on a plane across a direction, which must not be zero, or would after the smallest rotation about a support vertex of this direction: of the
    /// two facets at the edge of the vertex that is nearest to the plane, the one whose normal is closer to the direction. It holds both ends of an edge that lies in the plane,
    /// whichever of them is the vertex; another facet at the vertex may have a closer normal. Points, segments and needles have none.
    ///
    /// # Panics
    /// When `vertex` is not below the number of vertices.
    #[must_use]
    pub fn resting_facet(&self, vertex: u32, direction: &Vector3<f64>) -> Option<Facet<'_>> {
        let start = self.vertices[vertex as usize];
        let row = self.skeleton.row(vertex as usize);
        let rise = |edge: &&Edge| {
            let along = self.vertices[edge.end as usize] - start;
            along.dot(direction) / along.norm()
        };
        let nearest = row.iter().max_by(|a, b| rise(a).total_cmp(&rise(b)))?;
        let back = self.skeleton.row(nearest.end as usize).iter().find(|edge| edge.end == vertex)?;
        let mut best = (f64::NEG_INFINITY, None);
        for polygon in [nearest.left, back.left] {
            // `u32::MAX` stands for no polygon or no facet, and is out of range.
            let facet = *self.facets.of_polygon.get(polygon as usize)?;
            let cosine = self.facets.normals.get(facet as usize)?.dot(direction);
            if cosine > best.0 {
                best = (cosine, Some(facet));
            }
        }
        best.1.map(|index| self.facet(index))
    }

    /// Among the facets at a vertex, the one whose normal is closest to a direction, which must not be zero.
    /// Points, segments and needles have none.
    fn facet_at(&self, vertex: u32, direction: &Vector3<f64>) -> Option<Facet<'_>> {
        let mut best = (f64::NEG_INFINITY, None);
        for edge in self.skeleton.row(vertex as usize) {
            // `u32::MAX` stands for no polygon or no facet, and is out of range: the hull is a point, a segment or a needle.
            let facet = *self.facets.of_polygon.get(edge.left as usize)?;
            let cosine = self.facets.normals.get(facet as usize)?.dot(direction);
            if cosine > best.0 {
                best = (cosine, Some(facet));
            }
        }
        best.1.map(|index| self.facet(index))
    }

    /// A point inside \[m\]: the centroid of the surface, the midpoint of a segment.
    #[must_use]
    pub fn center(&self) -> Point3<f64> {
        self.center
    }

    /// Maximum distance of a vertex from the centre \[m\].
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The hull scaled by a factor above zero about the origin of its frame; nothing is computed anew.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        Self {
            vertices: self.vertices.iter().map(|vertex| vertex * factor).collect(),
            hill_climbing: self.hill_climbing.scaled(factor),
            center: self.center * factor,
            radius: self.radius * factor,
            ..self.clone()
        }
    }

    /// Support point in a direction; `start` is a vertex as warm start.
    #[inline(always)]
    pub(super) fn support(&self, direction: &Vector3<f64>, start: u32) -> Support {
        self.hill_climbing.support(direction, start)
    }
}

/// Indices of the extreme points, and the polygons of the surface, whose corners are indices of these.
fn boundary(points: &ExactPoints) -> (Vec<u32>, Rows<u32>) {
    let polygons = match InitialSimplex::of(points) {
        InitialSimplex::Point(point) => return (vec![point], Rows::new()),
        InitialSimplex::Segment(ends) => return (ends.to_vec(), Rows::new()),
        InitialSimplex::Plane(triangle) => {
            let front = plane::hull_in_plane(points, triangle);
            let mut sides = Rows::new();
            sides.push(front.iter().copied());
            sides.push(front.iter().rev().copied());
            sides
        }
        InitialSimplex::Space(tetrahedron) => space::hull_in_space(points, tetrahedron),
    };
    let mut number = vec![0; points.len()];
    polygons.items().iter().for_each(|&corner| number[corner as usize] = 1);
    let extreme: Vec<u32> = (0..points.len() as u32).filter(|&index| number[index as usize] > 0).collect();
    extreme.iter().enumerate().for_each(|(own, &index)| number[index as usize] = own as u32);
    let polygons = polygons.map(|&corner| number[corner as usize]);
    (extreme, polygons)
}

/// Edges of a segment or a point, which have no polygon on their left.
fn segment(vertices: usize) -> Rows<Edge> {
    let mut rows = Rows::new();
    for vertex in 0..vertices as u32 {
        let others = (0..vertices as u32).filter(|&other| other != vertex);
        rows.push(others.map(|end| Edge { end, left: u32::MAX }));
    }
    rows
}

/// Centroid of triangles, or the mean of the points if there are none.
fn centroid(points: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Vector3<f64> {
    let (mut weighted, mut total) = (Vector3::zeros(), 0.0);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|index| points[index as usize]);
        let area = (b - a).cross(&(c - a)).norm();
        weighted += area * (a + b + c) / 3.0;
        total += area;
    }
    if total > 0.0 { weighted / total } else { points.iter().sum::<Vector3<f64>>() / points.len() as f64 }
}
