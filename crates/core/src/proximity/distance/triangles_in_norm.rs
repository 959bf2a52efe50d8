//! Distance of two triangles in the norms L1 and L∞, whose unit balls are polytopes, in closed form.
//!
//! The Minkowski sum of both triangles (one of them mirrored) and a multiple of the ball contains the origin from the distance on. It is
//! a polytope whose facets have the normals of a triangle or of a facet of the ball, or the product of two edges of different summands:
//! the distance is the maximum over all these directions of the gap along them over their dual norm. Any direction gives a lower bound,
//! so that an inaccurate one, as of two nearly parallel edges, cannot overstate the distance.
//!
//! The points that attain it are on a vertex or an edge of one triangle, or differ by a multiple of a vertex of the ball.

use nalgebra::Vector3;

use crate::geometry::Norm;

/// The corners of a triangle, along the axes of the world.
pub(super) type Corners = [Vector3<f64>; 3];

/// Product of a unit normal and a vertex of the ball below which they belong to no facet that decides: those that do reach
/// 1/√3.
const ACROSS: f64 = 0.5;

/// The unit ball of L1 or L∞, an octahedron or a cube; everything up to its sign.
#[derive(Debug, Clone)]
pub(super) struct NormBall {
    norm: Norm,
    /// Normals of the facets, of dual norm one.
    pub(super) facets: Vec<Vector3<f64>>,
    edges: Vec<Vector3<f64>>,
    vertices: Vec<Vector3<f64>>,
}

impl NormBall {
    pub(super) fn new(norm: Norm) -> Self {
        let half = |vectors: Vec<Vector3<f64>>| {
            let is_first = |v: &Vector3<f64>| v.iter().find(|x| x.abs() > 0.5).is_some_and(|x| *x > 0.0);
            vectors.into_iter().filter(is_first).collect::<Vec<_>>()
        };
        let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
        let edges = match norm {
            Norm::L1 => vec![x + y, x - y, y + z, y - z, z + x, z - x],
            Norm::L2 => Vec::new(),
            Norm::LInf => vec![x, y, z],
        };
        let (facets, vertices) = (half(norm.dual().ball_vertices()), half(norm.ball_vertices()));
        Self { norm, facets, edges, vertices }
    }

    /// A direction scaled to a dual norm of one; `None` where it has no length.
    pub(super) fn scaled(&self, direction: &Vector3<f64>) -> Option<Vector3<f64>> {
        let length = self.norm.dual().of(direction);
        (length > 0.0).then(|| direction / length)
    }

    /// The distance of two triangles, to within rounding below it, and a direction of dual norm one along which the gap is as
    /// wide; some wide enough gap where the distance is above `enough`.
    pub(super) fn separation(&self, p: &Corners, q: &Corners, enough: f64) -> (f64, Vector3<f64>) {
        // Relative to a corner: rounding is that of the size of the pair.
        let ([p0, p1, p2], q) = (p.map(|x| x - p[0]), q.map(|x| x - p[0]));
        let p = [p0, p1, p2];
        let mut best = (0.0, self.facets[0]);
        let mut raise = |n: Vector3<f64>, dual: f64| {
            let across = gap(&n, &p, &q) / dual;
            // NaN, of parallel edges, raises nothing.
            if across > best.0 {
                best = (across, n / dual);
            }
            best.0 > enough
        };
        if self.facets.iter().any(|n| raise(*n, 1.0)) {
            return best;
        }
        let [of_p, of_q] = [edges(&p), edges(&q)];
        let normals = [normal_of(&of_p), normal_of(&of_q)];
        let between = of_p.iter().flat_map(|d| of_q.iter().map(move |e| product(d, e)));
        let of_ball = of_p.iter().chain(&of_q).flat_map(|d| self.edges.iter().map(move |e| d.cross(e)));
        let dual = self.norm.dual();
        for n in normals.into_iter().chain(between).chain(of_ball) {
            if raise(n, dual.of(&n)) {
                break;
            }
        }
        best
    }

