//! Contacts of meshes along motions, and on shapes that are hard for them.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::memory::PairMemory;
use super::mesh_mesh;
use super::mesh_mesh::{Prediction, contacts};
use super::mesh_shape::MeshShape;
use super::point::ContactPoint;
use super::separation::MeshPair;
use extricate_core::geometry::procedural::{BumpySphere, Cuboid, Cup, Procedural, Sphere, Torus};
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::proximity::contacts::Feature;
use extricate_core::proximity::{Model, distance, pairs_within};

const PREDICTION: Prediction = Prediction { distance: 0.02, fall: 2e-4 };

fn shape(mesh: TriangleMesh, solidity: Solidity) -> MeshShape {
    MeshShape::new(Arc::new(Model::new(mesh, solidity)))
}

fn solid(kind: &impl Procedural) -> MeshShape {
    shape(kind.mesh().unwrap(), Solidity::Solid)
}

fn cube(subdivisions: u32) -> MeshShape {
    solid(&Cuboid { subdivisions, ..Cuboid::default() })
}

fn slab(subdivisions: u32) -> MeshShape {
    solid(&Cuboid { x: 4.0, y: 3.0, z: 0.2, subdivisions })
}

fn torus() -> MeshShape {
    solid(&Torus { segments: 20, sides: 9, ..Torus::default() })
}

/// The contacts chosen at a pose, with their normals.
fn chosen(memory: &PairMemory) -> Vec<(ContactPoint, Vector3<f64>)> {
    let (contacts, selected) = memory.chosen();
    let of = |one: &super::reduction::Selected| {
        one.indices().iter().map(|&index| (contacts[index], one.normal)).collect::<Vec<_>>()
    };
    selected.iter().flat_map(of).collect()
}

/// A motion of a body: the pose in every step.
type Motion = Box<dyn Fn(f64) -> Isometry3<f64>>;

fn posed(x: f64, y: f64, z: f64, rotation: [f64; 3]) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_scaled_axis(rotation.into()))
}

/// Bodies that rest, jitter, slide, roll, swing, sink in deep and come out, over 60 steps.
fn motions() -> Vec<([MeshShape; 2], Motion)> {
    let jitter = |t: f64| 1e-7 * (17.0 * t).sin();
    let ball = || solid(&Sphere { radius: 0.5, frequency: 4 });
    let bumpy = || solid(&BumpySphere { frequency: 5, ..BumpySphere::default() });
    let surface = || shape(Cuboid::default().mesh().unwrap(), Solidity::Surface);
    let linked = move |t: f64| posed(1.601 + jitter(t), 0.0, 0.0, [1.57 + 0.02 * t, 0.01 * t * t, 0.0]);
    vec![
        (
            [cube(3), cube(3)],
            Box::new(move |t| posed(jitter(t), 0.0, 1.0 - 1e-7 + jitter(2.0 * t), [0.0; 3])),
        ),
        ([slab(3), cube(2)], Box::new(|t| posed(0.3 * t * t, 0.01 * t, 0.6 - 1e-6 * t, [0.0, 0.0, 0.1 * t]))),
        ([slab(2), ball()], Box::new(|t| posed(0.05 * t, 0.01, 0.592, [0.0, 0.1 * t, 0.0]))),
        ([torus(), torus()], Box::new(linked)),
        (
            [cube(2), cube(2)],
            Box::new(|t| posed(0.02, 0.01, 1.0 - 0.4 * (3.0 * t).sin(), [0.0, 0.0, 0.2 * t])),
        ),
        ([bumpy(), bumpy()], Box::new(|t| posed(0.05 * t, 0.0, 1.03 - 0.02 * t, [0.1 * t, 0.0, 0.3]))),
        ([slab(2), surface()], Box::new(|t| posed(0.01 * t, 0.0, 0.603 - 0.005 * t, [0.001 * t, 0.0, 0.3]))),
    ]
}

#[test]
fn contacts_do_not_depend_on_how_long_fronts_and_proofs_have_lived() {
    for ([a, b], motion) in motions() {
        let (mut old, mut young) = (PairMemory::default(), PairMemory::default());
        let mut count = 0;
        for step in 0..120 {
            // Fast at first, then ever slower: nothing lasts, some lasts for a few steps, all lasts.
            let time = 1.0 - 0.94_f64.powi(step);
            let pair = MeshPair { a: &a, b: &b, b_to_a: motion(time) };
            (young.front, young.front_apart, young.local_separation) = Default::default();
            young.clearance = Default::default();
            contacts(&pair, &PREDICTION, &mut old);
            contacts(&pair, &PREDICTION, &mut young);
            assert_eq!(old.contacts, young.contacts, "step {step}");
            assert_eq!(chosen(&old), chosen(&young), "step {step}");
            assert_eq!((old.separation, old.free_pose), (young.separation, young.free_pose), "step {step}");
            count += old.contacts.len();
        }
        assert!(
            count > 60 && old.front.gather_count() < 100,
            "{count} contacts, {}",
            old.front.gather_count()
        );
    }
}

