//! Execution of mouse gestures: camera motion, selection, and dragging of bodies.

use nalgebra::Vector2;

use super::{DragState, Session};
use crate::app::input::{DragMode, Gesture};
use crate::app::picking::Hit;
use crate::app::simulation::Command;
use crate::interface::Action;
use extricate_dynamics::{AnyBody, BodyKind, Pull};

impl Session {
    /// First hit of the ray through a pixel.
    #[must_use]
    pub fn pick(&mut self, pixel: Vector2<f64>) -> Option<Hit> {
        let ray = self.camera.ray(pixel, self.size);
        let state = self.sketch.as_ref().map_or(&self.snapshot.state, |sketch| sketch.state());
        self.picker.pick(&self.models, state, &ray)
    }

    /// Whether the object at a pixel can be dragged.
    #[must_use]
    pub fn can_drag(&mut self, pixel: Vector2<f64>) -> bool {
        let hit = self.pick(pixel);
        hit.is_some_and(|hit| {
            self.sketch.is_some() && self.has_surface(hit.body) || self.can_be_pulled(hit.body)
        })
    }

    fn has_surface(&self, body: AnyBody) -> bool {
        match body {
            AnyBody::Rigid(index) => self.models.bodies[index].mesh.is_some(),
            AnyBody::Soft(_) => true,
        }
    }

    fn can_be_pulled(&self, body: AnyBody) -> bool {
        self.snapshot.recorded.is_none()
            && match body {
                AnyBody::Rigid(index) => self.models.bodies[index].kind == BodyKind::Dynamic,
                AnyBody::Soft(_) => true,
            }
    }

    /// Executes a gesture.
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
            Gesture::Grab(at, mode) => self.grab(at, mode),
            Gesture::Drag(at) => self.drag(at),
            Gesture::Release => self.release(),
        }
    }

    /// Zooms by a factor, keeping the point under a pixel fixed in the picture.
    fn zoom(&mut self, factor: f64, at: Vector2<f64>) {
        let ray = self.camera.ray(at, self.size);
        let [.., back] = self.camera.axes();
        let hit = self.pick(at).map(|hit| hit.point);
        let fixed = hit.or_else(|| ray.on_plane(&self.camera.target, &back)).unwrap_or(self.camera.target);
        let before = self.camera.distance;
        self.camera.zoom(factor);
        // The distance is clamped, so that the target scales by the factor achieved.
        let factor = self.camera.distance / before;
        self.camera.target = fixed + (self.camera.target - fixed) * factor;
    }

    fn grab(&mut self, at: Vector2<f64>, mode: DragMode) {
        self.release();
        let Some(hit) = self.pick(at) else { return };
        let [.., normal] = self.camera.axes();
        let state = DragState { point: hit.point, normal, pulled: None };
        if let Some(sketch) = &mut self.sketch {
            if sketch.grab(hit.body, &hit.point, mode == DragMode::Rotate) {
                self.drag_state = Some(state);
            }
        } else if self.can_be_pulled(hit.body) {
            self.act(&Action::Select(Some(hit.body)));
            let pulled = self.name(hit.body).map(|name| (name, hit.grip));
            self.drag_state = Some(DragState { pulled, ..state });
        }
    }

    fn drag(&mut self, at: Vector2<f64>) {
        let Some(state) = &self.drag_state else { return };
        let Some(target) = self.camera.ray(at, self.size).on_plane(&state.point, &state.normal) else {
            return;
        };
        match (&state.pulled, &mut self.sketch) {
            (Some((body, grip)), _) => {
                let pull = Pull { body: body.clone(), grip: *grip, target };
                self.simulation.send(Command::Pull(Some(pull)));
            }
            (None, Some(sketch)) => sketch.drag(&target),
            (None, None) => {}
        }
    }

    /// Ends the drag.
    pub(super) fn release(&mut self) {
        let Some(state) = self.drag_state.take() else { return };
        match &mut self.sketch {
            Some(sketch) => sketch.release(),
            None if state.pulled.is_some() => self.simulation.send(Command::Pull(None)),
            None => {}
        }
    }
}
