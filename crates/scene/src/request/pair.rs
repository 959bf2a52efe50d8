//! Questions about shapes: loading of the shapes, and evaluation by the queries of the library.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::collide::CollideRequest;
use super::context::{Context, Origin};
use super::deforming::{Deforming, FeatureContact};
use super::distance::DistanceRequest;
use super::fault::{Class, Fault};
use super::generalized::{self, GeneralizedRequest};
use super::hausdorff::HausdorffRequest;
use super::penetration::{self, PenetrationRequest, PenetrationResponse};
use super::poses::{LineForm, Motions, PoseLine, Poses};
use super::reply::{Answered, timed};
use super::response::Response;
use super::robot::{JointMotion, Robot, RobotFields};
use super::self_collision::{MeshInMotion, SelfCollisionRequest, at_rest};
use super::shape::{DEFECTS, ShapeArgument, is_robot, make_folder, without_inside};
use super::spanning;
use super::time_of_contact::{FirstContact, Interpolation, TimeOfContactRequest};
use crate::repair::Actor;
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::kinematics::Motion;
use extricate_core::penetration::FreeConfiguration;
use extricate_core::proximity::Model;
use extricate_core::proximity::deforming::{DeformingOptions, first_contact, first_self_contact};
use extricate_core::query::{Cache, PenetrationOptions, Posed, QueryError, RigidPenetrationOptions, Shape};

/// Two shapes of a question.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct PairFields {
    /// The first shape.
    pub a: String,
    /// The second shape.
    pub b: String,
    /// Treat meshes as solids; an open mesh is an error.
    #[serde(default)]
    pub solid: bool,
    /// Treat meshes as surfaces without an interior.
    #[serde(default)]
    pub surface: bool,
}

/// A question about shapes, and its options.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Collision of two shapes.
    Collide(PairFields, CollideRequest),
    /// Distance of two shapes.
    Distance(PairFields, DistanceRequest),
    /// Hausdorff distance of two surfaces.
    Hausdorff(PairFields, HausdorffRequest),
    /// Maximum distance between points of two shapes.
    Spanning(PairFields),
    /// Time of first contact of two moving shapes.
    TimeOfContact(PairFields, TimeOfContactRequest, RobotFields),
    /// Self-collision of a mesh or a robot.
    SelfCollision(String, SelfCollisionRequest, RobotFields),
    /// Translational penetration depth of A in B.
    Penetration(PairFields, PenetrationRequest),
    /// Generalized penetration depth of A in B, rotations included.
    Generalized(PairFields, GeneralizedRequest),
}

/// A question with its shapes loaded, to be answered at many poses; it caches the last ones where that helps.
pub struct Prepared {
    subject: Subject,
    form: LineForm,
    /// Whether a robot moves in one of the announced lines.
    in_motion: bool,
    /// Whether the answers are text for people, with distances of separate shapes.
    for_people: bool,
}

/// Poses of the shapes and joint values of a robot at the start and end of a line, in the form of the question.
#[derive(Debug, Clone)]
pub struct Trajectory {
    motions: Motions,
    joints: Option<JointMotion>,
}

type Shapes = [Shape; 2];

/// Loaded shapes with the options and caches of their question.
enum Subject {
    Collide(Shapes, CollideRequest),
    Distance(Shapes, DistanceRequest, Cache, bool),
    Hausdorff(Shapes, HausdorffRequest),
    Spanning(Shapes),
    Penetration(Shapes, PenetrationOptions, Cache),
    Generalized(Shapes, RigidPenetrationOptions, Cache, bool),
    MovingMeshes(Shapes, TimeOfContactRequest),
    DeformingMeshes(Box<[Deforming; 2]>),
    MovingRobot { robot: Robot, obstacle: Arc<Model>, motion: Interpolation, among_links: bool },
    OwnMesh(Arc<Model>, SelfCollisionRequest),
    OwnDeforming(Box<Deforming>),
    OwnRobot(Robot),
}

// Reasons why triangles are needed, the ends of messages.
const HAUSDORFF: &str = "the Hausdorff distance needs triangles";
const SPANNING: &str = "the spanning distance needs vertices";
const CONTACT: &str = "the time of contact needs triangles";
const SELF_COLLISION: &str = "self-collision needs triangles";

impl PairFields {
    /// Solidity of the meshes; without it closed ones are solids and open ones surfaces.
    fn solidity(&self) -> Option<Solidity> {
        match (self.solid, self.surface) {
            (true, _) => Some(Solidity::Solid),
            (_, true) => Some(Solidity::Surface),
            _ => None,
        }
    }

