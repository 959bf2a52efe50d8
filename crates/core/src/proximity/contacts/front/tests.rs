//! A persistent front against searches from scratch.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::*;
use crate::bvh::packet::PACKET;
use crate::geometry::procedural::{BumpySphere, Cuboid, LShape, Procedural, Sphere, Torus};
use crate::geometry::{Solidity, TriangleMesh};
use crate::proximity::contacts::FeatureFinder;
use crate::proximity::pairs_within;
use crate::proximity::tests::Noise;

pub(super) struct Body {
    pub model: Model,
    adjacency: Adjacency,
    cones: ConeTree,
}

impl Body {
    fn new(mesh: TriangleMesh) -> Self {
        let adjacency = Adjacency::new(&mesh);
        let model = Model::new(mesh, Solidity::Solid);
        let cones = ConeTree::new(&adjacency, &model);
        Self { model, adjacency, cones }
    }

    /// The mesh without every seventh triangle: a surface with holes.
    fn with_holes(&self) -> Self {
        let mesh = self.model.mesh();
        let kept = mesh.triangles().iter().enumerate().filter(|(index, _)| index % 7 != 3);
        let triangles = kept.map(|(_, corners)| *corners).collect();
        let mesh = TriangleMesh::new(mesh.vertices().to_vec(), triangles).unwrap();
        let adjacency = Adjacency::new(&mesh);
        assert!(!adjacency.oriented());
        let model = Model::new(mesh, Solidity::Surface);
        let cones = ConeTree::new(&adjacency, &model);
        Self { model, adjacency, cones }
    }

    fn is_surface(&self) -> bool {
        self.model.solidity() == Solidity::Surface
    }

    fn mesh(&self) -> ContactMesh<'_> {
        ContactMesh { model: &self.model, adjacency: &self.adjacency, cones: &self.cones }
    }
}

/// Contact features of all pairs of triangles, sorted; the first one of equal features.
fn from_scratch([a, b]: [&Body; 2], query: &FeatureQuery) -> Vec<FeaturePair> {
    let mut pairs = Vec::new();
    let count = |body: &Body| u32::try_from(body.model.mesh().triangles().len()).unwrap();
    for i in 0..count(a) {
        pairs.extend((0..count(b)).map(|j| [i, j]));
    }
    let mut found = FeatureFinder::default().find(&a.adjacency, &b.adjacency, &pairs, query).to_vec();
    found.sort_by_key(|pair| pair.features);
    found.dedup_by_key(|pair| pair.features);
    found
}

/// Pairs of bodies with poses at which they touch or nearly touch.
fn touching_pairs() -> Vec<([Body; 2], Isometry3<f64>)> {
    let cube = |subdivisions| Body::new(Cuboid { subdivisions, ..Cuboid::default() }.mesh().unwrap());
    let torus = || Body::new(Torus { segments: 12, sides: 8, ..Torus::default() }.mesh().unwrap());
    let shape = || Body::new(LShape::default().mesh().unwrap());
    let ball = || Body::new(Sphere { radius: 0.5, frequency: 3 }.mesh().unwrap());
    let bumpy = || Body::new(BumpySphere { frequency: 3, ..BumpySphere::default() }.mesh().unwrap());
    let at = Isometry3::translation;
    let edge_on = Isometry3::from_parts(
        Translation3::new(0.1, 0.2, 0.5 + 0.5_f64.sqrt()),
        UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_4, 0.0, 0.3),
    );
    let through = Isometry3::from_parts(
        Translation3::new(0.81, 0.0, 0.0),
        UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, 0.0),
    );
    vec![
        ([cube(3), cube(3)], at(0.0, 0.0, 1.0)),
        ([cube(3), cube(2)], at(0.31, 0.17, 0.999)),
        ([cube(1), cube(2)], edge_on),
        ([cube(1), cube(1)], at(1.001, 1.001, 1.001)),
        ([torus(), torus()], through),
        ([shape(), cube(2)], at(0.6, 0.4, 0.2)),
        ([cube(2), ball()], at(0.1, 0.2, 0.99)),
        ([bumpy(), ball()], at(0.0, 0.0, 0.98)),
    ]
}

/// Pose after a rotation of B about a point by a rotation vector, and a translation.
fn moved(
    pose: &Isometry3<f64>,
    about: Point3<f64>,
    rotation: Vector3<f64>,
    by: Vector3<f64>,
) -> Isometry3<f64> {
    let there = Translation3::from(about.coords);
    Translation3::from(by) * there * UnitQuaternion::from_scaled_axis(rotation) * there.inverse() * pose
}

fn assert_same(bodies: [&Body; 2], query: &FeatureQuery, front: &mut FeatureFront, margin: f64) -> usize {
    let expected = from_scratch(bodies, query);
    let found = front.find(bodies.map(Body::mesh), query, margin);
    assert_eq!(found, expected, "at {:?}", query.b_to_a);
    found.len()
}

