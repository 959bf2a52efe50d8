//! Contact-space projection of an articulated model: generalized continuous collision detection, and the greedy optimisation
//! after it [Tang14 §5.2, eq. 21, alg. 2].
//!
//! All joints run linearly towards the input. Where links touch, the joints that carry them stop, and the others go on
//! (Fig. 6). Then every joint by itself, the base first, goes as far towards the input as it can (Fig. 7). Something that
//! blocks the way far from the input can be avoided by looking from the other end: *reverse* projection takes samples of
//! the motion from the input on, and starts from the first that is free (Fig. 8).

use super::configurations::{Configurations, depths};

/// Samples of a motion in a reverse projection.
const SAMPLES: u32 = 32;

/// From which end a motion is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the free configuration towards the input: exact, and stopped by the first obstacle.
    Forward,
    /// From the input outwards, by samples.
    Reverse,
}

/// A free configuration next to contacts, on the way from the `free` one to `input`.
pub(crate) fn project(
    space: &mut dyn Configurations,
    free: &[f64],
    input: &[f64],
    direction: Direction,
) -> Vec<f64> {
    let stopped = generalized_collision(space, free, input, direction);
    greedy(space, stopped, input, direction)
}

/// Lines 1 to 6 of algorithm 2: the joints that carry links in contact stop, the others go on.
fn generalized_collision(
    space: &mut dyn Configurations,
    free: &[f64],
    input: &[f64],
    direction: Direction,
) -> Vec<f64> {
    let mut at = free.to_vec();
    let mut moving = vec![true; free.len()];
    while moving.iter().any(|&moves| moves) {
        let goal = (0..at.len()).map(|k| if moving[k] { input[k] } else { at[k] }).collect::<Vec<_>>();
        let (reached, links) = advance(space, &at, &goal, direction);
        at = reached;
        if links.is_empty() {
            break;
        }
        let before = moving.iter().filter(|&&moves| moves).count();
        for link in links {
            let up = std::iter::successors(Some(link), |&link| space.parents()[link]).collect::<Vec<_>>();
            for coordinate in up.into_iter().filter_map(|link| space.coordinate(link)) {
                moving[coordinate] = false;
            }
        }
        if moving.iter().filter(|&&moves| moves).count() == before {
            break;
        }
    }
    at
}

/// Lines 7 to 14 of algorithm 2: each joint by itself, from the base to the tips.
fn greedy(space: &mut dyn Configurations, mut at: Vec<f64>, input: &[f64], direction: Direction) -> Vec<f64> {
    let depths = depths(space.parents());
    let mut order = (0..space.parents().len()).collect::<Vec<_>>();
    order.sort_by_key(|&link| (depths[link], link));
    let coordinates = order.into_iter().filter_map(|link| space.coordinate(link)).collect::<Vec<_>>();
    for coordinate in coordinates {
        let mut goal = at.clone();
        goal[coordinate] = input[coordinate];
        at = advance(space, &at, &goal, direction).0;
    }
    at
}

/// As far as the motion from the free `from` to `to` goes, and the links that stop it; none where it arrives.
fn advance(
    space: &mut dyn Configurations,
    from: &[f64],
    to: &[f64],
    direction: Direction,
) -> (Vec<f64>, Vec<usize>) {
    let between = |start: &[f64], share: f64| {
        start.iter().zip(to).map(|(a, b)| a + (b - a) * share).collect::<Vec<_>>()
    };
    if from == to {
        return (from.to_vec(), Vec::new());
    }
    let mut start = from.to_vec();
    if direction == Direction::Reverse {
        for sample in (1..=SAMPLES).rev() {
            let trial = between(from, f64::from(sample) / f64::from(SAMPLES));
            if space.is_free(&trial) {
                start = trial;
                break;
            }
        }
    }
    match space.first_contact(&start, to) {
        None => (to.to_vec(), Vec::new()),
        Some(contact) => (between(&start, contact.time), contact.links),
    }
}