    /// The nearest points of two triangles that do not intersect, and their distance.
    pub(super) fn nearest_points(&self, p: &Corners, q: &Corners) -> (f64, [Vector3<f64>; 2]) {
        let mut nearest = (f64::INFINITY, [p[0], q[0]]);
        let mut offer = |on_p: Vector3<f64>, on_q: Vector3<f64>| {
            let apart = self.norm.of(&(on_q - on_p));
            if apart < nearest.0 {
                nearest = (apart, [on_p, on_q]);
            }
        };
        for k in 0..3 {
            for side in 0..3 {
                offer(p[k], self.nearest_on_segment(&p[k], &segment(q, side)));
                offer(self.nearest_on_segment(&q[k], &segment(p, side)), q[k]);
            }
        }
        for v in &self.vertices {
            for k in 0..3 {
                if let Some(on_q) = along(v, &p[k], q) {
                    offer(p[k], on_q);
                }
                if let Some(on_p) = along(v, &q[k], p) {
                    offer(on_p, q[k]);
                }
            }
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                let (first, second) = (segment(p, i), segment(q, j));
                if let Some(on_p) = facing(v, &first, &second) {
                    // Nearly parallel edges leave their points uncertain along them: each is moved to be nearest to the other one.
                    let on_q = self.nearest_on_segment(&on_p, &second);
                    offer(self.nearest_on_segment(&on_q, &first), on_q);
                }
            }
        }
        nearest
    }

    /// The point of a segment that is nearest to another one: the maximum of linear functions along it is minimal where two of them
    /// cross, or at an end.
    fn nearest_on_segment(&self, x: &Vector3<f64>, [from, to]: &[Vector3<f64>; 2]) -> Vector3<f64> {
        let (w, d) = (from - x, to - from);
        let mut nearest = (self.norm.of(&w), *from);
        let mut offer = |point: Vector3<f64>| {
            let apart = self.norm.of(&(point - x));
            if apart < nearest.0 {
                nearest = (apart, point);
            }
        };
        offer(*to);
        let mut at = |fraction: f64| {
            // False for NaN.
            if 0.0 < fraction && fraction < 1.0 {
                offer(from + d * fraction);
            }
        };
        for k in 0..3 {
            if self.norm == Norm::L1 {
                at(-w[k] / d[k]);
            } else {
                let next = (k + 1) % 3;
                at((w[k] - w[next]) / (d[next] - d[k]));
                at(-(w[k] + w[next]) / (d[k] + d[next]));
            }
        }
        nearest.1
    }
}

/// The gap between two triangles along a direction, whichever is first.
fn gap(n: &Vector3<f64>, p: &Corners, q: &Corners) -> f64 {
    let [[min_p, max_p], [min_q, max_q]] = [range(n, p), range(n, q)];
    (min_q - max_p).max(min_p - max_q)
}

/// Minimum and maximum height of a triangle along a direction.
pub(super) fn range(n: &Vector3<f64>, corners: &Corners) -> [f64; 2] {
    let [x, y, z] = corners.map(|corner| n.dot(&corner));
    [x.min(y).min(z), x.max(y).max(z)]
}

fn segment(corners: &Corners, side: usize) -> [Vector3<f64>; 2] {
    [corners[side], corners[(side + 1) % 3]]
}

fn edges([a, b, c]: &Corners) -> [Vector3<f64>; 3] {
    [b - a, c - b, a - c]
}

/// The normal of a triangle, whose length is twice the area.
fn normal_of(sides: &[Vector3<f64>; 3]) -> Vector3<f64> {
    product(&sides[0], &sides[1])
}

/// The vector product, to within rounding of its own length: of nearly parallel edges the usual one is not normal to them, and what it
/// says about their ends is wrong by as much.
fn product(d: &Vector3<f64>, e: &Vector3<f64>) -> Vector3<f64> {
    /// Sine of an angle below which the rounding of products matters.
    const PARALLEL: f64 = 0.1;
    let plain = d.cross(e);
    if plain.norm_squared() > PARALLEL * PARALLEL * (d.norm_squared() * e.norm_squared()) {
        return plain;
    }
    Vector3::from_fn(|k, _| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let ([first, first_rest], [second, second_rest]) =
            (exact_product(d[i], e[j]), exact_product(d[j], e[i]));
        (first - second) + (first_rest - second_rest)
    })
}

