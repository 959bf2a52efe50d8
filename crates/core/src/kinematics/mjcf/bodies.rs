//! Bodies: links with their joints, masses and shapes.

use std::collections::HashMap;

use nalgebra::{Isometry3, Translation3, Vector3};

use super::compiler::Compiler;
use super::defaults::{Defaults, Filled, MAIN, PARAMETERS};
use super::element::Element;
use super::geom::Geom;
use super::mass::{moved, scaled};
use super::mesh::Meshes;
use super::names::Names;
use super::skipped::Skipped;
use crate::geometry::read::correction::Correction;
use crate::kinematics::closure::ClosureElement;
use crate::kinematics::urdf::document::{Geometry, JointElement, JointType, LinkElement, ShapeElement};
use crate::kinematics::urdf::inertial::rotated;
use crate::kinematics::urdf::limits::{LINKS, SHAPES};
use crate::kinematics::urdf::{Inertial, JointDynamics, JointSpring, RobotFileError, UrdfOptions};

/// Name of the link that is the world: the root, which bears the geoms of the world.
pub(super) const WORLD: &str = "world";

/// Elements of bodies that are neither shapes nor joints: nothing is lost without them.
const DECORATION: [&str; 2] = ["camera", "light"];

/// The parts of a model that the elements are read with.
pub(super) struct Model<'a> {
    pub(super) root: &'a Element,
    pub(super) defaults: &'a Defaults<'a>,
    pub(super) compiler: &'a Compiler,
    pub(super) options: &'a UrdfOptions,
}

/// Links and joints of the bodies, while they are read.
pub(super) struct Bodies<'a> {
    model: &'a Model<'a>,
    pub(super) meshes: Meshes<'a>,
    link_names: Names,
    joint_names: Names,
    pub(super) links: Vec<LinkElement>,
    /// Masks of the shapes of each link.
    pub(super) masks: Vec<Vec<[i64; 2]>>,
    pub(super) joints: Vec<JointElement>,
    /// Loops between bodies.
    pub(super) closures: Vec<ClosureElement>,
    /// Maximum forces of all actuators of a joint together, by its name.
    pub(super) force_bounds: HashMap<String, f64>,
    /// Body → link of each link.
    pub(super) to_links: Vec<Isometry3<f64>>,
    /// Links of the sites by name, each with the pose of the site in it.
    pub(super) sites: HashMap<&'a str, (usize, Isometry3<f64>)>,
    pub(super) skipped: Skipped<'a>,
    pub(super) corrections: Vec<Correction>,
    shapes: usize,
}

/// The link to which the elements of a body belong.
#[derive(Clone, Copy)]
struct Owner {
    link: usize,
    /// Frame of the elements → body.
    frame: Isometry3<f64>,
    /// Body → link: the frame of a link is that of its last joint.
    to_link: Isometry3<f64>,
    class: usize,
}

/// A joint of a body.
struct BodyJoint<'a> {
    own: Filled<'a>,
    /// Frame of the element → body.
    frame: Isometry3<f64>,
}

impl<'a> Bodies<'a> {
    pub(super) fn read(model: &'a Model<'a>, meshes: Meshes<'a>) -> Result<Self, RobotFileError> {
        let root = model.root;
        let mut bodies = Self {
            model,
            meshes,
            link_names: Names::of(root, "body")?,
            joint_names: Names::of(root, "joint")?,
            links: Vec::new(),
            masks: Vec::new(),
            joints: Vec::new(),
            closures: Vec::new(),
            force_bounds: HashMap::new(),
            to_links: Vec::new(),
            sites: HashMap::new(),
            skipped: Skipped::default(),
            corrections: Vec::new(),
            shapes: 0,
        };
        let link = bodies.link(WORLD.to_owned(), root)?;
        let identity = Isometry3::identity();
        for world in root.each("worldbody") {
            let class = model.defaults.class(world, "childclass", MAIN)?;
            let owner = Owner { link, frame: identity, to_link: identity, class };
            bodies.contents(world, &owner, &mut Vec::new())?;
        }
        if bodies.links.len() == 1 && bodies.shapes == 0 {
            return Err(root.refused("the model has no bodies"));
        }
        bodies.set_total_mass();
        Ok(bodies)
    }

