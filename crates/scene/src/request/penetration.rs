//! Penetration depth of two shapes in translation.

use std::fmt;
use std::time::{Duration, Instant};

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::fields::{parsed, parsed_by};
use super::reply::{Answered, Reply, coordinates};
use super::side::Names;
use super::text::{EffortArgument, counted, number, text_of};
use extricate_core::geometry::Norm;
use extricate_core::penetration::{AllowedTranslations, FreeConfiguration, LowerBound};
use extricate_core::query::{
    self, Cache, DistanceOptions, LocalPenetration, Penetration, PenetrationOptions, Posed, QueryError,
};

/// Penetration of two shapes, or their separation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PenetrationResponse {
    /// They overlap.
    #[schemars(extend("x-status" = ["penetrating"]))]
    Penetrating(Box<Separating>),
    /// They do not overlap.
    #[schemars(extend("x-status" = ["separate"]))]
    Separate {
        /// Their distance \[m\], if it was asked for: text for people only.
        #[serde(skip)]
        distance: Option<f64>,
    },
}

/// A separating translation with a certified lower bound, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Separating {
    /// Length of the minimum separating translation found \[m\]: an upper bound of the penetration depth.
    #[schemars(range(min = 0.0))]
    pub depth: f64,
    /// Certified lower bound of the depth \[m\]; 0 where none was found.
    #[schemars(range(min = 0.0))]
    pub lower_bound: f64,
    /// Norm of the two, `l1` or `linf`; absent for the Euclidean one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub norm: Option<String>,
    /// Unit direction in which A must move.
    pub direction: [f64; 3],
    /// Separating translation of A, with a clearance of at most 1e-10 of the size \[m\].
    pub translation: [f64; 3],
    /// A point of A and one of B, at the input pose, that touch after A has been moved \[m\].
    pub witnesses: [[f64; 3]; 2],
    /// Overlap regions, deepest first.
    pub local: Vec<LocalOverlap>,
    /// Number of in-projections, or of support evaluations for convex shapes.
    pub iterations: u32,
    /// Work of a search between meshes; absent for convex shapes.
    #[serde(flatten)]
    pub search: Option<SearchWork>,
    /// Whether the search ended because no nearby translation is shorter; for convex shapes, whether the bounds agree.
    pub converged: bool,
    /// Bound that ended the search before all was searched that the effort asks for, so that nearer translations may exist: `work
    /// bound` or `time budget`; absent where no bound did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub ended_by: Option<String>,
    /// All pairs that overlap, deepest first, by name; with robots. The other fields are those of the first pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<LinkPenetration>")]
    pub links: Option<Vec<LinkPenetration>>,
    /// Whether an independent check found the shapes separate after the translation; always true.
    #[schemars(extend("const" = true))]
    pub verified_free: bool,
}

/// Penetration of two parts, at least one of them a link, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LinkPenetration {
    /// Names of the part of A and of that of B: a link of a robot, or the shape as it is written.
    pub links: [String; 2],
    /// Length of the minimum translation found that separates the pair \[m\].
    #[schemars(range(min = 0.0))]
    pub depth: f64,
    /// Certified lower bound of the depth \[m\]; 0 where none was found.
    #[schemars(range(min = 0.0))]
    pub lower_bound: f64,
    /// Separating translation of the part of A \[m\].
    pub translation: [f64; 3],
}

/// Start and work of a search between meshes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchWork {
    /// Source of the start that led to the answer, as in `start`; absent for convex shapes, like the next four.
    pub source: String,
    /// Number of translational casts: out-projections and casts from outside.
    pub casts: u32,
    /// Number of marches from inside.
    pub marches: u32,
    /// Number of walks.
    pub walks: u32,
    /// Number of half-spaces of the local contact space at the answer.
    pub rows: usize,
}

