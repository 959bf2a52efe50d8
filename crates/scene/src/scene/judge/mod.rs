//! Evaluation of a run against the expectations of its scene.
//!
//! A [`Judge`] observes the states of a run one after the other and retains only extremes, so that a run of any length can
//! be judged; at the end it compares them with the bounds.

mod measure;
mod soft;

use nalgebra::{Point3, Vector3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::linking::linking_number;
use super::placement::point;
use super::quantity::{Meter, Reading};
use super::schema::{Expect, JointAt, JointValue, LinkingCurve, Measured, Region};
use crate::state::WorldState;
use extricate_dynamics::{
    BodyDescription, BodyKind, BodyState, Energy, Mass, RobotState, SoftBodyDescription, SoftReport,
};
use measure::{distance_outside, worse};
use soft::MonitoredSoftBody;
pub(super) use soft::soft_size;

/// Segments of the polygon that replaces a circular curve. Its sagitta is 0.05 % of the radius, so that it stays inside the
/// tube of a ring; the time of a linking number grows with the square.
const CIRCLE_SEGMENTS: u32 = 96;

/// Maximum deviation of a linking number from an integer. The deviation is rounding (below 1e-9) unless the curves meet,
/// where the number is undefined: any value in between does.
const LINKING_TOLERANCE: f64 = 1e-3;

/// One expectation and its result: it passes when `measured` is within `tolerance` of `expected`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Verdict {
    /// Name of the judged quantity, with its unit.
    pub quantity: String,
    /// The value of a perfect run.
    pub expected: f64,
    /// The value of this run.
    #[schemars(with = "Option<f64>")]
    pub measured: f64,
    /// Maximum deviation that passes.
    #[serde(rename = "bar")]
    pub tolerance: f64,
    /// Whether it passed.
    pub pass: bool,
}

impl Verdict {
    fn new(quantity: impl Into<String>, expected: f64, measured: f64, tolerance: f64) -> Self {
        // False where `measured` is NaN.
        let pass = (measured - expected).abs() <= tolerance;
        Self { quantity: quantity.into(), expected, measured, tolerance, pass }
    }
}

/// Energy balance of a run: energies in joule, rises as fractions of the energy scale.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct EnergyBalance {
    /// Kinetic, potential and elastic energy at the start \[J\].
    pub start: f64,
    /// The same at the end \[J\].
    pub end: f64,
    /// The maximum energy that the run could turn into motion \[J\].
    #[schemars(range(min = 0.0))]
    pub scale: f64,
    /// Maximum rise above the start, over the scale.
    #[schemars(range(min = 0.0))]
    pub gain: f64,
    /// Maximum rise above the minimum before, over the scale.
    #[schemars(range(min = 0.0))]
    pub rise: f64,
}

/// Observes a run and judges it.
#[derive(Debug, Clone)]
pub struct Judge<'a> {
    expect: &'a Expect,
    dynamic: Vec<MonitoredBody>,
    /// Sorted by name.
    soft: Vec<MonitoredSoftBody>,
    /// Minimum energy scale of a run [J]: see [`min_scale`].
    min_scale: f64,
    seen: Extremes,
    /// In the order of the measured expectations.
    meters: Vec<Meter>,
    last: Vec<BodyState>,
    last_robots: Vec<RobotState>,
}

/// A dynamic body: its index among the bodies sorted by name, and its size [m].
#[derive(Debug, Clone, Copy)]
struct MonitoredBody {
    index: usize,
    size: f64,
}

/// Extremes of the states observed so far.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Extremes {
    energy: Option<EnergyExtremes>,
    settled_penetration: f64,
    last_penetration: f64,
    last_motion: f64,
    speed: f64,
    outside: f64,
}

/// Energies [J]: at the start, now, the minimum, the maximum rises, and the minimum potential energy.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct EnergyExtremes {
    start: Energy,
    now: f64,
    min: f64,
    gain: f64,
    rise: f64,
    min_potential: f64,
}

/// State of a judge, without the last observed state of the run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JudgeState {
    extremes: Extremes,
    readings: Vec<Reading>,
}

