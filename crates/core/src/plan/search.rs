//! The search: two trees that grow towards samples and towards each other [Kuffner and LaValle 2000], with samples that
//! overlap retracted by the generalized penetration [Tang14 §6.3].

use super::retraction::Retraction;
use super::space::Space;
use super::sweep::Sweeper;
use super::tree::{Extension, Tree, Walk};
use super::types::{Plan, PlanError, PlanOptions, PlanWork, Reached};
use super::{check, shorten};
use crate::geometry::random::SplitMix64;
use crate::penetration::generalized::arrangement::Arrangement;
use crate::penetration::generalized::pose::Pose;
use crate::penetration::object_norm::metric::Metric;

/// Gap that samples keep, in resolutions beyond the clearance.
const GAP: f64 = 8.0;
/// Share of the samples that are drawn near nodes of the trees: of a robot with many joints, few poses of the whole
/// space are near any way.
const LOCAL: f64 = 0.6;
/// Greatest √σ of a segment, as a share of the size of the arrangement. A longer one is moved aside too far where something
/// is in the way, a shorter one costs more.
const STEP: f64 = 0.25;
/// Share of the free part of a blocked segment that is gone.
const RETREAT: f64 = 0.97;
/// Least √σ of a segment, in resolutions.
const LEAST: f64 = 10.0;
/// Greatest number of segments of one extension.
const MOST: usize = 64;

/// A search for a path.
pub(super) struct Search<'a> {
    space: Space<'a>,
    options: &'a PlanOptions,
    sweeper: Sweeper<'a>,
    numbers: SplitMix64,
    /// Of the start and of the goal.
    trees: [Tree; 2],
    resolution: f64,
    work: PlanWork,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        arrangement: &'a Arrangement,
        ends: [&'a Pose; 2],
        options: &'a PlanOptions,
    ) -> Result<Self, PlanError> {
        let space = Space::new(arrangement, ends, options)?;
        let resolution = options.resolution * arrangement.size();
        let sweeper = Sweeper::new(arrangement, options.clearance, resolution);
        let [start, goal] = ends.map(|end| space.metric(end).map(|metric| Tree::new(end.clone(), &metric)));
        let trees = [start?, goal?];
        let numbers = SplitMix64(options.seed);
        Ok(Self { space, options, sweeper, numbers, trees, resolution, work: PlanWork::default() })
    }

    /// A path from the start to the goal.
    pub(super) fn run(&mut self) -> Result<Vec<Pose>, PlanError> {
        // The straight way first.
        if let Some(path) = self.connect(0, 0)? {
            return Ok(path);
        }
        for sample in 0..self.options.max_samples {
            let growing = sample as usize % 2;
            if let Some(path) = self.grow(growing)? {
                return Ok(path);
            }
        }
        Err(PlanError::NotFound { reached: Box::new(self.reached()?) })
    }

    /// Draws a sample, grows a tree towards it, and the other one towards what was gained.
    fn grow(&mut self, growing: usize) -> Result<Option<Vec<Pose>>, PlanError> {
        self.work.samples += 1;
        let mut sample = self.sample();
        let metric = self.space.metric(&sample)?;
        let (near, _) = self.trees[growing].nearest(&sample, &metric);
        let gap = self.gap();
        if !self.space.arrangement.is_free(std::slice::from_ref(&sample), gap)? {
            self.work.overlapping += 1;
            let free = self.trees[growing].pose(near);
            if let Some(retraction) = self.retraction()
                && let Some(retracted) = retraction.nearest_free(self.space.arrangement, &sample, free)
            {
                self.work.retracted += 1;
                sample = retracted;
            }
        }
        match self.extend(growing, near, &sample)? {
            Extension::Reached(node) | Extension::Blocked(node) => self.connect(growing, node),
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
        let share = self.numbers.unit_interval();
        self.space.sample_near(node, share * share, &mut self.numbers)
    }

    /// Gap that samples keep [m]: segments need room to start.
    fn gap(&self) -> f64 {
        self.options.clearance + GAP * self.resolution
    }

    fn retraction(&self) -> Option<Retraction> {
        self.options.retraction.then(|| Retraction { clearance: self.gap() })
    }

    fn extend(&mut self, tree: usize, from: usize, to: &Pose) -> Result<Extension, PlanError> {
        let walk = Walk {
            space: &self.space,
            step: self.options.step.unwrap_or_else(|| STEP * self.space.arrangement.size()),
            least: LEAST * self.resolution,
            retreat: RETREAT,
            most: MOST,
            retraction: self.retraction(),
        };
        self.trees[tree].extend(from, to, &walk, &mut self.sweeper)
    }

    /// Grows the other tree towards a node of one; the path where it gets there.
    fn connect(&mut self, growing: usize, node: usize) -> Result<Option<Vec<Pose>>, PlanError> {
        let goal = self.trees[growing].pose(node).clone();
        let metric: Metric = self.space.metric(&goal)?;
        let other = 1 - growing;
        let (near, _) = self.trees[other].nearest(&goal, &metric);
        let Extension::Reached(met) = self.extend(other, near, &goal)? else { return Ok(None) };
        let (mut path, mut back) = (self.trees[growing].path_to(node), self.trees[other].path_to(met));
        if growing == 1 {
            std::mem::swap(&mut path, &mut back);
        }
        back.pop();
        path.extend(back.into_iter().rev());
        Ok(Some(path))
    }

    /// The path shortened and checked.
    pub(super) fn finish(mut self, found: Vec<Pose>) -> Result<Plan, PlanError> {
        let found_length = shorten::length(&self.space, &found)?;
        let attempts = self.options.shortcuts;
        let path = shorten::shorten(&self.space, &mut self.sweeper, &mut self.numbers, found, attempts)?;
        let length = shorten::length(&self.space, &path)?;
        let checked = check::path(self.space.arrangement, &path)?;
        Ok(Plan { path, length, found_length, checked, work: self.work() })
    }

    fn work(&self) -> PlanWork {
        let nodes = [0, 1].map(|tree| self.trees[tree].len());
        PlanWork { nodes, segments: self.sweeper.sweeps, ..self.work }
    }

    /// The two nodes of different trees that are nearest to each other.
    fn reached(&self) -> Result<Reached, PlanError> {
        let [start, goal] = &self.trees;
        let (mut best, mut least) = (0, f64::INFINITY);
        for node in 0..start.len() {
            let metric = self.space.metric(start.pose(node))?;
            let (_, sigma) = goal.nearest(start.pose(node), &metric);
            if sigma < least {
                (best, least) = (node, sigma);
            }
        }
        Ok(Reached { path: start.path_to(best), gap: least.sqrt(), work: self.work() })
    }
}
