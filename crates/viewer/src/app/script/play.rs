//! Doing what a script says.

use std::path::Path;
use std::time::{Duration, Instant};

use kiss3d::event::{Action as Press, Modifiers, MouseButton, WindowEvent};
use nalgebra::{Isometry3, Point3, Translation3, Vector2};

use super::{Line, Order};
use crate::Camera;
use crate::ViewError;
use crate::app::Session;
use crate::app::input::Pointer;
use crate::interface::Action;
use crate::interface::action_named;

/// Where a session is shown.
pub trait Screen {
    /// Shows it as it is now, and takes the pictures that are asked for; whether the screen is still there.
    fn show(&mut self, session: &mut Session) -> bool;
}

/// Simulated time between two pictures [s].
const BETWEEN: f64 = 1.0 / 30.0;
/// Longest time that anything may take.
const LIMIT: Duration = Duration::from_secs(600);
/// Pause between two pictures while nothing plays.
const PAUSE: Duration = Duration::from_millis(10);

/// Does all that a script says, line by line, and shows it. Whether the viewer is to go on.
///
/// # Errors
/// [`ViewError::ScriptLine`] with the first line that could not be done: an error that the window would show is one.
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
        player.obey(&line.order).map_err(wrong)?;
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

    fn obey(&mut self, order: &Order) -> Result<(), String> {
        match order {
            Order::Wait(seconds) => return self.wait(*seconds),
            Order::Key(name) => {
                let action = action_named(name, self.session.sketch().is_some());
                self.session.act(&action.ok_or_else(|| format!("no key `{name}` does anything now"))?);
                self.finish_sketch();
            }
            Order::Click(at) => {
                self.mouse(*at, None);
                self.mouse(*at, Some(Press::Press));
                self.mouse(*at, Some(Press::Release));
            }
            Order::Drag { ends, seconds } => return self.drag(*ends, *seconds),
            Order::Select(name) => {
                let body = self.session.body(name).ok_or_else(|| format!("there is no body `{name}`"))?;
                self.session.act(&Action::Select(Some(body)));
            }
            Order::Camera { eye, target } => {
                let camera = Camera::looking(eye, target, self.session.camera().field_of_view);
                if !(camera.distance > 0.0) {
                    return Err("from where one looks is at what one looks".into());
                }
                self.session.look(camera);
            }
            Order::Speed(speed) => self.session.act(&Action::Speed(*speed)),
            Order::Joint { name, value } => return self.set_joint(name, *value),
            Order::Move { name, to } => return self.put(name, to),
            Order::Repair => {
                self.session.act(&Action::Repair);
                self.finish_sketch();
            }
            Order::Save(path) => self.session.act(&Action::SaveAs(path.clone())),
            Order::Picture(path) => self.session.act(&Action::PictureTo(path.clone())),
            Order::Quit => self.session.act(&Action::Quit),
        }
        Ok(())
    }

    /// Waits for what the sketch seeks, and takes it over.
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

    /// Plays for simulated seconds, a picture now and then.
    fn advance(&mut self, seconds: f64) -> Result<(), String> {
        let mut left = seconds;
        while left > 0.0 && self.is_open {
            let part = left.min(BETWEEN);
            left -= part;
            self.session.advance(part);
            self.session.settle(LIMIT)?;
            self.show();
        }
        Ok(())
    }

    fn drag(&mut self, [from, to]: [Vector2<f64>; 2], seconds: f64) -> Result<(), String> {
        self.mouse(from, None);
        self.mouse(from, Some(Press::Press));
        // The first move tells a drag from a click.
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

    /// Moves the mouse to a place, or presses or releases the left button there.
    fn mouse(&mut self, at: Vector2<f64>, press: Option<Press>) {
        let none = Modifiers::empty();
        let event = match press {
            None => WindowEvent::CursorPos(at.x, at.y, none),
            Some(press) => WindowEvent::MouseButton(MouseButton::Button1, press, none),
        };
        let gesture = self.pointer.gesture(&event, (false, 1.0), |at| self.session.can_hold(at));
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
        let place = Translation3::from(to.coords);
        let robot = sketch.sketch().robots().into_iter().find(|robot| robot.name == name);
        let changed = if let Some(robot) = robot {
            let pose = Isometry3::from_parts(place, robot.base.rotation);
            sketch.change(|sketch| sketch.move_base(name, &pose))
        } else {
            let body = sketch.sketch().bodies().into_iter().find(|body| body.name == name);
            let rotation = body.map_or_else(Default::default, |body| body.pose.rotation);
            // What is not there is told by name.
            sketch.change(|sketch| sketch.move_body(name, &Isometry3::from_parts(place, rotation)))
        };
        changed.map_err(|error| error.to_string())
    }
}

/// What is said to who poses without a sketch.
const NO_SKETCH: &str = "nothing is sketched: `key E` begins a sketch";
