//! Distances compared with brute force, closed forms and one another.

use nalgebra::{UnitQuaternion, Vector3};

use super::super::tests::{Noise, about_center, all_pairs, soup};
use super::super::{collide, degenerate, shapes};
use super::*;
use crate::geometry::{Solidity, TriangleMesh};
use crate::proximity::relative_pose::triangles_in_b;
use crate::proximity::triangle_distance as triangles;
use nalgebra::Point3;

/// Rounding of a distance, relative to the size of the models and their separation.
const ROUNDING: f64 = 1e-13;

fn solid(mesh: TriangleMesh) -> Model {
    Model::new(mesh, Solidity::Solid)
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

#[test]
fn the_descent_finds_the_distance_that_brute_force_finds() {
    let mut noise = Noise(30);
    let (a, b) = (soup(&mut noise, 60, 0.2), soup(&mut noise, 80, 0.1));
    let (mut apart, mut cache) = (0, DistanceCache::default());
    for i in 0..60 {
        let (pose_a, pose_b) = (
            about_center(noise.pose(0.04 * f64::from(i), 3.0)),
            about_center(noise.pose(0.04 * f64::from(i), 3.0)),
        );
        let found = distance_with_cache(&a, &pose_a, &b, &pose_b, &mut cache);
        assert_eq!(found.value == 0.0, collide(&a, &pose_a, &b, &pose_b));
        let cold = distance(&a, &pose_a, &b, &pose_b);
        assert!((cold.value - found.value).abs() <= 1e-14);
        if found.value > 0.0 {
            let a_to_b = RelativePose::between(&a, &pose_a, &b, &pose_b);
            let of_pair = |pair| {
                let [p, q] = triangles_in_b(&a, &b, &a_to_b, pair);
                triangles::closest_points(&p, &q).0
            };
            let brute = all_pairs(&a, &b).map(of_pair).fold(f64::INFINITY, f64::min);
            assert!((found.value - brute).abs() <= 1e-14, "{} {brute}", found.value);
            apart += 1;
        }
    }
    assert!(apart > 20, "{apart}");
}

#[test]
fn the_clearance_of_surfaces_is_a_lower_bound_no_less_than_half_of_their_distance() {
    let mut noise = Noise(31);
    let (a, b) = (soup(&mut noise, 60, 0.2), soup(&mut noise, 80, 0.1));
    let (mut apart, mut below, mut cache) = (0, 0, DistanceCache::default());
    for i in 0..60 {
        let (pose_a, pose_b) = (
            about_center(noise.pose(0.04 * f64::from(i), 3.0)),
            about_center(noise.pose(0.04 * f64::from(i), 3.0)),
        );
        let clearance = clearance_of_surfaces((&a, &pose_a), (&b, &pose_b), &mut cache);
        let exact = distance(&a, &pose_a, &b, &pose_b).value;
        assert!(clearance <= exact + ROUNDING && clearance >= 0.5 * exact - ROUNDING, "{clearance} {exact}");
        apart += usize::from(exact > 0.0);
        below += usize::from(clearance < 0.99 * exact);
    }
    assert!(apart > 20 && below > 10, "{apart} {below}");
    // Of a solid within another one that of the surfaces.
    let [small, large] = [1.0, 4.0].map(|size| solid(shapes::cuboid(Vector3::repeat(size))));
    let within =
        clearance_of_surfaces((&small, &at(0.2, 0.0, 0.0)), (&large, &at(0.0, 0.0, 0.0)), &mut cache);
    assert!((0.65..=1.3).contains(&within), "{within}");
    let far = at(f64::NAN, 0.0, 0.0);
    assert!(clearance_of_surfaces((&small, &far), (&large, &at(0.0, 0.0, 0.0)), &mut cache) <= 0.0);
}

#[test]
fn boxes_are_as_far_apart_as_their_faces_edges_and_corners() {
    let cube = solid(shapes::cuboid(Vector3::repeat(2.0)));
    let diagonal = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_4);
    for scale in [1e-6, 1.0, 1e6] {
        let cube = solid(cube.mesh().scaled(&Vector3::repeat(scale)).unwrap());
        let rotated = |x: f64| Isometry3::from_parts((scale * Vector3::x() * x).into(), diagonal);
        for (pose, expected) in [
            (at(3.0 * scale, 0.3 * scale, 0.1 * scale), 1.0),
            (at(3.0 * scale, 3.0 * scale, 0.1 * scale), 2.0_f64.sqrt()),
            (at(3.0 * scale, -4.0 * scale, 5.0 * scale), 14.0_f64.sqrt()),
            (rotated(4.0), 3.0 - 2.0_f64.sqrt()),
            (at(2.0 * scale, 0.0, 0.0), 0.0),
            (at(0.5 * scale, 0.0, 0.0), 0.0),
        ] {
            let found = distance(&cube, &pose, &cube, &Isometry3::identity());
            assert!((found.value - expected * scale).abs() <= ROUNDING * scale, "{found:?} {expected}");
            let [x, y] = found.witnesses;
            assert!((nalgebra::distance(&x, &y) - found.value).abs() <= ROUNDING * scale);
        }
    }
}

