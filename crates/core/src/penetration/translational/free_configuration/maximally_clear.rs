//! Configurations in which A fills a hole or a hollow of B, or B one of A [Je12 §5.2].
//!
//! The places are found once per mesh, in tens of milliseconds; then a collision query for each of at most
//! [`TRIES`] configurations. Good for bodies with holes and hollows: grates, rings, cups.
//!
//! Departs from [Je12]: not only the centroid of a body is placed in the holes of the other one, but also its thickest
//! parts, as far as they fit; so a ring is linked with another one. Both bodies take both roles.

use std::cmp::Ordering;

use nalgebra::{Point3, Vector3};

use super::outside::centroids;
use crate::penetration::translational::walk::ContactSpace;
use crate::proximity::model::Model;

/// Configurations, nearest first, that are tested by a collision query at 1 µs each; knots and lattices would gain from
/// a thousand, but where a few do not help, a march finds more in the same time. Half changes no depth and loses 3 of
/// 840 answers, twice changes the mean depth by −0.1 % (one answer −81 %; docs/sensitivity.md).
const TRIES: usize = 64;

/// Up to `count` free configurations at less than `within` [m], nearest first.
pub(crate) fn maximally_clear(space: &ContactSpace, within: f64, count: usize) -> Vec<Vector3<f64>> {
    let mut configurations = configurations(space, within);
    if configurations.len() > TRIES {
        configurations.select_nth_unstable_by(TRIES, nearer);
        configurations.truncate(TRIES);
    }
    configurations.sort_by(nearer);
    configurations
        .into_iter()
        .take_while(|_| !space.is_late())
        .filter(|q| space.is_apart(q))
        .take(count)
        .collect()
}

/// Up to `count` unit directions towards the nearest configurations at less than `within` [m], free or not, whose
/// cosines are below `distinct`; nearest first.
pub(super) fn towards_clear(
    space: &ContactSpace,
    within: f64,
    (count, distinct): (usize, f64),
) -> Vec<Vector3<f64>> {
    let mut configurations = configurations(space, within);
    configurations.sort_by(nearer);
    let mut directions: Vec<Vector3<f64>> = Vec::new();
    for direction in configurations.iter().filter_map(|q| q.try_normalize(0.0)) {
        if directions.len() == count {
            break;
        }
        if directions.iter().all(|other| other.dot(&direction) < distinct) {
            directions.push(direction);
        }
    }
    directions
}

fn nearer(x: &Vector3<f64>, y: &Vector3<f64>) -> Ordering {
    x.norm_squared().total_cmp(&y.norm_squared())
}

/// An inner ball of a part, or the ball in a hole, in the frame of B's tree.
#[derive(Clone, Copy)]
pub(super) struct Ball {
    pub center: Vector3<f64>,
    /// Distance to the surface [m].
    pub radius: f64,
}

/// All translations shorter than `within` [m] that place a part of one body in a hole of the other one that is wider than
/// the part.
fn configurations(space: &ContactSpace, within: f64) -> Vec<Vector3<f64>> {
    let [centroid_a, centroid_b] = centroids(space);
    let to_b = |point: Point3<f64>| space.a_to_b.point(&Point3::from(point - space.a.center())).coords;
    let from_b = |point: Point3<f64>| point - space.b.center();
    let parts_a = parts(space.a, centroid_a, to_b);
    let parts_b = parts(space.b, centroid_b, from_b);
    let mut configurations = Vec::new();
    let mut fill = |holes: Vec<Ball>, parts: &[Ball], sign: f64| {
        for hole in &holes {
            // Only a part that is thinner than the hole can be free there.
            let fitting = parts.iter().filter(|part| part.radius < hole.radius);
            let translations = fitting.map(|part| (hole.center - part.center) * sign);
            configurations.extend(translations.filter(|q| q.norm_squared() < within * within));
        }
    };
    fill(holes(space.b, from_b), &parts_a, 1.0);
    fill(holes(space.a, to_b), &parts_b, -1.0);
    configurations
}

/// The centroid, as a ball of radius zero, and the thickest parts.
fn parts(model: &Model, centroid: Vector3<f64>, place: impl Fn(Point3<f64>) -> Vector3<f64>) -> Vec<Ball> {
    let flesh = model.clear_configurations().interior().iter();
    let balls = flesh.map(|part| Ball { center: place(part.point), radius: part.clearance });
    std::iter::once(Ball { center: centroid, radius: 0.0 }).chain(balls).collect()
}

fn holes(model: &Model, place: impl Fn(Point3<f64>) -> Vector3<f64>) -> Vec<Ball> {
    let free = model.clear_configurations().free().iter();
    free.map(|hole| Ball { center: place(hole.point), radius: hole.clearance }).collect()
}
