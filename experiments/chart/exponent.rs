//! Growth of a cost with a size.

/// Exponent of the power law through the points, by least squares of the logarithms.
pub(crate) fn exponent(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<_> = points.iter().map(|point| point.map(f64::ln)).collect();
    let mean = |axis: usize| logs.iter().map(|log| log[axis]).sum::<f64>() / logs.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let covariance: f64 = logs.iter().map(|log| (log[0] - x) * (log[1] - y)).sum();
    covariance / logs.iter().map(|log| (log[0] - x).powi(2)).sum::<f64>()
}
