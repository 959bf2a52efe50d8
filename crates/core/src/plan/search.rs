//! The search: two trees that grow towards samples and towards each other (RRT-Connect) [Kuffner and LaValle 2000], with
//! samples in collision retracted by the generalized penetration [Tang14 §6.3].

use super::motion_validator::MotionValidator;
use super::retraction::Retraction;
use super::space::Space;
use super::tree::{Extension, ExtensionOptions, Passage, SearchTree};
use super::types::{PartialPlan, Plan, PlanError, PlanOptions, PlanWork};
use super::{check, shorten};
use crate::geometry::random::SplitMix64;
use crate::penetration::generalized::collision_world::CollisionWorld;
use crate::penetration::generalized::pose::Pose;
use crate::penetration::object_norm::metric::Metric;

/// Clearance of samples beyond that of the query, in resolutions: segments need room to start.
const GAP: f64 = 8.0;
/// Fraction of the samples that are drawn near nodes of the trees: of the whole space of a robot with many joints, few poses
/// are near any path. A larger one explores less of the space.
const LOCAL: f64 = 0.6;
/// Maximum √σ of a segment as a fraction of the size of the collision world. Retraction displaces longer ones too far where
/// they are blocked; shorter ones need more segments.
const MAX_STEP: f64 = 0.25;
/// Fraction of the free part of a blocked segment that is used, so that the next one has room to start.
const RETREAT: f64 = 0.97;
/// Minimum √σ of a segment, in resolutions: shorter ones are not worth a node.
const MIN_STEP: f64 = 10.0;
/// Maximum number of segments of one extension.
const MAX_SEGMENTS: usize = 64;
/// Number of samples after which passages are searched for: without narrow places fewer suffice.
const PATIENCE: u32 = 150;
/// One of this many samples is then drawn in a passage.
const PASSAGES: u32 = 2;

/// A bidirectional search for a path.
pub(super) struct BidirectionalSearch<'a> {
    pub(super) space: Space<'a>,
    pub(super) options: &'a PlanOptions,
    validator: MotionValidator<'a>,
    pub(super) numbers: SplitMix64,
    /// Trees of the start and of the goal.
    pub(super) trees: [SearchTree; 2],
    /// Trees in passages between these.
    pub(super) passages: Vec<Passage>,
    pub(super) resolution: f64,
    pub(super) work: PlanWork,
}

