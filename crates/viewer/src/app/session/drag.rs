//! What the mouse does: it turns the camera, selects, and holds bodies.

use nalgebra::Vector2;

use super::{Held, Session};
use crate::app::input::{Gesture, Hold};
use crate::app::picking::Hit;
use crate::app::simulation::Command;
use crate::interface::Action;
use extricate_dynamics::{AnyBody, BodyKind, Pull};

impl Session {
    /// What is at a pixel.
    #[must_use]
    pub fn pick(&mut self, pixel: Vector2<f64>) -> Option<Hit> {
        let ray = self.camera.ray(pixel, self.size);
        let state = self.sketch.as_ref().map_or(&self.snapshot.state, |sketch| sketch.state());
        self.picker.pick(&self.models, state, &ray)
    }

    /// Whether what is at a pixel can be dragged.
    #[must_use]
    pub fn can_hold(&mut self, pixel: Vector2<f64>) -> bool {
        let hit = self.pick(pixel);
        hit.is_some_and(|hit| {
            self.sketch.is_some() && self.has_surface(hit.body) || self.can_be_pulled(hit.body)
        })
    }

    fn has_surface(&self, body: AnyBody) -> bool {
        matches!(body, AnyBody::Rigid(index) if self.models.bodies[index].mesh.is_some())
    }

    fn can_be_pulled(&self, body: AnyBody) -> bool {
        self.snapshot.recorded.is_none()
            && match body {
                AnyBody::Rigid(index) => self.models.bodies[index].kind == BodyKind::Dynamic,
                AnyBody::Soft(_) => true,
            }
    }

    /// Does what is done with the mouse.
    pub fn gesture(&mut self, gesture: Gesture) {
        match gesture {
            Gesture::Orbit(azimuth, elevation) => self.camera.orbit(azimuth, elevation),
            Gesture::Pan(by) => self.camera.pan(by, self.size.y),
            Gesture::Zoom(factor, at) => self.zoom(factor, at),
            Gesture::Click(at) => {
                let selected = self.pick(at).map(|hit| hit.body);
                let is_ground =
                    |body: &AnyBody| matches!(body, AnyBody::Rigid(_)) && !self.has_surface(*body);
                let selected = selected.filter(|body| !is_ground(body));
                self.act(&Action::Select(selected));
            }
            Gesture::Grab(at, hold) => self.grab(at, hold),
            Gesture::Drag(at) => self.drag(at),
            Gesture::Drop => self.release(),
        }
    }

    /// Goes nearer to what is at a pixel, which stays where it is in the picture.
    fn zoom(&mut self, factor: f64, at: Vector2<f64>) {
        let ray = self.camera.ray(at, self.size);
        let [.., back] = self.camera.axes();
        let hit = self.pick(at).map(|hit| hit.point);
        let fixed = hit.or_else(|| ray.on_plane(&self.camera.target, &back)).unwrap_or(self.camera.target);
        let before = self.camera.distance;
        self.camera.zoom(factor);
        let factor = self.camera.distance / before;
        self.camera.target = fixed + (self.camera.target - fixed) * factor;
    }

    fn grab(&mut self, at: Vector2<f64>, hold: Hold) {
        self.release();
        let Some(hit) = self.pick(at) else { return };
        let [.., normal] = self.camera.axes();
        let held = Held { point: hit.point, normal, pulled: None };
        if let Some(sketch) = &mut self.sketch {
            let AnyBody::Rigid(body) = hit.body else { return };
            if sketch.grab(body, &hit.point, hold == Hold::Turn) {
                self.held = Some(held);
            }
        } else if self.can_be_pulled(hit.body) {
            self.act(&Action::Select(Some(hit.body)));
            let pulled = self.name(hit.body).map(|name| (name, hit.grip));
            self.held = Some(Held { pulled, ..held });
        }
    }

    fn drag(&mut self, at: Vector2<f64>) {
        let Some(held) = &self.held else { return };
        let Some(target) = self.camera.ray(at, self.size).on_plane(&held.point, &held.normal) else { return };
        match (&held.pulled, &mut self.sketch) {
            (Some((body, grip)), _) => {
                let pull = Pull { body: body.clone(), grip: *grip, target };
                self.simulation.send(Command::Pull(Some(pull)));
            }
            (None, Some(sketch)) => sketch.drag(&target),
            (None, None) => {}
        }
    }

    /// Lets go of what is held.
    pub(super) fn release(&mut self) {
        let Some(held) = self.held.take() else { return };
        match &mut self.sketch {
            Some(sketch) => sketch.release(),
            None if held.pulled.is_some() => self.simulation.send(Command::Pull(None)),
            None => {}
        }
    }
}
