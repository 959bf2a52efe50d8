//! Promises of the separation of many bodies, with closed forms and independent queries as oracles.

use extricate::geometry::ShapeError;
use extricate::geometry::procedural::{Cuboid, Cup, LShape, Procedural, Sphere, Spoon, Torus, TorusKnot};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::{
    Body, DisplacementMeasure, Effort, Separation, SeparationError, SeparationOptions, separate,
};
use extricate::proximity::{Model, collide};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// Accepted deviation of a separation from a closed form [fraction of the size]: gaps and the residual of the minimum motion.
const CLOSE: f64 = 1e-7;

fn cube() -> Model {
    Model::new(Cuboid::default().mesh().expect("the defaults make a cube"), Solidity::Solid)
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn apart(bodies: &[Body], found: &Separation) -> bool {
    let pose = |body: usize| Translation3::from(found.translations[body]) * bodies[body].pose;
    let pairs = (0..bodies.len()).flat_map(|i| (i + 1..bodies.len()).map(move |j| [i, j]));
    pairs.into_iter().all(|[i, j]| !collide(bodies[i].model, &pose(i), bodies[j].model, &pose(j)))
}

fn separated(bodies: &[Body]) -> Separation {
    let found = separate(bodies, &SeparationOptions::default()).expect("they can be taken apart");
    assert!(found.verified_free && apart(bodies, &found));
    found
}

fn close(found: &Vector3<f64>, expected: [f64; 3]) -> bool {
    (found - Vector3::from(expected)).norm() < CLOSE
}

#[test]
fn two_free_cubes_share_the_move_equally() {
    let cube = cube();
    let found = separated(&[Body::new(&cube, at(0.0, 0.0, 0.0)), Body::new(&cube, at(0.7, 0.1, 0.0))]);
    assert!(close(&found.translations[0], [-0.15, 0.0, 0.0]), "{found:?}");
    assert!(close(&found.translations[1], [0.15, 0.0, 0.0]), "{found:?}");
    assert!((found.total_displacement - 0.3).abs() < CLOSE);
    assert!((found.root_sum_square - 0.3 / 2_f64.sqrt()).abs() < CLOSE);
    assert_eq!(found.overlaps.len(), 1);
    assert!((found.overlaps[0].depth - 0.3).abs() < CLOSE);
    assert!(found.clearance > 0.0 && found.clearance < CLOSE);
}

#[test]
fn beside_a_fixed_cube_the_other_one_moves_by_the_whole_depth_and_the_fixed_one_not_a_bit() {
    let cube = cube();
    let found = separated(&[Body::fixed(&cube, at(0.0, 0.0, 0.0)), Body::new(&cube, at(0.7, 0.1, 0.0))]);
    assert_eq!(found.translations[0], Vector3::zeros());
    assert!(close(&found.translations[1], [0.3, 0.0, 0.0]), "{found:?}");
}

#[test]
fn a_cube_of_three_times_the_weight_moves_a_third_as_far() {
    let cube = cube();
    let heavy = Body { weight: 3.0, ..Body::new(&cube, at(0.0, 0.0, 0.0)) };
    let found = separated(&[heavy, Body::new(&cube, at(0.0, 0.6, 0.0))]);
    assert!(close(&found.translations[0], [0.0, -0.1, 0.0]), "{found:?}");
    assert!(close(&found.translations[1], [0.0, 0.3, 0.0]), "{found:?}");
}

#[test]
fn a_row_of_boxes_spreads_about_its_middle() {
    // The optimum of the quadratic programme: neighbours touch, the centre of mass stays.
    let cube = cube();
    let count = 11;
    let bodies: Vec<_> = (0..count).map(|i| Body::new(&cube, at(0.8 * f64::from(i), 0.0, 0.0))).collect();
    let found = separated(&bodies);
    for (i, moved) in found.translations.iter().enumerate() {
        assert!(close(moved, [0.2 * (i as f64 - 5.0), 0.0, 0.0]), "{i}: {moved}");
    }
    assert_eq!(found.overlaps.len(), 10);
}

#[test]
fn a_row_against_a_fixed_wall_moves_away_from_it() {
    let cube = cube();
    let mut bodies = vec![Body::fixed(&cube, at(0.0, 0.0, 0.0))];
    bodies.extend((1..6).map(|i| Body::new(&cube, at(0.9 * f64::from(i), 0.0, 0.0))));
    let found = separated(&bodies);
    for (i, moved) in found.translations.iter().enumerate() {
        assert!(close(moved, [0.1 * i as f64, 0.0, 0.0]), "{i}: {moved}");
    }
}

#[test]
fn a_ring_of_boxes_opens_by_no_more_than_evenly() {
    // Six boxes on a hexagon, each facing the centre: all move outwards by the same.
    let slab =
        Model::new(Cuboid { x: 1.0, y: 0.2, z: 0.2, subdivisions: 1 }.mesh().unwrap(), Solidity::Solid);
    let bodies: Vec<_> = (0..6)
        .map(|i| {
            let rotation =
                UnitQuaternion::from_axis_angle(&Vector3::z_axis(), f64::from(i) * 60_f64.to_radians());
            Body::new(&slab, Isometry3::from_parts((rotation * Vector3::new(0.0, 0.7, 0.0)).into(), rotation))
        })
        .collect();
    // All outwards by the same length, the minimum that sets them apart.
    let outwards = |by: f64| {
        let moved = |body: &Body| Isometry3 {
            translation: (body.pose.translation.vector * (1.0 + by / 0.7)).into(),
            ..body.pose
        };
        let poses = bodies.iter().map(moved).collect::<Vec<_>>();
        (0..6).all(|i| !collide(&slab, &poses[i], &slab, &poses[(i + 1) % 6]))
    };
    let (mut near, mut far) = (0.0, 1.0);
    assert!(!outwards(near) && outwards(far));
    for _ in 0..50 {
        let middle = 0.5 * (near + far);
        if outwards(middle) { far = middle } else { near = middle }
    }
    let found = separated(&bodies);
    assert!(apart(&bodies, &found));
    assert!(found.root_sum_square <= far * 6.0_f64.sqrt() + 1e-6, "{} {far}", found.root_sum_square);
}

#[test]
fn retraction_never_ends_farther_away() {
    let models = models(1.0);
    for seed in 0..4 {
        let bodies = heap(&models, 8 + 3 * seed, 1.0);
        let cost = |max_moves| {
            let options = SeparationOptions { max_moves, ..SeparationOptions::default() };
            let found = separate(&bodies, &options).unwrap();
            assert!(apart(&bodies, &found));
            found.root_sum_square
        };
        assert!(cost(12) <= cost(0), "{seed}");
    }
}

#[test]
fn two_balls_end_where_their_centres_point() {
    // Each facet of a fine ball costs a row; the planes of the first look are not the last word.
    let ball = Model::new(Sphere { frequency: 10, ..Sphere::default() }.mesh().unwrap(), Solidity::Solid);
    let found = separated(&[Body::fixed(&ball, at(0.0, 0.0, 0.0)), Body::new(&ball, at(0.3, 0.4, 0.0))]);
    let moved = found.translations[1];
    assert!((moved.norm() - 0.5).abs() < 0.01, "{moved}");
}

#[test]
fn minimum_lengths_are_shorter_in_sum_and_minimum_squares_in_squares() {
    let models = models(1.0);
    let bodies = heap(&models, 20, 1.0);
    let with = |measure| {
        let options = SeparationOptions { measure, ..SeparationOptions::default() };
        let found = separate(&bodies, &options).unwrap();
        assert!(apart(&bodies, &found));
        found
    };
    let (squares, lengths) = (with(DisplacementMeasure::Squares), with(DisplacementMeasure::Lengths));
    assert!(lengths.total_displacement < squares.total_displacement);
    assert!(squares.root_sum_square < lengths.root_sum_square);
}

#[test]
fn a_thorough_search_is_no_worse_than_a_fast_one() {
    let models = models(1.0);
    let bodies = heap(&models, 14, 1.0);
    let cost = |effort| {
        let found = separate(&bodies, &SeparationOptions { effort, ..SeparationOptions::default() }).unwrap();
        assert!(apart(&bodies, &found));
        found.root_sum_square
    };
    assert!(cost(Effort::Best) <= cost(Effort::Fast));
}

#[test]
fn a_cube_inside_another_one_overlaps_it() {
    let cube = cube();
    let small =
        Model::new(Cuboid { x: 0.2, y: 0.2, z: 0.2, subdivisions: 1 }.mesh().unwrap(), Solidity::Solid);
    let found = separated(&[Body::fixed(&cube, at(0.0, 0.0, 0.0)), Body::new(&small, at(0.0, 0.0, 0.3))]);
    assert!(close(&found.translations[1], [0.0, 0.0, 0.3]), "{found:?}");
}

#[test]
fn a_free_configuration_is_left_alone() {
    let cube = cube();
    let found = separated(&[Body::new(&cube, at(0.0, 0.0, 0.0)), Body::new(&cube, at(1.5, 0.0, 0.0))]);
    assert_eq!(found.translations, [Vector3::zeros(); 2]);
    assert_eq!((found.rounds, found.overlaps.len()), (0, 0));
    assert!((found.clearance - 0.5).abs() < 1e-12);
}

#[test]
fn a_body_that_nothing_pushes_does_not_move() {
    let cube = cube();
    let bodies = [0.0, 0.8, 5.0].map(|x| Body::new(&cube, at(x, 0.0, 0.0)));
    assert_eq!(separated(&bodies).translations[2], Vector3::zeros());
}

#[test]
fn a_clearance_is_kept() {
    let cube = cube();
    // The first two overlap, the third is nearer than the clearance.
    let bodies = [0.0, 0.9, 1.95].map(|x| Body::new(&cube, at(x, 0.0, 0.0)));
    let options = SeparationOptions { clearance: 0.1, ..SeparationOptions::default() };
    let found = separate(&bodies, &options).unwrap();
    assert!(found.clearance >= 0.1 && found.clearance < 0.1 + CLOSE, "{found:?}");
    // The gaps of 0.2 and 0.05 are the only constraints: their optimum keeps the middle of the three.
    let sum: Vector3<f64> = found.translations.iter().sum();
    assert!(sum.norm() < CLOSE);
    assert!((found.translations[2].x - found.translations[1].x - 0.05).abs() < CLOSE);
}

#[test]
fn fixed_bodies_that_overlap_are_an_error_that_names_them() {
    let cube = cube();
    let bodies = [
        Body::new(&cube, at(9.0, 0.0, 0.0)),
        Body::fixed(&cube, at(0.0, 0.0, 0.0)),
        Body::fixed(&cube, at(0.5, 0.0, 0.0)),
    ];
    let error = separate(&bodies, &SeparationOptions::default()).unwrap_err();
    assert_eq!(error, SeparationError::FixedOverlap { bodies: [1, 2] });
}

#[test]
fn a_limit_that_is_too_short_is_an_error_with_the_arrangement() {
    let cube = cube();
    let bodies = [Body::fixed(&cube, at(0.0, 0.0, 0.0)), Body::new(&cube, at(0.7, 0.0, 0.0))];
    let options = |limit| SeparationOptions { max_move: Some(limit), ..SeparationOptions::default() };
    assert!(separate(&bodies, &options(0.31)).is_ok());
    let error = separate(&bodies, &options(0.29)).unwrap_err();
    let SeparationError::TooFar { body: 1, distance, best, .. } = error else { panic!("{error}") };
    assert!((distance - 0.3).abs() < CLOSE && best.verified_free);
}

#[test]
fn nonsense_is_an_error() {
    let cube = cube();
    let nowhere = Body::new(&cube, at(f64::NAN, 0.0, 0.0));
    let weightless = Body { weight: 0.0, ..Body::new(&cube, at(0.0, 0.0, 0.0)) };
    let default = SeparationOptions::default();
    assert!(matches!(separate(&[nowhere], &default), Err(SeparationError::PoseNotFinite { body: 0, .. })));
    assert!(matches!(separate(&[weightless], &default), Err(SeparationError::BadWeight { body: 0, .. })));
    let options = SeparationOptions { clearance: f64::NAN, ..default };
    assert!(matches!(separate(&[], &options), Err(SeparationError::BadDistance { .. })));
    assert!(separate(&[], &default).unwrap().translations.is_empty());
}

#[test]
fn a_body_squeezed_between_fixed_ones_leaves_to_the_side() {
    // The gap of 0.9 is too narrow for the cube of 1; out of it leads the way along y or z, 0.95 at the minimum.
    let cube = cube();
    let wall =
        Model::new(Cuboid { x: 1.0, y: 1.0, z: 3.0, subdivisions: 1 }.mesh().unwrap(), Solidity::Solid);
    let bodies = [
        Body::fixed(&wall, at(-0.95, 0.0, 0.0)),
        Body::new(&cube, at(0.01, 0.1, 0.0)),
        Body::fixed(&wall, at(0.95, 0.0, 0.0)),
    ];
    let found = separated(&bodies);
    assert!((found.translations[1].norm() - 0.9).abs() < 1e-2, "{found:?}");
}

/// Bodies of several kinds that overlap each other and a floor; lengths in units of which a metre has `metre`.
fn heap(models: &[Model], count: usize, metre: f64) -> Vec<Body<'_>> {
    let mut noise = Noise(7);
    let mut random = || noise.next();
    let mut bodies = vec![Body::fixed(&models[0], at(0.0, 0.0, -0.5 * metre))];
    bodies.extend((0..count).map(|index| {
        let place = Vector3::new(1.2 * random(), 1.2 * random(), 1.0 + 1.2 * random()) * metre;
        let rotation =
            UnitQuaternion::new_normalize(Quaternion::new(random(), random(), random(), 0.1 + random()));
        Body::new(&models[1 + index % (models.len() - 1)], Isometry3::from_parts(place.into(), rotation))
    }));
    bodies
}

