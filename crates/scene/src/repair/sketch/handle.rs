//! What of a scene can be taken hold of.

use nalgebra::Isometry3;

/// In what the value of a joint is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Angles [rad].
    Radians,
    /// Lengths [m].
    Metres,
}

/// A joint that moves of itself; those that mimic it move with it.
#[derive(Debug, Clone, PartialEq)]
pub struct JointHandle {
    /// Its name.
    pub name: String,
    /// In what it is counted: it turns, or it slides.
    pub unit: Unit,
    /// Its value [rad or m].
    pub value: f64,
    /// Least and greatest value [rad or m], with the limits of the joints that mimic it; infinite where there are none.
    pub limits: [f64; 2],
    /// Whether a repair keeps it at its value.
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
    /// What may move its base.
    pub standing: Standing,
}

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyHandle {
    /// Its name.
    pub name: String,
    /// Its pose, body to world.
    pub pose: Isometry3<f64>,
    /// What may move it.
    pub standing: Standing,
    /// The bodies that joints tie to it, which move with it.
    pub moves_with: Vec<String>,
}

/// What may move something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Hands and repairs.
    Free,
    /// Hands alone: repairs leave it where it is.
    Fixed,
    /// Nothing: a joint ties it to what does not move with it.
    Tied,
}

/// Where a link or a body is.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// `robot/link`, or the name of the body.
    pub name: String,
    /// Its pose, link or body to world.
    pub pose: Isometry3<f64>,
}
