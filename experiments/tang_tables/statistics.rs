//! Medians and means.

/// The median of numbers; NaN of none.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The mean of numbers; NaN of none.
pub(crate) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// The maximum of numbers; NaN of none.
pub(crate) fn max(numbers: &[f64]) -> f64 {
    numbers.iter().copied().reduce(f64::max).unwrap_or(f64::NAN)
}
