//! The queries: is it free, what collides, and the least change with its independent check.

use nalgebra::Isometry3;
use rayon::prelude::*;

use super::arrangement::{Arrangement, BodyPair};
use super::chart::Chart;
use super::descent::{Descended, Descent, squared};
use super::pairs::ScanOptions;
use super::{CollidingPair, GeneralizedError, GeneralizedOptions, GeneralizedPenetration, Pose, starts};
use crate::penetration::Effort;
use crate::penetration::convex::ConvexOptions;
use crate::proximity::{collide, is_within};

/// Starts of best effort.
const STARTS: u64 = 96;
/// Starts that fast effort tries after the direct one has failed.
const FALLBACKS: u64 = 24;

impl Arrangement {
    /// Whether nothing overlaps, and everything is farther apart than `clearance` [m]. Limits of joints are not looked at.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses are none of these movers.
    pub fn is_free(&self, poses: &[Pose], clearance: f64) -> Result<bool, GeneralizedError> {
        self.check(poses)?;
        let chart = Chart::new(self, poses);
        let y = vec![0.0; chart.dimension()];
        let touches = self.with_workspace(|workspace| {
            chart.place(self, &y, &mut workspace.frames);
            workspace.scan.forget();
            self.touches(&workspace.frames, clearance, &mut workspace.scan)
        });
        if touches {
            return Ok(false);
        }
        if self.mesh_pairs.is_empty() {
            return Ok(true);
        }
        let bodies = self.body_poses(poses)?;
        Ok(!self.mesh_pairs.iter().any(|&pair| self.models_within(pair, &bodies, clearance)))
    }

    /// Least gap of any two parts that may not overlap [m], as far as it is below `horizon` [m]; minus the depth of the
    /// deepest pair of convex pieces where they overlap. Parts known by their triangles alone are left out.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses are none of these movers.
    pub fn clearance(&self, poses: &[Pose], horizon: f64) -> Result<f64, GeneralizedError> {
        self.check(poses)?;
        let chart = Chart::new(self, poses);
        let y = vec![0.0; chart.dimension()];
        Ok(self.with_workspace(|workspace| {
            chart.place(self, &y, &mut workspace.frames);
            workspace.scan.forget();
            let options = ScanOptions { target: 0.0, horizon, convex: ConvexOptions::default() };
            let mut rows = Vec::new();
            self.scan(&workspace.frames, &options, &mut workspace.scan, &mut rows).least
        }))
    }

    /// The pairs that overlap, in a fixed order.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses are none of these movers.
    pub fn colliding(&self, poses: &[Pose]) -> Result<Vec<CollidingPair>, GeneralizedError> {
        self.check(poses)?;
        let chart = Chart::new(self, poses);
        let y = vec![0.0; chart.dimension()];
        let mut found = self.with_workspace(|workspace| {
            chart.place(self, &y, &mut workspace.frames);
            workspace.scan.forget();
            let options = ScanOptions { target: 0.0, horizon: 0.0, convex: ConvexOptions::default() };
            let mut rows = Vec::new();
            self.scan(&workspace.frames, &options, &mut workspace.scan, &mut rows);
            let mut found = Vec::new();
            for pair in &self.pairs {
                let mut depth = None;
                self.near_pieces(
                    pair,
                    0.0,
                    &mut workspace.scan,
                    |_, _, distance, _| {
                        if !(distance.value > 0.0) {
                            depth = Some(depth.unwrap_or(0.0_f64).max(-distance.value));
                        }
                        true
                    },
                    &ConvexOptions::default(),
                );
                found.extend(depth.map(|depth| self.colliding_pair(pair.bodies, depth)));
            }
            found
        });
        let bodies = self.body_poses(poses)?;
        let meshes = self.mesh_pairs.iter().filter(|&&pair| self.models_within(pair, &bodies, 0.0));
        found.extend(meshes.map(|&pair| self.colliding_pair(pair, f64::NAN)));
        found.sort_by_key(|pair| pair.parts);
        Ok(found)
    }

    fn colliding_pair(&self, bodies: [u32; 2], depth: f64) -> CollidingPair {
        CollidingPair { parts: bodies.map(|body| self.bodies[body as usize].part), depth }
    }

    /// Whether the models of two bodies come nearer than a clearance [m].
    fn models_within(&self, [a, b]: [u32; 2], poses: &[Isometry3<f64>], clearance: f64) -> bool {
        let [a, b] = [a as usize, b as usize];
        match (&self.bodies[a].model, &self.bodies[b].model) {
            (Some(first), Some(second)) if clearance > 0.0 => {
                is_within(first, &poses[a], second, &poses[b], clearance)
            }
            (Some(first), Some(second)) => collide(first, &poses[a], second, &poses[b]),
            _ => false,
        }
    }