/// One overlap region, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LocalOverlap {
    /// Centre of the intersection curve of the surfaces \[m\]; for convex shapes, midpoint of the witnesses.
    pub point: [f64; 3],
    /// Unit direction in which A must move.
    pub normal: [f64; 3],
    /// Local depth \[m\], a Euclidean length.
    #[schemars(range(min = 0.0))]
    pub depth: f64,
    /// False where a bound on work or time was met before the region was measured: direction and depth are then those of the whole
    /// overlap; absent where it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub measured: Option<bool>,
}

/// Request for the minimum translation of A that frees it from B.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct PenetrationRequest {
    /// Computational effort of the query [default: best].
    #[cfg_attr(feature = "clap", arg(long, value_name = "EFFORT"))]
    pub effort: Option<EffortArgument>,
    /// Source of the starts: centroid, clear, coherence, random, sampled, normals, axes, spread or given:X,Y,Z
    /// [default: several, by effort].
    #[cfg_attr(feature = "clap", arg(long, value_name = "SOURCE"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "Option<String>")]
    pub start: Option<FreeConfiguration>,
    /// Translations to which the separation is restricted: direction:X,Y,Z for the depth along a direction, line:X,Y,Z, or
    /// plane:X,Y,Z with the normal of the plane, as of a table on which A slides [default: all].
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "Option<String>")]
    pub allowed: Option<AllowedTranslations>,
    /// Norm in which the depth is measured and the translation is the shortest, along the axes of the world: l1, l2 or linf
    /// [default: l2].
    #[cfg_attr(feature = "clap", arg(long, value_name = "NORM"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "Option<String>")]
    pub norm: Option<Norm>,
    /// Seed of the random starts [default: 0].
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub seed: Option<u64>,
    /// Return the best result found within S seconds; such a result depends on the machine and is not reproducible.
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", value_parser = super::text::seconds))]
    #[serde(skip)]
    pub time_budget: Option<Duration>,
    /// Method of the lower bound: skip, balls, crossings:N with N patches, or cover:N with N distance evaluations
    /// [default: crossings; with fast effort balls, or crossings:2 of surfaces].
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_parser = lower_bound))]
    #[serde(deserialize_with = "bound")]
    #[schemars(with = "Option<String>")]
    pub lower_bound: Option<LowerBound>,
}

fn bound<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<LowerBound>, D::Error> {
    parsed_by(deserializer, lower_bound)
}

impl PenetrationRequest {
    /// The first given field that applies to meshes only.
    pub(super) fn given_for_meshes(&self) -> Option<&'static str> {
        let fields = [
            ("start", self.start.is_some()),
            ("seed", self.seed.is_some()),
            ("time_budget", self.time_budget.is_some()),
            ("lower_bound", self.lower_bound.is_some()),
        ];
        fields.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// The response for two posed bodies, with their distance where they are separate.
    ///
    /// # Errors
    /// The message of the query that failed.
    pub fn answer(&self, posed: &[Posed; 2], parallel: bool) -> Answered<PenetrationResponse> {
        let until = end_of_regions(self.time_budget);
        let found = search(posed, &self.options(parallel), &mut Cache::default());
        let response = |all: Vec<_>| PenetrationResponse::new(&all, (posed, &Names::none()), (true, until));
        found.and_then(response).map_err(|error| error.to_string())
    }

    pub(super) fn options(&self, parallel: bool) -> PenetrationOptions {
        let default = PenetrationOptions::default();
        PenetrationOptions {
            effort: self.effort.map_or(default.effort, Into::into),
            start: self.start,
            allowed: self.allowed,
            norm: self.norm.unwrap_or(default.norm),
            seed: self.seed.unwrap_or(default.seed),
            time_budget: self.time_budget,
            lower_bound: self.lower_bound.unwrap_or(default.lower_bound),
            parallel,
            ..default
        }
    }
}

/// Time until which the regions of a query that begins now are measured: a fifth of the budget after its end.
pub(super) fn end_of_regions(time_budget: Option<Duration>) -> Option<Instant> {
    Instant::now().checked_add(time_budget?.mul_f64(1.2))
}

