//! Hulls compared with their definition in integer arithmetic, with brute force and with parry.

use std::collections::BTreeSet;

use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, Vector3};
use proptest::prelude::*;

use super::*;
use crate::geometry::Aabb;
use crate::geometry::convex::extreme::START_ANYWHERE;
use crate::geometry::mass_properties::{MassProperties, signed_volume, surface_area};

fn random_points(noise: &mut Noise, count: usize) -> Vec<Point3<f64>> {
    (0..count).map(|_| Point3::from(noise.vector())).collect()
}

fn on_sphere(noise: &mut Noise, count: usize) -> Vec<Point3<f64>> {
    (0..count).map(|_| Point3::from(noise.vector().normalize())).collect()
}

fn random_pose(noise: &mut Noise, far: f64) -> Isometry3<f64> {
    Isometry3::new(far * noise.vector(), 3.0 * noise.vector())
}

fn grid(count: u32) -> Vec<Point3<f64>> {
    let index = |i: u32, power: u32| f64::from(i / count.pow(power) % count);
    (0..count.pow(3)).map(|i| Point3::new(index(i, 0), index(i, 1), index(i, 2))).collect()
}

fn moved(points: &[Point3<f64>], map: impl Fn(&Point3<f64>) -> Point3<f64>) -> Vec<Point3<f64>> {
    points.iter().map(map).collect()
}

/// Builds a hull and asserts the invariants of all hulls and of their supports, to within rounding.
fn checked(points: &[Point3<f64>]) -> ConvexHull {
    let hull = ConvexHull::new(points).unwrap();
    let bounds = Aabb::of_points(points);
    let size = bounds.extents().norm();
    let rounding = 1e-14 * (size + bounds.center().coords.norm());
    check_topology(&hull);
    for facet in hull.facets() {
        let height =
            |point: &Point3<f64>| facet.normal.dot(&(point - hull.vertices[facet.corners[0] as usize]));
        let highest = points.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
        assert!(highest <= 2e-6 * size, "a point is {highest} above a facet");
    }
    let reach = points.iter().map(|point| (point - hull.center()).norm()).fold(0.0, f64::max);
    assert!((reach - hull.radius()).abs() <= 10.0 * rounding, "radius {} for {reach}", hull.radius());
    check_supports(&hull, points, rounding);
    hull
}

/// Asserts paired edges, Euler's formula and the adjacency of facets.
fn check_topology(hull: &ConvexHull) {
    let mut directed = BTreeSet::new();
    for &[a, b, c] in hull.triangles() {
        for edge in [[a, b], [b, c], [c, a]] {
            assert!(directed.insert(edge), "two triangles have the edge {edge:?}");
        }
    }
    assert!(directed.iter().all(|&[from, to]| directed.contains(&[to, from])), "the surface is open");
    for vertex in 0..hull.vertices.len() as u32 {
        assert!(hull.neighbours(vertex).all(|other| hull.neighbours(other).any(|own| own == vertex)));
    }
    if !hull.triangles().is_empty() {
        assert_eq!(hull.vertices.len() + hull.triangles().len(), hull.triangles().len() * 3 / 2 + 2);
    }
    if hull.facets().len() == 0 {
        return;
    }
    let (mut corners, mut sides) = (BTreeSet::<u32>::new(), 0);
    for (index, facet) in hull.facets().enumerate() {
        sides += facet.corners.len();
        corners.extend(facet.corners);
        assert!(facet.corners.len() >= 3 && facet.corners.len() == facet.neighbours.len());
        for (side, &other) in facet.neighbours.iter().enumerate() {
            let ends = [side, (side + 1) % facet.corners.len()].map(|corner| facet.corners[corner]);
            let other = hull.facet(other);
            let place =
                other.corners.iter().position(|&corner| corner == ends[1]).expect("the side is shared");
            assert_eq!(other.corners[(place + 1) % other.corners.len()], ends[0]);
            assert_eq!(other.neighbours[place] as usize, index);
        }
    }
    assert_eq!(corners.len() + hull.facets().len(), sides / 2 + 2, "Euler's formula for facets");
}

