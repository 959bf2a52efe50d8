//! The rows of all islands over a step: contacts and limits, the ports at which they act, and the velocities there.

use nalgebra::Vector3;

use super::contact::{Contact, Response};
use super::coordinates::CoordinateRows;
use super::limit::Limit;
use super::memory::{ContactKey, ContactMemory};
use super::motion::MovingTree;
use super::port_motion::{own_response, relative};
use super::ports::Ports;
use super::sweeps::{Problem, Swept};

/// Contacts and limits with their ports.
pub(super) struct Rows {
    pub(super) ports: Vec<Ports>,
    pub(super) contacts: Vec<Contact>,
    pub(super) keys: Vec<ContactKey>,
    pub(super) limits: Vec<Limit>,
    /// Velocities of all ports.
    pub(super) velocities: Vec<f64>,
    /// Softness of contacts that overlap, as a fraction of their response.
    pub(super) softness: f64,
    /// The rows in coordinates, unless they have to be made.
    coordinates: Option<CoordinateRows>,
}

impl Rows {
    /// Rows whose ports are still links and velocities of joints. Those that move nothing are left out.
    pub(super) fn new(
        ports: Vec<Ports>,
        (contacts, keys, limits): (Vec<Contact>, Vec<ContactKey>, Vec<Limit>),
        softness: f64,
    ) -> Self {
        let total = ports.last().map_or(0, |last| last.first + last.count());
        let velocities = vec![0.0; total];
        let mut rows = Self {
            ports,
            contacts: Vec::with_capacity(contacts.len()),
            keys: Vec::with_capacity(keys.len()),
            limits,
            velocities,
            softness,
            coordinates: None,
        };
        for (mut contact, key) in contacts.into_iter().zip(keys) {
            for side in contact.sides.iter_mut().flatten() {
                side.port = rows.ports[side.tree].of_link(side.port).unwrap_or(0);
            }
            if let Some(response) = rows.response(&contact) {
                contact.response = response;
                rows.contacts.push(contact);
                rows.keys.push(key);
            }
        }
        for limit in &mut rows.limits {
            let own = &rows.ports[limit.tree];
            limit.port = own.of_freedom(limit.port).unwrap_or(0);
            limit.response = own.response_at(limit.port);
        }
        rows.limits.retain(|limit| limit.response > 0.0);
        rows
    }

    /// Response of a contact.
    fn response(&self, contact: &Contact) -> Option<Response> {
        let softness = if contact.gap < 0.0 { self.softness } else { 0.0 };
        let matrices = own_response(contact, &self.ports);
        Response::new(matrices, &contact.normal, softness)
    }

