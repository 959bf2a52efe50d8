//! Self-collision compared with brute force without orientation predicates, the maximum gap on separating axes, and
//! with closed forms where triangles touch or share corners.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use rayon::ThreadPoolBuilder;

use super::super::shapes;
use super::super::tests::{Noise, about_center, soup};
use super::super::triangle_pair::separating_planes;
use super::*;
use crate::geometry::procedural::{self, KINDS};
use crate::geometry::{Solidity, TriangleMesh};

const CROSSING: SelfCollisionOptions = SelfCollisionOptions { touching: false, parallel: true };
const TOUCHING: SelfCollisionOptions = SelfCollisionOptions { touching: true, parallel: true };

fn surface(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Model {
    let points = points.iter().map(|&p| Point3::from(p)).collect();
    Model::new(TriangleMesh::new(points, triangles.to_vec()).unwrap(), Solidity::Surface)
}

/// Number of pairs that touch or cross, and of those that cross.
fn counts(model: &Model) -> [usize; 2] {
    [TOUCHING, CROSSING].map(|options| {
        let pairs = self_collisions(model, &options);
        assert_eq!(is_self_colliding(model, &options), !pairs.is_empty());
        assert!(pairs.is_sorted() && pairs.iter().all(|[i, j]| i < j));
        pairs.len()
    })
}

/// The counts of a mesh, asserted to be the same however it is rotated, scaled, listed and oriented.
fn counts_always(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> [usize; 2] {
    let expected = counts(&surface(points, triangles));
    for axes in [[1, 2, 0], [0, 2, 1]] {
        for scale in [2.0_f64.powi(-40), 1.0, 2.0_f64.powi(40)] {
            let points = points.iter().map(|p| axes.map(|k| scale * p[k])).collect::<Vec<_>>();
            let reversed = triangles.iter().rev().map(|&[i, j, k]| [k, i, j]).collect::<Vec<_>>();
            let inside_out = triangles.iter().map(|&[i, j, k]| [j, i, k]).collect::<Vec<_>>();
            assert_eq!(counts(&surface(&points, &reversed)), expected);
            assert_eq!(counts(&surface(&points, &inside_out)), expected);
        }
    }
    // The same corners, each triangle with vertices of its own.
    let split = triangles.iter().flatten().map(|&i| points[i as usize]).collect::<Vec<_>>();
    let own = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>();
    assert_eq!(counts(&surface(&split, &own)), expected);
    expected
}

#[test]
fn a_soup_collides_where_no_axis_separates_two_triangles() {
    let mut noise = Noise(80);
    let mut found = 0;
    for (count, size) in [(80, 0.6), (200, 0.4), (400, 0.25)] {
        let model = soup(&mut noise, count, size);
        let gap = |i: u32, j: u32| {
            let [p, q] = [i, j].map(|index| model.mesh().triangle(index as usize));
            let mut max = f64::NEG_INFINITY;
            separating_planes(&p, &q, |plane| max = max.max(plane.gap));
            max
        };
        let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
        let brute = pairs.filter(|&[i, j]| gap(i, j) <= 0.0).collect::<Vec<_>>();
        assert_eq!(self_collisions(&model, &TOUCHING), brute);
        assert_eq!(self_collisions(&model, &CROSSING), brute);
        found += brute.len();
    }
    assert!(found > 300, "{found}");
}

#[test]
fn no_procedural_mesh_collides_with_itself() {
    for kind in KINDS {
        let mesh = procedural::build(kind.name, &Default::default()).unwrap();
        if mesh.triangles().len() > 10_000 {
            continue;
        }
        let model = Model::new(mesh, Solidity::Solid);
        assert_eq!(self_collisions(&model, &TOUCHING), Vec::<[u32; 2]>::new(), "{}", kind.name);
    }
}

#[test]
fn a_mesh_that_is_rotated_and_far_away_does_not_collide_by_rounding() {
    let mut noise = Noise(81);
    for mesh in [shapes::sphere(12), shapes::torus(1.0, 0.4, 16), shapes::cuboid(Vector3::new(1.0, 2.0, 3.0))]
    {
        for _ in 0..4 {
            let pose = about_center(noise.pose(1e6, 3.0));
            let vertices = mesh.vertices().iter().map(|p| pose * p).collect();
            let moved = TriangleMesh::new(vertices, mesh.triangles().to_vec()).unwrap();
            assert_eq!(counts(&Model::new(moved, Solidity::Solid)), [0, 0]);
        }
    }
}

#[test]
fn two_spheres_in_one_mesh_collide_as_two_models_do() {
    let ball = shapes::sphere(10);
    let count = ball.vertices().len() as u32;
    for (shift, collides) in [(1.2, true), (2.5, false), (0.0123, true)] {
        let offset = Vector3::new(shift, 0.01, 0.02);
        let vertices = ball.vertices().iter().copied().chain(ball.vertices().iter().map(|p| p + offset));
        let second = ball.triangles().iter().map(|t| t.map(|i| i + count));
        let triangles = ball.triangles().iter().copied().chain(second).collect();
        let both = Model::new(TriangleMesh::new(vertices.collect(), triangles).unwrap(), Solidity::Solid);
        let one = Model::new(ball.clone(), Solidity::Surface);
        let mut pairs = Vec::new();
        let there = nalgebra::Isometry3::translation(offset.x, offset.y, offset.z);
        super::super::intersecting_pairs(&one, &nalgebra::Isometry3::identity(), &one, &there, &mut pairs);
        let found = self_collisions(&both, &TOUCHING);
        let triangles = ball.triangles().len() as u32;
        assert_eq!(found, pairs.iter().map(|&[i, j]| [i, j + triangles]).collect::<Vec<_>>());
        assert_eq!(!found.is_empty(), collides);
    }
}

#[test]
fn duplicated_triangles_lie_on_one_another() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [0.0, 1.0, 0.25]];
    assert_eq!(counts_always(&points, &[[0, 1, 2], [0, 1, 2]]), [1, 1]);
    assert_eq!(counts_always(&points, &[[0, 1, 2], [2, 1, 0], [1, 0, 2]]), [3, 3]);
}

