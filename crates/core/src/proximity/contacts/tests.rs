//! Contact features against closed forms and brute force.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::normal_cone::{NormalCone, Sides};
use super::{Adjacency, CoreFinder, CoreShape, CoreSide, Feature, FeatureFinder, FeaturePair, FeatureQuery};
use crate::geometry::procedural::{BumpySphere, Cuboid, Cup, LShape, Procedural, Sphere, Torus};
use crate::geometry::{Solidity, TriangleMesh};
use crate::proximity::tests::Noise;
use crate::proximity::{Model, distance, pairs_within};

fn unit_cube(subdivisions: u32) -> TriangleMesh {
    Cuboid { subdivisions, ..Cuboid::default() }.mesh().unwrap()
}

/// Features of two meshes with gaps in ±`range`.
fn features(
    a: &TriangleMesh,
    b: &TriangleMesh,
    b_to_a: &Isometry3<f64>,
    range: [f64; 2],
) -> Vec<FeaturePair> {
    let reach = range[1].max(-range[0]);
    let model = |mesh: &TriangleMesh| Model::new(mesh.clone(), Solidity::Solid);
    let mut pairs = Vec::new();
    pairs_within(&model(a), &Isometry3::identity(), &model(b), b_to_a, reach, &mut pairs);
    let query = FeatureQuery { b_to_a: *b_to_a, min: range[0], max: range[1], two_sided: [false; 2] };
    FeatureFinder::default().find(&Adjacency::new(a), &Adjacency::new(b), &pairs, &query).to_vec()
}

fn posed(x: f64, y: f64, z: f64, angles: [f64; 3]) -> Isometry3<f64> {
    Isometry3::from_parts(
        Vector3::new(x, y, z).into(),
        nalgebra::UnitQuaternion::from_euler_angles(angles[0], angles[1], angles[2]),
    )
}

#[test]
fn a_cube_has_eight_sharp_vertices_twelve_convex_edges_and_six_regions_however_finely_it_is_meshed() {
    for subdivisions in [1, 2, 5] {
        let mesh = unit_cube(subdivisions);
        let adjacency = Adjacency::new(&mesh);
        assert!(adjacency.oriented());
        let triangles = 0..u32::try_from(mesh.triangles().len()).unwrap();
        let mut regions: Vec<_> = triangles.clone().map(|triangle| adjacency.region(triangle)).collect();
        regions.sort_unstable();
        regions.dedup();
        assert_eq!(regions.len(), 6);
        let edges: u32 = triangles.map(|triangle| (adjacency.owned(triangle) >> 3).count_ones()).sum();
        assert_eq!(edges, 12 * subdivisions);
        // The inner points of the cube's edges are ends of convex edges, so they are sharp as well.
        assert_eq!(adjacency.sharp_vertices().count(), 8 + 12 * (subdivisions as usize - 1));
    }
}