impl Judge<'_> {
    /// The state of the judge, to be [restored](Self::restore).
    #[must_use]
    pub fn snapshot(&self) -> JudgeState {
        JudgeState { extremes: self.seen, readings: self.meters.iter().map(Meter::reading).collect() }
    }

    /// Restores the state of a judge, and returns whether it was one of the same expectations. The last state of the run is
    /// unknown until the next one is observed.
    #[must_use]
    pub fn restore(&mut self, state: JudgeState) -> bool {
        self.seen = state.extremes;
        state.readings.len() == self.meters.len()
            && self.meters.iter_mut().zip(state.readings).all(|(meter, reading)| meter.restore(reading))
    }
}

impl<'a> Judge<'a> {
    /// A judge of runs with these bodies, rigid and soft, under `gravity` [m/s²].
    #[must_use]
    pub fn new(
        expect: &'a Expect,
        bodies: &[BodyDescription],
        soft: &[SoftBodyDescription],
        gravity: &Vector3<f64>,
    ) -> Self {
        let mut sorted: Vec<&BodyDescription> = bodies.iter().collect();
        sorted.sort_by(|a, b| a.name.cmp(&b.name));
        let of_kind = sorted.iter().enumerate().filter(|(_, body)| body.kind == BodyKind::Dynamic);
        let monitored = |(index, body): (usize, &&BodyDescription)| MonitoredBody {
            index,
            size: body.shape.bounding_radius(),
        };
        let dynamic: Vec<MonitoredBody> = of_kind.map(monitored).collect();
        let mut soft = soft.to_vec();
        soft.sort_by(|a, b| a.name.cmp(&b.name));
        let names: Vec<&str> = sorted.iter().map(|body| body.name.as_str()).collect();
        let meter = |measured: &Measured| Meter::new(&measured.quantity, &names, &soft, gravity);
        let meters = expect.measured.iter().map(meter);
        let soft: Vec<_> = soft.iter().map(MonitoredSoftBody::new).collect();
        let masses = dynamic.iter().map(|w| (mass_of(sorted[w.index]), w.size));
        let masses = masses.chain(soft.iter().map(|body| (body.mass, body.size)));
        let min_scale = min_scale(masses, gravity.norm());
        Self {
            expect,
            dynamic,
            soft: soft.clone(),
            min_scale,
            seen: Extremes::default(),
            meters: meters.collect(),
            last: Vec::new(),
            last_robots: Vec::new(),
        }
    }

    /// Takes the energy after a step into account, recorded or not.
    pub fn follow_energy(&mut self, energy: Energy) {
        self.seen.energy = Some(follow(self.seen.energy, energy));
    }

    /// Takes the contacts of soft bodies in a step into account, recorded or not.
    pub fn follow_contacts(&mut self, report: &SoftReport) {
        self.meters.iter_mut().for_each(|meter| meter.follow_contacts(report));
    }

    /// Takes a state into account. States come in the order of time, the first at the start.
    pub fn observe(&mut self, state: &WorldState) {
        self.follow_energy(state.energy);
        let seen = &mut self.seen;
        if state.time >= self.expect.settle_time() {
            seen.settled_penetration = worse(seen.settled_penetration, state.relative_penetration);
        }
        seen.last_penetration = state.relative_penetration;
        for monitored in &self.dynamic {
            let body = &state.bodies[monitored.index];
            let speed = body.linear_velocity.norm();
            seen.speed = worse(seen.speed, speed);
            if self.expect.at_rest_by.is_some_and(|from| state.time >= from) {
                let motion = worse(speed / monitored.size, body.angular_velocity.norm());
                seen.last_motion = worse(seen.last_motion, motion);
            }
            if let Some(region) = self.expect.no_escape {
                seen.outside = worse(seen.outside, distance_outside(&region, &body.position));
            }
        }
        for (monitored, soft) in self.soft.iter_mut().zip(&state.soft) {
            monitored.observe(soft);
            let speed = soft::max_speed(soft);
            seen.speed = worse(seen.speed, speed);
            if self.expect.at_rest_by.is_some_and(|from| state.time >= from) {
                seen.last_motion = worse(seen.last_motion, speed / monitored.size);
            }
            if let Some(region) = self.expect.no_escape {
                seen.outside = worse(seen.outside, soft::max_distance_outside(soft, &region));
            }
        }
        self.meters.iter_mut().for_each(|meter| meter.observe(state));
        self.last = state.bodies.clone();
        self.last_robots = state.robots.clone();
    }

