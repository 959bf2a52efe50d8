//! Bounds of a search: the work that it may do, and its deadline.
//!
//! The unit of work is a pair of subtrees that a traversal visits, some tenths of a microsecond.

use std::time::Instant;

use super::answer::TranslationalEnd;
use super::walk::ContactSpace;
use crate::proximity::work_limit::WorkLimit;

impl ContactSpace<'_> {
    /// Bounds the work of a search, or of one of the parts into which a thorough one is divided, by the default number of pairs
    /// and by a deadline if there is one.
    pub(crate) fn limit_work(&mut self, deadline: Option<Instant>) {
        self.obstacles.limit = WorkLimit::between(self.a, self.b, deadline);
    }

    /// Time after which the best result so far is returned.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.obstacles.limit.deadline()
    }

    /// Whether any part of the search has spent its bound on work.
    pub(super) fn is_work_spent(&self) -> bool {
        self.was_work_spent || self.obstacles.limit.is_work_spent()
    }

    /// Reason for the end of the search.
    pub(super) fn end(&self) -> TranslationalEnd {
        match self.deadline().is_some_and(|deadline| Instant::now() >= deadline) {
            true => TranslationalEnd::TimeBudget,
            false if self.is_work_spent() => TranslationalEnd::WorkBound,
            false => TranslationalEnd::Completed,
        }
    }

    /// Whether the deadline has passed, or the bound on work is spent.
    pub(crate) fn is_late(&self) -> bool {
        let is_past = |deadline| Instant::now() >= deadline;
        self.obstacles.limit.is_spent() || self.deadline().is_some_and(is_past)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Point3, Vector3};

    use super::super::query::verified;
    use super::super::walk::Optimum;
    use super::*;
    use crate::geometry::procedural::{BumpySphere, Cuboid, Procedural};
    use crate::geometry::{Solidity, TriangleMesh};
    use crate::penetration::FreeConfiguration;
    use crate::penetration::{Effort, LowerBound, TranslationalOptions, penetration};
    use crate::proximity::collision::collide;
    use crate::proximity::model::Model;
    use crate::proximity::relative_pose::RelativePose;

    fn ball() -> Model {
        Model::new(BumpySphere::default().mesh().unwrap(), Solidity::Solid)
    }

    /// A space in which the models overlap.
    fn space<'a>(a: &'a Model, b: &'a Model) -> ContactSpace<'a> {
        let (pose_a, pose_b) = (Isometry3::translation(0.3, 0.2, 0.1), Isometry3::identity());
        ContactSpace::new(a, b, RelativePose::between(a, &pose_a, b, &pose_b), 0.0, 100)
    }

    #[test]
    fn without_work_left_casts_stay_where_they_are_marches_find_nothing_and_walks_end_free() {
        let ball = ball();
        let direction = Vector3::new(0.6, 0.0, 0.8);
        let mut space = space(&ball, &ball);
        assert!(space.depth_from_outside(&direction, f64::INFINITY).is_some());
        assert!(space.first_free(&direction, 5.0, 0.0, |length| length).is_some());
        assert_eq!(space.end(), TranslationalEnd::Completed);
        space.obstacles.limit = WorkLimit::new(0, None);
        assert_eq!(space.depth_from_outside(&direction, 0.1), None);
        assert!(space.first_free(&direction, 5.0, 0.0, |length| length).is_none());
        let outside = direction * space.outside(&direction);
        let optimum = space.walk(&outside, true);
        assert!((optimum.q - outside).norm() < 1e-9 && space.is_apart(&optimum.q));
        assert!(space.is_late() && space.end() == TranslationalEnd::WorkBound);
        assert_eq!(space.fork().end(), TranslationalEnd::Completed);
    }

    #[test]
    fn the_bound_on_work_does_not_end_an_ordinary_search_and_the_result_names_the_time_budget() {
        let ball = ball();
        let (here, there) = (Isometry3::identity(), Isometry3::translation(0.3, 0.2, 0.1));
        for effort in [Effort::Fast, Effort::Best] {
            let options = TranslationalOptions { effort, ..TranslationalOptions::default() };
            let found = penetration(&ball, &there, &ball, &here, &options).unwrap().unwrap();
            assert_eq!(found.ended_by, TranslationalEnd::Completed);
            let options = TranslationalOptions { time_budget: Some(std::time::Duration::ZERO), ..options };
            let found = penetration(&ball, &there, &ball, &here, &options).unwrap().unwrap();
            assert_eq!(found.ended_by, TranslationalEnd::TimeBudget);
        }
    }

    #[test]
    fn hundreds_of_coincident_boxes_end_within_the_bound_on_work_and_are_separated() {
        let cube = Cuboid::default().mesh().unwrap();
        let all = TriangleMesh::joined((0..300).map(|_| cube.clone())).unwrap();
        let model = Model::new(all, Solidity::Solid);
        let (here, there) = (Isometry3::identity(), Isometry3::translation(0.4, 0.1, 0.05));
        let options = TranslationalOptions {
            effort: Effort::Fast,
            lower_bound: LowerBound::Skip,
            ..TranslationalOptions::default()
        };
        let found = penetration(&model, &there, &model, &here, &options).unwrap().unwrap();
        let moved = nalgebra::Translation3::from(found.translation) * there;
        assert!(!collide(&model, &moved, &model, &here));
    }

    #[test]
    fn results_whose_check_strains_are_moved_farther_apart() {
        let cube = Cuboid::default().mesh().unwrap();
        let (here, there) = (Isometry3::identity(), Isometry3::translation(0.9, 0.02, 0.03));
        let touching = Vector3::new(0.1, 0.0, 0.0);
        let optimum = Optimum {
            q: touching * (1.0 + 1e-7),
            touching,
            converged: true,
            witnesses: [Point3::new(-0.5, 0.0, 0.0), Point3::new(0.5, 0.0, 0.0)],
            rows: 1,
            source: FreeConfiguration::FaceNormals,
        };
        // The faces of thousands of cubes touch by the rounding of their boxes.
        for (count, farther) in [(100, 0.0), (2000, 8e-6 * 0.75_f64.sqrt())] {
            let all = TriangleMesh::joined((0..count).map(|_| cube.clone())).unwrap();
            let model = Model::new(all, Solidity::Solid);
            let a_to_b = RelativePose::between(&model, &there, &model, &here);
            let space = ContactSpace::new(&model, &model, a_to_b, 0.0, 100);
            let found = verified(&space, &optimum, &there, &here).unwrap();
            assert!((found.depth - 0.1 - farther).abs() < 1e-12, "{count}: {:e}", found.depth - 0.1);
            assert!((found.translation.norm() - optimum.q.norm() - farther).abs() < 1e-12);
            let inside = Optimum { q: 0.9 * touching, ..optimum };
            assert!(verified(&space, &inside, &there, &here).is_err());
        }
    }

    #[test]
    fn meshes_whose_coordinates_are_far_from_the_origin_are_separated() {
        for offset in [1e3, 1e6] {
            let far = Vector3::new(offset, -offset, offset);
            let mesh = BumpySphere::default().mesh().unwrap();
            let vertices = mesh.vertices().iter().map(|vertex| Point3::from(vertex.coords + far)).collect();
            let mesh = TriangleMesh::new(vertices, mesh.triangles().to_vec()).unwrap();
            let model = Model::new(mesh, Solidity::Solid);
            for i in 0..20 {
                let there = Isometry3::translation(0.05 * f64::from(i), 0.11, 0.07);
                let options =
                    TranslationalOptions { effort: Effort::Fast, ..TranslationalOptions::default() };
                let found = penetration(&model, &there, &model, &Isometry3::identity(), &options);
                assert!(found.is_ok(), "{offset} {i}: {found:?}");
            }
        }
    }
}
