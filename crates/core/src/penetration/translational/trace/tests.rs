//! A trace records the query that returns the result, and its free configurations are free by an independent query.

use std::f64::consts::FRAC_PI_3;

use nalgebra::{Translation3, UnitQuaternion};

use super::*;
use crate::geometry::Solidity;
use crate::geometry::procedural::{Cuboid, Procedural, Torus};
use crate::penetration::translational::options::Effort;
use crate::penetration::translational::query::penetration;
use crate::proximity::{closest_point, collide};

fn cube() -> Model {
    Model::new(Cuboid::default().mesh().unwrap(), Solidity::Solid)
}

fn torus() -> Model {
    Model::new(Torus::default().mesh().unwrap(), Solidity::Solid)
}

fn pose(x: f64, angle: f64) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_scaled_axis(angle * Vector3::new(0.6, -0.3, 0.5));
    Isometry3::from_parts(Vector3::new(x, 0.4 * x - 3.0, 0.2 + x).into(), rotation)
}

/// Traces of cubes and tori in both orders, with their answers.
fn traced(
    mut check: impl FnMut([(&Model, &Isometry3<f64>); 2], &TranslationalOptions, Option<Penetration>, Trace),
) {
    let (cube, torus) = (cube(), torus());
    let poses = [pose(0.0, 0.0), pose(0.25, FRAC_PI_3), pose(-0.2, 2.0)];
    for (a, b) in [(&cube, &torus), (&torus, &cube), (&torus, &torus), (&cube, &cube)] {
        for (i, j) in [(0, 1), (1, 0), (2, 1), (1, 2)] {
            for (effort, parallel) in [(Effort::Fast, false), (Effort::Best, false), (Effort::Best, true)] {
                let options = TranslationalOptions { effort, parallel, ..TranslationalOptions::default() };
                let pair = [(a, &poses[i]), (b, &poses[j])];
                let (found, trace) = penetration_traced(pair[0], pair[1], &options).unwrap();
                check(pair, &options, found, trace);
            }
        }
    }
}

#[test]
fn the_result_is_that_of_the_query_without_a_trace_to_the_bit() {
    traced(|[(a, pose_a), (b, pose_b)], options, found, trace| {
        let plain = penetration(a, pose_a, b, pose_b, options).unwrap();
        assert_eq!(format!("{found:?}"), format!("{plain:?}"));
        let walks = found.map_or(0, |found| found.walks as usize);
        assert!(trace.walks.len() == walks && walks > 0);
    });
}

#[test]
fn all_recorded_free_configurations_are_free_and_bound_the_depth() {
    traced(|[(a, pose_a), (b, pose_b)], _, found, trace| {
        let depth = found.unwrap().depth;
        let apart = |t: &Vector3<f64>| !collide(a, &(Translation3::from(*t) * pose_a), b, pose_b);
        let slack = 1e-9;
        for walk in &trace.walks {
            assert!(apart(&walk.start), "{:?} {}", walk.source, walk.start);
            let (mut bound, mut free) = (walk.start.norm(), walk.start.norm());
            for step in &walk.steps {
                if step.kind != WalkStepKind::InProjection {
                    assert!(apart(&step.translation), "{step:?}");
                    free = free.min(step.translation.norm());
                }
                assert!(step.upper_bound <= bound && step.upper_bound >= depth - slack, "{step:?}");
                assert!((step.upper_bound - free).abs() < 1e-12);
                bound = step.upper_bound;
            }
            assert!(walk.depth >= depth - slack);
        }
    });
}

#[test]
fn the_last_improving_walk_ends_at_the_result() {
    traced(|_, _, found, trace| {
        let found = found.unwrap();
        let best = trace.walks.iter().rfind(|walk| walk.kept).unwrap();
        assert!((best.depth - found.depth).abs() < 1e-12 && (best.end - found.translation).norm() < 1e-12);
        assert_eq!(Some(best.source), found.start);
        let kept: Vec<f64> = trace.walks.iter().filter(|walk| walk.kept).map(|walk| walk.depth).collect();
        assert!(kept.windows(2).all(|pair| pair[1] < pair[0]));
    });
}

#[test]
fn contacts_are_on_both_models_and_leave_the_step_on_their_free_side() {
    traced(|[(a, pose_a), (b, pose_b)], _, _, trace| {
        let mut seen = 0;
        for step in trace.walks.iter().flat_map(|walk| &walk.steps) {
            for contact in &step.contacts {
                let moved = Translation3::from(step.translation) * pose_a;
                for (model, pose, point) in [(a, &moved, contact.moved), (b, pose_b, contact.point)] {
                    let distance = closest_point(model, &pose.inverse_transform_point(&point)).distance;
                    assert!(distance < 1e-9, "{contact:?}");
                }
                if step.kind != WalkStepKind::InProjection {
                    let gap = contact.moved - contact.point;
                    assert!(gap.dot(&contact.normal) > 0.0, "A is on the free side: {contact:?}");
                }
                assert!((contact.normal.norm() - 1.0).abs() < 1e-12);
                seen += 1;
            }
        }
        assert!(seen > 0);
    });
}

#[test]
fn contacts_of_two_cubes_push_the_first_one_away_from_the_second_in_either_order() {
    let cube = cube();
    let (here, there) = (Isometry3::identity(), Isometry3::translation(0.9, 0.05, 0.02));
    for (a, b, sign) in [(&here, &there, -1.0), (&there, &here, 1.0)] {
        let options = TranslationalOptions { effort: Effort::Fast, ..TranslationalOptions::default() };
        let (found, trace) = penetration_traced((&cube, a), (&cube, b), &options).unwrap();
        let out = found.unwrap().translation;
        assert!((out - Vector3::new(sign * 0.1, 0.0, 0.0)).norm() < 1e-9, "{out}");
        let last = trace.walks.iter().rfind(|walk| walk.kept).and_then(|walk| walk.steps.last()).unwrap();
        assert!(last.contacts.iter().any(|c| (c.normal.x - sign).abs() < 1e-9), "{last:?}");
        // The face of B that A touches.
        let face = if sign < 0.0 { 0.4 } else { 0.5 };
        assert!(last.contacts.iter().all(|c| (c.point.x - face).abs() < 1e-9), "{last:?}");
    }
}

#[test]
fn separated_models_have_no_walks() {
    let cube = cube();
    let (here, there) = (Isometry3::identity(), Isometry3::translation(3.0, 0.0, 0.0));
    let traced = penetration_traced((&cube, &here), (&cube, &there), &TranslationalOptions::default());
    assert_eq!(traced, Ok((None, Trace::default())));
}
