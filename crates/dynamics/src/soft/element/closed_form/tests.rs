//! Closed forms against the general forms, and lanes against single elements.

use super::super::Local;
use super::*;
use crate::soft::material::Material;
use extricate_core::geometry::TetMesh;
use nalgebra::Point3;

fn element(model: Constitutive) -> Elements {
    let corners = [[0.1, 0.0, 0.0], [1.0, 0.2, 0.0], [0.0, 0.9, -0.1], [0.2, 0.1, 1.1]].map(Point3::from);
    let mesh = TetMesh::new(corners.to_vec(), vec![[0, 1, 2, 3]]).expect("a tetrahedron");
    let material = Material::new(model, 1000.0, 1e3, 0.3).expect("a material");
    Elements::new(&mesh, material, ElementKind::Linear).expect("elements")
}

fn moved(elements: &Elements, case: u32) -> Vec<Vector3<f64>> {
    let rotation = nalgebra::Rotation3::new(Vector3::new(0.3, -0.9, 0.5) * f64::from(case));
    let bend = |(i, x): (usize, &Vector3<f64>)| {
        let phase = f64::from(case) * (i as f64 + 0.5);
        rotation * x + 0.25 * Vector3::new(phase.sin(), (2.1 * phase).cos(), (1.3 * phase).sin())
    };
    let mut x: Vec<_> = elements.rest_positions().iter().enumerate().map(bend).collect();
    if case == 7 {
        // Inside out.
        x.iter_mut().for_each(|x| x.z = -x.z);
    }
    x
}

/// Energy [J] and derivatives of the only element.
fn alone(elements: &Elements, x: &[Vector3<f64>]) -> (f64, Local) {
    let mut batch = LocalBatch::<1>::default();
    assert!(elements.closed_form([0], x, true, &mut batch));
    let mut local = Local { gradient: [Vector3::zeros(); 10], ..Local::default() };
    (0..4).for_each(|a| local.gradient[a] = Vector3::from_fn(|axis, _| batch.gradient[a][axis][0]));
    for ([a, b], block) in PAIRS.into_iter().zip(&batch.hessian) {
        local.hessian[a][b] = Matrix3::from_fn(|row, column| block[column][row][0]);
    }
    (batch.energies[0], local)
}

/// Against the forms by the singular value decomposition: all derivatives of the neo-Hookean model, energy and gradient of the
/// corotational one, whose warped Hessian differs from the exact one.
#[test]
fn the_closed_forms_are_the_general_ones() {
    for case in 0..8 {
        let elements = element(Constitutive::NeoHookean);
        let x = moved(&elements, case);
        let mut slow = Local::default();
        let (energy, fast) = alone(&elements, &x);
        assert!((energy - elements.local(0, &x, &mut slow, true, false)).abs() < 1e-9 * 1e3);
        for a in 0..4 {
            assert!((fast.gradient[a] - slow.gradient[a]).amax() < 1e-12 * 1e3);
            for b in a..4 {
                assert!((fast.hessian[a][b] - slow.hessian[a][b]).amax() < 1e-11 * 1e3, "{case} {a} {b}");
            }
        }
        let elements = element(Constitutive::Corotational);
        let (energy, fast) = alone(&elements, &x);
        assert!((energy - elements.local(0, &x, &mut slow, false, false)).abs() < 1e-9 * 1e3);
        assert!((0..4).all(|a| (fast.gradient[a] - slow.gradient[a]).amax() < 1e-10 * 1e3), "{case}");
    }
}

#[test]
fn the_warped_hessian_is_the_rotated_one_of_the_linear_model() {
    let (warped, linear) = (element(Constitutive::Corotational), element(Constitutive::Linear));
    let rotation = nalgebra::Rotation3::new(Vector3::new(0.4, 1.2, -0.7)).into_inner();
    let x: Vec<_> = warped.rest_positions().iter().map(|x| rotation * x).collect();
    let mut slow = Local::default();
    let (_, fast) = alone(&warped, &x);
    linear.local(0, linear.rest_positions(), &mut slow, true, false);
    for (a, b) in (0..4).flat_map(|a| (a..4).map(move |b| (a, b))) {
        let expected = rotation * slow.hessian[a][b] * rotation.transpose();
        assert!((fast.hessian[a][b] - expected).amax() < 1e-10 * 1e3, "{a} {b}");
    }
}

#[test]
fn rotations_are_those_of_the_decomposition_at_every_size_and_sign() {
    for case in 0..200 {
        let value = |k: usize| (f64::from(case) * (1.7 + k as f64)).sin();
        let f = Matrix3::from_fn(|i, j| value(3 * i + j)) * 10_f64.powi(case % 7 - 3);
        let lanes = nearest_rotations::<1>(&[0, 1, 2].map(|j| [0, 1, 2].map(|i| Lanes::of(f[(i, j)]))));
        let rotation = Matrix3::from_fn(|i, j| lanes[j][i].0[0]);
        assert!((rotation - SignedSvd::of(&f).rotation()).amax() < 1e-9, "{case} {f}");
        assert!((rotation.determinant() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn four_at_once_have_the_bits_of_one_with_all_instructions() {
    for model in [Constitutive::Corotational, Constitutive::NeoHookean] {
        let elements = {
            let nodes = (0..4).flat_map(|case| moved(&element(model), case).into_iter().map(Point3::from));
            let tets = (0..4).map(|tet| [0, 1, 2, 3].map(|i| 4 * tet + i)).collect();
            let mesh = TetMesh::new(nodes.collect(), tets).expect("four tetrahedra");
            let material = Material::new(model, 1000.0, 1e3, 0.3).expect("a material");
            Elements::new(&mesh, material, ElementKind::Linear).expect("elements")
        };
        // The third is inside out, the last flat.
        let squeeze = |(i, x): (usize, &Vector3<f64>)| match i {
            8..12 => Vector3::new(x.x, -1.3 * x.y, x.z),
            12.. => Vector3::new(x.x, x.y, 0.0),
            _ => Vector3::new(1.1 * x.x, x.y + 0.3 * x.z, x.z),
        };
        let x: Vec<_> = elements.rest_positions().iter().enumerate().map(squeeze).collect();
        let (mut four, mut wide) = (LocalBatch::<4>::default(), LocalBatch::<4>::default());
        assert!(elements.closed_form([0, 1, 2, 3], &x, true, &mut four));
        assert!(elements.closed_form_of_four([0, 1, 2, 3], &x, true, &mut wide));
        assert_eq!(four, wide);
        for lane in 0..4 {
            let mut one = LocalBatch::<1>::default();
            assert!(elements.closed_form([lane as u32], &x, true, &mut one));
            let bits = |a: f64, b: f64| assert_eq!(a.to_bits(), b.to_bits(), "{model:?} {lane}");
            bits(one.energies[0], four.energies[lane]);
            let ours = one.gradient.iter().chain(one.hessian.as_flattened()).flatten();
            let theirs = four.gradient.iter().chain(four.hessian.as_flattened()).flatten();
            ours.zip(theirs).for_each(|(a, b)| bits(a[0], b[lane]));
        }
    }
}
