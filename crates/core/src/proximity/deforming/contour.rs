//! Contour test [TCYM08]: whether the projection of a closed contour with moving vertices stays simple throughout the step.
//!
//! Every pair of edges has to be proved disjoint: by boxes around their paths, by a separating line, or by the side of one
//! edge on which both ends of the other one stay. Pairs without a proof count as intersecting.
//!
//! Coordinates in the plane are rounded, and all comparisons include a margin for it.

use nalgebra::{Point3, Vector3};

use crate::bvh::lanes::isa::{Isa, Mask, Portable, Single};
use crate::bvh::swept::outwards;

/// Rounding of a coordinate in the plane, relative to the maximum distance in space: a difference and a scalar
/// product; doubled.
const POINT_ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Rounding of twice an area relative to the square of that distance: eight products of two sums of two
/// coordinates; doubled.
const AREA_ROUNDING: f64 = 16.0 * 16.0 * f64::EPSILON;
/// Number of edges whose boxes are compared with that of another edge at a time.
const LANES: usize = 8;

/// Point in the plane.
type Point2 = [f64; 2];

/// Test of contours, with buffers that are reused between them.
#[derive(Default)]
pub(super) struct Contours {
    /// Projected vertices at the start and at the end.
    points: Vec<[Point2; 2]>,
    /// Boxes around the paths of the edges from each vertex to the next: `bounds[min x, max x, min y, max y][edge]`;
    /// padded with boxes that overlap nothing.
    bounds: [Vec<f32>; 4],
    /// Maximum 1-norm distance of a vertex from the first one, in space.
    reach: f64,
}

impl Contours {
    /// Whether the loop through `contour` (indices of positions) stays simple in the projection onto `plane` while its
    /// vertices move from `start` to `end`. `true` is a proof.
    pub(super) fn stays_simple(
        &mut self,
        contour: &[u32],
        start: &[Point3<f64>],
        end: &[Point3<f64>],
        plane: &[Vector3<f64>; 2],
    ) -> bool {
        self.project(contour, start, end, plane);
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            return unsafe { self.is_simple_avx2() };
        }
        self.is_simple::<Portable>()
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn is_simple_avx2(&self) -> bool {
        self.is_simple::<crate::bvh::lanes::Avx2>()
    }

    #[inline(always)]
    fn is_simple<I: Isa>(&self) -> bool {
        let count = self.points.len();
        (0..count).all(|edge| self.is_apart_from_later_edges::<I>(edge, count))
    }

    /// Projects the contour onto the plane, relative to its first vertex, and bounds its edges.
    fn project(
        &mut self,
        contour: &[u32],
        start: &[Point3<f64>],
        end: &[Point3<f64>],
        plane: &[Vector3<f64>; 2],
    ) {
        let origin = start[contour[0] as usize];
        self.points.clear();
        self.reach = 0.0;
        for &vertex in contour {
            let mut projected = [[0.0; 2]; 2];
            for (point, positions) in projected.iter_mut().zip([start, end]) {
                let from_origin = positions[vertex as usize] - origin;
                let reach = from_origin.x.abs() + from_origin.y.abs() + from_origin.z.abs();
                // Comparisons instead of `max`: one instruction each.
                self.reach = if reach > self.reach { reach } else { self.reach };
                *point = [plane[0].dot(&from_origin), plane[1].dot(&from_origin)];
            }
            self.points.push(projected);
        }
        self.bound_edges();
    }

    /// Computes boxes around the paths of the edges, enlarged by the rounding.
    fn bound_edges(&mut self) {
        let count = self.points.len();
        let margin = POINT_ROUNDING * self.reach;
        // Rows start at any edge, so that the last one may extend beyond a multiple of the lanes.
        let filled = count.next_multiple_of(LANES) + LANES;
        for bound in &mut self.bounds {
            bound.clear();
            bound.resize(filled, f32::INFINITY);
        }
        for edge in 0..count {
            let [a, b] = [self.points[edge], self.points[(edge + 1) % count]];
            for axis in 0..2 {
                let values = [a[0][axis], a[1][axis], b[0][axis], b[1][axis]];
                let low = values.into_iter().fold(f64::INFINITY, f64::min);
                let high = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
                self.bounds[2 * axis][edge] = outwards(low - margin, -1.0);
                self.bounds[2 * axis + 1][edge] = outwards(high + margin, 1.0);
            }
        }
    }

    /// Whether an edge is proved disjoint from all later ones.
    #[inline(always)]
    fn is_apart_from_later_edges<I: Isa>(&self, edge: usize, count: usize) -> bool {
        let mut first = edge + 1;
        while first < count {
            let mut near = self.near::<I>(edge, first);
            while near != 0 {
                let other = first + near.trailing_zeros() as usize;
                near &= near - 1;
                if other < count && !self.are_apart(edge, other, count) {
                    return false;
                }
            }
            first += LANES;
        }
        true
    }

