//! Execution of actions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Picture, Session};
use crate::Camera;
use crate::app::load::Loaded;
use crate::app::simulation::Command;
use crate::interface::Action;
use crate::overlay::boxes::corners;
use crate::sketch::SketchMode;
use crate::soft_quantity::SoftQuantity;
use extricate_core::geometry::Aabb;
use extricate_dynamics::AnyBody;

impl Session {
    /// Executes an action.
    pub fn act(&mut self, action: &Action) {
        if self.sketch.as_mut().is_some_and(|sketch| sketch.handle(action)) {
            return;
        }
        match action {
            Action::PlayPause
            | Action::Step
            | Action::StepBack
            | Action::Reset
            | Action::Faster
            | Action::Slower
            | Action::Speed(_)
            | Action::Seek(_) => self.run(action),
            Action::Toggle(_)
            | Action::NextColoring
            | Action::Color(_)
            | Action::TreeLevel(_)
            | Action::WalkStep(_)
            | Action::Slice(_)
            | Action::Select(_) => self.set_display(action),
            Action::SetValue { body, field, value } => match self.sketch {
                Some(_) => self.fail("close the sketch (E) before values of the scene file are edited"),
                None => self.set_value(body, *field, value),
            },
            Action::Open(path) => self.open(path),
            Action::Drop(path) => self.drop_file(path),
            Action::Undo | Action::Redo => self.undo_edit(*action == Action::Redo),
            Action::Sketch => self.toggle_sketch(),
            Action::Simulate => self.simulate_sketch(),
            Action::Repair | Action::Follow | Action::Save | Action::SaveAs(_) => self.fail(NO_SKETCH),
            Action::Fit => self.fit(),
            Action::Help => self.help = !self.help,
            Action::Picture => {
                let path = unused(&self.title.name);
                self.pictures.push(Picture { path, announce: true });
            }
            Action::PictureTo(path) => self.pictures.push(Picture { path: path.clone(), announce: false }),
            Action::Escape => self.escape(),
            Action::Quit => self.quit = true,
        }
    }

    /// Executes an action on time: playing, stepping, speed.
    fn run(&mut self, action: &Action) {
        let clock = self.snapshot.clock;
        let command = match *action {
            Action::PlayPause => {
                if let Some(failure) = self.snapshot.failure.clone() {
                    self.fail(failure + "\nPress R to reset.");
                }
                // Shown at once; the next snapshot confirms it.
                self.snapshot.clock.playing = !clock.playing;
                Command::Play(!clock.playing)
            }
            Action::Step => Command::Step,
            Action::StepBack => Command::Back,
            // A thread that has panicked takes no commands any more.
            Action::Reset if self.has_ended => return self.restart(),
            Action::Reset => {
                self.message = None;
                Command::Reset
            }
            Action::Faster => self.speed(clock.speed * 2.0),
            Action::Slower => self.speed(clock.speed / 2.0),
            Action::Speed(speed) => self.speed(speed),
            Action::Seek(state) => Command::Seek(state),
            _ => return,
        };
        self.simulation.send(command);
    }

    /// Restarts the simulation after its thread panicked.
    fn restart(&mut self) {
        let path = self.title.path.clone();
        let loaded = if self.snapshot.recorded.is_some() {
            Loaded::run(&path)
        } else {
            let scene = (*self.scene).clone();
            let world = scene.world().map_err(|error| error.to_string());
            world.and_then(|world| Loaded::of(&path, scene, world))
        };
        match loaded {
            Ok(loaded) => {
                self.message = None;
                self.replace(loaded);
            }
            Err(error) => self.fail(error),
        }
    }

    fn speed(&mut self, speed: f64) -> Command {
        let [min, max] = crate::app::SPEEDS;
        if speed.is_finite() {
            self.snapshot.clock.speed = speed.clamp(min, max);
        }
        Command::Speed(self.snapshot.clock.speed)
    }

