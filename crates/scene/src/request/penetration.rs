//! Penetration depth of two shapes in translation.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::fields::{parsed, parsed_by};
use super::reply::{Reply, coordinates};
use super::text::{EffortArgument, counted, number, text_of};
use extricate_core::penetration::{FreeConfiguration, LowerBound};
use extricate_core::query::{
    self, Cache, LocalPenetration, Penetration, PenetrationOptions, Posed, QueryError,
};

/// Penetration of two shapes, if they overlap.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PenetrationResponse {
    /// They overlap.
    #[schemars(extend("x-status" = ["penetrating"]))]
    Penetrating(Separating),
    /// They do not overlap.
    #[schemars(extend("x-status" = ["separate"]))]
    Separate {},
}

/// A separating translation with a certified lower bound, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Separating {
    /// Length of the least separating translation found [m]: an upper bound of the penetration depth.
    #[schemars(range(min = 0.0))]
    pub depth: f64,
    /// Certified lower bound of the depth [m]; 0 where nothing is proved.
    #[schemars(range(min = 0.0))]
    pub lower_bound: f64,
    /// Unit direction in which A must move.
    pub direction: [f64; 3],
    /// Translation of A that separates, with a clearance of at most 1e-10 of the size [m].
    pub translation: [f64; 3],
    /// A point of A and one of B, at the input pose, that touch when A has been moved [m].
    pub witnesses: [[f64; 3]; 2],
    /// The overlap region by region, deepest first.
    pub local: Vec<LocalOverlap>,
    /// In-projections made; of convex shapes, supports computed.
    pub iterations: u32,
    /// Work of a search among meshes; not of convex shapes.
    #[serde(flatten)]
    pub search: Option<SearchWork>,
    /// Whether the search ended because nothing nearby is better; of convex shapes, whether the bounds agree.
    pub converged: bool,
    /// An independent check found the shapes apart after the translation.
    #[schemars(extend("const" = true))]
    pub verified_free: bool,
}

/// Start and work of a search among meshes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchWork {
    /// Source of the start that led to the answer, as `start` names it; not of convex shapes, like the next four.
    pub source: String,
    /// Translational casts made: out-projections and looks from outside.
    pub casts: u32,
    /// Marches from inside made.
    pub marches: u32,
    /// Walks made.
    pub walks: u32,
    /// Half-spaces of the contact cone at the answer.
    pub rows: usize,
}

/// The overlap in one region, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LocalOverlap {
    /// Middle of the curve in which the surfaces intersect [m]; of convex shapes, middle of the witnesses.
    pub point: [f64; 3],
    /// Unit direction in which A must move.
    pub normal: [f64; 3],
    /// Local depth [m].
    #[schemars(range(min = 0.0))]
    pub depth: f64,
}

/// Question how far A must move to be free of B.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct PenetrationRequest {
    /// How much work a penetration query may be [default: best].
    #[cfg_attr(feature = "clap", arg(long, value_name = "EFFORT"))]
    pub effort: Option<EffortArgument>,
    /// The one source of starts: centroid, clear, coherence, random, sampled, normals, axes, spread or given:X,Y,Z
    /// [default: as the effort needs them].
    #[cfg_attr(feature = "clap", arg(long, value_name = "SOURCE"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "Option<String>")]
    pub start: Option<FreeConfiguration>,
    /// Seed of the random starts [default: 0].
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub seed: Option<u64>,
    /// Return the best answer so far after S seconds; such an answer depends on the machine and is not reproducible.
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", value_parser = seconds))]
    #[serde(skip)]
    pub time_budget: Option<Duration>,
    /// How much work the lower bound is worth: skip, balls, or cover:N with N distances [default: balls].
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_parser = lower_bound))]
    #[serde(deserialize_with = "bound")]
    #[schemars(with = "Option<String>")]
    pub lower_bound: Option<LowerBound>,
}

fn bound<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<LowerBound>, D::Error> {
    parsed_by(deserializer, lower_bound)
}

