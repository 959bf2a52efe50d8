//! The elementary tests against exact arithmetic; the experiment `elementary_ccd` runs more of the same queries.

#[path = "../../experiments/elementary_ccd/exact.rs"]
mod exact;
#[path = "../../experiments/elementary_ccd/gap.rs"]
mod gap;
#[path = "../../experiments/elementary_ccd/generate.rs"]
mod generate;
#[path = "../../experiments/elementary_ccd/polynomial.rs"]
mod polynomial;
#[path = "../../experiments/elementary_ccd/question.rs"]
mod question;
#[path = "../../experiments/elementary_ccd/tally.rs"]
mod tally;

use extricate::proximity::deforming::ElementaryOptions;
use question::Kind;
use rayon::prelude::*;
use tally::Tally;

fn tally(count: u64, options: &ElementaryOptions) -> Tally {
    let judge = |index| {
        let (_, kind, query) = generate::query(7, index);
        Tally::of(kind, &query, options)
    };
    (0..count).into_par_iter().map(judge).reduce(Tally::default, Tally::plus)
}

#[test]
fn no_contact_is_missed_or_named_too_late_and_no_alarm_is_given_beyond_the_tolerance() {
    let options = ElementaryOptions::default();
    let tally = tally(15_000, &options);
    assert!(tally.contacts > 3000 && tally.contacts < 6000, "{tally:?}");
    assert_eq!([tally.missed, tally.late, tally.refused], [0; 3], "{tally:?}");
    // The judge's own distance is rounded where the features are slivers.
    assert!(tally.max_gap < 20.0 * options.relative_tolerance, "{tally:?}");
    assert!(tally.uncertain < 10, "{tally:?}");
}

#[test]
fn a_coarse_tolerance_misses_nothing_and_a_fine_one_gives_fewer_false_alarms() {
    let of = |tolerance| {
        tally(3000, &ElementaryOptions { relative_tolerance: tolerance, ..ElementaryOptions::default() })
    };
    let (coarse, fine) = (of(1e-3), of(1e-13));
    assert_eq!([coarse.missed, coarse.late, fine.missed, fine.late], [0; 4]);
    assert!(coarse.max_gap < 1.1e-3, "{coarse:?}");
    assert!(coarse.false_alarms > fine.false_alarms);
}

#[test]
fn exact_arithmetic_knows_the_closed_forms() {
    let touch = |kind, start, end| exact::decide(kind, &[start, end], 0.5);
    let [a, b, c] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    // Through the inside, through a corner, past a side; half way.
    for (place, touches) in
        [([1.0, 1.0], true), ([0.0, 0.0], true), ([2.0, 2.0], true), ([2.0, 2.0 + 1e-15], false)]
    {
        let [x, y] = place;
        let truth = touch(Kind::VertexFace, [[x, y, 1.0], a, b, c], [[x, y, -1.0], a, b, c]);
        assert_eq!(truth.touch, touches, "{place:?}");
        assert!(!truth.touch_before);
        let sooner = touch(Kind::VertexFace, [[x, y, 1.0], a, b, c], [[x, y, -1.5], a, b, c]);
        assert_eq!(sooner.touch_before, touches);
    }
    // Two edges on one line, end to end, then apart.
    let line = |x: f64| [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [x, 0.0, 0.0], [x + 1.0, 0.0, 0.0]];
    assert!(touch(Kind::EdgeEdge, line(1.0), line(2.0)).touch);
    assert!(touch(Kind::EdgeEdge, line(3.0), line(-3.0)).touch);
    assert!(!touch(Kind::EdgeEdge, line(1.0 + f64::EPSILON), line(2.0)).touch);
}

#[test]
fn features_that_are_proved_apart_by_a_separation_are_so_at_every_time_that_is_looked_at() {
    const TIMES: u32 = 100;
    let check = |index: u64| {
        let (_, kind, query) = generate::query(11, index);
        let extent = gap::extent(kind, &query);
        let minimum_separation = extent * [1e-9, 1e-3, 0.05, 0.3][(index / 15 % 4) as usize];
        let options = ElementaryOptions { minimum_separation, ..ElementaryOptions::default() };
        let contact = tally::ask(kind, &query, &options).expect("finite");
        let rounding = 1e-13 * extent;
        let free_until = contact.map_or(1.0, |contact| contact.time);
        let nearest = (0..=TIMES).map(|step| free_until * f64::from(step) / f64::from(TIMES));
        let min = nearest.map(|time| gap::distance(kind, &query, time)).fold(f64::INFINITY, f64::min);
        assert!(
            contact.is_some_and(|c| c.time <= 0.0) || min > minimum_separation - rounding,
            "{index}: {min} {minimum_separation} {extent} {contact:?}"
        );
        if let Some(contact) = contact.filter(|contact| contact.certain) {
            let reached = gap::distance(kind, &query, contact.time);
            assert!(reached < minimum_separation + 2e-11 * extent, "{index}: {reached} {minimum_separation}");
        }
        [u32::from(contact.is_some()), u32::from(contact.is_some_and(|contact| !contact.certain))]
    };
    let [found, uncertain] =
        (0..6000).into_par_iter().map(check).reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    assert!((2000..5000).contains(&found), "{found}");
    assert!(uncertain < 60, "{uncertain}");
}
