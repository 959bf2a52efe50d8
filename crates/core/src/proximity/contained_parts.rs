//! Containment of the connected parts of one model in another one.
//!
//! Where surfaces do not intersect a connected part is inside or outside as a whole, so that one of its vertices decides. A winding
//! number among tens of thousands of long thin triangles visits most of them, and a model may have thousands of parts. Points between
//! which no triangle of a closed mesh lies have the same winding number: those in a box that no triangle meets are decided by one of
//! them, and a box that one meets is divided.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::leaf_and_box::OrientedBox;
use super::model::Model;
use super::relative_pose::RelativePose;
use super::work_limit::WorkLimit;
use crate::bvh::lanes::isa::{Isa, Mask, Single};
use crate::bvh::node::{Node, WIDTH};
use crate::bvh::packet::{Bounds, Packet, above, below};
use crate::bvh::single::{self, TreeQuery};
use crate::geometry::triangle_mesh::Solidity;

/// Visited nodes for each triangle of a solid after which points are decided in groups: they take as long as to find out whether the
/// mesh is closed.
const VISITS_PER_TRIANGLE: u64 = 8;

/// As [`shared_point`], whether there is one, at the cost of a limit; true also where the limit is spent before that is known.
pub(crate) fn may_contain_any(a: &Model, b: &Model, a_to_b: &RelativePose, limit: &mut WorkLimit) -> bool {
    shared_point_within(a, b, a_to_b, limit).is_some() || limit.is_spent()
}

/// A vertex of some connected part of one model that the other one, a solid, contains; in the frame of B's tree.
///
/// When the surfaces do not intersect, that decides containment: a connected part is then inside or outside as a whole.
pub(crate) fn shared_point(a: &Model, b: &Model, a_to_b: &RelativePose) -> Option<Point3<f64>> {
    let mut unlimited = WorkLimit::NONE;
    shared_point_within(a, b, a_to_b, &mut unlimited)
}

/// As [`shared_point`]; `None` also where the limit is spent before one is found.
pub(crate) fn shared_point_within(
    a: &Model,
    b: &Model,
    a_to_b: &RelativePose,
    limit: &mut WorkLimit,
) -> Option<Point3<f64>> {
    let of_a = contained_part(a, b, a_to_b, limit);
    if of_a.is_some() || limit.is_spent() {
        return of_a.map(|point| a_to_b.point(&point));
    }
    contained_part(b, a, &a_to_b.inverse(), limit)
}

/// The representative of the first contained part in the frame of its own tree; `None` also where the limit is spent before one is
/// found.
fn contained_part(
    part: &Model,
    solid: &Model,
    part_to_solid: &RelativePose,
    limit: &mut WorkLimit,
) -> Option<Point3<f64>> {
    if solid.solidity() != Solidity::Solid {
        return None;
    }
    // Most pairs are apart, and their parts are not needed then.
    if !boxes_meet(part, solid, part_to_solid) {
        return None;
    }
    let placed = |point: &Point3<f64>| part_to_solid.point(point).coords;
    let representatives = part.part_representatives();
    // Both vertices of a contained part are inside, and the box test of one is cheap.
    let may_be_inside = |[_, other]: &[Point3<f64>; 2]| solid.is_in_box(&placed(other));
    let usual = VISITS_PER_TRIANGLE * solid.mesh().triangles().len() as u64;
    let mut all_visited = 0;
    for (i, pair) in representatives.iter().enumerate().filter(|(_, pair)| may_be_inside(pair)) {
        let (is_inside, visited) = solid.contains_counted(&placed(&pair[0]));
        if is_inside {
            return Some(pair[0]);
        }
        all_visited += visited;
        if limit.spend_many(visited) {
            return None;
        }
        if all_visited > usual && solid.is_closed() {
            let rest = representatives.iter().enumerate().skip(i + 1).filter(|(_, pair)| may_be_inside(pair));
            let mut points: Vec<_> = rest.map(|(index, pair)| (index, placed(&pair[0]))).collect();
            let mut groups = Groups { solid, slack: part_to_solid.slack(), limit, first: usize::MAX };
            groups.search(&mut points);
            return representatives.get(groups.first).map(|pair| pair[0]);
        }
    }
    None
}

