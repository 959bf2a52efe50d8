//! Writing a robot of any format as URDF, with the corrections applied.
//!
//! Links, joints, limits, mimics, masses, and the collision and visual geometry are written; capsules, which many programs do not
//! know in URDF, as a cylinder with two spheres, which is the same shape. What URDF cannot hold, or is not read, is named.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use nalgebra::{Isometry3, Vector3};

use super::document::{Document, Geometry, JointElement, JointType, LinkElement, Reader, ShapeElement};
use super::inertial::{ActuatorKind, Inertial, JointDynamics};
use super::options::{File, RobotFileError, Shapes, UrdfOptions};
use super::shapes::circumscribed;
use super::{Robot, joints, urdf_text};
use crate::geometry::read::correction::Correction;
use crate::geometry::read::error::FileError;
use crate::geometry::read::xml;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::kinematics::articulation::joint::{Joint, JointKind, Mimic};
use crate::kinematics::format::{RobotFormat, robot_format};
use crate::kinematics::mjcf;
use crate::kinematics::robot::parse_robot;
use crate::kinematics::srdf::escaped;

/// Names of the meshes of a robot that is written.
pub trait MeshNames {
    /// Name of a mesh file, given as the robot's file names it.
    fn of_file(&mut self, filename: &str) -> String;

    /// Writes a mesh that has no file, or none that URDF can name, and returns its name.
    ///
    /// # Errors
    /// That of writing it.
    fn of_mesh(&mut self, link: &str, mesh: &TriangleMesh) -> Result<String, FileError>;
}

/// A robot as URDF.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenRobot {
    /// The file.
    pub text: String,
    /// The robot as it was read, with its corrections.
    pub robot: Robot,
    /// Content of the robot that the file does not hold.
    pub lost: Vec<String>,
}

/// The robot in the content of a file, in URDF, xacro or MJCF, as URDF. Masses are corrected and completed, and meshes keep their
/// files.
///
/// # Errors
/// [`RobotFileError`] when the robot cannot be read, or a mesh cannot be written.
pub fn robot_as_urdf<N: MeshNames>(
    text: &str,
    path: &Path,
    options: &UrdfOptions,
    names: &mut N,
) -> Result<WrittenRobot, RobotFileError> {
    let of = |shapes| UrdfOptions { shapes, sound_masses: true, ..options.clone() };
    let robot = parse_robot(text, path, &of(Shapes::Collision))?;
    let (collision, lost) = document_of(text, path, &of(Shapes::Collision))?;
    let (visual, _) = document_of(text, path, &of(Shapes::Visual))?;
    let mut writer = Writer { path, text: String::new(), lost, names };
    writer.robot(&robot, [&collision, &visual])?;
    let Writer { text, lost, .. } = writer;
    Ok(WrittenRobot { text, robot, lost })
}

/// The links and joints of a file with their shapes, and what is not read of it.
fn document_of(
    text: &str,
    path: &Path,
    options: &UrdfOptions,
) -> Result<(Document, Vec<String>), RobotFileError> {
    let reach = &options.reach(path);
    if matches!(robot_format(text), Ok((RobotFormat::Mjcf, _))) {
        // What is not read is among the corrections.
        let file = File { path, text, reach };
        return Ok((mjcf::read(&file, options)?.0, Vec::new()));
    }
    let expanded = urdf_text(text, path, options)?;
    let file = File { path, text: &expanded, reach };
    let (document, _) = Reader::read(&file, options)?;
    Ok((document, unread(&expanded)))
}

/// Elements that are read, with the elements in which they are; those in others are part of these.
const READ: [(&str, &[&str]); 5] = [
    ("robot", &["link", "joint", "transmission", "ros2_control"]),
    ("link", &["inertial", "visual", "collision"]),
    ("joint", &["origin", "parent", "child", "axis", "limit", "dynamics", "mimic"]),
    ("visual", &["origin", "geometry"]),
    ("collision", &["origin", "geometry"]),
];

