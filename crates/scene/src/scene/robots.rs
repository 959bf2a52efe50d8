//! The robots of a scene: reading of their files, and application of the settings of their joints.

use std::collections::BTreeMap;
use std::path::PathBuf;

use extricate_core::parallel;
use nalgebra::{Isometry3, Translation3};

use super::error::{Fault, Problem};
use super::files::Files;
use super::joint_values::{JointIndices, value_of, within_limits};
use super::locate::Step::{self, Field, Index, Key};
use super::motors::MotorLoader;
use super::parse::Document;
use super::placement::{orientation, vector};
use super::schema::{self, Entries, LoopEntry, RobotEntry};
use super::sensors;
use extricate_core::kinematics::NamedConfiguration;
use extricate_core::kinematics::read_robot;
use extricate_core::kinematics::srdf::read_srdf;
use extricate_core::kinematics::urdf::{JointSpring, UrdfOptions};
use extricate_core::kinematics::{Closure, ClosureKind, JointKind};
use extricate_dynamics::{RobotBase, RobotDescription};

/// The description of a robot for the dynamics.
#[derive(Debug, Clone)]
pub(super) struct LoadedRobot {
    pub(super) description: RobotDescription,
    /// Path of its file, resolved against the folder of the scene.
    pub(super) path: PathBuf,
    /// Names and poses of its bodies at the start.
    pub(super) bodies: Vec<(String, Isometry3<f64>)>,
}

/// Names of the bodies of all robots, each with whether it is dynamic.
pub(super) fn links(robots: &[LoadedRobot]) -> BTreeMap<String, bool> {
    let of_robot = |robot: &LoadedRobot| {
        let root = robot.description.articulation.parents_first()[0];
        let root = format!("{}/{}", robot.description.name, robot.description.articulation.links()[root]);
        let fixed = robot.description.base == RobotBase::Fixed;
        let names = robot.bodies.iter().map(|(name, _)| (name.clone(), !(fixed && *name == root)));
        names.collect::<Vec<_>>()
    };
    robots.iter().flat_map(of_robot).collect()
}

impl From<schema::RobotBase> for RobotBase {
    fn from(base: schema::RobotBase) -> Self {
        match base {
            schema::RobotBase::Fixed => Self::Fixed,
            schema::RobotBase::Floating => Self::Floating,
        }
    }
}

/// All robots of a scene, in the order of the file.
pub(super) fn load(document: &Document, files: &Files) -> Result<Vec<LoadedRobot>, Vec<Problem>> {
    let entries = &document.file.robots;
    let loaded = parallel::map(entries.len(), 1, |index| {
        RobotLoader { document, entry: &entries[index], path: vec![Field("robots"), Index(index)] }
            .load(files)
    });
    let (mut robots, mut problems) = (Vec::new(), Vec::new());
    for result in loaded {
        match result {
            Ok(robot) => robots.push(robot),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(robots) } else { Err(problems) }
}

/// Loads one robot of a scene.
struct RobotLoader<'a> {
    document: &'a Document,
    entry: &'a RobotEntry,
    path: Vec<Step>,
}

