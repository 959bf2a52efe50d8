//! Robots: names, orientations, ranges. Checks that need the robot's file are done when it is loaded.

use super::super::error::Fault;
use super::super::locate::Step::{self, Field, Index, Key};
use super::super::placement::vector;
use super::super::schema::{
    Entries, JointValue, MotorEntry, RobotBase, RobotEntry, SensorEntry, TargetKeyframe,
};
use super::{Checker, NOT_NEGATIVE, POSITIVE, Range, WITHIN_ONE};

impl Checker<'_> {
    pub(super) fn robots(&mut self) {
        let robots = &self.file().robots;
        let place = |index| vec![Field("robots"), Index(index), Field("name")];
        self.names("robots", robots.iter().enumerate().map(|(i, robot)| (robot.name.as_str(), place(i))));
        for (index, robot) in robots.iter().enumerate() {
            if robot.name.contains('/') {
                let message = format!(
                    "the name `{}` contains a slash, which separates a robot from its links",
                    robot.name
                );
                self.contradiction(&place(index), message);
            }
            self.robot(index, robot);
        }
    }

    /// Checks expectations of joints; whether the robot has them is checked when its file is loaded.
    pub(super) fn joints_at(&mut self) {
        for (index, at) in self.file().expect.joint_at.iter().enumerate() {
            let path = |field| [Field("expect"), Field("joint_at"), Index(index), Field(field)];
            let robots = &self.file().robots;
            if !robots.iter().any(|robot| robot.name == at.robot) {
                let known = robots.iter().map(|robot| &robot.name);
                self.report(&path("robot"), Fault::unknown_name("robot", &at.robot, known));
            }
            if std::mem::discriminant(&at.value) != std::mem::discriminant(&at.tolerance) {
                let message = "`tolerance` and `value` have different units";
                self.contradiction(&path("tolerance"), message);
            }
            self.range(&path("tolerance"), "the tolerance", at.tolerance.in_si().0, POSITIVE);
        }
    }

    fn robot(&mut self, index: usize, robot: &RobotEntry) {
        let at = |field: &'static str| [Field("robots"), Index(index), Field(field)];
        self.rotation(&at("rotation"), robot.rotation);
        if let Some(density) = robot.density {
            self.range(&at("density"), "the density [kg/m³]", density, POSITIVE);
        }
        self.range(&at("friction"), "the friction coefficient", robot.friction, NOT_NEGATIVE);
        self.range(
            &at("rolling_friction"),
            "the rolling friction coefficient [m]",
            robot.rolling_friction,
            NOT_NEGATIVE,
        );
        self.range(&at("restitution"), "the restitution coefficient", robot.restitution, WITHIN_ONE);
        let compensated = robot.gravity_compensation;
        self.range(
            &at("gravity_compensation"),
            "the compensated fraction of gravity",
            compensated,
            WITHIN_ONE,
        );
        for (field, velocity) in
            [("linear_velocity", robot.linear_velocity), ("angular_velocity", robot.angular_velocity)]
        {
            if robot.base == RobotBase::Fixed && vector(velocity).norm() > 0.0 {
                let message = format!("robot `{}` has a fixed base, but also a velocity", robot.name);
                self.contradiction(&at(field), message);
            }
        }
        self.joint_names(&at("joints"), &robot.joints);
        self.joint_names(&at("joint_velocities"), &robot.joint_velocities);
        self.joint_names(&at("motors"), &robot.motors);
        for (field, quantity, values) in [
            ("damping", "the damping of the joint", &robot.damping),
            ("joint_friction", "the friction of the joint", &robot.joint_friction),
        ] {
            self.joint_names(&at(field), values);
            for (entry, (_, value)) in values.0.iter().enumerate() {
                self.range(&[&at(field)[..], &[Index(entry)]].concat(), quantity, *value, NOT_NEGATIVE);
            }
        }
        self.joint_names(&at("springs"), &robot.springs);
        for (entry, (_, spring)) in robot.springs.0.iter().enumerate() {
            let at = [&at("springs")[..], &[Index(entry), Field("stiffness")]].concat();
            self.range(&at, "the stiffness of the spring", spring.stiffness, NOT_NEGATIVE);
        }
        for (entry, own) in robot.loops.iter().enumerate() {
            let at = |field| [&at("loops")[..], &[Index(entry), Field(field)]].concat();
            if own.name.as_ref().is_some_and(String::is_empty) {
                self.report(&at("name"), Fault::EmptyName { what: "loops" });
            }
        }
        for (entry, sensor) in robot.sensors.iter().enumerate() {
            self.sensor(&[&at("sensors")[..], &[Index(entry)]].concat(), sensor);
        }
        for (entry, (_, motor)) in robot.motors.0.iter().enumerate() {
            self.motor(&[&at("motors")[..], &[Index(entry)]].concat(), motor);
        }
    }

    fn sensor(&mut self, path: &[Step], sensor: &SensorEntry) {
        let at = |field: &'static str| [path, &[Field(field)]].concat();
        let name = match sensor {
            SensorEntry::Joints | SensorEntry::Contacts => None,
            SensorEntry::Joint { name, .. }
            | SensorEntry::Contact { name, .. }
            | SensorEntry::Subtree { name, .. } => name.as_ref(),
            SensorEntry::Imu { name, rotation, .. }
            | SensorEntry::Frame { name, rotation, .. }
            | SensorEntry::Velocimeter { name, rotation, .. }
            | SensorEntry::ForceTorque { name, rotation, .. } => {
                self.rotation(&at("rotation"), *rotation);
                name.as_ref()
            }
        };
        if name.is_some_and(String::is_empty) {
            self.report(&at("name"), Fault::EmptyName { what: "sensors" });
        }
    }

    fn joint_names<T>(&mut self, path: &[Step], entries: &Entries<T>) {
        let names = entries.0.iter().enumerate();
        self.names("joints", names.map(|(i, (name, _))| (name.as_str(), [path, &[Key(i)]].concat())));
    }

    fn motor(&mut self, path: &[Step], motor: &MotorEntry) {
        let at = |field: &'static str| [path, &[Field(field)]].concat();
        let (has_target, count, times, max_force) = match motor {
            MotorEntry::Position { target, keyframes, stiffness, damping, max_force } => {
                self.optional(&at("stiffness"), "the stiffness of the motor", *stiffness, NOT_NEGATIVE);
                self.optional(&at("damping"), "the damping of the motor", *damping, NOT_NEGATIVE);
                (target.is_some(), keyframes.len(), times_of(keyframes), max_force)
            }
            MotorEntry::Velocity { target, keyframes, damping, max_force } => {
                self.optional(&at("damping"), "the damping of the motor", *damping, NOT_NEGATIVE);
                (target.is_some(), keyframes.len(), times_of(keyframes), max_force)
            }
            MotorEntry::Effort { target, keyframes, max_force } => {
                let times = keyframes.iter().map(|keyframe| keyframe.time).collect();
                (target.abs() > 0.0, keyframes.len(), times, max_force)
            }
            MotorEntry::ComputedTorque { target, keyframes, frequency, damping_ratio, max_force } => {
                self.range(&at("frequency"), "the frequency of the motor [Hz]", *frequency, POSITIVE);
                self.range(
                    &at("damping_ratio"),
                    "the damping ratio of the motor",
                    *damping_ratio,
                    NOT_NEGATIVE,
                );
                (target.is_some(), keyframes.len(), times_of(keyframes), max_force)
            }
        };
        self.optional(&at("max_force"), "the maximum force of the motor", *max_force, POSITIVE);
        if has_target && count > 0 {
            self.contradiction(&at("keyframes"), "a motor has either a `target` or `keyframes`");
        }
        self.keyframe_times(&at("keyframes"), &times);
    }

    fn keyframe_times(&mut self, path: &[Step], times: &[f64]) {
        let before = std::iter::once(None).chain(times.iter().map(|time| Some(*time)));
        for (index, (&time, before)) in times.iter().zip(before).enumerate() {
            self.keyframe_time(&[path, &[Index(index), Field("time")]].concat(), time, before);
        }
    }

    fn optional(&mut self, path: &[Step], quantity: &'static str, value: Option<f64>, range: Range) {
        if let Some(value) = value {
            self.range(path, quantity, value, range);
        }
    }

    /// Whether a name has the form `robot/link` with a known robot; the link is known only once its file is read.
    pub(super) fn may_be_a_link(&self, name: &str) -> bool {
        let robot = name.split_once('/').map(|(robot, _)| robot);
        robot.is_some_and(|robot| self.file().robots.iter().any(|other| other.name == robot))
    }
}

fn times_of(keyframes: &[TargetKeyframe]) -> Vec<f64> {
    keyframes.iter().map(|keyframe| keyframe.time).collect()
}

impl JointValue {
    /// The value [rad or m], and whether it is an angle.
    pub(in super::super) fn in_si(self) -> (f64, bool) {
        match self {
            Self::Degrees(angle) => (angle.to_radians(), true),
            Self::Radians(angle) => (angle, true),
            Self::Metres(length) => (length, false),
        }
    }
}
