//! What the mouse means: presses, moves and the wheel become gestures. Keys are in [`crate::interface`].

use kiss3d::event::{Action, Modifiers, MouseButton, WindowEvent};
use nalgebra::Vector2;

/// How far the pointer moves before a press is a drag [logical pixels].
const DRAG: f64 = 4.0;
/// Points that a notch of the wheel counts in kiss3d.
const NOTCH: f64 = 10.0;
/// Factor of the distance for a notch of the wheel away from oneself.
const ZOOM: f64 = 0.88;
/// Angle for a pixel [rad].
const TURN: f64 = 0.008;

/// What is done with the mouse. Places are pixels from the top left corner, shifts pixels to the right and down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gesture {
    /// Turns the camera by angles about z and above the ground [rad].
    Orbit(f64, f64),
    /// Shifts the picture.
    Pan(Vector2<f64>),
    /// Goes nearer to what is at a place by a factor of the distance, or away from it.
    Zoom(f64, Vector2<f64>),
    /// Clicks at a place.
    Click(Vector2<f64>),
    /// Takes hold of what is at a place; with Ctrl it is turned instead of shifted.
    Grab(Vector2<f64>, Hold),
    /// Drags what is held to a place.
    Drag(Vector2<f64>),
    /// Lets go.
    Drop,
}

/// How something is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// It goes where the hand goes.
    Shift,
    /// It turns.
    Turn,
}

/// The mouse between two events.
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
    /// Where it is.
    #[must_use]
    pub fn at(&self) -> Vector2<f64> {
        self.at
    }

    /// What an event means, if anything. `panels` tells whether the mouse is over a panel, `holds` whether something at a
    /// place can be dragged, `scale` is the number of pixels in a logical one.
    pub fn gesture(
        &mut self,
        event: &WindowEvent,
        (panels, scale): (bool, f64),
        holds: impl FnOnce(Vector2<f64>) -> bool,
    ) -> Option<Gesture> {
        match *event {
            WindowEvent::CursorPos(x, y, _) => self.moved(Vector2::new(x, y), scale, holds),
            WindowEvent::MouseButton(button, Action::Press, modifiers) if !panels && self.press.is_none() => {
                self.press = Some(Press { button, modifiers, from: self.at, drag: None });
                None
            }
            WindowEvent::MouseButton(button, Action::Release, _) => {
                let press = self.press.take_if(|press| press.button == button)?;
                match press.drag {
                    Some(Drag::Body) => Some(Gesture::Drop),
                    None if button == MouseButton::Button1 => Some(Gesture::Click(press.from)),
                    _ => None,
                }
            }
            WindowEvent::Scroll(_, notches, _) if !panels && notches.is_finite() => {
                Some(Gesture::Zoom(ZOOM.powf(notches / NOTCH), self.at))
            }
            _ => None,
        }
    }

    fn moved(
        &mut self,
        to: Vector2<f64>,
        scale: f64,
        holds: impl FnOnce(Vector2<f64>) -> bool,
    ) -> Option<Gesture> {
        let by = to - self.at;
        self.at = to;
        let press = self.press.as_mut()?;
        if press.drag.is_none() {
            if !((to - press.from).norm() >= DRAG * scale) {
                return None;
            }
            let drag = press.begins(holds);
            press.drag = Some(drag);
            if drag == Drag::Body {
                let turns = press.modifiers.contains(Modifiers::Control);
                return Some(Gesture::Grab(press.from, if turns { Hold::Turn } else { Hold::Shift }));
            }
        }
        Some(match press.drag? {
            Drag::Orbit => Gesture::Orbit(-by.x * TURN / scale, by.y * TURN / scale),
            Drag::Pan => Gesture::Pan(by),
            Drag::Body => Gesture::Drag(to),
        })
    }
}

impl Press {
    /// What it drags.
    fn begins(&self, holds: impl FnOnce(Vector2<f64>) -> bool) -> Drag {
        let shifts = self.modifiers.contains(Modifiers::Shift) || self.button == MouseButton::Button3;
        if shifts {
            Drag::Pan
        } else if self.button == MouseButton::Button1 && holds(self.from) {
            Drag::Body
        } else {
            Drag::Orbit
        }
    }
}

#[cfg(test)]
mod tests;