#[test]
fn a_persistent_front_finds_the_same_as_a_search_of_all_triangles_bit_for_bit() {
    let noise = &mut Noise(11);
    let mut count = 0;
    for ([a, b], start) in touching_pairs() {
        let mut front = FeatureFront::default();
        let mut pose = start;
        for step in 0..60 {
            // Slower and slower, so that the margin is passed after one step, after a few, and never.
            let speed = 2e-3 * 0.85_f64.powi(step);
            let (rotation, by) = (noise.vector() * speed, noise.vector() * speed);
            pose = moved(&pose, Point3::new(0.1, 0.0, 0.4), rotation, by);
            let two_sided = [[false, false], [true, false], [true, true]][step as usize / 20];
            let query = FeatureQuery { b_to_a: pose, min: -0.02, max: 0.01 + speed, two_sided };
            count += assert_same([&a, &b], &query, &mut front, 4e-3);
        }
        assert!(front.gather_count() < 50, "{} gatherings", front.gather_count());
    }
    assert!(count > 1000, "{count} contacts in all");
}

#[test]
fn normals_exclude_most_pairs_of_fine_surfaces_and_no_contact() {
    let ball = || Body::new(Sphere { radius: 0.5, frequency: 24 }.mesh().unwrap());
    let ring = || Body::new(Torus { segments: 160, sides: 80, ..Torus::default() }.mesh().unwrap());
    let (mut near, mut kept, mut count) = (0, 0, 0);
    let open = |body: Body| body.with_holes();
    let pairs = [[ball(), ball()], [ring(), ball()], [open(ball()), ball()], [open(ring()), open(ball())]];
    for ([a, b], away) in pairs.into_iter().zip([0.95, 0.6, 0.95, 0.6]) {
        let two_sided = [a.is_surface(), b.is_surface()];
        for step in 0..4 {
            let rotation = Vector3::new(0.3, 1.1, -0.7) * (0.5 * f64::from(step));
            let start = Isometry3::translation(0.3, 0.1, away);
            let b_to_a = moved(&start, Point3::origin(), rotation, Vector3::zeros());
            let query = FeatureQuery { b_to_a, min: -0.02, max: 0.05, two_sided };
            let mut pairs = Vec::new();
            pairs_within(&a.model, &Isometry3::identity(), &b.model, &b_to_a, 0.06, &mut pairs);
            let mut expected =
                FeatureFinder::default().find(&a.adjacency, &b.adjacency, &pairs, &query).to_vec();
            expected.sort_by_key(|pair| pair.features);
            expected.dedup_by_key(|pair| pair.features);
            let mut front = FeatureFront::default();
            let found = front.find([a.mesh(), b.mesh()], &query, 4e-3 * f64::from(step % 2));
            assert!(found == expected, "{step} of {two_sided:?}: {} and {}", found.len(), expected.len());
            count += found.len();
            near += pairs.len();
            kept += front.pairs().len();
        }
    }
    assert!(count > 0 && 4 * kept < near, "{kept} of {near}, {count} contacts");
}

#[test]
fn a_search_that_is_limited_finds_all_or_says_that_there_is_more() {
    for ([a, b], b_to_a) in touching_pairs() {
        let meshes = [a.mesh(), b.mesh()];
        let query = FeatureQuery { b_to_a, min: -0.05, max: 0.05, two_sided: [false; 2] };
        for margin in [0.0, 4e-3] {
            let mut front = FeatureFront::default();
            let whole = front.find(meshes, &query, margin).to_vec();
            // Without a margin the limit is for pairs of leaves.
            let finds = |limit| FeatureFront::default().find_at_most(limit, meshes, &query, margin).is_some();
            let count = if margin > 0.0 {
                front.pairs().len()
            } else if finds(0) {
                0
            } else {
                let (mut too_small, mut enough) = (0, 1);
                while !finds(enough) {
                    (too_small, enough) = (enough, 2 * enough);
                }
                while enough - too_small > 1 {
                    let middle = too_small.midpoint(enough);
                    if finds(middle) { enough = middle } else { too_small = middle }
                }
                enough
            };
            assert!(count * PACKET * PACKET >= front.pairs().len());
            for limit in [0, 1, count / 2, count.saturating_sub(1), count, count + 1] {
                let mut limited = FeatureFront::default();
                let found = limited.find_at_most(limit, meshes, &query, margin).map(<[_]>::to_vec);
                assert_eq!(found, (limit >= count).then(|| whole.clone()), "{limit} of {count}");
                // What was not found leaves nothing behind that a later search could use.
                assert_eq!(limited.has_reference(), margin > 0.0 && limit >= count);
                assert_eq!(limited.find(meshes, &query, margin), whole);
            }
        }
    }
}

