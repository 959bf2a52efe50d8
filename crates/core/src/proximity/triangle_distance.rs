//! Distance between two triangles that do not intersect. It is the minimum over nine pairs of edges and over the six
//! corners that project into the other triangle; a corner that projects outside is nearest to an edge. All fifteen are
//! computed without branches, four triangles of a packet at once.
//!
//! The closest points of two lines come from cross products. The usual ratio of dot products loses half of the digits
//! where the lines are nearly parallel; here the position is uncertain only as far as it does not affect the distance.

use nalgebra::{Point3, Vector3};

use crate::bvh::lanes::isa::{Double, LaneVector, Mask, cross, dot, load, splat, sub};
use crate::bvh::packet::Packet;

/// Minimum divisor for two parallel lines, on which any position gives the same distance.
const PARALLEL: f64 = 1e-250;
/// Relative difference below which squared distances count as equal, so that among parallel faces at one distance one
/// pair suffices. Larger than rounding it would add to the error of the distance.
const TIE: f64 = 1e-14;

/// A triangle of A with the products that do not depend on B; everything in the frame of B's tree.
#[derive(Debug, Clone, Copy)]
pub(in crate::proximity) struct PreparedTriangle {
    first: [f64; 3],
    edges: [[f64; 3]; 3],
    /// Corners relative to the first one.
    corners: [[f64; 3]; 3],
    normal: [f64; 3],
    /// In-plane normals of the edges, pointing inwards; not normalised.
    inward: [[f64; 3]; 3],
    inverse_normal_squared: f64,
    inverse_edges_squared: [f64; 3],
}

impl PreparedTriangle {
    #[inline(always)]
    pub(in crate::proximity) fn new(corners: &[[f64; 3]; 3]) -> Self {
        let [a, b, c] = corners.map(Vector3::from);
        let edges = [b - a, c - b, a - c];
        let normal = edges[0].cross(&edges[1]);
        Self {
            first: corners[0],
            edges: edges.map(Into::into),
            corners: [[0.0; 3], (b - a).into(), (c - a).into()],
            normal: normal.into(),
            inward: edges.map(|edge| normal.cross(&edge).into()),
            inverse_normal_squared: 1.0 / normal.norm_squared().max(PARALLEL),
            inverse_edges_squared: edges.map(|edge| 1.0 / edge.norm_squared().max(PARALLEL)),
        }
    }
}

/// The packet's triangles relative to P's first corner.
struct RelativePacket<D> {
    corners: [LaneVector<D>; 3],
    edges: [LaneVector<D>; 3],
    normal: LaneVector<D>,
    inverse_normal_squared: D,
}

impl<D: Double> RelativePacket<D> {
    #[inline(always)]
    fn new(first: &[f64; 3], packet: &Packet) -> Self {
        let first = splat::<D>(first);
        let [a, b, c] = [
            sub(&load(&packet.corners[0]), &first),
            sub(&load(&packet.corners[1]), &first),
            sub(&load(&packet.corners[2]), &first),
        ];
        let edges = [sub(&b, &a), sub(&c, &b), sub(&a, &c)];
        let normal = cross(&edges[0], &edges[1]);
        let inverse_normal_squared = dot(&normal, &normal).away_from_zero(PARALLEL).recip();
        Self { corners: [a, b, c], edges, normal, inverse_normal_squared }
    }
}

/// Quick separation test of four triangles from another one: by the plane across a common direction and those across
/// the lines of the centres.
pub(super) struct SeparationTest<D> {
    corners: [LaneVector<D>; 3],
    direction: [f64; 3],
    /// Minimum height of each triangle along the direction [m].
    lowest: D,
    /// Sums of the corners: three times the centres [m].
    sum: LaneVector<D>,
}

