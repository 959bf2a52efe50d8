//! Measurement of quantities of a run whose exact values are known.
//!
//! A [`Meter`] follows one quantity through the states of a run and retains no more than it needs. A quantity that never
//! occurred, such as a flip of a body that does not rotate, is NaN and passes no expectation.

mod soft;

use std::f64::consts::TAU;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::placement::{point, vector};
use super::schema::Quantity;
use crate::state::{SoftValues, WorldState};
use extricate_dynamics::{BodyState, SoftBodyDescription, SoftReport};
use soft::SoftReading;

/// Measures one quantity of a run.
#[derive(Debug, Clone)]
pub(super) struct Meter {
    /// Name of the quantity, with its unit.
    pub(super) name: String,
    /// The body, if the quantity is that of a body.
    body: Option<Subject>,
    reading: Reading,
}

/// A body by its index among those of its kind, sorted by name.
#[derive(Debug, Clone, Copy)]
enum Subject {
    Rigid(usize),
    Soft(usize),
}

/// Intermediate result of a quantity.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Reading {
    Travel {
        along: Vector3<f64>,
        start: Option<Point3<f64>>,
        #[serde(rename = "way")]
        displacement: f64,
    },
    Drift {
        from: f64,
        origin: Option<Point3<f64>>,
        max: f64,
    },
    Speed {
        along: Vector3<f64>,
        speed: f64,
    },
    Rebound(Rebound),
    Flips {
        axis: Vector3<f64>,
        wanted: FlipTime,
        last: Option<(f64, f64)>,
        times: Vec<f64>,
    },
    Lead {
        axis: Vector3<f64>,
        lead: Lead,
    },
    EnergyDrift {
        start: Option<[f64; 2]>,
        max: f64,
    },
    AngularMomentumDrift {
        start: Option<Vector3<f64>>,
        max: f64,
    },
    ContactImbalance {
        max: f64,
    },
    Soft(SoftReading),
}

/// Heights above the point of the bounce [m].
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Rebound {
    up: Vector3<f64>,
    from: Point3<f64>,
    start: Option<f64>,
    last: f64,
    /// Maximum height since the body first rose.
    apex: Option<f64>,
}

/// Displacement of a body along an axis, and its rotation about it.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Lead {
    start: Option<Point3<f64>>,
    last: Option<UnitQuaternion<f64>>,
    /// [m].
    #[serde(rename = "way")]
    displacement: f64,
    /// Accumulated over all revolutions [rad]; states must be less than half a revolution apart.
    angle: f64,
}

/// Quantity derived from the times of flips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FlipTime {
    First,
    Interval,
}

impl Meter {
    /// A meter of `quantity`; `names` are those of the rigid bodies, sorted, as the soft bodies are, and `gravity` is that
    /// of the world [m/s²].
    pub(super) fn new(
        quantity: &Quantity,
        names: &[&str],
        soft: &[SoftBodyDescription],
        gravity: &Vector3<f64>,
    ) -> Self {
        let (name, body, reading) = match SoftReading::new(quantity, soft) {
            Some((name, body, reading)) => (name, Some(body), Reading::Soft(reading)),
            None => of_any_body(quantity, gravity),
        };
        let rigid = |name| Some(Subject::Rigid(names.binary_search(&name).ok()?));
        let of_soft = |name| Some(Subject::Soft(soft.iter().position(|body| body.name == name)?));
        let body = body.and_then(|name| rigid(name).or_else(|| of_soft(name)));
        Self { name, body, reading }
    }

    /// The intermediate result.
    pub(super) fn reading(&self) -> Reading {
        self.reading.clone()
    }

    /// Restores an intermediate result, and returns whether it was one of the same quantity.
    pub(super) fn restore(&mut self, mut stored: Reading) -> bool {
        if let (Reading::Soft(own), Reading::Soft(stored)) = (&self.reading, &mut stored) {
            stored.adopt_nodes(own);
        }
        let same = std::mem::discriminant(&self.reading) == std::mem::discriminant(&stored);
        self.reading = stored;
        same
    }

