//! V01 to V05: equilibria, and forces of a rotated body.

use extricate::dynamics::soft::SoftSystem;
use extricate::dynamics::soft::element::{ElementKind, Local};
use extricate::dynamics::soft::material::Constitutive;
use nalgebra::{Matrix3, Rotation3, Unit, Vector3};
use serde_json::Value;

use crate::Table;
use crate::meshes::{MODELS, Nothing, json, kuhn, number, read, system, tight};

fn matrix(value: &Value) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| number(&value[i][j]))
}

pub(crate) fn patch(_: &Value, table: &mut Table) {
    let data = json("valid/v01_patch.json");
    let a = matrix(&data["A"]);
    let mesh = read("valid/v01_patch");
    for (name, model) in MODELS {
        let mut system = system(&mesh, ElementKind::Linear, model, 1e5, 0.3);
        let goal: Vec<_> = system.x.iter().map(|x| a * x + Vector3::new(0.1, 0.2, -0.3)).collect();
        for &node in &mesh.boundary().nodes {
            system.prescribe(node as usize, [true; 3], goal[node as usize]);
        }
        system.solve_quasi_static(&tight(), &mut Nothing).expect("equilibrium");
        let error = system.x.iter().zip(&goal).map(|(x, goal)| (x - goal).amax()).fold(0.0, f64::max);
        table.absolute("V01", &format!("{name}: largest error of a node [m]"), 0.0, error, 1e-10);
        let expected = matrix(&data["results"][name]["PK1_expected"]);
        let elements = &system.bodies()[0];
        let stress =
            |e| elements.material().first_piola(&elements.deformation_gradient(e, system.positions_of(0)));
        let error = (0..elements.element_count()).map(|e| (stress(e) - expected).amax()).fold(0.0, f64::max);
        let error = error / expected.amax();
        table.absolute("V01", &format!("{name}: largest error of P over P"), 0.0, error, 1e-9);
    }
}

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

pub(crate) fn bar(expected: &Value, table: &mut Table) {
    let mesh = read("valid/v02_bar");
    for (name, model) in MODELS {
        for stress in [1000, 200_000] {
            let mut system = system(&mesh, ElementKind::Linear, model, 1e6, 0.3);
            for block in 0..system.block_count() {
                let x = system.x[block];
                system.prescribe(block, [0, 1, 2].map(|axis| x[axis] < 1e-9), x);
            }
            traction(&mut system, |x| x.x > 1.0 - 1e-9, Vector3::x() * f64::from(stress));
            system.solve_quasi_static(&tight(), &mut Nothing).expect("equilibrium");
            let tip = system.x.iter().map(|x| x.x).fold(0.0, f64::max) - 1.0;
            let key = format!("{name}_nominal_stress_{stress}");
            table.absolute("V02", &format!("{key}: tip [m]"), number(&expected[&key]), tip, 1e-9);
        }
    }
}

fn tip(name: &str, kind: ElementKind, poisson: f64) -> f64 {
    let mut system = system(&read(&format!("meshes/beam_{name}")), kind, Constitutive::Linear, 1e6, poisson);
    for block in (0..system.block_count()).filter(|&block| system.x[block].x < 1e-9).collect::<Vec<_>>() {
        system.pin(block);
    }
    let rest = system.x.clone();
    let end = |x: &Vector3<f64>| x.x > 1.0 - 1e-9;
    traction(&mut system, end, -10.0 * Vector3::z());
    system.solve_quasi_static(&tight(), &mut Nothing).expect("equilibrium");
    let tip: Vec<f64> = rest.iter().zip(&system.x).filter(|(r, _)| end(r)).map(|(r, x)| r.z - x.z).collect();
    tip.iter().sum::<f64>() / tip.len() as f64
}

