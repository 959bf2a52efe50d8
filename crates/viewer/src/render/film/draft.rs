//! A file that is there when it is finished, and not before.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ViewError;

/// A file under another name until it is finished; dropped before, it goes.
#[derive(Debug)]
pub(super) struct Draft {
    draft: PathBuf,
    path: PathBuf,
    is_finished: bool,
}

impl Draft {
    /// A draft beside the file, with its extension. Folders above it are made.
    pub(super) fn of(path: &Path) -> Result<Self, ViewError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|source| ViewError::write(folder, source))?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = path.with_file_name(format!(".draft-{}-{name}", std::process::id()));
        Ok(Self { draft, path: path.to_owned(), is_finished: false })
    }

    /// Where it is written.
    pub(super) fn file(&self) -> &Path {
        &self.draft
    }

    /// Where it will be.
    pub(super) fn target(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name.
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
