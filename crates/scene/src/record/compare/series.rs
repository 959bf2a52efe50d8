//! A time series in bounded memory.

/// Largest ratios of a difference to its tolerance over time.
#[derive(Debug, Clone, Default)]
pub(super) struct Series {
    /// Time and the largest ratio since the point before.
    points: Vec<(f64, f64)>,
    /// Number of samples in a point.
    stride: u64,
    /// Number of samples in the last point.
    filled: u64,
}

impl Series {
    /// Maximum number of points: more than a plot has columns for.
    const MAX_POINTS: usize = 512;

    /// Takes the ratio at a time into account. Times do not decrease; the same time again is the same sample.
    pub(super) fn add(&mut self, time: f64, ratio: f64) {
        let stride = self.stride.max(1);
        match self.points.last_mut() {
            // Several differences at one time are one sample, of which the largest counts.
            Some((last, max)) if *last >= time => *max = max.max(ratio),
            Some((last, max)) if self.filled < stride => {
                *last = time;
                *max = max.max(ratio);
                self.filled += 1;
            }
            _ => {
                self.points.push((time, ratio));
                self.filled = 1;
            }
        }
        if self.points.len() > Self::MAX_POINTS {
            self.halve();
        }
    }

    /// Merges neighbouring points.
    fn halve(&mut self) {
        self.points = self
            .points
            .chunks(2)
            .map(|pair| {
                let last = pair[pair.len() - 1];
                (last.0, pair.iter().map(|point| point.1).fold(0.0, f64::max))
            })
            .collect();
        self.stride = 2 * self.stride.max(1);
    }

    /// Times [s] and ratios.
    pub(super) fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The largest ratio of all.
    pub(super) fn max(&self) -> f64 {
        self.points.iter().map(|point| point.1).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_series_keeps_its_end_and_its_extremes_in_few_points() {
        let mut series = Series::default();
        for step in 0..100_000_u32 {
            let ratio = if step == 4321 { 7.0 } else { f64::from(step) * 1e-5 };
            series.add(f64::from(step), ratio);
            series.add(f64::from(step), 0.0);
        }
        assert!(
            series.points().len() <= Series::MAX_POINTS && series.points().len() > Series::MAX_POINTS / 4
        );
        assert!(series.points().windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!((series.max() - 7.0).abs() < 1e-12);
        assert!(series.points().last().is_some_and(|(time, ratio)| *time > 99_998.5 && *ratio > 0.99));
    }
}
