use super::*;
use extricate_dynamics::StepTimings;

fn history(count: u64) -> VecDeque<Sample> {
    let sample = |step: u64| Sample {
        step,
        time: 0.01 * step as f64,
        seconds: 1e-3,
        timings: StepTimings::default(),
        max_penetration: step as f64,
        contacts: 0,
        energy: 1.0,
    };
    (1..=count).map(sample).collect()
}

#[test]
fn columns_are_means_over_groups_of_steps() {
    let columns = columns(&history(10), 5.0, |sample| [sample.max_penetration]);
    assert_eq!(columns, [[1.0], [2.5], [4.5], [6.5], [8.5], [10.0]]);
}

#[test]
fn a_new_step_changes_no_column_but_the_last() {
    let all = |count| columns(&history(count), 100.0, |sample| [sample.max_penetration]);
    let (before, after) = (all(400), all(401));
    assert_ne!(before, after);
    // The last column may have received one more sample.
    assert_eq!(before.len(), 101);
    assert_eq!(before[1..100], columns(&history(400), 100.0, |s| [s.max_penetration])[1..100]);
    assert_eq!(before[..70], all(390)[..70]);
}

#[test]
fn positions_are_within_the_plot_for_all_values() {
    for (value, range, expected) in [
        (1.0, [0.0, 2.0], 0.5),
        (3.0, [0.0, 2.0], 1.0),
        (0.0, [0.0, 0.0], 0.0),
        (f64::NAN, [0.0, 1.0], 0.0),
        (1.0, [f64::INFINITY, f64::NEG_INFINITY], 0.0),
    ] {
        assert!((normalized(value, range) - expected).abs() < 1e-6, "{value} in {range:?}");
    }
}
