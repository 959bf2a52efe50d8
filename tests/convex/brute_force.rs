//! Signed distance of the hulls of points, by trying all that can decide it.
//!
//! Every facet of the difference of two polytopes has the normal of a facet of one of them, or one across an edge of
//! each. The normals of all triples of points and the directions across all pairs of pairs hold these, and any other
//! direction can only show more depth; likewise every triangle and segment between points is inside its hull.

use nalgebra::{Isometry3, Point3, Vector3};

use super::forms::Form;

/// Directions shorter than this fraction of the lengths they are the product of are rounding.
const PARALLEL: f64 = 1e-9;

type Points = [Vector3<f64>];

/// The signed distance [m] of two forms at their poses, or nothing where one of them is a curve's.
pub(crate) fn signed_distance(forms: &[Form; 2], poses: &[Isometry3<f64>; 2]) -> Option<f64> {
    let [(a, radius_a), (b, radius_b)] = [corners(&forms[0], &poses[0])?, corners(&forms[1], &poses[1])?];
    Some(gap(&a, &b) - radius_a - radius_b)
}

/// The points [m, world] of which a form is the hull, and the radius around it.
fn corners(form: &Form, pose: &Isometry3<f64>) -> Option<(Vec<Vector3<f64>>, f64)> {
    let half = |i: usize, axis: usize, size: f64| if i >> axis & 1 == 0 { 0.5 * size } else { -0.5 * size };
    let (points, radius): (Vec<Vector3<f64>>, f64) = match form {
        Form::Sphere(radius) => (vec![Vector3::zeros()], *radius),
        Form::Capsule { radius, length } => {
            ((0..2).map(|i| Vector3::z() * half(i, 0, *length)).collect(), *radius)
        }
        Form::Cuboid(size) => {
            ((0..8).map(|i| Vector3::from_fn(|axis, _| half(i, axis, size[axis]))).collect(), 0.0)
        }
        Form::Hull(points) => (points.iter().map(|point| point.coords).collect(), 0.0),
        Form::Rounded(inner, radius) => {
            let (points, inside) = corners(inner, &Isometry3::identity())?;
            (points, inside + radius)
        }
        Form::Cylinder { .. } | Form::Cone { .. } | Form::HalfSpace => return None,
    };
    Some((points.into_iter().map(|point| (pose * Point3::from(point)).coords).collect(), radius))
}

/// The signed distance of two hulls [m].
fn gap(a: &Points, b: &Points) -> f64 {
    let depth =
        normals(a, b).into_iter().map(|normal| free_after(a, b, &normal)).fold(f64::INFINITY, f64::min);
    if depth < 0.0 || depth.is_infinite() { distance(a, b) } else { -depth }
}