/// A product and its rounding error [Shewchuk97].
fn exact_product(x: f64, y: f64) -> [f64; 2] {
    let split = |x: f64| {
        let scaled = 134_217_729.0 * x;
        let high = scaled - (scaled - x);
        [high, x - high]
    };
    let (product, [x, x_low], [y, y_low]) = (x * y, split(x), split(y));
    [product, ((x * y - product) + x * y_low + x_low * y) + x_low * y_low]
}

/// The point of a triangle on the line through a point along a vertex of the ball.
fn along(v: &Vector3<f64>, x: &Vector3<f64>, triangle: &Corners) -> Option<Vector3<f64>> {
    let sides = edges(triangle);
    let normal = normal_of(&sides);
    let across = normal.dot(v);
    if !(across.abs() > ACROSS * normal.norm()) {
        return None;
    }
    let point = x + v * (normal.dot(&(triangle[0] - x)) / across);
    let is_inside = (0..3).all(|k| normal.dot(&sides[k].cross(&(point - triangle[k]))) >= 0.0);
    (is_inside && is_beside_longest_side(&point, triangle, normal.norm())).then_some(point)
}

/// Whether a point is no farther beside the longest side of a triangle than the triangle is high: false far outside a needle as thin as
/// rounding, whose normal and inside are arbitrary. `doubled_area` is twice the area [m²].
fn is_beside_longest_side(x: &Vector3<f64>, triangle: &Corners, doubled_area: f64) -> bool {
    /// Rounding of a point beside a line, relative to the length.
    const ROUNDING: f64 = 1e-15;
    let sides = edges(triangle);
    let longest = (1..3).fold(0, |i, j| if sides[j].norm() > sides[i].norm() { j } else { i });
    let (side, offset) = (sides[longest], x - triangle[longest]);
    let length = side.norm();
    let fraction = side.dot(&offset) / (length * length);
    let beside = (offset - side * fraction).norm();
    (0.0..=1.0).contains(&fraction) && beside <= 2.0 * doubled_area / length + ROUNDING * length
}

