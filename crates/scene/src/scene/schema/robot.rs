//! Robots of a scene: URDF files, where they stand, how their joints start and what drives them.

use serde::Deserialize;

use super::{Entries, Rotation, Triple};

/// A robot from a URDF file.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename = "Robot", deny_unknown_fields)]
pub struct RobotEntry {
    /// Its name, unique among robots; its bodies are named `robot/link`.
    pub name: String,
    /// Path of the URDF file, relative to the folder of the scene.
    pub file: String,
    /// Folders that are packages, or that hold packages, for `package://` paths, relative to the folder of the scene.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Whether its root link moves.
    #[serde(default)]
    pub base: RobotBase,
    /// Position of its root link [m].
    #[serde(default)]
    pub position: Triple,
    /// Orientation of its root link.
    #[serde(default)]
    pub rotation: Rotation,
    /// Velocity of the root link's centre of mass at the start [m/s]; of a floating base.
    #[serde(default)]
    pub linear_velocity: Triple,
    /// Angular velocity of the root link at the start [rad/s]; of a floating base.
    #[serde(default)]
    pub angular_velocity: Triple,
    /// Where joints start, by name; the others at zero, or at the limit nearest to it.
    #[serde(default)]
    pub joints: Entries<JointValue>,
    /// How fast joints start, by name, per second.
    #[serde(default)]
    pub joint_velocities: Entries<JointValue>,
    /// Motors, by name of the joint.
    #[serde(default)]
    pub motors: Entries<MotorEntry>,
    /// Damping of joints by name [N·m·s/rad or N·s/m], instead of the file's.
    #[serde(default)]
    pub damping: Entries<f64>,
    /// Coulomb friction of joints by name [N·m or N], instead of the file's.
    #[serde(default)]
    pub joint_friction: Entries<f64>,
    /// Density of links that state no mass [kg/m³].
    #[serde(default)]
    pub density: Option<f64>,
    /// Coefficient of friction of the links.
    #[serde(default = "super::default_friction")]
    pub friction: f64,
    /// Coefficient of restitution of the links.
    #[serde(default)]
    pub restitution: f64,
    /// Whether links collide with one another, but for those that may.
    #[serde(default = "on")]
    pub self_collision: bool,
    /// Pairs of links that may collide, on top of those that are derived.
    #[serde(default)]
    pub allow: Vec<(String, String)>,
}

fn on() -> bool {
    true
}

/// Whether the root link of a robot moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RobotBase {
    /// It does not.
    #[default]
    Fixed,
    /// It moves freely.
    Floating,
}

/// The value of a joint with its unit; as a velocity, per second.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointValue {
    /// An angle [°], of a joint that turns.
    Degrees(f64),
    /// An angle [rad], of a joint that turns.
    Radians(f64),
    /// A length [m], of a joint that slides.
    Metres(f64),
}

/// What drives a joint.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Motor", rename_all = "snake_case", deny_unknown_fields)]
pub enum MotorEntry {
    /// Force = stiffness · (target − position) − damping · velocity.
    Position {
        /// Where to.
        target: JointValue,
        /// Force per deviation [N·m/rad or N/m].
        stiffness: f64,
        /// Force per velocity [N·m·s/rad or N·s/m].
        #[serde(default)]
        damping: f64,
        /// Greatest force [N·m or N]; the effort of the file where it is missing.
        #[serde(default)]
        max_force: Option<f64>,
    },
    /// Force = damping · (target − velocity).
    Velocity {
        /// How fast, per second.
        target: JointValue,
        /// Force per deviation of the velocity [N·m·s/rad or N·s/m].
        damping: f64,
        /// Greatest force [N·m or N]; the effort of the file where it is missing.
        #[serde(default)]
        max_force: Option<f64>,
    },
}

/// A joint that ends at a value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointAt {
    /// Name of the robot.
    pub robot: String,
    /// Name of the joint.
    pub joint: String,
    /// The value.
    pub value: JointValue,
    /// Greatest deviation from it, in the same unit.
    pub tolerance: JointValue,
}
