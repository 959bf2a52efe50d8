use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::time::Duration;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::*;
use crate::bvh::lanes::portably;
use crate::geometry::{Solidity, TriangleMesh};
use crate::kinematics::Motion;
use crate::proximity::tests::{Noise, about_center};
use crate::proximity::{collide, distance, shapes, translational};

fn solid(mesh: TriangleMesh) -> Model {
    Model::new(mesh, Solidity::Solid)
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn still(x: f64, y: f64, z: f64) -> Motion {
    Motion::still(&at(x, y, z))
}

fn first(a: &Model, of_a: &Motion, b: &Model, of_b: &Motion) -> Option<ContactInTime> {
    time_of_contact_rigid(a, of_a, b, of_b, &ContinuousOptions::default()).unwrap()
}

/// Checks the guarantees of a result: free before it, as checked by sampling, and within the tolerance at its time.
fn assert_guarantees(
    a: &Model,
    of_a: &Motion,
    b: &Model,
    of_b: &Motion,
    samples: u32,
) -> Option<ContactInTime> {
    let found = first(a, of_a, b, of_b);
    let end = found.map_or(1.0, |contact| contact.time);
    for i in 0..if end > 0.0 { samples } else { 0 } {
        let t = end * f64::from(i) / f64::from(samples);
        assert!(!collide(a, &of_a.pose_at(t), b, &of_b.pose_at(t)), "in contact at {t} of {end}");
    }
    if let Some(contact) = found.filter(|contact| contact.time > 0.0) {
        let gap = distance(a, &of_a.pose_at(end), b, &of_b.pose_at(end)).value;
        let size = a.radius().min(b.radius());
        assert!(gap > 0.0 && gap <= 1e-6 * size, "{gap}");
        assert!((gap - contact.gap).abs() <= 1e-9 * size);
        let [x, y] = contact.points;
        assert!(((x - y) - contact.normal.into_inner() * gap).norm() <= 1e-12 * (size + x.coords.norm()));
    }
    found
}

#[test]
fn a_rotating_rod_meets_a_plate_when_its_end_reaches_its_height() {
    // A needle-thin rod from the origin to x = 1 rotates about z; the plate's edge runs along x at y = -sin 40°.
    let rod = TriangleMesh::new(
        vec![Point3::new(0.0, 0.0, -1e-3), Point3::new(0.0, 0.0, 1e-3), Point3::new(1.0, 0.0, 0.0)],
        vec![[0, 1, 2]],
    );
    let rod = Model::new(rod.unwrap(), Solidity::Surface);
    let angle = 40.0_f64.to_radians();
    let plate = solid(shapes::cuboid(Vector3::new(4.0, 0.2, 4.0)));
    let below = still(0.0, -angle.sin() - 0.1, 0.0);
    for whole in [0.8, FRAC_PI_2, 3.0, 20.0] {
        let rotating = Motion::steady(&Isometry3::identity(), &Vector3::zeros(), &(-Vector3::z() * whole));
        let contact = assert_guarantees(&rod, &rotating, &plate, &below, 50).unwrap();
        let expected = angle / whole;
        assert!(contact.time <= expected && contact.time > expected - 1e-5, "{} {expected}", contact.time);
        assert!((contact.normal.y - 1.0).abs() < 1e-6);
        assert!((contact.points[0] - Point3::new(angle.cos(), -angle.sin(), 0.0)).norm() < 1e-5);
    }
}

#[test]
fn a_screw_meets_a_plate_when_its_pitch_has_carried_it_there() {
    let (rod, plate) = (
        solid(shapes::cuboid(Vector3::new(0.2, 0.2, 1.0))),
        solid(shapes::cuboid(Vector3::new(3.0, 3.0, 0.1))),
    );
    // The axis is at (0.3, 0); the rod rotates about it and rises by 2, and its top is 0.5 above its middle.
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 3.0);
    let axis = Vector3::new(0.3, 0.0, 0.0);
    let to = Isometry3::from_parts((axis - rotation * axis + Vector3::z() * 2.0).into(), rotation);
    let motion = Motion::screw(&Isometry3::identity(), &to);
    let contact = assert_guarantees(&rod, &motion, &plate, &still(0.0, 0.0, 1.55), 50).unwrap();
    assert!((contact.time - 0.5).abs() < 1e-6, "{}", contact.time);
    assert!((contact.normal.z + 1.0).abs() < 1e-6);
}

