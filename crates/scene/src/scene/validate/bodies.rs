//! Bodies: names, shapes, masses, orientations, copies.

use std::collections::BTreeSet;

use super::super::error::Fault;
use super::super::limits::BODIES;
use super::super::locate::Step::{self, Field, Index};
use super::super::placement::{copies, copy_count, vector};
use super::super::random::Random;
use super::super::schema::{BodyEntry, BodyKind, Rotation, ShapeEntry};
use super::{BodyNames, Checker, NOT_NEGATIVE, POSITIVE, WITHIN_ONE};

impl Checker<'_> {
    /// Checks the counts of copies, and returns whether they are few enough to be expanded.
    pub(super) fn bodies_are_countable(&mut self) -> bool {
        let mut total = 0_u64;
        for (index, body) in self.file().bodies.iter().enumerate() {
            let path = [Field("bodies"), Index(index), Field("copies")];
            let count = copy_count(body);
            total = total.saturating_add(count);
            if count == 0 {
                self.contradiction(&path, "zero count: a grid of copies needs 1 or more along each axis");
            } else if total > BODIES {
                // Expanding the copies would exhaust the memory before any other error is reported.
                self.contradiction(&path, format!("too many bodies: at most {BODIES} are supported"));
                return false;
            }
        }
        true
    }

    /// Checks the bodies and returns the names of all of them, copies expanded.
    pub(super) fn bodies(&mut self) -> BodyNames {
        let bodies = &self.file().bodies;
        let expanded: Vec<(String, usize)> = bodies
            .iter()
            .enumerate()
            .flat_map(|(index, body)| {
                copies(body, &mut Random::new(0)).into_iter().map(move |(n, _)| (n, index))
            })
            .collect();
        let place = |list, index| vec![Field(list), Index(index), Field("name")];
        let rigid = expanded.iter().map(|(name, index)| (name.as_str(), place("bodies", *index)));
        let soft = self.file().soft_bodies.iter().enumerate();
        let soft = soft.map(|(index, body)| (body.name.as_str(), place("soft_bodies", index)));
        self.names("bodies", rigid.chain(soft));
        for (index, body) in bodies.iter().enumerate() {
            self.body(index, body);
        }
        let dynamic = |index: usize| bodies[index].kind == BodyKind::Dynamic;
        expanded.into_iter().map(|(name, index)| (name, dynamic(index))).collect()
    }

    fn body(&mut self, index: usize, body: &BodyEntry) {
        let at = |field: &'static str| [Field("bodies"), Index(index), Field(field)];
        self.moved_copies(&at("copies"), body);
        self.body_shape(&at("shape"), body);
        self.rotation(&at("rotation"), body.rotation);
        match (body.density, body.mass) {
            (Some(_), Some(_)) => {
                let message = format!("body `{}` has both `mass` and `density`; give only one", body.name);
                self.contradiction(&at("mass"), message);
            }
            (Some(density), None) => self.range(&at("density"), "the density [kg/m³]", density, POSITIVE),
            (None, Some(mass)) => self.range(&at("mass"), "the mass [kg]", mass, POSITIVE),
            (None, None) => {}
        }
        self.range(&at("friction"), "the friction coefficient", body.friction, NOT_NEGATIVE);
        self.range(
            &at("rolling_friction"),
            "the rolling friction coefficient [m]",
            body.rolling_friction,
            NOT_NEGATIVE,
        );
        self.range(&at("restitution"), "the restitution coefficient", body.restitution, WITHIN_ONE);
        self.range(&at("linear_damping"), "the damping [1/s]", body.linear_damping, NOT_NEGATIVE);
        self.range(&at("angular_damping"), "the damping [1/s]", body.angular_damping, NOT_NEGATIVE);
        for (field, velocity) in
            [("linear_velocity", body.linear_velocity), ("angular_velocity", body.angular_velocity)]
        {
            if body.kind == BodyKind::Fixed && vector(velocity).norm() > 0.0 {
                self.contradiction(&at(field), format!("body `{}` is fixed, but has a velocity", body.name));
            }
        }
    }

    /// Checks the displacements and orientations of single copies.
    fn moved_copies(&mut self, path: &[Step], body: &BodyEntry) {
        let Some(grid) = &body.copies else { return };
        let known: BTreeSet<_> =
            copies(body, &mut Random::new(0)).into_iter().map(|(name, _)| name).collect();
        let named = grid.moved.keys().map(|name| ("moved", name));
        for (field, name) in named.chain(grid.rotations.keys().map(|name| ("rotations", name))) {
            if !known.contains(name) {
                let path = [path, &[Field(field)]].concat();
                self.report(&path, Fault::unknown_name("copy", name, &known));
            }
        }
        let path = [path, &[Field("rotations")]].concat();
        grid.rotations.values().for_each(|rotation| self.rotation(&path, *rotation));
    }

    fn body_shape(&mut self, path: &[Step], body: &BodyEntry) {
        match self.shapes.get(body.shape.as_str()) {
            Some(ShapeEntry::HalfSpace) if body.kind == BodyKind::Dynamic => {
                let message =
                    format!("body `{}` is a half-space, which has no mass and cannot be dynamic", body.name);
                self.contradiction(path, message);
            }
            Some(_) => {}
            None => {
                let known = self.file().shapes.0.iter().map(|(name, _)| name);
                self.report(path, Fault::unknown_name("shape", &body.shape, known));
            }
        }
    }

    pub(super) fn rotation(&mut self, path: &[Step], rotation: Rotation) {
        match rotation {
            Rotation::Quaternion(w, x, y, z) => {
                let length = w.hypot(x).hypot(y).hypot(z);
                self.unit_length(path, "the quaternion (w, x, y, z)", length);
            }
            Rotation::AxisAngleDegrees { axis, .. } => {
                self.unit(&[path, &[Field("axis")]].concat(), "the axis of the rotation", axis);
            }
            Rotation::Identity | Rotation::EulerDegrees(..) => {}
        }
    }
}
