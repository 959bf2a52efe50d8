//! The pairs, begun and ended, are those of brute force at every step, for boxes of every kind.

use std::collections::BTreeSet;

use extricate_test_support::Noise;
use nalgebra::{Point3, Vector3};

use super::*;
use crate::geometry::triangle_mesh::Aabb;
use crate::proximity::error::ProximityError;

fn box_at(corner: Vector3<f64>, extents: Vector3<f64>) -> Aabb {
    Aabb { min: Point3::from(corner), max: Point3::from(corner + extents) }
}

/// Number of distributions of boxes.
const KINDS: usize = 12;

/// A box of one kind, a few of which overlap among some hundreds.
fn random_box(kind: usize, random: &mut Noise) -> Aabb {
    let (place, size) = (random.vector_in_unit_cube(), random.vector_in_unit_cube());
    match kind {
        // Boxes of similar size in a cube.
        0 => box_at(8.0 * place, size),
        // Points, some of which coincide.
        1 => box_at((4.0 * place).map(f64::floor), Vector3::zeros()),
        // Boxes of unit cells: all touch their neighbours.
        2 => box_at((6.0 * place).map(f64::floor), Vector3::repeat(1.0)),
        // Coincident boxes.
        3 => box_at(Vector3::zeros(), Vector3::repeat(1.0)),
        // In one plane, without thickness.
        4 => box_at(Vector3::new(20.0 * place.x, 20.0 * place.y, 0.0), Vector3::new(size.x, size.y, 0.0)),
        // On a line.
        5 => box_at(Vector3::new(0.0, 100.0 * place.y, 0.0), Vector3::new(0.0, size.y, 0.0)),
        // Sizes from tiny to huge.
        6 => box_at(8.0 * place, size * 2_f64.powf(40.0 * random.unit_interval() - 38.0)),
        // A few huge ones among small ones.
        7 if random.unit_interval() < 0.01 => box_at(-100.0 * place, Vector3::repeat(300.0)),
        7 => box_at(8.0 * place, size),
        // Two clusters a world apart.
        8 => box_at(8.0 * place + Vector3::repeat(1e9 * random.unit_interval().round()), size),
        // Needles along the axes.
        9 => {
            let mut extents = Vector3::repeat(0.01);
            extents[random.below(3)] = 10.0;
            box_at(5.0 * place, extents)
        }
        // Far from the origin and 1e-12 of their distance from touching.
        10 => {
            box_at((6.0 * place).map(f64::floor) + Vector3::repeat(1e4), Vector3::repeat(1.0 - 1e-8 * size.x))
        }
        // As large as numbers may be, or as small.
        _ if random.unit_interval() < 0.1 => box_at(8e307 * (place - size), 1e307 * size),
        _ => box_at(f64::MIN_POSITIVE * place * 1e-3, f64::MIN_POSITIVE * size * 1e-4),
    }
}

fn overlap(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k])
}

fn brute_force(boxes: &[Option<Aabb>]) -> BTreeSet<[usize; 2]> {
    let present = boxes.iter().enumerate().filter_map(|(i, aabb)| Some((i, aabb.as_ref()?)));
    let pairs_of = |(i, a): (usize, &Aabb)| {
        let later = boxes.iter().enumerate().skip(i + 1);
        let met = later.filter(|(_, b)| b.as_ref().is_some_and(|b| overlap(a, b)));
        met.map(|(j, _)| [i, j]).collect::<Vec<_>>()
    };
    present.flat_map(pairs_of).collect()
}

