//! Options of translational penetration queries.

use std::time::{Duration, Instant};

use crate::geometry::Norm;
use crate::penetration::allowed_translations::AllowedTranslations;
use crate::penetration::free_configuration::FreeConfiguration;

/// Effort of a query. Both are bounds on work, not on time: the result is reproducible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// Marches from inside along up to 128 directions, as far as samples of the bodies leave room for a gap, and a walk from the
    /// nearest gap; without one, a walk from outside along the centroid difference.
    Fast,
    /// First the fast search. Then casts along two hundred directions from outside and walks from the best; walks from pockets
    /// and holes; casts around the best direction; marches along two hundred directions from inside, and walks from nearer free
    /// places; marches as in the fast search along five hundred directions.
    /// Ends as soon as the lower bound meets the depth.
    #[default]
    Best,
}

/// Effort of the lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LowerBound {
    /// For the best effort [`LowerBound::CROSSINGS`]. For the fast one, which they hardly slow down, balls, and where a model has
    /// no inside the crossings of two patches.
    #[default]
    ByEffort,
    /// None: the bound is zero.
    Skip,
    /// Balls inside each model against the signed distance of the other one; zero for a model without an inside.
    InnerBalls,
    /// In addition, where the balls prove less than 0.95 of the depth, curves on each model that cross patches of the other
    /// one: for surfaces, open meshes and thin walls.
    Crossings {
        /// Maximum number of patches that are tried: each takes about a tenth of a millisecond, and what comes before them
        /// two to four times as long as a fast query.
        patches: u32,
    },
    /// In addition, a cover of the ball of shorter translations by ones that are proved to collide. Where it cannot prove
    /// that, it searches for a shorter separating translation, which then is the result.
    Cover {
        /// Maximum number of cubes, plus signed distances evaluated for them, plus 64 for each search for a crossing: a
        /// thousand take a few milliseconds.
        evaluations: u32,
    },
}

impl LowerBound {
    /// Crossings of up to twelve patches.
    pub const CROSSINGS: Self = Self::Crossings { patches: 12 };

    /// The method for an effort, given whether both models have inner balls.
    pub(super) fn resolved(self, effort: Effort, have_balls: impl Fn() -> bool) -> Self {
        match (self, effort) {
            (Self::ByEffort, Effort::Fast) if have_balls() => Self::InnerBalls,
            (Self::ByEffort, Effort::Fast) => Self::Crossings { patches: 2 },
            (Self::ByEffort, Effort::Best) => Self::CROSSINGS,
            (given, _) => given,
        }
    }
}

/// Fraction of a time budget after which a search ends: the rest is for the query that is being made then, the verification
/// of the result and its lower bound. Without it, one of some hundred queries on meshes of ten thousand triangles takes 1.3
/// times its budget of 50 ms.
const SEARCHED: f64 = 0.85;

/// Time at which a search with this budget ends.
pub(crate) fn deadline(time_budget: Option<Duration>) -> Option<Instant> {
    Instant::now().checked_add(time_budget?.mul_f64(SEARCHED))
}

/// Options of a penetration query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TranslationalOptions {
    /// Effort of the search.
    pub effort: Effort,
    /// The one source of starts to use: one walk from its most promising start for the fast effort, otherwise up to
    /// ten, and an error if it has no free configuration. `None` leaves the choice and the order to the effort.
    pub start: Option<FreeConfiguration>,
    /// Translations of A to which the separation is restricted; `None` for none. Starts are then taken among them, whatever
    /// `start` and earlier poses say.
    pub allowed: Option<AllowedTranslations>,
    /// Norm in which the depth is measured and the translation is the shortest, with respect to the axes of the world.
    pub norm: Norm,
    /// Whether the search looks for gaps that are nearer than what a walk from outside finds, by marches from inside. Simulations and
    /// separations of many bodies pass `false`: they keep the side that is reached from outside along the centroid difference or
    /// an axis of either body, whichever meets the other body last, in less time.
    pub gaps: bool,
    /// Maximum number of in-projections of one walk. Most walks need fewer than ten; on a finely meshed curved surface each
    /// facet may cost one. Two convex shapes may take ten times as many support evaluations.
    pub max_iterations: u32,
    /// Effort of the lower bound.
    pub lower_bound: LowerBound,
    /// Accepted difference of the bounds of two convex shapes, relative to the depth; a search among triangles has its own
    /// criterion.
    pub relative_tolerance: f64,
    /// Time after which the best result so far is returned; `None` for no limit. A result under a budget
    /// depends on the machine and is not reproducible.
    pub time_budget: Option<Duration>,
    /// Seed of the random starts.
    pub seed: u64,
    /// Whether one thorough query uses all threads of the current rayon pool. The result does not depend on it; if many
    /// queries run concurrently, one thread each is cheaper.
    pub parallel: bool,
}

impl Default for TranslationalOptions {
    fn default() -> Self {
        Self {
            effort: Effort::default(),
            start: None,
            allowed: None,
            norm: Norm::L2,
            gaps: true,
            max_iterations: 100,
            lower_bound: LowerBound::default(),
            relative_tolerance: 1e-9,
            time_budget: None,
            seed: 0,
            parallel: true,
        }
    }
}

impl TranslationalOptions {
    /// The options with the roles of A and B exchanged.
    pub(super) fn exchanged(&self) -> Self {
        let allowed = self.allowed.map(AllowedTranslations::exchanged);
        Self { start: self.start.map(FreeConfiguration::exchanged), allowed, ..*self }
    }
}