    fn parsed(&self, context: &Context) -> Result<[ShapeArgument; 2], Fault> {
        let parse = |text| ShapeArgument::parse_in(text, context.folder);
        Ok([parse(&self.a)?, parse(&self.b)?])
    }

    /// Loads the shapes: as convex shapes where their form is convex, unless both have triangles and one is a mesh file, or
    /// triangles are needed for the reason `why`.
    fn load(&self, context: &Context, why: Option<String>) -> Result<Shapes, Fault> {
        let shapes = self.parsed(context)?;
        let are_convex = self.is_convex(&shapes);
        if why.is_some() || self.surface || !are_convex && shapes.iter().all(ShapeArgument::has_triangles) {
            return self.meshes(context, &why.unwrap_or_else(|| Self::mesh_reason(context)));
        }
        if are_convex {
            let cache = context.library.cache().map(|_| "cache");
            context.refuse(cache, "applies to meshes only: two convex shapes need no preprocessing")?;
        }
        self.as_written(context, &shapes)
    }

    /// Loads the shapes, each as a convex shape where its form is convex and `surface` does not demand triangles.
    fn as_written(&self, context: &Context, shapes: &[ShapeArgument; 2]) -> Result<Shapes, Fault> {
        let load = |shape: &ShapeArgument| {
            if shape.is_convex() && !self.surface {
                return context.library.convex(shape);
            }
            shape.need_triangles(&Self::mesh_reason(context))?;
            context.library.mesh(shape, self.solidity())
        };
        Ok([load(&shapes[0])?, load(&shapes[1])?])
    }

    /// Whether both shapes are treated as convex.
    fn is_convex(&self, shapes: &[ShapeArgument; 2]) -> bool {
        shapes.iter().all(ShapeArgument::is_convex) && !self.surface
    }

    /// Reason why triangles of both shapes are needed where the question itself does not need them: without `surface`, shapes
    /// without triangles are accepted.
    fn mesh_reason(context: &Context) -> String {
        format!("{} needs triangles of both shapes", context.name("surface"))
    }

    /// Loads the shapes as triangles, which are needed for the reason `why`.
    fn meshes(&self, context: &Context, why: &str) -> Result<Shapes, Fault> {
        let shapes = self.parsed(context)?;
        shapes.iter().try_for_each(|shape| shape.need_triangles(why))?;
        let mesh = |shape| context.library.mesh(shape, self.solidity());
        Ok([mesh(&shapes[0])?, mesh(&shapes[1])?])
    }

    /// Loads the shapes of a penetration query: with a cache, the maximally clear configurations of meshes are read or written.
    fn with_clear_configurations(&self, context: &Context) -> Result<Shapes, Fault> {
        let shapes = self.parsed(context)?;
        let all_triangles = shapes.iter().all(ShapeArgument::has_triangles);
        let folder = context.library.cache().filter(|_| !self.is_convex(&shapes) && all_triangles);
        let Some(folder) = folder else { return self.load(context, None) };
        let bad = |error: &dyn std::error::Error| Fault::of(Class::BadFile, error);
        let cached = |shape: &ShapeArgument| {
            let mut model = shape.model(self.solidity(), context.library.access(), Some(folder))?;
            let path = folder.join(format!("{}.json", model.clear_configurations_key()));
            if path.exists() {
                model.load_clear_configurations(&path).map_err(|error| bad(&error))?;
            } else {
                make_folder(folder)?;
                model.save_clear_configurations(&path).map_err(|error| bad(&error))?;
            }
            Ok(model.into())
        };
        Ok([cached(&shapes[0])?, cached(&shapes[1])?])
    }

    /// Loads the shapes for a search with rotations: as convex shapes where their form is convex.
    fn searched(&self, context: &Context) -> Result<Shapes, Fault> {
        let shapes = self.as_written(context, &self.parsed(context)?)?;
        // Rejects an infinite A, or one without volume, before the first query.
        let body = Actor::body(&self.a, shapes[0].searchable());
        body.map(|_| shapes).map_err(|error| Fault::of(Class::BadFile, &error))
    }
}

