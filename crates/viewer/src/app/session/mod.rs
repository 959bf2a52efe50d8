//! State of the viewer without the window: scene, simulation, sketch, camera and drawing. Needs no display.

mod commands;
mod drag;
mod dropped;
mod edit_history;
mod edits;
mod marks;
mod open;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nalgebra::{Point3, Vector2, Vector3};

use self::edit_history::EditHistory;
use super::load::{Loaded, Prepare};
use super::opening::Opening;
use super::picking::Picker;
use super::recent::Recent;
use super::reload::Reload;
use super::simulation::{Command, Pace, Simulation, Update};
use crate::interface::BINDINGS;
use crate::interface::{
    BodyValues, ClockState, DisplayOptions, Message, MessageKind, PanelState, Sample, Snapshot, Title,
};
use crate::overlay::OverlayPainter;
use crate::sketch::SketchMode;
use crate::{Camera, Drawing, Models};
use extricate_dynamics::{AnyBody, Grip};
use extricate_scene::record::WorldState;
use extricate_scene::request::Access;
use extricate_scene::scene::Scene;

/// Time limit for the first snapshot of a new session.
const FIRST: Duration = Duration::from_secs(60);
/// Weight of the last picture in the exponential mean of picture times: larger follows changes faster and flickers more.
const SMOOTH: f64 = 0.1;

/// A requested screenshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The file.
    pub path: PathBuf,
    /// Whether a message announces that it was saved.
    pub announce: bool,
}

/// An active drag: the grabbed point moves in the plane through it that faces the camera.
#[derive(Debug, Clone)]
struct DragState {
    point: Point3<f64>,
    normal: Vector3<f64>,
    /// Body that a spring pulls and the grip on it; `None` while sketching.
    pulled: Option<(String, Grip)>,
}

/// State of the viewer without the window.
pub struct Session {
    title: Title,
    scene: Arc<Scene>,
    models: Models,
    simulation: Simulation,
    pace: Pace,
    snapshot: Box<Snapshot>,
    history: VecDeque<Sample>,
    display: DisplayOptions,
    message: Option<Message>,
    errors: usize,
    help: bool,
    camera: Camera,
    size: Vector2<f64>,
    picker: Picker,
    drag_state: Option<DragState>,
    sketch: Option<SketchMode>,
    reload: Option<Reload>,
    /// Values of the selected body in the scene file, and the edits of that file.
    values: Option<BodyValues>,
    edits: EditHistory,
    /// Loads scenes.
    prepare: Arc<Prepare>,
    /// Another scene or run that is being loaded, and recent ones.
    opening: Option<Opening>,
    recent: Recent,
    recent_paths: Vec<PathBuf>,
    /// Files that a scene may name.
    access: Access,
    /// Requested screenshots.
    pictures: Vec<Picture>,
    /// Whether the panic of the simulation thread has been reported.
    has_ended: bool,
    /// Whether the models have changed since the last picture.
    is_new: bool,
    quit: bool,
    picture_seconds: f64,
}

impl Session {
    /// A session of a loaded scene or run, paused, for pictures of this size \[pixels\]. `prepare` reloads the scene when its
    /// files change.
    ///
    /// # Errors
    /// A message for the user when the first snapshot cannot be made.
    pub fn new(
        loaded: Loaded,
        prepare: Arc<Prepare>,
        pace: Pace,
        size: Vector2<f64>,
    ) -> Result<Self, String> {
        let is_live = loaded.source.is_live();
        let reload = is_live.then(|| Reload::new(loaded.title.path(), &loaded.files, Arc::clone(&prepare)));
        let Loaded { title, scene, models, start, source, camera, .. } = loaded;
        let simulation = Simulation::start(source, models.clone(), Box::<OverlayPainter>::default(), pace);
        let snapshot = simulation.settled(FIRST)?;
        let snapshot = snapshot.ok_or("no snapshot of the start")?;
        let camera = camera.unwrap_or_else(|| Camera::fitted(&models.bounds(&start, true), size.x / size.y));
        Ok(Self {
            title,
            scene,
            models,
            simulation,
            pace,
            snapshot,
            history: VecDeque::new(),
            display: DisplayOptions::default(),
            message: None,
            errors: 0,
            help: false,
            camera,
            size,
            picker: Picker::default(),
            drag_state: None,
            sketch: None,
            reload,
            values: None,
            edits: EditHistory::default(),
            prepare,
            opening: None,
            recent: Recent::default(),
            recent_paths: Vec::new(),
            access: Access::default(),
            pictures: Vec::new(),
            has_ended: false,
            is_new: true,
            quit: false,
            picture_seconds: 0.0,
        })
    }

