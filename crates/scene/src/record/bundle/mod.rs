//! Self-contained copy of the inputs of a run in its folder: the scene and all files that it names.
//!
//! `scene.ron` is the text of the scene with the paths of its files replaced; `assets/HASH.EXTENSION` are those files,
//! named by the hash of their content, so that each is stored once. Robots name the copies of
//! their meshes, glTF files those of their buffers; the two files of TetGen share a stem. A scene that is written to
//! another place takes along the files that it could not name from there ([`write_scene`]).

mod gltf;
mod urdf;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Hash, RecordError};
use crate::disk::write_whole;
use crate::scene::{NamedFile, Scene, SceneError, with_files};
use extricate_core::geometry::limits::FILE_BYTES;
use extricate_core::geometry::read::file::bytes_of;
use extricate_core::geometry::read::{FileScope, OutsideFileScope};

/// Name of the scene in the folder of a run.
pub(super) const SCENE: &str = "scene.ron";
/// Name of the folder of its files.
pub(super) const ASSETS: &str = "assets";

/// Writes `scene` and its files to the folder, and removes files of an earlier scene from it.
///
/// # Errors
/// [`RecordError`] when a file cannot be read or written, or when the scene would be overwritten by another text.
pub(super) fn write(scene: &Scene, folder: &Path) -> Result<(), RecordError> {
    let mut assets = Assets::of(scene, folder.join(ASSETS));
    let text = scene.text_with_files(&mut |file| assets.place(file).map_err(BundleError::Record));
    let path = folder.join(SCENE);
    let text = text.map_err(|refused| refused.of(&scene.path))?;
    let is_own = path.canonicalize().is_ok_and(|path| scene.path.canonicalize().is_ok_and(|own| own == path));
    // A scene that is run in its own folder is rewritten only where that changes nothing.
    if is_own && text != scene.text {
        let message = "the scene being run is in this folder, and a run does not overwrite it";
        return Err(RecordError::write(&path, io::Error::new(io::ErrorKind::AlreadyExists, message)));
    }
    whole(&path, text.as_bytes())?;
    assets.remove_others()
}

/// Writes `text`, which was made of `scene` for the folder of `path`, to that file, atomically. Files outside `scope`, the scope of files
/// that it may name, are copied to the folder `NAME.assets` beside it, so that the scene can be read where it is. Nothing is removed from
/// that folder: other scenes may name its files. Returns the text as it was written.
///
/// # Errors
/// [`RecordError`] when a file cannot be read or written, or when the text is not a valid scene.
pub fn write_scene(scene: &Scene, text: &str, path: &Path, scope: &FileScope) -> Result<String, RecordError> {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(".assets");
    let mut assets = Assets::of(scene, path.with_file_name(name));
    let mut place = |file: &NamedFile| {
        let files = files_of(file, &scene.file_scope)?;
        let is_in_scope = files.iter().all(|file| scope.check(file, path).is_ok());
        if is_in_scope { Ok(None) } else { assets.place(file).map(Some) }
    };
    let text = with_files(path, text, &mut |file| place(file).map_err(BundleError::Record));
    let text = text.map_err(|refused| refused.of(path))?;
    whole(path, text.as_bytes())?;
    Ok(text)
}

/// Reason why the text of a scene could not be made.
pub(super) enum BundleError {
    /// A file that it names cannot be read or written.
    Record(RecordError),
    /// The text is not a valid scene.
    Scene(SceneError),
}

impl BundleError {
    /// The error, of the scene at `path`.
    pub(super) fn of(self, path: &Path) -> RecordError {
        match self {
            Self::Record(error) => error,
            Self::Scene(error) => RecordError::read(path, io::Error::other(error.to_string())),
        }
    }
}

impl From<SceneError> for BundleError {
    fn from(error: SceneError) -> Self {
        Self::Scene(error)
    }
}

/// Writes a file atomically: under another name, and then renamed.
///
/// # Errors
/// [`RecordError`] when the system does not allow it.
pub fn whole(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    write_whole(path, bytes).map_err(|source| RecordError::write(path, source))
}

/// The file and those that it names, itself first: the other file of a TetGen pair, buffers of a glTF file, existing meshes of a
/// robot with their buffers, and what an MJCF file includes.
///
/// # Errors
/// [`RecordError`] when a file that has to be parsed cannot be read.
pub(super) fn files_of(file: &NamedFile, scope: &FileScope) -> Result<Vec<PathBuf>, RecordError> {
    let path = &file.path;
    match (&file.robot, extension_of(path).as_str()) {
        (Some(options), _) => {
            let mut files = vec![path.clone()];
            for mesh in urdf::meshes(path, options, scope)? {
                files.extend(files_of(&NamedFile { path: mesh, robot: None }, scope)?);
            }
            Ok(files)
        }
        (None, "node") => Ok(vec![path.clone(), path.with_extension("ele")]),
        (None, "ele") => Ok(vec![path.clone(), path.with_extension("node")]),
        (None, "gltf") => {
            let buffers = gltf::buffers(path, &read(path, path, scope)?);
            Ok(std::iter::once(path.clone()).chain(buffers).collect())
        }
        (None, _) => Ok(vec![path.clone()]),
    }
}