impl Question {
    /// Its kind, as written in a manifest.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Collide(..) => "collide",
            Self::Distance(..) => "distance",
            Self::Hausdorff(..) => "hausdorff",
            Self::Spanning(..) => "spanning",
            Self::TimeOfContact(..) => "time-of-contact",
            Self::SelfCollision(..) => "self-collision",
            Self::Penetration(..) => "penetration",
            Self::Generalized(..) => "generalized",
        }
    }

    /// Whether it depends on poses; the self-collision of a single mesh does not.
    pub(super) fn takes_poses(&self) -> bool {
        !matches!(self, Self::SelfCollision(shape, ..) if !is_robot(shape))
    }

    /// Form of its pose lines.
    pub(super) fn form(&self) -> LineForm {
        match self {
            Self::TimeOfContact(PairFields { a, .. }, ..) | Self::SelfCollision(a, ..) if is_robot(a) => {
                LineForm::Robot
            }
            Self::TimeOfContact(..) => LineForm::Motion,
            _ => LineForm::Rest,
        }
    }

    /// Loads the shapes and prepares the query.
    ///
    /// # Errors
    /// A [`Fault`] where a shape cannot be loaded or options exclude each other.
    pub fn prepare(&self, context: &Context) -> Result<Prepared, Fault> {
        let subject = match self {
            Self::Collide(pair, request) => {
                let fields = [("all", request.all, "reports"), ("segments", request.segments, "intersects")];
                let given = fields.into_iter().find(|(_, given, _)| *given);
                let why = given.map(|(name, _, does)| format!("{} {does} triangles", context.name(name)));
                Subject::Collide(pair.load(context, why)?, *request)
            }
            Self::Distance(pair, request) => {
                let parallel = context.parallel && !context.sequence;
                Subject::Distance(pair.load(context, None)?, *request, Cache::default(), parallel)
            }
            Self::Hausdorff(pair, request) => Subject::Hausdorff(pair.meshes(context, HAUSDORFF)?, *request),
            Self::Spanning(pair) => Subject::Spanning(pair.meshes(context, SPANNING)?),
            Self::TimeOfContact(pair, request, robot) => moving(pair, request, robot, context)?,
            Self::SelfCollision(shape, request, robot) => own(shape, request, robot, context)?,
            Self::Penetration(pair, request) => penetrating(pair, request, context)?,
            Self::Generalized(pair, request) => {
                let coherent = request.coherent.then_some("coherent").filter(|_| !context.sequence);
                context.refuse(coherent, "uses results of previous poses and needs `--poses`")?;
                let (shapes, options) = (pair.searched(context)?, request.options(context.parallel));
                Subject::Generalized(shapes, options, Cache::default(), request.coherent)
            }
        };
        Ok(Prepared { subject, form: self.form(), in_motion: false, for_people: false })
    }
}

fn penetrating(pair: &PairFields, request: &PenetrationRequest, context: &Context) -> Result<Subject, Fault> {
    if request.start == Some(FreeConfiguration::MotionCoherence) && !context.sequence {
        let start = context.name("start coherence");
        let why = format!("{start} uses results of previous poses and needs `--poses`");
        return Err(Fault::new(Class::Usage, why));
    }
    let names = [&pair.a, &pair.b].map(|name| name.as_str()).into_iter().filter(|_| !pair.surface);
    let pair = pair.with_clear_configurations(context)?;
    if context.origin == Origin::Options {
        let open = names.zip(&pair).filter_map(|(name, shape)| {
            let model = shape.model().filter(|model| model.solidity() == Solidity::Surface)?;
            let why = without_inside(model.mesh());
            Some(format!(
                "{name} has no inside: {why}, so only overlaps of its triangles are found; {DEFECTS}"
            ))
        });
        context.library.access().warn_of(&open.collect::<Vec<_>>());
    }
    if pair.iter().all(|shape| shape.core().is_some()) {
        let why = "applies to meshes only: two convex shapes are solved exactly, without a search";
        context.refuse(request.given_for_meshes(), why)?;
    }
    let options = request.options(context.parallel && !context.sequence);
    Ok(Subject::Penetration(pair, options, Cache::default()))
}

