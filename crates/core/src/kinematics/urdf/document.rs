//! The elements of a URDF file, read leniently.
//!
//! Of duplicates of an element that may occur once the first is used, as by urdfdom. Elements that are not needed are
//! ignored. An invalid element becomes a [`Correction`], or an error where the options are strict.

use std::collections::HashMap;
use std::sync::Arc;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use roxmltree::Node;

use super::inertial::{Inertial, JointDynamics, rotated};
use super::limits;
use super::options::{File, RobotFileError, Shapes, UrdfOptions};
use crate::geometry::read::correction::Correction;
use crate::geometry::read::xml::{self, Lines, elements, number, number_or, numbers};
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::kinematics::articulation::joint::Mimic;
use crate::kinematics::closure::ClosureElement;
use crate::kinematics::named::NamedConfiguration;
use crate::kinematics::sensor::Sensor;

/// Content of a robot's file.
pub(in crate::kinematics) struct Document {
    pub(in crate::kinematics) name: String,
    pub(in crate::kinematics) links: Vec<LinkElement>,
    pub(in crate::kinematics) joints: Vec<JointElement>,
    /// Pairs of links that the file exempts from collision.
    pub(in crate::kinematics) exempt: Vec<[String; 2]>,
    /// Named configurations of the file.
    pub(in crate::kinematics) configurations: Vec<NamedConfiguration>,
    /// Loops between links.
    pub(in crate::kinematics) closures: Vec<ClosureElement>,
    /// Sensors of the file.
    pub(in crate::kinematics) sensors: Vec<Sensor>,
}

impl Document {
    /// The lines of links and joints by name; of a duplicate name, that of the first.
    pub(in crate::kinematics) fn lines(&self) -> HashMap<String, usize> {
        let links = self.links.iter().map(|link| (link.name.clone(), link.line));
        let joints = self.joints.iter().map(|joint| (joint.name.clone(), joint.line));
        links.chain(joints).collect::<Vec<_>>().into_iter().rev().collect()
    }

    /// Checks the numbers of links, joints and shapes against the [`limits`].
    pub(in crate::kinematics) fn check_counts(&self, file: &File<'_>) -> Result<(), RobotFileError> {
        let counts = [
            ("links", self.links.len(), limits::LINKS),
            ("joints", self.joints.len(), limits::LINKS),
            ("shapes", self.links.iter().map(|link| link.shapes.len()).sum(), limits::SHAPES),
        ];
        for (what, count, max) in counts {
            if count > max {
                return Err(file.content(None, format!("it has {count} {what}, more than {max}")));
            }
        }
        Ok(())
    }
}

/// A link, with its shapes of the selected kind.
pub(in crate::kinematics) struct LinkElement {
    pub(in crate::kinematics) name: String,
    pub(in crate::kinematics) line: usize,
    /// The mass; none where the file states none, or nothing but zeros.
    pub(in crate::kinematics) inertial: Option<Inertial>,
    /// Fraction of its weight that a force at its centre of mass bears.
    pub(in crate::kinematics) compensation: f64,
    /// Whether it is the world around the robot.
    pub(in crate::kinematics) is_world: bool,
    pub(in crate::kinematics) shapes: Vec<ShapeElement>,
}

/// A shape in its link.
pub(in crate::kinematics) struct ShapeElement {
    pub(in crate::kinematics) line: usize,
    pub(in crate::kinematics) pose: Isometry3<f64>,
    pub(in crate::kinematics) geometry: Geometry,
}

/// Geometry of a shape; lengths in metres.
pub(in crate::kinematics) enum Geometry {
    Box {
        size: [f64; 3],
    },
    Cylinder {
        radius: f64,
        length: f64,
    },
    Capsule {
        radius: f64,
        length: f64,
    },
    Sphere {
        radius: f64,
    },
    Mesh {
        filename: String,
        scale: Option<[f64; 3]>,
    },
    Ellipsoid {
        radii: [f64; 3],
    },
    /// A mesh that has been read already [m].
    Loaded(Arc<TriangleMesh>),
    /// The half-space below the plane z = 0.
    Plane,
}

