//! Joints: the connection of a link to its parent.

use crate::kinematics::error::RobotError;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Degree of freedom of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// None: the child is welded to the parent.
    Fixed,
    /// Rotation about an axis through the joint's origin; without limits a *continuous* joint.
    Revolute {
        /// The axis in the joint's frame, of any length but zero.
        axis: Vector3<f64>,
    },
    /// Translation along an axis.
    Prismatic {
        /// The axis in the joint's frame, of any length but zero.
        axis: Vector3<f64>,
    },
}

/// A joint that follows another one: its value is `factor` times the other's plus `offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct Mimic {
    /// Name of the joint that is followed.
    pub joint: String,
    /// Multiplier of the other joint's value.
    pub factor: f64,
    /// Offset [rad or m].
    pub offset: f64,
}

/// Connection of a child link to its parent link.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// Name of the parent link.
    pub parent: String,
    /// Name of the child link.
    pub child: String,
    /// The joint's frame in that of the parent: the child's frame at value zero.
    pub origin: Isometry3<f64>,
    /// Its degree of freedom.
    pub kind: JointKind,
    /// Minimum and maximum value [rad or m]; `None` where there are none. Kinematics does not enforce them.
    pub limits: Option<[f64; 2]>,
    /// Value of the joint in the pose in which its robot is described [rad or m]: zero but for `ref` of MJCF.
    pub rest: f64,
    /// The joint that this one follows, if any.
    pub mimic: Option<Mimic>,
}

impl Joint {
    /// A joint at the parent's origin without limits.
    #[must_use]
    pub fn new(name: &str, parent: &str, child: &str, kind: JointKind) -> Self {
        let (name, parent, child) = (name.to_owned(), parent.to_owned(), child.to_owned());
        Self {
            name,
            parent,
            child,
            origin: Isometry3::identity(),
            kind,
            limits: None,
            rest: 0.0,
            mimic: None,
        }
    }

    /// The joint with its frame at `origin` in that of the parent.
    #[must_use]
    pub fn at(self, origin: Isometry3<f64>) -> Self {
        Self { origin, ..self }
    }

    /// The joint with limits [rad or m].
    #[must_use]
    pub fn within(self, limits: [f64; 2]) -> Self {
        Self { limits: Some(limits), ..self }
    }

    /// Its value at rest [rad or m], or the limit nearest to that.
    #[must_use]
    pub fn rest_within_limits(&self) -> f64 {
        self.limits.map_or(self.rest, |[lower, upper]| self.rest.max(lower).min(upper))
    }

    /// Transform from the child to the parent at a value [rad or m] of a joint whose axis is a unit vector.
    pub(super) fn transform(&self, value: f64) -> Isometry3<f64> {
        match self.kind {
            JointKind::Fixed => self.origin,
            JointKind::Revolute { axis } => self.origin * UnitQuaternion::from_scaled_axis(axis * value),
            JointKind::Prismatic { axis } => self.origin * Translation3::from(axis * value),
        }
    }

    /// The validated joint, with an axis of unit length.
    pub(super) fn checked(mut self) -> Result<Self, RobotError> {
        let joint = || self.name.clone();
        let mut numbers = self.origin.translation.vector.iter().chain(self.origin.rotation.coords.iter());
        if !(numbers.all(|x| x.is_finite()) && self.rest.is_finite()) {
            return Err(RobotError::NotFinite { joint: joint() });
        }
        if let Some(Mimic { factor, offset, .. }) = self.mimic
            && !(factor.is_finite() && offset.is_finite())
        {
            return Err(RobotError::NotFinite { joint: joint() });
        }
        if let Some([lower, upper]) = self.limits
            && !(lower <= upper)
        {
            return Err(RobotError::ReversedLimits { joint: joint(), lower, upper });
        }
        if let JointKind::Revolute { axis } | JointKind::Prismatic { axis } = &mut self.kind {
            if !axis.iter().all(|x| x.is_finite()) {
                return Err(RobotError::NotFinite { joint: self.name.clone() });
            }
            let size = axis.amax();
            if size == 0.0 {
                return Err(RobotError::ZeroAxis { joint: self.name.clone() });
            }
            // Scaled first, so that the squares of tiny or huge components neither vanish nor overflow.
            *axis = (*axis / size).normalize();
        }
        Ok(self)
    }
}
