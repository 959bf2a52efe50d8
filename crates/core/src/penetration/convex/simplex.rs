//! The point of a simplex nearest to the origin, and the face of the simplex that contains it.
//!
//! The foot on the plane of a triangle is in it where all its weights are positive, and otherwise beyond an edge whose weight is not;
//! a tetrahedron is its four triangles, unless it contains the origin.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::difference::Vertex;

/// One to four extreme points of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 4],
    len: usize,
}

/// Position of the origin relative to a simplex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Nearest {
    /// In the simplex.
    Inside,
    /// Nearest to this point [m].
    At(Vector3<f64>),
}

/// A normal of the triangle a, b, c: the product of two edges, the shortest among them. That of two long edges of a needle would
/// be rounding.
#[inline]
pub(super) fn normal_of([a, b, c]: [&Vector3<f64>; 3]) -> Vector3<f64> {
    let (first, second, across) = (b - a, c - a, c - b);
    first.cross(if second.norm_squared() < across.norm_squared() { &second } else { &across })
}

/// Indices of the vertices of a face, their weights, and the point nearest to the origin.
#[derive(Debug, Clone, Copy)]
struct Foot {
    indices: [usize; 3],
    weights: [f64; 3],
    len: usize,
    point: Vector3<f64>,
}

impl Simplex {
    /// The vertices of the face that contains the nearest point.
    pub(super) fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.len]
    }

    /// Adds a vertex.
    ///
    /// # Panics
    /// If there are four already: a simplex is reduced before it grows.
    pub(super) fn push(&mut self, vertex: Vertex) {
        self.vertices[self.len] = vertex;
        self.len += 1;
    }

    /// Computes the points of all vertices again, with a function from a vertex to its point [m].
    pub(super) fn repose(&mut self, point: impl Fn(&Vertex) -> Vector3<f64>) {
        for vertex in &mut self.vertices[..self.len] {
            vertex.point = point(vertex);
        }
    }

    /// Whether the vertex is one of the simplex.
    pub(super) fn contains(&self, vertex: &Vertex) -> bool {
        self.vertices().iter().any(|own| own.point == vertex.point)
    }

    /// The witnesses on A and on B, each in its own frame [m].
    pub(super) fn witnesses(&self) -> [Vector3<f64>; 2] {
        let mut witnesses = [Vector3::zeros(); 2];
        for (vertex, weight) in self.vertices().iter().zip(&self.weights) {
            witnesses[0] += vertex.on_a * *weight;
            witnesses[1] += vertex.on_b * *weight;
        }
        witnesses
    }

    /// Reduces the simplex to the face that contains the point nearest to the origin.
    pub(super) fn reduce(&mut self) -> Nearest {
        let p = self.vertices.map(|vertex| vertex.point);
        let foot = match self.len {
            1 => vertex_foot(&p, 0),
            2 => segment_foot(&p, [0, 1]),
            3 => triangle_foot(&p, [0, 1, 2]),
            _ => match tetrahedron_foot(&p) {
                Some(foot) => foot,
                None => return Nearest::Inside,
            },
        };
        let old = self.vertices;
        for i in 0..foot.len {
            self.vertices[i] = old[foot.indices[i]];
            self.weights[i] = foot.weights[i];
        }
        self.len = foot.len;
        Nearest::At(foot.point)
    }

    /// The unit vector from the origin to the nearest point `v`, exactly perpendicular to the face that contains it: the
    /// direction of a short `v` itself is rounding.
    pub(super) fn direction(&self, v: &Vector3<f64>) -> Vector3<f64> {
        let p = |i: usize| self.vertices[i].point;
        let towards = match self.len {
            1 => *v,
            2 => {
                let edge = (p(1) - p(0)).normalize();
                let v = v.normalize();
                v - edge * edge.dot(&v)
            }
            _ => {
                let normal = normal_of([&p(0), &p(1), &p(2)]);
                if normal.dot(v) < 0.0 { -normal } else { normal }
            }
        };
        towards.try_normalize(0.0).unwrap_or_else(|| v.normalize())
    }
}

impl Simplex {
    /// Six times the volume [m³] of a simplex of four vertices.
    pub(super) fn volume(&self) -> f64 {
        let p = |i: usize| self.vertices[i].point;
        (p(1) - p(0)).cross(&(p(2) - p(0))).dot(&(p(3) - p(0))).abs()
    }

    /// The maximum distance of a vertex from the first [m].
    pub(super) fn extent(&self) -> f64 {
        let p = |vertex: &Vertex| vertex.point - self.vertices[0].point;
        self.vertices().iter().map(|vertex| p(vertex).norm()).fold(0.0, f64::max)
    }

