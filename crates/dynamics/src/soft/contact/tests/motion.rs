//! Motion: deep overlaps recover without gain of energy; friction sticks and slips; the same bits.

use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};

use super::super::{ContactOptions, Motion, Obstacle, Primitive, SoftContact};
use super::shapes::{block, blocks};
use super::{contact, shaken};
use crate::soft::interaction::{Interaction, OuterProducts};
use extricate_core::geometry::TetMesh;

/// Mass of each node [kg].
const MASS: f64 = 1.0;

/// Springs along the edges, in place of the elements.
struct Springs(Vec<([usize; 2], f64)>);

impl Springs {
    fn of(meshes: &[&TetMesh]) -> Self {
        let mut springs = Vec::new();
        let mut first = 0;
        for mesh in meshes {
            for tet in mesh.tets() {
                for [i, j] in extricate_core::geometry::tet_mesh::TET_EDGES {
                    let [a, b] = [tet[i], tet[j]].map(|i| i as usize);
                    springs.push(([first + a, first + b], (mesh.nodes()[a] - mesh.nodes()[b]).norm()));
                }
            }
            first += mesh.nodes().len();
        }
        Self(springs)
    }

    fn add(&self, x: &[Vector3<f64>], stiffness: f64, gradient: &mut [Vector3<f64>]) -> f64 {
        let mut energy = 0.0;
        for &([a, b], rest) in &self.0 {
            let along = x[b] - x[a];
            let stretch = along.norm() - rest;
            energy += 0.5 * stiffness * stretch * stretch;
            let pull = stiffness * stretch * along / along.norm();
            gradient[a] -= pull;
            gradient[b] += pull;
        }
        energy
    }
}

/// Steps explicitly for `time` [s]; returns the maximum sum of the energies that the system itself has, and the speed.
fn drive(contact: &mut SoftContact, springs: &Springs, x: &mut [Vector3<f64>], time: f64) -> [f64; 2] {
    let dt = 1e-3;
    let mut v = vec![Vector3::zeros(); x.len()];
    let (mut max, mut fastest) = (0.0_f64, 0.0_f64);
    for _ in 0..(time / dt) as usize {
        contact.begin_step(x, dt);
        let mut gradient = vec![Vector3::zeros(); x.len()];
        let pressed = contact.linearise(x, &mut gradient, &mut OuterProducts::default());
        let elastic = springs.add(x, 2e4, &mut gradient);
        for ((x, v), g) in x.iter_mut().zip(&mut v).zip(&gradient) {
            *v -= dt * (g / MASS + 0.5 * *v);
            *x += dt * *v;
        }
        let moving: f64 = v.iter().map(|v| 0.5 * MASS * v.norm_squared()).sum();
        max = max.max(pressed + elastic + moving);
        fastest = fastest.max(v.iter().map(|v| v.norm()).fold(0.0, f64::max));
    }
    [max, fastest]
}

#[test]
fn a_deep_overlap_recovers_at_the_speed_of_release_without_gain_of_energy() {
    let a = block([4, 4, 2], [2.0, 2.0, 1.0], [0.0; 3]);
    let b = block([4, 4, 2], [2.0, 2.0, 1.0], [0.11, 0.13, 0.7]);
    let springs = Springs::of(&[&a, &b]);
    let start = blocks(&[&a, &b]);
    let run = |recovery: Option<f64>| {
        // Explicit steps do not resolve a pressure that stiffens.
        let stiffen_beyond = f64::INFINITY;
        let options =
            ContactOptions { stiffness: 1e5, stiffen_beyond, recovery, ..ContactOptions::default() };
        let mut contact = contact(&[&a, &b], options);
        let mut x = start.clone();
        let deep = contact.penetrations(&x)[0];
        let whole = contact.energy(&x);
        let [max, fastest] = drive(&mut contact, &springs, &mut x, 6.0);
        (deep, whole, max, fastest, contact.penetrations(&x)[0])
    };
    let (deep, whole, max, fastest, left) = run(Some(0.2));
    assert!(deep > 0.25 && left < 0.2 * deep, "from {deep} m to {left} m");
    assert!(max < 0.05 * whole && fastest < 10.0 * 0.2, "{max} J of {whole} J, {fastest} m/s");
    let (_, _, all, blast, _) = run(None);
    assert!(all > 0.9 * whole && blast > 2.0 * fastest, "{all} J of {whole} J, {blast} m/s");
}

