//! Repairs of a sketch: at once, or as a job for another thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Posture, Sketch};
use crate::repair::ensemble::in_search;
use crate::repair::{Collision, Ensemble, Repair, RepairError, RepairOptions};
use extricate_core::penetration::generalized::{Part, Pose};

/// Job that computes a repair, on any thread.
#[derive(Debug, Clone)]
pub struct RepairJob {
    ensemble: Arc<Ensemble>,
    before: Posture,
    revision: u64,
    options: RepairOptions,
    budget: Option<Duration>,
}

/// Result of a repair of a sketch.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The change: σ, its parts by joint, body and base, and whether it was verified free.
    pub repair: Repair,
    /// Pairs that collided before.
    pub collisions: Vec<Collision>,
    /// Posture before.
    pub before: Posture,
    /// Posture after.
    pub after: Posture,
    /// Time of the computation.
    pub time: Duration,
    revision: u64,
}

impl RepairJob {
    /// Searches for the nearest poses without overlaps; `None` where the current ones are such. Bodies without collisions are
    /// fixed, unless no solution is found without them. When `stop` returns true, or the
    /// time budget is spent, the best poses found so far are the result.
    ///
    /// # Errors
    /// [`RepairError`]: where no free pose was found, with the best effort and the pairs that still collide.
    pub fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Option<Repaired>, RepairError> {
        let started = Instant::now();
        let is_enough = || stop() || self.budget.is_some_and(|budget| started.elapsed() >= budget);
        let Self { ensemble, before, options, .. } = self;
        let still = undisturbed((ensemble, options), &before.poses, None)?;
        let found = match with_fixed(ensemble, &still) {
            None => ensemble.repair_until(&before.poses, options, &[], &is_enough),
            Some(few) => match few.repair_until(&before.poses, options, &[], &is_enough) {
                // Without time left a failure is final; otherwise moving the other bodies may help.
                Err(RepairError::NotFound { .. }) if !is_enough() => {
                    ensemble.repair_until(&before.poses, options, &[], &is_enough)
                }
                found => found,
            },
        };
        let Some(repair) = found? else { return Ok(None) };
        let after = Posture { poses: repair.poses.clone(), obstacles: before.obstacles.clone() };
        let collisions = ensemble.colliding(&before.poses)?;
        let (before, revision) = (before.clone(), self.revision);
        Ok(Some(Repaired { repair, collisions, before, after, time: started.elapsed(), revision }))
    }
}

/// Actors that need not move: bodies without collisions that are at their `last` poses, if these are
/// given. None where a clearance is requested, which concerns more than the colliding pairs.
pub(super) fn undisturbed(
    (ensemble, options): (&Ensemble, &RepairOptions),
    poses: &[Pose],
    last: Option<&[Pose]>,
) -> Result<Vec<usize>, RepairError> {
    if options.clearance.is_some_and(|clearance| clearance > 0.0) {
        return Ok(Vec::new());
    }
    let collision_world = ensemble.collision_world();
    let mut still: Vec<bool> = collision_world
        .movables()
        .iter()
        .enumerate()
        .map(|(at, movable)| {
            movable.articulation().coordinates().is_empty() && last.is_none_or(|last| last[at] == poses[at])
        })
        .collect();
    for pair in collision_world.colliding(poses).map_err(in_search)? {
        for part in pair.parts {
            if let Part::Link { movable, .. } = part {
                still[movable] = false;
            }
        }
    }
    Ok((0..still.len()).filter(|&at| still[at]).collect())
}

/// The same ensemble with some actors fixed; none where the list is empty.
pub(super) fn with_fixed(ensemble: &Ensemble, still: &[usize]) -> Option<Ensemble> {
    (!still.is_empty()).then(|| {
        let mut few = ensemble.clone();
        few.fix_bases(still);
        few
    })
}

impl Sketch {
    /// Moves everything to the nearest poses without overlaps, as one undo step; `None` where nothing collides and
    /// all joints are within their limits.
    ///
    /// # Errors
    /// [`RepairError`]: where no free pose was found, with the best effort and the pairs that still collide; nothing is
    /// changed then.
    pub fn repair(&mut self) -> Result<Option<Repaired>, RepairError> {
        let found = self.repair_job().run(&|| false)?;
        if let Some(repaired) = &found {
            self.accept(repaired);
        }
        Ok(found)
    }

    /// The repair of the current posture, for another thread; its result is to be given to [`Sketch::accept`].
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

    /// Accepts a repair, as one undo step. Refused, with `false`, where the sketch has changed since the job was
    /// created.
    pub fn accept(&mut self, repaired: &Repaired) -> bool {
        let is_current = repaired.revision == self.revision;
        if is_current {
            self.history.end_group();
            self.change(repaired.after.clone(), None);
            self.free = Some(repaired.after.poses.clone());
        }
        is_current
    }
}