impl Geometry {
    /// Message about a size that is zero, if one is without which there is no shape.
    pub(in crate::kinematics) fn missing_size(&self) -> Option<String> {
        let is_zero = |size: f64| size.abs() <= 0.0;
        match *self {
            Self::Box { size: [x, y, z] } if [x, y, z].into_iter().any(is_zero) => {
                Some(format!("the box has the edges {x}, {y} and {z} m"))
            }
            Self::Ellipsoid { radii: [x, y, z] } if [x, y, z].into_iter().any(is_zero) => {
                Some(format!("the ellipsoid has the radii {x}, {y} and {z} m"))
            }
            Self::Sphere { radius } | Self::Capsule { radius, .. } if is_zero(radius) => {
                Some("the radius is zero".to_owned())
            }
            Self::Cylinder { radius, length } if is_zero(radius) || is_zero(length) => {
                Some(format!("the cylinder has the radius {radius} m and the length {length} m"))
            }
            _ => None,
        }
    }
}

/// A joint.
pub(in crate::kinematics) struct JointElement {
    pub(in crate::kinematics) name: String,
    pub(in crate::kinematics) line: usize,
    pub(in crate::kinematics) kind: JointType,
    pub(in crate::kinematics) origin: Isometry3<f64>,
    pub(in crate::kinematics) parent: String,
    pub(in crate::kinematics) child: String,
    pub(in crate::kinematics) axis: Vector3<f64>,
    /// Lower and upper [rad or m]; none where the joint moves freely.
    pub(in crate::kinematics) limits: Option<[f64; 2]>,
    pub(in crate::kinematics) dynamics: JointDynamics,
    pub(in crate::kinematics) mimic: Option<Mimic>,
    /// Value in the pose of the file [rad or m].
    pub(in crate::kinematics) rest: f64,
}

/// The kinds of joints that URDF has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kinematics) enum JointType {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Floating,
    Planar,
    Spherical,
}

impl JointType {
    pub(super) const ALL: [(&'static str, Self); 7] = [
        ("revolute", Self::Revolute),
        ("continuous", Self::Continuous),
        ("prismatic", Self::Prismatic),
        ("fixed", Self::Fixed),
        ("floating", Self::Floating),
        ("planar", Self::Planar),
        ("spherical", Self::Spherical),
    ];
}

/// Message about an invalid element.
type Cause = String;

/// Reads the elements of a file.
pub(in crate::kinematics) struct Reader<'a> {
    file: &'a File<'a>,
    options: &'a UrdfOptions,
    lines: Lines,
    /// Major and minor version of the format.
    version: [u32; 2],
    /// The link, joint or other part that is being read.
    pub(super) part: String,
    corrections: Vec<Correction>,
}

impl<'a> Reader<'a> {
    /// The robot of a file, and the corrections made.
    pub(in crate::kinematics) fn read(
        file: &'a File<'a>,
        options: &'a UrdfOptions,
    ) -> Result<(Document, Vec<Correction>), RobotFileError> {
        let refused = |(line, cause): xml::Refusal| file.content(line, cause);
        let text = xml::prepared(file.text).map_err(refused)?;
        let document = xml::parsed(&text).map_err(refused)?;
        let lines = Lines::of(&text);
        let root = document.root_element();
        check_expanded(root).map_err(|(node, cause)| file.content(Some(lines.line(node)), cause))?;
        let version = version(root);
        let mut reader =
            Reader { file, options, lines, version, part: String::new(), corrections: Vec::new() };
        let document = reader.robot(root)?;
        Ok((document, reader.corrections))
    }

    fn robot(&mut self, root: Node<'_, '_>) -> Result<Document, RobotFileError> {
        let name = root.attribute("name").unwrap_or_default().to_owned();
        let links = elements(root, "link").enumerate().map(|(at, link)| self.link(at, link));
        let links = links.collect::<Result<Vec<_>, _>>()?;
        if links.is_empty() {
            return Err(self.file.content(Some(self.lines.line(root)), "the robot has no links".to_owned()));
        }
        let joints = elements(root, "joint").map(|joint| self.joint(joint));
        let mut joints = joints.collect::<Result<Vec<_>, _>>()?;
        // Kinematics needs no motors.
        self.controlled_mimics(root, &mut joints)?;
        let mut sensors = Vec::new();
        if self.options.sound_masses {
            self.transmissions(root, &mut joints)?;
            sensors = self.ros2_control(root, &links, &mut joints)?;
        }
        Ok(Document {
            name,
            links,
            joints,
            exempt: Vec::new(),
            configurations: Vec::new(),
            closures: Vec::new(),
            sensors,
        })
    }

