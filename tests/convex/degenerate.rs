//! Coincident centres, identical and aligned shapes, flat and thin ones: with closed forms as the truth.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use std::sync::Arc;

use extricate::geometry::convex::{ConvexHull, ConvexShape};
use extricate::penetration::PenetrationError;
use extricate::penetration::convex::{ConvexCache, ConvexOptions, SignedDistance, signed_distance};
use extricate::proximity::ProximityError;
use nalgebra::{Isometry3, Point3, Vector3};

use super::checks::Pair;
use super::forms::Form;
use super::random::Random;

fn answer(pair: &Pair) -> SignedDistance {
    pair.ask(&pair.shapes().expect("valid"), &mut ConvexCache::default()).expect("finite")
}

/// The depth of two forms at poses is this [m], and attained.
fn assert_depth(forms: [Form; 2], poses: [Isometry3<f64>; 2], depth: f64) {
    let pair = Pair { forms, poses };
    let found = answer(&pair);
    let tolerance = pair.tolerance(depth);
    assert!((found.value + depth).abs() <= tolerance, "{found:?}, not {depth:e} deep: {pair:?}");
    assert!((found.at_most + depth).abs() <= tolerance, "{found:?}, not {depth:e} deep: {pair:?}");
    assert!((pair.free_after(&found.direction) - depth).abs() <= tolerance, "{found:?} {pair:?}");
}

/// A form and how deep it is in itself: the minimum distance of parallel planes around it, across the sum with its mirror.
fn forms_in_themselves() -> Vec<(Form, f64)> {
    let tetrahedron = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let square = [[0.5, 0.5, 0.0], [-0.5, 0.5, 0.0], [-0.5, -0.5, 0.0], [0.5, -0.5, 0.0]];
    let hull = |points: [[f64; 3]; 4]| Form::Hull(points.map(Point3::from).to_vec());
    let rounded = |form: Form| Form::Rounded(Box::new(form), 0.25);
    // Of a cone, the base's diameter, the height, or from a slant to the base point opposite: 2 r h / √(r² + h²).
    vec![
        (Form::Sphere(0.5), 1.0),
        (Form::Capsule { radius: 0.3, length: 1.0 }, 0.6),
        (Form::Cuboid(Vector3::new(1.0, 0.7, 0.4)), 0.4),
        (Form::Cylinder { radius: 0.5, height: 0.8 }, 0.8),
        (Form::Cylinder { radius: 0.3, height: 0.8 }, 0.6),
        (Form::Cone { radius: 0.5, height: 1.0 }, 2.0 * 0.5 / 1.25_f64.sqrt()),
        (Form::Cone { radius: 1.0, height: 0.5 }, 0.5),
        // Opposite edges of a regular tetrahedron with edges 2 √2 are 2 apart.
        (hull(tetrahedron), 2.0),
        (hull(square), 0.0),
        (rounded(hull(square)), 0.5),
        (rounded(Form::Cuboid(Vector3::repeat(1.0))), 1.5),
        (rounded(Form::Cylinder { radius: 0.3, height: 0.8 }), 1.1),
        (rounded(Form::Cone { radius: 1.0, height: 0.5 }), 1.0),
    ]
}

#[test]
fn a_shape_is_as_deep_in_itself_as_it_is_wide() {
    let mut random = Random::new(1);
    for (form, width) in forms_in_themselves() {
        for pose in [Isometry3::identity(), random.pose(1.0), random.pose(100.0)] {
            assert_depth([form.clone(), form.clone()], [pose, pose], width);
        }
    }
}

#[test]
fn concentric_cubes_rotated_about_an_axis_have_the_depth_of_their_faces() {
    for angle in [0.0, 1e-15, 1e-9, 1e-4, 0.3, FRAC_PI_4, FRAC_PI_2] {
        for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
            let cube = Form::Cuboid(Vector3::repeat(1.0));
            // Along the axis of the rotation the cubes are one deep, and no direction is better.
            let poses = [Isometry3::identity(), Isometry3::rotation(axis * angle)];
            assert_depth([cube.clone(), cube], poses, 1.0);
        }
    }
}