    /// Mask of the edges, of [`LANES`] consecutive ones, whose boxes overlap that of `edge`.
    #[inline(always)]
    fn near<I: Isa>(&self, edge: usize, first: usize) -> u32 {
        let mut bits = 0xff;
        for axis in 0..2 {
            let (lows, highs) = (&self.bounds[2 * axis], &self.bounds[2 * axis + 1]);
            let lanes = |bounds: &[f32]| {
                let lanes = bounds[first..first + LANES].first_chunk().expect("padded to whole rows");
                I::Single::load(lanes)
            };
            let starts_before = lanes(lows).less_or_equal(I::Single::splat(highs[edge]));
            let ends_after = I::Single::splat(lows[edge]).less_or_equal(lanes(highs));
            bits &= (starts_before & ends_after).bits();
        }
        bits
    }

    /// Whether two edges are proved to have nothing in common except the vertex between them.
    fn are_apart(&self, edge: usize, other: usize, count: usize) -> bool {
        let [a, b] = [self.points[edge], self.points[(edge + 1) % count]];
        let [c, d] = [self.points[other], self.points[(other + 1) % count]];
        if other == edge + 1 {
            return self.opens(&a, &b, &d);
        }
        if (other + 1) % count == edge {
            return self.opens(&c, &a, &b);
        }
        // Each of these tests alone is a proof.
        self.keeps_to_a_side([&a, &b], [&c, &d])
            || self.keeps_to_a_side([&c, &d], [&a, &b])
            || self.is_separated_by_line(&a, &b, &c, &d)
    }

    /// Area above which the sign of a computed area is certain.
    fn min_area(&self) -> f64 {
        AREA_ROUNDING * self.reach * self.reach + f64::MIN_POSITIVE
    }

    /// Whether two edges that meet at `corner` are proved never to fold onto one another: either the signed area between them
    /// does not vanish, or they point into opposite half planes.
    fn opens(&self, before: &[Point2; 2], corner: &[Point2; 2], after: &[Point2; 2]) -> bool {
        let min = self.min_area();
        let area = products(corner, before, after, |a, b| a[0] * b[1] - a[1] * b[0]);
        let opening = products(corner, before, after, |a, b| a[0] * b[0] + a[1] * b[1]);
        sign(&area, min) != 0 || sign(&opening, min) < 0
    }

    /// Whether both points are proved to stay on the same side of an edge.
    fn keeps_to_a_side(&self, edge: [&[Point2; 2]; 2], points: [&[Point2; 2]; 2]) -> bool {
        let min = self.min_area();
        let [first, second] =
            points.map(|point| products(edge[0], edge[1], point, |a, b| a[0] * b[1] - a[1] * b[0]));
        sign(&first, min) * sign(&second, min) > 0
    }

    /// Whether a line perpendicular to the segment between the mean midpoints of both edges separates their paths.
    fn is_separated_by_line(
        &self,
        a: &[Point2; 2],
        b: &[Point2; 2],
        c: &[Point2; 2],
        d: &[Point2; 2],
    ) -> bool {
        // Sum over start and end of the vectors from one midpoint to the other, times two.
        let mut across = [0.0; 2];
        for time in 0..2 {
            for axis in 0..2 {
                across[axis] += c[time][axis] + d[time][axis] - a[time][axis] - b[time][axis];
            }
        }
        let along = |point: &Point2| across[0] * point[0] + across[1] * point[1];
        let mut highest = f64::NEG_INFINITY;
        let mut lowest = f64::INFINITY;
        for time in 0..2 {
            highest = highest.max(along(&a[time])).max(along(&b[time]));
            lowest = lowest.min(along(&c[time])).min(along(&d[time]));
        }
        lowest - highest > 2.0 * POINT_ROUNDING * self.reach * (across[0].abs() + across[1].abs())
    }
}

/// Bernstein coefficients of a bilinear product of two moving vectors from a common moving point.
#[inline(always)]
fn products(
    from: &[Point2; 2],
    first: &[Point2; 2],
    second: &[Point2; 2],
    product: impl Fn(Point2, Point2) -> f64,
) -> [f64; 3] {
    let difference =
        |to: &[Point2; 2], time: usize| [to[time][0] - from[time][0], to[time][1] - from[time][1]];
    let [a, b] =
        [[difference(first, 0), difference(first, 1)], [difference(second, 0), difference(second, 1)]];
    [product(a[0], b[0]), 0.5 * (product(a[0], b[1]) + product(a[1], b[0])), product(a[1], b[1])]
}

