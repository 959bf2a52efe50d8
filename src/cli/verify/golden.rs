//! Holding a run against its golden file, and writing that anew.

use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::GoldenPlace;
use crate::cli::compared::{self, Told, failed};
use crate::cli::terminal::Console;
use crate::cli::terminal::Failure;
use extricate_scene::record::compare::{InputDifference, Tolerances, draw};
use extricate_scene::record::golden::{Form, Golden, GoldenReport, GoldenRun, Sampling};

/// Name of the picture in the folder of a run.
const DRIFT: &str = "drift.svg";

/// What is to be done about the golden file of a scene.
pub(super) struct Judging {
    pub(super) place: Option<GoldenPlace>,
    /// The golden file, where there is one.
    pub(super) expected: Option<Golden>,
    pub(super) exact: bool,
    /// Whether it may be written.
    pub(super) update: bool,
    /// Whether one is asked for: without, the scene fails.
    pub(super) is_asked_for: bool,
}

/// What became of it.
#[derive(Debug)]
pub(super) struct GoldenVerdict {
    path: PathBuf,
    status: Status,
    exact: bool,
    report: Option<GoldenReport>,
    drift: Option<PathBuf>,
    /// Whether it is of the first form.
    is_old: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    /// The run is what it says.
    Pass,
    /// It is not.
    Fail,
    /// There is none.
    Missing,
    /// It was not, and has been written anew.
    Updated,
    /// There was none, and it has been written.
    Written,
}

/// A line of JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct Line<'a, C> {
    /// Name of the scene.
    scene: &'a str,
    /// Path of the golden file.
    golden: String,
    /// What became of it.
    status: Status,
    /// Whether the scene passes.
    pass: bool,
    /// Whether equal bits were asked for (`--exact`).
    by_bits: bool,
    #[serde(flatten)]
    comparison: C,
}

/// Fields of a line without a golden file that the run could be held against: none.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct NotCompared {}

/// Further fields of a line of a run that was held against its golden file.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct Comparison<'a> {
    /// What of the scene, its files and the options differs.
    inputs: &'a [InputDifference],
    /// Versions and target that differ; they do not fail a run.
    made_by: &'a [InputDifference],
    /// Steps of the golden file at which the run has no state.
    missing_steps: &'a [u64],
    #[serde(flatten)]
    report: Told<'a>,
    /// The picture of the drift, where the run differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    drift: Option<String>,
}

impl Judging {
    /// Holds the run against the golden file, and writes that where it is to be.
    pub(super) fn verdict(self, run: &GoldenRun) -> Result<Option<GoldenVerdict>, Failure> {
        let drift = run.folder.join(DRIFT);
        // That of an earlier run; where there is none nothing is to be done.
        let _ = fs::remove_file(&drift);
        let Some(place) = self.place else { return Ok(None) };
        let Some(expected) = &self.expected else {
            let is_wanted = self.is_asked_for;
            if is_wanted && self.update {
                let golden = Golden::of(run, &Tolerances::default(), &Sampling::Fitting).map_err(failed)?;
                golden.write(&place.path).map_err(failed)?;
            }
            let status = if self.update { Status::Written } else { Status::Missing };
            let (path, exact) = (place.path, self.exact);
            let verdict = GoldenVerdict { path, status, exact, report: None, drift: None, is_old: false };
            return Ok(is_wanted.then_some(verdict));
        };
        let report = expected.judge(run).map_err(failed)?;
        let pass = report.pass(self.exact);
        let mut status = if pass { Status::Pass } else { Status::Fail };
        let mut drawn = None;
        let drifts = !report.report.agrees() || !report.report.is_exact();
        if !pass && drifts {
            let title = format!("drift from {}", compared::shown(&place.path));
            draw(&report.report, &title, &drift).map_err(failed)?;
            drawn = Some(drift);
        }
        if !pass && self.update {
            expected.renewed(run).and_then(|golden| golden.write(&place.path)).map_err(failed)?;
            status = Status::Updated;
        }
        let (path, exact) = (place.path, self.exact);
        let is_old = expected.form == Form::First && status != Status::Updated;
        Ok(Some(GoldenVerdict { path, status, exact, report: Some(report), drift: drawn, is_old }))
    }
}

impl GoldenVerdict {
    pub(super) fn pass(&self) -> bool {
        !matches!(self.status, Status::Fail | Status::Missing)
    }

    /// Whether there was a golden file.
    pub(super) fn is_compared(&self) -> bool {
        self.report.is_some()
    }

    /// The golden file, if it is of the first form.
    pub(super) fn old_file(&self) -> Option<&Path> {
        self.is_old.then_some(self.path.as_path())
    }

    /// Tells it as a line of JSON.
    pub(super) fn tell_json(&self, console: &mut Console, scene: &str) -> Result<(), Failure> {
        console.json_line(&Line {
            scene,
            golden: compared::shown(&self.path),
            status: self.status,
            pass: self.pass(),
            by_bits: self.exact,
            comparison: self.report.as_ref().map(|report| Comparison {
                inputs: &report.inputs,
                made_by: &report.made_by,
                missing_steps: &report.missing,
                report: Told::of(&report.report),
                drift: self.drift.as_deref().map(compared::shown),
            }),
        })
    }

    /// Tells it to a person.
    pub(super) fn tell(&self, console: &mut Console) -> Result<(), Failure> {
        let path = compared::shown(&self.path);
        let Some(report) = &self.report else {
            let what = match self.status {
                Status::Written => "written",
                _ => "FAIL: there is none, and --golden or --exact asks for one; --update writes it",
            };
            return console.line(format_args!("  golden {path}: {what}"));
        };
        let word = match self.status {
            Status::Pass => "pass",
            Status::Updated => "updated",
            _ => "FAIL",
        };
        let (states, bits) = (report.report.states, compared::bits(&report.report));
        console.line(format_args!("  golden {path}: {word}, {states} states, {bits}"))?;
        if self.status == Status::Pass {
            return Ok(());
        }
        compared::lines(console, self.details())?;
        if !report.report.agrees() {
            console.line(compared::worst(&report.report))?;
        }
        let drawn = self.drift.as_deref().map(|path| format!("drift drawn in {}", compared::shown(path)));
        compared::lines(console, drawn)
    }

    /// What differs, a line for each.
    pub(super) fn details(&self) -> Vec<String> {
        let Some(report) = &self.report else { return Vec::new() };
        let labels = ["golden file", "now"];
        let mut lines: Vec<String> = compared::inputs(&report.inputs, labels).collect();
        if let (Some(first), Some(last)) = (report.missing.first(), report.missing.last()) {
            lines.push(format!(
                "the run has no state at {} steps from {first} to {last}",
                report.missing.len()
            ));
        }
        lines.extend(compared::first(&report.report));
        lines.extend(compared::also(&report.report));
        if self.exact && !report.report.is_exact() {
            lines.push(compared::bits(&report.report));
        }
        lines.extend(compared::inputs(&report.made_by, labels));
        if report.made_by.iter().any(|differs| differs.what == "target") {
            lines.push("bits are promised for one target only".to_owned());
        }
        lines
    }

    /// What failed, in a line.
    pub(super) fn headline(&self) -> String {
        let Some(report) = &self.report else { return "there is no golden file".to_owned() };
        let first = compared::first(&report.report);
        let inputs = || compared::inputs(&report.inputs, ["golden file", "now"]).next();
        first.or_else(inputs).unwrap_or_else(|| compared::bits(&report.report))
    }
}
