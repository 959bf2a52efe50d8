//! What of the contacts the next step follows from.
//!
//! Candidates are those of where everything was when they were taken: they are taken there again. What is known of nodes that
//! are clear of obstacles only spares looking at them, and is found anew.

use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

use super::detect::Clearance;
use super::held::Held;
use super::point::{Field, Probe};
use super::search::{Candidates, KeptSearch};
use super::{MARGIN, Motion, SoftContact, scene};

/// The state of the contacts of a system of soft bodies.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KeptContact {
    search: KeptSearch,
    held: Held,
    left: Option<Vec<((Probe, Field), f64)>>,
    /// Pose and motion of each obstacle.
    obstacles: Vec<(Isometry3<f64>, Motion)>,
}

impl KeptContact {
    /// Whether it is of so many obstacles and blocks.
    pub(crate) fn has(&self, obstacles: usize, blocks: usize) -> bool {
        self.obstacles.len() == obstacles && self.search.has(blocks)
    }
}

impl SoftContact {
    /// What the next step follows from.
    pub(crate) fn kept(&self) -> KeptContact {
        KeptContact {
            search: self.candidates.kept(),
            held: self.held.clone(),
            left: self.left.clone(),
            obstacles: self.obstacles.iter().map(|obstacle| (obstacle.pose, obstacle.motion)).collect(),
        }
    }

    /// Goes on from what was kept of contacts of the same bodies.
    pub(crate) fn resume(&mut self, kept: KeptContact) {
        let KeptContact { search, held, left, obstacles } = kept;
        for (obstacle, (pose, motion)) in self.obstacles.iter_mut().zip(obstacles) {
            (obstacle.pose, obstacle.motion) = (pose, motion);
        }
        self.clearances.iter_mut().for_each(|clear| clear.fill(Clearance::UNKNOWN));
        self.search_again(&search);
        (self.held, self.left) = (held, left);
        self.found_at.clear();
    }

    /// Takes neighbourhoods and candidates where they were taken.
    fn search_again(&mut self, search: &KeptSearch) {
        let margin = self.options.margin.unwrap_or(MARGIN * self.longest);
        let [wide, near] = search.places();
        self.candidates = Candidates::default();
        if !wide.x.is_empty() {
            self.bodies.iter_mut().for_each(|body| body.refit(&wide.x));
            self.candidates.widen(&scene(&self.bodies, &wide.x, &wide.samples, &self.options), margin);
        }
        if !near.x.is_empty() {
            self.candidates.refresh(&scene(&self.bodies, &near.x, &near.samples, &self.options), margin);
        }
    }
}
