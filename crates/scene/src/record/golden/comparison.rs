//! Comparison of a run with a golden file.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Bound, Golden, GoldenOptions, MadeBy};
use crate::record::compare::{AcceptanceThresholds, ComparisonReport, InputDifference, Scales, States};
use crate::record::compare::{Deviation, Field, Quantity};
use crate::record::{Inputs, RecordError, RunOptions, Summary};
use crate::scene::Scene;
use crate::state::{Hash, WorldState};
use extricate_dynamics::World;

/// A complete run of a scene, to be compared with golden files.
#[derive(Debug, Clone)]
pub struct GoldenRun<'a> {
    /// Folder of the run.
    pub folder: &'a Path,
    /// Path of the scene, for a reader.
    pub scene: String,
    /// Inputs of the run.
    pub inputs: Inputs,
    /// Options of the run.
    pub options: GoldenOptions,
    /// Scales of the scene at its start.
    pub scales: Scales,
    /// Extremes over all its steps.
    pub bounds: BTreeMap<Bound, f64>,
    /// Its simulated time \[s\].
    pub time: f64,
}

/// Properties of a run that are known before it starts.
#[derive(Debug, Clone)]
pub struct RunSetup {
    scene: String,
    inputs: Inputs,
    options: GoldenOptions,
    scales: Scales,
}

impl RunSetup {
    /// Properties of a run of `scene`, whose world is at its start.
    ///
    /// # Errors
    /// [`RecordError`] when a file of the scene cannot be read.
    pub fn of(scene: &Scene, world: &World, options: &RunOptions) -> Result<Self, RecordError> {
        let options = GoldenOptions {
            time_step: world.options().time_step,
            steps: options.steps,
            every: options.every,
            seed: scene.seed,
        };
        let name = scene.path.to_string_lossy().replace('\\', "/");
        Ok(Self { scene: name, inputs: Inputs::of(scene)?, options, scales: Scales::of(scene, world) })
    }

    /// The run after it is complete.
    #[must_use]
    pub fn after<'a>(&self, folder: &'a Path, summary: &Summary) -> GoldenRun<'a> {
        let Self { scene, inputs, options, scales } = self.clone();
        GoldenRun { folder, scene, inputs, options, scales, bounds: Bound::of(summary), time: summary.time }
    }
}

/// Comparison of a run with a golden file.
#[derive(Debug)]
pub struct GoldenReport {
    /// Differences of the scene, its files and the options.
    pub inputs: Vec<InputDifference>,
    /// Differences of the program: versions, target triple. Equal bits are promised for equal ones only.
    pub made_by: Vec<InputDifference>,
    /// Differences of the states.
    pub report: ComparisonReport,
    /// Steps of the golden file at which the run has no state.
    pub missing: Vec<u64>,
}

impl GoldenReport {
    /// Whether the run agrees with the golden file: within its tolerances, or bit for bit if `exact`.
    #[must_use]
    pub fn pass(&self, exact: bool) -> bool {
        let states = if exact { self.report.is_exact() } else { self.report.agrees() };
        self.inputs.is_empty() && self.missing.is_empty() && states
    }
}

impl Golden {
    /// Compares a run with the file.
    ///
    /// # Errors
    /// [`RecordError`] when the states of the run cannot be read.
    pub fn compare(&self, run: &GoldenRun) -> Result<GoldenReport, RecordError> {
        let mut thresholds = self.thresholds();
        let mut report = ComparisonReport::default();
        let mut missing = Vec::new();
        let mut expected = WorldState::default();
        let mut next = self.states.iter().peekable();
        for state in States::open(run.folder)? {
            let state = state?;
            while let Some(golden) = next.next_if(|golden| golden.state.step <= state.step) {
                // A golden state holds changes only: each is applied, also where the run has no such step.
                golden.change(&mut expected);
                thresholds = golden.thresholds(thresholds);
                match golden.state.step == state.step {
                    true => report.add(&expected, &state, &thresholds),
                    false => missing.push(golden.state.step),
                }
            }
            // Between its states the file holds hashes only, which serve exact comparison.
            if let Some(hash) = self.trail.get(&state.step) {
                report.add_hash(state.step, *hash == state.hash);
            }
        }
        missing.extend(next.map(|golden| golden.state.step));
        self.compare_bounds(run, &self.final_thresholds(), &mut report);
        let (inputs, made_by) = (self.differing_inputs(run), self.differing_program());
        Ok(GoldenReport { inputs, made_by, report, missing })
    }

