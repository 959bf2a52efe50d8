//! Penetrations: translational, convex, generalized, of several bodies.

use std::sync::Arc;

use extricate::geometry::convex::{ConvexHull, ConvexShape};
use extricate::penetration::convex::{self, ConvexCache, ConvexOptions};
use extricate::penetration::generalized::{self, GeneralizedOptions};
use extricate::penetration::{
    Body, Effort, Penetration, SeparationOptions, TranslationalOptions, penetration, separate,
};
use extricate::proximity::{Model, collide, distance};
use extricate::query::{self, Posed, Shape};
use nalgebra::{Isometry3, Translation3, Vector3};
use proptest::prelude::*;

use super::solids::{Form, Placed, any_pair, any_pose, cases, points};

/// Clearance of an answer relative to the sizes: that which [`Penetration::translation`] promises, and rounding.
const CLEARANCE: f64 = 1e-9;

fn options(effort: Effort) -> TranslationalOptions {
    TranslationalOptions { effort, ..TranslationalOptions::default() }
}

fn found(placed: &Placed, effort: Effort) -> Result<Option<Penetration>, TestCaseError> {
    let Placed { models: [a, b], poses: [pose_a, pose_b], .. } = placed;
    Ok(penetration(a, pose_a, b, pose_b, &options(effort))?)
}