impl<D: Double> SeparationTest<D> {
    /// The triangles of `packet`; `direction` is a unit vector from the other triangles to these.
    #[inline(always)]
    pub(super) fn new(packet: &Packet, direction: &[f64; 3]) -> Self {
        let corners: [LaneVector<D>; 3] =
            [load(&packet.corners[0]), load(&packet.corners[1]), load(&packet.corners[2])];
        let [a, b, c] = &corners;
        let n = splat(direction);
        let lowest = dot(&n, a).min(dot(&n, b)).min(dot(&n, c));
        let sum = [a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]];
        Self { corners, direction: *direction, lowest, sum }
    }

    /// Whether any of the triangles may be closer to the one of `corners` than the square root of `cutoff` [m²]. False
    /// proves that none is.
    #[inline(always)]
    pub(super) fn may_be_within(&self, corners: &[[f64; 3]; 3], cutoff: f64) -> bool {
        let n = &self.direction;
        let height = |x: &[f64; 3]| n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
        let reach = height(&corners[0]).max(height(&corners[1])).max(height(&corners[2]));
        let zero = D::splat(0.0);
        let within = D::splat(cutoff * (1.0 - TIE));
        let gap = (self.lowest - D::splat(reach)).max(zero);
        let open = (gap * gap).less_or_equal(within);
        // The common direction alone separates all four.
        if open.bits() == 0 {
            return false;
        }
        let [a, b, c] = corners;
        let sum = [a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]];
        // v is three times the vector between the centres; its length cancels in the comparison.
        let v = sub(&self.sum, &splat(&sum));
        let min = dot(&v, &self.corners[0]).min(dot(&v, &self.corners[1])).min(dot(&v, &self.corners[2]));
        let max = dot(&v, &splat(a)).max(dot(&v, &splat(b))).max(dot(&v, &splat(c)));
        let gap = (min - max).max(zero);
        (open & (gap * gap).less_or_equal(within * dot(&v, &v))).bits() != 0
    }
}

/// Squared distance [m²] of P to each lane's triangle, given that they do not intersect; some value greater than
/// `cutoff` [m²] when no lane is closer than that.
#[inline(always)]
pub(in crate::proximity) fn distances_squared<D: Double>(
    p: &PreparedTriangle,
    packet: &Packet,
    cutoff: f64,
) -> [f64; 4] {
    let q = RelativePacket::<D>::new(&p.first, packet);
    let p_normal = splat(&p.normal);
    let above_p =
        [dot(&p_normal, &q.corners[0]), dot(&p_normal, &q.corners[1]), dot(&p_normal, &q.corners[2])];
    let corners = [splat(&p.corners[0]), splat(&p.corners[1]), splat(&p.corners[2])];
    // Heights of P's corners over Q's planes; P's first corner is the origin.
    let base = dot(&q.normal, &q.corners[0]);
    let above_q = [-base, dot(&q.normal, &corners[1]) - base, dot(&q.normal, &corners[2]) - base];
    let (gap_p, gap_q) = (gap(&above_p), gap(&above_q));
    let per_p = D::splat(p.inverse_normal_squared);
    // The plane of either triangle bounds the distance from below, which is far cheaper than all pairs of features.
    let apart = (gap_p * gap_p * per_p).max(gap_q * gap_q * q.inverse_normal_squared);
    if apart.less_or_equal(D::splat(cutoff * (1.0 - TIE))).bits() == 0 {
        return [f64::INFINITY; 4];
    }
    let mut min = D::splat(f64::INFINITY);
    for k in 0..3 {
        let height_squared = above_p[k] * above_p[k] * per_p;
        min = height_squared.only_in(projects_into_p(p, &q.corners[k])).min(min);
        let height_squared = above_q[k] * above_q[k] * q.inverse_normal_squared;
        min = height_squared.only_in(projects_into_q(&corners[k], &q)).min(min);
    }
    for i in 0..3 {
        let edge = splat(&p.edges[i]);
        let per_edge = D::splat(p.inverse_edges_squared[i]);
        for j in 0..3 {
            let between = sub(&corners[i], &q.corners[j]);
            min = edges_squared(&edge, per_edge, &q.edges[j], &between).min(min);
        }
    }
    min.store()
}

