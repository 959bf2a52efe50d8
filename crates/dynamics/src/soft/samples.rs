//! Matrices and meshes for tests of soft bodies.

use extricate_test_support::Noise;
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

use crate::soft::material::{Constitutive, Material};
use extricate_core::geometry::TetMesh;

/// All constitutive models.
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

fn matrix(noise: &mut Noise) -> Matrix3<f64> {
    Matrix3::from_fn(|_, _| noise.signed())
}

/// A random rotation.
pub(super) fn rotation(noise: &mut Noise) -> Matrix3<f64> {
    Rotation3::new(4.0 * noise.signed_vector()).into_inner()
}

/// Random deformation gradients, half of them inverted, some close to rotations.
pub(super) fn deformation_gradients(count: u64) -> Vec<Matrix3<f64>> {
    let all = (0..count).map(|seed| {
        let mut random = Noise(seed);
        let part = if seed % 3 == 0 { 0.1 } else { 1.0 };
        let f = rotation(&mut random) * (Matrix3::identity() + part * matrix(&mut random));
        if seed % 2 == 0 { f } else { -f }
    });
    all.collect()
}

/// A cube of side 1 m of `n`³ cells of six tetrahedra each, its interior nodes perturbed.
pub(super) fn cube(n: u32) -> TetMesh {
    let mut random = Noise(7);
    block([n; 3], |cell| {
        let inside = cell.iter().all(|&c| c > 0.5 && c < f64::from(n) - 0.5);
        let shift = if inside { 0.1 * random.signed_vector() } else { Vector3::zeros() };
        (cell + shift) / f64::from(n)
    })
}

/// A block of cells of six tetrahedra each; `place` maps the corner of a cell to its position [m].
pub(super) fn block([l, m, n]: [u32; 3], mut place: impl FnMut(Vector3<f64>) -> Vector3<f64>) -> TetMesh {
    let grid = |counts: [u32; 3]| {
        let [j, k] = [counts[1], counts[2]];
        (0..counts.iter().product()).map(move |i: u32| [i / (j * k), i / k % j, i % k])
    };
    let nodes: Vec<_> =
        grid([l + 1, m + 1, n + 1]).map(|c| Point3::from(place(Vector3::from(c.map(f64::from))))).collect();
    let index = |c: [u32; 3]| (c[0] * (m + 1) + c[1]) * (n + 1) + c[2];
    let mut tets = Vec::new();
    for corner in grid([l, m, n]) {
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let mut at = corner;
            let mut tet = [index(at); 4];
            for (step, axis) in order.into_iter().enumerate() {
                at[axis] += 1;
                tet[step + 1] = index(at);
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

/// A mesh of `shared/data/fem/meshes`; `None` where the data are not beside the crate.
pub(super) fn shared_mesh(name: &str) -> Option<TetMesh> {
    let rows = |extension: &str| -> Option<Vec<Vec<f64>>> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/fem/meshes");
        let text = std::fs::read_to_string(format!("{folder}/{name}.{extension}")).ok()?;
        let lines = text.lines().skip(1).filter(|line| !line.starts_with('#'));
        let numbers =
            |line: &str| line.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
        Some(lines.map(numbers).collect())
    };
    let nodes = rows("node")?.iter().map(|row| Point3::new(row[0], row[1], row[2])).collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "indices are small integers")]
    let tets = rows("ele")?.iter().map(|row| [0, 1, 2, 3].map(|i| row[i] as u32)).collect();
    Some(TetMesh::new(nodes, tets).unwrap())
}
