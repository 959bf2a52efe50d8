//! Requests and responses: one type per kind of question, for the command line, manifests and the viewer.
//!
//! A [`Request`] is read from a line of JSON or from options. A [`Question`] about shapes is prepared once and answered at
//! many poses; every answer is a [`Response`], with JSON fields for programs and a text for people.

pub mod access;
pub mod allowed;
mod arrangement;
mod bodies_repair;
pub mod broad_phase;
mod check;
mod collide;
pub mod configuration;
mod constraints;
mod context;
mod deforming;
mod distance;
mod fault;
mod fields;
mod generalized;
mod growth;
mod hausdorff;
mod library;
pub mod mesh_units;
pub mod obstacles;
mod overlaps;
mod pair;
mod pair_fields;
mod path_times;
mod penetration;
mod plan;
pub mod poses;
mod repair;
mod repair_text;
mod reply;
mod response;
pub mod robot;
mod robot_repair;
mod robot_request;
mod run;
mod scene_repair;
pub mod schema;
mod search;
mod self_collision;
pub mod shape;
mod side;
mod spanning;
pub mod start;
mod subject;
pub mod table;
pub mod text;
mod time_of_contact;
pub mod tolerance;

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

pub use access::Access;
pub use arrangement::arrangement;
pub use bodies_repair::BodiesRepair;
pub use check::{CheckFields, CheckRequest, CheckResponse};
pub use collide::{CollideRequest, Collision, Segment};
pub use context::{Context, Origin};
pub use deforming::{Feature, FeatureContact};
pub use distance::{DistanceRequest, Separation};
pub use fault::{Class, Fault};
pub(crate) use fields::{Fields, ItemFault, KINDS, clipped};
pub use generalized::{FreePose, GeneralizedRequest, GeneralizedResponse};
pub use growth::{Growth, GrowthRequest};
pub use hausdorff::{Deviation, HausdorffRequest};
pub use library::Library;
pub use mesh_units::{MeshUnits, UpAxis};
pub use pair::{Prepared, Question};
pub use pair_fields::PairFields;
pub use penetration::{
    LinkPenetration, LocalOverlap, PenetrationRequest, PenetrationResponse, SearchWork, Separating,
};
pub use plan::{PathPose, PlanFields, PlanRequest, PlanResponse, PlanStatus};
pub use repair::{RepairFields, SceneChange, SceneRepairRequest};
pub use repair_text::SceneReport;
pub use reply::{Answered, Displacement, PoseResponse, RepairStatus, Reply, timed};
pub use response::Response;
pub use robot_repair::{FarthestLink, RobotRepair};
pub use robot_request::{LinkFields, PreparedRobot, RepairSequence, RobotRepairRequest, RobotSource};
pub use run::{RunFields, RunRequest, Start};
pub use scene_repair::{FarthestBody, SceneRepairResponse};
pub use self_collision::{LinksAtRest, MeshAtRest, MeshInMotion, SelfCollisionRequest};
pub use spanning::SpanningDistance;
pub use subject::Trajectory;
pub use time_of_contact::{FirstContact, LinkContact, MotionArgument, RigidContact, TimeOfContactRequest};

use extricate_core::penetration::FreeConfiguration;
use poses::PoseLine;

/// A request, as a line of a manifest holds it.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// A question about shapes at given poses.
    Shapes(Box<PosedQuestion>),
    /// The repair of a robot.
    RobotRepair(Box<RobotRepairRequest>),
    /// The repair of a scene, by its file.
    SceneRepair(Box<(String, SceneRepairRequest)>),
    /// The path that the plan of a scene asks for.
    Plan(PlanRequest),
    /// The check of a scene.
    Check(CheckRequest),
    /// A run of a scene.
    Run(Box<RunRequest>),
}

/// A question about shapes at given poses.
#[derive(Debug, Clone, PartialEq)]
pub struct PosedQuestion {
    question: Question,
    poses: PoseLine,
}