    /// Takes a state into account. States come in the order of time, the first at the start.
    pub(super) fn observe(&mut self, state: &WorldState) {
        match (&mut self.reading, self.body) {
            (Reading::EnergyDrift { start, max }, _) => {
                let energy = &state.energy;
                let [total, kinetic] = *start.get_or_insert([energy.total(), energy.kinetic]);
                *max = max.max((energy.total() - total).abs() / kinetic);
            }
            (Reading::AngularMomentumDrift { start, max }, _) => {
                let start = *start.get_or_insert(state.angular_momentum);
                *max = max.max((state.angular_momentum - start).norm() / start.norm());
            }
            (Reading::Soft(reading), Some(Subject::Soft(index))) => {
                reading.follow(state.time, &state.soft[index]);
            }
            (reading, Some(Subject::Rigid(index))) => reading.follow(state.time, &state.bodies[index]),
            (reading, Some(Subject::Soft(index))) => {
                reading.follow(state.time, &at_centroid(&state.soft[index].state));
            }
            (_, None) => {}
        }
    }

    /// Takes the contacts of soft bodies in a step into account, recorded or not.
    pub(super) fn follow_contacts(&mut self, report: &SoftReport) {
        if let Reading::ContactImbalance { max } = &mut self.reading
            && report.contact_force > 0.0
        {
            *max = max.max(report.imbalance / report.contact_force);
        }
    }

    /// The measured value; NaN where the quantity did not occur.
    pub(super) fn value(&self) -> f64 {
        match &self.reading {
            Reading::Travel { displacement: value, .. }
            | Reading::Speed { speed: value, .. }
            | Reading::Drift { max: value, .. }
            | Reading::EnergyDrift { max: value, .. }
            | Reading::AngularMomentumDrift { max: value, .. }
            | Reading::ContactImbalance { max: value } => *value,
            Reading::Soft(reading) => reading.value(),
            Reading::Rebound(rebound) => rebound.value(),
            Reading::Lead { lead, .. } => lead.value(),
            Reading::Flips { wanted, times, .. } => match (wanted, times.as_slice()) {
                (FlipTime::First, [first, ..]) => *first,
                (FlipTime::Interval, [first, .., last]) => {
                    #[expect(clippy::cast_precision_loss, reason = "a run has few flips")]
                    let intervals = (times.len() - 1) as f64;
                    (last - first) / intervals
                }
                _ => f64::NAN,
            },
        }
    }
}

/// Name, body and initial reading of a quantity of any kind of body, or of the whole run.
fn of_any_body<'q>(quantity: &'q Quantity, gravity: &Vector3<f64>) -> (String, Option<&'q str>, Reading) {
    let flips = |axis, wanted| Reading::Flips { axis: vector(axis), wanted, last: None, times: Vec::new() };
    let direction = |along| vector(along).normalize();
    let (name, body, reading): (String, Option<&String>, Reading) = match quantity {
        Quantity::Travel { body, along } => {
            let reading = Reading::Travel { along: direction(*along), start: None, displacement: f64::NAN };
            (format!("travel({body}) [m]"), Some(body), reading)
        }
        Quantity::Drift { body, from } => {
            let reading = Reading::Drift { from: *from, origin: None, max: f64::NAN };
            (format!("drift({body}) [m]"), Some(body), reading)
        }
        Quantity::Speed { body, along } => {
            let reading = Reading::Speed { along: direction(*along), speed: f64::NAN };
            (format!("speed({body}) [m/s]"), Some(body), reading)
        }
        Quantity::Rebound { body, from } => {
            let up = -gravity.normalize();
            let rebound = Rebound { up, from: point(*from), start: None, last: f64::INFINITY, apex: None };
            (format!("rebound({body})"), Some(body), Reading::Rebound(rebound))
        }
        Quantity::FirstFlip { body, axis } => {
            (format!("first_flip({body}) [s]"), Some(body), flips(*axis, FlipTime::First))
        }
        Quantity::FlipInterval { body, axis } => {
            (format!("flip_interval({body}) [s]"), Some(body), flips(*axis, FlipTime::Interval))
        }
        Quantity::Lead { body, axis } => {
            let reading = Reading::Lead { axis: direction(*axis), lead: Lead::default() };
            (format!("lead({body}) [m]"), Some(body), reading)
        }
        Quantity::EnergyDrift => {
            (String::from("energy_drift"), None, Reading::EnergyDrift { start: None, max: f64::NAN })
        }
        Quantity::AngularMomentumDrift => {
            let reading = Reading::AngularMomentumDrift { start: None, max: f64::NAN };
            (String::from("angular_momentum_drift"), None, reading)
        }
        Quantity::ContactImbalance => {
            (String::from("contact_imbalance"), None, Reading::ContactImbalance { max: f64::NAN })
        }
        Quantity::VolumeRatio { .. }
        | Quantity::VolumeDrift { .. }
        | Quantity::InvertedElements { .. }
        | Quantity::Penetration { .. }
        | Quantity::Deflection { .. }
        | Quantity::HandleForce { .. } => {
            unreachable!("quantities of soft bodies have readings of their own")
        }
    };
    (name, body.map(String::as_str), reading)
}

