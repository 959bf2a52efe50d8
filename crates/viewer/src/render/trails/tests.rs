use std::ops::ControlFlow;
use std::path::Path;

use nalgebra::Vector3;

use super::*;
use crate::render::RenderSource;
use extricate_scene::record::{Recording, RunDirectory, RunOptions, run};
use extricate_scene::scene::Scene;

/// A body without weight that rotates about its centre of mass, which moves straight on, and a fixed one.
fn spinning() -> RenderSource {
    let text = "(title: \"t\", duration: 1, time_step: 0.01, gravity: (0, 0, 0), shapes: {\"l\": procedural(kind: \"l_shape\")}, bodies: [
        (name: \"a\", shape: \"l\", linear_velocity: (1, 2, -0.5), angular_velocity: (0, 0, 3)),
        (name: \"b\", shape: \"l\", kind: fixed, position: (100, 0, 0))])";
    RenderSource::of_scene(Scene::parse(Path::new("t.ron"), text.to_owned()).expect("a scene"))
        .expect("a world")
}

fn lines(source: &mut RenderSource, trails: &mut Trails, time: f64) -> Vec<Line> {
    let models = Models::of(source.world()).expect("surfaces");
    let state = source.seek(time, Some(trails), &mut |_| ControlFlow::Continue(())).expect("a state");
    trails.drawing(&models, &state).lines
}

/// Checks that lines are the straight path of the centre of mass, which is at `start` at time zero, between two times.
fn assert_straight(lines: &[Line], start: Point3<f64>, times: [f64; 2]) {
    let velocity = Vector3::new(1.0, 2.0, -0.5);
    let [begin, end] = times.map(|time| start + time * velocity);
    let mut last = begin;
    for line in lines {
        assert!((line.ends[0] - last).norm() < 1e-9, "{:?} follows {last:?}", line.ends);
        let along = (line.ends[1] - start).dot(&velocity) / velocity.norm_squared();
        assert!((line.ends[1] - (start + along * velocity)).norm() < 1e-9, "{:?} is off the path", line.ends);
        last = line.ends[1];
    }
    assert!((last - end).norm() < 1e-9, "{last:?} is not {end:?}");
}

#[test]
fn a_trail_is_the_path_of_the_centre_of_mass_over_the_last_seconds() {
    let mut source = spinning();
    let start = source.world().descriptions()[0].shape.mass_properties().expect("a volume").center;
    assert!(start.coords.norm() > 0.01, "the origin of the body is not its centre of mass");
    let mut trails = Trails::new(0.255, source.world());
    for (time, begin) in [(0.0, 0.0), (0.1, 0.0), (0.5, 0.245), (0.51, 0.255), (0.9, 0.645)] {
        let lines = lines(&mut source, &mut trails, time);
        assert_straight(&lines, start, [begin, time]);
        assert!(lines.len() <= MAX_LINES as usize + 2, "{}", lines.len());
        let alphas: Vec<f32> = lines.iter().map(|line| line.color.alpha).collect();
        assert!(alphas.is_sorted_by(|a, b| a < b) && alphas.iter().all(|alpha| (0.0..=1.0).contains(alpha)));
        if let [first, .., last] = alphas[..] {
            let age = |alpha: f64, time_to: f64| (alpha - (1.0 - time_to / 0.255)).abs();
            assert!(age(f64::from(last), 0.005) < 1e-6, "the middle of the last step is 5 ms old: {last}");
            assert!(age(f64::from(first), time - begin) < 0.03, "{first} at {time}");
        }
    }
}

#[test]
fn many_short_steps_make_no_more_lines() {
    let mut source = spinning();
    let start = source.world().descriptions()[0].shape.mass_properties().expect("a volume").center;
    let mut trails = Trails::new(20.0, source.world());
    let lines = lines(&mut source, &mut trails, 2.0);
    // Samples 20 s / 120 apart, rounded up to steps of 10 ms, and the state itself.
    assert_eq!(lines.len(), (2.0_f64 / 0.17).ceil() as usize);
    assert_straight(&lines, start, [0.0, 2.0]);
}

#[test]
fn a_recorded_run_has_trails_from_states_before_its_first_picture() {
    let folder = std::env::temp_dir().join(format!("extricate-trails-{}", std::process::id()));
    let live = spinning();
    let start = live.world().descriptions()[0].shape.mass_properties().expect("a volume").center;
    let options = RunOptions { steps: 60, every: 2, check_expectations: false };
    let directory = RunDirectory::create(folder.join("run")).expect("a folder");
    let world = live.scene().world().expect("a world");
    run(live.scene(), world, &options, Some(directory), &mut |_| ControlFlow::Continue(())).expect("a run");
    let recording = Recording::open(folder.join("run")).expect("a run");
    let mut source = RenderSource::of_recording(recording).expect("a world");
    let mut trails = Trails::new(0.2, source.world());
    for (time, begin) in [(0.3, 0.1), (0.34, 0.14), (0.6, 0.4)] {
        assert_straight(&lines(&mut source, &mut trails, time), start, [begin, time]);
    }
    std::fs::remove_dir_all(folder).expect("the folder can be removed");
}