/// The point of a segment on a line along a vertex of the ball that meets another segment's line, or the nearest end.
fn facing(v: &Vector3<f64>, first: &[Vector3<f64>; 2], second: &[Vector3<f64>; 2]) -> Option<Vector3<f64>> {
    let (d, e) = (first[1] - first[0], second[1] - second[0]);
    let normal = product(&d, &e);
    if !(normal.dot(v).abs() > ACROSS * normal.norm()) {
        return None;
    }
    let beside = e.cross(v);
    let fraction = beside.dot(&(second[0] - first[0])) / beside.dot(&d);
    fraction.is_finite().then(|| first[0] + d * fraction.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::SplitMix64;

    fn vector(random: &mut SplitMix64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| 2.0 * random.unit_interval() - 1.0)
    }

    fn size(p: &Corners, q: &Corners) -> f64 {
        p.iter().chain(q).map(|x| (x - p[0]).norm()).fold(0.0, f64::max)
    }

    /// Distance of a point from a triangle: from its nearest edge, or where it projects into it from its plane.
    fn off(x: &Vector3<f64>, triangle: &Corners) -> f64 {
        let sides = edges(triangle);
        let from_edge = |k: usize| {
            let (d, r) = (sides[k], x - triangle[k]);
            let fraction = d.dot(&r) / d.norm_squared();
            let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 };
            (r - d * fraction).norm()
        };
        let nearest = (0..3).map(from_edge).fold(f64::INFINITY, f64::min);
        let normal = sides[0].cross(&sides[1]);
        let projects = (0..3).all(|k| normal.dot(&sides[k].cross(&(x - triangle[k]))) >= 0.0);
        match normal.try_normalize(0.0) {
            Some(normal) if projects => nearest.min(normal.dot(&(x - triangle[0])).abs()),
            _ => nearest,
        }
    }

    /// Certifies a distance by duality: the points are in the triangles and as far apart as a slab that separates these is wide.
    fn assert_certified(ball: &NormBall, p: &Corners, q: &Corners) -> f64 {
        let (lower_bound, direction) = ball.separation(p, q, f64::INFINITY);
        let (value, points) = ball.nearest_points(p, q);
        let rounding = 1e-14 * size(p, q);
        assert!((value - lower_bound).abs() <= rounding, "{} {value} {lower_bound} {p:?} {q:?}", ball.norm);
        assert!((ball.norm.dual().of(&direction) - 1.0).abs() < 1e-14);
        assert!((gap(&direction, p, q) - lower_bound).abs() <= rounding);
        assert!((ball.norm.of(&(points[1] - points[0])) - value).abs() <= rounding);
        for (triangle, point) in [(p, points[0]), (q, points[1])] {
            assert!(off(&point, triangle) <= rounding, "{point} {triangle:?}");
        }
        // Early ends are above the bound that ended them.
        let enough = 0.5 * lower_bound;
        let (some, _) = ball.separation(p, q, enough);
        assert!(lower_bound <= rounding || enough < some && some <= lower_bound);
        value
    }

    fn balls() -> [NormBall; 2] {
        [Norm::L1, Norm::LInf].map(NormBall::new)
    }

    #[test]
    fn the_distance_of_random_triangles_is_proved_by_its_points() {
        let mut random = SplitMix64(1);
        for _ in 0..20_000 {
            let away = vector(&mut random).normalize() * 4.0;
            let size = 0.05 + random.unit_interval();
            let p = std::array::from_fn(|_| vector(&mut random));
            let q = std::array::from_fn(|_| away + vector(&mut random) * size);
            let [l1, linf] = balls().map(|ball| assert_certified(&ball, &p, &q));
            let back = balls().map(|ball| ball.separation(&q, &p, f64::INFINITY).0);
            assert!((back[0] - l1).abs() < 1e-13 && (back[1] - linf).abs() < 1e-13);
            assert!(linf <= l1 && l1 <= 3.0 * linf);
        }
    }

    #[test]
    fn the_distance_of_slivers_parallel_faces_and_triangles_along_the_axes_is_exact() {
        let mut random = SplitMix64(2);
        for tilt in [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3] {
            for thin in [1.0, 1e-3, 1e-7, 1e-11] {
                for round in 0..300 {
                    let grid = |v: Vector3<f64>| if round % 2 == 0 { (v * 2.0).map(f64::round) } else { v };
                    let (d, across) = (grid(vector(&mut random)), grid(vector(&mut random)));
                    let (e, beside) = (d + vector(&mut random) * tilt, across + vector(&mut random) * tilt);
                    let from = vector(&mut random);
                    let away = from + grid(vector(&mut random)) * 3.0 + Vector3::repeat(4.0);
                    let p = [from, from + d, from + d * 0.4 + across * thin];
                    let q = [away, away + e, away + e * random.unit_interval() + beside * thin];
                    for ball in balls() {
                        assert_certified(&ball, &p, &q);
                    }
                }
            }
        }
    }

    #[test]
    fn triangles_that_nearly_touch_keep_their_digits() {
        let mut random = SplitMix64(3);
        for _ in 0..2_000 {
            let p: Corners = std::array::from_fn(|_| vector(&mut random));
            let normal = (p[1] - p[0]).cross(&(p[2] - p[0]));
            let inside = p[0] + (p[1] - p[0]) * 0.3 + (p[2] - p[0]) * 0.2;
            for ball in balls() {
                let Some(up) = ball.scaled(&normal) else { continue };
                let gap = 1e-3 * random.unit_interval();
                // A corner above the middle of a face, the nearest one in every norm; the others are higher.
                let tip = inside + normal * (gap / normal.dot(&up));
                let over = |v: Vector3<f64>| {
                    tip + v * 0.1 + normal * ((0.1 * v.dot(&up).abs() + 0.1) / normal.dot(&up))
                };
                let q = [tip, over(vector(&mut random)), over(vector(&mut random))];
                let (lower_bound, _) = ball.separation(&p, &q, f64::INFINITY);
                assert!(
                    (lower_bound - gap).abs() < 1e-14 * (1.0 + 1.0 / normal.norm()),
                    "{lower_bound} {gap}"
                );
                let (value, _) = ball.nearest_points(&p, &q);
                // The nearest point may be beside the triangle, where the ray along a vertex of the ball leaves it.
                assert!(value >= gap - 1e-13);
            }
        }
    }
}
