//! Convex hulls of points.
//!
//! A hull is made with exact predicates, so that no input is special: points may coincide, lie on a line, in a plane or
//! on a common sphere, be far from the origin or in any unit. Its vertices are given points, all of them extreme, in the
//! order in which they were given; its edges and polygons are those of the exact hull. *Facets* join what is flat to
//! within a millionth of the hull's size.

mod blunt;
mod climb;
mod exact;
mod facets;
mod plane;
mod rows;
mod skeleton;
mod space;
mod span;
#[cfg(test)]
mod tests;

use self::blunt::blunt_vertices;
use self::climb::Climb;
use self::exact::ExactPoints;
use self::facets::{Facets, Flat, Surface};
use self::rows::Rows;
use self::skeleton::{Edge, skeleton, triangles};
use self::span::Span;
use super::extreme::Support;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;
use nalgebra::{Point3, Unit, Vector3};

/// The convex hull of points.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexHull {
    vertices: Vec<Point3<f64>>,
    triangles: Vec<[u32; 3]>,
    skeleton: Rows<Edge>,
    facets: Facets,
    climb: Climb,
    center: Point3<f64>,
    radius: f64,
}

/// A flat part of a hull, frame of the hull.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facet<'a> {
    /// Outward normal.
    pub normal: Unit<Vector3<f64>>,
    /// Corners, as indices of vertices, counterclockwise seen from outside. They lie in one plane to within 1e-6 of the
    /// hull's size.
    pub corners: &'a [u32],
    /// The facets across the sides: the first across the side from the first corner to the second.
    pub neighbours: &'a [u32],
}

/// Greatest number of points: quickhull makes a few dozen faces for each in the worst case.
const MOST_POINTS: usize = 1 << 26;

