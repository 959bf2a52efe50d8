//! The minimum motion of many bodies that keeps pairs of them beyond planes: a quadratic program.
//!
//! minimise ½ Σ wᵢ ‖tᵢ‖² subject to nₖ·(t_a − t_b) ≥ cₖ for every row k, between the bodies a and b. With multipliers
//! λ ≥ 0 the optimum is tᵢ = wᵢ⁻¹ Σₖ ±λₖ nₖ, and λ minimises ½ λᵀAλ − cᵀλ, A the coupling (Delassus) matrix of the rows.
//!
//! Two methods alternate. Sweeps of projected Gauss–Seidel, used as steps of a nonsmooth nonlinear conjugate-gradient
//! (NNCG) method [Silcowitz, Niebuhr, Erleben 2010], approach the optimum of any program, and do not converge where rows are
//! nearly dependent. From there a primal-dual active-set method [Hintermüller, Ito, Kunisch 2003] converges in a few
//! steps, each of which solves for the active rows by linear conjugate gradients. The few small programs that neither
//! solves are passed to the dense exact method of [`MinNormProjection`].

use nalgebra::Vector3;

use crate::penetration::quadratic_program::min_norm_projection::MinNormProjection;
use crate::penetration::quadratic_program::min_norm_projection::rows::Rows;

/// A half-space of relative translations of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row {
    /// The bodies a and b.
    pub(crate) bodies: [usize; 2],
    /// Unit normal n.
    pub(crate) normal: Vector3<f64>,
    /// Offset c [m].
    pub(crate) offset: f64,
    /// Multiplier λ at the last optimum, in weights times metres.
    pub(crate) multiplier: f64,
}

impl Row {
    /// n·(t_a − t_b) − c [m]: negative where the row is violated.
    pub(crate) fn slack(&self, translations: &[Vector3<f64>]) -> f64 {
        let [a, b] = self.bodies;
        self.normal.dot(&(translations[a] - translations[b])) - self.offset
    }
}

/// Violation that counts as satisfied, and change of a sweep at which sweeps end, relative to the maximum offset or
/// translation: below the gap of 4e-10 that every plane of a separation keeps, above the rounding of long chains of
/// bodies. Half and twice change every result by less than 0.01 % and not the number of queries (docs/sensitivity.md).
const FEASIBLE: f64 = 1e-12;
/// Alternations of both methods before the program is given up: one or two are usual, and for infeasible rows no number
/// suffices. A safeguard against an endless loop over infeasible rows, without effect on the sets of
/// docs/sensitivity.md.
const MAX_TRIALS: usize = 8;
/// Maximum ratio of the violations after and before a trial for another one to be worth its time. No effect on the sets
/// of docs/sensitivity.md.
const PROGRESS: f64 = 0.7;
/// Symmetric sweeps, forwards and backwards, of a trial. Fewer leave an active set that is too far from the optimum for
/// the second method; more cost time on programs that sweeps alone do not solve. Half and twice change every result by
/// less than 0.01 % and not the number of queries (docs/sensitivity.md).
const MAX_SWEEPS: usize = 100;
/// Changes of the active set in a trial: near the optimum a few suffice, elsewhere it may cycle. A safeguard against
/// cycling, without effect on the sets of docs/sensitivity.md.
const MAX_CHANGES: usize = 16;
/// Steps of the linear conjugate gradients. In exact arithmetic as many as there are active rows suffice; larger
/// programs are solved approximately and corrected by the next trial. A safeguard, without effect on the sets of
/// docs/sensitivity.md.
const MAX_CG_STEPS: usize = 400;
/// Residual at which the conjugate gradients end, relative to the maximum offset or translation: a tenth of
/// [`FEASIBLE`], so that the rows they solve count as satisfied.
const CG_TOLERANCE: f64 = 0.1 * FEASIBLE;

/// Violation, relative to the maximum offset or translation, above which a program counts as unsolved. A larger value
/// leaves overlaps to the next round, a smaller one uses the dense method more often. A safeguard, without effect on
/// the sets of docs/sensitivity.md.
const UNSOLVED: f64 = 1e-9;
/// Maximum number of bodies and of rows for the dense method, whose work is cubic in them. A safeguard against cubic
/// work, without effect on the sets of docs/sensitivity.md.
const MAX_DENSE: usize = 64;

