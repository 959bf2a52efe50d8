//! Options and result of a generalized penetration query.

use std::fmt;
use std::time::Duration;

use super::constraint_error::ConstraintError;
use super::pose::Pose;
use crate::penetration::translational::options::Effort;

/// A source of configurations from which a descent starts [Tang14 §5.1].
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum GeneralizedStart {
    /// The overlap itself: the descent moves out along all contacts at once.
    #[default]
    Direct,
    /// Links that collide are perturbed successively, tips first [Tang14 alg. 1].
    SuccessivePerturbation,
    /// The whole model is translated out as one rigid body, in the directions that its base leaves free [Tang14 eq. 20].
    ConstrainedTranslation,
    /// Outside along the difference of the centroids [Je12 §5.1].
    CentroidDifference,
    /// Configurations that were free in earlier queries; needs a [`GeneralizedCoherence`].
    MotionCoherence,
    /// The translational penetration, for rigid bodies.
    Translational,
    /// The model scaled down about its root and grown back to its size among the obstacles.
    Growth,
    /// Random perturbations, seeded by the options.
    Random,
    /// The poses given, free or not.
    Given(Vec<Pose>),
}

impl GeneralizedStart {
    /// The source that a result from this start reports.
    #[must_use]
    pub fn source(&self) -> GeneralizedSource {
        match self {
            Self::Direct => GeneralizedSource::Direct,
            Self::SuccessivePerturbation => GeneralizedSource::SuccessivePerturbation,
            Self::ConstrainedTranslation => GeneralizedSource::ConstrainedTranslation,
            Self::CentroidDifference => GeneralizedSource::CentroidDifference,
            Self::MotionCoherence => GeneralizedSource::MotionCoherence,
            Self::Translational => GeneralizedSource::Translational,
            Self::Growth => GeneralizedSource::Growth,
            Self::Random => GeneralizedSource::Random,
            Self::Given(_) => GeneralizedSource::Given,
        }
    }
}

/// Source of the start configuration of the descent that led to a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GeneralizedSource {
    /// The overlap itself.
    #[default]
    Direct,
    /// The overlap itself, with all links leaving an obstacle through the same face.
    CommonExit,
    /// The overlap itself, after each movable model has first been moved as one body.
    OneBody,
    /// Links perturbed successively [Tang14 alg. 1].
    SuccessivePerturbation,
    /// The whole model translated as its base allows [Tang14 eq. 20].
    ConstrainedTranslation,
    /// Outside along the difference of the centroids [Je12 §5.1].
    CentroidDifference,
    /// A configuration that was free in an earlier query.
    MotionCoherence,
    /// The translational penetration.
    Translational,
    /// Outside, along evenly spread directions at several orientations.
    Outside,
    /// A hole or hollow of a model.
    ClearConfiguration,
    /// The model grown back to its size about its root.
    Growth,
    /// The overlap itself, or the point of minimum constraint violation found, from which feasibility is restored first.
    Restoration,
    /// A whole movable model moved far along one of the joints, or directions of its base, that carry all of it.
    Shift,
    /// A random perturbation.
    Random,
    /// The poses given.
    Given,
}

impl fmt::Display for GeneralizedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direct => "direct",
            Self::CommonExit => "common exit",
            Self::OneBody => "one body",
            Self::SuccessivePerturbation => "successive perturbation",
            Self::ConstrainedTranslation => "constrained translation",
            Self::CentroidDifference => "centroid difference",
            Self::MotionCoherence => "motion coherence",
            Self::Translational => "translational",
            Self::Outside => "outside",
            Self::ClearConfiguration => "clear configuration",
            Self::Growth => "growth",
            Self::Restoration => "restoration",
            Self::Shift => "shift",
            Self::Random => "random",
            Self::Given => "given",
        })
    }
}

/// Reason for which a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SearchEnd {
    /// The descents that the options prescribe were made: one for fast effort that succeeds nearby at once.
    #[default]
    Completed,
    /// Nothing improved for as much work as it took to find the result.
    NoImprovement,
    /// The bound of work was reached.
    WorkBound,
    /// The time budget was spent, or the caller stopped the search.
    Stopped,
    /// A part cannot leave an obstacle in any configuration.
    Impossible,
}

impl fmt::Display for SearchEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completed => "completed",
            Self::NoImprovement => "no improvement",
            Self::WorkBound => "work bound",
            Self::Stopped => "stopped",
            Self::Impossible => "impossible",
        })
    }
}

/// Extent of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchSummary {
    /// Number of descents.
    pub descents: u32,
    /// Number of descents after which the result had been found: it is that of the last one of them.
    pub improved_at: u32,
    /// Work of the search, in signed distances of convex pieces; other queries count as so many of them.
    pub work: u64,
    /// Reason for which it ended.
    pub end: SearchEnd,
}

