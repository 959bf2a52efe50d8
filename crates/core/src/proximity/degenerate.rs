//! Pairs of models in degenerate configurations, swept by the tests of this folder.

use nalgebra::{Isometry3, Point3, Vector3};

use super::Model;
use super::shapes;
use super::tests::Noise;
use crate::geometry::{Solidity, TriangleMesh};

/// Two surfaces and the pose of the first one; that of the second one is the identity.
pub(super) struct Pair {
    pub(super) name: &'static str,
    pub(super) a: Model,
    pub(super) pose: Isometry3<f64>,
    pub(super) b: Model,
    /// Size of the models and of their distance from the origin [m], to which rounding is relative.
    pub(super) size: f64,
}

fn surface(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> TriangleMesh {
    TriangleMesh::new(points.iter().map(|&p| Point3::from(p)).collect(), triangles.to_vec()).unwrap()
}

fn reversed(mesh: &TriangleMesh) -> TriangleMesh {
    let triangles = mesh.triangles().iter().map(|&[i, j, k]| [i, k, j]).collect();
    TriangleMesh::new(mesh.vertices().to_vec(), triangles).unwrap()
}

fn duplicated(mesh: &TriangleMesh) -> TriangleMesh {
    TriangleMesh::new(mesh.vertices().to_vec(), mesh.triangles().repeat(2)).unwrap()
}

/// A cube with additional triangles of no area: a point and two edges, which overlap the other model.
fn with_areas_of_zero(cube: &TriangleMesh) -> TriangleMesh {
    let mut points = cube.vertices().to_vec();
    let mut triangles = cube.triangles().to_vec();
    let first = points.len() as u32;
    points.extend([Point3::new(1.4, 0.1, 0.0), Point3::new(0.2, 0.2, 0.2), Point3::new(0.8, 0.6, 0.4)]);
    triangles.extend([[first; 3], [first, first, first + 1], [first + 1, first + 2, first]]);
    points.extend([Point3::new(0.2, 0.2, 0.2), Point3::new(0.5, 0.4, 0.3), Point3::new(0.8, 0.6, 0.4)]);
    triangles.push([first + 3, first + 4, first + 5]);
    TriangleMesh::new(points, triangles).unwrap()
}

fn pair(name: &'static str, a: &TriangleMesh, b: &TriangleMesh, pose: Isometry3<f64>, size: f64) -> Pair {
    let [a, b] = [a, b].map(|mesh| Model::new(mesh.clone(), Solidity::Surface));
    Pair { name, a, pose, b, size }
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn cube() -> TriangleMesh {
    shapes::cuboid(Vector3::repeat(1.0))
}

fn square() -> TriangleMesh {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    surface(&corners, &[[0, 1, 2], [0, 2, 3]])
}

/// Touching, parallel, coincident, zero area, inside out, duplicated, 1e-12 apart, far from the origin, tiny and huge.
pub(super) fn pairs() -> Vec<Pair> {
    [touching_and_parallel(), defects(), thin(), of_all_sizes(), in_general_position()]
        .into_iter()
        .flatten()
        .collect()
}

fn touching_and_parallel() -> Vec<Pair> {
    let (cube, square) = (cube(), square());
    vec![
        pair("touching faces", &cube, &cube, at(1.0, 0.3, 0.2), 1.0),
        pair("touching edges", &cube, &cube, at(1.0, 1.0, 0.2), 1.0),
        pair("touching corners", &cube, &cube, at(1.0, 1.0, 1.0), 1.0),
        pair("parallel faces", &cube, &cube, at(1.25, 0.3, 0.2), 1.0),
        pair("parallel edges", &cube, &cube, at(1.25, 1.5, 0.2), 1.0),
        pair("parallel in one plane", &square, &square, at(1.5, 0.2, 0.0), 1.0),
        pair("overlapping in one plane", &square, &square, at(0.5, 0.25, 0.0), 1.0),
        pair("coincident", &cube, &cube, at(0.0, 0.0, 0.0), 1.0),
        pair("coincident squares", &square, &square, at(0.0, 0.0, 0.0), 1.0),
        pair("1e-12 apart", &cube, &cube, at(1.0 + 1e-12, 0.3, 0.2), 1.0),
        pair("1e-12 deep", &cube, &cube, at(1.0 - 1e-12, 0.3, 0.2), 1.0),
    ]
}

fn defects() -> Vec<Pair> {
    let cube = cube();
    let [flat, inverted, twice] = [with_areas_of_zero(&cube), reversed(&cube), duplicated(&cube)];
    vec![
        pair("zero area", &flat, &cube, at(1.5, 0.2, 0.1), 2.0),
        pair("zero area crossing", &flat, &cube, at(0.3, 0.2, 0.1), 2.0),
        pair("inside out", &inverted, &cube, at(0.6, 0.3, 0.2), 1.0),
        pair("inside out apart", &inverted, &cube, at(1.6, 0.3, 0.2), 1.0),
        pair("duplicated", &twice, &twice, at(0.6, 0.3, 0.2), 1.0),
        pair("duplicated apart", &twice, &twice, at(1.6, 0.3, 0.2), 1.0),
    ]
}

fn thin() -> Vec<Pair> {
    let square = square();
    let needle = surface(&[[0.0, 0.0, 0.0], [1.0, 1e-9, 0.0], [2.0, 0.0, 0.0]], &[[0, 1, 2]]);
    let across = Isometry3::new(Vector3::new(0.5, 0.5, -0.5), Vector3::y() * -1.2);
    let nearly_flat = Isometry3::new(Vector3::new(0.3, 0.2, 0.0), Vector3::x() * 1e-7);
    vec![
        pair("a needle across", &needle, &square, across, 2.0),
        pair("a needle along", &needle, &square, at(0.1, 0.2, 0.0), 2.0),
        pair("a needle above", &needle, &square, at(0.1, 0.2, 0.3), 2.0),
        pair("a shallow angle", &square, &square, nearly_flat, 1.0),
    ]
}

fn of_all_sizes() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (name, scale) in [("tiny", 1e-6), ("huge", 1e6)] {
        let scaled = cube().scaled(&Vector3::repeat(scale)).unwrap();
        for x in [0.6, 1.6] {
            pairs.push(pair(name, &scaled, &scaled, at(scale * x, scale * 0.3, scale * 0.2), scale));
        }
    }
    let moved = cube().vertices().iter().map(|p| p + Vector3::new(1e6, -2e6, 5e5)).collect();
    let far = TriangleMesh::new(moved, cube().triangles().to_vec()).unwrap();
    for x in [0.625, 1.625] {
        pairs.push(pair("far from the origin", &far, &far, at(x, 0.25, 0.125), 2e6));
    }
    pairs
}

fn in_general_position() -> Vec<Pair> {
    let mut noise = Noise(70);
    let mut posed = || {
        let pose = Isometry3::new(0.8 * noise.vector(), noise.vector());
        pair("in general position", &cube(), &cube(), pose, 1.0)
    };
    (0..4).map(|_| posed()).collect()
}