#[test]
fn a_sphere_in_the_middle_of_a_shape_leaves_by_the_nearest_exit() {
    let ball = || Form::Sphere(0.2);
    let cases = [
        (Form::Sphere(0.5), 0.7),
        (Form::Capsule { radius: 0.3, length: 1.0 }, 0.5),
        (Form::Cuboid(Vector3::new(1.0, 0.7, 0.4)), 0.4),
        (Form::Cylinder { radius: 0.5, height: 0.6 }, 0.5),
        (Form::Cylinder { radius: 0.2, height: 0.6 }, 0.4),
        // From half height to the slant: r h / (2 √(r² + h²)).
        (Form::Cone { radius: 0.5, height: 1.0 }, 0.25 / 1.25_f64.sqrt() + 0.2),
    ];
    for (form, depth) in cases {
        let here = [Isometry3::identity(); 2];
        assert_depth([ball(), form.clone()], here, depth);
        assert_depth([form, ball()], here, depth);
    }
}

#[test]
fn aligned_boxes_overlap_by_the_min_of_their_sides() {
    let size = |i: u32| Vector3::new(1.0, 1.0 + 0.25 * f64::from(i % 3), 1.0 + 0.5 * f64::from(i % 2));
    let corners = |size: Vector3<f64>| {
        let sign = |i: usize, axis: usize| if i >> axis & 1 == 0 { 0.5 } else { -0.5 };
        Form::Hull(
            (0..8).map(|i| Point3::from(Vector3::from_fn(|axis, _| sign(i, axis) * size[axis]))).collect(),
        )
    };
    let mut random = Random::new(2);
    for i in 0..200 {
        let (a, b) = (size(i), size(i / 6));
        let by = Vector3::from_fn(|_, _| 0.25 * random.below(7) as f64 - 0.75);
        let depth = (0.5 * (a + b) - by.abs()).min();
        let poses = [Isometry3::identity(), Isometry3::translation(by.x, by.y, by.z)];
        for forms in
            [[Form::Cuboid(a), Form::Cuboid(b)], [Form::Cuboid(a), corners(b)], [corners(a), corners(b)]]
        {
            assert_depth(forms, poses, depth);
        }
    }
}

#[test]
fn coaxial_cylinders_and_cones_overlap_by_their_heights_or_their_radii() {
    let cylinder = Form::Cylinder { radius: 0.5, height: 1.0 };
    let cone = Form::Cone { radius: 0.5, height: 1.0 };
    let at = |x: f64, z: f64| [Isometry3::identity(), Isometry3::translation(x, 0.0, z)];
    for z in [0.6, 0.9, 1.0 - 1e-9] {
        for other in [&cylinder, &cone] {
            assert_depth([cylinder.clone(), other.clone()], at(0.0, z), 1.0 - z);
            assert_depth([other.clone(), cylinder.clone()], at(0.0, -z), 1.0 - z);
        }
    }
    for x in [0.5, 0.8, 1.0 - 1e-9] {
        assert_depth([cylinder.clone(), cylinder.clone()], at(x, 0.0), 1.0 - x);
    }
}

#[test]
fn a_plate_and_a_needle_in_a_ball_leave_by_the_nearest_exit() {
    for thickness in [0.0, 1e-15, 1e-9, 1e-3] {
        let plate = Form::Cuboid(Vector3::new(1.0, 1.0, thickness));
        let needle = Form::Cuboid(Vector3::new(thickness, thickness, 1.0));
        for z in [0.0, 0.1, 0.3] {
            let poses = [Isometry3::identity(), Isometry3::translation(0.0, 0.0, z)];
            assert_depth([plate.clone(), Form::Sphere(0.4)], poses, 0.4 + 0.5 * thickness - z);
            let aside = [Isometry3::identity(), Isometry3::translation(z, 0.0, 0.0)];
            assert_depth([needle.clone(), Form::Sphere(0.4)], aside, 0.4 + 0.5 * thickness - z);
        }
    }
}

