//! Traversals compared with brute force over all pairs of triangles.

pub(crate) use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, Vector3};

use super::first_free::March;
use super::obstacle_tree::ObstacleTree;
use super::relative_pose::RelativePose;
use super::relative_pose::triangles_in_b;
use super::time_of_contact::{Cast, Hit};
use super::triangle_pair::separating_planes;
use super::work_limit::WorkLimit;
use super::*;
use crate::geometry::{Solidity, TriangleMesh};

/// Centre of the soups of these tests [m].
const CENTER: [f64; 3] = [10.0, -20.0, 5.0];

/// A pose about [`CENTER`] instead of the origin.
pub(crate) fn about_center(pose: Isometry3<f64>) -> Isometry3<f64> {
    let about = Vector3::from(CENTER);
    Isometry3::from_parts((about - pose.rotation * about + pose.translation.vector).into(), pose.rotation)
}

/// A soup of `count` random triangles of size about `size` in the cube [-1, 1]³, far from its origin.
pub(super) fn soup(noise: &mut Noise, count: u32, size: f64) -> Model {
    let mut points = Vec::new();
    for _ in 0..count {
        let at = noise.vector() + Vector3::from(CENTER);
        points.extend((0..3).map(|_| Point3::from(at + size * noise.vector())));
    }
    let triangles = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Model::new(TriangleMesh::new(points, triangles).unwrap(), Solidity::Surface)
}

/// Maximum gap over the candidate axes, pair by pair.
fn gap(a: &Model, b: &Model, a_to_b: &RelativePose, pair: [u32; 2]) -> f64 {
    let [p, q] = triangles_in_b(a, b, a_to_b, pair);
    let mut max = f64::NEG_INFINITY;
    separating_planes(&p, &q, |plane| max = max.max(plane.gap));
    max
}

pub(super) fn all_pairs(a: &Model, b: &Model) -> impl Iterator<Item = [u32; 2]> {
    let (m, n) = (a.mesh().triangles().len() as u32, b.mesh().triangles().len() as u32);
    (0..m).flat_map(move |i| (0..n).map(move |j| [i, j]))
}

#[test]
fn the_descent_finds_the_pairs_that_brute_force_finds() {
    let mut noise = Noise(1);
    let (a, b) = (soup(&mut noise, 90, 0.3), soup(&mut noise, 130, 0.2));
    let mut found = 0;
    for _ in 0..40 {
        let pose_a = about_center(noise.pose(0.3, 3.0));
        let pose_b = about_center(noise.pose(0.3, 3.0));
        let a_to_b = RelativePose::between(&a, &pose_a, &b, &pose_b);
        let mut pairs = Vec::new();
        intersecting_pairs(&a, &pose_a, &b, &pose_b, &mut pairs);
        let brute = all_pairs(&a, &b).filter(|&pair| gap(&a, &b, &a_to_b, pair) <= 0.0).collect::<Vec<_>>();
        assert_eq!(pairs, brute);
        assert_eq!(surfaces_collide(&a, &pose_a, &b, &pose_b), !brute.is_empty());
        found += brute.len();
    }
    assert!(found > 500, "{found}");
}

