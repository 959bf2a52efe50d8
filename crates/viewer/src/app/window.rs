//! The window, or pictures without one: events go to a session, what it shows goes to a stage.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kiss3d::event::{Action as Press, WindowEvent};
use nalgebra::Vector2;

use extricate_scene::request::Access;

use super::input::Pointer;
use super::load::{Loaded, Prepare};
use super::script::{self, Screen};
use super::session::Session;
use super::simulation::Pace;
use super::{Action, Picture, panel};
use crate::interface::action_of;
use crate::{Panels, Quality, Stage, ViewError};

/// What is to be shown, and how.
pub struct View {
    /// What was loaded.
    pub loaded: Loaded,
    /// Makes a scene and its world of a file that has changed.
    pub prepare: Arc<Prepare>,
    /// Files that a scene may name beyond those around it.
    pub access: Access,
    /// A script that is played first.
    pub script: Option<PathBuf>,
    /// Whether there is no window: the script is played, and that is all.
    pub offscreen: bool,
    /// Width and height [pixels].
    pub size: [u32; 2],
    /// How good pictures are.
    pub quality: Quality,
}

/// Least time from one picture to the next.
const BETWEEN: Duration = Duration::from_millis(16);
/// The same while nothing has happened for a while, and that while.
const AT_REST: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(500)];

/// Shows a scene or a run until the window is closed, the script is at its end, or `stop` says that it is enough.
///
/// # Errors
/// [`ViewError`]; whatever goes wrong while it is shown is told in the window.
pub fn view(view: View, stop: &dyn Fn() -> bool) -> Result<(), ViewError> {
    let View { loaded, prepare, access, script, offscreen, size: [width, height], quality } = view;
    let lines = script.as_deref().map(script::load).transpose()?;
    if offscreen && lines.is_none() {
        return Err(ViewError::NothingToDo);
    }
    let stage = match offscreen {
        true => Stage::offscreen(width, height, quality)?,
        false => Stage::window(&title(loaded.title.path()), width, height, quality)?,
    };
    let pace = if lines.is_some() { Pace::Asked } else { Pace::RealTime };
    let size = Vector2::new(f64::from(width), f64::from(height));
    let session = Session::new(loaded, prepare, pace, size);
    let mut session = session.map_err(|why| ViewError::Start { why })?.with_access(access);
    let mut window = Window::new((stage, offscreen), stop);
    if let (Some(lines), Some(script)) = (&lines, &script) {
        let goes_on = script::play(script, lines, &mut session, &mut window)?;
        if offscreen || !goes_on {
            return Ok(());
        }
        session.let_run();
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

/// A window, or pictures without one.
struct Window<'a> {
    stage: Stage,
    offscreen: bool,
    stop: &'a dyn Fn() -> bool,
    panels: Panels,
    pointer: Pointer,
    /// When something happened last, and when the last picture began.
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

    /// Waits until it is time for another picture: less often where nothing happens.
    fn rest(&self) {
        let [rarely, a_while] = AT_REST;
        let between = if self.busy.elapsed() > a_while { rarely } else { BETWEEN };
        std::thread::sleep(between.saturating_sub(self.began.elapsed()));
    }

    /// Tells the session what keys and mouse did.
    fn tell(&mut self, session: &mut Session) {
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
            let gesture = self.pointer.gesture(&event, (has_mouse, scale), |at| session.can_hold(at));
            if let Some(gesture) = gesture {
                session.gesture(gesture);
            }
        }
    }

    /// Saves the picture that was drawn last.
    fn save(&self, Picture { path, told }: Picture, session: &mut Session) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let made = folder.map_or(Ok(()), std::fs::create_dir_all);
        let saved = made.map_err(|error| error.to_string());
        let saved = saved.and_then(|()| self.stage.picture().save(&path).map_err(|error| error.to_string()));
        match saved {
            Ok(()) if told => session.note(format!("saved {}", path.display())),
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
            // Nobody looks but at pictures, and panels know their sizes after they were drawn once.
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
    /// Draws a picture and does what panels ask for; whether the window is still there.
    fn draw(&mut self, session: &mut Session) -> bool {
        self.tell(session);
        session.resize(self.stage.size());
        if session.has_new_models() {
            self.stage.set(session.models(), session.state());
        }
        if session.state().step != self.step {
            (self.step, self.busy) = (session.state().step, self.began);
        }
        let (state, drawing, camera) = (session.state().clone(), session.drawing(), *session.camera());
        let grid = self.stage.grid();
        let mut asked: Vec<Action> = Vec::new();
        let (panels, scale) = (&mut self.panels, self.stage.text_scale());
        let is_open = self.stage.draw(&state, &drawing, &camera, |context| {
            asked = panel::draw(panels, context, session, (grid.as_deref(), scale));
        });
        session.took(self.began.elapsed().as_secs_f64());
        for action in asked {
            self.busy = Instant::now();
            session.act(&action);
        }
        is_open && !(self.stop)()
    }
}
