//! Proved bounds compared with closed forms and with dense samples evaluated by brute force over all triangles.

use std::time::Duration;

use nalgebra::{Isometry3, Point3, Vector3};
use rayon::ThreadPoolBuilder;

use super::super::shapes;
use super::super::tests::{Noise, about_center, soup};
use super::super::triangle_distance::closest_on_triangle;
use super::*;
use crate::bvh::lanes::portably;
use crate::geometry::{Solidity, TriangleMesh};

fn surface(mesh: TriangleMesh) -> Model {
    Model::new(mesh, Solidity::Surface)
}

fn cube(size: f64) -> Model {
    surface(shapes::cuboid(Vector3::repeat(size)))
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn of_one_side() -> HausdorffOptions {
    HausdorffOptions { one_sided: true, ..exactly() }
}

fn exactly() -> HausdorffOptions {
    HausdorffOptions { relative_tolerance: 1e-10, size_tolerance: 0.0, ..HausdorffOptions::default() }
}

fn two_sided(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> Hausdorff {
    hausdorff_distance(a, pose_a, b, pose_b, &exactly()).unwrap()
}

fn one_sided(a: &Model, b: &Model) -> Hausdorff {
    let pose = Isometry3::identity();
    hausdorff_distance(a, &pose, b, &pose, &of_one_side()).unwrap()
}

/// Asserts that the bounds enclose a distance tightly.
fn assert_is(found: &Hausdorff, expected: f64) {
    let rounding = 1e-12 * expected.max(1.0);
    assert!(found.converged, "{found:?}");
    assert!(
        found.lower_bound <= expected + rounding && expected - rounding <= found.upper_bound,
        "{found:?}"
    );
    assert!(found.upper_bound - found.lower_bound <= 2e-10 * expected + rounding, "{found:?} {expected}");
}

/// The corners of a triangle in the world.
fn world_triangles(model: &Model, pose: &Isometry3<f64>) -> Vec<[Point3<f64>; 3]> {
    (0..model.mesh().triangles().len()).map(|i| model.mesh().triangle(i).map(|p| pose * p)).collect()
}

/// Maximum distance of sampled points of `a` from `b`, by brute force, and the maximum gap between samples.
fn sampled(a: &[[Point3<f64>; 3]], b: &[[Point3<f64>; 3]], steps: i32) -> (f64, f64) {
    let (mut max, mut spacing) = (0.0_f64, 0.0_f64);
    for [p, q, r] in a {
        let longest = (q - p).norm().max((r - q).norm()).max((p - r).norm());
        spacing = spacing.max(longest / f64::from(steps));
        for (i, j) in (0..=steps).flat_map(|i| (0..=steps - i).map(move |j| (i, j))) {
            let point =
                p + (q - p) * (f64::from(i) / f64::from(steps)) + (r - p) * (f64::from(j) / f64::from(steps));
            let to_b = |triangle| nalgebra::distance(&point, &closest_on_triangle(&point, triangle));
            max = max.max(b.iter().map(to_b).fold(f64::INFINITY, f64::min));
        }
    }
    (max, spacing)
}

#[test]
fn the_bounds_of_soups_enclose_what_dense_samples_find() {
    let mut noise = Noise(70);
    for (count, size) in [(3, 1.0), (12, 0.5), (30, 0.2)] {
        let (a, b) = (soup(&mut noise, count, size), soup(&mut noise, count + 4, size));
        for reach in [0.05, 1.0] {
            let (pose_a, pose_b) =
                (about_center(noise.pose(reach, 3.0)), about_center(noise.pose(reach, 3.0)));
            let (p, q) = (world_triangles(&a, &pose_a), world_triangles(&b, &pose_b));
            let found = hausdorff_distance(&a, &pose_a, &b, &pose_b, &of_one_side()).unwrap();
            let (max, spacing) = sampled(&p, &q, 14);
            assert!(found.converged && found.upper_bound - found.lower_bound <= 2e-10 * found.value + 1e-12);
            assert!(max <= found.upper_bound && found.lower_bound <= max + spacing, "{found:?}");
            let both = two_sided(&a, &pose_a, &b, &pose_b);
            let max = max.max(sampled(&q, &p, 14).0);
            assert!(max <= both.upper_bound && found.value <= both.value + 1e-12);
        }
    }
}

#[test]
fn the_witnesses_are_as_far_apart_as_the_value_says_and_nothing_is_closer_to_the_far_one() {
    let mut noise = Noise(71);
    let (a, b) = (soup(&mut noise, 20, 0.4), soup(&mut noise, 25, 0.3));
    for _ in 0..10 {
        let (pose_a, pose_b) = (about_center(noise.pose(0.5, 3.0)), about_center(noise.pose(0.5, 3.0)));
        let found = two_sided(&a, &pose_a, &b, &pose_b);
        let [p, q] = found.witnesses;
        assert!((nalgebra::distance(&p, &q) - found.value).abs() <= 1e-12);
        let triangles = [world_triangles(&a, &pose_a), world_triangles(&b, &pose_b)];
        for (i, point) in found.witnesses.iter().enumerate() {
            let own = triangles[i][found.triangles[i] as usize];
            assert!(nalgebra::distance(point, &closest_on_triangle(point, &own)) <= 1e-12);
        }
        let (far, others) = match found.farthest_on {
            Side::A => (p, &triangles[1]),
            Side::B => (q, &triangles[0]),
        };
        let nearest = others.iter().map(|t| nalgebra::distance(&far, &closest_on_triangle(&far, t)));
        assert!((nearest.fold(f64::INFINITY, f64::min) - found.value).abs() <= 1e-12);
    }
}

#[test]
fn a_convex_body_and_its_translated_copy_are_as_far_apart_as_the_translation_is_long() {
    // No point is farther, and a point is that far where the translation is normal to a supporting plane.
    let ball = surface(shapes::sphere(12));
    let mut noise = Noise(72);
    for _ in 0..6 {
        let (pose, translation) = (about_center(noise.pose(1.0, 3.0)), noise.vector());
        let mut moved = pose;
        moved.translation.vector += translation;
        for body in [&cube(1.3), &ball] {
            assert_is(&two_sided(body, &pose, body, &moved), translation.norm());
        }
    }
}

#[test]
fn a_box_in_a_box_is_a_corner_or_the_middle_of_a_face_away() {
    let (small, large) = (cube(2.0), cube(3.0));
    assert_is(&one_sided(&large, &small), 0.5 * 3.0_f64.sqrt());
    assert_is(&one_sided(&small, &large), 0.5);
    let pose = at(3.0, -7.0, 2.0);
    let found = two_sided(&small, &pose, &large, &pose);
    assert_is(&found, 0.5 * 3.0_f64.sqrt());
    assert_eq!(found.farthest_on, Side::B);
}

#[test]
fn the_middle_of_a_square_is_found_where_no_vertex_is() {
    // Four walls around a square plate: its middle is the farthest of its points from them, and no corner of a mesh.
    let wall = |x: f64, y: f64| {
        let (along, from) = (Vector3::new(-y, x, 0.0), Point3::new(x, y, 0.0));
        [from - along, from + along, from + Vector3::z()]
    };
    let corners = [wall(1.0, 0.0), wall(0.0, 1.0), wall(-1.0, 0.0), wall(0.0, -1.0)].concat();
    let walls = TriangleMesh::new(corners, (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap();
    let plate = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| Point3::new(x, y, 0.0));
    let plate = TriangleMesh::new(plate.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let found = one_sided(&surface(plate), &surface(walls));
    assert_is(&found, 1.0);
    assert!(found.witnesses[0].coords.norm() < 1e-6);
}

#[test]
fn a_spike_on_a_plate_is_as_far_from_the_plate_as_it_is_high() {
    let n = 9_u32;
    let plate = |height: f64| {
        let point = |i: u32| {
            let is_middle = i == (n * n) / 2;
            Point3::new(f64::from(i % n), f64::from(i / n), if is_middle { height } else { 0.0 })
        };
        let cell = |i: u32| {
            let at = i % (n - 1) + i / (n - 1) * n;
            [[at, at + 1, at + n + 1], [at, at + n + 1, at + n]]
        };
        let triangles = (0..(n - 1) * (n - 1)).flat_map(cell).collect();
        surface(TriangleMesh::new((0..n * n).map(point).collect(), triangles).unwrap())
    };
    for height in [1e-9, 1e-3, 0.4, 30.0] {
        let found = one_sided(&plate(height), &plate(0.0));
        assert!((found.value - height).abs() <= 1e-10 * height + 1e-13, "{found:?}");
        assert!((found.witnesses[0] - Point3::new(4.0, 4.0, height)).norm() < 1e-6);
    }
}

#[test]
fn concentric_spheres_are_as_far_apart_as_their_radii_differ() {
    let (inner, outer) = (surface(shapes::sphere(30)), surface(shapes::sphere(20)));
    let outer = surface(outer.mesh().scaled(&Vector3::repeat(1.5)).unwrap());
    let found = two_sided(&inner, &Isometry3::identity(), &outer, &Isometry3::identity());
    // A facet lies up to 1 − cos(π/n) of the radius within its sphere, and so do the edges between two rows.
    let sag = 1.5 * (1.0 - (std::f64::consts::PI / 20.0).cos());
    assert!(found.value >= 0.5 - 1e-12 && found.value <= 0.5 + 2.0 * sag, "{found:?}");
}

#[test]
fn a_mesh_is_zero_apart_from_itself_however_its_triangles_are_listed_or_split() {
    let ball = shapes::bumpy_sphere(14);
    let mut reversed = ball.triangles().iter().map(|&[i, j, k]| [k, j, i]).collect::<Vec<_>>();
    reversed.reverse();
    let twice = [reversed.clone(), ball.triangles().to_vec()].concat();
    let mut vertices = ball.vertices().to_vec();
    let split = ball.triangles().iter().flat_map(|&[i, j, k]| {
        let middle = vertices.len() as u32;
        vertices.push(nalgebra::center(&ball.vertices()[i as usize], &ball.vertices()[j as usize]));
        [[i, middle, k], [middle, j, k]]
    });
    let split = split.collect::<Vec<_>>();
    let split = TriangleMesh::new(vertices, split).unwrap();
    let pose = at(1e3, 2e3, -1e3);
    for other in
        [&reversed, &twice].map(|triangles| TriangleMesh::new(ball.vertices().to_vec(), triangles.clone()))
    {
        let found = two_sided(&surface(ball.clone()), &pose, &surface(other.unwrap()), &pose);
        assert!(found.converged && found.upper_bound <= 1e-12, "{found:?}");
    }
    let options = HausdorffOptions::default();
    let found = hausdorff_distance(&surface(ball), &pose, &surface(split), &pose, &options).unwrap();
    assert!(found.converged && found.upper_bound <= 1.2e-6, "{found:?}");
}

#[test]
fn triangles_without_an_area_take_no_part() {
    let mesh = shapes::cuboid(Vector3::repeat(2.0));
    let mut vertices = mesh.vertices().to_vec();
    vertices.push(Point3::new(9.0, 0.0, 0.0));
    let triangles = [mesh.triangles(), &[[0, 0, 8], [8, 8, 8]]].concat();
    let spoilt = surface(TriangleMesh::new(vertices, triangles).unwrap());
    assert!(two_sided(&surface(mesh), &at(0.0, 0.0, 0.0), &spoilt, &at(0.0, 0.0, 0.0)).upper_bound <= 1e-12);
}

#[test]
fn needles_far_away_and_surfaces_nearly_coincident_lose_no_digits() {
    let needle = |x: f64| {
        let corners = [[0.0, 0.0, x], [1.0, 0.0, x], [0.3, 1e-9, x]].map(Point3::from);
        surface(TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap())
    };
    assert_is(&two_sided(&needle(0.0), &at(0.0, 0.0, 0.0), &needle(0.0), &at(0.0, 0.0, 0.25)), 0.25);
    assert_is(&two_sided(&needle(0.0), &at(0.0, 0.0, 0.0), &needle(0.0), &at(0.25, 0.0, 0.0)), 0.25);
    for gap in [1e-12, 1e-9, 1e-6] {
        let far = at(1e5, -2e5, 3e5);
        let found = two_sided(&cube(1.0), &far, &cube(1.0), &(far * at(gap, 0.0, 0.0)));
        // The gap is as exact as the coordinates of the poses are.
        assert!((found.value - gap).abs() <= 1e-10, "{found:?}");
    }
}

#[test]
fn the_answer_is_the_same_with_a_and_b_exchanged_under_a_rigid_motion_and_in_other_units() {
    let mut noise = Noise(73);
    let (a, b) = (surface(shapes::bumpy_sphere(10)), surface(shapes::torus(1.0, 0.3, 12)));
    for _ in 0..4 {
        let (pose_a, pose_b, motion) = (
            about_center(noise.pose(0.5, 3.0)),
            about_center(noise.pose(0.5, 3.0)),
            about_center(noise.pose(3.0, 3.0)),
        );
        let found = two_sided(&a, &pose_a, &b, &pose_b);
        let swapped = two_sided(&b, &pose_b, &a, &pose_a);
        let moved = two_sided(&a, &(motion * pose_a), &b, &(motion * pose_b));
        assert!((found.value - swapped.value).abs() <= 1e-9 && (found.value - moved.value).abs() <= 1e-9);
        assert_ne!(found.farthest_on, swapped.farthest_on);
        for scale in [2.0_f64.powi(-20), 2.0_f64.powi(20)] {
            let [a, b] = [&a, &b].map(|m| surface(m.mesh().scaled(&Vector3::repeat(scale)).unwrap()));
            let [pose_a, pose_b] = [pose_a, pose_b].map(|mut pose| {
                pose.translation.vector *= scale;
                pose
            });
            let scaled = two_sided(&a, &pose_a, &b, &pose_b);
            assert!(
                (scaled.value / scale - found.value).abs() <= 1e-9 && scaled.triangles == found.triangles
            );
        }
    }
}

#[test]
fn threads_and_instruction_sets_change_no_bit() {
    let mut noise = Noise(74);
    let (a, b) = (surface(shapes::bumpy_sphere(24)), surface(shapes::sphere(30)));
    let (pose_a, pose_b) = (about_center(noise.pose(0.0, 3.0)), about_center(noise.pose(0.02, 3.0)));
    let options = HausdorffOptions { relative_tolerance: 1e-6, ..HausdorffOptions::default() };
    let query = |options: &HausdorffOptions| {
        format!("{:?}", hausdorff_distance(&a, &pose_a, &b, &pose_b, options).unwrap())
    };
    let alone = query(&HausdorffOptions { parallel: false, ..options });
    for threads in [1, 2, 5] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| query(&options)), alone);
    }
    assert_eq!(portably(|| query(&HausdorffOptions { parallel: false, ..options })), alone);
}

#[test]
fn a_bound_on_work_gives_honest_bounds_that_more_work_narrows() {
    let (a, b) = (surface(shapes::bumpy_sphere(16)), surface(shapes::sphere(16)));
    let pose = Isometry3::identity();
    let exact = two_sided(&a, &pose, &b, &pose);
    let mut width = f64::INFINITY;
    for max_iterations in [0, 100, 1000, 10_000] {
        let options = HausdorffOptions { max_iterations, ..exactly() };
        let found = hausdorff_distance(&a, &pose, &b, &pose, &options).unwrap();
        assert!(
            found.lower_bound <= exact.upper_bound && exact.lower_bound <= found.upper_bound,
            "{found:?}"
        );
        assert!(found.upper_bound - found.lower_bound <= width);
        width = found.upper_bound - found.lower_bound;
        assert!(max_iterations > 0 || !found.converged);
    }
}

#[test]
fn after_the_time_budget_the_bounds_are_honest_and_not_converged() {
    let (a, b) = (surface(shapes::bumpy_sphere(16)), surface(shapes::sphere(16)));
    let pose = Isometry3::identity();
    let exact = two_sided(&a, &pose, &b, &pose);
    let late = HausdorffOptions { time_budget: Some(Duration::ZERO), ..exactly() };
    let found = hausdorff_distance(&a, &pose, &b, &pose, &late).unwrap();
    assert!(!found.converged && found.evaluations < exact.evaluations / 10, "{found:?}");
    assert!(found.lower_bound <= exact.upper_bound && exact.lower_bound <= found.upper_bound, "{found:?}");
    let ample = HausdorffOptions { time_budget: Some(Duration::MAX), ..exactly() };
    let found = hausdorff_distance(&a, &pose, &b, &pose, &ample).unwrap();
    assert!(found.converged && found.evaluations > 0);
}

#[test]
fn the_bounds_meet_each_requested_tolerance() {
    let (a, b) = (surface(shapes::bumpy_sphere(16)), surface(shapes::sphere(16)));
    let pose = Isometry3::identity();
    let none =
        HausdorffOptions { relative_tolerance: 0.0, size_tolerance: 0.0, ..HausdorffOptions::default() };
    for options in [
        HausdorffOptions { relative_tolerance: 0.05, ..none },
        HausdorffOptions { size_tolerance: 1e-3, ..none },
        HausdorffOptions { absolute_tolerance: 0.02, ..none },
    ] {
        let found = hausdorff_distance(&a, &pose, &b, &pose, &options).unwrap();
        let allowed = (options.relative_tolerance * found.value)
            .max(options.size_tolerance * a.radius().max(b.radius()))
            .max(options.absolute_tolerance);
        assert!(found.converged && found.upper_bound - found.lower_bound <= 1.000_001 * allowed, "{found:?}");
    }
}

#[test]
fn bad_input_is_an_error_and_never_a_distance() {
    let (cube, here) = (cube(1.0), Isometry3::identity());
    let options = HausdorffOptions::default();
    let nowhere = at(f64::NAN, 0.0, 0.0);
    let found = hausdorff_distance(&cube, &here, &cube, &nowhere, &options);
    assert!(matches!(found, Err(ProximityError::PoseNotFinite { body: 'B', .. })), "{found:?}");
    for relative_tolerance in [-1.0, f64::NAN] {
        let options = HausdorffOptions { relative_tolerance, ..options };
        let found = hausdorff_distance(&cube, &here, &cube, &here, &options);
        assert!(matches!(found, Err(ProximityError::Option { option: "relative tolerance", .. })));
    }
    let found = hausdorff_distance(&cube, &here, &cube, &at(1e300, 0.0, 0.0), &options);
    assert!(matches!(found, Err(ProximityError::Overflow { .. })), "{found:?}");
    for x in [1e10, 1e30, 1e100] {
        let found = hausdorff_distance(&cube, &here, &cube, &at(x, 0.0, 0.0), &options).unwrap();
        assert!(found.lower_bound <= x && x <= found.upper_bound, "{found:?}");
    }
}
