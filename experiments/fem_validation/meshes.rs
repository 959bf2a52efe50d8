//! Meshes, materials and systems of the cases.

use std::path::PathBuf;

use extricate::dynamics::soft::element::{ElementKind, Elements};
use extricate::dynamics::soft::interaction::{Interaction, OuterProducts};
use extricate::dynamics::soft::material::{Constitutive, Material};
use extricate::dynamics::soft::{NewtonOptions, SoftSystem, StepOptions};
use extricate::geometry::TetMesh;
use nalgebra::{Point3, Vector3};
use serde_json::Value;

/// The models by their names in the data.
pub(crate) const MODELS: [(&str, Constitutive); 4] = [
    ("linear", Constitutive::Linear),
    ("corot", Constitutive::Corotational),
    ("stvk", Constitutive::StVenantKirchhoff),
    ("snh", Constitutive::NeoHookean),
];

pub(crate) struct Nothing;

impl Interaction for Nothing {
    fn energy(&mut self, _: &[Vector3<f64>]) -> f64 {
        0.0
    }

    fn linearise(&mut self, _: &[Vector3<f64>], _: &mut [Vector3<f64>], _: &mut OuterProducts) -> f64 {
        0.0
    }
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/fem"))
}

pub(crate) fn json(name: &str) -> Value {
    let text = std::fs::read_to_string(folder().join(name)).expect("a file of the data");
    serde_json::from_str(&text).expect("JSON")
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// A mesh of TetGen's files `name.node` and `name.ele`.
pub(crate) fn read(name: &str) -> TetMesh {
    let rows = |extension: &str| -> Vec<Vec<f64>> {
        let path = folder().join(format!("{name}.{extension}"));
        let text = std::fs::read_to_string(path).expect("a mesh of the data");
        let lines = text.lines().skip(1).filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let numbers = |line: &str| -> Vec<f64> {
            line.split_whitespace().skip(1).map(|word| word.parse().expect("a number")).collect()
        };
        lines.map(numbers).collect()
    };
    let nodes = rows("node").iter().map(|row| Point3::new(row[0], row[1], row[2])).collect();
    let tets = rows("ele").iter().map(|row| [0, 1, 2, 3].map(|i| row[i] as u32)).collect();
    TetMesh::new(nodes, tets).expect("a mesh")
}

/// A block of cubes, each split into six tetrahedra round its main diagonal (Kuhn).
pub(crate) fn kuhn(cubes: [usize; 3], size: Vector3<f64>) -> TetMesh {
    let [nx, ny, nz] = cubes;
    let index = |[i, j, k]: [usize; 3]| (i + (nx + 1) * (j + (ny + 1) * k)) as u32;
    let places = |[nx, ny, nz]: [usize; 3]| {
        (0..nz).flat_map(move |k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])))
    };
    let scale = |axis: usize, i: usize| size[axis] * i as f64 / cubes[axis] as f64;
    let nodes = places([nx + 1, ny + 1, nz + 1]);
    let nodes = nodes.map(|[i, j, k]| Point3::new(scale(0, i), scale(1, j), scale(2, k))).collect();
    let mut tets = Vec::new();
    for place in places(cubes) {
        for [a, b, c] in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [2, 1, 0], [0, 2, 1]] {
            let mut corners = [place; 4];
            corners.iter_mut().skip(1).for_each(|p| p[a] += 1);
            corners.iter_mut().skip(2).for_each(|p| p[b] += 1);
            corners[3][c] += 1;
            let [p, q, r, s] = corners.map(index);
            tets.push(if (b + 3 - a) % 3 == 2 { [p, r, q, s] } else { [p, q, r, s] });
        }
    }
    TetMesh::new(nodes, tets).expect("a block")
}

pub(crate) fn system(
    mesh: &TetMesh,
    kind: ElementKind,
    model: Constitutive,
    young: f64,
    poisson: f64,
) -> SoftSystem {
    let material = Material::new(model, 1000.0, young, poisson).expect("a material");
    SoftSystem::new(vec![Elements::new(mesh, material, kind).expect("elements")], 0)
}

pub(crate) fn tight() -> StepOptions {
    let newton = NewtonOptions { relative_tolerance: 1e-12, ..NewtonOptions::default() };
    StepOptions { newton, ..StepOptions::default() }
}
