//! Translation of mouse events (presses, moves, wheel) into gestures. Keys are handled in [`crate::interface`].

use kiss3d::event::{Action, Modifiers, MouseButton, WindowEvent};
use nalgebra::Vector2;

/// Pointer displacement from which a press is a drag [logical pixels]: smaller, and a shaky click starts a drag; larger,
/// and short drags are lost.
const DRAG_THRESHOLD: f64 = 4.0;
/// Scroll distance that kiss3d reports for one notch of the wheel.
const SCROLL_PER_NOTCH: f64 = 10.0;
/// Factor on the camera distance for one notch of the wheel forwards: five to six notches halve the distance.
const ZOOM_PER_NOTCH: f64 = 0.88;
/// Orbit angle per logical pixel [rad]: a drag of about 390 pixels is half a rotation.
const ORBIT_RATE: f64 = 0.008;

/// A mouse gesture. Positions are pixels from the top left corner, displacements pixels to the right and down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gesture {
    /// Orbits the camera by azimuth and elevation increments \[rad\].
    Orbit(f64, f64),
    /// Pans the camera by a displacement.
    Pan(Vector2<f64>),
    /// Multiplies the camera distance by a factor, keeping the point under a pixel fixed.
    Zoom(f64, Vector2<f64>),
    /// Clicks at a pixel.
    Click(Vector2<f64>),
    /// Grabs the object at a pixel.
    Grab(Vector2<f64>, DragMode),
    /// Drags the grabbed object to a pixel.
    Drag(Vector2<f64>),
    /// Releases the grabbed object.
    Release,
}

/// Motion that a drag imposes on the grabbed object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DragMode {
    /// Translation with the pointer.
    Translate,
    /// Rotation (Ctrl).
    Rotate,
}

/// State of the mouse between two events.
#[derive(Debug, Default)]
pub struct Pointer {
    at: Vector2<f64>,
    press: Option<Press>,
}

#[derive(Debug, Clone, Copy)]
struct Press {
    button: MouseButton,
    modifiers: Modifiers,
    from: Vector2<f64>,
    drag: Option<Drag>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drag {
    Orbit,
    Pan,
    Body,
}

impl Pointer {
    /// Position of the pointer \[pixels\].
    #[must_use]
    pub fn at(&self) -> Vector2<f64> {
        self.at
    }

    /// Gesture of an event, if it completes one. `panels` states whether the pointer is over a panel, `can_drag` whether the
    /// object at a pixel can be dragged, and `scale` is the number of pixels per logical pixel.
    pub fn gesture(
        &mut self,
        event: &WindowEvent,
        (panels, scale): (bool, f64),
        can_drag: impl FnOnce(Vector2<f64>) -> bool,
    ) -> Option<Gesture> {
        match *event {
            WindowEvent::CursorPos(x, y, _) => self.moved(Vector2::new(x, y), scale, can_drag),
            WindowEvent::MouseButton(button, Action::Press, modifiers) if !panels && self.press.is_none() => {
                self.press = Some(Press { button, modifiers, from: self.at, drag: None });
                None
            }
            // A release is handled over panels, too: a drag that ends there must not stay active.
            WindowEvent::MouseButton(button, Action::Release, _) => {
                let press = self.press.take_if(|press| press.button == button)?;
                match press.drag {
                    Some(Drag::Body) => Some(Gesture::Release),
                    None if button == MouseButton::Button1 => Some(Gesture::Click(press.from)),
                    _ => None,
                }
            }
            WindowEvent::Scroll(_, notches, _) if !panels && notches.is_finite() => {
                Some(Gesture::Zoom(ZOOM_PER_NOTCH.powf(notches / SCROLL_PER_NOTCH), self.at))
            }
            _ => None,
        }
    }

    fn moved(
        &mut self,
        to: Vector2<f64>,
        scale: f64,
        can_drag: impl FnOnce(Vector2<f64>) -> bool,
    ) -> Option<Gesture> {
        let by = to - self.at;
        self.at = to;
        let press = self.press.as_mut()?;
        if press.drag.is_none() {
            // Negated so that a pointer position that is not a number starts no drag.
            if !((to - press.from).norm() >= DRAG_THRESHOLD * scale) {
                return None;
            }
            let drag = press.drag_kind(can_drag);
            press.drag = Some(drag);
            if drag == Drag::Body {
                let rotates = press.modifiers.contains(Modifiers::Control);
                return Some(Gesture::Grab(
                    press.from,
                    if rotates { DragMode::Rotate } else { DragMode::Translate },
                ));
            }
        }
        Some(match press.drag? {
            Drag::Orbit => Gesture::Orbit(-by.x * ORBIT_RATE / scale, by.y * ORBIT_RATE / scale),
            Drag::Pan => Gesture::Pan(by),
            Drag::Body => Gesture::Drag(to),
        })
    }
}

impl Press {
    /// Object that a drag of this press moves: the camera or a body.
    fn drag_kind(&self, can_drag: impl FnOnce(Vector2<f64>) -> bool) -> Drag {
        let pans = self.modifiers.contains(Modifiers::Shift) || self.button == MouseButton::Button3;
        if pans {
            Drag::Pan
        } else if self.button == MouseButton::Button1 && can_drag(self.from) {
            Drag::Body
        } else {
            Drag::Orbit
        }
    }
}

#[cfg(test)]
mod tests;
