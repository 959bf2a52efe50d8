//! Generalized penetration depth of two shapes, which allows rotations as well as translations.

use std::fmt;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fields::optional_length;
use super::reply::{PoseResponse, Reply};
use super::text::{EffortArgument, number, text_of};
use extricate_core::penetration::generalized::SearchEnd;
use extricate_core::penetration::{Effort, default_clearance};
use extricate_core::query::{self, Cache, CollideOptions, Posed, QueryError, RigidPenetrationOptions};

/// Generalized penetration of two shapes, or their separation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum GeneralizedResponse {
    /// They overlap.
    #[schemars(extend("x-status" = ["penetrating"]))]
    Penetrating(FreePose),
    /// They do not overlap.
    #[schemars(extend("x-status" = ["separate"]))]
    Separate {},
}

/// The nearest free pose that was found, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FreePose {
    /// Mean squared displacement of the points of A \[m²\].
    #[schemars(range(min = 0.0))]
    pub sigma: f64,
    /// Its square root \[m\].
    #[schemars(range(min = 0.0))]
    pub depth: f64,
    /// Pose of A at which it is free of B.
    pub pose: PoseResponse,
    /// Minimum distance from B that was demanded at that pose \[m\].
    #[schemars(range(min = 0.0))]
    pub clearance: f64,
    /// Iterations of all descents.
    pub iterations: u32,
    /// Bound that ended the search before all was searched that the effort asks for, so that nearer poses may exist: `work bound` or
    /// `stopped` by the time budget; absent where no bound did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub ended_by: Option<String>,
    /// Whether an independent collision query found A free of B at that pose; always true.
    #[schemars(extend("const" = true))]
    pub verified_free: bool,
}

/// Request for the minimum motion of A, rotations included, that frees it from B.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct GeneralizedRequest {
    /// Computational effort of a query.
    #[cfg_attr(feature = "clap", arg(long, value_name = "EFFORT", default_value = "best"))]
    pub effort: EffortArgument,
    /// Poses of consecutive lines are close: start the search from the previous free pose as well.
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(skip)]
    pub coherent: bool,
    /// Minimum clearance of A from B at the pose \[m\], which `depth` and `sigma` include; 0 for the depth itself [default: 1e-4 of
    /// the size of A, at least 1e-5, unless there is no room for it].
    #[cfg_attr(feature = "clap", arg(long, value_name = "D", value_parser = super::text::length))]
    #[serde(deserialize_with = "optional_length")]
    pub clearance: Option<f64>,
    /// Seed of the random starts.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 0))]
    pub seed: u64,
    /// Return the best pose found within S seconds; such a result depends on the machine and is not reproducible.
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", value_parser = super::text::seconds))]
    #[serde(skip)]
    pub time_budget: Option<Duration>,
}

impl GeneralizedRequest {
    pub(super) fn options(&self, parallel: bool) -> RigidPenetrationOptions {
        let Self { effort, seed, time_budget, .. } = *self;
        let clearance = self.clearance.unwrap_or_default();
        let of_effort = match effort.into() {
            Effort::Fast => RigidPenetrationOptions::fast(),
            Effort::Best => RigidPenetrationOptions::default(),
        };
        RigidPenetrationOptions { clearance, seed, parallel, time_budget, ..of_effort }
    }
}

/// Searches for the nearest free pose of A, world frame; with the default clearance where none is `given`.
pub(super) fn search(
    [a, b]: &[Posed; 2],
    (options, is_given): (&RigidPenetrationOptions, bool),
    cache: &mut Cache,
) -> Result<GeneralizedResponse, QueryError> {
    let started = Instant::now();
    let mut run = |clearance: f64| {
        // A second search has the rest of the budget.
        let time_budget = options.time_budget.map(|budget| budget.saturating_sub(started.elapsed()));
        let options = RigidPenetrationOptions { clearance, time_budget, ..options.clone() };
        Ok((query::penetration_rigid_with(a, b, &options, cache)?, clearance))
    };
    // Shapes that do not overlap are not moved for the sake of the default.
    let are_apart = query::collide(a, b, &CollideOptions::default()).is_ok_and(|collides| !collides);
    let (found, clearance) = match is_given || are_apart {
        true => run(options.clearance)?,
        false => match run(default_clearance(2.0 * a.part(0).shape.bounding_sphere().1)) {
            // B may leave no room for it.
            Err(QueryError::PenetrationRigid(_)) => run(0.0)?,
            found => found?,
        },
    };
    let answer = |found: query::RigidPenetration| FreePose {
        sigma: found.sigma,
        depth: found.depth,
        pose: (&found.pose).into(),
        clearance,
        iterations: found.iterations,
        ended_by: matches!(found.ended_by, SearchEnd::WorkBound | SearchEnd::Stopped)
            .then(|| found.ended_by.to_string()),
        verified_free: found.verified_free,
    };
    Ok(found.map(answer).map_or(GeneralizedResponse::Separate {}, GeneralizedResponse::Penetrating))
}

impl Reply for GeneralizedResponse {
    fn status(&self) -> &'static str {
        match self {
            Self::Penetrating(_) => "penetrating",
            Self::Separate {} => "separate",
        }
    }
}

impl fmt::Display for GeneralizedResponse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self::Penetrating(found) = self else { return f.write_str("separate") };
        let [w, x, y, z] = found.pose.rotation.map(number);
        let place = text_of(&found.pose.translation);
        write!(f, "{} m deep (root mean square); A is free at ({place}), rotated by ", number(found.depth))?;
        write!(f, "({w}, {x}, {y}, {z})")
    }
}
