//! The baseline: one pair after another is separated, repeatedly, until nothing overlaps.

use extricate::geometry::Norm;
use extricate::penetration::PenetrationError;
use extricate::penetration::{Body, Effort, LowerBound, TranslationalOptions, penetration};
use nalgebra::{Isometry3, Translation3, Vector3};

const OPTIONS: TranslationalOptions = TranslationalOptions {
    effort: Effort::Fast,
    start: None,
    allowed: None,
    norm: Norm::L2,
    gaps: true,
    max_iterations: 100,
    lower_bound: LowerBound::Skip,
    relative_tolerance: 1e-9,
    time_budget: None,
    seed: 0,
    parallel: false,
};
/// Fraction of its displacement by which a pair is moved: a little more than needed, or the heap comes to rest nowhere.
const FRACTION: f64 = 1.02;

/// Translations [m] after at most `sweeps` over all pairs, and the sweeps and moves made. A move takes one pair apart:
/// both bodies go half the way, or the one that may move all of it.
pub(crate) fn separate(
    bodies: &[Body],
    sweeps: usize,
) -> Result<(Vec<Vector3<f64>>, [usize; 2]), PenetrationError> {
    let mut moved = vec![Vector3::zeros(); bodies.len()];
    let mut moves = 0;
    for sweep in 0..sweeps {
        let before = moves;
        for i in 0..bodies.len() {
            for j in i + 1..bodies.len() {
                let pose =
                    |body: usize| -> Isometry3<f64> { Translation3::from(moved[body]) * bodies[body].pose };
                let (a, b) = (&bodies[i], &bodies[j]);
                let Some(found) = penetration(a.model, &pose(i), b.model, &pose(j), &OPTIONS)? else {
                    continue;
                };
                let [of_a, of_b] = match (a.fixed, b.fixed) {
                    (false, false) => [0.5, 0.5],
                    (false, true) => [1.0, 0.0],
                    _ => [0.0, 1.0],
                };
                moved[i] += found.translation * (FRACTION * of_a);
                moved[j] -= found.translation * (FRACTION * of_b);
                moves += 1;
            }
        }
        if moves == before {
            return Ok((moved, [sweep, moves]));
        }
    }
    Ok((moved, [sweeps, moves]))
}
