//! Temporary folders for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// An empty folder of one test; it is removed when dropped.
#[derive(Debug)]
pub struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// An empty folder among the temporary files of the system.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a folder is made on disk")]
    pub fn new() -> Self {
        Self::within(&std::env::temp_dir())
    }

    /// An empty folder within another one.
    ///
    /// # Panics
    ///
    /// If it cannot be created.
    #[must_use]
    pub fn within(parent: &Path) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("extricate-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = parent.join(name);
        // Left behind by a killed process with the same id.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test can be made");
        Self(path)
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Path of an entry of the folder.
    ///
    /// # Panics
    ///
    /// If the path is not UTF-8.
    #[must_use]
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the path is UTF-8").to_owned()
    }

    /// Whether an entry of that name exists.
    #[must_use]
    pub fn exists(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    /// Writes a file and returns its path.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.0.join(name), text).expect("a file of the test can be written");
        self.path(name)
    }

    /// Reads a file.
    ///
    /// # Panics
    ///
    /// If it cannot be read.
    #[must_use]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("the file can be read")
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed is harmless.
        let _ = fs::remove_dir_all(&self.0);
    }
}