#[test]
fn a_cube_that_spins_past_a_wall_touches_it_only_if_its_diagonal_reaches() {
    let cube = solid(shapes::cuboid(Vector3::repeat(1.0)));
    let wall = solid(shapes::cuboid(Vector3::new(0.1, 30.0, 30.0)));
    let half_diagonal = 0.5_f64.sqrt();
    for revolutions in [0.25, 1.0, 8.0] {
        let motion =
            Motion::steady(&Isometry3::identity(), &Vector3::y(), &(Vector3::z() * TAU * revolutions));
        for (clearance, expected) in [(1e-4, None), (-1e-4, Some(()))] {
            let place = still(half_diagonal + 0.05 + clearance, 0.0, 0.0);
            let found = assert_guarantees(&cube, &motion, &wall, &place, 300);
            assert_eq!(found.map(|_| ()), expected);
            if let Some(contact) = found {
                // A corner is at √½ cos(π/4 − 2π t revolutions).
                let missing = ((half_diagonal + clearance) / half_diagonal).acos();
                let expected = (PI / 4.0 - missing) / (TAU * revolutions);
                assert!((contact.time - expected).abs() < 1e-4 / revolutions, "{} {expected}", contact.time);
            }
        }
    }
}

#[test]
fn spheres_meet_when_their_centres_are_two_radii_apart_however_they_rotate() {
    let ball = solid(shapes::sphere(40));
    let mut noise = Noise(60);
    for angle in [0.0, 0.3, 3.0, 40.0] {
        for _ in 0..5 {
            let axis = Vector3::new(noise.next(), noise.next(), noise.next()).normalize();
            let a = Motion::steady(&at(-5.0, 0.0, 0.0), &Vector3::new(6.0, 2.0, 1.0), &(axis * angle));
            let b = Motion::steady(&at(2.0, 1.0, 0.0), &Vector3::new(-1.0, 0.0, 1.0), &(axis * -angle));
            let contact = assert_guarantees(&ball, &a, &ball, &b, 50).unwrap();
            // (−7 + 7t, −1 + 2t, 0) is 2 long; the facets lie up to 1 − cos²(π/80) within both spheres.
            let expected = |reach: f64| {
                let (square, linear, rest) = (53.0_f64, -102.0_f64, 50.0 - reach * reach);
                (-linear - (linear * linear - 4.0 * square * rest).sqrt()) / (2.0 * square)
            };
            let within = 2.0 * (PI / 80.0).cos().powi(2);
            assert!(contact.time >= expected(2.0) - 1e-6 && contact.time <= expected(within) + 1e-6);
        }
    }
}

#[test]
fn a_translation_agrees_with_the_exact_query() {
    let mut noise = Noise(61);
    let (a, b) = (solid(shapes::bumpy_sphere(20)), solid(shapes::torus(1.0, 0.3, 30)));
    let (mut met, mut passed) = (0, 0);
    for _ in 0..60 {
        let [orientation_a, orientation_b] = [(); 2].map(|()| about_center(noise.pose(0.0, 3.0)).rotation);
        let from = Isometry3::from_parts((6.0 * noise.vector()).into(), orientation_a);
        let by = 2.0 * (3.0 * noise.vector() - from.translation.vector);
        let to = Isometry3::from_parts((from.translation.vector + by).into(), orientation_a);
        let rest = Isometry3::from_parts(Vector3::zeros().into(), orientation_b);
        let found = first(&a, &Motion::linear(&from, &to), &b, &Motion::still(&rest));
        let exact = translational(&a, &from, &by, &b, &rest).unwrap();
        match (found, exact) {
            (Some(found), Some(exact)) => {
                // The gap at the found time is within the tolerance, but a slant surface may be met much later.
                assert!(found.time <= exact.time && exact.time - found.time < 1e-4, "{found:?} {exact:?}");
                met += 1;
            }
            (None, None) => passed += 1,
            (Some(found), None) => assert!(found.gap > 0.0),
            (None, Some(exact)) => panic!("{exact:?}"),
        }
    }
    assert!(met > 20 && passed > 10, "{met} {passed}");
}

