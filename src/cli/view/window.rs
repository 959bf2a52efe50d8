//! The window as it is asked for.

use std::path::Path;
use std::sync::Arc;

use super::Arguments;
use crate::cli::access;
use crate::cli::failure::{Exit, Failure};
use crate::cli::interrupt::Interrupt;
use crate::cli::run::at_start;
use crate::dynamics::World;
use crate::scene::Scene;
use crate::viewer::Quality;
use crate::viewer::app::script::ScriptError;
use crate::viewer::app::{self, Loaded, View, ViewError};

/// Opens the window, or plays the script without one.
pub(super) fn open(interrupt: &Interrupt, arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { source, script, offscreen, size, plain } = arguments;
    let loaded = match source.is_dir() {
        true => Loaded::run(source),
        false => {
            let (scene, world) = prepare(source)?;
            Loaded::of(source, scene, world)
        }
    };
    let view = View {
        loaded: loaded.map_err(|message| Failure::new(Exit::BadFile, message))?,
        prepare: Arc::new(|path: &Path| prepare(path).map_err(|failure| failure.text())),
        script: script.clone(),
        offscreen: *offscreen,
        size: *size,
        quality: Quality { shadows: !plain, smooth: !plain },
    };
    app::view(view, &|| interrupt.is_asked()).map_err(Failure::from)
}

/// The scene of a file and its world as `run` starts it.
fn prepare(path: &Path) -> Result<(Scene, World), Failure> {
    let scene = access::scene(path)?;
    let on_overlap = scene.on_overlap;
    at_start(scene, on_overlap)
}

impl From<ViewError> for Failure {
    fn from(error: ViewError) -> Self {
        let exit = match error {
            ViewError::Start { .. } => Exit::Numerical,
            ViewError::Script(ScriptError::Line { .. }) => Exit::CheckFailed,
            _ => Exit::Usage,
        };
        Self::of(exit, &error)
    }
}