impl RobotLoader<'_> {
    fn load(&self, files: &Files) -> Result<LoadedRobot, Vec<Problem>> {
        let entry = self.entry;
        let problems_at = |field, fault| vec![self.problem(&[Field(field)], fault)];
        let path = files.find(&entry.file).map_err(|fault| problems_at("file", fault))?;
        let packages = entry.packages.iter().map(|package| files.find(package)).collect::<Result<_, _>>();
        let packages = packages.map_err(|fault| problems_at("packages", fault))?;
        let reach = Some(files.scope().clone());
        let arguments = entry.xacro_args.0.clone();
        let options =
            UrdfOptions { packages, arguments, sound_masses: true, reach, ..UrdfOptions::default() };
        let robot = read_robot(&path, &options).map_err(|error| {
            vec![self.problem(&[Field("file")], Fault::Robot { path: path.clone(), cause: error.into() })]
        })?;
        let triangles = robot.meshes.iter().flatten().map(|mesh| mesh.triangles().len()).sum();
        files.count(triangles).map_err(|fault| problems_at("file", fault))?;
        let mut configurations = robot.configurations.clone();
        let pose = Isometry3::from_parts(vector(entry.position).into(), orientation(&entry.rotation));
        let mut description = RobotDescription {
            base: entry.base.into(),
            linear_velocity: vector(entry.linear_velocity),
            angular_velocity: vector(entry.angular_velocity),
            density: entry.density.unwrap_or(RobotDescription::DENSITY),
            friction: entry.friction,
            rolling_friction: entry.rolling_friction,
            restitution: entry.restitution,
            self_collision: entry.self_collision,
            gravity_compensation: entry.gravity_compensation,
            ..RobotDescription::new(&entry.name, robot, pose)
        };
        description.allowed.extend(entry.allow.iter().map(|(a, b)| [a.clone(), b.clone()]));
        description.closures.extend(entry.loops.iter().map(closure));
        if let Some(srdf) = &entry.srdf {
            let path = files.find(srdf).map_err(|fault| problems_at("srdf", fault))?;
            let srdf = read_srdf(&path)
                .map_err(|error| problems_at("srdf", Fault::Robot { path, cause: error.into() }))?;
            let (allowed, unknown) = srdf.allowed(description.articulation.links());
            description.allowed.extend(allowed);
            let (states, unset) = srdf.configurations(&description.articulation);
            configurations.extend(states);
            description.corrections.extend(unknown.into_iter().chain(unset));
        }
        self.start_at(&mut description, &configurations).map_err(|fault| problems_at("at", fault))?;
        let mut problems = self.joints(&mut description);
        problems.extend(self.links(&description));
        problems.extend(self.uncompensated(&description));
        if !problems.is_empty() {
            return Err(problems);
        }
        self.completed(path, description)
    }

    /// Error of a robot whose gravity no motor compensates.
    fn uncompensated(&self, robot: &RobotDescription) -> Option<Problem> {
        let is_free = robot.joints.iter().all(|joint| joint.motor.is_none());
        (robot.gravity_compensation > 0.0 && is_free).then(|| {
            let message = format!(
                "robot `{}` has no motor that could compensate gravity; `effort()` is one without a force of its own",
                robot.name
            );
            self.problem(&[Field("gravity_compensation")], Fault::Contradiction { message })
        })
    }

    /// Adds the bodies and the sensors of a robot.
    fn completed(
        &self,
        path: PathBuf,
        mut description: RobotDescription,
    ) -> Result<LoadedRobot, Vec<Problem>> {
        let bodies = description.bodies().map_err(|error| {
            let cause = format!("{}: {error}", path.display()).into();
            vec![self.problem(&[Field("file")], Fault::Robot { path: path.clone(), cause })]
        })?;
        let mut problems = Vec::new();
        for (index, sensor) in self.entry.sensors.iter().enumerate() {
            if let Err((within, fault)) = sensors::add(sensor, &bodies, &mut description) {
                problems
                    .push(self.problem(&[&[Field("sensors"), Index(index)], &within[..]].concat(), fault));
            }
        }
        if problems.is_empty() { Ok(LoadedRobot { description, path, bodies }) } else { Err(problems) }
    }

    fn problem(&self, within: &[Step], fault: Fault) -> Problem {
        self.document.problem(&[self.path.as_slice(), within].concat(), fault)
    }

    /// Puts the robot into the named configuration at which it starts, each joint at most at its limits.
    fn start_at(
        &self,
        robot: &mut RobotDescription,
        configurations: &[NamedConfiguration],
    ) -> Result<(), Fault> {
        let Some(name) = &self.entry.at else { return Ok(()) };
        let found = configurations.iter().find(|own| own.name == *name);
        let known = configurations.iter().map(|own| &own.name);
        let found = found.ok_or_else(|| Fault::unknown_name("named configuration", name, known))?;
        for (joint, &value) in &found.joints {
            if let (Some(joint), Some(coordinate)) = (robot.joint(joint), robot.coordinate(joint)) {
                let limits = robot.articulation.joints()[joint].limits;
                let value = limits.map_or(value, |[lower, upper]| value.max(lower).min(upper));
                start_joint(robot, &JointIndices { joint, coordinate }, value);
            }
        }
        Ok(())
    }

    /// Applies the settings of the joints in the scene to the robot.
    fn joints(&self, robot: &mut RobotDescription) -> Vec<Problem> {
        let entry = self.entry;
        let mut problems = Vec::new();
        self.each("joints", &entry.joints, robot, &mut problems, |at, value, robot| {
            let value = within_limits(robot, at.joint, *value)?;
            start_joint(robot, at, value);
            Ok(())
        });
        if problems.is_empty()
            && let Err(fault) = self.close_loops(robot)
        {
            problems
                .push(self.problem(&[Field(if entry.loops.is_empty() { "file" } else { "loops" })], fault));
        }
        self.each("joint_velocities", &entry.joint_velocities, robot, &mut problems, |at, value, robot| {
            robot.velocities[at.coordinate] = value_of(robot, at.joint, *value)?;
            Ok(())
        });
        self.each("motors", &entry.motors, robot, &mut problems, |at, motor, robot| {
            let (motor, targets) = MotorLoader { robot, at }.load(motor)?;
            let own = &mut robot.joints[at.joint];
            (own.motor, own.targets) = (Some(motor), targets);
            Ok(())
        });
        self.each("damping", &entry.damping, robot, &mut problems, |at, value, robot| {
            robot.joints[at.joint].damping = *value;
            Ok(())
        });
        self.each("springs", &entry.springs, robot, &mut problems, |at, value, robot| {
            let rest = value.rest.map_or(Ok(0.0), |rest| value_of(robot, at.joint, rest))?;
            robot.joints[at.joint].spring = Some(JointSpring { stiffness: value.stiffness, rest });
            Ok(())
        });
        self.each("joint_friction", &entry.joint_friction, robot, &mut problems, |at, value, robot| {
            robot.joints[at.joint].friction = *value;
            Ok(())
        });
        problems
    }

    /// Moves the joints without a value of their own at the start to where all loops are closed.
    fn close_loops(&self, robot: &mut RobotDescription) -> Result<(), Fault> {
        if robot.closures.is_empty()
            || self.entry.loops.iter().any(|own| unknown_links(own, robot).next().is_some())
        {
            return Ok(());
        }
        let kept: Vec<usize> =
            self.entry.joints.0.iter().filter_map(|(name, _)| robot.coordinate(name)).collect();
        let before = robot.configuration.clone();
        robot.close_loops(&kept).map_err(|error| {
            let joints = if kept.is_empty() { "" } else { " other than those in `joints`" };
            let message = format!(
                "{error}, and no values of joints{joints} within their limits that close it are near"
            );
            Fault::Contradiction { message }
        })?;
        for (coordinate, before) in before.into_iter().enumerate() {
            let (joint, value) =
                (robot.articulation.coordinates()[coordinate], robot.configuration[coordinate]);
            if value.total_cmp(&before).is_ne() {
                start_joint(robot, &JointIndices { joint, coordinate }, value);
            }
        }
        Ok(())
    }

    /// Calls `apply` for every entry of a map from joint names; errors are reported at their places.
    fn each<T>(
        &self,
        field: &'static str,
        entries: &Entries<T>,
        robot: &mut RobotDescription,
        problems: &mut Vec<Problem>,
        apply: impl Fn(&JointIndices, &T, &mut RobotDescription) -> Result<(), Fault>,
    ) {
        for (index, (name, value)) in entries.0.iter().enumerate() {
            let (Some(joint), Some(coordinate)) = (robot.joint(name), robot.coordinate(name)) else {
                let fault = Fault::unknown_name("independent joint", name, independent_joints(robot));
                problems.push(self.problem(&[Field(field), Key(index)], fault));
                continue;
            };
            if let Err(fault) = apply(&JointIndices { joint, coordinate }, value, robot) {
                problems.push(self.problem(&[Field(field), Index(index)], fault));
            }
        }
    }

    fn links(&self, robot: &RobotDescription) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (index, (a, b)) in self.entry.allow.iter().enumerate() {
            for (side, name) in [a, b].into_iter().enumerate() {
                if robot.articulation.link(name).is_none() {
                    let fault = Fault::unknown_name("link", name, robot.articulation.links());
                    problems.push(self.problem(&[Field("allow"), Index(index), Index(side)], fault));
                }
            }
        }
        for (index, own) in self.entry.loops.iter().enumerate() {
            for (side, name) in unknown_links(own, robot) {
                let fault = Fault::unknown_name("link", name, robot.articulation.links());
                let path = [Field("loops"), Index(index), Field("links"), Index(side)];
                problems.push(self.problem(&path, fault));
            }
        }
        problems
    }
}

