//! V08: closed forms of one mode, free fall, and quantities that each scheme conserves in a rotating cube.

use std::f64::consts::TAU;

use extricate::dynamics::soft::element::ElementKind;
use extricate::dynamics::soft::interaction::{Interaction, OuterProducts};
use extricate::dynamics::soft::material::Constitutive;
use extricate::dynamics::soft::{ExtraBlock, Scheme, SoftSystem, StepOptions};
use nalgebra::{Matrix3, Vector3};
use serde_json::Value;

use crate::Table;
use crate::meshes::{Nothing, number, read, system, tight};

/// A spring on block 0, about the origin, of one hertz for a mass of 1 kg.
struct Spring;

impl Interaction for Spring {
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64 {
        0.5 * TAU * TAU * x[0].norm_squared()
    }

    fn linearise(&mut self, x: &[Vector3<f64>], g: &mut [Vector3<f64>], hessian: &mut OuterProducts) -> f64 {
        g[0] += TAU * TAU * x[0];
        [Vector3::x(), Vector3::y(), Vector3::z()]
            .into_iter()
            .for_each(|axis| hessian.push(TAU * TAU, [(0, axis)]));
        self.energy(x)
    }
}

/// Positions and velocities of the oscillator along x, from 1 m at rest.
fn oscillator(scheme: Scheme, h: f64, steps: usize) -> Vec<(f64, f64)> {
    let mut system = SoftSystem::new(Vec::new(), 1);
    let inertia = Matrix3::identity();
    let (position, velocity) = (Vector3::x(), Vector3::zeros());
    system.set_extra(0, ExtraBlock { inertia, position, velocity, falls: false });
    let options = StepOptions { scheme, ..tight() };
    let mut states = vec![(1.0, 0.0)];
    for _ in 0..steps {
        system.step(h, &options, &mut Spring).expect("a step");
        states.push((system.x[0].x, system.v[0].x));
    }
    states
}

fn energy((x, v): (f64, f64)) -> f64 {
    TAU * TAU * x * x + v * v
}

/// Phase a step [rad], of a scheme that does not damp: x₀ − 2 cos φ x₁ + x₂ = 0.
fn phase(states: &[(f64, f64)]) -> f64 {
    ((states[0].0 + states[2].0) / (2.0 * states[1].0)).acos()
}

pub(crate) fn integrators(expected: &Value, table: &mut Table) {
    for h in [0.01, 0.02, 0.05_f64] {
        let expected = &expected[format!("oscillator_f=1Hz_h={h}")];
        let mut compare = |what: &str, key: &str, measured: f64| {
            table.relative(
                "V08",
                &format!("one mode, h = {h}: {what}"),
                number(&expected[key]),
                measured,
                1e-6,
            );
        };
        let steps = (1.0 / h).round() as usize;
        let euler = oscillator(Scheme::ImplicitEuler, h, steps);
        let amplitude = (energy(euler[1]) / energy(euler[0])).sqrt();
        compare("implicit Euler, amplitude a step", "implicit_euler_amp_per_step", amplitude);
        let kept = energy(euler[steps]) / energy(euler[0]);
        compare("implicit Euler, energy after 1 s", "implicit_euler_energy_after_1s", kept);
        for scheme in [Scheme::ImplicitMidpoint, Scheme::Newmark] {
            let states = oscillator(scheme, h, steps);
            let amplitude = (energy(states[steps]) / energy(states[0])).powf(0.5 / steps as f64);
            let what = format!("{scheme:?}, amplitude a step");
            compare(&what, "midpoint_or_newmark_avg_amp_per_step", amplitude);
            compare(&format!("{scheme:?}, phase [rad]"), "newmark_phase_per_step", phase(&states));
            compare(&format!("{scheme:?}, period [s]"), "newmark_period_s", TAU * h / phase(&states));
        }
        let states = oscillator(Scheme::SymplecticEuler, h, 4);
        let symplectic = phase(&states[1..]);
        compare("symplectic Euler, phase [rad]", "symplectic_euler_phase_per_step", symplectic);
        compare("symplectic Euler, period [s]", "symplectic_period_s", TAU * h / symplectic);
    }
    fall(&expected["free_fall_n100_h0.01"], table);
    for (name, model) in [("snh", Constitutive::NeoHookean), ("corot", Constitutive::Corotational)] {
        for (key, scheme, h) in [
            ("symplectic_euler_h=0.002", Scheme::SymplecticEuler, 0.002),
            ("implicit_euler_h=0.01", Scheme::ImplicitEuler, 0.01),
            ("implicit_midpoint_h=0.01", Scheme::ImplicitMidpoint, 0.01),
            ("newmark_avg_h=0.01", Scheme::Newmark, 0.01),
        ] {
            rotating_cube(
                &format!("{name}_{key}"),
                &expected[format!("{name}_{key}")],
                (model, scheme, h),
                table,
            );
        }
    }
}

