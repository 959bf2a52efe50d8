//! Constrained translation: the whole robot is translated out along the directions that its base leaves free
//! [Tang14 §5.1, eq. 20].
//!
//! The paper moves the centroid by (r_A + r_B) along the part of the centroid difference that the base allows. Departs
//! from [Tang14]: both signs of each direction and of their combinations are tried, and the minimum free length of each is
//! taken, to within a bisection: the nearest one of them is the start.

use nalgebra::Vector3;

use super::configuration_space::ConfigurationSpace;

/// First length along a direction, as a fraction of the maximum. Half and twice change no depth and the supports by
/// +0.68 % and < 0.5 % (docs/sensitivity.md).
const FIRST: f64 = 1.0 / 256.0;
/// Ratio of successive lengths; a larger one skips narrow free intervals. Half and twice change no depth and the
/// supports by +1.3 % and −0.5 % (docs/sensitivity.md).
const GROWTH: f64 = 1.5;
/// Halvings between the last length that collides and the first that is free. Half and twice change no depth and the
/// supports by < 0.5 % and +0.88 % (docs/sensitivity.md).
const BISECTIONS: u32 = 6;

/// The minimum translation [m, world] along one of `directions`, at most `reach` [m] long, at which `is_free` holds
/// [Tang14 eq. 20].
pub(crate) fn min_translation(
    directions: &[Vector3<f64>],
    reach: f64,
    mut is_free: impl FnMut(&Vector3<f64>) -> bool,
) -> Option<Vector3<f64>> {
    let mut best: Option<f64> = None;
    let mut found = None;
    for direction in directions.iter().filter_map(|direction| direction.try_normalize(1e-9)) {
        let (mut near, mut length) = (0.0, FIRST * reach);
        // Lengths beyond the best so far cannot win.
        while best.is_none_or(|best| near < best) && near < reach {
            // The last length is the maximum itself.
            length = length.min(reach);
            if is_free(&(direction * length)) {
                for _ in 0..BISECTIONS {
                    let middle = 0.5 * (near + length);
                    if is_free(&(direction * middle)) { length = middle } else { near = middle }
                }
                if best.is_none_or(|best| length < best) {
                    (best, found) = (Some(length), Some(direction * length));
                }
                break;
            }
            near = length;
            length *= GROWTH;
        }
    }
    found
}

/// All directions that combine the free `axes` with −1, 0 and 1, and the part of `away` that they span: the sum of
/// (away·aᵢ) aᵢ of [Tang14 eq. 20].
pub(crate) fn free_directions(axes: &[Vector3<f64>], away: &Vector3<f64>) -> Vec<Vector3<f64>> {
    let axes = &axes[..axes.len().min(3)];
    let spanned = axes.iter().map(|axis| axis * axis.dot(away)).sum();
    let combinations = (0..3_usize.pow(axes.len() as u32)).map(|mut code| {
        let mut sum = Vector3::zeros();
        for axis in axes {
            sum += axis * ((code % 3) as f64 - 1.0);
            code /= 3;
        }
        sum
    });
    std::iter::once(spanned).chain(combinations).collect()
}

/// The configuration nearest to `start` that is free with the coordinates `base` changed as one translation: their axes are
/// the directions [world] in which they move the robot.
pub(crate) fn constrained_translation(
    space: &mut dyn ConfigurationSpace,
    start: &[f64],
    base: &[(usize, Vector3<f64>)],
    (away, reach): (&Vector3<f64>, f64),
) -> Option<Vec<f64>> {
    let axes = base.iter().map(|(_, axis)| *axis).collect::<Vec<_>>();
    let moved = |space: &mut dyn ConfigurationSpace, by: &Vector3<f64>| {
        let mut configuration = start.to_vec();
        let mut within = true;
        for (coordinate, axis) in base {
            let value = start[*coordinate] + axis.dot(by);
            let [lower, upper] = space.limits(*coordinate);
            // A translation beyond a limit is not clamped, which would bend its direction.
            within &= lower <= value && value <= upper;
            configuration[*coordinate] = value;
        }
        within.then_some(configuration)
    };
    let directions = free_directions(&axes, away);
    let by = min_translation(&directions, reach, |by| {
        moved(space, by).is_some_and(|configuration| space.is_free(&configuration))
    })?;
    moved(space, &by)
}
