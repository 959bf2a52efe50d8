//! Balls and depths compared with brute force over all triangles and with closed forms.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::geometry::procedural::{Cup, Grate, LShape, Procedural, TorusKnot};
use crate::geometry::{Solidity, TriangleMesh};
use crate::proximity::tests::Noise;
use crate::proximity::triangle_distance::closest_on_triangle;
use crate::proximity::{Model, shapes, signed_distance};

fn solid(mesh: TriangleMesh) -> Model {
    Model::new(mesh, Solidity::Solid)
}

fn joined(meshes: &[TriangleMesh]) -> TriangleMesh {
    TriangleMesh::joined(meshes.iter().cloned()).unwrap()
}

fn box_between(min: [f64; 3], max: [f64; 3]) -> TriangleMesh {
    let (min, max) = (Vector3::from(min), Vector3::from(max));
    let middle = Isometry3::from_parts((0.5 * (min + max)).into(), nalgebra::UnitQuaternion::identity());
    shapes::cuboid(max - min).transformed(&middle)
}

fn procedural() -> [TriangleMesh; 5] {
    [
        Cup::default().mesh().unwrap(),
        TorusKnot::default().mesh().unwrap(),
        Grate::default().mesh().unwrap(),
        LShape::default().mesh().unwrap(),
        shapes::bumpy_sphere(24),
    ]
}

/// Distance of a point of the tree's frame from the surface.
fn brute_distance(model: &Model, point: &Vector3<f64>) -> f64 {
    let point = Point3::from(*point) + model.center().coords;
    let triangles = 0..model.mesh().triangles().len();
    let to = |i| nalgebra::distance(&point, &closest_on_triangle(&point, &model.mesh().triangle(i)));
    triangles.map(to).fold(f64::INFINITY, f64::min)
}

#[test]
fn every_ball_is_inside_and_no_larger_than_its_distance_from_the_surface() {
    for mesh in procedural() {
        let model = solid(mesh);
        let balls = model.inner_balls().balls();
        assert!((20..=128).contains(&balls.len()), "{}", balls.len());
        for ball in balls {
            assert!(ball.radius > 0.0 && ball.radius <= brute_distance(&model, &ball.center));
            assert!(model.winding_number(&(model.center() + ball.center)) > 0.99);
        }
    }
}

#[test]
fn a_depth_is_the_signed_distance_rounded_down() {
    let mut noise = Noise(3);
    for mesh in procedural() {
        let model = solid(mesh);
        for _ in 0..300 {
            let point = model.radius() * noise.vector();
            let exact = -signed_distance(&model, &(model.center() + point));
            let (depth, closest) = model.depth_above(&point, f64::NEG_INFINITY, 0.0).unwrap();
            assert!(depth <= exact && depth >= exact - 1e-9 * model.radius(), "{depth} {exact}");
            assert!(((point - closest).norm() - exact.abs()).abs() <= 1e-9 * model.radius());
            assert!(model.depth_above(&point, exact, 0.0).is_none());
            assert_eq!(model.depth_above(&point, exact - 0.01 * exact.abs(), 0.0).map(|x| x.0), Some(depth));
            let (roughly, _) = model.depth_above(&point, f64::NEG_INFINITY, 0.05).unwrap();
            assert!(roughly <= exact && roughly >= exact - 0.06 * exact.abs(), "{roughly} {exact}");
            let known = model.inner_balls().estimate(&point).unwrap();
            assert!(known.min <= exact && exact <= known.max, "{known:?} {exact}");
        }
    }
}

#[test]
fn the_first_ball_of_a_cube_fills_it() {
    let model = solid(shapes::cuboid(Vector3::repeat(2.0)));
    let largest = model.inner_balls().balls()[0];
    assert!(largest.radius > 0.999 && largest.radius <= 1.0, "{largest:?}");
}

#[test]
fn balls_scale_with_the_unit() {
    let mesh = Cup::default().mesh().unwrap();
    let balls = |scale: f64| {
        let model = solid(mesh.scaled(&Vector3::repeat(scale)).unwrap());
        model.inner_balls().balls().iter().map(|ball| ball.radius / scale).collect::<Vec<_>>()
    };
    let expected = balls(1.0);
    for scale in [2.0_f64.powi(-40), 2.0_f64.powi(30)] {
        let found = balls(scale);
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(&expected).all(|(x, y)| (x - y).abs() <= 1e-9), "{scale}");
    }
}