/// Displacement of A along a direction after which a plane across it separates the two [m]; never less than the exit along it.
fn beyond(placed: &Placed, direction: &Vector3<f64>) -> f64 {
    let Placed { models, poses, .. } = placed;
    let along = |body: usize| {
        let heights = points(&models[body], &poses[body]).into_iter().map(|p| p.coords.dot(direction));
        heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[min, most], x| [min.min(x), most.max(x)])
    };
    along(1)[1] - along(0)[0]
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn after_the_translation_nothing_collides_and_before_it_everything_does(
        pair in any_pair(0.7),
        best in any::<bool>(),
    ) {
        let placed = pair.here();
        let Placed { models: [a, b], poses: [pose_a, pose_b], size } = &placed;
        let effort = if best { Effort::Best } else { Effort::Fast };
        let collides = collide(a, pose_a, b, pose_b);
        let found = found(&placed, effort)?;
        prop_assert_eq!(found.is_some(), collides);
        let shapes = [a, b].map(|model| Shape::from(Model::clone(model)));
        let posed = [Posed::new(&shapes[0], *pose_a), Posed::new(&shapes[1], *pose_b)];
        let signed = query::signed_distance(&posed[0], &posed[1], &options(effort))?;
        prop_assert!(signed.value <= 0.0 || !collides, "{signed:?}");
        let Some(found) = found else { return Ok(()) };
        let at = |by: Vector3<f64>| Translation3::from(by) * pose_a;
        prop_assert!(!collide(a, &at(found.translation), b, pose_b), "{found:?}");
        let left = distance(a, &at(found.translation), b, pose_b).value;
        prop_assert!(left <= CLEARANCE * size, "{left} apart after {found:?}");
        prop_assert!(found.lower_bound <= found.depth * (1.0 + 1e-12) && found.lower_bound >= 0.0, "{found:?}");
        let length = found.translation.norm();
        prop_assert!((length - found.depth).abs() <= CLEARANCE * size, "{length} {found:?}");
        for fraction in [0.3, 0.9, 0.999] {
            let partway = at(found.direction.into_inner() * (found.depth * fraction));
            prop_assert!(collide(a, &partway, b, pose_b) || found.depth <= CLEARANCE * size, "free at {fraction} of {found:?}");
        }
        for axis in 0..3 {
            for sign in [-1.0, 1.0] {
                let most = beyond(&placed, &Vector3::ith(axis, sign));
                prop_assert!(found.depth <= most * (1.0 + 1e-9) + CLEARANCE * size || effort == Effort::Fast,
                    "{} along an axis of the world, {found:?}", most);
            }
        }
    }

    #[test]
    fn neither_order_nor_unit_matters_to_a_penetration_and_no_frame_beats_its_bound(
        pair in any_pair(0.6),
        by in any_pose(3.0),
    ) {
        let placed = pair.here();
        let Some(here) = found(&placed, Effort::Best)? else { return Ok(()) };
        let tolerance = CLEARANCE * placed.size;
        let swapped = found(&pair.swapped().here(), Effort::Best)?.expect("they overlap in the other order as well");
        prop_assert!((swapped.depth - here.depth).abs() <= tolerance, "{here:?} {swapped:?}");
        prop_assert!((swapped.translation + here.translation).norm() <= tolerance, "{here:?} {swapped:?}");
        let huge = found(&pair.placed(1024.0, &Isometry3::identity()), Effort::Best)?.expect("they overlap when scaled");
        prop_assert!((huge.depth - 1024.0 * here.depth).abs() <= 1024.0 * tolerance, "{here:?} {huge:?}");
        let moved = found(&pair.placed(1.0, &by), Effort::Best)?;
        let depth = moved.as_ref().map_or(0.0, |moved| moved.depth);
        let bound = moved.as_ref().map_or(0.0, |moved| moved.lower_bound);
        prop_assert!(depth >= here.lower_bound - tolerance && here.depth >= bound - tolerance, "{here:?} {moved:?}");
    }

    #[test]
    fn a_convex_depth_is_that_of_the_meshes_or_less(pair in any_pair(0.6)) {
        prop_assume!(pair.forms.iter().all(Form::is_convex));
        let placed = pair.here();
        let Placed { models, poses: [pose_a, pose_b], size } = &placed;
        let hulls = models.each_ref().map(|model: &Model| ConvexHull::new(model.mesh().vertices()));
        let [Ok(a), Ok(b)] = hulls else { return Err(TestCaseError::fail("a hull of a solid")) };
        let [a, b] = [a, b].map(|hull| ConvexShape::hull(Arc::new(hull)));
        let exact = convex::signed_distance(&a, pose_a, &b, pose_b, &ConvexOptions::default(), &mut ConvexCache::default())?;
        prop_assert!(exact.value <= exact.at_most);
        let tolerance = CLEARANCE * size;
        let depth = found(&placed, Effort::Best)?.map_or(0.0, |found| found.depth);
        prop_assert!(depth >= -exact.at_most - tolerance, "{depth} {exact:?}");
        prop_assert!(depth <= -exact.value.min(0.0) * (1.0 + 1e-6) + tolerance, "{depth} is not the minimum: {exact:?}");
        let gap = distance(&models[0], pose_a, &models[1], pose_b).value;
        prop_assert!((gap - exact.value.max(0.0)).abs() <= tolerance, "{gap} {exact:?}");
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn a_rigid_motion_costs_no_more_than_a_translation(pair in any_pair(0.6)) {
        let placed = pair.here();
        let Placed { models: [a, b], poses: [pose_a, pose_b], size } = &placed;
        let found = found(&placed, Effort::Best)?;
        let rigid = generalized::penetration_rigid(a, pose_a, b, pose_b, &GeneralizedOptions::default());
        let Some(rigid) = rigid.map_err(|error| TestCaseError::fail(error.to_string()))? else {
            prop_assert!(found.is_none());
            return Ok(());
        };
        let translated = found.expect("they overlap").depth;
        prop_assert!(rigid.verified_free && !collide(a, &rigid.poses[0].base, b, pose_b));
        prop_assert!(rigid.depth <= translated * (1.0 + 1e-6) + CLEARANCE * size, "{} > {translated}", rigid.depth);
    }

    #[test]
    fn three_bodies_are_apart_after_their_translations(pair in any_pair(0.5), third in any_pose(0.5)) {
        let Placed { models: [a, b], poses: [pose_a, pose_b], .. } = &pair.here();
        let third = pose_a * Isometry3::from_parts((third.translation.vector * pair.unit).into(), third.rotation);
        let bodies = [Body::new(a, *pose_a), Body::new(b, *pose_b), Body::fixed(a, third)];
        let apart = separate(&bodies, &SeparationOptions::default());
        let apart = apart.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(apart.verified_free && apart.translations[2] == Vector3::zeros());
        let poses: Vec<_> = bodies.iter().zip(&apart.translations)
            .map(|(body, by)| Translation3::from(*by) * body.pose).collect();
        for [i, j] in [[0, 1], [0, 2], [1, 2]] {
            prop_assert!(!collide(bodies[i].model, &poses[i], bodies[j].model, &poses[j]), "{i} and {j}");
        }
    }
}