/// Search for the first of many points that a closed mesh contains.
struct Groups<'a> {
    solid: &'a Model,
    /// Bound of the rounding of a point [m].
    slack: f64,
    limit: &'a mut WorkLimit,
    /// Minimum index of a point that is inside.
    first: usize,
}

impl Groups<'_> {
    /// Decides some points, given with their indices, unless the limit is spent.
    fn search(&mut self, points: &mut [(usize, Vector3<f64>)]) {
        let Some(lowest) = points.iter().map(|(index, _)| *index).min() else { return };
        if lowest >= self.first || self.limit.is_spent() {
            return;
        }
        let (low, high) = points[1..]
            .iter()
            .fold((points[0].1, points[0].1), |(low, high), (_, point)| (low.inf(point), high.sup(point)));
        let is_alone = points.len() == 1;
        if is_alone || !self.any_meets(&low, &high) {
            let (is_inside, visited) = self.solid.contains_counted(&points[0].1);
            self.limit.spend_many(visited);
            if is_inside {
                self.first = lowest;
            }
            return;
        }
        let axis = (high - low).imax();
        let middle = points.len() / 2;
        points.select_nth_unstable_by(middle, |(i, p), (j, q)| p[axis].total_cmp(&q[axis]).then(i.cmp(j)));
        let (first, second) = points.split_at_mut(middle);
        self.search(first);
        self.search(second);
    }

    /// Whether a triangle may meet the box between two corners.
    fn any_meets(&mut self, low: &Vector3<f64>, high: &Vector3<f64>) -> bool {
        let bounds = Bounds {
            min: [below(low.x), below(low.y), below(low.z)],
            max: [above(high.x), above(high.y), above(high.z)],
        };
        let mut query = AnyInBox { bounds, slack: self.slack, visited: 0, is_found: false };
        single::descend(self.solid.bvh(), &mut query);
        self.limit.spend_many(query.visited);
        query.is_found
    }
}

/// Query for a triangle that may meet a box.
struct AnyInBox {
    bounds: Bounds,
    slack: f64,
    /// Number of visited leaves.
    visited: u64,
    is_found: bool,
}

