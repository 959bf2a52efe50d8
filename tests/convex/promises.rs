//! Promises to callers: the answer frees the shapes, a little less does not, and a small motion changes it a little.

use extricate::penetration::convex::{ConvexCache, SignedDistance};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::brute_force;
use super::checks::Pair;
use super::forms::Form;
use super::random::Random;
use super::strategies::{any_pair, cases, rotation, straight_pair};

fn answer(pair: &Pair) -> SignedDistance {
    pair.ask(&pair.shapes().expect("valid"), &mut ConvexCache::default()).expect("finite")
}

/// The pair with A moved by a length [m] along the answered direction.
fn moved(pair: &Pair, found: &SignedDistance, by: f64) -> Pair {
    pair.moved(by * found.direction.into_inner())
}

fn size(pair: &Pair) -> f64 {
    pair.forms.iter().map(Form::reach).sum()
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn no_search_finds_a_wider_gap_than_the_upper_bound(pair in any_pair(), seed in any::<u64>()) {
        let found = answer(&pair);
        let widest = pair.widest_gap(&found.direction, &mut Random::new(seed));
        prop_assert!(widest <= found.at_most + pair.tolerance(found.value), "{widest:e} {found:?}");
        let along = -pair.free_after(&found.direction);
        prop_assert!((along - found.value).abs() <= pair.tolerance(found.value), "{along:e} {found:?}");
    }

    #[test]
    fn moved_by_the_answer_and_a_clearance_a_plane_separates_the_shapes(pair in any_pair()) {
        let found = answer(&pair);
        let clearance = 1e-6 * size(&pair) + pair.tolerance(found.value);
        let free = moved(&pair, &found, clearance - found.value);
        prop_assert!(free.free_after(&found.direction) < 0.0, "{found:?}");
        prop_assert!(answer(&free).value > 0.0, "{found:?}, then {:?}", answer(&free));
    }

    #[test]
    fn moved_by_less_than_the_depth_the_shapes_still_overlap(pair in any_pair(), seed in any::<u64>()) {
        let found = answer(&pair);
        prop_assume!(found.value < -1e-3 * size(&pair));
        let inside = moved(&pair, &found, -0.999 * found.value);
        let again = answer(&inside);
        prop_assert!(again.at_most < 0.0, "{found:?}, then {again:?}");
        let widest = inside.widest_gap(&found.direction, &mut Random::new(seed));
        prop_assert!(widest < 0.0, "apart by {widest:e}: {found:?}");
    }

    #[test]
    fn polytopes_moved_by_less_than_the_depth_overlap_by_brute_force(pair in straight_pair()) {
        let found = answer(&pair);
        prop_assume!(found.value < -1e-3 * size(&pair));
        let inside = moved(&pair, &found, -0.999 * found.value);
        let left = brute_force::signed_distance(&inside.forms, &inside.poses).expect("no curves");
        prop_assert!((left - 1e-3 * found.value).abs() <= pair.tolerance(found.value), "{left:e} {found:?}");
    }

    /// A support function of a body moved by t changes by no more than |t|, and so does their maximum difference.
    #[test]
    fn the_distance_changes_by_no_more_than_the_motion_through_touching(pair in any_pair(), orientation in rotation()) {
        let found = answer(&pair);
        let mut last: Option<(f64, SignedDistance)> = None;
        for step in [-3e-2, -1e-2, -1e-3, -1e-5, -1e-8, -1e-12, 0.0, 1e-13, 1e-10, 1e-7, 1e-4, 1e-2] {
            let off = step * size(&pair);
            let aside = off.abs() * (orientation * Vector3::x());
            let here = moved(&pair, &found, off - found.value).moved(aside);
            let now = answer(&here);
            let tolerance = 2.0 * here.tolerance(found.value.abs() + off.abs());
            if let Some((before, earlier)) = last {
                let motion = (off - before).abs() + (off.abs() - before.abs()).abs();
                let change = (now.value - earlier.value).abs();
                prop_assert!(change <= motion + tolerance, "{change:e} for {motion:e}, {earlier:?} {now:?}");
            }
            last = Some((off, now));
        }
    }

    /// A rotation of B by a small angle about its origin moves none of its points farther than angle · reach.
    #[test]
    fn the_distance_changes_by_no_more_than_a_rotation_moves_the_points(pair in any_pair(), axis in rotation()) {
        let found = answer(&pair);
        for angle in [1e-10, 1e-6, 1e-3, 1e-1] {
            let small_rotation = UnitQuaternion::from_scaled_axis(axis * Vector3::x() * angle);
            let [a, b] = pair.poses;
            let rotated = Isometry3::from_parts(b.translation, small_rotation * b.rotation);
            let now = answer(&Pair { forms: pair.forms.clone(), poses: [a, rotated] });
            let most = angle * pair.forms[1].reach() + 2.0 * pair.tolerance(found.value);
            prop_assert!((now.value - found.value).abs() <= most, "{angle:e}: {found:?} {now:?}");
        }
    }
}
