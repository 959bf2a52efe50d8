//! Forces within a joint during a step, as a spring and a damper: force = moment − stiffness · q − damping · q̇.
//!
//! The multibody integrates them implicitly, so that any stiffness is stable. Bounds are predicted at the start of a
//! step, for the force that spring and damper would exert at the end of it ([`super::action`]): where it is above the bound,
//! the bound itself acts as a constant force. The load is what the last step's acceleration
//! I Δq̇ / h was without the mean of the force that acted then; so at rest it is the force that the joint actually bears.
//! [`crate::multibody`] then corrects what the load made wrong, by the speeds that follow ([`Drive::correct`]).
//!
//! | here     | meaning                                                                                       |
//! |----------|-----------------------------------------------------------------------------------------------|
//! | motor    | see [`Motor`]; beyond the bound on its speed it is a motor of that speed                      |
//! | friction | holds the joint where it came to rest until the load is above the bound; then the bound slows it down |
//! | limit    | a heavily damped spring once the limit is passed, while it pushes back: rapier's rows stop the joint there, one by one, and the spring bears the load of all |
//! | spring, damping | [`RobotJoint::spring`], [`RobotJoint::damping`] |

use serde::{Deserialize, Serialize};

use super::action::{Action, Coordinate, Now};
use super::curve::{Curve, Drive, Piece};
use super::description::RobotJoint;
use super::feedforward::{Interval, target_at};
use super::motor::Motor;

/// Damping of the springs that hold a joint at a limit, at a speed or at rest, over I / h. A load L deflects them by
/// REGAIN / STIFF · L h² / I: with a tenth of it a motor of 20 N·m bends the limit of a hand of 0.01 kg·m² by 0.4°.
const STIFF: f64 = 500.0;
/// Time constant, in steps, with which a position that is held is restored. With fewer, joints that pass their limits one
/// after another are thrown back; with more, they lie beyond their limits for longer.
pub(super) const REGAIN: f64 = 20.0;

/// Distance beyond a limit, over its range, up to which it counts as at the limit: without, rounding decides whether the spring acts, which makes
/// the step of the whole robot one of first order.
const SLACK: f64 = 1e-9;

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
    /// Remembers what acted in a step.
    pub(super) fn remember(&mut self, drive: &Drive) {
        self.motor = drive.motor.map_or(Action::default(), |curve| curve.action());
        self.friction = drive.friction.map_or(Action::default(), |curve| curve.action());
        self.friction_state = match drive.friction {
            None => self.friction_state,
            Some(Curve { piece: Piece::Bound(forward), .. }) => {
                FrictionState::Sliding(if forward { -1.0 } else { 1.0 })
            }
            Some(_) => FrictionState::Sticking(drive.anchor),
        };
    }

    /// Spring and damper of the last step in a joint, without the springs of limits.
    pub(super) fn acting(&self, joint: &RobotJoint) -> Action {
        joint.passive().plus(self.motor).plus(self.friction)
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

/// Force within a joint during the next step; `feedforward` [N·m or N] is that of its motor besides its own law.
pub(super) fn drive(
    joint: &RobotJoint,
    limits: Option<[f64; 2]>,
    memory: &mut Memory,
    at: &Coordinate,
    (step, feedforward): (&Interval, f64),
) -> Drive {
    let now = Now { at, h: step.h, last: memory.last };
    memory.last = Some([at.position, at.speed]);
    let motor = joint.motor.map(|motor| {
        let wanted = law(&motor, joint, at, step).pushed(feedforward);
        of_motor(wanted, (&motor, joint), &memory.motor, &now)
    });
    let limit = limits.map_or(Action::default(), |limits| of_limits(limits, &now));
    let friction = of_friction(joint.friction, memory, &now);
    let (friction, anchor) = friction.unzip();
    Drive { at: *at, passive: joint.passive(), motor, limit, friction, anchor: anchor.unwrap_or(at.position) }
}

/// Law of a motor in a step, without its bounds.
fn law(motor: &Motor, joint: &RobotJoint, at: &Coordinate, step: &Interval) -> Action {
    let h = step.h;
    let target = |ratio: f64| target_at(joint, motor, step.at(Interval::instant(ratio)));
    match *motor {
        Motor::Position { stiffness, damping, .. } => {
            let [target, rate, _] = target(h * (damping + h * stiffness) / at.inertia);
            Action::spring(stiffness, target, damping).pushed(damping * rate)
        }
        Motor::Velocity { damping, .. } => Action::servo(damping, target(h * damping / at.inertia)[0]),
        Motor::Effort { .. } => Action::constant(target(0.0)[0]),
        // All of it is computed from the motion of the whole robot.
        Motor::ComputedTorque { .. } => Action::default(),
    }
}

fn of_motor(wanted: Action, (motor, joint): (&Motor, &RobotJoint), last: &Action, now: &Now) -> Curve {
    let (bound, load) = (motor.max_force().or(joint.max_force), now.load_besides(last));
    let held = |speed: f64| Action::servo(STIFF * now.at.inertia / now.h, speed);
    let fastest = joint.max_speed.map(|max_speed| [held(-max_speed), held(max_speed)]);
    let mut curve = Curve { wanted, fastest, bound: bound.unwrap_or(f64::INFINITY), piece: Piece::Wanted };
    curve.piece = curve.bounded(Piece::Wanted, now, load);
    let Some(max_speed) = joint.max_speed else { return curve };
    let speed = now.speed_ahead(curve.action().force_ahead(now, load), load);
    if speed.abs() > max_speed {
        // Too fast with the force it wants: driven at the maximum speed instead, within the same bound.
        curve.piece = curve.bounded(Piece::Fastest(speed > 0.0), now, load);
    }
    curve
}

fn of_limits([lower, upper]: [f64; 2], now: &Now) -> Action {
    let position = now.at.position;
    let slack = SLACK * (upper - lower);
    let (limit, inward) = match () {
        () if position > upper + slack => (upper, -1.0),
        () if position < lower - slack => (lower, 1.0),
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

/// The curve of Coulomb friction, and where it holds the joint.
fn of_friction(bound: f64, memory: &Memory, now: &Now) -> Option<(Curve, f64)> {
    let has_friction = bound > 0.0;
    if !has_friction {
        return None;
    }
    let at = now.at;
    let load = now.load_besides(&memory.friction);
    // A joint that slides continues to unless the friction stops it within the step.
    let stops = |direction: f64| {
        let continues = now.speed_ahead(-direction * bound, load) * direction > 0.0;
        !continues
    };
    let slides = |direction: f64| (at.position, Piece::Bound(direction < 0.0));
    let (anchor, piece) = match memory.friction_state {
        FrictionState::Sliding(direction) if !stops(direction) => slides(direction),
        FrictionState::Unknown if !stops(1.0_f64.copysign(at.speed)) => slides(1.0_f64.copysign(at.speed)),
        FrictionState::Sliding(_) | FrictionState::Unknown => (at.position, Piece::Wanted),
        FrictionState::Sticking(anchor) => {
            // Beyond the bound the joint yields to the load, against the force that held it.
            let force = overdamped(anchor, now).force_ahead(now, load);
            (anchor, if force.abs() <= bound { Piece::Wanted } else { Piece::Bound(force > 0.0) })
        }
    };
    Some((Curve { wanted: overdamped(anchor, now), fastest: None, bound, piece }, anchor))
}