#[test]
fn a_flap_collides_when_it_is_folded_flat_and_not_before() {
    for (apex, expected) in [
        ([0.5, -1.0, 0.0], [0, 0]),
        ([0.5, 1.0, 1e-50], [0, 0]),
        ([0.5, 1.0, -1e-9], [0, 0]),
        ([0.5, 1.0, 0.0], [1, 1]),
        ([7.0, 0.001, 0.0], [1, 1]),
        ([-7.0, -0.001, 0.0], [0, 0]),
    ] {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 2.0, 0.0], apex];
        assert_eq!(counts_always(&points, &[[0, 1, 2], [1, 0, 3]]), expected, "{apex:?}");
    }
}

#[test]
fn triangles_that_share_one_corner_collide_only_beyond_it() {
    let first = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    for (second, expected) in [
        // On the other side of the corner, above it, and standing on it.
        ([[-1.0, -1.0, 0.0], [-1.0, -2.0, 0.0]], [0, 0]),
        ([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0]], [0, 0]),
        ([[-1.0, 0.5, 1.0], [-1.0, 0.5, -1.0]], [0, 0]),
        // Its far edge pierces the first, and the first's far edge pierces it.
        ([[0.5, 0.5, 1.0], [0.6, 0.5, -1.0]], [1, 1]),
        ([[3.0, 3.0, 1.0], [3.0, 3.0, -1.0]], [1, 1]),
        // A corner rests on the first, its far edge touches the first's edge, and an edge lies along one of it.
        ([[0.5, 0.5, 0.0], [0.5, 0.5, 1.0]], [1, 0]),
        ([[1.0, 1.0, 0.0], [2.0, 2.0, 1.0]], [1, 0]),
        ([[1.0, 0.0, 0.0], [1.0, -1.0, 1.0]], [1, 0]),
        ([[5.0, 0.0, 0.0], [5.0, -1.0, 1.0]], [1, 0]),
        // In one plane: beside it, along an edge from outside, and onto it.
        ([[-1.0, 1.0, 0.0], [-1.0, 3.0, 0.0]], [0, 0]),
        ([[3.0, 0.0, 0.0], [3.0, -1.0, 0.0]], [1, 0]),
        ([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0]], [1, 1]),
        ([[9.0, -1.0, 0.0], [9.0, 8.0, 0.0]], [1, 1]),
    ] {
        let points = [first[0], first[1], first[2], second[0], second[1]];
        assert_eq!(counts_always(&points, &[[0, 1, 2], [0, 3, 4]]), expected, "{second:?}");
    }
}

#[test]
fn two_triangles_that_share_a_corner_collide_where_they_do_without_its_tip() {
    // Without the tips at the corner they have nothing in common there: separating axes decide whether they intersect
    // elsewhere.
    const TIP: f64 = 1e-6;
    let mut noise = Noise(83);
    let mut found = 0;
    for _ in 0..3000 {
        let points: [Point3<f64>; 5] = std::array::from_fn(|_| Point3::from(noise.vector()));
        let [corner, a, b, c, d] = points;
        let blunt = |x: Point3<f64>, y: Point3<f64>| {
            let [near_x, near_y] = [x, y].map(|end| corner + TIP * (end - corner));
            [[near_x, x, y], [near_x, y, near_y]]
        };
        let meets = |p: &[Point3<f64>; 3], q: &[Point3<f64>; 3]| {
            let mut max = f64::NEG_INFINITY;
            separating_planes(p, q, |plane| max = max.max(plane.gap));
            max <= 0.0
        };
        let expected = blunt(a, b).iter().any(|p| blunt(c, d).iter().any(|q| meets(p, q)));
        let model = surface(&points.map(|p| p.coords.into()), &[[0, 1, 2], [0, 3, 4]]);
        assert_eq!(counts(&model), [usize::from(expected); 2], "{points:?}");
        found += usize::from(expected);
    }
    assert!(found > 300, "{found}");
}

