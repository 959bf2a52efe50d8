use super::*;
use crate::scene::schema::{BodyAt, BodyWithin, Distance, Linked};
use crate::state::SoftState;
use extricate_dynamics::{Shape, SoftBodyState};
use nalgebra::{Isometry3, UnitQuaternion};

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -10.0);

fn ball(name: &str, kind: BodyKind) -> BodyDescription {
    let mut body = BodyDescription::new(name, kind, Shape::ball(0.5), Isometry3::identity());
    body.mass = Mass::Total(2.0);
    body
}

fn state(name: &str, position: [f64; 3], velocity: [f64; 3]) -> BodyState {
    BodyState {
        name: name.into(),
        position: position.into(),
        rotation: UnitQuaternion::identity(),
        linear_velocity: velocity.into(),
        angular_velocity: Vector3::zeros(),
    }
}

/// Judges a run of one dynamic ball `a` beside a fixed one, `f`, from (time, height, speed, penetration).
fn judged(expect: &Expect, run: &[(f64, f64, f64, f64)]) -> (Vec<Verdict>, Option<EnergyBalance>) {
    let bodies = [ball("f", BodyKind::Fixed), ball("a", BodyKind::Dynamic)];
    let mut judge = Judge::new(expect, &bodies, &[], &GRAVITY);
    for &(time, height, speed, penetration) in run {
        let bodies = [state("a", [0.0, 0.0, height], [0.0, 0.0, speed]), state("f", [0.0; 3], [9.0; 3])];
        let energy = Energy { kinetic: speed * speed, potential: 20.0 * height, elastic: 0.0 };
        judge.observe(&WorldState {
            time,
            bodies: bodies.into(),
            energy,
            relative_penetration: penetration,
            ..WorldState::default()
        });
    }
    (judge.verdicts(), judge.energy())
}

fn only(expect: &Expect, run: &[(f64, f64, f64, f64)]) -> Verdict {
    let (mut verdicts, _) = judged(expect, run);
    assert_eq!(verdicts.len(), 1, "{verdicts:?}");
    verdicts.remove(0)
}

#[test]
fn a_scene_that_expects_nothing_is_not_judged() {
    assert_eq!(judged(&Expect::default(), &[(0.0, 1.0, 0.0, 0.5)]).0, []);
}

#[test]
fn penetration_counts_from_the_settle_time_on() {
    let expect = Expect { max_penetration: Some(1e-3), ..Expect::default() };
    let deep_before = only(&expect, &[(0.0, 0.0, 0.0, 0.5), (0.9, 0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 1e-3)]);
    assert!(deep_before.pass, "{deep_before:?}");
    let deep_after = only(&expect, &[(0.0, 0.0, 0.0, 0.0), (1.5, 0.0, 0.0, 2e-3), (2.0, 0.0, 0.0, 0.0)]);
    assert!(!deep_after.pass && (deep_after.measured - 2e-3).abs() < 1e-15, "{deep_after:?}");
    let expect = Expect { final_penetration: Some(1e-3), ..Expect::default() };
    assert!(only(&expect, &[(0.0, 0.0, 0.0, 0.5), (2.0, 0.0, 0.0, 0.0)]).pass);
    assert!(!only(&expect, &[(0.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.5)]).pass);
}

#[test]
fn a_penetration_that_is_not_a_number_does_not_pass() {
    let expect = Expect { final_penetration: Some(1e-3), ..Expect::default() };
    assert!(!only(&expect, &[(0.0, 0.0, 0.0, f64::NAN)]).pass);
    let expect = Expect { max_penetration: Some(1e-3), ..Expect::default() };
    assert!(!only(&expect, &[(1.0, 0.0, 0.0, f64::NAN), (2.0, 0.0, 0.0, 0.0)]).pass);
}

