//! Every pair of kinds of shapes, in both orders: bounds, supports, searches and relations of the fuzz.

use nalgebra::{Isometry3, Vector3};

use super::checks::Pair;
use super::forms::Form;
use super::random::Random;

fn bounded_kinds(random: &mut Random) -> Vec<Form> {
    let plain = [
        Form::Sphere(0.4),
        Form::Capsule { radius: 0.2, length: 0.8 },
        Form::Cuboid(Vector3::new(0.9, 0.6, 0.5)),
        Form::Cylinder { radius: 0.3, height: 0.9 },
        Form::Cone { radius: 0.4, height: 0.9 },
        random.round_hull(0.5, 30),
        random.stretched_hull(Vector3::new(0.5, 0.5, 0.0), 12),
    ];
    let rounded = plain.iter().skip(2).map(|form| Form::Rounded(Box::new(form.clone()), 0.1));
    plain.iter().cloned().chain(rounded).collect()
}

fn judge(pair: &Pair, random: &mut Random) {
    let verdict = pair.judge(random);
    assert!(verdict.failures.is_empty() && !verdict.bounds_apart, "{:?}: {pair:?}", verdict.failures);
}

#[test]
fn every_pair_of_kinds_passes_the_checks_in_both_orders() {
    let mut random = Random::new(9);
    let kinds = bounded_kinds(&mut random);
    for a in &kinds {
        for b in &kinds {
            for reach in [0.0, 0.3, 0.8] {
                let pair =
                    Pair { forms: [a.clone(), b.clone()], poses: [random.pose(0.3), random.pose(reach)] };
                judge(&pair, &mut random);
            }
        }
    }
}

#[test]
fn every_kind_is_as_deep_in_a_half_space_as_its_lowest_point() {
    let mut random = Random::new(10);
    for form in bounded_kinds(&mut random) {
        for _ in 0..5 {
            let poses = [random.pose(1.0), random.pose(1.0)];
            let pair = Pair { forms: [form.clone(), Form::HalfSpace], poses };
            judge(&pair, &mut random);
            judge(&pair.swapped(), &mut random);
            let up = poses[1] * Vector3::z();
            let depth = pair.free_after(&up);
            let found = pair.signed_distance().expect("finite");
            assert!(
                (found.value + depth).abs() < 1e-14 && found.direction.dot(&up) > 1.0 - 1e-14,
                "{found:?}"
            );
        }
    }
}

#[test]
fn every_kind_rests_on_every_other_at_touching() {
    let mut random = Random::new(11);
    let kinds = bounded_kinds(&mut random);
    for a in &kinds {
        for b in &kinds {
            let poses = [Isometry3::identity(), random.pose(0.5)];
            let pair = Pair { forms: [a.clone(), b.clone()], poses };
            let found = pair.signed_distance().expect("finite");
            for off in [0.0, 1e-12, -1e-12, 1e-7, -1e-7] {
                let touching = pair.moved((off - found.value) * found.direction.into_inner());
                judge(&touching, &mut random);
                let value = touching.signed_distance().expect("finite").value;
                let allowed = pair.tolerance(found.value) + touching.tolerance(off);
                assert!((value - off).abs() <= allowed, "{value:e} after {off:e}: {touching:?}");
            }
        }
    }
}
