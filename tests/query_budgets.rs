//! Queries whose time budget is spent at once still return answers that hold, only worse ones.

#![allow(clippy::unwrap_used, reason = "a query that fails is a failed test")]

use std::collections::BTreeSet;
use std::time::Duration;

use extricate::geometry::procedural::{Blob, Procedural, Torus};
use extricate::nalgebra::{Isometry3, Translation3, Vector3};
use extricate::penetration::{Effort, LowerBound};
use extricate::query::{CollideOptions, PenetrationOptions, RigidPenetrationOptions};
use extricate::{Posed, Shape, query};

/// Two solids that interlock, with the poses of the first.
fn pairs() -> Vec<([Shape; 2], Isometry3<f64>)> {
    let ring =
        Shape::mesh(Torus { major_radius: 0.7, minor_radius: 0.25, segments: 24, sides: 12 }.mesh().unwrap());
    let blob = Shape::mesh(Blob { frequency: 6, ..Blob::default() }.mesh().unwrap());
    vec![
        (
            [ring.clone(), blob.clone()],
            Isometry3::new(Vector3::new(0.4, 0.1, 0.2), Vector3::new(0.3, 1.0, 0.2)),
        ),
        ([ring.clone(), ring], Isometry3::new(Vector3::new(0.5, 0.0, 0.1), Vector3::new(1.2, 0.1, 0.0))),
        ([blob.clone(), blob], Isometry3::new(Vector3::new(0.1, 0.3, 0.0), Vector3::new(0.0, 0.4, 0.9))),
    ]
}

fn options(time_budget: Option<Duration>) -> PenetrationOptions {
    let lower_bound = LowerBound::Cover { evaluations: 500 };
    PenetrationOptions { effort: Effort::Best, time_budget, lower_bound, ..PenetrationOptions::default() }
}

fn overlap(a: &Posed, b: &Posed) -> bool {
    query::collide(a, b, &CollideOptions::default()).unwrap()
}

#[test]
fn a_translation_found_without_time_separates_and_its_lower_bound_is_below_the_best_depth() {
    for ([a, b], pose) in pairs() {
        let (moving, still) = (Posed::new(&a, pose), Posed::at_origin(&b));
        let thorough = query::penetration(&moving, &still, &options(None)).unwrap().unwrap();
        let hasty = query::penetration(&moving, &still, &options(Some(Duration::ZERO))).unwrap().unwrap();
        assert!(!overlap(&Posed::new(&a, Translation3::from(hasty.translation) * pose), &still));
        assert!(hasty.depth >= thorough.depth * (1.0 - 1e-9), "{} and {}", hasty.depth, thorough.depth);
        assert!(hasty.lower_bound <= thorough.depth * (1.0 + 1e-9), "{}", hasty.lower_bound);
    }
}

#[test]
fn a_rigid_motion_found_without_time_separates_and_is_no_shorter_than_the_best() {
    for ([a, b], pose) in pairs() {
        let (moving, still) = (Posed::new(&a, pose), Posed::at_origin(&b));
        let found = [None, Some(Duration::ZERO)].map(|time_budget| {
            let options = RigidPenetrationOptions { time_budget, ..RigidPenetrationOptions::default() };
            let found = query::penetration_rigid(&moving, &still, &options).unwrap().unwrap();
            assert!(found.verified_free && !overlap(&Posed::new(&a, found.pose), &still));
            found
        });
        assert!(found[1].depth >= found[0].depth * (1.0 - 1e-9));
        // The descents that a budget of nothing leaves out are the work of the query.
        assert!(found[1].iterations < found[0].iterations, "{} steps", found[1].iterations);
    }
}

#[test]
fn regions_without_time_have_the_triangles_of_all_regions_and_depths_that_separate_them() {
    for ([a, b], pose) in pairs() {
        let (moving, still) = (Posed::new(&a, pose), Posed::at_origin(&b));
        let all = query::local_penetrations(&moving, &still, &options(None)).unwrap();
        let hasty = query::local_penetrations(&moving, &still, &options(Some(Duration::ZERO))).unwrap();
        let deepest = |regions: &[extricate::penetration::LocalPenetration]| {
            regions.iter().map(|region| region.depth).fold(0.0, f64::max)
        };
        assert!(deepest(&hasty) >= deepest(&all) * (1.0 - 1e-9), "{} and {}", deepest(&hasty), deepest(&all));
        for side in [0, 1] {
            let triangles = |regions: &[extricate::penetration::LocalPenetration]| {
                regions.iter().flat_map(|region| region.patches[side].clone()).collect::<BTreeSet<u32>>()
            };
            // Those inside the other solid are found by the regions; those that intersect are in both.
            assert!(triangles(&hasty).is_subset(&triangles(&all)) && !triangles(&hasty).is_empty());
        }
        // One translation by the depth separates everything that is one region.
        let [region] = &hasty[..] else { panic!("{} regions without time", hasty.len()) };
        let moved = Translation3::from(region.normal.into_inner() * (region.depth + 1e-6)) * pose;
        assert!(!overlap(&Posed::new(&a, moved), &still));
    }
}
