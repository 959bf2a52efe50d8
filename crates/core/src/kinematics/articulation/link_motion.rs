//! The motion of a link between two configurations, with bounds accumulated along its chain.
//!
//! Every joint's value runs linearly from one configuration to the other. The bounds follow the chain from the base
//! to the link; an offset r that is fixed in a frame adds the velocity of rotation with the frame, and a joint adds its own
//! speed q̇ about or along its unit axis a:
//!
//! | step      | velocities                         | accelerations                                            |
//! |-----------|------------------------------------|----------------------------------------------------------|
//! | offset r  | v ← v + ω × r                      | v̇ ← v̇ + ω̇ × r + ω × (ω × r)                              |
//! | revolute  | ω ← ω + q̇ a                        | ω̇ ← ω̇ + q̇ ω × a                                          |
//! | prismatic | v ← v + ω × q a + q̇ a              | v̇ ← v̇ + ω̇ × q a + ω × (ω × q a) + 2 q̇ ω × a             |

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::joint::JointKind;
use super::tree::Articulation;
use crate::kinematics::error::RobotError;
use crate::kinematics::motion::Motion;
use crate::kinematics::rigid_motion::{MotionBounds, RigidMotion, Twist};

/// The motion of a link's frame while every joint's value runs linearly from one configuration to another.
#[derive(Debug, Clone)]
pub struct LinkMotion {
    base: Motion,
    joints: Vec<JointMotion>,
    /// Transform from the link's frame to that of the last joint that moves.
    last: Isometry3<f64>,
    bounds: MotionBounds,
}

/// A joint that moves, with the fixed transforms before it.
#[derive(Debug, Clone, Copy)]
struct JointMotion {
    origin: Isometry3<f64>,
    kind: JointMotionKind,
    /// Value at time 0 and its change until time 1 [rad or m].
    value: f64,
    speed: f64,
}

#[derive(Debug, Clone, Copy)]
enum JointMotionKind {
    Rotation(Vector3<f64>),
    Translation(Vector3<f64>),
}

impl LinkMotion {
    /// The motion of `link` in the world, between two configurations of the articulation and with its root on `base`.
    ///
    /// ```
    /// use extricate_core::kinematics::{Articulation, Joint, JointKind, LinkMotion, Motion, RigidMotion};
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// let hinge = Joint::new("hinge", "wall", "door", JointKind::Revolute { axis: Vector3::z() });
    /// let door = Articulation::new(vec!["wall".into(), "door".into()], vec![hinge])?;
    /// let motion = LinkMotion::new(&door, 1, [&[0.0], &[1.0]], &Motion::still(&Isometry3::identity()))?;
    /// assert!((motion.pose_at(0.5).rotation.angle() - 0.5).abs() < 1e-15);
    /// assert!((motion.bounds().angular_speed - 1.0).abs() < 1e-15);
    /// # Ok::<(), extricate_core::kinematics::RobotError>(())
    /// ```
    ///
    /// # Errors
    /// [`RobotError::Length`] and [`RobotError::NotFinite`] when a configuration does not fit the articulation.
    ///
    /// # Panics
    /// When there is no such link.
    pub fn new(
        articulation: &Articulation,
        link: usize,
        configurations: [&[f64]; 2],
        base: &Motion,
    ) -> Result<Self, RobotError> {
        Self::along(articulation, &articulation.chain(None, link), configurations, base)
    }

    /// The motion of `link` in the frame of one of its ancestors.
    ///
    /// # Errors
    /// As [`LinkMotion::new`].
    ///
    /// # Panics
    /// When there is no such link.
    pub fn below(
        articulation: &Articulation,
        ancestor: usize,
        link: usize,
        configurations: [&[f64]; 2],
    ) -> Result<Self, RobotError> {
        let here = Motion::still(&Isometry3::identity());
        Self::along(articulation, &articulation.chain(Some(ancestor), link), configurations, &here)
    }