    /// Adds a link without shapes.
    fn link(&mut self, name: String, element: &Element) -> Result<usize, RobotFileError> {
        if self.links.len() == LINKS {
            return Err(element.refused(format!("the model has more than {LINKS} bodies and joints")));
        }
        let (inertial, compensation, shapes) = (None, 0.0, Vec::new());
        let is_world = name == WORLD;
        self.links.push(LinkElement { name, line: element.line, inertial, compensation, is_world, shapes });
        self.masks.push(Vec::new());
        self.to_links.push(Isometry3::identity());
        Ok(self.links.len() - 1)
    }

    fn body(&mut self, body: &'a Element, parent: &Owner) -> Result<(), RobotFileError> {
        let own = self.model.defaults.fill(body, parent.class)?;
        let pose = parent.to_link * parent.frame * self.model.compiler.pose(&own)?;
        let class = self.model.defaults.class(body, "childclass", parent.class)?;
        let name = match body.get("name") {
            Some(WORLD) => return Err(body.refused("the name \"world\" is that of the world itself")),
            Some(name) => name.to_owned(),
            None => self.link_names.fresh("unnamed"),
        };
        if body.get("mocap").is_some_and(|value| !["false", "0"].contains(&value.trim())) {
            self.skipped.attribute(body, "mocap");
        }
        let mut joints = Vec::new();
        self.joints_of(body, Isometry3::identity(), class, &mut joints)?;
        let (link, to_link) = self.connect(name, body, (parent.link, pose), &joints)?;
        self.to_links[link] = to_link;
        let owner = Owner { link, frame: Isometry3::identity(), to_link, class };
        let mut inertials = Vec::new();
        self.contents(body, &owner, &mut inertials)?;
        let inertial = self.inertial(body, &owner, &inertials)?;
        self.links[link].inertial = inertial.map(|own| moved(&own, &to_link));
        if self.model.options.sound_masses {
            self.links[link].compensation = own.number("gravcomp", 0.0)?;
        }
        Ok(())
    }

