//! Triangles that form no solid, coordinates at the ends of their range, invalid poses: results or errors,
//! never a panic, never an answer that is not a number.

use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::{TranslationalOptions, penetration};
use extricate::proximity::{
    DistanceCache, DistanceOptions, HausdorffOptions, Model, SelfCollisionOptions, closest_point, collide,
    distance, distance_with, hausdorff_distance, self_collisions, signed_distance, spanning_distance,
    surfaces_collide, translational,
};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::solids::{Form, any_pair, any_pose, cases};

/// Rounding of contacts, relative to the sizes and to the distance.
const ROUNDING: f64 = 1e-13;

/// Whether lengths of this size [m] are resolved: their squares are numbers in single precision.
fn is_resolved(size: f64) -> bool {
    (1e-25..=1e17).contains(&size)
}

/// A coordinate that makes triangles touch, coincide, and thin.
fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (0_i32..4).prop_map(f64::from),
        1 => Just(-0.0),
        1 => Just(1.0 + f64::EPSILON),
        1 => (0_i32..4).prop_map(|x| f64::from(x) + 1e-12),
        1 => -1.0_f64..1.0,
    ]
}

/// A factor on all coordinates: from squares that vanish to squares that overflow.
fn factor() -> impl Strategy<Value = f64> {
    prop_oneof![6 => Just(1.0), 1 => Just(1e-3), 1 => Just(1e6), 1 => Just(1e-160), 1 => Just(1e-60),
        1 => Just(1e-25), 1 => Just(1e25), 1 => Just(1e100), 1 => Just(1e160),
        1 => Just(5e-324), 1 => Just(f64::MAX / 8.0)]
}

/// A handful of triangles on few points.
fn soup() -> impl Strategy<Value = (Vec<[f64; 3]>, Vec<[u32; 3]>)> {
    let points = prop::collection::vec(prop::array::uniform3(coordinate()), 3..8);
    (points, prop::collection::vec(prop::array::uniform3(0_u32..8), 1..10)).prop_map(|(points, triangles)| {
        let count = points.len() as u32;
        let triangles = triangles.into_iter().map(|t| t.map(|i| i % count)).collect();
        (points, triangles)
    })
}

fn model((points, triangles): &(Vec<[f64; 3]>, Vec<[u32; 3]>), factor: f64, solid: bool) -> Option<Model> {
    let vertices = points.iter().map(|&p| Point3::from(p) * factor).collect();
    let mesh = TriangleMesh::new(vertices, triangles.clone()).ok()?;
    Some(Model::new(mesh, if solid { Solidity::Solid } else { Solidity::Surface }))
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn no_query_panics_on_hostile_triangles_nor_answers_nonsense(
        first in soup(), second in soup(), factor in factor(), solid in any::<[bool; 2]>(), pose in any_pose(2.0),
    ) {
        let (Some(a), Some(b)) = (model(&first, factor, solid[0]), model(&second, factor, solid[1])) else {
            return Ok(());
        };
        let rest = Isometry3::identity();
        let moved = Isometry3::from_parts((pose.translation.vector * factor).into(), pose.rotation);
        for at in [rest, moved] {
            let (here, there) = (collide(&a, &at, &b, &rest), collide(&b, &rest, &a, &at));
            let far = at.translation.vector.norm() + a.radius() + b.radius();
            let touches = distance(&a, &at, &b, &rest).value.max(distance(&b, &rest, &a, &at).value) <= ROUNDING * far;
            prop_assert!(here == there || touches || !is_resolved(factor), "in the other order");
            prop_assert!(here || !surfaces_collide(&a, &at, &b, &rest), "surfaces collide and the models do not");
            let found = distance(&a, &at, &b, &rest);
            prop_assert!(found.value >= 0.0, "{found:?}");
            let exact = distance_with(&a, &at, &b, &rest, &DistanceOptions::default(), &mut DistanceCache::default());
            prop_assert!(exact.is_err() || exact.is_ok_and(|d| d.is_none_or(|d| d.value >= 0.0)));
            prop_assert!(spanning_distance(&a, &at, &b, &rest).value >= 0.0);
            let options = HausdorffOptions { max_iterations: 2000, ..HausdorffOptions::default() };
            if let Ok(found) = hausdorff_distance(&a, &at, &b, &rest, &options) {
                prop_assert!(found.lower_bound <= found.upper_bound, "{found:?}");
            }
            if let Ok(Some(found)) = translational(&a, &at, &Vector3::repeat(factor), &b, &rest) {
                prop_assert!((0.0..=1.0).contains(&found.time), "{found:?}");
            }
            prop_assert!(closest_point(&b, &at.translation.vector.into()).distance >= 0.0);
            prop_assert!(!signed_distance(&b, &at.translation.vector.into()).is_nan());
        }
        prop_assert!(self_collisions(&a, &SelfCollisionOptions::default()).iter().all(|[i, j]| i < j));
    }

    #[test]
    fn a_penetration_of_hostile_triangles_is_free_after_its_translation_or_an_error(
        first in soup(), second in soup(), factor in factor(), solid in any::<[bool; 2]>(), pose in any_pose(2.0),
    ) {
        let (Some(a), Some(b)) = (model(&first, factor, solid[0]), model(&second, factor, solid[1])) else {
            return Ok(());
        };
        let rest = Isometry3::identity();
        let at = Isometry3::from_parts((pose.translation.vector * factor).into(), pose.rotation);
        match penetration(&a, &at, &b, &rest, &TranslationalOptions::default()) {
            Err(_) => {}
            Ok(None) => prop_assert!(!collide(&a, &at, &b, &rest) || !is_resolved(factor)),
            Ok(Some(found)) => {
                let free = Translation3::from(found.translation) * at;
                let is_free = !collide(&a, &free, &b, &rest) || !is_resolved(factor);
                prop_assert!(found.depth >= 0.0 && is_free, "{found:?}");
            }
        }
    }

    #[test]
    fn a_pose_that_is_none_is_an_error_or_a_collision(pair in any_pair(1.0), which in 0_usize..7, bad in 0_usize..3) {
        let placed = pair.here();
        let ([a, b], [pose_a, pose_b]) = (&placed.models, &placed.poses);
        let value = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][bad];
        let mut numbers = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        numbers[which] = value;
        let [x, y, z, w, i, j, k] = numbers;
        let wrong = Isometry3::from_parts(
            Translation3::new(x, y, z), UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k)));
        for [first, second] in [[&wrong, pose_b], [pose_a, &wrong], [&wrong, &wrong]] {
            prop_assert!(collide(a, first, b, second), "what is not finite is never free");
            prop_assert!(penetration(a, first, b, second, &TranslationalOptions::default()).is_err());
            prop_assert!(translational(a, first, &Vector3::x(), b, second).is_err());
            prop_assert!(hausdorff_distance(a, first, b, second, &HausdorffOptions::default()).is_err());
            let options = DistanceOptions::default();
            prop_assert!(distance_with(a, first, b, second, &options, &mut DistanceCache::default()).is_err());
        }
    }
}

