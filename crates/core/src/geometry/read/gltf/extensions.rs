//! Extensions of glTF that a file requires: those that encode its triangles are refused by name, all others do not affect them.

use crate::geometry::read::correction::Corrections;
use crate::geometry::read::error::Fault;

/// Extensions that encode triangles or instances in a form that is not supported, each with a program that decodes it.
const ENCODINGS: [(&str, &str); 4] = [
    ("KHR_draco_mesh_compression", "`gltf-transform copy IN OUT` writes it without"),
    ("EXT_meshopt_compression", "`gltf-transform copy IN OUT` writes it without"),
    ("KHR_meshopt_compression", "`gltf-transform copy IN OUT` writes it without"),
    ("EXT_mesh_gpu_instancing", "`gltf-transform uninstance IN OUT` writes it without"),
];

/// Beginnings of the names of extensions that do not affect triangles: materials, textures, lights, metadata. Positions that are
/// quantized are read.
const HARMLESS: [&str; 8] = [
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
    "KHR_mesh_quantization",
];

/// Refuses required extensions that encode triangles, and reports unknown ones.
pub(super) fn check(required: &[String], corrections: &Corrections) -> Result<(), Fault> {
    for name in required {
        if let Some((_, instead)) = ENCODINGS.iter().find(|(encoding, _)| encoding == name) {
            return Err(Fault::Content(format!(
                "it requires the extension {name}, which is not supported; {instead}"
            )));
        }
        if !HARMLESS.iter().any(|start| name.starts_with(start)) {
            let found = || format!("the unknown extension \"{name}\" is required");
            corrections.add(None, "extensions", "ignored", found);
        }
    }
    Ok(())
}
