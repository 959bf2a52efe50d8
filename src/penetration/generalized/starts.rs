//! Where descents start.

use super::arrangement::Arrangement;
use super::chart::Chart;

/// A number in [0, 1) made of three: the finalizer of `SplitMix64` [Steele, Lea, Flood 2014] over each in turn.
#[expect(clippy::cast_precision_loss, reason = "53 bits fit an f64 exactly")]
fn share(numbers: [u64; 3]) -> f64 {
    let mix = |state: u64, number: u64| {
        let mut bits = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    };
    (numbers.into_iter().fold(0, mix) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A random point of the chart in a ball of radius √σ [m] around the start.
pub(crate) fn random(_arrangement: &Arrangement, chart: &Chart, radius: f64, seed: u64, index: u64) -> Vec<f64> {
    let n = chart.dimension();
    // Box–Muller; a third of the points move few variables.
    let gauss = |k: usize| {
        let u = share([seed, index, 2 * k as u64]).max(1e-300);
        let v = share([seed, index, 2 * k as u64 + 1]);
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    };
    let sparse = index % 3 == 2;
    let keep = |k: usize| !sparse || share([seed ^ 1, index, k as u64]) < 3.0 / n as f64;
    let mut y: Vec<f64> = (0..n).map(|k| if keep(k) { gauss(k) } else { 0.0 }).collect();
    let length = y.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
    let reach = radius * share([seed, index, u64::MAX]).sqrt();
    for (y, bound) in y.iter_mut().zip(chart.bounds()) {
        *y = (*y * reach / length).clamp(bound[0], bound[1]);
    }
    y
}
