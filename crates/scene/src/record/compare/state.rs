//! Deviations between two states.

use nalgebra::{UnitQuaternion, Vector3};

use super::{AcceptanceThresholds, Quantity};
use crate::state::{Named, SoftState, WorldState, find, quaternion};
use extricate_dynamics::{BodyState, RobotState};

/// Deviation of a field of a state from its expected value, beyond its tolerance or not.
#[derive(Debug, Clone, Copy)]
pub(in crate::record) struct Deviation<'a> {
    pub(in crate::record) step: u64,
    pub(in crate::record) time: f64,
    /// Name of the body, soft body or robot; empty for fields of the whole scene.
    pub(in crate::record) body: &'a str,
    pub(in crate::record) field: Field<'a>,
    pub(in crate::record) quantity: Quantity,
    pub(in crate::record) expected: &'a [f64],
    pub(in crate::record) measured: &'a [f64],
    /// Difference [unit of the quantity]; NaN where a value is.
    pub(in crate::record) difference: f64,
    /// Largest accepted difference.
    pub(in crate::record) tolerance: f64,
}

/// A field of a state.
#[derive(Debug, Clone, Copy)]
pub(in crate::record) enum Field<'a> {
    Named(&'static str),
    Joint(&'a str),
}

impl Deviation<'_> {
    /// Ratio of the difference to the tolerance: more than one fails. No difference is zero, also where nothing is tolerated.
    pub(in crate::record) fn ratio(&self) -> f64 {
        // These cases come before the division: 0/0 and ∞/∞ would be NaN, and a NaN difference must fail.
        match (self.difference == 0.0, self.tolerance.is_infinite()) {
            (true, _) | (_, true) => 0.0,
            _ if self.difference.is_nan() => f64::INFINITY,
            _ => self.difference / self.tolerance,
        }
    }
}

/// Calls `visit` with the deviation of every field of two states of one step.
pub(in crate::record) fn each_deviation(
    expected: &WorldState,
    measured: &WorldState,
    thresholds: &AcceptanceThresholds,
    visit: &mut dyn FnMut(&Deviation),
) {
    let (step, time) = (measured.step, measured.time);
    let mut of = StateComparison { step, time, body: "", thresholds, visit };
    of.lists(&expected.bodies, &measured.bodies, StateComparison::body);
    of.lists(&expected.robots, &measured.robots, StateComparison::robot);
    of.lists(&expected.soft, &measured.soft, StateComparison::soft);
    // The following fields belong to the whole scene.
    of.body = "";
    let [a, b] = [expected, measured].map(|state| state.energy);
    of.number("kinetic energy", Quantity::Energy, a.kinetic, b.kinetic);
    of.number("potential energy", Quantity::Energy, a.potential, b.potential);
    of.number("elastic energy", Quantity::Energy, a.elastic, b.elastic);
    of.number("max_penetration", Quantity::Penetration, expected.max_penetration, measured.max_penetration);
    of.number("contacts", Quantity::Contacts, expected.contacts as f64, measured.contacts as f64);
}

/// Comparison of two states, at one of their bodies.
struct StateComparison<'a, 'v> {
    step: u64,
    time: f64,
    body: &'a str,
    thresholds: &'a AcceptanceThresholds,
    visit: &'v mut dyn FnMut(&Deviation),
}

