//! Description of a robot of a world.

use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};

use super::action::Action;
use super::motor::Motor;
use super::target_curve::TargetCurve;
use crate::error::{BuildError, ranges_of_part};
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::kinematics::closing::{close_loops, opening};
use extricate_core::kinematics::urdf::{Correction, Inertial, JointSpring, Robot};
use extricate_core::kinematics::{Articulation, Closure, JointKind, Sensor, SensorKind};
use extricate_core::proximity::Model;

/// Whether the root link moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RobotBase {
    /// It does not.
    #[default]
    Fixed,
    /// It moves freely.
    Floating,
}

/// Shape and mass of a link.
#[derive(Debug, Clone)]
pub struct RobotLink {
    /// Its shape, in its frame \[m\].
    pub model: Option<Arc<Model>>,
    /// Its mass; where there is none, the mass of its shape follows from the robot's density.
    pub inertial: Option<Inertial>,
    /// Fraction of its weight that a force at its centre of mass bears, as of a balloon; above 1 it rises.
    pub compensation: f64,
    /// Whether it is the world around the robot, as `world` of MJCF, rather than a part of it.
    pub is_world: bool,
}

/// Damping, friction, spring, bounds and motor of a joint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RobotJoint {
    /// Force per speed that resists motion [N·m·s/rad or N·s/m].
    pub damping: f64,
    /// Coulomb friction [N·m or N].
    pub friction: f64,
    /// The spring within it.
    pub spring: Option<JointSpring>,
    /// Inertia of the rotor, as the joint bears it behind its gear [kg·m² or kg].
    pub armature: f64,
    /// Maximum force of a motor that states none of its own [N·m or N].
    pub max_force: Option<f64>,
    /// Maximum speed to which a motor drives the joint [rad/s or m/s].
    pub max_speed: Option<f64>,
    /// Its motor.
    pub motor: Option<Motor>,
    /// Targets of its motor over time, instead of the constant one of the motor, until that is changed.
    pub targets: Option<Arc<TargetCurve>>,
}

impl RobotJoint {
    /// Whether no force acts within the joint but that of its limits.
    pub(super) fn is_passive(&self) -> bool {
        self.motor.is_none() && self.friction <= 0.0 && self.damping <= 0.0 && self.spring.is_none()
    }

    /// Its spring and its damping.
    pub(super) fn passive(&self) -> Action {
        let spring = self.spring.unwrap_or(JointSpring { stiffness: 0.0, rest: 0.0 });
        Action::spring(spring.stiffness, spring.rest, self.damping)
    }
}

/// Description of a robot of a world.
///
/// ```
/// use std::path::Path;
///
/// use extricate_dynamics::{RobotDescription, World, WorldOptions};
/// use extricate_core::kinematics::urdf::{UrdfOptions, parse_urdf};
/// use nalgebra::Isometry3;
///
/// // A pendulum: a ball of 1 kg, 1 m below its hinge.
/// let text = r#"<robot name="pendulum">
///   <link name="ceiling"/>
///   <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="1"/>
///     <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
///   <joint name="hinge" type="continuous"><parent link="ceiling"/><child link="bob"/><axis xyz="0 1 0"/></joint>
/// </robot>"#;
/// let robot = parse_urdf(text, Path::new("pendulum.urdf"), &UrdfOptions::default())?;
/// let mut pendulum = RobotDescription::new("pendulum", robot, Isometry3::identity());
/// pendulum.configuration = vec![0.1];
/// let mut builder = World::builder(WorldOptions::default());
/// builder.add_robot(pendulum)?;
/// let mut world = builder.build()?;
/// let half_period = std::f64::consts::PI * (1.001_f64 / 9.81).sqrt();
/// while world.time() < half_period {
///     world.step()?;
/// }
/// let state = world.robot("pendulum").expect("it was added");
/// assert!((state.joints["hinge"] + 0.1).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RobotDescription {
    /// Its name, unique among robots; its bodies are named `robot/link`.
    pub name: String,
    /// Its links and joints. Links connected by fixed joints are one body.
    pub articulation: Articulation,
    /// The links, in the order of the articulation's.
    pub links: Vec<RobotLink>,
    /// Damping, friction, bounds and motors of the joints, in the order of the articulation's.
    pub joints: Vec<RobotJoint>,
    /// Whether the root link moves.
    pub base: RobotBase,
    /// Root link → world at the start.
    pub pose: Isometry3<f64>,
    /// Velocity of the root's centre of mass at the start [m/s, world]; of a floating base only.
    pub linear_velocity: Vector3<f64>,
    /// Angular velocity of the root at the start [rad/s, world]; of a floating base only.
    pub angular_velocity: Vector3<f64>,
    /// Configuration at the start [rad or m].
    pub configuration: Vec<f64>,
    /// Speeds of the coordinates at the start [rad/s or m/s].
    pub velocities: Vec<f64>,
    /// Density [kg/m³] of links that have a shape and state no mass.
    pub density: f64,
    /// Coefficient of friction of all links.
    pub friction: f64,
    /// Coefficient of rolling friction of all links \[m\].
    pub rolling_friction: f64,
    /// Coefficient of restitution of all links.
    pub restitution: f64,
    /// Whether links have contacts with one another, except pairs that are allowed to collide.
    pub self_collision: bool,
    /// Names of links that may collide, on top of what is derived.
    pub allowed: Vec<[String; 2]>,
    /// Fraction of gravity, 0 to 1, that its motors compensate within their bounds, besides their own forces.
    pub gravity_compensation: f64,
    /// Loops that it closes: in the configuration at the start as well, see [`Self::close_loops`].
    pub closures: Vec<Closure>,
    /// Its sensors.
    pub sensors: Vec<Sensor>,
    /// Corrections to the values of its file.
    pub corrections: Vec<Correction>,
}