#[test]
fn a_soup_of_separate_triangles_has_the_adjacency_of_the_welded_mesh() {
    let mesh = unit_cube(2);
    let vertices = (0..mesh.triangles().len()).flat_map(|index| mesh.triangle(index)).collect();
    let count = u32::try_from(mesh.triangles().len()).unwrap();
    let soup =
        TriangleMesh::new(vertices, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap();
    let [soup, welded] = [soup, mesh].map(|mesh| Adjacency::new(&mesh));
    assert!(soup.oriented());
    assert_eq!(soup.edge_count(), welded.edge_count());
    assert_eq!(soup.sharp_vertices().count(), welded.sharp_vertices().count());
}

/// Cubes of side 1 at these places, as one mesh.
fn cubes(centers: &[[f64; 3]], is_reversed: bool) -> TriangleMesh {
    let cube = unit_cube(1);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for &[x, y, z] in centers {
        let first = u32::try_from(vertices.len()).unwrap();
        vertices.extend(cube.vertices().iter().map(|vertex| vertex + Vector3::new(x, y, z)));
        triangles.extend(cube.triangles().iter().map(|corners| corners.map(|corner| first + corner)));
    }
    if is_reversed {
        triangles.iter_mut().for_each(|corners| corners.swap(0, 1));
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

#[test]
fn cubes_that_meet_along_an_edge_keep_their_own_edges_and_have_an_outside() {
    let owned_edges = |adjacency: &Adjacency, mesh: &TriangleMesh| -> u32 {
        let triangles = 0..u32::try_from(mesh.triangles().len()).unwrap();
        triangles.map(|triangle| (adjacency.owned(triangle) >> 3).count_ones()).sum()
    };
    // Two on opposite sides of an edge, and a row of three.
    let diagonal: &[[f64; 3]] = &[[0.0; 3], [1.0, 1.0, 0.0]];
    let row: &[[f64; 3]] = &[[0.0; 3], [1.0, 1.0, 0.0], [2.0, 0.0, 0.0]];
    for (centers, edges, convex) in [(diagonal, 36, 24), (row, 54, 36)] {
        for is_reversed in [false, true] {
            let mesh = cubes(centers, is_reversed);
            let adjacency = Adjacency::new(&mesh);
            assert!(adjacency.oriented());
            assert_eq!((adjacency.edge_count(), owned_edges(&adjacency, &mesh)), (edges, convex));
            for (index, corners) in (0..).zip(mesh.triangles()) {
                let corner = mesh.vertices()[corners[0] as usize];
                let center = Point3::from(centers[index as usize / 12]);
                assert!(adjacency.normal(index).dot(&(corner - center)) > 0.4);
            }
        }
    }
    // Two of three faces at an edge that run the same way cannot be distinguished.
    let mut triangles = cubes(diagonal, false).triangles().to_vec();
    triangles.pop();
    let open = TriangleMesh::new(cubes(diagonal, false).vertices().to_vec(), triangles).unwrap();
    assert!(!Adjacency::new(&open).oriented());
}

#[test]
fn a_ball_between_cubes_that_meet_along_an_edge_touches_what_it_touches_of_each_alone() {
    let ball = Sphere { radius: 0.2, frequency: 4 }.mesh().unwrap();
    let both = cubes(&[[0.0; 3], [1.0, 1.0, 0.0]], false);
    // In the notch beside the common edge: at the side of one cube, at that of the other, and at both.
    for (x, y) in [(0.705, 0.35), (0.65, 0.295), (0.705, 0.295)] {
        let pose = posed(x, y, 0.1, [0.1, 0.2, 0.3]);
        let of = |mesh: &TriangleMesh| -> Vec<_> {
            let found = features(mesh, &ball, &pose, [-0.02, 0.02]);
            found.iter().map(|pair| (pair.features[1], pair.gap, pair.normal)).collect()
        };
        let mut alone = of(&cubes(&[[0.0; 3]], false));
        alone.extend(of(&cubes(&[[1.0, 1.0, 0.0]], false)));
        let mut found = of(&both);
        let key = |pair: &(Feature, f64, Vector3<f64>)| (pair.0, pair.1.to_bits());
        alone.sort_by_key(key);
        found.sort_by_key(key);
        assert!(!found.is_empty() && found.len() == alone.len(), "{found:?} {alone:?}");
        for ((a, gap_a, normal_a), (b, gap_b, normal_b)) in found.iter().zip(&alone) {
            assert!(a == b && (gap_a - gap_b).abs() < 1e-12 && (normal_a - normal_b).norm() < 1e-12);
        }
    }
}

#[test]
fn the_inner_edge_of_an_l_is_concave_and_reversing_the_mesh_does_not_change_that() {
    let mesh = LShape::default().mesh().unwrap();
    let reversed = TriangleMesh::new(
        mesh.vertices().to_vec(),
        mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect(),
    );
    let owned = |mesh: &TriangleMesh| {
        let adjacency = Adjacency::new(mesh);
        let count = u32::try_from(mesh.triangles().len()).unwrap();
        (0..count).map(|triangle| (adjacency.owned(triangle) >> 3).count_ones()).sum::<u32>()
    };
    let convex = owned(&mesh);
    assert_eq!(convex, owned(&reversed.unwrap()));
    // 18 edges of an extruded hexagon, less the concave one; edges may be cut into parts.
    assert!(convex >= 17, "{convex}");
}

#[test]
fn a_cube_on_a_larger_one_touches_at_its_four_corners() {
    for subdivisions in [1, 3] {
        let floor = Cuboid { x: 4.0, y: 4.0, z: 1.0, subdivisions }.mesh().unwrap();
        for height in [1e-3, 0.0, -1e-3] {
            let pose = posed(0.1, 0.2, 1.0 + height, [0.0, 0.0, 0.3]);
            let found = features(&floor, &unit_cube(1), &pose, [-0.01, 0.01]);
            let corners: Vec<_> =
                found.iter().filter(|f| matches!(f.features[1], Feature::Vertex(_))).collect();
            assert_eq!(corners.len(), 4, "{found:?}");
            for feature in &found {
                assert!((feature.gap - height).abs() < 1e-12);
                assert!((feature.normal - Vector3::z()).norm() < 1e-12);
            }
        }
    }
}

#[test]
fn crossed_cube_edges_touch_once_at_their_crossing() {
    // Both cubes are balanced on an edge, the upper edge rotated by a right angle about z.
    let quarter = std::f64::consts::FRAC_PI_4;
    let a = unit_cube(1).transformed(&posed(0.0, 0.0, 0.0, [quarter, 0.0, 0.0]));
    let b = unit_cube(1).transformed(&posed(0.0, 0.0, 0.0, [0.0, quarter, 0.0]));
    let diagonal = 2.0_f64.sqrt();
    for gap in [1e-3, -1e-3] {
        let found = features(&a, &b, &posed(0.1, -0.2, diagonal + gap, [0.0; 3]), [-0.01, 0.01]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(matches!(found[0].features, [Feature::Edge(_), Feature::Edge(_)]));
        assert!((found[0].gap - gap).abs() < 1e-12);
        assert!((found[0].normal - Vector3::z()).norm() < 1e-12);
        assert!((found[0].points[0] - Point3::new(0.1, 0.0, diagonal / 2.0)).norm() < 1e-12);
    }
}

#[test]
fn two_corners_that_meet_are_found_although_no_face_is_near() {
    let corner = 0.5 + 1e-3;
    let found = features(
        &unit_cube(1),
        &unit_cube(1),
        &posed(2.0 * corner, 2.0 * corner, 2.0 * corner, [0.0; 3]),
        [-0.01, 0.01],
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(matches!(found[0].features, [Feature::Vertex(_), Feature::Vertex(_)]));
    assert!((found[0].gap - 2e-3 * 3.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn edges_between_nearly_coplanar_faces_of_separated_meshes_do_not_overlap() {
    // Normals of adjacent faces differ by less than twice the tolerance of the cone test, around the torus in both directions.
    let ball = Sphere { radius: 0.5, frequency: 40 }.mesh().unwrap();
    let torus = Torus { segments: 320, sides: 240, ..Torus::default() }.mesh().unwrap();
    for (name, mesh) in [("ball", ball), ("torus", torus)] {
        let model = Model::new(mesh.clone(), Solidity::Solid);
        let mut crossings = 0;
        for (case, gap) in [1e-4, 1e-3, 5e-3].into_iter().cycle().take(9).enumerate() {
            let angle = 0.37 * case as f64;
            let direction = Vector3::new(angle.cos(), angle.sin(), 0.3 * angle).normalize();
            let pose = |length: f64| {
                let shift = direction * length;
                posed(shift.x, shift.y, shift.z, [0.1 + angle, 0.2, 0.3])
            };
            let gap_at = |length| distance(&model, &Isometry3::identity(), &model, &pose(length)).value;
            // Approached until the gap is at most the wanted one: a step of the distance itself cannot pass through.
            let mut length = 2.0 * model.radius() + gap;
            while gap_at(length) > 2.0 * gap {
                length -= gap_at(length) - gap;
            }
            let apart = gap_at(length);
            assert!(apart > 0.0, "{name}, case {case}");
            for feature in &features(&mesh, &mesh, &pose(length), [-0.01, 0.01]) {
                assert!(feature.gap >= apart * (1.0 - 1e-9), "{name}: {feature:?}, {apart} apart");
                crossings += usize::from(matches!(feature.features, [Feature::Edge(_), Feature::Edge(_)]));
            }
        }
        assert!(crossings > 10, "{name}: {crossings} crossings");
    }
}

#[test]
fn a_fine_ball_on_a_thin_plate_is_never_pushed_through_it() {
    let plate = Cuboid { x: 2.0, y: 2.0, z: 0.01, subdivisions: 1 }.mesh().unwrap();
    let ball = Sphere { radius: 0.5, frequency: 32 }.mesh().unwrap();
    // The lowest vertex is nearly flat, and within the range of the lower face, which lies along its reversed normal.
    let to_lowest = UnitQuaternion::rotation_between(&ball.vertices()[0].coords, &-Vector3::z()).unwrap();
    for depth in [1e-3, 4e-3] {
        let pose = Isometry3::from_parts(Vector3::new(0.0, 0.0, 0.505 - depth).into(), to_lowest);
        let found = features(&plate, &ball, &pose, [-0.02, 0.02]);
        assert!(found.iter().any(|pair| pair.gap < -0.5 * depth), "{found:?}");
        assert!(found.iter().all(|pair| pair.normal.z > 0.9), "{found:?}");
    }
}
/// Minimum distance between two meshes, without sampling: all vertex–triangle and edge–edge distances.
fn distance_by_brute_force(a: &TriangleMesh, b: &TriangleMesh) -> f64 {
    use parry3d::query::PointQuery;
    use parry3d::shape::{Segment, Triangle};
    let triangles = |mesh: &TriangleMesh| {
        let convert = |index: usize| mesh.triangle(index).map(|p| parry3d::math::Vector::new(p.x, p.y, p.z));
        (0..mesh.triangles().len()).map(convert).collect::<Vec<_>>()
    };
    let mut min = f64::INFINITY;
    for p in triangles(a) {
        for q in triangles(b) {
            let (s, t) = (Triangle::new(p[0], p[1], p[2]), Triangle::new(q[0], q[1], q[2]));
            for corner in p {
                min = min.min(t.distance_to_local_point(corner, true));
            }
            for corner in q {
                min = min.min(s.distance_to_local_point(corner, true));
            }
            for i in 0..3 {
                for j in 0..3 {
                    let (e, f) = (Segment::new(p[i], p[(i + 1) % 3]), Segment::new(q[j], q[(j + 1) % 3]));
                    let pose = parry3d::math::Pose::IDENTITY;
                    min = min.min(parry3d::query::distance(&pose, &e, &pose, &f).unwrap().distance);
                }
            }
        }
    }
    min
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_min_gap_of_bodies_apart_is_their_distance(
        angles in prop::array::uniform3(-3.0..3.0),
        direction in prop::array::uniform3(-1.0..1.0),
        kind in 0..3_usize,
    ) {
        let meshes = [
            unit_cube(1),
            Torus { segments: 10, sides: 6, ..Torus::default() }.mesh().unwrap(),
            LShape::default().mesh().unwrap(),
        ];
        let (a, b) = (&meshes[kind], &meshes[(kind + 1) % 3]);
        let direction = Vector3::from(direction).normalize() * 2.6;
        let pose = posed(direction.x, direction.y, direction.z, angles);
        let exact = distance_by_brute_force(a, &b.transformed(&pose));
        prop_assume!(exact > 1e-3);
        let found = features(a, b, &pose, [0.0, 1.5 * exact]);
        let min = found.iter().map(|feature| feature.gap).fold(f64::INFINITY, f64::min);
        // Corners apart are reported only where no face or crossing edges are near; those lie farther then.
        prop_assert!(min >= exact * (1.0 - 1e-9), "minimum {} exact {}", min, exact);
        let tight = features(a, b, &pose, [0.0, exact * (1.0 + 1e-9)]);
        prop_assert!(!tight.is_empty(), "nothing at the distance {}", exact);
        for feature in found {
            let between = feature.points[1] - feature.points[0];
            prop_assert!((between - feature.normal * feature.gap).norm() < 1e-9);
        }
    }

    #[test]
    fn exchanging_the_bodies_exchanges_the_features(
        angles in prop::array::uniform3(-3.0..3.0),
        shift in prop::array::uniform3(-0.9..0.9),
    ) {
        let (a, b) = (unit_cube(2), BumpySphere { frequency: 4, ..BumpySphere::default() }.mesh().unwrap());
        let pose = posed(shift[0], shift[1], shift[2], angles);
        let range = [-0.05, 0.05];
        let mut there = features(&a, &b, &pose, range);
        let mut back = features(&b, &a, &pose.inverse(), range);
        back.iter_mut().for_each(|feature| feature.features.reverse());
        there.sort_by_key(|feature| feature.features);
        back.sort_by_key(|feature| feature.features);
        let same = |f: &FeaturePair, g: &FeaturePair| {
            f.features == g.features
                && (f.gap - g.gap).abs() < 1e-9
                && (f.normal + pose.rotation * g.normal).norm() < 1e-9
        };
        prop_assert_eq!(there.len(), back.len());
        prop_assert!(there.iter().zip(&back).all(|(f, g)| same(f, g)));
    }
}

#[test]
fn a_core_over_a_cube_meets_the_face_the_edge_or_the_corner_that_is_nearest() {
    let mesh = unit_cube(3);
    let (model, adjacency) = (Model::new(mesh.clone(), Solidity::Solid), Adjacency::new(&mesh));
    let mut finder = CoreFinder::default();
    let cases = [
        (Point3::new(0.1, 0.2, 0.6), 0.1),
        (Point3::new(0.0, 0.6, 0.7), 0.05_f64.sqrt()),
        (Point3::new(0.6, 0.6, 0.6), 0.03_f64.sqrt()),
    ];
    for (center, distance) in cases {
        let (side, found) = finder.find(&model, &adjacency, &CoreShape::Point(center), 0.5, true);
        assert_eq!(side, CoreSide::Outside);
        let min = found.iter().map(|pair| pair.gap).fold(f64::INFINITY, f64::min);
        assert!((min - distance).abs() < 1e-12, "{center}: {found:?}");
    }
    let (side, _) =
        finder.find(&model, &adjacency, &CoreShape::Point(Point3::new(0.0, 0.0, 0.45)), 0.2, true);
    assert_eq!(side, CoreSide::Inside);
    let piercing = CoreShape::Segment([Point3::new(0.05, 0.05, 0.3), Point3::new(0.05, 0.1, 0.8)]);
    assert_eq!(finder.find(&model, &adjacency, &piercing, 0.1, true).0, CoreSide::Inside);
    let lying = CoreShape::Segment([Point3::new(-0.2, 0.05, 0.6), Point3::new(0.2, 0.05, 0.6)]);
    let (side, found) = finder.find(&model, &adjacency, &lying, 0.2, true);
    let ends = found.iter().filter(|pair| matches!(pair.features[1], Feature::Vertex(_))).count();
    assert_eq!((side, ends), (CoreSide::Outside, 2), "{found:?}");
}

#[test]
fn every_direction_that_a_vertex_accepts_is_in_its_cone_and_the_cones_of_fine_meshes_are_narrow() {
    let meshes = [
        (Cuboid { subdivisions: 2, ..Cuboid::default() }.mesh().unwrap(), FRAC_PI_2 + 0.1),
        (LShape::default().mesh().unwrap(), PI),
        (Cup::default().mesh().unwrap(), PI),
        (BumpySphere { frequency: 6, ..BumpySphere::default() }.mesh().unwrap(), PI),
        (Torus { segments: 60, sides: 30, ..Torus::default() }.mesh().unwrap(), 0.5),
        (Sphere { radius: 1.0, frequency: 16 }.mesh().unwrap(), 0.2),
    ];
    let (noise, mut accepted) = (&mut Noise(5), 0);
    for (mesh, widest) in meshes {
        let adjacency = Adjacency::new(&mesh);
        for (vertex, _) in adjacency.sharp_vertices() {
            let cone = NormalCone::of_vertex(&adjacency, vertex, Sides::Outside);
            let mean = adjacency.mean_normal(vertex).unwrap();
            assert!(cone.is_none_or(|cone| cone.half_angle < widest), "{cone:?}");
            for step in 0..20 {
                // All around, and near the mean and its opposite.
                let about = [Vector3::zeros(), mean, -mean][step % 3];
                let direction = about * 3.0 + noise.vector() * 0.3_f64.powi(step as i32 / 6);
                let Some(n) = direction.try_normalize(1e-3) else { continue };
                if adjacency.within_cone(vertex, &n) {
                    let line = NormalCone::of_vertex(&adjacency, vertex, Sides::Both);
                    let off = |cone: NormalCone| cone.axis.angle(&n).min(cone.axis.angle(&-n));
                    assert!(line.is_some_and(|cone| off(cone) <= cone.half_angle), "{n} {line:?}");
                    assert!(line.unwrap().half_angle < widest || widest > 1.0, "{line:?}");
                }
                if adjacency.within_cone(vertex, &n) && !adjacency.enters(vertex, &n) {
                    accepted += 1;
                    assert!(cone.is_some_and(|cone| cone.axis.angle(&n) <= cone.half_angle), "{n} {cone:?}");
                }
            }
        }
    }
    assert!(accepted > 1000, "{accepted}");
}