fn moving(
    pair: &PairFields,
    request: &TimeOfContactRequest,
    fields: &RobotFields,
    context: &Context,
) -> Result<Subject, Fault> {
    let deforms = request.a_end.is_some() || request.b_end.is_some();
    if is_robot(&pair.a) {
        if deforms || request.tolerance.is_some() {
            let [a, b, t] = ["a_end", "b_end", "tolerance"].map(|field| context.name(field));
            return Err(Fault::new(Class::Usage, format!("{a}, {b} and {t} do not apply to robots")));
        }
        let robot =
            Robot::read((&pair.a, context.folder), fields, pair.solidity(), context.library.access())?;
        let obstacle = ShapeArgument::parse_in(&pair.b, context.folder)?;
        obstacle.need_triangles(CONTACT)?;
        let obstacle = context.library.model(&obstacle, pair.solidity())?;
        let (motion, among_links) = (request.interpolation(), request.self_collision);
        return Ok(Subject::MovingRobot { robot, obstacle, motion, among_links });
    }
    context
        .refuse(fields.given(), "applies to robots only: a file that ends in .urdf, .xacro, .xml or .mjcf")?;
    let own = request.self_collision.then_some("self_collision");
    context.refuse(own, "applies to robots only; for one mesh use `query self-collision`")?;
    let shapes = pair.meshes(context, CONTACT)?;
    if !deforms {
        return Ok(Subject::MovingMeshes(shapes, request.clone()));
    }
    let rigid = [("motion", request.motion.is_some()), ("tolerance", request.tolerance.is_some())];
    let rigid = rigid.into_iter().find(|(_, given)| *given).map(|(name, _)| name);
    context.refuse(rigid, "applies to rigid bodies only")?;
    let [a, b] = shapes.each_ref().map(|shape| shape.model().expect("triangles are needed").mesh());
    let deforming = |mesh: &TriangleMesh, end: Option<&std::path::PathBuf>| {
        let end = end.map(|end| context.folder.join(end));
        Deforming::new(mesh.clone(), end.as_deref(), context.library.access())
    };
    let pair = [deforming(a, request.a_end.as_ref())?, deforming(b, request.b_end.as_ref())?];
    Ok(Subject::DeformingMeshes(Box::new(pair)))
}

fn own(
    text: &str,
    request: &SelfCollisionRequest,
    fields: &RobotFields,
    context: &Context,
) -> Result<Subject, Fault> {
    let of_rest = request.all || request.crossing;
    if is_robot(text) {
        if of_rest || request.end.is_some() {
            let [all, crossing, end] = ["all", "crossing", "end"].map(|field| context.name(field));
            let message = format!("{all}, {crossing} and {end} do not apply to robots");
            return Err(Fault::new(Class::Usage, message));
        }
        let robot = Robot::read((text, context.folder), fields, None, context.library.access())?;
        return Ok(Subject::OwnRobot(robot));
    }
    context
        .refuse(fields.given(), "applies to robots only: a file that ends in .urdf, .xacro, .xml or .mjcf")?;
    let poses = context.sequence.then_some("poses");
    context
        .refuse(poses, "applies to robots only: the self-collision of a mesh does not depend on its pose")?;
    let shape = ShapeArgument::parse_in(text, context.folder)?;
    shape.need_triangles(SELF_COLLISION)?;
    let model = context.library.model(&shape, Some(Solidity::Surface))?;
    let Some(end) = &request.end else { return Ok(Subject::OwnMesh(model, request.clone())) };
    context.refuse(of_rest.then_some("end"), "excludes `all` and `crossing`")?;
    let end = context.folder.join(end);
    let mesh = Deforming::new(model.mesh().clone(), Some(&end), context.library.access())?;
    Ok(Subject::OwnDeforming(Box::new(mesh)))
}

impl Prepared {
    /// Parses the poses and joints of a line.
    ///
    /// # Errors
    /// A message that describes the error.
    pub fn trajectory(&self, line: &str) -> Result<Trajectory, String> {
        self.trajectory_at(&self.form.parse(line)?)
    }

    /// Default poses and joints: all shapes at the origin, all joints at zero.
    ///
    /// # Errors
    /// A message where joints cannot be at zero.
    pub fn origin(&self) -> Result<Trajectory, String> {
        self.trajectory_at(&PoseLine::default())
    }

    pub(super) fn trajectory_at(&self, line: &PoseLine) -> Result<Trajectory, String> {
        let joints = match &self.subject {
            Subject::MovingRobot { robot, .. } | Subject::OwnRobot(robot) => Some(robot.joints(line)?),
            _ => None,
        };
        Ok(Trajectory { motions: line.motions, joints })
    }

    /// Adds to answers what only their text has.
    pub fn detail(&mut self) {
        self.for_people = true;
    }

    /// Announces the trajectories that will be queried: where a robot moves in one, all are treated as motions.
    pub fn announce(&mut self, trajectories: &[Trajectory]) {
        let joints_move = |one: &Trajectory| one.joints.as_ref().is_some_and(JointMotion::moves);
        self.in_motion =
            trajectories.iter().any(|one| joints_move(one) || one.motions.start != one.motions.end);
    }

