//! Assembly of a system of soft bodies with its contacts from descriptions.

use std::collections::BTreeSet;

use nalgebra::{Point3, Vector3};
use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::pipeline::PhysicsWorld;

use super::description::{NodeDepths, SoftBodyDescription, SoftOptions};
use super::handle::{Holder, PrescribedNodes};
use super::partner::{Partner, Role, obstacle_pose};
use super::solid;
use super::state::SoftLoad;
use super::world::{SoftWorld, Spring};
use crate::description::{BodyDescription, BodyKind};
use crate::error::{BuildError, SoftError};
use crate::rigid::is_link;
use crate::soft::SoftSystem;
use crate::soft::contact::{ContactOptions, Motion, SoftContact, node_depths};
use crate::soft::element::{ElementKind, Elements};

use extricate_core::field::{DistanceField, FieldOptions, Side};
use extricate_core::geometry::TetMesh;
use extricate_core::geometry::tet_mesh::TET_EDGES;

/// The rigid bodies of a world: their descriptions and their handles in the same order.
pub(crate) struct Rigid<'a> {
    pub(crate) physics: &'a PhysicsWorld,
    pub(crate) bodies: &'a [BodyDescription],
    pub(crate) handles: &'a [RigidBodyHandle],
    /// Number of freedoms of each robot; none of those that rapier steps.
    pub(crate) freedoms: &'a [usize],
}

/// Default recovery pressure, the maximum that builds up where a released overlap does not separate, over Young's
/// modulus of the softest body, which it strains by about as much. More crushes bodies, less separates them slowly.
/// Half and twice change the energy that a deep overlap gains by −0.4 and +0.6 of its scale (docs/sensitivity.md).
const RECOVERY_PRESSURE: f64 = 0.1;

impl SoftWorld {
    /// The soft bodies, sorted by name and checked one by one, beside the rigid ones; none where there are none.
    pub(crate) fn assembled(
        (options, gravity): (&SoftOptions, Vector3<f64>),
        described: Vec<SoftBodyDescription>,
        rigid: &Rigid<'_>,
    ) -> Result<Option<Self>, BuildError> {
        if described.is_empty() {
            return Ok(None);
        }
        let softest =
            described.iter().map(|body| body.material.youngs_modulus()).fold(f64::INFINITY, f64::min);
        let recovery_pressure = options.contact.recovery_pressure.unwrap_or(RECOVERY_PRESSURE * softest);
        let contact = ContactOptions { recovery_pressure: Some(recovery_pressure), ..options.contact };
        let mut contact = SoftContact::new(contact)?;
        let mut bodies: Vec<Elements> = Vec::new();
        let mut all_depths = Vec::new();
        let mut first = 0;
        for body in &described {
            let (elements, depths) = add_body(&mut contact, body, first)
                .map_err(|source| BuildError::Soft { name: body.name.clone(), source })?;
            first += elements.node_count();
            bodies.push(elements);
            all_depths.push(depths);
        }
        let mut partners = partners(rigid, &mut contact)?;
        let of_bodies = give_blocks(&mut partners);
        let mut extra = of_bodies;
        let mut coordinates = Vec::new();
        for freedoms in rigid.freedoms {
            let count = freedoms.div_ceil(3);
            coordinates.push((extra, count));
            extra += count;
        }
        let mut system = SoftSystem::new(bodies, extra);
        system.gravity = gravity;
        described.iter().enumerate().for_each(|(index, body)| start(&mut system, index, body));
        let mut this = Self::of(described, system, contact, partners, all_depths);
        this.coordinates =
            coordinates.iter().map(|&(at, count)| (this.system.extra_block(at), count)).collect();
        this.constrain(rigid)?;
        this.update_overlaps();
        Ok(Some(this))
    }

    /// Collects the nodes prescribed by handles and attachments, and the springs of attachments.
    fn constrain(&mut self, rigid: &Rigid<'_>) -> Result<(), BuildError> {
        for (index, body) in self.described.clone().iter().enumerate() {
            for handle in &body.handles {
                let blocks = self.blocks_of(index, &handle.nodes);
                let places = blocks.iter().map(|&block| self.system.x[block].into()).collect();
                self.prescribed.push(PrescribedNodes {
                    blocks,
                    places,
                    by: Holder::Handle(handle.clone()),
                    load: SoftLoad::default(),
                });
            }
            for attachment in &body.attachments {
                let found = rigid.bodies.binary_search_by(|other| other.name.cmp(&attachment.body));
                let number = found.map_err(|_| BuildError::Soft {
                    name: body.name.clone(),
                    source: SoftError::UnknownBody { body: attachment.body.clone() },
                })?;
                self.attach(index, &attachment.nodes, number, (attachment.stiffness, rigid.physics));
            }
        }
        Ok(())
    }

