//! Scenes of requests, and requests to run one.

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
use super::fields::{Fields, ItemFault, parsed_by};
use super::library::SMALL;
use super::reply::{Reply, timed};
use super::response::Response;
use super::start::at_start;
use crate::record::{self, Outcome, RecordError, RunDirectory, RunOptions, Summary};
use crate::scene::Scene;
use crate::scene::schema::OnOverlap;
use extricate_dynamics::NarrowPhase;

/// Memory over length of the files of a scene: numbers as text, and what is made of them.
const BYTES_PER_BYTE: u64 = 8;

/// Question what becomes of a scene.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct RunRequest {
    /// The scene file.
    pub scene: String,
    /// Number of steps.
    #[serde(default, deserialize_with = "count")]
    pub steps: Option<u64>,
    /// Duration [s].
    #[serde(default, deserialize_with = "positive")]
    pub time: Option<f64>,
    /// Time step [s].
    #[serde(default, rename = "dt", deserialize_with = "positive")]
    pub time_step: Option<f64>,
    /// Steps between recorded states.
    #[serde(default, deserialize_with = "count")]
    pub every: Option<u64>,
    /// Policy for bodies that overlap at the start.
    #[serde(default, deserialize_with = "on_overlap")]
    #[schemars(with = "Option<String>")]
    pub on_overlap: Option<OnOverlap>,
    /// Source of contacts: extricate or rapier.
    #[serde(default, deserialize_with = "narrow_phase")]
    #[schemars(with = "Option<String>")]
    pub narrow_phase: Option<NarrowPhase>,
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    match f64::deserialize(deserializer)? {
        value if value > 0.0 && value.is_finite() => Ok(Some(value)),
        value => Err(serde::de::Error::custom(format!("{value} is not above zero"))),
    }
}

fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    match u64::deserialize(deserializer)? {
        0 => Err(serde::de::Error::custom("0 is not above zero")),
        value => Ok(Some(value)),
    }
}

fn on_overlap<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<OnOverlap>, D::Error> {
    parsed_by(deserializer, |text| match text {
        "ignore" => Ok(OnOverlap::Ignore),
        "repair" => Ok(OnOverlap::Repair),
        "error" => Ok(OnOverlap::Error),
        _ => Err(String::from("write ignore, repair or error")),
    })
}

fn narrow_phase<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NarrowPhase>, D::Error> {
    parsed_by(deserializer, |text| match text {
        "extricate" => Ok(NarrowPhase::Extricate),
        "rapier" => Ok(NarrowPhase::Rapier),
        _ => Err(String::from("write extricate or rapier")),
    })
}

/// The scene of a file. One that is asked for again is kept.
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

impl RunRequest {
    pub(super) fn take(fields: &mut Fields) -> Result<Self, ItemFault> {
        let request: Self = fields.part()?;
        if request.steps.is_some() && request.time.is_some() {
            let why = String::from("`steps` and `time` exclude each other");
            return Err(ItemFault::Clash { why });
        }
        Ok(request)
    }

    /// The summary of the run, which is recorded in the folder, and its time; none where `stop` stopped it.
    pub(super) fn answer(
        &self,
        context: &Context,
        folder: &Path,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<(Response, Duration)>, Fault> {
        let mut scene = Scene::clone(&*scene(context, &self.scene)?);
        let whole = self.steps.is_none() && self.time.is_none() && self.time_step.is_none();
        scene.options.time_step = self.time_step.unwrap_or(scene.options.time_step);
        scene.options.narrow_phase = self.narrow_phase.unwrap_or(scene.options.narrow_phase);
        let usual = RunOptions::whole(&scene);
        let steps = self.time.map_or(usual.steps, |time| scene.steps(time));
        let options = RunOptions {
            steps: self.steps.unwrap_or(steps),
            every: self.every.unwrap_or(usual.every),
            judge: whole,
        };
        let on_overlap = self.on_overlap.unwrap_or(scene.on_overlap);
        let (scene, world) = at_start(scene, on_overlap)?;
        let directory = RunDirectory::create(folder).map_err(|error| Fault::of(Class::Usage, &error))?;
        let mut watch = |_: &_| match stop() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let (outcome, time) = timed(|| record::run(&scene, world, &options, Some(directory), &mut watch));
        let Outcome { summary, stopped, .. } = outcome.map_err(|error| match error {
            error @ RecordError::File { .. } => Fault::of(Class::Usage, &error),
            RecordError::Build(error) => Fault::of(Class::BadFile, &error),
            other => Fault::of(Class::Numerical, &other),
        })?;
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
        let message = || format!("not as the scene expects: {}", missed.join(", "));
        (!self.pass).then(|| Fault::new(Class::CheckFailed, message()))
    }
}
