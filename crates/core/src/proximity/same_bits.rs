//! Every query returns the same bits on the portable path as on the widest instruction set of the machine.

use std::fmt::Debug;

use nalgebra::{Isometry3, Point3};

use super::shapes;
use super::tests::{Noise, about_center};
use super::*;
use crate::bvh::lanes::portably;
use crate::geometry::Solidity;

/// Runs the query on many poses of two models, on both paths.
fn assert_same_bits<T: Debug>(
    reach: f64,
    query: impl Fn(&Model, &Isometry3<f64>, &Model, &Isometry3<f64>) -> T,
) {
    let (ball, torus) = (shapes::bumpy_sphere(24), shapes::torus(1.0, 0.4, 30));
    let (a, b) = (Model::new(ball, Solidity::Solid), Model::new(torus, Solidity::Solid));
    let mut noise = Noise(50);
    for _ in 0..30 {
        let [pose_a, pose_b] = [(); 2].map(|()| {
            let pose = about_center(noise.pose(0.0, 3.0));
            Isometry3::from_parts((reach * noise.vector()).into(), pose.rotation)
        });
        let wide = query(&a, &pose_a, &b, &pose_b);
        let portable = portably(|| query(&a, &pose_a, &b, &pose_b));
        // Debug prints every bit of a finite number, and the sign of zero.
        assert_eq!(format!("{wide:?}"), format!("{portable:?}"));
    }
}

#[test]
fn collision_has_the_same_bits_on_every_instruction_set() {
    assert_same_bits(1.5, collide);
    assert_same_bits(0.5, |a, pose_a, b, pose_b| {
        let mut pairs = Vec::new();
        pairs_within(a, pose_a, b, pose_b, 0.02, &mut pairs);
        pairs
    });
}

#[test]
fn distance_has_the_same_bits_on_every_instruction_set() {
    assert_same_bits(3.0, distance);
    assert_same_bits(3.0, |a, pose_a, b, pose_b| {
        let options = DistanceOptions { relative_tolerance: 0.1, ..DistanceOptions::default() };
        distance_with(a, pose_a, b, pose_b, &options, &mut DistanceCache::default())
    });
}

#[test]
fn intersections_have_the_same_bits_on_every_instruction_set() {
    assert_same_bits(1.0, |a, pose_a, b, pose_b| {
        let mut segments = Vec::new();
        intersection_segments(a, pose_a, b, pose_b, &mut segments);
        segments
    });
}

#[test]
fn time_of_contact_has_the_same_bits_on_every_instruction_set() {
    assert_same_bits(4.0, |a, pose_a, b, pose_b| {
        let towards = pose_b.translation.vector - pose_a.translation.vector;
        translational(a, pose_a, &towards, b, pose_b)
    });
}

#[test]
fn points_have_the_same_bits_on_every_instruction_set() {
    assert_same_bits(1.5, |a, pose_a, b, pose_b| {
        let points = [pose_a, pose_b].map(|pose| Point3::from(pose.translation.vector));
        points.map(|p| (closest_point(a, &p), closest_point(b, &p), a.winding_number(&p), b.contains(&p)))
    });
}
