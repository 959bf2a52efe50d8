//! Targets of a motor over time: a monotone cubic interpolation of keyframes.
//!
//! Slopes at the keyframes are weighted harmonic means of those of the chords beside them, and zero at extremes and at both ends [Fritsch,
//! Butland: A method for constructing local monotone piecewise cubic interpolants, 1984, eq. (5)]: between two keyframes the curve never leaves
//! the range of their values, and a target that two of them hold is held.

use crate::error::BuildError;

/// Targets over time \[s\]: positions [rad or m], speeds [rad/s or m/s] or efforts [N·m or N], as the motor takes them.
///
/// ```
/// use extricate_dynamics::TargetCurve;
///
/// let curve = TargetCurve::new(vec![[0.0, 0.0], [2.0, 1.0]])?;
/// let [value, rate, _] = curve.at(1.0);
/// assert!((value - 0.5).abs() < 1e-15 && (rate - 0.75).abs() < 1e-15);
/// assert_eq!(curve.at(9.0), [1.0, 0.0, 0.0]);
/// # Ok::<(), extricate_dynamics::BuildError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TargetCurve {
    /// Times and targets.
    keyframes: Vec<[f64; 2]>,
    slopes: Vec<f64>,
}

impl TargetCurve {
    /// Curve through targets at times, each `[time, target]`; before the first and after the last the target is constant.
    ///
    /// # Errors
    /// [`BuildError::TargetKeyframe`] when there is none, a number is not finite, or the times do not ascend.
    pub fn new(keyframes: Vec<[f64; 2]>) -> Result<Self, BuildError> {
        let ascends =
            |at: usize| keyframes[at][0].is_finite() && (at == 0 || keyframes[at - 1][0] < keyframes[at][0]);
        let wrong = (0..keyframes.len()).find(|&at| !ascends(at) || !keyframes[at][1].is_finite());
        if let Some(keyframe) = wrong.or_else(|| keyframes.is_empty().then_some(0)) {
            let [time, target] = keyframes.get(keyframe).copied().unwrap_or([f64::NAN; 2]);
            return Err(BuildError::TargetKeyframe { keyframe, time, target });
        }
        let slopes = (0..keyframes.len()).map(|at| slope(&keyframes, at)).collect();
        Ok(Self { keyframes, slopes })
    }

    /// Target at a time \[s\], with its first and second derivative.
    #[must_use]
    pub fn at(&self, time: f64) -> [f64; 3] {
        let next = self.keyframes.partition_point(|[start, _]| *start <= time);
        if next == 0 || next == self.keyframes.len() {
            let end = next.saturating_sub(1).min(self.keyframes.len() - 1);
            return [self.keyframes[end][1], 0.0, 0.0];
        }
        let ([t0, p0], [t1, p1]) = (self.keyframes[next - 1], self.keyframes[next]);
        let (h, m0, m1) = (t1 - t0, self.slopes[next - 1], self.slopes[next]);
        let (s, chord) = ((time - t0) / h, (p1 - p0) / h);
        // p0 + h (m0 s + b s² + a s³).
        let (a, b) = (m0 + m1 - 2.0 * chord, 3.0 * chord - 2.0 * m0 - m1);
        let value = p0 + h * s * (m0 + s * (b + s * a));
        [value, m0 + s * (2.0 * b + s * 3.0 * a), (2.0 * b + 6.0 * a * s) / h]
    }
}

/// Slope at a keyframe.
fn slope(keyframes: &[[f64; 2]], at: usize) -> f64 {
    let ([Some(before), Some(after)], [time, value]) =
        ([at.checked_sub(1).and_then(|i| keyframes.get(i)), keyframes.get(at + 1)], keyframes[at])
    else {
        return 0.0;
    };
    let [h0, h1] = [time - before[0], after[0] - time];
    let [d0, d1] = [(value - before[1]) / h0, (after[1] - value) / h1];
    if d0 * d1 <= 0.0 {
        return 0.0;
    }
    let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
    (w0 + w1) / (w0 / d0 + w1 / d1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_passes_through_its_keyframes_without_leaving_their_range() {
        let keyframes = vec![[0.5, 1.0], [1.0, 3.0], [3.0, 3.0], [3.5, -1.0], [4.0, -1.5], [6.0, -8.0]];
        let curve = TargetCurve::new(keyframes.clone()).unwrap();
        for pair in keyframes.windows(2) {
            let ([t0, p0], [t1, p1]) = (pair[0], pair[1]);
            for i in 0..=100 {
                let time = t0 + (t1 - t0) * f64::from(i) / 100.0;
                let [value, rate, acceleration] = curve.at(time);
                assert!(value >= p0.min(p1) - 1e-12 && value <= p0.max(p1) + 1e-12, "{time}: {value}");
                assert!(rate * (p1 - p0) >= -1e-12, "{time}: {rate}");
                // Derivatives by differences within the piece.
                let e = 1e-5 * (t1 - t0);
                if i > 0 && i < 100 {
                    let [before, after] = [curve.at(time - e), curve.at(time + e)];
                    assert!(((after[0] - before[0]) / (2.0 * e) - rate).abs() < 1e-6, "{time}");
                    assert!(((after[1] - before[1]) / (2.0 * e) - acceleration).abs() < 1e-5, "{time}");
                }
            }
            assert!((curve.at(t0)[0] - p0).abs() < 1e-12 && (curve.at(t1 - 1e-12)[0] - p1).abs() < 1e-9);
            // The slope has no jump.
            assert!((curve.at(t1)[1] - curve.at(t1 - 1e-9)[1]).abs() < 1e-6, "{t1}");
        }
        assert_eq!((curve.at(0.0), curve.at(7.0)), ([1.0, 0.0, 0.0], [-8.0, 0.0, 0.0]));
    }

    #[test]
    fn keyframes_that_do_not_ascend_or_are_not_finite_are_refused_by_number() {
        for (keyframes, wrong) in [
            (vec![], 0),
            (vec![[0.0, 1.0], [0.0, 2.0]], 1),
            (vec![[0.0, 1.0], [1.0, f64::NAN]], 1),
            (vec![[f64::INFINITY, 1.0]], 0),
        ] {
            let error = TargetCurve::new(keyframes).unwrap_err();
            assert!(
                matches!(error, BuildError::TargetKeyframe { keyframe, .. } if keyframe == wrong),
                "{error}"
            );
        }
    }
}