/// Distance of three heights from zero if all are on one side of it, else zero.
#[inline(always)]
fn gap<D: Double>(heights: &[D; 3]) -> D {
    let min = heights[0].min(heights[1]).min(heights[2]);
    let max = heights[0].max(heights[1]).max(heights[2]);
    min.max(-max).max(D::splat(0.0))
}

/// Lanes in which a point projects into P.
#[inline(always)]
fn projects_into_p<D: Double>(p: &PreparedTriangle, point: &LaneVector<D>) -> D::Mask {
    let zero = D::splat(0.0);
    let x = dot(&splat(&p.inward[0]), point);
    let y = dot(&splat(&p.inward[1]), &sub(point, &splat(&p.corners[1])));
    let z = dot(&splat(&p.inward[2]), point);
    zero.less_or_equal(x.min(y).min(z))
}

/// Lanes whose triangle contains the projection of a point.
#[inline(always)]
fn projects_into_q<D: Double>(point: &LaneVector<D>, q: &RelativePacket<D>) -> D::Mask {
    let zero = D::splat(0.0);
    let [from_a, from_b] = [sub(point, &q.corners[0]), sub(point, &q.corners[1])];
    let x = dot(&q.normal, &cross(&q.edges[0], &from_a));
    let y = dot(&q.normal, &cross(&q.edges[1], &from_b));
    let z = dot(&q.normal, &cross(&q.edges[2], &from_a));
    zero.less_or_equal(x.min(y).min(z))
}

/// Squared distance of the segments `s d` and `t e`, 0 ≤ s, t ≤ 1, the first one translated by `between`.
///
/// The lines are closest at s = n·(e × r)/n², n = d × e. After clamping, t is optimal for s and then s for t, which is
/// exact for segments.
#[inline(always)]
fn edges_squared<D: Double>(d: &LaneVector<D>, per_d: D, e: &LaneVector<D>, between: &LaneVector<D>) -> D {
    let (zero, one) = (D::splat(0.0), D::splat(1.0));
    let n = cross(d, e);
    let on_lines = dot(&n, &cross(e, between)) * dot(&n, &n).away_from_zero(PARALLEL).recip();
    let first = on_lines.max(zero).min(one);
    let per_e = dot(e, e).away_from_zero(PARALLEL).recip();
    let along = dot(d, e);
    let t = ((along * first + dot(e, between)) * per_e).max(zero).min(one);
    let s = ((along * t - dot(d, between)) * per_d).max(zero).min(one);
    let gap = [
        between[0] + s * d[0] - t * e[0],
        between[1] + s * d[1] - t * e[1],
        between[2] + s * d[2] - t * e[2],
    ];
    dot(&gap, &gap)
}

/// Closest points of two triangles that do not intersect, and their distance [m].
pub(crate) fn closest_points(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3]) -> (f64, [Point3<f64>; 2]) {
    let mut best = (f64::INFINITY, [p[0], q[0]]);
    // Vertices against the other triangle and edges against edges: the closest features are among these.
    let mut offer = |x: Point3<f64>, y: Point3<f64>| {
        let squared = nalgebra::distance_squared(&x, &y);
        if squared < best.0 {
            best = (squared, [x, y]);
        }
    };
    for k in 0..3 {
        offer(p[k], closest_on_triangle(&p[k], q));
        offer(closest_on_triangle(&q[k], p), q[k]);
    }
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        let [x, y] = closest_on_segments(&[p[i], p[(i + 1) % 3]], &[q[j], q[(j + 1) % 3]]);
        offer(x, y);
    }
    (nalgebra::distance(&best.1[0], &best.1[1]), best.1)
}