impl RobotDescription {
    /// The links that are the world around it.
    #[must_use]
    pub fn surroundings(&self) -> Vec<usize> {
        (0..self.links.len()).filter(|&link| self.links[link].is_world).collect()
    }

    /// Default density [kg/m³] of links that state no mass: that of water.
    pub const DENSITY: f64 = Inertial::WATER;
    /// Default coefficient of friction.
    pub const FRICTION: f64 = 0.5;

    /// Description of the robot of a file on a fixed base, at rest with all joints at zero (`ref` of MJCF), or at the limit nearest to
    /// it; with the motors, damping, friction, efforts and speeds of the file. Motors hold the joints at rest.
    #[must_use]
    pub fn new(name: impl Into<String>, robot: Robot, pose: Isometry3<f64>) -> Self {
        let links = robot.meshes.into_iter().zip(robot.inertials).zip(robot.compensations);
        let mut known = Vec::new();
        let links = links.enumerate().map(|(link, ((mesh, inertial), compensation))| {
            let model = mesh.map(|mesh| solid_where_closed(mesh, &mut known));
            RobotLink { model, inertial, compensation, is_world: robot.surroundings.contains(&link) }
        });
        let joints = robot.articulation.joints().iter().zip(&robot.dynamics);
        let joints = joints.map(|(joint, of_file)| RobotJoint {
            damping: of_file.damping,
            friction: of_file.friction,
            spring: of_file.spring,
            armature: of_file.armature,
            max_force: of_file.effort,
            max_speed: of_file.speed,
            motor: Motor::of_file(of_file, joint.rest_within_limits()).filter(|_| joint.mimic.is_none()),
            targets: None,
        });
        let coordinates = robot.articulation.coordinates().iter();
        let configuration: Vec<f64> =
            coordinates.map(|&joint| robot.articulation.joints()[joint].rest_within_limits()).collect();
        Self {
            name: name.into(),
            links: links.collect(),
            joints: joints.collect(),
            base: RobotBase::Fixed,
            pose,
            linear_velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            velocities: vec![0.0; configuration.len()],
            configuration,
            density: Self::DENSITY,
            friction: Self::FRICTION,
            rolling_friction: 0.0,
            restitution: 0.0,
            self_collision: true,
            allowed: robot.exempt,
            articulation: robot.articulation,
            gravity_compensation: 0.0,
            closures: robot.closures,
            sensors: robot.sensors,
            corrections: robot.corrections,
        }
    }

