//! Repair of a robot among obstacles.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::Deserialize;

use super::configuration::{ConfigurationFields, configuration};
use super::context::Context;
use super::fault::{Class, Fault};
use super::fields::{Fields, ItemFault};
use super::library::{SMALL, bytes_of};
use super::obstacles::ObstacleArgument;
use super::poses::{self, isometry};
use super::repair::RepairFields;
use super::reply::timed;
use super::response::Response;
#[cfg(feature = "clap")]
use super::robot::two_links;
use super::robot::xacro_arguments;
use super::robot_repair::{RobotRepair, class_of, response};
use super::shape::ShapeArgument;
use crate::repair::{AttachedObject, Ensemble, Repair, RepairError, RepairOptions, Robot, RobotOptions};
use extricate_core::kinematics::srdf::Srdf;
use extricate_core::kinematics::urdf::{Shapes, UrdfOptions};
use extricate_core::penetration::generalized::{Base, GeneralizedCoherence, Pose};
use extricate_core::penetration::object_norm::Measure;

/// Estimated bytes of a robot among obstacles, beyond those of its models.
const ENSEMBLE_BYTES: usize = 64 * SMALL;

/// A robot, as written in a request.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RobotSource {
    /// Its file: URDF, xacro or MJCF.
    pub robot: String,
    /// Whether its root link moves in any direction.
    pub floating: bool,
    /// Its links.
    pub links: LinkFields,
}

/// Options of the links of a robot.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct LinkFields {
    /// Two links, or a link and an obstacle, that may collide; may be given several times. Adjacent links, and links that
    /// always collide, may.
    #[cfg_attr(feature = "clap", arg(long, value_name = "A,B", value_parser = two_links))]
    pub allow: Vec<[String; 2]>,
    /// Two links that may not collide although they are adjacent or always collide; may be given several times.
    #[cfg_attr(feature = "clap", arg(long, value_name = "A,B", value_parser = two_links))]
    pub forbid: Vec<[String; 2]>,
    /// Folder of packages for `package://` paths of the files; may be given several times.
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    pub package: Vec<PathBuf>,
    /// SRDF file whose pairs of links with disabled collisions may collide.
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub srdf: Option<PathBuf>,
    /// Argument of a robot in xacro; may be given several times.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME=VALUE"))]
    pub xacro_arg: Vec<String>,
    /// Use the visual shapes of links instead of their collision shapes.
    #[cfg_attr(feature = "clap", arg(long))]
    pub visual: bool,
    /// Seed of the random starts [default: 0].
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub seed: Option<u64>,
}

/// Request for the nearest collision-free configuration of a robot among obstacles.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotRepairRequest {
    /// The robot.
    pub source: RobotSource,
    /// Its configuration.
    pub configuration: ConfigurationFields,
    /// The obstacles.
    pub obstacles: Vec<ObstacleArgument>,
    /// Fields of all repairs.
    pub fields: RepairFields,
}

/// An obstacle in a request: a text, or an object with a pose.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ObstacleField {
    Text(String),
    Object(ObstacleObject),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ObstacleObject {
    shape: String,
    #[serde(default)]
    pose: poses::Pose,
    name: Option<String>,
}

/// A preprocessed robot among obstacles; each request sets the poses of the obstacles.
pub struct PreparedRobot {
    robot: Arc<Robot>,
    measure: Measure,
    ensemble: Ensemble,
    /// Copies that are not in use: copying takes a noticeable part of the time of a quick repair.
    spare: Mutex<Vec<Ensemble>>,
}

impl PreparedRobot {
    /// A copy of the ensemble; the caller must set the poses of its obstacles.
    fn copy(&self) -> Ensemble {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| self.ensemble.clone())
    }

    /// Takes back a copy in which only poses and names of obstacles were changed.
    fn give_back(&self, copy: Ensemble) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(copy);
    }
}

impl ObstacleField {
    fn obstacle(self) -> Result<ObstacleArgument, ItemFault> {
        let invalid = |why| ItemFault::Field { name: "obstacle", why };
        match self {
            Self::Text(text) => ObstacleArgument::parse(&text).map_err(|fault| invalid(fault.message)),
            Self::Object(ObstacleObject { shape, pose, name }) => {
                let pose = isometry(pose).map_err(invalid)?;
                Ok(ObstacleArgument { name: name.unwrap_or_else(|| shape.clone()), shape, pose })
            }
        }
    }
}

impl RobotSource {
    /// Options of reading the file, with its folders resolved.
    ///
    /// # Errors
    /// A [`Fault`] where an argument of xacro has no value.
    pub fn urdf_options(&self, context: &Context) -> Result<UrdfOptions, Fault> {
        let shapes = if self.links.visual { Shapes::Visual } else { Shapes::Collision };
        let packages = self.links.package.iter().map(|package| context.folder.join(package)).collect();
        let arguments = xacro_arguments(&self.links.xacro_arg)?;
        Ok(UrdfOptions { shapes, packages, arguments, ..UrdfOptions::default() })
    }