/// Output folder and stop condition of a run.
pub struct RunPlace<'a> {
    /// Folder in which a run is recorded.
    pub folder: &'a Path,
    /// Returns whether the run should stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Request {
    /// Takes the fields of a request of a kind, one of [`KINDS`].
    pub(crate) fn take(kind: &'static str, fields: &mut Fields) -> Result<Self, ItemFault> {
        if kind == "run" {
            return Ok(Self::Run(Box::new(RunRequest::take(fields)?)));
        }
        if kind == "plan" {
            return Ok(Self::Plan(PlanRequest::take(fields)?));
        }
        if kind == "check" {
            return Ok(Self::Check(CheckRequest::take(fields)?));
        }
        if kind != "repair" {
            let question = Question::take(kind, fields)?;
            let poses: Option<Value> = if question.takes_poses() { fields.take("poses")? } else { None };
            let poses = question.form().of_field(poses.as_ref());
            let poses = poses.map_err(|why| ItemFault::Field { name: "poses", why })?;
            return Ok(Self::Shapes(Box::new(PosedQuestion { question, poses })));
        }
        match (fields.take("robot")?, fields.take("scene")?) {
            (Some(robot), None) => Ok(Self::RobotRepair(Box::new(RobotRepairRequest::take(robot, fields)?))),
            (None, Some(scene)) => {
                // `turn` is the former name of `rotate` and still accepted.
                let rotate: Option<bool> = fields.take("rotate")?;
                let rotate = rotate.or(fields.take("turn")?).unwrap_or(false);
                let request = SceneRepairRequest { rotate, fields: fields.part()? };
                Ok(Self::SceneRepair(Box::new((scene, request))))
            }
            _ => Err(ItemFault::Clash { why: String::from("a repair needs either `robot` or `scene`") }),
        }
    }

    /// Its kind, as written in a manifest.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Shapes(posed) => posed.question.kind(),
            Self::RobotRepair(_) | Self::SceneRepair(_) => "repair",
            Self::Plan(_) => "plan",
            Self::Check(_) => "check",
            Self::Run(_) => "run",
        }
    }

    /// The response and the time of the query alone; none where a run was stopped.
    ///
    /// # Errors
    /// A [`Fault`] where there is no response.
    pub fn answer(&self, context: &Context, run: &RunPlace) -> Result<Option<(Response, Duration)>, Fault> {
        match self {
            Self::Shapes(posed) => posed.answer(context).map(Some),
            Self::RobotRepair(request) => request.answer(context).map(Some),
            Self::SceneRepair(request) => {
                let (path, request) = &**request;
                let scene = run::scene(context, path)?;
                let (response, time) = timed(|| {
                    request.repair(&scene, context.parallel, |scene, change| match change {
                        SceneChange::Moved(moves) => Ok::<_, Fault>(scene.clone().moved(moves)),
                        SceneChange::Posed(poses) => Ok(scene.clone().posed(poses)),
                    })
                });
                Ok(Some((response?, time)))
            }
            Self::Plan(request) => {
                let scene = run::scene(context, &request.scene)?;
                let (response, time) = timed(|| request.fields.search(&scene));
                Ok(Some((Response::Plan(Box::new(response?)), time)))
            }
            Self::Check(request) => {
                let scene = run::scene(context, &request.scene)?;
                let (response, time) = timed(|| request.fields.check(&scene));
                Ok(Some((Response::Check(Box::new(response?)), time)))
            }
            Self::Run(request) => request.answer(context, run.folder, run.stop),
        }
    }
}

impl PosedQuestion {
    fn answer(&self, context: &Context) -> Result<(Response, Duration), Fault> {
        let mut prepared = self.question.prepare(context)?;
        let trajectory =
            prepared.trajectory_at(&self.poses).map_err(|why| Fault::new(Class::BadFile, why))?;
        prepared.announce(std::slice::from_ref(&trajectory));
        let (answered, time) = prepared.answer(&trajectory);
        Ok((answered.map_err(|why| Fault::new(Class::Numerical, why))?, time))
    }
}

impl Question {
    fn take(kind: &'static str, fields: &mut Fields) -> Result<Self, ItemFault> {
        if kind == "self-collision" {
            let shape = fields.need("a")?;
            return Ok(Self::SelfCollision(shape, fields.part()?, fields.part()?));
        }
        let pair: PairFields = fields.part()?;
        let excluding = |why: &str| Err(ItemFault::Clash { why: why.to_owned() });
        if pair.solid && pair.surface {
            return excluding("`solid` and `surface` exclude each other");
        }
        match kind {
            "collide" => Ok(Self::Collide(pair, fields.part()?, fields.part()?)),
            "distance" => {
                let request: DistanceRequest = fields.part()?;
                if request.signed && (request.closer_than.is_some() || request.tolerance.is_some()) {
                    return excluding("`signed` excludes `closer_than` and `tolerance`");
                }
                if request.norm.is_some() && request.closer_than.is_some() {
                    return excluding("`norm` excludes `closer_than`");
                }
                Ok(Self::Distance(pair, request, fields.part()?))
            }
            "hausdorff" => Ok(Self::Hausdorff(pair, fields.part()?)),
            "spanning" => Ok(Self::Spanning(pair)),
            "growth" => Ok(Self::Growth(pair, fields.part()?)),
            "time-of-contact" => Ok(Self::TimeOfContact(pair, fields.part()?, fields.part()?)),
            "generalized" => Ok(Self::Generalized(pair, fields.part()?)),
            _ => {
                let request: PenetrationRequest = fields.part()?;
                if request.start == Some(FreeConfiguration::MotionCoherence) {
                    let why = "items are independent of one another: `coherence` is accepted by `query --poses` only";
                    return Err(ItemFault::Field { name: "start", why: why.to_owned() });
                }
                Ok(Self::Penetration(pair, request, fields.part()?))
            }
        }
    }
}
