//! The loaded subject of a question, and its answers along trajectories.

use std::sync::Arc;
use std::time::Duration;

use super::collide::{CollideRequest, Collision};
use super::deforming::{Deforming, FeatureContact};
use super::distance::DistanceRequest;
use super::generalized;
use super::growth::GrowthRequest;
use super::hausdorff::HausdorffRequest;
use super::poses::{Interpolation, Motions, Poses};
use super::reply::Answered;
use super::response::Response;
use super::robot::{JointMotion, Robot};
use super::self_collision::{MeshInMotion, SelfCollisionRequest, at_rest};
use super::side::Sides;
use super::spanning;
use super::time_of_contact::{FirstContact, LinkContact, TimeOfContactRequest};
use extricate_core::kinematics::Motion;
use extricate_core::proximity::deforming::{DeformingOptions, first_contact, first_self_contact};
use extricate_core::proximity::{Model, MovingObstacle};
use extricate_core::query::{Cache, PenetrationOptions, Posed, QueryError, RigidPenetrationOptions, Shape};

/// Poses of the shapes and joint values of a robot at the start and end of a line, in the form of the question.
#[derive(Debug, Clone)]
pub struct Trajectory {
    pub(super) motions: Motions,
    /// Of A and of B, those that are robots.
    pub(super) joints: [Option<JointMotion>; 2],
}

pub(super) type Shapes = [Shape; 2];

/// Loaded shapes with the options and caches of their question.
pub(super) enum Subject {
    Collide(Sides, CollideRequest),
    Distance(Sides, DistanceRequest, Cache, bool),
    Hausdorff(Shapes, HausdorffRequest),
    Spanning(Shapes),
    Growth(Shapes, GrowthRequest),
    Penetration(Sides, PenetrationOptions, Cache),
    /// With whether it is coherent, and whether its clearance is given.
    Generalized(Shapes, RigidPenetrationOptions, Cache, [bool; 2]),
    MovingMeshes(Shapes, TimeOfContactRequest),
    DeformingMeshes(Box<[Deforming; 2]>, Option<Duration>),
    MovingRobot {
        robot: Arc<Robot>,
        side: usize,
        obstacle: Arc<Model>,
        motion: Interpolation,
        among_links: bool,
        time_budget: Option<Duration>,
    },
    MovingRobots([Arc<Robot>; 2], Interpolation, Option<Duration>),
    OwnMesh(Arc<Model>, SelfCollisionRequest),
    OwnDeforming(Box<Deforming>),
    OwnRobot(Arc<Robot>),
}

impl Trajectory {
    /// A and B at the start.
    pub(super) fn posed<'a>(&self, sides: &'a Sides) -> Answered<[Posed<'a>; 2]> {
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
    pub(super) fn robot(&self, side: usize) -> Option<&Robot> {
        match self {
            Self::Collide(sides, ..) | Self::Distance(sides, ..) | Self::Penetration(sides, ..) => {
                sides.robot(side)
            }
            Self::MovingRobot { robot, side: own, .. } => Some(&**robot).filter(|_| side == *own),
            Self::MovingRobots(robots, ..) => Some(&robots[side]),
            Self::OwnRobot(robot) => Some(&**robot).filter(|_| side == 0),
            _ => None,
        }
    }

    pub(super) fn answer(&mut self, trajectory: &Trajectory, in_motion: bool) -> Answered<Response> {
        let Trajectory { motions, .. } = trajectory;
        let poses = &motions.start;
        match self {
            Self::Collide(sides, request) => colliding(sides, *request, trajectory).map(Response::Collide),
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
            Self::Growth(shapes, request) => {
                with_message(request.answer(&posed(shapes, poses))).map(Response::Growth)
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
            Self::DeformingMeshes(pair, time_budget) => {
                deforming(pair, motions, *time_budget).map(Response::TimeOfContact)
            }
            Self::MovingRobot { robot, side, obstacle, motion, among_links, time_budget } => {
                let [own, other] = if *side == 0 { [0, 1] } else { [1, 0] };
                let moved = (trajectory.joints(own)?, motions.of(own, *motion));
                let obstacle = MovingObstacle { model: obstacle, motion: motions.of(other, *motion) };
                let found = robot.first_contact(moved, Some(obstacle), *among_links, *time_budget)?;
                let letter = if other == 0 { 'A' } else { 'B' };
                let found = found.map(|found| LinkContact { obstacle: letter, ..found });
                Ok(Response::TimeOfContact(FirstContact::of_robot(found)))
            }
            Self::MovingRobots([a, b], motion, time_budget) => {
                let moved =
                    |side: usize| Ok::<_, String>((trajectory.joints(side)?, motions.of(side, *motion)));
                let found = a.first_contact_with(moved(0)?, b, moved(1)?, *time_budget)?;
                Ok(Response::TimeOfContact(FirstContact::of_robot(found)))
            }
            Self::OwnMesh(model, request) => Ok(Response::MeshAtRest(at_rest(model, request))),
            Self::OwnDeforming(mesh) => own_deforming(mesh).map(Response::MeshInMotion),
            Self::OwnRobot(robot) => {
                let joints = trajectory.joints(0)?;
                if in_motion {
                    let moved = (joints, motions.of(0, Motion::linear));
                    let found = robot.first_contact(moved, None, true, None)?;
                    return Ok(Response::TimeOfContact(FirstContact::of_robot(found)));
                }
                robot.links_at_rest(joints, &poses.a).map(Response::LinksAtRest)
            }
        }
    }
}

fn colliding(sides: &Sides, request: CollideRequest, trajectory: &Trajectory) -> Answered<Collision> {
    let posed = trajectory.posed(sides)?;
    let mut found = with_message(request.answer(&posed, &sides.names(&posed)))?;
    if let (Some((side, robot)), true) = (sides.only_robot(), request.self_collision) {
        let Poses { a, b } = &trajectory.motions.start;
        let base = if side == 0 { a } else { b };
        found.add_self_collisions(robot.self_collisions(trajectory.joints(side)?, base)?);
    }
    Ok(found)
}

fn posed<'a>([a, b]: &'a Shapes, poses: &Poses) -> [Posed<'a>; 2] {
    [Posed::new(a, poses.a), Posed::new(b, poses.b)]
}

/// The result, with the message of its error.
pub(super) fn with_message<T>(found: Result<T, QueryError>) -> Answered<T> {
    found.map_err(|error| error.to_string())
}

fn deforming(
    [a, b]: &mut [Deforming; 2],
    Motions { start, end }: &Motions,
    time_budget: Option<Duration>,
) -> Answered<FirstContact> {
    let (a, b) = (a.moved(&start.a, &end.a)?, b.moved(&start.b, &end.b)?);
    let options = DeformingOptions { time_budget, ..DeformingOptions::default() };
    let found = first_contact(a, b, &options).map_err(|error| error.to_string())?;
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