    /// Whether collision queries of all models find everything free: they know nothing of how the poses were found.
    pub(crate) fn verify(&self, poses: &[Pose]) -> Result<bool, GeneralizedError> {
        let bodies = self.body_poses(poses)?;
        let convex = self.pairs.iter().map(|BodyPair { bodies, .. }| bodies);
        let mut pairs = convex.chain(&self.mesh_pairs);
        let apart = |[a, b]: &[u32; 2]| {
            let reach = self.bodies[*a as usize].ball.1 + self.bodies[*b as usize].ball.1;
            self.between([*a, *b], &bodies).norm() > reach
        };
        Ok(self.is_free(poses, 0.0)? && pairs.all(|&pair| apart(&pair) || !self.models_within(pair, &bodies, 0.0)))
    }

    /// The least change of poses and joints that was found after which nothing overlaps and all limits are kept; `None`
    /// where that is so already.
    ///
    /// # Errors
    /// [`GeneralizedError::NotFound`] with the best effort, [`GeneralizedError::TooFar`] when it moves more than the options
    /// allow, and others when the poses are none of these movers or an option is out of its range.
    pub fn penetration(
        &self,
        poses: &[Pose],
        options: &GeneralizedOptions,
    ) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
        let is_length = options.clearance >= 0.0 && options.clearance.is_finite();
        if !is_length {
            let value = options.clearance;
            return Err(GeneralizedError::Option { option: "clearance", value, range: "a length of at least zero" });
        }
        if self.is_free(poses, options.clearance)? && self.keeps_limits(poses) {
            return Ok(None);
        }
        let chart = Chart::new(self, poses);
        let descent = Descent {
            arrangement: self,
            chart: &chart,
            clearance: options.clearance,
            max_iterations: options.max_iterations,
        };
        let origin = vec![0.0; chart.dimension()];
        let mut best = self.with_workspace(|workspace| descent.run(&origin, workspace));
        match options.effort {
            Effort::Fast => {
                let mut radius = 0.3 * self.size;
                for index in 0..FALLBACKS {
                    if best.free.is_some() {
                        break;
                    }
                    let start = starts::random(self, &chart, radius, options.seed, index);
                    best = better(best, self.with_workspace(|workspace| descent.run(&start, workspace)));
                    radius *= 1.1;
                }
            }
            Effort::Best => {
                let radius = if best.free.is_some() { best.sigma().sqrt() } else { self.size };
                let run = |index: u64| {
                    let start = starts::random(self, &chart, radius, options.seed, index);
                    self.with_workspace(|workspace| descent.run(&start, workspace))
                };
                let found: Vec<Descended> = if options.parallel {
                    (0..STARTS).into_par_iter().map(run).collect()
                } else {
                    (0..STARTS).map(run).collect()
                };
                best = found.into_iter().fold(best, better);
            }
        }
        self.answer(&descent, &best, options).map(Some)
    }

    /// The checked answer of a descent.
    fn answer(
        &self,
        descent: &Descent<'_>,
        best: &Descended,
        options: &GeneralizedOptions,
    ) -> Result<GeneralizedPenetration, GeneralizedError> {
        let chart = descent.chart;
        let poses = chart.poses(self, best.free.as_ref().unwrap_or(&best.nearest));
        let mut answer = self.measured(chart.start(), poses, best.iterations)?;
        answer.verified_free = best.free.is_some() && self.verify(&answer.poses)?;
        if !(answer.verified_free && answer.limits_kept) {
            let still = self.colliding(&answer.poses)?;
            return Err(GeneralizedError::NotFound { best: Box::new(answer), still });
        }
        match options.max_move {
            Some(most) if !(answer.depth <= most) => Err(GeneralizedError::TooFar { best: Box::new(answer), most }),
            _ => Ok(answer),
        }
    }

    /// σ and all else that is reported of poses.
    fn measured(
        &self,
        start: &[Pose],
        poses: Vec<Pose>,
        iterations: u32,
    ) -> Result<GeneralizedPenetration, GeneralizedError> {
        let (mut sigma, mut displacement, mut whole) = (0.0, 0.0, 0.0);
        for (mover, (from, to)) in self.movers.iter().zip(start.iter().zip(&poses)) {
            let (norm, measure) = (mover.norm(), mover.norm().measure());
            sigma += measure * norm.at(&from.joints, &from.base)?.sigma(&to.joints, &to.base);
            displacement += measure
                * norm.mean_squared_displacement((&from.joints, &from.base), (&to.joints, &to.base))?;
            whole += measure;
        }
        let sigma = sigma / whole;
        Ok(GeneralizedPenetration {
            sigma,
            depth: sigma.sqrt(),
            mean_squared_displacement: displacement / whole,
            clearance: self.clearance(&poses, self.size)?,
            limits_kept: self.keeps_limits(&poses),
            verified_free: false,
            poses,
            iterations,
        })
    }
}

/// The better of two descents: the free one of lesser σ, else the one that lacks less.
fn better(one: Descended, other: Descended) -> Descended {
    let iterations = one.iterations + other.iterations;
    let (a, b) = (one.sigma(), other.sigma());
    let is_other = if a.is_finite() || b.is_finite() { b < a } else { other.lack < one.lack };
    let _ = squared;
    Descended { iterations, ..if is_other { other } else { one } }
}
