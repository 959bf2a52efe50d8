use super::{FEASIBLE, MinNormProjection, MinNormProjectionError, Rows};
use crate::bvh::lanes::isa::Portable;
use crate::bvh::lanes::portably;
use proptest::prelude::*;

fn rows(columns: usize, all: &[(&[f64], f64)]) -> Rows {
    let mut rows = Rows::new(columns);
    for (a, bound) in all {
        rows.push(a, *bound);
    }
    rows
}

fn nearest(rows: &Rows, target: &[f64], softness: f64) -> Result<Vec<f64>, MinNormProjectionError> {
    MinNormProjection::default().nearest(rows, target, softness).map(<[f64]>::to_vec)
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}

#[test]
fn corners_edges_and_faces_are_found_in_five_dimensions() {
    let target = [0.0, 0.0, 7.0, 0.0, -3.0];
    let x: &[f64] = &[2.0, 0.0, 0.0, 0.0, 0.0];
    let y: &[f64] = &[0.0, -5.0, 0.0, 0.0, 0.0];
    let found = nearest(&rows(5, &[(x, 2.0)]), &target, 0.0);
    assert_eq!(found, Ok(vec![1.0, 0.0, 7.0, 0.0, -3.0]));
    let found = nearest(&rows(5, &[(x, 2.0), (y, 10.0)]), &target, 0.0);
    assert_eq!(found, Ok(vec![1.0, -2.0, 7.0, 0.0, -3.0]));
    let idle: &[f64] = &[1.0, 0.0, 0.0, 0.0, 0.0];
    let found = nearest(&rows(5, &[(idle, 0.5), (x, 2.0), (idle, 0.5)]), &target, 0.0);
    assert_eq!(found, Ok(vec![1.0, 0.0, 7.0, 0.0, -3.0]));
}

#[test]
fn a_point_that_satisfies_all_rows_stays() {
    let target = [1.0, 2.0];
    assert_eq!(
        nearest(&rows(2, &[(&[1.0, 1.0], 3.0), (&[0.0, 1.0], -1.0)]), &target, 0.0),
        Ok(target.to_vec())
    );
    assert_eq!(nearest(&rows(2, &[]), &target, 0.0), Ok(target.to_vec()));
}

#[test]
fn contradictions_and_bad_numbers_are_errors() {
    let slab = rows(1, &[(&[1.0], 1.0), (&[-1.0], 1.0)]);
    assert_eq!(nearest(&slab, &[0.0], 0.0), Err(MinNormProjectionError::Contradiction { row: 1 }));
    let nowhere = rows(2, &[(&[0.0, 0.0], 1.0)]);
    assert_eq!(nearest(&nowhere, &[0.0, 0.0], 0.0), Err(MinNormProjectionError::Contradiction { row: 0 }));
    let bad = rows(2, &[(&[1.0, 0.0], 1.0), (&[f64::NAN, 0.0], 1.0)]);
    assert_eq!(nearest(&bad, &[0.0, 0.0], 0.0), Err(MinNormProjectionError::NotFinite { row: 1 }));
    let good = rows(1, &[(&[1.0], 1.0)]);
    assert_eq!(nearest(&good, &[f64::INFINITY], 0.0), Err(MinNormProjectionError::NotFinite { row: 1 }));
}