/// Triangles as long as the mesh and of a small width, across each other, scaled about [`CENTER`].
fn slivers(noise: &mut Noise, count: u32, scale: f64) -> TriangleMesh {
    let mut points = Vec::new();
    for _ in 0..count {
        let (from, along) = (0.3 * noise.vector(), noise.vector());
        let corners = [from, from + along, from + along + 0.02 * noise.vector()];
        points.extend(corners.map(|corner| Point3::from(Vector3::from(CENTER) + scale * corner)));
    }
    TriangleMesh::new(points, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap()
}

#[test]
fn in_long_traversals_the_triangles_of_leaves_against_small_boxes_hide_no_pair_and_spare_most_of_the_work() {
    let mut noise = Noise(3);
    let surface = |mesh| Model::new(mesh, Solidity::Surface);
    let long = surface(slivers(&mut noise, 1500, 1.0));
    let small = surface(slivers(&mut noise, 1500, 0.02));
    let (mut found, mut visited) = (0, 0);
    for _ in 0..2 {
        let (at, there) = (about_center(noise.pose(0.1, 3.0)), about_center(noise.pose(0.1, 3.0)));
        for [(a, pose_a), (b, pose_b)] in [[(&long, &at), (&small, &there)], [(&small, &there), (&long, &at)]]
        {
            let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
            let mut pairs = Vec::new();
            intersecting_pairs(a, pose_a, b, pose_b, &mut pairs);
            let brute: Vec<_> = all_pairs(a, b).filter(|&pair| gap(a, b, &a_to_b, pair) <= 0.0).collect();
            assert_eq!(pairs, brute);
            found += brute.len();
            let mut limit = WorkLimit::new(u64::MAX / 4, None);
            super::collision::intersecting_pairs_until(a, b, &a_to_b, &mut limit, &mut Vec::new());
            visited += u64::MAX / 4 - limit.left();
        }
    }
    // Without the test of the triangles against the boxes they are some ten times as many.
    assert!(found > 50 && visited < 90_000, "{found} {visited}");
}

#[test]
fn pairs_within_a_distance_miss_none_and_list_few_beyond_it() {
    let mut noise = Noise(2);
    let (a, b) = (soup(&mut noise, 60, 0.2), soup(&mut noise, 60, 0.2));
    let (mut listed, mut within) = (0, 0);
    for _ in 0..20 {
        let (pose_a, pose_b) = (about_center(noise.pose(0.2, 3.0)), about_center(noise.pose(0.2, 3.0)));
        let a_to_b = RelativePose::between(&a, &pose_a, &b, &pose_b);
        let mut pairs = Vec::new();
        pairs_within(&a, &pose_a, &b, &pose_b, 0.05, &mut pairs);
        for pair in all_pairs(&a, &b) {
            let is_within = gap(&a, &b, &a_to_b, pair) <= 0.05;
            assert!(pairs.contains(&pair) || !is_within);
            within += usize::from(is_within);
        }
        listed += pairs.len();
    }
    assert!(within > 100 && listed < 3 * within, "{listed} listed, {within} within");
}

/// First contact of one pair by bisection over the gap: an oracle independent of slabs.
fn first_contact_by_bisection(at: impl Fn(f64) -> f64, length: f64) -> Option<f64> {
    let steps = 4000;
    let sample = |i: i32| length * f64::from(i) / f64::from(steps);
    let first = (0..=steps).find(|&i| at(sample(i)) <= 0.0)?;
    let (mut low, mut high) = (sample((first - 1).max(0)), sample(first));
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at(middle) <= 0.0 { high = middle } else { low = middle }
    }
    Some(high)
}

#[test]
fn a_cast_stops_where_bisection_over_all_pairs_stops() {
    let mut noise = Noise(3);
    let (a, b) = (soup(&mut noise, 6, 0.5), soup(&mut noise, 7, 0.5));
    let mut hits = 0;
    for _ in 0..12 {
        let (pose_a, pose_b) = (about_center(noise.pose(0.1, 3.0)), about_center(noise.pose(0.1, 3.0)));
        let a_to_b = RelativePose::between(&a, &pose_a, &b, &pose_b);
        let direction = noise.vector().normalize();
        let cast = Cast {
            from: -4.0 * direction,
            direction,
            length: 6.0,
            margin: 0.0,
            window: 1e-9,
            worse_than: 0.0,
        };
        let mut found = Vec::new();
        let distance = cast.run(&mut ObstacleTree::new(&a, &b, &a_to_b, cast.margin), &mut found);
        let brute = all_pairs(&a, &b)
            .filter_map(|pair| {
                let at = |s: f64| gap(&a, &b, &a_to_b.shifted(&(cast.from + direction * s)), pair);
                first_contact_by_bisection(at, cast.length)
            })
            .min_by(f64::total_cmp);
        match (distance, brute) {
            (Some(x), Some(y)) => {
                assert!((x - y).abs() < 1e-9 || x < y && y - x < 3e-3, "{x} {y}");
                assert!(found.iter().any(|Hit { entry, .. }| *entry == x));
                hits += 1;
            }
            (x, y) => assert!(x.is_none() && y.is_none(), "{x:?} {y:?}"),
        }
    }
    assert!(hits > 5);
}

