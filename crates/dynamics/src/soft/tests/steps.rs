use super::*;

/// A spring of stiffness k on block 0, about the origin.
struct Spring(f64);

impl Interaction for Spring {
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64 {
        0.5 * self.0 * x[0].norm_squared()
    }

    fn linearise(&mut self, x: &[Vector3<f64>], g: &mut [Vector3<f64>], hessian: &mut OuterProducts) -> f64 {
        g[0] += self.0 * x[0];
        [Vector3::x(), Vector3::y(), Vector3::z()]
            .into_iter()
            .for_each(|axis| hessian.push(self.0, [(0, axis)]));
        self.energy(x)
    }
}

fn oscillator() -> SoftSystem {
    let mut system = SoftSystem::new(Vec::new(), 1);
    let position = Vector3::new(1.0, -2.0, 0.5);
    system.set_extra(
        0,
        super::super::ExtraBlock {
            inertia: Matrix3::from_diagonal_element(1.0),
            position,
            velocity: Vector3::zeros(),
            falls: false,
        },
    );
    system
}

fn options(scheme: Scheme) -> StepOptions {
    StepOptions { scheme, ..tight() }
}

#[test]
fn one_mode_moves_as_the_closed_forms_of_the_schemes_say() {
    // V08, one hertz. Amplification and phase a step: eigenvalues of the schemes' 2 × 2 maps.
    let omega = std::f64::consts::TAU;
    for h in [0.01, 0.02, 0.05_f64] {
        let w = omega * h;
        let state = |scheme| {
            let mut system = oscillator();
            system.step(h, &options(scheme), &mut Spring(omega * omega)).expect("a step");
            (system.x[0], system.v[0])
        };
        let x0 = Vector3::new(1.0, -2.0, 0.5);
        let (x, v) = state(Scheme::ImplicitEuler);
        let amplitude: f64 = (x.norm_squared() + v.norm_squared() / (omega * omega)).sqrt() / x0.norm();
        assert!((amplitude - 1.0 / (1.0 + w * w).sqrt()).abs() < 1e-9);
        for scheme in [Scheme::ImplicitMidpoint, Scheme::Newmark] {
            let (x, v) = state(scheme);
            let phase = 2.0 * (w / 2.0).atan();
            assert!((x - phase.cos() * x0).norm() < 1e-9, "{scheme:?}");
            assert!((v + omega * phase.sin() * x0).norm() < 1e-8, "{scheme:?}");
        }
        // x₁ + x₋₁ = 2 cos φ x₀ with 2 sin(φ/2) = ωh, from rest: x₁ = x₀ (1 − ω²h²).
        let (x, v) = state(Scheme::SymplecticEuler);
        assert!((x - (1.0 - w * w) * x0).norm() < 1e-12 && (v + omega * w * x0).norm() < 1e-10);
    }
}

#[test]
fn amplitudes_after_one_second_are_those_of_the_reference() {
    // v08_integrators.json: h = 0.01, implicit Euler's energy after one second; the midpoint keeps it.
    let omega = std::f64::consts::TAU;
    for (scheme, kept) in [(Scheme::ImplicitEuler, 0.674_349_370_692_763_8), (Scheme::ImplicitMidpoint, 1.0)]
    {
        let mut system = oscillator();
        let energy = |s: &SoftSystem| s.v[0].norm_squared() + omega * omega * s.x[0].norm_squared();
        let start = energy(&system);
        (0..100).for_each(|_| {
            system.step(0.01, &options(scheme), &mut Spring(omega * omega)).expect("a step");
        });
        assert!((energy(&system) / start - kept).abs() < 1e-6, "{scheme:?}");
    }
}

#[test]
fn bodies_fall_as_the_schemes_say() {
    // −g h² n(n + 1)/2 by the Euler schemes, −g t²/2 by those of second order.
    for (scheme, fall) in [
        (Scheme::ImplicitEuler, -4.954_05),
        (Scheme::SymplecticEuler, -4.954_05),
        (Scheme::ImplicitMidpoint, -4.905),
        (Scheme::Newmark, -4.905),
    ] {
        for model in [Constitutive::Corotational, Constitutive::NeoHookean] {
            let mesh = kuhn([1, 1, 1], Vector3::repeat(1.0));
            let mut system = SoftSystem::new(vec![body(&mesh, model, 1e4, 0.3)], 0);
            system.gravity.z = -9.81;
            for _ in 0..100 {
                system.step(0.01, &options(scheme), &mut Nothing).expect("a step");
            }
            assert!((system.x[0].z - fall).abs() < 1e-6, "{scheme:?}: {}", system.x[0].z);
        }
    }
}

