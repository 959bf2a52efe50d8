//! The point of a polyhedron that is nearest to the origin in the norm L1 or L∞.
//!
//! minimise N(q) subject to nᵢ·q ≥ cᵢ: a linear program, with r ≥ v·q for the vertices v of the dual norm's unit ball in place of N(q) ≤ r.
//! The proximal point method solves it: each iterate (q, r) is the point of the polyhedron nearest to (q, r − γ) with the one before, the
//! first one from zero. It ends after finitely many steps, mostly one or two, and near the shortest point in L2 among those that are
//! equally near. By λ ≥ 0 of the rows the minimum is at least Σ λᵢ cᵢ / N*(Σ λᵢ nᵢ), whatever the error of the solution.

use nalgebra::Vector3;

use super::in_projection::HalfSpace;
use super::min_norm_projection::{MinNormProjection, Rows};
use crate::geometry::Norm;

/// γ, the length of a proximal step, in maximum offsets of the half-spaces. Longer, fewer steps are made, and rounding is magnified.
const STEP: f64 = 100.0;
/// Maximum number of proximal steps. A safeguard: a second or third one gains nothing, mostly.
const STEPS: u32 = 20;
/// Relative gain of a step below which it is the last one: a multiple of rounding, magnified by the length of a step.
const GAIN: f64 = 1e-13;

/// A point of a polyhedron, and a bound of the norms of all of its points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ShortestInNorm {
    /// The point \[m\].
    pub(crate) point: Vector3<f64>,
    /// Proved lower bound of the norm of every point of the polyhedron \[m\].
    pub(crate) lower_bound: f64,
}

/// The point of the intersection of half-spaces that is nearest to the origin in the norm L1 or L∞; `None` if they have no point in
/// common.
pub(crate) fn shortest_in_norm(norm: Norm, half_spaces: &[HalfSpace]) -> Option<ShortestInNorm> {
    let mut rows = Rows::new(4);
    for row in half_spaces {
        let n = row.normal;
        rows.push(&[n.x, n.y, n.z, 0.0], row.offset);
    }
    for v in norm.dual().ball_vertices() {
        rows.push(&[-v.x, -v.y, -v.z, 1.0], 0.0);
    }
    let step = STEP * half_spaces.iter().map(|row| row.offset).fold(0.0, f64::max);
    let mut solver = MinNormProjection::default();
    let (mut point, mut value, mut lower_bound) = ([0.0; 4], f64::INFINITY, 0.0_f64);
    for _ in 0..STEPS {
        let [x, y, z, r] = point;
        let next = solver.nearest(&rows, &[x, y, z, r - step], 0.0).ok()?;
        point.copy_from_slice(next);
        lower_bound = lower_bound.max(bound(norm, half_spaces, solver.active()));
        if !(point[3] < value * (1.0 - GAIN)) {
            break;
        }
        value = point[3];
    }
    Some(ShortestInNorm { point: Vector3::new(point[0], point[1], point[2]), lower_bound })
}

/// Lower bound of the norm of the points of half-spaces [m], by multipliers of these.
fn bound(norm: Norm, half_spaces: &[HalfSpace], active: impl Iterator<Item = (usize, f64)>) -> f64 {
    let active = active.filter(|(row, multiplier)| *row < half_spaces.len() && *multiplier > 0.0);
    let (normal, offset) = active.fold((Vector3::zeros(), 0.0), |(normal, offset), (row, multiplier)| {
        let HalfSpace { normal: n, offset: c } = half_spaces[row];
        (normal + n * multiplier, offset + c * multiplier)
    });
    let dual = norm.dual().of(&normal);
    if dual > 0.0 { (offset / dual).max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::SplitMix64;

    fn vector(random: &mut SplitMix64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| 2.0 * random.unit_interval() - 1.0)
    }

    #[test]
    fn one_plane_is_as_far_as_its_offset_over_the_dual_norm_of_its_normal() {
        let mut random = SplitMix64(1);
        let mut normals = vec![Vector3::x(), Vector3::new(1.0, -1.0, 0.0), Vector3::repeat(-1.0)];
        normals.extend((0..200).map(|_| vector(&mut random)));
        for normal in normals.into_iter().map(|normal| normal.normalize()) {
            for (norm, scale) in [(Norm::L1, 1.0), (Norm::LInf, 1e-3), (Norm::L1, 1e3)] {
                let row = HalfSpace { normal, offset: 0.7 * scale };
                let found = shortest_in_norm(norm, &[row]).unwrap();
                let expected = 0.7 * scale / norm.dual().of(&normal);
                assert!((norm.of(&found.point) - expected).abs() < 1e-9 * expected, "{norm} {normal}");
                assert!(normal.dot(&found.point) >= row.offset * (1.0 - 1e-9), "{norm} {normal}");
                assert!((found.lower_bound - expected).abs() < 1e-9 * expected, "{norm} {normal}");
                assert!(found.lower_bound <= expected * (1.0 + 1e-14), "{norm} {normal}");
            }
        }
    }

    #[test]
    fn several_planes_have_bounds_that_agree_and_no_nearer_point_at_random() {
        let mut random = SplitMix64(2);
        for count in [2, 3, 5, 9, 30] {
            for _ in 0..40 {
                let rows: Vec<HalfSpace> = (0..count)
                    .map(|_| {
                        let normal = (vector(&mut random) + Vector3::new(0.8, 0.5, 0.3)).normalize();
                        HalfSpace { normal, offset: random.unit_interval() }
                    })
                    .collect();
                for norm in [Norm::L1, Norm::LInf] {
                    let Some(found) = shortest_in_norm(norm, &rows) else { continue };
                    let value = norm.of(&found.point);
                    assert!(
                        found.lower_bound <= value * (1.0 + 1e-11),
                        "{norm} {value} {}",
                        found.lower_bound
                    );
                    assert!(
                        found.lower_bound >= value * (1.0 - 1e-8),
                        "{norm} {value} {}",
                        found.lower_bound
                    );
                    let is_in = |q: &Vector3<f64>, slack: f64| {
                        rows.iter().all(|row| row.normal.dot(q) >= row.offset - slack)
                    };
                    assert!(is_in(&found.point, 1e-9 * (1.0 + value)));
                    for _ in 0..100 {
                        let other = vector(&mut random) * (2.0 * value);
                        assert!(!is_in(&other, 0.0) || norm.of(&other) >= value * (1.0 - 1e-9));
                    }
                }
            }
        }
    }

    #[test]
    fn planes_that_contradict_each_other_have_no_point() {
        let rows = [1.0, -1.0].map(|sign| HalfSpace { normal: Vector3::x() * sign, offset: 0.5 });
        assert_eq!(shortest_in_norm(Norm::L1, &rows), None);
        let nothing = shortest_in_norm(Norm::LInf, &[]).unwrap();
        assert!(nothing.point.norm() < 1e-300 && nothing.lower_bound < 1e-300);
    }
}