/// The centre of mass of a soft body as a rigid body that does not rotate.
fn at_centroid(state: &SoftValues) -> BodyState {
    BodyState {
        name: String::new(),
        position: state.centroid,
        rotation: UnitQuaternion::identity(),
        linear_velocity: state.velocity,
        angular_velocity: Vector3::zeros(),
    }
}

impl Reading {
    /// Takes the state of the body that is measured into account.
    fn follow(&mut self, time: f64, body: &BodyState) {
        match self {
            Self::Travel { along, start, displacement } => {
                *displacement = (body.position - *start.get_or_insert(body.position)).dot(along);
            }
            Self::Drift { from, origin, max } if time >= *from => {
                let moved = body.position - *origin.get_or_insert(body.position);
                *max = max.max(moved.norm());
            }
            Self::Speed { along, speed } => *speed = body.linear_velocity.dot(along),
            Self::Rebound(rebound) => rebound.follow(body),
            Self::Lead { axis, lead } => lead.follow(axis, body),
            Self::Flips { axis, last, times, .. } => {
                let rate = axis.dot(&(body.rotation.inverse() * body.angular_velocity));
                if let Some((before, last_rate)) = *last
                    && last_rate * rate < 0.0
                {
                    // The zero of the rate, interpolated linearly between the two states.
                    times.push(before + (time - before) * last_rate / (last_rate - rate));
                }
                *last = Some((time, rate));
            }
            Self::Drift { .. }
            | Self::EnergyDrift { .. }
            | Self::AngularMomentumDrift { .. }
            | Self::ContactImbalance { .. }
            | Self::Soft(_) => {}
        }
    }
}

impl Rebound {
    fn follow(&mut self, body: &BodyState) {
        let height = (body.position - self.from).dot(&self.up);
        self.start.get_or_insert(height);
        if let Some(apex) = &mut self.apex {
            *apex = apex.max(height);
        } else if height > self.last {
            self.apex = Some(height);
        }
        self.last = height;
    }

    fn value(&self) -> f64 {
        // A body that never rose has no apex.
        self.apex.zip(self.start).map_or(f64::NAN, |(apex, start)| apex / start)
    }
}

impl Lead {
    fn follow(&mut self, axis: &Vector3<f64>, body: &BodyState) {
        let before = self.last.replace(body.rotation).unwrap_or(body.rotation);
        // The increments add up over revolutions, which the rotation itself does not count.
        self.angle += (body.rotation * before.inverse()).scaled_axis().dot(axis);
        self.displacement = (body.position - *self.start.get_or_insert(body.position)).dot(axis);
    }

    fn value(&self) -> f64 {
        if self.angle == 0.0 { f64::NAN } else { self.displacement / (self.angle / TAU) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_dynamics::Energy;

    const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -10.0);

    fn body(position: [f64; 3], velocity: [f64; 3], spin: [f64; 3]) -> BodyState {
        BodyState {
            name: String::from("b"),
            position: position.into(),
            rotation: UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2),
            linear_velocity: velocity.into(),
            angular_velocity: spin.into(),
        }
    }

