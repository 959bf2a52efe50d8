//! Steps that are repeated with edges that join a solve under way beside an end that is in contact.
//!
//! Such edges wait for a refresh of the active set by default: with them the energy may jump, and most steps do not need them. What they miss
//! is deep: a step that fails, or converges to a state in which the last refresh finds deep contacts of soft bodies, is repeated with
//! them. Where that is no improvement of a step that converged, the step is as it was without them.

use super::stepping::Before;
use super::world::SoftWorld;
use crate::soft::contact::Among;

/// State of the attempts of a step.
#[derive(Debug, Clone, Copy)]
pub(super) enum Joining {
    /// No attempt had edges that join.
    Untried,
    /// The step without them failed.
    Failed,
    /// The step without them ended this far beyond the limit [m].
    Deep(f64),
    /// Both have been tried.
    Decided,
}

impl SoftWorld {
    /// Begins the attempts of a step without edges that join.
    pub(super) fn joins_none(&mut self) -> Joining {
        self.contact.let_edges_join(false);
        Joining::Untried
    }

    /// Prepares the repetition of a step that `failed`, or not, with edges that join or without them; returns whether it is repeated.
    pub(super) fn repeats(&mut self, joining: &mut Joining, before: &Before, failed: bool) -> bool {
        if !self.contact.options().stiffens() {
            return false;
        }
        let excess = |world: &mut Self| world.contact.excess_at(&world.system.x, Among::SoftBodies);
        let join = match *joining {
            Joining::Untried if failed => {
                *joining = Joining::Failed;
                true
            }
            Joining::Untried => {
                let depth = excess(self);
                if !(depth > 0.0) {
                    return false;
                }
                *joining = Joining::Deep(depth);
                true
            }
            Joining::Deep(depth) => {
                *joining = Joining::Decided;
                if !failed && excess(self) < depth {
                    return false;
                }
                // Once more as it was without them.
                false
            }
            Joining::Failed | Joining::Decided => return false,
        };
        self.put_back(before);
        self.contact.let_edges_join(join);
        true
    }
}
