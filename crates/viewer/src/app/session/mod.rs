//! All of the viewer but the window: what is shown, what is done with it, what is to be drawn. Needs no display.

mod commands;
mod drag;
mod marks;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nalgebra::{Point3, Vector2, Vector3};

use super::load::{Loaded, Prepare};
use super::picking::Picker;
use super::reload::Reload;
use super::simulation::{Command, Pace, Simulation};
use crate::interface::BINDINGS;
use crate::interface::{ClockState, Message, MessageKind, PanelState, Sample, Snapshot, Title, Wants};
use crate::overlay::Insight;
use crate::sketch::SketchMode;
use crate::{Camera, Drawing, Models};
use extricate_dynamics::{AnyBody, Grip};
use extricate_scene::record::WorldState;
use extricate_scene::request::Access;
use extricate_scene::scene::Scene;

/// Longest time that anything may take of which a new session waits for the first picture.
const FIRST: Duration = Duration::from_secs(60);
/// Part of the time of a picture that counts for the smoothed one.
const SMOOTH: f64 = 0.1;

/// A file that a picture is to be saved to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The file.
    pub path: PathBuf,
    /// Whether it is said that it was saved.
    pub told: bool,
}

/// What the hand holds: it is moved in the plane through the point where it was taken that faces the camera.
#[derive(Debug, Clone)]
struct Held {
    point: Point3<f64>,
    normal: Vector3<f64>,
    /// What is pulled by a spring: none while sketching.
    pulled: Option<(String, Grip)>,
}

/// All of the viewer but the window.
pub struct Session {
    title: Title,
    scene: Arc<Scene>,
    models: Models,
    simulation: Simulation,
    pace: Pace,
    snapshot: Box<Snapshot>,
    history: VecDeque<Sample>,
    wants: Wants,
    message: Option<Message>,
    errors: usize,
    help: bool,
    camera: Camera,
    size: Vector2<f64>,
    picker: Picker,
    held: Option<Held>,
    sketch: Option<SketchMode>,
    reload: Option<Reload>,
    /// Files that a scene may name.
    access: Access,
    /// Files that pictures are to be saved to.
    pictures: Vec<Picture>,
    /// Whether it was told that the simulation broke.
    has_ended: bool,
    /// Whether the models are others than those of the last picture.
    is_new: bool,
    quit: bool,
    picture_seconds: f64,
}

impl Session {
    /// Shows what was loaded, paused, in a picture of this size [pixels]; a scene is loaded anew by `prepare` when its files
    /// change.
    ///
    /// # Errors
    /// Why its first picture cannot be made.
    pub fn new(
        loaded: Loaded,
        prepare: Arc<Prepare>,
        pace: Pace,
        size: Vector2<f64>,
    ) -> Result<Self, String> {
        let is_live = loaded.source.is_live();
        let reload = is_live.then(|| Reload::new(loaded.title.path(), &loaded.files, prepare));
        let Loaded { title, scene, models, start, source, camera, .. } = loaded;
        let simulation = Simulation::start(source, models.clone(), Box::<Insight>::default(), pace);
        let snapshot = simulation.settled(FIRST)?;
        let snapshot = snapshot.ok_or("nobody but this takes snapshots")?;
        let camera = camera.unwrap_or_else(|| Camera::fitted(&models.bounds(&start, true), size.x / size.y));
        Ok(Self {
            title,
            scene,
            models,
            simulation,
            pace,
            snapshot,
            history: VecDeque::new(),
            wants: Wants::default(),
            message: None,
            errors: 0,
            help: false,
            camera,
            size,
            picker: Picker::default(),
            held: None,
            sketch: None,
            reload,
            access: Access::default(),
            pictures: Vec::new(),
            has_ended: false,
            is_new: true,
            quit: false,
            picture_seconds: 0.0,
        })
    }

    /// The session with files that a scene may name beyond those around it.
    #[must_use]
    pub fn with_access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Shows another scene in place of this one: from where one looks, what is wanted, and whether it plays stay.
    fn replace(&mut self, loaded: Loaded) {
        let Loaded { title, scene, models, source, .. } = loaded;
        let clock = self.snapshot.clock;
        let selected = self.wants.subject.and_then(|body| self.name(body));
        self.simulation = Simulation::start(source, models.clone(), Box::<Insight>::default(), self.pace);
        (self.title, self.scene, self.models, self.is_new) = (title, scene, models, true);
        self.wants.subject = selected.and_then(|name| self.body(&name));
        (self.held, self.sketch, self.has_ended) = (None, None, false);
        self.history.clear();
        self.picker = Picker::default();
        self.simulation.send(Command::Want(self.wants));
        self.simulation.send(Command::Speed(clock.speed));
        self.simulation.send(Command::Play(clock.playing));
        // What is drawn next must fit the models.
        match self.simulation.settled(FIRST) {
            Ok(snapshot) => self.snapshot = snapshot.unwrap_or_else(|| self.snapshot.clone()),
            Err(error) => self.fail(error),
        }
    }

    /// Takes over what other threads have done. To be called before every picture.
    pub fn tick(&mut self) {
        if let Some(snapshot) = self.simulation.take() {
            self.take(snapshot);
        }
        self.collect();
        match self.reload.as_mut().and_then(Reload::news) {
            Some(Ok(loaded)) => {
                self.replace(*loaded);
                self.note(format!("{} was loaded anew", self.title.path().display()));
            }
            Some(Err(report)) => self.fail(report),
            None => {}
        }
        if let Some(sketch) = &mut self.sketch {
            sketch.tick();
            if let Some(message) = sketch.message() {
                self.say(message);
            }
        }
    }

