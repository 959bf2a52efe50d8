//! Questions about shapes: loading of the shapes, and evaluation by the queries of the library.

use std::sync::Arc;
use std::time::Duration;

use nalgebra::Isometry3;
use schemars::JsonSchema;
use serde::Deserialize;

use super::collide::CollideRequest;
use super::context::{Context, Origin};
use super::deforming::{Deforming, FeatureContact};
use super::distance::DistanceRequest;
use super::fault::{Class, Fault};
use super::generalized::{self, GeneralizedRequest};
use super::hausdorff::HausdorffRequest;
use super::obstacles::split;
use super::penetration::{self, PenetrationRequest, PenetrationResponse};
use super::poses::{LineForm, Motions, PoseLine, Poses};
use super::reply::{Answered, timed};
use super::response::Response;
use super::robot::{JointMotion, Robot, RobotFields};
use super::self_collision::{MeshInMotion, SelfCollisionRequest, at_rest};
use super::shape::{DEFECTS, ShapeArgument, is_robot, make_folder, without_inside};
use super::side::{Side, Sides};
use super::spanning;
use super::time_of_contact::{FirstContact, Interpolation, LinkContact, TimeOfContactRequest};
use crate::repair::Actor;
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::kinematics::Motion;
use extricate_core::penetration::FreeConfiguration;
use extricate_core::proximity::deforming::{DeformingOptions, first_contact, first_self_contact};
use extricate_core::proximity::{Model, MovingObstacle};
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
    Collide(PairFields, CollideRequest, RobotFields),
    /// Distance of two shapes.
    Distance(PairFields, DistanceRequest, RobotFields),
    /// Hausdorff distance of two surfaces.
    Hausdorff(PairFields, HausdorffRequest),
    /// Maximum distance between points of two shapes.
    Spanning(PairFields),
    /// Time of first contact of two moving shapes.
    TimeOfContact(PairFields, TimeOfContactRequest, RobotFields),
    /// Self-collision of a mesh or a robot.
    SelfCollision(String, SelfCollisionRequest, RobotFields),
    /// Translational penetration depth of A in B.
    Penetration(PairFields, PenetrationRequest, RobotFields),
    /// Generalized penetration depth of A in B, rotations included.
    Generalized(PairFields, GeneralizedRequest),
}

/// A question with its shapes loaded, to be answered at many poses; it caches the last ones where that helps.
pub struct Prepared {
    subject: Subject,
    form: LineForm,
    /// Poses written behind A and B, which those of lines displace.
    placed: [Isometry3<f64>; 2],
    /// Named configurations of A and of B where lines name none.
    at: [Option<String>; 2],
    /// Whether a robot moves in one of the announced lines.
    in_motion: bool,
    /// Whether the answers are text for people, with distances of separate shapes.
    for_people: bool,
}

/// Poses of the shapes and joint values of a robot at the start and end of a line, in the form of the question.
#[derive(Debug, Clone)]
pub struct Trajectory {
    motions: Motions,
    /// Of A and of B, those that are robots.
    joints: [Option<JointMotion>; 2],
}

type Shapes = [Shape; 2];

/// Loaded shapes with the options and caches of their question.
enum Subject {
    Collide(Sides, CollideRequest),
    Distance(Sides, DistanceRequest, Cache, bool),
    Hausdorff(Shapes, HausdorffRequest),
    Spanning(Shapes),
    Penetration(Sides, PenetrationOptions, Cache),
    /// With whether it is coherent, and whether its clearance is given.
    Generalized(Shapes, RigidPenetrationOptions, Cache, [bool; 2]),
    MovingMeshes(Shapes, TimeOfContactRequest),
    DeformingMeshes(Box<[Deforming; 2]>),
    MovingRobot {
        robot: Arc<Robot>,
        side: usize,
        obstacle: Arc<Model>,
        motion: Interpolation,
        among_links: bool,
    },
    MovingRobots([Arc<Robot>; 2], Interpolation),
    OwnMesh(Arc<Model>, SelfCollisionRequest),
    OwnDeforming(Box<Deforming>),
    OwnRobot(Arc<Robot>),
}

// Reasons why triangles are needed, the ends of messages.
const HAUSDORFF: &str = "the Hausdorff distance needs triangles";
const SPANNING: &str = "the spanning distance needs vertices";
const CONTACT: &str = "the time of contact needs triangles";
const SELF_COLLISION: &str = "self-collision needs triangles";

