//! Robots of URDF files: whether their links meet one another, and when they first touch on their way.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use clap::Args;
use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

use super::super::access;
use super::super::console::Console;
use super::super::failure::{Exit, Failure};
use super::super::interrupt::Interrupt;
use super::super::table::number;
use super::coordinates;
use super::lines::{self, Answered, Reply, timed};
use super::poses::{self, Motions};
use extricate_core::geometry::Solidity;
use extricate_core::geometry::report::MeshReport;
use extricate_core::kinematics::Motion;
use extricate_core::kinematics::urdf::Shapes;
use extricate_core::proximity::{
    AllowedCollisions, ArticulatedContact, ArticulatedModel, ArticulatedMotion, ContinuousOptions, Model,
    MovingObstacle, Other, articulated,
};
pub(super) use extricate_scene::batch::shape::is_robot;
use extricate_scene::batch::text::text_of;

/// Options of robots.
#[derive(Debug, Args)]
pub(super) struct RobotArguments {
    /// Two links of a robot that may collide; may be given several times. Neighbours always may.
    #[arg(long, value_name = "LINK,LINK", value_parser = two_links)]
    allow: Vec<[String; 2]>,
    /// Folder of the packages that a robot names as package://; may be given several times.
    #[arg(long, value_name = "DIR")]
    package: Vec<PathBuf>,
    /// Take the shapes of a robot that are meant to be seen, not those meant for collision.
    #[arg(long)]
    visual: bool,
}

/// A robot, its links with their trees.
#[derive(Debug)]
pub(super) struct Robot {
    model: ArticulatedModel,
    allowed: AllowedCollisions,
}

/// Where a robot is and goes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Course {
    from: Vec<f64>,
    /// Where it goes, if it moves.
    to: Option<Vec<f64>>,
    /// Its root is A.
    motions: Motions,
}

/// The joints of a line.
#[derive(Debug, Deserialize)]
struct JointLine {
    #[serde(default)]
    joints: BTreeMap<String, f64>,
    joints_end: Option<BTreeMap<String, f64>>,
}

/// The links that meet at rest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct LinksAtRest {
    collides: bool,
    links: Vec<[String; 2]>,
}

/// The first contact of a robot on its way, world frame; no time where there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum RobotContact {
    None { time: Option<f64> },
    First(LinkContact),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct LinkContact {
    time: f64,
    link: String,
    /// The link that it touches; none where it is the other shape.
    other: Option<String>,
    points: [[f64; 3]; 2],
    normal: [f64; 3],
    gap: f64,
    triangles: Option<[u32; 2]>,
    steps: u64,
}

/// Two links of a robot by name.
pub(in crate::cli) fn two_links(text: &str) -> Result<[String; 2], String> {
    match text.split_once(',') {
        Some((first, second)) if !first.is_empty() && !second.is_empty() => {
            Ok([first.to_owned(), second.to_owned()])
        }
        _ => Err(String::from("write the names of two links: LINK,LINK")),
    }
}

impl RobotArguments {
    /// The first of the options that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--allow", !self.allow.is_empty()),
            ("--package", !self.package.is_empty()),
            ("--visual", self.visual),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// Refuses the options for what is no robot.
    pub(super) fn refuse(&self) -> Result<(), Failure> {
        match self.given() {
            None => Ok(()),
            Some(option) => {
                let message = format!("`{option}` belongs to robots: a file that ends with .urdf");
                Err(Failure::new(Exit::Usage, message))
            }
        }
    }
}

impl Robot {
    /// Reads a robot; links are solids where their meshes are closed, unless `solidity` says otherwise.
    pub(super) fn read(
        path: &str,
        arguments: &RobotArguments,
        solidity: Option<Solidity>,
    ) -> Result<Self, Failure> {
        let shapes = if arguments.visual { Shapes::Visual } else { Shapes::Collision };
        let robot = access::robot(path, shapes, &arguments.package)
            .map_err(|error| Failure::of(Exit::BadFile, &error))?;
        let model = |mesh| {
            let solid = if MeshReport::of(&mesh).solid { Solidity::Solid } else { Solidity::Surface };
            Model::new(mesh, solidity.unwrap_or(solid))
        };
        let models = robot.meshes.into_iter().map(|mesh| mesh.map(model)).collect();
        let model = ArticulatedModel::of_models(robot.articulation, models);
        let mut allowed = AllowedCollisions::adjacent(&model);
        for [first, second] in &arguments.allow {
            let link = |name: &String| {
                let unknown = || Failure::new(Exit::Usage, format!("{path} has no link `{name}`"));
                model.articulation().link(name).ok_or_else(unknown)
            };
            allowed.allow(link(first)?, link(second)?);
        }
        Ok(Self { model, allowed })
    }