#[test]
fn spheres_are_as_far_apart_as_their_centres_less_their_radii() {
    let ball = solid(shapes::sphere(60));
    let mut noise = Noise(31);
    for _ in 0..20 {
        let (pose_a, mut pose_b) = (about_center(noise.pose(1.0, 3.0)), about_center(noise.pose(1.0, 3.0)));
        pose_b.translation.vector += 6.0 * noise.vector().normalize();
        let centers = nalgebra::distance(&(pose_a * Point3::origin()), &(pose_b * Point3::origin()));
        let found = distance(&ball, &pose_a, &ball, &pose_b).value;
        // The facets lie up to 1 − cos(π/120) within the sphere, on both sides.
        assert!(found >= centers - 2.0 - 1e-12 && found <= centers - 2.0 + 2.0 * 7e-4, "{found} {centers}");
    }
}

#[test]
fn linked_tori_are_as_far_apart_as_their_closed_form() {
    let torus = solid(shapes::torus(1.0, 0.2, 200));
    let linked = Isometry3::new(Vector3::x(), Vector3::x() * std::f64::consts::FRAC_PI_2);
    let found = distance(&torus, &linked, &torus, &Isometry3::identity());
    // The circles of radius 1, one through the other's centre, are 1 apart.
    assert!((found.value - 0.6).abs() <= 1e-3, "{found:?}");
}

#[test]
fn a_solid_inside_another_one_is_zero_apart_and_a_surface_inside_a_surface_is_not() {
    let [small, large] = [0.2, 2.0].map(|size| shapes::cuboid(Vector3::repeat(size)));
    let pose = Isometry3::new(Vector3::new(3.0, 1.0, -2.0), Vector3::new(0.3, 0.2, 0.1));
    let inside = distance(&solid(small.clone()), &pose, &solid(large.clone()), &pose);
    assert!(inside.value == 0.0 && inside.triangles.is_none());
    let local = pose.inverse() * inside.witnesses[0];
    assert!((local.coords.abs() - Vector3::repeat(0.1)).norm() < ROUNDING);
    let [small, large] = [small, large].map(|mesh| Model::new(mesh, Solidity::Surface));
    assert!((distance(&small, &pose, &large, &pose).value - 0.9).abs() < ROUNDING);
}

#[test]
fn the_distance_is_the_same_with_a_and_b_exchanged_and_under_a_rigid_motion() {
    let mut noise = Noise(32);
    let (a, b) = (solid(shapes::bumpy_sphere(16)), solid(shapes::torus(1.0, 0.3, 20)));
    for _ in 0..30 {
        let (pose_a, mut pose_b) = (about_center(noise.pose(1.0, 3.0)), about_center(noise.pose(1.0, 3.0)));
        pose_b.translation.x += 2.5;
        let motion = about_center(noise.pose(2.0, 3.0));
        let found = distance(&a, &pose_a, &b, &pose_b);
        let swapped = distance(&b, &pose_b, &a, &pose_a);
        let moved = distance(&a, &(motion * pose_a), &b, &(motion * pose_b));
        assert!((found.value - swapped.value).abs() <= 1e-12 && (found.value - moved.value).abs() <= 1e-12);
        for (i, (model, pose)) in [(&a, &pose_a), (&b, &pose_b)].into_iter().enumerate() {
            let witness = pose.inverse() * found.witnesses[i];
            let triangle = model.mesh().triangle(found.triangles.unwrap()[i] as usize);
            let nearest = triangles::closest_on_triangle(&witness, &triangle);
            assert!(nalgebra::distance(&witness, &nearest) < 1e-12);
        }
    }
}

