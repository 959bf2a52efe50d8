//! The least motion of many bodies that keeps pairs of them beyond planes: a quadratic programme.
//!
//! minimise ½ Σ wᵢ ‖tᵢ‖² subject to nₖ·(t_a − t_b) ≥ cₖ for every row k, between the bodies a and b. With multipliers
//! λ ≥ 0 the optimum is tᵢ = wᵢ⁻¹ Σₖ ±λₖ nₖ, and λ minimises ½ λᵀAλ − cᵀλ, A the couplings of the rows.
//!
//! Two methods in turn. Sweeps of projected Gauss–Seidel, taken as steps of a nonsmooth nonlinear conjugate-gradient
//! method [Silcowitz, Niebuhr, Erleben 2010], come near the optimum of any programme, and never quite arrive where rows
//! nearly depend on each other. From near there a primal-dual active-set method [Hintermüller, Ito, Kunisch 2003]
//! arrives in a few steps, each of which solves for the rows that push by linear conjugate gradients. The few programmes of
//! few bodies that neither solves go to the dense exact method of [`LeastChange`].

use nalgebra::Vector3;

use crate::penetration::quadratic_program::least_change::LeastChange;
use crate::penetration::quadratic_program::least_change::rows::Rows;

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

/// Violation that counts as none, and change of a sweep that ends them, relative to the greatest offset or translation.
const FEASIBLE: f64 = 1e-12;
/// Times that both methods are tried before the programme is given up: once or twice is usual, and where no motion
/// satisfies all rows no number would do.
const TRIALS: usize = 8;
/// Share of its violation that a trial may leave for another one to be worth it.
const PROGRESS: f64 = 0.7;
/// Sweeps, there and back, of a trial.
const SWEEPS: usize = 100;
/// Changes of the active rows of a trial.
const CHANGES: usize = 16;
/// Steps of the linear conjugate gradients.
const STEPS: usize = 400;

/// Violation, relative to the greatest offset or translation, from which a programme counts as unsolved.
const UNSOLVED: f64 = 1e-9;
/// Most bodies and rows of a programme for the dense method, whose work grows with the cube of them.
const DENSE: usize = 64;

/// Moves `translations` to the optimum, starting from the multipliers in `rows` and leaving theirs there; answers the
/// greatest violation that is left [m], which is large where no motion satisfies all rows.
///
/// A body of inverse weight zero does not move.
pub(crate) fn least_motion(
    rows: &mut [Row],
    inverse_weights: &[f64],
    translations: &mut [Vector3<f64>],
) -> f64 {
    let mut left = f64::INFINITY;
    for _ in 0..TRIALS {
        restore(rows, inverse_weights, translations);
        let arrived = sweep_on(rows, inverse_weights, translations);
        let before = std::mem::replace(&mut left, violation(rows, translations));
        if arrived || !(left < PROGRESS * before) {
            break;
        }
        let swept = rows.iter().map(|row| row.multiplier).collect::<Vec<_>>();
        if settle(rows, inverse_weights, translations) {
            break;
        }
        // Rows that nothing satisfies would drive their multipliers without end.
        rows.iter_mut().zip(swept).for_each(|(row, multiplier)| row.multiplier = multiplier);
        restore(rows, inverse_weights, translations);
    }
    left = violation(rows, translations);
    let unsolved = left > UNSOLVED * scale(rows, translations);
    if unsolved && translations.len().max(rows.len()) <= DENSE && exactly(rows, inverse_weights) {
        restore(rows, inverse_weights, translations);
        left = violation(rows, translations);
    }
    left
}

/// The multipliers of the optimum by the dense method, in coordinates √wᵢ tᵢ; whether there is one.
fn exactly(rows: &mut [Row], inverse_weights: &[f64]) -> bool {
    let size = 3 * inverse_weights.len();
    let (mut dense, mut coefficients) = (Rows::new(size), vec![0.0; size]);
    for row in rows.iter() {
        coefficients.fill(0.0);
        for (body, sign) in row.bodies.into_iter().zip([1.0, -1.0]) {
            let share = sign * inverse_weights[body].sqrt();
            (0..3).for_each(|axis| coefficients[3 * body + axis] += share * row.normal[axis]);
        }
        dense.push(&coefficients, row.offset);
    }
    let mut solver = LeastChange::default();
    if solver.nearest(&dense, &vec![0.0; size], 0.0).is_err() {
        return false;
    }
    rows.iter_mut().for_each(|row| row.multiplier = 0.0);
    for (k, multiplier) in solver.active() {
        let [a, b] = rows[k].bodies;
        rows[k].multiplier = multiplier / (inverse_weights[a] + inverse_weights[b]).sqrt();
    }
    true
}

