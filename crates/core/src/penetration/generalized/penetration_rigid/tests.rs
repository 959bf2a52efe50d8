//! Guarantees of a rigid query.

use nalgebra::{Isometry3, Matrix3, Point3, Translation3, UnitQuaternion, Vector3};

use super::super::{
    GeneralizedCoherence, GeneralizedError, GeneralizedOptions, GeneralizedSource, GeneralizedStart,
    SearchEnd,
};
use super::{penetration_rigid, penetration_rigid_coherent};
use crate::geometry::procedural::{BumpySphere, Cuboid, Cup, Procedural, Spoon, Torus};
use crate::geometry::{Solidity, TriangleMesh};
use crate::penetration::translational::fibonacci;
use crate::penetration::translational::options::{Effort, LowerBound, TranslationalOptions};
use crate::penetration::translational::query::penetration;
use crate::proximity::error::ProximityError;
use crate::proximity::{Model, collide, is_within};

fn solid(mesh: TriangleMesh) -> Model {
    Model::new(mesh, Solidity::Solid)
}

fn cuboid(x: f64, y: f64, z: f64) -> Model {
    solid(Cuboid { x, y, z, ..Cuboid::default() }.mesh().unwrap())
}

fn here() -> Isometry3<f64> {
    Isometry3::identity()
}

fn best() -> GeneralizedOptions {
    GeneralizedOptions::default()
}

/// A pose at a `fraction` of the path from one to another: the centroid along a straight line, the rotation slerped.
fn interpolated(a: &Model, from: &Isometry3<f64>, to: &Isometry3<f64>, fraction: f64) -> Isometry3<f64> {
    let center = a.gyration().centroid;
    let rotation = from.rotation.slerp(&to.rotation, fraction);
    let at = (from * center).coords.lerp(&(to * center).coords, fraction);
    Isometry3::from_parts((at - rotation * center.coords).into(), rotation)
}

/// σ of a box of these sizes in the ground z ≤ 0: over all rotations, each with the lift that its lowest corner needs, by compass
/// search from many rotations. `height` is that of the middle, `rotation` its orientation.
fn box_in_the_ground(sizes: &Vector3<f64>, height: f64, rotation: &UnitQuaternion<f64>) -> f64 {
    let second = Matrix3::from_diagonal(&sizes.component_mul(sizes)) / 12.0;
    let sigma = |by: &Vector3<f64>| {
        let rotated = rotation * UnitQuaternion::from_scaled_axis(*by);
        let reach = 0.5 * (rotated.inverse() * Vector3::z()).abs().dot(sizes);
        let lift = (reach - height).max(0.0);
        let change = rotated.to_rotation_matrix().matrix() - rotation.to_rotation_matrix().matrix();
        lift * lift + (change * second * change.transpose()).trace()
    };
    let starts =
        (0..125).map(|i| Vector3::new(f64::from(i % 5 - 2), f64::from(i / 5 % 5 - 2), f64::from(i / 25 - 2)));
    let polished = starts.map(|start| {
        let mut at = start * 0.5;
        let (mut step, mut value) = (0.2, sigma(&at));
        while step > 1e-7 {
            // Many directions, because the minimum value lies in a sharp valley.
            let tries = (0..200).map(|i| at + fibonacci(i, 200) * step);
            let best = tries.min_by(|x, y| sigma(x).total_cmp(&sigma(y))).unwrap_or(at);
            if sigma(&best) < value {
                (at, value) = (best, sigma(&best));
            } else {
                step *= 0.6;
            }
        }
        value
    });
    polished.fold(f64::INFINITY, f64::min)
}

#[test]
fn a_box_in_the_ground_is_lifted_and_rotated_as_little_as_brute_force_finds() {
    let sizes = Vector3::new(1.0, 0.4, 0.2);
    let ground = cuboid(12.0, 12.0, 4.0);
    let below = Isometry3::translation(0.0, 0.0, -2.0);
    let stick = cuboid(sizes.x, sizes.y, sizes.z);
    for (height, axis_angle) in [
        (0.05, Vector3::new(0.0, 0.3, 0.0)),
        (0.2, Vector3::new(0.2, 0.7, 0.1)),
        (0.02, Vector3::new(0.6, 0.0, 0.0)),
        (0.3, Vector3::new(-0.3, 1.2, 0.4)),
    ] {
        let pose = Isometry3::new(Vector3::new(0.3, -0.2, height), axis_angle);
        let expected = box_in_the_ground(&sizes, height, &pose.rotation);
        let found =
            penetration_rigid(&stick, &pose, &ground, &below, &best()).unwrap().expect("it reaches down");
        let excess = found.sigma / expected - 1.0;
        assert!(excess < 1e-4 && excess > -1e-6, "{axis_angle}: {} {expected}", found.sigma);
    }
}