/// Asserts that the value of every support is the maximum over all points, from every start.
fn check_supports(hull: &ConvexHull, points: &[Point3<f64>], rounding: f64) {
    let mut noise = Noise(7);
    let axes = (0..6).map(|i| if i < 3 { Vector3::ith(i, 1.0) } else { Vector3::ith(i - 3, -1.0) });
    let normals = hull.facets().take(20).map(|facet| facet.normal.into_inner());
    let directions: Vec<_> = axes.chain(normals).chain((0..30).map(|_| noise.vector())).collect();
    for direction in directions {
        let max = points.iter().map(|p| p.coords.dot(&direction)).fold(f64::NEG_INFINITY, f64::max);
        let somewhere = (noise.next().abs() * (hull.vertices.len() - 1) as f64) as u32;
        for (start, scale) in [(START_ANYWHERE, 1.0), (somewhere, 1.0), (somewhere, 1e-100), (0, 1e100)] {
            let support = hull.support(&(direction * scale), start);
            assert_eq!(support.point, hull.vertices[support.vertex as usize].coords);
            let lost = max - support.point.dot(&direction);
            assert!(lost <= rounding * direction.norm(), "{lost} lost towards {direction:?} from {start}");
        }
        let facet = hull.facet_towards(&direction);
        assert_eq!(facet.is_some(), hull.facets().len() > 0);
    }
}

/// The determinant of three integer vectors.
fn determinant([a, b, c]: [[i128; 3]; 3]) -> i128 {
    let n = cross(a, b);
    n[0] * c[0] + n[1] * c[1] + n[2] * c[2]
}