impl TreeQuery for AnyInBox {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        let overlap = |axis: usize| {
            let starts_before = I::Single::load(&children.min[axis])
                .less_or_equal(I::Single::splat(above(f64::from(self.bounds.max[axis]) + self.slack)));
            let ends_after = I::Single::splat(below(f64::from(self.bounds.min[axis]) - self.slack))
                .less_or_equal(I::Single::load(&children.max[axis]));
            starts_before & ends_after
        };
        let bits = (overlap(0) & overlap(1) & overlap(2)).bits();
        std::array::from_fn(|lane| if bits & (1 << lane) == 0 { f32::INFINITY } else { 0.0 })
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        self.visited += 1;
        if OrientedBox::of_b(&self.bounds).may_meet::<I::Double>(&packet.corners, self.slack) {
            self.is_found = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Whether the box around a model meets that around another one, in the frame of the latter's tree; `true` where a pose is not finite.
fn boxes_meet(model: &Model, other: &Model, to_other: &RelativePose) -> bool {
    let [own, fixed] = [model, other].map(|model| model.bvh().bounds(model.bvh().root()));
    let moved = to_other.bounds(&own, 0.0);
    !(0..3).any(|k| moved.max[k] < fixed.min[k] || moved.min[k] > fixed.max[k])
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::super::shapes;
    use super::*;
    use crate::geometry::TriangleMesh;
    use extricate_test_support::Noise;

    /// A tangle of long thin boxes, and many small cubes in clusters, of which the given ones are in a box.
    fn tangle_and_cubes(noise: &mut Noise, cubes: usize, inside: &[usize]) -> [Model; 2] {
        let bar = shapes::cuboid(Vector3::new(2.0, 4e-3, 4e-3));
        let pose = |noise: &mut Noise| {
            Isometry3::new(0.3 * noise.signed_vector(), std::f64::consts::PI * noise.signed_vector())
        };
        let poses: Vec<_> = (0..60).map(|_| pose(noise)).collect();
        let bars = TriangleMesh::joined(poses.iter().map(|pose| bar.transformed(pose))).unwrap();
        let small = shapes::cuboid(Vector3::repeat(1e-4));
        let bars_model = Model::new(bars, Solidity::Solid);
        let centers: Vec<_> = (0..20).map(|_| noise.signed_vector()).collect();
        let place = |i: usize, noise: &mut Noise| loop {
            let at = match inside.contains(&i) {
                true => {
                    (poses[i % poses.len()] * Point3::new(0.3 * noise.signed_vector().x, 0.0, 0.0)).coords
                }
                false => centers[i % centers.len()] + 0.01 * noise.signed_vector(),
            };
            let is_inside = poses.iter().any(|pose| {
                let local = pose.inverse() * Point3::from(at);
                local.x.abs() < 1.001 && local.y.abs().max(local.z.abs()) < 3e-3
            });
            if is_inside == inside.contains(&i) {
                return at;
            }
        };
        let placed: Vec<_> = (0..cubes).map(|i| place(i, noise)).collect();
        let all = placed.iter().map(|&at| small.transformed(&Isometry3::translation(at.x, at.y, at.z)));
        [bars_model, Model::new(TriangleMesh::joined(all).unwrap(), Solidity::Surface)]
    }

    #[test]
    fn of_many_parts_the_first_that_is_contained_is_found() {
        let mut noise = Noise(17);
        let at = Isometry3::new(Vector3::new(0.2, -0.4, 3.0), Vector3::new(0.3, 0.2, -0.7));
        for inside in [&[][..], &[700], &[1500, 900, 1300], &[1999]] {
            let [bars, cubes] = tangle_and_cubes(&mut noise, 2000, inside);
            let pose = RelativePose::between(&cubes, &at, &bars, &at);
            let mut unlimited = WorkLimit::NONE;
            let found = contained_part(&cubes, &bars, &pose, &mut unlimited);
            // One after the other, by winding numbers alone.
            let expected = cubes.part_representatives().iter().position(|[point, _]| {
                let placed = pose.point(point).coords;
                bars.contains_in_tree(&placed)
            });
            assert_eq!(expected, inside.iter().min().copied());
            assert_eq!(found, expected.map(|i| cubes.part_representatives()[i][0]));
            // And with far less work than so.
            let mut limit = WorkLimit::new(u64::MAX / 4, None);
            assert_eq!(may_contain_any(&cubes, &bars, &pose, &mut limit), !inside.is_empty());
            let visited = |[point, _]: &[Point3<f64>; 2]| bars.contains_counted(&pose.point(point).coords).1;
            let one_by_one: u64 = cubes.part_representatives().iter().map(visited).sum();
            let work = u64::MAX / 4 - limit.left();
            assert!(work < one_by_one / 4, "{work} of {one_by_one}");
        }
    }

    #[test]
    fn a_spent_limit_leaves_containment_open() {
        let [bars, cubes] = tangle_and_cubes(&mut Noise(18), 2000, &[1999]);
        let pose = RelativePose::between(&cubes, &Isometry3::identity(), &bars, &Isometry3::identity());
        let mut limit = WorkLimit::new(1000, None);
        assert!(may_contain_any(&cubes, &bars, &pose, &mut limit) && limit.is_spent());
        assert_eq!(contained_part(&cubes, &bars, &pose, &mut WorkLimit::new(1000, None)), None);
    }
}