    /// The session with access to files beyond those around the scene.
    #[must_use]
    pub fn with_access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Replaces the scene; camera, display options, speed and whether it plays stay.
    fn replace(&mut self, loaded: Loaded) {
        let Loaded { title, scene, models, source, .. } = loaded;
        let clock = self.snapshot.clock;
        // By name: the indices may be others in the new scene.
        let selected = self.display.subject.and_then(|body| self.name(body));
        self.simulation =
            Simulation::start(source, models.clone(), Box::<OverlayPainter>::default(), self.pace);
        (self.title, self.scene, self.models, self.is_new) = (title, scene, models, true);
        self.select(selected.and_then(|name| self.body(&name)));
        (self.drag_state, self.sketch, self.has_ended) = (None, None, false);
        self.history.clear();
        self.picker = Picker::default();
        self.simulation.send(Command::Display(self.display));
        self.simulation.send(Command::Speed(clock.speed));
        self.simulation.send(Command::Play(clock.playing));
        // The next picture must not combine the new models with a state of the old ones.
        match self.simulation.executed(FIRST) {
            Ok(snapshot) => self.snapshot = snapshot.unwrap_or_else(|| self.snapshot.clone()),
            Err(error) => self.fail(error),
        }
    }

    /// Collects the results of the other threads. To be called before every picture.
    pub fn tick(&mut self) {
        self.update();
        self.finish_opening();
        match self.reload.as_mut().and_then(Reload::poll) {
            Some(Ok(loaded)) => {
                self.replace(*loaded);
                self.note(format!("reloaded {}", self.title.path().display()));
            }
            Some(Err(report)) => self.fail(report),
            None => {}
        }
        if let Some(sketch) = &mut self.sketch {
            sketch.tick();
            if let Some(message) = sketch.message() {
                self.show_message(message);
            }
        }
    }

    /// Takes the news of the simulation.
    fn update(&mut self) {
        let Update { snapshot, layers } = self.simulation.take();
        if let Some(snapshot) = snapshot {
            self.take(snapshot);
        }
        if let Some(layers) = layers {
            self.snapshot.show_layers(*layers);
        }
        self.collect();
    }

    fn take(&mut self, mut snapshot: Box<Snapshot>) {
        snapshot.keep_layers(&mut self.snapshot);
        if snapshot.executed < self.simulation.sent() {
            // The snapshot is older than the last commands: keep what they have set.
            let ClockState { playing, speed, .. } = self.snapshot.clock;
            (snapshot.clock.playing, snapshot.clock.speed) = (playing, speed);
        }
        if let Some(failure) = snapshot.failure.as_ref().filter(|_| self.snapshot.failure.is_none()) {
            let text = failure.clone();
            self.show_message(Message { kind: MessageKind::Error, text });
        }
        // The simulation was reset, or a recording seeked backwards.
        if snapshot.state.step < self.snapshot.state.step {
            self.history.clear();
        }
        self.snapshot = snapshot;
    }

    fn collect(&mut self) {
        self.history.extend(self.simulation.samples());
        let surplus = self.history.len().saturating_sub(Sample::HISTORY_LENGTH);
        self.history.drain(..surplus);
        if let Some(error) = self.simulation.errors().pop() {
            self.fail(error);
        }
        if let Some(reason) = self.simulation.ended().filter(|_| !self.has_ended) {
            self.has_ended = true;
            self.fail(reason);
        }
    }

    /// Waits until the simulation has executed all commands, and takes its snapshot.
    ///
    /// # Errors
    /// When it takes longer than the limit, or the simulation has ended.
    pub fn settle(&mut self, limit: Duration) -> Result<(), String> {
        if let Some(settled) = self.simulation.settled(limit)? {
            self.take(settled);
        }
        self.update();
        Ok(())
    }

