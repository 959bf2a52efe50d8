//! Rows in coordinates in which the response of all trees is the identity.
//!
//! The response of the ports of a tree is B Bᵀ, with a column for each of its freedoms. Impulses λ at rows R of port velocities move the coordinates by
//! z = Σ (R B)ᵀ λ, and these the rows by R B z: a row costs as many products as its tree has freedoms, however many ports there are.

use std::ops::Range;

use nalgebra::Vector3;

use super::contact::{Contact, Side};
use super::limit::Limit;
use super::port_motion::{add_side, relative};
use super::ports::Ports;
use crate::algebra::{dot, three_dots};

/// Part of a row in the coordinates of one tree.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// First coordinate, among those of all trees.
    first: usize,
    length: usize,
    /// Its first entry; a contact has `length` of them for each axis.
    entry: usize,
}

/// The rows of contacts and limits.
#[derive(Debug)]
pub(super) struct CoordinateRows {
    /// First coordinate of each tree, and the number of all.
    firsts: Vec<usize>,
    entries: Vec<f64>,
    contacts: Vec<[Option<Part>; 2]>,
    /// Velocities of the contacts without impulses.
    free: Vec<Vector3<f64>>,
    /// Limits, with their speeds without impulses; all along their signs.
    limits: Vec<(Part, f64)>,
}

impl CoordinateRows {
    /// Rows at the velocities of the ports without impulses.
    pub(super) fn new(
        ports: &[Ports],
        (contacts, limits): (&[Contact], &[Limit]),
        velocities: &[f64],
    ) -> Self {
        let mut firsts = vec![0];
        firsts.extend(ports.iter().scan(0, |total, ports| {
            *total += ports.basis.nrows();
            Some(*total)
        }));
        let mut rows = Self {
            firsts,
            entries: Vec::new(),
            contacts: Vec::with_capacity(contacts.len()),
            free: contacts.iter().map(|contact| relative(contact, velocities)).collect(),
            limits: Vec::with_capacity(limits.len()),
        };
        for contact in contacts {
            let parts = match contact.sides {
                [Some(a), Some(b)] if a.tree == b.tree => {
                    [rows.add(&ports[a.tree], &[(-1.0, a), (1.0, b)]), None]
                }
                [a, b] => [(-1.0, a), (1.0, b)]
                    .map(|(sign, side)| side.and_then(|side| rows.add(&ports[side.tree], &[(sign, side)]))),
            };
            rows.contacts.push(parts);
        }
        for limit in limits {
            let own = &ports[limit.tree];
            let row = own.of_port(limit.port - own.first);
            let entry = rows.entries.len();
            rows.entries.extend(row.iter().map(|value| limit.sign * value));
            let (first, length) = (rows.firsts[limit.tree], row.len());
            let part = Part { first, length, entry };
            rows.limits.push((part, limit.sign * velocities[limit.port]));
        }
        rows
    }

    /// Adds the row of sides of one tree, with their signs; coordinates before the first and after the last that move it are left out.
    fn add(&mut self, ports: &Ports, sides: &[(f64, Side)]) -> Option<Part> {
        let (entry, count) = (self.entries.len(), ports.basis.nrows());
        self.entries.resize(entry + 3 * count, 0.0);
        let rows = &mut self.entries[entry..];
        sides.iter().for_each(|(sign, side)| add_side(side, *sign, ports, rows));
        let moves = |column: &usize| (0..3).any(|axis| rows[axis * count + column] != 0.0);
        let found = (0..count).find(moves).zip((0..count).rfind(moves));
        let (begin, end) = found.map_or((0, 0), |(begin, last)| (begin, last + 1));
        let length = end - begin;
        for axis in 0..3 {
            rows.copy_within(axis * count + begin..axis * count + end, axis * length);
        }
        self.entries.truncate(entry + 3 * length);
        let tree = sides.first()?.1.tree;
        (length > 0).then(|| Part { first: self.firsts[tree] + begin, length, entry })
    }

    /// Renews the velocities of contacts and limits without impulses from those of the ports.
    pub(super) fn renew(&mut self, (contacts, limits): (&[Contact], &[Limit]), velocities: &[f64]) {
        self.free.iter_mut().zip(contacts).for_each(|(free, contact)| *free = relative(contact, velocities));
        for ((_, free), limit) in self.limits.iter_mut().zip(limits) {
            *free = limit.sign * velocities[limit.port];
        }
    }

    /// Takes what limits bear in the free motion out of the velocities without impulses; returns the coordinates of it, none where that is nothing.
    pub(super) fn take_out(&mut self, limits: &[Limit]) -> Vec<f64> {
        if limits.iter().all(|limit| limit.borne <= 0.0) {
            return Vec::new();
        }
        let mut z = vec![0.0; self.count()];
        for (index, limit) in limits.iter().enumerate() {
            self.push_limit(index, -limit.borne, &mut z);
        }
        for contact in 0..self.contacts.len() {
            self.free[contact] = self.velocity(contact, &z);
        }
        for limit in 0..self.limits.len() {
            self.limits[limit].1 = self.limit_speed(limit, &z);
        }
        z.iter_mut().for_each(|z| *z = -*z);
        z
    }

