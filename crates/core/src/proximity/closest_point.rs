//! The point of a model's surface that is closest to a given point [Lin17 §40.2].

use nalgebra::Point3;

use super::model::Model;
use super::nearest::{ClosestPoint, Nearest};
use crate::bvh::lanes::isa::{Isa, Kernel};
use crate::bvh::lanes::on_widest;
use crate::bvh::packet::{NONE, Packet};
use crate::bvh::single;

/// Closest point of the surface of `model` to `point` [m, body frame].
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
    // The first leaf ensures a result for points so far away that squared gaps overflow.
    on_widest(FirstLeaf { query: &mut query, leaf: &model.bvh().packets()[0] });
    single::descend(model.bvh(), &mut query);
    query.outcome(&model.center())
}

/// Visits a leaf before the traversal.
struct FirstLeaf<'a> {
    query: &'a mut Nearest,
    leaf: &'a Packet,
}

impl Kernel for FirstLeaf<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        self.query.visit::<I>(self.leaf);
    }
}

/// Closest point of the surface of `model` to `point` [m, body frame] if it is at most `limit` \[m\] away, else `None`.
#[must_use]
pub fn closest_point_up_to(model: &Model, point: &Point3<f64>, limit: f64) -> Option<ClosestPoint> {
    let mut query = Nearest::new(point - model.center().coords, limit);
    single::descend(model.bvh(), &mut query);
    (query.triangle != NONE).then(|| query.outcome(&model.center()))
}

/// Distance from `point` to the surface of `model` \[m\], negative where the solid that it bounds contains `point`
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

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::super::shapes;
    use super::super::tests::{Noise, soup};
    use super::*;
    use crate::geometry::{Solidity, TriangleMesh};
    use crate::proximity::triangle_distance::closest_on_triangle;

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
                // Variational inequality of the projection onto a convex set.
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
