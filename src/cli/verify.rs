//! `extricate verify`: runs scenes and judges what they expect.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::access;
use super::console::Console;
use super::failure::{Exit, Failure};
use super::interrupt::Interrupt;
use super::run::{Simulation, at_start, simulate, tell_verdicts};
use crate::record::{Manifest, Outcome, RunDirectory, RunOptions};
use crate::scene::Verdict;

const EXAMPLES: &str = "\
Examples:
  extricate verify scenes/rigid
  extricate verify a.ron b.ron --json

A folder stands for all scenes below it. Each result goes to out/SCENE. Exit code 1 tells that an expectation
is not met, or that a scene expects nothing.";

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
}

/// An expectation of a scene with what became of it.
#[derive(Debug, Serialize)]
struct Line<'a> {
    scene: &'a str,
    #[serde(flatten)]
    verdict: &'a Verdict,
}

/// Runs and judges the scenes, one after the other. A scene that is bad does not keep the others from being judged.
pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let scenes = scenes(&arguments.scenes)?;
    let (mut failed, mut worst) = (0_usize, None);
    for path in &scenes {
        match verify(console, interrupt, path, &arguments.output) {
            Ok(true) => {}
            Ok(false) => failed += 1,
            Err(interrupted @ Failure::Silent(Exit::Interrupted)) => return Err(interrupted),
            Err(Failure::OutputClosed) => return Err(Failure::OutputClosed),
            Err(failure) if scenes.len() == 1 => return Err(failure),
            Err(failure) => {
                failed += 1;
                worst = worst.or(failure.exit());
                failure.tell();
            }
        }
    }
    if !console.json() {
        console.line(format_args!("{} of {} scenes pass", scenes.len() - failed, scenes.len()))?;
    }
    match (failed, worst) {
        (0, _) => Ok(()),
        (_, Some(exit)) => Err(Failure::Silent(exit)),
        (_, None) => Err(Failure::Silent(Exit::CheckFailed)),
    }
}

fn verify(console: &mut Console, interrupt: &Interrupt, path: &Path, output: &Path) -> Result<bool, Failure> {
    let scene = access::scene(path)?;
    let on_overlap = scene.on_overlap;
    let (scene, world) = at_start(scene, on_overlap)?;
    let folder = output.join(scene.name());
    let directory = RunDirectory::create(folder).map_err(|error| Failure::of(Exit::Usage, &error))?;
    let options = RunOptions::whole(&scene);
    let Outcome { summary, stopped, .. } =
        simulate(console, interrupt, Simulation { scene: &scene, world, options, directory })?;
    if stopped {
        return Err(Failure::Silent(Exit::Interrupted));
    }
    if console.json() {
        for verdict in &summary.expect {
            console.json_line(&Line { scene: &summary.scene, verdict })?;
        }
    } else {
        let word = if summary.pass && !summary.expect.is_empty() { "pass" } else { "FAIL" };
        console.line(format_args!("{word} {}: {} (hash {})", summary.scene, summary.title, summary.hash))?;
        tell_verdicts(console, &summary)?;
    }
    console.flush()?;
    Ok(summary.pass && !summary.expect.is_empty())
}

/// The scene files among the paths and below the folders among them, folders of runs passed by, sorted within each folder.
fn scenes(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut scenes = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = scenes.len();
            scenes_below(path, &mut scenes)?;
            if scenes.len() == before {
                return Err(Failure::new(Exit::Usage, format!("{} holds no scenes (*.ron)", path.display())));
            }
        } else {
            scenes.push(path.clone());
        }
    }
    Ok(scenes)
}

/// The scene files below a folder. Folders of runs, which hold the scene that was run, are passed by.
fn scenes_below(folder: &Path, scenes: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable =
        |error| Failure::new(Exit::BadFile, format!("cannot read {}: {error}", folder.display()));
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if !path.join(Manifest::FILE).is_file() {
                scenes_below(&path, scenes)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "ron") {
            scenes.push(path);
        }
    }
    Ok(())
}