#[test]
fn half_spaces_that_overlap_have_no_finite_depth_and_facing_ones_have_a_gap() {
    let forms = [Form::HalfSpace, Form::HalfSpace];
    let facing = Isometry3::rotation(Vector3::x() * std::f64::consts::PI);
    let shapes = Pair { forms: forms.clone(), poses: [facing; 2] }.shapes().expect("valid");
    let ask = |pose: Isometry3<f64>| {
        let [a, b] = &shapes;
        let options = extricate::penetration::convex::ConvexOptions::default();
        let here = Isometry3::identity();
        extricate::penetration::convex::signed_distance(
            a,
            &here,
            b,
            &pose,
            &options,
            &mut ConvexCache::default(),
        )
    };
    assert_eq!(ask(Isometry3::identity()), Err(PenetrationError::Unbounded));
    assert_eq!(ask(Isometry3::rotation(Vector3::x() * 0.5)), Err(PenetrationError::Unbounded));
    for z in [-0.5, 0.0, 0.5] {
        let found = ask(Isometry3::translation(0.3, 0.2, z) * facing).expect("finite");
        assert!((found.value - z).abs() < 1e-15 && (found.at_most - z).abs() < 1e-15, "{found:?}");
    }
}

#[test]
fn numbers_that_make_no_pose_or_no_shape_are_errors_and_not_distances() {
    let (options, here) = (ConvexOptions::default(), Isometry3::identity());
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    let far = Isometry3::translation(f64::INFINITY, 0.0, 0.0);
    let good = [
        ConvexShape::sphere(0.5),
        ConvexShape::cuboid(Vector3::new(1.0, 1.0, 1.0)),
        ConvexShape::cone(0.5, 1.0),
        ConvexShape::half_space(),
    ];
    let ask = |a: &ConvexShape, pose: &Isometry3<f64>, b: &ConvexShape| {
        signed_distance(a, pose, b, &here, &options, &mut ConvexCache::default())
    };
    for a in &good {
        for pose in [nowhere, far] {
            assert_eq!(ask(a, &pose, &good[1]), Err(ProximityError::NotFinite.into()), "{a:?}");
        }
        let nan = f64::NAN;
        for bad in [
            ConvexShape::sphere(nan),
            ConvexShape::cylinder(nan, 1.0),
            ConvexShape::capsule(0.1, nan),
            ConvexShape::capsule(0.1, -1.0),
            ConvexShape::cuboid(Vector3::new(1.0, -1.0, 1.0)),
            ConvexShape::cone(f64::INFINITY, 1.0),
            ConvexShape::half_space().rounded(-0.1),
        ] {
            assert_eq!(ask(a, &here, &bad), Err(PenetrationError::BadSize), "{a:?} {bad:?}");
            assert_eq!(ask(&bad, &here, a), Err(PenetrationError::BadSize), "{bad:?} {a:?}");
        }
    }
}

#[test]
fn without_a_bound_of_work_a_ring_of_equal_directions_still_ends_and_reports_its_bounds() {
    // A cone about the axis of a prism of many sides: no search is exact, and no tolerance is met.
    let options = ConvexOptions { relative_tolerance: 0.0, max_iterations: u32::MAX };
    let corner = |i: u32| {
        let angle = f64::from(i / 2) * (FRAC_PI_2 / 50.0);
        Point3::new(angle.cos(), angle.sin(), if i.is_multiple_of(2) { 0.5 } else { -0.5 })
    };
    let prism = ConvexHull::new(&(0..400).map(corner).collect::<Vec<_>>()).expect("finite");
    let pair = [ConvexShape::cone(0.9, 3.0), ConvexShape::hull(Arc::new(prism))];
    let here = Isometry3::identity();
    let ask = |options: &ConvexOptions| {
        signed_distance(&pair[0], &here, &pair[1], &here, options, &mut ConvexCache::default())
    };
    let bounded = ask(&ConvexOptions::default()).expect("finite");
    let found = ask(&options).expect("finite");
    assert!(found.supports > 1000, "{found:?}");
    assert!(
        bounded.value <= found.value && found.value <= found.at_most && found.at_most <= bounded.at_most,
        "{found:?} {bounded:?}"
    );
}
