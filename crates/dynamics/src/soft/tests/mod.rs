//! Validation against closed forms and against values of other solvers on the same meshes
//! (`shared/data/fem/valid/cases.json`; CalculiX gives the same cantilevers to 1e-8).

use nalgebra::{Matrix3, Point3, Vector3};

use super::element::{ElementKind, Elements};
use super::interaction::{Interaction, OuterProducts};
use super::linear::{LinearMethod, LinearOptions};
use super::material::{Constitutive, Material};
use super::{NewtonOptions, Scheme, SoftError, SoftSystem, StepOptions};
use extricate_core::geometry::TetMesh;

mod contact;
mod statics;
mod steps;

pub(super) struct Nothing;

impl Interaction for Nothing {
    fn energy(&mut self, _: &[Vector3<f64>]) -> f64 {
        0.0
    }

    fn linearise(&mut self, _: &[Vector3<f64>], _: &mut [Vector3<f64>], _: &mut OuterProducts) -> f64 {
        0.0
    }
}

/// A block of cubes, each split into six tetrahedra round its main diagonal (Kuhn).
pub(super) fn kuhn(cubes: [usize; 3], size: Vector3<f64>) -> TetMesh {
    let [nx, ny, nz] = cubes;
    let index = |i: usize, j: usize, k: usize| (i + (nx + 1) * (j + (ny + 1) * k)) as u32;
    let mut nodes = Vec::new();
    for (k, j, i) in (0..=nz).flat_map(|k| (0..=ny).flat_map(move |j| (0..=nx).map(move |i| (k, j, i)))) {
        let at = |i: usize, n: usize, size: f64| size * i as f64 / n as f64;
        nodes.push(Point3::new(at(i, nx, size.x), at(j, ny, size.y), at(k, nz, size.z)));
    }
    let mut tets = Vec::new();
    for (i, j, k) in (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| (i, j, k)))) {
        for (a, b, odd) in
            [(0, 1, false), (1, 2, false), (2, 0, false), (1, 0, true), (2, 1, true), (0, 2, true)]
        {
            let corner = |axes: &[usize]| {
                let step = |axis: usize| usize::from(axes.contains(&axis));
                index(i + step(0), j + step(1), k + step(2))
            };
            let mut tet = [corner(&[]), corner(&[a]), corner(&[a, b]), corner(&[0, 1, 2])];
            if odd {
                tet.swap(1, 2);
            }
            tets.push(tet);
        }
    }
    TetMesh::new(nodes, tets).expect("a block of tetrahedra")
}

pub(super) fn body(mesh: &TetMesh, model: Constitutive, young: f64, poisson: f64) -> Elements {
    let material = Material::new(model, 1000.0, young, poisson).expect("a material");
    Elements::new(mesh, material, ElementKind::Linear).expect("elements")
}

pub(super) const MODELS: [Constitutive; 4] = [
    Constitutive::Linear,
    Constitutive::Corotational,
    Constitutive::StVenantKirchhoff,
    Constitutive::NeoHookean,
];

pub(super) fn tight() -> StepOptions {
    let newton = NewtonOptions { relative_tolerance: 1e-12, ..NewtonOptions::default() };
    StepOptions { newton, ..StepOptions::default() }
}
