//! A memory of the last query changes the work, never the answer.

use extricate::geometry::convex::ConvexShape;
use extricate::penetration::convex::{ConvexCache, SignedDistance};
use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::checks::Pair;
use super::forms::Form;
use super::random::Random;
use super::strategies::{any_pair, cases, straight_pair};

/// A motion of B in half degrees and thousandths of the size.
struct Motion {
    pair: Pair,
    shapes: [ConvexShape; 2],
    rotation: UnitQuaternion<f64>,
    displacement: Vector3<f64>,
}

impl Motion {
    fn new(pair: Pair, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let size: f64 = pair.forms.iter().map(Form::reach).sum();
        let rotation = UnitQuaternion::from_axis_angle(&random.direction(), 0.5_f64.to_radians());
        let displacement = random.direction().into_inner() * (0.002 * size);
        let shapes = pair.shapes().expect("valid");
        Self { pair, shapes, rotation, displacement }
    }

    fn advance(&mut self) {
        let pose = self.pair.poses[1];
        let by = (pose.translation.vector + self.displacement).into();
        self.pair.poses[1] = Isometry3::from_parts(by, self.rotation * pose.rotation);
    }

    /// Both answers, which agree; the supports of the warm one.
    fn compare(&self, cache: &mut ConvexCache) -> u32 {
        let warm = self.pair.ask(&self.shapes, cache).expect("finite");
        let cold = self.pair.ask(&self.shapes, &mut ConvexCache::default()).expect("finite");
        self.judge(&warm, &cold);
        warm.supports
    }

    fn judge(&self, warm: &SignedDistance, cold: &SignedDistance) {
        let tolerance = self.pair.tolerance(cold.value);
        assert!(warm.value <= cold.at_most + tolerance, "{warm:?} {cold:?} {:?}", self.pair);
        assert!(cold.value <= warm.at_most + tolerance, "{warm:?} {cold:?} {:?}", self.pair);
        assert!(warm.at_most - warm.value <= self.pair.certificate(cold.value), "{warm:?} {:?}", self.pair);
        let along = -self.pair.free_after(&warm.direction);
        assert!((along - warm.value).abs() <= tolerance, "{along:e} {warm:?} {:?}", self.pair);
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn along_a_motion_the_warm_answer_is_the_cold_one(pair in any_pair(), seed in any::<u64>()) {
        let (mut motion, mut cache) = (Motion::new(pair, seed), ConvexCache::default());
        for _ in 0..60 {
            motion.compare(&mut cache);
            motion.advance();
        }
    }

    #[test]
    fn a_memory_of_another_pair_does_not_change_the_answer(
        pairs in [straight_pair(), straight_pair()],
        seed in any::<u64>(),
    ) {
        let mut cache = ConvexCache::default();
        let mut motions = pairs.map(|pair| Motion::new(pair, seed));
        for step in 0..30 {
            // Now and then the other pair, and the same pair the other way round.
            let motion = &mut motions[usize::from(step % 3 == 0)];
            motion.compare(&mut cache);
            motion.advance();
            if step % 7 == 0 {
                Motion::new(motion.pair.swapped(), seed).compare(&mut cache);
            }
        }
    }

    #[test]
    fn a_memory_of_a_pose_far_away_does_not_change_the_answer(pair in any_pair(), seed in any::<u64>()) {
        let (mut motion, mut cache, mut random) = (Motion::new(pair, seed), ConvexCache::default(), Random::new(seed));
        let size: f64 = motion.pair.forms.iter().map(Form::reach).sum();
        for _ in 0..20 {
            motion.pair.poses = [random.pose(0.5 * size), random.pose(0.5 * size)];
            motion.compare(&mut cache);
        }
    }
}

#[test]
fn a_fall_through_a_box_from_apart_to_apart_is_answered_like_every_pose_for_itself() {
    let mut random = Random::new(3);
    for _ in 0..30 {
        let forms = [random.round_hull(0.5, 40), Form::Cuboid(Vector3::new(1.0, 0.7, 0.4))];
        let displacement = random.direction();
        let poses = [
            random.pose(0.2),
            Isometry3::from_parts((-displacement.into_inner() * 1.8).into(), random.rotation()),
        ];
        let shapes = Pair { forms: forms.clone(), poses }.shapes().expect("valid");
        let rotation = UnitQuaternion::identity();
        let mut motion = Motion {
            pair: Pair { forms, poses },
            shapes,
            rotation,
            displacement: displacement.into_inner() * 0.02,
        };
        let mut cache = ConvexCache::default();
        for _ in 0..180 {
            motion.compare(&mut cache);
            motion.advance();
        }
    }
}

#[test]
fn a_warm_answer_takes_less_than_a_third_of_the_supports() {
    let mut random = Random::new(4);
    let form = random.round_hull(0.5, 100);
    let pair = Pair { forms: [form.clone(), form], poses: [Isometry3::identity(), random.pose(0.5)] };
    let mut motion = Motion::new(pair, 8);
    motion.displacement = Unit::new_normalize(motion.displacement).into_inner() * 1e-3;
    let (mut cache, mut warm, mut cold) = (ConvexCache::default(), 0, 0);
    for _ in 0..100 {
        warm += motion.compare(&mut cache);
        cold += motion.compare(&mut ConvexCache::default());
        motion.advance();
    }

    assert!(3 * warm < cold, "{warm} {cold}");
}

#[test]
fn after_a_long_motion_the_warm_answer_is_still_the_cold_one() {
    let mut random = Random::new(77);
    let forms = [random.round_hull(0.5, 40), random.round_hull(0.6, 60)];
    let poses = [random.pose(0.0), random.pose(0.4)];
    let (mut motion, mut cache) = (Motion::new(Pair { forms, poses }, 5), ConvexCache::default());
    motion.displacement = Vector3::zeros();
    for step in 0..20_000 {
        motion.advance();
        if step % 40 == 0 {
            motion.compare(&mut cache);
        } else {
            motion.pair.ask(&motion.shapes, &mut cache).expect("finite");
        }
    }
}