    /// Index of the joint with this name.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.articulation.joints().iter().position(|joint| joint.name == name)
    }

    /// Index in the configuration of the joint with this name; `None` for a joint that is fixed or mimics another.
    #[must_use]
    pub fn coordinate(&self, name: &str) -> Option<usize> {
        let joint = self.joint(name)?;
        self.articulation.coordinates().iter().position(|&other| other == joint)
    }

    /// Moves its joints, but those with the coordinates in `kept`, to the nearest configuration within their limits in which all its loops are closed.
    ///
    /// # Errors
    /// [`BuildError::OpenLoop`] where none is found; the configuration stays then as it is.
    pub fn close_loops(&mut self, kept: &[usize]) -> Result<(), BuildError> {
        let closed = close_loops(&self.articulation, &self.closures, (&self.configuration, kept))?;
        let closed = closed.map_err(|(closure, gap)| open_loop(&self.closures[closure], gap))?;
        self.configuration = closed;
        Ok(())
    }

    /// Checks that loops are closed at the start, between links of the robot.
    fn check_loops(&self) -> Result<(), BuildError> {
        for link in self.closures.iter().flat_map(|closure| &closure.links) {
            if self.articulation.link(link).is_none() {
                return Err(BuildError::UnknownLink { link: link.clone() });
            }
        }
        match opening(&self.articulation, &self.closures, &self.configuration)? {
            Some((closure, gap)) => Err(open_loop(&self.closures[closure], gap)),
            None => Ok(()),
        }
    }

    /// Checks that every number is in its range and every list has its length.
    pub(super) fn check(&self) -> Result<(), BuildError> {
        self.check_counts()?;
        self.check_start()?;
        let whole = ranges_of_part(|| format!("robot \"{}\"", self.name));
        whole.positive("the density [kg/m³]", self.density)?;
        whole.not_negative("the friction", self.friction)?;
        whole.not_negative("the rolling friction [m]", self.rolling_friction)?;
        whole.within("the restitution", self.restitution, 0.0..=1.0, "between 0 and 1")?;
        whole.within(
            "the compensation of gravity",
            self.gravity_compensation,
            0.0..=1.0,
            "between 0 and 1",
        )?;
        whole.finite(
            "a compensation of the weight of a link",
            self.links.iter().map(|link| &link.compensation),
        )?;
        self.check_sensors()?;
        self.check_loops()?;
        let pose = self.pose.translation.vector.iter().chain(self.pose.rotation.coords.iter());
        let numbers = pose.chain(self.linear_velocity.iter()).chain(self.angular_velocity.iter());
        whole.finite("a number of the pose or velocity", numbers)?;
        for (joint, own) in self.articulation.joints().iter().zip(&self.joints) {
            let ranges = ranges_of_part(|| format!("joint \"{}\"", joint.name));
            ranges.not_negative("the damping", own.damping)?;
            ranges.not_negative("the friction", own.friction)?;
            if let Some(JointSpring { stiffness, rest }) = &own.spring {
                ranges.not_negative("the stiffness of the spring", *stiffness)?;
                ranges.finite("the rest of the spring", [rest])?;
            }
            own.max_force.map_or(Ok(()), |bound| ranges.positive("the maximum force", bound))?;
            own.max_speed.map_or(Ok(()), |bound| ranges.positive("the maximum speed", bound))?;
            if own.motor.is_some() && joint.mimic.is_some() {
                return Err(BuildError::MotorOfMimic { joint: joint.name.clone() });
            }
            own.motor.map_or(Ok(()), |motor| motor.check(&ranges))?;
        }
        Ok(())
    }

    /// Checks that sensors have different names, and are at links and joints of the robot.
    fn check_sensors(&self) -> Result<(), BuildError> {
        let moves = |name: &str| {
            self.articulation.joints().iter().any(|own| own.name == name && own.kind != JointKind::Fixed)
        };
        for (index, sensor) in self.sensors.iter().enumerate() {
            let name = || sensor.name.clone();
            if self.sensors[..index].iter().any(|other| other.name == sensor.name) {
                return Err(BuildError::DuplicateSensor { sensor: name() });
            }
            match &sensor.kind {
                SensorKind::Joint { joint } if !moves(joint) => {
                    return Err(BuildError::SensorJoint { sensor: name(), joint: joint.clone() });
                }
                SensorKind::Contact { link }
                | SensorKind::Imu { link, .. }
                | SensorKind::Frame { link, .. }
                | SensorKind::Velocimeter { link, .. }
                | SensorKind::ForceTorque { link, .. }
                | SensorKind::Subtree { link }
                    if self.articulation.link(link).is_none() =>
                {
                    return Err(BuildError::UnknownLink { link: link.clone() });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_counts(&self) -> Result<(), BuildError> {
        let coordinates = self.articulation.coordinates().len();
        for (what, given, expected) in [
            ("links", self.links.len(), self.articulation.links().len()),
            ("joints", self.joints.len(), self.articulation.joints().len()),
            ("velocities", self.velocities.len(), coordinates),
        ] {
            if given != expected {
                return Err(BuildError::Count { what, given, expected });
            }
        }
        Ok(())
    }

    fn check_start(&self) -> Result<(), BuildError> {
        let values = self.articulation.joint_values(&self.configuration)?;
        self.articulation.check(&self.velocities)?;
        for (joint, value) in self.articulation.joints().iter().zip(values) {
            let Some(limits) = joint.limits else { continue };
            let slack = ROUNDING * (limits[0].abs() + limits[1].abs());
            let is_within = limits[0] - slack <= value && value <= limits[1] + slack;
            if !is_within {
                return Err(BuildError::OutsideLimits { joint: joint.name.clone(), value, limits });
            }
        }
        Ok(())
    }
}

fn open_loop(closure: &Closure, [distance, angle]: [f64; 2]) -> BuildError {
    BuildError::OpenLoop { name: closure.name.clone(), distance, angle }
}

/// Tolerance of a joint's limits at the start, as a fraction of them: for degrees that were converted to radians.
const ROUNDING: f64 = 1e-12;

/// The mesh with its tree: a solid where it is closed. Links of equal meshes have one, and so what is built for it once.
fn solid_where_closed(mesh: TriangleMesh, known: &mut Vec<Arc<Model>>) -> Arc<Model> {
    if let Some(equal) = known.iter().find(|model| *model.mesh() == mesh) {
        return Arc::clone(equal);
    }
    let solidity = Solidity::of(&mesh);
    let model = Arc::new(Model::new(mesh, solidity));
    known.push(Arc::clone(&model));
    model
}
