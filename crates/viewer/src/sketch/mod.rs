//! Sketching in the window: joints and bodies are posed by mouse and by number, what collides is tinted, one key repairs.
//!
//! The window loop asks a [`SketchMode`] for what it draws ([`SketchMode::state`], [`SketchMode::drawing`],
//! [`SketchMode::panel`]) and tells it what the mouse and the keys do ([`SketchMode::grab`], [`SketchMode::drag`],
//! [`SketchMode::release`], [`SketchMode::handle`]). Repairs and what follows a drag are sought on a thread of their own;
//! [`SketchMode::tick`] takes over what was found, so that no picture waits.

mod cast;
mod drawn;
mod memory;
mod panel;
mod redraw;
mod text;
mod worker;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nalgebra::Point3;

use self::cast::{Cast, Grip};
use self::memory::PanelMemory;
use self::text::metres;
use self::worker::{Answer, Worker};
use super::{Drawing, Models};
use crate::interface::{Action, Message, MessageKind};
use extricate_dynamics::World;
use extricate_scene::record::{RecordError, WorldState, write_scene};
use extricate_scene::repair::{Followed, Hand, Overwrite, RepairError, RepairOptions, Repaired};
use extricate_scene::repair::{Sketch, SketchOptions};
use extricate_scene::request::Access;
use extricate_scene::scene::Scene;

/// Time after which a repair answers with the best that was found so far.
const BUDGET: Duration = Duration::from_secs(10);
/// Share of √σ to which what follows must have come nearer to be sent on towards the same sketch.
const NEARER: f64 = 0.99;

/// A scene that is being posed in the window.
#[derive(Debug)]
pub struct SketchMode {
    sketch: Sketch,
    cast: Cast,
    worker: Worker,
    /// What the mouse holds.
    grip: Option<Grip>,
    /// Whether free poses follow as one drags.
    following: bool,
    /// What follows, and the revision of the sketch that it follows.
    followed: Option<(u64, Followed)>,
    /// The revision for which what follows was asked last.
    asked: Option<u64>,
    /// Whether the hand has let go, so that the sketch goes to where it was followed to.
    settling: bool,
    /// Whether a repair is wanted, or sought.
    repairing: bool,
    /// The last repair, and the revision of the sketch after it.
    repaired: Option<(u64, Repaired)>,
    message: Option<Message>,
    /// The file that was written last.
    saved: Option<PathBuf>,
    /// Files that a scene may name.
    access: Access,
    drawn: drawn::Drawn,
    panel: PanelMemory,
}

