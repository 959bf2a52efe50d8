//! Meshes for the tests.

use nalgebra::{Point3, Vector3};

use extricate_core::geometry::TetMesh;
use extricate_core::geometry::tet_mesh::signed_volume;

/// A block of cubes, each split in six around its main diagonal (Kuhn), as the block of case V10.
pub(super) fn block(counts: [usize; 3], size: [f64; 3], origin: [f64; 3]) -> TetMesh {
    mapped(counts, |p| Point3::from(Vector3::from(origin) + p.component_mul(&Vector3::from(size))))
}

/// The unit cube's Kuhn mesh with its nodes mapped.
pub(super) fn mapped([nx, ny, nz]: [usize; 3], map: impl Fn(Vector3<f64>) -> Point3<f64>) -> TetMesh {
    let at = |i: usize, j: usize, k: usize| u32::try_from((i * (ny + 1) + j) * (nz + 1) + k).unwrap();
    let mut nodes = Vec::new();
    for i in 0..=nx {
        for j in 0..=ny {
            for k in 0..=nz {
                let fraction = |at: usize, count: usize| at as f64 / count as f64;
                nodes.push(map(Vector3::new(fraction(i, nx), fraction(j, ny), fraction(k, nz))));
            }
        }
    }
    let mut tets = Vec::new();
    for (i, j, k) in (0..nx * ny * nz).map(|c| (c / (ny * nz), c / nz % ny, c % nz)) {
        for axes in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut corner = [i, j, k];
            let mut tet = [at(i, j, k); 4];
            for (step, axis) in axes.into_iter().enumerate() {
                corner[axis] += 1;
                tet[step + 1] = at(corner[0], corner[1], corner[2]);
            }
            if signed_volume(&tet.map(|n| nodes[n as usize])) < 0.0 {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
    TetMesh::new(nodes, tets).unwrap()
}

/// A ball of radius one: the cube's mesh mapped radially.
pub(super) fn ball(n: usize) -> TetMesh {
    mapped([n; 3], |p| {
        let q = 2.0 * p.add_scalar(-0.5);
        let (far, norm) = (q.amax(), q.norm());
        Point3::from(if norm > 0.0 { q * far / norm } else { q })
    })
}

/// A C: a bar bent through `angle` [rad] about z, inner radius 0.6, outer 1.
pub(super) fn ring(angle: f64) -> TetMesh {
    mapped([2, 36, 2], |p| {
        let (r, a) = (0.6 + 0.4 * p.x, angle * p.y);
        Point3::new(r * a.cos(), r * a.sin(), 0.4 * p.z)
    })
}

/// The blocks of meshes, one after the other.
pub(super) fn blocks(meshes: &[&TetMesh]) -> Vec<Vector3<f64>> {
    meshes.iter().flat_map(|mesh| mesh.nodes().iter().map(|node| node.coords)).collect()
}