#[test]
fn nothing_collides_before_the_contact_nor_where_there_is_none() {
    let mut noise = Noise(62);
    let models = [
        solid(shapes::bumpy_sphere(10)),
        solid(shapes::torus(1.0, 0.2, 20)),
        solid(shapes::cuboid(Vector3::new(2.0, 1.5, 1e-3))),
    ];
    let (mut met, mut passed) = (0, 0);
    for case in 0..90 {
        let (a, b) = (&models[case % 3], &models[case / 3 % 3]);
        let mut pose = |reach: f64| {
            let rotation = about_center(noise.pose(0.0, 3.0)).rotation;
            Isometry3::from_parts((reach * noise.vector()).into(), rotation)
        };
        let (a0, a1, b0, b1) = (pose(3.0), pose(3.0), pose(3.0), pose(3.0));
        let angular = 12.0 * noise.vector();
        let of_a = match case % 4 {
            0 => Motion::linear(&a0, &a1),
            1 => Motion::screw(&a0, &a1),
            2 => Motion::still(&a0),
            _ => Motion::steady(&a0, &(a1.translation.vector - a0.translation.vector), &angular),
        };
        let of_b = if case % 5 == 0 { Motion::still(&b0) } else { Motion::linear(&b0, &b1) };
        match assert_guarantees(a, &of_a, b, &of_b, 400) {
            Some(_) => met += 1,
            None => passed += 1,
        }
    }
    assert!(met > 25 && passed > 25, "{met} {passed}");
}

#[test]
fn contact_and_containment_at_the_start_yield_time_zero() {
    let cube = solid(shapes::cuboid(Vector3::repeat(1.0)));
    let small = solid(shapes::cuboid(Vector3::repeat(0.1)));
    let away = |x: f64| Motion::steady(&at(x, 0.0, 0.0), &(Vector3::x() * 9.0), &Vector3::y());
    for (a, x, surfaces) in
        [(&cube, 0.5, true), (&cube, 1.0, true), (&small, 0.1, false), (&small, 0.45, true)]
    {
        let contact = first(a, &away(x), &cube, &still(0.0, 0.0, 0.0)).unwrap();
        assert!(contact.time == 0.0 && contact.gap == 0.0 && contact.steps == 0);
        assert_eq!(contact.triangles.is_some(), surfaces);
        assert!(contact.points[0] == contact.points[1]);
        assert!((contact.normal.norm() - 1.0).abs() < 1e-14);
        let there = away(x).pose_at(0.0).inverse() * contact.points[0];
        assert!(there.coords.amax() <= 0.5 + 1e-9);
    }
    let [small, large] =
        [0.1, 1.0].map(|s| Model::new(shapes::cuboid(Vector3::repeat(s)), Solidity::Surface));
    let inside = first(
        &small,
        &still(0.0, 0.0, 0.0),
        &large,
        &Motion::steady(&at(0.0, 0.0, 0.0), &Vector3::x(), &Vector3::zeros()),
    );
    assert!((inside.unwrap().time - 0.45).abs() < 1e-6, "a surface inside a surface is free until they meet");
}

