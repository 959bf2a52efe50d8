//! Exact collision test of two triangles of one mesh beyond the corners that they share.
//!
//! Every decision is the sign of a determinant of coordinates. Adaptive floating-point predicates compute it exactly
//! unless a product underflows or overflows [Shewchuk97]; coordinates are therefore scaled by a power of two.

use nalgebra::Point3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Corners of a triangle, scaled.
type Triangle = [Coord3D<f64>; 3];

/// Exact test of pairs of triangles of one mesh.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExactTest {
    /// The power of two by which coordinates are multiplied: they are then at most one.
    scale: f64,
    touching: bool,
}

/// Fraction of the maximum coordinate below which a coordinate counts as zero: 2⁻²⁰⁰. All that remain are multiples of
/// 2⁻²⁵³, so that no product of three underflows, and the predicates are exact.
const SMALLEST: f64 = 6.223_015_277_861_142e-61;
/// Maximum exponent of the scale; coordinates smaller than its reciprocal have few digits left anyway.
const LARGEST_EXPONENT: i32 = 1000;

impl ExactTest {
    /// A test for triangles whose coordinates are at most `max` [m].
    pub(super) fn new(max: f64, touching: bool) -> Self {
        let exponent = if max > 0.0 { -max.log2().floor() as i32 } else { 0 };
        let scale = 2_f64.powi(exponent.clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT));
        Self { scale, touching }
    }

    fn scaled(&self, triangle: &[Point3<f64>; 3]) -> Triangle {
        let number = |x: f64| if x.abs() * self.scale < SMALLEST { 0.0 } else { x * self.scale };
        triangle.map(|p| Coord3D { x: number(p.x), y: number(p.y), z: number(p.z) })
    }

    /// Whether the two triangles, both with an area, collide; the table of the parent module.
    pub(super) fn collide(
        &self,
        first: &[Point3<f64>; 3],
        second: &[Point3<f64>; 3],
        shared: &Shared,
    ) -> bool {
        if shared.count == 3 {
            return true;
        }
        let (p, q) = (self.scaled(first), self.scaled(second));
        let (Some(q_sides), Some(p_sides)) =
            (straddles(&p, &q, &shared.of_q), straddles(&q, &p, &shared.of_p))
        else {
            return false;
        };
        // Shared corners count as 0: with all three in the plane the triangles are coplanar.
        if q_sides == [0; 3] {
            return self.coplanar_collide(&p, &q, shared);
        }
        match shared.count {
            2 => false,
            _ if !self.touching => interiors_cross(&p, &p_sides, &q, &q_sides),
            1 => opposite_edge_meets(&p, &shared.of_p, &q) || opposite_edge_meets(&q, &shared.of_q, &p),
            _ => any_edge_meets(&p, &q) || any_edge_meets(&q, &p),
        }
    }

    fn coplanar_collide(&self, p: &Triangle, q: &Triangle, shared: &Shared) -> bool {
        let axis = axis_of_area(p);
        let (p, q) = (flattened(p, axis), flattened(q, axis));
        match shared.count {
            0 if self.touching => !is_beyond_an_edge(&p, &q, f64::lt) && !is_beyond_an_edge(&q, &p, f64::lt),
            1 if self.touching => {
                let meets = |edge_of: &Flat, is_shared: &[bool; 3], other: &Flat| {
                    segment_meets_flat(opposite_edge(edge_of, is_shared), other)
                };
                meets(&p, &shared.of_p, &q) || meets(&q, &shared.of_q, &p)
            }
            _ => !is_beyond_an_edge(&p, &q, f64::le) && !is_beyond_an_edge(&q, &p, f64::le),
        }
    }
}

/// The corners that two triangles share: those with equal coordinates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared {
    count: usize,
    of_p: [bool; 3],
    of_q: [bool; 3],
}

impl Shared {
    #[expect(clippy::float_cmp, reason = "places are one where all coordinates are equal")]
    pub(super) fn of(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3]) -> Self {
        let mut shared = Self { count: 0, of_p: [false; 3], of_q: [false; 3] };
        for i in 0..3 {
            for j in 0..3 {
                if p[i].x == q[j].x && p[i].y == q[j].y && p[i].z == q[j].z {
                    shared.count += 1;
                    (shared.of_p[i], shared.of_q[j]) = (true, true);
                }
            }
        }
        shared
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The first shared corner of the first triangle, of which there must be one.
    pub(super) fn first_of_p(&self) -> usize {
        first(&self.of_p)
    }

    /// The first shared corner of the second triangle, of which there must be one.
    pub(super) fn first_of_q(&self) -> usize {
        first(&self.of_q)
    }
}

fn first(shared: &[bool; 3]) -> usize {
    shared.iter().position(|&is_shared| is_shared).expect("a corner is shared")
}

/// The sides of the plane of triangle `plane` on which the corners are, 0 for those that are `shared`; `None` when no
/// point of the triangle except the shared ones can be in the plane.
fn straddles(plane: &Triangle, corners: &Triangle, shared: &[bool; 3]) -> Option<[i8; 3]> {
    let mut sides = [0; 3];
    let (mut above, mut below, mut within) = (false, false, false);
    for i in 0..3 {
        if shared[i] {
            continue;
        }
        sides[i] = -sign(orient3d(plane[0], plane[1], plane[2], corners[i]));
        above |= sides[i] > 0;
        below |= sides[i] < 0;
        within |= sides[i] == 0;
    }
    (within || above && below).then_some(sides)
}

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// Whether an edge of `edges_of` meets `other`; the triangles are not coplanar.
fn any_edge_meets(edges_of: &Triangle, other: &Triangle) -> bool {
    (0..3).any(|i| segment_meets([edges_of[i], edges_of[(i + 1) % 3]], other))
}

