//! Loading a scene anew when its files change: they are asked for their times now and then, and loaded on another thread.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant, SystemTime};

use super::load::{Loaded, Prepare};

/// Time between two looks at the files.
const BETWEEN: Duration = Duration::from_millis(300);

/// When a file was changed and how long it is; none of one that cannot be found.
type Stamp = Option<(SystemTime, u64)>;

/// Watches the files of a scene.
pub(super) struct Reload {
    path: PathBuf,
    prepare: Arc<Prepare>,
    files: Vec<(PathBuf, Stamp)>,
    looked: Instant,
    loading: Option<Receiver<Result<Box<Loaded>, String>>>,
}

impl Reload {
    pub(super) fn new(path: &Path, files: &[PathBuf], prepare: Arc<Prepare>) -> Self {
        let files = files.iter().map(|file| (file.clone(), stamp(file))).collect();
        Self { path: path.to_owned(), prepare, files, looked: Instant::now(), loading: None }
    }

    /// What was loaded anew, or what is wrong with it, if the files were changed and loading is done.
    pub(super) fn news(&mut self) -> Option<Result<Box<Loaded>, String>> {
        if let Some(loading) = &self.loading {
            let news = match loading.try_recv() {
                Ok(news) => news,
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => Err(format!(
                    "{}: loading it broke, which is a defect of this program",
                    self.path.display()
                )),
            };
            self.loading = None;
            if let Ok(loaded) = &news {
                self.watch(&loaded.files);
            }
            return Some(news);
        }
        if self.looked.elapsed() >= BETWEEN {
            self.looked = Instant::now();
            if self.has_changed() {
                self.load();
            }
        }
        None
    }

    /// Watches other files; what is known of one stays as it was when loading began.
    fn watch(&mut self, files: &[PathBuf]) {
        let known =
            |file: &PathBuf| self.files.iter().find(|(known, _)| known == file).map(|(_, stamp)| *stamp);
        self.files =
            files.iter().map(|file| (file.clone(), known(file).unwrap_or_else(|| stamp(file)))).collect();
    }

    /// Whether a file is not as it was when this was asked last. One that is gone has not changed yet: editors that write
    /// it anew take it away for a moment.
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

    fn load(&mut self) {
        let (done, loading) = channel();
        let (path, prepare) = (self.path.clone(), Arc::clone(&self.prepare));
        std::thread::spawn(move || {
            // Nobody waits for it when the viewer has been closed.
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
