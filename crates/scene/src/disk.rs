//! Atomic writing of files: a file exists completely or not at all. Private folders.

use std::fs::{self, DirBuilder, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Path of the temporary file that is written before it is renamed to `path`.
pub(crate) fn part_of(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    part.into()
}

/// Writes a file under a temporary name and renames it, so that it never exists in part.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    renamed(path, |part| fs::write(part, bytes))
}

/// Writes a file as [`write_whole`] does and syncs it to disk before the rename: after a crash it is complete or absent.
pub(crate) fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    renamed(path, |part| {
        let mut file = File::create(part)?;
        file.write_all(bytes)?;
        file.sync_all()
    })?;
    // The rename is durable only once the folder itself is synced; not every system lets a folder be opened.
    path.parent().and_then(|folder| File::open(folder).ok()).map_or(Ok(()), |folder| folder.sync_all())
}

fn renamed(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let part = part_of(path);
    let written = write(&part).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // A partial file would keep occupying the disk space whose shortage may have been the error.
        let _ = fs::remove_file(&part);
    }
    written
}

/// Writes a value as JSON; the file never exists in part.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    write_whole(path, &text)
}

/// Removes a file if it exists.
pub(crate) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A folder for temporary files that only this user can read, removed with its content when the value is dropped.
#[derive(Debug)]
pub struct PrivateFolder(PathBuf);

impl PrivateFolder {
    /// A new, empty folder.
    ///
    /// # Errors
    /// [`io::Error`] when the system does not allow it.
    pub fn new() -> io::Result<Self> {
        let random = RandomState::new().build_hasher().finish();
        let path = std::env::temp_dir().join(format!("extricate-{random:016x}"));
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // Fails where there is such a folder, of whomever.
        builder.create(&path)?;
        Ok(Self(path))
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = fs::remove_dir_all(&self.0);
    }
}
