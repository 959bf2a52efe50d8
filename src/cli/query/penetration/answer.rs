//! What `query penetration` answers, as people and programs read it.

use std::fmt;

use serde::Serialize;

use super::super::super::table::number;
use super::super::lines::Reply;
use super::super::{coordinates, text_of};
use crate::penetration::{LocalPenetration, Penetration};

/// How deep two shapes overlap, if they do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(in super::super) enum Answer {
    Penetrating(PenetrationAnswer),
    Separate {},
}

/// A penetration, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in super::super) struct PenetrationAnswer {
    pub(in super::super) depth: f64,
    pub(in super::super) lower_bound: f64,
    pub(in super::super) direction: [f64; 3],
    pub(in super::super) translation: [f64; 3],
    pub(in super::super) witnesses: [[f64; 3]; 2],
    pub(in super::super) local: Vec<Local>,
    pub(in super::super) iterations: u32,
    /// What a search among meshes took.
    #[serde(flatten)]
    pub(in super::super) search: Option<Search>,
    pub(in super::super) converged: bool,
    pub(in super::super) verified_free: bool,
}

/// Where a search began and what it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in super::super) struct Search {
    source: String,
    casts: u32,
    marches: u32,
    walks: u32,
    rows: usize,
}

/// The overlap in one region, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in super::super) struct Local {
    pub(in super::super) point: [f64; 3],
    pub(in super::super) normal: [f64; 3],
    pub(in super::super) depth: f64,
}

impl PenetrationAnswer {
    pub(super) fn new(found: &Penetration, local: &[LocalPenetration]) -> Self {
        let region = |region: &LocalPenetration| Local {
            point: region.point.coords.into(),
            normal: region.normal.into_inner().into(),
            depth: region.depth,
        };
        Self {
            depth: found.depth,
            lower_bound: found.lower_bound,
            direction: found.direction.into_inner().into(),
            translation: found.translation.into(),
            witnesses: coordinates(&found.witnesses),
            local: local.iter().map(region).collect(),
            iterations: found.iterations,
            search: Some(Search {
                source: found.start.to_string(),
                casts: found.casts,
                marches: found.marches,
                walks: found.walks,
                rows: found.rows,
            }),
            converged: found.converged,
            // A translation that the independent check refuses is a failure and never gets here.
            verified_free: true,
        }
    }
}

impl Reply for Answer {
    fn status(&self) -> &'static str {
        match self {
            Self::Penetrating(_) => "penetrating",
            Self::Separate {} => "separate",
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self::Penetrating(found) = self else { return f.write_str("separate") };
        let (depth, translation) = (number(found.depth), text_of(&found.translation));
        let regions = found.local.len();
        write!(f, "{depth} m deep in {regions} regions; moving A by ({translation}) m frees it")
    }
}
