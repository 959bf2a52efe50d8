//! Invariances: the order of the shapes, the frame, the unit of length, the distance from the origin.

use extricate::penetration::convex::{ConvexCache, SignedDistance};
use nalgebra::{Isometry3, Translation3, Vector3};
use proptest::prelude::*;

use super::checks::Pair;
use super::strategies::{any_pair, cases, motion};

fn answer(pair: &Pair) -> SignedDistance {
    pair.ask(&pair.shapes().expect("valid"), &mut ConvexCache::default()).expect("finite")
}

/// Whether bounds of one distance have a value in common, up to a tolerance [m].
fn agree(p: &SignedDistance, q: &SignedDistance, tolerance: f64) -> bool {
    p.value <= q.at_most + tolerance && q.value <= p.at_most + tolerance
}

fn placed(pair: &Pair, place: impl Fn(&Isometry3<f64>) -> Isometry3<f64>) -> Pair {
    Pair { forms: pair.forms.clone(), poses: pair.poses.each_ref().map(place) }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn the_order_of_the_shapes_does_not_matter(pair in any_pair()) {
        let (one, other) = (answer(&pair), answer(&pair.swapped()));
        prop_assert!(agree(&one, &other, pair.tolerance(one.value)), "{one:?} {other:?}");
        // Where two directions are equally good, each attains the depth in the other order as well.
        let value_swapped = pair.swapped().free_after(&-one.direction.into_inner());
        prop_assert!((value_swapped + other.value).abs() <= 2.0 * pair.tolerance(one.value), "{one:?} {other:?}");
    }

    #[test]
    fn a_rigid_motion_of_both_does_not_matter(pair in any_pair(), by in motion(2.0)) {
        let moved = placed(&pair, |pose| by * pose);
        let (before, after) = (answer(&pair), answer(&moved));
        let tolerance = pair.tolerance(before.value) + moved.tolerance(before.value);
        prop_assert!(agree(&before, &after, tolerance), "{before:?} {after:?}");
        let along = -moved.free_after(&(by * before.direction.into_inner()));
        prop_assert!((along - before.value).abs() <= tolerance, "{along:e} {before:?}");
    }

    #[test]
    fn the_unit_of_length_does_not_matter(pair in any_pair(), exponent in -3.0..3.0_f64) {
        let scale = 10_f64.powf(exponent);
        let forms = pair.forms.each_ref().map(|form| form.scaled(scale));
        let by = |pose: &Isometry3<f64>| {
            Isometry3::from_parts((scale * pose.translation.vector).into(), pose.rotation)
        };
        let scaled = Pair { forms, poses: pair.poses.each_ref().map(by) };
        let (one, mut other) = (answer(&pair), answer(&scaled));
        prop_assert!(other.at_most - other.value <= scaled.certificate(other.value), "{other:?}");
        other.value /= scale;
        other.at_most /= scale;
        prop_assert!(agree(&one, &other, 2.0 * pair.tolerance(one.value)), "{one:?} {other:?}");
    }

    // The tolerance of the pair grows with the coordinates by what rounding of them costs: 1.8e-15 of each.
    #[test]
    fn ten_thousand_sizes_from_the_origin_the_answer_is_the_same_to_rounding(pair in any_pair(), orientation in motion(1.0)) {
        let size: f64 = pair.forms.iter().map(super::forms::Form::reach).sum();
        let away = Translation3::from(1e4 * size * (orientation * Vector3::x()));
        let moved = placed(&pair, |pose| away * pose);
        let (near, far) = (answer(&pair), answer(&moved));
        prop_assert!(far.at_most - far.value <= moved.certificate(far.value), "{far:?}");
        prop_assert!(agree(&near, &far, moved.tolerance(near.value)), "{near:?} {far:?}");
    }
}