#[test]
fn the_stored_records_of_an_obstacle_tree_change_no_result() {
    let mut noise = Noise(5);
    let (a, b) = (soup(&mut noise, 300, 0.2), soup(&mut noise, 300, 0.2));
    for _ in 0..4 {
        let a_to_b = RelativePose::between(
            &a,
            &about_center(noise.pose(0.1, 3.0)),
            &b,
            &about_center(noise.pose(0.1, 3.0)),
        );
        let mut old = ObstacleTree::new(&a, &b, &a_to_b, 1e-9);
        for _ in 0..20 {
            let direction = noise.vector().normalize();
            let from = noise.vector();
            let cast = Cast { from, direction, length: 2.0, margin: 1e-9, window: 1e-6, worse_than: 0.0 };
            let march = March { direction, margin: 1e-9, within: 2.0, stride: 0.0 };
            let (mut known, mut fresh) = (Vec::new(), Vec::new());
            let mut new = ObstacleTree::new(&a, &b, &a_to_b, 1e-9);
            assert_eq!(cast.run(&mut old, &mut known), cast.run(&mut new, &mut fresh));
            known.sort_by_key(|hit| hit.pair);
            fresh.sort_by_key(|hit| hit.pair);
            assert_eq!(known, fresh);
            // A march may leave by another of the pairs that block it, but it ends free.
            let [x, y] = [&mut old, &mut new].map(|tree| march.first_free(tree, 0.0, |length| length));
            assert_eq!(x.is_some(), y.is_some());
            for length in [x, y].into_iter().flatten() {
                let there = a_to_b.shifted(&(direction * length));
                assert!(!super::collision::surfaces_collide_at(&a, &b, &there));
                assert!((x.unwrap() - y.unwrap()).abs() < 1e-7, "{x:?} {y:?}");
            }
        }
    }
}

#[test]
fn a_translation_that_starts_in_contact_returns_time_zero_and_one_that_leaves_returns_none() {
    let mut noise = Noise(4);
    let a = soup(&mut noise, 40, 0.4);
    let pose = about_center(noise.pose(1.0, 3.0));
    let toi = translational(&a, &pose, &Vector3::new(1.0, 0.0, 0.0), &a, &pose).unwrap().unwrap();
    assert_eq!(toi.time, 0.0);
    let mut far = pose;
    far.translation.x += 10.0;
    assert!(translational(&a, &far, &Vector3::new(1.0, 0.2, 0.0), &a, &pose).unwrap().is_none());
    let met = translational(&a, &far, &Vector3::new(-10.0, 0.0, 0.0), &a, &pose).unwrap().unwrap();
    assert!((met.points[0] - met.points[1]).norm() < 1e-12, "{met:?}");
}

#[test]
fn a_pose_that_is_not_finite_is_never_free_of_contact() {
    let mut noise = Noise(5);
    let (a, pose) = (soup(&mut noise, 10, 0.4), about_center(noise.pose(1.0, 3.0)));
    for value in [f64::NAN, f64::INFINITY] {
        let lost = Isometry3::translation(value, 9.0, 9.0);
        assert!(collide(&a, &lost, &a, &pose) && collide(&a, &pose, &a, &lost));
        assert!(surfaces_collide(&a, &lost, &a, &pose));
        assert!(translational(&a, &lost, &Vector3::x(), &a, &pose).is_err());
        assert!(translational(&a, &pose, &(Vector3::x() * value), &a, &pose).is_err());
    }
}

#[test]
fn a_collision_that_is_not_known_within_the_time_budget_is_an_error() {
    let at = Isometry3::translation(0.1, 0.2, 0.3);
    let [a, b] = [0.0, 0.5e-9].map(|height| Model::new(shapes::layers(2000, height), Solidity::Surface));
    let ask = |budget| collide_until((&a, &at), (&b, &at), budget);
    let budget = std::time::Duration::ZERO;
    assert_eq!(ask(budget), Err(ProximityError::OutOfTime { budget }));
    assert_eq!(ask(std::time::Duration::MAX), Ok(false));
    let across = Isometry3::new(Vector3::new(0.1, 0.3, 0.29), Vector3::x() * 0.2);
    assert_eq!(collide_until((&a, &across), (&b, &at), std::time::Duration::MAX), Ok(true));
    // Triangles apart by less than the rounding of their coordinates touch where the time is spent.
    let [a, b] = [0.0, 1e-16].map(|height| Model::new(shapes::layers(1, height), Solidity::Surface));
    let here = Isometry3::identity();
    let ask = |budget| collide_until((&a, &here), (&b, &here), budget);
    assert_eq!([ask(budget), ask(std::time::Duration::MAX)], [Ok(true), Ok(false)]);
}

