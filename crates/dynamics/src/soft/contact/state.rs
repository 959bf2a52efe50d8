//! The state of the contacts of a system of soft bodies.
//!
//! Candidates are determined by the positions at which they were computed: restoring computes them there again. The clearances of
//! nodes from obstacles only spare queries, and are computed anew.

use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

use super::active_set::ActiveSet;
use super::body::Body;
use super::cell::Depths;
use super::contacts::SoftContact;
use super::detect::Clearance;
use super::folds::Folds;
use super::following::{FollowingField, FollowingState};
use super::initial::InitialOverlaps;
use super::obstacle::Motion;
use super::search::SearchState;
use super::slips::Slips;
use crate::stateful::{Mismatch, Stateful, fits};

/// The state of the contacts of a system of soft bodies.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ContactState {
    search: SearchState,
    active_set: ActiveSet,
    slips: Slips,
    initial: Option<InitialOverlaps>,
    folds: Folds,
    /// Pose and motion of each obstacle.
    obstacles: Vec<(Isometry3<f64>, Motion)>,
    /// Fields that follow their bodies, with the depths taken from them.
    following: Vec<Option<(FollowingState, Vec<Depths>)>>,
}

impl Stateful for SoftContact {
    type State = ContactState;

    fn snapshot(&self) -> ContactState {
        let of = |(field, body): (&Option<FollowingField>, &Body)| {
            field.as_ref().map(|field| (field.snapshot(), body.depths.clone()))
        };
        let following = self.following.iter().zip(&self.bodies).map(of);
        ContactState {
            search: self.candidates.snapshot(),
            active_set: self.active_set.clone(),
            slips: self.slips.clone(),
            initial: self.initial.clone(),
            folds: self.folds.clone(),
            obstacles: self.obstacles.iter().map(|obstacle| (obstacle.pose, obstacle.motion)).collect(),
            following: following.collect(),
        }
    }

    fn restore(&mut self, state: ContactState) -> Result<(), Mismatch> {
        let ContactState { search, active_set, slips, initial, folds, obstacles, following } = state;
        fits(obstacles.len() == self.obstacles.len() && search.fits(&self.bodies))?;
        for (obstacle, (pose, motion)) in self.obstacles.iter_mut().zip(obstacles) {
            (obstacle.pose, obstacle.motion) = (pose, motion);
        }
        self.restore_fields(following)?;
        self.clearances.iter_mut().for_each(|clear| clear.fill(Clearance::UNKNOWN));
        self.candidates.restore(search, &mut self.bodies, &self.options);
        (self.active_set, self.slips, self.initial, self.folds) = (active_set, slips, initial, folds);
        self.detected_at.clear();
        Ok(())
    }
}

impl SoftContact {
    /// Restores the fields that follow their bodies, and the depths taken from them.
    fn restore_fields(&mut self, states: Vec<Option<(FollowingState, Vec<Depths>)>>) -> Result<(), Mismatch> {
        fits(states.len() == self.bodies.len())?;
        for ((body, field), state) in self.bodies.iter_mut().zip(&mut self.following).zip(states) {
            match (field, state) {
                (Some(field), Some((state, depths))) if depths.len() == body.depths.len() => {
                    field.restore(state).ok_or(Mismatch)?;
                    body.depths = depths;
                }
                (None, None) => {}
                _ => return Err(Mismatch),
            }
        }
        Ok(())
    }
}