    /// Executes an action that changes the display options.
    fn set_display(&mut self, action: &Action) {
        let display = &mut self.display;
        match *action {
            Action::Toggle(layer) => display.layers.toggle(layer),
            Action::NextColoring => self.next_coloring(),
            Action::Color(coloring) => display.coloring = coloring,
            Action::TreeLevel(level) => display.tree_level = level,
            Action::WalkStep(step) => display.walk_step = step,
            Action::Slice(fraction) if fraction.is_finite() => display.slice = fraction.clamp(0.0, 1.0),
            Action::Select(body) => self.select(body),
            _ => {}
        }
        self.simulation.send(Command::Display(self.display));
    }

    fn next_coloring(&mut self) {
        let next = SoftQuantity::next(self.display.coloring);
        self.display.coloring = next.filter(|_| !self.models.soft.is_empty());
        match self.models.soft.is_empty() {
            true => self.note("no soft bodies to colour"),
            false => self.note(format!("soft-body colouring: {}", SoftQuantity::name(self.display.coloring))),
        }
    }

    fn escape(&mut self) {
        if self.help {
            self.help = false;
        // Taking the message dismisses it.
        } else if self.message.take().is_some() {
        } else if self.sketch.is_some() {
            self.toggle_sketch();
        } else {
            self.act(&Action::Select(None));
        }
    }

    fn fit(&mut self) {
        let selected = self.display.subject.map(|body| self.bounds(body));
        let bounds = selected.filter(|bounds| bounds.extents().norm() > 0.0);
        let bounds = bounds.unwrap_or_else(|| self.models.bounds(self.state(), true));
        let Camera { target, distance, .. } = Camera::fitted(&bounds, self.size.x / self.size.y);
        (self.camera.target, self.camera.distance) = (target, distance);
    }

    /// Bounding box of a body [m, world].
    pub(super) fn bounds(&self, body: AnyBody) -> Aabb {
        let state = self.state();
        let mut bounds = Aabb::EMPTY;
        match body {
            AnyBody::Soft(index) => {
                state
                    .soft
                    .get(index)
                    .into_iter()
                    .flat_map(|soft| &soft.nodes)
                    .for_each(|node| bounds.include(node));
            }
            AnyBody::Rigid(index) => {
                let mesh = self.models.bodies.get(index).and_then(|body| body.mesh.as_ref());
                if let Some((mesh, pose)) = mesh.zip(state.poses().nth(index)) {
                    corners(&mesh.aabb()).iter().for_each(|corner| bounds.include(&(pose * corner)));
                }
            }
        }
        bounds
    }

    /// Opens a sketch where the simulation is, or closes it.
    pub(super) fn toggle_sketch(&mut self) {
        self.release();
        if self.sketch.take().is_some() {
            return;
        }
        if self.snapshot.recorded.is_some() {
            self.fail("a recorded run cannot be sketched; open its scene file instead");
            return;
        }
        // A sketch poses bodies by hand: the simulation must not continue beneath it.
        self.simulation.send(Command::Play(false));
        self.snapshot.clock.playing = false;
        let begun = self.scene.world().map_err(|error| error.to_string()).and_then(|world| {
            let scene = Arc::clone(&self.scene);
            let mode = SketchMode::new(scene, &world, (&self.models, &self.snapshot.state));
            mode.map(|mode| mode.with_access(&self.access)).map_err(|error| error.to_string())
        });
        match begun {
            Ok(sketch) => self.sketch = Some(sketch),
            Err(error) => self.fail(error),
        }
    }

    /// Replaces the scene by the sketched one and plays it.
    fn simulate_sketch(&mut self) {
        let Some(sketch) = &self.sketch else {
            self.fail(NO_SKETCH);
            return;
        };
        let path = self.title.path.clone();
        let posed = sketch.posed();
        let loaded = posed.world().map_err(|error| error.to_string());
        match loaded.and_then(|world| Loaded::of(&path, posed, world)) {
            Ok(loaded) => {
                self.replace(loaded);
                self.act(&Action::PlayPause);
            }
            Err(error) => self.fail(error),
        }
    }
}

/// Error of actions that need a sketch.
const NO_SKETCH: &str = "no sketch is open; E starts one";

/// First unused file name for a screenshot in the current folder.
fn unused(name: &str) -> PathBuf {
    let file = |number: usize| PathBuf::from(format!("{name}-{number:03}.png"));
    (1..).map(file).find(|file| !Path::exists(file)).unwrap_or_else(|| file(0))
}
