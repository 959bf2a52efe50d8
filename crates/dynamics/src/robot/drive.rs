//! Forces within a joint during a step, as a spring and a damper: force = moment − stiffness · q − damping · q̇.
//!
//! The multibody integrates them implicitly, so that any stiffness is stable. Bounds are applied once, at the start of a
//! step of length h, to the force that spring and damper would exert at the end of it: with I the inertia that the joint
//! accelerates and L the load on it, I q̈ = L + τ gives
//!
//! τ = (moment − k (q + h q̇) − c q̇ − r L) / (1 + r), r = h (c + h k) / I.
//!
//! Where |τ| is above the bound, the bound itself acts as a constant force. The load is what the last step's acceleration
//! I Δq̇ / h was without the mean of the force that acted then; so at rest τ is the force that the joint actually bears.
//!
//! | here     | meaning                                                                                       |
//! |----------|-----------------------------------------------------------------------------------------------|
//! | motor    | see [`Motor`]; beyond the bound on its speed it is a motor of that speed                      |
//! | friction | holds the joint where it came to rest until the load is above the bound; then the bound slows it down |
//! | limit    | a heavily damped spring once the limit is passed, while it pushes back: rapier's rows stop the joint there, one by one, and the spring bears the load of all |

use serde::{Deserialize, Serialize};

use super::description::{Motor, RobotJoint};

/// Damping of the springs that hold a joint at a limit, at a speed or at rest, over I / h. A load L deflects them by
/// REGAIN / STIFF · L h² / I: with a tenth of it a motor of 20 N·m bends the limit of a hand of 0.01 kg·m² by 0.4°.
const STIFF: f64 = 500.0;
/// Time constant, in steps, with which a position that is held is restored. With fewer, joints that pass their limits one
/// after another are thrown back; with more, they lie beyond their limits for longer.
pub(super) const REGAIN: f64 = 20.0;

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
    fn constant(force: f64) -> Self {
        Self { moment: force, ..Self::default() }
    }

    fn spring(stiffness: f64, rest: f64, damping: f64) -> Self {
        Self { moment: stiffness * rest, stiffness, damping }
    }

    fn servo(damping: f64, speed: f64) -> Self {
        Self { moment: damping * speed, stiffness: 0.0, damping }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            moment: self.moment + other.moment,
            stiffness: self.stiffness + other.stiffness,
            damping: self.damping + other.damping,
        }
    }

    /// Force at the start of the step.
    fn force(&self, at: &Coordinate) -> f64 {
        self.moment - self.stiffness * at.position - self.damping * at.speed
    }

    /// Force at the end of the step: τ of the module's documentation.
    fn force_ahead(&self, now: &Now, load: f64) -> f64 {
        let Now { at, h, .. } = now;
        let ratio = h * (self.damping + h * self.stiffness) / at.inertia;
        (self.force(at) - self.stiffness * h * at.speed - ratio * load) / (1.0 + ratio)
    }

    /// Returns the action itself where its force is within the bound, else the bound as a constant force.
    fn bounded(self, bound: Option<f64>, now: &Now, load: f64) -> Self {
        let force = self.force_ahead(now, load);
        match bound {
            Some(bound) if force.abs() > bound => Self::constant(bound.copysign(force)),
            _ => self,
        }
    }
}

/// The start of a step.
struct Now<'a> {
    at: &'a Coordinate,
    /// Length of the step [s].
    h: f64,
    /// Position and speed at the start of the last step; none before the first.
    last: Option<[f64; 2]>,
}

impl Now<'_> {
    /// Mean load of the last step besides an action that acted then; zero before the first.
    fn load_besides(&self, action: &Action) -> f64 {
        let Some([position, speed]) = self.last else { return 0.0 };
        let mean_speed = (self.at.position - position) / self.h;
        let mean_position = 0.5 * (self.at.position + position);
        let force = action.moment - action.stiffness * mean_position - action.damping * mean_speed;
        self.at.inertia * (self.at.speed - speed) / self.h - force
    }

    /// Speed at the end of the step under a force and a load.
    fn speed_ahead(&self, force: f64, load: f64) -> f64 {
        self.at.speed + self.h * (force + load) / self.at.inertia
    }
}

/// Memory of a joint from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Memory {
    /// Position and speed at the start of the last step; none before the first.
    last: Option<[f64; 2]>,
    motor: Action,
    friction: Action,
    friction_state: FrictionState,
}

