//! Questions about shapes: what they are asked about is loaded, and the library's queries answer them.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::collide::CollideRequest;
use super::context::Context;
use super::deforming::{Deforming, FeatureContact};
use super::distance::DistanceRequest;
use super::fault::{Class, Fault};
use super::generalized::{self, GeneralizedRequest};
use super::hausdorff::HausdorffRequest;
use super::penetration::{self, PenetrationRequest, PenetrationResponse};
use super::poses::{At, LineForm, Motions, Poses};
use super::reply::{Answered, timed};
use super::response::Response;
use super::robot::{JointMotion, Robot, RobotFields};
use super::self_collision::{MeshInMotion, SelfCollisionRequest, at_rest};
use super::shape::{ShapeArgument, is_robot, make_folder};
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
    /// Take meshes as solids; an open mesh is an error then.
    #[serde(default)]
    pub solid: bool,
    /// Take meshes as surfaces without an inside.
    #[serde(default)]
    pub surface: bool,
}

/// A question about shapes, and its options.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Do two shapes collide?
    Collide(PairFields, CollideRequest),
    /// How far are two shapes apart?
    Distance(PairFields, DistanceRequest),
    /// How far do two surfaces deviate from one another?
    Hausdorff(PairFields, HausdorffRequest),
    /// How far are two shapes apart where they are farthest?
    Spanning(PairFields),
    /// When do two moving shapes first touch?
    TimeOfContact(PairFields, TimeOfContactRequest, RobotFields),
    /// Does a mesh or a robot collide with itself?
    SelfCollision(String, SelfCollisionRequest, RobotFields),
    /// How far must A move to be free of B?
    Penetration(PairFields, PenetrationRequest),
    /// How far must A move, rotations allowed, to be free of B?
    Generalized(PairFields, GeneralizedRequest),
}

/// A question whose shapes are loaded: it may be answered at many poses, and remembers the last ones where that helps.
pub struct Prepared {
    subject: Subject,
    form: LineForm,
    /// Whether something moves in a line of a robot.
    in_motion: bool,
}

/// Poses and joints of a line, as they suit the question.
#[derive(Debug, Clone)]
pub struct Course {
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

/// Reasons why triangles are needed.
const HAUSDORFF: &str = "the Hausdorff distance is that of triangles";
const SPANNING: &str = "the spanning distance is that of vertices";
const CONTACT: &str = "the time of contact is that of triangles";
const OWN: &str = "self-collision is that of triangles";

impl PairFields {
    /// Interpretation of meshes; none leaves closed ones solid and open ones surfaces.
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

    /// The shapes: as convex ones where they are by their form, unless triangles describe both and one is a mesh file, or
    /// they are needed because of `why`.
    fn load(&self, context: &Context, why: Option<String>) -> Result<Shapes, Fault> {
        let shapes = self.parsed(context)?;
        let are_convex = self.is_convex(&shapes);
        if why.is_some() || self.surface || !are_convex && shapes.iter().all(ShapeArgument::has_triangles) {
            return self.meshes(context, &why.unwrap_or_else(|| Self::mesh_reason(context)));
        }
        if are_convex {
            let cache = context.library.cache().map(|_| "cache");
            context.refuse(cache, "belongs to meshes: two convex shapes are made ready at once")?;
        }
        self.as_written(context, &shapes)
    }

    /// The shapes, each as a convex one where it is by its form and `surface` does not ask for its triangles.
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

    /// Whether the shapes are answered as convex ones.
    fn is_convex(&self, shapes: &[ShapeArgument; 2]) -> bool {
        shapes.iter().all(ShapeArgument::is_convex) && !self.surface
    }

    /// Reason why triangles of both shapes are needed where the question does not ask for them: without `surface`, shapes that
    /// have none are answered as they are.
    fn mesh_reason(context: &Context) -> String {
        format!("{} takes the triangles of both shapes", context.name("surface"))
    }