    fn compare_bounds(
        &self,
        run: &GoldenRun,
        thresholds: &AcceptanceThresholds,
        report: &mut ComparisonReport,
    ) {
        let (step, time) = (run.options.steps, run.time);
        let of_bound = |bound: Bound| {
            let (expected, measured) = (self.bounds.get(&bound), run.bounds.get(&bound));
            let (quantity, tolerance) = bound.tolerance(thresholds);
            match (expected, measured) {
                (None, None) => None,
                (Some(a), Some(b)) => Some((bound, quantity, [*a], [*b], ((a - b).abs(), tolerance))),
                (a, b) => {
                    // A bound that only one of them has deviates in its presence.
                    let is = |value: Option<&f64>| [f64::from(u8::from(value.is_some()))];
                    Some((bound, Quantity::Presence, is(a), is(b), (1.0, 0.0)))
                }
            }
        };
        let bounds: Vec<_> = Bound::ALL.into_iter().filter_map(of_bound).collect();
        let deviations = bounds.iter().map(|(bound, quantity, expected, measured, by)| Deviation {
            step,
            time,
            body: "",
            field: Field::Named(bound.name()),
            quantity: *quantity,
            expected,
            measured,
            difference: by.0,
            tolerance: by.1,
        });
        report.add_final(&deviations.collect::<Vec<_>>());
    }

    /// Differences of the scene, its files and the options.
    fn differing_inputs(&self, run: &GoldenRun) -> Vec<InputDifference> {
        let mut found = Vec::new();
        let mut compare = |what: &str, a: Option<String>, b: Option<String>| {
            if a != b {
                found.push(InputDifference { what: what.to_owned(), a, b });
            }
        };
        let hash = |hash: Hash| Some(hash.to_string());
        compare("scene", hash(self.text), hash(run.inputs.scene));
        let [a, b] = [&self.files, &run.inputs.files].map(|files| {
            files.iter().map(|file| (file.name.as_str(), file.hash)).collect::<BTreeMap<_, _>>()
        });
        for name in a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))) {
            compare(name, a.get(name).copied().and_then(hash), b.get(name).copied().and_then(hash));
        }
        let number = |x: f64| Some(format!("{x:?}"));
        let (a, b) = (&self.options, &run.options);
        compare("time_step", number(a.time_step), number(b.time_step));
        for (what, a, b) in
            [("steps", a.steps, b.steps), ("every", a.every, b.every), ("seed", a.seed, b.seed)]
        {
            compare(what, Some(a.to_string()), Some(b.to_string()));
        }
        // The hash of all inputs also depends on the order of the files, and may differ alone.
        if found.is_empty() && self.input != run.inputs.hash {
            found.push(InputDifference {
                what: "input".to_owned(),
                a: hash(self.input),
                b: hash(run.inputs.hash),
            });
        }
        found
    }

    fn differing_program(&self) -> Vec<InputDifference> {
        let this = MadeBy::this();
        let of = |made: &MadeBy| {
            let own =
                [("program".to_owned(), made.program.clone()), ("target".to_owned(), made.target.clone())];
            own.into_iter().chain(made.libraries.clone()).collect::<BTreeMap<_, _>>()
        };
        let (a, b) = (of(&self.made_by), of(&this));
        let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
        let differs = names.filter(|name| a.get(*name) != b.get(*name));
        differs
            .map(|what| InputDifference {
                what: what.clone(),
                a: a.get(what).cloned(),
                b: b.get(what).cloned(),
            })
            .collect()
    }
}
