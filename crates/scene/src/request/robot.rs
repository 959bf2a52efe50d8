//! Robots of files in configurations: their links, self-collision, and first contact of their motions.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nalgebra::Isometry3;
use schemars::JsonSchema;
use serde::Deserialize;

use super::context::Context;
use super::fault::{Class, Fault};
use super::library::{SMALL, bytes_of};
use super::poses::{JointFields, Joints};
use super::reply::{Answered, coordinates};
use super::self_collision::LinksAtRest;
use super::time_of_contact::LinkContact;
use extricate_core::geometry::Solidity;
use extricate_core::kinematics::urdf::{Shapes, UrdfOptions};
use extricate_core::kinematics::{Motion, NamedConfiguration, RobotError, named_joints};
use extricate_core::proximity::{
    AllowedCollisions, ArticulatedContact, ArticulatedModel, ArticulatedMotion, ContactPartner,
    ContinuousOptions, Model, MovingObstacle, articulated, articulated_pair,
};
use extricate_core::query::{Part, Posed, Shape};
use extricate_core::suggestion::did_you_mean;

/// Options of robots.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct RobotFields {
    /// Pair of links that may collide; may be given several times. Adjacent links always may.
    #[cfg_attr(feature = "clap", arg(long, value_name = "LINK,LINK", value_parser = two_links))]
    pub allow: Vec<[String; 2]>,
    /// Folder of packages for `package://` paths of a robot; may be given several times.
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    pub package: Vec<PathBuf>,
    /// SRDF file whose pairs of links with disabled collisions may collide.
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub srdf: Option<PathBuf>,
    /// Argument of a robot in xacro; may be given several times.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME=VALUE"))]
    pub xacro_arg: Vec<String>,
    /// Use the visual shapes of a robot instead of its collision shapes.
    #[cfg_attr(feature = "clap", arg(long))]
    pub visual: bool,
    /// Named configuration of the robot, of A where both are robots: a keyframe of MJCF or a group state of SRDF. Joints of a
    /// pose line replace its values.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub at: Option<String>,
    /// Named configuration of B where both are robots.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub b_at: Option<String>,
}

/// A robot with the trees of its links, and its allowed collisions.
#[derive(Debug)]
pub(super) struct Robot {
    /// Its file, as written.
    file: String,
    model: ArticulatedModel,
    /// The shape of each link.
    shapes: Vec<Option<Shape>>,
    allowed: AllowedCollisions,
    configurations: Vec<NamedConfiguration>,
    /// Whether the SRDF file describes it.
    has_srdf: bool,
}

/// Configurations of a robot at the start and at the end of its motion.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JointMotion {
    pub(super) from: Vec<f64>,
    /// End of the motion, if joints move.
    to: Option<Vec<f64>>,
}

/// Parses the names of two links.
///
/// # Errors
/// A message with the accepted form.
pub fn two_links(text: &str) -> Result<[String; 2], String> {
    match text.split_once(',') {
        Some((first, second)) if !first.is_empty() && !second.is_empty() => {
            Ok([first.to_owned(), second.to_owned()])
        }
        _ => Err(String::from("expected the names of two links: LINK,LINK")),
    }
}

/// Parses the arguments of a robot in xacro.
///
/// # Errors
/// A [`Fault`] with the accepted form.
pub(super) fn xacro_arguments(texts: &[String]) -> Result<Vec<(String, String)>, Fault> {
    let parse = |text: &String| {
        // `NAME:=VALUE` is the notation of xacro itself.
        let (name, value) = text.split_once(":=").or_else(|| text.split_once('='))?;
        (!name.is_empty()).then(|| (name.to_owned(), value.to_owned()))
    };
    let wrong =
        |text: &String| Fault::new(Class::Usage, format!("argument of xacro `{text}`: expected NAME=VALUE"));
    texts.iter().map(|text| parse(text).ok_or_else(|| wrong(text))).collect()
}

impl RobotFields {
    /// The first given option.
    pub(super) fn given(&self) -> Option<&'static str> {
        let fields = [
            ("allow", !self.allow.is_empty()),
            ("package", !self.package.is_empty()),
            ("srdf", self.srdf.is_some()),
            ("xacro_arg", !self.xacro_arg.is_empty()),
            ("visual", self.visual),
            ("at", self.at.is_some()),
            ("b_at", self.b_at.is_some()),
        ];
        fields.into_iter().find(|(_, given)| *given).map(|(field, _)| field)
    }
}