    /// The value after states a second apart.
    fn measured(quantity: &Quantity, states: &[BodyState]) -> f64 {
        let mut meter = Meter::new(quantity, &["a", "b"], &[], &GRAVITY);
        let other = body([7.0; 3], [7.0; 3], [7.0; 3]);
        for (second, state) in states.iter().enumerate() {
            let bodies = vec![other.clone(), state.clone()];
            let speed = state.linear_velocity.norm();
            meter.observe(&WorldState {
                time: second as f64,
                bodies,
                energy: Energy { kinetic: speed, ..Energy::default() },
                angular_momentum: state.angular_velocity,
                ..WorldState::default()
            });
        }
        meter.value()
    }

    fn named() -> String {
        String::from("b")
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn displacements_and_speeds_are_measured_along_their_direction() {
        let states =
            [body([1.0, 2.0, 0.0], [0.0; 3], [0.0; 3]), body([4.0, 6.0, 9.0], [3.0, 4.0, 5.0], [0.0; 3])];
        close(measured(&Quantity::Travel { body: named(), along: (3.0, 4.0, 0.0) }, &states), 5.0);
        close(measured(&Quantity::Speed { body: named(), along: (0.0, -2.0, 0.0) }, &states), -4.0);
    }

    #[test]
    fn drift_begins_at_its_time() {
        let at = |x: f64| body([x, 0.0, 0.0], [0.0; 3], [0.0; 3]);
        let states = [at(0.0), at(5.0), at(3.0), at(4.0)];
        close(measured(&Quantity::Drift { body: named(), from: 0.5 }, &states), 2.0);
        assert!(measured(&Quantity::Drift { body: named(), from: 9.0 }, &states).is_nan());
    }

    #[test]
    fn a_rebound_is_the_fraction_of_the_height_that_is_reached_again() {
        let at = |z: f64| body([0.0, 0.0, z], [0.0; 3], [0.0; 3]);
        let quantity = Quantity::Rebound { body: named(), from: (0.0, 0.0, 1.0) };
        close(measured(&quantity, &[at(5.0), at(3.0), at(1.2), at(2.0), at(3.0), at(1.1), at(2.5)]), 0.5);
        assert!(measured(&quantity, &[at(5.0), at(3.0), at(1.0)]).is_nan(), "it never rose");
    }

    #[test]
    fn the_lead_of_a_screw_is_its_displacement_per_revolution_with_the_sign_of_its_handedness() {
        let rotated = |revolutions: f64| BodyState {
            rotation: UnitQuaternion::from_axis_angle(&Vector3::z_axis(), revolutions * TAU),
            ..body([0.3, 0.0, -0.5 * revolutions], [0.0; 3], [0.0; 3])
        };
        let states = [0.1, 0.4, 0.8, 1.2, 1.5, 1.3].map(rotated);
        let axis = (0.0, 0.0, 2.0);
        close(measured(&Quantity::Lead { body: named(), axis }, &states), -0.5);
        assert!(measured(&Quantity::Lead { body: named(), axis }, &[rotated(1.0), rotated(1.0)]).is_nan());
    }

    #[test]
    fn flips_are_reversals_about_an_axis_of_the_body() {
        // The body's x axis is the world's y axis.
        let rotating = |y: f64| body([0.0; 3], [0.0; 3], [9.0, y, 9.0]);
        let states = [1.0, 3.0, -1.0, -1.0, -1.0, 1.0, 1.0, -3.0].map(rotating);
        let axis = (2.0, 0.0, 0.0);
        close(measured(&Quantity::FirstFlip { body: named(), axis }, &states), 1.75);
        close(measured(&Quantity::FlipInterval { body: named(), axis }, &states), (6.25 - 1.75) / 2.0);
        assert!(measured(&Quantity::FlipInterval { body: named(), axis }, &states[..4]).is_nan());
    }

    #[test]
    fn drifts_of_conserved_quantities_are_fractions_of_the_start() {
        let states = [2.0, 2.5, 1.0, 2.2].map(|v| body([0.0; 3], [v, 0.0, 0.0], [0.0, v, 0.0]));
        close(measured(&Quantity::EnergyDrift, &states), 0.5);
        close(measured(&Quantity::AngularMomentumDrift, &states), 0.5);
        let resting = [body([0.0; 3], [0.0; 3], [0.0; 3])];
        assert!(measured(&Quantity::AngularMomentumDrift, &resting).is_nan());
    }
}