#[test]
fn rest_is_judged_in_sizes_per_second_and_of_dynamic_bodies_only() {
    let expect = Expect { at_rest_by: Some(1.0), ..Expect::default() };
    let slow = only(&expect, &[(0.0, 0.0, 5.0, 0.0), (1.0, 0.0, 0.004, 0.0)]);
    assert!(slow.pass && (slow.measured - 0.008).abs() < 1e-15, "{slow:?}");
    assert!(!only(&expect, &[(1.0, 0.0, 0.006, 0.0), (2.0, 0.0, 0.0, 0.0)]).pass);
}

#[test]
fn energy_is_compared_with_the_loss_of_potential_energy() {
    let fall = [(0.0, 3.0, 0.0, 0.0), (0.5, 1.0, 6.0, 0.0), (0.6, 1.0, 1.0, 0.0), (0.7, 1.0, 2.0, 0.0)];
    let energy = judged(&Expect::default(), &fall).1.unwrap();
    assert_eq!((energy.start, energy.end, energy.scale), (60.0, 24.0, 40.0));
    assert!((energy.gain - 0.0).abs() < 1e-15 && (energy.rise - 3.0 / 40.0).abs() < 1e-15, "{energy:?}");
    let resting = [(0.0, 1.0, 0.0, 0.0), (0.5, 1.0, 0.1, 0.0)];
    let energy = judged(&Expect::default(), &resting).1.unwrap();
    let lift = 2.0 * 10.0 * 0.5;
    assert!((energy.scale - lift).abs() < 1e-12 && (energy.gain - 0.01 / lift).abs() < 1e-12, "{energy:?}");
}

#[test]
fn positions_are_judged_at_the_end_and_the_box_always() {
    let at = |tolerance| BodyAt { body: "a".into(), position: (0.0, 0.0, 1.0), tolerance };
    let run = [(0.0, 5.0, 0.0, 0.0), (1.0, 1.1, 0.0, 0.0)];
    let expect = |tolerance| Expect { body_at: vec![at(tolerance)], ..Expect::default() };
    assert!(only(&expect(0.11), &run).pass && !only(&expect(0.09), &run).pass);
    let within = BodyWithin { body: "a".into(), min: (-1.0, -1.0, 0.0), max: (1.0, 1.0, 2.0) };
    assert!(only(&Expect { body_within: vec![within], ..Expect::default() }, &run).pass);
    let region = Region { min: (-1.0, -1.0, 0.0), max: (1.0, 1.0, 2.0) };
    let escaped = only(&Expect { no_escape: Some(region), ..Expect::default() }, &run);
    assert!(!escaped.pass && (escaped.measured - 3.0).abs() < 1e-15);
}

#[test]
fn neighbours_in_a_chain_are_judged_pair_by_pair() {
    let bodies: Vec<_> = ["a", "b", "c"].map(|name| ball(name, BodyKind::Dynamic)).into();
    let names: Vec<String> = ["a", "b", "c"].map(String::from).into();
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let mut states = [0.0, 1.6, 3.7].map(|x| state("", [x, 0.0, 0.0], [0.0; 3]));
    for (state, name) in states.iter_mut().zip(&names) {
        state.name.clone_from(name);
    }
    states[1].rotation = quarter;
    let expect = Expect {
        distance: vec![Distance { bodies: names.clone(), distance: 1.6, tolerance: 0.01 }],
        linked: vec![Linked { bodies: names, core: LinkingCurve::Circle { radius: 1.0 } }],
        ..Expect::default()
    };
    let mut judge = Judge::new(&expect, &bodies, &[], &GRAVITY);
    judge.observe(&WorldState { bodies: states.into(), ..WorldState::default() });
    let verdicts = judge.verdicts();
    let passed: Vec<_> = verdicts.iter().map(|v| (v.quantity.as_str(), v.pass)).collect();
    let expected = [
        ("distance(a, b) [m]", true),
        ("distance(b, c) [m]", false),
        ("linked(a, b)", true),
        ("linked(b, c)", false),
    ];
    assert_eq!(passed, expected, "{verdicts:?}");
}

