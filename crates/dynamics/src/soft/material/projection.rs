//! Nearest positive semi-definite matrix to a symmetric 3 × 3 one, in closed form.

use std::f64::consts::TAU;

use nalgebra::{Matrix3, Vector3};

/// The symmetric matrix `a` with its negative eigenvalues set to zero; `a` itself where it has none.
///
/// Where the leading minors are positive `a` is positive definite (Sylvester). The eigenvalues are the roots of the characteristic
/// cubic by the cosine of a third of an angle [Smith61]. Only the eigenvector of the eigenvalue that is alone on its
/// side of zero is needed, and that one is well conditioned.
pub(crate) fn project_semi_definite(a: &Matrix3<f64>) -> Matrix3<f64> {
    let minor = a[(0, 0)] * a[(1, 1)] - a[(0, 1)] * a[(0, 1)];
    if a[(0, 0)] > 0.0 && minor > 0.0 && a.determinant() > 0.0 {
        return *a;
    }
    let [max, middle, min] = eigenvalues(a);
    if min >= 0.0 {
        *a
    } else if max <= 0.0 {
        Matrix3::zeros()
    } else if middle >= 0.0 {
        let v = eigenvector(a, min);
        a - min * v * v.transpose()
    } else {
        let v = eigenvector(a, max);
        max * v * v.transpose()
    }
}

/// Eigenvalues of a symmetric matrix, the maximum first, in closed form [Smith61].
fn eigenvalues(a: &Matrix3<f64>) -> [f64; 3] {
    let mean = a.trace() / 3.0;
    let b = a - Matrix3::from_diagonal_element(mean);
    let radius = (b.norm_squared() / 6.0).sqrt();
    if !(radius > 0.0) {
        return [mean; 3];
    }
    let angle = ((b / radius).determinant() / 2.0).clamp(-1.0, 1.0).acos() / 3.0;
    let max = mean + 2.0 * radius * angle.cos();
    let min = mean + 2.0 * radius * (angle + TAU / 3.0).cos();
    [max, 3.0 * mean - max - min, min]
}

/// The unit vector that A − value maps to zero: the longest cross product of two rows, which are perpendicular to it.
fn eigenvector(a: &Matrix3<f64>, value: f64) -> Vector3<f64> {
    let b = a - Matrix3::from_diagonal_element(value);
    let [x, y, z] = [0, 1, 2].map(|i| b.column(i).into_owned());
    let mut longest = x.cross(&y);
    for candidate in [y.cross(&z), z.cross(&x)] {
        if candidate.norm_squared() > longest.norm_squared() {
            longest = candidate;
        }
    }
    let norm = longest.norm();
    if norm > 0.0 { longest / norm } else { Vector3::x() }
}

#[cfg(test)]
mod tests {
    use extricate_test_support::Noise;

    use super::*;
    use crate::soft::samples::rotation;

    #[test]
    fn projection_zeroes_the_negative_eigenvalues_and_nothing_else() {
        let mut random = Noise(5);
        let spectra = [
            [3.0, 2.0, 1.0],
            [3.0, 2.0, -1.0],
            [3.0, -2.0, -1.0],
            [-3.0, -2.0, -1.0],
            [2.0, 2.0, -1.0],
            [2.0, -1.0, -1.0],
            [1.0, 1e-9, -1e-9],
            [1.0, 1.0 - 1e-9, -1.0],
            [1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            [1.0, 1.0, 1.0],
            [0.0; 3],
        ];
        for spectrum in spectra {
            for scale in [1e-9, 1.0, 1e9] {
                let rotation = rotation(&mut random);
                let of = |values: Vector3<f64>| {
                    let full = rotation * Matrix3::from_diagonal(&(scale * values)) * rotation.transpose();
                    0.5 * (full + full.transpose())
                };
                let expected = of(Vector3::from(spectrum).map(|value: f64| value.max(0.0)));
                let error = (project_semi_definite(&of(spectrum.into())) - expected).norm();
                assert!(error <= 3e-8 * scale, "{spectrum:?}: {:e}", error / scale);
                if spectrum.iter().all(|&value| value > 0.5) || spectrum[1].abs() > 0.5 {
                    assert!(error <= 1e-14 * scale, "{spectrum:?}: {:e}", error / scale);
                }
            }
        }
    }
}
