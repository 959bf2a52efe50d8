//! A robot that runs, and what is measured of it.

use std::collections::BTreeMap;
use std::path::Path;

use cpu_time::ProcessTime;
use extricate::Scene;
use extricate::dynamics::{BodyState, Reading, RobotState, StepReport, World};
use extricate::geometry::read::FileScope;

use super::Result;
use super::draft::{Draft, Limits};

/// Energy above that of the start and the work of the motors that is accepted, as a fraction of what the fall frees.
const GAIN: f64 = 0.02;
/// Residual of the solver [m/s or rad/s] beyond which a step counts as one that did not converge.
const RESIDUAL: f64 = 1e-2;
/// Processor time of a scene [s] beyond which it fails.
const PATIENCE: f64 = 60.0;
/// Distance of the two points of a loop, over the size of its smaller link, that is accepted.
const OPENING: f64 = 1e-3;
/// Distance beyond a limit [rad, or sizes of the link that bears it] that is accepted.
const BEYOND: f64 = 0.1;
/// Deviation of a joint from the one that it mimics [rad] that is accepted.
const MIMICRY: f64 = 1e-3;
/// Depth beyond that of the first step, over the size of the smallest link, that is accepted at the end.
const DEPTH: f64 = 0.5;

/// Result of a robot.
#[derive(Default)]
pub(crate) struct Trial {
    pub(crate) steps: u64,
    /// Steps that ended with the maximum number of sweeps.
    pub(crate) stopped: u64,
    pub(crate) sweeps: usize,
    pub(crate) residual: f64,
    /// Rise of the energy beyond the work of the motors, over what the fall frees.
    pub(crate) gain: f64,
    /// Depth after the first step, the largest, and the last [m].
    pub(crate) depths: [f64; 3],
    /// Largest opening of a loop over the size of its smaller link, distance beyond a limit, and deviation of a joint from the one that it mimics.
    pub(crate) bounds: [f64; 3],
    /// Largest displacement of a body in a step beyond that at its speeds before and after it, by the recovery of overlaps [m].
    pub(crate) jump: f64,
    pub(crate) seconds: f64,
    /// Processor time of the slowest step after the first [s].
    pub(crate) slowest: f64,
    pub(crate) failure: Option<String>,
}

/// Reads, builds and runs a robot.
pub(crate) fn run(draft: &Draft, (folder, trace): (&Path, bool)) -> Result<Trial> {
    std::fs::write(folder.join("robot.urdf"), &draft.urdf)?;
    std::fs::write(folder.join("scene.ron"), &draft.scene)?;
    let scene = Scene::parse_within(&folder.join("scene.ron"), draft.scene.clone(), &FileScope::anywhere())?;
    let mut world = scene.world()?;
    let started = ProcessTime::now();
    let mut trial = Trial::default();
    let mut follower = Follower::new(draft, &world);
    for _ in 0..scene.steps(scene.duration) {
        let before = ProcessTime::now();
        let report = match world.step() {
            Ok(report) => report,
            Err(error) => {
                trial.failure = Some(format!("step {}: {error}", trial.steps + 1));
                break;
            }
        };
        if trial.steps > 0 {
            trial.slowest = trial.slowest.max(before.elapsed().as_secs_f64());
        }
        trial.steps += 1;
        let energy = follower.follow(&world, &report);
        if !(energy.is_finite() && report.max_speed.is_finite()) {
            trial.failure = Some(format!("not finite at step {}", trial.steps));
            break;
        }
        trial.take(&report, energy / draft.energy);
        if trace {
            eprintln!(
                "step {} energy {energy:.5e} J work {:.4e} kinetic {:.4e} speed {:.3e} deepest {:.3e} m jump {:.2e} m open {:.1e} beyond {:.3e} ({}) {:?}",
                trial.steps,
                follower.work,
                report.energy.kinetic,
                report.max_speed,
                report.max_penetration,
                follower.jump,
                follower.now[0],
                follower.now[1],
                farthest(draft, &follower.joints),
                report.robots.unwrap_or_default()
            );
        }
        if started.elapsed().as_secs_f64() > PATIENCE {
            trial.failure = Some(format!("slow: {} steps", trial.steps));
            break;
        }
    }
    trial.seconds = started.elapsed().as_secs_f64();
    (trial.bounds, trial.jump) = (follower.worst, follower.jump);
    trial.failure = trial.failure.take().or_else(|| trial.broken_bound(draft));
    Ok(trial)
}