impl SketchMode {
    /// Begins with the poses of a scene, which `models` and `state` show.
    ///
    /// # Errors
    /// As [`Sketch::new`].
    pub fn new(
        scene: Arc<Scene>,
        world: &World,
        (models, state): (&Models, &WorldState),
    ) -> Result<Self, RepairError> {
        let sketch = Sketch::new(
            scene,
            world,
            SketchOptions { time_budget: Some(BUDGET), ..SketchOptions::default() },
        )?;
        let cast = Cast::new(sketch.scene(), models);
        let mut mode = Self {
            drawn: drawn::Drawn::new(models, state),
            panel: PanelMemory::new(sketch.scene()),
            sketch,
            cast,
            worker: Worker::new(),
            grip: None,
            following: false,
            followed: None,
            asked: None,
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

    /// The mode with files that a scene may name beyond those around it.
    #[must_use]
    pub fn with_access(self, access: &Access) -> Self {
        Self { access: access.clone(), ..self }
    }

    /// The sketch.
    #[must_use]
    pub fn sketch(&self) -> &Sketch {
        &self.sketch
    }

    /// Where everything is shown: as sketched, or where that is followed to.
    #[must_use]
    pub fn state(&self) -> &WorldState {
        &self.drawn.state
    }

    /// What collides in red, what was put free in green, and ghosts of where it was.
    #[must_use]
    pub fn drawing(&self) -> &Drawing {
        &self.drawn.drawing
    }

    /// Whether something is sought on the other thread.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.worker.is_busy() || self.repairing
    }

    /// What there is to tell, once.
    pub fn message(&mut self) -> Option<Message> {
        self.message.take()
    }

    /// The scene as it is sketched, to be simulated.
    #[must_use]
    pub fn posed(&self) -> Scene {
        (**self.sketch.scene()).clone().posed(&self.sketch.scene_poses())
    }

    /// Changes the sketch by number.
    ///
    /// # Errors
    /// As the change.
    pub fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Sketch) -> Result<T, RepairError>,
    ) -> Result<T, RepairError> {
        self.let_go();
        let changed = change(&mut self.sketch)?;
        self.tick();
        Ok(changed)
    }

    /// Does what an action asks of a sketch; whether it asks anything of one.
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

    /// Takes hold of a point [m, world] of a body, by its index in [`Models::bodies`]; to turn it where `turn`. Whether it can be
    /// moved.
    pub fn grab(&mut self, body: usize, point: &Point3<f64>, turn: bool) -> bool {
        self.let_go();
        self.sketch.hold();
        // What is shown is what is taken hold of.
        if let Some((revision, followed)) = self.followed.take()
            && self.following
            && revision == self.sketch.revision()
        {
            self.sketch.settle(&followed);
        }
        self.grip = self.cast.grip(&self.sketch, body, point, if turn { Hand::Turn } else { Hand::Shift });
        if self.grip.is_none() {
            self.sketch.release();
        }
        self.grip.is_some()
    }

    /// Drags what was taken hold of to a point [m, world].
    pub fn drag(&mut self, target: &Point3<f64>) {
        let Some(grip) = self.grip.clone() else { return };
        if self.repairing {
            self.worker.hurry();
        }
        let dragged = grip.drag(&mut self.sketch, target);
        self.panel.dragged = dragged.as_ref().ok().cloned();
        self.tell(dragged.map(|_| None));
        self.tick();
    }

    /// Lets go; where free poses follow, the sketch goes to where these came.
    pub fn release(&mut self) {
        if self.grip.take().is_some() {
            self.settling = self.following;
            if !self.settling {
                self.sketch.release();
            }
        }
        self.panel.dragged = None;
        self.tick();
    }

    /// Takes over what was found on the other thread, asks it for more, and sees what is to be drawn. To be called before
    /// every picture.
    pub fn tick(&mut self) {
        while let Some(answer) = self.worker.answer() {
            match answer {
                Answer::Repaired(found) => self.take_repair(found),
                Answer::Followed(revision, found) => self.take_followed(revision, found),
            }
        }
        let revision = self.sketch.revision();
        if !self.worker.is_busy() {
            if self.repairing {
                self.worker.repair(self.sketch.repair_job());
            } else if self.following && self.asked != Some(revision) {
                self.asked = Some(revision);
                self.worker.follow(revision, self.sketch.follow_job());
            } else if self.settling {
                self.settle();
            }
        }
        self.redraw();
    }

    /// Waits until nothing is sought any more, for so long at most; whether that is so.
    pub fn wait(&mut self, most: Duration) -> bool {
        /// Pause between two looks.
        const PAUSE: Duration = Duration::from_millis(2);
        let started = Instant::now();
        self.tick();
        while (self.is_busy() || self.settling) && started.elapsed() < most {
            std::thread::sleep(PAUSE);
            self.tick();
        }
        !self.is_busy()
    }

    fn repair(&mut self) {
        self.let_go();
        self.repairing = true;
        let mut options = RepairOptions { effort: self.panel.effort, ..RepairOptions::default() };
        options.clearance = self.panel.clearance;
        self.sketch.set_repair(options, Some(BUDGET));
    }

    fn follow(&mut self) {
        self.following = !self.following;
        (self.followed, self.asked) = (None, None);
        self.sketch.forget();
        if !self.following {
            self.let_go();
        }
    }

    /// Takes back a step, or makes it again.
    fn step(&mut self, step: impl Fn(&mut Sketch) -> bool, nothing: &str) {
        self.let_go();
        if !step(&mut self.sketch) {
            self.note(nothing.to_owned());
        }
        // Elsewhere the last free poses may be on another side.
        self.sketch.forget();
    }

    /// Ends what the hand does.
    fn let_go(&mut self) {
        self.grip = None;
        self.settling = false;
        self.sketch.release();
    }

    /// The sketch goes to where it was followed to.
    fn settle(&mut self) {
        self.settling = false;
        if let Some((revision, followed)) = &self.followed
            && *revision == self.sketch.revision()
        {
            let followed = followed.clone();
            self.sketch.settle(&followed);
            self.asked = Some(self.sketch.revision());
            self.followed = Some((self.sketch.revision(), Followed { depth: 0.0, ..followed }));
        }
        self.sketch.release();
    }

    fn take_repair(&mut self, found: Result<Option<Repaired>, RepairError>) {
        self.repairing = false;
        match found {
            Ok(None) => self.note("free already: nothing collides, and all limits are kept".to_owned()),
            Ok(Some(repaired)) => {
                if self.sketch.accept(&repaired) {
                    self.followed = None;
                    self.repaired = Some((self.sketch.revision(), repaired));
                } else {
                    self.note("not repaired: the sketch was changed meanwhile".to_owned());
                }
            }
            Err(error) => self.tell(Err(error)),
        }
    }

    fn take_followed(&mut self, revision: u64, found: Result<Followed, RepairError>) {
        match found {
            Ok(followed) if self.following => {
                self.sketch.remember(&followed);
                let before = self.followed.as_ref().filter(|(of, _)| *of == revision);
                let comes_nearer = before.is_none_or(|(_, last)| followed.depth < NEARER * last.depth);
                if followed.held && comes_nearer {
                    // A hand that was too fast, or a way round what is in the way.
                    self.asked = None;
                }
                self.panel.time_to_follow = Some(followed.time);
                self.followed = Some((revision, followed));
            }
            Ok(_) => {}
            Err(error) => self.tell(Err(error)),
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
        self.tell(written.map(|()| Some(format!("saved to {}", path.display()))));
    }

    /// Writes the scene, with copies of the files that it may not name from there.
    fn save_scene(&self, path: &Path, overwrite: Overwrite) -> Result<(), RepairError> {
        overwrite.check(path)?;
        let text = self.sketch.scene_text(path.parent().unwrap_or(Path::new("")))?;
        let written = write_scene(self.sketch.scene(), &text, path, &self.access.reach_of_scene(path));
        let refused = |error| match error {
            RecordError::File { path, source, .. } => RepairError::Write { path, source },
            other => {
                RepairError::Write { path: path.to_owned(), source: io::Error::other(other.to_string()) }
            }
        };
        written.map(drop).map_err(refused)
    }

    /// A file beside the scene whose name says what it is, that is not there yet.
    fn unused(&self, what: &str) -> PathBuf {
        let source = &self.sketch.scene().path;
        let stem =
            source.file_stem().map_or_else(|| "scene".into(), |stem| stem.to_string_lossy().into_owned());
        let mut number = 1_u32;
        loop {
            let ending = if number == 1 { String::new() } else { format!("_{number}") };
            let path = source.with_file_name(format!("{stem}{what}{ending}.ron"));
            if !path.exists() {
                return path;
            }
            number += 1;
        }
    }

    fn note(&mut self, text: String) {
        self.message = Some(Message { kind: MessageKind::Note, text });
    }

    /// Tells what went wrong, or what is good to know.
    fn tell(&mut self, result: Result<Option<String>, RepairError>) {
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
                            "{error}\nthe best effort within {seconds} s moves by {moved} (root mean square) and leaves {left}"
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
