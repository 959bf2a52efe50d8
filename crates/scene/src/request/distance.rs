//! Distance of two shapes, and its witnesses; negative where they overlap and a signed distance is asked for.

use std::fmt;

use nalgebra::Point3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::convex;
use super::fields::{optional_length, parsed};
use super::poses::Poses;
use super::reply::{Answered, Reply, coordinates};
use super::text::{number, text_of};
use super::tolerance::Tolerance;
use extricate_core::geometry::convex::ConvexShape;
use extricate_core::penetration::{TranslationalOptions, signed_distance};
use extricate_core::proximity::{DistanceCache, DistanceOptions, Model, distance_with};
use extricate_core::query::{self, Posed};

/// Distance of two shapes, up to a limit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Separation {
    /// They are no farther apart than the limit.
    #[schemars(extend("x-status" = ["separate", "colliding"]))]
    Within(Apart),
    /// Not closer than the limit of `closer_than`.
    #[schemars(extend("x-status" = ["farther"]))]
    Farther {
        /// None is told.
        distance: (),
        /// None is told.
        lower_bound: (),
        /// None are told.
        points: (),
    },
}

/// Distance of two shapes and its witnesses, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Apart {
    /// The distance [m]; zero where they collide, with `signed` minus the penetration depth.
    pub distance: f64,
    /// Proved lower bound of the distance [m].
    pub lower_bound: f64,
    /// Proved upper bound of the distance [m]; with `signed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub upper_bound: Option<f64>,
    /// A point of A and one of B that are that far apart [m]. Where they collide, the same point; of convex shapes, two
    /// that touch when A has been moved out of B.
    pub points: [[f64; 3]; 2],
}

/// Question how far two shapes are apart.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct DistanceRequest {
    /// Look for a distance of at most D [m] only, and stop early where there is none.
    #[cfg_attr(feature = "clap", arg(long, value_name = "D", value_parser = super::text::length))]
    #[serde(deserialize_with = "optional_length")]
    pub closer_than: Option<f64>,
    /// How much farther than the closest points the answer may be: a length [m], or a share of the distance like 1%.
    #[cfg_attr(feature = "clap", arg(long, value_name = "T"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "Option<String>")]
    pub tolerance: Option<Tolerance>,
    /// Tell how deep the shapes overlap as a negative distance.
    #[cfg_attr(feature = "clap", arg(long, conflicts_with_all = ["closer_than", "tolerance"]))]
    pub signed: bool,
}

impl DistanceRequest {
    pub(super) fn options(&self) -> DistanceOptions {
        let default = DistanceOptions::default();
        let limit = self.closer_than.unwrap_or(default.limit);
        match self.tolerance {
            None => DistanceOptions { limit, ..default },
            Some(Tolerance::Length(absolute)) => {
                DistanceOptions { limit, absolute_tolerance: absolute, ..default }
            }
            Some(Tolerance::Share(relative)) => {
                DistanceOptions { limit, relative_tolerance: relative, ..default }
            }
        }
    }
}

/// Distance of two convex shapes.
pub(super) fn of_convex(
    shapes: &[ConvexShape; 2],
    poses: &Poses,
    wanted: &DistanceRequest,
) -> Answered<Separation> {
    let found = convex::signed_distance_at(shapes, poses)?;
    Ok(match wanted.closer_than {
        Some(limit) if found.value > limit => Separation::FARTHER,
        _ if wanted.signed => {
            Separation::new([found.value, found.value], Some(found.at_most), &found.witnesses)
        }
        _ => Separation::new([found.value.max(0.0); 2], None, &found.witnesses),
    })
}

/// Distance of any two shapes.
pub(super) fn of_any([a, b]: &[Posed; 2], wanted: &DistanceRequest) -> Answered<Separation> {
    let found = if wanted.signed {
        query::signed_distance(a, b, &query::PenetrationOptions::default()).map(Some)
    } else {
        let own = wanted.options();
        let options = query::DistanceOptions {
            relative_tolerance: own.relative_tolerance,
            absolute_tolerance: own.absolute_tolerance,
        };
        query::distance_up_to(a, b, own.limit, &options)
    };
    let found = found.map_err(|error| error.to_string())?;
    Ok(found.map_or(Separation::FARTHER, |found| {
        let upper_bound = wanted.signed.then_some(found.upper_bound);
        Separation::new([found.value, found.lower_bound], upper_bound, &found.points)
    }))
}

/// Distance of two meshes.
pub(super) fn of_meshes(
    [a, b]: [&Model; 2],
    poses: &Poses,
    options: &DistanceOptions,
    cache: &mut DistanceCache,
) -> Answered<Separation> {
    let found = distance_with(a, &poses.a, b, &poses.b, options, cache).map_err(|error| error.to_string())?;
    Ok(found.map_or(Separation::FARTHER, |found| {
        Separation::new([found.value, found.lower_bound], None, &found.witnesses)
    }))
}

/// Signed distance of two meshes; `parallel` says whether the search shares the threads of the pool.
pub(super) fn signed([a, b]: [&Model; 2], poses: &Poses, parallel: bool) -> Answered<Separation> {
    let options = TranslationalOptions { parallel, ..TranslationalOptions::default() };
    let found = signed_distance(a, &poses.a, b, &poses.b, &options).map_err(|error| error.to_string())?;
    let [lower, upper] = found.bounds();
    Ok(Separation::new([found.value(), lower], Some(upper), &found.witnesses()))
}

impl Separation {
    const FARTHER: Self = Self::Farther { distance: (), lower_bound: (), points: () };

    fn new(
        [distance, lower_bound]: [f64; 2],
        upper_bound: Option<f64>,
        witnesses: &[Point3<f64>; 2],
    ) -> Self {
        Self::Within(Apart { distance, lower_bound, upper_bound, points: coordinates(witnesses) })
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
        let Apart { distance, lower_bound, upper_bound, points: [a, b] } = *found;
        if distance < 0.0 {
            write!(f, "{} m deep", number(-distance))?;
            let proved = upper_bound.map(|upper| -upper).filter(|&least| least > 0.0);
            return proved.map_or(Ok(()), |least| write!(f, " (at least {})", number(least)));
        }
        if !(distance > 0.0) {
            return f.write_str("colliding");
        }
        write!(f, "{} m apart", number(distance))?;
        if lower_bound < distance {
            write!(f, " (at least {})", number(lower_bound))?;
        }
        write!(f, ", at ({}) and ({})", text_of(&a), text_of(&b))
    }
}
