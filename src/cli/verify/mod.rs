//! `extricate verify`: runs scenes, checks their expectations, and compares them with their golden files.

mod find;
pub(super) mod golden;
mod html;
mod junit;
mod pool;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::record::run_whole;
use super::run::print_verdicts;
use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_scene::record::Summary;
use extricate_scene::record::golden::Golden;
use extricate_scene::scene::Verdict;

use find::{GoldenPlace, golden_of, scenes};
use golden::GoldenVerdict;

const EXAMPLES: &str = "\
Examples:
  extricate verify scenes/rigid
  extricate verify a.ron b.ron --json
  extricate verify scenes --golden tests/golden --junit verify.xml --html verify.html
  extricate verify scenes/rigid --exact
  extricate verify scenes/rigid/ring_stack.ron --update

A folder means all scenes below it. The result of each scene is written to out/SCENE, for further scenes of the same name to
out/SCENE-2 and so on. Exit code 1 means that an expectation is not met, that a scene has no expectations, or that a run differs
from its golden file; 3 that a golden file is invalid.";

/// VerifyArguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyArguments {
    /// Scene files, or folders of them.
    #[arg(required = true, value_name = "SCENE|DIR")]
    scenes: Vec<PathBuf>,
    /// Folder of the results; each scene gets a folder in it.
    #[arg(short, long, value_name = "DIR", default_value = "out")]
    output: PathBuf,
    /// Folder of golden files, one for every scene [default: tests/golden above a scene, if it exists].
    #[arg(long, value_name = "DIR")]
    golden: Option<PathBuf>,
    /// Compare runs with golden files bit for bit, by the hashes of their states.
    #[arg(long)]
    exact: bool,
    /// Rewrite golden files that differ, and with --golden write missing ones.
    #[arg(long)]
    update: bool,
    /// Write the verdicts as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a report: one page of HTML with tables and plots.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// An expectation of a scene with its verdict.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Line<'a> {
    /// Name of the scene.
    scene: &'a str,
    #[serde(flatten)]
    verdict: &'a Verdict,
}

/// A scene that was run and judged.
#[derive(Debug)]
struct Judged {
    summary: Summary,
    /// Verdict on its golden file, where there is or should be one.
    golden: Option<GoldenVerdict>,
}

impl Judged {
    /// Whether the scene has expectations and meets them.
    fn expectations_pass(&self) -> bool {
        self.summary.pass && !self.summary.expect.is_empty()
    }

    fn pass(&self) -> bool {
        self.expectations_pass() && self.golden.as_ref().is_none_or(GoldenVerdict::pass)
    }
}

/// Runs and judges the scenes, and prints the results in their order. After an invalid scene the others are judged nonetheless.
pub(super) fn execute(console: &mut Console, arguments: &VerifyArguments) -> Result<(), Failure> {
    let scenes = with_folders(scenes(&arguments.scenes)?, &arguments.output);
    let mut report = VerifyReport {
        junit: arguments.junit.as_ref().map(|_| junit::Cases::default()),
        html: arguments.html.as_ref().map(|_| html::Report::default()),
        ..VerifyReport::default()
    };
    let is_many = scenes.len() >= pool::MIN_SCENES_PER_THREAD * rayon::current_num_threads();
    if is_many {
        let (access, interrupt) = (console.access().clone(), console.interrupt().clone());
        let quiet = || Console::quiet(access.clone(), interrupt.clone());
        let run = |scene: &Work| verify(&quiet(), scene, arguments);
        let progress = console.progress(scenes.len() as u64);
        pool::each_in_order(&scenes, progress, &run, &mut |scene, judged| {
            report.add(console, scene, judged, scenes.len())
        })?;
    } else {
        for scene in &scenes {
            let judged = verify(console, scene, arguments);
            report.add(console, scene, judged, scenes.len())?;
        }
    }
    if let (Some(cases), Some(path)) = (&report.junit, &arguments.junit) {
        cases.write(path)?;
    }
    if let (Some(page), Some(path)) = (&report.html, &arguments.html) {
        page.write(path)?;
    }
    report.warn_of_old_files(console, arguments.golden.as_deref());
    report.end(console, scenes.len())
}

/// A scene that is to be run.
#[derive(Debug)]
struct Work {
    path: PathBuf,
    /// Folder of its result.
    folder: PathBuf,
}

/// The scenes with the folders of their results, named like them; the second scene of a name gets a suffix `-2`, and so
/// on.
fn with_folders(scenes: Vec<PathBuf>, output: &Path) -> Vec<Work> {
    let mut names = BTreeMap::<OsString, u32>::new();
    let with_folder = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_owned();
        let count = names.entry(name.clone()).or_default();
        *count += 1;
        let mut folder = name;
        if *count > 1 {
            folder.push(format!("-{count}"));
        }
        Work { folder: output.join(folder), path }
    };
    scenes.into_iter().map(with_folder).collect()
}