/// Moves `translations` to the optimum, starting from the multipliers in `rows` and storing the optimal ones there; returns
/// the remaining maximum violation [m], which is large if no motion satisfies all rows.
///
/// A body of inverse weight zero does not move.
pub(crate) fn min_motion(
    rows: &mut [Row],
    inverse_weights: &[f64],
    translations: &mut [Vector3<f64>],
) -> f64 {
    let mut left = f64::INFINITY;
    for _ in 0..MAX_TRIALS {
        recompute(rows, inverse_weights, translations);
        let converged = nonsmooth_conjugate_gradients(rows, inverse_weights, translations);
        let before = std::mem::replace(&mut left, violation(rows, translations));
        if converged || !(left < PROGRESS * before) {
            break;
        }
        let swept = rows.iter().map(|row| row.multiplier).collect::<Vec<_>>();
        if primal_dual_active_set(rows, inverse_weights, translations) {
            break;
        }
        // Infeasible rows would increase their multipliers without bound: discard those of the active-set method.
        rows.iter_mut().zip(swept).for_each(|(row, multiplier)| row.multiplier = multiplier);
        recompute(rows, inverse_weights, translations);
    }
    left = violation(rows, translations);
    let unsolved = left > UNSOLVED * scale(rows, translations);
    if unsolved && translations.len().max(rows.len()) <= MAX_DENSE && solve_dense(rows, inverse_weights) {
        recompute(rows, inverse_weights, translations);
        left = violation(rows, translations);
    }
    left
}

/// Computes the optimal multipliers by the dense method, in the coordinates √wᵢ tᵢ; returns whether the program is feasible.
fn solve_dense(rows: &mut [Row], inverse_weights: &[f64]) -> bool {
    let size = 3 * inverse_weights.len();
    let (mut dense, mut coefficients) = (Rows::new(size), vec![0.0; size]);
    for row in rows.iter() {
        coefficients.fill(0.0);
        for (body, sign) in row.bodies.into_iter().zip([1.0, -1.0]) {
            let scale = sign * inverse_weights[body].sqrt();
            (0..3).for_each(|axis| coefficients[3 * body + axis] += scale * row.normal[axis]);
        }
        dense.push(&coefficients, row.offset);
    }
    let mut solver = MinNormProjection::default();
    if solver.nearest(&dense, &vec![0.0; size], 0.0).is_err() {
        return false;
    }
    rows.iter_mut().for_each(|row| row.multiplier = 0.0);
    // The dense rows were scaled to unit length, which scales their multipliers.
    for (k, multiplier) in solver.active() {
        let [a, b] = rows[k].bodies;
        rows[k].multiplier = multiplier / (inverse_weights[a] + inverse_weights[b]).sqrt();
    }
    true
}

/// The maximum violation [m].
fn violation(rows: &[Row], translations: &[Vector3<f64>]) -> f64 {
    rows.iter().map(|row| -row.slack(translations)).fold(0.0, f64::max)
}

/// Nonsmooth nonlinear conjugate gradients whose steps are sweeps; returns whether they converged.
fn nonsmooth_conjugate_gradients(
    rows: &mut [Row],
    inverse_weights: &[f64],
    translations: &mut [Vector3<f64>],
) -> bool {
    let mut before = vec![0.0; rows.len()];
    let mut direction = vec![0.0; rows.len()];
    let mut last = 0.0;
    for _ in 0..MAX_SWEEPS {
        before.iter_mut().zip(rows.iter()).for_each(|(before, row)| *before = row.multiplier);
        let forwards = sweep(rows.iter_mut(), inverse_weights, translations);
        let backwards = sweep(rows.iter_mut().rev(), inverse_weights, translations);
        if forwards.max(backwards) <= FEASIBLE * scale(rows, translations) {
            return true;
        }
        let change = |k: usize, rows: &[Row]| rows[k].multiplier - before[k];
        let squared = (0..rows.len()).map(|k| change(k, rows).powi(2)).sum::<f64>();
        // Growing changes show that the active rows have changed: restart the conjugate directions (β = 0).
        let beta = if squared < last { squared / last } else { 0.0 };
        last = squared;
        for k in 0..rows.len() {
            let changed = change(k, rows);
            rows[k].multiplier = f64::max(0.0, rows[k].multiplier + beta * direction[k]);
            direction[k] = beta * direction[k] + changed;
        }
        recompute(rows, inverse_weights, translations);
    }
    false
}