#[test]
fn overlaps_at_the_start_do_not_stiffen_the_pressure_and_are_held_with_that_of_recovery() {
    let a = block([4, 4, 2], [2.0, 2.0, 1.0], [0.0; 3]);
    let b = block([4, 4, 2], [2.0, 2.0, 1.0], [0.11, 0.13, 0.7]);
    let x = blocks(&[&a, &b]);
    let stiffness = 1e5;
    let stiffening = ContactOptions { stiffness, stiffen_beyond: 0.005, ..ContactOptions::default() };
    let mut at_once = contact(&[&a, &b], stiffening);
    let linear: f64 = at_once.contacts(&x).iter().map(|c| 0.5 * c.stiffness * c.depth * c.depth).sum();
    assert!(at_once.energy(&x) > 10.0 * linear, "0.3 m is far beyond the onset");
    at_once.begin_step(&x, 1e-4);
    assert!((at_once.energy(&x) / linear - 1.0).abs() < 1e-9);
    // Held in place, nothing presses with more than the pressure of recovery and that of one step's release.
    let pressure = 3e3;
    let (recovery, recovery_pressure) = (Some(0.4), Some(pressure));
    let options = ContactOptions { recovery, recovery_pressure, ..stiffening };
    let mut released = contact(&[&a, &b], options);
    (0..1000).for_each(|_| released.begin_step(&x, 1e-4));
    let pressures = released.contacts(&x).iter().map(|c| c.pull() / c.stiffness * stiffness);
    let max = pressures.filter(|p| p.is_finite()).fold(0.0, f64::max);
    assert!(max > 0.95 * pressure && max < 1.1 * pressure, "{max} Pa");
}

#[test]
fn friction_sticks_inside_its_cone_and_limits_the_force_beyond() {
    let soft = block([2, 2, 2], [1.0; 3], [0.0, 0.0, -1e-4]);
    let mut with = contact(&[&soft], ContactOptions { friction: 0.5, ..ContactOptions::default() });
    with.add_obstacle(Obstacle::new(Arc::new(Primitive::HalfSpace), Isometry3::identity()));
    let x = blocks(&[&soft]);
    with.begin_step(&x, 0.01);
    assert!(with.wrenches(&x)[0].force.xy().norm() < 1e-12);
    let moved: Vec<_> = x.iter().map(|p| p + Vector3::new(0.01, 0.0, 0.0)).collect();
    let wrench = with.wrenches(&moved)[0];
    let normal = -wrench.force.z;
    assert!((normal - 1e4).abs() < 0.1 * 1e4, "k times depth times area, corners apart: {wrench:?}");
    assert!((wrench.force.x - 0.5 * normal).abs() < 1e-9 * normal, "dragged along by µN: {wrench:?}");
    // A floor that moves under a block at rest drags it as much.
    let motion = Motion::Kinematic { linear: -Vector3::x(), angular: Vector3::zeros() };
    with.move_obstacle(0, Isometry3::identity(), motion);
    with.begin_step(&x, 0.01);
    assert!((with.wrenches(&x)[0].force.x - 0.5 * normal).abs() < 1e-9 * normal);
}

#[test]
fn every_thread_count_gives_the_same_bits() {
    let (a, b) = (block([8, 8, 8], [1.0; 3], [0.0; 3]), block([2, 2, 2], [0.9; 3], [0.2, 0.1, 0.8]));
    let x = shaken(&blocks(&[&a, &b]), 0.02, 5);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut gradient = vec![Vector3::zeros(); x.len()];
            let mut contact = contact(&[&a, &b], ContactOptions::default());
            let energy = contact.linearise(&x, &mut gradient, &mut OuterProducts::default());
            (
                energy.to_bits(),
                gradient
                    .iter()
                    .flat_map(|g| [g.x.to_bits(), g.y.to_bits(), g.z.to_bits()])
                    .collect::<Vec<_>>(),
            )
        })
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(5));
}