/// Totals of the scenes reported so far.
#[derive(Default)]
struct VerifyReport {
    failed: usize,
    /// Number of scenes that were compared with a golden file.
    golden: usize,
    /// Golden files of the old format.
    old: Vec<PathBuf>,
    worst: Option<Exit>,
    junit: Option<junit::Cases>,
    html: Option<html::Report>,
}

impl VerifyReport {
    /// Prints the result of a scene.
    fn add(
        &mut self,
        console: &mut Console,
        Work { path, folder }: &Work,
        judged: Result<Judged, Failure>,
        scenes: usize,
    ) -> Result<(), Failure> {
        match judged {
            Ok(judged) => {
                self.failed += usize::from(!judged.pass());
                self.golden += usize::from(judged.golden.as_ref().is_some_and(GoldenVerdict::is_compared));
                let old = judged.golden.as_ref().and_then(GoldenVerdict::old_file);
                self.old.extend(old.map(Path::to_owned));
                if let Some(cases) = &mut self.junit {
                    cases.add(&judged);
                }
                if let Some(page) = &mut self.html {
                    page.add(&judged, folder);
                }
                print_judged(console, &judged)?;
                console.flush()
            }
            Err(interrupted @ Failure::Silent(Exit::Interrupted)) => Err(interrupted),
            Err(Failure::OutputClosed) => Err(Failure::OutputClosed),
            Err(failure) => {
                if let Some(cases) = &mut self.junit {
                    cases.add_failure(path, &failure);
                }
                if let Some(page) = &mut self.html {
                    page.add_failure(path, &failure);
                }
                if scenes == 1 && self.junit.is_none() && self.html.is_none() {
                    return Err(failure);
                }
                self.failed += 1;
                self.worst = self.worst.or(failure.exit());
                console.flush()?;
                failure.print();
                Ok(())
            }
        }
    }

    /// Notes once how golden files of the old format are converted: all of the given folder, otherwise that of the first one.
    fn warn_of_old_files(&self, console: &Console, folder: Option<&Path>) {
        let Some(first) = self.old.first() else { return };
        let own = first.parent().filter(|folder| !folder.as_os_str().is_empty());
        let (count, folder) = (self.old.len(), folder.or(own).unwrap_or(first));
        console.note(format_args!(
            "warning: {count} golden files have the old format; `extricate convert {}` converts them in place",
            folder.display()
        ));
    }

    fn end(&self, console: &mut Console, scenes: usize) -> Result<(), Failure> {
        if !console.json() {
            let golden = match self.golden {
                0 => String::new(),
                n => format!(", {n} compared with golden files"),
            };
            console.line(format_args!("{} of {scenes} scenes pass{golden}", scenes - self.failed))?;
        }
        match (self.failed, self.worst) {
            (0, _) => Ok(()),
            (_, Some(exit)) => Err(Failure::Silent(exit)),
            (_, None) => Err(Failure::Silent(Exit::CheckFailed)),
        }
    }
}

fn verify(
    console: &Console,
    Work { path, folder }: &Work,
    arguments: &VerifyArguments,
) -> Result<Judged, Failure> {
    // An invalid golden file is reported before anything is run.
    let place = golden_of(path, arguments.golden.as_deref());
    let expected = match &place {
        Some(GoldenPlace { path, exists: true }) => {
            Some(Golden::read(path).map_err(|error| Failure::of(Exit::BadFile, &error))?)
        }
        _ => None,
    };
    let (before, summary) = run_whole(console, console.access().scene(path)?, folder)?;
    let mut judged = Judged { summary, golden: None };
    let may_update = arguments.update && judged.expectations_pass();
    let judging = golden::GoldenCheck {
        place,
        expected,
        exact: arguments.exact,
        update: may_update,
        is_required: arguments.golden.is_some() || arguments.exact,
    };
    judged.golden = judging.verdict(&before.after(folder, &judged.summary))?;
    Ok(judged)
}

/// Prints the result of a scene.
fn print_judged(console: &mut Console, judged: &Judged) -> Result<(), Failure> {
    let Judged { summary, golden } = judged;
    if console.json() {
        for verdict in &summary.expect {
            console.json_line(&Line { scene: &summary.scene, verdict })?;
        }
        return golden.as_ref().map_or(Ok(()), |golden| golden.print_json(console, &summary.scene));
    }
    let word = if judged.pass() { "pass" } else { "FAIL" };
    console.line(format_args!("{word} {}: {} (hash {})", summary.scene, summary.title, summary.hash))?;
    print_verdicts(console, summary)?;
    golden.as_ref().map_or(Ok(()), |golden| golden.print(console))
}