    /// Energy balance so far; none before the first state.
    #[must_use]
    pub fn energy(&self) -> Option<EnergyBalance> {
        self.seen.energy.map(|energy| {
            let scale = (energy.start.total() - energy.min_potential).max(self.min_scale);
            // Without dynamic bodies the scale is zero: 0 / 0 must not become NaN.
            let fraction = |rise: f64| if rise > 0.0 { rise / scale } else { 0.0 };
            let (gain, rise) = (fraction(energy.gain), fraction(energy.rise));
            EnergyBalance { start: energy.start.total(), end: energy.now, scale, gain, rise }
        })
    }

    /// The result of every expectation, in the order of the reference `docs/scenes.md`.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Verdict> {
        let (expect, seen) = (self.expect, &self.seen);
        let energy = self.energy();
        let bounded = [
            ("max_penetration", expect.max_penetration, seen.settled_penetration),
            ("final_penetration", expect.final_penetration, seen.last_penetration),
            ("rest_speed [1/s]", expect.at_rest_by.map(|_| expect.rest_speed()), seen.last_motion),
            ("energy_gain", expect.energy_gain, energy.map_or(f64::NAN, |energy| energy.gain)),
            ("energy_rise", expect.energy_rise, energy.map_or(f64::NAN, |energy| energy.rise)),
            ("max_speed [m/s]", expect.max_speed, seen.speed),
            ("no_escape [m]", expect.no_escape.map(|_| 0.0), seen.outside),
        ];
        let bounds = bounded
            .into_iter()
            .filter_map(|(quantity, bound, measured)| Some(Verdict::new(quantity, 0.0, measured, bound?)));
        bounds.chain(self.final_verdicts()).collect()
    }

    /// The results of the expectations of the last state.
    fn final_verdicts(&self) -> Vec<Verdict> {
        let expect = self.expect;
        let mut verdicts = Vec::new();
        for at in &expect.body_at {
            let measured = self.position(&at.body).map_or(f64::NAN, |p| (p - point(at.position)).norm());
            verdicts.push(Verdict::new(format!("body_at({}) [m]", at.body), 0.0, measured, at.tolerance));
        }
        for within in &expect.body_within {
            let region = Region { min: within.min, max: within.max };
            let measured = self.position(&within.body).map_or(f64::NAN, |p| distance_outside(&region, &p));
            verdicts.push(Verdict::new(format!("body_within({}) [m]", within.body), 0.0, measured, 0.0));
        }
        verdicts.extend(expect.joint_at.iter().map(|at| at_joint(at, &self.last_robots)));
        for distance in &expect.distance {
            for pair in distance.bodies.windows(2) {
                let ends = self.position(&pair[0]).zip(self.position(&pair[1]));
                let measured = ends.map_or(f64::NAN, |(a, b)| (b - a).norm());
                let quantity = format!("distance({}, {}) [m]", pair[0], pair[1]);
                let tolerance = distance.tolerance * distance.distance;
                verdicts.push(Verdict::new(quantity, distance.distance, measured, tolerance));
            }
        }
        for linked in &expect.linked {
            for pair in linked.bodies.windows(2) {
                let curves = self.curve(&pair[0], &linked.core).zip(self.curve(&pair[1], &linked.core));
                let measured = curves.map_or(f64::NAN, |(a, b)| linking_number(&a, &b).abs());
                let quantity = format!("linked({}, {})", pair[0], pair[1]);
                verdicts.push(Verdict::new(quantity, 1.0, measured, LINKING_TOLERANCE));
            }
        }
        for (measured, meter) in expect.measured.iter().zip(&self.meters) {
            verdicts.push(Verdict::new(&meter.name, measured.exact, meter.value(), measured.tolerance));
        }
        verdicts
    }

    fn body(&self, name: &str) -> Option<&BodyState> {
        self.last.iter().find(|body| body.name == name)
    }

    fn soft(&self, name: &str) -> Option<&MonitoredSoftBody> {
        self.soft.iter().find(|body| body.description.name == name)
    }

    /// Position of the origin of a rigid body, or of the centre of mass of a soft one [m].
    fn position(&self, name: &str) -> Option<Point3<f64>> {
        let rigid = self.body(name).map(|body| body.position);
        rigid.or_else(|| self.soft(name)?.centroid())
    }

    /// The closed curve of a body, in the world.
    fn curve(&self, name: &str, core: &LinkingCurve) -> Option<Vec<Point3<f64>>> {
        let points: Vec<Point3<f64>> = match core {
            LinkingCurve::Circle { radius } => circle(*radius),
            LinkingCurve::Polygon { points } => points.iter().map(|&p| point(p)).collect(),
        };
        if let Some(soft) = self.soft(name) {
            return soft.deformed(&points);
        }
        let body = self.body(name)?;
        Some(points.iter().map(|p| body.position + body.rotation * p.coords).collect())
    }
}

