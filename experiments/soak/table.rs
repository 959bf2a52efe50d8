//! Statistics of a soak by kind of content.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::generator::Kind;
use super::trial::Trial;

/// Results of the scenes of a kind.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Row {
    pub(crate) kind: &'static str,
    pub(crate) scenes: usize,
    pub(crate) steps: u64,
    /// Simulated time in units of time.
    pub(crate) time: f64,
    /// Deepest overlap of a recorded state after the start, over the size of the smaller body.
    pub(crate) worst_penetration: f64,
    /// Half of the scenes end with less, and all.
    pub(crate) median_final_penetration: f64,
    pub(crate) final_penetration: f64,
    /// Maximum gain of energy over what the scene could turn into motion.
    pub(crate) energy_gain: f64,
    /// Maximum speed in units of length per unit of time.
    pub(crate) speed: f64,
    /// Scenes that ended with a documented error.
    pub(crate) refused: usize,
    pub(crate) failed: usize,
}

/// A scene that failed.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Failed {
    pub(crate) scene: u64,
    pub(crate) why: Vec<String>,
}

/// All statistics; the same for every number of threads.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Statistics {
    pub(crate) seed: u64,
    pub(crate) rows: Vec<Row>,
    /// Documented errors, by kind.
    pub(crate) refused: BTreeMap<String, usize>,
    pub(crate) failed: Vec<Failed>,
    /// Scenes that were run a second time with another number of threads.
    pub(crate) repeated: usize,
    /// Over the hashes of all last states.
    pub(crate) hash: String,
}

impl Statistics {
    /// Of trials in the order of their scenes.
    pub(crate) fn of(seed: u64, trials: &[Trial], repeated: usize) -> Self {
        let kinds: BTreeSet<Kind> = trials.iter().flat_map(|trial| trial.kinds.iter().copied()).collect();
        let rows = kinds.into_iter().map(|kind| {
            let of_kind: Vec<&Trial> = trials.iter().filter(|trial| trial.kinds.contains(&kind)).collect();
            Row::of(kind, &of_kind)
        });
        let mut refused = BTreeMap::new();
        for why in trials.iter().filter_map(|trial| trial.refused.clone()) {
            *refused.entry(why).or_default() += 1;
        }
        let failed = trials.iter().filter(|trial| !trial.failures.is_empty());
        let failed = failed.map(|trial| Failed { scene: trial.index, why: trial.failures.clone() });
        let hash = trials.iter().fold(0_u64, |hash, trial| {
            (hash ^ trial.hash).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17)
        });
        Self {
            seed,
            rows: rows.collect(),
            refused,
            failed: failed.collect(),
            repeated,
            hash: format!("{hash:016x}"),
        }
    }

    /// As people read it.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{:32} {:>6} {:>8} {:>8} {:>10} {:>10} {:>10} {:>10} {:>8} {:>7} {:>6}",
            "kind",
            "scenes",
            "steps",
            "time",
            "worst pen",
            "median end",
            "worst end",
            "gain",
            "speed",
            "refused",
            "failed"
        )];
        lines.extend(self.rows.iter().map(Row::line));
        lines.extend(
            self.refused.iter().map(|(why, count)| format!("refused, as documented: {count} × {why}")),
        );
        lines.extend(
            self.failed.iter().map(|failed| format!("FAILED {}: {}", failed.scene, failed.why.join("; "))),
        );
        lines.push(format!("run again with another number of threads: {}", self.repeated));
        lines.push(format!("hash of all: {}", self.hash));
        lines
    }
}

impl Row {
    fn of(kind: Kind, trials: &[&Trial]) -> Self {
        let most = |of: fn(&Trial) -> f64| trials.iter().map(|trial| of(trial)).fold(0.0, f64::max);
        let mut ends: Vec<f64> = trials.iter().map(|trial| trial.final_penetration).collect();
        ends.sort_by(f64::total_cmp);
        Self {
            kind: kind.name(),
            scenes: trials.len(),
            steps: trials.iter().map(|trial| trial.steps).sum(),
            time: trials.iter().map(|trial| trial.time).sum(),
            worst_penetration: most(|trial| trial.worst_penetration),
            median_final_penetration: ends[ends.len() / 2],
            final_penetration: most(|trial| trial.final_penetration),
            energy_gain: most(|trial| trial.energy_gain),
            speed: most(|trial| trial.speed),
            refused: trials.iter().filter(|trial| trial.refused.is_some()).count(),
            failed: trials.iter().filter(|trial| !trial.failures.is_empty()).count(),
        }
    }

    fn line(&self) -> String {
        format!(
            "{:32} {:>6} {:>8} {:>8.1} {:>10.2e} {:>10.2e} {:>10.2e} {:>10.2e} {:>8.1} {:>7} {:>6}",
            self.kind,
            self.scenes,
            self.steps,
            self.time,
            self.worst_penetration,
            self.median_final_penetration,
            self.final_penetration,
            self.energy_gain,
            self.speed,
            self.refused,
            self.failed
        )
    }
}
