//! Shapes for the tests of this folder, with closed-form distances and volumes.

use std::f64::consts::TAU;

use nalgebra::{Point3, Vector3};

use crate::geometry::TriangleMesh;

/// A box of the given edge lengths [m] around the origin, twelve triangles.
pub(super) fn cuboid(size: Vector3<f64>) -> TriangleMesh {
    let corner = |i: u32| {
        let side = |bit: u32| if i & bit == 0 { -0.5 } else { 0.5 };
        Point3::from(size.component_mul(&Vector3::new(side(1), side(2), side(4))))
    };
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleMesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

/// A stack of so many triangles, a nanometre from one to the next, the lowest one at a height [m]: near all of another such stack.
pub(crate) fn layers(count: u32, height: f64) -> TriangleMesh {
    let layer = |i: u32| {
        let z = height + 1e-9 * f64::from(i);
        let corners = [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]].map(Point3::from);
        TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap()
    };
    TriangleMesh::joined((0..count).map(layer)).unwrap()
}

/// A torus around the z axis, of `2 n²` triangles.
pub(super) fn torus(major: f64, minor: f64, n: u32) -> TriangleMesh {
    let point = |i: u32| {
        let (u, v) = (TAU * f64::from(i % n) / f64::from(n), TAU * f64::from(i / n) / f64::from(n));
        let radius = major + minor * v.cos();
        Point3::new(radius * u.cos(), radius * u.sin(), minor * v.sin())
    };
    let cell = |i: u32, j: u32| {
        let at = |i: u32, j: u32| i % n + j % n * n;
        [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
    };
    let triangles = (0..n).flat_map(|j| (0..n).flat_map(move |i| cell(i, j))).collect();
    TriangleMesh::new((0..n * n).map(point).collect(), triangles).unwrap()
}

/// A sphere-like star of radius about one, of `4 n (n − 1)` triangles.
pub(super) fn bumpy_sphere(n: u32) -> TriangleMesh {
    sphere_with(n, |p| 1.0 + 0.1 * (7.0 * p.x).sin() * (5.0 * p.y + 1.0).sin() * (6.0 * p.z).cos())
}

/// A unit sphere of `4 n (n − 1)` triangles.
pub(super) fn sphere(n: u32) -> TriangleMesh {
    sphere_with(n, |_| 1.0)
}

fn sphere_with(n: u32, radius: impl Fn(&Vector3<f64>) -> f64) -> TriangleMesh {
    let around = 2 * n;
    let on_sphere = |row: u32, column: u32| {
        let (theta, phi) =
            (0.5 * TAU * f64::from(row) / f64::from(n), TAU * f64::from(column) / f64::from(around));
        let p = Vector3::new(theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos());
        Point3::from(radius(&p) * p)
    };
    let mut points = vec![on_sphere(0, 0), on_sphere(n, 0)];
    points.extend(
        (1..n).flat_map(|row| (0..around).map(move |column| (row, column))).map(|(r, c)| on_sphere(r, c)),
    );
    let at = |row: u32, column: u32| match row {
        0 => 0,
        _ if row == n => 1,
        _ => 2 + (row - 1) * around + column % around,
    };
    let mut triangles = Vec::new();
    for (row, column) in (0..n).flat_map(|row| (0..around).map(move |column| (row, column))) {
        let [a, b, c, d] =
            [at(row, column), at(row + 1, column), at(row + 1, column + 1), at(row, column + 1)];
        if row + 1 < n {
            triangles.push([a, b, c]);
        }
        if row > 0 {
            triangles.push([a, c, d]);
        }
    }
    TriangleMesh::new(points, triangles).unwrap()
}