fn cross(a: [i128; 3], b: [i128; 3]) -> [i128; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Asserts the definition in integers: no point is outside a triangle, and at least three planes meet at every vertex (two
/// sides at those of a flat hull).
fn check_exactly(points: &[Point3<f64>]) -> Result<(), TestCaseError> {
    let hull = checked(points);
    let integer = |p: &Point3<f64>| [p.x, p.y, p.z].map(|x| x as i128);
    let subtract = |a: [i128; 3], b: [i128; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let mut normals_at = vec![Vec::new(); hull.vertices.len()];
    for triangle in hull.triangles() {
        let [a, b, c] = triangle.map(|index| integer(&hull.vertices[index as usize]));
        let normal = cross(subtract(b, a), subtract(c, a));
        prop_assert!(normal != [0; 3], "a triangle has no area");
        let height = |point| (0..3).map(|i| normal[i] * subtract(integer(point), a)[i]).sum::<i128>();
        prop_assert!(points.iter().all(|point| height(point) <= 0), "a point is outside");
        triangle.iter().for_each(|&index| normals_at[index as usize].push(normal));
    }
    let is_flat = hull.facets().len() == 2;
    for normals in normals_at.iter().filter(|normals| !is_flat && !normals.is_empty()) {
        let spans = normals
            .iter()
            .any(|&a| normals.iter().any(|&b| normals.iter().any(|&c| determinant([a, b, c]) != 0)));
        prop_assert!(spans, "a vertex is not extreme");
    }
    if is_flat {
        let corners: Vec<_> =
            hull.facet(0).corners.iter().map(|&index| integer(&hull.vertices[index as usize])).collect();
        prop_assert_eq!(corners.len(), hull.vertices.len());
        let next = |i: usize, by: usize| corners[(i + by) % corners.len()];
        let normal = cross(subtract(next(0, 1), next(0, 0)), subtract(next(0, 2), next(0, 0)));
        for i in 0..corners.len() {
            let side = subtract(next(i, 1), next(i, 0));
            prop_assert!(
                determinant([side, subtract(next(i, 2), next(i, 1)), normal]) > 0,
                "a corner is not strictly convex"
            );
            for point in points {
                let point = subtract(integer(point), next(i, 0));
                prop_assert!(determinant([side, point, normal]) >= 0, "a point is outside");
            }
        }
    } else if hull.triangles().is_empty() {
        let [first, last] = [hull.vertices.first(), hull.vertices.last()].map(|p| integer(p.unwrap()));
        for point in points {
            let (before, behind) = (subtract(integer(point), first), subtract(last, integer(point)));
            prop_assert_eq!(cross(before, behind), [0; 3]);
            prop_assert!((0..3).all(|i| before[i] * behind[i] >= 0), "a point is not between the ends");
        }
        prop_assert!(hull.vertices.len() == 2 || first == last);
    }
    Ok(())
}

/// Points with coordinates in `range`, transformed by a random integer matrix, which is sometimes of low rank.
fn integer_points(range: i32, count: usize) -> impl Strategy<Value = Vec<Point3<f64>>> {
    let vector = move || [-range..=range, -range..=range, -range..=range];
    let rows = prop::array::uniform3([-2..=2_i32, -2..=2, -2..=2]);
    (prop::collection::vec(vector(), 1..count), rows).prop_map(|(points, rows)| {
        let row = |row: [i32; 3], p: &[i32; 3]| f64::from(row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
        points.iter().map(|p| Point3::new(row(rows[0], p), row(rows[1], p), row(rows[2], p))).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn hulls_of_crowded_integer_points_are_those_of_the_definition(points in integer_points(2, 60)) {
        check_exactly(&points)?;
    }

    #[test]
    fn hulls_of_sparse_integer_points_are_those_of_the_definition(points in integer_points(10_000, 80)) {
        check_exactly(&points)?;
    }

    #[test]
    fn hulls_do_not_depend_on_the_unit_of_length(points in integer_points(2, 40), exponent in -500..500_i32) {
        let scale = 2_f64.powi(exponent);
        let hull = ConvexHull::new(&points).unwrap();
        let scaled = ConvexHull::new(&moved(&points, |p| p * scale)).unwrap();
        prop_assert_eq!(&hull.triangles, &scaled.triangles);
        prop_assert_eq!(&hull.facets, &scaled.facets);
        prop_assert_eq!(hull.center() * scale, scaled.center());
    }
}

#[test]
fn a_grid_of_points_is_a_cube() {
    for count in [2, 3, 5, 20] {
        let hull = checked(&grid(count));
        assert_eq!((hull.vertices.len(), hull.facets().len(), hull.triangles().len()), (8, 6, 12));
        assert!(hull.facets().all(|facet| facet.corners.len() == 4));
        let side = f64::from(count - 1);
        assert!((signed_volume(&hull.mesh().unwrap()) - side.powi(3)).abs() < 1e-12 * side.powi(3));
        assert!((hull.center() - Point3::new(0.5, 0.5, 0.5) * side).norm() < 1e-14 * side);
        assert!((hull.radius() - 0.75_f64.sqrt() * side).abs() < 1e-14 * side);
    }
}

#[test]
fn a_rotated_grid_of_points_has_six_facets_although_rounding_bulges_it() {
    let mut noise = Noise(3);
    for far in [0.0, 1e4] {
        for _ in 0..10 {
            let pose = random_pose(&mut noise, far);
            let hull = checked(&moved(&grid(6), |p| pose * p));
            assert_eq!(hull.facets().len(), 6, "{} vertices", hull.vertices.len());
            let straight = hull.facets().all(|facet| {
                let normal = pose.inverse() * facet.normal;
                (normal.amax() - 1.0).abs() < 1e-12 && normal.abs().sum() < 1.0 + 1e-6
            });
            assert!(straight);
        }
    }
}

#[test]
fn vertices_on_a_sphere_are_all_extreme_however_far_away() {
    for (count, far) in [(10, 0.0), (1000, 0.0), (1000, 1e4)] {
        let points = moved(&on_sphere(&mut Noise(1), count), |p| p + Vector3::repeat(far));
        let hull = checked(&points);
        assert_eq!(hull.vertices, points);
        assert_eq!(hull.triangles().len(), 2 * count - 4);
    }
}

#[test]
fn the_vertices_are_those_of_parry_on_points_in_general_position() {
    let mut noise = Noise(2);
    for count in [4, 5, 10, 100, 2000] {
        for _ in 0..5 {
            let points = random_points(&mut noise, count);
            let converted: Vec<_> =
                points.iter().map(|p| parry3d::math::Vector::new(p.x, p.y, p.z)).collect();
            let (theirs, _) = parry3d::transformation::convex_hull(&converted);
            let bits = |p: [f64; 3]| p.map(f64::to_bits);
            let theirs: BTreeSet<_> = theirs.iter().map(|p| bits([p.x, p.y, p.z])).collect();
            let ours: BTreeSet<_> = checked(&points).vertices.iter().map(|p| bits([p.x, p.y, p.z])).collect();
            assert_eq!(ours, theirs, "of {count} points");
        }
    }
}

#[test]
fn a_prism_of_many_sides_has_two_large_facets_and_its_sides() {
    let count = 3000;
    let corner = |i: usize, z: f64| {
        let angle = i as f64 / count as f64 * std::f64::consts::TAU;
        Point3::new(angle.cos(), angle.sin(), z)
    };
    let points: Vec<_> = (0..2 * count).map(|i| corner(i / 2, (i % 2) as f64)).collect();
    let hull = checked(&points);
    assert_eq!((hull.vertices.len(), hull.facets().len()), (2 * count, count + 2));
    assert_eq!(hull.facet(0).corners.len(), count);
    assert_eq!(hull.facet_towards(&Vector3::z()).unwrap().normal, Vector3::z_axis());
}

/// The corners of a wedge with an edge, from the origin to (1, 0, 0), below all else; the facet at the origin that is closest to level has no part of that edge.
fn wedge() -> [Point3<f64>; 6] {
    let end = |side: f64| Point3::new(-1.0, 0.3 * side, 0.1);
    let roof = |side: f64| Point3::new(0.5, 0.3 * side, 0.5);
    [Point3::origin(), Point3::new(1.0, 0.0, 0.0), end(1.0), end(-1.0), roof(1.0), roof(-1.0)]
}

#[test]
fn the_resting_facet_holds_both_ends_of_an_edge_that_lies_in_the_plane() {
    let hull = checked(&wedge());
    let at =
        |x: f64| hull.vertices.iter().position(|vertex| *vertex == Point3::new(x, 0.0, 0.0)).unwrap() as u32;
    let ends = [at(0.0), at(1.0)];
    for tilt in [0.0, 1e-6, -1e-6] {
        let down = Vector3::new(tilt, 0.0, -1.0);
        for end in ends {
            let facet = hull.resting_facet(end, &down).unwrap();
            assert!(ends.iter().all(|end| facet.corners.contains(end)), "{tilt}: {:?}", facet.corners);
        }
    }
    assert!(
        !hull.facet_at(ends[0], &-Vector3::z()).unwrap().corners.contains(&ends[1]),
        "the other one is closer"
    );
}

#[test]
fn the_resting_facet_is_where_the_hull_comes_to_lie_after_the_smallest_rotation() {
    let mut noise = Noise(17);
    for _ in 0..100 {
        let hull = checked(&on_sphere(&mut noise, 12));
        let down = noise.vector().normalize();
        let vertex = hull.support(&down, START_ANYWHERE).vertex;
        let start = hull.vertices[vertex as usize];
        let rise = |other: &Point3<f64>| (other - start).normalize().dot(&down);
        let facet = hull.resting_facet(vertex, &down).unwrap();
        assert!(facet.corners.contains(&vertex));
        // No other vertex makes a smaller angle with the plane than one of the facet.
        let others = hull.vertices.iter().filter(|other| **other != start);
        let nearest = others.map(rise).fold(f64::NEG_INFINITY, f64::max);
        let of_facet = facet.corners.iter().filter(|corner| **corner != vertex);
        let best =
            of_facet.map(|&corner| rise(&hull.vertices[corner as usize])).fold(f64::NEG_INFINITY, f64::max);
        assert!((best - nearest).abs() < 1e-12, "{best} is not {nearest}");
    }
}

#[test]
fn flat_points_have_a_hull_with_two_sides_of_equal_area() {
    let mut noise = Noise(5);
    let flat: Vec<_> = random_points(&mut noise, 100).iter().map(|p| Point3::new(p.x, p.y, 0.0)).collect();
    let tilted = moved(&flat, |p| Point3::new(p.x, p.y, p.x - 2.0 * p.y));
    for (points, tilt) in [(flat, 0.0), (moved(&grid(4), |p| Point3::new(p.x, 0.0, p.y)), 0.0), (tilted, 1.0)]
    {
        let hull = checked(&points);
        // Rounding leaves the tilted points in a plane only nearly; its two sides stay the two largest facets.
        let [front, back] = [0, 1].map(|index| hull.facet(index));
        assert!((front.normal.into_inner() + back.normal.into_inner()).norm() < 1e-9);
        assert!(tilt > 0.0 || hull.facets().len() == 2 && front.corners.len() == hull.vertices.len());
        assert!(MassProperties::of_solid(&hull.mesh().unwrap()).is_err(), "a flat hull has no volume");
        assert!(surface_area(&hull.mesh().unwrap()) > 1.0);
    }
}

#[test]
fn a_line_is_a_segment_and_equal_points_are_one() {
    let line: Vec<_> = (0..20).map(|i| Point3::new(1.0, 2.0, 3.0) * f64::from(i * 7 % 20)).collect();
    let segment = checked(&line);
    assert_eq!(segment.vertices, [line[0], Point3::new(19.0, 38.0, 57.0)]);
    assert_eq!(segment.center(), Point3::new(9.5, 19.0, 28.5));
    assert!(segment.mesh().is_err());
    let point = checked(&[Point3::new(1.0, 2.0, 3.0); 5]);
    assert_eq!((point.vertices(), point.radius()), (&[Point3::new(1.0, 2.0, 3.0)][..], 0.0));
    assert_eq!(point.neighbours(0).count(), 0);
}

#[test]
fn needles_and_plates_are_hulls() {
    let mut noise = Noise(11);
    for thickness in [1e-3, 1e-9, 1e-15, 1e-50] {
        for shape in [Vector3::new(1.0, thickness, thickness), Vector3::new(1.0, 1.0, thickness)] {
            let points = random_points(&mut noise, 200);
            let round = checked(&points);
            let thin = checked(&moved(&points, |p| p.coords.component_mul(&shape).into()));
            assert_eq!(thin.vertices.len(), round.vertices.len(), "{shape:?}");
        }
    }
}

#[test]
fn crowds_of_points_closer_than_rounding_do_not_catch_a_support() {
    let mut noise = Noise(13);
    for closeness in [1e-8, 1e-14, 3e-16] {
        let mut points = Vec::new();
        for center in on_sphere(&mut noise, 40) {
            points.extend((0..20).map(|_| center + closeness * noise.vector()));
        }
        let hull = checked(&points);
        assert!(hull.vertices.len() > 40);
    }
}

#[test]
fn no_points_and_points_that_are_not_finite_have_no_hull() {
    assert_eq!(ConvexHull::new(&[]), Err(ShapeError::NoPoints));
    let points = [Point3::origin(), Point3::new(0.0, f64::NAN, 0.0)];
    assert!(matches!(ConvexHull::new(&points), Err(ShapeError::NotFinite { index: 1, .. })));
    assert!(ConvexHull::new(&[Point3::new(f64::NEG_INFINITY, 0.0, 0.0)]).is_err());
}
#[test]
fn nothing_that_rounding_bulges_bends_or_flattens_hides_a_support_or_breaks_a_facet() {
    let mut noise = Noise(99);
    for round in 0..3000_usize {
        // Grids, thinned along two axes, perturbed, rotated and translated.
        let pick = |from: &[f64], every: usize| from[round / every % from.len()];
        let thin =
            Vector3::new(1.0, pick(&[1.0, 1.0, 1e-7, 1e-14], 20), pick(&[1.0, 1e-8, 1e-13, 1e-16, 0.0], 4));
        let (range, shake) = (pick(&[1.0, 2.0, 3.0, 8.0], 1), pick(&[0.0, 0.0, 1e-16, 1e-12, 1e-7], 80));
        let pose = random_pose(&mut noise, pick(&[0.0, 1.0, 1e4], 400));
        let count = 4 + (noise.next().abs() * 60.0) as usize;
        let mut point = || {
            let on_grid = noise.vector().map(|x| (x * range).round());
            pose * Point3::from(on_grid.component_mul(&thin) + shake * noise.vector())
        };
        checked(&(0..count).map(|_| point()).collect::<Vec<_>>());
    }
}
