//! Rigid parts of a robot: its links, with those merged that fixed joints connect.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3};

use super::description::{RobotBase, RobotDescription, RobotLink};
use crate::description::{BodyDescription, BodyKind, Mass};
use crate::error::BuildError;
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::kinematics::urdf::Inertial;
use extricate_core::kinematics::{Articulation, Joint, JointKind};
use extricate_core::proximity::{
    AllowedReason, ArticulatedModel, DerivedCollisions, Model, Sampling, closest_point,
};
use extricate_core::query::Shape;

/// A robot prepared for insertion into a world.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub(super) description: RobotDescription,
    /// Parts as links, each with the name and the frame of the uppermost of its links; movable joints only.
    pub(super) articulation: Articulation,
    /// Joint of the description behind each joint of the articulation.
    pub(super) joints: Vec<usize>,
    pub(super) parts: Vec<Part>,
    pub(super) collisions: DerivedCollisions,
    /// Of each link of the description.
    members: Vec<Member>,
}

/// Links that move as one.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Its body's name in the world.
    pub(super) name: String,
    /// Part → world at the start.
    pub(super) pose: Isometry3<f64>,
    pub(super) kind: BodyKind,
    /// Its shape, in its frame.
    pub(super) model: Option<Arc<Model>>,
    /// Its mass, in its frame; `None` for a part that has no mass but that of the links it carries.
    pub(super) inertial: Option<Inertial>,
}

/// A link with the part that it belongs to.
#[derive(Debug, Clone)]
struct Member {
    part: usize,
    to_part: Isometry3<f64>,
}

/// Links of a part that a link carries.
#[derive(Debug)]
pub(super) struct CarriedPart {
    pub(super) part: usize,
    /// Their mass, in the frame of the part.
    pub(super) inertial: Option<Inertial>,
    /// Shapes of them, and of the other links of the part, each with part → link.
    shapes: [Vec<(Arc<Model>, Isometry3<f64>)>; 2],
    is_whole: bool,
}

impl CarriedPart {
    /// Whether they are all links of the part.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Whether a contact at a point of the part is theirs: that of the nearest shape.
    pub(super) fn has(&self, point: &Point3<f64>) -> bool {
        let [own, other] = self.shapes.each_ref().map(|shapes| {
            let distances =
                shapes.iter().map(|(model, to_link)| closest_point(model, &(to_link * point)).distance);
            distances.fold(f64::INFINITY, f64::min)
        });
        self.is_whole || own < other
    }
}

impl Parts {
    /// Parts of a robot, with the collisions between them that are allowed.
    pub(crate) fn new(description: RobotDescription) -> Result<Self, BuildError> {
        let mut parts = Self::without_collisions(description)?;
        parts.collisions = collisions(&parts, &parts.members)?;
        Ok(parts)
    }

    fn without_collisions(description: RobotDescription) -> Result<Self, BuildError> {
        description.check()?;
        let (articulation, joints, members) = merged(&description.articulation)?;
        let poses = articulation.link_poses(&description.configuration, &description.pose)?;
        let parts = (0..articulation.links().len()).map(|part| {
            let link = &articulation.links()[part];
            let is_base = articulation.parent_joint(part).is_none();
            let is_fixed = is_base && description.base == RobotBase::Fixed;
            Ok(Part {
                name: format!("{}/{link}", description.name),
                pose: poses[part],
                kind: if is_fixed { BodyKind::Fixed } else { BodyKind::Dynamic },
                model: joined_model(&description, &members, part),
                inertial: joined_inertial(&description, &members, part, is_fixed)?,
            })
        });
        let parts = parts.collect::<Result<Vec<_>, BuildError>>()?;
        check_masses(&articulation, &parts)?;
        let collisions = DerivedCollisions::default();
        Ok(Self { description, articulation, joints, parts, collisions, members })
    }

