//! The soft bodies of a world, with their contacts, couplings and reports.

use nalgebra::{Point3, Unit, Vector3};

use rapier3d::pipeline::PhysicsWorld;

use super::description::{SoftBodyDescription, SoftOptions};
use super::handle::{Holder, PrescribedNodes};
use super::partner::{Partner, Role};
use super::pull::NodePull;
use super::state::{SoftBodyState, SoftLoad, SoftReport};
use crate::error::SoftError;
use crate::rigid::raw;
use crate::soft::SoftSystem;
use crate::soft::contact::{Contact, Field, Overlap, SoftContact};
use crate::state::{AnyBody, Energy, Momentum, WorldContact};
use extricate_core::geometry::tet_mesh::signed_volume;

/// The soft bodies of a world.
pub(crate) struct SoftWorld {
    /// Sorted by name.
    pub(crate) described: Vec<SoftBodyDescription>,
    pub(crate) system: SoftSystem,
    pub(crate) contact: SoftContact,
    /// The rigid bodies of the world, in its order.
    pub(super) partners: Vec<Partner>,
    pub(super) prescribed: Vec<PrescribedNodes>,
    pub(super) springs: Vec<Spring>,
    pub(super) pull: Option<NodePull>,
    /// First block and number of blocks of the coordinates of each robot.
    pub(super) coordinates: Vec<(usize, usize)>,
    /// Depths of the nodes of each body under its surface [m], as contact uses them.
    pub(crate) depths: Vec<Vec<f64>>,
    rest_volumes: Vec<f64>,
    /// Overlaps at the end of the last step.
    pub(crate) overlaps: Vec<Overlap>,
    /// Number of inverted elements then, by body.
    pub(super) inverted: Vec<usize>,
}

/// A node attached to a rigid body by a spring.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spring {
    /// Its block.
    pub(super) node: usize,
    /// Index of the rigid body.
    pub(super) partner: usize,
    /// Point of attachment [m, obstacle's frame].
    pub(super) place: Point3<f64>,
    /// Stiffness [N/m].
    pub(super) stiffness: f64,
}

impl SoftWorld {
    /// The soft bodies without handles and attachments.
    pub(super) fn of(
        described: Vec<SoftBodyDescription>,
        system: SoftSystem,
        contact: SoftContact,
        partners: Vec<Partner>,
        depths: Vec<Vec<f64>>,
    ) -> Self {
        let rest_volumes = system.bodies().iter().map(|body| body.linear_mesh().volume()).collect();
        let inverted = vec![0; described.len()];
        Self {
            described,
            system,
            contact,
            partners,
            prescribed: Vec::new(),
            springs: Vec::new(),
            pull: None,
            coordinates: Vec::new(),
            depths,
            rest_volumes,
            overlaps: Vec::new(),
            inverted,
        }
    }

    /// By raw index, the links of robots that soft bodies may touch in a step of `dt` \[s\] or are attached to; none with schemes that solve
    /// nothing, or do not damp what the coupling leaves.
    pub(crate) fn links_near(&self, physics: &PhysicsWorld, options: &SoftOptions, dt: f64) -> Vec<bool> {
        let mut near = Vec::new();
        if !options.scheme.damps() {
            return near;
        }
        for index in self.near(Role::Link, physics, dt) {
            let at = raw(self.partners[index].handle);
            near.resize(near.len().max(at + 1), false);
            near[at] = true;
        }
        near
    }

