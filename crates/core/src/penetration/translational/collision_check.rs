//! Collision queries of the input and of the results of a search, and the size of their rounding.

use std::time::{Duration, Instant};

use nalgebra::Isometry3;

use crate::penetration::error::PenetrationError;
use crate::proximity::collision::{collide_within, touch_to_rounding};
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

    /// Whether the models collide. Where that is not known within the bound on work or time, those collide that touch to within the
    /// rounding of their coordinates.
    ///
    /// # Errors
    /// [`PenetrationError::OutOfTime`] or [`PenetrationError::OutOfWork`] if that is not known then, either.
    pub(crate) fn collide(
        &self,
        a: (&Model, &Isometry3<f64>),
        b: (&Model, &Isometry3<f64>),
    ) -> Result<bool, PenetrationError> {
        let known = self.decide([a.0, b.0], |limit| collide_within(a, b, limit));
        known.or_else(
            |error| if touch_to_rounding(a, b, self.budget.is_some()) { Ok(true) } else { Err(error) },
        )
    }

    /// The answer of a query that is given a limit, if it is known after so many pairs and before the time has passed.
    pub(super) fn decide_within(
        &self,
        pairs: u64,
        query: impl Fn(&mut WorkLimit) -> Option<bool>,
    ) -> Option<bool> {
        self.certain(&query).or_else(|| query(&mut WorkLimit::new(pairs, self.deadline)))
    }

    /// The answer of a query of two models that is given a limit.
    ///
    /// # Errors
    /// [`PenetrationError::OutOfTime`] if the time passes before it is known; without a time budget
    /// [`PenetrationError::OutOfWork`] if the default bound on work is met before.
    pub(crate) fn decide(
        &self,
        [a, b]: [&Model; 2],
        query: impl Fn(&mut WorkLimit) -> Option<bool>,
    ) -> Result<bool, PenetrationError> {
        let Some(budget) = self.budget else {
            let mut limit = WorkLimit::of_collision(a, b);
            let pairs = limit.left();
            return query(&mut limit).ok_or(PenetrationError::OutOfWork { pairs });
        };
        self.certain(&query)
            .or_else(|| query(&mut WorkLimit::new(u64::MAX, self.deadline)))
            .ok_or(PenetrationError::OutOfTime { budget })
    }

    /// The answer of a query under a time budget that is known after some milliseconds at most, late or not: a thread that has waited must
    /// not lose a result.
    fn certain(&self, query: impl Fn(&mut WorkLimit) -> Option<bool>) -> Option<bool> {
        const PAIRS: u64 = 1 << 14;
        self.budget.and_then(|_| query(&mut WorkLimit::with_leaves(PAIRS)))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Point3, Vector3};

    use super::*;
    use crate::geometry::{Solidity, TriangleMesh};
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

    /// Thousands of sheets, a picometre apart: nearer to each other than boxes in single precision resolve.
    fn stack(height: f64) -> Model {
        Model::new(sheets(height), Solidity::Surface)
    }

    fn sheets(height: f64) -> TriangleMesh {
        shapes::layers(8000, 1e3 * height).scaled(&Vector3::new(1.0, 1.0, 1e-3)).unwrap()
    }

    #[test]
    fn without_a_time_budget_a_collision_query_ends_at_its_bound_on_work() {
        let (a, here) = (stack(0.0), Isometry3::identity());
        let ask = |b: &Model| CollisionCheck::new(None).collide((&a, &here), (b, &here));
        assert!(matches!(ask(&stack(0.5e-12)), Err(PenetrationError::OutOfWork { .. })));
        // One sheet that crosses the others is found among the millions of pairs that do not meet.
        let corners = [[0.9, -1.0, -1.0], [0.9, 1.0, -1.0], [0.9, 0.0, 1.0]].map(Point3::from);
        let sheet = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
        let crossed = TriangleMesh::joined([sheets(0.5e-12), sheet]).unwrap();
        assert_eq!(ask(&Model::new(crossed, Solidity::Surface)), Ok(true));
    }

    #[test]
    fn what_touches_to_within_rounding_collides_where_the_bound_on_work_is_met() {
        let (a, b, here) = (stack(0.0), stack(1e-16), Isometry3::identity());
        let mut limit = WorkLimit::of_collision(&a, &b);
        assert_eq!(collide_within((&a, &here), (&b, &here), &mut limit), None);
        assert_eq!(CollisionCheck::new(None).collide((&a, &here), (&b, &here)), Ok(true));
    }
}
