//! Errors of the constraints at given poses, by the forward kinematics of the articulations, and whether they can be satisfied at all.

use nalgebra::Isometry3;

use super::chart::LocalChart;
use super::collision_world::CollisionWorld;
use super::constraint::PoseConstraint;
use super::constraint_error::ConstraintError;
use super::constraint_frame::ConstraintEnd;
use super::error::GeneralizedError;
use super::movable::MovableModel;
use super::pose::Pose;
use super::starts;

/// Error up to which a constraint counts as kept: of lengths as a fraction of the size, of angles [rad].
const KEPT: f64 = 1e-9;
/// Random starts from which an open loop is closed, the radius √σ of the first one as a fraction of the size, and the ratio of
/// successive radii.
const STARTS: u64 = 32;
const FIRST_RADIUS: f64 = 0.1;
const RADIUS_GROWTH: f64 = 1.1;

impl CollisionWorld {
    /// Error of each constraint at poses, in their order; what is kept is so relative to the poses `from`.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses do not suit these movable models.
    pub fn constraint_errors(
        &self,
        from: &[Pose],
        poses: &[Pose],
    ) -> Result<Vec<ConstraintError>, GeneralizedError> {
        if self.constraints.is_empty() {
            return Ok(Vec::new());
        }
        let [before, after] = [self.links(from)?, self.links(poses)?];
        let pose_of = |links: &[Vec<Isometry3<f64>>], end: ConstraintEnd| match end {
            ConstraintEnd::World => Isometry3::identity(),
            ConstraintEnd::Link { movable, link } => links[movable][link],
        };
        let error = |constraint: &PoseConstraint| {
            let resolved = constraint.resolved(&self.movables, &|end| pose_of(&before, end));
            let [length, angle] = resolved.error(&|end| pose_of(&after, end));
            ConstraintError { name: constraint.name().to_owned(), length, angle }
        };
        Ok(self.constraints.iter().map(error).collect())
    }

    fn links(&self, poses: &[Pose]) -> Result<Vec<Vec<Isometry3<f64>>>, GeneralizedError> {
        self.check(poses)?;
        let of_movable = |(pose, movable): (&Pose, &MovableModel)| {
            movable.articulation().link_poses(&pose.joints, &pose.base).map_err(GeneralizedError::from)
        };
        poses.iter().zip(&self.movables).map(of_movable).collect()
    }

    /// Whether an error of a constraint is within rounding.
    pub(super) fn is_kept(&self, error: &ConstraintError) -> bool {
        error.length <= KEPT * self.size && error.angle <= KEPT
    }

    /// Whether all constraints hold at poses, up to rounding.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses do not suit these movable models.
    pub fn keeps_constraints(&self, poses: &[Pose]) -> Result<bool, GeneralizedError> {
        Ok(self.constraint_errors(poses, poses)?.iter().all(|error| self.is_kept(error)))
    }

    /// An error that names a constraint which holds nowhere near the start of a chart.
    pub(super) fn check_closable(&self, chart: &LocalChart, seed: u64) -> Result<(), GeneralizedError> {
        if self.constraints.is_empty() {
            return Ok(());
        }
        let origin = vec![0.0; chart.dimension()];
        let mut nearest = origin.clone();
        let close = |y: &mut [f64]| self.with_workspace(|workspace| chart.retract(self, y, workspace));
        if close(&mut nearest) {
            return Ok(());
        }
        let mut radius = FIRST_RADIUS * self.size;
        for index in 0..STARTS {
            if close(&mut starts::random(chart, &origin, radius, [seed, index])) {
                return Ok(());
            }
            radius *= RADIUS_GROWTH;
        }
        let errors = self.constraint_errors(chart.start(), &chart.poses(self, &nearest))?;
        let size = |error: &ConstraintError| error.length / self.size + error.angle;
        let worst = errors.into_iter().max_by(|a, b| size(a).total_cmp(&size(b)));
        worst.map_or(Ok(()), |worst| Err(GeneralizedError::Constraint(worst)))
    }
}