    /// The partners with a role that soft bodies may touch in a step of `dt` \[s\] or are attached to.
    pub(super) fn near(&self, role: Role, physics: &PhysicsWorld, dt: f64) -> Vec<usize> {
        let bounds: Vec<_> = (0..self.described.len()).map(|body| self.bounds_ahead(body, dt)).collect();
        let is_near = |index: &usize| {
            let partner = &self.partners[*index];
            let body = &physics.bodies[partner.handle];
            let center = Vector3::from(body.center_of_mass());
            let speed = Vector3::from(body.linvel()).norm();
            let reach = partner.radius + partner.centre.norm() + 2.0 * dt * speed;
            let touches =
                |[low, high]: &[Vector3<f64>; 2]| (low.sup(&center).inf(high) - center).norm() <= reach;
            partner.role == role
                && (bounds.iter().any(touches) || self.springs.iter().any(|spring| spring.partner == *index))
        };
        (0..self.partners.len()).filter(is_near).collect()
    }

    /// Lower and upper bounds of a body during a step of `dt` \[s\] at its present velocities.
    fn bounds_ahead(&self, body: usize, dt: f64) -> [Vector3<f64>; 2] {
        let (x, v) = (self.system.positions_of(body), &self.system.v[self.system.blocks_of(body)]);
        let empty = [f64::INFINITY, f64::NEG_INFINITY].map(Vector3::repeat);
        x.iter()
            .zip(v)
            .flat_map(|(x, v)| [*x, x + dt * v])
            .fold(empty, |[low, high], at| [low.inf(&at), high.sup(&at)])
    }

    /// Takes the depths of the nodes from the contacts.
    pub(super) fn update_depths(&mut self) {
        self.depths = (0..self.described.len()).map(|body| self.contact.depths_of(body)).collect();
    }

    /// Updates the overlaps and the inverted elements to the current positions.
    pub(super) fn update_overlaps(&mut self) {
        self.overlaps = self.contact.overlaps(&self.system.x);
        let inverted = self.system.bodies().iter().enumerate().map(|(body, elements)| {
            let x = self.system.positions_of(body);
            (0..elements.element_count()).filter(|&element| elements.is_inverted(element, x)).count()
        });
        self.inverted = inverted.collect();
    }

    /// Writes the overlaps and the inverted elements to a report.
    pub(super) fn report_overlaps(&self, report: &mut SoftReport) {
        report.contacts = self.overlaps.iter().map(|overlap| overlap.count).sum();
        report.inverted = self.inverted.iter().sum();
        for overlap in &self.overlaps {
            if overlap.depth > report.max_penetration {
                report.max_penetration = overlap.depth;
                report.deepest = Some(bodies_of(overlap));
            }
        }
    }

    /// State of a soft body.
    pub(crate) fn state(&self, index: usize) -> SoftBodyState {
        let elements = &self.system.bodies()[index];
        let (x, blocks) = (self.system.positions_of(index), self.system.blocks_of(index));
        let mass: f64 = elements.masses().iter().sum();
        let weighed = |of: &[Vector3<f64>]| {
            let terms = of.iter().zip(elements.masses()).map(|(v, mass)| *mass * v);
            terms.sum::<Vector3<f64>>() / mass
        };
        let tets = elements.linear_mesh().tets().iter();
        let parts = self.overlaps.iter().filter(|overlap| bodies_of(overlap).contains(&AnyBody::Soft(index)));
        SoftBodyState {
            name: self.described[index].name.clone(),
            centroid: weighed(x).into(),
            velocity: weighed(&self.system.v[blocks]),
            volume: tets.map(|tet| signed_volume(&tet.map(|node| x[node as usize].into()))).sum(),
            rest_volume: self.rest_volumes[index],
            max_penetration: parts.map(|overlap| overlap.depth).fold(0.0, f64::max),
            inverted: self.inverted[index],
            handles: self.handle_loads(index),
        }
    }

    /// Loads of the handles of a soft body on it, each with the name of the handle.
    fn handle_loads(&self, body: usize) -> Vec<(String, SoftLoad)> {
        let blocks = self.system.blocks_of(body);
        let of = |hold: &PrescribedNodes| match &hold.by {
            Holder::Handle(handle) if hold.blocks.first().is_some_and(|block| blocks.contains(block)) => {
                Some((handle.name.clone(), hold.load))
            }
            _ => None,
        };
        self.prescribed.iter().filter_map(of).collect()
    }