fn pairs() -> Vec<(Model, Model, Vec<Isometry3<f64>>)> {
    let poses = |scale: f64| {
        let pose = |i: u32| {
            let t = f64::from(i);
            let shift =
                Vector3::new((1.3 * t).sin(), (2.1 * t).cos(), (0.7 * t + 1.0).sin()) * (0.35 * scale);
            Isometry3::new(shift, Vector3::new(0.9 * t, 0.4 - t, 0.3 * t))
        };
        (0..4).map(pose).collect::<Vec<_>>()
    };
    let (torus, spoon) = (Torus::default().mesh().unwrap(), Spoon::default().mesh().unwrap());
    let (cup, bumpy) = (Cup::default().mesh().unwrap(), BumpySphere::default().mesh().unwrap());
    vec![
        (solid(spoon), solid(cup), poses(1.0)),
        (solid(torus.clone()), solid(torus), poses(1.5)),
        (cuboid(2.0, 0.2, 0.3), solid(bumpy), poses(1.0)),
    ]
}

#[test]
fn the_answer_is_free_not_worse_than_a_translation_and_collides_one_hundredth_before() {
    let mut seen = 0;
    for (a, b, poses) in pairs() {
        for (pose, effort) in poses.iter().flat_map(|pose| [(pose, Effort::Fast), (pose, Effort::Best)]) {
            let found =
                penetration_rigid(&a, pose, &b, &here(), &GeneralizedOptions { effort, ..best() }).unwrap();
            let translational = TranslationalOptions {
                effort,
                lower_bound: LowerBound::Skip,
                ..TranslationalOptions::default()
            };
            let translated = penetration(&a, pose, &b, &here(), &translational).unwrap();
            assert_eq!(found.is_none(), translated.is_none());
            let (Some(found), Some(translated)) = (found, translated) else { continue };
            let answer = found.poses[0].base;
            assert!(found.verified_free && !collide(&a, &answer, &b, &here()));
            assert!(found.sigma > 0.0 && found.sigma <= translated.depth.powi(2) * (1.0 + 1e-7));
            let back = interpolated(&a, pose, &answer, 0.99);
            assert!(collide(&a, &back, &b, &here()), "{pose} {effort:?}");
            seen += 1;
        }
    }
    assert!(seen >= 16, "{seen} overlaps");
}

#[test]
fn rotating_gains_much_over_translating() {
    let mut ratios = Vec::new();
    for (a, b, poses) in pairs() {
        for pose in &poses {
            let Some(found) = penetration_rigid(&a, pose, &b, &here(), &best()).unwrap() else { continue };
            let translated = penetration(&a, pose, &b, &here(), &TranslationalOptions::default()).unwrap();
            ratios.push(found.sigma / translated.expect("they overlap").depth.powi(2));
        }
    }
    assert!(ratios.iter().sum::<f64>() < 0.8 * ratios.len() as f64, "{ratios:?}");
}

