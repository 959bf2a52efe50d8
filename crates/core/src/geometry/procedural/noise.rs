//! Seeded gradient noise: smooth, reproducible, the same on every machine.
//!
//! Perlin's improved noise with gradients from a hash instead of a table, summed over octaves.

use nalgebra::{Point3, Vector3};

/// Bound of one octave of gradient noise with unit gradients in three dimensions: √3 / 2.
const OCTAVE_BOUND: f64 = 0.866_025_403_784_438_6;

/// Fractal noise in [−1, 1]: `octaves` octaves, each with twice the frequency and 0.4 of the amplitude of the previous
/// one, which looks like worn stone (0.5 is rougher).
pub(super) fn fractal(seed: u64, octaves: u32, point: &Point3<f64>) -> f64 {
    let (mut sum, mut bound, mut height, mut frequency) = (0.0, 0.0, 1.0, 1.0);
    for octave in 0..octaves {
        sum += height * gradient_noise(hash(seed ^ u64::from(octave)), &(point * frequency));
        bound += height * OCTAVE_BOUND;
        height *= 0.4;
        frequency *= 2.0;
    }
    if bound > 0.0 { sum / bound } else { 0.0 }
}

fn gradient_noise(seed: u64, point: &Point3<f64>) -> f64 {
    let base = point.coords.map(f64::floor);
    let within = point.coords - base;
    // The quintic's first two derivatives vanish at the nodes: the noise is twice continuously differentiable.
    let fade = within.map(|t| t * t * t * (t * (t * 6.0 - 15.0) + 10.0));
    let mut sum = 0.0;
    for corner in 0..8_u8 {
        let offset = Vector3::new(corner & 1, corner >> 1 & 1, corner >> 2 & 1).map(f64::from);
        let weight = fade.zip_map(&offset, |fade, side| if side > 0.5 { fade } else { 1.0 - fade }).product();
        sum += weight * gradient(seed, &(base + offset)).dot(&(within - offset));
    }
    sum
}

/// A unit vector that depends on the node and the seed only, uniform on the sphere (Archimedes).
fn gradient(seed: u64, node: &Vector3<f64>) -> Vector3<f64> {
    let bits = node.iter().fold(seed, |state, &x| hash(state ^ (x as i64 as u64)));
    let z = unit(bits) * 2.0 - 1.0;
    let angle = unit(hash(bits)) * std::f64::consts::TAU;
    let radius = (1.0 - z * z).sqrt();
    Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
}

/// The upper 53 bits as a number in [0, 1).
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * 2.0_f64.powi(-53)
}

/// The finalizer of SplitMix64: every input bit reaches every output bit.
fn hash(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> impl Iterator<Item = Point3<f64>> {
        (0..4000).map(|i| f64::from(i) * 0.0317).map(|t| Point3::new(t, 2.3 * t.sin(), -0.7 * t))
    }

    #[test]
    fn fractal_noise_stays_in_its_bounds_and_uses_them() {
        let values: Vec<_> = samples().map(|p| fractal(7, 4, &p)).collect();
        assert!(values.iter().all(|x| x.abs() <= 1.0));
        let max = values.iter().copied().fold(0.0_f64, |max, x| max.max(x.abs()));
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert!(max > 0.3 && mean.abs() < 0.1, "max {max}, mean {mean}");
    }

    #[test]
    fn noise_is_continuous_across_lattice_planes() {
        for x in [-3.0, 0.0, 1.0, 5.0] {
            let at = |dx: f64| fractal(1, 5, &Point3::new(x + dx, 0.3, -0.8));
            assert!((at(1e-9) - at(-1e-9)).abs() < 1e-6);
        }
    }

    #[test]
    fn another_seed_gives_another_noise() {
        let p = Point3::new(0.4, 0.1, 0.7);
        assert!((fractal(1, 3, &p) - fractal(2, 3, &p)).abs() > 1e-6);
    }
}
