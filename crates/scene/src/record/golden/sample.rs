//! Making a golden file of a run.

use std::collections::BTreeSet;
use std::path::Path;

use super::rounding::{Drift, wider};
use super::{Form, Golden, GoldenOptions, GoldenRun, GoldenState, MadeBy, ROUNDING};
use crate::record::RecordError;
use crate::record::compare::{States, Tolerances};
use crate::state::{Hash, WorldState};

/// Which states of a run a golden file tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sampling {
    /// As many as fit the size of the scene.
    Fitting,
    /// So many, the start and the end among them.
    Count(usize),
    /// Those of these steps, and the start and the end.
    Steps(BTreeSet<u64>),
}

/// Lines of bodies, joints and soft bodies that a golden file is to have at most, about.
const LINES: usize = 72;
/// Fewest and most states where the size of the scene decides.
const STATES: [usize; 2] = [3, 9];
/// Most hashes of states in between.
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

    /// The same, with tolerances that allow for rounding: as wide as they are for a run that does not magnify it, and from where
    /// on this one does as much wider as the run in `rounded` is away from it, which has steps that differ in their last digits.
    /// Most states are told up to there.
    ///
    /// # Errors
    /// [`RecordError`] when the states of a run cannot be read.
    pub fn with_rounding(
        run: &GoldenRun,
        tolerances: &Tolerances,
        sampling: &Sampling,
        rounded: &Path,
    ) -> Result<Self, RecordError> {
        let mut golden = Self::without_states(run, tolerances);
        let drift = Drift::between(run.folder, rounded, &golden.bars())?;
        golden.sample(run.folder, sampling, Some(&drift))?;
        let mut before = golden.tolerances;
        for state in &mut golden.states {
            state.tolerances = wider(&mut before, tolerances, &drift.at(state.state.step));
        }
        Ok(golden.rounded())
    }

    /// A golden file of another run with the comments and tolerances of this one, and the same steps as far as it has them.
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
            form: Form::Second,
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
        let mut told = BTreeSet::new();
        for state in States::open(folder)? {
            let state = state?;
            if self.states.is_empty() {
                told = self.steps(&state, sampling, drift);
            }
            if let Some(hash) = self.trail.get_mut(&state.step) {
                *hash = state.hash;
            }
            if told.contains(&state.step) {
                self.trail.remove(&state.step);
                self.states.push(GoldenState::of(state));
            }
        }
        Ok(())
    }

    /// The steps that are told, of a run that starts with a state.
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
        let early = spread(recorded(&self.options, last), count.saturating_sub(1));
        let told: BTreeSet<u64> = early.chain([self.options.steps]).collect();
        if told.len() < count { told.into_iter().chain(evenly).collect() } else { told }
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

/// So many of the recorded steps, evenly spread, the first and the last among them.
fn spread(of: Recorded, count: usize) -> impl Iterator<Item = u64> {
    let (every, steps, last) = (of.every, of.steps, of.count - 1);
    let count = (count as u64).clamp(2, of.count.max(2));
    (0..count).map(move |i| ((i * last + (count - 1) / 2) / (count - 1) * every).min(steps))
}