    /// Bodies of the parts that have a shape.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = BodyDescription> {
        let RobotDescription { friction, rolling_friction, restitution, .. } = self.description;
        self.parts.iter().filter_map(move |part| {
            let shape = Shape::from(Arc::clone(part.model.as_ref()?));
            let own = BodyDescription::new(&part.name, part.kind, shape, part.pose);
            let mass = part.inertial.map_or(own.mass, Mass::Inertial);
            Some(BodyDescription { mass, friction, rolling_friction, restitution, ..own })
        })
    }

    /// Part of a link, with the transform from the link to it.
    pub(super) fn place(&self, link: &str) -> Option<(usize, Isometry3<f64>)> {
        let Member { part, to_part } = &self.members[self.description.articulation.link(link)?];
        Some((*part, *to_part))
    }

    /// Parts that a link carries, its own included, with whether each link is among them; none where there is no such link.
    pub(super) fn carried(&self, link: &str) -> Option<(Vec<CarriedPart>, Vec<bool>)> {
        let articulation = &self.description.articulation;
        let root = articulation.link(link)?;
        let mut is_in = vec![false; articulation.links().len()];
        // Parents first, so that that of the parent is known.
        for &link in articulation.parents_first() {
            is_in[link] = link == root || articulation.parent(link).is_some_and(|parent| is_in[parent]);
        }
        let carried = (0..self.parts.len()).filter_map(|part| {
            let (inside, outside): (Vec<_>, Vec<_>) =
                of_part(&self.members, part).partition(|(link, _)| is_in[*link]);
            let inertials = inside.iter().filter_map(|(link, to_part)| {
                Some(inertial_of(&self.description, *link).ok()??.transformed(to_part))
            });
            let inertial = inertials.reduce(|sum, own| sum.joined(&own));
            let shapes = |links: &[(usize, &Isometry3<f64>)]| -> Vec<(Arc<Model>, Isometry3<f64>)> {
                let shape = |&(link, to_part): &(usize, &Isometry3<f64>)| {
                    Some((Arc::clone(self.description.links[link].model.as_ref()?), to_part.inverse()))
                };
                links.iter().filter_map(shape).collect()
            };
            let shapes = [shapes(&inside), shapes(&outside)];
            (!inside.is_empty()).then_some(CarriedPart {
                part,
                inertial,
                shapes,
                is_whole: outside.is_empty(),
            })
        });
        Some((carried.collect(), is_in))
    }

    /// Weights of links that forces at their centres of mass bear: part, mass that has the weight [kg], and point [m, part].
    pub(super) fn lifted(&self) -> impl Iterator<Item = (usize, f64, Point3<f64>)> {
        self.members.iter().zip(&self.description.links).enumerate().filter_map(|(link, (member, own))| {
            let is_lifted = own.compensation.abs() > 0.0;
            let inertial = is_lifted.then(|| inertial_of(&self.description, link).ok()?).flatten()?;
            Some((member.part, own.compensation * inertial.mass, member.to_part * inertial.center))
        })
    }

    /// Name of the robot.
    pub(crate) fn name(&self) -> &str {
        &self.description.name
    }
}

impl RobotDescription {
    /// Names and poses (body → world, at the start) of the bodies of the robot: one for each of its links that has a shape,
    /// with those merged that fixed joints connect.
    ///
    /// # Errors
    /// [`BuildError`] when the robot does not fit into a world.
    pub fn bodies(&self) -> Result<Vec<(String, Isometry3<f64>)>, BuildError> {
        let parts = Parts::without_collisions(self.clone())?;
        let shaped = parts.parts.into_iter().filter(|part| part.model.is_some());
        Ok(shaped.map(|part| (part.name, part.pose)).collect())
    }
}

/// Articulation of the parts, the original joint of each of its joints, and the part of each link.
fn merged(whole: &Articulation) -> Result<(Articulation, Vec<usize>, Vec<Member>), BuildError> {
    let (mut names, mut members) = (Vec::new(), Vec::new());
    members.resize_with(whole.links().len(), || Member { part: 0, to_part: Isometry3::identity() });
    let is_tied = |&joint: &usize| whole.joints()[joint].kind == JointKind::Fixed;
    // Parents first, so that the part of the parent is known.
    for &link in whole.parents_first() {
        members[link] = match (whole.parent_joint(link).filter(is_tied), whole.parent(link)) {
            (Some(joint), Some(parent)) => {
                let Member { part, to_part }: &Member = &members[parent];
                Member { part: *part, to_part: to_part * whole.joints()[joint].origin }
            }
            _ => {
                names.push(whole.links()[link].clone());
                Member { part: names.len() - 1, to_part: Isometry3::identity() }
            }
        };
    }
    let (mut joints, mut behind) = (Vec::new(), Vec::new());
    for (index, joint) in whole.joints().iter().enumerate().filter(|(index, _)| !is_tied(index)) {
        let of = |name: &str| whole.link(name).map(|link| &members[link]);
        let (Some(parent), Some(child)) = (of(&joint.parent), of(&joint.child)) else { continue };
        let [parent_name, child_name] = [parent, child].map(|member| names[member.part].clone());
        let origin = parent.to_part * joint.origin;
        joints.push(Joint { parent: parent_name, child: child_name, origin, ..joint.clone() });
        behind.push(index);
    }
    Ok((Articulation::new(names, joints)?, behind, members))
}