/// Distance by which A moves along a direction until it is free [m].
fn free_after(a: &Points, b: &Points, direction: &Vector3<f64>) -> f64 {
    let far = b.iter().map(|point| point.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
    let near = a.iter().map(|point| point.dot(direction)).fold(f64::INFINITY, f64::min);
    far - near
}

fn normals(a: &Points, b: &Points) -> Vec<Vector3<f64>> {
    let mut normals = Vec::new();
    let mut across = |p: Vector3<f64>, q: Vector3<f64>| {
        let normal = p.cross(&q);
        if normal.norm() > PARALLEL * p.norm() * q.norm() {
            normals.extend([normal.normalize(), -normal.normalize()]);
        }
    };
    for points in [a, b] {
        for [p, q, r] in triples(points) {
            across(q - p, r - p);
        }
    }
    for [p, q] in pairs(a) {
        for [r, s] in pairs(b) {
            across(q - p, s - r);
        }
    }
    normals
}

fn pairs(points: &Points) -> Vec<[Vector3<f64>; 2]> {
    let mut pairs = Vec::new();
    for (i, p) in points.iter().enumerate() {
        pairs.extend(points[..i].iter().map(|q| [*p, *q]));
    }
    pairs
}

fn triples(points: &Points) -> Vec<[Vector3<f64>; 3]> {
    let mut triples = Vec::new();
    for (i, p) in points.iter().enumerate() {
        triples.extend(pairs(&points[..i]).into_iter().map(|[q, r]| [*p, q, r]));
    }
    triples
}

/// Distance of two hulls that are apart [m].
fn distance(a: &Points, b: &Points) -> f64 {
    let mut min = f64::INFINITY;
    for (points, others) in [(a, b), (b, a)] {
        for triangle in triples(others) {
            for point in points {
                min = min.min(above(point, &triangle).unwrap_or(f64::INFINITY));
            }
        }
    }
    // A point counts as a segment from itself to itself.
    let segments = |points: &Points| -> Vec<_> {
        pairs(points).into_iter().chain(points.iter().map(|point| [*point; 2])).collect()
    };
    for p in segments(a) {
        for q in segments(b) {
            min = min.min(between_segments(p, q));
        }
    }
    min
}

/// Distance of a point from the plane of a triangle [m], if it is above or below the triangle.
fn above(point: &Vector3<f64>, [a, b, c]: &[Vector3<f64>; 3]) -> Option<f64> {
    let normal = (b - a).cross(&(c - a));
    let is_inside = |p: &Vector3<f64>, q: &Vector3<f64>| (q - p).cross(&(point - p)).dot(&normal) >= 0.0;
    let is_triangle = normal.norm() > PARALLEL * (b - a).norm() * (c - a).norm();
    (is_triangle && is_inside(a, b) && is_inside(b, c) && is_inside(c, a))
        .then(|| (point - a).dot(&normal).abs() / normal.norm())
}

/// Distance of two segments [m]: between their lines, where the feet are inside, or from one of the ends.
fn between_segments(p: [Vector3<f64>; 2], q: [Vector3<f64>; 2]) -> f64 {
    let from_segment = |point: &Vector3<f64>, [from, to]: [Vector3<f64>; 2]| {
        let along = to - from;
        let square = along.norm_squared();
        let fraction = if square > 0.0 { (point - from).dot(&along) / square } else { 0.0 };
        (from + fraction.clamp(0.0, 1.0) * along - point).norm()
    };
    let ends = p.iter().map(|end| from_segment(end, q)).chain(q.iter().map(|end| from_segment(end, p)));
    let min = ends.fold(f64::INFINITY, f64::min);
    let (along_p, along_q, between) = (p[1] - p[0], q[1] - q[0], q[0] - p[0]);
    let normal = along_p.cross(&along_q);
    if !(normal.norm() > PARALLEL * along_p.norm() * along_q.norm()) {
        return min;
    }
    let fraction = |other: &Vector3<f64>| between.cross(other).dot(&normal) / normal.norm_squared();
    let feet_are_inside =
        (0.0..=1.0).contains(&fraction(&along_q)) && (0.0..=1.0).contains(&fraction(&along_p));
    if feet_are_inside { min.min(between.dot(&normal).abs() / normal.norm()) } else { min }
}

#[test]
fn the_brute_force_knows_cubes_and_tetrahedra() {
    let cube = Form::Cuboid(Vector3::repeat(1.0));
    let between = |form: &Form, at: [f64; 3]| {
        let poses = [Isometry3::identity(), Isometry3::translation(at[0], at[1], at[2])];
        signed_distance(&[cube.clone(), form.clone()], &poses).expect("no curves")
    };
    assert!((between(&cube, [0.7, 0.1, 0.2]) + 0.3).abs() < 1e-15);
    assert!((between(&cube, [1.3, 1.4, 0.2]) - 0.5).abs() < 1e-15);
    assert!((between(&Form::Sphere(0.25), [0.2, 0.0, 0.0]) + 0.55).abs() < 1e-15);
    assert!((between(&Form::Sphere(0.25), [1.5, 1.5, 1.5]) - (3_f64.sqrt() - 0.25)).abs() < 1e-15);
    // Its corner reaches 0.5 / √3 through the slanted face of the tetrahedron.
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let tetrahedron = Form::Hull(corners.map(Point3::from).to_vec());
    assert!((between(&tetrahedron, [-2.0 / 3.0; 3]) + 0.5 / 3_f64.sqrt()).abs() < 1e-15);
}