fn fall(expected: &Value, table: &mut Table) {
    for (scheme, key) in [
        (Scheme::ImplicitEuler, "implicit_or_symplectic_euler"),
        (Scheme::SymplecticEuler, "implicit_or_symplectic_euler"),
        (Scheme::ImplicitMidpoint, "midpoint_newmark_exact"),
        (Scheme::Newmark, "midpoint_newmark_exact"),
    ] {
        let mut system =
            system(&read("valid/v08_cube"), ElementKind::Linear, Constitutive::NeoHookean, 1e4, 0.3);
        system.gravity = -9.81 * Vector3::z();
        let start = system.x[0].z;
        for _ in 0..100 {
            system.step(0.01, &StepOptions { scheme, ..tight() }, &mut Nothing).expect("a step");
        }
        let what = format!("free fall, {scheme:?}: z after 1 s [m]");
        table.relative("V08", &what, number(&expected[key]), system.x[0].z - start, 1e-6);
    }
}

fn rotating_cube(name: &str, expected: &Value, run: (Constitutive, Scheme, f64), table: &mut Table) {
    let (model, scheme, h) = run;
    let mut system = system(&read("valid/v08_cube"), ElementKind::Linear, model, 1e4, 0.3);
    let centre = Vector3::repeat(0.5);
    let stretch = Matrix3::from_diagonal(&Vector3::new(1.2, 0.95, 0.9));
    for block in 0..system.block_count() {
        let arm = stretch * (system.x[block] - centre);
        system.x[block] = arm + centre;
        system.v[block] = Vector3::new(0.0, 0.0, 2.0).cross(&arm) + Vector3::new(1.0, 0.5, 0.0);
    }
    let masses = system.bodies()[0].masses().to_vec();
    let momenta = |s: &SoftSystem| {
        let mut momenta = [Vector3::zeros(); 2];
        for (m, (x, v)) in masses.iter().zip(s.x.iter().zip(&s.v)) {
            momenta[0] += *m * v;
            momenta[1] += *m * x.cross(v);
        }
        momenta
    };
    let total = |s: &SoftSystem| s.energies().kinetic + s.energies().elastic;
    let (before, start) = (momenta(&system), total(&system));
    for _ in 0..(1.0 / h).round() as usize {
        system.step(h, &StepOptions { scheme, ..tight() }, &mut Nothing).expect("a step");
    }
    let after = momenta(&system);
    let drift = |i: usize| (after[i] - before[i]).norm() / before[i].norm();
    table.at_most("V08", &format!("{name}: drift of momentum"), 1e-12, drift(0));
    match scheme {
        Scheme::SymplecticEuler => {
            table.at_most("V08", &format!("{name}: of angular momentum"), 1e-12, drift(1))
        }
        Scheme::ImplicitMidpoint => {
            table.at_most("V08", &format!("{name}: of angular momentum"), 1e-10, drift(1))
        }
        Scheme::Newmark => table.at_most("V08", &format!("{name}: of angular momentum"), 2e-4, drift(1)),
        Scheme::ImplicitEuler => {
            let value = number(&expected["ang_mom_drift_rel"]);
            table.relative("V08", &format!("{name}: of angular momentum"), value, drift(1), 1e-3);
        }
    }
    let kept = total(&system) / start;
    let (bound, value) = if scheme == Scheme::ImplicitEuler { (0.01, 0.9) } else { (1e-3, 1.0) };
    table.absolute("V08", &format!("{name}: energy at the end over start"), value, kept, bound);
    table.relative(
        "V08",
        &format!("{name}: the same as the reference"),
        number(&expected["energy_end_over_start"]),
        kept,
        1e-5,
    );
}