#[test]
fn pairs_that_are_proved_apart_have_the_contacts_of_those_that_are_searched_anew() {
    let [a, b] = [cube(3), torus()];
    let (mut old, mut young) = (PairMemory::default(), PairMemory::default());
    let (mut touching, mut proved) = (0, 0);
    for step in 0..400 {
        // Nearer and farther, while it rotates, past a touch; and a jump from far away into an overlap and out of it.
        let time = 0.01 * f64::from(step);
        let x = if step == 350 { 1.2 } else { 1.95 - 0.5 * (0.9 * time).sin() };
        let pair = MeshPair { a: &a, b: &b, b_to_a: posed(x, 0.02, 0.01, [0.3 * time, 0.0, 0.2 * time]) };
        young.clearance = Default::default();
        proved += usize::from(old.clearance.exceeds(&b.model, &pair.b_to_a, PREDICTION.distance));
        contacts(&pair, &PREDICTION, &mut old);
        contacts(&pair, &PREDICTION, &mut young);
        assert_eq!(old.contacts, young.contacts, "step {step}");
        assert_eq!(chosen(&old), chosen(&young), "step {step}");
        assert_eq!((old.separation, old.free_pose), (young.separation, young.free_pose), "step {step}");
        touching += usize::from(!old.contacts.is_empty());
    }
    assert!(touching > 20 && proved > 100, "{touching} with contacts, {proved} proved apart");
}

#[test]
fn finely_meshed_faces_that_lie_on_each_other_touch_at_corners_that_span_the_common_face() {
    for (subdivisions, shift, yaw) in
        [(1, 0.0, 0.0), (4, 0.0, 0.0), (4, 0.3, 0.0), (5, 0.1, 0.5), (3, 0.25, 0.785)]
    {
        let (a, b) = (cube(subdivisions), cube(subdivisions));
        let mut memory = PairMemory::default();
        for depth in [0.0, 1e-7, 3e-7] {
            let pose = posed(shift, 0.0, 1.0 - depth, [0.0, 0.0, yaw]);
            contacts(&MeshPair { a: &a, b: &b, b_to_a: pose }, &PREDICTION, &mut memory);
            let touching: Vec<_> = chosen(&memory);
            assert!(touching.len() >= 4, "{} contacts", touching.len());
            for (contact, normal) in &touching {
                assert!((normal - Vector3::z()).norm() < 1e-9, "{normal}");
                assert!((contact.distance + depth).abs() < 1e-12);
            }
            // The middle of the common face is well within the contacts: they hold it up.
            let middle = Point3::new(shift / 2.0, 0.0, 0.5);
            for k in 0..16 {
                let angle = std::f64::consts::TAU * f64::from(k) / 16.0;
                let side = Vector3::new(angle.cos(), angle.sin(), 0.0);
                let reach = touching.iter().map(|(contact, _)| (contact.point - middle).dot(&side));
                assert!(reach.fold(f64::NEG_INFINITY, f64::max) > 0.2, "{subdivisions} {shift} {yaw}: {k}");
            }
        }
    }
}

#[test]
fn the_chosen_contacts_of_a_pair_at_rest_stay_the_same_while_it_jitters_by_rounding() {
    for (a, b, height) in
        [(cube(4), cube(4), 1.0), (slab(3), cube(3), 0.6), (torus(), torus(), 0.4 * 0.984_807_753)]
    {
        let mut memory = PairMemory::default();
        let mut before: Option<Vec<[Feature; 2]>> = None;
        for step in 0..40 {
            let noise = |k: i32| 1e-12 * f64::from((step * 7 + k) % 5 - 2);
            let pose = posed(noise(0), noise(1), height - 4e-7 + noise(2), [noise(3), noise(4), 0.0]);
            contacts(&MeshPair { a: &a, b: &b, b_to_a: pose }, &PREDICTION, &mut memory);
            let mut features: Vec<_> = chosen(&memory).iter().map(|(contact, _)| contact.features).collect();
            features.sort_unstable();
            if step > 1 {
                assert_eq!(before.as_ref(), Some(&features), "step {step}");
            }
            before = Some(features);
        }
    }
}