#[test]
fn unit_of_length_and_place_in_the_world_do_not_matter() {
    let (spoon, cup) = (Spoon::default().mesh().unwrap(), Cup::default().mesh().unwrap());
    let pose = Isometry3::new(Vector3::new(0.3, 0.2, 0.1), Vector3::new(0.4, -0.9, 0.2));
    let sigma = |scale: f64, moved: &Isometry3<f64>, effort: Effort| {
        let [a, b] = [&spoon, &cup].map(|mesh| solid(mesh.scaled(&Vector3::repeat(scale)).unwrap()));
        let mut pose = pose;
        pose.translation.vector *= scale;
        let mut moved = *moved;
        moved.translation.vector *= scale;
        let options = GeneralizedOptions { effort, ..best() };
        penetration_rigid(&a, &(moved * pose), &b, &moved, &options).unwrap().unwrap().sigma / (scale * scale)
    };
    let fast = sigma(1.0, &here(), Effort::Fast);
    // Powers of two: rounding is the same, so what differs would be a length in the code.
    for scale in [2.0_f64.powi(-10), 2.0_f64.powi(10)] {
        assert!((sigma(scale, &here(), Effort::Fast) / fast - 1.0).abs() < 1e-9, "{scale}");
    }
    let elsewhere = Isometry3::new(Vector3::new(3.0, -5.0, 2.0), Vector3::new(0.3, 1.1, -0.8));
    let [there, back] = [&elsewhere, &here()].map(|moved| sigma(1.0, moved, Effort::Best));
    assert!((there / back - 1.0).abs() < 1e-4, "{there} {back}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (a, b, poses) = pairs().swap_remove(0);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| penetration_rigid(&a, &poses[1], &b, &here(), &best()).unwrap())
    };
    let alone = run(1);
    assert!(alone.is_some());
    assert_eq!(alone, run(4));
    let serial = GeneralizedOptions { parallel: false, ..best() };
    assert_eq!(alone, penetration_rigid(&a, &poses[1], &b, &here(), &serial).unwrap());
}

#[test]
fn what_is_apart_has_no_penetration_and_one_inside_the_other_has() {
    let (small, large) = (cuboid(0.2, 0.2, 0.2), cuboid(2.0, 2.0, 2.0));
    let apart = Isometry3::translation(1.2, 0.0, 0.0);
    assert_eq!(penetration_rigid(&small, &apart, &large, &here(), &best()).unwrap(), None);
    let inside = Isometry3::translation(0.5, 0.0, 0.0);
    let found = penetration_rigid(&small, &inside, &large, &here(), &best()).unwrap().expect("it is inside");
    assert!((found.depth - 0.6).abs() < 1e-6, "{}", found.depth);
}

#[test]
fn a_clearance_is_kept_and_a_bound_on_the_motion_is_reported() {
    let (a, b) = (cuboid(1.0, 1.0, 1.0), cuboid(1.0, 1.0, 1.0));
    let pose = Isometry3::translation(0.9, 0.05, 0.02);
    let wide = GeneralizedOptions { clearance: 0.05, ..GeneralizedOptions::fast() };
    let found = penetration_rigid(&a, &pose, &b, &here(), &wide).unwrap().expect("they overlap");
    assert!(!is_within(&a, &found.poses[0].base, &b, &here(), 0.05));
    assert!(found.depth < 0.1 + 3.0_f64.sqrt() * 0.05 + 1e-6, "{}", found.depth);
    let near = Isometry3::translation(1.01, 0.0, 0.0);
    assert!(penetration_rigid(&a, &near, &b, &here(), &GeneralizedOptions::fast()).unwrap().is_none());
    assert!(penetration_rigid(&a, &near, &b, &here(), &wide).unwrap().is_some());
    let short = GeneralizedOptions { max_move: Some(0.05), ..GeneralizedOptions::fast() };
    let refused = penetration_rigid(&a, &pose, &b, &here(), &short).unwrap_err();
    assert!(matches!(refused, GeneralizedError::TooFar { ref best, .. } if best.verified_free), "{refused}");
    let wrong = GeneralizedOptions { clearance: -1.0, ..best() };
    assert!(matches!(
        penetration_rigid(&a, &pose, &b, &here(), &wrong),
        Err(GeneralizedError::Proximity(ProximityError::Option { .. }))
    ));
}