/// The folder of the files of a scene, while it is being filled.
struct Assets {
    folder: PathBuf,
    /// Names of the files that were written.
    written: BTreeSet<String>,
    /// Files that the scene may name: no other is copied, not even one that is not read for the run.
    scope: FileScope,
}

impl Assets {
    /// The files of a scene, to be copied to `folder`.
    fn of(scene: &Scene, folder: PathBuf) -> Self {
        Self { folder, written: BTreeSet::new(), scope: scene.file_scope.clone() }
    }

    /// Copies a file and those that it names. Returns its new path, relative to the parent of the folder of assets.
    fn place(&mut self, file: &NamedFile) -> Result<String, RecordError> {
        let extension = extension_of(&file.path);
        let name = match (&file.robot, extension.as_str()) {
            (Some(options), _) => urdf::copy(self, &file.path, options)?,
            (None, "node" | "ele") => self.copy_pair(&file.path)?,
            (None, _) => self.copy_mesh(&file.path)?,
        };
        let folder = self.folder.file_name().unwrap_or_default().to_string_lossy();
        Ok(format!("{folder}/{name}"))
    }

    /// Copies a mesh. Returns its new name.
    fn copy_mesh(&mut self, path: &Path) -> Result<String, RecordError> {
        let bytes = self.read(path, path)?;
        let extension = extension_of(path);
        match extension.as_str() {
            "gltf" => gltf::copy(self, path, bytes),
            _ => self.add(&bytes, &extension),
        }
    }

    /// Copies TetGen's pair of files, which find each other by their name.
    fn copy_pair(&mut self, path: &Path) -> Result<String, RecordError> {
        let [node, ele] = ["node", "ele"].map(|extension| self.read(&path.with_extension(extension), path));
        let (node, ele) = (node?, ele?);
        let stem = Hash::of([node.as_slice(), ele.as_slice()]).to_string();
        self.write(&format!("{stem}.node"), &node)?;
        self.write(&format!("{stem}.ele"), &ele)
    }

    /// The bytes of a file that `named_by` names.
    fn read(&self, path: &Path, named_by: &Path) -> Result<Vec<u8>, RecordError> {
        read(path, named_by, &self.scope)
    }

    /// Writes a file under the hash of its content. Returns its name.
    fn add(&mut self, bytes: &[u8], extension: &str) -> Result<String, RecordError> {
        self.write(&format!("{}.{extension}", Hash::of([bytes])), bytes)
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<String, RecordError> {
        if self.written.is_empty() {
            fs::create_dir_all(&self.folder).map_err(|source| RecordError::write(&self.folder, source))?;
        }
        if self.written.insert(name.to_owned()) {
            whole(&self.folder.join(name), bytes)?;
        }
        Ok(name.to_owned())
    }

    /// Removes the files of an earlier scene: those named by a hash that were not written now.
    fn remove_others(&self) -> Result<(), RecordError> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Ok(()) };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let text =
                |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
            let (name, stem) = (text(path.file_name()), text(path.file_stem()));
            // Only names that `add` makes are removed; other files stay.
            let is_ours = stem.len() == HASH_LETTERS && stem.bytes().all(|b| b.is_ascii_hexdigit());
            if is_ours && !self.written.contains(&name) {
                fs::remove_file(&path).map_err(|source| RecordError::write(&path, source))?;
            }
        }
        if self.written.is_empty() {
            // Fails where other files are in it, and the folder then stays.
            let _ = fs::remove_dir(&self.folder);
        }
        Ok(())
    }
}

/// Number of hexadecimal digits of a hash.
const HASH_LETTERS: usize = 16;

/// The bytes of a file that `named_by` names, if that may name it.
pub(super) fn read(path: &Path, named_by: &Path, scope: &FileScope) -> Result<Vec<u8>, RecordError> {
    let refused = |error: OutsideFileScope| io::Error::new(io::ErrorKind::PermissionDenied, error);
    let bytes = scope.check(path, named_by).map_err(refused);
    bytes.and_then(|()| bytes_of(path, FILE_BYTES)).map_err(|source| RecordError::read(path, source))
}

fn extension_of(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}