    fn link(&mut self, at: usize, link: Node<'_, '_>) -> Result<LinkElement, RobotFileError> {
        let line = self.lines.line(link);
        let name = if let Some(name) = link.attribute("name") {
            self.part = format!("link \"{name}\"");
            name.to_owned()
        } else {
            self.part = format!("link {}", at + 1);
            let name = format!("unnamed{at}");
            self.correct(link, "it has no name".to_owned(), format!("it is called \"{name}\""))?;
            name
        };
        let inertial = self.inertial(link)?;
        let kind = match self.options.shapes {
            Shapes::Collision => "collision",
            Shapes::Visual => "visual",
        };
        let mut shapes = Vec::new();
        for shape in elements(link, kind) {
            shapes.extend(self.shape(shape)?);
        }
        Ok(LinkElement { name, line, inertial, compensation: 0.0, is_world: false, shapes })
    }

    fn inertial(&mut self, link: Node<'_, '_>) -> Result<Option<Inertial>, RobotFileError> {
        let Some(inertial) = self.only(link, "inertial")? else { return Ok(None) };
        match self.stated_inertial(inertial) {
            Ok(stated) => Ok(stated),
            // Kinematics needs no masses.
            Err(_) if !self.options.sound_masses => Ok(None),
            Err(wrong) => {
                self.correct(inertial, wrong, "<inertial> is ignored".to_owned())?;
                Ok(None)
            }
        }
    }

