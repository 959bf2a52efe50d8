//! The window, with the options of the command line.

use std::path::Path;
use std::sync::Arc;

use super::ViewArguments;
use crate::cli::run_folder::RunFolder;
use crate::cli::terminal::{Console, Exit, Failure};
use extricate_dynamics::World;
use extricate_scene::record::{RecordError, Recording, ResumeFrom};
use extricate_scene::request::Access;
use extricate_scene::request::start::at_start;
use extricate_scene::scene::Scene;
use extricate_viewer::Quality;
use extricate_viewer::app::{self, Loaded, Recent, View};

/// Opens the window, or plays the script without one.
pub(super) fn open(console: &mut Console, arguments: &ViewArguments) -> Result<(), Failure> {
    let ViewArguments { source, from, script, offscreen, size, plain } = arguments;
    let Some(source) = source else { return list(console) };
    let access = console.access();
    // Kept until the window is closed: the folder of a run that was unpacked is removed then.
    let run = RunFolder::find(source)?;
    let source = run.as_ref().map_or(source.as_path(), RunFolder::path);
    let loaded = match (run.is_some(), from) {
        (true, None) => Loaded::run(source),
        (true, Some(from)) => {
            let (scene, world) = resumed(source, *from)?;
            Loaded::of(&scene.path.clone(), scene, world)
        }
        (false, None) => {
            let (scene, world) = prepare(access, source)?;
            Loaded::of(source, scene, world)
        }
        (false, Some(_)) => {
            return Err(Failure::new(Exit::Usage, "--from requires the folder of a run, not a scene file"));
        }
    };
    let of_reload = access.clone();
    let view = View {
        loaded: loaded.map_err(|message| Failure::new(Exit::BadFile, message))?,
        prepare: Arc::new(move |path: &Path| prepare(&of_reload, path).map_err(|failure| failure.text())),
        access: access.clone(),
        script: script.clone(),
        recent: match run.as_ref().is_some_and(RunFolder::is_unpacked) {
            true => Recent::default(),
            false => Recent::of_user(),
        },
        offscreen: *offscreen,
        size: *size,
        quality: Quality { shadows: !plain, smooth: !plain },
    };
    app::view(view, &|| console.is_interrupted()).map_err(Failure::from)
}

/// Lists recently opened scenes and runs.
fn list(console: &mut Console) -> Result<(), Failure> {
    let paths = Recent::of_user().paths();
    if console.json() {
        return console.json_line(&serde_json::json!({ "recent": paths }));
    }
    if paths.is_empty() {
        return console.line(format_args!("no recent scenes or runs; open one with `extricate view SCENE`"));
    }
    console.line(format_args!("recent scenes and runs, the last one first:"))?;
    paths.iter().try_for_each(|path| console.line(format_args!("  {}", path.display())))
}

/// The scene of a file and its world, as at the start of `run`.
fn prepare(access: &Access, path: &Path) -> Result<(Scene, World), Failure> {
    Ok(at_start(access.scene(path)?)?)
}

/// The scene of a run, and its world after a step.
fn resumed(folder: &Path, from: ResumeFrom) -> Result<(Scene, World), Failure> {
    let bad = |error: RecordError| Failure::of(Exit::BadFile, &error);
    let recording = Recording::open(folder).map_err(bad)?;
    let step = match from {
        ResumeFrom::Step(step) => step,
        ResumeFrom::Last => recording.state(recording.state_count() - 1).map_err(bad)?.step,
    };
    let world = recording.world_at(step).map_err(|error| Failure::of(Exit::Numerical, &error))?;
    Ok((recording.scene().clone(), world))
}
