//! A spring and a damper within a joint, and the start of the step in which they act.
//!
//! With h the length of the step, I the inertia that the joint accelerates and L the load on it, I q̈ = L + τ gives the force at the end of
//! the step
//!
//! τ = (moment − k (q + h q̇) − c q̇ − r L) / (1 + r), r = h (c + h k) / I.

use serde::{Deserialize, Serialize};

/// A coordinate at the start of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coordinate {
    /// Its value [rad or m].
    pub(super) position: f64,
    /// Its speed [rad/s or m/s].
    pub(super) speed: f64,
    /// Inertia that a force in the joint accelerates [kg·m² or kg].
    pub(super) inertia: f64,
}

/// A spring and a damper: force = moment − stiffness · q − damping · q̇.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Action {
    pub(crate) moment: f64,
    pub(crate) stiffness: f64,
    pub(crate) damping: f64,
}

impl Action {
    pub(super) fn constant(force: f64) -> Self {
        Self { moment: force, ..Self::default() }
    }

    pub(super) fn spring(stiffness: f64, rest: f64, damping: f64) -> Self {
        Self { moment: stiffness * rest, stiffness, damping }
    }

    pub(super) fn servo(damping: f64, speed: f64) -> Self {
        Self { moment: damping * speed, stiffness: 0.0, damping }
    }

    /// With another constant force; none changes no bit.
    pub(super) fn pushed(self, force: f64) -> Self {
        if force == 0.0 { self } else { Self { moment: self.moment + force, ..self } }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            moment: self.moment + other.moment,
            stiffness: self.stiffness + other.stiffness,
            damping: self.damping + other.damping,
        }
    }

    /// Force at the start of the step.
    pub(super) fn force(&self, at: &Coordinate) -> f64 {
        self.moment - self.stiffness * at.position - self.damping * at.speed
    }

    /// Force at the end of the step: τ of the module's documentation.
    pub(super) fn force_ahead(&self, now: &Now, load: f64) -> f64 {
        let Now { at, h, .. } = now;
        let ratio = h * (self.damping + h * self.stiffness) / at.inertia;
        (self.force(at) - self.stiffness * h * at.speed - ratio * load) / (1.0 + ratio)
    }

    /// Force of a speed [rad/s or m/s] that the joint keeps from the start of a step for `reach` \[s\].
    pub(super) fn force_at(&self, start: &Coordinate, speed: f64, reach: f64) -> f64 {
        self.moment - self.stiffness * (start.position + reach * speed) - self.damping * speed
    }
}

/// The start of a step.
pub(super) struct Now<'a> {
    pub(super) at: &'a Coordinate,
    /// Length of the step [s].
    pub(super) h: f64,
    /// Position and speed at the start of the last step; none before the first.
    pub(super) last: Option<[f64; 2]>,
}

impl Now<'_> {
    /// Mean load of the last step besides an action that acted then; zero before the first.
    pub(super) fn load_besides(&self, action: &Action) -> f64 {
        let Some([position, speed]) = self.last else { return 0.0 };
        let mean_speed = (self.at.position - position) / self.h;
        let mean_position = 0.5 * (self.at.position + position);
        let force = action.moment - action.stiffness * mean_position - action.damping * mean_speed;
        self.at.inertia * (self.at.speed - speed) / self.h - force
    }

    /// Speed at the end of the step under a force and a load.
    pub(super) fn speed_ahead(&self, force: f64, load: f64) -> f64 {
        self.at.speed + self.h * (force + load) / self.at.inertia
    }
}