impl<'a> BidirectionalSearch<'a> {
    pub(super) fn new(
        collision_world: &'a CollisionWorld,
        ends: [&'a Pose; 2],
        options: &'a PlanOptions,
    ) -> Result<Self, PlanError> {
        let space = Space::new(collision_world, ends, options)?;
        let resolution = options.resolution * collision_world.size();
        let validator = MotionValidator::new(collision_world, options.clearance, resolution);
        let gap = options.clearance + GAP * resolution;
        let [start, goal] =
            ends.map(|end| space.metric(end).map(|metric| SearchTree::new(end.clone(), gap, &metric)));
        let trees = [start?, goal?];
        let numbers = SplitMix64(options.seed);
        let (passages, work) = (Vec::new(), PlanWork::default());
        Ok(Self { space, options, validator, numbers, trees, passages, resolution, work })
    }

    /// A path from the start to the goal.
    pub(super) fn run(&mut self) -> Result<Vec<Pose>, PlanError> {
        // The direct connection first: where there is room no sample is needed.
        if let Some(path) = self.connect(0, 0)? {
            return Ok(path);
        }
        let mut growing = 0;
        for sample in 0..self.options.max_samples {
            let is_hard = self.options.retraction && sample >= PATIENCE;
            let found = if is_hard && sample % PASSAGES == 0 {
                self.pass()?
            } else {
                // The trees grow in turn.
                growing = 1 - growing;
                self.grow(1 - growing)?
            };
            if let Some(path) = found {
                return Ok(path);
            }
        }
        Err(PlanError::NotFound { reached: Box::new(self.reached()?) })
    }

    /// Draws a sample, extends a tree towards it, and connects the other one to the new node.
    fn grow(&mut self, growing: usize) -> Result<Option<Vec<Pose>>, PlanError> {
        self.work.samples += 1;
        let mut sample = self.sample();
        let metric = self.space.metric(&sample)?;
        let (near, _) = self.trees[growing].nearest(&sample, &metric);
        let gap = self.gap();
        if !self.space.collision_world.is_free(std::slice::from_ref(&sample), gap)? {
            self.work.overlapping += 1;
            let free = self.trees[growing].pose(near);
            if let Some(retraction) = self.retraction()
                && let Some(retracted) = retraction.nearest_free(self.space.collision_world, &sample, free)
            {
                self.work.retracted += 1;
                sample = retracted;
            }
        }
        match self.extend(growing, near, &sample)? {
            Extension::Reached(node) | Extension::Advanced(node) => self.connect(growing, node),
            Extension::Trapped => Ok(None),
        }
    }

    /// A pose of the whole space, or one near a node of a tree.
    fn sample(&mut self) -> Pose {
        if self.numbers.unit_interval() >= LOCAL {
            return self.space.sample(&mut self.numbers);
        }
        let tree = &self.trees[usize::from(self.numbers.unit_interval() < 0.5)];
        let node = tree.pose((self.numbers.unit_interval() * tree.len() as f64) as usize);
        // The square favours samples close to the node.
        let fraction = self.numbers.unit_interval();
        self.space.sample_near(node, fraction * fraction, &mut self.numbers)
    }

    /// Clearance of samples [m].
    pub(super) fn gap(&self) -> f64 {
        self.options.clearance + GAP * self.resolution
    }

    fn retraction(&self) -> Option<Retraction> {
        self.options.retraction.then(|| Retraction { clearance: self.gap() })
    }

    pub(super) fn extend(&mut self, tree: usize, from: usize, to: &Pose) -> Result<Extension, PlanError> {
        let (step, gap) = (self.step(), self.gap());
        let options = extension(&self.space, self.options, self.resolution, [step, gap]);
        self.trees[tree].extend(from, to, &options, &mut self.validator)
    }

    /// Extends a tree in a passage, at a fraction of the resolution.
    pub(super) fn extend_passage(
        &mut self,
        tree: &mut SearchTree,
        from: usize,
        to: &Pose,
        fraction: f64,
    ) -> Result<Extension, PlanError> {
        let (step, gap) = (self.step(), self.gap());
        let resolution = fraction * self.resolution;
        let options = extension(&self.space, self.options, resolution, [step, gap]);
        self.validator.resolution = resolution;
        let extended = tree.extend(from, to, &options, &mut self.validator);
        self.validator.resolution = self.resolution;
        extended
    }

    /// Maximum √σ of a segment [m].
    pub(super) fn step(&self) -> f64 {
        self.options.step.unwrap_or_else(|| MAX_STEP * self.space.collision_world.size())
    }

    /// Extends the other tree towards a node of one (CONNECT); returns the path if it gets there.
    fn connect(&mut self, growing: usize, node: usize) -> Result<Option<Vec<Pose>>, PlanError> {
        let goal = self.trees[growing].pose(node).clone();
        let metric: Metric = self.space.metric(&goal)?;
        let other = 1 - growing;
        let (near, _) = self.trees[other].nearest(&goal, &metric);
        let Extension::Reached(met) = self.extend(other, near, &goal)? else { return Ok(None) };
        let (mut path, mut back) = (self.trees[growing].path_to(node), self.trees[other].path_to(met));
        // The path leads from the start to the goal, whichever tree has grown.
        if growing == 1 {
            std::mem::swap(&mut path, &mut back);
            // The meeting pose ends both branches.
        }
        back.pop();
        path.extend(back.into_iter().rev());
        Ok(Some(path))
    }

    /// The path shortened and verified.
    pub(super) fn finish(mut self, found: Vec<Pose>) -> Result<Plan, PlanError> {
        let found_length = shorten::length(&self.space, &found)?;
        let attempts = self.options.shortcuts;
        let path = shorten::shorten(&self.space, &mut self.validator, &mut self.numbers, found, attempts)?;
        let length = shorten::length(&self.space, &path)?;
        let checked = check::path(self.space.collision_world, &path)?;
        Ok(Plan { path, length, found_length, checked, work: self.work() })
    }

    fn work(&self) -> PlanWork {
        let nodes = [0, 1].map(|tree| self.trees[tree].len());
        PlanWork { nodes, segments: self.validator.validated, ..self.work }
    }

    /// The path to the node of the start tree that is nearest to a node of the goal tree, with their distance.
    fn reached(&self) -> Result<PartialPlan, PlanError> {
        let [start, goal] = &self.trees;
        let (mut best, mut min) = (0, f64::INFINITY);
        for node in 0..start.len() {
            let metric = self.space.metric(start.pose(node))?;
            let (_, sigma) = goal.nearest(start.pose(node), &metric);
            if sigma < min {
                (best, min) = (node, sigma);
            }
        }
        Ok(PartialPlan { path: start.path_to(best), gap: min.sqrt(), work: self.work() })
    }
}

/// The parameters of an extension with a maximum step and a clearance of retracted poses [m].
fn extension<'a>(
    space: &'a Space<'a>,
    options: &PlanOptions,
    resolution: f64,
    [step, gap]: [f64; 2],
) -> ExtensionOptions<'a> {
    ExtensionOptions {
        space,
        step,
        min: MIN_STEP * resolution,
        retreat: RETREAT,
        max_segments: MAX_SEGMENTS,
        retracts: options.retraction,
        gap,
    }
}
