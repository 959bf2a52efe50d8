//! Self-colliding configurations of our own: seeded, without obstacles, against a reference of many starts.

use std::error::Error;
use std::path::Path;

use cpu_time::ThreadTime;
use extricate::kinematics::JointKind;
use extricate::penetration::generalized::{Base, CollisionWorld, GeneralizedOptions, MovableModel, Pose};
use extricate_test_support::Noise;
use nalgebra::Isometry3;

/// Configurations of each robot.
const CONFIGURATIONS: usize = 8;
/// Seeds of the reference: each is a whole search with best effort.
const REFERENCE_SEEDS: u64 = 6;

/// Repairs configurations in which the links of a robot overlap one another.
pub(crate) fn folded(data: &Path, set: &str) -> Result<(), Box<dyn Error>> {
    let (_, model, allowed) = super::robot(data, set)?;
    let movable = MovableModel::robot(model.clone(), allowed, Base::Fixed)?;
    let limits = movable.limits()?;
    let collision_world = CollisionWorld::new(vec![movable], Vec::new())?;
    let articulation = model.articulation();
    let mut noise = Noise(7);
    let (mut ratios, mut best_ratios, mut times, mut failed) = (Vec::new(), Vec::new(), Vec::new(), 0);
    while ratios.len() + failed < CONFIGURATIONS {
        let joints: Vec<f64> = limits
            .iter()
            .zip(articulation.coordinates())
            .map(|(&[lower, upper], &joint)| {
                let slides = matches!(articulation.joints()[joint].kind, JointKind::Prismatic { .. });
                let reach = if slides { 0.0 } else { 3.0 };
                let (lower, upper) = (lower.max(-reach), upper.min(reach).max(lower));
                lower + (upper - lower) * noise.fraction(31)
            })
            .collect();
        let start = [Pose { base: Isometry3::identity(), joints }];
        if collision_world.is_free(&start, 0.0)? {
            continue;
        }
        let reference = |seed: u64| {
            let options = GeneralizedOptions { seed, ..GeneralizedOptions::default() };
            collision_world.penetration(&start, &options).ok().flatten().map(|found| found.depth)
        };
        let best = reference(0);
        let known = (1..=REFERENCE_SEEDS).filter_map(reference).chain(best).fold(f64::INFINITY, f64::min);
        let own = ThreadTime::now();
        let fast = collision_world.penetration(&start, &GeneralizedOptions::fast());
        times.push(own.elapsed().as_secs_f64() * 1e3);
        match (fast, best) {
            (Ok(Some(fast)), Some(best)) if fast.verified_free && fast.limits_kept => {
                ratios.push(fast.depth / known);
                best_ratios.push(best / known);
            }
            _ => failed += 1,
        }
    }
    for list in [&mut ratios, &mut best_ratios, &mut times] {
        list.sort_by(f64::total_cmp);
    }
    let [middle, last] = [ratios.len() / 2, ratios.len().saturating_sub(1)];
    let at = |list: &[f64], place: usize| list.get(place).copied().unwrap_or(f64::NAN);
    println!(
        "{set:7} self-colliding of our own: {failed} of {CONFIGURATIONS} failed, √σ ratio to {REFERENCE_SEEDS} more searches: \
         fast median {:.4} worst {:.3}, best median {:.4} worst {:.3}; fast median {:.3} ms",
        at(&ratios, middle),
        at(&ratios, last),
        at(&best_ratios, middle),
        at(&best_ratios, last),
        at(&times, times.len() / 2),
    );
    Ok(())
}
