//! Positions at the time of a search, and how far everything has moved since.

use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};

use super::pairs::Pairs;
use super::scene::Scene;

/// Iterations after which the rotation of a body counts as not found; from the flattest sheet it takes about ten. A safeguard.
const ITERATIONS: usize = 30;

/// Change of a rotation in the last iteration, squared: the error is the square of the change. A safeguard.
const CONVERGED: f64 = 1e-18;

/// Positions of blocks and samples at the time of a search: those of all bodies and obstacles, or of one body.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ReferencePositions {
    pub(super) x: Vec<Vector3<f64>>,
    pub(super) samples: Vec<Vec<Vector3<f64>>>,
}

impl ReferencePositions {
    /// Stores the positions of what is in the pairs.
    pub(super) fn record(&mut self, scene: &Scene<'_>, pairs: Pairs) {
        self.x.clear();
        self.samples.clear();
        match pairs {
            Pairs::Own(body) => self.x.extend_from_slice(&scene.x[scene.bodies[body as usize].range()]),
            Pairs::Others => {
                self.x.extend_from_slice(scene.x);
                self.samples.extend_from_slice(scene.samples);
            }
        }
    }

    /// Whether nothing in the pairs has moved by more than `by` [m] since, apart from a motion that moves no pair closer.
    pub(super) fn within(&self, scene: &Scene<'_>, pairs: Pairs, by: f64) -> bool {
        match pairs {
            Pairs::Own(body) => {
                let now = &scene.x[scene.bodies[body as usize].range()];
                self.x.len() == now.len() && is_rigid(&self.x, now, by)
            }
            Pairs::Others => self.all_within(scene, by),
        }
    }

    /// Whether nothing has moved by more than `by` [m] since, apart from a common translation.
    fn all_within(&self, scene: &Scene<'_>, by: f64) -> bool {
        if self.x.len() != scene.x.len()
            || self.samples.len() != scene.samples.len()
            || !self.samples.iter().zip(scene.samples).all(|(a, b)| a.len() == b.len())
        {
            return false;
        }
        let ranges = scene.bodies.iter().map(super::body::Body::range);
        let nodes = ranges.flat_map(|range| self.x[range.clone()].iter().zip(&scene.x[range]));
        let count = nodes.clone().count().max(1);
        // The mean displacement does not count.
        let shift = nodes.clone().map(|(a, b)| b - a).sum::<Vector3<f64>>() / count as f64;
        let samples = self.samples.iter().flatten().zip(scene.samples.iter().flatten());
        nodes.chain(samples).all(|(a, b)| (b - a - shift).norm_squared() <= by * by)
    }
}

/// Whether the points `before` are now no farther than `by` [m] from where a rigid motion takes them: their mean translation, or with
/// the rotation nearest to their mean deformation.
fn is_rigid(before: &[Vector3<f64>], now: &[Vector3<f64>], by: f64) -> bool {
    let mean = |points: &[Vector3<f64>]| points.iter().sum::<Vector3<f64>>() / points.len().max(1) as f64;
    let [from, to] = [mean(before), mean(now)];
    let pairs = before.iter().zip(now);
    let shift = to - from;
    if pairs.clone().all(|(a, b)| (b - a - shift).norm_squared() <= by * by) {
        return true;
    }
    let moment = pairs.clone().fold(Matrix3::zeros(), |sum, (a, b)| sum + (b - to) * (a - from).transpose());
    let Some(rotation) = rotation_of(&moment) else { return false };
    let shift = to - rotation * from;
    pairs.into_iter().all(|(a, b)| (b - rotation * a - shift).norm_squared() <= by * by)
}

/// The rotation nearest to a matrix, its polar factor, by Newton's iteration with scaling [Higham86]; `None` where it has no
/// positive determinant, or is close to it.
fn rotation_of(matrix: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    let mut x = *matrix;
    for _ in 0..ITERATIONS {
        let determinant = x.determinant();
        if !(determinant > 0.0) {
            return None;
        }
        let [a, b, c] = [x.column(0), x.column(1), x.column(2)];
        let inverse = Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]) / determinant;
        let scale = (inverse.norm() / x.norm()).sqrt();
        let next = (x * scale + inverse / scale) / 2.0;
        let change = (next - x).norm_squared();
        x = next;
        if change <= CONVERGED {
            return Some(x);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use nalgebra::Rotation3;

    use super::*;

    /// Points of a flat box, moved.
    fn points(motion: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Vec<Vector3<f64>> {
        let sides = [[0.0, 1.0], [0.0, 0.7], [0.0, 1e-3]];
        (0..8).map(|i| motion(Vector3::from_fn(|k, _| sides[k][i >> k & 1] + 5.0))).collect()
    }

    #[test]
    fn a_rigid_motion_is_no_motion() {
        let before = points(|p| p);
        for angle in [0.1, 1.5, 3.1] {
            let rotation = Rotation3::new(Vector3::new(0.6, -0.8, 0.3).normalize() * angle);
            let now = points(|p| rotation * p + Vector3::new(1.0, -4.0, 2.0));
            assert!(is_rigid(&before, &now, 1e-12), "{angle}");
        }
    }

    #[test]
    fn a_stretch_counts_as_far_as_it_moves_points_from_the_rotated_body() {
        let before = points(|p| p);
        let rotation = Rotation3::new(Vector3::new(0.0, 0.9, 0.2));
        // The long side grows by 2 %, half of it at each end.
        let now = points(|p| rotation * Vector3::new(1.02 * p.x, p.y, p.z));
        assert!(is_rigid(&before, &now, 0.0101) && !is_rigid(&before, &now, 0.0099));
    }

    #[test]
    fn a_reflection_is_far() {
        let (before, now) = (points(|p| p), points(|p| Vector3::new(-p.x, p.y, p.z)));
        assert!(!is_rigid(&before, &now, 0.1));
    }
}
