//! Repairs of a robot among obstacles.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;

use super::freedom::Demands;
use super::{Bench, Head, Told};
use crate::batch::access;
use crate::batch::answers::configuration::{Entry, configuration};
use crate::batch::answers::robot_repair::{Answer, answer, class_of};
use crate::batch::answers::timed;
use crate::batch::fault::{Class, Fault};
use crate::batch::fields::Fields;
use crate::batch::item::ItemFault;
use crate::batch::library::{SMALL, bytes_of};
use crate::batch::obstacles::ObstacleArgument;
use crate::batch::poses::{self, isometry};
use crate::batch::shape::ShapeArgument;
use crate::repair::{Ensemble, RepairError, RepairOptions, Robot, RobotOptions};
use extricate_core::kinematics::urdf::{Shapes, UrdfOptions};
use extricate_core::penetration::generalized::Base;
use extricate_core::penetration::object_norm::Measure;

/// Bytes that a robot among obstacles is counted as, beyond its models.
const ENSEMBLE_BYTES: usize = 64 * SMALL;

/// A configuration of a robot that may collide with what it is among.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RobotTask {
    robot: String,
    joints: BTreeMap<String, f64>,
    base: poses::Pose,
    floating: bool,
    obstacles: Vec<ObstacleArgument>,
    demands: Demands,
    allow: Vec<[String; 2]>,
    forbid: Vec<[String; 2]>,
    packages: Vec<PathBuf>,
    visual: bool,
}

/// An obstacle as an item holds it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Placed(Placed),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Placed {
    shape: String,
    #[serde(default)]
    pose: poses::Pose,
    name: Option<String>,
}

/// A robot among obstacles, made ready. Where these are, each item says.
struct Ready {
    robot: Arc<Robot>,
    measure: Measure,
    ensemble: Ensemble,
    /// Copies that items had and that no one has now: making one shows beside a quick repair.
    spare: Mutex<Vec<Ensemble>>,
}

impl Ready {
    /// A copy of the ensemble; where its obstacles stand is to be said.
    fn copy(&self) -> Ensemble {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| self.ensemble.clone())
    }

    /// Takes back a copy in which nothing was changed but where obstacles stand and what they are called.
    fn give_back(&self, copy: Ensemble) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(copy);
    }
}

impl Written {
    fn obstacle(self) -> Result<ObstacleArgument, ItemFault> {
        let wrong = |why| ItemFault::Field { name: "obstacle", why };
        match self {
            Self::Text(text) => ObstacleArgument::parse(&text).map_err(|fault| wrong(fault.message)),
            Self::Placed(Placed { shape, pose, name }) => {
                let pose = isometry(pose).map_err(wrong)?;
                Ok(ObstacleArgument { name: name.unwrap_or_else(|| shape.clone()), shape, pose })
            }
        }
    }
}

impl RobotTask {
    pub(super) fn take(robot: String, fields: &mut Fields) -> Result<Self, ItemFault> {
        let written: Option<Vec<Written>> = fields.take("obstacle")?;
        let obstacles = written.unwrap_or_default().into_iter().map(Written::obstacle);
        let obstacles = obstacles.collect::<Result<_, _>>()?;
        let mut demands = Demands::take(fields)?;
        demands.options.seed = fields.take("seed")?.unwrap_or(0);
        Ok(Self {
            robot,
            joints: fields.take("joints")?.unwrap_or_default(),
            base: fields.take("base")?.unwrap_or_default(),
            floating: fields.flag("floating")?,
            obstacles,
            demands,
            allow: fields.take("allow")?.unwrap_or_default(),
            forbid: fields.take("forbid")?.unwrap_or_default(),
            packages: fields.take("package")?.unwrap_or_default(),
            visual: fields.flag("visual")?,
        })
    }