#[test]
fn exchanging_a_and_b_does_not_change_the_result() {
    let mut noise = Noise(63);
    let (a, b) = (solid(shapes::bumpy_sphere(12)), solid(shapes::torus(1.0, 0.3, 20)));
    let mut met = 0;
    for _ in 0..30 {
        let mut motion = |x: f64| {
            let rotation = about_center(noise.pose(0.0, 3.0)).rotation;
            let from = Isometry3::from_parts((Vector3::x() * x + noise.vector()).into(), rotation);
            Motion::steady(&from, &(Vector3::x() * -1.5 * x), &(3.0 * noise.vector()))
        };
        let (of_a, of_b) = (motion(-3.0), motion(3.0));
        let (plain, exchanged) = (first(&a, &of_a, &b, &of_b), first(&b, &of_b, &a, &of_a));
        assert_eq!(plain.is_some(), exchanged.is_some());
        let (Some(plain), Some(exchanged)) = (plain, exchanged) else { continue };
        assert!((plain.time - exchanged.time).abs() < 1e-6);
        assert!((plain.points[0] - exchanged.points[1]).norm() < 1e-5);
        assert!((plain.normal.into_inner() + exchanged.normal.into_inner()).norm() < 1e-3);
        met += 1;
    }
    assert!(met > 20, "{met}");
}

#[test]
fn the_time_depends_neither_on_the_unit_of_length_nor_on_the_place() {
    let angular = Vector3::new(0.5, 2.0, -1.0);
    let (ball, torus) = (shapes::bumpy_sphere(12), shapes::torus(1.0, 0.3, 20));
    let time = |scale: f64, place: Vector3<f64>| {
        let [a, b] = [&ball, &torus].map(|mesh| solid(mesh.scaled(&Vector3::repeat(scale)).unwrap()));
        let from = Isometry3::new(scale * (place + Vector3::x() * 4.0), Vector3::y());
        let of_a = Motion::steady(&from, &(Vector3::x() * -5.0 * scale), &angular);
        let contact =
            first(&a, &of_a, &b, &Motion::still(&Isometry3::new(scale * place, Vector3::z()))).unwrap();
        (contact.time, contact.gap / scale)
    };
    let (expected, _) = time(1.0, Vector3::zeros());
    for (scale, place) in
        [(1e-6, 0.0), (1e-3, 0.0), (1e3, 0.0), (1e9, 0.0), (1.0, 1e5), (1e-3, -1e5), (1e3, 1e5)]
    {
        let (found, gap) = time(scale, Vector3::new(place, -place, place));
        assert!((found - expected).abs() < 1e-6, "{scale} {place}: {found} {expected}");
        assert!(gap <= 1.3e-6, "{gap}");
    }
}

#[test]
fn a_mesh_far_from_the_origin_of_its_frame_moves_with_its_lever_arm() {
    let cube = shapes::cuboid(Vector3::repeat(1.0));
    let arm = solid(cube.transformed(&at(100.0, 0.0, 0.0)));
    let rotating = Motion::linear(&Isometry3::identity(), &Isometry3::rotation(Vector3::z() * 0.1));
    // The near corner of the other cube is at a radius of about 100 and an angle of about 0.05.
    let found = assert_guarantees(&arm, &rotating, &solid(cube), &still(100.0, 5.5, 0.0), 50).unwrap();
    assert!((found.time - 0.45).abs() < 0.01, "{}", found.time);
}

