//! The point of a model's surface that is closest to a given point [Lin17 §40.2].

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::Model;
use super::distance::triangles::{closest_on_triangle, squared_distances};
use crate::bvh::TriangleBvh;
use crate::bvh::lanes::{Double as _, Isa, Portable, Single as _};
use crate::bvh::node::{NONE, Node, Packet, WIDTH, above};
use crate::bvh::single::{self, Single};

/// Rounding of a squared gap in single precision, relative: two subtractions, squares and sums.
const GAP_ROUNDING: f32 = 1e-6;

/// The closest point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoint {
    /// The point [m, body frame].
    pub point: Point3<f64>,
    /// A triangle that holds it.
    pub triangle: u32,
    /// Its distance from the point that was asked about [m], never negative.
    pub distance: f64,
}

/// The point of the surface of `model` that is closest to `point` [m, body frame].
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, closest_point};
/// use nalgebra::Point3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let found = closest_point(&cube, &Point3::new(2.0, 0.1, 0.2));
/// assert!((found.distance - 1.5).abs() < 1e-12);
/// assert!((found.point - Point3::new(0.5, 0.1, 0.2)).norm() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn closest_point(model: &Model, point: &Point3<f64>) -> ClosestPoint {
    let center = model.center().coords;
    let mut query = Nearest::new(point - center, f64::INFINITY);
    query.look_at::<Portable>(&model.bvh().packets()[0]);
    single::descend(model.bvh(), &mut query);
    query.outcome(model)
}

/// The point of the surface of `model` that is closest to `point` [m, body frame], when it is at most `limit` [m]
/// away, else `None`.
#[must_use]
pub fn closest_point_up_to(model: &Model, point: &Point3<f64>, limit: f64) -> Option<ClosestPoint> {
    let mut query = Nearest::new(point - model.center().coords, limit);
    single::descend(model.bvh(), &mut query);
    (query.triangle != NONE).then(|| query.outcome(model))
}

/// Distance from `point` to the surface of `model` [m], negative where the solid that it bounds contains `point`
/// [m, body frame].
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, signed_distance};
/// use nalgebra::Point3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// assert!((signed_distance(&cube, &Point3::origin()) + 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn signed_distance(model: &Model, point: &Point3<f64>) -> f64 {
    let distance = closest_point(model, point).distance;
    if model.contains(point) { -distance } else { distance }
}

/// The point of the triangles of `tree` that is closest to `point` when it is farther away than `floor` [m, frame of
/// the tree], with that distance; else `None`. `ceiling` is a length that the distance is known not to exceed,
/// rounding apart.
///
/// A point that is not farther than the floor costs little: the first triangle that shows it ends the query. The
/// distance may be up to `excess`, relative, more than the least one: that saves looking at much that is about as
/// far away.
pub(crate) fn closest_beyond(
    tree: &TriangleBvh,
    point: &Point3<f64>,
    floor: f64,
    ceiling: f64,
    excess: f64,
) -> Option<(Point3<f64>, f64)> {
    /// Leaves room for the rounding of the ceiling.
    const ROOM: f64 = 1.0 + 1e-9;
    let mut query = Nearest::new(*point, ROOM * ceiling);
    query.floor = floor.max(0.0).powi(2);
    query.share = (1.0 + excess).powi(-2);
    single::descend(tree, &mut query);
    (query.triangle != NONE && query.best > query.floor).then(|| (query.closest(), query.best.sqrt()))
}

/// Descent to the closest triangle; everything in the frame of the tree.
struct Nearest {
    point: Point3<f64>,
    /// The point in single precision, rounded down and up.
    rounded: [[f32; 3]; 2],
    /// Least squared distance so far, or what the answer must not exceed [m²].
    best: f64,
    /// Squared distance at which the descent ends [m²].
    floor: f64,
    /// Share of the least squared distance so far that a subtree must be able to beat.
    share: f64,
    triangle: u32,
    corners: [[f64; 3]; 3],
}

impl Nearest {
    fn new(point: Point3<f64>, limit: f64) -> Self {
        let rounded = [point.map(|x| -above(-x)).into(), point.map(above).into()];
        let best = limit * limit;
        Self { point, rounded, best, floor: -1.0, share: 1.0, triangle: NONE, corners: [[0.0; 3]; 3] }
    }

    #[inline(always)]
    fn look_at<I: Isa>(&mut self, packet: &Packet) {
        let squared = squared_distances::<I::Double>(&self.point.coords.into(), packet).store();
        for (lane, triangle) in packet.lanes() {
            if squared[lane] < self.best || (squared[lane] <= self.best && self.triangle == NONE) {
                (self.best, self.triangle) = (squared[lane], triangle);
                self.corners = packet.triangle(lane);
            }
        }
    }