    /// The joints of a body, and of the frames in it.
    fn joints_of(
        &mut self,
        within: &'a Element,
        frame: Isometry3<f64>,
        class: usize,
        joints: &mut Vec<BodyJoint<'a>>,
    ) -> Result<(), RobotFileError> {
        let defaults = self.model.defaults;
        for child in &within.children {
            match child.name.as_str() {
                "joint" | "freejoint" => joints.push(BodyJoint { own: defaults.fill(child, class)?, frame }),
                "frame" => {
                    let inner = frame * self.model.compiler.pose(&defaults.fill(child, class)?)?;
                    let class = defaults.class(child, "childclass", class)?;
                    self.joints_of(child, inner, class, joints)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds the link of a body and the joints that carry it, with a link between any two of them: at the values q of
    /// the joints, which rotate about their anchors p or slide, its pose is T₀ ∏ pᵢ Jᵢ(qᵢ) pᵢ⁻¹. The frame of the link is
    /// at the last anchor. Returns the link and the pose of the body in it.
    fn connect(
        &mut self,
        name: String,
        body: &'a Element,
        (parent, pose): (usize, Isometry3<f64>),
        joints: &[BodyJoint<'a>],
    ) -> Result<(usize, Isometry3<f64>), RobotFileError> {
        let (mut parent, mut before) = (parent, pose);
        let Some(last) = joints.len().checked_sub(1) else {
            let joint = self.joint_names.fresh(&format!("{name}/fixed"));
            let link = self.link(name, body)?;
            self.joints.push(JointElement {
                name: joint,
                line: body.line,
                kind: JointType::Fixed,
                origin: before,
                parent: self.links[parent].name.clone(),
                child: self.links[link].name.clone(),
                axis: Vector3::x(),
                limits: None,
                dynamics: JointDynamics::default(),
                mimic: None,
                rest: 0.0,
            });
            return Ok((link, Isometry3::identity()));
        };
        for (index, joint) in joints.iter().enumerate() {
            let fresh = |names: &mut Names| names.fresh(&format!("{name}/joint"));
            let stated = joint.own.element.get("name").map(str::to_owned);
            let own_name = stated.unwrap_or_else(|| fresh(&mut self.joint_names));
            let child = match index == last {
                true => name.clone(),
                false => self.link_names.fresh(&format!("{name}/{own_name}")),
            };
            let link = self.link(child, body)?;
            let (made, anchor) = self.joint(joint, own_name)?;
            let ends = [parent, link].map(|end| self.links[end].name.clone());
            let [parent_name, child] = ends;
            let origin = before * anchor * made.origin;
            self.joints.push(JointElement { origin, parent: parent_name, child, ..made });
            (parent, before) = (link, anchor.inverse().into());
        }
        Ok((parent, before))
    }

    /// A joint, with the displacement to its reference as its origin, and its anchor in the body.
    fn joint(
        &mut self,
        BodyJoint { own, frame }: &BodyJoint<'a>,
        name: String,
    ) -> Result<(JointElement, Translation3<f64>), RobotFileError> {
        let kind = if own.element.name == "freejoint" { "free" } else { own.get("type").unwrap_or("hinge") };
        let kind = match kind.trim() {
            "hinge" => JointType::Revolute,
            "slide" => JointType::Prismatic,
            "ball" => JointType::Spherical,
            "free" => JointType::Floating,
            other => {
                let cause = format!("unknown type \"{other}\"; known are hinge, slide, ball and free");
                return Err(own.refused(cause));
            }
        };
        let is_angle = kind == JointType::Revolute;
        let value = |value: f64| if is_angle { self.model.compiler.angle(value) } else { value };
        let axis = frame.rotation * Vector3::from(own.numbers("axis")?.unwrap_or([0.0, 0.0, 1.0]));
        let reference = value(own.number("ref", 0.0)?);
        let unit = axis.try_normalize(0.0).ok_or_else(|| own.refused("its axis is zero"))?;
        let position = frame * nalgebra::Point3::from(own.numbers::<3>("pos")?.unwrap_or_default());
        // A value is that of MuJoCo, which is the reference where the body is in the pose of the file.
        let rest = if matches!(kind, JointType::Revolute | JointType::Prismatic) { reference } else { 0.0 };
        let (origin, anchor) = match kind {
            JointType::Revolute => (Isometry3::rotation(-unit * reference), position.coords),
            JointType::Prismatic => (Translation3::from(-unit * reference).into(), Vector3::zeros()),
            JointType::Spherical => (Isometry3::identity(), position.coords),
            _ => (Isometry3::identity(), Vector3::zeros()),
        };
        let limits = self.limits(own, kind, &name)?;
        let limits = limits.map(|limits| limits.map(value));
        let dynamics = self.dynamics(own, kind, &name)?;
        let made = JointElement {
            name,
            line: own.element.line,
            kind,
            origin,
            parent: String::new(),
            child: String::new(),
            axis,
            limits,
            dynamics,
            mimic: None,
            rest,
        };
        Ok((made, anchor.into()))
    }

    /// The limits of a joint in the unit of the file.
    fn limits(
        &mut self,
        own: &Filled<'a>,
        kind: JointType,
        name: &str,
    ) -> Result<Option<[f64; 2]>, RobotFileError> {
        let range = own.numbers::<2>("range")?;
        let is_limited = own.flag("limited").unwrap_or(self.model.compiler.auto_limits && range.is_some());
        let Some(mut limits) = range.filter(|_| is_limited) else { return Ok(None) };
        if !matches!(kind, JointType::Revolute | JointType::Prismatic) {
            self.skipped.note(own.element, "limit", "of a ball or free joint");
            return Ok(None);
        }
        if limits[0] > limits[1] {
            let found = format!("the limits are reversed: {} > {}", limits[0], limits[1]);
            let part = format!("joint \"{name}\"");
            self.corrections.push(own.element.correction(part, found, "they are exchanged"));
            limits.reverse();
        }
        Ok(Some(limits))
    }

    /// Damping, friction and armature of a joint; a linear part of several numbers is the first.
    fn dynamics(
        &mut self,
        own: &Filled<'a>,
        kind: JointType,
        name: &str,
    ) -> Result<JointDynamics, RobotFileError> {
        let is_single = matches!(kind, JointType::Revolute | JointType::Prismatic);
        if self.model.options.sound_masses {
            for attribute in ["stiffness", "springdamper", "armature"] {
                if is_single && ["stiffness", "armature"].contains(&attribute) {
                    continue;
                }
                let value = own.list(attribute, PARAMETERS)?.unwrap_or_default();
                if value.iter().any(|value| value.abs() > 0.0) {
                    self.skipped.attribute(own.element, attribute);
                }
            }
        }
        let range = own.numbers::<2>("actuatorfrcrange")?;
        let is_limited = own.flag("actuatorfrclimited").unwrap_or(self.model.compiler.auto_limits);
        if let Some([low, high]) = range.filter(|_| is_limited && is_single) {
            self.force_bounds.insert(name.to_owned(), low.abs().max(high.abs()));
        }
        if self.model.options.sound_masses && own.flag("actuatorgravcomp") == Some(true) {
            self.skipped.attribute(own.element, "actuatorgravcomp");
        }
        let mut read = |attribute: &str| -> Result<f64, RobotFileError> {
            let value =
                own.list(attribute, PARAMETERS)?.and_then(|list| list.first().copied()).unwrap_or(0.0);
            if value < 0.0 {
                let found = format!("`{attribute}` is {value}, but must be zero or above");
                let part = format!("joint \"{name}\"");
                self.corrections.push(own.element.correction(part, found, "it is zero"));
            }
            Ok(value.max(0.0))
        };
        let (damping, friction) = (read("damping")?, read("frictionloss")?);
        let armature = if is_single { read("armature")? } else { 0.0 };
        let stiffness = if is_single { read("stiffness")? } else { 0.0 };
        let rest = own.number("springref", 0.0)?;
        let rest = if kind == JointType::Revolute { self.model.compiler.angle(rest) } else { rest };
        let spring = (stiffness > 0.0).then_some(JointSpring { stiffness, rest });
        Ok(JointDynamics { damping, friction, spring, armature, ..JointDynamics::default() })
    }

    /// The geoms, bodies and frames within an element; masses of the geoms are appended.
    fn contents(
        &mut self,
        within: &'a Element,
        owner: &Owner,
        inertials: &mut Vec<Inertial>,
    ) -> Result<(), RobotFileError> {
        for child in &within.children {
            let own = self.model.defaults.fill(child, owner.class)?;
            match child.name.as_str() {
                "body" => self.body(child, owner)?,
                "geom" => self.geom(own, owner, inertials)?,
                "frame" => {
                    let frame = owner.frame * self.model.compiler.pose(&own)?;
                    let class = self.model.defaults.class(child, "childclass", owner.class)?;
                    self.contents(child, &Owner { frame, class, ..*owner }, inertials)?;
                }
                "joint" | "freejoint" | "inertial" => {}
                "site" => self.site(child, owner)?,
                name if DECORATION.contains(&name) => {}
                _ => self.skipped.element(child),
            }
        }
        Ok(())
    }

    fn site(&mut self, site: &'a Element, owner: &Owner) -> Result<(), RobotFileError> {
        // Without sensors nothing reads it.
        if let Some(name) = site.get("name").filter(|_| self.model.root.section("sensor").next().is_some()) {
            let pose = self.model.compiler.pose(&self.model.defaults.fill(site, owner.class)?)?;
            self.sites.insert(name, (owner.link, owner.to_link * owner.frame * pose));
        }
        Ok(())
    }

    fn geom(
        &mut self,
        own: Filled<'a>,
        owner: &Owner,
        inertials: &mut Vec<Inertial>,
    ) -> Result<(), RobotFileError> {
        let geom = Geom::of(own, self.model.compiler)?;
        let pose = owner.frame * geom.pose;
        let [low, high] = self.model.compiler.inertia_groups;
        let is_weighed = owner.link > 0 && (low..=high).contains(&(geom.group as f64));
        if is_weighed
            && self.model.options.sound_masses
            && let Some(inertial) = geom.inertial(&mut self.meshes)?
        {
            inertials.push(moved(&inertial, &pose));
        }
        if !geom.is_selected(self.model.options.shapes) {
            return Ok(());
        }
        let geometry = if geom.is_height_field() {
            let Some(mesh) = self.meshes.height_field(&own)? else {
                self.skipped.note(own.element, "height field", "from a picture");
                return Ok(());
            };
            Geometry::Loaded(mesh.into())
        } else {
            geom.geometry(&mut self.meshes)?
        };
        let part = || format!("body \"{}\"", self.links[owner.link].name);
        if let Some(flaw) = geometry.missing_size() {
            self.corrections.push(own.element.correction(part(), flaw, "the shape is left out"));
            return Ok(());
        }
        if geom.is_fitted() {
            let found = "a primitive is to be fitted to a mesh".to_owned();
            self.corrections.push(own.element.correction(part(), found, "the mesh itself is used"));
        }
        self.shapes += 1;
        if self.shapes > SHAPES {
            return Err(own.refused(format!("the model has more than {SHAPES} shapes")));
        }
        let shape = ShapeElement { line: own.element.line, pose: owner.to_link * pose, geometry };
        self.links[owner.link].shapes.push(shape);
        self.masks[owner.link].push(geom.masks);
        Ok(())
    }

    /// The mass of a body: as stated, or the sum of its geoms.
    fn inertial(
        &self,
        body: &'a Element,
        owner: &Owner,
        of_geoms: &[Inertial],
    ) -> Result<Option<Inertial>, RobotFileError> {
        let preference = self.model.compiler.inertia_from_geoms;
        let stated = stated_inertial(self.model, body, Isometry3::identity(), owner.class)?;
        let sum = of_geoms.iter().copied().reduce(|sum, own| sum.joined(&own));
        let own = match preference {
            Some(true) => sum.or(stated),
            Some(false) => stated,
            None => stated.or(sum),
        };
        Ok(own.map(|own| self.model.compiler.bounded(&own)))
    }

    /// Scales all masses to the mass of the whole model that its file sets.
    fn set_total_mass(&mut self) {
        let masses = self.links.iter().filter_map(|link| Some(link.inertial?.mass));
        let sum: f64 = masses.sum();
        if let Some(total) = self.model.compiler.total_mass.filter(|_| sum > 0.0) {
            for inertial in self.links.iter_mut().filter_map(|link| link.inertial.as_mut()) {
                *inertial = scaled(inertial, total / sum);
            }
        }
    }
}

/// The `<inertial>` of a body, which may be in a frame.
fn stated_inertial(
    model: &Model<'_>,
    within: &Element,
    frame: Isometry3<f64>,
    class: usize,
) -> Result<Option<Inertial>, RobotFileError> {
    for child in &within.children {
        let own = model.defaults.fill(child, class)?;
        let pose = || Ok::<_, RobotFileError>(frame * model.compiler.pose(&own)?);
        if child.name == "frame" {
            let found = stated_inertial(model, child, pose()?, class)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        if child.name != "inertial" {
            continue;
        }
        let mass = own.numbers::<1>("mass")?.ok_or_else(|| own.refused("it has no `mass`"))?[0];
        let moments = if let Some([xx, yy, zz, xy, xz, yz]) = own.numbers("fullinertia")? {
            [xx, xy, xz, yy, yz, zz]
        } else {
            let [xx, yy, zz] = own.numbers("diaginertia")?.unwrap_or_default();
            [xx, 0.0, 0.0, yy, 0.0, zz]
        };
        let is_zero = mass.abs() <= 0.0 && moments.iter().all(|moment| moment.abs() <= 0.0);
        return Ok((!is_zero).then(|| rotated(mass, moments, &pose().unwrap_or(frame))));
    }
    Ok(None)
}