#[test]
fn limits_are_kept_from_both_sides() {
    let (a, b) = (solid(shapes::bumpy_sphere(12)), solid(shapes::bumpy_sphere(10)));
    let mut noise = Noise(33);
    for _ in 0..20 {
        let (pose_a, mut pose_b) = (about_center(noise.pose(0.5, 3.0)), about_center(noise.pose(0.5, 3.0)));
        pose_b.translation.y += 2.5;
        let exact = distance(&a, &pose_a, &b, &pose_b).value;
        for factor in [0.1, 0.999, 1.001, 5.0] {
            let limit = factor * exact.max(0.01);
            let expected = exact <= limit;
            assert_eq!(is_within(&a, &pose_a, &b, &pose_b, limit), expected);
            let found = distance_up_to(&a, &pose_a, &b, &pose_b, limit);
            assert_eq!(found.map(|found| found.value), expected.then_some(exact));
        }
    }
    assert!(is_within(&a, &at(0.0, 0.0, 0.0), &b, &at(0.01, 0.0, 0.0), 0.0));
}

#[test]
fn no_distance_is_too_great_and_no_pose_panics() {
    let cube = solid(shapes::cuboid(Vector3::repeat(2.0)));
    for x in [1e10, 1e25, 1e60, 1e120] {
        let found = distance(&cube, &at(x, 0.0, 0.0), &cube, &at(0.0, 0.0, 0.0));
        assert!((found.value - (x - 2.0)).abs() <= 1e-15 * x, "{x} {}", found.value);
        assert!(!collide(&cube, &at(x, x, x), &cube, &at(0.0, 0.0, 0.0)));
    }
    assert!(distance(&cube, &at(f64::NAN, 0.0, 0.0), &cube, &at(0.0, 0.0, 0.0)).value.is_nan());
}