/// A common point of two intersecting triangles, to within rounding.
pub(in crate::proximity) fn common_point(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3]) -> Point3<f64> {
    let (apart, [x, y]) = closest_points(p, q);
    // Where an edge crosses the other triangle the closest points of features are not common ones: crossings are tried
    // too.
    let mut best = (apart, nalgebra::center(&x, &y));
    for (edges_of, other) in [(p, q), (q, p)] {
        let normal = (other[1] - other[0]).cross(&(other[2] - other[0]));
        let heights = edges_of.map(|corner| normal.dot(&(corner - other[0])));
        for i in 0..3 {
            let j = (i + 1) % 3;
            // This edge crosses the plane of the other triangle.
            if (heights[i] < 0.0) != (heights[j] < 0.0) {
                let fraction = heights[i] / (heights[i] - heights[j]);
                let crossing = edges_of[i] + fraction * (edges_of[j] - edges_of[i]);
                let nearest = closest_on_triangle(&crossing, other);
                let apart = nalgebra::distance(&crossing, &nearest);
                if apart < best.0 {
                    best = (apart, nearest);
                }
            }
        }
    }
    best.1
}

/// Closest point of a triangle to `point`.
pub(crate) fn closest_on_triangle(point: &Point3<f64>, triangle: &[Point3<f64>; 3]) -> Point3<f64> {
    let [a, b, c] = triangle;
    let normal = (b - a).cross(&(c - b));
    let inwards =
        |from: &Point3<f64>, to: &Point3<f64>| normal.cross(&(to - from)).dot(&(point - from)) >= 0.0;
    // The projection is inside; otherwise the closest point is on an edge.
    if inwards(a, b) && inwards(b, c) && inwards(c, a) {
        return point - normal * (normal.dot(&(point - a)) / normal.norm_squared());
    }
    let on_edges = [[a, b], [b, c], [c, a]].map(|[from, to]| {
        let edge = to - from;
        let fraction = (edge.dot(&(point - from)) / edge.norm_squared()).clamp(0.0, 1.0);
        from + fraction * edge
    });
    let [x, y, z] = on_edges.map(|on_edge| nalgebra::distance_squared(point, &on_edge));
    if x <= y && x <= z {
        on_edges[0]
    } else if y <= z {
        on_edges[1]
    } else {
        on_edges[2]
    }
}

/// Squared distances from a point to the triangles of a packet [m²].
///
/// The plane of a needle is ill-conditioned while its edges are accurate. Above the interior of the triangle the
/// squared distance is less than that from the nearest edge by at most the squared height of the triangle, which bounds
/// the error.
#[inline(always)]
pub(in crate::proximity) fn squared_distances<D: Double>(point: &[f64; 3], packet: &Packet) -> D {
    let corners: [LaneVector<D>; 3] = packet.corners.each_ref().map(load);
    let [a, b, c] = &corners;
    let point = splat(point);
    let edges = [sub(b, a), sub(c, b), sub(a, c)];
    let offsets = [sub(&point, a), sub(&point, b), sub(&point, c)];
    let normal = cross(&edges[0], &edges[1]);
    let zero = D::splat(0.0);
    let mut squared = D::splat(f64::INFINITY);
    let mut min_inward = D::splat(f64::INFINITY);
    let mut longest = zero;
    for side in 0..3 {
        let (edge, offset) = (&edges[side], &offsets[side]);
        let length = dot(edge, edge);
        longest = longest.max(length);
        let fraction = dot(edge, offset) * length.recip();
        let fraction = fraction.max(zero).min(D::splat(1.0));
        let beside = sub(offset, &edge.map(|x| fraction * x));
        squared = squared.min(dot(&beside, &beside));
        min_inward = min_inward.min(dot(&cross(&normal, edge), offset));
    }
    let height = dot(&normal, &offsets[0]);
    let normal = dot(&normal, &normal);
    let above = ((height * height) * normal.recip()).max(squared - normal * longest.recip());
    above.only_in(zero.less_or_equal(min_inward)).min(squared)
}

