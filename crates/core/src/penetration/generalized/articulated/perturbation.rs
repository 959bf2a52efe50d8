//! Successive perturbation: a free configuration near one in collision, from the tips of the tree inwards
//! [Tang14 §5.1, alg. 1].
//!
//! A joint near the base contributes more to σ than the joints outboard of it, so the tips are perturbed first. A link counts
//! as freed when it and all its outboard links are free; where its own joint cannot do that its parent's joint is tried.
//!
//! Departs from [Tang14]: algorithm 1 stops at a link with more than two children, the text and Fig. 5 at one with more than
//! one; the text is followed. Of the perturbations of a joint that free a link the minimum is taken, to within a bisection.

use std::collections::VecDeque;

use super::configuration_space::{ConfigurationSpace, children, depths, is_outboard};

/// Maximum perturbation of a joint in units of its scale. Half and twice change no depth and the supports by less than
/// 0.5 % (docs/sensitivity.md).
const MAX_PERTURBATION: f64 = 1.5;
/// Ratio of successive perturbations; a larger one skips narrow free intervals. Half and twice change no depth and the
/// supports by less than 0.5 % (docs/sensitivity.md).
const GROWTH: f64 = 1.4;
/// Number of perturbations tried in either direction: from 1.5/1.4¹³ = 1.9 % of the scale on. Half and twice change no
/// depth and the supports by −5.8 % and +12 % (docs/sensitivity.md).
const TRIES: i32 = 14;
/// Halvings between the last perturbation that was too small and the first that frees. Half and twice change no depth
/// and the supports by < 0.5 % and +0.53 % (docs/sensitivity.md).
const BISECTIONS: u32 = 5;

/// A free configuration near `start` by successive perturbation [Tang14 alg. 1]; `None` where it finds none.
pub(crate) fn successive_perturbation(space: &mut dyn ConfigurationSpace, start: &[f64]) -> Option<Vec<f64>> {
    let parents = space.parents().to_vec();
    let (depths, children) = (depths(&parents), children(&parents));
    let mut configuration = start.to_vec();
    free_forks(space, &mut configuration, (&parents, &depths, &children))?;
    let mut list = space.colliding(&configuration);
    // Tips first; the index makes the order unique.
    list.sort_by(|&x, &y| depths[y].cmp(&depths[x]).then(x.cmp(&y)));
    let mut list = VecDeque::from(list);
    while let Some(link) = list.pop_front() {
        let outboard = |other: usize| is_outboard(&parents, other, link);
        if perturb(space, &mut configuration, link, &outboard) {
            continue;
        }
        // Beyond a fork a perturbation would move the sibling branches as well, which may be free already.
        let parent = parents[link]?;
        if children[parent] > 1 {
            return None;
        }
        if !list.contains(&parent) {
            list.push_front(parent);
        }
    }
    space.is_free(&configuration).then_some(configuration)
}

/// Preprocessing of [Tang14 Fig. 5 (b)]: links in collision with several children, the innermost first, are freed by
/// themselves.
fn free_forks(
    space: &mut dyn ConfigurationSpace,
    configuration: &mut [f64],
    (parents, depths, children): (&[Option<usize>], &[usize], &[usize]),
) -> Option<()> {
    let mut forks = space.colliding(configuration);
    forks.retain(|&link| children[link] > 1);
    forks.sort_by_key(|&link| (depths[link], link));
    for fork in forks {
        // Moving an inner fork may have freed this one, or brought it into collision.
        let inner =
            |other: usize| other == fork || (children[other] > 1 && is_outboard(parents, fork, other));
        if space.colliding(configuration).contains(&fork) && !perturb(space, configuration, fork, &inner) {
            return None;
        }
    }
    Some(())
}

/// Perturbs the joint of a link by the minimum that frees all links that `must_be_free`; returns whether it succeeded.
fn perturb(
    space: &mut dyn ConfigurationSpace,
    configuration: &mut [f64],
    link: usize,
    must_be_free: &dyn Fn(usize) -> bool,
) -> bool {
    let frees = |space: &mut dyn ConfigurationSpace, configuration: &[f64]| {
        !space.colliding(configuration).into_iter().any(must_be_free)
    };
    if frees(space, configuration) {
        return true;
    }
    let Some(coordinate) = space.coordinate(link) else { return false };
    let (from, [lower, upper]) = (configuration[coordinate], space.limits(coordinate));
    let scale = space.scale(coordinate) * MAX_PERTURBATION;
    let mut trial = configuration.to_vec();
    // Small changes first, in both directions: the first that frees is nearly the smallest.
    for step in (0..TRIES).rev() {
        let change = scale * GROWTH.powi(-step);
        let before = if step + 1 == TRIES { 0.0 } else { change / GROWTH };
        for sign in [1.0, -1.0] {
            trial[coordinate] = (from + sign * change).clamp(lower, upper);
            if !frees(space, &trial) {
                continue;
            }
            let (mut near, mut far) = (before, (trial[coordinate] - from).abs());
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (near + far);
                trial[coordinate] = from + sign * middle;
                if frees(space, &trial) { far = middle } else { near = middle }
            }
            configuration[coordinate] = from + sign * far;
            return true;
        }
    }
    false
}