#[test]
fn the_filter_by_features_excludes_no_contact_whatever_the_pose_and_the_unit() {
    let noise = &mut Noise(23);
    let mut count = 0;
    for ([a, b], start) in touching_pairs() {
        for sample in 0..24 {
            // From poses at which edges and faces are parallel up to rounding to any.
            let rotation = [0.0, 1e-7, 1e-4, 0.02, 1.0, 3.0][sample % 6] * noise.signed_vector();
            let shift = [0.0, 1e-6, 1e-3, 0.05][sample % 4] * noise.signed_vector();
            let b_to_a = moved(&start, Point3::from(start.translation.vector), rotation, shift);
            for gaps in [0.0, 1e-4, 0.02, 0.2] {
                let query = FeatureQuery { b_to_a, min: -gaps, max: gaps, two_sided: [false; 2] };
                count += assert_same([&a, &b], &query, &mut FeatureFront::default(), 0.0);
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn double_cones_exclude_no_contact_of_surfaces_with_holes() {
    let noise = &mut Noise(29);
    let mut counts = [0; 3];
    for ([a, b], start) in touching_pairs() {
        let [open_a, open_b] = [a.with_holes(), b.with_holes()];
        for (kind, bodies) in [[&open_a, &b], [&a, &open_b], [&open_a, &open_b]].into_iter().enumerate() {
            let two_sided = bodies.map(Body::is_surface);
            for sample in 0..20 {
                let rotation = [0.0, 1e-7, 0.02, 1.0, 3.0][sample % 5] * noise.signed_vector();
                let shift = [0.0, 1e-6, 1e-3, 0.05][sample % 4] * noise.signed_vector();
                let b_to_a = moved(&start, Point3::from(start.translation.vector), rotation, shift);
                for (min, max) in [(0.0, 0.0), (-1e-4, 1e-4), (-1e-6, 0.05), (-0.02, 0.2)] {
                    let query = FeatureQuery { b_to_a, min, max, two_sided };
                    for margin in [0.0, 4e-3] {
                        counts[kind] += assert_same(bodies, &query, &mut FeatureFront::default(), margin);
                    }
                }
            }
        }
    }
    assert!(counts.into_iter().all(|count| count > 1000), "{counts:?}");
}

#[test]
fn a_body_that_rolls_over_edges_loses_no_contact_between_gatherings() {
    let floor = Body::new(Cuboid { x: 6.0, y: 2.0, z: 1.0, subdivisions: 4 }.mesh().unwrap());
    let ball = Body::new(Sphere { radius: 0.5, frequency: 5 }.mesh().unwrap());
    let mut front = FeatureFront::default();
    for step in 0..120 {
        let x = 2.5e-3 * f64::from(step);
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), x / 0.5);
        let b_to_a = Isometry3::from_parts(Translation3::new(x - 1.6, 0.013, 0.99), rotation);
        let query = FeatureQuery { b_to_a, min: -0.01, max: 0.01, two_sided: [false; 2] };
        assert_same([&floor, &ball], &query, &mut front, 0.025);
    }
    assert!(front.gather_count() < 40, "{} gatherings", front.gather_count());
}

#[test]
fn edges_that_roll_over_each_other_are_found_in_every_step() {
    let torus = || Body::new(Torus { segments: 24, sides: 10, ..Torus::default() }.mesh().unwrap());
    let (a, b) = (torus(), torus());
    let mut front = FeatureFront::default();
    let mut count = 0;
    for step in 0..100 {
        let angle = 2e-3 * f64::from(step);
        // Linked, and swinging about the point where the tubes touch.
        let linked = UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
        let swing = UnitQuaternion::from_euler_angles(0.3 * angle, angle, 0.7 * angle);
        let start = Isometry3::from_parts(Translation3::new(1.6, 0.0, 0.0), linked);
        let b_to_a = moved(&start, Point3::new(0.8, 0.0, 0.0), swing.scaled_axis(), Vector3::zeros());
        let query = FeatureQuery { b_to_a, min: -0.03, max: 0.01, two_sided: [false; 2] };
        count += assert_same([&a, &b], &query, &mut front, 0.012);
    }
    assert!(
        count > 100 && front.gather_count() < 60,
        "{count} contacts, {} gatherings",
        front.gather_count()
    );
}

#[test]
fn a_pair_at_rest_is_gathered_once_and_with_zero_margin_never() {
    let cube = Body::new(Cuboid { subdivisions: 3, ..Cuboid::default() }.mesh().unwrap());
    for margin in [1e-4, 0.0] {
        let mut front = FeatureFront::default();
        for step in 0..50 {
            let z = 1.0 + if margin > 0.0 { 1e-9 * f64::from(step % 3) } else { 0.0 };
            let b_to_a = Isometry3::translation(0.0, 0.0, z);
            let query = FeatureQuery { b_to_a, min: -0.01, max: 0.01, two_sided: [false; 2] };
            assert!(!front.find([cube.mesh(), cube.mesh()], &query, margin).is_empty());
        }
        assert_eq!(
            (front.gather_count(), front.has_reference()),
            if margin > 0.0 { (1, true) } else { (0, false) }
        );
    }
}