    fn along(
        articulation: &Articulation,
        chain: &[usize],
        [from, to]: [&[f64]; 2],
        base: &Motion,
    ) -> Result<Self, RobotError> {
        articulation.check(from)?;
        articulation.check(to)?;
        let mut joints = Vec::new();
        let mut origin = Isometry3::identity();
        for &index in chain {
            let (value, end) = (articulation.value(index, from), articulation.value(index, to));
            let (joint, speed) = (&articulation.joints[index], end - value);
            let kind = match joint.kind {
                JointKind::Revolute { axis } if speed.abs() > 0.0 => JointMotionKind::Rotation(axis),
                JointKind::Prismatic { axis } if speed.abs() > 0.0 => JointMotionKind::Translation(axis),
                // Joints at rest are merged into the next offset, which is at most as long as all of theirs: tighter bounds.
                _ => {
                    origin *= joint.transform(value);
                    continue;
                }
            };
            joints.push(JointMotion { origin: origin * joint.origin, kind, value, speed });
            origin = Isometry3::identity();
        }
        let bounds = joints.iter().fold(base.bounds(), |bounds, step| step.bounds_after(bounds));
        let mut bounds = bounds_after_offset(bounds, origin.translation.vector.norm());
        bounds.axis = common_axis(base, &joints);
        Ok(Self { base: *base, joints, last: origin, bounds })
    }
}

impl From<Motion> for LinkMotion {
    /// The motion of a body without joints.
    fn from(base: Motion) -> Self {
        let bounds = base.bounds();
        Self { base, joints: Vec::new(), last: Isometry3::identity(), bounds }
    }
}

impl RigidMotion for LinkMotion {
    fn pose_at(&self, t: f64) -> Isometry3<f64> {
        self.state_at(t).0
    }

    fn twist_at(&self, t: f64) -> Twist {
        self.state_at(t).1
    }

    fn bounds(&self) -> MotionBounds {
        self.bounds
    }

    fn state_at(&self, t: f64) -> (Isometry3<f64>, Twist) {
        let (mut pose, mut twist) = self.base.state_at(t);
        for step in &self.joints {
            offset(&mut pose, &mut twist, &step.origin);
            let value = step.value + step.speed * t;
            match step.kind {
                JointMotionKind::Rotation(axis) => {
                    twist.angular += pose.rotation * axis * step.speed;
                    pose.rotation *= UnitQuaternion::from_scaled_axis(axis * value);
                }
                JointMotionKind::Translation(axis) => {
                    offset(&mut pose, &mut twist, &Translation3::from(axis * value).into());
                    twist.linear += pose.rotation * axis * step.speed;
                }
            }
        }
        offset(&mut pose, &mut twist, &self.last);
        (pose, twist)
    }
}

/// Advances pose and twist to a frame that is fixed in the present one.
fn offset(pose: &mut Isometry3<f64>, twist: &mut Twist, by: &Isometry3<f64>) {
    twist.linear += twist.angular.cross(&(pose.rotation * by.translation.vector));
    *pose *= by;
}

/// The common rotation axis of the base and of every joint, if there is one. It is then constant, and prismatic joints
/// cause no acceleration along it either.
fn common_axis(base: &Motion, joints: &[JointMotion]) -> Option<Unit<Vector3<f64>>> {
    let mut common = base.bounds();
    let mut rotation = base.pose_at(0.0).rotation;
    for step in joints {
        rotation *= step.origin.rotation;
        if let JointMotionKind::Rotation(axis) = step.kind {
            let axis_in_world = Some(Unit::new_normalize(rotation * axis));
            let own =
                MotionBounds { angular_speed: step.speed.abs(), axis: axis_in_world, ..MotionBounds::STILL };
            common = MotionBounds { axis: Some(common.common_axis(&own)?), ..own };
            rotation *= UnitQuaternion::from_scaled_axis(axis * step.value);
        }
    }
    common.axis
}

/// Bounds at a point that is fixed in a frame, `distance` [m] from its origin.
fn bounds_after_offset(bounds: MotionBounds, distance: f64) -> MotionBounds {
    MotionBounds {
        speed: bounds.speed + bounds.angular_speed * distance,
        acceleration: bounds.acceleration_at(distance),
        ..bounds
    }
}

impl JointMotion {
    fn bounds_after(&self, before: MotionBounds) -> MotionBounds {
        let mut bounds = bounds_after_offset(before, self.origin.translation.vector.norm());
        let speed = self.speed.abs();
        let coriolis = speed * bounds.angular_speed;
        match self.kind {
            JointMotionKind::Rotation(_) => {
                bounds.angular_acceleration += coriolis;
                bounds.angular_speed += speed;
            }
            JointMotionKind::Translation(_) => {
                // The arm is longest at one of both ends, as the value runs linearly.
                let farthest = self.value.abs().max((self.value + self.speed).abs());
                bounds = bounds_after_offset(bounds, farthest);
                bounds.speed += speed;
                bounds.acceleration += 2.0 * coriolis;
            }
        }
        bounds
    }
}
