//! Pairs of convex forms at random, the same ones in every run.

use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::checks::Pair;
use super::forms::Form;

/// A number of cases, from a fixed seed.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Lengths from 3 cm to 1 m.
fn length() -> impl Strategy<Value = f64> {
    (-1.5..0.0).prop_map(|exponent| 10_f64.powf(exponent))
}

fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    [-size..size, -size..size, -size..size].prop_map(Vector3::from)
}

fn hull() -> impl Strategy<Value = Form> {
    let points = prop::collection::vec(vector(1.0), 4..11);
    (points, [length(), length(), length()]).prop_map(|(points, size)| {
        let size = Vector3::from(size);
        Form::Hull(points.into_iter().map(|point| Point3::from(0.5 * point.component_mul(&size))).collect())
    })
}

fn rounded(form: impl Strategy<Value = Form> + 'static) -> impl Strategy<Value = Form> {
    (form, prop::option::weighted(0.2, length())).prop_map(|(form, radius)| match radius {
        Some(radius) => Form::Rounded(Box::new(form), radius),
        None => form,
    })
}

/// A form of which brute force knows the distance.
fn straight() -> impl Strategy<Value = Form> {
    let capsule = (length(), length()).prop_map(|(radius, length)| Form::Capsule { radius, length });
    let cuboid = [length(), length(), length()].prop_map(|size| Form::Cuboid(size.into()));
    rounded(prop_oneof![1 => length().prop_map(Form::Sphere), 1 => capsule, 2 => cuboid, 4 => hull()])
}

/// Any bounded form.
fn any_form() -> impl Strategy<Value = Form> {
    let cylinder = (length(), length()).prop_map(|(radius, height)| Form::Cylinder { radius, height });
    let cone = (length(), length()).prop_map(|(radius, height)| Form::Cone { radius, height });
    prop_oneof![3 => straight(), 1 => rounded(cylinder), 1 => rounded(cone)]
}

pub(crate) fn rotation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    let axis = vector(1.0).prop_filter_map("an axis", |axis| Unit::try_new(axis, 0.1));
    (axis, 0.0..std::f64::consts::TAU).prop_map(|(axis, angle)| UnitQuaternion::from_axis_angle(&axis, angle))
}

/// A rigid motion by up to a length [m].
pub(crate) fn motion(reach: f64) -> impl Strategy<Value = Isometry3<f64>> {
    (vector(reach), rotation()).prop_map(|(by, rotation)| Isometry3::from_parts(by.into(), rotation))
}

/// Two forms at poses of which about two in three overlap.
fn pair_of(form: impl Strategy<Value = Form> + Clone) -> impl Strategy<Value = Pair> {
    (form.clone(), form, motion(0.4), motion(0.4)).prop_map(|(a, b, pose_a, pose_b)| {
        let reach = a.reach() + b.reach();
        let place = |pose: Isometry3<f64>| {
            Isometry3::from_parts((reach * pose.translation.vector).into(), pose.rotation)
        };
        Pair { forms: [a, b], poses: [place(pose_a), place(pose_b)] }
    })
}

/// Two forms of which brute force knows the distance.
pub(crate) fn straight_pair() -> impl Strategy<Value = Pair> {
    pair_of(straight().boxed())
}

/// Two bounded forms of any kind.
pub(crate) fn any_pair() -> impl Strategy<Value = Pair> {
    pair_of(any_form().boxed())
}