    /// The course of a line.
    pub(super) fn course(&self, line: &str) -> Result<Course, String> {
        let motions = poses::parse_motions(line)?;
        let joints: JointLine =
            serde_json::from_str(line).map_err(|error| format!("not a line of joints: {error}"))?;
        let configuration =
            |values| self.model.articulation().configuration(values).map_err(|error| error.to_string());
        let to = joints.joints_end.as_ref().map(configuration).transpose()?;
        Ok(Course { from: configuration(&joints.joints)?, to, motions })
    }

    /// The course where no file gives any: all joints at zero.
    pub(super) fn zero(&self) -> Result<Course, Failure> {
        self.course("{}").map_err(|why| Failure::new(Exit::Usage, why))
    }

    fn name(&self, link: usize) -> String {
        self.model.articulation().links()[link].clone()
    }

    /// The links that meet at the start of a course.
    pub(super) fn links_at_rest(&self, course: &Course) -> Answered<LinksAtRest> {
        let found = self.model.self_collisions(&course.from, &course.motions.start.a, &self.allowed);
        let links = found.map_err(|error| error.to_string())?;
        let links: Vec<_> = links.iter().map(|pair| pair.map(|link| self.name(link))).collect();
        Ok(LinksAtRest { collides: !links.is_empty(), links })
    }

    /// The first contact with an obstacle, if there is one, and of links with one another if `among_links`.
    pub(super) fn first_contact(
        &self,
        course: &Course,
        motion: fn(&Isometry3<f64>, &Isometry3<f64>) -> Motion,
        obstacle: Option<&Model>,
        among_links: bool,
    ) -> Answered<RobotContact> {
        let Motions { start, end } = course.motions;
        let to = course.to.as_ref().unwrap_or(&course.from);
        let moved = ArticulatedMotion { from: &course.from, to, base: motion(&start.a, &end.a) };
        let obstacle = obstacle.map(|model| MovingObstacle { model, motion: motion(&start.b, &end.b) });
        let allowed = among_links.then_some(&self.allowed);
        let found =
            articulated(&self.model, &moved, obstacle.as_slice(), allowed, &ContinuousOptions::default());
        let told = |found: Option<ArticulatedContact>| {
            found.map_or(RobotContact::None { time: None }, |found| RobotContact::First(self.told(&found)))
        };
        found.map(told).map_err(|error| error.to_string())
    }

    fn told(&self, found: &ArticulatedContact) -> LinkContact {
        LinkContact {
            time: found.time,
            link: self.name(found.link),
            other: match found.other {
                Other::Obstacle(_) => None,
                Other::Link(link) => Some(self.name(link)),
            },
            points: coordinates(&found.points),
            normal: found.normal.into_inner().into(),
            gap: found.gap,
            triangles: found.triangles,
            steps: found.steps,
        }
    }
}

impl Course {
    /// Whether anything moves.
    pub(super) fn moves(&self) -> bool {
        self.to.is_some() || self.motions.start != self.motions.end
    }
}

/// Answers whether and when the links of a robot meet one another.
pub(super) fn self_collision(
    console: &mut Console,
    interrupt: &Interrupt,
    robot: &Robot,
    courses: &[Course],
) -> Result<(), Failure> {
    let in_motion = courses.iter().any(Course::moves);
    if in_motion {
        return lines::answer(console, interrupt, courses, |course| {
            timed(|| robot.first_contact(course, Motion::linear, None, true))
        });
    }
    lines::answer(console, interrupt, courses, |course| timed(|| robot.links_at_rest(course)))
}

impl Reply for LinksAtRest {
    fn status(&self) -> &'static str {
        if self.collides { "colliding" } else { "separate" }
    }
}

impl fmt::Display for LinksAtRest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.links.is_empty() {
            return f.write_str("free of self-collision");
        }
        let pairs: Vec<String> =
            self.links.iter().map(|[first, second]| format!("{first} with {second}")).collect();
        write!(f, "collides with itself: {}", pairs.join(", "))
    }
}

impl Reply for RobotContact {
    fn status(&self) -> &'static str {
        match self {
            Self::None { .. } => "free",
            Self::First(_) => "contact",
        }
    }
}

impl fmt::Display for RobotContact {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self::First(found) = self else { return f.write_str("free of contact all the way") };
        let other = found.other.as_deref().unwrap_or("B");
        write!(f, "contact at time {}: {} with {other}, ", number(found.time), found.link)?;
        let [a, b] = &found.points;
        write!(f, "at ({}) and ({}), normal ({})", text_of(a), text_of(b), text_of(&found.normal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_and_pairs_of_links_are_known_by_how_they_are_written() {
        assert!(is_robot("arm.urdf") && is_robot("a/b.URDF") && !is_robot("arm.obj") && !is_robot("urdf"));
        assert_eq!(two_links("a,b"), Ok([String::from("a"), String::from("b")]));
        for bad in ["", "a", "a,", ",b"] {
            assert!(two_links(bad).unwrap_err().contains("LINK,LINK"), "{bad}");
        }
    }
}