    fn take(&mut self, mut snapshot: Box<Snapshot>) {
        if snapshot.obeyed < self.simulation.sent() {
            // What was asked for since then is on its way.
            let ClockState { playing, speed, .. } = self.snapshot.clock;
            (snapshot.clock.playing, snapshot.clock.speed) = (playing, speed);
        }
        if let Some(failure) = snapshot.failure.as_ref().filter(|_| self.snapshot.failure.is_none()) {
            let text = failure.clone();
            self.say(Message { kind: MessageKind::Error, text });
        }
        if snapshot.state.step < self.snapshot.state.step {
            self.history.clear();
        }
        self.snapshot = snapshot;
    }

    fn collect(&mut self) {
        self.history.extend(self.simulation.samples());
        let surplus = self.history.len().saturating_sub(Sample::KEPT);
        self.history.drain(..surplus);
        if let Some(told) = self.simulation.told().pop() {
            self.fail(told);
        }
        if let Some(why) = self.simulation.ended().filter(|_| !self.has_ended) {
            self.has_ended = true;
            self.fail(why);
        }
    }

    /// Waits until all that was asked of the simulation is done, and shows it.
    ///
    /// # Errors
    /// When it takes longer than the limit, or the simulation has ended.
    pub fn settle(&mut self, limit: Duration) -> Result<(), String> {
        if let Some(settled) = self.simulation.settled(limit)? {
            self.take(settled);
        }
        self.collect();
        Ok(())
    }

    /// What panels show.
    #[must_use]
    pub fn panel_state<'a>(&'a self, grid: Option<&'a str>) -> PanelState<'a> {
        PanelState {
            title: &self.title,
            models: &self.models,
            snapshot: &self.snapshot,
            history: &self.history,
            selection: self.wants.subject.filter(|_| self.sketch.is_none()),
            wants: &self.wants,
            message: self.message.as_ref(),
            help: self.help,
            sketching: self.sketch.is_some(),
            grid,
            picture_seconds: self.picture_seconds,
            keys: BINDINGS,
        }
    }

    /// What is shown is made of this.
    #[must_use]
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// Where everything is shown.
    #[must_use]
    pub fn state(&self) -> &WorldState {
        self.sketch.as_ref().map_or(&self.snapshot.state, SketchMode::state)
    }

    /// How it is now.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// From where one looks.
    #[must_use]
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// What was said last.
    #[must_use]
    pub fn message(&self) -> Option<&Message> {
        self.message.as_ref()
    }

    /// Whether the viewer is to end.
    #[must_use]
    pub fn has_quit(&self) -> bool {
        self.quit
    }

    /// Size of the picture [pixels].
    pub fn resize(&mut self, size: Vector2<f64>) {
        if size.x >= 1.0 && size.y >= 1.0 {
            self.size = size;
        }
    }

    /// A picture took so long [s].
    pub fn took(&mut self, seconds: f64) {
        let before = if self.picture_seconds > 0.0 { self.picture_seconds } else { seconds };
        self.picture_seconds = before + SMOOTH * (seconds - before);
    }

    /// Whether the models are others than when this was asked last.
    pub fn has_new_models(&mut self) -> bool {
        std::mem::take(&mut self.is_new)
    }

    /// Whether the next picture is to be saved.
    #[must_use]
    pub fn wants_pictures(&self) -> bool {
        !self.pictures.is_empty()
    }

    /// The files that the next picture is to be saved to.
    pub fn pictures(&mut self) -> Vec<Picture> {
        std::mem::take(&mut self.pictures)
    }

    /// The sketch, while one sketches.
    pub fn sketch(&mut self) -> Option<&mut SketchMode> {
        self.sketch.as_mut()
    }

    /// Whether time passes.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.snapshot.clock.playing
    }

    /// Plays for simulated seconds, where that is the pace.
    pub fn advance(&mut self, seconds: f64) {
        self.simulation.send(Command::Advance(seconds));
    }

    /// Looks from elsewhere.
    pub fn look(&mut self, camera: Camera) {
        self.camera = camera;
    }

    /// Goes on by itself from now on.
    pub fn let_run(&mut self) {
        self.pace = Pace::RealTime;
        self.simulation.send(Command::Pace(Pace::RealTime));
    }

    /// Says something.
    pub fn note(&mut self, text: impl Into<String>) {
        self.say(Message { kind: MessageKind::Note, text: text.into() });
    }

    /// Says what went wrong.
    pub fn fail(&mut self, text: impl Into<String>) {
        self.say(Message { kind: MessageKind::Error, text: text.into() });
    }

    fn say(&mut self, message: Message) {
        self.errors += usize::from(message.kind == MessageKind::Error);
        self.message = Some(message);
    }

    /// Number of errors that were told so far.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// The name of a body.
    #[must_use]
    pub fn name(&self, body: AnyBody) -> Option<String> {
        Some(match body {
            AnyBody::Rigid(index) => self.models.bodies.get(index)?.name.clone(),
            AnyBody::Soft(index) => self.models.soft.get(index)?.name.clone(),
        })
    }

    /// The body of a name.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<AnyBody> {
        let soft = || self.models.soft.iter().position(|body| body.name == name).map(AnyBody::Soft);
        self.models.body(name).map(AnyBody::Rigid).or_else(soft)
    }

    /// What is drawn besides the bodies.
    #[must_use]
    pub fn drawing(&self) -> Drawing {
        let mut drawing = match &self.sketch {
            Some(sketch) => sketch.drawing().clone(),
            None => self.snapshot.drawing.clone(),
        };
        drawing.extend(self.marks());
        drawing
    }
}

#[cfg(test)]
mod tests;