/// Reason for which links of two robots are not tested among themselves.
const TWO_ROBOTS: &str = "applies to one robot beside a shape; `query self-collision` tests each of two";

impl PairFields {
    /// Solidity of the meshes; without it closed ones are solids and open ones surfaces.
    pub(super) fn solidity(&self) -> Option<Solidity> {
        match (self.solid, self.surface) {
            (true, _) => Some(Solidity::Solid),
            (_, true) => Some(Solidity::Surface),
            _ => None,
        }
    }

    fn parsed(&self, context: &Context) -> Result<[ShapeArgument; 2], Fault> {
        let parse = |text: &String| {
            if is_robot(text) {
                let kinds = "collide, distance, penetration, time-of-contact and self-collision take robots";
                return Err(Fault::new(Class::Usage, format!("`{text}` is a robot: {kinds}")));
            }
            ShapeArgument::parse_in(text, context.folder)
        };
        Ok([parse(&self.a)?, parse(&self.b)?])
    }

    /// Whether A and B are robots.
    fn robots(&self) -> [bool; 2] {
        [&self.a, &self.b].map(|text| is_robot(split(text).map_or(text, |(body, _)| body)))
    }

    /// A and B without the poses that are written behind them, and these poses.
    fn placed(&self) -> Result<(Self, [Isometry3<f64>; 2]), Fault> {
        let ((a, pose_a), (b, pose_b)) = (split(&self.a)?, split(&self.b)?);
        Ok((Self { a: a.to_owned(), b: b.to_owned(), ..*self }, [pose_a, pose_b]))
    }

    fn has_robots(&self) -> bool {
        self.robots() != [false; 2]
    }

    /// Refuses the options of robots where neither A nor B is one.
    fn refuse_fields(fields: &RobotFields, context: &Context) -> Result<(), Fault> {
        let why = "applies to robots only: a file that ends in .urdf, .xacro, .xml or .mjcf";
        context.refuse(fields.given(), why)
    }

    /// Loads A and B: robots with their options, or shapes by `load`.
    fn sides(
        &self,
        fields: &RobotFields,
        context: &Context,
        load: impl FnOnce() -> Result<Shapes, Fault>,
    ) -> Result<Sides, Fault> {
        if self.has_robots() {
            let cache = context.library.cache().map(|_| "cache");
            context.refuse(cache, "applies to meshes only, not to robots")?;
            return Sides::with_robots(self, fields, context);
        }
        Self::refuse_fields(fields, context)?;
        Ok(Sides::of_shapes(load()?, self))
    }

    /// Loads a shape beside a robot: as a convex shape where its form is convex and `surface` does not demand triangles.
    pub(super) fn single(&self, text: &str, context: &Context) -> Result<Shape, Fault> {
        self.one_as_written(context, &ShapeArgument::parse_in(text, context.folder)?)
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
        Ok([self.one_as_written(context, &shapes[0])?, self.one_as_written(context, &shapes[1])?])
    }

