//! Comparing two recorded runs.

use std::cmp::Ordering;
use std::path::Path;

use super::inputs::{InputDifference, differences};
use super::state::Field;
use super::{AcceptanceThresholds, ComparisonReport, Deviation, Quantity, Scales, States, Tolerances};
use crate::record::bundle::SCENE;
use crate::record::nodes::{NODES, NodesFile};
use crate::record::{Manifest, RecordError, Recording};
use crate::scene::Scene;
use crate::state::WorldState;

/// Comparison of two runs.
#[derive(Debug)]
pub struct Comparison {
    /// Differences between their inputs.
    pub inputs: Vec<InputDifference>,
    /// Differences between their states, where both have one.
    pub report: ComparisonReport,
    /// Numbers of states that only the first and only the second run has.
    pub alone: [u64; 2],
    /// Last step of each run.
    pub last: [u64; 2],
    /// The scales of the scene of the first run.
    pub scales: Scales,
}

/// Fraction of a step within which times of runs with different steps are equal: it absorbs the rounding of summed steps, and is far
/// below any real difference.
const SAME_TIME: f64 = 1e-6;

/// Compares two folders of runs, the first being the reference. They are read state by state; states are compared where
/// both runs have one: at the same step, or at the same time where the lengths of their steps differ.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use std::ops::ControlFlow;
///
/// use extricate_scene::record::compare::{Tolerances, compare};
/// use extricate_scene::record::{RunDirectory, RunOptions, run};
/// use extricate_scene::scene::Scene;
///
/// let scene = Scene::load("scenes/rigid/linked_chain.ron")?;
/// let folder = std::env::temp_dir().join(format!("extricate-compare-{}", std::process::id()));
/// for (name, every) in [("a", 2), ("b", 3)] {
///     let options = RunOptions { steps: 12, every, check_expectations: false };
///     let directory = RunDirectory::create(folder.join(name))?;
///     run(&scene, scene.world()?, &options, Some(directory), &mut |_| ControlFlow::Continue(()))?;
/// }
/// let found = compare(&folder.join("a"), &folder.join("b"), &Tolerances::default())?;
/// assert!(found.report.agrees() && found.report.is_exact());
/// assert_eq!((found.report.states, found.alone), (3, [4, 2]));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RecordError`] when a folder holds no run, or a file of it is damaged: with the file, the line where there is one, and
/// the cause.
pub fn compare(a: &Path, b: &Path, tolerances: &Tolerances) -> Result<Comparison, RecordError> {
    let (manifest_a, manifest_b) = (Recording::manifest_of(a)?, Recording::manifest_of(b)?);
    let (mut states_a, mut states_b) = (States::open(a)?, States::open(b)?);
    let inputs = differences((a, b), (&manifest_a, &manifest_b))?;
    let scene = Scene::load(a.join(SCENE))?;
    let scales = Scales::of(&scene, &scene.world()?);
    let thresholds = AcceptanceThresholds::new(*tolerances, scales.clone());
    let order = Clock::of(&manifest_a, &manifest_b);
    let mut nodes = Nodes { files: [a, b].map(|folder| NodesFile::open(folder).ok()), read: [0; 2] };
    let mut found =
        Comparison { inputs, report: ComparisonReport::default(), alone: [0; 2], last: [0; 2], scales };
    let (mut next_a, mut next_b) = (states_a.next().transpose()?, states_b.next().transpose()?);
    // Both sequences ascend: the earlier state advances alone, and equal ones are compared.
    while next_a.is_some() || next_b.is_some() {
        let side = match (&next_a, &next_b) {
            (Some(x), Some(y)) => order.compare(x, y),
            (Some(_), None) => Ordering::Less,
            _ => Ordering::Greater,
        };
        if let (Ordering::Equal, Some(x), Some(y)) = (side, &next_a, &next_b) {
            found.add(x, y, &thresholds, &nodes, (a, b))?;
        }
        if side != Ordering::Greater {
            found.pass(0, next_a.as_ref(), side);
            nodes.read[0] += 1;
            next_a = states_a.next().transpose()?;
        }
        if side != Ordering::Less {
            found.pass(1, next_b.as_ref(), side);
            nodes.read[1] += 1;
            next_b = states_b.next().transpose()?;
        }
    }
    Ok(found)
}

