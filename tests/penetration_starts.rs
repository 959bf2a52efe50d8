//! Penetration from a single source of starts, and from the state of a motion.

use extricate::geometry::procedural::{Cuboid, Cup, Grate, Procedural, Spoon, Torus};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::PenetrationError;
use extricate::penetration::{
    Effort, FreeConfiguration, MotionCoherence, Penetration, TranslationalOptions, penetration,
    penetration_coherent,
};
use extricate::proximity::{Model, collide};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

fn solid(mesh: TriangleMesh) -> Model {
    Model::new(mesh, Solidity::Solid)
}

fn cuboid(x: f64, y: f64, z: f64) -> Model {
    solid(Cuboid { x, y, z, subdivisions: 1 }.mesh().expect("valid"))
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn from(start: FreeConfiguration, effort: Effort) -> TranslationalOptions {
    TranslationalOptions { start: Some(start), effort, ..TranslationalOptions::default() }
}

type Body<'a> = (&'a Model, &'a Isometry3<f64>);

/// The answer, after a check that it separates and that most of it does not.
fn checked((a, pose_a): Body, (b, pose_b): Body, options: &TranslationalOptions) -> Option<Penetration> {
    let found = match penetration(a, pose_a, b, pose_b, options) {
        Err(PenetrationError::NoFreeConfiguration { start }) => {
            assert_eq!(Some(start), options.start);
            return None;
        }
        other => other.expect("an answer").expect("they overlap"),
    };
    let moved = |fraction: f64| Translation3::from(fraction * found.translation) * pose_a;
    assert!(!collide(a, &moved(1.0), b, pose_b), "{found:?}");
    assert!(collide(a, &moved(0.999), b, pose_b), "{found:?}");
    assert_eq!(found.start, options.start);
    Some(found)
}

fn sources() -> [FreeConfiguration; 8] {
    ["centroid", "clear", "random", "sampled", "normals", "axes", "spread", "given:0,0,9"]
        .map(|name| name.parse().expect("a source"))
}

#[test]
fn every_forced_source_gives_a_tight_answer_that_names_it_in_either_order() {
    let models = [
        solid(Torus { segments: 24, ..Torus::default() }.mesh().expect("valid")),
        solid(Cup::default().mesh().expect("valid")),
        solid(Grate::default().mesh().expect("valid")),
        solid(Spoon::default().mesh().expect("valid")),
    ];
    let here = Isometry3::new(Vector3::new(0.2, -0.1, 0.3), Vector3::new(0.5, 0.2, -0.4));
    let (mut without, mut answered) = (0, 0);
    for (i, a) in models.iter().enumerate() {
        for b in &models[i..] {
            let there = Isometry3::new(Vector3::new(0.5, 0.1, 0.2), Vector3::new(-0.2, 1.0, 0.6));
            if !collide(a, &here, b, &there) {
                continue;
            }
            for source in sources() {
                let options = from(source, Effort::Fast);
                let found = checked((a, &here), (b, &there), &options);
                let exchanged = match source {
                    FreeConfiguration::Given(q) => FreeConfiguration::Given(-q),
                    other => other,
                };
                let other = checked((b, &there), (a, &here), &from(exchanged, Effort::Fast));
                match (found, other) {
                    (Some(found), Some(other)) => {
                        assert!((found.depth - other.depth).abs() <= 1e-12, "{source}");
                        assert!((found.translation + other.translation).norm() <= 1e-12, "{source}");
                        answered += 1;
                    }
                    (found, other) => {
                        assert!(found.is_none() && other.is_none(), "{source}");
                        assert_eq!(source, FreeConfiguration::MaximallyClear);
                        without += 1;
                    }
                }
            }
        }
    }
    assert!(answered >= 50 && without <= 5, "{answered} {without}");
}

#[test]
fn more_walks_of_a_source_are_no_worse_than_one() {
    let (cup, spoon) =
        (solid(Cup::default().mesh().expect("valid")), solid(Spoon::default().mesh().expect("valid")));
    let here = Isometry3::new(Vector3::new(0.3, 0.1, 0.2), Vector3::new(0.2, 1.4, 0.1));
    for source in sources() {
        let ask = |effort| checked((&spoon, &here), (&cup, &at(0.0, 0.0, 0.0)), &from(source, effort));
        let (Some(fast), Some(best)) = (ask(Effort::Fast), ask(Effort::Best)) else { continue };
        assert!(best.depth <= fast.depth * (1.0 + 1e-9), "{source}: {} {}", best.depth, fast.depth);
        assert!(best.walks >= fast.walks);
    }
}

#[test]
fn face_normals_and_axes_give_boxes_their_exact_depth() {
    let (a, b) = (cuboid(1.0, 2.0, 3.0), cuboid(2.0, 1.0, 1.5));
    let rotation = UnitQuaternion::from_euler_angles(0.4, 0.2, 0.9);
    let rotated = |x, y, z| Isometry3::from_parts(Translation3::identity(), rotation) * at(x, y, z);
    for source in ["normals", "axes"] {
        let options = from(source.parse().expect("a source"), Effort::Fast);
        let found = checked((&a, &rotated(0.2, 0.3, -0.4)), (&b, &rotated(0.0, 0.0, 0.0)), &options);
        // Along y: (2 + 1) / 2 − 0.3, along x: 1.5 − 0.2, along z: 2.25 − 0.4.
        assert!((found.expect("a start").depth - 1.2).abs() < 1e-9, "{source}");
    }
}

#[test]
fn a_peg_leaves_by_the_hole_from_a_clear_start_and_around_the_ring_from_a_given_one() {
    let ring = Torus { major_radius: 1.0, minor_radius: 0.4, segments: 96, sides: 48 };
    let (ring, peg) = (solid(ring.mesh().expect("valid")), cuboid(0.2, 0.2, 6.0));
    let pose = at(0.7, 0.0, 0.0);
    let fixed = at(0.0, 0.0, 0.0);
    let clear = from(FreeConfiguration::MaximallyClear, Effort::Fast);
    let inwards = checked((&peg, &pose), (&ring, &fixed), &clear).expect("the hole");
    // Its corners, 0.1 to the side, touch the wall of the hole.
    let touching = (0.6_f64 * 0.6 - 0.01).sqrt() - 0.1;
    assert!((inwards.depth - (0.7 - touching)).abs() < 2e-3, "{}", inwards.depth);
    let given = from(FreeConfiguration::Given(Vector3::new(3.0, 0.0, 0.0)), Effort::Fast);
    let outwards = checked((&peg, &pose), (&ring, &fixed), &given).expect("free there");
    assert!(outwards.depth > inwards.depth, "{}", outwards.depth);
}

#[test]
fn a_source_without_a_start_is_an_error_and_never_another_source() {
    let cube = cuboid(1.0, 1.0, 1.0);
    let (here, there) = (at(0.4, 0.0, 0.0), at(0.0, 0.0, 0.0));
    let blocked = FreeConfiguration::Given(Vector3::new(0.1, 0.0, 0.0));
    for start in [blocked, FreeConfiguration::MaximallyClear, FreeConfiguration::MotionCoherence] {
        for effort in [Effort::Fast, Effort::Best] {
            let answer = penetration(&cube, &here, &cube, &there, &from(start, effort));
            assert_eq!(answer, Err(PenetrationError::NoFreeConfiguration { start }));
        }
    }
    // Shapes that are apart are reported so, whatever the start.
    assert_eq!(penetration(&cube, &at(2.0, 0.0, 0.0), &cube, &there, &from(blocked, Effort::Fast)), Ok(None));
}

#[test]
fn random_starts_depend_on_the_seed_alone() {
    let (cup, spoon) =
        (solid(Cup::default().mesh().expect("valid")), solid(Spoon::default().mesh().expect("valid")));
    let here = Isometry3::new(Vector3::new(0.3, 0.1, 0.2), Vector3::new(0.2, 1.4, 0.1));
    let ask = |seed| {
        let options = TranslationalOptions { seed, ..from(FreeConfiguration::Random, Effort::Fast) };
        checked((&spoon, &here), (&cup, &at(0.0, 0.0, 0.0)), &options).expect("directions are never lacking")
    };
    assert_eq!(ask(3), ask(3));
    assert!((4..20).any(|seed| ask(seed) != ask(3)));
}

#[test]
fn a_forced_memory_starts_from_the_nearest_free_pose_and_a_free_choice_from_the_last_one() {
    let (plate, cube) = (cuboid(4.0, 4.0, 0.01), cuboid(1.0, 1.0, 1.0));
    let (fixed, mut coherence) = (at(0.0, 0.0, 0.0), MotionCoherence::default());
    let mut ask = |z: f64, start| {
        let options = TranslationalOptions { start, effort: Effort::Fast, ..TranslationalOptions::default() };
        let mut trial = coherence.clone();
        let found = penetration_coherent((&cube, &at(0.1, 0.2, z)), (&plate, &fixed), &options, &mut trial);
        let found = found.expect("an answer");
        if found.is_none() {
            coherence = trial;
        }
        found
    };
    // Once below the plate, and last above it.
    assert!(ask(-0.6, None).is_none() && ask(0.9, None).is_none());
    let last = ask(-0.3, None).expect("they overlap");
    assert!(last.direction.z > 0.999 && (last.depth - 0.805).abs() < 1e-9, "{}", last.depth);
    let nearest = ask(-0.3, Some(FreeConfiguration::MotionCoherence)).expect("they overlap");
    assert!(nearest.direction.z < -0.999 && (nearest.depth - 0.205).abs() < 1e-9, "{}", nearest.depth);
    assert_eq!(nearest.start, Some(FreeConfiguration::MotionCoherence));
}
