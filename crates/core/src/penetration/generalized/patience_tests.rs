//! Tests of the patience of searches: what fast effort doubts, and that best effort keeps what fast effort would have found.

use nalgebra::{Isometry3, Vector3};

use super::sources_tests::with_search;
use super::*;
use crate::geometry::convex::ConvexShape;
use crate::kinematics::articulation::joint::{Joint, JointKind};
use crate::kinematics::articulation::tree::Articulation;
use crate::proximity::articulated::link_pairs::AllowedCollisions;

/// Half the edge of the cube, and of each wall.
const HALF: f64 = 0.5;

/// A cube that slides along x, in one of two walls of which the other one is far away.
fn slider() -> CollisionWorld {
    let links = ["rail", "slider"].map(str::to_owned).to_vec();
    let slide = Joint::new("slide", "rail", "slider", JointKind::Prismatic { axis: Vector3::x() });
    let articulation = Articulation::new(links, vec![slide.within([-9.0, 9.0])]).unwrap();
    let cube = || Shape::convex(ConvexShape::cuboid(Vector3::repeat(2.0 * HALF)));
    let movable =
        MovableModel::new(articulation, vec![None, Some(cube())], AllowedCollisions::default(), Base::Fixed)
            .unwrap();
    let wall = |x: f64| Obstacle { shape: cube(), pose: Isometry3::translation(x, 0.0, 0.0) };
    CollisionWorld::new(vec![movable], vec![wall(0.0), wall(20.0)]).unwrap()
}

fn at(position: f64) -> Vec<Pose> {
    vec![Pose { base: Isometry3::identity(), joints: vec![position] }]
}

#[test]
fn fast_effort_searches_on_where_its_first_descent_ends_far_from_the_input_and_only_there() {
    let collision_world = slider();
    let options = GeneralizedOptions { parallel: false, ..GeneralizedOptions::fast() };
    let found = |position: f64| collision_world.penetration(&at(position), &options).unwrap().unwrap();
    let [near, far] = [0.95, 0.4].map(found);
    assert!((near.depth - 0.05).abs() < 1e-6 && (far.depth - 0.6).abs() < 1e-6);
    assert_eq!((near.summary.descents, near.summary.end), (1, SearchEnd::Completed));
    assert!(far.summary.descents > 1 && far.summary.end == SearchEnd::NoImprovement, "{:?}", far.summary);
}

#[test]
fn best_effort_has_the_result_of_fast_effort_where_its_own_is_farther() {
    let collision_world = slider();
    with_search(&collision_world, &at(0.1), |search| {
        let to = |position: f64| search.run(&search.chart.point(&collision_world, &at(position)));
        let [mut best, early] = [to(-1.5), to(1.5)].map(|mut found| {
            // Not in contact yet.
            found.free.iter_mut().flatten().for_each(|y| *y *= 1.2);
            found
        });
        let alone = {
            let mut alone = best.clone();
            search.tighten(&mut alone);
            alone.sigma().sqrt()
        };
        search.keep_for_fast(&early);
        search.tighten_with_fast(&mut best);
        // Either side of the wall would be in contact; the other one is nearer.
        let depth = best.sigma().sqrt();
        assert!(depth < alone + 1e-9 && (depth - 0.9).abs() < 1e-6, "{depth}, {alone}");
    });
}
