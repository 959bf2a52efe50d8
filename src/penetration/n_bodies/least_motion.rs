//! The least motion of many bodies that keeps pairs of them beyond planes: a quadratic programme.
//!
//! minimise ½ Σ wᵢ ‖tᵢ‖² subject to nₖ·(t_a − t_b) ≥ cₖ for every row k, between the bodies a and b. With multipliers
//! λ ≥ 0 the optimum is tᵢ = wᵢ⁻¹ Σₖ ±λₖ nₖ, and λ minimises ½ λᵀAλ − cᵀλ, A the couplings of the rows.
//!
//! Sweeps of projected Gauss–Seidel find which rows are active, and conjugate gradients on those rows, cut short where
//! a multiplier would become negative, carry their forces along chains of bodies, which sweeps alone are slow at.

use nalgebra::Vector3;

/// A half-space of relative translations of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    /// The bodies a and b.
    pub(super) bodies: [usize; 2],
    /// Unit normal n.
    pub(super) normal: Vector3<f64>,
    /// Offset c [m].
    pub(super) offset: f64,
    /// Multiplier λ at the last optimum, in weights times metres.
    pub(super) multiplier: f64,
}

impl Row {
    /// n·(t_a − t_b) − c [m]: negative where the row is violated.
    pub(super) fn slack(&self, translations: &[Vector3<f64>]) -> f64 {
        let [a, b] = self.bodies;
        self.normal.dot(&(translations[a] - translations[b])) - self.offset
    }
}

/// Violation that counts as none, relative to the greatest offset or translation.
const FEASIBLE: f64 = 1e-13;
/// Sweeps between two solutions on the active rows.
const SWEEPS: usize = 8;
/// Blocks of sweeps before the programme is given up: most need fewer than ten, and where no motion satisfies all
/// rows no number would do.
const BLOCKS: usize = 60;
/// Steps of conjugate gradients on the active rows.
const STEPS: usize = 200;
/// Residual at which conjugate gradients stop, relative to the first one.
const SOLVED: f64 = 1e-13;

/// Moves `translations` to the optimum, starting from the multipliers in `rows` and leaving theirs there; answers the
/// greatest violation that is left [m], which is large where no motion satisfies all rows.
///
/// A body of inverse weight zero does not move.
pub(super) fn least_motion(
    rows: &mut [Row],
    inverse_weights: &[f64],
    translations: &mut [Vector3<f64>],
) -> f64 {
    let mut violation = f64::INFINITY;
    for _ in 0..BLOCKS {
        restore(rows, inverse_weights, translations);
        for _ in 0..SWEEPS {
            violation = sweep(rows.iter_mut(), inverse_weights, translations);
            let back = sweep(rows.iter_mut().rev(), inverse_weights, translations);
            violation = violation.max(back);
        }
        let lengths = rows.iter().map(|row| row.offset.abs());
        let scale = lengths.chain(translations.iter().map(Vector3::norm)).fold(0.0, f64::max);
        if violation <= FEASIBLE * scale {
            break;
        }
        solve_active(rows, inverse_weights, translations);
    }
    rows.iter().map(|row| -row.slack(translations)).fold(0.0, f64::max)
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

/// Conjugate gradients towards zero slack on the rows that push, as far as none of them would pull.
fn solve_active(rows: &mut [Row], inverse_weights: &[f64], translations: &mut [Vector3<f64>]) {
    let active = (0..rows.len()).filter(|&k| rows[k].multiplier > 0.0).collect::<Vec<_>>();
    let mut residual = active.iter().map(|&k| -rows[k].slack(translations)).collect::<Vec<_>>();
    let mut direction = residual.clone();
    let mut step = vec![0.0; active.len()];
    let mut squared = dot(&residual, &residual);
    let enough = SOLVED * SOLVED * squared;
    let mut moved = vec![Vector3::zeros(); translations.len()];
    for _ in 0..STEPS.min(active.len()) {
        moved.fill(Vector3::zeros());
        for (&k, &along) in active.iter().zip(&direction) {
            push(&rows[k], along, inverse_weights, &mut moved);
        }
        let image = active.iter().map(|&k| {
            let [a, b] = rows[k].bodies;
            rows[k].normal.dot(&(moved[a] - moved[b]))
        });
        let image = image.collect::<Vec<_>>();
        let curvature = dot(&direction, &image);
        if !(curvature > 0.0) || squared <= enough {
            break;
        }
        let length = squared / curvature;
        for k in 0..active.len() {
            step[k] += length * direction[k];
            residual[k] -= length * image[k];
        }
        let before = std::mem::replace(&mut squared, dot(&residual, &residual));
        for k in 0..active.len() {
            direction[k] = residual[k] + squared / before * direction[k];
        }
    }
    let limits = active.iter().zip(&step).filter(|(_, along)| **along < 0.0);
    let share = limits.map(|(&k, along)| rows[k].multiplier / -along).fold(1.0, f64::min);
    for (&k, along) in active.iter().zip(&step) {
        rows[k].multiplier = f64::max(0.0, rows[k].multiplier + share * along);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
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