#[test]
fn a_remembered_orientation_is_used_and_its_absence_is_an_error() {
    // A plate above a slotted ground: through the slot it only passes on edge.
    let plate = cuboid(0.6, 0.6, 0.1);
    let wall = |x: f64| {
        Cuboid { x: 2.0, y: 4.0, z: 2.0, ..Cuboid::default() }
            .mesh()
            .unwrap()
            .transformed(&Isometry3::translation(x, 0.0, -1.0))
    };
    let slot = solid(TriangleMesh::joined([wall(-1.1), wall(1.1)]).unwrap());
    let on_edge = Isometry3::from_parts(
        Translation3::new(0.0, 0.0, -0.4),
        UnitQuaternion::new(Vector3::y() * std::f64::consts::FRAC_PI_2),
    );
    let tilted = on_edge * UnitQuaternion::new(Vector3::y() * 0.25);
    let options =
        GeneralizedOptions { start: Some(GeneralizedStart::MotionCoherence), ..GeneralizedOptions::fast() };
    let mut coherence = GeneralizedCoherence::default();
    let query = |coherence: &mut _, pose: &Isometry3<f64>| {
        penetration_rigid_coherent((&plate, pose), (&slot, &here()), &options, coherence)
    };
    assert!(query(&mut coherence, &tilted).is_err());
    assert!(query(&mut coherence, &on_edge).unwrap().is_none());
    let found = query(&mut coherence, &tilted).unwrap().expect("a corner is in the wall");
    // It stays in the slot, rotated back a little; a translation cannot do that.
    let pose = found.poses[0].base;
    assert!((pose * Point3::origin()).z < -0.3 && found.depth < 0.05, "{pose} {}", found.depth);
    let given = GeneralizedStart::Given(vec![on_edge.into()]);
    let same = penetration_rigid(
        &plate,
        &tilted,
        &slot,
        &here(),
        &GeneralizedOptions { start: Some(given), ..options.clone() },
    );
    assert!((same.unwrap().unwrap().sigma / found.sigma - 1.0).abs() < 1e-3);
    let blocked = GeneralizedStart::Given(vec![tilted.into()]);
    assert!(
        penetration_rigid(
            &plate,
            &tilted,
            &slot,
            &here(),
            &GeneralizedOptions { start: Some(blocked), ..options.clone() }
        )
        .is_err()
    );
}

#[test]
fn a_start_that_is_asked_for_alone_is_not_replaced_by_another_one() {
    let cube = solid(Cuboid::default().mesh().unwrap());
    let pose = Isometry3::translation(0.7, 0.1, 0.2);
    let alone = |start: Option<GeneralizedStart>, clearance: f64| {
        let options = GeneralizedOptions { start, clearance, ..GeneralizedOptions::fast() };
        penetration_rigid(&cube, &pose, &cube, &here(), &options)
    };
    for (start, source) in [
        (None, GeneralizedSource::Translational),
        (Some(GeneralizedStart::Translational), GeneralizedSource::Translational),
        (Some(GeneralizedStart::CentroidDifference), GeneralizedSource::CentroidDifference),
        (Some(GeneralizedStart::Random), GeneralizedSource::Random),
    ] {
        assert_eq!(alone(start, 0.0).unwrap().expect("they overlap").source, source);
    }
    let refused = [
        (GeneralizedStart::Direct, 0.0),
        (GeneralizedStart::SuccessivePerturbation, 0.0),
        (GeneralizedStart::ConstrainedTranslation, 0.0),
        (GeneralizedStart::Random, 0.01),
    ];
    for (start, clearance) in refused {
        let source = start.source();
        let error = alone(Some(start), clearance).unwrap_err();
        assert!(matches!(error, GeneralizedError::StartFailed { start } if start == source), "{error}");
    }
}

#[test]
fn the_result_names_the_bound_that_ended_the_search() {
    let (bumpy, torus) =
        (solid(BumpySphere::default().mesh().unwrap()), solid(Torus::default().mesh().unwrap()));
    let there = Isometry3::translation(0.3, 0.2, 0.1);
    let found = |a: &Model, b: &Model, options: &GeneralizedOptions| {
        let found = penetration_rigid(a, &there, b, &here(), options).unwrap().unwrap();
        assert!(found.verified_free && !collide(a, &found.poses[0].base, b, &here()));
        found.summary.end
    };
    assert_eq!(found(&bumpy, &torus, &GeneralizedOptions::fast()), SearchEnd::Completed);
    let late =
        GeneralizedOptions { time_budget: Some(std::time::Duration::ZERO), ..GeneralizedOptions::fast() };
    assert_eq!(found(&bumpy, &torus, &late), SearchEnd::Stopped);
    // Coincident boxes: every cast meets all pairs of their triangles at once.
    let cube = Cuboid::default().mesh().unwrap();
    let all = solid(TriangleMesh::joined((0..400).map(|_| cube.clone())).unwrap());
    assert_eq!(found(&all, &all, &GeneralizedOptions::fast()), SearchEnd::WorkBound);
}