/// Closest points of two segments; see [`edges_squared`].
pub(crate) fn closest_on_segments(first: &[Point3<f64>; 2], second: &[Point3<f64>; 2]) -> [Point3<f64>; 2] {
    let (d, e, r) = (first[1] - first[0], second[1] - second[0], first[0] - second[0]);
    let n = d.cross(&e);
    let s = (n.dot(&e.cross(&r)) / n.norm_squared().max(PARALLEL)).clamp(0.0, 1.0);
    let t = ((d.dot(&e) * s + e.dot(&r)) / e.norm_squared().max(PARALLEL)).clamp(0.0, 1.0);
    let s = ((d.dot(&e) * t - d.dot(&r)) / d.norm_squared().max(PARALLEL)).clamp(0.0, 1.0);
    [first[0] + s * d, second[0] + t * e]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::lanes::isa::{Isa, Portable};
    use crate::proximity::tests::Noise;

    type Triangle = [Point3<f64>; 3];

    fn size(p: &Triangle, q: &Triangle) -> f64 {
        p.iter().chain(q).map(|x| (x - p[0]).norm()).fold(0.0, f64::max)
    }

    /// Certifies a distance by duality: the witnesses are in the triangles at that distance, and a slab of that width
    /// separates the triangles.
    fn assert_certified(p: &Triangle, q: &Triangle) -> f64 {
        let (distance, [x, y]) = closest_points(p, q);
        let rounding = 1e-14 * size(p, q);
        for (triangle, point) in [(p, x), (q, y)] {
            let normal = (triangle[1] - triangle[0]).cross(&(triangle[2] - triangle[0])).normalize();
            assert!(normal.dot(&(point - triangle[0])).abs() <= rounding);
            for k in 0..3 {
                let edge = triangle[(k + 1) % 3] - triangle[k];
                assert!(normal.cross(&edge.normalize()).dot(&(point - triangle[k])) >= -rounding);
            }
        }
        assert!((nalgebra::distance(&x, &y) - distance).abs() <= rounding);
        if distance > 1e3 * rounding {
            let along = (x - y) / distance;
            let nearest_p = p.iter().map(|corner| along.dot(&(corner - y))).fold(f64::INFINITY, f64::min);
            let farthest_q =
                q.iter().map(|corner| along.dot(&(corner - y))).fold(f64::NEG_INFINITY, f64::max);
            // The direction carries the rounding of the witnesses divided by the distance.
            let slack = rounding * (1.0 + size(p, q) / distance);
            assert!(
                nearest_p - farthest_q >= distance - slack,
                "{p:?} {q:?} {}",
                nearest_p - farthest_q - distance
            );
        }
        distance
    }

    fn assert_kernel_agrees(p: &Triangle, q: &[Triangle; 4]) {
        let as_array = |triangle: &Triangle| triangle.map(|point| <[f64; 3]>::from(point.coords));
        let packet = Packet::new(&[0, 1, 2, 3], |i| q[i as usize]);
        let prepared = PreparedTriangle::new(&as_array(p));
        type Lanes = <Portable as Isa>::Double;
        let squared = distances_squared::<Lanes>(&prepared, &packet, f64::INFINITY);
        for (lane, other) in q.iter().enumerate() {
            let expected = assert_certified(p, other);
            let tolerance = 1e-14 * size(p, other);
            assert!(
                (squared[lane].sqrt() - expected).abs() <= tolerance,
                "{} {expected}",
                squared[lane].sqrt()
            );
            if expected > tolerance {
                let cutoff = (0.99 * expected).powi(2);
                assert!(distances_squared::<Lanes>(&prepared, &packet, cutoff)[lane] > cutoff);
                // No plane separates more than the distance.
                let direction = (other[0] - p[0]).normalize().into();
                let beyond = (1.01 * expected).powi(2);
                assert!(
                    SeparationTest::<Lanes>::new(&packet, &direction).may_be_within(&as_array(p), beyond)
                );
            }
        }
    }

    fn random(noise: &mut Noise, center: Vector3<f64>, size: f64) -> Triangle {
        std::array::from_fn(|_| Point3::from(center + size * noise.vector()))
    }

    #[test]
    fn the_distance_of_random_triangles_is_proved_by_its_witnesses() {
        let mut noise = Noise(20);
        for _ in 0..2000 {
            let p = random(&mut noise, Vector3::zeros(), 1.0);
            let away = 3.0 * noise.vector().normalize();
            let size = 0.1 + noise.next().abs();
            assert_kernel_agrees(&p, &std::array::from_fn(|_| random(&mut noise, away, size)));
        }
    }

    #[test]
    fn the_distance_of_nearly_parallel_and_flat_triangles_is_exact() {
        let mut noise = Noise(21);
        for tilt in [0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3] {
            for gap in [1e-9, 1e-3, 1.0] {
                for _ in 0..40 {
                    let flat = |noise: &mut Noise, z: f64| {
                        let mut corner =
                            || Point3::new(noise.next(), noise.next(), z + tilt * gap * noise.next());
                        [corner(), corner(), corner()]
                    };
                    let p = flat(&mut noise, gap * (1.0 + 2.0 * tilt));
                    assert_kernel_agrees(&p, &std::array::from_fn(|_| flat(&mut noise, 0.0)));
                }
            }
        }
    }

    #[test]
    fn nearly_parallel_edges_that_nearly_touch_lose_no_digits() {
        for angle in [1e-3, 1e-5, 1e-7, 1e-9] {
            for gap in [1e-6, 1e-12] {
                // Two blades, edge to edge, crossing at a small angle; the edges are the closest features.
                let p = [
                    Point3::new(-1.0, -angle, gap),
                    Point3::new(1.3, 1.3 * angle, gap),
                    Point3::new(0.1, 0.0, 1.0),
                ];
                let q =
                    [Point3::new(-1.2, 0.0, 0.0), Point3::new(0.9, 0.0, 0.0), Point3::new(0.0, 0.0, -1.0)];
                let (distance, _) = closest_points(&p, &q);
                assert!((distance - gap).abs() <= 2e-15, "{angle} {gap} {distance}");
            }
        }
    }

    #[test]
    fn triangles_that_touch_are_zero_apart() {
        let p = [Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
        let at = |x: [f64; 3]| Point3::from(Vector3::from(x));
        for q in [
            [at([0.2, 0.2, 0.0]), at([0.0, 0.0, 1.0]), at([1.0, 0.0, 1.0])],
            [at([0.3, -1.0, 1.0]), at([0.3, 1.0, -1.0]), at([5.0, 0.0, -5.0])],
            [at([1.0, 0.0, 0.0]), at([2.0, 0.0, 0.0]), at([2.0, 1.0, 3.0])],
            [at([0.0, 0.0, 0.0]), at([1.0, 0.0, 0.0]), at([0.5, -1.0, 0.0])],
            p,
        ] {
            assert!(closest_points(&p, &q).0 <= 1e-16);
        }
    }

    #[test]
    fn crossing_triangles_have_a_common_point() {
        let mut noise = Noise(22);
        let mut crossing = 0;
        for _ in 0..2000 {
            let (p, q) =
                (random(&mut noise, Vector3::zeros(), 1.0), random(&mut noise, Vector3::zeros(), 1.0));
            let point = common_point(&p, &q);
            let apart = [p, q].map(|t| nalgebra::distance(&point, &closest_on_triangle(&point, &t)));
            let mut max_gap = f64::NEG_INFINITY;
            crate::proximity::triangle_pair::separating_planes(&p, &q, |plane| {
                max_gap = max_gap.max(plane.gap);
            });
            if max_gap < 0.0 {
                assert!(apart[0].max(apart[1]) < 1e-13, "{apart:?}");
                crossing += 1;
            }
        }
        assert!(crossing > 200, "{crossing}");
    }
}
