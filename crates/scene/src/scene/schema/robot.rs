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
    /// Fraction of gravity, 0 to 1, that the motors compensate, besides their own forces.
    #[serde(default)]
    pub gravity_compensation: f64,
    /// Sensors, besides those of the file.
    #[serde(default)]
    pub sensors: Vec<SensorEntry>,
    /// Loops that it closes, besides those of the file; joints that `joints` does not name start where they are closed.
    #[serde(default)]
    pub loops: Vec<LoopEntry>,
    /// Damping of joints by name [N·m·s/rad or N·s/m]; overrides the file.
    #[serde(default)]
    pub damping: Entries<f64>,
    /// Coulomb friction of joints by name [N·m or N]; overrides the file.
    #[serde(default)]
    pub joint_friction: Entries<f64>,
    /// Springs of joints, by name; override the file.
    #[serde(default)]
    pub springs: Entries<SpringEntry>,
    /// Density of links that state no mass [kg/m³].
    #[serde(default)]
    pub density: Option<f64>,
    /// Coefficient of friction of the links.
    #[serde(default = "super::default_friction")]
    pub friction: f64,
    /// Coefficient of rolling friction of the links \[m\].
    #[serde(default)]
    pub rolling_friction: f64,
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

/// Spring of a joint: force = stiffness · (rest − position).
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct SpringEntry {
    /// Force per deviation from rest [N·m/rad or N/m].
    pub stiffness: f64,
    /// Position without force; zero by default.
    #[serde(default)]
    pub rest: Option<JointValue>,
}

/// Motor of a joint.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Motor", rename_all = "snake_case", deny_unknown_fields)]
pub enum MotorEntry {
    /// Force = stiffness · (target − position) + damping · (rate of the target − velocity).
    Position {
        /// Target position; by default that at the start.
        #[serde(default)]
        target: Option<JointValue>,
        /// Target positions over time, instead of one.
        #[serde(default)]
        keyframes: Vec<TargetKeyframe>,
        /// Force per deviation [N·m/rad or N/m]; by default that of the file.
        #[serde(default)]
        stiffness: Option<f64>,
        /// Force per velocity [N·m·s/rad or N·s/m]; by default zero, or that of the file where the stiffness is the file's.
        #[serde(default)]
        damping: Option<f64>,
        /// Maximum force [N·m or N]; by default the effort limit of the file.
        #[serde(default)]
        max_force: Option<f64>,
    },
    /// Force = damping · (target − velocity).
    Velocity {
        /// Target velocity, per second; by default zero.
        #[serde(default)]
        target: Option<JointValue>,
        /// Target velocities over time, instead of one.
        #[serde(default)]
        keyframes: Vec<TargetKeyframe>,
        /// Force per deviation of the velocity [N·m·s/rad or N·s/m]; by default that of the file.
        #[serde(default)]
        damping: Option<f64>,
        /// Maximum force [N·m or N]; by default the effort limit of the file.
        #[serde(default)]
        max_force: Option<f64>,
    },
    /// Force = target.
    Effort {
        /// The force [N·m or N].
        #[serde(default)]
        target: f64,
        /// Forces over time, instead of one.
        #[serde(default)]
        keyframes: Vec<EffortKeyframe>,
        /// Maximum force [N·m or N]; by default the effort limit of the file.
        #[serde(default)]
        max_force: Option<f64>,
    },
    /// Force that the mass matrix and the bias forces of the robot need to have the error decay as a damped oscillator.
    ComputedTorque {
        /// Target position; by default that at the start.
        #[serde(default)]
        target: Option<JointValue>,
        /// Target positions over time, instead of one.
        #[serde(default)]
        keyframes: Vec<TargetKeyframe>,
        /// Natural frequency of the error \[Hz\].
        frequency: f64,
        /// Damping ratio of the error; 1 is without overshoot.
        #[serde(default = "critical")]
        damping_ratio: f64,
        /// Maximum force [N·m or N]; by default the effort limit of the file.
        #[serde(default)]
        max_force: Option<f64>,
    },
}

fn critical() -> f64 {
    1.0
}

/// Target position, or velocity per second, at a time.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Keyframe", deny_unknown_fields)]
pub struct TargetKeyframe {
    /// The time \[s\].
    pub time: f64,
    /// The target.
    pub target: JointValue,
}

/// Force of a motor at a time.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename = "Keyframe", deny_unknown_fields)]
pub struct EffortKeyframe {
    /// The time \[s\].
    pub time: f64,
    /// The force [N·m or N].
    pub target: f64,
}

/// Points of two links of a robot that stay together while the links rotate about them: two such pairs are a hinge, three a weld.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Loop", deny_unknown_fields)]
pub struct LoopEntry {
    /// Its name; by default those of the links, as in `coupler/rocker`.
    #[serde(default)]
    pub name: Option<String>,
    /// The links.
    pub links: (String, String),
    /// The point in the frame of each link \[m\].
    pub at: (Triple, Triple),
}

/// A sensor of a robot, whose values are recorded. Its name is by default its kind and its joint or link, as in `imu/hand`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename = "Sensor", rename_all = "snake_case", deny_unknown_fields)]
pub enum SensorEntry {
    /// One for every joint that moves.
    Joints,
    /// One for every body.
    Contacts,
    /// Value, velocity and forces of a joint.
    Joint {
        /// Name of the joint.
        joint: String,
        /// Name of the sensor.
        #[serde(default)]
        name: Option<String>,
    },
    /// Resultant of the contacts of a link.
    Contact {
        /// Name of the link.
        link: String,
        /// Name of the sensor.
        #[serde(default)]
        name: Option<String>,
    },
    /// Specific force and angular velocity.
    Imu {
        /// Name of the link.
        link: String,
        /// Name of the sensor.
        #[serde(default)]
        name: Option<String>,
        /// Its position in the frame of the link \[m\].
        #[serde(default)]
        position: Triple,
        /// Its orientation in the frame of the link.
        #[serde(default)]
        rotation: Rotation,
    },
    /// Pose and velocities of a frame.
    Frame {
        /// Name of the link.
        link: String,
        /// Name of the sensor.
        #[serde(default)]
        name: Option<String>,
        /// Its position in the frame of the link \[m\].
        #[serde(default)]
        position: Triple,
        /// Its orientation in the frame of the link.
        #[serde(default)]
        rotation: Rotation,
    },
    /// Velocities of a frame in its axes.
    Velocimeter {
        /// Name of the link.
        link: String,
        /// Name of the sensor.
        #[serde(default)]
        name: Option<String>,
        /// Its position in the frame of the link \[m\].
        #[serde(default)]
        position: Triple,
        /// Its orientation in the frame of the link.
        #[serde(default)]
        rotation: Rotation,
    },
    /// Force and torque that a link gets from its parent.
    ForceTorque {
        /// Name of the link.
        link: String,
        /// Name of the sensor.
        #[serde(default)]
        name: Option<String>,
        /// Its position in the frame of the link \[m\].
        #[serde(default)]
        position: Triple,
        /// Its orientation in the frame of the link.
        #[serde(default)]
        rotation: Rotation,
    },
    /// Centre of mass and momentum of a link with all that it carries.
    Subtree {
        /// Name of the link.
        link: String,
        /// Name of the sensor.
        #[serde(default)]
        name: Option<String>,
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