/// The separating translations of two shapes, deepest first: one for each pair of parts that overlap. Coherent poses share a
/// cache; other results do not depend on previous ones.
pub(super) fn search(
    [a, b]: &[Posed; 2],
    options: &PenetrationOptions,
    cache: &mut Cache,
) -> Result<Vec<Penetration>, QueryError> {
    let mut own = Cache::default();
    let is_coherent = options.start == Some(FreeConfiguration::MotionCoherence);
    let cache = if is_coherent { cache } else { &mut own };
    if [a, b].iter().all(|posed| posed.parts().len() == 1) {
        return Ok(query::penetration_with(a, b, options, cache)?.into_iter().collect());
    }
    query::penetrating_parts_with(a, b, options, cache)
}

impl From<&LocalPenetration> for LocalOverlap {
    fn from(region: &LocalPenetration) -> Self {
        Self {
            point: region.point.coords.into(),
            normal: region.normal.into_inner().into(),
            depth: region.depth,
            measured: (!region.is_measured).then_some(false),
        }
    }
}

impl SearchWork {
    /// Work of a search; none for convex shapes.
    fn of(found: &Penetration) -> Option<Self> {
        let Penetration { casts, marches, walks, rows, .. } = *found;
        Some(Self { source: found.start?.to_string(), casts, marches, walks, rows })
    }
}

impl LinkPenetration {
    /// The named pairs; none where neither A nor B is a robot.
    fn of(all: &[Penetration], names: &Names<'_>) -> Option<Vec<Self>> {
        let named = |found: &Penetration| {
            let Penetration { depth, lower_bound, translation, .. } = *found;
            Some(Self { links: names.of(found.parts)?, depth, lower_bound, translation: translation.into() })
        };
        all.iter().map(named).collect()
    }
}

impl PenetrationResponse {
    /// The response, with the local penetrations, measured until a deadline if there is one, and the distance, if it is asked for,
    /// which are not part of the search.
    pub(super) fn new(
        all: &[Penetration],
        ([a, b], names): (&[Posed; 2], &Names<'_>),
        (with_distance, until): (bool, Option<Instant>),
    ) -> Result<Self, QueryError> {
        let Some(found) = all.first() else {
            let time_budget = until.map(|until| until.saturating_duration_since(Instant::now()));
            let options = DistanceOptions { time_budget, ..DistanceOptions::default() };
            let distance = || query::distance(a, b, &options).ok();
            let distance = with_distance.then(distance).flatten().map(|distance| distance.value);
            return Ok(Self::Separate { distance });
        };
        let local = query::local_penetrations_until(a, b, found, until)?;
        Ok(Self::Penetrating(Box::new(Separating {
            depth: found.depth,
            lower_bound: found.lower_bound,
            norm: (found.norm != Norm::L2).then(|| found.norm.to_string()),
            direction: found.direction.into_inner().into(),
            translation: found.translation.into(),
            witnesses: coordinates(&found.witnesses),
            local: local.iter().map(LocalOverlap::from).collect(),
            iterations: found.iterations,
            search: SearchWork::of(found),
            converged: found.converged,
            ended_by: found.ended_by.bound().map(str::to_owned),
            links: LinkPenetration::of(all, names),
            // A translation that the independent check rejects is an error of the query and does not get here.
            verified_free: true,
        })))
    }
}

impl Reply for PenetrationResponse {
    fn status(&self) -> &'static str {
        match self {
            Self::Penetrating(_) => "penetrating",
            Self::Separate { .. } => "separate",
        }
    }
}