    /// The SRDF file of the robot, if there is one.
    ///
    /// # Errors
    /// A [`Fault`] where it cannot be read.
    pub fn srdf(&self, context: &Context) -> Result<Option<Srdf>, Fault> {
        let srdf = self.links.srdf.as_ref();
        let srdf = srdf.map(|srdf| context.library.access().srdf(&context.folder.join(srdf))).transpose();
        srdf.map_err(|error| Fault::of(Class::BadFile, &error))
    }

    /// Cache key of the robot without obstacles.
    fn key(&self) -> String {
        let Self { robot, floating, links } = self;
        let LinkFields { allow, forbid, package, srdf, xacro_arg, visual, seed: _ } = links;
        format!("robot {robot} {floating} {visual} {package:?} {srdf:?} {xacro_arg:?} {allow:?} {forbid:?}")
    }

    /// Loads the robot. Pairs of `allow` that are not two of its links may name obstacles and are handled later.
    ///
    /// # Errors
    /// A [`Fault`] where the robot cannot be read, or a pair names a link that it does not have.
    pub fn robot(&self, context: &Context) -> Result<Arc<Robot>, Fault> {
        context.library.get(self.key(), || {
            let access = context.library.access();
            let read = access.robot(context.folder.join(&self.robot), self.urdf_options(context)?);
            let mut read = read.map_err(|error| Fault::of(Class::BadFile, &error))?;
            let srdf = self.srdf(context)?;
            read.configurations = access.configurations(srdf.as_ref(), &read);
            let of_srdf = srdf.map(|srdf| access.allowed_pairs(&srdf, &read));
            let is_link = |name: &String| read.articulation.link(name).is_some();
            let given = self.links.allow.iter().filter(|[a, b]| is_link(a) && is_link(b)).cloned();
            let allow = given.chain(of_srdf.unwrap_or_default()).collect();
            let base = if self.floating { Base::Floating } else { Base::Fixed };
            let options = RobotOptions { base, allow, forbid: self.links.forbid.clone() };
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

impl RobotRepairRequest {
    /// Takes the fields of the request.
    pub(super) fn take(robot: String, fields: &mut Fields) -> Result<Self, ItemFault> {
        let written: Option<Vec<ObstacleField>> = fields.take("obstacle")?;
        let obstacles = written.unwrap_or_default().into_iter().map(ObstacleField::obstacle);
        Ok(Self {
            obstacles: obstacles.collect::<Result<_, _>>()?,
            fields: fields.part()?,
            configuration: fields.part()?,
            source: RobotSource {
                robot,
                floating: fields.take("floating")?.unwrap_or_default(),
                links: fields.part()?,
            },
        })
    }

    /// The response to the request, and the time of the search.
    pub(super) fn answer(&self, context: &Context) -> Result<(Response, Duration), Fault> {
        let prepared = self.prepared(context)?;
        let pose = configuration(&prepared.robot, self.configuration.clone());
        let pose = pose.map_err(|why| Fault::new(Class::BadFile, why))?;
        let (ensemble, is_reusable) = self.ensemble(&prepared)?;
        let options = self.options(context.parallel);
        let (found, time) = timed(|| -> Result<RobotRepair, RepairError> {
            let found = ensemble.repair(std::slice::from_ref(&pose), &options);
            response(&ensemble, &pose, prepared.measure, found)
        });
        if is_reusable {
            prepared.give_back(ensemble);
        }
        let found = found.map_err(|error| Fault::of(Class::Numerical, &error))?;
        Ok((Response::RobotRepair(Box::new(found)), time))
    }

    /// Options of the search.
    fn options(&self, parallel: bool) -> RepairOptions {
        RepairOptions { seed: self.source.links.seed.unwrap_or_default(), ..self.fields.options(parallel) }
    }

    /// The robot among its obstacles at the poses of the request, and whether other requests may reuse it.
    fn ensemble(&self, prepared: &PreparedRobot) -> Result<(Ensemble, bool), Fault> {
        let mut ensemble = prepared.copy();
        if !self.obstacles.iter().any(ObstacleArgument::is_robot) {
            for (index, obstacle) in self.obstacles.iter().enumerate() {
                ensemble.place_obstacle(index, obstacle.pose);
                ensemble.rename_obstacle(index, &obstacle.name);
            }
        }
        let mut is_reusable = true;
        for [first, second] in self.source.links.allow.iter().filter(|pair| !are_links(&prepared.robot, pair))
        {
            // An allowed pair cannot be taken back from the copy.
            is_reusable = false;
            ensemble.allow([first, second]).map_err(|error| self.source.fault(&error))?;
        }
        Ok((ensemble, is_reusable))
    }

    /// The robot among its obstacles for a sequence of configurations; unless `independent`, each search starts from the
    /// previous free configurations as well.
    ///
    /// # Errors
    /// A [`Fault`] where the robot or an obstacle cannot be loaded.
    pub fn sequence(&self, context: &Context, independent: bool) -> Result<RepairSequence, Fault> {
        let prepared = self.prepared(context)?;
        let (ensemble, _) = self.ensemble(&prepared)?;
        let coherence = (!independent).then(GeneralizedCoherence::default);
        Ok(RepairSequence {
            ensemble,
            options: self.options(context.parallel),
            measure: prepared.measure,
            coherence,
        })
    }

    /// The preprocessed robot among its obstacles. It does not depend on the poses of obstacles unless one of them is a robot,
    /// so that many items share one.
    fn prepared(&self, context: &Context) -> Result<Arc<PreparedRobot>, Fault> {
        let own = self.source.key();
        let placed = self.obstacles.iter().any(ObstacleArgument::is_robot);
        let RepairFields { keep, attach, .. } = &self.fields;
        let mut key = format!("among {own} {:?} {keep:?} {attach:?}", self.fields.freedom());
        for obstacle in &self.obstacles {
            key.push_str(" | ");
            key.push_str(&match placed {
                true => format!("{obstacle:?}"),
                false => {
                    context.library.key_of(&ShapeArgument::parse_in(&obstacle.shape, context.folder)?)?
                }
            });
        }
        context.library.get(key, || {
            let robot = self.source.robot(context)?;
            let holding = self.holding(Robot::clone(&robot), context)?;
            let measure = holding.measure().map_err(|error| self.source.fault(&error))?;
            let mut props = Vec::new();
            let options = self.source.urdf_options(context)?;
            for obstacle in &self.obstacles {
                props.extend(obstacle.props(context.library, context.folder, &options)?);
            }
            let models = props.iter().filter_map(|prop| prop.obstacle.shape.model());
            let bytes = models.map(bytes_of).sum::<usize>() + bytes_of_robot(&robot) + ENSEMBLE_BYTES;
            let ensemble = holding.among(props, &self.fields.freedom());
            let kept = ensemble.and_then(|mut ensemble| {
                self.fields.keep.iter().try_for_each(|keep| ensemble.keep(keep, &Vector3::z()))?;
                Ok(ensemble)
            });
            let ensemble = kept.map_err(|error| self.source.fault(&error))?;
            Ok((PreparedRobot { robot, measure, ensemble, spare: Mutex::default() }, bytes))
        })
    }
}

impl RobotRepairRequest {
    /// The robot with the objects that move with its links.
    fn holding(&self, robot: Robot, context: &Context) -> Result<Robot, Fault> {
        self.fields.attach.iter().try_fold(robot, |robot, attachment| {
            let object = ObstacleArgument::parse(attachment.object())?;
            if object.is_robot() {
                let why = format!("`{}`: a robot cannot be attached to a link", attachment.text());
                return Err(Fault::new(Class::Usage, why));
            }
            let object = AttachedObject {
                link: attachment.holder().to_owned(),
                name: attachment.text().to_owned(),
                shape: object.shape(context.library, context.folder)?,
                pose: object.pose,
            };
            robot.attach(&object).map_err(|error| match error {
                RepairError::UnknownName { .. } => Fault::of(Class::Usage, &error),
                _ => self.source.fault(&error),
            })
        })
    }
}

/// A robot among obstacles that is repaired for a sequence of configurations.
pub struct RepairSequence {
    ensemble: Ensemble,
    options: RepairOptions,
    measure: Measure,
    coherence: Option<GeneralizedCoherence>,
}

impl RepairSequence {
    /// The response for a configuration, and the time of the search.
    ///
    /// # Errors
    /// [`RepairError`] where the computation fails.
    pub fn answer(&mut self, pose: &Pose) -> Result<(RobotRepair, Duration), RepairError> {
        let poses = std::slice::from_ref(pose);
        let (found, time): (Result<Option<Repair>, _>, _) = timed(|| match &mut self.coherence {
            Some(coherence) => self.ensemble.repair_coherent(poses, &self.options, coherence),
            None => self.ensemble.repair(poses, &self.options),
        });
        Ok((response(&self.ensemble, pose, self.measure, found)?, time))
    }
}

fn are_links(robot: &Robot, pair: &[String; 2]) -> bool {
    pair.iter().all(|name| robot.model().articulation().link(name).is_some())
}

fn bytes_of_robot(robot: &Robot) -> usize {
    let links = 0..robot.model().articulation().links().len();
    SMALL + links.filter_map(|link| robot.model().model(link)).map(bytes_of).sum::<usize>()
}
