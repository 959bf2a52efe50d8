//! A run of one arm: the time of its steps, and our measurements of its states.

use std::fmt::{self, Display, Formatter};
use std::time::Instant;

use extricate::dynamics::{BodyState, World};
use extricate::penetration::Effort;
use extricate::record::WorldState;
use extricate::scene::{Judge, Scene, Verdict, overlaps};
use nalgebra::{Isometry3, Translation3};
use serde::Serialize;

use crate::Result;
use crate::arm::ArmKind;

/// Length of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Maximum number of steps.
    pub(crate) steps: Option<u64>,
    /// States that are measured.
    pub(crate) samples: u64,
    /// Maximum wall-clock time of the steps [s].
    pub(crate) seconds: f64,
}

/// Result of a run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    scene: String,
    arm: &'static str,
    /// Bodies that move.
    bodies: usize,
    /// Building the world [s], convex parts included.
    setup_s: f64,
    steps: u64,
    of_steps: u64,
    mean_ms: f64,
    p99_ms: f64,
    /// Means over the steps.
    manifolds: f64,
    contacts: f64,
    /// Maximum depth over the size of the smaller body, of the states measured from the settling time on, or in the second
    /// half of the run.
    worst_overlap: f64,
    /// Whether all bodies that are linked at the start are linked at the end; none where nothing is.
    linked: Option<bool>,
    /// Whether no body left its container; none where there is no container.
    inside: Option<bool>,
    /// Expectations of the scene that are met, of how many; judged by the states that were measured.
    met: [usize; 2],
    /// Reason for which the run ended early.
    ended: Option<String>,
}

impl Row {
    pub(crate) const HEADER: &str = "\
| scene | contacts by | bodies | set-up | step mean | p99 | manifolds | points | worst overlap | linked | inside | expectations met | steps |
|---|---|--:|--:|--:|--:|--:|--:|--:|---|---|--:|--:|";
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let word = |yes: Option<bool>| yes.map_or("", |yes| if yes { "yes" } else { "**no**" });
        write!(f, "| {} | {} | {} | {:.2} s ", self.scene, self.arm, self.bodies, self.setup_s)?;
        write!(f, "| {:.3} ms | {:.3} ms ", self.mean_ms, self.p99_ms)?;
        write!(f, "| {:.0} | {:.0} | {:.1e} ", self.manifolds, self.contacts, self.worst_overlap)?;
        write!(f, "| {} | {} | {} of {} ", word(self.linked), word(self.inside), self.met[0], self.met[1])?;
        write!(f, "| {} of {}", self.steps, self.of_steps)?;
        self.ended.as_ref().map_or(Ok(()), |why| write!(f, ", {why}"))?;
        write!(f, " |")
    }
}

/// Steps a scene, and measures it.
pub(crate) fn run(scene: &Scene, kind: ArmKind, limits: &Limits) -> Result<Row> {
    let started = Instant::now();
    let mut arm = kind.world(scene)?;
    let setup_s = started.elapsed().as_secs_f64();
    let whole = scene.steps(scene.duration);
    let of_steps = limits.steps.map_or(whole, |most| most.min(whole));
    let mut course = Course::new(scene, of_steps);
    course.observe(0, &arm.states())?;
    let every = (of_steps / limits.samples.max(1)).max(1);
    let mut ended = None;
    for step in 1..=of_steps {
        match arm.step() {
            Ok(report) => {
                course.times.push((1e3 * report.time.as_secs_f64(), report.manifolds, report.contacts))
            }
            Err(error) => ended = Some(error.to_string()),
        }
        if ended.is_none() && (step % every == 0 || step == of_steps) {
            ended = course.observe(step, &arm.states()).err().map(|error| error.to_string());
        }
        if course.total_ms() > 1e3 * limits.seconds {
            ended = Some(format!("out of time after {:.0} s", limits.seconds));
        }
        if ended.is_some() {
            break;
        }
    }
    if ended.is_some() {
        // The last state, if it can be measured.
        course.observe(course.times.len() as u64, &arm.states()).ok();
    }
    Ok(course.row(Row { setup_s, of_steps, ended, ..Row::of(scene, kind) }))
}

