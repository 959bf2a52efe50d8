//! Opening of another scene or run in place of the current one, on another thread.

use std::path::Path;
use std::sync::Arc;

use super::Session;
use super::edit_history::EditHistory;
use crate::app::load::Loaded;
use crate::app::opening::Opening;
use crate::app::recent::Recent;
use crate::app::reload::Reload;
use crate::app::simulation::Command;
use crate::camera::Camera;

impl Session {
    /// The session with a list of recent scenes and runs, to which its own is added.
    #[must_use]
    pub fn with_recent(mut self, recent: Recent) -> Self {
        self.recent = recent;
        self.remember();
        self
    }

    fn remember(&mut self) {
        let path = self.title.path.clone();
        self.recent.add(&path);
        self.recent_paths = self.recent.paths();
    }

    /// Begins to load a scene or run; the current one stays until then, and if there is an error.
    pub(super) fn open(&mut self, path: &Path) {
        self.note(format!("opening {}", path.display()));
        self.opening = Some(Opening::begin(path, Arc::clone(&self.prepare)));
    }

    /// Shows what has been loaded.
    pub(super) fn finish_opening(&mut self) {
        let Some(loaded) = self.opening.as_ref().and_then(Opening::poll) else { return };
        self.opening = None;
        match loaded {
            Ok(loaded) => self.show(*loaded),
            Err(error) => self.fail(error),
        }
    }

    /// Whether a scene or run is being opened.
    pub(super) fn is_opening(&self) -> bool {
        self.opening.is_some()
    }

    /// Shows another scene or run, paused at its start.
    fn show(&mut self, loaded: Loaded) {
        let is_live = loaded.source.is_live();
        self.reload =
            is_live.then(|| Reload::new(loaded.title.path(), &loaded.files, Arc::clone(&self.prepare)));
        let fitted = || Camera::fitted(&loaded.models.bounds(&loaded.start, true), self.size.x / self.size.y);
        self.camera = loaded.camera.unwrap_or_else(fitted);
        self.edits = EditHistory::default();
        self.snapshot.clock.playing = false;
        self.replace(loaded);
        self.select(None);
        self.simulation.send(Command::Display(self.display));
        self.remember();
        self.note(format!("opened {}", self.title.path().display()));
    }
}
