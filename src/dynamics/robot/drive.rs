//! What acts within a joint during a step, as a spring and a damper: force = moment − stiffness · q − damping · q̇.
//!
//! The multibody solves it backward in time, so that any stiffness is stable. What is bounded is decided once, at the
//! start of a step of length h, by the force that its spring and damper would exert at the end of it,
//!
//! τ = (k (target − q − h q̇) + c (target speed − q̇)) / (1 + h (c + h k) / I),
//!
//! with I the inertia that the joint carries: where |τ| is above the bound, the bound itself acts as a constant force.
//!
//! | here       | meaning                                                                                     |
//! |------------|---------------------------------------------------------------------------------------------|
//! | motor      | as [`Motor`] says; a bound on its speed turns it into a motor of that speed                 |
//! | friction   | a stiff spring to where the joint came to rest, bounded by the friction; the anchor is dragged along |
//! | limit      | a stiff spring to the limit once it is passed: rapier's rows stop the joint there, the spring bears the load |

use super::{Motor, RobotJoint};

/// Stiffness of a limit and of what stops a motor at its greatest speed, over I / h² and I / h: the load of a limit bends it
/// by a hundredth of the way that the load would accelerate the joint in a step.
const STIFF: f64 = 100.0;

/// A coordinate at the start of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coordinate {
    /// Its value [rad or m].
    pub(super) position: f64,
    /// Its speed [rad/s or m/s].
    pub(super) speed: f64,
    /// What resists its acceleration while all other joints are rigid [kg·m² or kg].
    pub(super) inertia: f64,
}

/// A spring and a damper: force = moment − stiffness · q − damping · q̇.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Action {
    pub(super) moment: f64,
    pub(super) stiffness: f64,
    pub(super) damping: f64,
}

impl Action {
    fn constant(force: f64) -> Self {
        Self { moment: force, ..Self::default() }
    }

    fn spring(stiffness: f64, rest: f64) -> Self {
        Self { moment: stiffness * rest, stiffness, damping: 0.0 }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            moment: self.moment + other.moment,
            stiffness: self.stiffness + other.stiffness,
            damping: self.damping + other.damping,
        }
    }

    /// The force that acts at the end of a step of length h, if nothing else does.
    fn force(&self, at: &Coordinate, h: f64) -> f64 {
        let ahead = self.moment - self.stiffness * (at.position + h * at.speed) - self.damping * at.speed;
        ahead / (1.0 + h * (self.damping + h * self.stiffness) / at.inertia)
    }

    /// The action itself where its force is within the bound, else the bound as a constant force.
    fn bounded(self, bound: Option<f64>, at: &Coordinate, h: f64) -> Self {
        let force = self.force(at, h);
        match bound {
            Some(bound) if force.abs() > bound => Self::constant(bound.copysign(force)),
            _ => self,
        }
    }
}

/// What a joint remembers from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Friction {
    /// Where it came to rest [rad or m]; none while it slides.
    anchor: Option<f64>,
}

/// What acts within a joint during the next step of length h [s].
pub(super) fn action(
    joint: &RobotJoint,
    limits: Option<[f64; 2]>,
    friction: &mut Friction,
    at: &Coordinate,
    h: f64,
) -> Action {
    let passive = Action { damping: joint.damping, ..Action::default() };
    let motor = joint.motor.map_or(Action::default(), |motor| of_motor(&motor, joint, at, h));
    let limit = limits.map_or(Action::default(), |limits| of_limits(limits, at, h));
    passive.plus(motor).plus(limit).plus(friction.of(joint.friction, at, h))
}

fn of_motor(motor: &Motor, joint: &RobotJoint, at: &Coordinate, h: f64) -> Action {
    let (wanted, own_bound) = match *motor {
        Motor::Position { target, stiffness, damping, max_force } => {
            (Action { damping, ..Action::spring(stiffness, target) }, max_force)
        }
        Motor::Velocity { target, damping, max_force } => {
            (Action { moment: damping * target, damping, stiffness: 0.0 }, max_force)
        }
    };
    let bound = own_bound.or(joint.max_force);
    let wanted = wanted.bounded(bound, at, h);
    let Some(max_speed) = joint.max_speed else { return wanted };
    let speed = at.speed + h * wanted.force(at, h) / at.inertia;
    if speed.abs() <= max_speed {
        return wanted;
    }
    let damping = STIFF * at.inertia / h;
    let held = Action { moment: damping * max_speed.copysign(speed), damping, stiffness: 0.0 };
    held.bounded(bound, at, h)
}

fn of_limits([lower, upper]: [f64; 2], at: &Coordinate, h: f64) -> Action {
    let stiffness = STIFF * at.inertia / (h * h);
    if at.position > upper {
        Action::spring(stiffness, upper)
    } else if at.position < lower {
        Action::spring(stiffness, lower)
    } else {
        Action::default()
    }
}

impl Friction {
    /// Coulomb friction: holds the joint where it came to rest, with no more than its bound.
    fn of(&mut self, bound: f64, at: &Coordinate, h: f64) -> Action {
        let has_friction = bound > 0.0;
        if !has_friction {
            return Action::default();
        }
        let anchor = self.anchor.unwrap_or(at.position);
        let (stiffness, damping) = (at.inertia / (h * h), 2.0 * at.inertia / h);
        let held = Action { damping, ..Action::spring(stiffness, anchor) };
        if held.force(at, h).abs() <= bound {
            self.anchor = Some(anchor);
            return held;
        }
        self.anchor = None;
        Action::constant(-bound.copysign(-held.force(at, h)))
    }
}
