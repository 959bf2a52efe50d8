//! Bodies and robots of a scene as parts of an ensemble: actors where they move, obstacles where they do not.

use std::collections::BTreeSet;

use nalgebra::{Isometry3, Point3};

use super::super::ensemble::in_search;
use super::super::robot::norm_of;
use super::super::{Actor, NamedObstacle, RepairError};
use crate::scene::Scene;
use extricate_core::geometry::Solidity;
use extricate_core::kinematics::{Articulation, Joint, JointKind};
use extricate_core::penetration::generalized::{Base, MovableModel, Obstacle, Pose, Shape};
use extricate_core::penetration::object_norm::{Extent, Measure, ObjectNorm};
use extricate_core::proximity::{AllowedCollisions, ArticulatedModel, Model};
use extricate_dynamics::{
    BodyDescription, Mass, RobotBase, RobotDescription, RobotLink, SoftBodyDescription, World,
};

/// Thickness of a body without volume, as a fraction of its radius. It sets the weight of the body's motion against that of the others:
/// halving it halves that weight.
const SKIN: f64 = 0.01;

/// Uppermost link to which each link is attached rigidly.
pub(super) fn parts(articulation: &Articulation) -> Vec<usize> {
    let mut parts: Vec<usize> = (0..articulation.links().len()).collect();
    for &link in articulation.parents_first() {
        let carrier = articulation.parent_joint(link).map(|joint| articulation.joints()[joint].kind);
        if let (Some(JointKind::Fixed), Some(parent)) = (carrier, articulation.parent(link)) {
            parts[link] = parts[parent];
        }
    }
    parts
}

pub(super) fn actor_of_robot(robot: &RobotDescription, world: &World) -> Result<(Actor, Pose), RepairError> {
    let models = robot.links.iter().map(|link| link.model.as_deref().cloned()).collect();
    let model = ArticulatedModel::of_models(robot.articulation.clone(), models)
        .with_surroundings(robot.surroundings());
    let base = match robot.base {
        RobotBase::Fixed => Base::Fixed,
        RobotBase::Floating => Base::Floating,
    };
    let allowed = allowed_of(robot, world);
    let shapes =
        (0..robot.links.len()).map(|link| Some(Shape::of_model(robot.links[link].model.clone()?))).collect();
    let norm = norm_of(&model)?;
    let mass = |(link, extent): (&RobotLink, &Option<Extent>)| match link.inertial {
        Some(own) => Some((own.mass, own.center)),
        None => extent.map(|extent| (robot.density * extent.measure(), extent.centroid())),
    };
    let masses = robot.links.iter().zip(norm.extents()).map(mass).collect();
    let movable = MovableModel::with_norm(norm, shapes, allowed, base).with_masses(masses);
    let actor = Actor { prefix: format!("{}/", robot.name), base: robot.name.clone(), movable };
    Ok((actor, Pose { base: robot.pose, joints: robot.configuration.clone() }))
}

/// Allowed collisions: links of one rigid group, and of two groups that the dynamics lets collide.
fn allowed_of(robot: &RobotDescription, world: &World) -> AllowedCollisions {
    let articulation = &robot.articulation;
    let parts = parts(articulation);
    let name = |link: usize| format!("{}/{}", robot.name, articulation.links()[parts[link]]);
    let pairs: BTreeSet<[String; 2]> = world
        .allowed_collisions(&robot.name)
        .unwrap_or_default()
        .iter()
        .flat_map(|pair| {
            let [a, b] = pair.bodies.clone();
            [[a.clone(), b.clone()], [b, a]]
        })
        .collect();
    let mut allowed = AllowedCollisions::default();
    for i in 0..parts.len() {
        for j in i + 1..parts.len() {
            if parts[i] == parts[j] || pairs.contains(&[name(i), name(j)]) {
                allowed.allow(i, j);
            }
        }
    }
    allowed
}

