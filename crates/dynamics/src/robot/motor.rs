//! Motors of joints.

use serde::{Deserialize, Serialize};

use crate::error::{BuildError, Ranges};
use extricate_core::kinematics::urdf::{ActuatorKind, JointDynamics, Servo};

/// Rate ω [1/s] with which a motor reduces its error as (1 + ω t) e^(−ω t) where its file states that positions or velocities are
/// commanded, but no gains. With half of it an arm that is pushed yields visibly; with twice, light links of real robots jerk at their
/// efforts.
const INTERFACE_RATE: f64 = 30.0;

/// Motor of a joint. Positions are \[rad\] of a revolute and \[m\] of a prismatic joint, forces [N·m] and \[N\].
///
/// Its force is within a bound, and drives the joint no faster than a maximum speed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Motor {
    /// Force = stiffness · (target − position) + damping · (rate of the target − speed).
    Position {
        /// Target position [rad or m].
        target: f64,
        /// Force per deviation [N·m/rad or N/m].
        stiffness: f64,
        /// Force per speed [N·m·s/rad or N·s/m].
        damping: f64,
        /// Maximum force; the joint's own bound where there is none.
        max_force: Option<f64>,
    },
    /// Force = damping · (target − speed).
    Velocity {
        /// Target speed [rad/s or m/s].
        target: f64,
        /// Force per deviation of the speed [N·m·s/rad or N·s/m].
        damping: f64,
        /// Maximum force; the joint's own bound where there is none.
        max_force: Option<f64>,
    },
    /// Force = target.
    Effort {
        /// The force [N·m or N].
        target: f64,
        /// Maximum force; the joint's own bound where there is none.
        max_force: Option<f64>,
    },
    /// Computed torque: the force that the mass matrix and the bias forces of the robot need for the acceleration
    /// a = acceleration of the target + stiffness · (target − position) + damping · (rate of the target − speed), so that the error decays
    /// as that of an oscillator of unit mass. Joints with other motors or none are taken to keep their velocities, as is a
    /// floating root; springs, friction and damping within joints and contacts are not part of the model.
    ComputedTorque {
        /// Target position [rad or m].
        target: f64,
        /// Acceleration per deviation [1/s²].
        stiffness: f64,
        /// Acceleration per speed [1/s].
        damping: f64,
        /// Maximum force; the joint's own bound where there is none.
        max_force: Option<f64>,
    },
}

impl Motor {
    /// Computed torque whose error decays with a natural frequency \[Hz\] and a damping ratio, 1 without overshoot.
    #[must_use]
    pub fn computed_torque(target: f64, frequency: f64, damping_ratio: f64) -> Self {
        let rate = std::f64::consts::TAU * frequency;
        Self::ComputedTorque {
            target,
            stiffness: rate * rate,
            damping: 2.0 * damping_ratio * rate,
            max_force: None,
        }
    }

    /// Checks its numbers.
    pub(crate) fn check<F>(&self, ranges: &Ranges<F>) -> Result<(), BuildError>
    where
        F: Fn(&'static str, f64, &'static str) -> BuildError,
    {
        let (stiffness, damping) = match *self {
            Self::Position { stiffness, damping, .. } | Self::ComputedTorque { stiffness, damping, .. } => {
                (stiffness, damping)
            }
            Self::Velocity { damping, .. } => (0.0, damping),
            Self::Effort { .. } => (0.0, 0.0),
        };
        ranges.not_negative("the stiffness of the motor", stiffness)?;
        ranges.not_negative("the damping of the motor", damping)?;
        ranges.finite("the target of the motor", &[self.target()])?;
        let positive = |bound| ranges.positive("the maximum force of the motor", bound);
        self.max_force().map_or(Ok(()), positive)
    }

    /// Its target [rad or m; rad/s or m/s; N·m or N].
    #[must_use]
    pub fn target(&self) -> f64 {
        match *self {
            Self::Position { target, .. }
            | Self::Velocity { target, .. }
            | Self::Effort { target, .. }
            | Self::ComputedTorque { target, .. } => target,
        }
    }

    /// Its maximum force [N·m or N], where it states one.
    #[must_use]
    pub fn max_force(&self) -> Option<f64> {
        match *self {
            Self::Position { max_force, .. }
            | Self::Velocity { max_force, .. }
            | Self::Effort { max_force, .. }
            | Self::ComputedTorque { max_force, .. } => max_force,
        }
    }

    /// The same motor with another target [rad or m; rad/s or m/s; N·m or N].
    #[must_use]
    pub fn with_target(mut self, wanted: f64) -> Self {
        match &mut self {
            Self::Position { target, .. }
            | Self::Velocity { target, .. }
            | Self::Effort { target, .. }
            | Self::ComputedTorque { target, .. } => *target = wanted,
        }
        self
    }

    /// Whether its target is a position.
    #[must_use]
    pub fn is_of_position(&self) -> bool {
        matches!(self, Self::Position { .. } | Self::ComputedTorque { .. })
    }

    /// The motor of a joint by its file, which holds it at a value [rad or m] or exerts no force.
    pub(super) fn of_file(joint: &JointDynamics, target: f64) -> Option<Self> {
        let max_force = None;
        if let Some(Servo { stiffness, damping }) = joint.servo {
            return Some(if stiffness > 0.0 {
                Self::Position { target, stiffness, damping, max_force }
            } else {
                Self::Velocity { target: 0.0, damping, max_force }
            });
        }
        let computed = |stiffness| {
            let damping = 2.0 * INTERFACE_RATE;
            Self::ComputedTorque { target, stiffness, damping, max_force }
        };
        Some(match joint.actuator? {
            ActuatorKind::Position => computed(INTERFACE_RATE * INTERFACE_RATE),
            // Without stiffness the position does not matter.
            ActuatorKind::Velocity => computed(0.0),
            ActuatorKind::Effort => Self::Effort { target: 0.0, max_force },
        })
    }
}
