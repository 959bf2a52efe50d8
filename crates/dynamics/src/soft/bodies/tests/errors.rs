//! Errors when a soft body is added to a world.

use nalgebra::UnitQuaternion;

use super::*;
use crate::{BuildError, StepError};
use crate::{Handle, Keyframe, NodeDepths, SoftAttachment, SoftError};

fn handle(nodes: Vec<u32>) -> Handle {
    Handle {
        name: "grip".into(),
        nodes,
        axes: [true; 3],
        pivot: Point3::origin(),
        keyframes: Vec::new(),
        until: None,
    }
}

fn frame(time: f64, angle: f64) -> Keyframe {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
    Keyframe { time, displacement: Vector3::zeros(), rotation }
}

fn attachment(body: &str, nodes: Vec<u32>) -> SoftAttachment {
    SoftAttachment { body: body.into(), nodes, stiffness: 100.0 }
}

/// The error of a world with this one soft body and a ground.
fn refusal(change: impl FnOnce(&mut SoftBodyDescription)) -> BuildError {
    let mut builder = World::builder(WorldOptions::default());
    builder.add_body(ground()).unwrap();
    let mut body = soft_cube("cube", 1.0);
    change(&mut body);
    if let Err(error) = builder.add_soft_body(body) {
        return error;
    }
    builder.build().err().expect("the body is refused")
}

fn source(change: impl FnOnce(&mut SoftBodyDescription)) -> SoftError {
    match refusal(change) {
        BuildError::Soft { name, source } if name == "cube" => source,
        other => panic!("{other}"),
    }
}

#[test]
fn names_are_unique_over_rigid_and_soft_bodies() {
    let mut builder = World::builder(WorldOptions::default());
    builder.add_soft_body(soft_cube("ground", 1.0)).unwrap();
    let duplicate = BuildError::DuplicateBody { name: "ground".into() };
    assert_eq!(builder.add_body(ground()).err(), Some(duplicate.clone()));
    assert_eq!(builder.add_soft_body(soft_cube("ground", 2.0)).err(), Some(duplicate));
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let pose = refusal(|body| body.pose.translation.vector.y = f64::NAN);
    assert!(pose.to_string().contains("`cube`") && pose.to_string().contains("pose"), "{pose}");
    assert!(matches!(refusal(|body| body.linear_velocity.x = f64::INFINITY), BuildError::OutOfRange { .. }));
    let pivot = source(|body| {
        body.handles = vec![Handle { pivot: Point3::new(0.0, f64::NAN, 0.0), ..handle(vec![0]) }];
    });
    assert!(matches!(pivot, SoftError::HandleNotFinite { .. }), "{pivot}");
}

#[test]
fn handles_hold_nodes_that_exist_and_are_free() {
    let none = source(|body| body.handles = vec![handle(Vec::new())]);
    assert_eq!(none, SoftError::NoNodes { holder: "handle `grip`".into() });
    let beyond = source(|body| body.handles = vec![handle(vec![3, 27])]);
    assert_eq!(beyond.to_string(), "handle `grip` names node 27, but the mesh has only 27 nodes (0-based)");
    let twice = source(|body| {
        body.handles = vec![handle(vec![3, 4])];
        body.attachments = vec![attachment("ground", vec![5, 4])];
    });
    assert!(matches!(&twice, SoftError::HeldTwice { node: 4, .. }), "{twice}");
    let same = source(|body| body.handles = vec![handle(vec![0]), handle(vec![1])]);
    assert_eq!(same, SoftError::DuplicateHandle { handle: "grip".into() });
}

#[test]
fn keyframes_ascend_and_rotate_handles_that_prescribe_every_axis() {
    for times in [&[0.5, 0.5][..], &[1.0, 0.5], &[-0.1], &[f64::NAN]] {
        let frames = times.iter().map(|&time| frame(time, 0.0)).collect();
        let error = source(|body| body.handles = vec![Handle { keyframes: frames, ..handle(vec![0]) }]);
        let last = times.len() - 1;
        assert!(matches!(error, SoftError::KeyframeTime { keyframe, .. } if keyframe == last), "{error}");
    }
    let part = |angle: f64| Handle {
        axes: [true, true, false],
        keyframes: vec![frame(1.0, 0.0), frame(2.0, angle)],
        ..handle(vec![0])
    };
    let rotation = source(|body| body.handles = vec![part(0.1)]);
    assert_eq!(rotation, SoftError::RotatesWithFreeAxis { handle: "grip".into(), time: 2.0 });
    let free = source(|body| body.handles = vec![Handle { axes: [false; 3], ..handle(vec![0]) }]);
    assert_eq!(free, SoftError::NoAxis { handle: "grip".into() });
}

