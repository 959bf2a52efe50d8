//! A warm query allocates nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use extricate::geometry::Solidity;
use extricate::geometry::procedural::{BumpySphere, Cuboid, Procedural, Torus};
use extricate::penetration::{
    Effort, LowerBound, MotionCoherence, TranslationalOptions, penetration, penetration_coherent,
};
use extricate::proximity::contacts::{Adjacency, ConeTree, ContactMesh, FeatureFront, FeatureQuery};
use extricate::proximity::{
    DistanceCache, DistanceOptions, Model, collide, distance_with, intersection_segments,
};
use nalgebra::{Isometry3, Translation3};

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "an allocator")]
// SAFETY: hands everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(of: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    of();
    ALLOCATIONS.get() - before
}

#[test]
fn a_warm_query_allocates_nothing() {
    let ball = Model::new(BumpySphere::default().mesh().unwrap(), Solidity::Solid);
    let torus = Model::new(Torus::default().mesh().unwrap(), Solidity::Solid);
    let options = TranslationalOptions {
        effort: Effort::Fast,
        lower_bound: LowerBound::Skip,
        ..TranslationalOptions::default()
    };
    let here = Isometry3::identity();
    let pose = |step: u32| Isometry3::translation(0.6 + 1e-3 * f64::from(step), 0.2, 0.1);
    let mut coherence = MotionCoherence::default();
    // Apart at first, then into one another; the same motion again is warm.
    let mut pass = || {
        for step in 0..20 {
            let poses = ((&ball, &pose(step)), (&torus, &here));
            assert!(penetration_coherent(poses.0, poses.1, &options, &mut coherence).unwrap().is_some());
            assert!(penetration(&ball, &pose(step), &torus, &here, &options).unwrap().is_some());
        }
    };
    assert!(allocations(&mut pass) > 0);
    pass();
    assert_eq!(allocations(&mut pass), 0);
    let apart = Translation3::new(9.0, 0.0, 0.0) * here;
    assert_eq!(allocations(|| assert!(!collide(&ball, &apart, &torus, &here))), 0);
}

#[test]
fn a_warm_distance_and_warm_segments_allocate_nothing() {
    let ball = Model::new(BumpySphere::default().mesh().unwrap(), Solidity::Solid);
    let torus = Model::new(Torus::default().mesh().unwrap(), Solidity::Solid);
    let (here, options, mut cache) =
        (Isometry3::identity(), DistanceOptions::default(), DistanceCache::default());
    let mut segments = Vec::new();
    let mut pass = || {
        for step in 0..20 {
            let pose = Isometry3::translation(0.1 * f64::from(step), 0.3, 0.2);
            assert!(distance_with(&ball, &pose, &torus, &here, &options, &mut cache).unwrap().is_some());
            segments.clear();
            intersection_segments(&ball, &pose, &torus, &here, &mut segments);
        }
    };
    assert!(allocations(&mut pass) > 0);
    assert_eq!(allocations(&mut pass), 0);
}

#[test]
fn contact_features_of_a_pair_that_rests_or_creeps_allocate_nothing_once_warm() {
    let mesh = Cuboid { subdivisions: 8, ..Cuboid::default() }.mesh().unwrap();
    let (model, adjacency) = (Model::new(mesh.clone(), Solidity::Solid), Adjacency::new(&mesh));
    let cones = ConeTree::new(&adjacency, &model);
    let cube = ContactMesh { model: &model, adjacency: &adjacency, cones: &cones };
    let mut front = FeatureFront::default();
    let mut pass = || {
        for step in 0..40 {
            let b_to_a = Isometry3::translation(1e-4 * f64::from(step), 0.3, 1.0);
            let query = FeatureQuery { b_to_a, min: -4e-3, max: 4e-3, two_sided: [false; 2] };
            assert!(!front.find([cube, cube], &query, 1e-3).is_empty());
        }
    };
    assert!(allocations(&mut pass) > 0);
    pass();
    assert_eq!(allocations(&mut pass), 0);
}