/// The links of a loop that a robot does not have, with their places.
fn unknown_links<'a>(
    entry: &'a LoopEntry,
    robot: &RobotDescription,
) -> impl Iterator<Item = (usize, &'a String)> + use<'a> {
    let [a, b] = [&entry.links.0, &entry.links.1];
    let known = [a, b].map(|name| robot.articulation.link(name).is_some());
    [a, b].into_iter().enumerate().filter(move |(side, _)| !known[*side])
}

fn closure(entry: &LoopEntry) -> Closure {
    let links = [entry.links.0.clone(), entry.links.1.clone()];
    Closure {
        name: entry.name.clone().unwrap_or_else(|| links.join("/")),
        links,
        frames: [entry.at.0, entry.at.1].map(|point| Translation3::from(vector(point)).into()),
        kind: ClosureKind::Point,
    }
}

/// Sets the start value of a joint [rad or m].
fn start_joint(robot: &mut RobotDescription, at: &JointIndices, value: f64) {
    robot.configuration[at.coordinate] = value;
    // A motor of the file holds the joint where it starts.
    let motor = &mut robot.joints[at.joint].motor;
    *motor = motor.map(|motor| if motor.is_of_position() { motor.with_target(value) } else { motor });
}

/// Errors of expectations: joints that their robots do not have, and values in a wrong unit.
pub(super) fn wrong_expectations(document: &Document, robots: &[LoadedRobot]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, at) in document.file.expect.joint_at.iter().enumerate() {
        let path = |field| [Field("expect"), Field("joint_at"), Index(index), Field(field)];
        let Some(robot) = robots.iter().find(|robot| robot.description.name == at.robot) else { continue };
        let articulation = &robot.description.articulation;
        let moves = |&joint: &usize| articulation.joints()[joint].kind != JointKind::Fixed;
        match robot.description.joint(&at.joint).filter(moves) {
            None => {
                let known = (0..articulation.joints().len()).filter(moves);
                let known = known.map(|joint| &articulation.joints()[joint].name);
                let fault = Fault::unknown_name("movable joint", &at.joint, known);
                problems.push(document.problem(&path("joint"), fault));
            }
            Some(joint) => {
                if let Err(fault) = value_of(&robot.description, joint, at.value) {
                    problems.push(document.problem(&path("value"), fault));
                }
            }
        }
    }
    problems
}