/// Bounds of the work of a search, in signed distances of convex pieces, each about a microsecond; other queries count as so
/// many of them. They are counts, so that the result is the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkBounds {
    /// Work within which no search ends for want of improvement, unless two rounds of 32 random descents bring none.
    pub min: u64,
    /// The same of best effort, if it is more, where the descent from the overlap itself fails: what other starts find is seldom the
    /// nearest. A third of it where the result of either effort is far from the input.
    pub min_after_failure: u64,
    /// Work without improvement that ends a search, as a multiple of the work up to the last improvement; fast effort,
    /// which searches only where its first descent fails or ends far from the input, has a quarter of it unless the result is far.
    pub patience: f64,
    /// Work at which a search ends that has found free poses, after the descent that it is in.
    pub max: u64,
    /// Work at which a search ends that has found none, if it is more than `max`: an answer is worth more than a better one. It counts
    /// anew after the first sources, unless the search ends there, and two descents of the last resort may follow.
    pub max_without_result: u64,
}

impl Default for WorkBounds {
    fn default() -> Self {
        Self {
            min: MIN_WORK,
            min_after_failure: MIN_WORK_AFTER_FAILURE,
            patience: PATIENCE,
            max: MAX_WORK,
            max_without_result: MAX_WITHOUT_RESULT,
        }
    }
}

/// Default minimum work: some milliseconds, in which an easy scene has all of its starts.
const MIN_WORK: u64 = 4_000;
/// Default minimum work where the descent from the overlap itself fails: some fifty milliseconds.
const MIN_WORK_AFTER_FAILURE: u64 = 60_000;
/// Default patience: a search ends when nothing improved for as long as it took to get there.
const PATIENCE: f64 = 1.0;
/// Default maximum work: less than half a second on one core for convex pieces; of triangle models, which are charged by an average, up
/// to a second.
const MAX_WORK: u64 = 400_000;
/// Default maximum work without a result.
const MAX_WITHOUT_RESULT: u64 = 1_000_000;

/// Options of a generalized penetration query.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneralizedOptions {
    /// Amount of work the query may do.
    pub effort: Effort,
    /// The only source of starts to use, with an error where it finds none; `None` leaves the sources and their order to the
    /// effort.
    pub start: Option<GeneralizedStart>,
    /// Clearance that all pairs must have in the result \[m\].
    pub clearance: f64,
    /// Maximum acceptable depth √σ \[m\]; `None` accepts any.
    pub max_move: Option<f64>,
    /// Maximum number of steps of one descent.
    pub max_iterations: u32,
    /// Seed of the random starts: the same seed gives the same result.
    pub seed: u64,
    /// Bounds of the work.
    pub work: WorkBounds,
    /// Time after which the best result so far is returned, which is then not reproducible; unlimited if none.
    pub time_budget: Option<Duration>,
    /// Whether the starts of best effort may run on the threads of the current pool; the result does not depend on it.
    pub parallel: bool,
}

impl Default for GeneralizedOptions {
    fn default() -> Self {
        Self {
            effort: Effort::Best,
            start: None,
            clearance: 0.0,
            max_move: None,
            max_iterations: 60,
            seed: 0,
            work: WorkBounds::default(),
            time_budget: None,
            parallel: true,
        }
    }
}

impl GeneralizedOptions {
    /// Options for one descent and, only where it fails or ends far from the input, a search with less patience.
    #[must_use]
    pub fn fast() -> Self {
        Self { effort: Effort::Fast, ..Self::default() }
    }
}

/// The minimum change found.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneralizedPenetration {
    /// σ \[m²\]: the object norm of the change, the mean over the movable models weighted by their volumes.
    pub sigma: f64,
    /// √σ \[m\].
    pub depth: f64,
    /// Mean squared displacement of all points \[m²\]; σ differs from it by summing the displacements of each joint alone.
    pub mean_squared_displacement: f64,
    /// Pose of each movable model.
    pub poses: Vec<Pose>,
    /// Minimum clearance at these poses \[m\], as far as it was looked for; negative where the best effort still overlaps.
    pub clearance: f64,
    /// Whether all joints are within their limits.
    pub limits_kept: bool,
    /// Whether the independent collision queries of the models found these poses free.
    pub verified_free: bool,
    /// Each constraint with its error, measured by a forward kinematics that the search does not use.
    pub constraints: Vec<ConstraintError>,
    /// Names of the constraints that leave parts which overlap here no freedom to separate; empty where nothing overlaps.
    pub immobilised_by: Vec<String>,
    /// Steps of all descents.
    pub iterations: u32,
    /// Source of the start configuration.
    pub source: GeneralizedSource,
    /// Extent of the search.
    pub summary: SearchSummary,
}

/// State of a sequence of queries: poses that were free.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GeneralizedCoherence {
    free: Vec<Vec<Pose>>,
}

/// Number of free poses stored. More give more starts to descend from, each at the cost of one descent per query. No
/// effect on the sets of docs/sensitivity.md.
const REMEMBERED: usize = 4;

impl GeneralizedCoherence {
    /// Stores poses that are known to be free.
    pub fn remember(&mut self, poses: &[Pose]) {
        self.free.truncate(REMEMBERED - 1);
        self.free.insert(0, poses.to_vec());
    }

    /// Stored free poses, the latest first.
    #[must_use]
    pub fn free(&self) -> &[Vec<Pose>] {
        &self.free
    }
}
