//! Independent verification of a result, and its reported measures.

use std::time::Instant;

use super::collision_world::{BodyPair, CollisionWorld};
use super::descent::{Descent, DescentResult};
use super::error::GeneralizedError;
use super::monitor::CollisionMonitor;
use super::options::{GeneralizedOptions, GeneralizedPenetration};
use super::part::CollidingPair;
use super::pose::Pose;

impl CollisionWorld {
    /// Whether collision queries of all models, which are independent of the search, find everything free.
    ///
    /// # Errors
    /// [`GeneralizedError`] when a pose does not suit its movable model, or the signed distance of two pieces is not found.
    pub fn verify(&self, poses: &[Pose]) -> Result<bool, GeneralizedError> {
        let bodies = self.body_poses(poses)?;
        let convex = self.pairs.iter().map(|BodyPair { bodies, .. }| bodies);
        let mut pairs = convex.chain(&self.mesh_pairs);
        // Far pairs are skipped by their spheres: those queries would find them free as well.
        let apart = |[a, b]: &[u32; 2]| {
            let reach = self.bodies[*a as usize].ball.1 + self.bodies[*b as usize].ball.1;
            self.between([*a, *b], &bodies).norm() > reach
        };
        Ok(self.is_free(poses, 0.0)?
            && pairs.all(|&pair| apart(&pair) || !self.models_within(pair, &bodies, 0.0)))
    }

    /// The result of a descent, verified.
    pub(crate) fn answer(
        &self,
        descent: &Descent<'_>,
        best: &DescentResult,
        options: &GeneralizedOptions,
    ) -> Result<GeneralizedPenetration, GeneralizedError> {
        let chart = descent.chart;
        let poses = chart.poses(self, best.free.as_ref().unwrap_or(&best.nearest));
        let mut answer = self.measured(chart.start(), poses, best)?;
        if best.free.is_some() {
            answer.clearance = self.clearance(&answer.poses, self.size)?;
        }
        // Points that the descent itself does not call free need no verification.
        answer.verified_free = best.free.is_some() && self.verify(&answer.poses)?;
        if answer.verified_free
            && let Some(broken) = answer.constraints.iter().find(|error| !self.is_kept(error))
        {
            return Err(GeneralizedError::Constraint(broken.clone()));
        }
        if !(answer.verified_free && answer.limits_kept) {
            let still =
                self.colliding_until(&answer.poses, &mut CollisionMonitor::default(), descent.deadline)?;
            if best.free.is_none() {
                answer.clearance = self.clearance_of(&still, &answer.poses, descent.deadline)?;
            }
            answer.immobilised_by = descent.immobilised_by(&best.nearest);
            return Err(GeneralizedError::NotFound { best: Box::new(answer), still });
        }
        match options.max_move {
            Some(max_move) if !(answer.depth <= max_move) => {
                Err(GeneralizedError::TooFar { best: Box::new(answer), max_move })
            }
            _ => Ok(answer),
        }
    }

    /// Minimum signed distance [m] at poses with these colliding pairs: minus the deepest depth. After the deadline that of the depths
    /// known, NaN where none is.
    fn clearance_of(
        &self,
        still: &[CollidingPair],
        poses: &[Pose],
        deadline: Option<Instant>,
    ) -> Result<f64, GeneralizedError> {
        let is_known = !still.is_empty() && still.iter().all(|pair| !pair.depth.is_nan());
        let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if !is_known && !is_late {
            return self.clearance(poses, self.size);
        }
        // The minimum of a number and NaN is the number.
        Ok(still.iter().map(|pair| -pair.depth).fold(f64::NAN, f64::min))
    }

    /// Object norm σ \[m²\] of a change: the mean over the movable models, weighted by their volumes [Tang14 eq. 19].
    ///
    /// # Errors
    /// [`GeneralizedError`] when a pose does not suit its movable model.
    pub fn sigma(&self, from: &[Pose], to: &[Pose]) -> Result<f64, GeneralizedError> {
        let (mut sigma, mut whole) = (0.0, 0.0);
        for (movable, (from, to)) in self.movables.iter().zip(from.iter().zip(to)) {
            let (norm, measure) = (movable.norm(), movable.norm().measure());
            sigma += measure * norm.at(&from.joints, &from.base)?.sigma(&to.joints, &to.base);
            whole += measure;
        }
        Ok(sigma / whole)
    }

    /// σ and all other measures of a result but its clearance.
    fn measured(
        &self,
        start: &[Pose],
        poses: Vec<Pose>,
        best: &DescentResult,
    ) -> Result<GeneralizedPenetration, GeneralizedError> {
        let (mut displacement, mut whole) = (0.0, 0.0);
        for (movable, (from, to)) in self.movables.iter().zip(start.iter().zip(&poses)) {
            let (norm, measure) = (movable.norm(), movable.norm().measure());
            displacement += measure
                * norm.mean_squared_displacement((&from.joints, &from.base), (&to.joints, &to.base))?;
            whole += measure;
        }
        let sigma = self.sigma(start, &poses)?;
        Ok(GeneralizedPenetration {
            sigma,
            depth: sigma.sqrt(),
            mean_squared_displacement: displacement / whole,
            clearance: f64::NAN,
            limits_kept: self.keeps_limits(&poses),
            verified_free: false,
            constraints: self.constraint_errors(start, &poses)?,
            immobilised_by: Vec::new(),
            poses,
            iterations: best.iterations,
            source: best.source,
            summary: best.summary(),
        })
    }
}