    /// Of four vertices in a plane, retains three whose triangle is nearest to the origin.
    pub(super) fn drop_flattest(&mut self) {
        let p = self.vertices.map(|vertex| vertex.point);
        const FACES: [[usize; 3]; 4] = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];
        let distance = |face: &[usize; 3]| triangle_foot(&p, *face).point.norm_squared();
        let area = |[i, j, k]: &[usize; 3]| (p[*j] - p[*i]).cross(&(p[*k] - p[*i])).norm_squared();
        let better = |one: &[usize; 3], other: &[usize; 3]| {
            distance(one).total_cmp(&distance(other)).then(area(other).total_cmp(&area(one)))
        };
        if let Some(best) = FACES.iter().min_by(|one, other| better(one, other)) {
            let old = self.vertices;
            best.iter().enumerate().for_each(|(place, &index)| self.vertices[place] = old[index]);
            self.len = 3;
        }
    }

    /// Unit vectors that span all directions perpendicular to the simplex.
    pub(super) fn perpendiculars(&self) -> impl Iterator<Item = Vector3<f64>> {
        let p = |i: usize| self.vertices[i].point;
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let (basis, count) = match self.len {
            1 => (axes, 3),
            2 => {
                let edge = (p(1) - p(0)).normalize();
                let min = edge.iamin();
                let first = edge.cross(&axes[min]).normalize();
                ([first, edge.cross(&first), Vector3::zeros()], 2)
            }
            _ => {
                let normal = normal_of([&p(0), &p(1), &p(2)]);
                ([normal.normalize(), Vector3::zeros(), Vector3::zeros()], 1)
            }
        };
        basis.into_iter().take(count)
    }
}

fn vertex_foot(p: &[Vector3<f64>; 4], i: usize) -> Foot {
    Foot { indices: [i, 0, 0], weights: [1.0, 0.0, 0.0], len: 1, point: p[i] }
}

fn segment_foot(p: &[Vector3<f64>; 4], [i, j]: [usize; 2]) -> Foot {
    let edge = p[j] - p[i];
    let along = -p[i].dot(&edge);
    let length_squared = edge.norm_squared();
    if !(along > 0.0) {
        return vertex_foot(p, i);
    }
    if along >= length_squared {
        return vertex_foot(p, j);
    }
    let t = along / length_squared;
    Foot { indices: [i, j, 0], weights: [1.0 - t, t, 0.0], len: 2, point: p[i] + edge * t }
}

/// The nearer of two.
fn nearer(one: Foot, other: Foot) -> Foot {
    if other.point.norm_squared() < one.point.norm_squared() { other } else { one }
}

/// The point of a triangle nearest to the origin.
///
/// The weights come from the shortest edge and the component of another edge perpendicular to it, so that they are accurate
/// for needles as well.
fn triangle_foot(p: &[Vector3<f64>; 4], corners: [usize; 3]) -> Foot {
    let lengths = [0, 1, 2].map(|edge| (p[corners[(edge + 1) % 3]] - p[corners[edge]]).norm_squared());
    let shortest = (0..3).fold(0, |best, edge| if lengths[edge] < lengths[best] { edge } else { best });
    let [i, j, k] = [0, 1, 2].map(|corner| corners[(shortest + corner) % 3]);
    let (short, long) = (p[j] - p[i], p[k] - p[i]);
    let short_squared = lengths[shortest];
    if !(short_squared > 0.0) {
        return segment_foot(p, [i, k]);
    }
    // Orthogonalised twice: of a needle the first pass leaves little but rounding.
    let without = |v: &Vector3<f64>| v - short * (v.dot(&short) / short_squared);
    let slant = long.dot(&short) / short_squared;
    let upright = without(&without(&long));
    let upright_squared = upright.norm_squared();
    let to_k = if upright_squared > 0.0 { -without(&p[i]).dot(&upright) / upright_squared } else { 0.0 };
    let to_j = -p[i].dot(&short) / short_squared - to_k * slant;
    let weights = [1.0 - to_j - to_k, to_j, to_k];
    if weights.iter().all(|weight| *weight > 0.0) {
        // A weighted mean is a point of the triangle whatever the error of the weights; the foot along the normal need not be one.
        let point = p[i] * weights[0] + p[j] * weights[1] + p[k] * weights[2];
        return Foot { indices: [i, j, k], weights, len: 3, point };
    }
    // The foot on the plane is outside: beyond an edge whose weight is not positive.
    let mut best: Option<Foot> = None;
    for (weight, edge) in weights.into_iter().zip([[j, k], [k, i], [i, j]]) {
        if !(weight > 0.0) {
            let foot = segment_foot(p, edge);
            best = Some(best.map_or(foot, |best| nearer(best, foot)));
        }
    }
    best.unwrap_or_else(|| segment_foot(p, [i, j]))
}