/// Minimum energy scale [J] of bodies of (mass [kg], size [m]): the energy that lifts each by its own size, and without
/// gravity the kinetic energy at one size per second. It keeps the relative rises of a run at rest from being rounding
/// errors over rounding errors.
fn min_scale(bodies: impl Iterator<Item = (f64, f64)>, gravity: f64) -> f64 {
    bodies.map(|(mass, size)| mass * size * gravity.max(0.5 * size)).sum()
}

/// Mass [kg] of a dynamic body.
fn mass_of(body: &BodyDescription) -> f64 {
    match body.mass {
        Mass::Total(mass) => mass,
        Mass::Inertial(inertial) => inertial.mass,
        Mass::Density(density) => density * body.shape.volume(),
    }
}

/// The extremes of the energy after one more state.
fn follow(before: Option<EnergyExtremes>, energy: Energy) -> EnergyExtremes {
    let now = energy.total();
    let Some(before) = before else {
        return EnergyExtremes {
            start: energy,
            now,
            min: now,
            gain: 0.0,
            rise: 0.0,
            min_potential: energy.potential,
        };
    };
    EnergyExtremes {
        start: before.start,
        now,
        min: before.min.min(now),
        gain: before.gain.max(now - before.start.total()),
        rise: before.rise.max(now - before.min),
        min_potential: before.min_potential.min(energy.potential),
    }
}

/// The result of the expectation of a joint at the end.
fn at_joint(at: &JointAt, robots: &[RobotState]) -> Verdict {
    let robot = robots.iter().find(|robot| robot.name == at.robot);
    let measured = robot.and_then(|robot| robot.joints.get(&at.joint)).copied().unwrap_or(f64::NAN);
    let (unit, [expected, tolerance], measured) = match (at.value, at.tolerance) {
        (JointValue::Degrees(value), JointValue::Degrees(tolerance)) => {
            ("°", [value, tolerance], measured.to_degrees())
        }
        (value, tolerance) => {
            let unit = if value.in_si().1 { "rad" } else { "m" };
            (unit, [value, tolerance].map(|value| value.in_si().0), measured)
        }
    };
    Verdict::new(format!("joint_at({}, {}) [{unit}]", at.robot, at.joint), expected, measured, tolerance)
}

/// The polygon that replaces a circle around the origin in the plane z = 0.
fn circle(radius: f64) -> Vec<Point3<f64>> {
    let at = |i: u32| {
        let (sin, cos) = (f64::from(i) / f64::from(CIRCLE_SEGMENTS) * std::f64::consts::TAU).sin_cos();
        Point3::new(radius * cos, radius * sin, 0.0)
    };
    (0..CIRCLE_SEGMENTS).map(at).collect()
}

#[cfg(test)]
mod tests;
