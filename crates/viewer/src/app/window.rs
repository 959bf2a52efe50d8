//! The window, or offscreen pictures: events go to a session, and a stage shows it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kiss3d::event::{Action as Press, WindowEvent};
use nalgebra::Vector2;

use extricate_scene::request::Access;

use super::input::Pointer;
use super::load::{Loaded, Prepare};
use super::recent::Recent;
use super::script::{self, Screen};
use super::session::Session;
use super::simulation::Pace;
use super::{Action, Picture, panel};
use crate::interface::action_of;
use crate::{Panels, Quality, Stage, ViewError};

/// Request to show a scene or run.
pub struct View {
    /// The loaded scene or run.
    pub loaded: Loaded,
    /// Loads a changed scene file and builds its world.
    pub prepare: Arc<Prepare>,
    /// Access to files beyond those around the scene.
    pub access: Access,
    /// A script that is executed first.
    pub script: Option<PathBuf>,
    /// List of recent scenes and runs, to which this one is added; not used without a window.
    pub recent: Recent,
    /// Whether there is no window: the viewer ends with the script.
    pub offscreen: bool,
    /// Width and height \[pixels\].
    pub size: [u32; 2],
    /// Rendering quality.
    pub quality: Quality,
}

/// Minimum time from one picture to the next: about 60 Hz.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);
/// The same without activity, and the time without activity after which it applies: 20 Hz saves the processor where
/// software renders.
const IDLE_INTERVAL: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(500)];

/// Shows a scene or a run until the window is closed, an offscreen script has ended, or `stop` returns true.
///
/// # Errors
/// [`ViewError`]; errors while the window is open are shown in it.
pub fn view(view: View, stop: &dyn Fn() -> bool) -> Result<(), ViewError> {
    let View { loaded, prepare, access, script, recent, offscreen, size: [width, height], quality } = view;
    let lines = script.as_deref().map(script::load).transpose()?;
    if offscreen && lines.is_none() {
        return Err(ViewError::NothingToDo);
    }
    let stage = match offscreen {
        true => Stage::offscreen(width, height, quality)?,
        false => Stage::window(&title(loaded.title.path()), width, height, quality)?,
    };
    let pace = if lines.is_some() { Pace::Commanded } else { Pace::RealTime };
    let size = Vector2::new(f64::from(width), f64::from(height));
    let session = Session::new(loaded, prepare, pace, size);
    let mut session = session.map_err(|reason| ViewError::Start { reason })?.with_access(access);
    if !offscreen {
        session = session.with_recent(recent);
    }
    let mut window = Window::new((stage, offscreen), stop);
    if let (Some(lines), Some(script)) = (&lines, &script) {
        let continues = script::play(script, lines, &mut session, &mut window)?;
        if offscreen || !continues {
            return Ok(());
        }
        session.run_in_real_time();
    }
    while !session.has_quit() && window.show(&mut session) {
        window.rest();
    }
    Ok(())
}

fn title(path: &Path) -> String {
    let name = path.file_stem().unwrap_or(path.as_os_str());
    format!("{} · extricate", name.to_string_lossy())
}

/// A window, or offscreen pictures.
struct Window<'a> {
    stage: Stage,
    offscreen: bool,
    stop: &'a dyn Fn() -> bool,
    panels: Panels,
    pointer: Pointer,
    /// Time of the last activity, and the start of the last picture.
    busy: Instant,
    began: Instant,
    step: u64,
}

impl<'a> Window<'a> {
    fn new((stage, offscreen): (Stage, bool), stop: &'a dyn Fn() -> bool) -> Self {
        let now = Instant::now();
        Self {
            stage,
            offscreen,
            stop,
            panels: Panels::default(),
            pointer: Pointer::default(),
            busy: now,
            began: now,
            step: 0,
        }
    }

    /// Waits until the next picture is due: less often without activity.
    fn rest(&self) {
        let [idle_interval, idle_after] = IDLE_INTERVAL;
        let between = if self.busy.elapsed() > idle_after { idle_interval } else { FRAME_INTERVAL };
        std::thread::sleep(between.saturating_sub(self.began.elapsed()));
    }

    /// Dispatches key and mouse events to the session.
    fn dispatch_events(&mut self, session: &mut Session) {
        for file in self.stage.dropped_files() {
            self.busy = Instant::now();
            session.act(&Action::Drop(file));
        }
        let [has_mouse, has_keys] = self.stage.panels_have();
        let scale = f64::from(self.stage.scale_factor());
        for event in self.stage.events() {
            self.busy = Instant::now();
            if let WindowEvent::Key(key, Press::Press, modifiers) = event {
                let action = action_of(key, modifiers, session.sketch().is_some());
                if let Some(action) = action.filter(|_| !has_keys) {
                    session.act(&action);
                }
            }
            let gesture = self.pointer.gesture(&event, (has_mouse, scale), |at| session.can_drag(at));
            if let Some(gesture) = gesture {
                session.gesture(gesture);
            }
        }
    }

    /// Saves the last picture.
    fn save(&self, Picture { path, announce }: Picture, session: &mut Session) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let made = folder.map_or(Ok(()), std::fs::create_dir_all);
        let saved = made.map_err(|error| error.to_string());
        let saved = saved.and_then(|()| self.stage.picture().save(&path).map_err(|error| error.to_string()));
        match saved {
            Ok(()) if announce => session.note(format!("saved {}", path.display())),
            Ok(()) => {}
            Err(error) => session.fail(format!("cannot save {}: {error}", path.display())),
        }
    }
}

impl Screen for Window<'_> {
    fn show(&mut self, session: &mut Session) -> bool {
        self.began = Instant::now();
        session.tick();
        if self.offscreen {
            // Offscreen, only saved pictures are drawn, and twice: panels know their sizes after the first time.
            if !session.wants_pictures() {
                return !(self.stop)();
            }
            self.draw(session);
        }
        let is_open = self.draw(session);
        for picture in session.pictures() {
            self.save(picture, session);
        }
        is_open
    }
}

impl Window<'_> {
    /// Draws a picture and executes the actions of the panels. Returns whether the window is still open.
    fn draw(&mut self, session: &mut Session) -> bool {
        self.dispatch_events(session);
        session.resize(self.stage.size());
        if session.has_new_models() {
            if !self.offscreen {
                self.stage.set_title(&title(session.panel_state(None).title.path()));
            }
            self.stage.set(session.models(), session.state());
        }
        if session.state().step != self.step {
            (self.step, self.busy) = (session.state().step, self.began);
        }
        let (state, drawing, camera) = (session.state().clone(), session.drawing(), *session.camera());
        let grid = self.stage.grid();
        let mut requested: Vec<Action> = Vec::new();
        let (panels, scale) = (&mut self.panels, self.stage.text_scale());
        let is_open = self.stage.draw(&state, &drawing, &camera, |context| {
            requested = panel::draw(panels, context, session, (grid.as_deref(), scale));
        });
        session.record_frame_time(self.began.elapsed().as_secs_f64());
        for action in requested {
            self.busy = Instant::now();
            session.act(&action);
        }
        is_open && !(self.stop)()
    }
}