    /// The shapes as triangles, which are needed because of `why`.
    fn meshes(&self, context: &Context, why: &str) -> Result<Shapes, Fault> {
        let shapes = self.parsed(context)?;
        shapes.iter().try_for_each(|shape| shape.need_triangles(why))?;
        let mesh = |shape| context.library.mesh(shape, self.solidity());
        Ok([mesh(&shapes[0])?, mesh(&shapes[1])?])
    }

    /// The shapes of a penetration: with a cache, the maximally clear configurations of meshes are read or written.
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

    /// The shapes for a search with rotations: as convex ones where they are by their form.
    fn searched(&self, context: &Context) -> Result<Shapes, Fault> {
        let shapes = self.as_written(context, &self.parsed(context)?)?;
        // An infinite A, or one without volume, is refused here.
        let body = Actor::body(&self.a, shapes[0].searchable());
        body.map(|_| shapes).map_err(|error| Fault::of(Class::BadFile, &error))
    }
}

impl Question {
    /// The word that a manifest asks it by.
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

    /// Whether it is asked at poses; a mesh alone collides with itself anywhere.
    pub(super) fn takes_poses(&self) -> bool {
        !matches!(self, Self::SelfCollision(shape, ..) if !is_robot(shape))
    }

    /// Fields that its pose lines may hold.
    pub(super) fn form(&self) -> LineForm {
        match self {
            Self::TimeOfContact(PairFields { a, .. }, ..) | Self::SelfCollision(a, ..) if is_robot(a) => {
                LineForm::Robot
            }
            Self::TimeOfContact(..) => LineForm::Motion,
            _ => LineForm::Rest,
        }
    }

    /// Loads the shapes.
    ///
    /// # Errors
    /// A [`Fault`] where a shape cannot be loaded or options exclude each other.
    pub fn prepare(&self, context: &Context) -> Result<Prepared, Fault> {
        let subject = match self {
            Self::Collide(pair, request) => {
                let fields = [("all", request.all, "names"), ("segments", request.segments, "intersects")];
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
                context.refuse(coherent, "remembers one pose for the next ones and needs `--poses`")?;
                let (shapes, options) = (pair.searched(context)?, request.options(context.parallel));
                Subject::Generalized(shapes, options, Cache::default(), request.coherent)
            }
        };
        Ok(Prepared { subject, form: self.form(), in_motion: false })
    }
}

fn penetrating(pair: &PairFields, request: &PenetrationRequest, context: &Context) -> Result<Subject, Fault> {
    if request.start == Some(FreeConfiguration::MotionCoherence) && !context.sequence {
        let start = context.name("start coherence");
        let why = format!("{start} remembers one pose for the next ones and needs `--poses`");
        return Err(Fault::new(Class::Usage, why));
    }
    let pair = pair.with_clear_configurations(context)?;
    if pair.iter().all(|shape| shape.core().is_some()) {
        let why = "belongs to meshes: two convex shapes are answered exactly, without a search";
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
            return Err(Fault::new(Class::Usage, format!("{a}, {b} and {t} do not go with a robot")));
        }
        let robot =
            Robot::read((&pair.a, context.folder), fields, pair.solidity(), context.library.access())?;
        let obstacle = ShapeArgument::parse_in(&pair.b, context.folder)?;
        obstacle.need_triangles(CONTACT)?;
        let obstacle = context.library.model(&obstacle, pair.solidity())?;
        let (motion, among_links) = (request.interpolation(), request.self_collision);
        return Ok(Subject::MovingRobot { robot, obstacle, motion, among_links });
    }
    context.refuse(fields.given(), "belongs to robots: a file that ends with .urdf")?;
    let own = request.self_collision.then_some("self_collision");
    context.refuse(own, "belongs to robots; `query self-collision` asks about one mesh")?;
    let shapes = pair.meshes(context, CONTACT)?;
    if !deforms {
        return Ok(Subject::MovingMeshes(shapes, request.clone()));
    }
    let rigid = [("motion", request.motion.is_some()), ("tolerance", request.tolerance.is_some())];
    let rigid = rigid.into_iter().find(|(_, given)| *given).map(|(name, _)| name);
    context.refuse(rigid, "belongs to rigid bodies")?;
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
            let message = format!("{all}, {crossing} and {end} do not go with a robot");
            return Err(Fault::new(Class::Usage, message));
        }
        let robot = Robot::read((text, context.folder), fields, None, context.library.access())?;
        return Ok(Subject::OwnRobot(robot));
    }
    context.refuse(fields.given(), "belongs to robots: a file that ends with .urdf")?;
    let poses = context.sequence.then_some("poses");
    context.refuse(poses, "belongs to robots: a mesh alone meets itself anywhere")?;
    let shape = ShapeArgument::parse_in(text, context.folder)?;
    shape.need_triangles(OWN)?;
    let model = context.library.model(&shape, Some(Solidity::Surface))?;
    let Some(end) = &request.end else { return Ok(Subject::OwnMesh(model, request.clone())) };
    context.refuse(of_rest.then_some("end"), "excludes `all` and `crossing`")?;
    let end = context.folder.join(end);
    let mesh = Deforming::new(model.mesh().clone(), Some(&end), context.library.access())?;
    Ok(Subject::OwnDeforming(Box::new(mesh)))
}