#[cfg_attr(
    not(any(test, feature = "clap")),
    expect(dead_code, reason = "options of the command line need it")
)]
fn seconds(text: &str) -> Result<Duration, String> {
    let positive = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let budget = positive.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    budget.ok_or_else(|| String::from("a time in seconds above zero is needed"))
}

impl PenetrationRequest {
    /// The first field that was given and that only meshes have.
    pub(super) fn given_for_meshes(&self) -> Option<&'static str> {
        let fields = [
            ("start", self.start.is_some()),
            ("seed", self.seed.is_some()),
            ("time_budget", self.time_budget.is_some()),
            ("lower_bound", self.lower_bound.is_some()),
        ];
        fields.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    pub(super) fn options(&self, parallel: bool) -> PenetrationOptions {
        let default = PenetrationOptions::default();
        PenetrationOptions {
            effort: self.effort.map_or(default.effort, Into::into),
            start: self.start,
            seed: self.seed.unwrap_or(default.seed),
            time_budget: self.time_budget,
            lower_bound: self.lower_bound.unwrap_or(default.lower_bound),
            parallel,
            ..default
        }
    }
}

/// The separating translation of two shapes. Coherent poses share a cache; other answers do not depend on those before.
pub(super) fn search(
    [a, b]: &[Posed; 2],
    options: &PenetrationOptions,
    cache: &mut Cache,
) -> Result<Option<Penetration>, QueryError> {
    match options.start {
        Some(FreeConfiguration::MotionCoherence) => query::penetration_with(a, b, options, cache),
        _ => query::penetration(a, b, options),
    }
}

impl From<&LocalPenetration> for LocalOverlap {
    fn from(region: &LocalPenetration) -> Self {
        Self {
            point: region.point.coords.into(),
            normal: region.normal.into_inner().into(),
            depth: region.depth,
        }
    }
}

impl SearchWork {
    /// None where no triangles were searched.
    fn of(found: &Penetration) -> Option<Self> {
        let Penetration { casts, marches, walks, rows, .. } = *found;
        Some(Self { source: found.start?.to_string(), casts, marches, walks, rows })
    }
}

impl PenetrationResponse {
    /// The answer with its local penetrations, which are told beyond the search.
    pub(super) fn new(found: Option<Penetration>, [a, b]: &[Posed; 2]) -> Result<Self, QueryError> {
        let Some(found) = found else { return Ok(Self::Separate {}) };
        let local = query::local_penetrations_of(a, b, &found)?;
        Ok(Self::Penetrating(Separating {
            depth: found.depth,
            lower_bound: found.lower_bound,
            direction: found.direction.into_inner().into(),
            translation: found.translation.into(),
            witnesses: coordinates(&found.witnesses),
            local: local.iter().map(LocalOverlap::from).collect(),
            iterations: found.iterations,
            search: SearchWork::of(&found),
            converged: found.converged,
            // A translation that the independent check refuses is a failure and never gets here.
            verified_free: true,
        }))
    }
}

impl Reply for PenetrationResponse {
    fn status(&self) -> &'static str {
        match self {
            Self::Penetrating(_) => "penetrating",
            Self::Separate {} => "separate",
        }
    }
}

impl fmt::Display for PenetrationResponse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self::Penetrating(found) = self else { return f.write_str("separate") };
        write!(f, "{} m deep", number(found.depth))?;
        if found.lower_bound > 0.0 {
            write!(f, " (at least {})", number(found.lower_bound))?;
        }
        let (regions, translation) = (counted(found.local.len(), "region"), text_of(&found.translation));
        write!(f, " in {regions}; moving A by ({translation}) m frees it")
    }
}

/// Signed distances that a cover may evaluate unless told otherwise: tens of milliseconds.
const EVALUATIONS: u32 = 4096;

/// How much work a lower bound is worth, as it is written: `skip`, `balls`, `cover` or `cover:N`.
fn lower_bound(text: &str) -> Result<LowerBound, String> {
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

    #[test]
    fn budgets_are_read_and_refused_with_what_to_write() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for bad in ["", "0", "-1", "inf", "NaN", "1e300", "2s"] {
            assert!(seconds(bad).unwrap_err().contains("seconds"), "{bad}");
        }
    }
}