impl fmt::Display for PenetrationResponse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let found = match self {
            Self::Penetrating(found) => found,
            Self::Separate { distance: None } => return f.write_str("separate"),
            Self::Separate { distance: Some(distance) } if *distance > 0.0 => {
                return write!(f, "separate: {} m apart", number(*distance));
            }
            Self::Separate { .. } => return f.write_str("separate: they touch without a depth"),
        };
        let translation = text_of(&found.translation);
        let (first, others) = match found.links.as_deref() {
            Some([first, others @ ..]) => (Some(first), others),
            _ => (None, Default::default()),
        };
        if let Some(LinkPenetration { links: [a, b], .. }) = first {
            write!(f, "{a} in {b}: ")?;
        }
        // The clearance of the translation is at most 1e-10 of the size: contacts of such a depth are those of rounding.
        if Vector3::from(found.translation).norm() >= 2.0 * found.depth {
            return write!(f, "they touch, 0 m deep; moving A by ({translation}) m frees it");
        }
        write!(f, "{} m deep", number(found.depth))?;
        if let Some(norm) = &found.norm {
            write!(f, " in {norm}")?;
        }
        if found.lower_bound > 0.0 {
            write!(f, " (at least {})", number(found.lower_bound))?;
        }
        let regions = text_of_regions(&found.local);
        let (moved, freed) = if first.is_some() { ("its part of A", "this pair") } else { ("A", "it") };
        write!(f, " in {regions}; moving {moved} by ({translation}) m frees {freed}")?;
        if let Some(bound) = &found.ended_by {
            write!(f, " (search ended by the {bound})")?;
        }
        others.iter().try_for_each(|LinkPenetration { links: [a, b], depth, .. }| {
            write!(f, "; {a} in {b}: {} m deep", number(*depth))
        })
    }
}

/// The number of regions, and of those that were not measured.
fn text_of_regions(local: &[LocalOverlap]) -> String {
    let all = counted(local.len(), "region");
    match local.iter().filter(|region| region.measured == Some(false)).count() {
        0 => all,
        some => format!("{all} ({some} not measured)"),
    }
}

/// Default number of signed distances of a cover: about a tenth of a second. The time grows in proportion; fewer leave a
/// weaker bound.
const EVALUATIONS: u32 = 16384;

/// Parses the method of the lower bound: `skip`, `balls`, `crossings`, `crossings:N`, `cover` or `cover:N`.
fn lower_bound(text: &str) -> Result<LowerBound, String> {
    let cover = |evaluations| LowerBound::Cover { evaluations };
    let counted = |count: &str, of: &str, form: &str| match count.parse::<u32>() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(format!("expected a number of {of} above zero: {form}")),
    };
    match text.split_once(':') {
        None if text == "skip" => Ok(LowerBound::Skip),
        None if text == "balls" => Ok(LowerBound::InnerBalls),
        None if text == "crossings" => Ok(LowerBound::CROSSINGS),
        None if text == "cover" => Ok(cover(EVALUATIONS)),
        Some(("crossings", count)) => {
            counted(count, "patches", "crossings:N").map(|patches| LowerBound::Crossings { patches })
        }
        Some(("cover", count)) => counted(count, "distances", "cover:N").map(cover),
        _ => Err(String::from("accepted: skip, balls, crossings, crossings:N, cover or cover:N")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_says_how_many_regions_were_not_measured() {
        let region =
            |measured| LocalOverlap { point: [0.0; 3], normal: [0.0, 0.0, 1.0], depth: 0.1, measured };
        assert_eq!(text_of_regions(&[region(None)]), "1 region");
        let some = [region(None), region(Some(false)), region(None)];
        assert_eq!(text_of_regions(&some), "3 regions (1 not measured)");
    }

    #[test]
    fn lower_bounds_are_parsed_and_errors_name_the_accepted_forms() {
        assert_eq!(lower_bound("skip"), Ok(LowerBound::Skip));
        assert_eq!(lower_bound("balls"), Ok(LowerBound::InnerBalls));
        assert_eq!(lower_bound("crossings"), Ok(LowerBound::CROSSINGS));
        assert_eq!(lower_bound("crossings:7"), Ok(LowerBound::Crossings { patches: 7 }));
        assert_eq!(lower_bound("cover"), Ok(LowerBound::Cover { evaluations: EVALUATIONS }));
        assert_eq!(lower_bound("cover:70"), Ok(LowerBound::Cover { evaluations: 70 }));
        for bad in ["", "none", "balls:3", "cover:", "cover:0", "cover:-1", "cover:1.5"] {
            assert!(lower_bound(bad).unwrap_err().contains("cover:N"), "{bad}");
        }
        assert!(lower_bound("crossings:0").unwrap_err().contains("crossings:N"));
    }
}
