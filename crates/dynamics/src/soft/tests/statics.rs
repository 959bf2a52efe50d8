use super::*;

/// Nodal forces of a uniform traction [N/m²] on the boundary faces whose corners all pass `on`.
fn traction(system: &mut SoftSystem, on: impl Fn(&Vector3<f64>) -> bool, traction: Vector3<f64>) {
    let elements = &system.bodies()[0];
    let rest = elements.rest_positions().to_vec();
    for face in elements.linear_mesh().boundary().faces {
        let [a, b, c] = face.map(|node| rest[node as usize]);
        if on(&a) && on(&b) && on(&c) {
            let third = (b - a).cross(&(c - a)).norm() / 6.0;
            face.iter().for_each(|&node| system.forces[node as usize] += third * traction);
        }
    }
}

#[test]
fn interior_nodes_follow_an_affine_map_of_the_boundary() {
    // V01; the map and the material of v01_patch.json.
    let a = Matrix3::new(1.1, 0.05, -0.02, 0.03, 0.92, 0.04, -0.01, 0.02, 1.05);
    let mesh = kuhn([3, 3, 3], Vector3::repeat(1.0));
    // Off the regular places, so that no symmetry helps.
    let nodes = mesh.nodes().iter().enumerate().map(|(i, p)| {
        let inside = p.iter().all(|&x| x > 1e-9 && x < 1.0 - 1e-9);
        let shift = Vector3::new(0.03, -0.02, 0.05) * (i as f64).sin();
        if inside { p + shift } else { *p }
    });
    let mesh = TetMesh::new(nodes.collect(), mesh.tets().to_vec()).expect("a mesh");
    for model in MODELS {
        let mut system = SoftSystem::new(vec![body(&mesh, model, 1e5, 0.3)], 0);
        let target: Vec<_> = system.x.iter().map(|x| a * x + Vector3::new(0.1, 0.2, -0.3)).collect();
        mesh.boundary()
            .nodes
            .iter()
            .for_each(|&n| system.prescribe(n as usize, [true; 3], target[n as usize]));
        let report = system.solve_quasi_static(&tight(), &mut Nothing).expect("equilibrium");
        let error = system.x.iter().zip(&target).map(|(x, target)| (x - target).amax()).fold(0.0, f64::max);
        assert!(error < 1e-10, "{model:?}: {error:e} {report:?}");
    }
}

#[test]
fn a_pulled_bar_stretches_as_the_closed_form_says() {
    // V02: 1 × 0.1 × 0.1 m, E = 1e6, ν = 0.3; nominal stress and stretch less one of v02_uniaxial.json.
    let expected = [
        (Constitutive::Linear, 1e3, 0.000_999_999_999_999_889_9),
        (Constitutive::Corotational, 1e3, 0.000_999_999_999_999_889_9),
        (Constitutive::StVenantKirchhoff, 1e3, 0.000_998_503_986_922_916_2),
        (Constitutive::NeoHookean, 1e3, 0.001_000_692_650_800_827_4),
        (Constitutive::Linear, 2e5, 0.2),
        (Constitutive::Corotational, 2e5, 0.2),
        (Constitutive::StVenantKirchhoff, 2e5, 0.159_704_852_764_861_68),
        (Constitutive::NeoHookean, 2e5, 0.230_212_878_718_028_65),
    ];
    let mesh = kuhn([10, 2, 2], Vector3::new(1.0, 0.1, 0.1));
    for (model, stress, stretch) in expected {
        let mut system = SoftSystem::new(vec![body(&mesh, model, 1e6, 0.3)], 0);
        for block in 0..system.block_count() {
            let x = system.x[block];
            system.prescribe(block, [0, 1, 2].map(|axis| x[axis] < 1e-9), x);
        }
        traction(&mut system, |x| x.x > 1.0 - 1e-9, Vector3::x() * stress);
        let report = system.solve_quasi_static(&tight(), &mut Nothing).expect("equilibrium");
        let tip = system.x.iter().map(|x| x.x).fold(0.0, f64::max) - 1.0;
        assert!((tip - stretch).abs() < 1e-9, "{model:?} {stress}: {tip} {report:?}");
        // Quadratic convergence: a handful of iterations to 1e-12.
        assert!(report.newton_iterations <= 9, "{model:?} {report:?}");
    }
}

fn cantilever(cubes: [usize; 3], kind: ElementKind, poisson: f64) -> f64 {
    let mesh = kuhn(cubes, Vector3::new(1.0, 0.1, 0.1));
    let material = Material::new(Constitutive::Linear, 1000.0, 1e6, poisson).expect("a material");
    let mut system = SoftSystem::new(vec![Elements::new(&mesh, material, kind).expect("elements")], 0);
    (0..system.block_count())
        .filter(|&b| system.x[b].x < 1e-9)
        .collect::<Vec<_>>()
        .iter()
        .for_each(|&b| system.pin(b));
    let rest = system.x.clone();
    let end = |x: &Vector3<f64>| x.x > 1.0 - 1e-9;
    traction(&mut system, end, -Vector3::z() * 10.0);
    system.solve_quasi_static(&tight(), &mut Nothing).expect("equilibrium");
    let tip: Vec<f64> = rest.iter().zip(&system.x).filter(|(r, _)| end(r)).map(|(r, x)| r.z - x.z).collect();
    tip.iter().sum::<f64>() / tip.len() as f64
}