impl Prepared {
    /// Poses and joints of a line.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn course(&self, line: &str) -> Result<Course, String> {
        self.course_at(&self.form.parse(line)?)
    }

    /// Poses and joints where nothing else is said: all at the origin, all joints at zero.
    ///
    /// # Errors
    /// Says why joints cannot be at zero.
    pub fn origin(&self) -> Result<Course, String> {
        self.course_at(&At::default())
    }

    pub(super) fn course_at(&self, at: &At) -> Result<Course, String> {
        let joints = match &self.subject {
            Subject::MovingRobot { robot, .. } | Subject::OwnRobot(robot) => Some(robot.joints(at)?),
            _ => None,
        };
        Ok(Course { motions: at.motions, joints })
    }

    /// Takes note of the courses that will be asked about: where a robot moves in one, all are answered as motions.
    pub fn announce(&mut self, courses: &[Course]) {
        let joints_move = |course: &Course| course.joints.as_ref().is_some_and(JointMotion::moves);
        self.in_motion =
            courses.iter().any(|course| joints_move(course) || course.motions.start != course.motions.end);
    }

    /// The answer at a course, and the time of the query alone.
    pub fn answer(&mut self, course: &Course) -> (Answered<Response>, Duration) {
        let Subject::Penetration(shapes, options, cache) = &mut self.subject else {
            return timed(|| self.subject.answer(course, self.in_motion));
        };
        // The local penetrations are told beyond the search.
        let posed = posed(shapes, &course.motions.start);
        let (found, time) = timed(|| penetration::search(&posed, options, cache));
        let found = told(found.and_then(|found| PenetrationResponse::new(found, &posed)));
        (found.map(Response::Penetration), time)
    }
}

impl Subject {
    fn answer(&mut self, Course { motions, joints }: &Course, in_motion: bool) -> Answered<Response> {
        let poses = &motions.start;
        match self {
            Self::Collide(shapes, request) => {
                told(request.answer(&posed(shapes, poses))).map(Response::Collide)
            }
            Self::Distance(shapes, request, cache, parallel) => {
                let found = request.answer(&posed(shapes, poses), *parallel, cache);
                told(found).map(Response::Distance)
            }
            Self::Hausdorff(shapes, request) => {
                told(request.answer(&posed(shapes, poses))).map(Response::Hausdorff)
            }
            Self::Spanning(shapes) => {
                told(spanning::of_meshes(&posed(shapes, poses))).map(Response::Spanning)
            }
            Self::Penetration(..) => unreachable!("a search is timed by itself"),
            Self::Generalized(shapes, options, cache, coherent) => {
                if !*coherent {
                    cache.forget();
                }
                told(generalized::search(&posed(shapes, poses), options, cache)).map(Response::Generalized)
            }
            Self::MovingMeshes(shapes, request) => {
                told(request.answer(shapes, motions)).map(Response::TimeOfContact)
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

fn told<T>(found: Result<T, QueryError>) -> Answered<T> {
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