type Made = Result<TriangleMesh, ShapeError>;

fn models(metre: f64) -> Vec<Model> {
    let half = |mesh: Made| mesh.map(|mesh| mesh.scaled(&Vector3::repeat(0.5)).expect("a factor above zero"));
    let meshes = [
        Cuboid { x: 20.0, y: 20.0, z: 1.0, subdivisions: 1 }.mesh(),
        half(Torus { segments: 20, sides: 8, ..Torus::default() }.mesh()),
        half(TorusKnot { segments: 60, sides: 6, ..TorusKnot::default() }.mesh()),
        half(Cup { segments: 16, rings: 8, ..Cup::default() }.mesh()),
        half(Spoon { segments: 16, sides: 8, ..Spoon::default() }.mesh()),
        half(LShape::default().mesh()),
        half(Cuboid::default().mesh()),
    ];
    let scaled = |mesh: Made| {
        let mesh = mesh.expect("the parameters make a mesh");
        Model::new(mesh.scaled(&Vector3::repeat(metre)).expect("a factor above zero"), Solidity::Solid)
    };
    meshes.map(scaled).into()
}

#[test]
fn a_heap_ends_without_overlaps_and_the_fixed_floor_stays() {
    let models = models(1.0);
    let bodies = heap(&models, 20, 1.0);
    let found = separated(&bodies);
    assert!(found.overlaps.len() > 15, "{}", found.overlaps.len());
    assert_eq!(found.translations[0], Vector3::zeros());
    let depths: f64 = found.overlaps.iter().map(|overlap| overlap.depth).sum();
    assert!(found.total_displacement < depths, "{} {depths}", found.total_displacement);
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let models = models(1.0);
    let bodies = heap(&models, 20, 1.0);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| separate(&bodies, &SeparationOptions::default()).unwrap())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn the_unit_of_length_does_not_matter() {
    // Powers of two scale every number exactly; other units differ by rounding, which decides between equals.
    let in_metres = models(1.0);
    let reference = separated(&heap(&in_metres, 12, 1.0));
    for metre in [1024.0, 1.0 / 1024.0] {
        let models = models(metre);
        let found = separated(&heap(&models, 12, metre));
        for (a, b) in reference.translations.iter().zip(&found.translations) {
            assert!((a - b / metre).norm() < 1e-9, "{metre}: {a} {b}");
        }
    }
    for metre in [1e3, 1e-3] {
        let models = models(metre);
        let total = separated(&heap(&models, 12, metre)).total_displacement / metre;
        assert!((total / reference.total_displacement - 1.0).abs() < 0.2, "{metre}: {total}");
    }
}

#[test]
fn a_rigid_motion_of_everything_rotates_the_answer_with_it() {
    let models = models(1.0);
    let bodies = &heap(&models, 12, 1.0)[..5];
    let rotation = UnitQuaternion::from_euler_angles(0.3, -0.7, 1.1);
    let motion = Isometry3::from_parts(Vector3::new(2.0, -1.0, 3.0).into(), rotation);
    let rotated: Vec<_> = bodies.iter().map(|body| Body { pose: motion * body.pose, ..*body }).collect();
    let (found, other) = (separated(bodies), separated(&rotated));
    assert!(found.total_displacement > 0.1);
    for (a, b) in found.translations.iter().zip(&other.translations) {
        assert!((rotation * a - b).norm() < 1e-6, "{a} {b}");
    }
}
