//! The plain way: the deepest pair is taken apart, then the next deepest, until nothing overlaps.

use std::collections::BTreeMap;

use extricate::penetration::{Body, Effort, LowerBound, PenetrationError, TranslationalOptions, penetration};
use nalgebra::{Isometry3, Translation3, Vector3};
use rayon::prelude::*;

const OPTIONS: TranslationalOptions = TranslationalOptions {
    effort: Effort::Fast,
    start: None,
    max_iterations: 100,
    lower_bound: LowerBound::Skip,
    time_budget: None,
    seed: 0,
};

/// Translations [m] after at most `moves` moves, and the moves made. Each takes one pair apart: both bodies go half the
/// way, or the one that may move all of it.
pub(crate) fn separate(
    bodies: &[Body],
    moves: usize,
) -> Result<(Vec<Vector3<f64>>, usize), PenetrationError> {
    let mut moved = vec![Vector3::zeros(); bodies.len()];
    let mut overlaps = BTreeMap::new();
    update(bodies, &moved, &(0..bodies.len()).collect::<Vec<_>>(), &mut overlaps)?;
    for made in 0..moves {
        let deepest = overlaps.iter().max_by(|a, b| a.1.norm_squared().total_cmp(&b.1.norm_squared()));
        let Some((&[i, j], &way)) = deepest else { return Ok((moved, made)) };
        let shares = match (bodies[i].fixed, bodies[j].fixed) {
            (false, false) => [0.5, 0.5],
            (false, true) => [1.0, 0.0],
            _ => [0.0, 1.0],
        };
        moved[i] += way * shares[0];
        moved[j] -= way * shares[1];
        update(bodies, &moved, &[i, j], &mut overlaps)?;
    }
    Ok((moved, moves))
}

/// Measures the pairs of `changed` bodies afresh.
fn update(
    bodies: &[Body],
    moved: &[Vector3<f64>],
    changed: &[usize],
    overlaps: &mut BTreeMap<[usize; 2], Vector3<f64>>,
) -> Result<(), PenetrationError> {
    let pairs = changed.iter().flat_map(|&i| (0..bodies.len()).map(move |j| [i.min(j), i.max(j)]));
    let mut pairs = pairs.filter(|[i, j]| i != j).collect::<Vec<_>>();
    pairs.sort_unstable();
    pairs.dedup();
    let pose = |body: usize| -> Isometry3<f64> { Translation3::from(moved[body]) * bodies[body].pose };
    let ways = pairs
        .par_iter()
        .map(|&[i, j]| penetration(bodies[i].model, &pose(i), bodies[j].model, &pose(j), &OPTIONS));
    for (pair, way) in pairs.iter().zip(ways.collect::<Vec<_>>()) {
        match way? {
            Some(found) => overlaps.insert(*pair, found.translation),
            None => overlaps.remove(pair),
        };
    }
    Ok(())
}
