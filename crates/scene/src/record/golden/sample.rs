//! Sampling of a run for a golden file.

use std::collections::BTreeSet;
use std::path::Path;

use super::rounding::{Drift, wider};
use super::{FormatVersion, Golden, GoldenOptions, GoldenRun, GoldenState, MadeBy, ROUNDING};
use crate::record::RecordError;
use crate::record::compare::{States, Tolerances};
use crate::state::{Hash, WorldState};

/// Selection of the states of a run that a golden file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sampling {
    /// As many as the size of the scene allows.
    Fitting,
    /// The given number of states, the start and the end among them.
    Count(usize),
    /// Those of the given steps, and the start and the end.
    Steps(BTreeSet<u64>),
}

/// Approximate maximum number of bodies, joints and soft bodies in all states of a golden file: it bounds the size of the file.
const LINES: usize = 72;
/// Minimum and maximum number of states where the size of the scene decides.
const STATES: [usize; 2] = [3, 9];
/// Maximum number of hashes of states in between.
const TRAIL: usize = 32;

impl Golden {
    /// The golden file of a run that is complete.
    ///
    /// # Errors
    /// [`RecordError`] when the states of the run cannot be read.
    pub fn of(run: &GoldenRun, tolerances: &Tolerances, sampling: &Sampling) -> Result<Self, RecordError> {
        let mut golden = Self::without_states(run, tolerances);
        golden.sample(run.folder, sampling, None)?;
        Ok(golden.rounded())
    }

    /// The same, with tolerances that allow for rounding: the given ones while the run does not magnify it, and then wider ones, by as much as
    /// the run in `perturbed`, whose steps differ in their last digits, is away from this one. Most states are sampled from before that.
    ///
    /// # Errors
    /// [`RecordError`] when the states of a run cannot be read.
    pub fn with_rounding(
        run: &GoldenRun,
        tolerances: &Tolerances,
        sampling: &Sampling,
        perturbed: &Path,
    ) -> Result<Self, RecordError> {
        let mut golden = Self::without_states(run, tolerances);
        let drift = Drift::between(run.folder, perturbed, &golden.thresholds())?;
        golden.sample(run.folder, sampling, Some(&drift))?;
        let mut before = golden.tolerances;
        for state in &mut golden.states {
            state.tolerances = wider(&mut before, tolerances, &drift.at(state.state.step));
        }
        Ok(golden.rounded())
    }

    /// A golden file of another run with the comments and tolerances of this one, at the same steps as far as that run has them.
    ///
    /// # Errors
    /// [`RecordError`] when the states of the run cannot be read.
    pub fn renewed(&self, run: &GoldenRun) -> Result<Self, RecordError> {
        let steps = self.states.iter().map(|state| state.state.step);
        let mut renewed = Self::without_states(run, &self.tolerances);
        renewed.sample(run.folder, &Sampling::Steps(steps.collect()), None)?;
        renewed.comments.clone_from(&self.comments);
        renewed.rounding = self.rounding;
        for old in &self.states {
            // A step that the new run does not record passes its tolerances to the next recorded one.
            let from_there = renewed.states.iter_mut().find(|state| state.state.step >= old.state.step);
            if let Some(state) = from_there {
                state.tolerances.extend(&old.tolerances);
            }
        }
        Ok(renewed.rounded())
    }

    fn without_states(run: &GoldenRun, tolerances: &Tolerances) -> Self {
        let trail = spread(recorded(&run.options, run.options.steps), TRAIL);
        Self {
            format: FormatVersion::V2,
            comments: Vec::new(),
            scene: run.scene.clone(),
            input: run.inputs.hash,
            text: run.inputs.scene,
            files: run.inputs.files.clone(),
            made_by: MadeBy::this(),
            options: run.options,
            scales: run.scales.clone(),
            tolerances: *tolerances,
            bounds: run.bounds.clone(),
            // Placeholders, which `sample` replaces by hashes or removes.
            trail: trail.map(|step| (step, Hash(0))).collect(),
            rounding: ROUNDING,
            states: Vec::new(),
        }
    }

    fn sample(
        &mut self,
        folder: &Path,
        sampling: &Sampling,
        drift: Option<&Drift>,
    ) -> Result<(), RecordError> {
        let mut sampled = BTreeSet::new();
        for state in States::open(folder)? {
            let state = state?;
            if self.states.is_empty() {
                sampled = self.steps(&state, sampling, drift);
            }
            if let Some(hash) = self.trail.get_mut(&state.step) {
                *hash = state.hash;
            }
            if sampled.contains(&state.step) {
                self.trail.remove(&state.step);
                self.states.push(GoldenState::of(state));
            }
        }
        Ok(())
    }

    /// Steps that are sampled, of a run that starts with a state.
    fn steps(&self, start: &WorldState, sampling: &Sampling, drift: Option<&Drift>) -> BTreeSet<u64> {
        let joints: usize = start.robots.iter().map(|robot| robot.joints.len()).sum();
        let lines = start.bodies.len() + joints + start.soft.len();
        let count = match sampling {
            Sampling::Steps(steps) => return steps.iter().copied().chain([0, self.options.steps]).collect(),
            Sampling::Count(count) => *count,
            Sampling::Fitting => (LINES / lines.max(1)).clamp(STATES[0], STATES[1]),
        };
        let evenly = spread(recorded(&self.options, self.options.steps), count);
        let last = drift.and_then(Drift::agrees_until).filter(|last| *last < self.options.steps);
        let Some(last) = last else { return evenly.collect() };
        // Where rounding dominates the later states, those before it are sampled, and the end.
        let early = spread(recorded(&self.options, last), count.saturating_sub(1));
        let sampled: BTreeSet<u64> = early.chain([self.options.steps]).collect();
        if sampled.len() < count { sampled.into_iter().chain(evenly).collect() } else { sampled }
    }
}

/// Steps at which a state is recorded: every so many, and the last one.
struct Recorded {
    every: u64,
    steps: u64,
    count: u64,
}

/// The recorded steps up to one of them.
fn recorded(options: &GoldenOptions, until: u64) -> Recorded {
    let every = options.every.max(1);
    Recorded { every, steps: until, count: until.div_ceil(every) + 1 }
}

/// `count` of the recorded steps, evenly spread, the first and the last among them.
fn spread(of: Recorded, count: usize) -> impl Iterator<Item = u64> {
    let (every, steps, last) = (of.every, of.steps, of.count - 1);
    let count = (count as u64).clamp(2, of.count.max(2));
    // Rounded to the nearest record; the last step may lie off the cadence.
    (0..count).map(move |i| ((i * last + (count - 1) / 2) / (count - 1) * every).min(steps))
}
