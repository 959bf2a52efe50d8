//! Runs that a command reads: folders, and MCAP recordings to which a run is attached.

use std::path::{Path, PathBuf};

use super::terminal::{Exit, Failure};
use extricate_scene::PrivateFolder;
use extricate_scene::record::export::{ExportFormat, unpack};

/// The folder of a run.
#[derive(Debug)]
pub(super) struct RunFolder {
    path: PathBuf,
    /// Its folder, if it exists only for the time of the command.
    unpacked: Option<PrivateFolder>,
}

impl RunFolder {
    /// The folder that is given, or that of the run attached to an MCAP recording; none of another file.
    pub(super) fn find(path: &Path) -> Result<Option<Self>, Failure> {
        if path.is_dir() {
            return Ok(Some(Self { path: path.to_owned(), unpacked: None }));
        }
        if ExportFormat::of(path) != Some(ExportFormat::Mcap) {
            return Ok(None);
        }
        let folder = PrivateFolder::new().map_err(|error| {
            Failure::new(Exit::Usage, format!("cannot create a temporary folder: {error}"))
        })?;
        // Named as the recording, since names of runs are those of their folders.
        let run = folder.path().join(path.file_stem().unwrap_or_default());
        unpack(path, &run).map_err(|error| Failure::of(Exit::BadFile, &error))?;
        Ok(Some(Self { path: run, unpacked: Some(folder) }))
    }

    /// Whether it exists only for the time of the command.
    #[cfg_attr(
        not(feature = "viewer"),
        expect(dead_code, reason = "recently opened runs are those of windows")
    )]
    pub(super) fn is_unpacked(&self) -> bool {
        self.unpacked.is_some()
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}