impl Robot {
    /// The robot of a file; links with closed meshes are solids unless `solidity` is given. Pairs of `allow` that are not two of
    /// its links are refused unless there is `another` robot, which may have them.
    pub(super) fn of(
        file: &str,
        fields: &RobotFields,
        (solidity, another): (Option<Solidity>, bool),
        context: &Context,
    ) -> Result<Arc<Self>, Fault> {
        let RobotFields { allow, package, srdf, xacro_arg, visual, .. } = fields;
        let read_as = format!("{solidity:?} {another} {allow:?} {package:?} {srdf:?} {xacro_arg:?} {visual}");
        context.library.get(format!("links of {} {read_as}", context.folder.join(file).display()), || {
            let robot = Self::read(file, fields, (solidity, another), context)?;
            let bytes = robot.model.articulation().links().iter().enumerate();
            let bytes = bytes.filter_map(|(link, _)| robot.model.model(link)).map(bytes_of).sum::<usize>();
            Ok((robot, SMALL + bytes))
        })
    }

    fn read(
        file: &str,
        fields: &RobotFields,
        (solidity, another): (Option<Solidity>, bool),
        context: &Context,
    ) -> Result<Self, Fault> {
        let (folder, access) = (context.folder, context.library.access());
        let kind = if fields.visual { Shapes::Visual } else { Shapes::Collision };
        let packages: Vec<PathBuf> = fields.package.iter().map(|package| folder.join(package)).collect();
        let arguments = xacro_arguments(&fields.xacro_arg)?;
        let options = UrdfOptions { shapes: kind, packages, arguments, ..UrdfOptions::default() };
        let robot = access.robot(folder.join(file), options);
        let robot = robot.map_err(|error| Fault::of(Class::BadFile, &error))?;
        let srdf = fields.srdf.as_ref().map(|srdf| access.srdf(&folder.join(srdf)));
        let srdf = srdf.transpose().map_err(|error| Fault::of(Class::BadFile, &error))?;
        // The file of a pair of robots may be that of either.
        let srdf = srdf.filter(|srdf| !another || srdf.name == robot.name);
        let of_srdf = srdf.as_ref().map(|srdf| access.allowed_pairs(srdf, &robot)).unwrap_or_default();
        let configurations = access.configurations(srdf.as_ref(), &robot);
        let model = |mesh| {
            let solidity = solidity.unwrap_or_else(|| Solidity::of(&mesh));
            Model::new(mesh, solidity)
        };
        let exempt = robot.exempt;
        let models: Vec<_> = robot.meshes.into_iter().map(|mesh| mesh.map(model)).collect();
        let shapes = models.iter().map(|model| model.clone().map(Shape::from)).collect();
        let model = ArticulatedModel::of_models(robot.articulation, models);
        let mut allowed = AllowedCollisions::adjacent(&model);
        let is_own =
            |[a, b]: &&[String; 2]| [a, b].iter().all(|name| model.articulation().link(name).is_some());
        let given = fields.allow.iter().filter(|pair| !another || is_own(pair));
        for [first, second] in given.chain(&exempt).chain(&of_srdf) {
            let link = |name: &String| {
                let links = model.articulation().links();
                let unknown = || {
                    let (known, meant) = (links.join(", "), did_you_mean(name, links));
                    Fault::new(Class::Usage, format!("{file} has no link `{name}`; it has {known}{meant}"))
                };
                model.articulation().link(name).ok_or_else(unknown)
            };
            allowed.allow(link(first)?, link(second)?);
        }
        let has_srdf = srdf.is_some();
        Ok(Self { file: file.to_owned(), model, shapes, allowed, configurations, has_srdf })
    }

    pub(super) fn has_link(&self, name: &str) -> bool {
        self.model.articulation().link(name).is_some()
    }

    pub(super) fn has_shapes(&self) -> bool {
        self.shapes.iter().any(Option::is_some)
    }

    pub(super) fn has_srdf(&self) -> bool {
        self.has_srdf
    }

    /// The configurations of a line; joints that it does not name are in the configuration of the name `at`, or at zero.
    pub(super) fn joints(&self, line: &JointFields, at: Option<&str>) -> Result<JointMotion, String> {
        let configuration = |Joints { at: own, values }: &Joints| {
            let named = own.as_deref().or(at).map(|name| named_joints(&self.configurations, name));
            let mut joints = named.transpose()?.cloned().unwrap_or_default();
            joints.extend(values.iter().map(|(name, value)| (name.clone(), *value)));
            self.model.articulation().configuration(&joints)
        };
        let in_file = |error: RobotError| format!("{}: {error}", self.file);
        let to = line.end.as_ref().map(configuration).transpose().map_err(in_file)?;
        Ok(JointMotion { from: configuration(&line.start).map_err(in_file)?, to })
    }

