//! Fields of all repairs: how much work, what distance, what stays.

use std::collections::{BTreeMap, BTreeSet};

use super::pair::effort;
use crate::batch::fields::Fields;
use crate::batch::item::ItemFault;
use crate::repair::{Freedom, RepairOptions};
use extricate_core::penetration::Effort;

/// How something is to be repaired.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Demands {
    pub(super) options: RepairOptions,
    pub(super) freedom: Freedom,
}

impl Demands {
    pub(super) fn take(fields: &mut Fields) -> Result<Self, ItemFault> {
        let options = RepairOptions {
            effort: effort(fields)?.unwrap_or(Effort::Best),
            clearance: fields.length("clearance")?.unwrap_or(0.0),
            max_move: fields.length("max_move")?,
            ..RepairOptions::default()
        };
        let fixed: Option<BTreeSet<String>> = fields.take("fix")?;
        let weights: Option<BTreeMap<String, f64>> = fields.take("weight")?;
        let freedom = Freedom { fixed: fixed.unwrap_or_default(), weights: weights.unwrap_or_default() };
        Ok(Self { options, freedom })
    }
}
