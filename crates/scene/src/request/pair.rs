//! Questions about shapes: loading of the shapes, and evaluation by the queries of the library.

use std::time::Duration;

use nalgebra::Isometry3;

use super::collide::CollideRequest;
use super::context::{Context, Origin};
use super::deforming::Deforming;
use super::distance::DistanceRequest;
use super::fault::{Class, Fault};
use super::generalized::GeneralizedRequest;
use super::growth::GrowthRequest;
use super::hausdorff::HausdorffRequest;
use super::pair_fields::PairFields;
use super::penetration::{self, PenetrationRequest, PenetrationResponse};
use super::poses::{LineForm, PoseLine};
use super::reply::{Answered, timed};
use super::response::Response;
use super::robot::{JointMotion, Robot, RobotFields};
use super::self_collision::SelfCollisionRequest;
use super::shape::{DEFECTS, ShapeArgument, is_robot, without_inside};
use super::side::{Side, Sides, refuse_fields};
use super::subject::{Subject, Trajectory, with_message};
use super::time_of_contact::TimeOfContactRequest;
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::penetration::FreeConfiguration;
use extricate_core::query::Cache;

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
    /// Growth distance of two convex shapes.
    Growth(PairFields, GrowthRequest),
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

// Reasons why triangles are needed, the ends of messages.
const HAUSDORFF: &str = "the Hausdorff distance needs triangles";
const SPANNING: &str = "the spanning distance needs vertices";
const GROWTH: &str = "the growth distance is that of two convex shapes, as `hull:FILE` makes one of a mesh";
const CONTACT: &str = "the time of contact needs triangles";
const SELF_COLLISION: &str = "self-collision needs triangles";

/// Reason for which links of two robots are not tested among themselves.
const TWO_ROBOTS: &str = "applies to one robot beside a shape; `query self-collision` tests each of two";

impl Question {
    /// Its kind, as written in a manifest.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Collide(..) => "collide",
            Self::Distance(..) => "distance",
            Self::Hausdorff(..) => "hausdorff",
            Self::Spanning(..) => "spanning",
            Self::Growth(..) => "growth",
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
            | Self::Growth(pair, ..)
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
                let sides = Sides::load(pair, robot, context, || pair.load(context, None))?;
                Subject::Distance(sides, *request, Cache::default(), parallel)
            }
            Self::Hausdorff(pair, request) => Subject::Hausdorff(pair.meshes(context, HAUSDORFF)?, *request),
            Self::Spanning(pair) => Subject::Spanning(pair.meshes(context, SPANNING)?),
            Self::Growth(pair, request) => Subject::Growth(pair.convex(context, GROWTH)?, *request),
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
    Ok(Subject::Collide(Sides::load(pair, robot, context, || pair.load(context, why))?, request))
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
    let pair = Sides::load(pair, robot, context, || pair.with_clear_configurations(context))?;
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
    refuse_fields(fields, context)?;
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
    Ok(Subject::DeformingMeshes(Box::new(pair), request.time_budget))
}

fn moving_robots(
    pair: &PairFields,
    request: &TimeOfContactRequest,
    fields: &RobotFields,
    context: &Context,
) -> Result<Subject, Fault> {
    let (motion, among_links) = (request.interpolation(), request.self_collision);
    let time_budget = request.time_budget;
    if pair.robots() == [true, true] {
        context.refuse(among_links.then_some("self_collision"), TWO_ROBOTS)?;
    } else {
        // Tested before the robot is read.
        let shape = if is_robot(&pair.a) { &pair.b } else { &pair.a };
        ShapeArgument::parse_in(shape, context.folder)?.need_triangles(CONTACT)?;
    }
    let Sides { sides, .. } = Sides::with_robots(pair, fields, context)?;
    let (robot, side, shape) = match sides {
        [Side::Robot(a), Side::Robot(b)] => return Ok(Subject::MovingRobots([a, b], motion, time_budget)),
        [Side::Robot(robot), _] => (robot, 0, &pair.b),
        [_, Side::Robot(robot)] => (robot, 1, &pair.a),
        _ => unreachable!("one of both is a robot"),
    };
    let obstacle = ShapeArgument::parse_in(shape, context.folder)?;
    let obstacle = context.library.model(&obstacle, pair.solidity())?;
    Ok(Subject::MovingRobot { robot, side, obstacle, motion, among_links, time_budget })
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
    refuse_fields(fields, context)?;
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
        let until = penetration::end_of_regions(options.time_budget);
        let (found, time) = timed(|| penetration::search(&posed, options, cache));
        let names = sides.names(&posed);
        let response =
            |found: Vec<_>| PenetrationResponse::new(&found, (&posed, &names), (self.for_people, until));
        let found = with_message(found.and_then(response));
        (found.map(Response::Penetration), time)
    }
}