/// Primal-dual active set: solves for the active rows, removes those with negative multipliers and adds violated ones until
/// the set does not change; returns whether it converged.
fn primal_dual_active_set(
    rows: &mut [Row],
    inverse_weights: &[f64],
    translations: &mut [Vector3<f64>],
) -> bool {
    let mut active = (0..rows.len()).filter(|&k| rows[k].multiplier > 0.0).collect::<Vec<_>>();
    for _ in 0..MAX_CHANGES {
        solve_active(rows, &active, inverse_weights, translations);
        let violation = FEASIBLE * scale(rows, translations);
        let next = (0..rows.len()).filter(|&k| match active.binary_search(&k) {
            Ok(_) => rows[k].multiplier > 0.0,
            Err(_) => rows[k].slack(translations) < -violation,
        });
        let next = next.collect::<Vec<_>>();
        rows.iter_mut().for_each(|row| row.multiplier = row.multiplier.max(0.0));
        if next == active {
            return active.iter().all(|&k| rows[k].slack(translations).abs() <= violation);
        }
        active = next;
    }
    false
}

/// Linear conjugate gradients for zero slack of the active rows; all other multipliers are zero.
fn solve_active(
    rows: &mut [Row],
    active: &[usize],
    inverse_weights: &[f64],
    translations: &mut [Vector3<f64>],
) {
    let multipliers = active.iter().map(|&k| rows[k].multiplier).collect::<Vec<_>>();
    rows.iter_mut().for_each(|row| row.multiplier = 0.0);
    active.iter().zip(multipliers).for_each(|(&k, multiplier)| rows[k].multiplier = multiplier);
    recompute(rows, inverse_weights, translations);
    let mut residual = active.iter().map(|&k| -rows[k].slack(translations)).collect::<Vec<_>>();
    let mut direction = residual.clone();
    let mut squared = dot(&residual, &residual);
    let tolerance = (CG_TOLERANCE * scale(rows, translations)).powi(2);
    let mut moved = vec![Vector3::zeros(); translations.len()];
    for _ in 0..MAX_CG_STEPS {
        if squared <= tolerance {
            break;
        }
        moved.fill(Vector3::zeros());
        for (&k, &along) in active.iter().zip(&direction) {
            apply(&rows[k], along, inverse_weights, &mut moved);
        }
        let image = active.iter().map(|&k| rows[k].slack(&moved) + rows[k].offset).collect::<Vec<_>>();
        let curvature = dot(&direction, &image);
        // Dependent rows: the direction is in the null space.
        if !(curvature > 0.0) {
            break;
        }
        let length = squared / curvature;
        for (place, &k) in active.iter().enumerate() {
            rows[k].multiplier += length * direction[place];
            residual[place] -= length * image[place];
        }
        let before = std::mem::replace(&mut squared, dot(&residual, &residual));
        for place in 0..active.len() {
            direction[place] = residual[place] + squared / before * direction[place];
        }
    }
    recompute(rows, inverse_weights, translations);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The maximum length in the program [m].
fn scale(rows: &[Row], translations: &[Vector3<f64>]) -> f64 {
    let offsets = rows.iter().map(|row| row.offset.abs());
    offsets.chain(translations.iter().map(Vector3::norm)).fold(0.0, f64::max)
}

/// Recomputes the translations from the multipliers, so that rounding does not accumulate.
fn recompute(rows: &[Row], inverse_weights: &[f64], translations: &mut [Vector3<f64>]) {
    translations.fill(Vector3::zeros());
    for row in rows {
        apply(row, row.multiplier, inverse_weights, translations);
    }
}

/// Adds the effect of a multiplier to the translations of its bodies.
fn apply(row: &Row, multiplier: f64, inverse_weights: &[f64], translations: &mut [Vector3<f64>]) {
    let [a, b] = row.bodies;
    translations[a] += row.normal * (multiplier * inverse_weights[a]);
    translations[b] -= row.normal * (multiplier * inverse_weights[b]);
}

/// One sweep of projected Gauss–Seidel; returns the maximum change of a slack [m].
fn sweep<'a>(
    rows: impl Iterator<Item = &'a mut Row>,
    inverse_weights: &[f64],
    translations: &mut [Vector3<f64>],
) -> f64 {
    let mut max = 0.0_f64;
    for row in rows {
        let mobility = row.bodies.iter().map(|&body| inverse_weights[body]).sum::<f64>();
        let next = f64::max(0.0, row.multiplier - row.slack(translations) / mobility);
        let change = next - row.multiplier;
        row.multiplier = next;
        apply(row, change, inverse_weights, translations);
        max = max.max((change * mobility).abs());
    }
    max
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(bodies: [usize; 2], normal: [f64; 3], offset: f64) -> Row {
        Row { bodies, normal: Vector3::from(normal).normalize(), offset, multiplier: 0.0 }
    }

    #[test]
    fn a_chain_between_two_free_ends_spreads_evenly_about_its_middle() {
        let count = 120_usize;
        let mut rows: Vec<_> = (1..count).map(|i| row([i, i - 1], [1.0, 0.0, 0.0], 0.5)).collect();
        let mut translations = vec![Vector3::zeros(); count];
        let left = min_motion(&mut rows, &vec![1.0; count], &mut translations);
        assert!(left < 1e-10, "{left}");
        for (i, moved) in translations.iter().enumerate() {
            let expected = 0.5 * (i as f64 - 0.5 * (count - 1) as f64);
            assert!((moved - Vector3::x() * expected).norm() < 1e-9, "{i}: {moved}");
        }
    }

    #[test]
    fn a_heavy_body_moves_less_and_a_fixed_one_not_at_all() {
        let mut translations = vec![Vector3::zeros(); 2];
        min_motion(&mut [row([0, 1], [0.0, 0.0, 1.0], 1.0)], &[1.0, 0.25], &mut translations);
        assert!((translations[0].z - 0.8).abs() < 1e-12 && (translations[1].z + 0.2).abs() < 1e-12);
        min_motion(&mut [row([0, 1], [0.0, 0.0, 1.0], 1.0)], &[1.0, 0.0], &mut translations);
        assert!((translations[0].z - 1.0).abs() < 1e-12 && translations[1] == Vector3::zeros());
    }

    #[test]
    fn infeasible_rows_leave_a_violation() {
        let up = [0.0, 0.0, 1.0];
        let mut rows = [row([0, 1], up, 1.0), row([1, 2], up, 1.0), row([2, 0], up, 1.0)];
        let mut translations = vec![Vector3::zeros(); 3];
        let left = min_motion(&mut rows, &[1.0; 3], &mut translations);
        assert!(left > 0.5, "{left}");
    }

    proptest! {
        #[test]
        fn the_optimum_is_feasible_and_complementary(
            normals in prop::collection::vec((prop::array::uniform3(-1.0..1.0), 0_usize..6, 1_usize..6, 0.0..1.0), 1..25),
            inside in prop::collection::vec(prop::array::uniform3(-3.0..3.0), 6),
            weights in prop::collection::vec(0.2..5.0, 6),
        ) {
            // Offsets that `inside` satisfies: the program is feasible.
            let inside: Vec<Vector3<f64>> = inside.into_iter().map(Vector3::from).collect();
            let usable = normals.into_iter().filter(|(n, ..)| Vector3::from(*n).norm() > 0.2);
            let mut rows: Vec<_> = usable.map(|(n, a, step, gap)| {
                let mut row = row([a, (a + step) % 6], n, 0.0);
                row.offset = row.slack(&inside) - gap;
                row
            }).collect();
            let mut translations = vec![Vector3::zeros(); 6];
            let left = min_motion(&mut rows, &weights, &mut translations);
            prop_assert!(left < 1e-7, "{}", left);
            // Complementarity and stationarity prove the optimum.
            let mut pushed = vec![Vector3::zeros(); 6];
            for row in &rows {
                prop_assert!(row.multiplier >= 0.0 && row.multiplier * row.slack(&translations).abs() < 1e-6);
                apply(row, row.multiplier, &weights, &mut pushed);
            }
            for (a, b) in pushed.iter().zip(&translations) {
                prop_assert!((a - b).norm() < 1e-9);
            }
        }
    }
}
