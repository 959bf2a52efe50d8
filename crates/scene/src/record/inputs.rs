//! Inputs of a run: the scene, its meshes, its robots with theirs, and the files that those name in turn.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bundle::{self, BundleError};
use super::{Hash, RecordError};
use crate::scene::{NamedFile, Scene};
use extricate_core::geometry::read::FileScope;

/// A file that a run reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Path relative to the folder of the scene, with `/` on every system.
    pub name: String,
    /// Hash of its content.
    pub hash: Hash,
}

/// Inputs of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inputs {
    /// Hash of the text of the scene and of the content of all files, in the order in which they are named.
    pub hash: Hash,
    /// Hash of the text of the scene alone.
    pub scene: Hash,
    /// The files that the scene names and those that they name: meshes of robots and what MJCF files include, buffers of glTF files, the other file of
    /// a TetGen pair. Each once, in the order of their first use.
    pub files: Vec<InputFile>,
}

impl Inputs {
    /// The inputs of a scene, as its files are now.
    ///
    /// # Errors
    /// [`RecordError`] when a file cannot be read.
    pub fn of(scene: &Scene) -> Result<Self, RecordError> {
        let folder = scene.path.parent().unwrap_or(Path::new(""));
        let mut found = InputCollector { folder, scope: &scene.file_scope, files: Vec::new() };
        let walked = scene.text_with_files(&mut |file| found.add(file).map_err(BundleError::Record));
        walked.map_err(|refused| refused.of(&scene.path))?;
        let text = Hash::of([scene.text.as_bytes()]);
        let hashes = std::iter::once(text).chain(found.files.iter().map(|(_, file)| file.hash));
        let bytes: Vec<[u8; 8]> = hashes.map(|hash| hash.0.to_le_bytes()).collect();
        let files = found.files.into_iter().map(|(_, file)| file).collect();
        Ok(Self { hash: Hash::of(bytes.iter().map(<[u8; 8]>::as_slice)), scene: text, files })
    }
}

/// Input files, while they are collected.
struct InputCollector<'a> {
    folder: &'a Path,
    scope: &'a FileScope,
    files: Vec<(PathBuf, InputFile)>,
}

impl InputCollector<'_> {
    /// Adds a file and those that it names. The returned path is a placeholder: the text with replaced paths is discarded.
    fn add(&mut self, file: &NamedFile) -> Result<String, RecordError> {
        for path in bundle::files_of(file, self.scope)? {
            if self.files.iter().all(|(known, _)| *known != path) {
                let bytes = bundle::read(&path, &file.path, self.scope)?;
                let name = self.name_of(&path);
                self.files.push((path, InputFile { name, hash: Hash::of([bytes.as_slice()]) }));
            }
        }
        Ok(String::new())
    }

    /// Path relative to the folder of the scene. Of a package that was found elsewhere only the name of the file remains, so
    /// that no name depends on the machine.
    fn name_of(&self, path: &Path) -> String {
        let absolute = std::path::absolute(self.folder).unwrap_or_else(|_| self.folder.to_owned());
        let below = path.strip_prefix(self.folder).or_else(|_| path.strip_prefix(&absolute)).ok();
        let below = below.filter(|below| below.is_relative()).map(Path::to_owned);
        let name = below.unwrap_or_else(|| path.file_name().map_or_else(PathBuf::new, PathBuf::from));
        name.to_string_lossy().replace('\\', "/")
    }
}
