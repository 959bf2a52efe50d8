//! `extricate verify`: runs scenes and judges what they expect, and holds them against their golden files.

mod find;
pub(super) mod golden;
mod junit;
mod pool;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::record::run_whole;
use super::run::tell_verdicts;
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
  extricate verify scenes --golden tests/golden --junit verify.xml
  extricate verify scenes/rigid --exact
  extricate verify scenes/rigid/ring_stack.ron --update

A folder stands for all scenes below it. Each result goes to out/SCENE, of scenes with one name to out/SCENE-2 and so on. Exit code 1 tells that an expectation
is not met, that a scene expects nothing, or that a run is not what its golden file says; 3 that a golden file
is bad.";

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Scene files, or folders of them.
    #[arg(required = true, value_name = "SCENE|DIR")]
    scenes: Vec<PathBuf>,
    /// Folder of the results; each scene gets one of its own in it.
    #[arg(short, long, value_name = "DIR", default_value = "out")]
    output: PathBuf,
    /// Folder of golden files, one for every scene [default: tests/golden above a scene, where there is one].
    #[arg(long, value_name = "DIR")]
    golden: Option<PathBuf>,
    /// Hold runs against golden files bit for bit, by the hashes of their states.
    #[arg(long)]
    exact: bool,
    /// Write golden files anew that differ, and with --golden those that are missing.
    #[arg(long)]
    update: bool,
    /// Write the verdicts as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// An expectation of a scene with what became of it.
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
    /// Against its golden file, where there is or should be one.
    golden: Option<GoldenVerdict>,
}

impl Judged {
    /// Whether what the scene expects came true.
    fn expectations_pass(&self) -> bool {
        self.summary.pass && !self.summary.expect.is_empty()
    }

    fn pass(&self) -> bool {
        self.expectations_pass() && self.golden.as_ref().is_none_or(GoldenVerdict::pass)
    }
}

/// Runs and judges the scenes, and tells them in their order. A scene that is bad does not keep the others from being judged.
pub(super) fn execute(console: &mut Console, arguments: &Arguments) -> Result<(), Failure> {
    let scenes = with_folders(scenes(&arguments.scenes)?, &arguments.output);
    let mut told =
        Told { junit: arguments.junit.as_ref().map(|_| junit::Cases::default()), ..Told::default() };
    let is_many = scenes.len() >= pool::LEAST_SCENES_A_THREAD * rayon::current_num_threads();
    if is_many {
        let (access, interrupt) = (console.access().clone(), console.interrupt().clone());
        let quiet = || Console::quiet(access.clone(), interrupt.clone());
        let run = |scene: &Work| verify(&quiet(), scene, arguments);
        let progress = console.progress(scenes.len() as u64);
        pool::each_in_order(&scenes, progress, &run, &mut |scene, judged| {
            told.add(console, &scene.path, judged, scenes.len())
        })?;
    } else {
        for scene in &scenes {
            let judged = verify(console, scene, arguments);
            told.add(console, &scene.path, judged, scenes.len())?;
        }
    }
    if let (Some(cases), Some(path)) = (&told.junit, &arguments.junit) {
        cases.write(path)?;
    }
    told.warn_of_old_files(console, arguments.golden.as_deref());
    told.end(console, scenes.len())
}

/// A scene that is to be run.
#[derive(Debug)]
struct Work {
    path: PathBuf,
    /// Folder of its result.
    folder: PathBuf,
}

/// The scenes with the folders of their results, named as they are; of scenes of one name the second one gets a `-2`, and so
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

/// What has been told of the scenes.
#[derive(Default)]
struct Told {
    failed: usize,
    /// Scenes that were held against a golden file.
    golden: usize,
    /// Golden files of the first form.
    old: Vec<PathBuf>,
    worst: Option<Exit>,
    junit: Option<junit::Cases>,
}

impl Told {
    /// Tells what became of a scene.
    fn add(
        &mut self,
        console: &mut Console,
        path: &Path,
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
                tell(console, &judged)?;
                console.flush()
            }
            Err(interrupted @ Failure::Silent(Exit::Interrupted)) => Err(interrupted),
            Err(Failure::OutputClosed) => Err(Failure::OutputClosed),
            Err(failure) => {
                if let Some(cases) = &mut self.junit {
                    cases.add_failure(path, &failure);
                }
                if scenes == 1 && self.junit.is_none() {
                    return Err(failure);
                }
                self.failed += 1;
                self.worst = self.worst.or(failure.exit());
                console.flush()?;
                failure.tell();
                Ok(())
            }
        }
    }

    /// Tells once how golden files of the first form are converted: all of the folder that was given, else that of the first.
    fn warn_of_old_files(&self, console: &Console, folder: Option<&Path>) {
        let Some(first) = self.old.first() else { return };
        let own = first.parent().filter(|folder| !folder.as_os_str().is_empty());
        let (count, folder) = (self.old.len(), folder.or(own).unwrap_or(first));
        console.note(format_args!(
            "warning: {count} golden files are of the first form; `extricate convert {}` converts them in place",
            folder.display()
        ));
    }

    fn end(&self, console: &mut Console, scenes: usize) -> Result<(), Failure> {
        if !console.json() {
            let golden = match self.golden {
                0 => String::new(),
                n => format!(", {n} held against golden files"),
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

fn verify(console: &Console, Work { path, folder }: &Work, arguments: &Arguments) -> Result<Judged, Failure> {
    // A golden file that is bad is told before anything is run.
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
    let judging = golden::Judging {
        place,
        expected,
        exact: arguments.exact,
        update: may_update,
        is_asked_for: arguments.golden.is_some() || arguments.exact,
    };
    judged.golden = judging.verdict(&before.after(folder, &judged.summary))?;
    Ok(judged)
}

/// Tells what became of a scene.
fn tell(console: &mut Console, judged: &Judged) -> Result<(), Failure> {
    let Judged { summary, golden } = judged;
    if console.json() {
        for verdict in &summary.expect {
            console.json_line(&Line { scene: &summary.scene, verdict })?;
        }
        return golden.as_ref().map_or(Ok(()), |golden| golden.tell_json(console, &summary.scene));
    }
    let word = if judged.pass() { "pass" } else { "FAIL" };
    console.line(format_args!("{word} {}: {} (hash {})", summary.scene, summary.title, summary.hash))?;
    tell_verdicts(console, summary)?;
    golden.as_ref().map_or(Ok(()), |golden| golden.tell(console))
}