impl ConvexHull {
    /// The hull of points [m]. Points that all coincide, lie on a line or in a plane have a hull too: a point, a segment
    /// or a polygon with two sides.
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
        if points.len() > MOST_POINTS {
            let (elements, count) = ("points of a hull", points.len() as u64);
            return Err(ShapeError::TooLarge { elements, count, limit: MOST_POINTS as u64 });
        }
        if let Some(index) = points.iter().position(|point| !point.iter().all(|x| x.is_finite())) {
            return Err(ShapeError::NotFinite { element: "point", index, point: points[index] });
        }
        let exact = ExactPoints::new(points);
        let (kept, polygons) = boundary(&exact);
        Ok(Self::of_boundary(points, &exact, &kept, &polygons))
    }

    /// Puts together what a hull consists of: the points that are kept, and polygons that name them.
    fn of_boundary(points: &[Point3<f64>], exact: &ExactPoints, kept: &[u32], polygons: &Rows<u32>) -> Self {
        let vertices: Vec<Point3<f64>> = kept.iter().map(|&index| points[index as usize]).collect();
        let scaled: Vec<Vector3<f64>> = kept.iter().map(|&index| exact.scaled(index)).collect();
        let (low, high) =
            scaled.iter().fold((scaled[0], scaled[0]), |(low, high), p| (low.inf(p), high.sup(p)));
        let (middle, size) = ((low + high) / 2.0, (high - low).norm());
        let around_middle: Vec<Vector3<f64>> = scaled.iter().map(|point| point - middle).collect();
        let skeleton = match polygons.len() {
            0 => segment(kept.len()),
            _ => skeleton(polygons, kept.len()),
        };
        let flats: Vec<Flat> = polygons.iter().map(|polygon| Flat::of(&scaled, polygon)).collect();
        let facets =
            Facets::of(&Surface { points: &scaled, size, polygons, skeleton: &skeleton, flats: &flats });
        let triangles = triangles(polygons);
        let center = centroid(&around_middle, &triangles);
        let radius = around_middle.iter().map(|point| (point - center).norm()).fold(0.0, f64::max);
        let is_blunt = blunt_vertices(&scaled, &skeleton, &flats);
        let coordinates: Vec<Vector3<f64>> = vertices.iter().map(|point| point.coords).collect();
        Self {
            climb: Climb::new(coordinates, &skeleton, is_blunt, size / exact.scale()),
            center: Point3::from((middle + center) / exact.scale()),
            radius: radius / exact.scale(),
            vertices,
            triangles,
            skeleton,
            facets,
        }
    }

    /// The extreme points [m], in the order in which they were given.
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
    /// [`ShapeError`] where there is no area: for a point, a segment and needles that are as thin as rounding.
    pub fn mesh(&self) -> Result<TriangleMesh, ShapeError> {
        TriangleMesh::new(self.vertices.clone(), self.triangles.clone())
    }

    /// The vertices at the other ends of a vertex's edges, in ascending order.
    ///
    /// # Panics
    /// When `vertex` is not below the number of vertices.
    pub fn neighbours(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.skeleton.row(vertex as usize).iter().map(|edge| edge.end)
    }

    /// The flat parts of the surface, the largest first. A flat hull has two; points, segments and needles thinner than 1e-9 of
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

    /// The facet that faces a direction, which must not be zero: of those at a vertex extreme in the direction,
    /// the one whose normal is nearest to it. Points, segments and needles have none.
    #[must_use]
    pub fn facet_towards(&self, direction: &Vector3<f64>) -> Option<Facet<'_>> {
        let vertex = self.climb.support(direction, super::extreme::START_ANYWHERE).vertex;
        self.facet_at(vertex, direction)
    }

    /// Of the facets at a vertex the one whose normal is nearest to a direction, which must not be zero.
    /// Points, segments and needles have none.
    ///
    /// # Panics
    /// When `vertex` is not below the number of vertices.
    #[must_use]
    pub fn facet_at(&self, vertex: u32, direction: &Vector3<f64>) -> Option<Facet<'_>> {
        let mut best = (f64::NEG_INFINITY, None);
        for edge in self.skeleton.row(vertex as usize) {
            let facet = *self.facets.of_polygon.get(edge.left as usize)?;
            let cosine = self.facets.normals.get(facet as usize)?.dot(direction);
            if cosine > best.0 {
                best = (cosine, Some(facet));
            }
        }
        best.1.map(|index| self.facet(index))
    }

    /// A point inside [m]: the centroid of the surface. That of a segment is its middle.
    #[must_use]
    pub fn center(&self) -> Point3<f64> {
        self.center
    }

    /// Greatest distance of a vertex from the centre [m].
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// A point extreme in a direction; the search may start at a vertex.
    #[inline(always)]
    pub(super) fn support(&self, direction: &Vector3<f64>, start: u32) -> Support {
        self.climb.support(direction, start)
    }
}

/// The points that are extreme, and the polygons of the surface with corners numbered among them.
fn boundary(points: &ExactPoints) -> (Vec<u32>, Rows<u32>) {
    let polygons = match Span::of(points) {
        Span::Point(point) => return (vec![point], Rows::new()),
        Span::Segment(ends) => return (ends.to_vec(), Rows::new()),
        Span::Plane(triangle) => {
            let front = plane::hull_in_plane(points, triangle);
            let mut sides = Rows::new();
            sides.push(front.iter().copied());
            sides.push(front.iter().rev().copied());
            sides
        }
        Span::Space(tetrahedron) => space::hull_in_space(points, tetrahedron),
    };
    let mut number = vec![0; points.len()];
    polygons.items().iter().for_each(|&corner| number[corner as usize] = 1);
    let kept: Vec<u32> = (0..points.len() as u32).filter(|&index| number[index as usize] > 0).collect();
    kept.iter().enumerate().for_each(|(own, &index)| number[index as usize] = own as u32);
    let polygons = polygons.map(|&corner| number[corner as usize]);
    (kept, polygons)
}

/// The edges of a segment or a point, which have no polygon on their left.
fn segment(vertices: usize) -> Rows<Edge> {
    let mut rows = Rows::new();
    for vertex in 0..vertices as u32 {
        let others = (0..vertices as u32).filter(|&other| other != vertex);
        rows.push(others.map(|end| Edge { end, left: u32::MAX }));
    }
    rows
}

/// Centroid of triangles; without any, the mean of the points.
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
