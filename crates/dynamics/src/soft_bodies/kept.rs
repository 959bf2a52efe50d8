//! What of the soft bodies the next step follows from.

use serde::{Deserialize, Serialize};

use super::partner::KeptPartner;
use super::world::SoftWorld;
use crate::soft::KeptSystem;
use crate::soft::contact::KeptContact;

/// The state of the soft bodies of a world.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptSoft {
    system: KeptSystem,
    contact: KeptContact,
    partners: Vec<KeptPartner>,
}

impl SoftWorld {
    /// What the next step follows from.
    pub(crate) fn kept(&self) -> KeptSoft {
        KeptSoft {
            system: self.system.kept(),
            contact: self.contact.kept(),
            partners: self.partners.iter().map(super::partner::Partner::kept).collect(),
        }
    }

    /// Whether a state has as many blocks and bodies as these.
    pub(crate) fn fits(&self, kept: &KeptSoft) -> bool {
        kept.system.has(self.system.block_count())
            && kept.partners.len() == self.partners.len()
            && kept.contact.has(self.partners.len(), self.system.block_count())
    }

    /// Goes on from what was kept, which must [fit](Self::fits).
    pub(crate) fn resume(&mut self, kept: KeptSoft) {
        self.system.resume(kept.system);
        self.contact.resume(kept.contact);
        self.partners.iter_mut().zip(kept.partners).for_each(|(partner, kept)| partner.resume(kept));
        self.look();
    }
}
