//! A front that lives long against searches from scratch.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::*;
use crate::geometry::procedural::{BumpySphere, Cuboid, LShape, Procedural, Sphere, Torus};
use crate::geometry::{Solidity, TriangleMesh};
use crate::proximity::contacts::FeatureFinder;
use crate::proximity::tests::Noise;

pub(super) struct Body {
    pub model: Model,
    adjacency: Adjacency,
}

impl Body {
    fn new(mesh: TriangleMesh) -> Self {
        let adjacency = Adjacency::new(&mesh);
        Self { model: Model::new(mesh, Solidity::Solid), adjacency }
    }

    fn side(&self) -> Side<'_> {
        Side { model: &self.model, adjacency: &self.adjacency }
    }
}

/// All features of all pairs of triangles, sorted, of equal features the first.
fn from_scratch([a, b]: [&Body; 2], query: &Query) -> Vec<FeaturePair> {
    let mut pairs = Vec::new();
    let count = |body: &Body| u32::try_from(body.model.mesh().triangles().len()).unwrap();
    for i in 0..count(a) {
        pairs.extend((0..count(b)).map(|j| [i, j]));
    }
    let mut found = FeatureFinder::default().find(&a.adjacency, &b.adjacency, &pairs, query).to_vec();
    found.sort_by_key(|pair| pair.features);
    found.dedup_by_key(|pair| pair.features);
    found
}

/// Two bodies and a pose at which they touch or nearly do.
fn touching_pairs() -> Vec<([Body; 2], Isometry3<f64>)> {
    let cube = |subdivisions| Body::new(Cuboid { subdivisions, ..Cuboid::default() }.mesh().unwrap());
    let torus = || Body::new(Torus { segments: 12, sides: 8, ..Torus::default() }.mesh().unwrap());
    let shape = || Body::new(LShape::default().mesh().unwrap());
    let ball = || Body::new(Sphere { radius: 0.5, frequency: 3 }.mesh().unwrap());
    let bumpy = || Body::new(BumpySphere { frequency: 3, ..BumpySphere::default() }.mesh().unwrap());
    let at = Isometry3::translation;
    let edge_on = Isometry3::from_parts(
        Translation3::new(0.1, 0.2, 0.5 + 0.5_f64.sqrt()),
        UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_4, 0.0, 0.3),
    );
    let through = Isometry3::from_parts(
        Translation3::new(0.81, 0.0, 0.0),
        UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, 0.0),
    );
    vec![
        ([cube(3), cube(3)], at(0.0, 0.0, 1.0)),
        ([cube(3), cube(2)], at(0.31, 0.17, 0.999)),
        ([cube(1), cube(2)], edge_on),
        ([cube(1), cube(1)], at(1.001, 1.001, 1.001)),
        ([torus(), torus()], through),
        ([shape(), cube(2)], at(0.6, 0.4, 0.2)),
        ([cube(2), ball()], at(0.1, 0.2, 0.99)),
        ([bumpy(), ball()], at(0.0, 0.0, 0.98)),
    ]
}

/// The pose after B has turned about a point by a rotation vector and moved.
fn moved(pose: &Isometry3<f64>, about: Point3<f64>, turn: Vector3<f64>, by: Vector3<f64>) -> Isometry3<f64> {
    let there = Translation3::from(about.coords);
    Translation3::from(by) * there * UnitQuaternion::from_scaled_axis(turn) * there.inverse() * pose
}

fn assert_same(bodies: [&Body; 2], query: &Query, front: &mut FeatureFront, margin: f64) -> usize {
    let expected = from_scratch(bodies, query);
    let found = front.find(bodies.map(Body::side), query, margin);
    assert_eq!(found, expected, "at {:?}", query.b_to_a);
    found.len()
}

#[test]
fn what_a_front_that_lives_long_finds_is_what_a_search_of_all_triangles_finds_bit_for_bit() {
    let noise = &mut Noise(11);
    let mut count = 0;
    for ([a, b], start) in touching_pairs() {
        let mut front = FeatureFront::default();
        let mut pose = start;
        for step in 0..60 {
            // Slower and slower, so that the margin is passed after one step, after a few, and never.
            let speed = 2e-3 * 0.85_f64.powi(step);
            let (turn, by) = (noise.vector() * speed, noise.vector() * speed);
            pose = moved(&pose, Point3::new(0.1, 0.0, 0.4), turn, by);
            let two_sided = [[false, false], [true, false], [true, true]][step as usize / 20];
            let query = Query { b_to_a: pose, least: -0.02, greatest: 0.01 + speed, two_sided };
            count += assert_same([&a, &b], &query, &mut front, 4e-3);
        }
        assert!(front.gathered() < 50, "{} gatherings", front.gathered());
    }
    assert!(count > 1000, "{count} contacts in all");
}

#[test]
fn a_body_that_rolls_over_edges_loses_no_contact_between_gatherings() {
    let floor = Body::new(Cuboid { x: 6.0, y: 2.0, z: 1.0, subdivisions: 4 }.mesh().unwrap());
    let ball = Body::new(Sphere { radius: 0.5, frequency: 5 }.mesh().unwrap());
    let mut front = FeatureFront::default();
    for step in 0..120 {
        let x = 2.5e-3 * f64::from(step);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), x / 0.5);
        let b_to_a = Isometry3::from_parts(Translation3::new(x - 1.6, 0.013, 0.99), turn);
        let query = Query { b_to_a, least: -0.01, greatest: 0.01, two_sided: [false; 2] };
        assert_same([&floor, &ball], &query, &mut front, 0.025);
    }
    assert!(front.gathered() < 40, "{} gatherings", front.gathered());
}

#[test]
fn edges_that_roll_over_each_other_are_found_in_every_step() {
    let torus = || Body::new(Torus { segments: 24, sides: 10, ..Torus::default() }.mesh().unwrap());
    let (a, b) = (torus(), torus());
    let mut front = FeatureFront::default();
    let mut count = 0;
    for step in 0..100 {
        let angle = 2e-3 * f64::from(step);
        // Linked, and swinging about the point where the tubes touch.
        let linked = UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
        let swing = UnitQuaternion::from_euler_angles(0.3 * angle, angle, 0.7 * angle);
        let start = Isometry3::from_parts(Translation3::new(1.6, 0.0, 0.0), linked);
        let b_to_a = moved(&start, Point3::new(0.8, 0.0, 0.0), swing.scaled_axis(), Vector3::zeros());
        let query = Query { b_to_a, least: -0.03, greatest: 0.01, two_sided: [false; 2] };
        count += assert_same([&a, &b], &query, &mut front, 0.012);
    }
    assert!(count > 100 && front.gathered() < 60, "{count} contacts, {} gatherings", front.gathered());
}

#[test]
fn a_pair_at_rest_is_gathered_once_and_with_a_margin_of_nothing_never() {
    let cube = Body::new(Cuboid { subdivisions: 3, ..Cuboid::default() }.mesh().unwrap());
    for margin in [1e-4, 0.0] {
        let mut front = FeatureFront::default();
        for step in 0..50 {
            let z = 1.0 + if margin > 0.0 { 1e-9 * f64::from(step % 3) } else { 0.0 };
            let b_to_a = Isometry3::translation(0.0, 0.0, z);
            let query = Query { b_to_a, least: -0.01, greatest: 0.01, two_sided: [false; 2] };
            assert!(!front.find([cube.side(), cube.side()], &query, margin).is_empty());
        }
        assert_eq!((front.gathered(), front.lasts()), if margin > 0.0 { (1, true) } else { (0, false) });
    }
}