    /// State that the panels show.
    #[must_use]
    pub fn panel_state<'a>(&'a self, grid: Option<&'a str>) -> PanelState<'a> {
        PanelState {
            title: &self.title,
            models: &self.models,
            snapshot: &self.snapshot,
            history: &self.history,
            selection: self.display.subject.filter(|_| self.sketch.is_none()),
            values: self.values.as_ref(),
            display: &self.display,
            message: self.message.as_ref(),
            help: self.help,
            sketching: self.sketch.is_some(),
            grid,
            recent: &self.recent_paths,
            picture_seconds: self.picture_seconds,
            keys: BINDINGS,
        }
    }

    /// Models of the scene.
    #[must_use]
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// State that is shown: of the sketch, or of the simulation.
    #[must_use]
    pub fn state(&self) -> &WorldState {
        self.sketch.as_ref().map_or(&self.snapshot.state, SketchMode::state)
    }

    /// Last snapshot of the simulation.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The camera.
    #[must_use]
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// Last message that has not been dismissed.
    #[must_use]
    pub fn message(&self) -> Option<&Message> {
        self.message.as_ref()
    }

    /// Whether the viewer has been asked to quit.
    #[must_use]
    pub fn has_quit(&self) -> bool {
        self.quit
    }

    /// Sets the size of the picture \[pixels\]; sizes below one pixel are ignored.
    pub fn resize(&mut self, size: Vector2<f64>) {
        if size.x >= 1.0 && size.y >= 1.0 {
            self.size = size;
        }
    }

    /// Adds the time that a picture took \[s\] to the smoothed time.
    pub fn record_frame_time(&mut self, seconds: f64) {
        let before = if self.picture_seconds > 0.0 { self.picture_seconds } else { seconds };
        self.picture_seconds = before + SMOOTH * (seconds - before);
    }

    /// Whether the models have changed since the last call.
    pub fn has_new_models(&mut self) -> bool {
        std::mem::take(&mut self.is_new)
    }

    /// Whether screenshots of the next picture are requested.
    #[must_use]
    pub fn wants_pictures(&self) -> bool {
        !self.pictures.is_empty()
    }

    /// Takes the requested screenshots of the next picture.
    pub fn pictures(&mut self) -> Vec<Picture> {
        std::mem::take(&mut self.pictures)
    }

    /// The sketch, if one is open.
    pub fn sketch(&mut self) -> Option<&mut SketchMode> {
        self.sketch.as_mut()
    }

    /// Whether the simulation plays.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.snapshot.clock.playing
    }

    /// Plays for a simulated time \[s\], with [`Pace::Commanded`].
    pub fn advance(&mut self, seconds: f64) {
        self.simulation.send(Command::Advance(seconds));
    }

    /// Sets the camera.
    pub fn look(&mut self, camera: Camera) {
        self.camera = camera;
    }

    /// Continues in real time from now on.
    pub fn run_in_real_time(&mut self) {
        self.pace = Pace::RealTime;
        self.simulation.send(Command::Pace(Pace::RealTime));
    }

    /// Shows a note.
    pub fn note(&mut self, text: impl Into<String>) {
        self.show_message(Message { kind: MessageKind::Note, text: text.into() });
    }

    /// Shows an error.
    pub fn fail(&mut self, text: impl Into<String>) {
        self.show_message(Message { kind: MessageKind::Error, text: text.into() });
    }

    fn show_message(&mut self, message: Message) {
        self.errors += usize::from(message.kind == MessageKind::Error);
        self.message = Some(message);
    }

    /// Number of errors shown so far.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Name of a body.
    #[must_use]
    pub fn name(&self, body: AnyBody) -> Option<String> {
        Some(match body {
            AnyBody::Rigid(index) => self.models.bodies.get(index)?.name.clone(),
            AnyBody::Soft(index) => self.models.soft.get(index)?.name.clone(),
        })
    }

    /// Body with a name.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<AnyBody> {
        let soft = || self.models.soft.iter().position(|body| body.name == name).map(AnyBody::Soft);
        self.models.body(name).map(AnyBody::Rigid).or_else(soft)
    }

    /// Everything drawn besides the bodies.
    #[must_use]
    pub fn drawing(&self) -> Drawing {
        let mut drawing = match &self.sketch {
            Some(sketch) => sketch.drawing().clone(),
            None => self.snapshot.drawing.clone(),
        };
        if self.sketch.is_none() {
            drawing.notes.extend(self.snapshot.note_on_layers());
        }
        drawing.extend(self.marks());
        drawing
    }
}

#[cfg(test)]
mod tests;