    /// Names of the bodies that may be at fault for an error.
    pub(crate) fn names_at_fault(&self, error: &SoftError) -> String {
        /// Maximum number of names listed.
        const MAX_NAMES: usize = 4;
        if let SoftError::NotFinite { block: Some(block), .. } = error
            && let Some(body) = (0..self.described.len()).find(|&i| self.system.blocks_of(i).contains(block))
        {
            return format!("`{}`", self.described[body].name);
        }
        let names = self.described.iter().take(MAX_NAMES).map(|body| format!("`{}`", body.name));
        let more = if self.described.len() > MAX_NAMES { ", …" } else { "" };
        names.collect::<Vec<_>>().join(", ") + more
    }

    /// Number of nodes of a body.
    pub(crate) fn node_count(&self, body: usize) -> usize {
        self.system.bodies()[body].node_count()
    }

    /// Sets the pull of the nodes of the elements around a node, given as body, node and target [m]; `None` ends it.
    pub(crate) fn set_pull(&mut self, pull: Option<(usize, usize, Point3<f64>)>) {
        self.pull = pull.map(|(body, node, target)| NodePull::new(&self.system, body, node, target));
    }

    /// Mean position of the pulled nodes [m].
    pub(crate) fn pulled_point(&self) -> Option<Point3<f64>> {
        Some(Point3::from(self.pull.as_ref()?.mean(&self.system.x)))
    }

    /// Load of the soft bodies on a rigid body in the last step.
    pub(crate) fn load_on(&self, body: usize) -> SoftLoad {
        self.partners[body].state.load
    }

    /// Energy of the soft bodies.
    pub(crate) fn energy(&self) -> Energy {
        let mut energy = Energy { elastic: self.system.energies().elastic, ..Energy::default() };
        self.each_node(|mass, x, v| {
            energy.kinetic += 0.5 * mass * v.norm_squared();
            energy.potential -= mass * self.system.gravity.dot(x);
        });
        energy
    }

    /// Momentum of the soft bodies.
    pub(crate) fn momentum(&self) -> Momentum {
        let mut momentum = Momentum::default();
        self.each_node(|mass, x, v| {
            momentum.linear += mass * v;
            momentum.angular += x.cross(&(mass * v));
        });
        momentum
    }

    /// The contacts at the end of the last step, with the body of the point first.
    pub(crate) fn world_contacts(&self) -> impl Iterator<Item = WorldContact> + '_ {
        self.contact.last_contacts().iter().filter_map(|contact: &Contact| {
            Some(WorldContact {
                bodies: [self.contact.owner(contact.probe), contact.field].map(body_of),
                point: Point3::from(contact.point),
                normal: Unit::try_new(-contact.gradient, 0.0)?,
                depth: contact.depth,
                force: contact.force().norm(),
            })
        })
    }

    /// Visits the mass [kg], position [m] and velocity [m/s] of each node.
    fn each_node(&self, mut visit: impl FnMut(f64, &Vector3<f64>, &Vector3<f64>)) {
        for (body, elements) in self.system.bodies().iter().enumerate() {
            for (block, &mass) in self.system.blocks_of(body).zip(elements.masses()) {
                visit(mass, &self.system.x[block], &self.system.v[block]);
            }
        }
    }
}

/// The bodies of an overlap, the soft one first.
pub(crate) fn bodies_of(overlap: &Overlap) -> [AnyBody; 2] {
    [AnyBody::Soft(overlap.pair.0 as usize), body_of(overlap.pair.1)]
}

/// The body of a field.
pub(super) fn body_of(field: Field) -> AnyBody {
    match field {
        Field::Body(body) => AnyBody::Soft(body as usize),
        Field::Obstacle(obstacle) => AnyBody::Rigid(obstacle as usize),
    }
}
