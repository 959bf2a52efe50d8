//! Sketching in the window: joints and bodies are posed by mouse and by number, colliding ones are tinted, one key repairs.
//!
//! The window loop draws the output of a [`SketchMode`] ([`SketchMode::state`], [`SketchMode::drawing`],
//! [`SketchMode::panel`]) and passes mouse and key events to it ([`SketchMode::grab`], [`SketchMode::drag`],
//! [`SketchMode::release`], [`SketchMode::handle`]). Repairs, including those that follow a drag, run on a worker thread;
//! [`SketchMode::tick`] applies their results, so that no picture waits.

mod body_map;
mod memory;
mod panel;
mod redraw;
mod text;
mod view;
mod worker;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nalgebra::Point3;

use self::body_map::{BodyMap, DragHandle};
use self::memory::PanelMemory;
use self::text::metres;
use self::worker::{JobResult, Worker};
use super::{Drawing, Models};
use crate::interface::{Action, Message, MessageKind};
use extricate_dynamics::{AnyBody, World};
use extricate_scene::record::{RecordError, WorldState, write_scene};
use extricate_scene::repair::{DragMode, Followed, Overwrite, RepairError, RepairOptions, Repaired};
use extricate_scene::repair::{Sketch, SketchOptions};
use extricate_scene::request::Access;
use extricate_scene::scene::Scene;

/// Time budget of a repair, after which it returns the best result so far.
const BUDGET: Duration = Duration::from_secs(10);
/// Ratio of √σ below which a following repair counts as an improvement and is repeated towards the same sketch: closer to
/// one repeats longer for smaller gains.
const IMPROVEMENT: f64 = 0.99;

/// A scene that is being posed in the window.
#[derive(Debug)]
pub struct SketchMode {
    sketch: Sketch,
    body_map: BodyMap,
    worker: Worker,
    /// Point grabbed by the mouse.
    drag_handle: Option<DragHandle>,
    /// Whether collision-free poses follow during a drag.
    following: bool,
    /// Following pose, and the revision of the sketch that it follows.
    followed: Option<(u64, Followed)>,
    /// Revision for which a following pose was last requested.
    requested: Option<u64>,
    /// Whether the drag has ended and the sketch is to take the following pose.
    settling: bool,
    /// Whether a repair is requested or running.
    repairing: bool,
    /// Last repair, and the revision of the sketch after it.
    repaired: Option<(u64, Repaired)>,
    message: Option<Message>,
    /// Last file written.
    saved: Option<PathBuf>,
    /// Access to files that a scene may name.
    access: Access,
    view: view::SketchView,
    panel: PanelMemory,
}

impl SketchMode {
    /// A sketch of a scene that begins with a state of its simulation, which `models` show.
    ///
    /// # Errors
    /// As [`Sketch::new`].
    pub fn new(
        scene: Arc<Scene>,
        world: &World,
        (models, state): (&Models, &WorldState),
    ) -> Result<Self, RepairError> {
        let options = SketchOptions { time_budget: Some(BUDGET), ..SketchOptions::default() };
        let sketch = Sketch::at_state(scene, world, state, options)?;
        let body_map = BodyMap::new(sketch.scene(), models);
        let mut mode = Self {
            view: view::SketchView::new(models, state),
            panel: PanelMemory::new(sketch.scene()),
            sketch,
            body_map,
            worker: Worker::new(),
            drag_handle: None,
            following: false,
            followed: None,
            requested: None,
            settling: false,
            repairing: false,
            repaired: None,
            message: None,
            saved: None,
            access: Access::default(),
        };
        mode.tick();
        Ok(mode)
    }

    /// The mode with access to files beyond those around the scene.
    #[must_use]
    pub fn with_access(self, access: &Access) -> Self {
        Self { access: access.clone(), ..self }
    }

    /// The sketch.
    #[must_use]
    pub fn sketch(&self) -> &Sketch {
        &self.sketch
    }

    /// State that is shown: the sketch, or the pose that follows it.
    #[must_use]
    pub fn state(&self) -> &WorldState {
        &self.view.state
    }

    /// Tints of colliding bodies (red) and repaired ones (green), and ghosts of their previous poses.
    #[must_use]
    pub fn drawing(&self) -> &Drawing {
        &self.view.drawing
    }