    /// Its links in a configuration, with its root at a pose.
    pub(super) fn posed(&self, configuration: &[f64], base: &Isometry3<f64>) -> Result<Posed<'_>, String> {
        let articulation = self.model.articulation();
        let poses = articulation.link_poses(configuration, base).map_err(|error| error.to_string())?;
        let links = articulation.links().iter().zip(&self.shapes).zip(poses);
        let parts = links.filter_map(|((name, shape), pose)| {
            Some(Part { name: Some(name.as_str()), shape: shape.as_ref()?, pose })
        });
        Posed::of_parts(parts).ok_or_else(|| format!("{}: no link has a shape", self.file))
    }

    fn name(&self, link: usize) -> String {
        self.model.articulation().links()[link].clone()
    }

    /// The links that collide at the start of a motion.
    pub(super) fn links_at_rest(&self, joints: &JointMotion, base: &Isometry3<f64>) -> Answered<LinksAtRest> {
        let links = self.self_collisions(joints, base)?;
        Ok(LinksAtRest { collides: !links.is_empty(), links })
    }

    /// The pairs of links that collide and may not.
    pub(super) fn self_collisions(
        &self,
        joints: &JointMotion,
        base: &Isometry3<f64>,
    ) -> Answered<Vec<[String; 2]>> {
        let found = self.model.self_collisions(&joints.from, base, &self.allowed);
        let links = found.map_err(|error| error.to_string())?;
        Ok(links.iter().map(|pair| pair.map(|link| self.name(link))).collect())
    }

    /// The motion of the root from one pose to another while the joints move.
    fn motion<'a>(joints: &'a JointMotion, base: Motion) -> ArticulatedMotion<'a> {
        ArticulatedMotion { from: &joints.from, to: joints.to.as_ref().unwrap_or(&joints.from), base }
    }

    /// The first contact with an obstacle, if there is one, and with `among_links` of links with one another; `base` and the
    /// motion of the obstacle are those of their frames.
    pub(super) fn first_contact(
        &self,
        (joints, base): (&JointMotion, Motion),
        obstacle: Option<MovingObstacle<'_>>,
        among_links: bool,
        time_budget: Option<Duration>,
    ) -> Answered<Option<LinkContact>> {
        let moved = Self::motion(joints, base);
        let allowed = among_links.then_some(&self.allowed);
        let options = ContinuousOptions { time_budget, ..ContinuousOptions::default() };
        let found = articulated(&self.model, &moved, obstacle.as_slice(), allowed, &options);
        let found = found.map_err(|error| error.to_string())?;
        Ok(found.map(|found| self.contact(&found, self)))
    }

    /// The first contact with another robot.
    pub(super) fn first_contact_with(
        &self,
        (joints, base): (&JointMotion, Motion),
        other: &Self,
        (joints_of_other, base_of_other): (&JointMotion, Motion),
        time_budget: Option<Duration>,
    ) -> Answered<Option<LinkContact>> {
        let own = (&self.model, &Self::motion(joints, base));
        let others = (&other.model, &Self::motion(joints_of_other, base_of_other));
        let options = ContinuousOptions { time_budget, ..ContinuousOptions::default() };
        let found = articulated_pair(own, others, &options);
        let found = found.map_err(|error| error.to_string())?;
        Ok(found.map(|found| LinkContact { of_two: true, ..self.contact(&found, other) }))
    }

    /// A contact with a link of `other`, or with an obstacle.
    fn contact(&self, found: &ArticulatedContact, other: &Self) -> LinkContact {
        LinkContact {
            time: found.time,
            link: self.name(found.link),
            other: match found.other {
                ContactPartner::Obstacle(_) => None,
                ContactPartner::Link(link) => Some(other.name(link)),
            },
            points: coordinates(&found.points),
            normal: found.normal.into_inner().into(),
            gap: found.gap,
            triangles: found.triangles,
            steps: found.steps,
            obstacle: 'B',
            of_two: false,
        }
    }
}

impl JointMotion {
    /// Whether joints move.
    pub(super) fn moves(&self) -> bool {
        self.to.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_links_are_parsed() {
        assert_eq!(two_links("a,b"), Ok([String::from("a"), String::from("b")]));
        for bad in ["", "a", "a,", ",b"] {
            assert!(two_links(bad).unwrap_err().contains("LINK,LINK"), "{bad}");
        }
    }
}
