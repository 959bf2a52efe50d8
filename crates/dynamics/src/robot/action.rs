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
    /// Mean load of the last step besides an action that acted then; zero before the first. A displacement beyond the speeds of the joint is that of an overlap that
    /// was recovered, which no damper resists.
    pub(super) fn load_besides(&self, action: &Action) -> f64 {
        let Some([position, speed]) = self.last else { return 0.0 };
        let (slowest, fastest) = (speed.min(self.at.speed), speed.max(self.at.speed));
        let mean_speed = ((self.at.position - position) / self.h).max(slowest).min(fastest);
        let mean_position = 0.5 * (self.at.position + position);
        let force = action.moment - action.stiffness * mean_position - action.damping * mean_speed;
        self.at.inertia * (self.at.speed - speed) / self.h - force
    }

    /// Speed at the end of the step under a force and a load.
    pub(super) fn speed_ahead(&self, force: f64, load: f64) -> f64 {
        self.at.speed + self.h * (force + load) / self.at.inertia
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_what_the_last_acceleration_and_action_leave_and_no_damper_resists_a_recovery() {
        let (h, inertia, load) = (0.002, 0.4, 7.0);
        let action = Action::spring(200.0, 0.3, 10.0);
        // Backward Euler from 0.1 rad and 0.5 rad/s.
        let rate = |speed: f64| (load + action.force_at(&at(0.1, 0.5, inertia), speed, h)) / inertia;
        let stiffened = inertia + h * (action.damping + h * action.stiffness);
        let speed = 0.5 + h * rate(0.5) * inertia / stiffened;
        let moved = at(0.1 + h * speed, speed, inertia);
        let found = Now { at: &moved, h, last: Some([0.1, 0.5]) }.load_besides(&action);
        assert!((found - load).abs() < 0.2, "{found}");
        // A joint at rest that is displaced by a tenth of a millimetre: the load balances the spring.
        let pushed = at(0.1001, 0.0, inertia);
        let found = Now { at: &pushed, h, last: Some([0.1, 0.0]) }.load_besides(&action);
        assert!((found + 200.0 * (0.3 - 0.10005)).abs() < 1e-9, "{found}");
    }

    fn at(position: f64, speed: f64, inertia: f64) -> Coordinate {
        Coordinate { position, speed, inertia }
    }
}
