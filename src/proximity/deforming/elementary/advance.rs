//! Advancing the time over what the certificates prove free.

use super::closest::{Closest, FeaturePair};
use super::coplanarity::Coplanarity;
use super::paths::Paths;
use super::{ElementaryContact, ElementaryOptions};

/// Rounding of an attained distance in units of the extent: an interpolation and a square root, doubled.
const DISTANCE_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The first contact up to the time `until`; `None` is a proof. What is not finite is a contact at the start.
#[inline]
pub(super) fn first_contact<F: FeaturePair<N>, const N: usize>(
    paths: &Paths<N>,
    options: &ElementaryOptions,
    until: f64,
) -> Option<ElementaryContact> {
    let separation = options.minimum_separation * paths.scale;
    if paths.are_apart_on_an_axis(separation) {
        return None;
    }
    if !(paths.extent > 0.0 && paths.is_finite()) {
        let certain = paths.extent.abs() <= 0.0;
        return Some(ElementaryContact { time: 0.0, distance: 0.0, parameters: [0.0; 2], certain });
    }
    advance::<F, N>(paths, options, separation, until)
}

fn advance<F: FeaturePair<N>, const N: usize>(
    paths: &Paths<N>,
    options: &ElementaryOptions,
    separation: f64,
    until: f64,
) -> Option<ElementaryContact> {
    let near = separation + (options.tolerance + DISTANCE_ROUNDING) * paths.extent;
    let mut coplanarity = None;
    let mut time = 0.0;
    let mut closest = closest_at::<F, N>(paths, time);
    for _ in 0..options.max_steps {
        if closest.distance <= near {
            return Some(contact(paths, time, &closest, true));
        }
        let mut next = match normalized(&closest.direction) {
            Some(normal) => paths.separated_until(&normal, time, separation),
            None => time,
        };
        if next < until {
            let cubic = coplanarity
                .get_or_insert_with(|| Coplanarity::new(&paths.edges, &origin::<F, N>(paths), separation));
            next = next.max(cubic.keeps_its_sign_until(time));
            if let Some(side) = closest.side
                && next < until
            {
                next = next.max(paths.separated_by_side_until(side, &closest.direction, time, separation));
            }
        }
        if next >= until {
            return None;
        }
        if !(next > time) {
            break;
        }
        time = next;
        closest = closest_at::<F, N>(paths, time);
    }
    let certain = closest.distance <= near;
    Some(contact(paths, time, &closest, certain))
}

#[inline(always)]
fn closest_at<F: FeaturePair<N>, const N: usize>(paths: &Paths<N>, time: f64) -> Closest {
    let mut edges = [[0.0; 3]; 2];
    for (edge, moving) in edges.iter_mut().zip(&paths.edges) {
        for axis in 0..3 {
            edge[axis] = (1.0 - time) * moving[0][axis] + time * moving[1][axis];
        }
    }
    F::closest(&paths.at(time), &edges)
}

#[inline(always)]
fn origin<F: FeaturePair<N>, const N: usize>(paths: &Paths<N>) -> [[f64; 3]; 2] {
    let mut moving = [[0.0; 3]; 2];
    for time in 0..2 {
        for axis in 0..3 {
            moving[time][axis] = paths.differences[time][axis][F::ORIGIN];
        }
    }
    moving
}

/// The direction with a greatest coordinate of one; `None` where it has none.
#[inline(always)]
fn normalized(direction: &[f64; 3]) -> Option<[f64; 3]> {
    let mut greatest = 0.0;
    for value in direction {
        greatest = if value.abs() > greatest { value.abs() } else { greatest };
    }
    let reciprocal = 1.0 / greatest;
    let normal = [direction[0] * reciprocal, direction[1] * reciprocal, direction[2] * reciprocal];
    reciprocal.is_finite().then_some(normal)
}

fn contact<const N: usize>(
    paths: &Paths<N>,
    time: f64,
    closest: &Closest,
    certain: bool,
) -> ElementaryContact {
    let distance = closest.distance / paths.scale;
    ElementaryContact { time, distance, parameters: closest.parameters, certain }
}