/// Drift of momentum and of angular momentum, and energy at the end over the start, of V08's rotating cube.
fn drifts(model: Constitutive, scheme: Scheme, h: f64) -> [f64; 3] {
    let mesh = kuhn([4, 4, 4], Vector3::repeat(1.0));
    let mut system = SoftSystem::new(vec![body(&mesh, model, 1e4, 0.3)], 0);
    let centre = Vector3::repeat(0.5);
    let stretch = Matrix3::from_diagonal(&Vector3::new(1.2, 0.95, 0.9));
    for block in 0..system.block_count() {
        system.x[block] = stretch * (system.x[block] - centre) + centre;
        system.v[block] =
            Vector3::new(0.0, 0.0, 2.0).cross(&(system.x[block] - centre)) + Vector3::new(1.0, 0.5, 0.0);
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
    let energy = |s: &SoftSystem| s.energies().kinetic + s.energies().elastic;
    let (before, start) = (momenta(&system), energy(&system));
    for _ in 0..(1.0 / h).round() as usize {
        system.step(h, &options(scheme), &mut Nothing).expect("a step");
    }
    let after = momenta(&system);
    let drift = |i: usize| (after[i] - before[i]).norm() / before[i].norm();
    [drift(0), drift(1), energy(&system) / start]
}

#[test]
fn a_rotating_cube_conserves_momentum_and_energy_as_the_schemes_promise() {
    // V08: bounds of cases.json, and energies at the end over the start of v08_integrators.json.
    let expected = [
        (Scheme::SymplecticEuler, 0.002, 1e-12, [1.000_078_725_064_795_1, 1.000_380_875_337_421_3]),
        (Scheme::ImplicitEuler, 0.01, f64::INFINITY, [0.899_781_433_881_89, 0.894_696_871_918_039_8]),
        (Scheme::ImplicitMidpoint, 0.01, 1e-10, [0.999_978_700_997_970_8, 0.999_942_719_116_834]),
        (Scheme::Newmark, 0.01, 2e-4, [1.000_043_032_884_351_3, 1.000_114_978_179_702_7]),
    ];
    for (scheme, h, angular_bound, energies) in expected {
        for (model, energy) in
            [Constitutive::NeoHookean, Constitutive::Corotational].into_iter().zip(energies)
        {
            let [linear, angular, kept] = drifts(model, scheme, h);
            assert!(
                linear <= 1e-12 && angular <= angular_bound,
                "{scheme:?} {model:?}: {linear:e} {angular:e}"
            );
            assert!((kept - energy).abs() < 1e-5, "{scheme:?} {model:?}: {kept} {energy}");
        }
    }
}

/// A body whose lowest mode is known: stretched uniformly it swings back; Rayleigh damping makes it lose 1 − e^(−2ζωt).
#[test]
fn damping_by_mass_slows_a_free_body_as_the_closed_form_says() {
    let mesh = kuhn([1, 1, 1], Vector3::repeat(1.0));
    let material = Material::new(Constitutive::NeoHookean, 1000.0, 1e5, 0.3).expect("a material");
    let material = material.with_damping(0.8, 0.01).expect("damping");
    for (scheme, factor) in
        [(Scheme::ImplicitEuler, 1.0 / 1.008_f64), (Scheme::ImplicitMidpoint, 0.996 / 1.004)]
    {
        let expected = Vector3::new(1.0, 2.0, 3.0) * factor;
        let elements = Elements::new(&mesh, material, ElementKind::Linear).expect("elements");
        let mut system = SoftSystem::new(vec![elements], 0);
        system.v.fill(Vector3::new(1.0, 2.0, 3.0));
        system.step(0.01, &options(scheme), &mut Nothing).expect("a step");
        let error = system.v.iter().map(|v| (v - expected).norm()).fold(0.0, f64::max);
        assert!(error < 1e-9, "{scheme:?} {error}");
    }
}

#[test]
fn damping_by_stiffness_takes_energy_out_of_strain_and_leaves_momentum() {
    let run = |beta: f64, scheme| {
        let mesh = kuhn([2, 2, 2], Vector3::repeat(1.0));
        let material = Material::new(Constitutive::Corotational, 1000.0, 1e4, 0.3).expect("a material");
        let material = material.with_damping(0.0, beta).expect("damping");
        let elements = Elements::new(&mesh, material, ElementKind::Linear).expect("elements");
        let mut system = SoftSystem::new(vec![elements], 0);
        system.x.iter_mut().for_each(|x| x.x *= 1.05);
        system.v.fill(Vector3::x());
        let start = system.energies().elastic;
        (0..20).for_each(|_| {
            system.step(0.01, &options(scheme), &mut Nothing).expect("a step");
        });
        let momentum =
            system.bodies()[0].masses().iter().zip(&system.v).map(|(m, v)| *m * v).sum::<Vector3<f64>>();
        assert!((momentum - Vector3::x() * 1000.0).norm() < 1e-8);
        (system.energies().elastic + system.energies().kinetic - 500.0) / start
    };
    for scheme in [Scheme::ImplicitMidpoint, Scheme::Newmark] {
        let (free, damped) = (run(0.0, scheme), run(0.05, scheme));
        assert!((free - 1.0).abs() < 0.02 && damped < 0.3, "{scheme:?}: {free} {damped}");
    }
}

#[test]
fn handles_move_as_prescribed_and_the_rest_follows() {
    // Once the handles rest, damping by mass brings every node to where its own rest position is, moved as the handles are: each mode
    // falls with α/2, or as ω²/α where that is slower, here with 0.6/s and more over 25 s.
    let mesh = kuhn([4, 1, 1], Vector3::new(4.0, 1.0, 1.0));
    for scheme in [Scheme::ImplicitEuler, Scheme::ImplicitMidpoint, Scheme::Newmark] {
        let material = Material::new(Constitutive::NeoHookean, 1000.0, 1e5, 0.3).expect("a material");
        let material = material.with_damping(1.2, 0.0).expect("damping");
        let elements = Elements::new(&mesh, material, ElementKind::Linear).expect("elements");
        let mut system = SoftSystem::new(vec![elements], 0);
        let handles: Vec<usize> = (0..system.block_count()).filter(|&b| system.x[b].x < 1e-9).collect();
        for step in 0..600 {
            let shift = 0.01 * f64::from(step.min(100));
            for &block in &handles {
                let rest = system.bodies()[0].rest_positions()[block];
                system.prescribe(block, [true; 3], rest + Vector3::z() * shift);
            }
            let options = StepOptions { scheme, ..StepOptions::default() };
            system.step(0.05, &options, &mut Nothing).expect("a step");
            let handle = system.x[handles[0]] - system.bodies()[0].rest_positions()[handles[0]];
            assert!((handle - Vector3::z() * shift).norm() < 1e-12);
        }
        let rest = system.bodies()[0].rest_positions();
        let off = system.x.iter().zip(rest).map(|(x, rest)| (x - rest - Vector3::z()).norm());
        let off = off.fold(0.0, f64::max);
        assert!(off < 1e-4, "{scheme:?} {off:e}");
    }
}

#[test]
fn a_step_that_cannot_converge_is_an_error_and_changes_nothing() {
    let mesh = kuhn([2, 2, 2], Vector3::repeat(1.0));
    let mut system = SoftSystem::new(vec![body(&mesh, Constitutive::NeoHookean, 1e5, 0.3)], 0);
    system.x.iter_mut().for_each(|x| x.x *= 2.0);
    let before = system.x.clone();
    let newton = NewtonOptions { max_iterations: 1, relative_tolerance: 1e-12, ..NewtonOptions::default() };
    let error = system.step(10.0, &StepOptions { newton, ..StepOptions::default() }, &mut Nothing);
    assert!(matches!(error, Err(SoftError::NotConverged { iterations: 1, .. })), "{error:?}");
    assert!(error.is_err_and(|error| error.to_string().contains("10 s")));
    assert_eq!(system.x, before);
    assert!(matches!(system.step(0.0, &tight(), &mut Nothing), Err(SoftError::TimeStep { .. })));
    system.v[3].x = f64::NAN;
    assert!(system.step(0.01, &tight(), &mut Nothing).is_err());
    system.v[3].x = 0.0;
    let unstable = StepOptions { scheme: Scheme::SymplecticEuler, ..tight() };
    let failed = (0..2000).any(|_| system.step(0.5, &unstable, &mut Nothing).is_err());
    assert!(failed, "an unstable explicit run ends in an error");
}

#[test]
fn a_step_that_is_accepted_at_its_bound_has_less_energy_and_says_so() {
    let mesh = kuhn([2, 2, 2], Vector3::repeat(1.0));
    let mut system = SoftSystem::new(vec![body(&mesh, Constitutive::NeoHookean, 1e5, 0.3)], 0);
    system.x.iter_mut().for_each(|x| x.x *= 2.0);
    let before = system.energies().total();
    let newton =
        NewtonOptions { max_iterations: 1, relative_tolerance: 1e-12, accept: true, ..Default::default() };
    let report = system.step(10.0, &StepOptions { newton, ..StepOptions::default() }, &mut Nothing);
    let report = report.expect("a step that ends");
    assert!(report.unconverged && report.newton_iterations == 1 && report.relative_residual > 1e-12);
    assert!(system.energies().total() < before && system.first_inverted().is_none());
    let converged = system.step(0.01, &StepOptions::default(), &mut Nothing).expect("a step");
    assert!(!converged.unconverged);
}

#[test]
fn the_bits_of_a_run_do_not_depend_on_the_number_of_threads() {
    let mesh = kuhn([9, 9, 9], Vector3::repeat(1.0));
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut system = SoftSystem::new(vec![body(&mesh, Constitutive::NeoHookean, 1e5, 0.3)], 0);
            system.x.iter_mut().for_each(|x| x.z *= 1.2);
            system.v.fill(Vector3::x());
            (0..3).for_each(|_| {
                system.step(0.01, &StepOptions::default(), &mut Nothing).expect("a step");
            });
            system.x
        })
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn a_rigid_body_attached_to_a_soft_one_swings_and_conserves_momentum() {
    use super::super::attachment::{Attached, Attachment};
    let mesh = kuhn([2, 1, 1], Vector3::new(2.0, 1.0, 1.0));
    let mut system = SoftSystem::new(vec![body(&mesh, Constitutive::NeoHookean, 1e5, 0.3)], 2);
    system.v.fill(Vector3::new(0.0, 0.0, 1.0));
    let (position_block, rotation_block) = (system.extra_block(0), system.extra_block(1));
    let mut state = (Vector3::new(2.5, 0.5, 0.5), Vector3::zeros(), Vector3::zeros());
    let inertia = Matrix3::from_diagonal_element(50.0);
    let ends: Vec<u32> = (0..12).filter(|&b| system.x[b as usize].x > 1.9).collect();
    let mut arms: Vec<_> = ends.iter().map(|&b| system.x[b as usize] - state.0).collect();
    let mass = Matrix3::from_diagonal_element(300.0);
    let soft: Vec<f64> = system.bodies()[0].masses().to_vec();
    for _ in 0..50 {
        system.set_extra(
            0,
            super::super::ExtraBlock { inertia: mass, position: state.0, velocity: state.1, falls: true },
        );
        let (position, velocity) = (Vector3::zeros(), state.2);
        system.set_extra(1, super::super::ExtraBlock { inertia, position, velocity, falls: false });
        let hang = |(&node, &arm): (&u32, &Vector3<f64>)| Attachment {
            node,
            body: position_block as u32,
            arm,
            stiffness: 1e5,
        };
        let attachments: Vec<_> = ends.iter().zip(&arms).map(hang).collect();
        let mut nothing = Nothing;
        let mut attached = Attached { attachments: &attachments, other: &mut nothing };
        system.step(0.01, &tight(), &mut attached).expect("a step");
        state = (system.x[position_block], system.v[position_block], system.v[rotation_block]);
        let rotation = nalgebra::Rotation3::new(system.x[rotation_block]);
        arms.iter_mut().for_each(|arm| *arm = rotation * *arm);
        let momentum =
            soft.iter().zip(&system.v).map(|(m, v)| *m * v).sum::<Vector3<f64>>() + 300.0 * state.1;
        assert!((momentum - Vector3::z() * 2000.0).norm() < 1e-8, "{momentum}");
    }
    assert!(state.1.z > 0.3 && state.2.norm() > 0.01, "{state:?}");
}