#[test]
fn a_long_list_of_pairs_is_the_same_for_every_number_of_threads_and_holds_all_that_share_a_vertex() {
    let ball = Model::new(shapes::bumpy_sphere(60), Solidity::Surface);
    let pose = Isometry3::translation(1.0, 2.0, 3.0);
    let list = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut pairs = vec![[7, 7]];
        pool.install(|| intersecting_pairs(&ball, &pose, &ball, &pose, &mut pairs));
        pairs
    };
    let pairs = list(1);
    assert_eq!(pairs, list(3));
    // Existing entries are unchanged, and the appended ones are sorted.
    assert!(pairs[0] == [7, 7] && pairs[1..].is_sorted());
    let triangles = ball.mesh().triangles();
    let mut around = vec![Vec::new(); ball.mesh().vertices().len()];
    for (i, vertex) in triangles.iter().enumerate().flat_map(|(i, t)| t.map(|vertex| (i as u32, vertex))) {
        around[vertex as usize].push(i);
    }
    let sharing =
        around.iter().flat_map(|of_one| of_one.iter().flat_map(|&i| of_one.iter().map(move |&j| [i, j])));
    let sharing = sharing.collect::<std::collections::BTreeSet<_>>();
    assert_eq!(pairs[1..], sharing.into_iter().collect::<Vec<_>>());
}

#[test]
fn a_cast_with_more_hits_than_are_stored_spends_its_limit_and_one_without_a_limit_is_exact() {
    let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
    let triangle = TriangleMesh::new(triangle.to_vec(), vec![[0, 1, 2]]).unwrap();
    let copies = TriangleMesh::joined((0..2100).map(|_| triangle.clone())).unwrap();
    let model = Model::new(copies, Solidity::Surface);
    let (above, here) = (Isometry3::translation(0.0, 0.0, 2.0), Isometry3::identity());
    let down = -4.0 * Vector3::z();
    let exact = translational(&model, &above, &down, &model, &here).unwrap().expect("the copies meet");
    assert!((exact.time - 0.5).abs() < 1e-12);
    let a_to_b = RelativePose::between(&model, &above, &model, &here);
    let direction = -Vector3::z();
    let cast =
        Cast { from: Vector3::zeros(), direction, length: 4.0, margin: 0.0, window: 1e-9, worse_than: 0.0 };
    let mut obstacles = ObstacleTree::new(&model, &model, &a_to_b, 0.0);
    obstacles.limit = WorkLimit::between(&model, &model, None);
    let mut hits = Vec::new();
    assert_eq!(cast.run(&mut obstacles, &mut hits), Some(0.0));
    assert!(hits.is_empty() && obstacles.limit.is_work_spent());
}

#[test]
fn a_crossing_is_found_among_millions_of_pairs_of_faces_that_nearly_coincide() {
    // Of the faces of thousands of equal cubes, opposite shifts cross; the others are parallel, closer than single precision resolves.
    let cube = shapes::cuboid(Vector3::repeat(1.0));
    let cubes = Model::new(TriangleMesh::joined(vec![cube; 3334]).unwrap(), Solidity::Solid);
    let here = Isometry3::identity();
    for shift in [[1e-6, 1e-6, 1e-6], [3e-7, -2e-7, 5e-7], [-1e-7, 5e-8, 2e-8], [4e-7, 3e-7, -1e-7]] {
        let there = Isometry3::from(nalgebra::Translation3::from(shift));
        let a_to_b = RelativePose::between(&cubes, &there, &cubes, &here);
        let found = collision::pair_within(&cubes, &cubes, &a_to_b, 0.0, &mut WorkLimit::new(1 << 21, None));
        assert!(found.is_some_and(|pair| gap(&cubes, &cubes, &a_to_b, pair) <= 0.0), "{shift:?}");
    }
}