    /// The answer for a trajectory, and the time of the query alone.
    pub fn answer(&mut self, trajectory: &Trajectory) -> (Answered<Response>, Duration) {
        let Subject::Penetration(shapes, options, cache) = &mut self.subject else {
            return timed(|| self.subject.answer(trajectory, self.in_motion));
        };
        // The local penetrations are computed after the search, outside its time.
        let posed = posed(shapes, &trajectory.motions.start);
        let (found, time) = timed(|| penetration::search(&posed, options, cache));
        let response = |found| PenetrationResponse::new(found, &posed, self.for_people);
        let found = with_message(found.and_then(response));
        (found.map(Response::Penetration), time)
    }
}

impl Subject {
    fn answer(&mut self, Trajectory { motions, joints }: &Trajectory, in_motion: bool) -> Answered<Response> {
        let poses = &motions.start;
        match self {
            Self::Collide(shapes, request) => {
                with_message(request.answer(&posed(shapes, poses))).map(Response::Collide)
            }
            Self::Distance(shapes, request, cache, parallel) => {
                let found = request.answer(&posed(shapes, poses), *parallel, cache);
                with_message(found).map(Response::Distance)
            }
            Self::Hausdorff(shapes, request) => {
                with_message(request.answer(&posed(shapes, poses))).map(Response::Hausdorff)
            }
            Self::Spanning(shapes) => {
                with_message(spanning::of_meshes(&posed(shapes, poses))).map(Response::Spanning)
            }
            Self::Penetration(..) => unreachable!("a penetration is answered by `Prepared::answer`"),
            Self::Generalized(shapes, options, cache, coherent) => {
                // Without coherence no result may depend on the previous pose.
                if !*coherent {
                    cache.forget();
                }
                with_message(generalized::search(&posed(shapes, poses), options, cache))
                    .map(Response::Generalized)
            }
            Self::MovingMeshes(shapes, request) => {
                with_message(request.answer(shapes, motions)).map(Response::TimeOfContact)
            }
            Self::DeformingMeshes(pair) => deforming(pair, motions).map(Response::TimeOfContact),
            Self::MovingRobot { robot, obstacle, motion, among_links } => {
                let joints = joints.as_ref().ok_or("a robot needs its joints")?;
                let found = robot.first_contact((joints, motions), *motion, Some(obstacle), *among_links);
                found.map(Response::TimeOfContact)
            }
            Self::OwnMesh(model, request) => Ok(Response::MeshAtRest(at_rest(model, request))),
            Self::OwnDeforming(mesh) => own_deforming(mesh).map(Response::MeshInMotion),
            Self::OwnRobot(robot) => {
                let joints = joints.as_ref().ok_or("a robot needs its joints")?;
                if in_motion {
                    let found = robot.first_contact((joints, motions), Motion::linear, None, true);
                    return found.map(Response::TimeOfContact);
                }
                robot.links_at_rest(joints, motions).map(Response::LinksAtRest)
            }
        }
    }
}

fn posed<'a>([a, b]: &'a Shapes, poses: &Poses) -> [Posed<'a>; 2] {
    [Posed::new(a, poses.a), Posed::new(b, poses.b)]
}

/// The result, with the message of its error.
fn with_message<T>(found: Result<T, QueryError>) -> Answered<T> {
    found.map_err(|error| error.to_string())
}

fn deforming([a, b]: &mut [Deforming; 2], Motions { start, end }: &Motions) -> Answered<FirstContact> {
    let (a, b) = (a.moved(&start.a, &end.a)?, b.moved(&start.b, &end.b)?);
    let found = first_contact(a, b, &DeformingOptions::default()).map_err(|error| error.to_string())?;
    let contact = |found| FirstContact::Deforming(FeatureContact::new(&found, a, b));
    Ok(found.map_or(FirstContact::NONE, contact))
}

fn own_deforming(mesh: &mut Deforming) -> Answered<MeshInMotion> {
    let still = nalgebra::Isometry3::identity();
    let mesh = mesh.moved(&still, &still)?;
    let found = first_self_contact(mesh, &DeformingOptions::default()).map_err(|error| error.to_string())?;
    let contact = found.map(|found| FeatureContact::new(&found, mesh, mesh));
    Ok(MeshInMotion { collides: contact.is_some(), contact })
}