#[test]
fn attachments_name_a_rigid_body_and_a_positive_stiffness() {
    let unknown = source(|body| body.attachments = vec![attachment("table", vec![0])]);
    assert_eq!(unknown, SoftError::UnknownBody { body: "table".into() });
    for stiffness in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = source(|body| {
            body.attachments = vec![SoftAttachment { stiffness, ..attachment("ground", vec![0]) }];
        });
        assert!(matches!(error, SoftError::Stiffness { .. }), "{error}");
    }
}

#[test]
fn impossible_fields_and_options_are_errors() {
    let field = source(|body| body.depths = NodeDepths::Grid { resolution: 1 });
    assert!(matches!(field, SoftError::Field { resolution: 1, .. }), "{field}");
    let mut builder = World::builder(options(-1.0, 0.01));
    builder.add_soft_body(soft_cube("cube", 0.0)).unwrap();
    assert!(matches!(builder.build().err(), Some(BuildError::SoftContact(_))));
}

#[test]
fn a_step_that_does_not_converge_is_divided_and_then_ends_with_its_best_iterates_and_says_so() {
    let mut limited = options(1e7, 0.5);
    limited.soft.newton.max_iterations = 1;
    limited.soft.newton.relative_tolerance = 1e-12;
    let mut builder = World::builder(limited);
    builder.add_body(ground()).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.04)).unwrap();
    let mut world = built(builder);
    let report = world.step().unwrap().soft.unwrap();
    assert_eq!((report.parts, report.inverted), (4, 0));
    assert!((1..=4).contains(&report.unconverged) && report.relative_residual > 1e-12, "{report:?}");
    assert_eq!(world.steps(), 1);
}

#[test]
fn a_step_that_is_not_finite_stops_the_run_as_it_was_before() {
    let mut builder = World::builder(options(1e7, 0.01));
    builder.add_body(ground()).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.04)).unwrap();
    let mut world = built(builder);
    let before = world.soft_positions("cube").unwrap().to_vec();
    world.soft.as_mut().unwrap().system.v[0].x = f64::NAN;
    let error = world.step().unwrap_err();
    assert!(matches!(error, StepError::Soft { parts: 4, step: 1, .. }), "{error}");
    assert!(error.to_string().contains("`cube`"));
    assert_eq!(world.soft_positions("cube").unwrap(), before);
    assert_eq!(world.steps(), 0);
}

#[test]
fn a_step_that_does_not_converge_eases_the_pairs_that_are_deep_until_they_part() {
    // A ram that no contact stops goes through a cube on the ground. Number of steps with pairs that are linear, and with pairs that stiffen less.
    let mut seen = [0, 0];
    for (max_iterations, speed) in [(6, 2.0), (16, 2.0), (24, 3.0), (32, 3.0), (64, 4.0), (64, 6.0)] {
        let mut limited = options(1e7, 0.01);
        limited.soft.newton.max_iterations = max_iterations;
        let mut builder = World::builder(limited);
        builder.add_body(ground()).unwrap();
        let ram = rigid_box("ram", Vector3::new(0.06, 0.06, 0.1), 0.2);
        let linear_velocity = Vector3::new(0.0, 0.0, -speed);
        builder.add_body(BodyDescription { kind: BodyKind::Kinematic, linear_velocity, ..ram }).unwrap();
        builder.add_soft_body(soft_cube("cube", 0.06)).unwrap();
        let mut world = built(builder);
        let mut last = [0, 0];
        for _ in 0..100 {
            let report = world.step().unwrap().soft.unwrap();
            let contact = &world.soft.as_ref().unwrap().contact;
            assert!(report.parts == 4 || report.unconverged == 0);
            assert!(report.jammed <= report.unconverged);
            last = contact.eased_pairs().map(<[_]>::len);
            seen.iter_mut().zip(last).for_each(|(seen, now)| *seen += now);
        }
        assert_eq!(last, [0, 0], "{max_iterations}, {speed} m/s");
    }
    assert!(seen.iter().all(|&steps| steps > 0), "{seen:?}");
}
