//! Separation of the bodies of a scene by translations.

use std::collections::BTreeMap;
use std::fmt;

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::Serialize;

use super::fault::{Class, Fault};
use super::repair_text::SceneReport;
use super::reply::{RepairStatus, Reply, not_free};
use super::table::Table;
use super::text::number;
use crate::scene::Scene;
use extricate_core::penetration::{Effort, SeparationOptions};
use extricate_dynamics::{BodyPenetration, BodySeparation, BuildError, Mobility, World};

/// Separation of the bodies of a scene.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["repaired", "already-free", "not-found"]))]
pub struct BodiesRepair {
    /// Success.
    #[serde(skip)]
    pub status: RepairStatus,
    /// Reason why the result is not accepted as free, if it is not.
    #[serde(skip)]
    pub refusal: Option<String>,
    /// Name of the scene: its file without folder and extension.
    pub scene: String,
    /// Translations of the bodies that move, by name \[m\].
    pub change: BTreeMap<String, [f64; 3]>,
    /// Sum of the lengths of the translations \[m\].
    #[schemars(range(min = 0.0))]
    pub depth: f64,
    /// Minimum distance of two bodies of which at least one may move \[m\]; null where there is no such pair.
    pub clearance: Option<f64>,
    /// Whether an independent measurement found no overlaps in the repaired scene.
    pub verified_free: bool,
    /// Pairs that overlap in the scene.
    pub overlaps_before: usize,
    /// Pairs that overlap in the repaired scene.
    pub overlaps_after: Vec<[String; 2]>,
    /// Number of rounds of pair queries and motions.
    pub rounds: u32,
    /// Number of pair queries.
    pub queries: u64,
    /// Facts for the text output.
    #[serde(skip)]
    pub report: SceneReport,
}

/// Separates the bodies with a clearance \[m\], or with the default one; where that fails, returns the best placement found and the reason why it is not accepted.
pub(super) fn separated(
    world: &World,
    mobility: &Mobility,
    options: &SeparationOptions,
    clearance: Option<f64>,
) -> Result<(BodySeparation, Option<String>), Fault> {
    let found = match clearance {
        Some(clearance) => world.separate(mobility, &SeparationOptions { clearance, ..*options }),
        None => world.separate_clearly(mobility, options),
    };
    match found {
        Ok(found) => Ok((found, None)),
        Err(error) => {
            let message = error.to_string();
            Ok((best_effort(error)?, Some(message)))
        }
    }
}

/// The best placement of a failed separation, or the fault where there is none.
fn best_effort(error: BuildError) -> Result<BodySeparation, Fault> {
    match error {
        BuildError::NotSeparated { best, .. } | BuildError::TooFar { best, .. } => Ok(*best),
        BuildError::Pair { .. } => Err(Fault::of(Class::Numerical, &error)),
        _ => Err(Fault::of(Class::Usage, &error)),
    }
}

/// The scene with its bodies separated, for a run.
pub(crate) fn moved_apart(scene: Scene, world: &World) -> Result<Scene, Fault> {
    let options = SeparationOptions { effort: Effort::Best, ..SeparationOptions::default() };
    let found = world.separate_clearly(&Mobility::default(), &options).map_err(|error| match error {
        BuildError::Pair { .. } => Fault::of(Class::Numerical, &error),
        _ => Fault::of(Class::NoFreePose, &error),
    })?;
    Ok(scene.moved(&found.moved))
}

impl BodiesRepair {
    /// The response to a separation, with the overlaps before and after it.
    pub(super) fn new(
        scene: &Scene,
        found: &BodySeparation,
        [before, after]: [&[BodyPenetration]; 2],
        refusal: Option<String>,
    ) -> Self {
        let status = match (refusal.is_none() && after.is_empty(), found.moved.is_empty()) {
            (false, _) => RepairStatus::NotFound,
            (true, true) => RepairStatus::AlreadyFree,
            (true, false) => RepairStatus::Repaired,
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
            report: SceneReport::new([before, after], Vec::new()),
        }
    }
}

impl Reply for BodiesRepair {
    fn status(&self) -> &'static str {
        self.status.name()
    }

    fn shortfall(&self) -> Option<Fault> {
        not_free(self.status, self.refusal.as_deref(), &self.overlaps_after)
    }
}

impl fmt::Display for BodiesRepair {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let moved = format!("{} bodies by {} m in sum", self.change.len(), number(self.depth));
        let head = (self.scene.as_str(), self.status);
        self.report.facts(f, head, self.overlaps_before, &[("moved", moved)], self.clearance)?;
        if self.change.is_empty() {
            return Ok(());
        }
        let lengths = self.change.iter().map(|(name, by)| (name, by, Vector3::from(*by).norm()));
        let mut moves = lengths.collect::<Vec<_>>();
        moves.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(b.0)));
        let mut table = Table::default();
        table.row("body", ["moved [m]", "x", "y", "z"].map(String::from));
        for (name, by, length) in moves {
            table.row(name, [length, by[0], by[1], by[2]].map(number));
        }
        write!(f, "\n{table}")
    }
}
