//! Lower bound of the time at which a polynomial in Bernstein form over [0, 1] falls below a level.
//!
//! The convex hull of its control polygon crosses the level no later than the polynomial. Over the whole interval the hull
//! may be a poor bound, so that the window is adapted to the last step, which makes the steps converge superlinearly to a
//! simple root.

/// Maximum number of windows per call. The caller calls again where the bound is not sufficient: more windows approach a
/// root more closely in one call, at the cost of calls that end far from it. The tests reach a root in four calls.
const WINDOWS: u32 = 4;
/// Growth of a window over which the polynomial stays above, and the size of the next one relative to the last step where
/// it does not. A smaller one takes more windows, a larger one a hull that is farther off.
const GROWTH: f64 = 4.0;

/// Time up to which the polynomial is proved to stay above `min`, from the time `from` on; `from` if it is not above then.
///
/// The subdivision at two times rounds the coefficients, and the abscissa is rounded by a few units of roundoff: the
/// polynomial may be below `min` by 50 units of roundoff of its maximum coefficient.
#[inline(always)]
pub(super) fn above_until<const D: usize>(coefficients: &[f64; D], min: f64, from: f64) -> f64 {
    let (mut start, mut window) = (from, 1.0 - from);
    for _ in 0..WINDOWS {
        let end = if start + window < 1.0 { start + window } else { 1.0 };
        let free = free_fraction(&between(coefficients, start, end), min);
        if free >= 1.0 {
            if end >= 1.0 {
                return 1.0;
            }
            start = end;
            window *= GROWTH;
        } else if free > 0.0 {
            let step = free * (end - start);
            // The step is below the resolution of the time.
            if !(start + step > start) {
                break;
            }
            start += step;
            window = window.min(GROWTH * step);
        } else {
            break;
        }
    }
    start
}

/// Fraction of a window over which the convex hull of the control polygon is above `min`; zero if it starts below.
#[inline(always)]
fn free_fraction<const D: usize>(heights: &[f64; D], min: f64) -> f64 {
    if !(heights[0] > min) {
        return 0.0;
    }
    let last = (D - 1) as f64;
    let mut free = last;
    for i in 0..D - 1 {
        for j in i + 1..D {
            if heights[i] > min && !(heights[j] > min) {
                // Where the segment between two control points crosses the level.
                let crossing = i as f64 + (j - i) as f64 * (heights[i] - min) / (heights[i] - heights[j]);
                free = if crossing < free { crossing } else { free };
            }
        }
    }
    free / last
}

/// Bernstein coefficients over [from, to], by de Casteljau's algorithm.
#[inline(always)]
fn between<const D: usize>(coefficients: &[f64; D], from: f64, to: f64) -> [f64; D] {
    let mut heights = *coefficients;
    if from > 0.0 {
        for round in 1..D {
            for k in 0..D - round {
                heights[k] = (1.0 - from) * heights[k] + from * heights[k + 1];
            }
        }
    }
    if to < 1.0 {
        let fraction = (to - from) / (1.0 - from);
        for round in 1..D {
            for k in (round..D).rev() {
                heights[k] = (1.0 - fraction) * heights[k - 1] + fraction * heights[k];
            }
        }
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (t − r)(t − s) k in Bernstein form.
    fn parabola(r: f64, s: f64, k: f64) -> [f64; 3] {
        let [constant, linear] = [r * s * k, -(r + s) * k];
        [constant, constant + 0.5 * linear, constant + linear + k]
    }

    #[test]
    fn the_first_root_is_never_passed_and_is_nearly_reached() {
        for (r, s) in [(0.3, 0.7), (0.3, 5.0), (0.999, 1.5), (0.25, 0.26)] {
            let mut until = 0.0;
            for _ in 0..4 {
                let next = above_until(&parabola(r, s, 1.0), 0.0, until);
                assert!(next >= until && next <= r + 1e-15, "{next} {r}");
                until = next;
            }
            assert!(until > r - 1e-12, "{until} {r}");
        }
    }

    #[test]
    fn a_polynomial_above_the_level_is_free_to_the_end() {
        assert!(above_until(&[1.0, 0.1, 1.0], 0.0, 0.0) >= 1.0);
        // Its minimum is 0.05, although the hull extends down to −0.9.
        let reached = |min| (0..4).fold(0.0, |until, _| above_until(&[1.0, -0.9, 1.0], min, until));
        assert!(reached(0.0) >= 1.0);
        assert!(reached(0.06) < 0.5);
        assert!(above_until(&[f64::NAN, 1.0, 1.0], 0.0, 0.0) <= 0.0);
    }
}
