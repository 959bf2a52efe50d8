//! A single descent from a free pose towards another one, for interactive dragging.

use super::chart::LocalChart;
use super::collision_world::CollisionWorld;
use super::descent::{Descent, DescentStart};
use super::error::GeneralizedError;
use super::options::{GeneralizedOptions, GeneralizedPenetration};
use super::pose::Pose;

impl CollisionWorld {
    /// The collision-free poses near `poses` to which one descent from `from` leads; `poses` themselves if it reaches them.
    /// Unlike [`CollisionWorld::penetration`] it does not search globally, so it stays on the side of an obstacle where `from`
    /// is, even if `poses` are free on the other one. A step of a descent may still tunnel through thin obstacles.
    ///
    /// # Errors
    /// [`GeneralizedError::NotFound`] with the best effort, [`GeneralizedError::TooFar`], and others when the poses do not suit
    /// these movable models or an option is out of its range.
    pub fn descend_from(
        &self,
        poses: &[Pose],
        from: &[Pose],
        options: &GeneralizedOptions,
    ) -> Result<GeneralizedPenetration, GeneralizedError> {
        options.check()?;
        self.check(poses)?;
        self.check(from)?;
        let chart = LocalChart::new(self, poses);
        let descent = Descent::new(self, &chart, options);
        let start = chart.point(self, from);
        let found =
            self.with_workspace(|workspace| descent.run(&DescentStart::from(start.as_slice()), workspace));
        self.answer(&descent, &found, options)
    }
}
