//! Making a golden file of a run.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Bound, Golden, GoldenError, GoldenOptions, GoldenRun, GoldenState, MadeBy};
use crate::record::compare::{State, States, Tolerances};

/// Which states of a run a golden file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// Number of states, the start and the end among them; none where the size of the scene decides.
    pub states: Option<usize>,
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
    /// [`GoldenError`] when the states of the run cannot be read.
    pub fn of(run: &GoldenRun, tolerances: &Tolerances, sampling: Sampling) -> Result<Self, GoldenError> {
        let recorded = recorded(&run.options);
        let mut golden = Self {
            comments: Vec::new(),
            scene: run.scene.clone(),
            input: run.inputs.hash,
            text: run.inputs.scene,
            files: run.inputs.files.clone(),
            made_by: MadeBy::this(),
            options: run.options,
            scales: run.scales.clone(),
            tolerances: *tolerances,
            bounds: Bound::of(run.summary),
            trail: spread(&recorded, TRAIL).map(|step| (step, run.summary.hash)).collect(),
            states: Vec::new(),
        };
        golden.sample(run.folder, &recorded, sampling)?;
        Ok(golden)
    }

    fn sample(&mut self, folder: &Path, recorded: &Recorded, sampling: Sampling) -> Result<(), GoldenError> {
        let mut told = BTreeSet::new();
        for state in States::open(folder)? {
            let state = state?;
            if self.states.is_empty() {
                let joints: usize = state.robots.values().map(|robot| robot.joints.len()).sum();
                let lines = state.bodies.len() + joints + state.soft.len();
                let count = sampling.states.unwrap_or((LINES / lines.max(1)).clamp(STATES[0], STATES[1]));
                told = spread(recorded, count).collect();
            }
            if let Some(hash) = self.trail.get_mut(&state.step) {
                *hash = state.hash;
            }
            if told.contains(&state.step) {
                self.trail.remove(&state.step);
                self.states.push(state.into());
            }
        }
        Ok(())
    }
}

/// Steps at which a state is recorded: every so many, and the last one.
struct Recorded {
    every: u64,
    steps: u64,
    count: u64,
}

fn recorded(options: &GoldenOptions) -> Recorded {
    let every = options.every.max(1);
    Recorded { every, steps: options.steps, count: options.steps.div_ceil(every) + 1 }
}

/// So many of the recorded steps, evenly spread, the first and the last among them.
fn spread(of: &Recorded, count: usize) -> impl Iterator<Item = u64> {
    let (every, steps, last) = (of.every, of.steps, of.count - 1);
    let count = (count as u64).clamp(2, of.count.max(2));
    (0..count).map(move |i| ((i * last + (count - 1) / 2) / (count - 1) * every).min(steps))
}

impl From<State> for GoldenState {
    fn from(state: State) -> Self {
        let mut bases = std::collections::BTreeMap::new();
        let mut joints = std::collections::BTreeMap::new();
        for (robot, values) in state.robots {
            joints.extend(values.joints.into_iter().map(|(joint, value)| ((robot.clone(), joint), value)));
            bases.insert(robot, values.base);
        }
        Self {
            step: state.step,
            time: state.time,
            hash: state.hash,
            bodies: state.bodies,
            bases,
            joints,
            soft: state.soft,
            energy: state.energy,
            contacts: state.contacts,
            max_penetration: state.max_penetration,
        }
    }
}
