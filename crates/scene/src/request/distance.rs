//! Distance of two shapes and its witnesses; a signed distance is negative where they overlap.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fields::{optional_length, parsed};
use super::reply::{Reply, coordinates};
use super::side::Names;
use super::text::{number, text_of};
use super::tolerance::Tolerance;
use extricate_core::query::{
    self, Cache, Distance, DistanceOptions, Norm, PenetrationOptions, Posed, QueryError,
};

/// Distance of two shapes, up to a limit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Separation {
    /// The shapes are within the limit.
    #[schemars(extend("x-status" = ["separate", "colliding"]))]
    Within(Apart),
    /// The distance exceeds the limit of `closer_than`.
    #[schemars(extend("x-status" = ["farther"]))]
    Farther {
        /// Not reported.
        distance: (),
        /// Not reported.
        lower_bound: (),
        /// Not reported.
        points: (),
    },
}

/// Distance of two shapes and its witnesses, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Apart {
    /// The distance [m]; zero where the shapes collide, or minus the penetration depth with `signed`.
    pub distance: f64,
    /// Proved lower bound of the distance [m].
    pub lower_bound: f64,
    /// Norm of these, `l1` or `linf`; absent for the Euclidean one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub norm: Option<String>,
    /// Proved upper bound of the distance [m]; with `signed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub upper_bound: Option<f64>,
    /// A point of A and one of B at that distance [m]. Where the shapes collide, a common point; for convex shapes, two
    /// points that touch after A has been moved out of B.
    pub points: [[f64; 3]; 2],
    /// The nearest pair by name, of A and of B: a link of a robot, or the shape as it is written; with robots.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "[String; 2]")]
    pub links: Option<[String; 2]>,
}

/// Request for the distance of two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct DistanceRequest {
    /// Search for distances up to D \[m\] only, and stop early where the shapes are farther apart.
    #[cfg_attr(feature = "clap", arg(long, value_name = "D", value_parser = super::text::length))]
    #[serde(deserialize_with = "optional_length")]
    pub closer_than: Option<f64>,
    /// Tolerance of the distance: a length \[m\], or a fraction of the distance like 1%.
    #[cfg_attr(feature = "clap", arg(long, value_name = "T"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "Option<String>")]
    pub tolerance: Option<Tolerance>,
    /// Report the penetration depth of overlapping shapes as a negative distance.
    #[cfg_attr(feature = "clap", arg(long, conflicts_with_all = ["closer_than", "tolerance"]))]
    pub signed: bool,
    /// Norm of the distance, along the axes of the world: l1, l2 or linf [default: l2].
    #[cfg_attr(feature = "clap", arg(long, value_name = "NORM", conflicts_with = "closer_than"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "Option<String>")]
    pub norm: Option<Norm>,
    /// End the query of meshes after S seconds, with bounds of the distance where two meshes are known to be apart by then, else with an
    /// error; such an end depends on the machine and is not reproducible.
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", value_parser = super::text::seconds))]
    #[serde(skip)]
    pub time_budget: Option<Duration>,
}

impl DistanceRequest {
    fn options(&self) -> DistanceOptions {
        let (relative_tolerance, absolute_tolerance) = self.tolerance.map_or((0.0, 0.0), Tolerance::parts);
        let limit = self.closer_than.unwrap_or(f64::INFINITY);
        DistanceOptions { relative_tolerance, absolute_tolerance, limit, time_budget: self.time_budget }
    }

    /// The distance of two shapes; with `parallel` the search for a depth uses the threads of the pool.
    pub(super) fn answer(
        &self,
        [a, b]: &[Posed; 2],
        names: &Names<'_>,
        (parallel, cache): (bool, &mut Cache),
    ) -> Result<Separation, QueryError> {
        if self.signed {
            let norm = self.norm.unwrap_or_default();
            let time_budget = self.time_budget;
            let options = PenetrationOptions { parallel, norm, time_budget, ..PenetrationOptions::default() };
            let found = query::signed_distance(a, b, &options)?;
            return Ok(Separation::new(&found, (Some(found.upper_bound), self.norm), names));
        }
        // For two convex shapes every query starts from scratch, so that no result depends on previous ones.
        if [a, b].iter().all(|posed| posed.part(0).shape.core().is_some()) {
            cache.forget();
        }
        let options = self.options();
        if let Some(norm) = self.norm.filter(|norm| *norm != Norm::L2) {
            let found = query::distance_in_norm(a, b, norm, &options)?;
            return Ok(Separation::new(&found, (None, Some(norm)), names));
        }
        let found = query::distance_up_to_with(a, b, options.limit, &options, cache)?;
        Ok(found.map_or(Separation::FARTHER, |found| Separation::new(&found, (None, None), names)))
    }
}

impl Separation {
    const FARTHER: Self = Self::Farther { distance: (), lower_bound: (), points: () };

    fn new(found: &Distance, (upper_bound, norm): (Option<f64>, Option<Norm>), names: &Names<'_>) -> Self {
        let Distance { value, lower_bound, points, .. } = found;
        let (distance, lower_bound) = (*value, *lower_bound);
        let (points, links) = (coordinates(points), names.of(found.parts));
        let norm = norm.filter(|norm| *norm != Norm::L2).map(|norm| norm.to_string());
        Self::Within(Apart { distance, lower_bound, norm, upper_bound, points, links })
    }
}

impl Reply for Separation {
    fn status(&self) -> &'static str {
        match self {
            Self::Within(Apart { distance, .. }) if *distance <= 0.0 => "colliding",
            Self::Within(_) => "separate",
            Self::Farther { .. } => "farther",
        }
    }
}

impl fmt::Display for Separation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self::Within(found) = self else { return f.write_str("not closer than the limit") };
        let Apart { distance, lower_bound, ref norm, upper_bound, points: [a, b], ref links } = *found;
        let in_norm = norm.as_ref().map_or_else(String::new, |norm| format!(" in {norm}"));
        if let Some([first, second]) = links {
            write!(f, "{first} and {second}: ")?;
        }
        if distance < 0.0 {
            write!(f, "{} m deep{in_norm}", number(-distance))?;
            let proved = upper_bound.map(|upper| -upper).filter(|&min| min > 0.0);
            return proved.map_or(Ok(()), |min| write!(f, " (at least {})", number(min)));
        }
        if !(distance > 0.0) {
            return f.write_str("colliding");
        }
        write!(f, "{} m apart{in_norm}", number(distance))?;
        if lower_bound < distance {
            write!(f, " (at least {})", number(lower_bound))?;
        }
        write!(f, ", at ({}) and ({})", text_of(&a), text_of(&b))
    }
}
