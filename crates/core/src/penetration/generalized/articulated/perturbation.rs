//! Successive perturbation: a free configuration near one in collision, from the tips of the tree inwards
//! [Tang14 §5.1, alg. 1].
//!
//! A joint weighs more than the joints beyond it, so those at the tips are moved first. A link counts as freed when it
//! and all that hangs on it are free; where its own joint cannot do that the joint before it is tried.
//!
//! Departs from [Tang14]: algorithm 1 stops at a link with more than two children, the text and Fig. 5 at one with more than
//! one; the text is followed. Of the changes of a joint that free a link the least is taken, to within a bisection.

use std::collections::VecDeque;

use super::configurations::{Configurations, children, depths, hangs_on};

/// Greatest change of a joint, in its scale, and the share of it by which changes grow.
const MOST: f64 = 1.5;
const GROWTH: f64 = 1.4;
/// Changes that are tried in either direction.
const TRIES: i32 = 14;
/// Halvings of the last change that was too small.
const BISECTIONS: u32 = 5;

/// A free configuration near `start`, or `None` where perturbing one joint after another finds none.
pub(crate) fn successive_perturbation(space: &mut dyn Configurations, start: &[f64]) -> Option<Vec<f64>> {
    let parents = space.parents().to_vec();
    let (depths, children) = (depths(&parents), children(&parents));
    let mut configuration = start.to_vec();
    free_forks(space, &mut configuration, (&parents, &depths, &children))?;
    let mut list = space.colliding(&configuration);
    list.sort_by(|&x, &y| depths[y].cmp(&depths[x]).then(x.cmp(&y)));
    let mut list = VecDeque::from(list);
    while let Some(link) = list.pop_front() {
        let outboard = |other: usize| hangs_on(&parents, other, link);
        if perturb(space, &mut configuration, link, &outboard) {
            continue;
        }
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

/// The preprocessing of Fig. 5 (b): links in collision on which several others hang, the innermost first, are freed by
/// themselves.
fn free_forks(
    space: &mut dyn Configurations,
    configuration: &mut [f64],
    (parents, depths, children): (&[Option<usize>], &[usize], &[usize]),
) -> Option<()> {
    let mut forks = space.colliding(configuration);
    forks.retain(|&link| children[link] > 1);
    forks.sort_by_key(|&link| (depths[link], link));
    for fork in forks {
        // Moving an inner fork may have freed it, or brought it into collision.
        let inner = |other: usize| other == fork || (children[other] > 1 && hangs_on(parents, fork, other));
        if space.colliding(configuration).contains(&fork) && !perturb(space, configuration, fork, &inner) {
            return None;
        }
    }
    Some(())
}

/// Changes the joint of a link by as little as frees all links that `must_be_free`.
fn perturb(
    space: &mut dyn Configurations,
    configuration: &mut [f64],
    link: usize,
    must_be_free: &dyn Fn(usize) -> bool,
) -> bool {
    let frees = |space: &mut dyn Configurations, configuration: &[f64]| {
        !space.colliding(configuration).into_iter().any(must_be_free)
    };
    if frees(space, configuration) {
        return true;
    }
    let Some(coordinate) = space.coordinate(link) else { return false };
    let (from, [lower, upper]) = (configuration[coordinate], space.limits(coordinate));
    let scale = space.scale(coordinate) * MOST;
    let mut trial = configuration.to_vec();
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