    pub(super) fn answer(&self, bench: &Bench, head: Head) -> Result<Told, Fault> {
        let ready = self.ready(bench)?;
        let entry = Entry { joints: self.joints.clone(), base: self.base.clone() };
        let pose = configuration(&ready.robot, entry).map_err(|why| Fault::new(Class::BadFile, why))?;
        let mut ensemble = ready.copy();
        if !self.obstacles.iter().any(ObstacleArgument::is_robot) {
            for (index, obstacle) in self.obstacles.iter().enumerate() {
                ensemble.place_prop(index, obstacle.pose);
                ensemble.name_prop(index, &obstacle.name);
            }
        }
        let mut is_as_before = true;
        for [first, second] in self.allow.iter().filter(|pair| !are_links(&ready.robot, pair)) {
            is_as_before = false;
            ensemble.allow([first, second]).map_err(|error| self.fault(&error))?;
        }
        let options = RepairOptions { parallel: bench.parallel, ..self.demands.options.clone() };
        let (found, time) = timed(|| -> Result<Answer, RepairError> {
            let found = ensemble.repair(std::slice::from_ref(&pose), &options);
            answer(&ensemble, &pose, ready.measure, found)
        });
        if is_as_before {
            ready.give_back(ensemble);
        }
        let found = found.map_err(|error| Fault::of(Class::Numerical, &error))?;
        Ok(head.told(&found, time))
    }

    fn urdf_options(&self, bench: &Bench) -> UrdfOptions {
        let shapes = if self.visual { Shapes::Visual } else { Shapes::Collision };
        let packages = self.packages.iter().map(|package| bench.folder.join(package)).collect();
        UrdfOptions { shapes, packages, ..UrdfOptions::default() }
    }

    /// The robot among its obstacles. What stands where does not matter unless one is a robot itself, so that many items
    /// share one.
    fn ready(&self, bench: &Bench) -> Result<Arc<Ready>, Fault> {
        let own = self.key();
        let placed = self.obstacles.iter().any(ObstacleArgument::is_robot);
        let mut key = format!("among {own} {:?}", self.demands.freedom);
        for obstacle in &self.obstacles {
            key.push_str(" | ");
            key.push_str(&match placed {
                true => format!("{obstacle:?}"),
                false => bench.library.key_of(&ShapeArgument::parse_in(&obstacle.shape, bench.folder)?)?,
            });
        }
        bench.library.get(key, || {
            let robot = self.robot(bench, &own)?;
            let measure = robot.measure().map_err(|error| self.fault(&error))?;
            let mut props = Vec::new();
            for obstacle in &self.obstacles {
                props.extend(obstacle.props(bench.library, bench.folder, &self.urdf_options(bench))?);
            }
            let models = props.iter().filter_map(|prop| prop.obstacle.shape.model());
            let bytes = models.map(bytes_of).sum::<usize>() + bytes_of_robot(&robot) + ENSEMBLE_BYTES;
            let ensemble = Robot::clone(&robot).among(props, &self.demands.freedom);
            let ensemble = ensemble.map_err(|error| self.fault(&error))?;
            Ok((Ready { robot, measure, ensemble, spare: Mutex::default() }, bytes))
        })
    }

    /// What the robot alone goes by.
    fn key(&self) -> String {
        let Self { robot, floating, allow, forbid, packages, visual, .. } = self;
        format!("robot {robot} {floating} {visual} {packages:?} {allow:?} {forbid:?}")
    }

    fn robot(&self, bench: &Bench, key: &str) -> Result<Arc<Robot>, Fault> {
        bench.library.get(key.to_owned(), || {
            let path = bench.folder.join(&self.robot);
            let options = self.urdf_options(bench);
            let read = access::robot(&path, options.shapes, &options.packages);
            let read = read.map_err(|error| Fault::of(Class::BadFile, &error))?;
            let is_link = |name: &String| read.articulation.link(name).is_some();
            let allow = self.allow.iter().filter(|[a, b]| is_link(a) && is_link(b)).cloned().collect();
            let base = if self.floating { Base::Floating } else { Base::Fixed };
            let options = RobotOptions { base, allow, forbid: self.forbid.clone() };
            let robot = Robot::new(read, &options).map_err(|error| self.fault(&error))?;
            let bytes = bytes_of_robot(&robot);
            Ok((robot, bytes))
        })
    }

    fn fault(&self, error: &RepairError) -> Fault {
        match class_of(error) {
            Class::BadFile => Fault::new(Class::BadFile, format!("{}: {error}", self.robot)),
            class => Fault::of(class, error),
        }
    }
}

fn are_links(robot: &Robot, pair: &[String; 2]) -> bool {
    pair.iter().all(|name| robot.model().articulation().link(name).is_some())
}

fn bytes_of_robot(robot: &Robot) -> usize {
    let links = 0..robot.model().articulation().links().len();
    SMALL + links.filter_map(|link| robot.model().model(link)).map(bytes_of).sum::<usize>()
}
