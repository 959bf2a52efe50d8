//! The state of the soft bodies of a world.

use serde::{Deserialize, Serialize};

use super::partner::Partner;
use super::world::SoftWorld;
use crate::soft::SoftSystem;
use crate::soft::contact::SoftContact;
use crate::stateful::{Mismatch, Stateful};

/// The state of the soft bodies of a world.
#[derive(Serialize, Deserialize)]
pub(crate) struct SoftWorldState {
    system: <SoftSystem as Stateful>::State,
    contact: <SoftContact as Stateful>::State,
    partners: Vec<<Partner as Stateful>::State>,
}

impl Stateful for SoftWorld {
    type State = SoftWorldState;

    fn snapshot(&self) -> SoftWorldState {
        SoftWorldState {
            system: self.system.snapshot(),
            contact: self.contact.snapshot(),
            partners: self.partners.snapshot(),
        }
    }

    fn restore(&mut self, state: SoftWorldState) -> Result<(), Mismatch> {
        self.system.restore(state.system)?;
        self.contact.restore(state.contact)?;
        self.partners.restore(state.partners)?;
        self.update_depths();
        self.update_overlaps();
        Ok(())
    }
}