    fn one_as_written(&self, context: &Context, shape: &ShapeArgument) -> Result<Shape, Fault> {
        if shape.is_convex() && !self.surface {
            return context.library.convex(shape);
        }
        shape.need_triangles(&Self::mesh_reason(context))?;
        context.library.mesh(shape, self.solidity())
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
            Self::SelfCollision(a, ..) if is_robot(a) => LineForm { moves: true, robots: [true, false] },
            Self::TimeOfContact(pair, ..) => LineForm { moves: true, robots: pair.robots() },
            Self::Collide(pair, ..) | Self::Distance(pair, ..) | Self::Penetration(pair, ..) => {
                LineForm { moves: false, robots: pair.robots() }
            }
            _ => LineForm::default(),
        }
    }

    /// Options of robots.
    fn robot_fields(&self) -> Option<&RobotFields> {
        match self {
            Self::Collide(.., fields)
            | Self::Distance(.., fields)
            | Self::Penetration(.., fields)
            | Self::TimeOfContact(.., fields)
            | Self::SelfCollision(.., fields) => Some(fields),
            _ => None,
        }
    }

    /// Named configurations of A and of B where lines name none: the only robot is the one of `at`.
    fn at(&self) -> [Option<String>; 2] {
        let (at, b_at) =
            self.robot_fields().map(|fields| (fields.at.clone(), fields.b_at.clone())).unwrap_or_default();
        if self.form().robots == [false, true] { [None, at] } else { [at, b_at] }
    }

    /// Loads the shapes and prepares the query.
    ///
    /// # Errors
    /// A [`Fault`] where a shape cannot be loaded or options exclude each other.
    pub fn prepare(&self, context: &Context) -> Result<Prepared, Fault> {
        let mut question = self.clone();
        let mut placed = [Isometry3::identity(); 2];
        if let Some(pair) = question.pair_mut() {
            (*pair, placed) = pair.placed()?;
        }
        let subject = question.subject(context)?;
        Ok(Prepared {
            subject,
            placed,
            form: self.form(),
            at: self.at(),
            in_motion: false,
            for_people: false,
        })
    }

    fn pair_mut(&mut self) -> Option<&mut PairFields> {
        match self {
            Self::Collide(pair, ..)
            | Self::Distance(pair, ..)
            | Self::Hausdorff(pair, ..)
            | Self::Spanning(pair)
            | Self::TimeOfContact(pair, ..)
            | Self::Penetration(pair, ..)
            | Self::Generalized(pair, ..) => Some(pair),
            Self::SelfCollision(..) => None,
        }
    }

    fn subject(&self, context: &Context) -> Result<Subject, Fault> {
        Ok(match self {
            Self::Collide(pair, request, robot) => colliding(pair, *request, robot, context)?,
            Self::Distance(pair, request, robot) => {
                let parallel = context.parallel && !context.sequence;
                let sides = pair.sides(robot, context, || pair.load(context, None))?;
                Subject::Distance(sides, *request, Cache::default(), parallel)
            }
            Self::Hausdorff(pair, request) => Subject::Hausdorff(pair.meshes(context, HAUSDORFF)?, *request),
            Self::Spanning(pair) => Subject::Spanning(pair.meshes(context, SPANNING)?),
            Self::TimeOfContact(pair, request, robot) => moving(pair, request, robot, context)?,
            Self::SelfCollision(shape, request, robot) => own(shape, request, robot, context)?,
            Self::Penetration(pair, request, robot) => penetrating(pair, request, robot, context)?,
            Self::Generalized(pair, request) => {
                let coherent = request.coherent.then_some("coherent").filter(|_| !context.sequence);
                context.refuse(coherent, "uses results of previous poses and needs `--poses`")?;
                let (shapes, options) = (pair.searched(context)?, request.options(context.parallel));
                let flags = [request.coherent, request.clearance.is_some()];
                Subject::Generalized(shapes, options, Cache::default(), flags)
            }
        })
    }
}

fn colliding(
    pair: &PairFields,
    request: CollideRequest,
    robot: &RobotFields,
    context: &Context,
) -> Result<Subject, Fault> {
    let fields = [("all", request.all, "reports"), ("segments", request.segments, "intersects")];
    let given = fields.into_iter().find(|(_, given, _)| *given);
    if pair.has_robots() {
        context.refuse(given.map(|(name, ..)| name), "does not apply to robots")?;
    }
    let own = request.self_collision.then_some("self_collision");
    match pair.robots() {
        [false, false] => {
            context.refuse(own, "applies to robots only; for one mesh use `query self-collision`")?;
        }
        [true, true] => context.refuse(own, TWO_ROBOTS)?,
        _ => {}
    }
    let why = given.map(|(name, _, does)| format!("{} {does} triangles", context.name(name)));
    Ok(Subject::Collide(pair.sides(robot, context, || pair.load(context, why))?, request))
}

