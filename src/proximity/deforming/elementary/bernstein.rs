//! How long a polynomial in Bernstein form over [0, 1] surely stays above a level.

/// The coefficients over [from, 1], by de Casteljau's rule.
#[inline(always)]
pub(super) fn after<const D: usize>(coefficients: &[f64; D], from: f64) -> [f64; D] {
    let mut heights = *coefficients;
    if from > 0.0 {
        for round in 1..D {
            for k in 0..D - round {
                heights[k] = (1.0 - from) * heights[k] + from * heights[k + 1];
            }
        }
    }
    heights
}

/// Until when the hull of the control polygon over [from, 1] stays above `least`; `from` where it starts below.
///
/// The polynomial stays above `least` but for the rounding of an abscissa: a few units of roundoff times the height of
/// the hull.
#[inline(always)]
pub(super) fn above_until<const D: usize>(heights: &[f64; D], least: f64, from: f64) -> f64 {
    if !(heights[0] > least) {
        return from;
    }
    let last = (D - 1) as f64;
    let mut free = last;
    for i in 0..D - 1 {
        for j in i + 1..D {
            if heights[i] > least && !(heights[j] > least) {
                let place = i as f64 + (j - i) as f64 * (heights[i] - least) / (heights[i] - heights[j]);
                // Written so that NaN ends the free time.
                free = if place >= free { free } else { place };
            }
        }
    }
    if free < last {
        from + (1.0 - from) * (free / last)
    } else if free >= last {
        1.0
    } else {
        from
    }
}
