//! Distances: of each other, of points, Hausdorff's, the spanning one, of a mesh and itself.

use std::cell::Cell;

use extricate::geometry::{Solidity, TriangleMesh};
use extricate::proximity::{
    DistanceCache, DistanceOptions, HausdorffOptions, Model, SelfCollisionOptions, closest_point, collide,
    distance, distance_with, hausdorff_distance, is_self_colliding, is_within, signed_distance,
    spanning_distance, surfaces_collide,
};
use nalgebra::Isometry3;
use proptest::prelude::*;

use super::solids::{Pair, Placed, any_pair, any_pose, cases, points};

/// Rounding of distances, relative to the sizes and to the distance from the origin.
const ROUNDING: f64 = 1e-13;

fn gap(Placed { models: [a, b], poses: [pose_a, pose_b], .. }: &Placed) -> f64 {
    distance(a, pose_a, b, pose_b).value
}

fn hit(Placed { models: [a, b], poses: [pose_a, pose_b], .. }: &Placed) -> bool {
    collide(a, pose_a, b, pose_b)
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn a_distance_is_above_zero_exactly_where_nothing_collides(pair in any_pair(1.5)) {
        let placed = pair.here();
        let Placed { models: [a, b], poses: [pose_a, pose_b], size } = &placed;
        let found = distance(a, pose_a, b, pose_b);
        prop_assert_eq!(found.value > 0.0, !hit(&placed), "{:?}", found);
        let [p, q] = found.witnesses;
        prop_assert!(((p - q).norm() - found.value).abs() <= ROUNDING * size, "{found:?}");
        prop_assert!(found.value >= 0.0 && found.lower_bound <= found.value);
        prop_assert!(found.value == 0.0 || closest_point(a, &pose_a.inverse_transform_point(&q)).distance
            >= found.value - ROUNDING * size, "B's witness is nearer than the distance: {found:?}");
    }

    #[test]
    fn neither_order_nor_frame_nor_unit_matters_to_a_distance(pair in any_pair(1.5), by in any_pose(5.0)) {
        let here = pair.here();
        let (found, collides) = (gap(&here), hit(&here));
        let swapped = pair.swapped().here();
        // Shapes that touch to within rounding may be reported either way.
        let touches = found.max(gap(&swapped)) <= ROUNDING * here.size;
        prop_assert!(hit(&swapped) == collides || touches, "in the other order");
        prop_assert!((gap(&swapped) - found).abs() <= ROUNDING * here.size);
        for factor in [1e-3, 1.0, 1e3] {
            let moved = pair.placed(factor, &by);
            let (again, tolerance) = (gap(&moved), ROUNDING * (moved.size + factor * here.size));
            prop_assert!((again - factor * found).abs() <= tolerance, "{again} for {found} × {factor}");
            prop_assert!(hit(&moved) == collides || found <= tolerance / factor, "× {factor}");
        }
        let doubled = pair.placed(1024.0, &Isometry3::identity());
        prop_assert!((gap(&doubled) - 1024.0 * found).abs() <= 1024.0 * 1e-15 * here.size);
    }

    #[test]
    fn distances_are_in_order(pair in any_pair(1.5), fraction in 0.0_f64..2.0) {
        let Placed { models: [a, b], poses: [pose_a, pose_b], size } = &pair.here();
        let tolerance = ROUNDING * size;
        let min = distance(a, pose_a, b, pose_b).value;
        let options = HausdorffOptions { max_iterations: 200_000, ..HausdorffOptions::default() };
        let both = hausdorff_distance(a, pose_a, b, pose_b, &options)?;
        let one_sided = HausdorffOptions { one_sided: true, ..options };
        let one = hausdorff_distance(a, pose_a, b, pose_b, &one_sided)?;
        let back = hausdorff_distance(b, pose_b, a, pose_a, &one_sided)?;
        let most = spanning_distance(a, pose_a, b, pose_b).value;
        prop_assert!(min <= one.upper_bound + tolerance && min <= both.upper_bound + tolerance);
        prop_assert!(both.lower_bound <= both.upper_bound && both.lower_bound <= most + tolerance, "{both:?} {most}");
        prop_assert!(both.upper_bound >= one.lower_bound.max(back.lower_bound) - tolerance);
        prop_assert!(both.lower_bound <= one.upper_bound.max(back.upper_bound) + tolerance);
        let farthest = points(a, pose_a).iter()
            .map(|p| closest_point(b, &pose_b.inverse_transform_point(p)).distance).fold(0.0, f64::max);
        prop_assert!(farthest <= one.upper_bound + tolerance, "{farthest} from a vertex, {one:?}");
        let spread = points(a, pose_a).iter().flat_map(|p| points(b, pose_b).into_iter().map(move |q| (q - p).norm()))
            .fold(0.0, f64::max);
        prop_assert!((spread - most).abs() <= tolerance, "{spread} by brute force, {most}");
        let limit = fraction * min;
        let beside = (limit - min).abs() <= tolerance;
        prop_assert!(beside || is_within(a, pose_a, b, pose_b, limit) == (min <= limit), "{limit} of {min}");
        let loose = DistanceOptions { relative_tolerance: 0.2, ..DistanceOptions::default() };
        let loose = distance_with(a, pose_a, b, pose_b, &loose, &mut DistanceCache::default())?;
        let loose = loose.expect("no limit was given");
        prop_assert!(loose.lower_bound <= min + tolerance && min <= loose.value + tolerance);
        prop_assert!(loose.value - loose.lower_bound <= 0.2 * loose.value + tolerance, "{loose:?}");
    }

    #[test]
    fn the_closest_point_is_no_farther_than_any_vertex_and_knows_its_side(pair in any_pair(1.2)) {
        let Placed { models: [a, b], poses: [pose_a, pose_b], size } = &pair.here();
        for point in points(b, pose_b).iter().take(20).map(|p| pose_a.inverse_transform_point(p)) {
            let found = closest_point(a, &point);
            prop_assert!(((found.point - point).norm() - found.distance).abs() <= ROUNDING * size);
            let vertices = a.mesh().vertices().iter().map(|v| (v - point).norm()).fold(f64::INFINITY, f64::min);
            prop_assert!(found.distance <= vertices + ROUNDING * size);
            let signed = signed_distance(a, &point);
            prop_assert!((signed.abs() - found.distance).abs() <= ROUNDING * size, "{signed} {found:?}");
            let outside = a.mesh().aabb();
            let beyond = (0..3).any(|i| point[i] < outside.min[i] || point[i] > outside.max[i]);
            prop_assert!(!beyond || signed >= 0.0, "{point} is beyond the box, and {signed}");
        }
    }

    #[test]
    fn a_mesh_of_two_solids_meets_itself_where_their_surfaces_meet(pair in any_pair(1.2)) {
        let Placed { models: [a, b], poses: [pose_a, pose_b], size } = &pair.here();
        let options = SelfCollisionOptions::default();
        prop_assert!(!is_self_colliding(a, &options) && !is_self_colliding(b, &options), "a solid alone");
        let mut vertices = points(a, pose_a);
        let first = vertices.len() as u32;
        vertices.extend(points(b, pose_b));
        let mut triangles = a.mesh().triangles().to_vec();
        triangles.extend(b.mesh().triangles().iter().map(|t| t.map(|i| i + first)));
        let both = Model::new(TriangleMesh::new(vertices, triangles)?, Solidity::Solid);
        let rest = Isometry3::identity();
        let baked = [(a, pose_a), (b, pose_b)].map(|(m, pose)| Model::new(m.mesh().transformed(pose), Solidity::Solid));
        let meet = surfaces_collide(&baked[0], &rest, &baked[1], &rest);
        let touches = distance(&baked[0], &rest, &baked[1], &rest).value <= ROUNDING * size;
        let found = is_self_colliding(&both, &options);
        prop_assert!(found == meet || touches, "found {found}, surfaces meet {meet}");
    }
}

#[test]
fn the_generator_makes_pairs_that_touch_that_overlap_and_that_are_apart() {
    let (apart, together) = (Cell::new(0), Cell::new(0));
    let mut runner = proptest::test_runner::TestRunner::new(cases(100));
    runner
        .run(&any_pair(0.6), |pair: Pair| {
            let count = if hit(&pair.here()) { &together } else { &apart };
            count.set(count.get() + 1);
            Ok(())
        })
        .expect("nothing is asserted");
    assert!(apart.get() > 20 && together.get() > 20, "{apart:?} apart, {together:?} together");
}