/// Elements of a file that are not read, counted by name.
fn unread(text: &str) -> Vec<String> {
    let Ok(text) = xml::prepared(text) else { return Vec::new() };
    let Ok(document) = xml::parsed(&text) else { return Vec::new() };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for parent in document.descendants().filter(roxmltree::Node::is_element) {
        let Some((_, read)) = READ.iter().find(|(name, _)| *name == parent.tag_name().name()) else {
            continue;
        };
        for child in parent.children().filter(roxmltree::Node::is_element) {
            let name = child.tag_name().name();
            if !read.contains(&name) {
                *counts.entry(format!("<{name}> of <{}>", parent.tag_name().name())).or_default() += 1;
            }
        }
    }
    counts
        .into_iter()
        .map(|(name, count)| if count == 1 { name } else { format!("{name}, {count} times") })
        .collect()
}

struct Writer<'a, N> {
    /// The file that was read.
    path: &'a Path,
    text: String,
    lost: Vec<String>,
    names: &'a mut N,
}

impl<N: MeshNames> Writer<'_, N> {
    fn robot(&mut self, robot: &Robot, [collision, visual]: [&Document; 2]) -> Result<(), RobotFileError> {
        let _ = writeln!(self.text, "<?xml version=\"1.0\"?>\n<robot name=\"{}\">", escaped(&robot.name));
        for (index, link) in collision.links.iter().enumerate() {
            let inertial = robot.inertials.get(index).copied().flatten();
            self.link(link, visual.links.get(index), inertial.as_ref())?;
        }
        for joint in &collision.joints {
            self.joint(joint);
        }
        for joint in &collision.joints {
            self.transmission(joint);
        }
        if !robot.sensors.is_empty() {
            self.lost.push(format!("{} sensors, which URDF does not know", robot.sensors.len()));
        }
        let springs = robot.dynamics.iter().filter(|joint| joint.spring.is_some()).count();
        if springs > 0 {
            self.lost.push(format!("the springs of {springs} joints"));
        }
        let compensated = robot.compensations.iter().filter(|fraction| fraction.abs() > 0.0).count();
        if compensated > 0 {
            self.lost.push(format!("the compensation of the weight of {compensated} links"));
        }
        if !robot.exempt.is_empty() {
            let count = robot.exempt.len();
            self.lost.push(format!("{count} pairs of links that are allowed to collide; `extricate convert IN OUT.srdf` writes them"));
        }
        if !robot.closures.is_empty() {
            let count = robot.closures.len();
            self.lost.push(format!("{count} loops that close between links: URDF has only trees"));
        }
        self.text.push_str("</robot>\n");
        Ok(())
    }

    fn link(
        &mut self,
        link: &LinkElement,
        visual: Option<&LinkElement>,
        inertial: Option<&Inertial>,
    ) -> Result<(), RobotFileError> {
        let _ = writeln!(self.text, "  <link name=\"{}\">", escaped(&link.name));
        if let Some(Inertial { mass, center, inertia }) = inertial {
            let [x, y, z] = (*center).into();
            let [xx, xy, xz, yy, yz, zz] =
                [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|at| inertia[at]);
            let _ = writeln!(
                self.text,
                "    <inertial>\n      <origin xyz=\"{x} {y} {z}\"/>\n      <mass value=\"{mass}\"/>\n      \
                 <inertia ixx=\"{xx}\" ixy=\"{xy}\" ixz=\"{xz}\" iyy=\"{yy}\" iyz=\"{yz}\" izz=\"{zz}\"/>\n    </inertial>"
            );
        }
        for (kind, element) in [("visual", visual), ("collision", Some(link))] {
            for shape in element.iter().flat_map(|element| &element.shapes) {
                self.shape(kind, &link.name, shape)?;
            }
        }
        self.text.push_str("  </link>\n");
        Ok(())
    }

    /// Writes a mesh and returns its name.
    fn mesh(&mut self, link: &str, mesh: &TriangleMesh) -> Result<String, RobotFileError> {
        self.names.of_mesh(link, mesh).map_err(|source| RobotFileError::MeshNotWritten {
            path: self.path.to_owned(),
            link: link.to_owned(),
            source: Box::new(source),
        })
    }

    fn shape(&mut self, kind: &str, link: &str, shape: &ShapeElement) -> Result<(), RobotFileError> {
        let ball = |radius: f64| format!("<sphere radius=\"{radius}\"/>");
        let cylinder =
            |radius: f64, length: f64| format!("<cylinder radius=\"{radius}\" length=\"{length}\"/>");
        let geometry = match &shape.geometry {
            Geometry::Box { size: [x, y, z] } => format!("<box size=\"{x} {y} {z}\"/>"),
            Geometry::Cylinder { radius, length } => cylinder(*radius, *length),
            Geometry::Sphere { radius } => ball(*radius),
            Geometry::Capsule { radius, length } => {
                for end in [-0.5, 0.5] {
                    let pose = shape.pose * Isometry3::translation(0.0, 0.0, end * length);
                    self.element(kind, &pose, &ball(*radius));
                }
                cylinder(*radius, *length)
            }
            Geometry::Mesh { filename, scale } => {
                let name = escaped(&self.names.of_file(filename));
                let scale = scale.map(|[x, y, z]| format!(" scale=\"{x} {y} {z}\"")).unwrap_or_default();
                format!("<mesh filename=\"{name}\"{scale}/>")
            }
            Geometry::Loaded(mesh) => {
                let name = escaped(&self.mesh(link, mesh)?);
                format!("<mesh filename=\"{name}\"/>")
            }
            ellipsoid @ Geometry::Ellipsoid { .. } => {
                self.lost
                    .push(format!("the ellipsoid of link \"{link}\", which becomes a mesh that contains it"));
                let Ok(mesh) = circumscribed(ellipsoid) else { return Ok(()) };
                let name = escaped(&self.mesh(link, &mesh)?);
                format!("<mesh filename=\"{name}\"/>")
            }
            Geometry::Plane => {
                self.lost.push(format!("the plane of link \"{link}\", which URDF does not know"));
                return Ok(());
            }
        };
        self.element(kind, &shape.pose, &geometry);
        Ok(())
    }

    fn element(&mut self, kind: &str, pose: &Isometry3<f64>, geometry: &str) {
        let origin = origin(pose, 6);
        let _ =
            writeln!(self.text, "    <{kind}>\n{origin}      <geometry>{geometry}</geometry>\n    </{kind}>");
    }

    /// Writes the kind of the motor of a joint.
    fn transmission(&mut self, joint: &JointElement) {
        let interface = match joint.dynamics.actuator {
            Some(ActuatorKind::Position) => "Position",
            Some(ActuatorKind::Velocity) => "Velocity",
            Some(ActuatorKind::Effort) => "Effort",
            None => return,
        };
        let name = escaped(&joint.name);
        let _ = writeln!(
            self.text,
            "  <transmission name=\"{name}_transmission\">\n    \
             <type>transmission_interface/SimpleTransmission</type>\n    \
             <joint name=\"{name}\"><hardwareInterface>hardware_interface/{interface}JointInterface</hardwareInterface></joint>\n    \
             <actuator name=\"{name}_motor\"><mechanicalReduction>1</mechanicalReduction></actuator>\n  </transmission>"
        );
    }

    fn joint(&mut self, joint: &JointElement) {
        let lose = |what: &str| format!("{what} of joint \"{}\", which URDF does not know", joint.name);
        if joint.rest.abs() > 0.0 {
            self.lost.push(lose("the value at rest"));
        }
        if joint.dynamics.servo.is_some() {
            self.lost.push(lose("the servo"));
        }
        if joint.dynamics.armature > 0.0 {
            self.lost.push(lose("the armature"));
        }
        if joint.kind == JointType::Spherical {
            // As it is read: three joints with links between them.
            self.lost.push(format!(
                "joint \"{}\" as one: it is spherical, and becomes three continuous ones",
                joint.name
            ));
            let (mut links, mut chain) = (Vec::new(), Vec::new());
            joints::add(joint, &mut links, &mut chain);
            for link in links {
                let _ = writeln!(self.text, "  <link name=\"{}\"/>", escaped(&link));
            }
            for Joint { name, parent, child, origin, kind, .. } in &chain {
                let JointKind::Revolute { axis } = kind else { continue };
                self.one_joint((name, "continuous"), [parent, child], origin, (axis, None));
                self.text.push_str("  </joint>\n");
            }
            return;
        }
        let kind = match joint.kind {
            // URDF demands limits of the former.
            JointType::Revolute if joint.limits.is_none() => JointType::Continuous,
            kind => kind,
        };
        let kind = JointType::ALL.iter().find(|(_, other)| *other == kind).map_or("fixed", |(name, _)| name);
        self.one_joint(
            (&joint.name, kind),
            [&joint.parent, &joint.child],
            &joint.origin,
            (&joint.axis, Some(joint)),
        );
        if let Some(Mimic { joint, factor, offset }) = &joint.mimic {
            let joint = escaped(joint);
            let _ = writeln!(
                self.text,
                "    <mimic joint=\"{joint}\" multiplier=\"{factor}\" offset=\"{offset}\"/>"
            );
        }
        self.text.push_str("  </joint>\n");
    }

    /// Writes a joint up to its mimic, without its end.
    fn one_joint(
        &mut self,
        (name, kind): (&str, &str),
        ends: [&String; 2],
        pose: &Isometry3<f64>,
        (axis, joint): (&Vector3<f64>, Option<&JointElement>),
    ) {
        let [name, parent, child] = [name, ends[0], ends[1]].map(escaped);
        let origin = origin(pose, 4);
        let _ = write!(
            self.text,
            "  <joint name=\"{name}\" type=\"{kind}\">\n{origin}    <parent link=\"{parent}\"/>\n    <child link=\"{child}\"/>\n"
        );
        if !["fixed", "floating"].contains(&kind) {
            let _ = writeln!(self.text, "    <axis xyz=\"{} {} {}\"/>", axis.x, axis.y, axis.z);
        }
        let Some(joint) = joint else { return };
        let JointDynamics { damping, friction, effort, speed, .. } = joint.dynamics;
        let limits = match kind {
            "prismatic" => Some(joint.limits.unwrap_or([-FREE, FREE])),
            _ => joint.limits,
        };
        if limits.is_some() || effort.is_some() || speed.is_some() {
            let range = limits.map(|[lower, upper]| format!("lower=\"{lower}\" upper=\"{upper}\" "));
            let (effort, speed) = (effort.unwrap_or(0.0), speed.unwrap_or(0.0));
            let range = range.unwrap_or_default();
            let _ = writeln!(self.text, "    <limit {range}effort=\"{effort}\" velocity=\"{speed}\"/>");
        }
        if damping > 0.0 || friction > 0.0 {
            let _ = writeln!(self.text, "    <dynamics damping=\"{damping}\" friction=\"{friction}\"/>");
        }
    }
}

/// Limit of a sliding joint without limits [m], because URDF demands some: beyond all robots.
const FREE: f64 = 1e6;

/// The element of a pose, indented; empty for the identity.
fn origin(pose: &Isometry3<f64>, indent: usize) -> String {
    if *pose == Isometry3::identity() {
        return String::new();
    }
    let [x, y, z] = pose.translation.vector.into();
    let (roll, pitch, yaw) = pose.rotation.euler_angles();
    format!("{:indent$}<origin xyz=\"{x} {y} {z}\" rpy=\"{roll} {pitch} {yaw}\"/>\n", "")
}

impl WrittenRobot {
    /// Corrections that were made while the robot was read.
    #[must_use]
    pub fn corrections(&self) -> &[Correction] {
        &self.robot.corrections
    }
}
