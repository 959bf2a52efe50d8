//! Files that are there as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Where a file is written before it has its name.
pub(crate) fn part_of(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    part.into()
}

/// Writes a file under another name and renames it, so that it is never there in part.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    renamed(path, |part| fs::write(part, bytes))
}

/// The same, on the disk before it has its name: it is whole or not there, whatever happens to the machine.
pub(crate) fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    renamed(path, |part| {
        let mut file = File::create(part)?;
        file.write_all(bytes)?;
        file.sync_all()
    })?;
    // The name reaches the disk with its folder, where folders can be opened.
    path.parent().and_then(|folder| File::open(folder).ok()).map_or(Ok(()), |folder| folder.sync_all())
}

fn renamed(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let part = part_of(path);
    let written = write(&part).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // What is left of it takes room that may be what was missing.
        let _ = fs::remove_file(&part);
    }
    written
}

/// Writes a value as JSON; the file is never there in part.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    write_whole(path, &text)
}

/// Removes a file if it is there.
pub(crate) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
