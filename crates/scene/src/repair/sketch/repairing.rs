//! Repairs of a sketch: at once, or as a job for another thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Posture, Sketch};
use crate::repair::ensemble::in_search;
use crate::repair::{Collision, Ensemble, Repair, RepairError, RepairOptions};
use extricate_core::penetration::generalized::{Part, Pose};

/// A repair that is to be made, wherever there is time for it.
#[derive(Debug, Clone)]
pub struct RepairJob {
    ensemble: Arc<Ensemble>,
    before: Posture,
    revision: u64,
    options: RepairOptions,
    budget: Option<Duration>,
}

/// What a repair came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The change: σ, its parts by joint, body and base, and whether it was verified free.
    pub repair: Repair,
    /// What collided before.
    pub collisions: Vec<Collision>,
    /// Where everything was before.
    pub before: Posture,
    /// Where everything is after it.
    pub after: Posture,
    /// How long it took.
    pub time: Duration,
    revision: u64,
}

impl RepairJob {
    /// Looks for the nearest poses without overlaps; `None` where these are. Bodies that collide with nothing stay where
    /// they are, unless no answer is found without them. When `stop` says that it is enough, or the
    /// time is over, the best that was found so far is the answer.
    ///
    /// # Errors
    /// [`RepairError`]: where no free pose was found, with the best effort and what still collides.
    pub fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Option<Repaired>, RepairError> {
        let started = Instant::now();
        let is_enough = || stop() || self.budget.is_some_and(|budget| started.elapsed() >= budget);
        let Self { ensemble, before, options, .. } = self;
        let still = standing((ensemble, options), &before.poses, None)?;
        let found = match without(ensemble, &still) {
            None => ensemble.repair_until(&before.poses, options, &[], &is_enough),
            Some(few) => match few.repair_until(&before.poses, options, &[], &is_enough) {
                Err(RepairError::NotFound { .. }) if !is_enough() => {
                    ensemble.repair_until(&before.poses, options, &[], &is_enough)
                }
                found => found,
            },
        };
        let Some(repair) = found? else { return Ok(None) };
        let after = Posture { poses: repair.poses.clone(), props: before.props.clone() };
        let collisions = ensemble.colliding(&before.poses)?;
        let (before, revision) = (before.clone(), self.revision);
        Ok(Some(Repaired { repair, collisions, before, after, time: started.elapsed(), revision }))
    }
}

/// The actors that are bodies without a reason to move: they collide with nothing, and are where they were, if that is
/// known. None where a clearance is asked for, which takes more than what collides.
pub(super) fn standing(
    (ensemble, options): (&Ensemble, &RepairOptions),
    poses: &[Pose],
    last: Option<&[Pose]>,
) -> Result<Vec<usize>, RepairError> {
    if options.clearance > 0.0 {
        return Ok(Vec::new());
    }
    let arrangement = ensemble.arrangement();
    let mut stands: Vec<bool> = arrangement
        .movers()
        .iter()
        .enumerate()
        .map(|(at, mover)| {
            mover.articulation().coordinates().is_empty() && last.is_none_or(|last| last[at] == poses[at])
        })
        .collect();
    for pair in arrangement.colliding(poses).map_err(in_search)? {
        for part in pair.parts {
            if let Part::Link { mover, .. } = part {
                stands[mover] = false;
            }
        }
    }
    Ok((0..stands.len()).filter(|&at| stands[at]).collect())
}

/// The same ensemble where some actors stand still; none where there are none of these.
pub(super) fn without(ensemble: &Ensemble, still: &[usize]) -> Option<Ensemble> {
    (!still.is_empty()).then(|| {
        let mut few = ensemble.clone();
        few.hold(still);
        few
    })
}

impl Sketch {
    /// Puts everything into the nearest poses without overlaps, as one step to be undone; `None` where nothing collides and
    /// all limits are kept.
    ///
    /// # Errors
    /// [`RepairError`]: where no free pose was found, with the best effort and what still collides; nothing is
    /// changed then.
    pub fn repair(&mut self) -> Result<Option<Repaired>, RepairError> {
        let found = self.repair_job().run(&|| false)?;
        if let Some(repaired) = &found {
            self.accept(repaired);
        }
        Ok(found)
    }

    /// The repair of what is sketched now, for another thread; its answer is to be given to [`Sketch::accept`].
    #[must_use]
    pub fn repair_job(&self) -> RepairJob {
        RepairJob {
            ensemble: Arc::clone(&self.ensemble),
            before: self.posture.clone(),
            revision: self.revision,
            options: self.options.repair.clone(),
            budget: self.options.time_budget,
        }
    }

    /// Takes over a repair, as one step to be undone. Refused, with `false`, where the sketch has been changed since it
    /// was asked for.
    pub fn accept(&mut self, repaired: &Repaired) -> bool {
        let is_current = repaired.revision == self.revision;
        if is_current {
            self.history.release();
            self.change(repaired.after.clone(), None);
            self.free = Some(repaired.after.poses.clone());
        }
        is_current
    }
}
