//! One descent from a free pose towards another one: what follows a hand that drags.

use super::arrangement::Arrangement;
use super::chart::Chart;
use super::descent::{Descent, Launch};
use super::error::GeneralizedError;
use super::options::{GeneralizedOptions, GeneralizedPenetration};
use super::pose::Pose;

impl Arrangement {
    /// The pose without overlaps near `poses` to which one descent from `from` leads; `poses` themselves where it gets there.
    /// Unlike [`Arrangement::penetration`] it looks nowhere else, so that it stays on the side of an obstacle where `from` is,
    /// even where `poses` are free on the other one. A step of a descent may still cross what is thin.
    ///
    /// # Errors
    /// [`GeneralizedError::NotFound`] with the best effort, [`GeneralizedError::TooFar`], and others when the poses are none of
    /// these movers or an option is out of its range.
    pub fn descend_from(
        &self,
        poses: &[Pose],
        from: &[Pose],
        options: &GeneralizedOptions,
    ) -> Result<GeneralizedPenetration, GeneralizedError> {
        options.check()?;
        self.check(poses)?;
        self.check(from)?;
        let chart = Chart::new(self, poses);
        let descent = Descent::new(self, &chart, options);
        let start = chart.point(self, from);
        let found = self.with_workspace(|workspace| descent.run(&Launch::from(start.as_slice()), workspace));
        self.answer(&descent, &found, options)
    }
}