#[test]
fn cantilevers_bend_as_other_solvers_say_and_quadratic_elements_do_not_lock() {
    // V03: tip deflection [m] of v03_cantilever.json.
    let expected = [
        ([10, 1, 1], 0.0, 0.000_980_927_123_637_571_2),
        ([20, 2, 2], 0.0, 0.002_211_581_867_067_854_4),
        ([10, 1, 1], 0.3, 0.000_884_341_468_300_468_9),
        ([20, 2, 2], 0.3, 0.002_030_518_975_031_842),
    ];
    for (cubes, poisson, tip) in expected {
        let found = cantilever(cubes, ElementKind::Linear, poisson);
        assert!((found / tip - 1.0).abs() < 1e-6, "{cubes:?} {poisson}: {found}");
    }
    let timoshenko = 0.004_030_6;
    let found = cantilever([10, 1, 1], ElementKind::Quadratic, 0.3) / timoshenko;
    assert!(found > 0.97 && found < 1.0, "{found}");
}

#[test]
fn a_hanging_block_stretches_as_another_solver_says() {
    // V04: mean displacement of the bottom [m] of v04_hanging.json, 4 × 4 × 8 cubes.
    let expected = [
        (Constitutive::Linear, 0.0, -0.049_047_425_796_077_01),
        (Constitutive::Corotational, 0.0, -0.049_043_269_195_005_436),
        (Constitutive::StVenantKirchhoff, 0.0, -0.045_000_680_389_191_68),
        (Constitutive::NeoHookean, 0.0, -0.049_162_264_398_695_06),
        (Constitutive::Linear, 0.3, -0.046_674_675_662_681_714),
        (Constitutive::Corotational, 0.3, -0.046_580_285_313_315_03),
        (Constitutive::StVenantKirchhoff, 0.3, -0.042_883_401_633_217_54),
        (Constitutive::NeoHookean, 0.3, -0.048_389_344_256_824_74),
    ];
    let mesh = kuhn([4, 4, 8], Vector3::new(0.5, 0.5, 1.0));
    for (model, poisson, displacement) in expected {
        let mut system = SoftSystem::new(vec![body(&mesh, model, 1e5, poisson)], 0);
        system.gravity = Vector3::new(0.0, 0.0, -9.81);
        let rest = system.x.clone();
        rest.iter().enumerate().filter(|(_, x)| x.z > 1.0 - 1e-9).for_each(|(b, _)| system.pin(b));
        let report = system.solve_quasi_static(&tight(), &mut Nothing).expect("equilibrium");
        let bottom = rest.iter().zip(&system.x).filter(|(r, _)| r.z < 1e-9).map(|(_, x)| x.z);
        let mean = bottom.sum::<f64>() / 25.0;
        assert!((mean / displacement - 1.0).abs() < 1e-6, "{model:?} {poisson}: {mean} {report:?}");
    }
}

#[test]
fn both_linear_solvers_find_the_same_equilibrium() {
    let mesh = kuhn([2, 2, 4], Vector3::new(0.5, 0.5, 1.0));
    let solve = |method| {
        let mut system = SoftSystem::new(vec![body(&mesh, Constitutive::NeoHookean, 1e5, 0.3)], 0);
        system.gravity = Vector3::new(0.0, 2.0, -9.81);
        (0..9).for_each(|b| system.pin(b));
        let options = StepOptions { linear: LinearOptions { method, ..LinearOptions::default() }, ..tight() };
        let report = system.solve_quasi_static(&options, &mut Nothing).expect("equilibrium");
        (system.x, report.factorisations > 0)
    };
    let (gradients, factored) = solve(LinearMethod::ConjugateGradients);
    let (cholesky, also) = solve(LinearMethod::Cholesky);
    assert!(!factored && also);
    let difference = gradients.iter().zip(&cholesky).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
    assert!(difference < 1e-9, "{difference:e}");
}

#[test]
fn a_body_free_to_move_has_no_equilibrium() {
    let mesh = kuhn([1, 1, 1], Vector3::repeat(1.0));
    let mut system = SoftSystem::new(vec![body(&mesh, Constitutive::NeoHookean, 1e5, 0.3)], 0);
    system.gravity.z = -9.81;
    let before = system.x.clone();
    assert!(system.solve_quasi_static(&StepOptions::default(), &mut Nothing).is_err());
    assert_eq!(system.x, before);
}