    fn stated_inertial(&self, inertial: Node<'_, '_>) -> Result<Option<Inertial>, Cause> {
        let child = |name: &str| elements(inertial, name).next();
        let mass = child("mass").ok_or("<inertial> has no <mass>")?;
        let mass = number(mass, "value")?;
        let tensor = child("inertia").ok_or("<inertial> has no <inertia>")?;
        let mut moments = [0.0; 6];
        for (moment, name) in moments.iter_mut().zip(["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]) {
            *moment = number(tensor, name)?;
        }
        if mass.abs() <= 0.0 && moments.iter().all(|moment| moment.abs() <= 0.0) {
            return Ok(None);
        }
        Ok(Some(rotated(mass, moments, &self.pose(child("origin"))?)))
    }

    /// A shape; none of one that has no size, or no geometry.
    fn shape(&mut self, shape: Node<'_, '_>) -> Result<Option<ShapeElement>, RobotFileError> {
        const LEFT_OUT: &str = "the shape is left out";
        let origin = self.only(shape, "origin")?;
        let pose = self.pose(origin).map_err(|wrong| self.refused(shape, wrong))?;
        let geometry = self.only(shape, "geometry")?;
        let is_known = |node: &Node<'_, '_>| GEOMETRIES.contains(&node.tag_name().name());
        let Some(geometry) = geometry.and_then(|geometry| geometry.children().find(is_known)) else {
            let found = format!("a shape has no geometry; known are {}", GEOMETRIES.join(", "));
            self.correct(shape, found, LEFT_OUT.to_owned())?;
            return Ok(None);
        };
        let read = geometry_of(geometry).map_err(|wrong| self.refused(geometry, wrong))?;
        let flaw = read.as_ref().map_or(Some("the mesh has no file name".to_owned()), Geometry::missing_size);
        if let Some(flaw) = flaw {
            self.correct(geometry, flaw, LEFT_OUT.to_owned())?;
            return Ok(None);
        }
        let line = self.lines.line(geometry);
        Ok(read.map(|geometry| ShapeElement { line, pose, geometry }))
    }

    fn joint(&mut self, joint: Node<'_, '_>) -> Result<JointElement, RobotFileError> {
        let name = joint.attribute("name").unwrap_or_default().to_owned();
        self.part = format!("joint \"{name}\"");
        let line = self.lines.line(joint);
        let wrong = |reader: &Self, wrong: &str| Err(reader.refused(joint, wrong.to_owned()));
        if joint.attribute("name").is_none() {
            return Err(self.file.content(Some(line), "a joint has no name".to_owned()));
        }
        let Some(kind) = joint.attribute("type") else { return wrong(self, "it has no `type`") };
        let Some(&(_, kind)) = JointType::ALL.iter().find(|(name, _)| *name == kind.trim()) else {
            let known = JointType::ALL.map(|(name, _)| name).join(", ");
            return wrong(self, &format!("unknown joint type \"{kind}\"; known are {known}"));
        };
        let [parent, child] = [self.only(joint, "parent")?, self.only(joint, "child")?]
            .map(|end| end.and_then(|end| end.attribute("link")).map(str::to_owned));
        let Some(parent) = parent else { return wrong(self, "it has no <parent link=…>") };
        let Some(child) = child else { return wrong(self, "it has no <child link=…>") };
        let origin = self.only(joint, "origin")?;
        let origin = self.pose(origin).map_err(|wrong| self.refused(joint, wrong))?;
        let axis = self.only(joint, "axis")?.map_or(Ok(None), |axis| numbers(axis, "xyz"));
        let axis = axis.map_err(|wrong| self.refused(joint, wrong))?.unwrap_or([1.0, 0.0, 0.0]).into();
        let (limits, motor) = self.limits(joint, kind)?;
        let dynamics = self.dynamics(joint, motor)?;
        let mimic = self.mimic(joint)?;
        Ok(JointElement { name, line, kind, origin, parent, child, axis, limits, dynamics, mimic, rest: 0.0 })
    }

    /// The limits of a joint, and the maximum force and speed of its motor.
    fn limits(
        &mut self,
        joint: Node<'_, '_>,
        kind: JointType,
    ) -> Result<(Option<[f64; 2]>, [f64; 2]), RobotFileError> {
        let Some(limit) = self.only(joint, "limit")? else { return Ok((None, [0.0; 2])) };
        // Missing attributes are zero, or from version 1.2 on mean no limit.
        let infinite = if self.version >= [1, 2] { f64::INFINITY } else { 0.0 };
        let read =
            |name, otherwise| number_or(limit, name, otherwise).map_err(|wrong| self.refused(limit, wrong));
        let mut limits = [read("lower", -infinite)?, read("upper", infinite)?];
        let motor = [read("effort", infinite)?, read("velocity", infinite)?];
        // Many exporters write a limit of zeros for a joint without limits.
        let is_empty = limits.iter().chain(&motor).all(|number| number.abs() <= 0.0);
        let is_limited = matches!(kind, JointType::Revolute | JointType::Prismatic);
        if !is_limited || is_empty || limits == [f64::NEG_INFINITY, f64::INFINITY] {
            return Ok((None, motor));
        }
        // With strict options the articulation refuses reversed limits, with both values.
        if limits[0] > limits[1] && !self.options.strict {
            let found = format!("the limits are reversed: {} > {}", limits[0], limits[1]);
            limits.reverse();
            self.correct(limit, found, "they are exchanged".to_owned())?;
        }
        Ok((Some(limits), motor))
    }

    /// Damping, friction and motor limits of a joint with one degree of freedom. An effort or velocity of zero counts as none.
    fn dynamics(&mut self, joint: Node<'_, '_>, motor: [f64; 2]) -> Result<JointDynamics, RobotFileError> {
        let [effort, speed] = motor.map(|value| (value > 0.0 && value.is_finite()).then_some(value));
        let mut found = JointDynamics { effort, speed, ..JointDynamics::default() };
        let Some(dynamics) = self.only(joint, "dynamics")? else { return Ok(found) };
        for (name, value) in [("damping", &mut found.damping), ("friction", &mut found.friction)] {
            let flaw = match number_or(dynamics, name, 0.0) {
                Ok(number) if !self.options.sound_masses || number >= 0.0 && number.is_finite() => {
                    *value = number;
                    continue;
                }
                Ok(number) => format!("the {name} is {number}, but must be zero or above"),
                Err(_) if !self.options.sound_masses => continue,
                Err(wrong) => wrong,
            };
            self.correct(joint, flaw, "it is zero".to_owned())?;
        }
        Ok(found)
    }

    fn mimic(&mut self, joint: Node<'_, '_>) -> Result<Option<Mimic>, RobotFileError> {
        let Some(mimic) = self.only(joint, "mimic")? else { return Ok(None) };
        let read =
            |name, otherwise| number_or(mimic, name, otherwise).map_err(|wrong| self.refused(mimic, wrong));
        let Some(other) = mimic.attribute("joint") else {
            return Err(self.refused(mimic, "<mimic> lacks `joint`".to_owned()));
        };
        let (factor, offset) = (read("multiplier", 1.0)?, read("offset", 0.0)?);
        Ok(Some(Mimic { joint: other.to_owned(), factor, offset }))
    }

    /// The pose of an `<origin>`: fixed-axis roll, pitch, yaw [rad], then the position [m].
    fn pose(&self, origin: Option<Node<'_, '_>>) -> Result<Isometry3<f64>, Cause> {
        let Some(origin) = origin else { return Ok(Isometry3::identity()) };
        let position = numbers(origin, "xyz")?.unwrap_or([0.0; 3]);
        check_lengths(origin, "xyz", &position)?;
        let quaternion = if self.version >= [1, 1] { numbers::<4>(origin, "quat_xyzw")? } else { None };
        let rotation = match quaternion {
            // A quaternion of norm zero means no rotation, as for urdfdom.
            Some([x, y, z, w]) => {
                UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 0.0).unwrap_or_default()
            }
            None => {
                let [roll, pitch, yaw] = numbers(origin, "rpy")?.unwrap_or([0.0; 3]);
                UnitQuaternion::from_euler_angles(roll, pitch, yaw)
            }
        };
        Ok(Isometry3::from_parts(Translation3::from(Vector3::from(position)), rotation))
    }

