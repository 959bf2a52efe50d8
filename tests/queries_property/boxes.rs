//! The Minkowski difference of two boxes by its faces.

use nalgebra::{Isometry3, Vector3};

/// A pair of parallel faces of the Minkowski difference of two boxes: a normal, not of unit length; the offset of the centres along it;
/// and the sum of the half extents along it.
pub(crate) struct Faces {
    pub(crate) normal: Vector3<f64>,
    pub(crate) offset: f64,
    pub(crate) extent: f64,
}

/// All faces, whose normals are those of both boxes and the products of their edges, of boxes with these half extents \[m\].
pub(crate) fn faces_of_difference(halves: [Vector3<f64>; 2], poses: [Isometry3<f64>; 2]) -> Vec<Faces> {
    let rotations = poses.map(|pose| pose.rotation.to_rotation_matrix().into_inner());
    let apart = poses[1].translation.vector - poses[0].translation.vector;
    let columns = rotations.map(|rotation| [0, 1, 2].map(|axis| Vector3::from(rotation.column(axis))));
    let products = columns[0].iter().flat_map(|x| columns[1].iter().map(move |y| x.cross(y)));
    let normals = columns.iter().flatten().copied().chain(products).filter(|normal| normal.norm() > 1e-9);
    let faces = |normal: Vector3<f64>| {
        let half = |side: usize| -> f64 {
            (0..3).map(|axis| halves[side][axis] * columns[side][axis].dot(&normal).abs()).sum()
        };
        Faces { normal, offset: apart.dot(&normal).abs(), extent: half(0) + half(1) }
    };
    normals.map(faces).collect()
}