pub(crate) fn cantilever(expected: &Value, table: &mut Table) {
    let names = ["10x1x1", "20x2x2", "40x4x4", "80x8x8"];
    for poisson in [0.0, 0.3] {
        let expected = &expected[format!("nu={poisson:.1}")];
        let timoshenko = number(&expected["timoshenko"]);
        let tips = names.map(|name| tip(name, ElementKind::Linear, poisson));
        for (name, tip) in names.iter().zip(tips) {
            let value = number(&expected[format!("P1_{name}")]["tip"]);
            table.relative("V03", &format!("ν = {poisson}, linear {name}: tip [m]"), value, tip, 1e-6);
        }
        let order = ((timoshenko - tips[2]) / (timoshenko - tips[3])).log2();
        table.at_least("V03", &format!("ν = {poisson}, linear: order of convergence"), 1.5, order);
        for name in &names[..2] {
            let ratio = tip(name, ElementKind::Quadratic, poisson) / timoshenko;
            table.at_least(
                "V03",
                &format!("ν = {poisson}, quadratic {name}: tip over Timoshenko"),
                0.97,
                ratio,
            );
        }
    }
}

pub(crate) fn hanging(expected: &Value, table: &mut Table) {
    for (poisson, n) in [0.0, 0.3].into_iter().flat_map(|poisson| [2, 4, 8, 16].map(|n| (poisson, n))) {
        let expected = &expected[format!("nu={poisson:.1}")];
        let mesh = kuhn([n, n, 2 * n], Vector3::new(0.5, 0.5, 1.0));
        for (name, model) in MODELS {
            let key = if name == "linear" { format!("P1_{n}x{n}x{}", 2 * n) } else { format!("{name}_{n}") };
            let Some(value) = expected[&key]["bottom_mean_uz"].as_f64() else { continue };
            let mut system = system(&mesh, ElementKind::Linear, model, 1e5, poisson);
            system.gravity = -9.81 * Vector3::z();
            let rest = system.x.clone();
            rest.iter().enumerate().filter(|(_, x)| x.z > 1.0 - 1e-9).for_each(|(b, _)| system.pin(b));
            let report = system.solve_quasi_static(&tight(), &mut Nothing).expect("equilibrium");
            let bottom = rest.iter().zip(&system.x).filter(|(r, _)| r.z < 1e-9).map(|(_, x)| x.z);
            let mean = bottom.sum::<f64>() / ((n + 1) * (n + 1)) as f64;
            let what = format!("ν = {poisson}, {key}: bottom [m], {} Newton", report.newton_iterations);
            table.relative("V04", &what, value, mean, 1e-6);
        }
    }
}

pub(crate) fn rotation(_: &Value, table: &mut Table) {
    let data = json("valid/v05_rotation.json");
    let mesh = read("meshes/sphere_1k");
    let axis = Unit::new_normalize(Vector3::new(1.0, 2.0, 3.0));
    for (name, model) in MODELS {
        let system = system(&mesh, ElementKind::Linear, model, 1e6, 0.45);
        let elements = &system.bodies()[0];
        for degrees in [30.0_f64, 90.0, 179.0] {
            let rotation = Rotation3::from_axis_angle(&axis, degrees.to_radians());
            let x: Vec<_> = system.x.iter().map(|x| rotation * x).collect();
            let mut forces = vec![Vector3::zeros(); x.len()];
            let mut local = Local::default();
            for e in 0..elements.element_count() {
                elements.local(e, &x, &mut local, false, false);
                let nodes = elements.nodes_of(e).iter();
                nodes.zip(&local.gradient).for_each(|(&node, g)| forces[node as usize] -= g);
            }
            let most = forces.iter().map(Vector3::amax).fold(0.0, f64::max);
            let what = format!("{name}, rotated {degrees}°: largest component [N]");
            if name == "linear" {
                let value = number(&data["results"][format!("linear_{degrees}")]["max_force"]);
                table.relative("V05", &what, value, most, 1e-9);
            } else {
                table.at_most("V05", &what, 1e-8, most);
            }
        }
    }
}