impl Trial {
    fn take(&mut self, report: &StepReport, gain: f64) {
        self.gain = self.gain.max(gain);
        let [first, deepest, last] = &mut self.depths;
        if self.steps == 1 {
            *first = report.max_penetration;
        }
        (*deepest, *last) = (deepest.max(report.max_penetration), report.max_penetration);
        let robots = report.robots.unwrap_or_default();
        self.sweeps += robots.sweeps;
        self.residual = self.residual.max(robots.residual);
        self.stopped += u64::from(robots.residual > RESIDUAL);
    }

    /// The first bound that the run broke.
    fn broken_bound(&self, draft: &Draft) -> Option<String> {
        let [opening, beyond, mimicry] = self.bounds;
        let [first, _, last] = self.depths;
        let deep = (last - first) / draft.smallest;
        let of = |name: &str, value: f64, bound: f64| {
            (!(value <= bound)).then(|| format!("{name} {value:.3}, at most {bound}"))
        };
        of("energy gain", self.gain, GAIN)
            .or_else(|| of("loop open by", opening, OPENING))
            .or_else(|| of("beyond a limit by", beyond, BEYOND))
            .or_else(|| of("mimicry off by", mimicry, MIMICRY))
            .or_else(|| of("deeper at the end by", deep, DEPTH))
    }
}

/// The work of the motors, the lift out of overlaps, and the bounds of joints and loops, over a run.
struct Follower<'a> {
    draft: &'a Draft,
    start: f64,
    lifted: f64,
    /// Work of the motors since the start [J].
    work: f64,
    joints: BTreeMap<String, f64>,
    bodies: Vec<BodyState>,
    time: f64,
    jump: f64,
    /// Those of the last step, and the largest.
    now: [f64; 3],
    worst: [f64; 3],
}

impl<'a> Follower<'a> {
    fn new(draft: &'a Draft, world: &World) -> Self {
        let joints = world.robot("robot").map(|state| state.joints).unwrap_or_default();
        let start = world.energy().total();
        Self {
            draft,
            start,
            lifted: 0.0,
            work: 0.0,
            joints,
            bodies: world.bodies(),
            time: 0.0,
            jump: 0.0,
            now: [0.0; 3],
            worst: [0.0; 3],
        }
    }

    /// Energy above that of the start, without what was lifted and the work of the motors [J].
    fn follow(&mut self, world: &World, report: &StepReport) -> f64 {
        self.lifted += report.lifted;
        let Some(state) = world.robot("robot") else { return f64::NAN };
        for joint in &self.draft.driven {
            let moved = state.joints[joint] - self.joints[joint];
            self.work += state.efforts[joint].motor * moved;
        }
        self.now = excesses(self.draft, &state);
        for (worst, now) in self.worst.iter_mut().zip(self.now) {
            *worst = worst.max(now);
        }
        self.joints = state.joints;
        let (bodies, h) = (world.bodies(), world.time() - self.time);
        for (before, after) in self.bodies.iter().zip(&bodies) {
            let speed = |body: &BodyState| {
                body.linear_velocity.norm() + body.angular_velocity.norm() * self.draft.largest
            };
            let beyond = (after.position - before.position).norm() - h * speed(before).max(speed(after));
            self.jump = self.jump.max(beyond);
        }
        (self.bodies, self.time) = (bodies, world.time());
        report.energy.total() - self.start - self.lifted - self.work
    }
}

/// Distance beyond its limits of a joint, in units of its own.
fn beyond(Limits { joint, range: [low, high], unit }: &Limits, joints: &BTreeMap<String, f64>) -> f64 {
    let value = joints[joint];
    (low - value).max(value - high) / unit
}

/// Name of the joint that is farthest beyond its limits.
fn farthest<'a>(draft: &'a Draft, joints: &BTreeMap<String, f64>) -> &'a str {
    let beyond = |limits: &&Limits| beyond(limits, joints);
    let worst = draft.limits.iter().max_by(|a, b| beyond(a).total_cmp(&beyond(b)));
    worst.map_or("", |limits| &limits.joint)
}

/// Opening of loops, distance beyond limits, and deviation from mimicry.
fn excesses(draft: &Draft, state: &RobotState) -> [f64; 3] {
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0_f64, f64::max);
    let place = |name: &String| match state.sensors.get(name) {
        Some(Reading::Frame { pose, .. }) => pose.translation.vector,
        _ => nalgebra::Vector3::repeat(f64::NAN),
    };
    let opening = |(names, size): &([String; 2], f64)| (place(&names[0]) - place(&names[1])).norm() / size;
    let mimicry = |([follower, leader], factor): &([String; 2], f64)| {
        (state.joints[follower] - factor * state.joints[leader]).abs()
    };
    [
        largest(&mut draft.loops.iter().map(opening)),
        largest(&mut draft.limits.iter().map(|limits| beyond(limits, &state.joints))),
        largest(&mut draft.mimics.iter().map(mimicry)),
    ]
}
