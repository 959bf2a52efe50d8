use nalgebra::{Isometry3, Vector3};

use super::*;
use crate::geometry::convex::ConvexShape;
use crate::kinematics::{Articulation, Joint, JointKind};
use crate::penetration::generalized::{Base, Mover, Obstacle, Shape};
use crate::proximity::AllowedCollisions;

fn block(x: f64, y: f64, z: f64) -> Shape {
    Shape::convex(ConvexShape::cuboid(Vector3::new(x, y, z)))
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// A wall in the plane x = 0 with a square hole of an edge in its middle.
fn wall_with_hole(edge: f64) -> Vec<Obstacle> {
    let (side, middle) = (2.0 - 0.5 * edge, 1.0 + 0.25 * edge);
    let place = |y: f64, z: f64, shape: Shape| Obstacle { shape, pose: at(0.0, y, z) };
    vec![
        place(0.0, middle, block(0.1, 4.0, side)),
        place(0.0, -middle, block(0.1, 4.0, side)),
        place(middle, 0.0, block(0.1, side, edge)),
        place(-middle, 0.0, block(0.1, side, edge)),
    ]
}

fn bar(wall: Vec<Obstacle>) -> Arrangement {
    Arrangement::new(vec![Mover::rigid(block(0.8, 0.1, 0.1)).unwrap()], wall).unwrap()
}

#[test]
fn a_bar_finds_the_hole_in_the_wall() {
    let arrangement = bar(wall_with_hole(0.3));
    let turned = Isometry3::new(Vector3::new(-1.0, 0.5, 0.0), Vector3::z() * 1.5);
    let (start, goal) = (turned.into(), at(1.0, 0.0, 0.2).into());
    for retraction in [true, false] {
        let options = PlanOptions { retraction, ..PlanOptions::default() };
        let found = plan(&arrangement, &start, &goal, &options).unwrap();
        eprintln!("{retraction} {:?} {} {}", found.work, found.length, found.path.len());
        assert_eq!((&found.path[0], found.path.last().unwrap()), (&start, &goal));
    }
}
