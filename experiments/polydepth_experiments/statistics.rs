//! Means, medians and the accuracy metric of [Je12 §7.1.1].

use extricate::proximity::Model;

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The middle value; of two middle ones their mean.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.is_empty() {
        f64::NAN
    } else if sorted.len().is_multiple_of(2) {
        0.5 * (sorted[half - 1] + sorted[half])
    } else {
        sorted[half]
    }
}

/// v̄ of [Je12]: mean distance of a mesh's vertices from its centre [m]. The paper measures from the origin of the
/// mesh's frame; the centre of its box makes no difference for its centred meshes, and none where a frame lies.
pub(crate) fn mean_radius(model: &Model) -> f64 {
    let center = model.center();
    let distances = model.mesh().vertices().iter().map(|p| (p - center).norm());
    mean(&distances.collect::<Vec<_>>())
}

/// The error of a depth relative to the sizes of both bodies, |found − exact| ÷ (2 v̄(A) + 2 v̄(B)) [Je12 §7.1.1].
///
/// If the reference is itself an upper bound, a smaller depth has no error.
pub(crate) fn relative_error(found: f64, reference: f64, mean_radii: [f64; 2]) -> f64 {
    (found - reference).max(0.0) / (2.0 * mean_radii[0] + 2.0 * mean_radii[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate::geometry::Solidity;
    use extricate::geometry::procedural::{Procedural, Sphere};
    use nalgebra::Isometry3;

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert!((median(&[4.0, 1.0, 3.0, 2.0]) - 2.5).abs() < 1e-15);
        assert!((median(&[9.0, 1.0, 3.0]) - 3.0).abs() < 1e-15);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn the_mean_radius_of_a_sphere_is_its_radius_wherever_its_frame_lies() {
        let sphere = Sphere { radius: 0.7, ..Sphere::default() }.mesh().unwrap();
        let moved = sphere.transformed(&Isometry3::translation(3.0, -1.0, 2.0));
        for mesh in [sphere, moved] {
            // The box of a geodesic sphere is centred by symmetry.
            assert!((mean_radius(&Model::new(mesh, Solidity::Solid)) - 0.7).abs() < 1e-12);
        }
    }

    #[test]
    fn a_tenth_of_the_diameter_of_two_equal_spheres_too_deep_is_a_twentieth() {
        assert!((relative_error(0.5 + 0.1, 0.5, [0.5, 0.5]) - 0.05).abs() < 1e-15);
        assert!(relative_error(0.4, 0.5, [0.5, 0.5]) == 0.0, "a depth below an upper bound is not an error");
    }
}