#[test]
fn the_normals_of_a_body_that_rolls_follow_it_and_never_flip() {
    let (floor, ball) = (slab(4), solid(&Sphere { radius: 0.5, frequency: 6 }));
    let mut memory = PairMemory::default();
    for step in 0..300 {
        let x = 2e-3 * f64::from(step);
        let pose = posed(x - 0.3, 0.017, 0.59, [0.0, x / 0.5, 0.0]);
        contacts(&MeshPair { a: &floor, b: &ball, b_to_a: pose }, &PREDICTION, &mut memory);
        let found = chosen(&memory);
        assert!(!found.is_empty(), "step {step}");
        assert!(found.iter().all(|(_, normal)| normal.z > 0.97), "step {step}: {found:?}");
    }
}

#[test]
fn a_body_pressed_through_a_thin_wall_is_pushed_back_to_the_side_it_came_from() {
    let (wall, ball) = (
        solid(&Cuboid { x: 3.0, y: 3.0, z: 0.02, subdivisions: 3 }),
        solid(&Sphere { radius: 0.3, frequency: 4 }),
    );
    for side in [1.0, -1.0] {
        let mut memory = PairMemory::default();
        for step in 0..40 {
            // From above the wall until its middle is below it.
            let z = side * (0.32 - 0.01 * f64::from(step));
            let pair = MeshPair { a: &wall, b: &ball, b_to_a: posed(0.03, 0.02, z, [0.1, 0.2, 0.3]) };
            contacts(&pair, &PREDICTION, &mut memory);
            let found = chosen(&memory);
            let deepest = found.iter().min_by(|(a, _), (b, _)| a.distance.total_cmp(&b.distance));
            let (contact, normal) = deepest.expect("it touches");
            assert!(side * normal.z > 0.9, "step {step}: {normal}");
            let depth = 0.01 + 0.3 - side * z;
            assert!((contact.distance + depth).abs() < 0.02, "step {step}: {} for {depth}", contact.distance);
        }
    }
}

#[test]
fn cubes_deep_in_each_other_are_pushed_apart_at_four_corners_of_their_common_face() {
    for subdivisions in [1, 4, 8] {
        let (a, b) = (cube(subdivisions), cube(subdivisions));
        for overlap in [0.05, 0.2, 0.5, 0.9] {
            let pair = MeshPair { a: &a, b: &b, b_to_a: posed(0.0, 0.0, 1.0 - overlap, [0.0; 3]) };
            let mut memory = PairMemory::default();
            contacts(&pair, &PREDICTION, &mut memory);
            let deep: Vec<_> = chosen(&memory)
                .into_iter()
                .filter(|(contact, _)| contact.distance < -0.9 * overlap.min(0.1))
                .collect();
            assert_eq!(deep.len(), 4, "{subdivisions} {overlap}: {deep:?}");
            let normal = deep[0].1;
            let along = if overlap > 0.5 { overlap.min(1.0 - 0.0) } else { overlap };
            for (contact, own) in &deep {
                assert!((own - normal).norm() < 1e-9);
                assert!((contact.distance + along).abs() < 1e-9, "{} {along}", contact.distance);
            }
            let spread = |axis: usize| {
                let places = deep.iter().map(|(contact, _)| contact.point[axis]);
                let (min, max) =
                    places.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, g), x| (l.min(x), g.max(x)));
                max - min
            };
            let across: Vec<f64> = (0..3).filter(|&k| normal[k].abs() < 0.5).map(spread).collect();
            assert!(
                across.iter().all(|&width| width > 0.99),
                "{subdivisions} {overlap}: {across:?} {deep:?}"
            );
        }
    }
}

#[test]
fn the_wall_of_a_cup_holds_a_body_on_the_inside_and_shows_nothing_of_the_outside() {
    let (cup, ball) = (solid(&Cup::default()), solid(&Sphere { radius: 0.05, frequency: 3 }));
    let pair = MeshPair { a: &cup, b: &ball, b_to_a: posed(0.0, 0.0, 0.0, [0.0; 3]) };
    let mut memory = PairMemory::default();
    contacts(&pair, &PREDICTION, &mut memory);
    assert!(chosen(&memory).iter().all(|(contact, _)| contact.distance > -1e-9));
    assert_eq!(mesh_mesh::depth([&cup, &ball], &pair.b_to_a, &super::separation::SCRATCH).unwrap(), None);
}