/// Actor of bodies that move as one: the links of a tree of fixed joints.
pub(super) fn actor_of_bodies(scene: &Scene, members: &[usize]) -> Result<(Actor, Pose), RepairError> {
    let bodies: Vec<_> = members.iter().map(|&member| &scene.bodies[member]).collect();
    let first = bodies[0];
    // The first body is the root of a tree of fixed joints, in the poses of the scene.
    let tie = |body: &&BodyDescription| {
        let joint = Joint::new(&format!("tie {}", body.name), &first.name, &body.name, JointKind::Fixed);
        joint.at(first.pose.inverse() * body.pose)
    };
    let links = bodies.iter().map(|body| body.name.clone()).collect();
    let articulation = Articulation::new(links, bodies[1..].iter().map(tie).collect())?;
    let mut allowed = AllowedCollisions::default();
    // No repair can separate bodies that move as one: their overlaps are ignored.
    (0..bodies.len()).for_each(|i| (i + 1..bodies.len()).for_each(|j| allowed.allow(i, j)));
    let extents = bodies.iter().map(|body| extent_of(body).map(Some)).collect::<Result<Vec<_>, _>>()?;
    let norm = ObjectNorm::new(&articulation, extents).map_err(|error| in_search(error.into()))?;
    let shapes = bodies.iter().map(|body| Some(body.shape.searchable())).collect();
    let masses =
        bodies.iter().zip(norm.extents()).map(|(body, extent)| mass_of(body, extent.as_ref()?)).collect();
    let movable = MovableModel::with_norm(norm, shapes, allowed, Base::Floating).with_masses(masses);
    let actor = Actor { prefix: String::new(), base: first.name.clone(), movable };
    Ok((actor, first.pose.into()))
}

pub(super) fn extent_of(body: &BodyDescription) -> Result<Extent, RepairError> {
    let refused = |source| RepairError::Norm { name: body.name.clone(), source };
    let extent = body.shape.extent().map_err(refused)?;
    let skin = SKIN * body.shape.bounding_radius();
    let thickness = if extent.kind() == Measure::Area { skin } else { 1.0 };
    Extent::given(extent.measure() * thickness, extent.centroid(), extent.spread()).map_err(refused)
}

/// Mass [kg] and centre of mass [m, body frame] of a body.
pub(super) fn mass_of(body: &BodyDescription, extent: &Extent) -> Option<(f64, Point3<f64>)> {
    Some(match body.mass {
        Mass::Density(density) => (density * extent.measure(), extent.centroid()),
        Mass::Total(mass) => (mass, extent.centroid()),
        Mass::Inertial(own) => (own.mass, own.center),
    })
}

pub(super) fn obstacle_of_body(body: &BodyDescription) -> NamedObstacle {
    let obstacle = Obstacle { shape: body.shape.searchable(), pose: body.pose };
    NamedObstacle { name: body.name.clone(), obstacle }
}

pub(super) fn obstacles_of_robot(robot: &RobotDescription) -> Result<Vec<NamedObstacle>, RepairError> {
    let link_poses = robot.articulation.link_poses(&robot.configuration, &robot.pose)?;
    let named = |(link, pose): (usize, &Isometry3<f64>)| {
        let model = robot.links[link].model.clone()?;
        let obstacle = Obstacle { shape: Shape::of_model(model), pose: *pose };
        Some(NamedObstacle { name: format!("{}/{}", robot.name, robot.articulation.links()[link]), obstacle })
    };
    Ok(link_poses.iter().enumerate().filter_map(named).collect())
}

/// The shape of a soft body at rest.
fn shape_of_soft(body: &SoftBodyDescription) -> Shape {
    Shape::of_model(Model::new(body.mesh.surface(), Solidity::Solid))
}

/// Actor of a soft body that moves rigidly.
pub(super) fn actor_of_soft(body: &SoftBodyDescription) -> Result<(Actor, Pose), RepairError> {
    Ok((Actor::body(&body.name, shape_of_soft(body))?, body.pose.into()))
}

pub(super) fn obstacle_of_soft(body: &SoftBodyDescription) -> NamedObstacle {
    let obstacle = Obstacle { shape: shape_of_soft(body), pose: body.pose };
    NamedObstacle { name: body.name.clone(), obstacle }
}
