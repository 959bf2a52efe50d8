//! In-projection: the point of a local contact space that is nearest to a given one [Je12 §6.1, eqs. 8–9].
//!
//! minimise ½‖x − o‖² subject to nᵢ·x ≥ cᵢ. The optimum is x = o + Σ λᵢ nᵢ with 0 ≤ λ ⟂ Nx − c ≥ 0.
//!
//! Departs from \[Je12\]: eqs. 10–12 carry wrong signs and factors, and a projected Gauss–Seidel sweep only approximates
//! the solution. In three dimensions at most three planes are active, so the dual active-set method of Goldfarb
//! and Idnani (Math. Prog. 27, 1983) reaches the exact solution in a handful of 3 × 3 solves.

use nalgebra::{Matrix3, Vector3};

/// A half-space n·x ≥ c of translations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    /// Unit normal n.
    pub normal: Vector3<f64>,
    /// Offset c \[m\].
    pub offset: f64,
}

/// Violation that counts as satisfied, relative to the maximum offset: rounding of a dot product. Far below the
/// clearance of a walk; much smaller, the method would cycle on rounding. A safeguard, without effect on the sets of
/// docs/sensitivity.md.
const FEASIBLE: f64 = 1e-14;
/// Squared sine below which a normal counts as spanned by the active ones: planes that nearly coincide would otherwise
/// intersect far away. Smaller, such far points are returned as targets; larger, sharp but proper edges have no
/// solution. A safeguard, without effect on the sets of docs/sensitivity.md.
const SPANNED: f64 = 1e-12;
/// Steps per half-space before the method counts as cycling, which rounding could cause; regular programs take about
/// one. A safeguard, without effect on the sets of docs/sensitivity.md.
const STEPS_PER_ROW: usize = 10;

/// The active half-spaces with their multipliers.
#[derive(Default)]
struct Active {
    rows: [usize; 3],
    multipliers: [f64; 3],
    count: usize,
}

impl Active {
    fn remove(&mut self, place: usize) {
        for k in place..self.count - 1 {
            self.rows[k] = self.rows[k + 1];
            self.multipliers[k] = self.multipliers[k + 1];
        }
        self.count -= 1;
    }

    /// (NᵀN)⁻¹ Nᵀ n over the active normals, and the component of n that they do not span.
    fn decompose(&self, rows: &[HalfSpace], n: &Vector3<f64>) -> Option<([f64; 3], Vector3<f64>)> {
        let normal = |k: usize| rows[self.rows[k]].normal;
        let gram = Matrix3::from_fn(|i, j| {
            if i < self.count && j < self.count {
                normal(i).dot(&normal(j))
            } else {
                f64::from(u8::from(i == j))
            }
        });
        let right = Vector3::from_fn(|k, _| if k < self.count { normal(k).dot(n) } else { 0.0 });
        let r = gram.try_inverse()? * right;
        let spanned = (0..self.count).fold(Vector3::zeros(), |sum, k| sum + normal(k) * r[k]);
        Some((r.into(), n - spanned))
    }
}

/// In-projection [Je12 §6.1, eq. 9]: the point nearest to `from` that lies in all half-spaces, or `None` if there is none
/// (to rounding).
pub fn in_projection(rows: &[HalfSpace], from: &Vector3<f64>) -> Option<Vector3<f64>> {
    let scale = rows.iter().map(|row| (row.offset - row.normal.dot(from)).abs()).fold(0.0, f64::max);
    let mut x = *from;
    let mut active = Active::default();
    for _ in 0..=STEPS_PER_ROW * rows.len() {
        let violation = |row: &HalfSpace| row.normal.dot(&x) - row.offset;
        let worst = (0..rows.len()).min_by(|&i, &j| violation(&rows[i]).total_cmp(&violation(&rows[j])));
        let Some(entering) = worst.filter(|&i| violation(&rows[i]) < -FEASIBLE * scale) else {
            return Some(x);
        };
        x = enter(rows, &mut active, entering, x)?;
    }
    None
}

