//! What a penetration query may be asked to do.

use std::time::Duration;

use crate::penetration::free_configuration::FreeConfiguration;

/// How much work a query may do. Both are bounds on work, not on time: the answer is reproducible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// One walk, from outside along the centroid difference or an axis of either body, whichever meets the other body
    /// last.
    Fast,
    /// Casts along two hundred directions from outside and walks from the best; walks from pockets and holes; casts
    /// around the best direction; marches along two hundred directions from inside, and walks from what is nearer.
    /// Ends as soon as the lower bound meets the depth.
    #[default]
    Best,
}

/// How much work the lower bound is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LowerBound {
    /// None: the bound is zero.
    Skip,
    /// Balls inside each model against the signed distance of the other one.
    #[default]
    InnerBalls,
    /// Beyond that, a cover of the ball of shorter translations by ones that are proved to collide.
    Cover {
        /// Cubes that may be looked at and signed distances that may be evaluated for them, together: a thousand take
        /// a few milliseconds.
        evaluations: u32,
    },
}

/// Options of a penetration query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TranslationalOptions {
    /// How much work to do.
    pub effort: Effort,
    /// The one source of starts to use: one walk from its most promising start where the effort is fast, else up to
    /// ten, and an error where it has no free configuration. `None` leaves the choice and the order to the effort.
    pub start: Option<FreeConfiguration>,
    /// In-projections that one walk may make. Most walks need fewer than ten; on a finely meshed curved surface each
    /// facet may cost one. Two convex shapes may take ten times as many supports.
    pub max_iterations: u32,
    /// How much work the lower bound is worth.
    pub lower_bound: LowerBound,
    /// Accepted difference of the bounds of two convex shapes, relative to the depth; a search among triangles has its own
    /// criterion.
    pub relative_tolerance: f64,
    /// Time after which the best answer so far is returned; `None` for no such limit. An answer under a budget
    /// depends on the machine and is not reproducible.
    pub time_budget: Option<Duration>,
    /// Seed of the random starts.
    pub seed: u64,
    /// Whether one thorough query uses all threads of the current rayon pool. The answer does not depend on it; where many
    /// queries run side by side, each is cheaper alone.
    pub parallel: bool,
}

impl Default for TranslationalOptions {
    fn default() -> Self {
        Self {
            effort: Effort::default(),
            start: None,
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
    /// The same question with the roles of A and B exchanged.
    pub(super) fn exchanged(&self) -> Self {
        Self { start: self.start.map(FreeConfiguration::exchanged), ..*self }
    }
}
