//! Correspondence between drawn bodies and the links and bodies of a scene.

use std::collections::BTreeMap;

use nalgebra::Point3;

use crate::Models;
use extricate_core::kinematics::{Articulation, JointKind};
use extricate_dynamics::AnyBody;
use extricate_scene::repair::{DragMode, Dragged, RepairError, Sketch};
use extricate_scene::scene::Scene;

/// Correspondence between drawn bodies and the links and bodies of a scene.
#[derive(Debug)]
pub(super) struct BodyMap {
    /// By index in [`Models::bodies`].
    roles: Vec<Role>,
    /// Drawn body of each link and body, by name: rigidly connected links are one drawn body.
    drawn: BTreeMap<String, usize>,
    /// Names of the soft bodies, by index in [`Models::soft`].
    soft: Vec<String>,
}

/// Role of a drawn body.
#[derive(Debug, Clone, PartialEq)]
enum Role {
    /// A link of a robot, and whether joints move it relative to the root.
    Link { robot: String, link: String, moves: bool },
    /// A body of the scene.
    Body(String),
}

/// Point grabbed by the mouse, in the frame of its link, base or body.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DragHandle {
    role: Role,
    anchor: Point3<f64>,
    mode: DragMode,
}

impl BodyMap {
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
                // A world joins rigidly connected links to one body with the name of the uppermost.
                if let Some(&index) = drawn.get(&name(uppermost(&robot.articulation, link))) {
                    drawn.insert(name(link), index);
                }
            }
        }
        let soft = models.soft.iter().map(|body| body.name.clone()).collect();
        Self { roles, drawn, soft }
    }

    /// Drawn body of a link or body, by name.
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.drawn.get(name).copied()
    }

    /// Drawn soft body, by name.
    pub(super) fn soft_index(&self, name: &str) -> Option<usize> {
        self.soft.iter().position(|own| own == name)
    }

    /// Drawn body whose frame is that of a link or body, by name.
    pub(super) fn index_of_own(&self, name: &str) -> Option<usize> {
        let index = self.index(name)?;
        let is_own = match &self.roles[index] {
            Role::Link { robot, link, .. } => name.split_once('/') == Some((robot, link)),
            Role::Body(own) => own == name,
        };
        is_own.then_some(index)
    }

    /// Grabs a point [m, world] of a drawn body; `None` if it cannot be moved.
    pub(super) fn grab(
        &self,
        sketch: &Sketch,
        body: AnyBody,
        point: &Point3<f64>,
        mode: DragMode,
    ) -> Option<DragHandle> {
        let role = match body {
            AnyBody::Rigid(index) => self.roles.get(index)?.clone(),
            AnyBody::Soft(index) => Role::Body(self.soft.get(index)?.clone()),
        };
        let name = match &role {
            Role::Link { robot, link, moves } => {
                // A whole robot is dragged by its root link, whose frame is that of its base.
                let handle = sketch.robots().into_iter().find(|handle| handle.name == *robot)?;
                let by_base = mode == DragMode::Rotate || !moves;
                if handle.mobility == extricate_scene::repair::Mobility::Tied {
                    return None;
                }
                if by_base {
                    let anchor = handle.base.inverse_transform_point(point);
                    let role = Role::Link { robot: robot.clone(), link: link.clone(), moves: false };
                    return Some(DragHandle { role, anchor, mode });
                }
                format!("{robot}/{link}")
            }
            Role::Body(name) => {
                let handle = sketch.bodies().into_iter().find(|handle| handle.name == *name)?;
                if handle.mobility == extricate_scene::repair::Mobility::Tied {
                    return None;
                }
                name.clone()
            }
        };
        let places = sketch.named_poses(sketch.posture()).ok()?;
        let place = places.into_iter().find(|place| place.name == name)?;
        Some(DragHandle { role, anchor: place.pose.inverse_transform_point(point), mode })
    }
}

impl DragHandle {
    /// Drags the grabbed point to a target [m, world].
    pub(super) fn drag(&self, sketch: &mut Sketch, target: &Point3<f64>) -> Result<Dragged, RepairError> {
        match &self.role {
            Role::Link { robot, link, moves: true } => sketch.drag_link(robot, link, &self.anchor, target),
            Role::Link { robot, .. } => sketch.drag_base(robot, &self.anchor, target, self.mode),
            Role::Body(name) => sketch.drag_body(name, &self.anchor, target, self.mode),
        }
    }
}

/// Uppermost link to which a link is rigidly connected.
fn uppermost(articulation: &Articulation, link: usize) -> usize {
    let mut at = link;
    while let (Some(joint), Some(parent)) = (articulation.parent_joint(at), articulation.parent(at)) {
        if articulation.joints()[joint].kind != JointKind::Fixed {
            break;
        }
        at = parent;
    }
    at
}

/// Whether a joint moves a link relative to the root.
fn moves(articulation: &Articulation, link: usize) -> bool {
    let up = |&link: &usize| articulation.parent(link);
    let mut carriers =
        std::iter::successors(Some(link), up).filter_map(|link| articulation.parent_joint(link));
    carriers.any(|joint| articulation.dependence(joint).is_some())
}
