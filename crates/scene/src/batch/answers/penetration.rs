//! How deep two shapes overlap, in translation.

use std::fmt;

use crate::batch::text::{number, text_of};

use serde::Serialize;

use super::{Reply, coordinates};
use extricate_core::penetration::{LocalPenetration, LowerBound, Penetration};

/// How deep two shapes overlap, if they do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    Penetrating(PenetrationAnswer),
    Separate {},
}

/// A penetration, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PenetrationAnswer {
    pub depth: f64,
    pub(crate) lower_bound: f64,
    pub(crate) direction: [f64; 3],
    pub translation: [f64; 3],
    pub(crate) witnesses: [[f64; 3]; 2],
    pub local: Vec<Local>,
    pub(crate) iterations: u32,
    /// What a search among meshes took.
    #[serde(flatten)]
    pub(crate) search: Option<Search>,
    pub(crate) converged: bool,
    pub(crate) verified_free: bool,
}

/// Where a search began and what it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Search {
    source: String,
    casts: u32,
    marches: u32,
    walks: u32,
    rows: usize,
}

/// The overlap in one region, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Local {
    pub(crate) point: [f64; 3],
    pub(crate) normal: [f64; 3],
    pub(crate) depth: f64,
}

impl PenetrationAnswer {
    pub fn new(found: &Penetration, local: &[LocalPenetration]) -> Self {
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

/// Signed distances that a cover may evaluate unless told otherwise: tens of milliseconds.
const EVALUATIONS: u32 = 4096;

/// How much work a lower bound is worth, as it is written: `skip`, `balls`, `cover` or `cover:N`.
pub fn lower_bound(text: &str) -> Result<LowerBound, String> {
    let cover = |evaluations| LowerBound::Cover { evaluations };
    match text.split_once(':') {
        None if text == "skip" => Ok(LowerBound::Skip),
        None if text == "balls" => Ok(LowerBound::InnerBalls),
        None if text == "cover" => Ok(cover(EVALUATIONS)),
        Some(("cover", count)) => match count.parse() {
            Ok(count) if count > 0 => Ok(cover(count)),
            _ => Err(String::from("a cover needs a number of distances above zero: cover:N")),
        },
        _ => Err(String::from("write skip, balls, cover or cover:N")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_bounds_are_read_and_refused_with_what_to_write() {
        assert_eq!(lower_bound("skip"), Ok(LowerBound::Skip));
        assert_eq!(lower_bound("balls"), Ok(LowerBound::InnerBalls));
        assert_eq!(lower_bound("cover"), Ok(LowerBound::Cover { evaluations: EVALUATIONS }));
        assert_eq!(lower_bound("cover:70"), Ok(LowerBound::Cover { evaluations: 70 }));
        for bad in ["", "none", "balls:3", "cover:", "cover:0", "cover:-1", "cover:1.5"] {
            assert!(lower_bound(bad).unwrap_err().contains("cover:N"), "{bad}");
        }
    }
}