/// The minimum distance over all pairs of triangles, for surfaces that do not intersect.
fn by_brute_force(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> f64 {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    let nondegenerate = all_pairs(a, b).filter(|&pair| are_nondegenerate(a, b, pair));
    let of_pair = |pair| {
        let [p, q] = triangles_in_b(a, b, &a_to_b, pair);
        triangles::closest_points(&p, &q).0
    };
    nondegenerate.map(of_pair).fold(f64::INFINITY, f64::min)
}

#[test]
fn whatever_is_degenerate_the_distance_is_that_of_brute_force_and_its_witnesses_prove_it() {
    let here = Isometry3::identity();
    let mut apart = 0;
    for pair in degenerate::pairs() {
        for (first, second, pose) in [(&pair.a, &pair.b, pair.pose), (&pair.b, &pair.a, pair.pose.inverse())]
        {
            let found = distance(first, &pose, second, &here);
            let rounding = 1e-14 * pair.size;
            assert_eq!(found.value == 0.0, collide(first, &pose, second, &here), "{}", pair.name);
            assert_eq!(found.lower_bound.to_bits(), found.value.to_bits());
            if found.value > 0.0 {
                let brute = by_brute_force(first, &pose, second, &here);
                assert!((found.value - brute).abs() <= rounding, "{}: {} {brute}", pair.name, found.value);
                apart += 1;
            }
            let [x, y] = found.witnesses;
            assert!((nalgebra::distance(&x, &y) - found.value).abs() <= rounding, "{}", pair.name);
        }
    }
    assert!(apart > 10, "{apart}");
}

#[test]
fn an_answer_within_a_tolerance_keeps_it_and_its_lower_bound_is_below_the_distance() {
    let mut noise = Noise(34);
    let (a, b) = (solid(shapes::bumpy_sphere(7)), solid(shapes::torus(1.0, 0.3, 8)));
    let mut inexact = 0;
    for (relative_tolerance, absolute_tolerance) in [
        (0.0, 0.0),
        (1e-3, 0.0),
        (0.1, 0.0),
        (0.9, 0.0),
        (2.0, 0.0),
        (0.0, 0.03),
        (0.05, 0.2),
        (0.0, f64::INFINITY),
    ] {
        let options =
            DistanceOptions { relative_tolerance, absolute_tolerance, ..DistanceOptions::default() };
        let mut cache = DistanceCache::default();
        for _ in 0..8 {
            let (pose_a, mut pose_b) =
                (about_center(noise.pose(0.5, 3.0)), about_center(noise.pose(0.5, 3.0)));
            pose_b.translation.vector += 3.5 * noise.vector().normalize();
            let exact = distance(&a, &pose_a, &b, &pose_b).value;
            let brute = if exact > 0.0 { by_brute_force(&a, &pose_a, &b, &pose_b) } else { 0.0 };
            let found = distance_with(&a, &pose_a, &b, &pose_b, &options, &mut cache).unwrap().unwrap();
            assert!(
                found.value >= brute - ROUNDING && found.lower_bound <= brute + ROUNDING,
                "{found:?} {brute}"
            );
            let tolerance = (relative_tolerance * found.value).max(absolute_tolerance);
            assert!(found.value - found.lower_bound <= tolerance + ROUNDING, "{found:?} {tolerance}");
            let [x, y] = found.witnesses;
            assert!((nalgebra::distance(&x, &y) - found.value).abs() <= ROUNDING);
            inexact += usize::from(found.value > exact + ROUNDING);
        }
    }
    assert!(inexact > 5, "{inexact}");
}

#[test]
fn a_limit_with_a_tolerance_never_hides_what_is_within_it() {
    let mut noise = Noise(35);
    let (a, b) = (solid(shapes::bumpy_sphere(10)), solid(shapes::bumpy_sphere(12)));
    let mut cache = DistanceCache::default();
    for _ in 0..20 {
        let (pose_a, mut pose_b) = (about_center(noise.pose(0.5, 3.0)), about_center(noise.pose(0.5, 3.0)));
        pose_b.translation.vector += 3.0 * noise.vector().normalize();
        let exact = distance(&a, &pose_a, &b, &pose_b).value;
        for factor in [0.5, 0.999, 1.001, 1.5] {
            let options =
                DistanceOptions { relative_tolerance: 0.2, ..DistanceOptions::up_to(factor * exact) };
            let found = distance_with(&a, &pose_a, &b, &pose_b, &options, &mut cache).unwrap();
            assert_eq!(found.is_some(), exact <= options.limit);
            assert!(found.is_none_or(|found| found.value <= options.limit && found.lower_bound <= exact));
        }
    }
}

#[test]
fn options_and_poses_that_are_no_numbers_are_refused_and_never_a_proof_of_absence() {
    let cube = solid(shapes::cuboid(Vector3::repeat(1.0)));
    let (here, there, nowhere) = (at(0.0, 0.0, 0.0), at(3.0, 0.0, 0.0), at(f64::NAN, 0.0, 0.0));
    let ask = |pose: &Isometry3<f64>, options: &DistanceOptions| {
        distance_with(&cube, pose, &cube, &here, options, &mut DistanceCache::default())
    };
    let valid = DistanceOptions { limit: 1.0, ..DistanceOptions::default() };
    assert_eq!(ask(&there, &valid), Ok(None));
    for bad in [f64::NAN, -1.0] {
        for options in [
            DistanceOptions { relative_tolerance: bad, ..valid },
            DistanceOptions { absolute_tolerance: bad, ..valid },
            DistanceOptions { limit: bad, ..valid },
        ] {
            assert!(matches!(ask(&there, &options), Err(ProximityError::Option { .. })));
        }
    }
    assert!(matches!(ask(&nowhere, &valid), Err(ProximityError::PoseNotFinite { body: 'A', .. })));
    assert!(distance_up_to(&cube, &nowhere, &cube, &here, 1.0).is_some_and(|found| found.value.is_nan()));
    assert!(is_within(&cube, &nowhere, &cube, &here, 1.0));
    assert!(is_within(&cube, &there, &cube, &here, f64::NAN));
    assert!(distance_up_to(&cube, &there, &cube, &here, f64::NAN).is_some());
    assert!(!is_within(&cube, &here, &cube, &here, -1.0));
    assert!(distance_up_to(&cube, &here, &cube, &here, -1.0).is_none());
    for limit in [-1.0, -0.0] {
        assert!(!is_within(&cube, &there, &cube, &here, limit));
        assert!(distance_up_to(&cube, &there, &cube, &here, limit).is_none());
    }
}

#[test]
fn a_cache_of_other_models_or_of_a_farther_past_changes_no_answer() {
    let mut noise = Noise(36);
    let (a, b) = (solid(shapes::bumpy_sphere(12)), solid(shapes::torus(1.0, 0.3, 16)));
    let mut cache = DistanceCache { closest: Some([u32::MAX - 1, 0]) };
    for _ in 0..20 {
        let (pose_a, mut pose_b) = (about_center(noise.pose(0.5, 3.0)), about_center(noise.pose(0.5, 3.0)));
        pose_b.translation.x += 3.0;
        let warm = distance_with_cache(&a, &pose_a, &b, &pose_b, &mut cache);
        assert!((warm.value - distance(&a, &pose_a, &b, &pose_b).value).abs() <= ROUNDING);
    }
}

#[test]
fn a_distance_that_is_not_known_within_the_time_budget_is_an_error() {
    // Two stacks of layers, a little apart: all triangles of one are about as far from all of the other.
    let stack = |height: f64| Model::new(shapes::layers(2000, height), Solidity::Surface);
    let here = Isometry3::identity();
    let (a, b) = (stack(0.5e-9), stack(0.0));
    let budget = std::time::Duration::ZERO;
    let late = DistanceOptions { time_budget: Some(budget), ..DistanceOptions::default() };
    let ask = |a: &Model, b: &Model, options: &DistanceOptions| {
        distance_with(a, &here, b, &at(0.0, 0.0, 0.0), options, &mut DistanceCache::default())
    };
    assert_eq!(ask(&a, &b, &late), Err(ProximityError::OutOfTime { budget }));
    let exact = ask(&a, &b, &DistanceOptions::default()).unwrap().unwrap();
    assert!((exact.value - 0.5e-9).abs() < 1e-15, "{}", exact.value);
    // The clock is looked at once in many pairs, of which a plain case has fewer.
    let cube = solid(shapes::cuboid(Vector3::repeat(1.0)));
    let found = distance_with(&cube, &at(3.0, 0.0, 0.0), &cube, &here, &late, &mut DistanceCache::default());
    assert!((found.unwrap().unwrap().value - 2.0).abs() < 1e-12);
}

#[test]
fn where_the_work_is_spent_the_distance_lies_between_its_bounds() {
    let mut noise = Noise(37);
    let (mut between, mut unknown) = (0, 0);
    for _ in 0..6 {
        let (a, b) = (soup(&mut noise, 300, 0.1), soup(&mut noise, 300, 0.1));
        let [pose_a, pose_b] = [0.0, 3.0].map(|_| about_center(noise.pose(0.5, 3.0)));
        let apart = Isometry3::translation(2.5, 0.0, 0.0) * pose_b;
        let exact = by_brute_force(&a, &pose_a, &b, &apart);
        let a_to_b = RelativePose::between(&a, &pose_a, &b, &apart);
        for pairs in [0, 1, 2, 3, 5, 8, 13, 21, 1000] {
            let mut limits = [WorkLimit::NONE, WorkLimit::new(pairs + 1, None)];
            let mut cache = DistanceCache::default();
            let found = distance_at([&a, &b], &a_to_b, &DistanceOptions::default(), &mut cache, &mut limits);
            let Some(found) = found else {
                assert!(limits[1].is_spent());
                unknown += 1;
                continue;
            };
            let [x, y] = found.witnesses;
            assert!((nalgebra::distance(&x, &y) - found.value).abs() <= ROUNDING);
            assert!(
                found.lower_bound <= exact + ROUNDING && exact <= found.value + ROUNDING,
                "{found:?} {exact}"
            );
            assert!(limits[1].is_spent() || (found.value - exact).abs() <= ROUNDING);
            between += usize::from(found.lower_bound < found.value && found.lower_bound > 0.0);
        }
    }
    assert!(between > 10 && unknown >= 6, "{between} {unknown}");
}

#[test]
fn where_the_work_is_spent_the_distance_in_a_norm_lies_between_its_bounds() {
    let mut noise = Noise(38);
    for norm in [Norm::L1, Norm::LInf] {
        let mut between = 0;
        for _ in 0..6 {
            let (a, b) = (soup(&mut noise, 300, 0.1), soup(&mut noise, 300, 0.1));
            let [pose, other] = [0.0, 3.0].map(|_| about_center(noise.pose(0.5, 3.0)));
            let (apart, options) =
                (Isometry3::translation(2.5, 0.0, 0.0) * other, DistanceOptions::default());
            let exact = distance_in_norm((&a, &pose), (&b, &apart), norm, &options).unwrap().unwrap();
            assert!((exact.lower_bound - exact.value).abs() <= ROUNDING);
            for pairs in [2, 3, 4, 6, 9, 14, 22, 1000] {
                let mut limits = [WorkLimit::NONE, WorkLimit::new(pairs, None)];
                let found = distance_in_norm_at([&a, &b], [&pose, &apart], norm, &options, &mut limits);
                let found = found.expect("the first pair of leaves is measured");
                let [x, y] = found.witnesses;
                assert!((norm.of(&(x - y)) - found.value).abs() <= 100.0 * ROUNDING);
                let is_between =
                    found.lower_bound <= exact.value + ROUNDING && exact.value <= found.value + ROUNDING;
                assert!(is_between, "{norm} {found:?} {exact:?}");
                assert!(limits[1].is_spent() || (found.value - exact.value).abs() <= ROUNDING);
                between += usize::from(0.0 < found.lower_bound && found.lower_bound < found.value);
            }
        }
        assert!(between > 5, "{norm} {between}");
    }
}
