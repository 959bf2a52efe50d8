//! Transforms of the nodes of a glTF file in double precision, in which its text may hold them; the crate `gltf` rounds them.

use nalgebra::{Isometry3, Matrix4, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde::Deserialize;

use crate::geometry::read::error::Fault;

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    nodes: Vec<Transform>,
}

#[derive(Deserialize)]
#[serde(default)]
struct Transform {
    /// Column by column.
    matrix: Option<[f64; 16]>,
    translation: [f64; 3],
    /// x, y, z, w.
    rotation: [f64; 4],
    scale: [f64; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { matrix: None, translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

impl Transform {
    /// Node frame → parent frame.
    fn matrix(&self) -> Matrix4<f64> {
        if let Some(matrix) = &self.matrix {
            return Matrix4::from_column_slice(matrix);
        }
        let [x, y, z, w] = self.rotation;
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let rigid = Isometry3::from_parts(Translation3::from(self.translation), rotation).to_homogeneous();
        rigid.prepend_nonuniform_scaling(&Vector3::from(self.scale))
    }
}

/// Node frame → parent frame of every node of a text.
pub(super) fn transforms(json: &[u8]) -> Result<Vec<Matrix4<f64>>, Fault> {
    let file: File = serde_json::from_slice(json).map_err(|error| Fault::Content(error.to_string()))?;
    Ok(file.nodes.iter().map(Transform::matrix).collect())
}
