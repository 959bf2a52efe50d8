//! Exact gap functions of moving bodies: above a plane, of convex shapes, of a ball and a mesh.

use nalgebra::{Point3, Vector3};

use super::advancement::Gap;
use super::path::Path;
use super::swept::{Kind, SweptShape};
use extricate_core::geometry::Solidity;
use extricate_core::geometry::convex::{ConvexShape, START_ANYWHERE};
use extricate_core::penetration::convex::{ConvexCache, ConvexOptions, signed_distance};
use extricate_core::proximity::{Model, closest_point_up_to};

/// Relative accuracy of the signed distances: finer costs more iterations of each query, coarser more steps of the
/// advancement.
const ACCURACY: f64 = 1e-4;

/// Rounding of heights, over the lengths that enter them.
const ROUNDING: f64 = 1e-12;

/// Maximum speed of points of a body within `reach` [m] of its centre along a direction [m per step].
fn speed_along(path: &Path, reach: f64, direction: &Vector3<f64>) -> f64 {
    path.linear.dot(direction) + path.angular.cross(direction).norm() * finite(reach, &path.angular)
}

/// Reach [m] of a body that rotates, zero of one that does not: an infinite reach times zero would be NaN.
fn finite(reach: f64, angular: &Vector3<f64>) -> f64 {
    if *angular == Vector3::zeros() { 0.0 } else { reach }
}

/// Height of the lowest point of a shape above a plane.
pub(super) struct Height<'a> {
    pub(super) shape: &'a SweptShape,
    pub(super) path: &'a Path,
    pub(super) plane: &'a Path,
}

impl Gap for Height<'_> {
    fn at(&mut self, time: f64) -> (f64, f64) {
        let (pose, plane) = (self.path.pose_at(time), self.plane.pose_at(time));
        let up = plane.rotation * Vector3::z();
        let height = |point: Point3<f64>| (pose * point - Point3::from(plane.translation.vector)).dot(&up);
        let lowest = match &self.shape.kind {
            Kind::Convex(convex) => {
                let down = -(pose.rotation.inverse() * up);
                height(convex.core().support(&down, START_ANYWHERE).point.into()) - convex.radius()
            }
            _ => self.shape.vertices().map_or(f64::INFINITY, |vertices| {
                let up = pose.rotation.inverse() * up;
                let size = pose.translation.vector.norm() + plane.translation.vector.norm();
                vertices.min_height(height, (&up, size))
            }),
        };
        (lowest, self.rate(time, &up))
    }
}

impl Height<'_> {
    /// Bound on the speed [m per step] at which the shape comes nearer, from a time on.
    fn rate(&self, time: f64, up: &Vector3<f64>) -> f64 {
        let reach = self.shape.reach_from(&self.path.center);
        let far = (self.path.center_at(time) - self.plane.center_at(time)).norm() + reach;
        let rising = self.plane.linear.dot(up) + self.plane.angular.norm() * finite(far, &self.plane.angular);
        speed_along(self.path, reach, &-up) + rising
    }

    /// Whether the ball around the shape is so high at a time that the shape stays above the plane for the rest of the step: the first step of the
    /// advancement would lead beyond it.
    pub(super) fn stays_above(&self, time: f64) -> bool {
        let (pose, plane) = (self.path.pose_at(time), self.plane.pose_at(time));
        let up = plane.rotation * Vector3::z();
        let (center, radius) = self.shape.bounding_ball();
        let lowest = (pose * center - Point3::from(plane.translation.vector)).dot(&up) - radius;
        let lengths = pose.translation.vector.norm() + plane.translation.vector.norm() + center.coords.norm();
        lowest - ROUNDING * (lengths + radius)
            > (1.0 + ROUNDING) * self.rate(time, &up).max(0.0) * (1.0 - time)
    }
}

/// Signed distance of two convex shapes. The bound on its rate is that of the gap along the present direction, which is a
/// lower bound of later distances.
pub(super) struct ConvexGap<'a> {
    pub(super) shapes: [&'a ConvexShape; 2],
    pub(super) paths: [&'a Path; 2],
    pub(super) reaches: [f64; 2],
    pub(super) cache: ConvexCache,
}

impl Gap for ConvexGap<'_> {
    fn at(&mut self, time: f64) -> (f64, f64) {
        let [pose_a, pose_b] = self.paths.map(|path| path.pose_at(time));
        let options = ConvexOptions { relative_tolerance: ACCURACY, ..ConvexOptions::default() };
        let [a, b] = self.shapes;
        let Ok(found) = signed_distance(a, &pose_a, b, &pose_b, &options, &mut self.cache) else {
            return (f64::NAN, 0.0);
        };
        let away = found.direction.into_inner();
        let [of_a, of_b] = [(0, -away), (1, away)]
            .map(|(body, towards)| speed_along(self.paths[body], self.reaches[body], &towards));
        (found.value, of_a + of_b)
    }
}

/// Distance of a ball from the surface of a mesh, less its radius.
pub(super) struct BallGap<'a> {
    pub(super) path: &'a Path,
    pub(super) radius: f64,
    pub(super) model: &'a Model,
    pub(super) mesh: &'a Path,
    pub(super) reach: f64,
}

impl Gap for BallGap<'_> {
    fn at(&mut self, time: f64) -> (f64, f64) {
        let center = self.path.center_at(time);
        let local = self.mesh.pose_at(time).inverse_transform_point(&center);
        let linear = self.path.linear - self.mesh.linear;
        let speed = linear.norm() + self.mesh.angular.norm() * finite(self.reach, &self.mesh.angular);
        // A ball farther away than twice its motion in the step has no contact in it.
        let Some(nearest) = closest_point_up_to(self.model, &local, self.radius + 2.0 * speed) else {
            return (2.0 * speed, speed);
        };
        let inside = nearest.distance < self.radius
            && self.model.solidity() == Solidity::Solid
            && self.model.contains(&local);
        (if inside { -nearest.distance } else { nearest.distance } - self.radius, speed)
    }
}
