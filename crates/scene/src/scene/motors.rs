//! The motors of a scene: their targets, constant or over time, and the gains that they take from the file of the robot.

use std::sync::Arc;

use super::error::Fault;
use super::joint_values::{JointIndices, value_of};
use super::schema::{JointValue, MotorEntry, TargetKeyframe};
use extricate_dynamics::{Motor, RobotDescription, TargetCurve};

/// A motor with its targets over time, if it has any.
type Loaded = (Motor, Option<Arc<TargetCurve>>);

/// Loads the motor of a joint, whose start has been set.
pub(super) struct MotorLoader<'a> {
    pub(super) robot: &'a RobotDescription,
    pub(super) at: &'a JointIndices,
}

impl MotorLoader<'_> {
    pub(super) fn load(&self, motor: &MotorEntry) -> Result<Loaded, Fault> {
        let start = self.robot.configuration[self.at.coordinate];
        match motor {
            MotorEntry::Position { target, keyframes, stiffness, damping, max_force } => {
                let (target, targets) = self.targets((*target, start), keyframes)?;
                let (stiffness, damping) = self.position_gains(*stiffness, *damping)?;
                Ok((Motor::Position { target, stiffness, damping, max_force: *max_force }, targets))
            }
            MotorEntry::Velocity { target, keyframes, damping, max_force } => {
                let (target, targets) = self.targets((*target, 0.0), keyframes)?;
                let damping = damping.map_or_else(|| self.velocity_gain(), Ok)?;
                Ok((Motor::Velocity { target, damping, max_force: *max_force }, targets))
            }
            MotorEntry::Effort { target, keyframes, max_force } => {
                let points = keyframes.iter().map(|keyframe| [keyframe.time, keyframe.target]);
                let targets = curve(0.0, points.collect())?;
                Ok((Motor::Effort { target: *target, max_force: *max_force }, targets))
            }
            MotorEntry::ComputedTorque { target, keyframes, frequency, damping_ratio, max_force } => {
                let (target, targets) = self.targets((*target, start), keyframes)?;
                let mut motor = Motor::computed_torque(target, *frequency, *damping_ratio);
                if let Motor::ComputedTorque { max_force: bound, .. } = &mut motor {
                    *bound = *max_force;
                }
                Ok((motor, targets))
            }
        }
    }

    /// Target, which is `otherwise` where none is stated, and targets over time, which begin there.
    fn targets(
        &self,
        (target, otherwise): (Option<JointValue>, f64),
        keyframes: &[TargetKeyframe],
    ) -> Result<(f64, Option<Arc<TargetCurve>>), Fault> {
        let value = |value| value_of(self.robot, self.at.joint, value);
        let points = keyframes.iter().map(|keyframe| Ok([keyframe.time, value(keyframe.target)?]));
        let targets = curve(otherwise, points.collect::<Result<_, Fault>>()?)?;
        Ok((target.map_or(Ok(otherwise), value)?, targets))
    }

    /// Gains of a position motor: of the scene, or of the file.
    fn position_gains(&self, stiffness: Option<f64>, damping: Option<f64>) -> Result<(f64, f64), Fault> {
        if let Some(stiffness) = stiffness {
            return Ok((stiffness, damping.unwrap_or(0.0)));
        }
        match self.robot.joints[self.at.joint].motor {
            Some(Motor::Position { stiffness, damping: of_file, .. }) => {
                Ok((stiffness, damping.unwrap_or(of_file)))
            }
            _ => Err(self.no_gain("stiffness")),
        }
    }

    fn velocity_gain(&self) -> Result<f64, Fault> {
        match self.robot.joints[self.at.joint].motor {
            Some(Motor::Velocity { damping, .. }) => Ok(damping),
            _ => Err(self.no_gain("damping")),
        }
    }

    fn no_gain(&self, gain: &str) -> Fault {
        let joint = &self.robot.articulation.joints()[self.at.joint].name;
        let message = format!("the file states no {gain} of a motor of joint `{joint}`; write `{gain}`");
        Fault::Contradiction { message }
    }
}

/// Curve through keyframes that begins at a target at time zero; none without keyframes.
fn curve(start: f64, mut keyframes: Vec<[f64; 2]>) -> Result<Option<Arc<TargetCurve>>, Fault> {
    if keyframes.first().is_some_and(|[time, _]| *time > 0.0) {
        keyframes.insert(0, [0.0, start]);
    }
    let made = (!keyframes.is_empty()).then(|| TargetCurve::new(keyframes)).transpose();
    let made = made.map_err(|error| Fault::Contradiction { message: error.to_string() })?;
    Ok(made.map(Arc::new))
}
