use nalgebra::{UnitQuaternion, Vector3};

use super::*;
use crate::geometry::Solidity;
use crate::geometry::procedural::{Cuboid, Procedural};

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// A placement that wanders: far at first, then in ever smaller steps.
fn wandering(i: u32) -> Isometry3<f64> {
    let t = f64::from(i);
    let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.1 * t, 0.05 * (3.0 * t).sin(), 0.0));
    Isometry3::from_parts(Vector3::new(t.sqrt(), (0.7 * t).sin(), 0.3 * t.cos()).into(), rotation)
}

fn boxes() -> [Model; 2] {
    let cuboid = |x| Cuboid { x, ..Cuboid::default() }.mesh().unwrap();
    [cuboid(1.0), cuboid(4.0)].map(|mesh| Model::new(mesh, Solidity::Solid))
}

#[test]
fn the_nearest_placement_is_the_one_with_the_minimum_displacement_of_points() {
    let [a, b] = boxes();
    let mut coherence = MotionCoherence::default();
    coherence.measure(&a, &b);
    let origin = at(0.0, 0.0, 0.0);
    let rotated = Isometry3::from_parts(
        Vector3::new(2.0, 0.0, 0.0).into(),
        UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.0, 3.0)),
    );
    coherence.remember_free(&at(2.5, 0.0, 0.0), &origin);
    coherence.remember_free(&rotated, &origin);
    coherence.remember_free(&at(9.0, 0.0, 0.0), &origin);
    // The same origin, but rotated by 3 rad.
    let nearest = coherence.nearest_free(&at(2.0, 0.0, 0.0), &origin);
    assert_eq!(nearest, Some(&at(2.5, 0.0, 0.0)));
    assert_eq!(coherence.last_free(), Some(&at(9.0, 0.0, 0.0)));
    assert_eq!(coherence.at(&at(2.0, 0.0, 0.0), &origin).nearest[2], Some(at(9.0, 0.0, 0.0)));
}

/// The metric by sampling: both balls, each seen from the other one.
#[test]
fn the_metric_is_the_mean_square_displacement_of_the_points_of_two_balls() {
    let ball = Ball { center: Point3::new(0.3, -0.2, 0.5), radius: 1.5 };
    let (from, to) = (wandering(3), wandering(8));
    let (mut sum, mut count) = (0.0, 0.0);
    let steps = 40;
    for (i, j, k) in (0..steps).flat_map(|i| (0..steps).flat_map(move |j| (0..steps).map(move |k| (i, j, k))))
    {
        let cell = |i: i32| (f64::from(i) + 0.5) / f64::from(steps) * 2.0 - 1.0;
        let offset = Vector3::new(cell(i), cell(j), cell(k));
        if offset.norm() <= 1.0 {
            let point = ball.center + ball.radius * offset;
            sum += (to * point - from * point).norm_squared();
            count += 1.0;
        }
    }
    let exact = displacement_squared(&ball, &from, &to);
    assert!((sum / count - exact).abs() < 0.01 * exact, "{} {exact}", sum / count);
}

#[test]
fn exchanging_the_bodies_changes_no_distance_and_scaling_them_scales_it() {
    let [a, b] = boxes();
    let (mut forth, mut back) = (MotionCoherence::default(), MotionCoherence::default());
    for sized in [false, true] {
        if sized {
            forth.measure(&a, &b);
            back.measure(&b, &a);
        }
        for (from, to) in [(wandering(1), wandering(2)), (wandering(5), wandering(11))] {
            let one = forth.distance_squared(&from, &to);
            let other = back.distance_squared(&from.inverse(), &to.inverse());
            assert!((one - other).abs() < 1e-12 * one, "{one} {other}");
        }
    }
}

#[test]
fn a_full_cache_stays_spread_and_never_drops_the_last_placement() {
    let mut coherence = MotionCoherence::default();
    let [a, b] = boxes();
    coherence.measure(&a, &b);
    for i in 0..200 {
        // A long stay near the end of the path must not displace the path itself.
        let placement = wandering(i.min(60) + u32::from(i > 60) * (i % 2));
        coherence.remember_free(&placement, &at(0.0, 0.0, 0.0));
        assert_eq!(coherence.last_free(), Some(&placement));
        assert!(coherence.spread.len() <= MAX_PLACEMENTS);
        if coherence.spread.len() == MAX_PLACEMENTS {
            for (k, x) in coherence.spread.iter().enumerate() {
                for y in &coherence.spread[..k] {
                    assert!(coherence.distance_squared(x, y) >= coherence.apart * (1.0 - 1e-12), "{i}");
                }
            }
        }
    }
    // Brute force over the whole path: no placement of it is far from a stored one.
    let farthest = (0..60).map(|i| {
        let nearest = coherence.nearest_free(&wandering(i), &at(0.0, 0.0, 0.0)).unwrap();
        coherence.distance_squared(nearest, &wandering(i)).sqrt()
    });
    let whole = coherence.distance_squared(&wandering(0), &wandering(60)).sqrt();
    let farthest = farthest.fold(0.0, f64::max);
    assert!(farthest < 0.35 * whole, "{farthest} of {whole}");
}

#[test]
fn the_stored_state_is_exchanged_with_the_bodies() {
    let mut coherence = MotionCoherence::default();
    let (pose_a, pose_b) = (wandering(4), wandering(9));
    let direction = Unit::new_normalize(Vector3::new(1.0, 2.0, -0.5));
    coherence.remember_result(&wandering(2), &direction, &pose_b);
    let forth = coherence.at(&pose_a, &pose_b);
    let back = forth.exchanged(&pose_b.inv_mul(&pose_a).rotation);
    // In the world frame the other body moves in the opposite direction.
    let in_world = pose_a.rotation * back.direction.unwrap();
    assert!((in_world + direction.into_inner()).norm() < 1e-12, "{in_world}");
    let there_and_back = back.last.unwrap() * forth.last.unwrap();
    assert!((there_and_back.to_homogeneous() - nalgebra::Matrix4::identity()).norm() < 1e-12);
}