/// The greatest violation [m].
fn violation(rows: &[Row], translations: &[Vector3<f64>]) -> f64 {
    rows.iter().map(|row| -row.slack(translations)).fold(0.0, f64::max)
}

/// Sweeps as steps of nonlinear conjugate gradients; whether they arrived.
fn sweep_on(rows: &mut [Row], inverse_weights: &[f64], translations: &mut [Vector3<f64>]) -> bool {
    let mut before = vec![0.0; rows.len()];
    let mut direction = vec![0.0; rows.len()];
    let mut last = 0.0;
    for _ in 0..SWEEPS {
        before.iter_mut().zip(rows.iter()).for_each(|(before, row)| *before = row.multiplier);
        let there = sweep(rows.iter_mut(), inverse_weights, translations);
        let back = sweep(rows.iter_mut().rev(), inverse_weights, translations);
        if there.max(back) <= FEASIBLE * scale(rows, translations) {
            return true;
        }
        let change = |k: usize, rows: &[Row]| rows[k].multiplier - before[k];
        let squared = (0..rows.len()).map(|k| change(k, rows).powi(2)).sum::<f64>();
        // Where the changes grow, the active rows have changed, and the direction is worth nothing.
        let share = if squared < last { squared / last } else { 0.0 };
        last = squared;
        for k in 0..rows.len() {
            let changed = change(k, rows);
            rows[k].multiplier = f64::max(0.0, rows[k].multiplier + share * direction[k]);
            direction[k] = share * direction[k] + changed;
        }
        restore(rows, inverse_weights, translations);
    }
    false
}

