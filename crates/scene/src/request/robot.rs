//! Robots of files: self-collision of their links, and first contact of their motions.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use super::access::Access;
use super::fault::{Class, Fault};
use super::poses::{Motions, PoseLine};
use super::reply::{Answered, coordinates};
use super::self_collision::LinksAtRest;
use super::time_of_contact::{FirstContact, Interpolation, LinkContact};
use extricate_core::geometry::Solidity;
use extricate_core::kinematics::urdf::{Shapes, UrdfOptions};
use extricate_core::proximity::{
    AllowedCollisions, ArticulatedContact, ArticulatedModel, ArticulatedMotion, ContactPartner,
    ContinuousOptions, Model, MovingObstacle, articulated,
};
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
}

/// A robot with the trees of its links, and its allowed collisions.
#[derive(Debug)]
pub(super) struct Robot {
    model: ArticulatedModel,
    allowed: AllowedCollisions,
}

/// Configurations of a robot at the start and at the end of its motion.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JointMotion {
    from: Vec<f64>,
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
        ];
        fields.into_iter().find(|(_, given)| *given).map(|(field, _)| field)
    }
}

impl Robot {
    /// Reads a robot; links with closed meshes are solids unless `solidity` is given.
    pub(super) fn read(
        (path, folder): (&str, &Path),
        fields: &RobotFields,
        solidity: Option<Solidity>,
        access: &Access,
    ) -> Result<Self, Fault> {
        let shapes = if fields.visual { Shapes::Visual } else { Shapes::Collision };
        let packages: Vec<PathBuf> = fields.package.iter().map(|package| folder.join(package)).collect();
        let arguments = xacro_arguments(&fields.xacro_arg)?;
        let options = UrdfOptions { shapes, packages, arguments, ..UrdfOptions::default() };
        let robot = access.robot(folder.join(path), options);
        let robot = robot.map_err(|error| Fault::of(Class::BadFile, &error))?;
        let srdf = fields.srdf.as_ref().map(|srdf| access.srdf(&folder.join(srdf)));
        let srdf = srdf.transpose().map_err(|error| Fault::of(Class::BadFile, &error))?;
        let of_srdf = srdf.map(|srdf| access.allowed_pairs(&srdf, &robot)).unwrap_or_default();
        let model = |mesh| {
            let solidity = solidity.unwrap_or_else(|| Solidity::of(&mesh));
            Model::new(mesh, solidity)
        };
        let exempt = robot.exempt;
        let models = robot.meshes.into_iter().map(|mesh| mesh.map(model)).collect();
        let model = ArticulatedModel::of_models(robot.articulation, models);
        let mut allowed = AllowedCollisions::adjacent(&model);
        for [first, second] in fields.allow.iter().chain(&exempt).chain(&of_srdf) {
            let link = |name: &String| {
                let links = model.articulation().links();
                let unknown = || {
                    let (known, meant) = (links.join(", "), did_you_mean(name, links));
                    Fault::new(Class::Usage, format!("{path} has no link `{name}`; it has {known}{meant}"))
                };
                model.articulation().link(name).ok_or_else(unknown)
            };
            allowed.allow(link(first)?, link(second)?);
        }
        Ok(Self { model, allowed })
    }

    /// The configurations of a line.
    pub(super) fn joints(&self, line: &PoseLine) -> Result<JointMotion, String> {
        let configuration =
            |values| self.model.articulation().configuration(values).map_err(|error| error.to_string());
        let to = line.joints_end.as_ref().map(configuration).transpose()?;
        Ok(JointMotion { from: configuration(&line.joints)?, to })
    }

    fn name(&self, link: usize) -> String {
        self.model.articulation().links()[link].clone()
    }

    /// The links that collide at the start of a motion.
    pub(super) fn links_at_rest(&self, joints: &JointMotion, motions: &Motions) -> Answered<LinksAtRest> {
        let found = self.model.self_collisions(&joints.from, &motions.start.a, &self.allowed);
        let links = found.map_err(|error| error.to_string())?;
        let links: Vec<_> = links.iter().map(|pair| pair.map(|link| self.name(link))).collect();
        Ok(LinksAtRest { collides: !links.is_empty(), links })
    }

    /// The first contact with the obstacle, if there is one, and with `among_links` of links with one another.
    pub(super) fn first_contact(
        &self,
        (joints, Motions { start, end }): (&JointMotion, &Motions),
        motion: Interpolation,
        obstacle: Option<&Model>,
        among_links: bool,
    ) -> Answered<FirstContact> {
        let to = joints.to.as_ref().unwrap_or(&joints.from);
        let moved = ArticulatedMotion { from: &joints.from, to, base: motion(&start.a, &end.a) };
        let obstacle = obstacle.map(|model| MovingObstacle { model, motion: motion(&start.b, &end.b) });
        let allowed = among_links.then_some(&self.allowed);
        let found =
            articulated(&self.model, &moved, obstacle.as_slice(), allowed, &ContinuousOptions::default());
        let found = found.map_err(|error| error.to_string())?;
        Ok(found.map_or(FirstContact::NONE_OF_ROBOT, |found| FirstContact::Robot(self.contact(&found))))
    }

    fn contact(&self, found: &ArticulatedContact) -> LinkContact {
        LinkContact {
            time: found.time,
            link: self.name(found.link),
            other: match found.other {
                ContactPartner::Obstacle(_) => None,
                ContactPartner::Link(link) => Some(self.name(link)),
            },
            points: coordinates(&found.points),
            normal: found.normal.into_inner().into(),
            gap: found.gap,
            triangles: found.triangles,
            steps: found.steps,
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
