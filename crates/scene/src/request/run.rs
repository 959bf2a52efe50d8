//! Loading of scenes for requests, and requests to run one.

use std::fmt;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::context::Context;
use super::fault::{Class, Fault};
use super::fields::{Fields, ItemFault};
use super::library::SMALL;
use super::reply::{Reply, timed};
use super::response::Response;
use super::start::at_start;
use crate::record::{self, Outcome, RecordError, RunDirectory, RunOptions, Summary};
use crate::scene::Scene;
use crate::scene::schema::{NarrowPhase, OnOverlap};
use extricate_dynamics::World;

/// Estimated memory of a loaded scene over the length of its files. It bounds the cache and does not affect results.
const BYTES_PER_BYTE: u64 = 8;

/// Request to run a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    /// The scene file.
    pub scene: String,
    /// Length and options of the run.
    pub fields: RunFields,
}

/// Length and options of a run; they override the scene.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct RunFields {
    /// Number of steps; overrides the duration of the scene.
    #[serde(deserialize_with = "count")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", conflicts_with = "time", value_parser = clap::value_parser!(u64).range(1..)))]
    pub steps: Option<u64>,
    /// Time to simulate \[s\]; overrides the duration of the scene.
    #[serde(deserialize_with = "positive")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", value_parser = seconds))]
    pub time: Option<f64>,
    /// Length of a step \[s\]; overrides that of the scene.
    #[serde(rename = "dt", deserialize_with = "positive")]
    #[cfg_attr(feature = "clap", arg(long = "dt", value_name = "S", value_parser = seconds))]
    pub time_step: Option<f64>,
    /// Record and judge every K-th step and the last one [default: sixty states per second].
    #[serde(deserialize_with = "count")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..)))]
    pub every: Option<u64>,
    /// Policy for bodies that overlap at the start; overrides the scene.
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT"))]
    pub on_overlap: Option<OnOverlap>,
    /// Source of the contacts of two convex bodies; overrides the scene.
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHO"))]
    pub narrow_phase: Option<NarrowPhase>,
}

/// A run that is about to start.
pub struct Start {
    /// The scene, without overlaps unless these are ignored.
    pub scene: Scene,
    /// Its world.
    pub world: World,
    /// Length of the run.
    pub options: RunOptions,
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    match f64::deserialize(deserializer)? {
        value if value > 0.0 && value.is_finite() => Ok(Some(value)),
        value => {
            Err(serde::de::Error::custom(format!("invalid value {value}: must be finite and above zero")))
        }
    }
}

fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    match u64::deserialize(deserializer)? {
        0 => Err(serde::de::Error::custom("invalid value 0: must be above zero")),
        value => Ok(Some(value)),
    }
}

#[cfg(feature = "clap")]
fn seconds(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| *value > 0.0 && value.is_finite());
    value.ok_or_else(|| String::from("expected a time in seconds above zero"))
}

/// Loads a scene; scenes are cached.
pub(super) fn scene(context: &Context, path: &str) -> Result<Arc<Scene>, Fault> {
    let path = context.folder.join(path);
    context.library.get(format!("scene {}", path.display()), || {
        let scene =
            context.library.access().scene(&path).map_err(|error| Fault::of(Class::BadFile, &error))?;
        let length = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
        let files = scene.meshes.iter().map(|mesh| &mesh.path).chain(&scene.robot_files);
        let bytes = BYTES_PER_BYTE * (files.map(|file| length(file)).sum::<u64>() + scene.text.len() as u64);
        Ok((scene, SMALL + usize::try_from(bytes).unwrap_or(usize::MAX / 2)))
    })
}

impl RunFields {
    /// The scene and its world at the start, and the length of the run; only a run of the whole scene is judged.
    ///
    /// # Errors
    /// A [`Fault`] where bodies overlap and must not, or cannot be repaired.
    pub fn start(&self, mut scene: Scene) -> Result<Start, Fault> {
        let judge = self.steps.is_none() && self.time.is_none() && self.time_step.is_none();
        scene.options.time_step = self.time_step.unwrap_or(scene.options.time_step);
        scene.options.narrow_phase = self.narrow_phase.map_or(scene.options.narrow_phase, Into::into);
        scene.on_overlap = self.on_overlap.unwrap_or(scene.on_overlap);
        let whole = RunOptions::whole(&scene);
        let steps = self.time.map_or(whole.steps, |time| scene.steps(time));
        let steps = self.steps.unwrap_or(steps);
        let options =
            RunOptions { steps, every: self.every.unwrap_or(whole.every), check_expectations: judge };
        let (scene, world) = at_start(scene)?;
        Ok(Start { scene, world, options })
    }
}

impl Start {
    /// Runs the scene and records it in a folder; `monitor` receives every step and may stop the run.
    ///
    /// # Errors
    /// A [`Fault`] where a step, a measurement or a record fails.
    pub fn run(self, directory: RunDirectory, monitor: &mut record::Monitor<'_>) -> Result<Outcome, Fault> {
        record::run(&self.scene, self.world, &self.options, Some(directory), monitor)
            .map_err(|error| Fault::of_run(&error))
    }
}

impl Fault {
    /// The fault of a run that failed after its start.
    #[must_use]
    pub fn of_run(error: &RecordError) -> Self {
        let class = match error {
            RecordError::File { .. } => Class::Usage,
            RecordError::Build(_) => Class::BadFile,
            _ => Class::Numerical,
        };
        Self::of(class, error)
    }
}

impl RunRequest {
    /// Takes the fields of the request.
    pub(super) fn take(fields: &mut Fields) -> Result<Self, ItemFault> {
        let request = Self { scene: fields.need("scene")?, fields: fields.part()? };
        if request.fields.steps.is_some() && request.fields.time.is_some() {
            let why = String::from("`steps` and `time` exclude each other");
            return Err(ItemFault::Clash { why });
        }
        Ok(request)
    }

    /// Runs the scene, records it in the folder, and returns its summary and time; none where `stop` ended it.
    pub(super) fn answer(
        &self,
        context: &Context,
        folder: &Path,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<(Response, Duration)>, Fault> {
        let start = self.fields.start(Scene::clone(&*scene(context, &self.scene)?))?;
        let directory =
            RunDirectory::create(folder).map_err(|error| Fault::of(Class::Usage, &error))?.without_plots();
        let mut monitor = |_: &_| match stop() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let (outcome, time) = timed(|| start.run(directory, &mut monitor));
        let Outcome { summary, stopped, .. } = outcome?;
        Ok((!stopped).then(|| (Response::Run(Box::new(summary)), time)))
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}, hash {}", self.scene, self.status(), self.hash)
    }
}

impl Reply for Summary {
    fn status(&self) -> &'static str {
        if self.pass { "complete" } else { "not-met" }
    }

    fn shortfall(&self) -> Option<Fault> {
        let missed = self.expect.iter().filter(|verdict| !verdict.pass);
        let missed: Vec<&str> = missed.map(|verdict| verdict.quantity.as_str()).collect();
        let message = || format!("expectations not met: {}", missed.join(", "));
        (!self.pass).then(|| Fault::new(Class::CheckFailed, message()))
    }
}