/// Solves for the rows that push, lets go those that would pull and takes in those that are violated, until there are
/// none; whether that came to an end.
fn settle(rows: &mut [Row], inverse_weights: &[f64], translations: &mut [Vector3<f64>]) -> bool {
    let mut active = (0..rows.len()).filter(|&k| rows[k].multiplier > 0.0).collect::<Vec<_>>();
    for _ in 0..CHANGES {
        solve(rows, &active, inverse_weights, translations);
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

/// Linear conjugate gradients towards zero slack on the active rows; all others do not push.
fn solve(rows: &mut [Row], active: &[usize], inverse_weights: &[f64], translations: &mut [Vector3<f64>]) {
    let kept = active.iter().map(|&k| rows[k].multiplier).collect::<Vec<_>>();
    rows.iter_mut().for_each(|row| row.multiplier = 0.0);
    active.iter().zip(kept).for_each(|(&k, multiplier)| rows[k].multiplier = multiplier);
    restore(rows, inverse_weights, translations);
    let mut residual = active.iter().map(|&k| -rows[k].slack(translations)).collect::<Vec<_>>();
    let mut direction = residual.clone();
    let mut squared = dot(&residual, &residual);
    let enough = (0.1 * FEASIBLE * scale(rows, translations)).powi(2);
    let mut moved = vec![Vector3::zeros(); translations.len()];
    for _ in 0..STEPS {
        if squared <= enough {
            break;
        }
        moved.fill(Vector3::zeros());
        for (&k, &along) in active.iter().zip(&direction) {
            push(&rows[k], along, inverse_weights, &mut moved);
        }
        let image = active.iter().map(|&k| rows[k].slack(&moved) + rows[k].offset).collect::<Vec<_>>();
        let curvature = dot(&direction, &image);
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
    restore(rows, inverse_weights, translations);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The greatest length that occurs [m].
fn scale(rows: &[Row], translations: &[Vector3<f64>]) -> f64 {
    let offsets = rows.iter().map(|row| row.offset.abs());
    offsets.chain(translations.iter().map(Vector3::norm)).fold(0.0, f64::max)
}

/// Translations that belong to the multipliers: afresh, so that rounding does not add up.
fn restore(rows: &[Row], inverse_weights: &[f64], translations: &mut [Vector3<f64>]) {
    translations.fill(Vector3::zeros());
    for row in rows {
        push(row, row.multiplier, inverse_weights, translations);
    }
}

fn push(row: &Row, multiplier: f64, inverse_weights: &[f64], translations: &mut [Vector3<f64>]) {
    let [a, b] = row.bodies;
    translations[a] += row.normal * (multiplier * inverse_weights[a]);
    translations[b] -= row.normal * (multiplier * inverse_weights[b]);
}

/// One sweep of projected Gauss–Seidel; answers the greatest change of a slack [m].
fn sweep<'a>(
    rows: impl Iterator<Item = &'a mut Row>,
    inverse_weights: &[f64],
    translations: &mut [Vector3<f64>],
) -> f64 {
    let mut greatest = 0.0_f64;
    for row in rows {
        let mobility = row.bodies.iter().map(|&body| inverse_weights[body]).sum::<f64>();
        let next = f64::max(0.0, row.multiplier - row.slack(translations) / mobility);
        let change = next - row.multiplier;
        row.multiplier = next;
        push(row, change, inverse_weights, translations);
        greatest = greatest.max((change * mobility).abs());
    }
    greatest
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
        let left = least_motion(&mut rows, &vec![1.0; count], &mut translations);
        assert!(left < 1e-10, "{left}");
        for (i, moved) in translations.iter().enumerate() {
            let expected = 0.5 * (i as f64 - 0.5 * (count - 1) as f64);
            assert!((moved - Vector3::x() * expected).norm() < 1e-9, "{i}: {moved}");
        }
    }

    #[test]
    fn a_heavy_body_moves_less_and_a_fixed_one_not_at_all() {
        let mut translations = vec![Vector3::zeros(); 2];
        least_motion(&mut [row([0, 1], [0.0, 0.0, 1.0], 1.0)], &[1.0, 0.25], &mut translations);
        assert!((translations[0].z - 0.8).abs() < 1e-12 && (translations[1].z + 0.2).abs() < 1e-12);
        least_motion(&mut [row([0, 1], [0.0, 0.0, 1.0], 1.0)], &[1.0, 0.0], &mut translations);
        assert!((translations[0].z - 1.0).abs() < 1e-12 && translations[1] == Vector3::zeros());
    }

    #[test]
    fn rows_that_nothing_satisfies_leave_a_violation() {
        let up = [0.0, 0.0, 1.0];
        let mut rows = [row([0, 1], up, 1.0), row([1, 2], up, 1.0), row([2, 0], up, 1.0)];
        let mut translations = vec![Vector3::zeros(); 3];
        let left = least_motion(&mut rows, &[1.0; 3], &mut translations);
        assert!(left > 0.5, "{left}");
    }

    proptest! {
        #[test]
        fn the_optimum_is_feasible_and_its_multipliers_push_only_where_rows_touch(
            normals in prop::collection::vec((prop::array::uniform3(-1.0..1.0), 0_usize..6, 1_usize..6, 0.0..1.0), 1..25),
            inside in prop::collection::vec(prop::array::uniform3(-3.0..3.0), 6),
            weights in prop::collection::vec(0.2..5.0, 6),
        ) {
            // Offsets that `inside` satisfies: the programme has an answer.
            let inside: Vec<Vector3<f64>> = inside.into_iter().map(Vector3::from).collect();
            let usable = normals.into_iter().filter(|(n, ..)| Vector3::from(*n).norm() > 0.2);
            let mut rows: Vec<_> = usable.map(|(n, a, step, gap)| {
                let mut row = row([a, (a + step) % 6], n, 0.0);
                row.offset = row.slack(&inside) - gap;
                row
            }).collect();
            let mut translations = vec![Vector3::zeros(); 6];
            let left = least_motion(&mut rows, &weights, &mut translations);
            prop_assert!(left < 1e-7, "{}", left);
            // Complementarity and stationarity prove the optimum.
            let mut pushed = vec![Vector3::zeros(); 6];
            for row in &rows {
                prop_assert!(row.multiplier >= 0.0 && row.multiplier * row.slack(&translations).abs() < 1e-6);
                push(row, row.multiplier, &weights, &mut pushed);
            }
            for (a, b) in pushed.iter().zip(&translations) {
                prop_assert!((a - b).norm() < 1e-9);
            }
        }
    }
}