#[test]
fn degenerate_starts_and_meshes_yield_results() {
    let cube = shapes::cuboid(Vector3::repeat(1.0));
    let doubled = [cube.triangles(), cube.triangles(), &[[0, 0, 1], [2, 2, 2]]].concat();
    let doubled = TriangleMesh::new(cube.vertices().to_vec(), doubled).unwrap();
    let towards = |x: f64| Motion::steady(&at(-x, 0.1, 0.2), &Vector3::x(), &(Vector3::x() * 0.3));
    for mesh in [cube.clone(), cube.reversed(), doubled] {
        let (a, b) = (solid(mesh.clone()), solid(mesh));
        let rest = still(0.0, 0.0, 0.0);
        // Parallel faces 1e-12 apart, touching, and 0.5 apart.
        for (x, expected) in [(1.0, 0.0), (1.0 + 1e-12, 0.0), (1.5, 0.5)] {
            let contact = first(&a, &towards(x), &b, &rest).unwrap();
            assert!((contact.time - expected).abs() < 2e-6, "{x} {}", contact.time);
            assert!(contact.normal.x < -0.999);
        }
        // Sliding along a face, twice the tolerance away, without ever touching.
        let slide = Motion::steady(&at(-2.0, 1.0 + 2e-6, 0.0), &(Vector3::x() * 4.0), &Vector3::zeros());
        assert_eq!(first(&a, &slide, &b, &rest), None);
        // Coincident.
        assert!(first(&a, &rest, &b, &rest).unwrap().time == 0.0);
    }
}

#[test]
fn a_body_that_slides_and_spins_on_a_table_is_proved_free_in_a_few_steps() {
    let plate = solid(shapes::cuboid(Vector3::repeat(1.0)));
    for (gap, spin) in [(1e-2, 3.0), (1e-4, 3.0)] {
        let motion = |x: f64, y: f64, w: f64| {
            Motion::steady(&at(x, y, 0.01), &(Vector3::x() * -2.0 * x), &(Vector3::y() * w))
        };
        // The other one rotates about the same direction, so nothing accelerates across the gap.
        for other_spin in [0.0, -spin] {
            let (a, b) = (motion(-2.0, 1.0 + gap, spin), motion(1.0, 0.0, other_spin));
            let few = ContinuousOptions { max_iterations: 30, ..ContinuousOptions::default() };
            assert_eq!(time_of_contact_rigid(&plate, &a, &plate, &b, &few), Ok(None));
            let met = assert_guarantees(&plate, &motion(-2.0, 1.0 - gap, spin), &plate, &b, 100);
            assert!(met.is_some());
        }
    }
}

#[test]
fn resting_bodies_are_free_and_moving_together_is_free() {
    let cube = solid(shapes::cuboid(Vector3::repeat(1.0)));
    assert_eq!(first(&cube, &still(1.01, 0.0, 0.0), &cube, &still(0.0, 0.0, 0.0)), None);
    let by = |x: f64| Motion::steady(&at(x, 0.0, 0.0), &(Vector3::y() * 100.0), &Vector3::zeros());
    let found = time_of_contact_rigid(&cube, &by(1.01), &cube, &by(0.0), &ContinuousOptions::default());
    assert_eq!(found, Ok(None));
}

#[test]
fn failures_are_errors_and_never_reported_as_absence_of_contact() {
    let cube = solid(shapes::cuboid(Vector3::repeat(1.0)));
    let rest = still(0.0, 0.0, 0.0);
    let towards = Motion::steady(&at(-4.0, 0.1, 0.2), &(Vector3::x() * 4.0), &Vector3::repeat(2.0));
    let exact = first(&cube, &towards, &cube, &rest).unwrap();
    for max_iterations in [0, 1, 3, exact.steps - 1] {
        let options = ContinuousOptions { max_iterations, ..ContinuousOptions::default() };
        match time_of_contact_rigid(&cube, &towards, &cube, &rest, &options) {
            Err(ProximityError::IterationsExhausted { iterations: steps, free_until }) => {
                assert!(steps == max_iterations && free_until <= exact.time);
            }
            other => panic!("{other:?}"),
        }
    }
    for bad in [f64::NAN, f64::INFINITY, 1e200] {
        for motion in [
            Motion::still(&at(bad, 0.0, 0.0)),
            Motion::steady(&at(-4.0, 0.0, 0.0), &(Vector3::x() * bad), &Vector3::zeros()),
            Motion::steady(&at(-4.0, 0.0, 0.0), &Vector3::x(), &(Vector3::x() * bad)),
        ] {
            for (a, b) in [(&motion, &rest), (&rest, &motion)] {
                let found = time_of_contact_rigid(&cube, a, &cube, b, &ContinuousOptions::default());
                assert!(matches!(found, Err(ProximityError::NotFinite)), "{bad} {found:?}");
            }
        }
    }
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = ContinuousOptions { relative_tolerance: tolerance, ..ContinuousOptions::default() };
        let found = time_of_contact_rigid(&cube, &towards, &cube, &rest, &options);
        assert!(matches!(found, Err(ProximityError::Option { .. })), "{found:?}");
    }
}