/// Moves along the dual until `entering` holds, dropping active half-spaces whose multiplier reaches zero.
fn enter(
    rows: &[HalfSpace],
    active: &mut Active,
    entering: usize,
    mut x: Vector3<f64>,
) -> Option<Vector3<f64>> {
    let row = rows[entering];
    let mut multiplier = 0.0;
    loop {
        let (r, z) = active.decompose(rows, &row.normal)?;
        // Three active normals span every fourth, however ill-conditioned: one of them has to leave first.
        let full = if active.count < 3 && z.norm_squared() > SPANNED {
            (row.offset - row.normal.dot(&x)) / z.dot(&row.normal)
        } else {
            f64::INFINITY
        };
        let blocking = (0..active.count)
            .filter(|&k| r[k] > 0.0)
            .map(|k| (active.multipliers[k] / r[k], k))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let step = blocking.map_or(full, |(partial, _)| full.min(partial));
        if !step.is_finite() {
            return None;
        }
        // A spanned normal changes the multipliers only.
        if full.is_finite() {
            x += z * step;
        }
        for k in 0..active.count {
            active.multipliers[k] -= step * r[k];
        }
        multiplier += step;
        match blocking {
            Some((partial, place)) if partial < full => active.remove(place),
            _ => {
                let place = active.count;
                active.rows[place] = entering;
                active.multipliers[place] = multiplier;
                active.count += 1;
                return Some(x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn half_space(normal: [f64; 3], offset: f64) -> HalfSpace {
        HalfSpace { normal: Vector3::from(normal).normalize(), offset }
    }

    /// Projected Gauss–Seidel on NNᵀλ ≥ c − No, run to convergence: an independent and slow method.
    fn by_gauss_seidel(rows: &[HalfSpace], from: &Vector3<f64>) -> Vector3<f64> {
        let mut multipliers = vec![0.0; rows.len()];
        let mut x = *from;
        for _ in 0..200_000 {
            for (row, multiplier) in rows.iter().zip(&mut multipliers) {
                let next = f64::max(0.0, *multiplier + row.offset - row.normal.dot(&x));
                x += row.normal * (next - *multiplier);
                *multiplier = next;
            }
        }
        x
    }

    #[test]
    fn a_corner_an_edge_and_a_face_are_found() {
        let rows = [half_space([1.0, 0.0, 0.0], 1.0), half_space([0.0, 1.0, 0.0], 2.0)];
        let o = Vector3::zeros();
        assert_eq!(in_projection(&rows[..1], &o), Some(Vector3::new(1.0, 0.0, 0.0)));
        assert_eq!(in_projection(&rows, &o), Some(Vector3::new(1.0, 2.0, 0.0)));
        let corner = [rows[0], rows[1], half_space([0.0, 0.0, -1.0], 3.0)];
        assert_eq!(in_projection(&corner, &o), Some(Vector3::new(1.0, 2.0, -3.0)));
        let redundant = [rows[0], half_space([1.0, 0.0, 0.0], 0.5), half_space([-1.0, 0.0, 0.0], -9.0)];
        assert_eq!(in_projection(&redundant, &o), Some(Vector3::new(1.0, 0.0, 0.0)));
    }

    #[test]
    fn an_empty_slab_has_no_in_projection() {
        let rows = [half_space([1.0, 0.0, 0.0], 1.0), half_space([-1.0, 0.0, 0.0], 1.0)];
        assert_eq!(in_projection(&rows, &Vector3::zeros()), None);
    }

    #[test]
    fn half_spaces_that_intersect_far_away_give_a_point_or_none() {
        // Contacts of two scans: two planes nearly face each other, and an active one is violated by rounding again.
        let rows = [
            half_space([0.9792928172236085, 0.19884760674108537, 0.038015883885430306], -25.106121126250798),
            half_space([0.9792415258132335, 0.19675454248597185, -0.04872046935432846], -21.85792869806763),
            half_space([-0.004271778032402631, -0.02414924830819824, -0.9996992376302939], 36.89629686069707),
            half_space(
                [-0.11678243450600068, -0.00046322815875598225, 0.9931574137117061],
                -33.731787494344765,
            ),
        ];
        if let Some(x) = in_projection(&rows, &Vector3::zeros()) {
            assert!(rows.iter().all(|row| row.normal.dot(&x) >= row.offset - 1e-9 * x.norm()));
        }
    }

    proptest! {
        #[test]
        fn normals_that_nearly_depend_on_each_other_do_no_harm(
            noise in prop::collection::vec((prop::array::uniform3(-1.0..1.0), 0_usize..4), 4..40),
            exponent in 1_i32..14,
        ) {
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]];
            let rows = noise.into_iter().map(|(n, axis): ([f64; 3], usize)| {
                let near: [f64; 3] = std::array::from_fn(|k| axes[axis][k] + 10_f64.powi(-exponent) * n[k]);
                half_space(near, 1.0 + 10_f64.powi(-exponent) * n[0])
            });
            let rows = rows.collect::<Vec<_>>();
            if let Some(x) = in_projection(&rows, &Vector3::zeros()) {
                for row in &rows {
                    prop_assert!(row.normal.dot(&x) >= row.offset - 1e-9 * (1.0 + x.norm()));
                }
            }
        }

        #[test]
        fn the_answer_is_feasible_and_what_gauss_seidel_converges_to(
            normals in prop::collection::vec(prop::array::uniform3(-1.0..1.0), 1..9),
            inside in prop::array::uniform3(-2.0..2.0),
        ) {
            let inside = Vector3::from(inside);
            let usable = normals.into_iter().filter(|n| Vector3::from(*n).norm() > 0.2);
            let rows = usable
                .enumerate()
                .map(|(i, n)| {
                    let row = half_space(n, 0.0);
                    HalfSpace { offset: row.normal.dot(&inside) - 0.1 * i as f64, ..row }
                })
                .collect::<Vec<_>>();
            let from = Vector3::new(0.3, -0.2, 0.1);
            let x = in_projection(&rows, &from).expect("`inside` satisfies every row");
            for row in &rows {
                prop_assert!(row.normal.dot(&x) >= row.offset - 1e-9);
            }
            let other = by_gauss_seidel(&rows, &from);
            prop_assert!((x - from).norm() <= (other - from).norm() + 1e-6);
        }
    }
}