#[test]
fn triangles_that_share_no_corner_touch_or_cross() {
    let first = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    for (second, expected) in [
        ([[0.5, 0.5, 1e-50], [3.0, 3.0, 1.0], [3.0, -3.0, 1.0]], [0, 0]),
        // A corner on the face, on an edge (a T-junction, across and in the plane), an edge on an edge, on the face.
        ([[0.5, 0.5, 0.0], [3.0, 3.0, 1.0], [3.0, -3.0, 1.0]], [1, 0]),
        ([[1.0, 0.0, 0.0], [1.0, -1.0, 1.0], [2.0, -1.0, 1.0]], [1, 0]),
        ([[1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [2.0, -1.0, 0.0]], [1, 0]),
        ([[0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -1.0, 0.0]], [1, 0]),
        ([[0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0]], [1, 0]),
        ([[0.2, 0.2, 0.0], [0.5, 0.5, 0.0], [0.5, 0.5, 1.0]], [1, 0]),
        // Two edges that cross.
        ([[1.0, -1.0, -1.0], [1.0, 1.0, 1.0], [1.0, -2.0, 1.0]], [1, 0]),
        // Through the face, and coplanar with an area in common: within, around, and as a star.
        ([[0.5, 0.5, -1.0], [0.6, 0.5, 1.0], [0.5, 0.6, 1.0]], [1, 1]),
        ([[0.1, 0.1, 0.0], [0.2, 0.1, 0.0], [0.1, 0.2, 0.0]], [1, 1]),
        ([[-9.0, -9.0, 0.0], [30.0, -9.0, 0.0], [-9.0, 30.0, 0.0]], [1, 1]),
        ([[1.25, 1.25, 0.0], [-0.5, 1.25, 0.0], [1.25, -0.5, 0.0]], [1, 1]),
        // In one plane and apart.
        ([[1.25, 1.25, 0.0], [3.0, 1.25, 0.0], [1.25, 3.0, 0.0]], [0, 0]),
    ] {
        let points = [first, second].concat();
        assert_eq!(counts_always(&points, &[[0, 1, 2], [3, 4, 5]]), expected, "{second:?}");
    }
}

#[test]
fn a_fan_collides_when_it_winds_around_its_corner_twice() {
    for (revolutions, expected) in [(0.9, false), (1.9, true)] {
        let blades = 24_u32;
        let angle = |i: u32| revolutions * std::f64::consts::TAU * f64::from(i) / f64::from(blades);
        let mut points = vec![[0.0, 0.0, 0.0]];
        points.extend((0..=blades).map(|i| [angle(i).cos(), angle(i).sin(), 0.2 * (3.0 * angle(i)).cos()]));
        let triangles = (1..=blades).map(|i| [0, i, i + 1]).collect::<Vec<_>>();
        assert_eq!(counts_always(&points, &triangles)[1] > 0, expected, "{revolutions}");
    }
}

/// A strip of `n` quads around a circle with a number of half twists.
fn twisted_strip(n: u32, half_twists: f64, width: f64) -> TriangleMesh {
    let point = |i: u32, side: f64| {
        let around = std::f64::consts::TAU * f64::from(i % n) / f64::from(n);
        // The last ring of a strip with an odd number of half twists is the first one upside down.
        let side = if i == n && half_twists % 2.0 != 0.0 { -side } else { side };
        let twist = 0.5 * half_twists * around;
        let outwards = Vector3::new(around.cos(), around.sin(), 0.0);
        Point3::from(outwards + side * width * (twist.cos() * outwards + twist.sin() * Vector3::z()))
    };
    let points = (0..=n).flat_map(|i| [point(i, -1.0), point(i, 1.0)]).collect();
    let quad = |i: u32| [[2 * i, 2 * i + 1, 2 * i + 3], [2 * i, 2 * i + 3, 2 * i + 2]];
    TriangleMesh::new(points, (0..n).flat_map(quad).collect()).unwrap()
}

#[test]
fn a_moebius_strip_collides_when_it_reaches_across_its_circle() {
    let narrow = Model::new(twisted_strip(60, 1.0, 1.8), Solidity::Surface);
    assert_eq!(counts(&narrow), [0, 0]);
    let wide = Model::new(twisted_strip(60, 1.0, 2.1), Solidity::Surface);
    assert!(counts(&wide)[1] > 0);
}

#[test]
fn triangles_without_an_area_take_no_part() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, -1.0], [0.2, 0.2, 1.0]];
    assert_eq!(counts(&surface(&points, &[[0, 1, 2], [3, 4, 4], [3, 3, 4], [0, 1, 1]])), [0, 0]);
}

#[test]
fn threads_change_no_pair_and_a_rotation_no_count() {
    let mut noise = Noise(82);
    let model = soup(&mut noise, 400, 0.2);
    let alone = self_collisions(&model, &SelfCollisionOptions { parallel: false, ..TOUCHING });
    for threads in [1, 2, 5] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| self_collisions(&model, &TOUCHING)), alone);
    }
    let rotation = UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1);
    let rotated = model.mesh().vertices().iter().map(|p| rotation * p).collect();
    let rotated = TriangleMesh::new(rotated, model.mesh().triangles().to_vec()).unwrap();
    assert_eq!(self_collisions(&Model::new(rotated, Solidity::Surface), &CROSSING), alone);
}
