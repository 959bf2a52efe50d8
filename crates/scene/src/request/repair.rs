//! Repairs of scenes: bodies moved apart, or bodies and robots put where nothing overlaps.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::bodies_repair::{self, BodiesRepair};
use super::fault::Fault;
use super::fields::{length, optional_length};
use super::overlaps::{all_measured, build, measured, not_moved};
use super::response::Response;
use super::scene_repair::{self, SceneRepairResponse};
use super::text::EffortArgument;
use crate::repair::{Freedom, RepairOptions};
use crate::scene::{Scene, ScenePoses};
use extricate_core::penetration::SeparationOptions;
use extricate_dynamics::Mobility;

/// Fields of all repairs.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct RepairFields {
    /// How much work to do.
    #[cfg_attr(feature = "clap", arg(long, value_name = "EFFORT", default_value = "best"))]
    pub effort: EffortArgument,
    /// Distance that everything shall keep [m].
    #[serde(deserialize_with = "length")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "D", default_value_t = 0.0))]
    #[cfg_attr(feature = "clap", arg(value_parser = not_negative, allow_negative_numbers = true))]
    pub clearance: f64,
    /// Distance that nothing may be moved beyond [m]; exit code 6 where something would have to.
    #[serde(deserialize_with = "optional_length")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "D"))]
    #[cfg_attr(feature = "clap", arg(value_parser = not_negative, allow_negative_numbers = true))]
    pub max_move: Option<f64>,
    /// What stays where it is: a body, a joint, a link, a base; may be given several times.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub fix: Vec<String>,
    /// How dear the motion of a body, joint, link or base is, 1 for all others; may be given several times.
    #[serde(deserialize_with = "weights")]
    #[schemars(with = "BTreeMap<String, f64>")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME=W", value_parser = weight))]
    pub weight: Vec<(String, f64)>,
}

fn weights<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, f64)>, D::Error> {
    Ok(BTreeMap::deserialize(deserializer)?.into_iter().collect())
}

#[cfg(feature = "clap")]
fn not_negative(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| *value >= 0.0 && value.is_finite());
    value.ok_or_else(|| String::from("a number of metres, not below zero, is needed"))
}

#[cfg(feature = "clap")]
fn weight(text: &str) -> Result<(String, f64), String> {
    // A name may hold an equals sign, a number does not.
    let parts = text.rsplit_once('=').and_then(|(name, number)| Some((name, number.parse::<f64>().ok()?)));
    let sound = parts.filter(|(_, value)| *value > 0.0 && value.is_finite());
    let named = sound.map(|(name, value)| (name.to_owned(), value));
    named.ok_or_else(|| String::from("NAME=W with a number W above zero is needed"))
}

/// Question for the nearest poses of a scene at which nothing overlaps.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneRepairRequest {
    /// Whether bodies may rotate, too; so they do in scenes with robots.
    pub turn: bool,
    /// Fields of all repairs.
    pub fields: RepairFields,
}

/// Changes of a scene.
#[derive(Debug, Clone, Copy)]
pub enum Rearrangement<'a> {
    /// Translations of bodies by name.
    Moved(&'a BTreeMap<String, nalgebra::Vector3<f64>>),
    /// Poses of bodies and robots.
    Posed(&'a ScenePoses),
}

impl RepairFields {
    pub(super) fn freedom(&self) -> Freedom {
        Freedom { fixed: self.fix.iter().cloned().collect(), weights: self.weight.iter().cloned().collect() }
    }

    pub(super) fn options(&self, parallel: bool) -> RepairOptions {
        let Self { effort, clearance, max_move, .. } = *self;
        RepairOptions { effort: effort.into(), clearance, max_move, parallel, ..RepairOptions::default() }
    }
}

impl SceneRepairRequest {
    /// Repairs a scene; `remake` makes the repaired scene, of which overlaps are measured afresh.
    ///
    /// # Errors
    /// A [`Fault`] where the scene has no world or a computation fails, and errors of `remake`.
    pub fn repair<E: From<Fault>>(
        &self,
        scene: &Scene,
        parallel: bool,
        remake: impl FnOnce(&Scene, Rearrangement) -> Result<Scene, E>,
    ) -> Result<Response, E> {
        let world = build(scene)?;
        let before = all_measured(&world)?;
        if self.turn || !scene.robots.is_empty() {
            let (rigid, options) = (measured(&world)?, self.fields.options(parallel));
            let mut found = scene_repair::search((scene, &world), &rigid, &self.fields.freedom(), &options)?;
            let repaired = build(&remake(scene, Rearrangement::Posed(&found.poses))?)?;
            let after = all_measured(&repaired)?;
            found.refusal = found.refusal.or_else(|| not_moved(&repaired));
            let response = SceneRepairResponse::new(scene, found, [&before, &after]);
            return Ok(Response::SceneRepair(Box::new(response)));
        }
        let Freedom { fixed, weights } = self.fields.freedom();
        let options = SeparationOptions {
            effort: self.fields.effort.into(),
            clearance: self.fields.clearance,
            max_move: self.fields.max_move,
            ..SeparationOptions::default()
        };
        let (found, refusal) = bodies_repair::separated(&world, &Mobility { fixed, weights }, &options)?;
        let repaired = build(&remake(scene, Rearrangement::Moved(&found.moved))?)?;
        let after = all_measured(&repaired)?;
        let refusal = refusal.or_else(|| not_moved(&repaired));
        Ok(Response::BodiesRepair(BodiesRepair::new(scene, &found, [&before, &after], refusal)))
    }
}
