//! Limbs of a result that move back towards the input.

use nalgebra::{Isometry3, Vector3};

use super::descent::{DescentResult, squared};
use super::limbs::Limbs;
use super::search::MultiStartSearch;
use super::*;
use crate::geometry::Solidity;
use crate::geometry::procedural::{Cuboid, Procedural};
use crate::kinematics::articulation::joint::{Joint, JointKind};
use crate::kinematics::articulation::tree::Articulation;
use crate::proximity::articulated::link_pairs::AllowedCollisions;
use crate::proximity::model::Model;

/// Thickness of panels and walls [m].
const THICKNESS: f64 = 0.02;
/// Places of the middles of two walls along the path of each panel [m]: a panel is free up to −5 mm, from 35 mm to 70 mm, and from
/// 110 mm on.
const WALLS: [f64; 2] = [0.015, 0.09];
/// Distance between the axes of the panels [m].
const APART: f64 = 2.0;

fn cuboid(edge: f64) -> Shape {
    let mesh = Cuboid { x: THICKNESS, y: edge, z: edge, ..Cuboid::default() }.mesh().unwrap();
    Shape::of_model(Model::new(mesh, Solidity::Solid))
}

/// Two panels that slide along x, each through the walls.
fn sliders_between_walls() -> CollisionWorld {
    let slider = |name: &str, y: f64| {
        Joint::new(name, "ground", name, JointKind::Prismatic { axis: Vector3::x() })
            .at(Isometry3::translation(0.0, y, 0.0))
    };
    let links = ["ground", "first", "second"].map(String::from).to_vec();
    let tree = Articulation::new(links, vec![slider("first", 0.0), slider("second", APART)]).unwrap();
    let shapes = vec![None, Some(cuboid(0.2)), Some(cuboid(0.2))];
    let movable = MovableModel::new(tree, shapes, AllowedCollisions::default(), Base::Fixed).unwrap();
    let walls = WALLS.iter().flat_map(|&x| {
        [0.0, APART].map(|y| Obstacle { shape: cuboid(0.4), pose: Isometry3::translation(x, y, 0.0) })
    });
    CollisionWorld::new(vec![movable], walls.collect()).unwrap()
}

fn positions(values: [f64; 2]) -> Vec<Pose> {
    vec![Pose { base: Isometry3::identity(), joints: values.to_vec() }]
}

/// Runs a check with a search around both panels at zero.
fn with_search(check: impl Fn(&MultiStartSearch<'_>, &Limbs)) {
    let collision_world = sliders_between_walls();
    sources_tests::with_search(&collision_world, &positions([0.0, 0.0]), |search| {
        check(search, &Limbs::new(&collision_world, search.chart));
    });
}

fn joints(search: &MultiStartSearch<'_>, found: &DescentResult) -> Vec<f64> {
    search.chart.poses(search.collision_world, found.free.as_ref().unwrap())[0].joints.clone()
}

#[test]
fn limbs_move_back_over_walls_behind_which_a_descent_stays() {
    with_search(|search, limbs| {
        // Each panel is beyond the second wall.
        let from = search.chart.point(search.collision_world, &positions([0.115, 0.12]));
        let beyond = search.run(&from);
        for joint in joints(search, &beyond) {
            assert!((joint - 0.11).abs() < 1e-6, "{joint}");
        }
        let work = beyond.work;
        let moved = search.moved_back(beyond, limbs);
        // Half the path back lies between the walls, where the nearest free place is at the first one.
        for joint in joints(search, &moved) {
            assert!((joint - 0.035).abs() < 1e-6, "{joint}");
        }
        assert!(moved.work > work);
    });
}

#[test]
fn a_limb_that_is_in_contact_on_the_near_side_stays() {
    with_search(|search, limbs| {
        let from = search.chart.point(search.collision_world, &positions([-0.01, 0.12]));
        let moved = search.moved_back(search.run(&from), limbs);
        let joints = joints(search, &moved);
        assert!((joints[0] + 0.005).abs() < 1e-6, "{joints:?}");
        assert!((joints[1] - 0.035).abs() < 1e-6, "{joints:?}");
    });
}

#[test]
fn limbs_come_in_decreasing_order_of_their_parts() {
    with_search(|search, limbs| {
        let order = |joints| {
            let y = search.chart.point(search.collision_world, &positions(joints));
            let order = limbs.in_order_of_part(&y);
            let parts = order.iter().map(|limb| {
                let rest = search.chart.scaled(&y, limb, 0.0);
                squared(&y) - squared(&rest)
            });
            assert!(parts.collect::<Vec<_>>().is_sorted_by(|a, b| a >= b));
            order
        };
        assert_eq!(order([0.1, 0.2]), [vec![1], vec![0]]);
        assert_eq!(order([-0.2, 0.1]), [vec![0], vec![1]]);
        // A variable at the input has nothing to move.
        assert_eq!(order([0.2, 0.0]), [vec![0]]);
        assert!(order([0.0, 0.0]).is_empty());
    });
}

#[test]
fn a_random_point_of_which_no_variable_differs_is_its_centre() {
    with_search(|search, _| {
        let around = [0.03, -0.02];
        assert_eq!(starts::random_of(search.chart, &around, 0.5, [1, 2], |_| false), around);
    });
}
