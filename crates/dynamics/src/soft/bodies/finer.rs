//! Steps whose last attempt leaves bodies deep, or is jammed, repeated with more iterations and in finer parts.
//!
//! The parts of a divided step have the bound on iterations of one step together, so that a step that does not converge costs a few times as
//! much as one that does. Where many contacts appear within a step that is too few: the last parts end with iterates that are not balanced,
//! deep in each other, and a part that finds no descent eases its pairs, which then go deeper until they have parted. Such a step is repeated
//! in parts that each have the whole bound and must converge. The first of these attempts that is nowhere beyond two onsets counts, else the one that is
//! shallowest, the step as it was before among them. A pair is eased where a jammed step is still so deep then that its energy would return.

use super::description::SoftOptions;
use super::state::SoftReport;
use super::stepping::{Before, MAX_DRIFT, MAX_HALVINGS};
use super::world::SoftWorld;
use crate::error::SoftError;
use crate::soft::contact::Among;
use crate::soft::newton::NewtonOptions;
use crate::soft::report::Times;

/// Numbers of parts of these attempts, one after another. Neither suffices by itself (docs/sensitivity.md).
const PARTS: [usize; 2] = [4, 8];

/// State of these attempts of a step.
#[derive(Debug, Clone, Copy)]
pub(super) enum Finer {
    /// The step has not needed one.
    Untried,
    /// One is under way.
    Trying {
        /// The place of its number of parts.
        at: usize,
        /// That of the best one so far, if it is better than the step without them.
        best: Option<usize>,
        /// Depth beyond the limit at which the best one ended, or the step without them \[m\].
        excess: f64,
    },
    /// This one counts, or the step without them.
    Decided(Option<usize>),
}

impl Finer {
    /// Number of parts of the next attempt of a step halved `halvings` times, and the options of their solves.
    pub(super) fn parts(self, options: &SoftOptions, halvings: u32) -> (usize, SoftOptions) {
        let finer = match self {
            Self::Trying { at, .. } | Self::Decided(Some(at)) => Some(PARTS[at]),
            Self::Untried | Self::Decided(None) => None,
        };
        // Parts of a step share its bound on iterations, but for these attempts.
        let (parts, shared, accept) = match finer {
            Some(parts) => (parts, 0, false),
            None => (1 << halvings, halvings, halvings == MAX_HALVINGS),
        };
        let max_iterations = (options.newton.max_iterations >> shared).max(1);
        let max_drift = if options.contact.stiffens() { MAX_DRIFT } else { f64::INFINITY };
        let newton = NewtonOptions { accept, max_iterations, max_drift, ..options.newton };
        (parts, SoftOptions { newton, ..*options })
    }
}

impl SoftWorld {
    /// Begins the attempts of a step without finer parts; there are none where the pressure does not stiffen.
    pub(super) fn refines_none(&self) -> Finer {
        if self.contact.options().stiffens() { Finer::Untried } else { Finer::Decided(None) }
    }

    /// Prepares the repetition of a step that is `done`, in finer parts or as the best of its attempts; returns whether it is repeated.
    pub(super) fn refines(
        &mut self,
        finer: &mut Finer,
        before: &Before,
        done: &Result<(SoftReport, Times), SoftError>,
    ) -> bool {
        let next = match (*finer, done) {
            (Finer::Untried, Ok((report, _))) if report.parts > 1 => {
                let excess = self.excess();
                if !(report.jammed > 0 || excess > 0.0) {
                    return false;
                }
                Finer::Trying { at: 0, best: None, excess }
            }
            (Finer::Trying { at, mut best, mut excess }, done) => {
                let own = if done.is_ok() { self.excess() } else { f64::INFINITY };
                if own < excess || !(own > 0.0) {
                    (best, excess) = (Some(at), own);
                }
                let next = if own > 0.0 && at + 1 < PARTS.len() {
                    Finer::Trying { at: at + 1, best, excess }
                } else {
                    Finer::Decided(best)
                };
                if matches!(next, Finer::Decided(Some(best)) if best == at) {
                    *finer = next;
                    return false;
                }
                next
            }
            (Finer::Decided(Some(_)), Err(_)) => Finer::Decided(None),
            _ => return false,
        };
        *finer = next;
        self.put_back(before);
        true
    }

    /// Depth beyond two onsets of the deepest contact, obstacles included \[m\].
    fn excess(&mut self) -> f64 {
        self.contact.excess_at(&self.system.x, Among::All)
    }

    /// Whether a contact is so deep that its energy would return; a jammed step without such a contact is accepted as it is.
    pub(super) fn is_deep(&mut self) -> bool {
        self.contact.has_deep_at(&self.system.x)
    }
}