    fn closest(&self) -> Point3<f64> {
        closest_on_triangle(&self.point, &self.corners.map(Point3::from))
    }

    fn outcome(&self, model: &Model) -> ClosestPoint {
        let closest = self.closest();
        let distance = nalgebra::distance(&self.point, &closest);
        ClosestPoint { point: closest + model.center().coords, triangle: self.triangle, distance }
    }
}

impl Single for Nearest {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        let single = I::Single::splat;
        let mut sum = single(0.0);
        for axis in 0..3 {
            let behind = I::Single::load(&children.min[axis]) - single(self.rounded[1][axis]);
            let before = single(self.rounded[0][axis]) - I::Single::load(&children.max[axis]);
            // In this order NaN stays NaN, and what costs NaN is skipped.
            let gap = single(0.0).max(behind.max(before));
            sum = sum + gap * gap;
        }
        (sum * single(1.0 - GAP_ROUNDING)).store()
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        let share = if self.triangle == NONE { 1.0 } else { self.share };
        above(share * self.best).min(f32::MAX)
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        self.look_at::<I>(packet);
        if self.best <= self.floor { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::super::shapes;
    use super::super::tests::{Noise, soup};
    use super::*;
    use crate::geometry::{Solidity, TriangleMesh};

    #[test]
    fn the_closest_point_is_the_one_that_brute_force_finds() {
        let mut noise = Noise(40);
        let model = soup(&mut noise, 150, 0.3);
        for _ in 0..300 {
            let point = model.center() + 2.0 * noise.vector();
            let brute = (0..150_usize)
                .map(|i| nalgebra::distance(&point, &closest_on_triangle(&point, &model.mesh().triangle(i))))
                .fold(f64::INFINITY, f64::min);
            let found = closest_point(&model, &point);
            assert!((found.distance - brute).abs() <= 1e-13, "{found:?} {brute}");
            let triangle = model.mesh().triangle(found.triangle as usize);
            let on_surface = closest_on_triangle(&found.point, &triangle);
            assert!(nalgebra::distance(&found.point, &on_surface) <= 1e-13);
            assert!((nalgebra::distance(&found.point, &point) - brute).abs() <= 1e-13);
            assert_eq!(closest_point_up_to(&model, &point, 0.99 * brute), None);
            assert_eq!(closest_point_up_to(&model, &point, 1.01 * brute), Some(found));
        }
    }

    #[test]
    fn the_closest_point_of_a_triangle_beats_every_sample_of_it() {
        let mut noise = Noise(41);
        for flatness in [1.0, 1e-3, 1e-7] {
            for _ in 0..200 {
                let mut corner = || Point3::new(noise.next(), flatness * noise.next(), noise.next());
                let triangle = [corner(), corner(), corner()];
                let point = Point3::from(1.5 * noise.vector());
                let closest = closest_on_triangle(&point, &triangle);
                let distance = nalgebra::distance(&point, &closest);
                let [a, b, c] = triangle;
                for i in 0..=20 {
                    for j in 0..=20 - i {
                        let sample = a + (b - a) * (f64::from(i) / 20.0) + (c - a) * (f64::from(j) / 20.0);
                        assert!(distance <= nalgebra::distance(&point, &sample) + 1e-14);
                    }
                }
                // The nearest point of a convex set: nothing of it lies ahead of the closest point.
                for corner in triangle {
                    assert!((point - closest).dot(&(corner - closest)) <= 1e-13);
                }
            }
        }
    }

    #[test]
    fn the_signed_distance_of_a_box_is_its_closed_form() {
        let half = Vector3::new(1.0, 2.0, 0.5);
        for scale in [1e-3, 1.0, 1e3] {
            let far = 1e4 * scale * Vector3::new(1.0, -2.0, 3.0);
            let cuboid = shapes::cuboid(2.0 * scale * half);
            let vertices = cuboid.vertices().iter().map(|p| p + far).collect();
            let mesh = TriangleMesh::new(vertices, cuboid.triangles().to_vec()).unwrap();
            let model = Model::new(mesh, Solidity::Solid);
            let mut noise = Noise(42);
            for _ in 0..500 {
                let p = 2.5 * noise.vector();
                let beyond = p.abs() - half;
                let exact = beyond.sup(&Vector3::zeros()).norm() + beyond.max().min(0.0);
                let found = signed_distance(&model, &Point3::from(scale * p + far));
                assert!((found - scale * exact).abs() <= 1e-11 * scale, "{found} {exact}");
            }
        }
    }
}
