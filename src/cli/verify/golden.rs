//! Comparison of a run with its golden file, and rewriting of that.

use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::GoldenPlace;
use crate::cli::compared::{self, StateComparison, failed};
use crate::cli::terminal::Console;
use crate::cli::terminal::Failure;
use extricate_scene::record::compare::{InputDifference, Tolerances, draw};
use extricate_scene::record::golden::{FormatVersion, Golden, GoldenReport, GoldenRun, Sampling};

/// Name of the picture in the folder of a run.
const DRIFT: &str = "drift.svg";

/// The golden file of a scene, and the options of its check.
pub(super) struct GoldenCheck {
    pub(super) place: Option<GoldenPlace>,
    /// The golden file, where there is one.
    pub(super) expected: Option<Golden>,
    pub(super) exact: bool,
    /// Whether it may be written.
    pub(super) update: bool,
    /// Whether a golden file is required: without one the scene fails.
    pub(super) is_required: bool,
}

/// The verdict.
#[derive(Debug)]
pub(super) struct GoldenVerdict {
    path: PathBuf,
    status: Status,
    exact: bool,
    report: Option<GoldenReport>,
    drift: Option<PathBuf>,
    /// Whether it has the old format.
    is_old: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    /// The run agrees with it.
    Pass,
    /// The run differs from it.
    Fail,
    /// There is none.
    Missing,
    /// The run differed, and the file was rewritten.
    Updated,
    /// There was none, and it was written.
    Written,
}

/// A line of JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct Line<'a, C> {
    /// Name of the scene.
    scene: &'a str,
    /// Path of the golden file.
    golden: String,
    /// The verdict.
    status: Status,
    /// Whether the scene passes.
    pass: bool,
    /// Whether equal bits were required (`--exact`).
    by_bits: bool,
    #[serde(flatten)]
    comparison: C,
}

/// Additional fields of a line without a golden file to compare with: none.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct NotCompared {}

/// Additional fields of a line of a run that was compared with its golden file.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct Comparison<'a> {
    /// Differences of the scene, its files and the options.
    inputs: &'a [InputDifference],
    /// Differing versions and target; they do not fail a run.
    made_by: &'a [InputDifference],
    /// Steps of the golden file at which the run has no state.
    missing_steps: &'a [u64],
    #[serde(flatten)]
    report: StateComparison<'a>,
    /// The picture of the drift, if the run differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    drift: Option<String>,
}

impl GoldenCheck {
    /// Compares the run with the golden file, and writes the file if requested.
    pub(super) fn verdict(self, run: &GoldenRun) -> Result<Option<GoldenVerdict>, Failure> {
        let drift = run.folder.join(DRIFT);
        // Removes that of an earlier run, if there is one.
        let _ = fs::remove_file(&drift);
        let Some(place) = self.place else { return Ok(None) };
        let Some(expected) = &self.expected else {
            let is_required = self.is_required;
            if is_required && self.update {
                let golden = Golden::of(run, &Tolerances::default(), &Sampling::Fitting).map_err(failed)?;
                golden.write(&place.path).map_err(failed)?;
            }
            let status = if self.update { Status::Written } else { Status::Missing };
            let (path, exact) = (place.path, self.exact);
            let verdict = GoldenVerdict { path, status, exact, report: None, drift: None, is_old: false };
            return Ok(is_required.then_some(verdict));
        };
        let report = expected.compare(run).map_err(failed)?;
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
        let is_old = expected.format == FormatVersion::V1 && status != Status::Updated;
        Ok(Some(GoldenVerdict { path, status, exact, report: Some(report), drift: drawn, is_old }))
    }
}

impl GoldenVerdict {
    pub(super) fn pass(&self) -> bool {
        !matches!(self.status, Status::Fail | Status::Missing)
    }

    /// Whether there was a golden file to compare with.
    pub(super) fn is_compared(&self) -> bool {
        self.report.is_some()
    }

    /// The golden file, if it has the old format.
    pub(super) fn old_file(&self) -> Option<&Path> {
        self.is_old.then_some(self.path.as_path())
    }

    /// The picture of the drift, if the run differs.
    pub(super) fn drift(&self) -> Option<&Path> {
        self.drift.as_deref()
    }

    /// Prints the verdict as a line of JSON.
    pub(super) fn print_json(&self, console: &mut Console, scene: &str) -> Result<(), Failure> {
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
                report: StateComparison::of(&report.report),
                drift: self.drift.as_deref().map(compared::shown),
            }),
        })
    }

    /// Prints the verdict as text.
    pub(super) fn print(&self, console: &mut Console) -> Result<(), Failure> {
        let path = compared::shown(&self.path);
        let Some(report) = &self.report else {
            let what = match self.status {
                Status::Written => "written",
                _ => "FAIL: file not found, but --golden or --exact requires one; --update writes it",
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

    /// The differences, a line for each.
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
            lines.push("equal bits are guaranteed for one target only".to_owned());
        }
        lines
    }

    /// The failure in one line.
    pub(super) fn headline(&self) -> String {
        let Some(report) = &self.report else { return "golden file not found".to_owned() };
        let first = compared::first(&report.report);
        let inputs = || compared::inputs(&report.inputs, ["golden file", "now"]).next();
        first.or_else(inputs).unwrap_or_else(|| compared::bits(&report.report))
    }
}
