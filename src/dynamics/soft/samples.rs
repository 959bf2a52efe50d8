//! Matrices and meshes for tests of soft bodies.

use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

use crate::dynamics::soft::material::{Constitutive, Material};
use crate::geometry::TetMesh;

/// Every model.
pub(super) const MODELS: [Constitutive; 4] = [
    Constitutive::Linear,
    Constitutive::Corotational,
    Constitutive::StVenantKirchhoff,
    Constitutive::NeoHookean,
];

/// A material of density 1000 kg/m³.
pub(super) fn material(model: Constitutive, youngs_modulus: f64, poisson_ratio: f64) -> Material {
    Material::new(model, 1000.0, youngs_modulus, poisson_ratio).unwrap()
}

/// Numbers between −1 and 1, the same for the same seed.
pub(super) struct Uniform(pub(super) u64);

impl Uniform {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        #[expect(clippy::cast_precision_loss, reason = "the upper 53 bits are a float")]
        let fraction = (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        2.0 * fraction - 1.0
    }

    pub(super) fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.next())
    }

    pub(super) fn matrix(&mut self) -> Matrix3<f64> {
        Matrix3::from_fn(|_, _| self.next())
    }

    pub(super) fn rotation(&mut self) -> Matrix3<f64> {
        Rotation3::new(4.0 * self.vector()).into_inner()
    }
}

/// Random deformation gradients, half of them inverted, some close to rotations.
pub(super) fn deformation_gradients(count: u64) -> Vec<Matrix3<f64>> {
    let all = (0..count).map(|seed| {
        let mut random = Uniform(seed);
        let part = if seed % 3 == 0 { 0.1 } else { 1.0 };
        let f = random.rotation() * (Matrix3::identity() + part * random.matrix());
        if seed % 2 == 0 { f } else { -f }
    });
    all.collect()
}

/// A cube of side 1 m, cut in `n`³ cells of six tetrahedra each, its interior shaken.
pub(super) fn cube(n: u32) -> TetMesh {
    let mut random = Uniform(7);
    let mut nodes = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            for k in 0..=n {
                let inside = [i, j, k].iter().all(|&c| c > 0 && c < n);
                let shift = if inside { 0.1 * random.vector() } else { Vector3::zeros() };
                let cell = Vector3::new(f64::from(i), f64::from(j), f64::from(k)) + shift;
                nodes.push(Point3::from(cell / f64::from(n)));
            }
        }
    }
    let place = |c: [u32; 3]| (c[0] * (n + 1) + c[1]) * (n + 1) + c[2];
    let mut tets = Vec::new();
    for cell in 0..n * n * n {
        let corner = [cell / (n * n), cell / n % n, cell % n];
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let mut at = corner;
            let mut tet = [place(at); 4];
            for (step, axis) in order.into_iter().enumerate() {
                at[axis] += 1;
                tet[step + 1] = place(at);
            }
            let [a, b, c, d] = tet.map(|v| nodes[v as usize]);
            if (b - a).cross(&(c - a)).dot(&(d - a)) < 0.0 {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
    TetMesh::new(nodes, tets).unwrap()
}