#[test]
fn opposed_rows_are_contradictions_in_any_number_of_dimensions() {
    for columns in 1..12 {
        for scale in [1.0, 0.1, 1.0 / 3.0, 7.0] {
            let along = vec![scale; columns];
            let against: Vec<f64> = along.iter().map(|x| -x).collect();
            let (mut box_rows, mut units) = (Vec::new(), Vec::new());
            for at in 0..columns {
                let mut unit = vec![0.0; columns];
                unit[at] = scale;
                units.push(unit);
            }
            for (at, unit) in units.iter().enumerate() {
                box_rows.push((unit.as_slice(), -1.0 - at as f64));
            }
            // A slot of the width −0.2, after and before rows that leave room.
            let slot = [(along.as_slice(), 0.1), (against.as_slice(), 0.1)];
            for all in [[&box_rows[..], &slot].concat(), [&slot, &box_rows[..]].concat()] {
                for target in [0.0, 3.0, -20.0] {
                    let found = nearest(&rows(columns, &all), &vec![target; columns], 0.0);
                    assert!(
                        matches!(found, Err(MinNormProjectionError::Contradiction { .. })),
                        "{columns} {scale} {target}: {found:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn soft_rows_that_contradict_each_other_meet_where_their_costs_do() {
    // minimise ½y² + ½((1 − y)/s)² + ½((1 + y)/s)²: by symmetry y = 0; with the second bound at 0 it is y = w/(1 + w), w = 1/s².
    let slab = rows(1, &[(&[1.0], 1.0), (&[-1.0], 1.0)]);
    let found = nearest(&slab, &[0.0], 0.1).expect("soft rows always have an answer");
    assert!(found[0].abs() < 1e-12);
    let one = rows(1, &[(&[1.0], 1.0)]);
    let found = nearest(&one, &[0.0], 0.1).expect("soft rows always have an answer");
    assert!((found[0] - 100.0 / 101.0).abs() < 1e-12);
    // The softness is in the unit of the bound: a row twice as long whose bound is twice as large is four times as dear.
    let doubled = rows(1, &[(&[2.0], 2.0)]);
    let found = nearest(&doubled, &[0.0], 0.1).expect("soft rows always have an answer");
    assert!((found[0] - 400.0 / 401.0).abs() < 1e-12);
}

/// Projected Gauss–Seidel on (AAᵀ + s²)λ ≥ b − At, run to convergence: an independent and slow method.
fn by_gauss_seidel(all: &[(Vec<f64>, f64)], target: &[f64], softness: f64) -> Vec<f64> {
    let mut multipliers = vec![0.0; all.len()];
    let mut y = target.to_vec();
    for _ in 0..100_000 {
        for ((a, bound), multiplier) in all.iter().zip(&mut multipliers) {
            let square = a.iter().map(|x| x * x).sum::<f64>() + softness * softness;
            let at: f64 = a.iter().zip(&y).map(|(a, y)| a * y).sum();
            let residual = bound - at - softness * softness * *multiplier;
            let next = f64::max(0.0, *multiplier + residual / square);
            y.iter_mut().zip(a).for_each(|(y, a)| *y += a * (next - *multiplier));
            *multiplier = next;
        }
    }
    y
}

/// Random rows that a common point satisfies, in `columns` dimensions.
fn problem(columns: usize) -> impl Strategy<Value = (Vec<(Vec<f64>, f64)>, Vec<f64>)> {
    let number = || prop::collection::vec(-1.0..1.0, columns);
    let row = (number(), 0.0..0.3);
    (prop::collection::vec(row, 1..3 * columns), number(), number()).prop_map(|(normals, inside, target)| {
        let bound = |a: &[f64], spare: f64| a.iter().zip(&inside).map(|(a, x)| a * x).sum::<f64>() - spare;
        let rows = normals.into_iter().map(|(a, spare)| (a.clone(), bound(&a, spare))).collect();
        (rows, target)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn soft_answers_are_those_of_gauss_seidel((all, target) in problem(5)) {
        let borrowed: Vec<(&[f64], f64)> = all.iter().map(|(a, bound)| (a.as_slice(), *bound)).collect();
        let found = nearest(&rows(5, &borrowed), &target, 0.3).expect("soft rows always have an answer");
        prop_assert!(close(&found, &by_gauss_seidel(&all, &target, 0.3), 1e-7));
    }

    #[test]
    fn the_point_is_feasible_and_the_target_plus_active_rows_by_multipliers_that_are_not_negative(
        (all, target) in problem(12),
    ) {
        // The conditions of Karush, Kuhn and Tucker: they prove that the point is the nearest one.
        let borrowed: Vec<(&[f64], f64)> = all.iter().map(|(a, bound)| (a.as_slice(), *bound)).collect();
        let rows = rows(12, &borrowed);
        let mut solver = MinNormProjection::default();
        let found = solver.nearest(&rows, &target, 0.0).expect("the rows have a point in common").to_vec();
        for (a, bound) in &all {
            prop_assert!(a.iter().zip(&found).map(|(a, y)| a * y).sum::<f64>() >= bound - 1e-9);
        }
        let mut sum = target;
        for (row, multiplier) in solver.active() {
            prop_assert!(multiplier >= 0.0);
            let (a, bound) = borrowed[row];
            let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
            prop_assert!((a.iter().zip(&found).map(|(a, y)| a * y).sum::<f64>() - bound).abs() < 1e-9);
            sum.iter_mut().zip(a).for_each(|(sum, a)| *sum += multiplier * a / length);
        }
        prop_assert!(close(&sum, &found, 1e-9));
    }
    #[test]
    fn each_entering_row_is_the_first_of_the_most_violated_of_all(
        (mut all, target) in problem(30),
        copied in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
        softness in prop::sample::select(vec![0.0, 0.3]),
    ) {
        copied.iter().for_each(|index| all.push(index.get(&all).clone()));
        let borrowed: Vec<(&[f64], f64)> = all.iter().map(|(a, bound)| (a.as_slice(), *bound)).collect();
        let rows = rows(30, &borrowed);
        let mut solver = MinNormProjection::default();
        solver.begin::<Portable>(&rows, &target).expect("finite numbers");
        let slack = |row: usize, point: &[f64]| rows.slack::<Portable>(row, point);
        let scale = (0..rows.len()).map(|row| slack(row, &solver.target).abs()).fold(0.0, f64::max);
        loop {
            let mut expected = (-FEASIBLE * scale, None);
            for row in 0..rows.len() {
                let value = slack(row, &solver.point);
                if value < expected.0 && !solver.active.rows().contains(&row) {
                    expected = (value, Some(row));
                }
            }
            let found = solver.violations.maximum::<Portable>(&rows, &solver.point, solver.active.rows());
            prop_assert_eq!(found, expected.1.map(|row| (row, expected.0)));
            let Some(entering) = found else { break };
            solver.enter::<Portable>(&rows, entering, softness).expect("the rows have a point in common");
            solver.recompute_point::<Portable>(&rows);
        }
    }

    #[test]
    fn all_instruction_sets_give_the_same_bits((all, target) in problem(13), softness in 0.0..0.3) {
        let borrowed: Vec<(&[f64], f64)> = all.iter().map(|(a, bound)| (a.as_slice(), *bound)).collect();
        let solve = || {
            let found = nearest(&rows(13, &borrowed), &target, softness).expect("soft rows always have an answer");
            found.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        prop_assert_eq!(solve(), portably(solve));
    }
}
