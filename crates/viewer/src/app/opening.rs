//! Loading of another scene or run on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::load::{Loaded, Prepare};

/// A scene or run that is being loaded.
pub(super) struct Opening {
    path: PathBuf,
    loaded: Receiver<Result<Box<Loaded>, String>>,
}

impl Opening {
    /// Begins to load a scene file, or the folder of a run.
    pub(super) fn begin(path: &Path, prepare: Arc<Prepare>) -> Self {
        let (done, loaded) = channel();
        let path = path.to_owned();
        let of_thread = path.clone();
        std::thread::spawn(move || {
            // The receiver is gone when the viewer has been closed, or something else was opened.
            let _ = done.send(Loaded::open(&of_thread, &*prepare).map(Box::new));
        });
        Self { path, loaded }
    }

    /// The scene or run, or the error message, once it is loaded.
    pub(super) fn poll(&self) -> Option<Result<Box<Loaded>, String>> {
        match self.loaded.try_recv() {
            Ok(loaded) => Some(loaded),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Err(format!("internal error: loading {} panicked", self.path.display())))
            }
        }
    }
}