impl<'a> StateComparison<'a, '_> {
    /// Compares entries that have a name in both lists; one that is in a single list deviates in its presence.
    fn lists<T: Named>(
        &mut self,
        expected: &'a [T],
        measured: &'a [T],
        compare: fn(&mut Self, &'a T, &'a T),
    ) {
        for a in expected {
            self.body = a.name();
            match find(measured, a.name()) {
                Some(b) => compare(self, a, b),
                None => self.presence(Field::Named("presence"), 1.0, 0.0),
            }
        }
        for b in measured.iter().filter(|b| find(expected, b.name()).is_none()) {
            self.body = b.name();
            self.presence(Field::Named("presence"), 0.0, 1.0);
        }
    }

    fn body(&mut self, a: &BodyState, b: &BodyState) {
        self.vector("position", Quantity::Position, &a.position.coords, &b.position.coords);
        self.rotation("rotation", &a.rotation, &b.rotation);
        let [linear, angular] = [Quantity::LinearVelocity, Quantity::AngularVelocity];
        self.vector("linear_velocity", linear, &a.linear_velocity, &b.linear_velocity);
        self.vector("angular_velocity", angular, &a.angular_velocity, &b.angular_velocity);
    }

    fn robot(&mut self, a: &'a RobotState, b: &'a RobotState) {
        self.vector(
            "base position",
            Quantity::Position,
            &a.base.translation.vector,
            &b.base.translation.vector,
        );
        self.rotation("base rotation", &a.base.rotation, &b.base.rotation);
        for (name, expected) in &a.joints {
            let field = Field::Joint(name);
            let Some(measured) = b.joints.get(name) else {
                self.presence(field, 1.0, 0.0);
                continue;
            };
            let tolerance = self.thresholds.joint(&format!("{}/{name}", self.body));
            let difference = (measured - expected).abs();
            self.report((field, Quantity::Joint), &[*expected], &[*measured], (difference, tolerance));
        }
        for name in b.joints.keys().filter(|name| !a.joints.contains_key(*name)) {
            self.presence(Field::Joint(name), 0.0, 1.0);
        }
    }

    fn soft(&mut self, a: &SoftState, b: &SoftState) {
        let (a, b) = (&a.state, &b.state);
        self.vector("centroid", Quantity::Position, &a.centroid.coords, &b.centroid.coords);
        self.vector("velocity", Quantity::LinearVelocity, &a.velocity, &b.velocity);
        self.number("volume", Quantity::Volume, a.volume, b.volume);
        self.number("max_penetration", Quantity::Penetration, a.max_penetration, b.max_penetration);
        self.number("inverted", Quantity::Inverted, a.inverted as f64, b.inverted as f64);
    }

    fn presence(&mut self, field: Field<'a>, expected: f64, measured: f64) {
        self.report((field, Quantity::Presence), &[expected], &[measured], (1.0, 0.0));
    }

    fn number(&mut self, field: &'static str, quantity: Quantity, expected: f64, measured: f64) {
        let tolerance = self.thresholds.of(quantity, expected);
        let difference = (measured - expected).abs();
        self.report((Field::Named(field), quantity), &[expected], &[measured], (difference, tolerance));
    }

    fn vector(
        &mut self,
        field: &'static str,
        quantity: Quantity,
        expected: &Vector3<f64>,
        measured: &Vector3<f64>,
    ) {
        let tolerance = self.thresholds.of(quantity, 0.0);
        let [expected, measured] = [expected, measured].map(|vector| <[f64; 3]>::from(*vector));
        let difference = distance(&expected, &measured);
        self.report((Field::Named(field), quantity), &expected, &measured, (difference, tolerance));
    }

    /// Compares two rotations by the angle between them.
    fn rotation(
        &mut self,
        field: &'static str,
        expected: &UnitQuaternion<f64>,
        measured: &UnitQuaternion<f64>,
    ) {
        let tolerance = self.thresholds.of(Quantity::Rotation, 0.0);
        let [expected, measured] = [expected, measured].map(quaternion);
        let difference = angle(&expected, &measured);
        self.report((Field::Named(field), Quantity::Rotation), &expected, &measured, (difference, tolerance));
    }

    fn report(
        &mut self,
        (field, quantity): (Field, Quantity),
        expected: &[f64],
        measured: &[f64],
        (difference, tolerance): (f64, f64),
    ) {
        let (step, time, body) = (self.step, self.time, self.body);
        let deviation =
            Deviation { step, time, body, field, quantity, expected, measured, difference, tolerance };
        (self.visit)(&deviation);
    }
}

/// Distance of two points.
fn distance<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Angle between the rotations of two unit quaternions [rad]. Their chord is 2 sin(θ/4), which is exact for small angles;
/// a quaternion and its negative are the same rotation.
fn angle(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    let (same, opposite) = (distance(a, b), distance(a, &b.map(|x| -x)));
    let chord = if opposite < same { opposite } else { same };
    4.0 * (chord / 2.0).clamp(0.0, 1.0).asin()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn the_angle_between_rotations_is_exact_however_small() {
        let about_x = |angle: f64| [(angle / 2.0).cos(), (angle / 2.0).sin(), 0.0, 0.0];
        for theta in [1e-12, 1e-6, 0.3, PI, 1.2 * PI] {
            let expected = theta.min(2.0 * PI - theta);
            for sign in [1.0, -1.0] {
                let found = angle(&about_x(0.0), &about_x(theta).map(|x| sign * x));
                assert!((found - expected).abs() <= 1e-12 * expected.max(1e-3), "{theta}: {found}");
            }
        }
        assert!(angle(&[f64::NAN; 4], &about_x(1.0)).is_nan());
    }
}