/// A soft torus of radius 1 m with a tube of 0.2 m.
fn soft_torus() -> SoftBodyDescription {
    use extricate_core::geometry::tet_mesh::procedural::{Section, ring};
    use extricate_dynamics::soft::material::{Constitutive, Material};
    let section = Section::Disc { radius: 0.2, rings: 1 };
    let mesh = ring(section, 1.0, std::f64::consts::TAU, 24).unwrap();
    let material = Material::new(Constitutive::NeoHookean, 1000.0, 1e5, 0.3).unwrap();
    SoftBodyDescription::new("soft", std::sync::Arc::new(mesh), material, Isometry3::identity())
}

/// Judges a soft torus that has been moved, twice as wide as it was, beside the rigid ball `a`.
fn judged_soft(expect: &Expect, moved: &Isometry3<f64>, speed: f64) -> Vec<Verdict> {
    let (torus, bodies) = (soft_torus(), [ball("a", BodyKind::Dynamic)]);
    let mut judge = Judge::new(expect, &bodies, std::slice::from_ref(&torus), &GRAVITY);
    let nodes: Vec<_> = torus.mesh.nodes().iter().map(|p| moved * (2.0 * p)).collect();
    let mut velocities = vec![Vector3::zeros(); nodes.len()];
    velocities[3].y = speed;
    let state = SoftBodyState {
        name: "soft".into(),
        centroid: moved.translation.vector.into(),
        velocity: Vector3::zeros(),
        volume: 1.0,
        rest_volume: 1.0,
        max_penetration: 0.0,
        inverted: 0,
        handles: Vec::new(),
    };
    let soft = vec![SoftState { nodes, velocities, ..state.into() }];
    judge.observe(&WorldState { time: 1.0, bodies: vec![state_of_ball()], soft, ..WorldState::default() });
    judge.verdicts()
}

fn state_of_ball() -> BodyState {
    state("a", [0.0; 3], [0.0; 3])
}

#[test]
fn the_fastest_and_the_farthest_node_of_a_soft_body_are_judged() {
    let moved = Isometry3::translation(0.0, 0.0, 5.0);
    let expect = Expect {
        max_speed: Some(3.0),
        at_rest_by: Some(0.5),
        no_escape: Some(Region { min: (-2.5, -2.0, -1.0), max: (2.5, 2.0, 6.0) }),
        body_at: vec![BodyAt { body: "soft".into(), position: (0.0, 0.0, 5.0), tolerance: 1e-9 }],
        ..Expect::default()
    };
    let verdicts = judged_soft(&expect, &moved, 3.5);
    let measured: Vec<f64> = verdicts.iter().map(|verdict| verdict.measured).collect();
    // The size is that of the torus at rest, 1.2 m; twice as wide it reaches to 2.4 m, 0.4 m beyond the box along y.
    let rest = 3.5 / 1.2;
    for (measured, expected) in measured.iter().zip([rest, 3.5, 0.4, 0.0]) {
        assert!((measured - expected).abs() < 1e-3, "{verdicts:?}");
    }
}

#[test]
fn the_core_of_a_soft_body_deforms_with_its_elements() {
    let linked = |moved: Isometry3<f64>| {
        let bodies = vec![String::from("soft"), String::from("a")];
        // The curve of the ball, which is at the origin, is a circle around z; so that of the soft body is rotated.
        let expect = Expect {
            linked: vec![Linked { bodies, core: LinkingCurve::Circle { radius: 1.0 } }],
            ..Expect::default()
        };
        judged_soft(&expect, &moved, 0.0).remove(0)
    };
    let upright = UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
    // A circle of 2 m, upright, with its centre at x: it passes through the unit circle's disc for 1 < x < 3.
    let at = |x: f64| linked(Isometry3::from_parts(Vector3::new(x, 0.0, 0.0).into(), upright));
    assert!(at(2.0).pass && at(1.2).pass, "{:?}", at(2.0));
    assert!(!at(0.5).pass && !at(3.5).pass, "{:?}", at(3.5));
}