/// Names of the joints with a coordinate of their own.
fn independent_joints(robot: &RobotDescription) -> impl Iterator<Item = &String> + Clone {
    robot.articulation.coordinates().iter().map(|&joint| &robot.articulation.joints()[joint].name)
}

/// Errors of the goal, limits and fixed joints of a plan.
pub(super) fn wrong_goals(document: &Document, robots: &[LoadedRobot]) -> Vec<Problem> {
    let Some(plan) = &document.file.plan else { return Vec::new() };
    let Some(robot) = robots.iter().find(|robot| robot.description.name == plan.movable) else {
        return Vec::new();
    };
    let robot = &robot.description;
    if !robot.closures.is_empty() {
        let message = format!("robot `{}` closes loops, which paths do not keep", robot.name);
        let path = [Field("plan"), Field("movable")];
        return vec![document.problem(&path, Fault::Contradiction { message })];
    }
    let unknown = |name: &str| Fault::unknown_name("independent joint", name, independent_joints(robot));
    let mut problems = Vec::new();
    for (index, (name, value)) in plan.joints.0.iter().enumerate() {
        let path = [Field("plan"), Field("joints")];
        let (Some(joint), Some(_)) = (robot.joint(name), robot.coordinate(name)) else {
            problems.push(document.problem(&[&path[..], &[Key(index)]].concat(), unknown(name)));
            continue;
        };
        if let Err(fault) = within_limits(robot, joint, *value) {
            problems.push(document.problem(&[&path[..], &[Index(index)]].concat(), fault));
        }
    }
    for (index, (name, (min, max))) in plan.limits.0.iter().enumerate() {
        let path = [Field("plan"), Field("limits")];
        let (Some(joint), Some(_)) = (robot.joint(name), robot.coordinate(name)) else {
            problems.push(document.problem(&[&path[..], &[Key(index)]].concat(), unknown(name)));
            continue;
        };
        for (side, value) in [min, max].into_iter().enumerate() {
            if let Err(fault) = value_of(robot, joint, *value) {
                problems.push(document.problem(&[&path[..], &[Index(index), Index(side)]].concat(), fault));
            }
        }
        let [lower, upper] = [min, max].map(|value| value.in_si().0);
        // Negated, so that NaN is reported as well.
        if !(lower <= upper) {
            let fault = Fault::ReversedLimits { lower, upper };
            problems.push(document.problem(&[&path[..], &[Index(index)]].concat(), fault));
        }
    }
    for (index, name) in plan.fixed.iter().enumerate() {
        if robot.coordinate(name).is_none() {
            let path = [Field("plan"), Field("fixed"), Index(index)];
            problems.push(document.problem(&path, unknown(name)));
        }
    }
    problems
}
