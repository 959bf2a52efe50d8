//! Which link or body of a scene each drawn body is.

use std::collections::BTreeMap;

use nalgebra::Point3;

use crate::Models;
use extricate_core::kinematics::{Articulation, JointKind};
use extricate_scene::repair::{Dragged, Hand, RepairError, Sketch};
use extricate_scene::scene::Scene;

/// What the drawn bodies are.
#[derive(Debug)]
pub(super) struct Cast {
    /// By index in [`Models::bodies`].
    roles: Vec<Role>,
    /// The drawn body of each link and body, by name: links that hang rigidly on each other are one.
    drawn: BTreeMap<String, usize>,
}

/// What a drawn body is.
#[derive(Debug, Clone, PartialEq)]
enum Role {
    /// A link of a robot, and whether joints move it against the root.
    Link { robot: String, link: String, moves: bool },
    /// A body of the scene.
    Body(String),
}

/// What the mouse holds: a point of something, in its own frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grip {
    role: Role,
    anchor: Point3<f64>,
    hand: Hand,
}

impl Cast {
    pub(super) fn new(scene: &Scene, models: &Models) -> Self {
        let role = |name: &String| {
            let (robot, link) = name.split_once('/')?;
            let robot = scene.robots.iter().find(|other| other.name == robot)?;
            let moves = moves(&robot.articulation, robot.articulation.link(link)?);
            Some(Role::Link { robot: robot.name.clone(), link: link.to_owned(), moves })
        };
        let roles = models
            .bodies
            .iter()
            .map(|body| role(&body.name).unwrap_or_else(|| Role::Body(body.name.clone())));
        let roles = roles.collect();
        let mut drawn: BTreeMap<_, _> =
            models.bodies.iter().enumerate().map(|(index, body)| (body.name.clone(), index)).collect();
        for robot in &scene.robots {
            for link in 0..robot.articulation.links().len() {
                let name = |link: usize| format!("{}/{}", robot.name, robot.articulation.links()[link]);
                if let Some(&index) = drawn.get(&name(uppermost(&robot.articulation, link))) {
                    drawn.insert(name(link), index);
                }
            }
        }
        Self { roles, drawn }
    }

    /// The drawn body of a link or body, by name.
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.drawn.get(name).copied()
    }

    /// The drawn body whose frame is that of a link or body, by name.
    pub(super) fn index_of_own(&self, name: &str) -> Option<usize> {
        let index = self.index(name)?;
        let is_own = match &self.roles[index] {
            Role::Link { robot, link, .. } => name.split_once('/') == Some((robot, link)),
            Role::Body(own) => own == name,
        };
        is_own.then_some(index)
    }

    /// Takes hold of a point [m, world] of a drawn body; none where nothing may move it.
    pub(super) fn grip(&self, sketch: &Sketch, body: usize, point: &Point3<f64>, hand: Hand) -> Option<Grip> {
        let role = self.roles.get(body)?.clone();
        let name = match &role {
            Role::Link { robot, link, moves } => {
                // A whole robot is held by its root, whose frame is that of its base.
                let handle = sketch.robots().into_iter().find(|handle| handle.name == *robot)?;
                let by_base = hand == Hand::Turn || !moves;
                if handle.standing == extricate_scene::repair::Standing::Tied {
                    return None;
                }
                if by_base {
                    let anchor = handle.base.inverse_transform_point(point);
                    let role = Role::Link { robot: robot.clone(), link: link.clone(), moves: false };
                    return Some(Grip { role, anchor, hand });
                }
                format!("{robot}/{link}")
            }
            Role::Body(name) => {
                let handle = sketch.bodies().into_iter().find(|handle| handle.name == *name)?;
                if handle.standing == extricate_scene::repair::Standing::Tied {
                    return None;
                }
                name.clone()
            }
        };
        let places = sketch.places(sketch.posture()).ok()?;
        let place = places.into_iter().find(|place| place.name == name)?;
        Some(Grip { role, anchor: place.pose.inverse_transform_point(point), hand })
    }
}

impl Grip {
    /// Drags what is held to a point [m, world].
    pub(super) fn drag(&self, sketch: &mut Sketch, target: &Point3<f64>) -> Result<Dragged, RepairError> {
        match &self.role {
            Role::Link { robot, link, moves: true } => sketch.drag_link(robot, link, &self.anchor, target),
            Role::Link { robot, .. } => sketch.drag_base(robot, &self.anchor, target, self.hand),
            Role::Body(name) => sketch.drag_body(name, &self.anchor, target, self.hand),
        }
    }
}

/// The uppermost link on which a link hangs rigidly.
fn uppermost(articulation: &Articulation, link: usize) -> usize {
    let mut at = link;
    while let (Some(joint), Some(parent)) = (articulation.carrier(at), articulation.parent(at)) {
        if articulation.joints()[joint].kind != JointKind::Fixed {
            break;
        }
        at = parent;
    }
    at
}

/// Whether a joint moves a link against the root.
fn moves(articulation: &Articulation, link: usize) -> bool {
    let up = |&link: &usize| articulation.parent(link);
    let mut carriers = std::iter::successors(Some(link), up).filter_map(|link| articulation.carrier(link));
    carriers.any(|joint| articulation.dependence(joint).is_some())
}