fn indices(pairs: &[BoxPair]) -> Vec<[usize; 2]> {
    pairs.iter().map(|pair| pair.map(BoxHandle::index)).collect()
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn the_pairs_of_boxes_of_every_kind_are_those_of_brute_force() {
    for kind in 0..KINDS {
        for count in [0, 1, 2, 7, 8, 9, 64, 65, 600] {
            let mut random = Noise(count as u64);
            let boxes = (0..count).map(|_| random_box(kind, &mut random)).collect::<Vec<_>>();
            let expected = brute_force(&boxes.iter().copied().map(Some).collect::<Vec<_>>());
            let pairs = overlapping_pairs(&boxes).unwrap();
            assert!(pairs.iter().eq(&expected), "kind {kind}, {count} boxes");
        }
    }
}

/// Reference state: the boxes by handle and the pairs of the last update.
#[derive(Default)]
struct Reference {
    boxes: Vec<Option<Aabb>>,
    pairs: BTreeSet<[usize; 2]>,
}

impl Reference {
    fn check(&mut self, broad_phase: &mut BroadPhase, what: &str) {
        let now = brute_force(&self.boxes);
        let begun = now.difference(&self.pairs).copied().collect::<Vec<_>>();
        let ended = self.pairs.difference(&now).copied().collect::<Vec<_>>();
        let changes = broad_phase.update();
        assert_eq!(indices(changes.begun), begun, "{what}");
        assert_eq!(indices(changes.ended), ended, "{what}");
        assert!(indices(broad_phase.pairs()).iter().eq(&now), "{what}");
        assert_eq!(broad_phase.len(), self.boxes.iter().flatten().count());
        self.pairs = now;
    }

    fn insert(&mut self, broad_phase: &mut BroadPhase, aabb: Aabb) {
        let handle = broad_phase.insert(aabb).unwrap();
        self.boxes.resize(self.boxes.len().max(handle.index() + 1), None);
        assert!(self.boxes[handle.index()].replace(aabb).is_none());
    }

    fn handle(&self, random: &mut Noise) -> Option<usize> {
        let index = random.below(self.boxes.len());
        self.boxes.get(index)?.map(|_| index)
    }
}

/// One step of a motion: all boxes drift or some jump, and some come and go.
fn step(
    reference: &mut Reference,
    broad_phase: &mut BroadPhase,
    kind: usize,
    style: usize,
    random: &mut Noise,
) {
    let drift = [0.0, 1e-6, 0.02, 0.5][style];
    for index in 0..reference.boxes.len() {
        let Some(old) = reference.boxes[index] else { continue };
        if random.unit_interval() < [0.01, 0.9, 1.0, 1.0][style] {
            let jumps = random.unit_interval() < [1.0, 0.0, 0.01, 0.1][style];
            let shift = (random.vector_in_unit_cube() - Vector3::repeat(0.5)) * drift;
            let moved = Aabb { min: old.min + shift, max: old.max + shift };
            let new = if jumps { random_box(kind, random) } else { moved };
            broad_phase.set(BoxHandle::new(index as u32), new).unwrap();
            reference.boxes[index] = Some(new);
        }
    }
    for _ in 0..random.below(6) {
        if let Some(index) = reference.handle(random) {
            let removed = broad_phase.remove(BoxHandle::new(index as u32)).unwrap();
            assert_eq!(reference.boxes[index].take(), Some(removed));
        }
        let aabb = random_box(kind, random);
        reference.insert(broad_phase, aabb);
    }
}

#[test]
fn long_motions_with_insertion_and_removal_begin_and_end_the_pairs_that_brute_force_does() {
    for kind in [0, 1, 2, 4, 6, 7, 8] {
        for style in 0..4 {
            let mut random = Noise((10 * kind + style) as u64);
            let (mut reference, mut broad_phase) = (Reference::default(), BroadPhase::new());
            for _ in 0..150 {
                let aabb = random_box(kind, &mut random);
                reference.insert(&mut broad_phase, aabb);
            }
            for number in 0..60 {
                reference.check(&mut broad_phase, &format!("kind {kind}, style {style}, step {number}"));
                step(&mut reference, &mut broad_phase, kind, style, &mut random);
            }
        }
    }
}

#[test]
fn a_box_that_takes_the_handle_of_another_ends_its_pairs_first() {
    let cube = |x: f64| box_at(Vector3::new(x, 0.0, 0.0), Vector3::repeat(1.0));
    let mut broad_phase = BroadPhase::with_boxes(&[cube(0.0), cube(0.5)]).unwrap();
    broad_phase.update();
    let second = BoxHandle::new(1);
    broad_phase.remove(second).unwrap();
    assert_eq!(broad_phase.remove(second), Err(ProximityError::NoSuchBox { index: second.index() }));
    let third = broad_phase.insert(cube(0.25)).unwrap();
    assert_ne!(third, second);
    let changes = broad_phase.update();
    assert_eq!(
        (changes.ended, changes.begun),
        (&[[BoxHandle::new(0), second]][..], &[[BoxHandle::new(0), third]][..])
    );
    assert_eq!(broad_phase.insert(cube(0.75)), Ok(second));
}

#[test]
fn all_boxes_are_set_in_the_order_of_their_handles_and_an_untouched_world_changes_nothing() {
    let cube = |x: f64| box_at(Vector3::new(x, 0.0, 0.0), Vector3::repeat(1.0));
    let mut broad_phase = BroadPhase::with_boxes(&[cube(0.0), cube(5.0), cube(9.0)]).unwrap();
    broad_phase.update();
    broad_phase.remove(BoxHandle::new(1)).unwrap();
    broad_phase.set_all(&[cube(2.0), cube(3.0)]).unwrap();
    let met = [[BoxHandle::new(0), BoxHandle::new(2)]];
    assert_eq!(broad_phase.update().begun, met);
    assert_eq!(broad_phase.get(BoxHandle::new(2)), Some(&cube(3.0)));
    let unchanged = broad_phase.update();
    assert!(unchanged.begun.is_empty() && unchanged.ended.is_empty());
    assert_eq!(broad_phase.pairs(), met);
}

#[test]
fn the_unit_of_length_and_a_shift_change_no_pair() {
    let mut random = Noise(5);
    let boxes = (0..400).map(|_| random_box(0, &mut random)).collect::<Vec<_>>();
    let expected = overlapping_pairs(&boxes).unwrap();
    for scale in [2_f64.powi(-30), 1000.0, 2_f64.powi(500)] {
        let scaled = boxes.iter().map(|aabb| Aabb { min: aabb.min * scale, max: aabb.max * scale });
        assert_eq!(overlapping_pairs(&scaled.collect::<Vec<_>>()).unwrap(), expected);
    }
    let grid = |aabb: &Aabb, shift: f64| {
        let snap = |p: &Point3<f64>| p.map(|x| (1024.0 * x).round() / 1024.0 + shift);
        Aabb { min: snap(&aabb.min), max: snap(&aabb.max) }
    };
    let [near, far] = [0.0, 1e9].map(|shift| boxes.iter().map(|aabb| grid(aabb, shift)).collect::<Vec<_>>());
    assert_eq!(overlapping_pairs(&near).unwrap(), overlapping_pairs(&far).unwrap());
}

#[test]
fn pairs_and_changes_are_the_same_for_any_number_of_threads_and_on_either_path() {
    let run = || {
        let mut random = Noise(3);
        let mut boxes = (0..20_000).map(|i| random_box([0, 7][i % 2], &mut random)).collect::<Vec<_>>();
        boxes.iter_mut().for_each(|aabb| aabb.min *= 4.0);
        boxes.iter_mut().for_each(|aabb| aabb.max = aabb.min + random.vector_in_unit_cube());
        let mut broad_phase = BroadPhase::with_boxes(&boxes).unwrap();
        let mut seen = Vec::new();
        for _ in 0..5 {
            let changes = broad_phase.update();
            seen.push([indices(changes.begun), indices(changes.ended), indices(broad_phase.pairs())]);
            for aabb in &mut boxes {
                let shift = 0.1 * random.vector_in_unit_cube();
                *aabb = Aabb { min: aabb.min + shift, max: aabb.max + shift };
            }
            broad_phase.set_all(&boxes).unwrap();
        }
        seen
    };
    let expected = with_threads(1, run);
    assert!(expected.iter().all(|lists| !lists[2].is_empty()));
    assert_eq!(with_threads(2, run), expected);
    assert_eq!(with_threads(4, run), expected);
    let portable = with_threads(1, || crate::bvh::lanes::portably(run));
    assert_eq!(portable, expected);
}

#[test]
fn an_invalid_box_is_rejected_with_its_index_and_changes_nothing() {
    let good = box_at(Vector3::zeros(), Vector3::repeat(1.0));
    let bad = [
        Aabb { min: Point3::new(f64::NAN, 0.0, 0.0), ..good },
        Aabb { max: Point3::new(1.0, 1.0, f64::NAN), ..good },
        Aabb { max: Point3::new(1.0, f64::INFINITY, 1.0), ..good },
        Aabb { min: Point3::new(0.0, f64::NEG_INFINITY, 0.0), ..good },
        Aabb { min: Point3::new(2.0, 0.0, 0.0), ..good },
        Aabb { min: Point3::new(0.0, 0.0, -f64::MAX), max: Point3::new(1.0, 1.0, f64::MAX) },
        Aabb::EMPTY,
    ];
    for aabb in bad {
        let refused = |result: Result<(), ProximityError>, at: usize| matches!(result, Err(ProximityError::ImproperBox { index, .. }) if index == at);
        let mut broad_phase = BroadPhase::with_boxes(&[good, good]).unwrap();
        broad_phase.update();
        assert!(refused(overlapping_pairs(&[good, good, aabb]).map(|_| ()), 2));
        assert!(refused(broad_phase.insert(aabb).map(|_| ()), 2));
        assert!(refused(broad_phase.set(BoxHandle::new(1), aabb), 1));
        assert!(refused(broad_phase.set_all(&[good, aabb]), 1));
        let changes = broad_phase.update();
        assert!(changes.begun.is_empty() && changes.ended.is_empty());
    }
    let mut broad_phase = BroadPhase::with_boxes(&[good, good]).unwrap();
    let handle = BoxHandle::new(2);
    assert_eq!(broad_phase.set(handle, good), Err(ProximityError::NoSuchBox { index: 2 }));
    assert_eq!(
        broad_phase.set_all(&[good]),
        Err(ProximityError::Count { what: "boxes", given: 1, expected: 2 })
    );
}