/// Whether the edge opposite the one shared corner meets the other triangle; the triangles are not coplanar.
///
/// The intersection of two triangles is convex. If it is more than the corner, then a ray from the corner runs through
/// it, and leaves it where it leaves one of the two triangles: through the edge opposite the corner.
fn opposite_edge_meets(edge_of: &Triangle, shared: &[bool; 3], other: &Triangle) -> bool {
    segment_meets(opposite_edge(edge_of, shared), other)
}

/// The edge opposite the one shared corner.
fn opposite_edge<T: Copy>(corners: &[T; 3], shared: &[bool; 3]) -> [T; 2] {
    let corner = first(shared);
    [corners[(corner + 1) % 3], corners[(corner + 2) % 3]]
}

/// Whether a segment meets a triangle, both closed.
fn segment_meets([from, to]: [Coord3D<f64>; 2], triangle: &Triangle) -> bool {
    let [a, b, c] = *triangle;
    let ends = [from, to].map(|end| sign(orient3d(a, b, c, end)));
    if ends[0] * ends[1] > 0 {
        return false;
    }
    if ends == [0, 0] {
        let axis = axis_of_area(triangle);
        return segment_meets_flat([from, to].map(|end| flat_point(&end, axis)), &flattened(triangle, axis));
    }
    // The line of the segment passes through the triangle if it passes all edges on the same side.
    let signs = [(a, b), (b, c), (c, a)].map(|(x, y)| sign(orient3d(from, to, x, y)));
    signs.iter().all(|&sign| sign >= 0) || signs.iter().all(|&sign| sign <= 0)
}

/// Whether the interiors of two triangles that are not coplanar have a point in common; `sides` as in [`straddles`].
///
/// Each interior meets the plane of the other triangle in an open interval of the line that both planes share, if it
/// has corners on both sides. Two signs decide whether the intervals overlap [Guigue and Devillers, JGT 8 (2003)].
fn interiors_cross(p: &Triangle, p_sides: &[i8; 3], q: &Triangle, q_sides: &[i8; 3]) -> bool {
    let crosses = |sides: &[i8; 3]| sides.contains(&1) && sides.contains(&-1);
    if !crosses(p_sides) || !crosses(q_sides) {
        return false;
    }
    // The interval is bounded by the edges from the corner that is alone on its side; where one corner is in the plane,
    // either of the two others serves.
    let alone = |sides: &[i8; 3]| {
        (0..3)
            .find(|&i| sides[i] != 0 && (1..3).all(|k| sides[(i + k) % 3] != sides[i]))
            .expect("both sides are there")
    };
    let (i, j) = (alone(p_sides), alone(q_sides));
    // Canonical order: the lone corners are above; the others are swapped where they are below.
    let canonical = |t: &Triangle, i: usize, is_flipped: bool| {
        let (next, last) = (t[(i + 1) % 3], t[(i + 2) % 3]);
        if is_flipped { [t[i], last, next] } else { [t[i], next, last] }
    };
    let p = canonical(p, i, q_sides[j] < 0);
    let q = canonical(q, j, p_sides[i] < 0);
    orient3d(q[1], q[0], p[0], p[1]) < 0.0 && orient3d(q[2], q[0], p[2], p[0]) < 0.0
}

/// Corners of a triangle in a projection along an axis.
type Flat = [Coord<f64>; 3];

/// The axis along which the projection of a triangle has the maximum area.
fn axis_of_area(triangle: &Triangle) -> usize {
    let area = |axis: usize| {
        let [a, b, c] = flattened(triangle, axis);
        orient2d(a, b, c).abs()
    };
    (1..3).fold(0, |best, axis| if area(axis) > area(best) { axis } else { best })
}

fn flattened(triangle: &Triangle, axis: usize) -> Flat {
    triangle.map(|corner| flat_point(&corner, axis))
}

fn flat_point(point: &Coord3D<f64>, axis: usize) -> Coord<f64> {
    match axis {
        0 => Coord { x: point.y, y: point.z },
        1 => Coord { x: point.z, y: point.x },
        _ => Coord { x: point.x, y: point.y },
    }
}

/// Twice the signed area of one edge and a point, positive on the triangle's side of the edge.
fn inwards(triangle: &Flat, edge: usize, point: Coord<f64>) -> f64 {
    let [from, to, apex] = [0, 1, 2].map(|k| triangle[(edge + k) % 3]);
    let area = orient2d(from, to, point);
    if orient2d(from, to, apex) < 0.0 { -area } else { area }
}

/// Whether all of `other` is beyond the line of an edge of the triangle; `beyond` compares with zero.
fn is_beyond_an_edge(triangle: &Flat, other: &[Coord<f64>], beyond: fn(&f64, &f64) -> bool) -> bool {
    (0..3).any(|edge| other.iter().all(|&corner| beyond(&inwards(triangle, edge, corner), &0.0)))
}

/// Whether a segment meets a triangle, both closed and in one plane.
fn segment_meets_flat(segment: [Coord<f64>; 2], triangle: &Flat) -> bool {
    let signs = triangle.map(|corner| orient2d(segment[0], segment[1], corner));
    let is_beside = signs.iter().all(|&sign| sign > 0.0) || signs.iter().all(|&sign| sign < 0.0);
    !is_beside && !is_beyond_an_edge(triangle, &segment, f64::lt)
}