#[test]
fn after_the_time_budget_the_time_that_is_proved_free_is_reported_also_where_the_start_is_not_decided() {
    let late = ContinuousOptions { time_budget: Some(Duration::ZERO), ..ContinuousOptions::default() };
    let (a, b) = (solid(shapes::bumpy_sphere(60)), solid(shapes::bumpy_sphere(50)));
    // A graze, in which many pairs come near.
    let of_a = Motion::steady(&at(4.0, 1.9, 0.0), &(Vector3::x() * -8.0), &Vector3::repeat(1.0));
    let rest = still(0.0, 0.0, 0.0);
    let exact = first(&a, &of_a, &b, &rest).unwrap();
    // The clock is looked at once in 128 steps.
    assert!(exact.steps > 300, "{}", exact.steps);
    match time_of_contact_rigid(&a, &of_a, &b, &rest, &late) {
        Err(ProximityError::IterationsExhausted { free_until, iterations }) => {
            assert!(free_until > 0.0 && free_until < exact.time && iterations < exact.steps);
        }
        other => panic!("{other:?}"),
    }
    // Layers that hardly differ: every triangle is near all others, and none touches.
    let stack = |height: f64| Model::new(shapes::layers(2000, height), Solidity::Surface);
    let away = Motion::steady(&at(0.0, 0.0, 0.0), &Vector3::z(), &Vector3::zeros());
    let found = time_of_contact_rigid(&stack(0.5e-9), &away, &stack(0.0), &rest, &late);
    let undecided = ProximityError::IterationsExhausted { iterations: 0, free_until: 0.0 };
    assert_eq!(found, Err(undecided));
}

#[test]
fn a_coarser_tolerance_yields_an_earlier_contact_within_it() {
    let (a, b) = (solid(shapes::bumpy_sphere(16)), solid(shapes::torus(1.0, 0.3, 20)));
    let of_a = Motion::steady(&at(4.0, 0.2, 0.0), &(Vector3::x() * -4.0), &Vector3::repeat(1.0));
    let mut last = 0.0;
    for tolerance in [1e-2, 1e-4, 1e-6, 1e-9] {
        let options = ContinuousOptions { relative_tolerance: tolerance, ..ContinuousOptions::default() };
        let found = time_of_contact_rigid(&a, &of_a, &b, &still(0.0, 0.0, 0.0), &options).unwrap().unwrap();
        assert!(found.time >= last && found.gap <= tolerance * a.radius().min(b.radius()));
        last = found.time;
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let (a, b) = (solid(shapes::bumpy_sphere(24)), solid(shapes::torus(1.0, 0.4, 30)));
    let mut noise = Noise(64);
    for _ in 0..20 {
        let from =
            Isometry3::from_parts((4.0 * noise.vector()).into(), about_center(noise.pose(0.0, 3.0)).rotation);
        let of_a = Motion::steady(&from, &(-1.5 * from.translation.vector), &(4.0 * noise.vector()));
        let of_b = Motion::steady(&Isometry3::identity(), &noise.vector(), &noise.vector());
        let wide = first(&a, &of_a, &b, &of_b);
        let portable = portably(|| first(&a, &of_a, &b, &of_b));
        assert_eq!(format!("{wide:?}"), format!("{portable:?}"));
    }
}
