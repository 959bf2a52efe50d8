//! The state of the soft bodies of a world.

use serde::{Deserialize, Serialize};

use super::partner::Partner;
use super::state::SoftLoad;
use super::world::SoftWorld;
use crate::soft::SoftSystem;
use crate::soft::contact::SoftContact;
use crate::stateful::{Mismatch, Stateful, fits};

/// The state of the soft bodies of a world.
#[derive(Serialize, Deserialize)]
pub(crate) struct SoftWorldState {
    system: <SoftSystem as Stateful>::State,
    contact: <SoftContact as Stateful>::State,
    partners: Vec<<Partner as Stateful>::State>,
    /// Loads on the prescribed nodes.
    held: Vec<SoftLoad>,
}

impl Stateful for SoftWorld {
    type State = SoftWorldState;

    fn snapshot(&self) -> SoftWorldState {
        SoftWorldState {
            system: self.system.snapshot(),
            contact: self.contact.snapshot(),
            partners: self.partners.snapshot(),
            held: self.prescribed.iter().map(|hold| hold.load).collect(),
        }
    }

    fn restore(&mut self, state: SoftWorldState) -> Result<(), Mismatch> {
        self.system.restore(state.system)?;
        self.contact.restore(state.contact)?;
        self.partners.restore(state.partners)?;
        fits(state.held.len() == self.prescribed.len())?;
        self.prescribed.iter_mut().zip(state.held).for_each(|(hold, load)| hold.load = load);
        self.update_depths();
        self.update_overlaps();
        Ok(())
    }
}
