//! Times of contact: free before, touching at, and none where the path is free.

use extricate::kinematics::{Motion, RigidMotion};
use extricate::proximity::{
    ContinuousOptions, distance, surfaces_collide, time_of_contact_rigid, translational,
};
use nalgebra::{Isometry3, Translation3, Vector3};
use proptest::prelude::*;

use super::solids::{Placed, any_pair, any_pose, cases};

/// Accepted gap at contact, relative to the sizes and to the displacement.
const TOUCHING: f64 = 1e-9;
/// Shares of the time before contact at which it is free.
const BEFORE: [f64; 5] = [0.1, 0.4, 0.7, 0.95, 0.999];

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn a_translation_is_free_before_its_contact_and_touches_then(
        pair in any_pair(2.0),
        by in prop::array::uniform3(-4.0_f64..4.0),
    ) {
        let Placed { models: [a, b], poses: [pose_a, pose_b], size } = &pair.here();
        let displacement = Vector3::from(by) * pair.unit;
        let tolerance = TOUCHING * (size + displacement.norm());
        let at = |time: f64| Translation3::from(displacement * time) * pose_a;
        let started = surfaces_collide(a, pose_a, b, pose_b);
        let found = translational(a, pose_a, &displacement, b, pose_b)?;
        if started {
            prop_assert!(found.as_ref().is_some_and(|found| found.time == 0.0), "{found:?}");
            return Ok(());
        }
        let until = found.as_ref().map_or(1.0, |found| found.time);
        prop_assert!((0.0..=1.0).contains(&until));
        for fraction in BEFORE {
            // Grazing: two surfaces that stay within rounding of each other meet at no certain time.
            let met = surfaces_collide(a, &at(fraction * until), b, pose_b);
            prop_assert!(!met || until * (1.0 - fraction) * displacement.norm() <= tolerance, "met at {fraction} of {until}");
        }
        if let Some(found) = found {
            let gap = distance(a, &at(found.time), b, pose_b).value;
            prop_assert!(gap <= tolerance, "{gap} apart at {found:?}");
            let missed = (found.points[0] - found.points[1]).norm();
            prop_assert!(missed <= tolerance, "points {missed} apart: {found:?}");
            prop_assert!(found.normal.dot(&displacement) <= tolerance, "the normal is from B to A: {found:?}");
        }
    }
}

proptest! {
    #![proptest_config(cases(25))]

    #[test]
    fn a_motion_with_rotation_is_free_before_its_contact(pair in any_pair(1.5), to in any_pose(2.0)) {
        let Placed { models: [a, b], poses: [pose_a, pose_b], size } = &pair.here();
        prop_assume!(!surfaces_collide(a, pose_a, b, pose_b));
        let to = pose_a * Isometry3::from_parts((to.translation.vector * pair.unit).into(), to.rotation);
        let (moving, still) = (Motion::linear(pose_a, &to), Motion::still(pose_b));
        let options = ContinuousOptions::default();
        let found = time_of_contact_rigid(a, &moving, b, &still, &options)?;
        let until = found.as_ref().map_or(1.0, |found| found.time);
        for fraction in BEFORE {
            let met = surfaces_collide(a, &moving.pose_at(fraction * until), b, pose_b);
            prop_assert!(!met, "met at {fraction} of {until}: {found:?}");
        }
        if let Some(found) = found {
            let gap = distance(a, &moving.pose_at(found.time), b, pose_b).value;
            prop_assert!((gap - found.gap).abs() <= TOUCHING * size, "{gap} {found:?}");
        }
        let back = time_of_contact_rigid(b, &still, a, &moving, &options)?;
        prop_assert_eq!(back.is_some(), found.is_some());
    }
}