/// Order of the states of two runs.
struct Clock {
    by_step: bool,
    tolerance: f64,
}

impl Clock {
    fn of(a: &Manifest, b: &Manifest) -> Self {
        let by_step = a.time_step.to_bits() == b.time_step.to_bits();
        Self { by_step, tolerance: SAME_TIME * a.time_step.min(b.time_step) }
    }

    fn compare(&self, a: &WorldState, b: &WorldState) -> Ordering {
        match self.by_step {
            true => a.step.cmp(&b.step),
            false if (a.time - b.time).abs() <= self.tolerance => Ordering::Equal,
            false => a.time.total_cmp(&b.time),
        }
    }
}

/// Nodes of the soft bodies of two runs, at their next states.
struct Nodes {
    files: [Option<NodesFile>; 2],
    /// Indices of the next states.
    read: [usize; 2],
}

/// The node of a soft body that is farthest from its expected position.
struct FarthestNode {
    body: String,
    expected: [f64; 3],
    measured: [f64; 3],
    distance: f64,
}

impl FarthestNode {
    fn deviation(&self, step: u64, time: f64, tolerance: f64) -> Deviation<'_> {
        Deviation {
            step,
            time,
            body: &self.body,
            field: Field::Named("node"),
            quantity: Quantity::Nodes,
            expected: &self.expected,
            measured: &self.measured,
            difference: self.distance,
            tolerance,
        }
    }
}

impl Nodes {
    /// Farthest node of every soft body with equally many nodes in both runs.
    fn farthest(&self, steps: [u64; 2], folders: [&Path; 2]) -> Result<Vec<FarthestNode>, RecordError> {
        let [Some(file_a), Some(file_b)] = &self.files else { return Ok(Vec::new()) };
        let read = |side: usize, file: &NodesFile| {
            let is_whole = self.read[side] < file.states();
            let read = is_whole.then(|| file.read(self.read[side], steps[side])).transpose();
            read.map_err(|source| RecordError::damaged(&folders[side].join(NODES), None, source.to_string()))
        };
        let (Some(a), Some(b)) = (read(0, file_a)?, read(1, file_b)?) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for ((name, count), nodes_a) in file_a.bodies().iter().zip(&a) {
            let other = file_b.bodies().iter().position(|(other, n)| other == name && n == count);
            let Some(nodes_b) = other.map(|at| &b[at]) else { continue };
            let pairs = nodes_a.iter().zip(nodes_b);
            let farthest = pairs.max_by(|x, y| (x.0 - x.1).norm().total_cmp(&(y.0 - y.1).norm()));
            found.extend(farthest.map(|(x, y)| FarthestNode {
                body: name.clone(),
                expected: (*x).into(),
                measured: (*y).into(),
                distance: (x - y).norm(),
            }));
        }
        Ok(found)
    }
}

impl Comparison {
    fn add(
        &mut self,
        a: &WorldState,
        b: &WorldState,
        thresholds: &AcceptanceThresholds,
        nodes: &Nodes,
        folders: (&Path, &Path),
    ) -> Result<(), RecordError> {
        let farthest = nodes.farthest([a.step, b.step], [folders.0, folders.1])?;
        let (step, time) = (b.step, b.time);
        let tolerance = thresholds.of(Quantity::Nodes, 0.0);
        let further: Vec<Deviation> =
            farthest.iter().map(|node| node.deviation(step, time, tolerance)).collect();
        self.report.add_with(a, b, thresholds, &further);
        Ok(())
    }

    /// Counts a state of a run that has been processed.
    fn pass(&mut self, side: usize, state: Option<&WorldState>, order: Ordering) {
        self.alone[side] += u64::from(order != Ordering::Equal);
        self.last[side] = state.map_or(self.last[side], |state| state.step);
    }
}
