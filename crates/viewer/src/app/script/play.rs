//! Execution of scripts.

use std::path::Path;
use std::time::{Duration, Instant};

use kiss3d::event::{Action as Press, Modifiers, MouseButton, WindowEvent};
use nalgebra::{Isometry3, Point3, Translation3, Vector2};

use super::{Line, ScriptCommand};
use crate::Camera;
use crate::ViewError;
use crate::app::Session;
use crate::app::input::Pointer;
use crate::interface::Action;
use crate::interface::action_named;

/// Output of a session: a window, or nothing in tests.
pub trait Screen {
    /// Shows the session as it is now and saves the requested pictures. Returns whether the screen is still open.
    fn show(&mut self, session: &mut Session) -> bool;
}

/// Simulated time between two pictures [s]: it sets into how many moves a drag is divided, so that equal scripts give equal
/// states only with the same value.
const BETWEEN: f64 = 1.0 / 30.0;
/// Wall-clock limit for one command: a defect ends a script instead of blocking it for ever.
const LIMIT: Duration = Duration::from_secs(600);
/// Pause between two pictures while the simulation is paused: only limits the load of the processor.
const PAUSE: Duration = Duration::from_millis(10);

/// Executes a script line by line on a session and shows it. Returns whether the viewer continues.
///
/// # Errors
/// [`ViewError::ScriptLine`] with the first line that failed, which includes every error that the window would show.
pub fn play(
    path: &Path,
    lines: &[Line],
    session: &mut Session,
    screen: &mut dyn Screen,
) -> Result<bool, ViewError> {
    let mut player = Player { session, screen, pointer: Pointer::default(), is_open: true };
    for line in lines {
        let wrong = |message| ViewError::ScriptLine { path: path.to_owned(), line: line.number, message };
        let errors = player.session.errors();
        player.execute(&line.command).map_err(wrong)?;
        player.session.finish_reload(LIMIT).map_err(wrong)?;
        // Every command is complete before the next one, so that a script does not depend on thread timing.
        player.session.settle(LIMIT).map_err(wrong)?;
        player.show();
        if player.session.errors() > errors {
            let message = player.session.message().map_or_else(String::new, |message| message.text.clone());
            return Err(wrong(message));
        }
        if !player.is_open || player.session.has_quit() {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Player<'a> {
    session: &'a mut Session,
    screen: &'a mut dyn Screen,
    pointer: Pointer,
    is_open: bool,
}

impl Player<'_> {
    fn show(&mut self) {
        self.is_open &= self.screen.show(self.session);
    }

    fn execute(&mut self, command: &ScriptCommand) -> Result<(), String> {
        match command {
            ScriptCommand::Wait(seconds) => return self.wait(*seconds),
            ScriptCommand::Key(name) => {
                let action = action_named(name, self.session.sketch().is_some());
                self.session
                    .act(&action.ok_or_else(|| format!("no action is bound to key `{name}` in this mode"))?);
                self.finish_sketch();
            }
            ScriptCommand::Click(at) => {
                self.mouse(*at, None);
                self.mouse(*at, Some(Press::Press));
                self.mouse(*at, Some(Press::Release));
            }
            ScriptCommand::Drag { ends, seconds } => return self.drag(*ends, *seconds),
            ScriptCommand::Select(name) => {
                let body = self.session.body(name).ok_or_else(|| format!("unknown body `{name}`"))?;
                self.session.act(&Action::Select(Some(body)));
            }
            ScriptCommand::Camera { eye, target } => {
                let camera = Camera::look_at(eye, target, self.session.camera().field_of_view);
                if !(camera.distance > 0.0) {
                    return Err("the camera position and its target coincide".into());
                }
                self.session.look(camera);
            }
            ScriptCommand::Speed(speed) => self.session.act(&Action::Speed(*speed)),
            ScriptCommand::Joint { name, value } => return self.set_joint(name, *value),
            ScriptCommand::Move { name, to } => return self.put(name, to),
            ScriptCommand::Set { body, field, value } => {
                let (body, field, value) = (body.clone(), *field, value.clone());
                self.session.act(&Action::SetValue { body, field, value });
            }
            ScriptCommand::Repair => {
                self.session.act(&Action::Repair);
                self.finish_sketch();
            }
            ScriptCommand::Save(path) => self.session.act(&Action::SaveAs(path.clone())),
            ScriptCommand::Picture(path) => self.session.act(&Action::PictureTo(path.clone())),
            ScriptCommand::Quit => self.session.act(&Action::Quit),
        }
        Ok(())
    }

    /// Waits for the worker of the sketch, and applies its result.
    fn finish_sketch(&mut self) {
        if let Some(sketch) = self.session.sketch() {
            sketch.wait(LIMIT);
        }
        self.session.tick();
    }

    fn wait(&mut self, seconds: f64) -> Result<(), String> {
        if self.session.is_playing() {
            return self.advance(seconds);
        }
        let started = Instant::now();
        while started.elapsed().as_secs_f64() < seconds && self.is_open {
            self.show();
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Plays for a simulated time [s], with a picture every [`BETWEEN`].
    fn advance(&mut self, seconds: f64) -> Result<(), String> {
        let mut remaining = seconds;
        while remaining > 0.0 && self.is_open {
            let part = remaining.min(BETWEEN);
            remaining -= part;
            self.session.advance(part);
            self.session.settle(LIMIT)?;
            self.show();
        }
        Ok(())
    }

    fn drag(&mut self, [from, to]: [Vector2<f64>; 2], seconds: f64) -> Result<(), String> {
        self.mouse(from, None);
        self.mouse(from, Some(Press::Press));
        // At least eight moves: the first one only distinguishes the drag from a click.
        let parts = (seconds / BETWEEN).ceil().max(8.0);
        let mut part = 0.0;
        while part < parts {
            part += 1.0;
            self.mouse(from + (to - from) * (part / parts), None);
            if self.session.is_playing() {
                self.advance(seconds / parts)?;
            } else {
                self.finish_sketch();
                self.show();
            }
        }
        self.mouse(to, Some(Press::Release));
        self.finish_sketch();
        Ok(())
    }

    /// Moves the mouse to a pixel, or presses or releases the left button there.
    fn mouse(&mut self, at: Vector2<f64>, press: Option<Press>) {
        let none = Modifiers::empty();
        let event = match press {
            None => WindowEvent::CursorPos(at.x, at.y, none),
            Some(press) => WindowEvent::MouseButton(MouseButton::Button1, press, none),
        };
        let gesture = self.pointer.gesture(&event, (false, 1.0), |at| self.session.can_drag(at));
        if let Some(gesture) = gesture {
            self.session.gesture(gesture);
        }
    }

    fn set_joint(&mut self, name: &str, value: f64) -> Result<(), String> {
        let sketch = self.session.sketch().ok_or(NO_SKETCH)?;
        let (robot, joint) = name.split_once('/').unwrap_or((name, ""));
        let set = sketch.change(|sketch| sketch.set_joint(robot, joint, value));
        set.map(|_| ()).map_err(|error| error.to_string())
    }

    fn put(&mut self, name: &str, to: &Point3<f64>) -> Result<(), String> {
        let sketch = self.session.sketch().ok_or(NO_SKETCH)?;
        let position = Translation3::from(to.coords);
        let robot = sketch.sketch().robots().into_iter().find(|robot| robot.name == name);
        let changed = if let Some(robot) = robot {
            let pose = Isometry3::from_parts(position, robot.base.rotation);
            sketch.change(|sketch| sketch.move_base(name, &pose))
        } else {
            let body = sketch.sketch().bodies().into_iter().find(|body| body.name == name);
            let rotation = body.map_or_else(Default::default, |body| body.pose.rotation);
            // An unknown name is reported by `move_body`.
            sketch.change(|sketch| sketch.move_body(name, &Isometry3::from_parts(position, rotation)))
        };
        changed.map_err(|error| error.to_string())
    }
}

/// Error of commands that need a sketch.
const NO_SKETCH: &str = "no sketch is open; `key E` starts one";