fn penetrating(
    pair: &PairFields,
    request: &PenetrationRequest,
    robot: &RobotFields,
    context: &Context,
) -> Result<Subject, Fault> {
    if request.start == Some(FreeConfiguration::MotionCoherence) && !context.sequence {
        let start = context.name("start coherence");
        let why = format!("{start} uses results of previous poses and needs `--poses`");
        return Err(Fault::new(Class::Usage, why));
    }
    let names = [&pair.a, &pair.b].map(|name| name.as_str()).into_iter().filter(|_| !pair.surface);
    let pair = pair.sides(robot, context, || pair.with_clear_configurations(context))?;
    if context.origin == Origin::Options {
        let open = names.zip(&pair.sides).filter_map(|(name, side)| {
            let Side::Shape(shape) = side else { return None };
            let model = shape.model().filter(|model| model.solidity() == Solidity::Surface)?;
            let why = without_inside(model.mesh());
            Some(format!(
                "{name} has no inside: {why}, so only overlaps of its triangles are found; {DEFECTS}"
            ))
        });
        context.library.access().warn_of(&open.collect::<Vec<_>>());
    }
    if pair.shapes().is_some_and(|pair| pair.iter().all(|shape| shape.core().is_some())) {
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
    if pair.has_robots() {
        if deforms || request.tolerance.is_some() {
            let [a, b, t] = ["a_end", "b_end", "tolerance"].map(|field| context.name(field));
            return Err(Fault::new(Class::Usage, format!("{a}, {b} and {t} do not apply to robots")));
        }
        return moving_robots(pair, request, fields, context);
    }
    PairFields::refuse_fields(fields, context)?;
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

fn moving_robots(
    pair: &PairFields,
    request: &TimeOfContactRequest,
    fields: &RobotFields,
    context: &Context,
) -> Result<Subject, Fault> {
    let (motion, among_links) = (request.interpolation(), request.self_collision);
    if pair.robots() == [true, true] {
        context.refuse(among_links.then_some("self_collision"), TWO_ROBOTS)?;
    } else {
        // Tested before the robot is read.
        let shape = if is_robot(&pair.a) { &pair.b } else { &pair.a };
        ShapeArgument::parse_in(shape, context.folder)?.need_triangles(CONTACT)?;
    }
    let Sides { sides, .. } = Sides::with_robots(pair, fields, context)?;
    let (robot, side, shape) = match sides {
        [Side::Robot(a), Side::Robot(b)] => return Ok(Subject::MovingRobots([a, b], motion)),
        [Side::Robot(robot), _] => (robot, 0, &pair.b),
        [_, Side::Robot(robot)] => (robot, 1, &pair.a),
        _ => unreachable!("one of both is a robot"),
    };
    let obstacle = ShapeArgument::parse_in(shape, context.folder)?;
    let obstacle = context.library.model(&obstacle, pair.solidity())?;
    Ok(Subject::MovingRobot { robot, side, obstacle, motion, among_links })
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
        context.refuse(fields.b_at.as_ref().map(|_| "b_at"), "applies to two robots only")?;
        return Ok(Subject::OwnRobot(Robot::of(text, fields, (None, false), context)?));
    }
    PairFields::refuse_fields(fields, context)?;
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
        let joints = |side: usize| {
            let robot = self.subject.robot(side);
            robot.map(|robot| robot.joints(&line.robots[side], self.at[side].as_deref())).transpose()
        };
        Ok(Trajectory { motions: line.motions.of_placed(&self.placed), joints: [joints(0)?, joints(1)?] })
    }

    /// Adds to answers what only their text has.
    pub fn detail(&mut self) {
        self.for_people = true;
    }

    /// Announces the trajectories that will be queried: where a robot moves in one, all are treated as motions.
    pub fn announce(&mut self, trajectories: &[Trajectory]) {
        let joints_move = |one: &Trajectory| one.joints.iter().flatten().any(JointMotion::moves);
        self.in_motion =
            trajectories.iter().any(|one| joints_move(one) || one.motions.start != one.motions.end);
    }

    /// The answer for a trajectory, and the time of the query alone.
    pub fn answer(&mut self, trajectory: &Trajectory) -> (Answered<Response>, Duration) {
        let Subject::Penetration(sides, options, cache) = &mut self.subject else {
            return timed(|| self.subject.answer(trajectory, self.in_motion));
        };
        let posed = match trajectory.posed(sides) {
            Ok(posed) => posed,
            Err(why) => return (Err(why), Duration::ZERO),
        };
        // The local penetrations are computed after the search, outside its time.
        let (found, time) = timed(|| penetration::search(&posed, options, cache));
        let names = sides.names(&posed);
        let response = |found: Vec<_>| PenetrationResponse::new(&found, (&posed, &names), self.for_people);
        let found = with_message(found.and_then(response));
        (found.map(Response::Penetration), time)
    }
}

