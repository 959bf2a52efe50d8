//! Editing of values of bodies in the scene file, and undoing it. The watcher of the file shows the result.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Session;
use super::edit_history::{Edit, EditHistory};
use crate::app::reload::Reload;
use crate::interface::BodyValues;
use extricate_dynamics::AnyBody;
use extricate_scene::record::{RunDirectory, write_whole};
use extricate_scene::scene::{BodyField, Scene, body_values, text_with_body_value};

/// Pause between two looks at a scene that is being reloaded.
const PAUSE: Duration = Duration::from_millis(2);

impl Session {
    /// Values of the selected body in the scene file, or why they cannot be edited; `None` for a recorded run.
    pub(super) fn read_values(&mut self) {
        let selected = self.display.subject.and_then(|body| self.name(body));
        self.values = selected.filter(|_| self.reload.is_some()).map(|name| self.values_of(&name));
    }

    fn values_of(&self, name: &str) -> BodyValues {
        let path = self.editable_file()?;
        body_values(path, &read(path)?, name).map_err(|error| error.to_string())
    }

    /// The scene file, if it may be edited.
    fn editable_file(&self) -> Result<&Path, String> {
        let path = self.title.path();
        if self.reload.is_none() {
            return Err("values of a recorded run cannot be edited; open its scene file instead".into());
        }
        let of_run = path.parent().is_some_and(|folder| folder.join(RunDirectory::STATES).is_file());
        if of_run {
            return Err(format!("{} belongs to a recorded run and is not edited", path.display()));
        }
        Ok(path)
    }

    /// Replaces a value of a body in the scene file, which is reloaded; leaves the file alone if the scene would be invalid.
    pub(super) fn set_value(&mut self, body: &str, field: BodyField, value: &str) {
        let what = format!("{} of `{body}`", field.name());
        let changed = self.edit(&what, |_, path, before| {
            let after = text_with_body_value(path, before, body, (field, value));
            after.map_err(|error| error.to_string())
        });
        match changed {
            Ok(()) => self.note(format!("{what} is {value} in {}; Z undoes", self.title.path().display())),
            Err(error) => self.fail(format!("{what} not changed: {error}")),
        }
    }

    /// Edits the scene file by a function of its path and text, which returns the new text.
    pub(super) fn edit(
        &mut self,
        what: &str,
        edit: impl FnOnce(&Self, &Path, &str) -> Result<String, String>,
    ) -> Result<(), String> {
        let path = self.editable_file()?.to_owned();
        let before = read(&path)?;
        let after = edit(self, &path, &before)?;
        if after != before {
            self.parsed(&path, &after)?;
            self.write(&path, &after)?;
            self.edits.add(Edit { texts: [before, after], what: what.to_owned() });
        }
        Ok(())
    }

    /// The scene of a text, as if the text were in the file.
    pub(super) fn parsed(&self, path: &Path, text: &str) -> Result<Scene, String> {
        let scope = self.access.scope_of_scene(path);
        Scene::parse_within(path, text.to_owned(), &scope).map_err(|error| error.to_string())
    }

    /// Undoes the last edit of the scene file, or redoes the last undone one.
    pub(super) fn undo_edit(&mut self, redo: bool) {
        let edits = if redo { &mut self.edits.redo } else { &mut self.edits.undo };
        let Some(edit) = edits.pop() else {
            self.note(if redo { "nothing to redo" } else { "nothing to undo" });
            return;
        };
        let [now, then] = if redo { [0, 1] } else { [1, 0] };
        let path = self.title.path().to_owned();
        let done = read(&path).and_then(|text| match text == edit.texts[now] {
            true => self.write(&path, &edit.texts[then]),
            false => Err(format!("{} has been changed since", path.display())),
        });
        match done {
            Ok(()) => {
                self.note(format!("{} {}", if redo { "redone:" } else { "undone:" }, edit.what));
                let other = if redo { &mut self.edits.undo } else { &mut self.edits.redo };
                other.push(edit);
            }
            Err(error) => {
                self.edits = EditHistory::default();
                self.fail(format!("{} not restored: {error}", edit.what));
            }
        }
    }

    /// Writes the scene file and begins to reload it.
    fn write(&mut self, path: &Path, text: &str) -> Result<(), String> {
        write_whole(path, text.as_bytes()).map_err(|error| error.to_string())?;
        if let Some(reload) = &mut self.reload {
            reload.begin();
        }
        self.read_values();
        Ok(())
    }

    /// Waits until the scene is reloaded or another one is opened, if either has begun.
    ///
    /// # Errors
    /// When it takes longer than the limit.
    pub fn finish_reload(&mut self, limit: Duration) -> Result<(), String> {
        let until = Instant::now() + limit;
        while self.is_opening() || self.reload.as_ref().is_some_and(Reload::is_loading) {
            if Instant::now() > until {
                return Err(format!("no scene was loaded within {} s", limit.as_secs()));
            }
            self.tick();
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Selects a body and reads its values.
    pub(super) fn select(&mut self, body: Option<AnyBody>) {
        self.display.subject = body;
        self.read_values();
    }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}