    /// Whether a repair is requested or the worker is running.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.worker.is_busy() || self.repairing
    }

    /// Takes the last message.
    pub fn message(&mut self) -> Option<Message> {
        self.message.take()
    }

    /// The scene with the sketched poses, to be simulated.
    #[must_use]
    pub fn posed(&self) -> Scene {
        (**self.sketch.scene()).clone().posed(&self.sketch.scene_poses())
    }

    /// Changes the sketch with a function.
    ///
    /// # Errors
    /// Those of the change.
    pub fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Sketch) -> Result<T, RepairError>,
    ) -> Result<T, RepairError> {
        self.end_drag();
        let changed = change(&mut self.sketch)?;
        self.tick();
        Ok(changed)
    }

    /// Executes an action on the sketch. Returns whether it is one for sketches.
    pub fn handle(&mut self, action: &Action) -> bool {
        match action {
            Action::Repair => self.repair(),
            Action::Follow => self.follow(),
            Action::Undo => self.step(Sketch::undo, "nothing to undo"),
            Action::Redo => self.step(Sketch::redo, "nothing to redo"),
            Action::Save => {
                let path = self.saved.clone().unwrap_or_else(|| self.unused("_sketched"));
                self.save(&path);
            }
            Action::SaveAs(path) => self.save(path),
            _ => return false,
        }
        self.tick();
        true
    }

    /// Grabs a point [m, world] of a body, an index in [`Models::bodies`] or [`Models::soft`], to translate it or, with `rotate`, to
    /// rotate it. Returns whether it can be moved.
    pub fn grab(&mut self, body: AnyBody, point: &Point3<f64>, rotate: bool) -> bool {
        self.end_drag();
        self.sketch.begin_undo_group();
        // The pose that is shown is the one that is grabbed, not the sketch that it follows.
        if let Some((revision, followed)) = self.followed.take()
            && self.following
            && revision == self.sketch.revision()
        {
            self.sketch.settle(&followed);
        }
        self.drag_handle = self.body_map.grab(
            &self.sketch,
            body,
            point,
            if rotate { DragMode::Rotate } else { DragMode::Translate },
        );
        if self.drag_handle.is_none() {
            self.sketch.end_undo_group();
        }
        self.drag_handle.is_some()
    }

    /// Drags the grabbed point to a target [m, world].
    pub fn drag(&mut self, target: &Point3<f64>) {
        let Some(handle) = self.drag_handle.clone() else { return };
        // The drag changes the sketch, after which the result of the repair would be discarded anyway.
        if self.repairing {
            self.worker.request_stop();
        }
        let dragged = handle.drag(&mut self.sketch, target);
        self.panel.dragged = dragged.as_ref().ok().cloned();
        self.report(dragged.map(|_| None));
        self.tick();
    }

    /// Ends the drag; if collision-free poses follow, the sketch takes the last one.
    pub fn release(&mut self) {
        if self.drag_handle.take().is_some() {
            self.settling = self.following;
            if !self.settling {
                self.sketch.end_undo_group();
            }
        }
        self.panel.dragged = None;
        self.tick();
    }

    /// Applies results of the worker, starts its next job, and updates the drawing. To be called before every picture.
    pub fn tick(&mut self) {
        while let Some(result) = self.worker.try_result() {
            match result {
                JobResult::Repaired(found) => self.take_repair(*found),
                JobResult::Followed(revision, found) => self.take_followed(revision, found),
            }
        }
        let revision = self.sketch.revision();
        if !self.worker.is_busy() {
            if self.repairing {
                self.worker.repair(self.sketch.repair_job());
            } else if self.following && self.requested != Some(revision) {
                self.requested = Some(revision);
                self.worker.follow(revision, self.sketch.follow_job());
            } else if self.settling {
                self.settle();
            }
        }
        self.redraw();
    }

    /// Waits until the worker is idle, at most for `limit`. Returns whether it is.
    pub fn wait(&mut self, limit: Duration) -> bool {
        /// Pause between two checks.
        const PAUSE: Duration = Duration::from_millis(2);
        let started = Instant::now();
        self.tick();
        while (self.is_busy() || self.settling) && started.elapsed() < limit {
            std::thread::sleep(PAUSE);
            self.tick();
        }
        !self.is_busy()
    }

    fn repair(&mut self) {
        self.end_drag();
        self.repairing = true;
        let mut options = RepairOptions { effort: self.panel.effort, ..RepairOptions::default() };
        options.clearance = Some(self.panel.clearance).filter(|clearance| *clearance > 0.0);
        self.sketch.set_repair(options, Some(BUDGET));
    }

    fn follow(&mut self) {
        self.following = !self.following;
        (self.followed, self.requested) = (None, None);
        self.sketch.forget();
        if !self.following {
            self.end_drag();
        }
    }

    /// Undoes or redoes a step.
    fn step(&mut self, step: impl Fn(&mut Sketch) -> bool, nothing: &str) {
        self.end_drag();
        if !step(&mut self.sketch) {
            self.note(nothing.to_owned());
        }
        // After a jump, the last free poses may be on the other side of an obstacle.
        self.sketch.forget();
    }

    /// Ends the drag without taking the following pose.
    fn end_drag(&mut self) {
        self.drag_handle = None;
        self.settling = false;
        self.sketch.end_undo_group();
    }

    /// Moves the sketch to the following pose, if that belongs to the current revision.
    fn settle(&mut self) {
        self.settling = false;
        if let Some((revision, followed)) = &self.followed
            && *revision == self.sketch.revision()
        {
            let followed = followed.clone();
            self.sketch.settle(&followed);
            self.requested = Some(self.sketch.revision());
            // The sketch is now the following pose itself: no distance is left, and nothing is to be requested.
            self.followed = Some((self.sketch.revision(), Followed { depth: 0.0, ..followed }));
        }
        self.sketch.end_undo_group();
    }

    fn take_repair(&mut self, found: Result<Option<Repaired>, RepairError>) {
        self.repairing = false;
        match found {
            Ok(None) => self.note("already free: no collisions, all limits satisfied".to_owned()),
            Ok(Some(repaired)) => {
                if self.sketch.accept(&repaired) {
                    self.followed = None;
                    self.repaired = Some((self.sketch.revision(), repaired));
                } else {
                    self.note("repair discarded: the sketch has changed meanwhile".to_owned());
                }
            }
            Err(error) => self.report(Err(error)),
        }
    }

    fn take_followed(&mut self, revision: u64, found: Result<Followed, RepairError>) {
        match found {
            Ok(followed) if self.following => {
                self.sketch.remember(&followed);
                let before = self.followed.as_ref().filter(|(of, _)| *of == revision);
                let comes_nearer = before.is_none_or(|(_, last)| followed.depth < IMPROVEMENT * last.depth);
                if followed.held && comes_nearer {
                    // The pose is still held back, by an obstacle or a fast drag, but improves: follow again.
                    self.requested = None;
                }
                self.panel.time_to_follow = Some(followed.time);
                self.followed = Some((revision, followed));
            }
            Ok(_) => {}
            Err(error) => self.report(Err(error)),
        }
    }

    fn save(&mut self, path: &Path) {
        let is_source = same_file(path, &self.sketch.scene().path);
        let overwrite =
            if is_source && !self.panel.over_source { Overwrite::Refuse } else { Overwrite::Replace };
        let is_joints = path.extension().is_some_and(|ending| ending == "json");
        let written = if is_joints {
            let robot = self.panel.robot.clone().unwrap_or_default();
            self.sketch.save_joints(&robot, path, overwrite)
        } else {
            self.save_scene(path, overwrite)
        };
        if written.is_ok() && !is_joints {
            self.saved = Some(path.to_owned());
        }
        self.report(written.map(|()| Some(format!("saved to {}", path.display()))));
    }

    /// Writes the scene, with copies of the files that it may not reference from there.
    fn save_scene(&self, path: &Path, overwrite: Overwrite) -> Result<(), RepairError> {
        overwrite.check(path)?;
        let text = self.sketch.scene_text(path.parent().unwrap_or(Path::new("")))?;
        let written = write_scene(self.sketch.scene(), &text, path, &self.access.scope_of_scene(path));
        let refused = |error| match error {
            RecordError::File { path, source, .. } => RepairError::Write { path, source },
            other => {
                RepairError::Write { path: path.to_owned(), source: io::Error::other(other.to_string()) }
            }
        };
        written.map(drop).map_err(refused)
    }

    /// Unused file name beside the scene: its stem with a suffix.
    fn unused(&self, suffix: &str) -> PathBuf {
        let source = &self.sketch.scene().path;
        let stem =
            source.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy().into_owned());
        let mut number = 1_u32;
        loop {
            let ending = if number == 1 { String::new() } else { format!("_{number}") };
            let path = source.with_file_name(format!("{stem}{suffix}{ending}.ron"));
            if !path.exists() {
                return path;
            }
            number += 1;
        }
    }

    fn note(&mut self, text: String) {
        self.message = Some(Message { kind: MessageKind::Note, text });
    }

    /// Shows an error, or the note of a success.
    fn report(&mut self, result: Result<Option<String>, RepairError>) {
        match result {
            Ok(None) => {}
            Ok(Some(text)) => self.note(text),
            Err(error) => {
                let text = match &error {
                    RepairError::NotFound { best, still } => {
                        let moved = metres(best.depth);
                        let left = match still.len() {
                            1 => "1 pair".to_owned(),
                            count => format!("{count} pairs"),
                        };
                        let seconds = BUDGET.as_secs();
                        format!(
                            "{error}\nbest result within {seconds} s: root mean square displacement {moved}, {left} still colliding"
                        )
                    }
                    _ => error.to_string(),
                };
                self.message = Some(Message { kind: MessageKind::Error, text });
            }
        }
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

#[cfg(test)]
mod tests;