    /// Number of coordinates.
    pub(super) fn count(&self) -> usize {
        self.firsts.last().copied().unwrap_or(0)
    }

    /// Parts of a contact; two are of different trees.
    #[inline(always)]
    fn parts(&self, contact: usize) -> impl Iterator<Item = &Part> {
        self.contacts[contact].iter().flatten()
    }

    /// Coordinates that move a contact; one range of a contact within a tree.
    #[inline(always)]
    pub(super) fn spans(&self, contact: usize) -> [Option<Range<usize>>; 2] {
        let span = |part: &Option<Part>| part.map(|part| part.first..part.first + part.length);
        [0, 1].map(|side| span(&self.contacts[contact][side]))
    }

    /// Coordinates that move a limit.
    pub(super) fn span_of_limit(&self, limit: usize) -> Range<usize> {
        let part = &self.limits[limit].0;
        part.first..part.first + part.length
    }

    /// Entries of a part of a contact, for an axis.
    #[inline(always)]
    fn axis(&self, part: &Part, axis: usize) -> &[f64] {
        let entry = part.entry + axis * part.length;
        &self.entries[entry..entry + part.length]
    }

    /// Velocity of a contact without impulses.
    pub(super) fn free(&self, contact: usize) -> Vector3<f64> {
        self.free[contact]
    }

    /// Speed of a limit along its sign without impulses.
    pub(super) fn free_limit_speed(&self, limit: usize) -> f64 {
        self.limits[limit].1
    }

    /// Velocity of a contact at coordinates z.
    #[inline(always)]
    pub(super) fn velocity(&self, contact: usize, z: &[f64]) -> Vector3<f64> {
        let mut velocity = self.free[contact];
        for part in self.parts(contact) {
            let z = &z[part.first..part.first + part.length];
            let along = three_dots([0, 1, 2].map(|axis| self.axis(part, axis)), z);
            velocity += Vector3::from(along);
        }
        velocity
    }

    /// Adds to the coordinates what an impulse at a contact causes.
    #[inline(always)]
    pub(super) fn push(&self, contact: usize, impulse: &Vector3<f64>, z: &mut [f64]) {
        for part in self.parts(contact) {
            let z = &mut z[part.first..part.first + part.length];
            let rows = [0, 1, 2].map(|axis| self.axis(part, axis));
            for (((z, x), y), w) in z.iter_mut().zip(rows[0]).zip(rows[1]).zip(rows[2]) {
                *z += x * impulse.x + y * impulse.y + w * impulse.z;
            }
        }
    }

    /// The part of a limit, and its entries.
    #[inline(always)]
    fn limit(&self, limit: usize) -> (&Part, &[f64]) {
        let part = &self.limits[limit].0;
        (part, &self.entries[part.entry..part.entry + part.length])
    }

    /// Speed of a limit along its sign.
    #[inline(always)]
    pub(super) fn limit_speed(&self, limit: usize, z: &[f64]) -> f64 {
        let (part, row) = self.limit(limit);
        self.limits[limit].1 + dot(row, &z[part.first..part.first + part.length])
    }

    /// Adds to the coordinates what an impulse at a limit causes.
    #[inline(always)]
    pub(super) fn push_limit(&self, limit: usize, impulse: f64, z: &mut [f64]) {
        let (part, row) = self.limit(limit);
        z[part.first..part.first + part.length].iter_mut().zip(row).for_each(|(z, row)| *z += row * impulse);
    }

    /// Adds the effect of the coordinates to the velocities of the ports.
    pub(super) fn show(&self, ports: &[Ports], z: &[f64], velocities: &mut [f64]) {
        for (ports, first) in ports.iter().zip(&self.firsts) {
            let own = &mut velocities[ports.first..ports.first + ports.count()];
            for (velocity, port) in own.iter_mut().zip(0..) {
                *velocity += dot(ports.of_port(port), &z[*first..*first + ports.basis.nrows()]);
            }
        }
    }
}

#[cfg(test)]
impl CoordinateRows {
    /// The same with limits, each with its entries and its speed without impulses.
    pub(super) fn with_limits(mut self, limits: &[(Vec<f64>, f64)]) -> Self {
        for (row, speed) in limits {
            self.limits.push((Part { first: 0, length: row.len(), entry: self.entries.len() }, *speed));
            self.entries.extend(row);
        }
        self
    }

    /// Rows of contacts with entries for each axis, which depend on all coordinates, and their velocities without impulses.
    pub(super) fn of_contacts(entries: &[[Vec<f64>; 3]], free: Vec<Vector3<f64>>) -> Self {
        let length = entries.first().map_or(0, |[x, ..]| x.len());
        let part = |index: usize| [Some(Part { first: 0, length, entry: 3 * length * index }), None];
        Self {
            firsts: vec![0, length],
            entries: entries.iter().flatten().flatten().copied().collect(),
            contacts: (0..entries.len()).map(part).collect(),
            free,
            limits: Vec::new(),
        }
    }
}
