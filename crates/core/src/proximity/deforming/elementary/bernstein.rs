//! How long a polynomial in Bernstein form over [0, 1] surely stays above a level.
//!
//! The hull of its control polygon crosses the level no later than the polynomial. Over the whole time the hull may be
//! far off; so the window is fitted to the step that the last one allowed, which makes the steps converge to a simple
//! root faster than any geometric series.

/// Windows that are looked at in a row.
const WINDOWS: u32 = 4;
/// Growth of a window that was free, and its size relative to the last step where it was not.
const GROWTH: f64 = 4.0;

/// Until when the polynomial surely stays above `least`, from the time `from` on; `from` where it is not above it then.
///
/// The coefficients are rounded by a split at two times and the abscissa by a few units of roundoff: the polynomial may
/// be below `least` by 50 units of roundoff of its greatest coefficient.
#[inline(always)]
pub(super) fn above_until<const D: usize>(coefficients: &[f64; D], least: f64, from: f64) -> f64 {
    let (mut start, mut window) = (from, 1.0 - from);
    for _ in 0..WINDOWS {
        let end = if start + window < 1.0 { start + window } else { 1.0 };
        let free = free_share(&between(coefficients, start, end), least);
        if free >= 1.0 {
            if end >= 1.0 {
                return 1.0;
            }
            start = end;
            window *= GROWTH;
        } else if free > 0.0 {
            let step = free * (end - start);
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

/// The part of a window over which the hull of the control polygon is above `least`; zero where it starts below.
#[inline(always)]
fn free_share<const D: usize>(heights: &[f64; D], least: f64) -> f64 {
    if !(heights[0] > least) {
        return 0.0;
    }
    let last = (D - 1) as f64;
    let mut free = last;
    for i in 0..D - 1 {
        for j in i + 1..D {
            if heights[i] > least && !(heights[j] > least) {
                let place = i as f64 + (j - i) as f64 * (heights[i] - least) / (heights[i] - heights[j]);
                free = if place < free { place } else { free };
            }
        }
    }
    free / last
}

/// The coefficients over [from, to], by de Casteljau's rule.
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
        let share = (to - from) / (1.0 - from);
        for round in 1..D {
            for k in (round..D).rev() {
                heights[k] = (1.0 - share) * heights[k - 1] + share * heights[k];
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
        // Its least value is 0.05, though the hull dips to −0.9.
        let reached = |least| (0..4).fold(0.0, |until, _| above_until(&[1.0, -0.9, 1.0], least, until));
        assert!(reached(0.0) >= 1.0);
        assert!(reached(0.06) < 0.5);
        assert!(above_until(&[f64::NAN, 1.0, 1.0], 0.0, 0.0) <= 0.0);
    }
}
