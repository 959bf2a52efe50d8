//! Directions of the light of the sky.

use nalgebra::Vector3;

use extricate_core::penetration::translational::fibonacci;

/// Direction of the light of the sky for one of `count` pictures: all of them are evenly spread over the hemisphere, the upper half
/// of a spiral over the sphere, in an order independent of that of the points of a lens.
pub(super) fn direction(index: usize, count: usize) -> Vector3<f64> {
    /// A prime above the maximum number of samples.
    const STRIDE: usize = 7919;
    fibonacci((index * STRIDE % count) as u32, 2 * count as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_light_of_the_sky_is_that_of_a_uniform_hemisphere() {
        for count in [16, 64, 1000] {
            let directions: Vec<_> = (0..count).map(|index| direction(index, count)).collect();
            assert!(
                directions
                    .iter()
                    .all(|direction| (direction.norm() - 1.0).abs() < 1e-12 && direction.z > 0.0)
            );
            for normal in
                [Vector3::z(), Vector3::x(), Vector3::new(0.0, 0.6, 0.8), Vector3::new(-0.6, 0.0, -0.8)]
            {
                let mean = directions.iter().map(|direction| direction.dot(&normal).max(0.0)).sum::<f64>()
                    / count as f64;
                // Irradiance of a uniform dome on a surface whose normal is at an angle θ to the vertical: (1 + cos θ) / 2, of
                // which the mean cosine is half.
                let expected = 0.25 * (1.0 + normal.z);
                assert!((mean - expected).abs() < 0.4 / count as f64 + 0.01, "{mean} instead of {expected}");
            }
        }
    }
}
