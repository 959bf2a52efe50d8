//! Tests of random descents that end at a start from which nothing nearer than a bound is to be expected.

use nalgebra::{Isometry3, Vector3};

use super::search::MultiStartSearch;
use super::sources_tests::with_search;
use super::*;
use crate::geometry::convex::ConvexShape;
use crate::kinematics::articulation::joint::{Joint, JointKind};
use crate::kinematics::articulation::tree::Articulation;
use crate::proximity::articulated::link_pairs::AllowedCollisions;

/// Place of the cube in the input \[m\].
const INPUT: f64 = 0.1;

/// A cube of 1 m that slides along x, among cubes of its size whose middles are at these places.
fn slider(walls: &[f64]) -> CollisionWorld {
    let links = ["rail", "slider"].map(str::to_owned).to_vec();
    let slide = Joint::new("slide", "rail", "slider", JointKind::Prismatic { axis: Vector3::x() });
    let articulation = Articulation::new(links, vec![slide.within([-9.0, 9.0])]).unwrap();
    let cube = || Shape::convex(ConvexShape::cuboid(Vector3::repeat(1.0)));
    let movable =
        MovableModel::new(articulation, vec![None, Some(cube())], AllowedCollisions::default(), Base::Fixed)
            .unwrap();
    let wall = |x: &f64| Obstacle { shape: cube(), pose: Isometry3::translation(*x, 0.0, 0.0) };
    CollisionWorld::new(vec![movable], walls.iter().map(wall).collect()).unwrap()
}

fn at(position: f64) -> Vec<Pose> {
    vec![Pose { base: Isometry3::identity(), joints: vec![position] }]
}

/// √σ of the result of a random descent from a place, whether it ended there, and its number of steps.
fn descend(search: &MultiStartSearch<'_>, from: f64, restores: bool, bound: f64) -> (Option<f64>, bool, u32) {
    let start = search.chart.point(search.collision_world, &at(from));
    let found = search.run_random(&start, restores, bound * bound);
    (found.free.is_some().then(|| found.sigma().sqrt()), found.is_vain, found.iterations)
}

#[test]
fn a_descent_ends_at_a_start_whose_rows_lead_no_nearer_than_the_bound() {
    // To the left the cube is free from −1 on, 1.1 m from the input.
    let distance = 1.0 + INPUT;
    with_search(&slider(&[0.0]), &at(INPUT), |search| {
        for bound in [1.01 * distance, f64::INFINITY] {
            let (found, is_vain, _) = descend(search, -0.2, false, bound);
            assert!(!is_vain && (found.unwrap() - distance).abs() < 1e-6, "{bound}: {found:?}");
        }
        assert_eq!(descend(search, -0.2, false, 0.99 * distance), (None, true, 1));
        // A restoration goes to the free point nearest to its start, from where σ falls: its first point proves nothing.
        assert!(!descend(search, -0.2, true, 0.99 * distance).1);
    });
}

#[test]
fn a_descent_ends_at_a_start_whose_rows_contradict_each_other_once_something_is_free() {
    // A gap 0.2 m narrower than the cube.
    with_search(&slider(&[-0.9, 0.9]), &at(INPUT), |search| {
        for restores in [false, true] {
            assert_eq!(descend(search, 0.0, restores, 9.0), (None, true, 1), "{restores}");
            let (_, is_vain, steps) = descend(search, 0.0, restores, f64::INFINITY);
            assert!(!is_vain && steps > 1, "{restores}: {steps}");
        }
    });
}
