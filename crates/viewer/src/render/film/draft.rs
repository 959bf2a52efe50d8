//! Atomic writing of files: a file exists only when it is finished.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ViewError;

/// A file under a temporary name until it is finished; removed if it is dropped before.
#[derive(Debug)]
pub(super) struct Draft {
    draft: PathBuf,
    path: PathBuf,
    is_finished: bool,
}

impl Draft {
    /// A draft beside the file, with its extension. Missing parent folders are created.
    pub(super) fn of(path: &Path) -> Result<Self, ViewError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|source| ViewError::write(folder, source))?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = path.with_file_name(format!(".draft-{}-{name}", std::process::id()));
        Ok(Self { draft, path: path.to_owned(), is_finished: false })
    }

    /// Path of the draft, to write to.
    pub(super) fn file(&self) -> &Path {
        &self.draft
    }

    /// Path of the finished file.
    pub(super) fn target(&self) -> &Path {
        &self.path
    }

    /// Renames the draft to its final path.
    pub(super) fn finish(mut self) -> Result<(), ViewError> {
        fs::rename(&self.draft, &self.path).map_err(|source| ViewError::write(&self.path, source))?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_finished {
            // It may never have been written.
            let _ = fs::remove_file(&self.draft);
        }
    }
}
