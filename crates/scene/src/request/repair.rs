//! Repair of scenes: separation of bodies by translations, or search for free poses of bodies and robots.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::bodies_repair::{self, BodiesRepair};
use super::fault::Fault;
use super::fields::optional_length;
use super::overlaps::{all_measured, build, soft_overlap_message};
use super::response::Response;
use super::scene_repair::{self, Demands, SceneRepairResponse};
use super::text::EffortArgument;
use crate::repair::{Attachment, Freedom, Keep, RepairOptions};
use crate::scene::{Scene, ScenePoses};
use extricate_core::penetration::SeparationOptions;
use extricate_dynamics::{JointKind, Mobility};

/// Fields of all repairs.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct RepairFields {
    /// Computational effort.
    #[cfg_attr(feature = "clap", arg(long, value_name = "EFFORT", default_value = "best"))]
    pub effort: EffortArgument,
    /// Minimum clearance after the repair \[m\] [default: 1e-4 of the size of the largest moving part, at least 1e-5, unless
    /// nothing collides or there is no room for it].
    #[serde(deserialize_with = "optional_length")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "D"))]
    #[cfg_attr(feature = "clap", arg(value_parser = not_negative, allow_negative_numbers = true))]
    pub clearance: Option<f64>,
    /// Maximum distance that anything may be moved \[m\]; exit code 6 where that is not enough.
    #[serde(deserialize_with = "optional_length")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "D"))]
    #[cfg_attr(feature = "clap", arg(value_parser = not_negative, allow_negative_numbers = true))]
    pub max_move: Option<f64>,
    /// Return the best result found within S seconds; such a result depends on the machine and is not reproducible. Not for
    /// bodies that are only translated.
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", value_parser = super::text::seconds))]
    #[serde(skip)]
    pub time_budget: Option<Duration>,
    /// Body, joint, link or base that must not move; may be given several times.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub fix: Vec<String>,
    /// Weight of the motion of a body, joint, link or base, 1 for all others; may be given several times.
    #[serde(deserialize_with = "weights")]
    #[schemars(with = "BTreeMap<String, f64>")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME=W", value_parser = weight))]
    pub weight: Vec<(String, f64)>,
    /// Property that a link or body keeps: `position:NAME`, `pose:NAME`, `direction:NAME,AXIS` (x, y, z or X,Y,Z of its frame), `foot:NAME` (its
    /// height and inclination), or `com:FOOT,FOOT` (the centre of mass over the support polygon of these feet); may be given several times.
    #[serde(deserialize_with = "keeps")]
    #[schemars(with = "Vec<String>")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT:NAME"))]
    pub keep: Vec<Keep>,
    /// Object that moves with a link or body: `LINK=BODY` in a scene, `LINK=SHAPE@X,Y,Z` for a robot alone, with the pose in the frame of the
    /// link; may be given several times. It may touch the link, those fixed to it, and those that it carries.
    #[serde(deserialize_with = "attachments")]
    #[schemars(with = "Vec<String>")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "LINK=OBJECT"))]
    pub attach: Vec<Attachment>,
}

fn attachments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Attachment>, D::Error> {
    let texts: Vec<String> = Vec::deserialize(deserializer)?;
    texts.iter().map(|text| text.parse().map_err(D::Error::custom)).collect()
}

fn keeps<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Keep>, D::Error> {
    let texts: Vec<String> = Vec::deserialize(deserializer)?;
    texts.iter().map(|text| text.parse().map_err(D::Error::custom)).collect()
}

fn weights<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, f64)>, D::Error> {
    Ok(BTreeMap::deserialize(deserializer)?.into_iter().collect())
}

#[cfg(feature = "clap")]
fn not_negative(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| *value >= 0.0 && value.is_finite());
    value.ok_or_else(|| String::from("expected a distance in metres, zero or above"))
}

#[cfg(feature = "clap")]
fn weight(text: &str) -> Result<(String, f64), String> {
    // Split at the last equals sign: a name may contain one, a number cannot.
    let parts = text.rsplit_once('=').and_then(|(name, number)| Some((name, number.parse::<f64>().ok()?)));
    let valid = parts.filter(|(_, value)| *value > 0.0 && value.is_finite());
    let named = valid.map(|(name, value)| (name.to_owned(), value));
    named.ok_or_else(|| String::from("expected NAME=W with a number W above zero"))
}

/// Request for the nearest collision-free poses of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneRepairRequest {
    /// Whether bodies may rotate as well; in scenes with robots, with joints that are not fixed, or where soft bodies overlap, they always may.
    pub rotate: bool,
    /// Fields of all repairs.
    pub fields: RepairFields,
}

/// Changes of a scene.
#[derive(Debug, Clone, Copy)]
pub enum SceneChange<'a> {
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
        let Self { effort, clearance, max_move, time_budget, .. } = *self;
        let effort = effort.into();
        RepairOptions { effort, clearance, max_move, time_budget, parallel, ..RepairOptions::default() }
    }
}

/// Whether a scene has bodies that joints let move against each other, so that they are repaired as articulations.
pub(super) fn has_moving_joints(scene: &Scene) -> bool {
    scene.joints.iter().any(|joint| joint.kind != JointKind::Fixed)
}

impl SceneRepairRequest {
    /// Repairs a scene; `remake` builds the repaired scene, in which overlaps are measured independently.
    ///
    /// # Errors
    /// A [`Fault`] where the scene has no world or a computation fails, and errors of `remake`.
    pub fn repair<E: From<Fault>>(
        &self,
        scene: &Scene,
        parallel: bool,
        remake: impl FnOnce(&Scene, SceneChange) -> Result<Scene, E>,
    ) -> Result<Response, E> {
        let world = build(scene)?;
        let before = all_measured(&world)?;
        let RepairFields { keep, attach, .. } = &self.fields;
        let has_constraints = !keep.is_empty() || !attach.is_empty();
        let is_soft = soft_overlap_message(&world).is_some();
        let is_general = self.rotate || has_constraints || is_soft || !scene.robots.is_empty();
        if is_general || has_moving_joints(scene) {
            let options = self.fields.options(parallel);
            let freedom = self.fields.freedom();
            let demands = Demands { freedom: &freedom, keeps: keep, attachments: attach };
            let mut found = scene_repair::search((scene, &world), &before, demands, &options)?;
            let repaired = build(&remake(scene, SceneChange::Posed(&found.poses))?)?;
            let [before, after] =
                [before, all_measured(&repaired)?].map(|pairs| found.without_touching(pairs));
            found.refusal = found.refusal.or_else(|| soft_overlap_message(&repaired));
            let response = SceneRepairResponse::new(scene, found, [&before, &after]);
            return Ok(Response::SceneRepair(Box::new(response)));
        }
        let Freedom { fixed, weights } = self.fields.freedom();
        let options = SeparationOptions {
            effort: self.fields.effort.into(),
            max_move: self.fields.max_move,
            ..SeparationOptions::default()
        };
        let (mobility, clearance) = (Mobility { fixed, weights }, self.fields.clearance);
        let (found, refusal) = bodies_repair::separated(&world, &mobility, &options, clearance)?;
        let repaired = build(&remake(scene, SceneChange::Moved(&found.moved))?)?;
        let after = all_measured(&repaired)?;
        let refusal = refusal.or_else(|| soft_overlap_message(&repaired));
        Ok(Response::BodiesRepair(BodiesRepair::new(scene, &found, [&before, &after], refusal)))
    }
}