#[test]
fn a_hausdorff_search_among_models_beyond_single_precision_ends_with_bounds_that_hold() {
    let here = Isometry3::identity();
    let cube = |size: f64| {
        let mesh = Form::Cuboid([size; 3]).mesh();
        Model::new(mesh, Solidity::Surface)
    };
    for size in [1e17, 1e20, 1e30, 1e70, 1e100] {
        let options = HausdorffOptions { max_iterations: 10_000, ..HausdorffOptions::default() };
        let found = hausdorff_distance(&cube(size), &here, &cube(3.0 * size), &here, &options);
        let Ok(found) = found else {
            assert!(size > 1e75, "{found:?} at {size}");
            continue;
        };
        // From a corner of the greater cube to that of the smaller one.
        let exact = 3.0_f64.sqrt() * size;
        assert!(found.lower_bound <= exact && exact <= found.upper_bound, "{found:?}");
    }
}

#[test]
fn a_triangle_beyond_single_precision_does_not_meet_the_empty_lanes_of_its_tree() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]];
    let one = model(&(points.to_vec(), vec![[0, 1, 2]]), 1e100, false).expect("a triangle");
    assert!(self_collisions(&one, &SelfCollisionOptions::default()).is_empty());
}

#[test]
fn a_penetration_is_found_at_sizes_whose_squares_are_numbers_in_single_precision_and_refused_beyond() {
    let here = Isometry3::identity();
    for (size, is_known) in [
        (1e-25, true),
        (1e-22, true),
        (1e-18, true),
        (1e-15, true),
        (1e-9, true),
        (1e9, true),
        (1e15, true),
        (1e17, true),
        (1e20, false),
        (1e25, false),
        (1e60, false),
        (1e-60, false),
    ] {
        let at = Isometry3::translation(0.3 * size, 0.2 * size, 0.1 * size);
        for form in [Form::Cuboid([1.0; 3]), Form::LShape] {
            let mesh = form.mesh().scaled(&Vector3::repeat(size)).expect("finite");
            let a = Model::new(mesh, Solidity::Solid);
            let found = penetration(&a, &at, &a, &here, &TranslationalOptions::default());
            assert_eq!(found.is_ok(), is_known, "{found:?} at {size}");
            if is_known {
                let by = found.expect("it is found").unwrap_or_else(|| panic!("apart at {size}")).translation;
                assert!(!collide(&a, &(Translation3::from(by) * at), &a, &here), "{size}");
            }
        }
    }
}
