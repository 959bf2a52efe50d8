//! What actions do.

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
use extricate_scene::record::WorldState;

impl Session {
    /// Does what is asked for.
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
            | Action::Select(_) => self.want(action),
            Action::Sketch => self.toggle_sketch(),
            Action::Simulate => self.simulate_sketch(),
            Action::Repair
            | Action::Follow
            | Action::Undo
            | Action::Redo
            | Action::Save
            | Action::SaveAs(_) => {
                self.fail("this is for a sketch: E begins one");
            }
            Action::Fit => self.fit(),
            Action::Help => self.help = !self.help,
            Action::Picture => {
                let path = unused(&self.title.name);
                self.pictures.push(Picture { path, told: true });
            }
            Action::PictureTo(path) => self.pictures.push(Picture { path: path.clone(), told: false }),
            Action::Escape => self.escape(),
            Action::Quit => self.quit = true,
        }
    }

    /// What is stepped.
    fn run(&mut self, action: &Action) {
        let clock = self.snapshot.clock;
        let command = match *action {
            Action::PlayPause => {
                if let Some(failure) = self.snapshot.failure.clone() {
                    self.fail(failure + "\nR goes back to the start.");
                }
                // Until the next snapshot comes this is what is known.
                self.snapshot.clock.playing = !clock.playing;
                Command::Play(!clock.playing)
            }
            Action::Step => Command::Step,
            Action::StepBack => Command::Back,
            Action::Reset if self.has_ended => return self.revive(),
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

    /// Starts anew after the simulation broke.
    fn revive(&mut self) {
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
        let [least, most] = crate::app::SPEEDS;
        if speed.is_finite() {
            self.snapshot.clock.speed = speed.clamp(least, most);
        }
        Command::Speed(self.snapshot.clock.speed)
    }

    /// What is drawn on demand.
    fn want(&mut self, action: &Action) {
        let wants = &mut self.wants;
        match *action {
            Action::Toggle(layer) => wants.layers.toggle(layer),
            Action::NextColoring => self.next_coloring(),
            Action::Color(coloring) => wants.coloring = coloring,
            Action::TreeLevel(level) => wants.tree_level = level,
            Action::WalkStep(step) => wants.walk_step = step,
            Action::Slice(share) if share.is_finite() => wants.slice = share.clamp(0.0, 1.0),
            Action::Select(body) => wants.subject = body,
            _ => {}
        }
        self.simulation.send(Command::Want(self.wants));
    }

    fn next_coloring(&mut self) {
        let next = SoftQuantity::next(self.wants.coloring);
        self.wants.coloring = next.filter(|_| !self.models.soft.is_empty());
        match self.models.soft.is_empty() {
            true => self.note("colours are those of soft bodies, and there are none"),
            false => {
                self.note(format!("colours of soft bodies: {}", SoftQuantity::name(self.wants.coloring)))
            }
        }
    }

    fn escape(&mut self) {
        if self.help {
            self.help = false;
        } else if self.message.take().is_some() {
        } else if self.sketch.is_some() {
            self.toggle_sketch();
        } else {
            self.act(&Action::Select(None));
        }
    }

    fn fit(&mut self) {
        let selected = self.wants.subject.map(|body| self.bounds(body));
        let bounds = selected.filter(|bounds| bounds.extents().norm() > 0.0);
        let bounds = bounds.unwrap_or_else(|| self.models.bounds(self.state(), true));
        let Camera { target, distance, .. } = Camera::fitted(&bounds, self.size.x / self.size.y);
        (self.camera.target, self.camera.distance) = (target, distance);
    }

    /// A box around a body [m, world].
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

    /// Begins a sketch with the poses of the scene, or ends it.
    pub(super) fn toggle_sketch(&mut self) {
        self.release();
        if self.sketch.take().is_some() {
            return;
        }
        if self.snapshot.recorded.is_some() {
            self.fail("a recorded run cannot be sketched: open its scene");
            return;
        }
        self.simulation.send(Command::Play(false));
        self.snapshot.clock.playing = false;
        let begun = self.scene.world().map_err(|error| error.to_string()).and_then(|world| {
            let state = WorldState::of(&world);
            let scene = Arc::clone(&self.scene);
            let mode = SketchMode::new(scene, &world, (&self.models, &state));
            mode.map(|mode| mode.with_access(&self.access)).map_err(|error| error.to_string())
        });
        match begun {
            Ok(sketch) => self.sketch = Some(sketch),
            Err(error) => self.fail(error),
        }
    }

    /// Simulates the scene as it is sketched.
    fn simulate_sketch(&mut self) {
        let Some(sketch) = &self.sketch else {
            self.fail("nothing is sketched: E begins a sketch");
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

/// The first name of a picture in the present folder that is not taken.
fn unused(name: &str) -> PathBuf {
    let file = |number: usize| PathBuf::from(format!("{name}-{number:03}.png"));
    (1..).map(file).find(|file| !Path::exists(file)).unwrap_or_else(|| file(0))
}
