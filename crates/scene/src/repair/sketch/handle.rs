//! Handles: the parts of a scene that can be edited.

use nalgebra::Isometry3;

/// Unit of the value of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Angles \[rad\].
    Radians,
    /// Lengths \[m\].
    Metres,
}

/// An independent joint; those that mimic it move with it.
#[derive(Debug, Clone, PartialEq)]
pub struct JointHandle {
    /// Its name.
    pub name: String,
    /// Unit of its value: radians where it is revolute, metres where it is prismatic.
    pub unit: Unit,
    /// Its value [rad or m].
    pub value: f64,
    /// Minimum and maximum value [rad or m], with the limits of the joints that mimic it; infinite where there are none.
    pub limits: [f64; 2],
    /// Whether repairs leave it unchanged.
    pub fixed: bool,
}

/// A robot.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotHandle {
    /// Its name; its links are `robot/link`.
    pub name: String,
    /// Its joints, in the order of its configuration.
    pub joints: Vec<JointHandle>,
    /// Names of its links.
    pub links: Vec<String>,
    /// Pose of its root link, link to world.
    pub base: Isometry3<f64>,
    /// Mobility of its base.
    pub mobility: Mobility,
}

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyHandle {
    /// Its name.
    pub name: String,
    /// Its pose, body to world.
    pub pose: Isometry3<f64>,
    /// Its mobility.
    pub mobility: Mobility,
    /// Names of the bodies that joints attach to it, which move with it.
    pub moves_with: Vec<String>,
}

/// Mobility of a body or of the base of a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mobility {
    /// Moved by edits and repairs.
    Free,
    /// Moved by edits alone: repairs leave it where it is.
    Fixed,
    /// Not movable: a joint attaches it to a part that does not move with it, or a handle or another body holds a soft body.
    Tied,
}

/// A link or a body with its pose.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPose {
    /// `robot/link`, or the name of the body.
    pub name: String,
    /// Its pose, link or body to world.
    pub pose: Isometry3<f64>,
}