#[test]
fn surfaces_and_open_meshes_have_no_balls() {
    let cube = shapes::cuboid(Vector3::repeat(1.0));
    let open = TriangleMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec()).unwrap();
    for model in [Model::new(cube, Solidity::Surface), solid(open)] {
        assert!(model.inner_balls().balls().is_empty());
        assert!(model.depth_above(&Vector3::zeros(), f64::NEG_INFINITY, 0.0).is_none());
    }
}

#[test]
fn faces_between_pieces_are_not_boundary() {
    let whole = solid(box_between([-1.0; 3], [1.0; 3]));
    let overlapping =
        [box_between([-1.0; 3], [0.3, 1.0, 1.0]), box_between([-0.2, -1.0, -1.0], [1.0, 1.0, 1.0])];
    let touching = [box_between([-1.0; 3], [0.3, 1.0, 1.0]), box_between([0.3, -1.0, -1.0], [1.0, 1.0, 1.0])];
    let inner = [box_between([-1.0; 3], [1.0; 3]), box_between([-0.3; 3], [0.4; 3])];
    let mut noise = Noise(4);
    for pieces in [overlapping, touching, inner] {
        let union = solid(joined(&pieces));
        for _ in 0..300 {
            let point = 1.3 * noise.vector();
            let [found, exact] =
                [&union, &whole].map(|model| model.depth_above(&point, f64::NEG_INFINITY, 0.0).unwrap().0);
            assert!((found - exact).abs() <= 1e-9, "{point} {found} {exact}");
        }
    }
}

#[test]
fn faces_of_cavities_and_of_gaps_are_boundary() {
    let cavity = box_between([-0.5; 3], [0.5; 3]).reversed();
    let hollow = solid(joined(&[box_between([-1.0; 3], [1.0; 3]), cavity]));
    let [wall, middle] = [Vector3::new(0.75, 0.0, 0.0), Vector3::zeros()]
        .map(|point| hollow.depth_above(&point, f64::NEG_INFINITY, 0.0).unwrap().0);
    assert!((wall - 0.25).abs() < 1e-9 && (middle + 0.5).abs() < 1e-9, "{wall} {middle}");
    let halves = [box_between([-1.0; 3], [-1e-6, 1.0, 1.0]), box_between([0.0, -1.0, -1.0], [1.0; 3])];
    let depth = solid(joined(&halves)).depth_above(&Vector3::new(0.1, 0.0, 0.0), f64::NEG_INFINITY, 0.0);
    assert!((depth.unwrap().0 - 0.1).abs() < 1e-5);
}

#[test]
fn pieces_that_pierce_a_face_or_lie_inside_leave_the_boundary_of_their_union() {
    // The corners of the double pyramid lie in the plane of a face of the cube: no triangle of it crosses that plane.
    let cube = box_between([-1.0; 3], [1.0; 3]);
    let apexes = [[0.0, 0.0, 0.4], [0.0, 0.0, 1.6]];
    let ring = [[0.5, 0.0, 1.0], [0.0, 0.5, 1.0], [-0.5, 0.0, 1.0], [0.0, -0.5, 1.0]];
    let vertices = apexes.iter().chain(&ring).map(|&corner| Point3::from(corner)).collect();
    let faces = (0..4).flat_map(|k| {
        let (from, to) = (2 + k, 2 + (k + 1) % 4);
        [[1, from, to], [0, to, from]]
    });
    let pyramid = TriangleMesh::new(vertices, faces.collect()).unwrap();
    let inside = shapes::bumpy_sphere(12).scaled(&Vector3::repeat(0.1)).unwrap();
    let union = solid(joined(&[cube.clone(), pyramid, inside]));
    let center = union.center().coords;
    let depth = |point: Vector3<f64>| union.depth_above(&(point - center), f64::NEG_INFINITY, 0.0).unwrap().0;
    // Below the pierced face the nearest boundary is the rim of the hole, at 0.5 / √2 from the middle of the ring's sides.
    let rim = 0.5 / 2.0_f64.sqrt();
    let at_the_face = depth(Vector3::new(0.0, 0.0, 1.0));
    assert!((at_the_face - rim * (0.6_f64 / (0.36_f64 + rim * rim).sqrt())).abs() < 1e-9, "{at_the_face}");
    assert!((depth(Vector3::zeros()) - 1.0).abs() < 1e-9);
}