/// Sign that a polynomial with these Bernstein coefficients is proved to have throughout [0, 1], or zero if unknown.
#[inline(always)]
fn sign(coefficients: &[f64; 3], min: f64) -> i32 {
    if coefficients.iter().all(|c| *c > min) {
        1
    } else if coefficients.iter().all(|c| *c < -min) {
        -1
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use extricate_test_support::Noise;

    use super::*;

    const PLANE: [Vector3<f64>; 2] = [Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 1.0, 0.0)];

    /// Loop of `count` vertices around the origin, at distances within `spread` of one.
    fn ring(count: u32, spread: f64, next: &mut impl FnMut() -> f64) -> Vec<Point3<f64>> {
        let angle = |i: u32| TAU * f64::from(i) / f64::from(count);
        let vertex = |i: u32| (1.0 + spread * next()) * Vector3::new(angle(i).cos(), angle(i).sin(), 0.0);
        (0..count).map(vertex).map(|v| Point3::from(v + Vector3::z() * v.x)).collect()
    }

    fn stays_simple(start: &[Point3<f64>], end: &[Point3<f64>]) -> bool {
        let contour = (0..start.len() as u32).collect::<Vec<_>>();
        Contours::default().stays_simple(&contour, start, end, &PLANE)
    }

    /// Whether two edges cross at a time, judged by the sides of their ends.
    fn cross_at(points: &[Point3<f64>], i: usize, j: usize) -> bool {
        let at = |k: usize| points[k % points.len()].xy();
        let side = |a, b, c| {
            let [ab, ac]: [nalgebra::Vector2<f64>; 2] = [at(b) - at(a), at(c) - at(a)];
            ab.perp(&ac)
        };
        let apart = |a, b, c, d| side(a, b, c) * side(a, b, d) > 0.0;
        !apart(i, i + 1, j, j + 1) && !apart(j, j + 1, i, i + 1)
    }

    fn is_seen_crossing(start: &[Point3<f64>], end: &[Point3<f64>]) -> bool {
        let count = start.len();
        (0..=50).any(|step| {
            let t = f64::from(step) / 50.0;
            let now = start.iter().zip(end).map(|(a, b)| a + t * (b - a)).collect::<Vec<_>>();
            (0..count).any(|i| (i + 2..count).any(|j| (j + 1) % count != i && cross_at(&now, i, j)))
        })
    }

    #[test]
    fn no_contour_that_is_proved_simple_is_seen_to_cross_itself() {
        let mut noise = Noise(5);
        let mut next = || noise.next();
        let mut proved = 0;
        for round in 0..300 {
            let (count, spread) = (3 + round % 30, 0.9 * f64::from(round % 7) / 7.0);
            let start = ring(count, spread, &mut next);
            let by = 0.3 * f64::from(round % 5) / 5.0;
            let end = start.iter().map(|p| p + by * Vector3::new(next(), next(), next())).collect::<Vec<_>>();
            if stays_simple(&start, &end) {
                proved += 1;
                assert!(!is_seen_crossing(&start, &end), "round {round}");
            }
        }
        assert!(proved > 100 && proved < 290, "{proved}");
    }

    #[test]
    fn a_vertex_that_dips_through_the_far_side_and_comes_back_is_seen() {
        let square = |x: f64| {
            let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [x, 2.0], [0.0, 4.0]];
            corners.map(|[x, y]| Point3::new(x, y, 0.0)).to_vec()
        };
        assert!(stays_simple(&square(2.0), &square(1.0)));
        assert!(!stays_simple(&square(2.0), &square(2.0).into_iter().rev().collect::<Vec<_>>()));
        // The dent passes through the bottom side.
        let mut dent = square(2.0);
        dent[3].y = -1.0;
        assert!(!stays_simple(&square(2.0), &dent));
        dent[3].y = 0.0;
        assert!(!stays_simple(&square(2.0), &dent), "touching counts");
        dent[3].y = 1e-9;
        assert!(stays_simple(&square(2.0), &dent));
    }

    #[test]
    fn edges_that_fold_onto_one_another_are_not_simple() {
        let kite = |y: f64| vec![[0.0, 0.0], [2.0, y], [1.0, 0.0], [2.0, -1.0]];
        let points = |y: f64| kite(y).into_iter().map(|[x, y]| Point3::new(x, y, 0.0)).collect::<Vec<_>>();
        assert!(stays_simple(&points(1.0), &points(0.5)));
        assert!(!stays_simple(&points(1.0), &points(0.0)));
        assert!(!stays_simple(&points(1.0), &points(f64::NAN)));
        let triangle = |y: f64| points(y)[..3].to_vec();
        assert!(stays_simple(&triangle(1.0), &triangle(0.5)));
        assert!(!stays_simple(&triangle(1.0), &triangle(0.0)));
    }

    #[test]
    fn both_instruction_sets_agree() {
        let mut noise = Noise(9);
        let mut next = || noise.next();
        for round in 0..50 {
            let start = ring(3 + round, 0.5, &mut next);
            let mut contours = Contours::default();
            let contour = (0..start.len() as u32).collect::<Vec<_>>();
            let end = start.iter().map(|p| p + 0.1 * Vector3::new(next(), next(), 0.0)).collect::<Vec<_>>();
            let fastest = contours.stays_simple(&contour, &start, &end, &PLANE);
            assert_eq!(fastest, contours.is_simple::<Portable>());
        }
    }
}