    /// Moves the rows of trees that swing to the end of the displacement, where the velocities at the end are solved for.
    pub(super) fn swing(&mut self, trees: &mut [MovingTree<'_>], swings: &[bool], h: f64) {
        for (index, (tree, ports)) in trees.iter_mut().zip(&mut self.ports).enumerate() {
            if !swings[index] {
                continue;
            }
            self.coordinates = None;
            let rotations: Vec<_> = tree.placement.poses().iter().map(|pose| pose.rotation).collect();
            tree.close(h);
            tree.place_at_end(h);
            for side in self.contacts.iter_mut().flat_map(|contact| contact.sides.iter_mut().flatten()) {
                if side.tree == index {
                    let link = ports.link(side.port);
                    let end = tree.placement.poses()[link].rotation;
                    side.arm = end * (rotations[link].inverse() * (side.arm - side.round)) + side.round;
                }
            }
            ports.respond(tree, h);
        }
        for index in 0..self.contacts.len() {
            if self.contacts[index].sides.iter().flatten().any(|side| swings[side.tree])
                && let Some(response) = self.response(&self.contacts[index])
            {
                self.contacts[index].response = response;
            }
        }
        for limit in self.limits.iter_mut().filter(|limit| swings[limit.tree]) {
            let response = self.ports[limit.tree].response_at(limit.port);
            limit.response = if response > 0.0 { response } else { limit.response };
        }
    }

    /// Reads the velocities of the ports from those of the trees, of the displacement or at the end of the step.
    pub(super) fn read(&mut self, trees: &[MovingTree<'_>], is_displacement: bool) {
        for (tree, ports) in trees.iter().zip(&self.ports) {
            let own = &mut self.velocities[ports.first..ports.first + ports.count()];
            ports.read(tree, if is_displacement { &tree.mean } else { &tree.end }, own);
            ports.hold(own, is_displacement);
        }
    }

    /// Largest velocity of a port.
    pub(super) fn fastest(&self) -> f64 {
        self.velocities.iter().fold(0.0_f64, |largest, velocity| largest.max(velocity.abs()))
    }

    /// Gives contacts the impulses of the last step, unless they collide or are left out.
    pub(super) fn warm_start(
        &mut self,
        targets: &[f64],
        (memory, phase): (&ContactMemory, usize),
        impacts: &[Vector3<f64>],
    ) {
        for (index, (contact, key)) in self.contacts.iter_mut().zip(&self.keys).enumerate() {
            let collides = impacts.get(index).is_some_and(|impact| *impact != Vector3::zeros());
            let last = memory.impulses(key).filter(|_| !collides && targets[index] > f64::NEG_INFINITY);
            contact.impulse = last.map_or(Vector3::zeros(), |impulses| impulses[phase]);
        }
    }

    /// Solves for the impulses at targets [m/s; rad/s or m/s]; `scale` [m/s] is the speed that counts as one.
    pub(super) fn sweep(&mut self, targets: [Vec<f64>; 2], softness: f64, scale: f64) -> Swept {
        for contact in &mut self.contacts {
            contact.soften(if contact.gap < 0.0 { softness } else { 0.0 });
        }
        let of = (&self.contacts[..], &self.limits[..]);
        let mut rows = match self.coordinates.take() {
            Some(mut rows) => {
                rows.renew(of, &self.velocities);
                rows
            }
            None => CoordinateRows::new(&self.ports, of, &self.velocities),
        };
        let (contacts, limits) = (&mut self.contacts[..], &mut self.limits[..]);
        let borne = rows.take_out(limits);
        let mut problem = Problem { rows, z: Vec::new(), contacts, limits, targets, scale };
        problem.start();
        let swept = problem.solve();
        let (rows, mut z) = (problem.rows, problem.z);
        z.iter_mut().zip(&borne).for_each(|(z, borne)| *z -= borne);
        rows.show(&self.ports, &z, &mut self.velocities);
        self.coordinates = Some(rows);
        swept
    }

    /// Velocities [m/s; rad/s or m/s] at the end of the step at which rows bear no load: those of the gaps that remain. Contacts that stay
    /// open and approach faster than `slow` will bounce, and are not braked before they touch.
    pub(super) fn remaining_gaps(&self, h: f64, slow: f64) -> [Vec<f64>; 2] {
        let of_contact = |contact: &Contact| {
            let speed = relative(contact, &self.velocities).dot(&contact.normal);
            let remaining = (contact.gap + h * speed).max(0.0);
            let stays_open = contact.gap > 0.0 && contact.impulse.dot(&contact.normal) <= 0.0;
            match contact.restitution > 0.0 && stays_open && -speed > slow {
                true => f64::NEG_INFINITY,
                false if contact.gap < 0.0 => 0.0,
                false => -remaining / h,
            }
        };
        let of_limit =
            |limit: &Limit| -(limit.gap + h * limit.sign * self.velocities[limit.port]).max(0.0) / h;
        [self.contacts.iter().map(of_contact).collect(), self.limits.iter().map(of_limit).collect()]
    }

    /// Starts the displacement of trees with joints later than the middle of the step, as if contacts bore at the end what they did in the last step.
    pub(super) fn lead(&self, trees: &mut [MovingTree<'_>], memory: &ContactMemory) {
        if !trees.iter().zip(&self.ports).any(|(tree, ports)| ports.count() > 0 && tree.is_late()) {
            return;
        }
        let mut impulses = vec![0.0; self.velocities.len()];
        for (contact, key) in self.contacts.iter().zip(&self.keys) {
            if let Some([_, impulse]) = memory.impulses(key) {
                add_to_ports(contact, &impulse, &mut impulses);
            }
        }
        for (tree, ports) in trees.iter_mut().zip(&self.ports) {
            if ports.count() > 0 && tree.is_late() {
                ports.lead(tree, &impulses[ports.first..ports.first + ports.count()]);
            }
        }
    }

    /// Adds the effect of the impulses to the velocities of the trees.
    pub(super) fn apply(&self, trees: &mut [MovingTree<'_>], is_displacement: bool) {
        apply(&self.ports, trees, (&self.contacts, &self.limits), is_displacement);
    }
}

/// Adds the effect of the impulses of contacts and limits to the velocities of the trees.
pub(super) fn apply(
    ports: &[Ports],
    trees: &mut [MovingTree<'_>],
    (contacts, limits): (&[Contact], &[Limit]),
    is_displacement: bool,
) {
    let total = ports.last().map_or(0, |last| last.first + last.count());
    let mut impulses = vec![0.0; total];
    for contact in contacts {
        add_to_ports(contact, &contact.impulse, &mut impulses);
    }
    for limit in limits {
        impulses[limit.port] += limit.sign * (limit.impulse - limit.borne);
    }
    for (tree, ports) in trees.iter_mut().zip(ports) {
        if ports.count() == 0 {
            continue;
        }
        let own = &impulses[ports.first..ports.first + ports.count()];
        let mut v = std::mem::take(if is_displacement { &mut tree.mean } else { &mut tree.end });
        let of_rows = ports.apply(tree, (own, is_displacement), &mut v);
        if !is_displacement {
            tree.row_impulses.resize(of_rows.len(), 0.0);
            tree.row_impulses.iter_mut().zip(of_rows).for_each(|(sum, own)| *sum += own);
        }
        *(if is_displacement { &mut tree.mean } else { &mut tree.end }) = v;
    }
}

/// Adds an impulse on the second side of a contact, and its opposite on the first, to those of the ports.
fn add_to_ports(contact: &Contact, impulse: &Vector3<f64>, impulses: &mut [f64]) {
    for (side, sign) in contact.sides.iter().zip([-1.0, 1.0]) {
        let Some(side) = side else { continue };
        let force = impulse * sign;
        let moment = side.arm.cross(&force);
        for (at, amount) in moment.iter().chain(force.iter()).enumerate() {
            impulses[side.port + at] += amount;
        }
    }
}