#[test]
fn fast_dense_balls_take_few_pairs_of_triangles_and_the_nearest_contact_is_found() {
    let ball = || solid(&Sphere { radius: 0.5, frequency: 40 });
    let (a, b) = (ball(), ball());
    // Half the size is within reach in the first step, and with it most of the 32 000 triangles of each.
    let fast = Prediction { distance: 0.25, fall: 2e-4 };
    for gap in [1e-3, 1e-2] {
        let pair = MeshPair { a: &a, b: &b, b_to_a: posed(0.02, 0.01, 1.0 + gap, [0.1, 0.2, 0.3]) };
        let (mut pairs, mut memory) = (Vec::new(), PairMemory::default());
        pairs_within(&a.model, &Isometry3::identity(), &b.model, &pair.b_to_a, 0.1, &mut pairs);
        assert!(pairs.len() > 4 * mesh_mesh::MAX_PAIRS, "{} pairs are few", pairs.len());
        contacts(&pair, &fast, &mut memory);
        assert!(memory.front.pairs().len() <= mesh_mesh::MAX_PAIRS && !memory.front.has_reference());
        let expected = distance(&a.model, &Isometry3::identity(), &b.model, &pair.b_to_a).value;
        let nearest =
            chosen(&memory).iter().map(|(contact, _)| contact.distance).fold(f64::INFINITY, f64::min);
        assert!((nearest - expected).abs() < 1e-9, "{nearest} {expected}");
    }
}

#[test]
fn contacts_of_a_fast_pair_reach_a_little_beyond_its_distance() {
    // Two cubes in one mesh, of which one is higher, fall on a slab; both are within the speculative margin.
    let fast = Prediction { distance: 0.25, fall: 2e-4 };
    let edge = Cuboid::default().mesh().unwrap();
    for (gap, rise) in [(0.3, 0.1), (0.1, 0.1), (0.06, 0.1), (0.1, 0.01)] {
        let [lower, higher] =
            [(-0.8, 0.0), (0.8, rise)].map(|(x, rise)| Isometry3::translation(x, 0.0, 0.5 + rise));
        let both = TriangleMesh::joined([edge.transformed(&lower), edge.transformed(&higher)]).unwrap();
        let (slab, cubes) = (slab(4), shape(both, Solidity::Solid));
        let b_to_a = Isometry3::translation(0.02, 0.01, 0.1 + gap);
        let (pair, mut memory) = (MeshPair { a: &slab, b: &cubes, b_to_a }, PairMemory::default());
        contacts(&pair, &fast, &mut memory);
        let near =
            |height: f64| memory.contacts.iter().any(|contact| (contact.distance - height).abs() < 1e-9);
        assert_eq!(near(gap), gap < fast.distance, "{gap}");
        assert_eq!(near(gap + rise), gap < fast.distance && rise < 0.025 * pair.size(), "{gap} {rise}");
    }
}

#[test]
fn a_deep_pair_that_rests_is_separated_once_and_its_contacts_follow_its_motion() {
    let (a, b) = (cube(2), cube(2));
    let size = MeshPair { a: &a, b: &b, b_to_a: Isometry3::identity() }.size();
    let mut memory = PairMemory::default();
    let mut deepest_at = |offset: f64| {
        let b_to_a = posed(0.02, 0.01, 0.7 + offset, [0.0; 3]);
        contacts(&MeshPair { a: &a, b: &b, b_to_a }, &PREDICTION, &mut memory);
        let deepest = memory.contacts.iter().fold(0.0_f64, |deepest, contact| deepest.min(contact.distance));
        (deepest, memory.separation.unwrap(), memory.free_pose.unwrap())
    };
    let (_, first, free) = deepest_at(0.0);
    assert!((first - Vector3::z() * 0.3).norm() < 1e-6, "{first}");
    for step in 1..20_u8 {
        let offset = 2e-8 * size * f64::from(step);
        let (deepest, separation, from) = deepest_at(offset);
        assert!((deepest + 0.3 - offset).abs() < 1e-12, "step {step}: {deepest}");
        assert_eq!((separation, from), (first, free), "step {step}");
    }
    let (deepest, _, from) = deepest_at(1e-6 * size);
    assert!((deepest + 0.3 - 1e-6 * size).abs() < 1e-12 && from != free, "{deepest} {from}");
}
