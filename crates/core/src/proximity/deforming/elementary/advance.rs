//! Conservative advancement over the intervals that the certificates prove free.

use nalgebra::Point3;

use super::closest::{Closest, FeaturePair};
use super::contact::{ElementaryContact, ElementaryOptions, NotFinite};
use super::coplanarity::Coplanarity;
use super::paths::{Paths, are_apart_on_an_axis};

/// Rounding of a computed distance in units of the extent: an interpolation and a square root, doubled.
const DISTANCE_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// First contact up to the time `until`; `None` is a proof. `points` are the positions at the start and at the end.
///
/// # Errors
/// When points that no coordinate axis separates are not finite, or too far apart.
#[inline(always)]
pub(super) fn first_contact<F: FeaturePair<N>, const N: usize>(
    points: [&[Point3<f64>; 4]; 2],
    options: &ElementaryOptions,
    until: f64,
) -> Result<Option<ElementaryContact>, NotFinite> {
    let differences = F::differences(points);
    if are_apart_on_an_axis(&differences, options.minimum_separation) {
        return Ok(None);
    }
    let paths = Paths::new(&differences, &F::edges(points));
    if !paths.is_finite() {
        return Err(NotFinite);
    }
    // All points coincide at all times: there is no direction to separate them along.
    if !(paths.extent > 0.0) {
        return Ok(Some(ElementaryContact { time: 0.0, distance: 0.0, parameters: [0.0; 2], certain: true }));
    }
    Ok(advance::<F, N>(&paths, options, until))
}

/// Advances from one certificate to the next until contact, until a proof up to `until`, or until no certificate holds.
fn advance<F: FeaturePair<N>, const N: usize>(
    paths: &Paths<N>,
    options: &ElementaryOptions,
    until: f64,
) -> Option<ElementaryContact> {
    let separation = options.minimum_separation * paths.scale;
    let near = separation + (options.relative_tolerance + DISTANCE_ROUNDING) * paths.extent;
    let mut coplanarity = None;
    let mut time = 0.0;
    let mut closest = closest_at::<F, N>(paths, time);
    for _ in 0..options.max_iterations {
        if closest.distance <= near {
            return Some(contact(paths, time, &closest, true));
        }
        let mut next = match normalized(&closest.direction) {
            Some(normal) => paths.separated_until(&normal, time, separation),
            None => time,
        };
        // In the order of their cost: the cubic is built only when the plane does not suffice, and only once.
        if next < until {
            let cubic = coplanarity
                .get_or_insert_with(|| Coplanarity::new(&paths.edges, &origin::<F, N>(paths), separation));
            next = next.max(cubic.keeps_its_sign_until(time));
            if let Some(side) = closest.side
                && next < until
            {
                next = next.max(paths.separated_by_side_until(
                    side,
                    &closest.direction,
                    [time, next],
                    separation,
                ));
            }
        }
        if next >= until {
            return None;
        }
        // No certificate advances: contact, though rounding may keep it from being certain.
        if !(next > time) {
            break;
        }
        time = next;
        closest = closest_at::<F, N>(paths, time);
    }
    let certain = closest.distance <= near;
    Some(contact(paths, time, &closest, certain))
}

/// Closest points of the features at a time.
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

/// Moving difference that completes the edges to the determinant of coplanarity.
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

/// Direction scaled to a maximum coordinate of one; `None` for a zero vector.
#[inline(always)]
fn normalized(direction: &[f64; 3]) -> Option<[f64; 3]> {
    let mut max = 0.0;
    for value in direction {
        max = if value.abs() > max { value.abs() } else { max };
    }
    let reciprocal = 1.0 / max;
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
