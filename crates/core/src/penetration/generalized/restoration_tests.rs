//! Descents that restore feasibility first.

use nalgebra::{Isometry3, Vector3};

use super::chart::LocalChart;
use super::descent::{Descent, DescentStart};
use super::*;
use crate::geometry::Solidity;
use crate::geometry::procedural::{Cuboid, Procedural};
use crate::kinematics::articulation::joint::{Joint, JointKind};
use crate::kinematics::articulation::tree::Articulation;
use crate::proximity::articulated::link_pairs::AllowedCollisions;
use crate::proximity::model::Model;

/// Distance between the axes of the sliders [m].
const APART: f64 = 2.0;

fn cuboid(x: f64, edge: f64) -> Shape {
    let mesh = Cuboid { x, y: edge, z: edge, ..Cuboid::default() }.mesh().unwrap();
    Shape::of_model(Model::new(mesh, Solidity::Solid))
}

/// Two panels of 2 cm that slide along x, each through a plate of the same thickness whose middle lies 1.5 cm beyond its own: it leaves
/// the plate after −5 mm or +35 mm.
fn sliders_in_plates() -> CollisionWorld {
    let slider = |name: &str, y: f64| {
        Joint::new(name, "ground", name, JointKind::Prismatic { axis: Vector3::x() })
            .at(Isometry3::translation(0.0, y, 0.0))
    };
    let links = ["ground", "first", "second"].map(String::from).to_vec();
    let tree = Articulation::new(links, vec![slider("first", 0.0), slider("second", APART)]).unwrap();
    let shapes = vec![None, Some(cuboid(0.02, 0.2)), Some(cuboid(0.02, 0.2))];
    let movable = MovableModel::new(tree, shapes, AllowedCollisions::default(), Base::Fixed).unwrap();
    let plate = |y: f64| Obstacle { shape: cuboid(0.02, 0.4), pose: Isometry3::translation(0.015, y, 0.0) };
    CollisionWorld::new(vec![movable], vec![plate(0.0), plate(APART)]).unwrap()
}

fn positions(values: [f64; 2]) -> Vec<Pose> {
    vec![Pose { base: Isometry3::identity(), joints: values.to_vec() }]
}

#[test]
fn a_restoration_keeps_the_side_of_what_is_free_where_the_pull_of_the_input_goes_through_the_wall() {
    let collision_world = sliders_in_plates();
    let chart = LocalChart::new(&collision_world, &positions([0.0, 0.0]));
    let options = GeneralizedOptions::default();
    let descent = Descent::new(&collision_world, &chart, &options);
    // The first panel is about to leave its plate, the second one is beyond its own.
    let from = chart.point(&collision_world, &positions([0.03, 0.095]));
    let end = |restores: bool| {
        let start = DescentStart { restores, ..from.as_slice().into() };
        let found = collision_world.with_workspace(|workspace| descent.run(&start, workspace));
        chart.poses(&collision_world, &found.free.unwrap())[0].joints.clone()
    };
    for (restores, second) in [(true, 0.035), (false, -0.005)] {
        let joints = end(restores);
        assert!((joints[0] - 0.035).abs() < 1e-6, "{restores}: {joints:?}");
        assert!((joints[1] - second).abs() < 1e-6, "{restores}: {joints:?}");
    }
}
