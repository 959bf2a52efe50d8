//! Against brute force over all that can decide the distance of polytopes.

use extricate::penetration::convex::ConvexCache;
use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;

use super::brute_force;
use super::checks::Pair;
use super::forms::Form;
use super::random::Random;
use super::strategies::{cases, straight_pair};

/// The answer holds the exact distance between its bounds, which agree.
fn judge(pair: &Pair) {
    let exact = brute_force::signed_distance(&pair.forms, &pair.poses).expect("no curves");
    let found = pair.ask(&pair.shapes().expect("valid"), &mut ConvexCache::default()).expect("finite");
    let tolerance = pair.tolerance(exact);
    assert!(
        found.value <= exact + tolerance,
        "{:e} is not a lower bound of {exact:e}: {pair:?}",
        found.value
    );
    assert!(
        found.at_most >= exact - tolerance,
        "{:e} is not an upper one of {exact:e}: {pair:?}",
        found.at_most
    );
    assert!(found.at_most - found.value <= pair.certificate(exact), "not certified: {found:?} {pair:?}");
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn the_bounds_hold_the_exact_distance_of_polytopes_and_agree(pair in straight_pair()) {
        judge(&pair);
    }
}

#[test]
fn hulls_of_many_points_are_as_deep_as_brute_force_says() {
    let mut random = Random::new(5);
    for points in [12, 16, 20, 24] {
        for _ in 0..6 {
            let forms = [random.round_hull(0.5, points), random.round_hull(0.4, points)];
            judge(&Pair { forms, poses: [random.pose(0.3), random.pose(0.3)] });
        }
    }
}

#[test]
fn plates_and_needles_are_as_deep_as_brute_force_says() {
    let mut random = Random::new(6);
    for thickness in [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1e-2] {
        for size in [Vector3::new(0.5, 0.5, thickness), Vector3::new(0.5, thickness, thickness)] {
            for _ in 0..10 {
                let thin = random.stretched_hull(size, 9);
                let other = if random.below(2) == 0 {
                    random.round_hull(0.4, 9)
                } else {
                    Form::Cuboid(Vector3::repeat(0.7))
                };
                let poses = [random.pose(0.2), random.pose(0.2)];
                let forms = if random.below(2) == 0 { [thin, other] } else { [other, thin] };
                judge(&Pair { forms, poses });
            }
        }
    }
}

#[test]
fn aligned_boxes_and_lattices_are_as_deep_as_brute_force_says() {
    let mut random = Random::new(7);
    let lattice = |random: &mut Random| Vector3::from_fn(|_, _| 0.25 * random.below(5) as f64 - 0.5);
    for _ in 0..300 {
        let points = (0..10).map(|_| lattice(&mut random).into()).collect();
        let forms = [Form::Hull(points), Form::Cuboid(Vector3::repeat(1.0))];
        let pose = Isometry3::from_parts((2.0 * lattice(&mut random)).into(), random.quarter_turn());
        judge(&Pair { forms, poses: [Isometry3::identity(), pose] });
    }
}
