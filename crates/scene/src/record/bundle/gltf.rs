//! glTF files in JSON: copies of the buffers beside them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Assets, extension_of};
use crate::record::RecordError;
use extricate_core::geometry::read::buffer_file;

/// Copies a glTF file with its buffers; a malformed one is copied unchanged. Returns its new name.
pub(super) fn copy(assets: &mut Assets, path: &Path, bytes: Vec<u8>) -> Result<String, RecordError> {
    let Ok(mut content) = serde_json::from_slice::<Value>(&bytes) else { return assets.add(&bytes, "gltf") };
    let buffers = content.get_mut("buffers").and_then(Value::as_array_mut);
    let mut is_changed = false;
    for uri in buffers.into_iter().flatten().filter_map(|buffer| buffer.get_mut("uri")) {
        let Some(buffer) = uri.as_str().and_then(|uri| buffer_file(uri, path)) else { continue };
        *uri = Value::String(assets.add(&assets.read(&buffer, path)?, &extension_of(&buffer))?);
        is_changed = true;
    }
    let bytes = if is_changed { content.to_string().into_bytes() } else { bytes };
    assets.add(&bytes, "gltf")
}

/// Buffer files of a glTF file, in its order.
pub(super) fn buffers(path: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let content = serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    let buffers = content.get("buffers").and_then(Value::as_array).into_iter().flatten();
    let names = buffers.filter_map(|buffer| buffer.get("uri")?.as_str());
    names.filter_map(|uri| buffer_file(uri, path)).collect()
}
