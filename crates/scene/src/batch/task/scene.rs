//! Repairs of scenes, and runs.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::freedom::Demands;
use super::{Bench, Head, Told};
use crate::batch::access;
use crate::batch::answers::overlaps::{all_measured, build, measured, not_moved};
use crate::batch::answers::start::at_start;
use crate::batch::answers::{Reply, bodies_repair, scene_repair, timed};
use crate::batch::fault::{Class, Fault};
use crate::batch::fields::Fields;
use crate::batch::item::ItemFault;
use crate::batch::library::SMALL;
use crate::batch::run::folder_of_run;
use crate::record::{self, Outcome, RecordError, RunDirectory, RunOptions, Summary};
use crate::repair::RepairOptions;
use crate::scene::Scene;
use crate::scene::schema::OnOverlap;
use extricate_core::penetration::SeparationOptions;
use extricate_dynamics::{Mobility, NarrowPhase};

/// Memory over length of the files of a scene: numbers as text, and what is made of them.
const BYTES_PER_BYTE: u64 = 8;

/// A scene in which things overlap.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SceneTask {
    scene: String,
    turn: bool,
    demands: Demands,
}

/// A scene to be run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunTask {
    scene: String,
    steps: Option<u64>,
    time: Option<f64>,
    time_step: Option<f64>,
    every: Option<u64>,
    on_overlap: Option<OnOverlap>,
    narrow_phase: Option<NarrowPhase>,
}

/// The scene of a file. One that is asked for again is kept.
fn scene(bench: &Bench, path: &str) -> Result<Arc<Scene>, Fault> {
    let path = bench.folder.join(path);
    bench.library.get(format!("scene {}", path.display()), || {
        let scene = access::scene(&path).map_err(|error| Fault::of(Class::BadFile, &error))?;
        let length = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
        let files = scene.meshes.iter().map(|mesh| &mesh.path).chain(&scene.robot_files);
        let bytes = BYTES_PER_BYTE * (files.map(|file| length(file)).sum::<u64>() + scene.text.len() as u64);
        Ok((scene, SMALL + usize::try_from(bytes).unwrap_or(usize::MAX / 2)))
    })
}

impl SceneTask {
    pub(super) fn take(scene: String, fields: &mut Fields) -> Result<Self, ItemFault> {
        Ok(Self { scene, turn: fields.flag("turn")?, demands: Demands::take(fields)? })
    }

    pub(super) fn answer(&self, bench: &Bench, head: Head) -> Result<Told, Fault> {
        let scene = scene(bench, &self.scene)?;
        if self.turn || !scene.robots.is_empty() {
            let (found, time) = timed(|| self.posed(bench, &scene));
            return Ok(head.told(&found?, time));
        }
        let (found, time) = timed(|| self.moved(&scene));
        Ok(head.told(&found?, time))
    }

    fn moved(&self, scene: &Scene) -> Result<bodies_repair::Answer, Fault> {
        let Demands { options, freedom } = &self.demands;
        let world = build(scene)?;
        let before = all_measured(&world)?;
        let mobility = Mobility { fixed: freedom.fixed.clone(), weights: freedom.weights.clone() };
        let options = SeparationOptions {
            effort: options.effort,
            clearance: options.clearance,
            max_move: options.max_move,
            ..SeparationOptions::default()
        };
        let (found, refusal) = bodies_repair::separated(&world, &mobility, &options)?;
        let repaired = build(&scene.clone().moved(&found.moved))?;
        let after = all_measured(&repaired)?;
        let refusal = refusal.or_else(|| not_moved(&repaired));
        Ok(bodies_repair::Answer::new(scene, &found, [&before, &after], refusal))
    }

    fn posed(&self, bench: &Bench, scene: &Scene) -> Result<scene_repair::Answer, Fault> {
        let Demands { options, freedom } = &self.demands;
        let world = build(scene)?;
        let (rigid, before) = (measured(&world)?, all_measured(&world)?);
        let options = RepairOptions { parallel: bench.parallel, ..options.clone() };
        let mut found = scene_repair::search((scene, &world), &rigid, freedom, &options)?;
        let repaired = build(&scene.clone().posed(&found.poses))?;
        let after = all_measured(&repaired)?;
        found.refusal = found.refusal.or_else(|| not_moved(&repaired));
        Ok(scene_repair::Answer::new(scene, found, [&before, &after]))
    }
}

impl RunTask {
    pub(super) fn take(fields: &mut Fields) -> Result<Self, ItemFault> {
        let positive = |name: &'static str, value: Option<f64>| match value {
            Some(value) if !(value > 0.0 && value.is_finite()) => {
                Err(ItemFault::Field { name, why: format!("{value} is not above zero") })
            }
            value => Ok(value),
        };
        let count = |name: &'static str, value: Option<u64>| match value {
            Some(0) => Err(ItemFault::Field { name, why: String::from("0 is not above zero") }),
            value => Ok(value),
        };
        let steps = fields.take("steps")?;
        let (time, time_step) = (fields.take("time")?, fields.take("dt")?);
        if steps.is_some() && time.is_some() {
            let why = String::from("`steps` and `time` exclude each other");
            return Err(ItemFault::Clash { why });
        }
        Ok(Self {
            scene: fields.need("scene")?,
            steps: count("steps", steps)?,
            time: positive("time", time)?,
            time_step: positive("dt", time_step)?,
            every: count("every", fields.take("every")?)?,
            on_overlap: fields.parsed("on_overlap", |text| match text {
                "ignore" => Ok(OnOverlap::Ignore),
                "repair" => Ok(OnOverlap::Repair),
                "error" => Ok(OnOverlap::Error),
                _ => Err(String::from("write ignore, repair or error")),
            })?,
            narrow_phase: fields.parsed("narrow_phase", |text| match text {
                "extricate" => Ok(NarrowPhase::Extricate),
                "rapier" => Ok(NarrowPhase::Rapier),
                _ => Err(String::from("write extricate or rapier")),
            })?,
        })
    }

    /// The summary of the run, which is recorded in a folder of its own; nothing where it was stopped.
    pub(super) fn answer(&self, bench: &Bench, head: Head) -> Result<Option<Told>, Fault> {
        let mut scene = Scene::clone(&*scene(bench, &self.scene)?);
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
        let folder = folder_of_run(&bench.runs, head.index, head.id);
        let directory = RunDirectory::create(&folder).map_err(|error| Fault::of(Class::Usage, &error))?;
        let mut watch = |_: &_| match bench.stop.load(Ordering::SeqCst) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let (outcome, time) = timed(|| record::run(&scene, world, &options, Some(directory), &mut watch));
        let Outcome { summary, stopped, .. } = outcome.map_err(|error| match error {
            error @ RecordError::File { .. } => Fault::of(Class::Usage, &error),
            RecordError::Build(error) => Fault::of(Class::BadFile, &error),
            other => Fault::of(Class::Numerical, &other),
        })?;
        Ok((!stopped).then(|| head.told(&summary, time)))
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