    /// The child element of a name that may occur once.
    fn only<'n, 'i>(
        &mut self,
        parent: Node<'n, 'i>,
        name: &str,
    ) -> Result<Option<Node<'n, 'i>>, RobotFileError> {
        let mut found = elements(parent, name);
        let first = found.next();
        if let Some(second) = found.next() {
            self.correct(second, format!("duplicate <{name}>"), "the first one is used".to_owned())?;
        }
        Ok(first)
    }

    /// Records a correction, or refuses it where the options are strict.
    pub(super) fn correct(
        &mut self,
        node: Node<'_, '_>,
        found: String,
        became: String,
    ) -> Result<(), RobotFileError> {
        if self.options.strict {
            return Err(self.refused(node, found));
        }
        let (path, line, part) = (self.file.path.to_owned(), self.lines.line(node), self.part.clone());
        self.corrections.push(Correction { path, line, part, found, became });
        Ok(())
    }

    fn refused(&self, node: Node<'_, '_>, wrong: Cause) -> RobotFileError {
        self.file.content(Some(self.lines.line(node)), format!("{}: {wrong}", self.part))
    }
}

/// Refuses expressions of xacro that are not expanded, at the element that holds one.
fn check_expanded<'a, 'i>(root: Node<'a, 'i>) -> Result<(), (Node<'a, 'i>, String)> {
    let read = root.children().filter(|node| matches!(node.tag_name().name(), "link" | "joint"));
    for node in read.flat_map(|node| node.descendants()) {
        if let Some(left) =
            node.attributes().find(|own| own.value().contains("$(") || own.value().contains("${"))
        {
            let (name, value) = (left.name(), left.value());
            let cause = format!(
                "this is xacro, a template of a robot, and not fully expanded: `{name}` is \"{value}\"; \
                 expand first: xacro FILE > FILE.urdf"
            );
            return Err((node, cause));
        }
    }
    Ok(())
}

/// The version of the format; 1.0 where none is stated, or none that makes sense, as for urdfdom.
fn version(robot: Node<'_, '_>) -> [u32; 2] {
    let stated = robot.attribute("version").and_then(|version| {
        let (major, minor) = version.trim().split_once('.')?;
        Some([major.parse().ok()?, minor.parse().ok()?])
    });
    stated.unwrap_or([1, 0])
}

/// Refuses lengths that are not numbers, or so large that computations with them would overflow.
fn check_lengths(node: Node<'_, '_>, name: &str, lengths: &[f64]) -> Result<(), Cause> {
    let is_within = |length: &&f64| length.abs() <= limits::LENGTH;
    match lengths.iter().find(|length| !is_within(length)) {
        None => Ok(()),
        Some(length) => {
            let (node, max) = (node.tag_name().name(), limits::LENGTH);
            Err(format!(
                "`{name}` of <{node}> has the length {length:e} m; accepted are lengths up to {max:e} m"
            ))
        }
    }
}

/// Names of the elements that are geometries.
const GEOMETRIES: [&str; 5] = ["box", "cylinder", "capsule", "sphere", "mesh"];

/// The geometry of one of the [`GEOMETRIES`]; none of a mesh without a file name.
fn geometry_of(node: Node<'_, '_>) -> Result<Option<Geometry>, Cause> {
    let length = |name: &str| {
        let length = number(node, name)?;
        check_lengths(node, name, &[length]).map(|()| length)
    };
    Ok(Some(match node.tag_name().name() {
        "box" => {
            let size = numbers(node, "size")?.ok_or("<box> lacks `size`")?;
            check_lengths(node, "size", &size)?;
            Geometry::Box { size }
        }
        "cylinder" => Geometry::Cylinder { radius: length("radius")?, length: length("length")? },
        "capsule" => Geometry::Capsule { radius: length("radius")?, length: length("length")? },
        "sphere" => Geometry::Sphere { radius: length("radius")? },
        _ => {
            let filename = node.attribute("filename").map(str::trim).unwrap_or_default();
            if filename.is_empty() {
                return Ok(None);
            }
            let scale = numbers(node, "scale")?;
            check_lengths(node, "scale", scale.as_ref().map_or(&[][..], |scale| &scale[..]))?;
            Geometry::Mesh { filename: filename.to_owned(), scale }
        }
    }))
}