fn of_part(members: &[Member], part: usize) -> impl Iterator<Item = (usize, &Isometry3<f64>)> {
    members.iter().enumerate().filter_map(move |(link, m)| (m.part == part).then_some((link, &m.to_part)))
}

/// Union of the shapes of a part's links.
fn joined_model(description: &RobotDescription, members: &[Member], part: usize) -> Option<Arc<Model>> {
    let shaped = of_part(members, part)
        .filter_map(|(link, to_part)| Some((description.links[link].model.as_ref()?, to_part)))
        .collect::<Vec<_>>();
    // A single shape in the frame of its part is shared instead of copied.
    if let [(only, to_part)] = shaped[..]
        && *to_part == Isometry3::identity()
    {
        return Some(Arc::clone(only));
    }
    let solid = shaped.iter().all(|(model, _)| model.solidity() == Solidity::Solid);
    let meshes = shaped.iter().map(|(model, to_part)| model.mesh().transformed(to_part));
    let mesh = TriangleMesh::joined(meshes).ok()?;
    Some(Arc::new(Model::new(mesh, if solid { Solidity::Solid } else { Solidity::Surface })))
}

/// Sum of the masses of a part's links; `None` for a part that does not move.
fn joined_inertial(
    description: &RobotDescription,
    members: &[Member],
    part: usize,
    is_fixed: bool,
) -> Result<Option<Inertial>, BuildError> {
    if is_fixed {
        return Ok(None);
    }
    let mut sum: Option<Inertial> = None;
    for (link, to_part) in of_part(members, part) {
        let Some(own) = inertial_of(description, link)? else { continue };
        let moved = own.transformed(to_part);
        sum = Some(sum.map_or(moved, |sum| sum.joined(&moved)));
    }
    Ok(sum)
}

/// Mass of a link: as stated, or that of its shape; of the convex hull of a shape that encloses no volume.
fn inertial_of(description: &RobotDescription, link: usize) -> Result<Option<Inertial>, BuildError> {
    let name = || description.articulation.links()[link].clone();
    let RobotLink { model, inertial, .. } = &description.links[link];
    if let Some(stated) = inertial {
        let checked = stated
            .check()
            .map_err(|error| BuildError::LinkInertial { link: name(), source: Box::new(error) });
        return checked.map(|()| Some(*stated));
    }
    let Some(model) = model else { return Ok(None) };
    let filled = Inertial::filled(model.mesh(), model.solidity(), description.density);
    filled.map(Some).ok_or_else(|| BuildError::LinkVolume { link: name() })
}

/// Rejects parts that move without a mass of their own or of a link that they carry.
fn check_masses(articulation: &Articulation, parts: &[Part]) -> Result<(), BuildError> {
    let mut heavy: Vec<bool> = parts.iter().map(|part| part.inertial.is_some()).collect();
    // Children first, so that each link knows whether it carries a mass.
    for &part in articulation.parents_first().iter().rev() {
        if !heavy[part] && parts[part].kind == BodyKind::Dynamic {
            return Err(BuildError::Massless { link: articulation.links()[part].clone() });
        }
        if let Some(parent) = articulation.parent(part) {
            heavy[parent] |= heavy[part];
        }
    }
    Ok(())
}

/// Pairs of parts that may collide with one another.
fn collisions(
    Parts { description, articulation, parts, .. }: &Parts,
    members: &[Member],
) -> Result<DerivedCollisions, BuildError> {
    let part_of = |name: &String| -> Result<usize, BuildError> {
        let link = description.articulation.link(name);
        let link = link.ok_or_else(|| BuildError::UnknownLink { link: name.clone() })?;
        Ok(members[link].part)
    };
    let mut given = Vec::new();
    // Links that a loop connects touch there, as those that a joint connects.
    let closed = description.closures.iter().map(|closure| &closure.links);
    for [a, b] in description.allowed.iter().chain(closed) {
        let pair: [usize; 2] = [part_of(a)?, part_of(b)?];
        given.push([pair[0].min(pair[1]), pair[0].max(pair[1])]);
    }
    // Links of one part have no contacts with each other.
    given.retain(|[a, b]| a != b);
    if !description.self_collision {
        let shaped = |&part: &usize| parts[part].model.is_some();
        let all = (0..parts.len()).filter(shaped);
        let allowed = all
            .flat_map(|i| (i + 1..parts.len()).filter(shaped).map(move |j| ([i, j], AllowedReason::Given)));
        return Ok(DerivedCollisions { allowed: allowed.collect(), at_start: Vec::new() });
    }
    let models = parts.iter().map(|part| part.model.as_deref().cloned()).collect();
    let model = ArticulatedModel::of_models(articulation.clone(), models);
    Ok(model.derive_allowed(&description.configuration, &given, Sampling::default())?)
}