impl Trajectory {
    /// A and B at the start.
    fn posed<'a>(&self, sides: &'a Sides) -> Answered<[Posed<'a>; 2]> {
        let Poses { a, b } = &self.motions.start;
        sides.posed([a, b], &self.joints)
    }

    /// The configurations of the robot that is A or B.
    fn joints(&self, side: usize) -> Answered<&JointMotion> {
        self.joints[side].as_ref().ok_or_else(|| String::from("a robot needs its joints"))
    }
}

impl Subject {
    /// The robot that is A or B.
    fn robot(&self, side: usize) -> Option<&Robot> {
        match self {
            Self::Collide(sides, ..) | Self::Distance(sides, ..) | Self::Penetration(sides, ..) => {
                sides.robot(side)
            }
            Self::MovingRobot { robot, side: own, .. } => Some(&**robot).filter(|_| side == *own),
            Self::MovingRobots(robots, _) => Some(&robots[side]),
            Self::OwnRobot(robot) => Some(&**robot).filter(|_| side == 0),
            _ => None,
        }
    }

    fn answer(&mut self, trajectory: &Trajectory, in_motion: bool) -> Answered<Response> {
        let Trajectory { motions, .. } = trajectory;
        let poses = &motions.start;
        match self {
            Self::Collide(sides, request) => {
                let posed = trajectory.posed(sides)?;
                let mut found = with_message(request.answer(&posed, &sides.names(&posed)))?;
                if let (Some((side, robot)), true) = (sides.only_robot(), request.self_collision) {
                    let base = if side == 0 { &poses.a } else { &poses.b };
                    found.add_self_collisions(robot.self_collisions(trajectory.joints(side)?, base)?);
                }
                Ok(Response::Collide(found))
            }
            Self::Distance(sides, request, cache, parallel) => {
                let posed = trajectory.posed(sides)?;
                let found = request.answer(&posed, &sides.names(&posed), (*parallel, cache));
                with_message(found).map(Response::Distance)
            }
            Self::Hausdorff(shapes, request) => {
                with_message(request.answer(&posed(shapes, poses))).map(Response::Hausdorff)
            }
            Self::Spanning(shapes) => {
                with_message(spanning::of_meshes(&posed(shapes, poses))).map(Response::Spanning)
            }
            Self::Penetration(..) => unreachable!("a penetration is answered by `Prepared::answer`"),
            Self::Generalized(shapes, options, cache, [coherent, is_given]) => {
                // Without coherence no result may depend on the previous pose.
                if !*coherent {
                    cache.forget();
                }
                with_message(generalized::search(&posed(shapes, poses), (options, *is_given), cache))
                    .map(Response::Generalized)
            }
            Self::MovingMeshes(shapes, request) => {
                with_message(request.answer(shapes, motions)).map(Response::TimeOfContact)
            }
            Self::DeformingMeshes(pair) => deforming(pair, motions).map(Response::TimeOfContact),
            Self::MovingRobot { robot, side, obstacle, motion, among_links } => {
                let [own, other] = if *side == 0 { [0, 1] } else { [1, 0] };
                let moved = (trajectory.joints(own)?, motions.of(own, *motion));
                let obstacle = MovingObstacle { model: obstacle, motion: motions.of(other, *motion) };
                let found = robot.first_contact(moved, Some(obstacle), *among_links)?;
                let letter = if other == 0 { 'A' } else { 'B' };
                let found = found.map(|found| LinkContact { obstacle: letter, ..found });
                Ok(Response::TimeOfContact(FirstContact::of_robot(found)))
            }
            Self::MovingRobots([a, b], motion) => {
                let moved =
                    |side: usize| Ok::<_, String>((trajectory.joints(side)?, motions.of(side, *motion)));
                let found = a.first_contact_with(moved(0)?, b, moved(1)?)?;
                Ok(Response::TimeOfContact(FirstContact::of_robot(found)))
            }
            Self::OwnMesh(model, request) => Ok(Response::MeshAtRest(at_rest(model, request))),
            Self::OwnDeforming(mesh) => own_deforming(mesh).map(Response::MeshInMotion),
            Self::OwnRobot(robot) => {
                let joints = trajectory.joints(0)?;
                if in_motion {
                    let found = robot.first_contact((joints, motions.of(0, Motion::linear)), None, true)?;
                    return Ok(Response::TimeOfContact(FirstContact::of_robot(found)));
                }
                robot.links_at_rest(joints, &poses.a).map(Response::LinksAtRest)
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