impl Row {
    fn of(scene: &Scene, kind: ArmKind) -> Self {
        let moves = |body: &&extricate::dynamics::BodyDescription| {
            body.kind == extricate::dynamics::BodyKind::Dynamic
        };
        Self {
            scene: scene.name(),
            arm: kind.name(),
            bodies: scene.bodies.iter().filter(moves).count(),
            setup_s: 0.0,
            steps: 0,
            of_steps: 0,
            mean_ms: f64::NAN,
            p99_ms: f64::NAN,
            manifolds: 0.0,
            contacts: 0.0,
            worst_overlap: f64::NAN,
            linked: None,
            inside: None,
            met: [0, 0],
            ended: None,
        }
    }
}

/// Observations of a run.
struct Course<'a> {
    scene: &'a Scene,
    judge: Judge<'a>,
    /// Time [ms], manifolds and contacts of every step.
    times: Vec<(f64, usize, usize)>,
    /// From when on overlaps count [s].
    settled: f64,
    worst_overlap: f64,
}

impl<'a> Course<'a> {
    fn new(scene: &'a Scene, steps: u64) -> Self {
        let judge = Judge::new(&scene.expect, &scene.bodies, &[], &scene.options.gravity);
        // The second half of a run that ends before the scene has settled.
        let settled = scene.expect.settle_time().min(0.5 * steps as f64 * scene.options.time_step);
        Self { scene, judge, times: Vec::new(), settled, worst_overlap: f64::NAN }
    }

    fn total_ms(&self) -> f64 {
        self.times.iter().map(|(time, ..)| time).sum()
    }

    /// Measures a state in a separate world, independent of the stepper.
    fn observe(&mut self, step: u64, states: &[BodyState]) -> Result<()> {
        let time = step as f64 * self.scene.options.time_step;
        let world = self.world_at(states)?;
        let found = overlaps(&world, Effort::Fast)?;
        let penetration = found.iter().map(|pair| pair.depth / pair.size).fold(0.0, f64::max);
        if time >= self.settled {
            self.worst_overlap = self.worst_overlap.max(penetration);
        }
        self.judge.observe(&WorldState {
            time,
            bodies: world.bodies(),
            energy: world.energy(),
            angular_momentum: world.momentum().angular,
            relative_penetration: penetration,
            ..WorldState::default()
        });
        Ok(())
    }

    fn world_at(&self, states: &[BodyState]) -> Result<World> {
        let mut builder = World::builder(self.scene.options.clone());
        for body in &self.scene.bodies {
            let index = states.binary_search_by(|state| state.name.cmp(&body.name));
            let state = &states[index.map_err(|_| format!("there is no state of {}", body.name))?];
            let mut moved = body.clone();
            moved.pose = Isometry3::from_parts(Translation3::from(state.position.coords), state.rotation);
            (moved.linear_velocity, moved.angular_velocity) = (state.linear_velocity, state.angular_velocity);
            builder.add_body(moved)?;
        }
        Ok(builder.build()?)
    }

    fn row(&self, row: Row) -> Row {
        let mut times = self.times.iter().map(|(time, ..)| *time).collect::<Vec<_>>();
        times.sort_by(f64::total_cmp);
        let count = times.len().max(1) as f64;
        let p99 = (0.99 * times.len() as f64) as usize;
        let verdicts = self.judge.verdicts();
        let all = |begins: &str| {
            let of_kind = verdicts.iter().filter(|verdict| verdict.quantity.starts_with(begins));
            let of_kind = of_kind.collect::<Vec<&Verdict>>();
            (!of_kind.is_empty()).then(|| of_kind.iter().all(|verdict| verdict.pass))
        };
        Row {
            steps: times.len() as u64,
            mean_ms: self.total_ms() / count,
            p99_ms: times.get(p99.min(times.len().saturating_sub(1))).copied().unwrap_or(f64::NAN),
            manifolds: self.times.iter().map(|(_, manifolds, _)| *manifolds as f64).sum::<f64>() / count,
            contacts: self.times.iter().map(|(.., contacts)| *contacts as f64).sum::<f64>() / count,
            worst_overlap: self.worst_overlap,
            linked: all("linked"),
            inside: all("no_escape"),
            met: [verdicts.iter().filter(|verdict| verdict.pass).count(), verdicts.len()],
            ..row
        }
    }
}
