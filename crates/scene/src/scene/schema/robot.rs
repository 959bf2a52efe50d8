//! Robots of a scene: their files, base poses, start values of joints and motors.

use serde::Deserialize;

use super::{Entries, Rotation, Triple};

/// A robot from a URDF or MJCF file.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename = "Robot", deny_unknown_fields)]
pub struct RobotEntry {
    /// Its name, unique among robots; its bodies are named `robot/link`.
    pub name: String,
    /// Path of the URDF or MJCF file, relative to the folder of the scene.
    pub file: String,
    /// Folders that are packages, or that hold packages, for `package://` paths, relative to the folder of the scene.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Values of the arguments of a robot in xacro, by name.
    #[serde(default)]
    pub xacro_args: Entries<String>,
    /// Path of an SRDF file whose pairs of links with disabled collisions may collide, relative to the folder of the scene.
    #[serde(default)]
    pub srdf: Option<String>,
    /// Fixed or floating base.
    #[serde(default)]
    pub base: RobotBase,
    /// Position of its root link \[m\].
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
    /// Name of the configuration in which joints start that `joints` does not name: a keyframe of MJCF, or a group state of
    /// `srdf`.
    #[serde(default)]
    pub at: Option<String>,
    /// Start values of joints, by name; the others start at zero, or at the limit nearest to it.
    #[serde(default)]
    pub joints: Entries<JointValue>,
    /// Start velocities of joints, by name, per second.
    #[serde(default)]
    pub joint_velocities: Entries<JointValue>,
    /// Motors, by name of the joint.
    #[serde(default)]
    pub motors: Entries<MotorEntry>,
    /// Damping of joints by name [N·m·s/rad or N·s/m]; overrides the file.
    #[serde(default)]
    pub damping: Entries<f64>,
    /// Coulomb friction of joints by name [N·m or N]; overrides the file.
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
    /// Whether links collide with one another, except for the allowed pairs.
    #[serde(default = "on")]
    pub self_collision: bool,
    /// Pairs of links that may collide, in addition to the derived ones.
    #[serde(default)]
    pub allow: Vec<(String, String)>,
}

fn on() -> bool {
    true
}

/// Mobility of the root link of a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RobotBase {
    /// The root link is fixed.
    #[default]
    Fixed,
    /// The root link moves freely.
    Floating,
}

/// The value of a joint with its unit; as a velocity, per second.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointValue {
    /// An angle [°], of a revolute joint.
    Degrees(f64),
    /// An angle \[rad\], of a revolute joint.
    Radians(f64),
    /// A length \[m\], of a prismatic joint.
    Metres(f64),
}

/// Motor of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Motor", rename_all = "snake_case", deny_unknown_fields)]
pub enum MotorEntry {
    /// Force = stiffness · (target − position) − damping · velocity.
    Position {
        /// Target position.
        target: JointValue,
        /// Force per deviation [N·m/rad or N/m].
        stiffness: f64,
        /// Force per velocity [N·m·s/rad or N·s/m].
        #[serde(default)]
        damping: f64,
        /// Maximum force [N·m or N]; by default the effort limit of the file.
        #[serde(default)]
        max_force: Option<f64>,
    },
    /// Force = damping · (target − velocity).
    Velocity {
        /// Target velocity, per second.
        target: JointValue,
        /// Force per deviation of the velocity [N·m·s/rad or N·s/m].
        damping: f64,
        /// Maximum force [N·m or N]; by default the effort limit of the file.
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
    /// Maximum deviation from it, in the same unit.
    pub tolerance: JointValue,
}
