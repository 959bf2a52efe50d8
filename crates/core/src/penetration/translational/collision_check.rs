//! Collision queries of the input and of the results of a search, and the size of their rounding.

use std::time::{Duration, Instant};

use nalgebra::Isometry3;

use crate::penetration::error::PenetrationError;
use crate::proximity::collision::collide_within;
use crate::proximity::model::Model;
use crate::proximity::work_limit::WorkLimit;

/// Distance of a model's coordinates from the origin of its frame, relative to its radius, up to which their rounding in a pose is
/// less than a tenth of the margin, and does not count.
const FAR: f64 = 1e3;

/// Distance from the origin with which the rounding of two placed models grows [m]: that of the farther pose, or of coordinates far
/// from the origin of their frame.
pub(crate) fn distance_from_origin(placed: [(&Model, &Isometry3<f64>); 2]) -> f64 {
    let of = |(model, pose): (&Model, &Isometry3<f64>)| {
        let offset = model.center().coords.norm();
        let offset = if offset > FAR * model.radius() { offset } else { 0.0 };
        pose.translation.vector.norm().max(offset)
    };
    of(placed[0]).max(of(placed[1]))
}

/// Collision queries of the input and of results, which end soon after the time budget without an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CollisionCheck {
    budget: Option<Duration>,
    deadline: Option<Instant>,
}

impl CollisionCheck {
    /// The queries of a search that begins now.
    pub(crate) fn new(budget: Option<Duration>) -> Self {
        /// Time beyond the budget, so that small budgets have results of all but pathological meshes.
        const BEYOND: Duration = Duration::from_millis(4);
        Self { budget, deadline: budget.and_then(|budget| Instant::now().checked_add(budget + BEYOND)) }
    }

    /// Whether the models collide.
    ///
    /// # Errors
    /// [`PenetrationError::OutOfTime`] if the time passes before that is known.
    pub(crate) fn collide(
        &self,
        a: (&Model, &Isometry3<f64>),
        b: (&Model, &Isometry3<f64>),
    ) -> Result<bool, PenetrationError> {
        self.decide(|limit| collide_within(a, b, limit))
    }

    /// The answer of a query that is given a limit, if it is known after so many pairs and before the time has passed.
    pub(super) fn decide_within(
        &self,
        pairs: u64,
        query: impl Fn(&mut WorkLimit) -> Option<bool>,
    ) -> Option<bool> {
        self.certain(&query).or_else(|| query(&mut WorkLimit::new(pairs, self.deadline)))
    }

    /// The answer of a query that is given a limit.
    ///
    /// # Errors
    /// [`PenetrationError::OutOfTime`] if the time passes before it is known.
    pub(crate) fn decide(
        &self,
        query: impl Fn(&mut WorkLimit) -> Option<bool>,
    ) -> Result<bool, PenetrationError> {
        let budget = self.budget.unwrap_or_default();
        self.certain(&query)
            .or_else(|| query(&mut WorkLimit::new(u64::MAX, self.deadline)))
            .ok_or(PenetrationError::OutOfTime { budget })
    }

    /// The answer of a query under a time budget that is known after a few milliseconds, late or not: a thread that has waited must
    /// not lose a result.
    fn certain(&self, query: impl Fn(&mut WorkLimit) -> Option<bool>) -> Option<bool> {
        const MIN_PAIRS: u64 = 1 << 13;
        self.budget.and_then(|_| query(&mut WorkLimit::new(MIN_PAIRS, None)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Solidity;
    use crate::proximity::shapes;

    #[test]
    fn a_collision_query_ends_without_an_answer_where_its_time_is_spent() {
        // Layers of two stacks that hardly differ: every triangle is near all others, and none touches.
        let stack = |height: f64| Model::new(shapes::layers(2000, height), Solidity::Surface);
        let (a, b) = (stack(0.0), stack(0.5e-9));
        let here = Isometry3::identity();
        let spent = |limit: WorkLimit| {
            let mut limit = limit;
            collide_within((&a, &here), (&b, &here), &mut limit).is_none()
        };
        assert!(spent(WorkLimit::new(1000, None)) && spent(WorkLimit::new(u64::MAX, Some(Instant::now()))));
        assert!(!spent(WorkLimit::NONE));
    }
}
