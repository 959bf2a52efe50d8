//! The bodies of a scene, moved apart without being turned.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Reply, Status};
use crate::batch::fault::{Class, Fault};
use crate::scene::Scene;
use extricate_core::penetration::{Effort, SeparationOptions};
use extricate_dynamics::{BodyPenetration, BodySeparation, BuildError, Mobility, World};

/// What a separation came to.
#[derive(Debug, Serialize)]
pub struct Answer {
    #[serde(skip)]
    pub status: Status,
    /// Why it does not count as free, if it does not.
    #[serde(skip)]
    pub refusal: Option<String>,
    pub scene: String,
    /// Translations by name [m].
    pub change: BTreeMap<String, [f64; 3]>,
    /// Sum of their lengths [m].
    pub depth: f64,
    /// Least distance of two bodies [m]; null where there is one only, or where not known.
    pub clearance: Option<f64>,
    pub verified_free: bool,
    pub(crate) overlaps_before: usize,
    pub(crate) overlaps_after: Vec<[String; 2]>,
    pub(crate) rounds: u32,
    pub(crate) queries: u64,
}

/// The bodies moved apart; where that was not possible, the best arrangement and why it does not count.
pub fn separated(
    world: &World,
    mobility: &Mobility,
    options: &SeparationOptions,
) -> Result<(BodySeparation, Option<String>), Fault> {
    match world.separate(mobility, options) {
        Ok(found) => Ok((found, None)),
        Err(error) => {
            let message = error.to_string();
            Ok((best_effort(error)?, Some(message)))
        }
    }
}

/// The best arrangement found, where a separation failed for want of one.
fn best_effort(error: BuildError) -> Result<BodySeparation, Fault> {
    match error {
        BuildError::NotSeparated { best, .. } | BuildError::TooFar { best, .. } => Ok(*best),
        BuildError::Pair { .. } => Err(Fault::of(Class::Numerical, &error)),
        _ => Err(Fault::of(Class::Usage, &error)),
    }
}

/// The scene with its bodies moved apart, for a run.
pub(crate) fn moved_apart(scene: Scene, world: &World) -> Result<Scene, Fault> {
    let options = SeparationOptions { effort: Effort::Best, ..SeparationOptions::default() };
    let found = world.separate(&Mobility::default(), &options).map_err(|error| match error {
        BuildError::Pair { .. } => Fault::of(Class::Numerical, &error),
        _ => Fault::of(Class::NoFreePose, &error),
    })?;
    Ok(scene.moved(&found.moved))
}

impl Answer {
    /// What moved, with the overlaps before and after.
    pub fn new(
        scene: &Scene,
        found: &BodySeparation,
        [before, after]: [&[BodyPenetration]; 2],
        refusal: Option<String>,
    ) -> Self {
        let status = match (refusal.is_none() && after.is_empty(), found.moved.is_empty()) {
            (false, _) => Status::NotFound,
            (true, true) => Status::AlreadyFree,
            (true, false) => Status::Repaired,
        };
        Self {
            status,
            refusal,
            scene: scene.name(),
            change: found.moved.iter().map(|(name, by)| (name.clone(), (*by).into())).collect(),
            depth: found.total_displacement,
            clearance: Some(found.clearance).filter(|clearance| clearance.is_finite()),
            verified_free: after.is_empty(),
            overlaps_before: before.len(),
            overlaps_after: after.iter().map(|pair| pair.bodies.clone()).collect(),
            rounds: found.rounds,
            queries: found.queries,
        }
    }
}

impl Reply for Answer {
    fn status(&self) -> &'static str {
        self.status.name()
    }

    fn shortfall(&self) -> Option<Fault> {
        super::not_free(self.status, self.refusal.as_deref(), &self.overlaps_after)
    }
}
