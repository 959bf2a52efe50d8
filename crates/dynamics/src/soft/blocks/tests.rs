use extricate_test_support::Noise;
use nalgebra::{DMatrix, DVector};

use nalgebra::{Matrix3, Vector3};

use super::*;
use crate::soft::element::Local;

/// Elements with random positive definite matrices: energy ½ xᵀHx.
pub(crate) struct Springs(Vec<DMatrix<f64>>);

impl ElementKernel for (Springs, Connectivity) {
    fn local(
        &self,
        _: usize,
        element: usize,
        x: &[Vector3<f64>],
        local: &mut Local,
        order: DerivativeOrder,
    ) -> f64 {
        let h = &self.0.0[element];
        let nodes = self.1.nodes_of(element);
        let at = |node: u32| x[(node + self.1.first) as usize];
        let x = DVector::from_iterator(
            h.nrows(),
            nodes.iter().flat_map(|&n| at(n).iter().copied().collect::<Vec<_>>()),
        );
        let g = h * &x;
        for a in 0..nodes.len() {
            local.gradient[a] = g.fixed_rows::<3>(3 * a).into();
            for b in 0..nodes.len() {
                if order != DerivativeOrder::Gradient {
                    local.hessian[a][b] = h.fixed_view::<3, 3>(3 * a, 3 * b).into();
                }
            }
        }
        0.5 * x.dot(&g)
    }
}

/// `count` random elements over `nodes` nodes behind one loose block, and the dense sum of their matrices.
pub(crate) fn random_system(
    nodes: u32,
    count: usize,
) -> ((Springs, Connectivity), DMatrix<f64>, BlockMatrix) {
    let mut noise = Noise(7);
    let mut next = move || noise.bits(31) as u32;
    let mut part = Connectivity { first: 1, width: 4, ..Connectivity::default() };
    let size = 3 * (nodes as usize + 1);
    let with_dense = nodes < 1000;
    let mut dense = if with_dense { DMatrix::zeros(size, size) } else { DMatrix::zeros(0, 0) };
    let mut springs = Vec::new();
    for _ in 0..count {
        let mut corners: Vec<u32> = Vec::new();
        while corners.len() < 4 {
            let node = next() % nodes;
            if !corners.contains(&node) {
                corners.push(node);
            }
        }
        let root = DMatrix::from_fn(12, 12, |_, _| f64::from(next() % 1000) / 500.0 - 1.0);
        let h = &root * root.transpose() + DMatrix::identity(12, 12);
        for i in (0..12).filter(|_| with_dense) {
            for j in 0..12 {
                let at = |k: usize| 3 * (corners[k / 3] as usize + 1) + k % 3;
                dense[(at(i), at(j))] += h[(i, j)];
            }
        }
        part.nodes.extend(corners);
        part.centres.push(Vector3::from_fn(|_, _| f64::from(next() % 1000)));
        springs.push(h);
    }
    let matrix = BlockMatrix::new(nodes as usize + 1, std::slice::from_ref(&part));
    ((Springs(springs), part), dense, matrix)
}

pub(crate) fn flat(x: &[Vector3<f64>]) -> DVector<f64> {
    DVector::from_iterator(3 * x.len(), x.iter().flat_map(|v| v.iter().copied()))
}

pub(crate) fn wave(count: usize) -> Vec<Vector3<f64>> {
    (0..count).map(|i| (i as f64) * Vector3::new(0.3, 0.7, 1.1)).map(|a| a.map(f64::sin)).collect()
}

#[test]
fn assembly_product_and_diagonal_are_those_of_the_dense_matrix() {
    let (kernel, mut dense, mut matrix) = random_system(300, 5000);
    let x = wave(301);
    let mut gradient = vec![Vector3::zeros(); 301];
    let energy = matrix.assemble(&kernel, &x, DerivativeOrder::ExactHessian, &mut gradient);
    let expected = &dense * flat(&x);
    assert!((energy / (0.5 * flat(&x).dot(&expected)) - 1.0).abs() < 1e-12);
    assert!((flat(&gradient) - &expected).amax() < 1e-12 * expected.amax());
    let term = Matrix3::new(4.0, 1.0, 0.0, 1.0, 3.0, 0.5, 0.0, 0.5, 2.0);
    for block in [0, 17] {
        matrix.add_diagonal(block, &term);
        let mut view = dense.fixed_view_mut::<3, 3>(3 * block, 3 * block);
        view += term;
    }
    let mut out = vec![Vector3::zeros(); 301];
    matrix.multiply(&x, &mut out);
    let expected = &dense * flat(&x);
    assert!((flat(&out) - &expected).amax() < 1e-12 * expected.amax());
    let mut diagonal = vec![Matrix3::zeros(); 301];
    matrix.diagonal(&mut diagonal);
    for (block, diagonal) in diagonal.iter().enumerate() {
        let expected: Matrix3<f64> = dense.fixed_view::<3, 3>(3 * block, 3 * block).into();
        assert!((diagonal - expected).amax() < 1e-10);
    }
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let (kernel, _, mut matrix) = random_system(20_000, 30_000);
            let x = wave(20_001);
            let mut gradient = vec![Vector3::zeros(); x.len()];
            let energy = matrix.assemble(&kernel, &x, DerivativeOrder::ExactHessian, &mut gradient);
            let mut out = gradient.clone();
            matrix.multiply(&gradient, &mut out);
            (energy.to_bits(), dot(&out, &x).to_bits(), out)
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn the_damping_matrix_is_a_multiple_of_the_elements_part() {
    let (kernel, dense, mut matrix) = random_system(40, 200);
    let x = wave(41);
    let mut out = vec![Vector3::zeros(); 41];
    matrix.assemble(&kernel, &x, DerivativeOrder::ExactHessian, &mut out);
    matrix.store_damping(&|_| 0.25);
    matrix.multiply_damping(&x, &mut out);
    let product = &dense * flat(&x);
    assert!((flat(&out) - 0.25 * &product).amax() < 1e-12 * product.amax());
    matrix.add_damping(2.0);
    matrix.multiply(&x, &mut out);
    assert!((flat(&out) - 1.5 * &product).amax() < 1e-12 * product.amax());
}
