//! Expectations: bounds, times, names, and quantities that the scene can have.

use super::super::error::Fault;
use super::super::locate::Step::{self, Field, Index};
use super::super::schema::{Expect, LinkingCurve, Measured, Quantity, Triple};
use super::{BodyNames, Checker, NOT_NEGATIVE, POSITIVE};

impl Checker<'_> {
    pub(super) fn expectations(&mut self, bodies: &BodyNames) {
        let expect = &self.file().expect;
        self.bounds(expect);
        self.times(expect);
        if let Some(region) = expect.no_escape {
            self.region(&[Field("expect"), Field("no_escape")], region.min, region.max);
        }
        for (index, at) in expect.body_at.iter().enumerate() {
            let path = [Field("expect"), Field("body_at"), Index(index)];
            self.known_body(&inside(&path, "body"), &at.body, bodies);
            self.range(&inside(&path, "tolerance"), "the tolerance [m]", at.tolerance, POSITIVE);
        }
        for (index, within) in expect.body_within.iter().enumerate() {
            let path = [Field("expect"), Field("body_within"), Index(index)];
            self.known_body(&inside(&path, "body"), &within.body, bodies);
            self.region(&path, within.min, within.max);
        }
        self.joints_at();
        for (index, distance) in expect.distance.iter().enumerate() {
            let path = [Field("expect"), Field("distance"), Index(index)];
            self.chain(&path, &distance.bodies, bodies);
            self.range(&inside(&path, "distance"), "the distance [m]", distance.distance, POSITIVE);
            self.range(&inside(&path, "tolerance"), "the tolerance", distance.tolerance, POSITIVE);
        }
        for (index, linked) in expect.linked.iter().enumerate() {
            let path = [Field("expect"), Field("linked"), Index(index)];
            self.chain(&path, &linked.bodies, bodies);
            self.curve(&inside(&path, "core"), &linked.core);
        }
        for (index, measured) in expect.measured.iter().enumerate() {
            self.measured(&[Field("expect"), Field("measured"), Index(index)], measured, bodies);
        }
    }

    fn measured(&mut self, path: &[Step], measured: &Measured, bodies: &BodyNames) {
        self.range(&inside(path, "tolerance"), "the tolerance", measured.tolerance, NOT_NEGATIVE);
        let path = inside(path, "quantity");
        let (body, direction) = match &measured.quantity {
            Quantity::Travel { body, along } | Quantity::Speed { body, along } => {
                (body, Some(("along", *along)))
            }
            Quantity::FirstFlip { body, axis }
            | Quantity::FlipInterval { body, axis }
            | Quantity::Lead { body, axis } => (body, Some(("axis", *axis))),
            Quantity::Drift { body, from } => {
                self.before_the_end(&inside(&path, "from"), *from);
                (body, None)
            }
            Quantity::Rebound { body, .. } => {
                if self.file().gravity == (0.0, 0.0, 0.0) {
                    self.contradiction(&path, "`rebound` needs gravity, which is zero in this scene");
                }
                (body, None)
            }
            Quantity::VolumeRatio { body }
            | Quantity::VolumeDrift { body }
            | Quantity::InvertedElements { body } => return self.known_soft(&inside(&path, "body"), body),
            Quantity::Penetration { body, from } => {
                self.before_the_end(&inside(&path, "from"), *from);
                return self.known_soft(&inside(&path, "body"), body);
            }
            Quantity::Deflection { body, nodes, along } => {
                self.nodes(&inside(&path, "nodes"), nodes);
                self.known_soft(&inside(&path, "body"), body);
                (body, Some(("along", *along)))
            }
            Quantity::HandleForce { body, handle, along } => {
                self.known_handle(&path, body, handle);
                (body, Some(("along", *along)))
            }
            Quantity::ContactImbalance => {
                if self.file().soft_bodies.is_empty() {
                    self.contradiction(
                        &path,
                        "`contact_imbalance` needs soft bodies, but the scene has none",
                    );
                }
                return;
            }
            Quantity::EnergyDrift | Quantity::AngularMomentumDrift => return,
        };
        let needs_rotation = matches!(direction, Some(("axis", _)));
        if needs_rotation && self.is_soft(body) {
            let message =
                format!("`{body}` is a soft body, which has no rotation as a whole; name a rigid body");
            return self.contradiction(&inside(&path, "body"), message);
        }
        self.known_body(&inside(&path, "body"), body, bodies);
        if let Some((field, (x, y, z))) = direction {
            let length = x.hypot(y).hypot(z);
            self.range(&inside(&path, field), "the length of the direction", length, POSITIVE);
        }
    }

    fn before_the_end(&mut self, path: &[Step], time: f64) {
        if time >= self.file().duration {
            self.contradiction(path, "nothing would be measured: the run ends before this time");
        }
    }

    fn is_soft(&self, name: &str) -> bool {
        self.file().soft_bodies.iter().any(|body| body.name == name)
    }

    fn known_handle(&mut self, path: &[Step], body: &str, handle: &str) {
        self.known_soft(&inside(path, "body"), body);
        let of_body = self.file().soft_bodies.iter().find(|soft| soft.name == body);
        let known = || of_body.into_iter().flat_map(|soft| &soft.handles).map(|handle| &handle.name);
        if of_body.is_some() && !known().any(|name| name == handle) {
            self.report(&inside(path, "handle"), Fault::unknown_name("handle", handle, known()));
        }
    }

    fn known_soft(&mut self, path: &[Step], name: &str) {
        if !self.is_soft(name) {
            let known = self.file().soft_bodies.iter().map(|body| &body.name);
            self.report(path, Fault::unknown_name("soft body", name, known));
        }
    }

    fn bounds(&mut self, expect: &Expect) {
        for (field, quantity, bound) in [
            ("max_penetration", "the bound on the penetration", expect.max_penetration),
            ("final_penetration", "the bound on the penetration", expect.final_penetration),
            ("energy_gain", "the bound on the energy", expect.energy_gain),
            ("energy_rise", "the bound on the energy", expect.energy_rise),
            ("max_speed", "the bound on the speed [m/s]", expect.max_speed),
            ("settle_time", "the settle time [s]", expect.settle_time),
        ] {
            if let Some(value) = bound {
                self.range(&[Field("expect"), Field(field)], quantity, value, NOT_NEGATIVE);
            }
        }
        if let Some(speed) = expect.rest_speed {
            let quantity = "the maximum speed at rest [body sizes/s]";
            self.range(&[Field("expect"), Field("rest_speed")], quantity, speed, POSITIVE);
        }
    }

    /// Checks that the run lasts beyond the times from which bounds are judged, and that each time has its bound.
    fn times(&mut self, expect: &Expect) {
        for (time_field, time, bound_field, bound_is_there) in [
            ("settle_time", expect.settle_time, "max_penetration", expect.max_penetration.is_some()),
            ("rest_speed", expect.rest_speed, "at_rest_by", expect.at_rest_by.is_some()),
        ] {
            if time.is_some() && !bound_is_there {
                let message = format!("`{time_field}` has no effect without `{bound_field}`");
                self.contradiction(&[Field("expect"), Field(time_field)], message);
            }
        }
        let duration = self.file().duration;
        let settled = expect.max_penetration.map(|_| expect.settle_time());
        for (field, time) in [("at_rest_by", expect.at_rest_by), ("settle_time", settled)] {
            if time.is_some_and(|time| time >= duration) {
                let message = format!("`{field}` must be before the end of the run at {duration} s");
                self.contradiction(&[Field("expect"), Field(field)], message);
            }
        }
    }

    pub(super) fn region(&mut self, path: &[Step], min: Triple, max: Triple) {
        for (lower, upper) in [(min.0, max.0), (min.1, max.1), (min.2, max.2)] {
            self.ordered(path, lower, upper);
        }
    }

    fn chain(&mut self, path: &[Step], names: &[String], bodies: &BodyNames) {
        let path = inside(path, "bodies");
        if names.len() < 2 {
            self.contradiction(&path, format!("at least two bodies are needed, found {}", names.len()));
        }
        for (index, name) in names.iter().enumerate() {
            self.known_body(&[path.as_slice(), &[Index(index)]].concat(), name, bodies);
        }
    }

    fn curve(&mut self, path: &[Step], core: &LinkingCurve) {
        match core {
            LinkingCurve::Circle { radius } => {
                self.range(&inside(path, "radius"), "the radius [m]", *radius, POSITIVE)
            }
            LinkingCurve::Polygon { points } if points.len() < 3 => {
                let message = format!("a closed curve needs at least three points, found {}", points.len());
                self.contradiction(&inside(path, "points"), message);
            }
            LinkingCurve::Polygon { .. } => {}
        }
    }
}

fn inside(path: &[Step], field: &'static str) -> Vec<Step> {
    [path, &[Field(field)]].concat()
}