    /// Attaches nodes to a rigid body: by springs where it is dynamic, as prescribed nodes where it is fixed or kinematic.
    fn attach(
        &mut self,
        index: usize,
        nodes: &[u32],
        number: usize,
        (stiffness, physics): (f64, &PhysicsWorld),
    ) {
        let partner = &self.partners[number];
        let pose = obstacle_pose(&(*physics.bodies[partner.handle].position()).into(), &partner.centre);
        let place = |block: usize| pose.inverse() * Point3::from(self.system.x[block]);
        if matches!(partner.role, Role::Free | Role::Link) {
            let first = self.system.blocks_of(index).start;
            let blocks = nodes.iter().map(|&node| first + node as usize);
            let springs = blocks.map(|node| Spring { node, partner: number, place: place(node), stiffness });
            let springs: Vec<_> = springs.collect();
            self.springs.extend(springs);
        } else {
            let blocks = self.blocks_of(index, nodes);
            let places = blocks.iter().map(|&block| place(block)).collect();
            self.prescribed.push(PrescribedNodes {
                blocks,
                places,
                by: Holder::Body(number),
                load: SoftLoad::default(),
            });
        }
    }

    /// Blocks of a body's nodes, and of the edge midpoints between two of them.
    fn blocks_of(&self, index: usize, nodes: &[u32]) -> Vec<usize> {
        let elements = &self.system.bodies()[index];
        let mut all: BTreeSet<u32> = nodes.iter().copied().collect();
        if elements.kind() == ElementKind::Quadratic {
            let chosen = all.clone();
            for element in 0..elements.element_count() {
                let corners = elements.nodes_of(element);
                for (place, edge) in TET_EDGES.iter().enumerate() {
                    if edge.iter().all(|&end| chosen.contains(&corners[end])) {
                        all.insert(corners[4 + place]);
                    }
                }
            }
        }
        let first = self.system.blocks_of(index).start;
        all.into_iter().map(|node| first + node as usize).collect()
    }
}

/// Adds a body to the contacts; returns its elements, and the depths of its nodes [m].
fn add_body(
    contact: &mut SoftContact,
    body: &SoftBodyDescription,
    first: usize,
) -> Result<(Elements, Vec<f64>), SoftError> {
    let elements = Elements::new(&body.mesh, body.material, body.elements)?;
    let mesh = elements.linear_mesh();
    let first = u32::try_from(first).expect("nodes of all bodies fit 32 bits");
    let number = match body.depths {
        NodeDepths::Exact => contact.add_body(mesh, first, &node_depths(mesh))?,
        NodeDepths::Grid { resolution } => {
            contact.add_body(mesh, first, &sampled_depths(mesh, resolution)?)?
        }
        NodeDepths::UpdatedGrid(how) => contact.add_following_body(mesh, first, how)?,
    };
    let depths = contact.depths_of(number);
    Ok((elements, depths))
}

/// Depths of the nodes interpolated from a distance field on a grid inside the surface [m] [Fisher01 §4].
fn sampled_depths(mesh: &TetMesh, resolution: usize) -> Result<Vec<f64>, SoftError> {
    let options = FieldOptions { resolution, side: Side::Inside, ..FieldOptions::default() };
    let field = DistanceField::of(&mesh.surface(), &options)
        .map_err(|error| SoftError::Field { resolution, reason: error.to_string() })?;
    let mut depths: Vec<f64> = mesh.nodes().iter().map(|node| (-field.value(node)).max(0.0)).collect();
    mesh.boundary().nodes.iter().for_each(|&node| depths[node as usize] = 0.0);
    Ok(depths)
}

/// Adds an obstacle for each rigid body; returns the partners.
fn partners(rigid: &Rigid<'_>, contact: &mut SoftContact) -> Result<Vec<Partner>, BuildError> {
    let mut partners = Vec::new();
    for (body, &handle) in rigid.bodies.iter().zip(rigid.handles) {
        let is_link = is_link(rigid.physics, handle);
        let role = match body.kind {
            BodyKind::Fixed => Role::Fixed,
            BodyKind::Kinematic => Role::Driven,
            BodyKind::Dynamic if is_link => Role::Link,
            BodyKind::Dynamic => Role::Free,
        };
        let own = &rigid.physics.bodies[handle];
        let centre = if role == Role::Fixed { Vector3::zeros() } else { own.local_center_of_mass().into() };
        let partner = Partner::new(handle, role, centre, body.shape.bounding_radius());
        let mut obstacle = solid::obstacle(&body.shape, &centre)
            .ok_or_else(|| BuildError::NoVolume { name: body.name.clone(), volume: 0.0 })?;
        obstacle.pose = obstacle_pose(&(*own.position()).into(), &centre);
        obstacle.motion = Motion::Fixed;
        contact.add_obstacle(obstacle);
        partners.push(partner);
    }
    Ok(partners)
}

/// Assigns two extra blocks to each free body and each link of a robot; returns their number.
fn give_blocks(partners: &mut [Partner]) -> usize {
    let mut count = 0;
    for partner in partners.iter_mut().filter(|partner| matches!(partner.role, Role::Free | Role::Link)) {
        partner.extra = Some(count);
        count += 2;
    }
    count
}

/// Sets the initial positions and velocities of a body.
fn start(system: &mut SoftSystem, index: usize, body: &SoftBodyDescription) {
    system.transform(index, &body.pose);
    let blocks = system.blocks_of(index);
    let masses = system.bodies()[index].masses();
    let mass: f64 = masses.iter().sum();
    let weighed = system.x[blocks.clone()].iter().zip(masses).map(|(x, mass)| *mass * x);
    let centre = weighed.sum::<Vector3<f64>>() / mass;
    for block in blocks {
        system.v[block] = body.linear_velocity + body.angular_velocity.cross(&(system.x[block] - centre));
    }
}
