//! The independent check of an answer, and what is reported with it.

use super::arrangement::{Arrangement, BodyPair};
use super::descent::{Descended, Descent};
use super::error::GeneralizedError;
use super::options::{GeneralizedOptions, GeneralizedPenetration};
use super::pose::Pose;

impl Arrangement {
    /// Whether collision queries of all models find everything free: they know nothing of how the poses were found.
    ///
    /// # Errors
    /// [`GeneralizedError`] when a pose does not suit its mover, or the signed distance of two pieces is not found.
    pub fn verify(&self, poses: &[Pose]) -> Result<bool, GeneralizedError> {
        let bodies = self.body_poses(poses)?;
        let convex = self.pairs.iter().map(|BodyPair { bodies, .. }| bodies);
        let mut pairs = convex.chain(&self.mesh_pairs);
        let apart = |[a, b]: &[u32; 2]| {
            let reach = self.bodies[*a as usize].ball.1 + self.bodies[*b as usize].ball.1;
            self.between([*a, *b], &bodies).norm() > reach
        };
        Ok(self.is_free(poses, 0.0)?
            && pairs.all(|&pair| apart(&pair) || !self.models_within(pair, &bodies, 0.0)))
    }

    /// The checked answer of a descent.
    pub(crate) fn answer(
        &self,
        descent: &Descent<'_>,
        best: &Descended,
        options: &GeneralizedOptions,
    ) -> Result<GeneralizedPenetration, GeneralizedError> {
        let chart = descent.chart;
        let poses = chart.poses(self, best.free.as_ref().unwrap_or(&best.nearest));
        let mut answer = self.measured(chart.start(), poses, best)?;
        answer.verified_free = best.free.is_some() && self.verify(&answer.poses)?;
        if !(answer.verified_free && answer.limits_kept) {
            let still = self.colliding(&answer.poses)?;
            return Err(GeneralizedError::NotFound { best: Box::new(answer), still });
        }
        match options.max_move {
            Some(most) if !(answer.depth <= most) => {
                Err(GeneralizedError::TooFar { best: Box::new(answer), most })
            }
            _ => Ok(answer),
        }
    }

    /// σ [m²] of a change: the mean over the movers, weighted by their volumes.
    ///
    /// # Errors
    /// [`GeneralizedError`] when a pose does not suit its mover.
    pub fn sigma(&self, from: &[Pose], to: &[Pose]) -> Result<f64, GeneralizedError> {
        let (mut sigma, mut whole) = (0.0, 0.0);
        for (mover, (from, to)) in self.movers.iter().zip(from.iter().zip(to)) {
            let (norm, measure) = (mover.norm(), mover.norm().measure());
            sigma += measure * norm.at(&from.joints, &from.base)?.sigma(&to.joints, &to.base);
            whole += measure;
        }
        Ok(sigma / whole)
    }

    /// σ and all else that is reported of poses.
    fn measured(
        &self,
        start: &[Pose],
        poses: Vec<Pose>,
        best: &Descended,
    ) -> Result<GeneralizedPenetration, GeneralizedError> {
        let (mut displacement, mut whole) = (0.0, 0.0);
        for (mover, (from, to)) in self.movers.iter().zip(start.iter().zip(&poses)) {
            let (norm, measure) = (mover.norm(), mover.norm().measure());
            displacement += measure
                * norm.mean_squared_displacement((&from.joints, &from.base), (&to.joints, &to.base))?;
            whole += measure;
        }
        let sigma = self.sigma(start, &poses)?;
        Ok(GeneralizedPenetration {
            sigma,
            depth: sigma.sqrt(),
            mean_squared_displacement: displacement / whole,
            clearance: self.clearance(&poses, self.size)?,
            limits_kept: self.keeps_limits(&poses),
            verified_free: false,
            poses,
            iterations: best.iterations,
            source: best.source,
        })
    }
}