/// Sine below which the side of a plane on which a point lies is rounding. The face is then a candidate as well, which
/// costs one triangle; a smaller value may take the origin for inside beside a face. A safeguard, without effect on the
/// sets of docs/sensitivity.md.
const SIDE: f64 = 8.0 * f64::EPSILON;

/// The point of a tetrahedron nearest to the origin; `None` if the origin is inside.
fn tetrahedron_foot(p: &[Vector3<f64>; 4]) -> Option<Foot> {
    const FACES: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]];
    let largest = p.iter().map(Vector3::norm_squared).fold(0.0, f64::max);
    let mut best: Option<Foot> = None;
    for [i, j, k, opposite] in FACES {
        let normal = normal_of([&p[i], &p[j], &p[k]]);
        let origin = -normal.dot(&p[i]);
        let inner = normal.dot(&(p[opposite] - p[i]));
        // Where either side is rounding, the face is a candidate.
        let rounding = SIDE * SIDE * normal.norm_squared() * largest;
        let unknown = origin * origin <= rounding || inner * inner <= rounding;
        if unknown || origin * inner < 0.0 {
            let foot = triangle_foot(p, [i, j, k]);
            best = Some(best.map_or(foot, |best| nearer(best, foot)));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vector3<f64>> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vector3::from)
    }

    fn simplex_of(points: &[Vector3<f64>]) -> Simplex {
        let mut simplex = Simplex::default();
        for &point in points {
            simplex.push(Vertex { point, on_a: point, ..Vertex::default() });
        }
        simplex
    }

    /// All weighted means of points in steps of 1/`steps`.
    fn means(points: &[Vector3<f64>], steps: u32) -> Vec<Vector3<f64>> {
        match points {
            [] => vec![],
            [only] => vec![*only],
            [first, rest @ ..] => (0..=steps)
                .flat_map(|i| {
                    let weight = f64::from(i) / f64::from(steps);
                    means(rest, steps).into_iter().map(move |mean| first * weight + mean * (1.0 - weight))
                })
                .collect(),
        }
    }

    proptest! {
        #[test]
        fn no_mean_of_the_vertices_is_nearer_than_the_nearest_point(
            points in proptest::collection::vec(vector(), 1..=4)
        ) {
            let mut simplex = simplex_of(&points);
            let nearest = simplex.reduce();
            let min = means(&points, 16).iter().map(Vector3::norm).fold(f64::INFINITY, f64::min);
            match nearest {
                Nearest::Inside => prop_assert!(points.len() == 4 && min < 0.25),
                Nearest::At(v) => {
                    prop_assert!(v.norm() <= min + 1e-12);
                    prop_assert!((simplex.witnesses()[0] - v).norm() < 1e-12);
                    let direction = simplex.direction(&v);
                    prop_assert!((direction - v.normalize()).norm() < 1e-9);
                    for point in &points {
                        prop_assert!(direction.dot(point) >= v.norm() - 1e-9);
                    }
                }
            }
        }

        #[test]
        fn the_normal_of_a_needle_is_perpendicular_to_its_short_edge_from_every_corner(
            tip in vector(), base in vector(), across in vector()
        ) {
            let other = base + across * 1e-7;
            let corners = [tip, base, other];
            prop_assume!((tip - base).norm() > 0.1 && (other - base).norm() > 1e-8);
            prop_assume!((tip - base).cross(&(other - base)).norm() > 0.1 * (tip - base).norm() * (other - base).norm());
            for [i, j, k] in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]] {
                let normal = normal_of([&corners[i], &corners[j], &corners[k]]).normalize();
                prop_assert!(normal.dot(&(other - base).normalize()).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn of_four_points_in_a_plane_the_three_around_the_origin_remain() {
        let points = [[1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [3.0, 3.0, 0.0]];
        let mut simplex = simplex_of(&points.map(Vector3::from));
        simplex.drop_flattest();
        assert_eq!(simplex.vertices().len(), 3);
        let Nearest::At(v) = simplex.reduce() else { panic!("a triangle has no inside") };
        assert!(v.norm() < 1e-15);
    }
}
