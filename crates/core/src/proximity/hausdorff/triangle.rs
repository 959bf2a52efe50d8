//! A triangle of the other model, the convex set of an upper bound, and its distances from eight points.

use nalgebra::{Point3, Vector3};

use crate::bvh::lanes::isa::{Double, Isa, LaneVector, Portable, cross, dot, splat, sub};
use crate::proximity::model::Model;

/// Maximum number of points whose distances are computed at once, and so of corners of a piece.
pub(super) const POINTS: usize = 8;

/// Up to eight points, `[axis][point]` [m]; unused slots repeat the first one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Points([[f64; POINTS]; 3]);

impl Points {
    /// The same point eight times.
    pub(super) fn all(point: &Point3<f64>) -> Self {
        Self([[point.x; POINTS], [point.y; POINTS], [point.z; POINTS]])
    }

    /// One to eight points.
    pub(super) fn of(points: &[Point3<f64>]) -> Self {
        let mut all = Self::all(&points[0]);
        for (i, point) in points.iter().enumerate() {
            all.set(i, point);
        }
        all
    }

    pub(super) fn set(&mut self, index: usize, point: &Point3<f64>) {
        for axis in 0..3 {
            self.0[axis][index] = point[axis];
        }
    }

    pub(super) fn get(&self, index: usize) -> Point3<f64> {
        Point3::new(self.0[0][index], self.0[1][index], self.0[2][index])
    }

    /// Four of the points as lanes.
    #[inline(always)]
    fn lanes<D: Double>(&self, first: usize) -> LaneVector<D> {
        let mut lanes = [D::splat(0.0); 3];
        for axis in 0..3 {
            let row = &self.0[axis];
            lanes[axis] = D::load(&[row[first], row[first + 1], row[first + 2], row[first + 3]]);
        }
        lanes
    }
}

/// A triangle and its index, in the frame of its model's tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle {
    pub(super) index: u32,
    corners: [[f64; 3]; 3],
}

impl Triangle {
    pub(super) fn of(model: &Model, index: u32) -> Self {
        let (mesh, center) = (model.mesh(), model.center());
        let mut corners = [[0.0; 3]; 3];
        for (corner, &vertex) in corners.iter_mut().zip(&mesh.triangles()[index as usize]) {
            *corner = (mesh.vertices()[vertex as usize] - center).into();
        }
        Self { index, corners }
    }

    /// Distance from `point` [m].
    pub(super) fn distance(&self, point: &Point3<f64>) -> f64 {
        self.distances(&Points::all(point))[0]
    }

    /// Maximum distance from the points, and so from any of their convex combinations [m].
    pub(super) fn reach(&self, points: &Points) -> f64 {
        self.distances(points).into_iter().fold(0.0, f64::max)
    }

    /// Distances from the points [m].
    pub(super) fn distances(&self, points: &Points) -> [f64; POINTS] {
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            return unsafe { distances_avx2(&self.corners, points) };
        }
        distances_with::<Portable>(&self.corners, points)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn distances_avx2(corners: &[[f64; 3]; 3], points: &Points) -> [f64; POINTS] {
    distances_with::<crate::bvh::lanes::Avx2>(corners, points)
}

#[inline(always)]
fn distances_with<I: Isa>(corners: &[[f64; 3]; 3], points: &Points) -> [f64; POINTS] {
    let mut distances = [0.0; POINTS];
    for half in 0..2 {
        let first = 4 * half;
        let squared = squared_distances::<I::Double>(corners, &points.lanes(first)).store();
        for lane in 0..4 {
            distances[first + lane] = squared[lane].sqrt();
        }
    }
    distances
}

/// Squared distances of four points from a triangle [m²].
///
/// The plane of a needle is ill-conditioned while its edges are accurate. Above the interior of the triangle the
/// squared distance is less than that from the nearest edge by at most the squared height of the triangle, which bounds
/// the error.
#[inline(always)]
fn squared_distances<D: Double>(corners: &[[f64; 3]; 3], points: &LaneVector<D>) -> D {
    let [a, b, c] = [Vector3::from(corners[0]), Vector3::from(corners[1]), Vector3::from(corners[2])];
    let edges = [b - a, c - b, a - c];
    let normal = edges[0].cross(&edges[1]);
    let area = normal.norm_squared();
    let lanes_of_normal = splat::<D>(&normal.into());
    let (zero, one) = (D::splat(0.0), D::splat(1.0));
    let mut squared = D::splat(f64::INFINITY);
    let mut min_inward = squared;
    let mut longest = 0.0;
    let mut height = zero;
    for side in 0..3 {
        let offset = sub(points, &splat(&corners[side]));
        let edge = splat::<D>(&edges[side].into());
        let length = edges[side].norm_squared();
        longest = if length > longest { length } else { longest };
        let fraction = dot(&edge, &offset) * D::splat(1.0 / length);
        let fraction = fraction.max(zero).min(one);
        let beside =
            [offset[0] - fraction * edge[0], offset[1] - fraction * edge[1], offset[2] - fraction * edge[2]];
        squared = squared.min(dot(&beside, &beside));
        min_inward = min_inward.min(dot(&cross(&lanes_of_normal, &edge), &offset));
        if side == 0 {
            height = dot(&lanes_of_normal, &offset);
        }
    }
    let above = (height * height * D::splat(1.0 / area)).max(squared - D::splat(area / longest));
    above.only_in(zero.less_or_equal(min_inward)).min(squared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::lanes::portably;
    use crate::geometry::{Solidity, TriangleMesh};
    use crate::proximity::tests::Noise;
    use crate::proximity::triangle_distance::closest_on_triangle;

    #[test]
    fn eight_points_are_as_far_away_as_they_are_one_by_one_on_every_instruction_set() {
        let mut noise = Noise(75);
        for flatness in [1.0, 1e-3, 1e-9] {
            for _ in 0..200 {
                let mut corner = || Point3::new(noise.next(), flatness * noise.next(), noise.next());
                let corners = vec![corner(), corner(), corner()];
                let Ok(mesh) = TriangleMesh::new(corners, vec![[0, 1, 2]]) else { continue };
                let model = Model::new(mesh, Solidity::Surface);
                let center = model.center();
                let points: [Point3<f64>; POINTS] =
                    std::array::from_fn(|_| Point3::from(2.0 * noise.vector()));
                let triangle = Triangle::of(&model, 0);
                let points_in_tree = Points::of(&points.map(|p| Point3::from(p - center)));
                let found = triangle.distances(&points_in_tree);
                assert_eq!(
                    found.map(f64::to_bits),
                    portably(|| triangle.distances(&points_in_tree)).map(f64::to_bits)
                );
                for (point, found) in points.iter().zip(found) {
                    let closest = closest_on_triangle(point, &model.mesh().triangle(0));
                    assert!(
                        (nalgebra::distance(point, &closest) - found).abs() <= 1e-13,
                        "{flatness} {found}"
                    );
                }
                assert!(
                    (triangle.reach(&points_in_tree) - found.into_iter().fold(0.0, f64::max)).abs() <= 0.0
                );
            }
        }
    }
}