impl Memory {
    /// Spring and damper of the last step in a joint of that damping, without the springs of limits.
    pub(super) fn acting(&self, damping: f64) -> Action {
        Action { damping, ..Action::default() }.plus(self.motor).plus(self.friction)
    }
}

/// State of Coulomb friction in a joint.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
enum FrictionState {
    /// Before the first step.
    #[default]
    Unknown,
    /// The joint sticks at a position [rad or m].
    Sticking(f64),
    /// The joint slides, forward (1) or backward (−1).
    Sliding(f64),
}

/// Force within a joint during the next step of length h [s].
pub(super) fn action(
    joint: &RobotJoint,
    limits: Option<[f64; 2]>,
    memory: &mut Memory,
    at: &Coordinate,
    h: f64,
) -> Action {
    let now = Now { at, h, last: memory.last };
    memory.last = Some([at.position, at.speed]);
    memory.motor =
        joint.motor.map_or(Action::default(), |motor| of_motor(&motor, joint, &memory.motor, &now));
    let limit = limits.map_or(Action::default(), |limits| of_limits(limits, &now));
    memory.friction = of_friction(joint.friction, memory, &now);
    let passive = Action { damping: joint.damping, ..Action::default() };
    passive.plus(memory.motor).plus(limit).plus(memory.friction)
}

fn of_motor(motor: &Motor, joint: &RobotJoint, last: &Action, now: &Now) -> Action {
    let (wanted, own_bound) = match *motor {
        Motor::Position { target, stiffness, damping, max_force } => {
            (Action::spring(stiffness, target, damping), max_force)
        }
        Motor::Velocity { target, damping, max_force } => (Action::servo(damping, target), max_force),
    };
    let (bound, load) = (own_bound.or(joint.max_force), now.load_besides(last));
    let wanted = wanted.bounded(bound, now, load);
    let Some(max_speed) = joint.max_speed else { return wanted };
    let speed = now.speed_ahead(wanted.force_ahead(now, load), load);
    if speed.abs() <= max_speed {
        return wanted;
    }
    // Too fast with the force it wants: driven at the maximum speed instead, within the same bound.
    let held = Action::servo(STIFF * now.at.inertia / now.h, max_speed.copysign(speed));
    held.bounded(bound, now, load)
}

fn of_limits([lower, upper]: [f64; 2], now: &Now) -> Action {
    let position = now.at.position;
    let (limit, inward) = match () {
        () if position > upper => (upper, -1.0),
        () if position < lower => (lower, 1.0),
        () => return Action::default(),
    };
    let wanted = overdamped(limit, now);
    // A joint that returns fast would be braked by the damper: the spring must not pull it beyond the limit.
    let pushes_back = wanted.force(now.at) * inward > 0.0;
    if pushes_back { wanted } else { Action::default() }
}

/// Spring that holds a joint at a position, with so much damping that a sudden load overshoots by no more than 0.1 %.
fn overdamped(position: f64, now: &Now) -> Action {
    let damping = STIFF * now.at.inertia / now.h;
    Action::spring(damping / (REGAIN * now.h), position, damping)
}

fn of_friction(bound: f64, memory: &mut Memory, now: &Now) -> Action {
    let has_friction = bound > 0.0;
    if !has_friction {
        return Action::default();
    }
    let at = now.at;
    let load = now.load_besides(&memory.friction);
    // A joint that slides continues to unless the friction stops it within the step.
    let stops = |direction: f64| {
        let continues = now.speed_ahead(-direction * bound, load) * direction > 0.0;
        !continues
    };
    memory.friction_state = match memory.friction_state {
        FrictionState::Sliding(direction) if !stops(direction) => FrictionState::Sliding(direction),
        FrictionState::Unknown if !stops(1.0_f64.copysign(at.speed)) => {
            FrictionState::Sliding(1.0_f64.copysign(at.speed))
        }
        FrictionState::Sliding(_) | FrictionState::Unknown => FrictionState::Sticking(at.position),
        FrictionState::Sticking(anchor) => {
            let force = overdamped(anchor, now).force_ahead(now, load);
            if force.abs() <= bound {
                FrictionState::Sticking(anchor)
            } else {
                // The joint yields to the load, against the force that held it.
                FrictionState::Sliding(-1.0_f64.copysign(force))
            }
        }
    };
    match memory.friction_state {
        FrictionState::Sliding(direction) => Action::constant(-direction * bound),
        FrictionState::Sticking(anchor) => overdamped(anchor, now),
        FrictionState::Unknown => Action::default(),
    }
}
