//! Reloading of a scene when its files change: their modification times are polled, and loading runs on another thread.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant, SystemTime};

use super::load::{Loaded, Prepare};

/// Interval between two checks of the files: longer delays a reload, shorter reads more file metadata.
const POLL_INTERVAL: Duration = Duration::from_millis(300);

/// Modification time and length of a file; `None` if it cannot be found.
type Stamp = Option<(SystemTime, u64)>;

/// Monitors the files of a scene.
pub(super) struct Reload {
    path: PathBuf,
    prepare: Arc<Prepare>,
    files: Vec<(PathBuf, Stamp)>,
    last_check: Instant,
    loading: Option<Receiver<Result<Box<Loaded>, String>>>,
}

impl Reload {
    pub(super) fn new(path: &Path, files: &[PathBuf], prepare: Arc<Prepare>) -> Self {
        let files = files.iter().map(|file| (file.clone(), stamp(file))).collect();
        Self { path: path.to_owned(), prepare, files, last_check: Instant::now(), loading: None }
    }

    /// The reloaded scene or the error message, once, after the files have changed and loading is done.
    pub(super) fn poll(&mut self) -> Option<Result<Box<Loaded>, String>> {
        if let Some(loading) = &self.loading {
            let poll = match loading.try_recv() {
                Ok(poll) => poll,
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => {
                    Err(format!("internal error: loading {} panicked", self.path.display()))
                }
            };
            self.loading = None;
            if let Ok(loaded) = &poll {
                self.monitor(&loaded.files);
            }
            return Some(poll);
        }
        if self.last_check.elapsed() >= POLL_INTERVAL {
            self.last_check = Instant::now();
            if self.has_changed() {
                self.load();
            }
        }
        None
    }

    /// Replaces the monitored files; the stamps of known ones stay, so that changes during loading are noticed.
    fn monitor(&mut self, files: &[PathBuf]) {
        let known =
            |file: &PathBuf| self.files.iter().find(|(known, _)| known == file).map(|(_, stamp)| *stamp);
        self.files =
            files.iter().map(|file| (file.clone(), known(file).unwrap_or_else(|| stamp(file)))).collect();
    }

    /// Whether a file has changed since the last call. A missing file does not count as changed: editors that replace a
    /// file remove it for a moment.
    fn has_changed(&mut self) -> bool {
        let mut changed = false;
        for (file, known) in &mut self.files {
            let now = stamp(file);
            if now.is_some() && now != *known {
                *known = now;
                changed = true;
            }
        }
        changed
    }

    /// Begins to load the scene, whose files have changed.
    pub(super) fn begin(&mut self) {
        self.has_changed();
        self.load();
    }

    /// Whether the scene is being loaded.
    pub(super) fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    fn load(&mut self) {
        let (done, loading) = channel();
        let (path, prepare) = (self.path.clone(), Arc::clone(&self.prepare));
        std::thread::spawn(move || {
            // The receiver is gone when the viewer has been closed.
            let _ = done.send(Loaded::scene(&path, &*prepare).map(Box::new));
        });
        self.loading = Some(loading);
    }
}

fn stamp(file: &Path) -> Stamp {
    let data = fs::metadata(file).ok()?;
    Some((data.modified().ok()?, data.len()))
}

#[cfg(test)]
mod tests;
