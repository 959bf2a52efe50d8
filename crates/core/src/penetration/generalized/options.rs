//! What a query may be asked to do, and what it answers.

use std::fmt;

use super::pose::Pose;
use crate::penetration::translational::options::Effort;

/// Where a descent may start: a source of configurations [Tang14 §5.1].
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum GeneralizedStart {
    /// From the overlap itself, outwards along all contacts at once.
    #[default]
    Direct,
    /// Links that collide are perturbed one after another, tips first [Tang14 alg. 1].
    SuccessivePerturbation,
    /// The whole is moved out as one rigid body, in the directions that its base leaves free [Tang14 eq. 20].
    ConstrainedTranslation,
    /// From outside along the difference of the centroids [Je12 §5.1].
    CentroidDifference,
    /// Near where it was free before; needs a [`GeneralizedCoherence`].
    MotionCoherence,
    /// From the answer of the translational penetration, for rigid bodies.
    Translational,
    /// Random perturbations, from the seed of the options.
    Random,
    /// These poses, free or not.
    Given(Vec<Pose>),
}

impl GeneralizedStart {
    /// The source that answers from this start name.
    #[must_use]
    pub fn source(&self) -> GeneralizedSource {
        match self {
            Self::Direct => GeneralizedSource::Direct,
            Self::SuccessivePerturbation => GeneralizedSource::SuccessivePerturbation,
            Self::ConstrainedTranslation => GeneralizedSource::ConstrainedTranslation,
            Self::CentroidDifference => GeneralizedSource::CentroidDifference,
            Self::MotionCoherence => GeneralizedSource::MotionCoherence,
            Self::Translational => GeneralizedSource::Translational,
            Self::Random => GeneralizedSource::Random,
            Self::Given(_) => GeneralizedSource::Given,
        }
    }
}

/// Source of the configuration from which the descent set out that led to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GeneralizedSource {
    /// The overlap itself.
    #[default]
    Direct,
    /// The overlap itself, with all links leaving an obstacle through the same face.
    CommonExit,
    /// The overlap itself, moved as one body first.
    OneBody,
    /// Links perturbed one after another [Tang14 alg. 1].
    SuccessivePerturbation,
    /// The whole translated as its base allows [Tang14 eq. 20].
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
    /// A random perturbation.
    Random,
    /// Poses that were given.
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
            Self::Random => "random",
            Self::Given => "given",
        })
    }
}

/// Options of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneralizedOptions {
    /// How much work the query may do.
    pub effort: Effort,
    /// The one source of starts to use, and an error where it finds none; `None` leaves the choice and the order to the
    /// effort.
    pub start: Option<GeneralizedStart>,
    /// How far apart everything shall be in the end [m].
    pub clearance: f64,
    /// Greatest √σ [m] that is acceptable.
    pub max_move: Option<f64>,
    /// Steps that one descent may make.
    pub max_iterations: u32,
    /// Seed of the random starts: the same seed gives the same answer.
    pub seed: u64,
    /// Whether the starts of best effort may share the threads of the current pool; the answer does not depend on it.
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
            parallel: true,
        }
    }
}

impl GeneralizedOptions {
    /// One descent, and others only where it fails.
    #[must_use]
    pub fn fast() -> Self {
        Self { effort: Effort::Fast, ..Self::default() }
    }
}

/// The least change that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneralizedPenetration {
    /// σ [m²]: the object norm of the change, the mean over the movers weighted by their volumes.
    pub sigma: f64,
    /// √σ [m].
    pub depth: f64,
    /// Mean squared displacement of all points [m²], reported beside σ, which sums what each joint does alone.
    pub mean_squared_displacement: f64,
    /// A pose of each mover.
    pub poses: Vec<Pose>,
    /// How far apart everything is there [m], as far as it was looked for; negative where the best effort overlaps.
    pub clearance: f64,
    /// Whether all joints are within their limits.
    pub limits_kept: bool,
    /// Whether collision queries of the models at these poses found everything free.
    pub verified_free: bool,
    /// Steps of all descents.
    pub iterations: u32,
    /// The source of the start that led here.
    pub source: GeneralizedSource,
}

/// What a sequence of queries remembers: poses that were free.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GeneralizedCoherence {
    free: Vec<Vec<Pose>>,
}

/// Free poses that are remembered.
const REMEMBERED: usize = 4;

impl GeneralizedCoherence {
    /// Remembers poses that are known to be free.
    pub fn remember(&mut self, poses: &[Pose]) {
        self.free.truncate(REMEMBERED - 1);
        self.free.insert(0, poses.to_vec());
    }

    /// Poses that were free, the last first.
    #[must_use]
    pub fn free(&self) -> &[Vec<Pose>] {
        &self.free
    }
}
