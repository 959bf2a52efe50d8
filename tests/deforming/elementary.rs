//! Elementary tests with closed forms, over the degenerate list.

use extricate::proximity::ProximityError;
use extricate::proximity::deforming::{ElementaryContact, ElementaryOptions, edge_edge, vertex_face};
use nalgebra::{Point3, Vector3};

type Points = [Point3<f64>; 4];

const OPTIONS: ElementaryOptions =
    ElementaryOptions { relative_tolerance: 1e-12, minimum_separation: 0.0, max_iterations: 100 };

fn p(x: f64, y: f64, z: f64) -> Point3<f64> {
    Point3::new(x, y, z)
}

fn face(start: Points, end: Points) -> Option<ElementaryContact> {
    vertex_face(&start, &end, &OPTIONS).expect("finite")
}

fn edges(start: Points, end: Points) -> Option<ElementaryContact> {
    edge_edge(&start, &end, &OPTIONS).expect("finite")
}

/// A vertex over (x, y) that falls from one height to another onto a triangle in the plane z = 0.
fn falling(x: f64, y: f64, from: f64, to: f64) -> [Points; 2] {
    [from, to].map(|z| [p(x, y, z), p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0)])
}

#[test]
fn a_falling_vertex_meets_the_triangle_when_it_is_down() {
    for (x, y) in [(0.25, 0.25), (0.0, 0.0), (1.0, 0.0), (0.5, 0.5), (0.5, 0.0)] {
        for (from, to) in [(1.0, -3.0), (1e-6, -1.0), (100.0, -1e-3), (1.0, 0.0), (0.0, 1.0), (-2.0, 1.0)] {
            let [start, end] = falling(x, y, from, to);
            let contact = face(start, end).expect("the path leads through the triangle");
            let expected = from / (from - to);
            assert!(contact.time <= expected + 1e-15 && contact.time > expected - 1e-11, "{contact:?}");
            assert!(contact.certain && contact.distance <= 2e-10);
            let [u, v] = contact.parameters;
            assert!((u - x).abs() < 1e-9 && (v - y).abs() < 1e-9, "{contact:?} {x} {y}");
        }
    }
}

#[test]
fn a_vertex_that_falls_beside_the_triangle_is_proved_free_of_it() {
    for (x, y) in [(1.0 + 1e-9, 0.0), (-1e-9, 0.5), (0.5, 0.5 + 1e-9), (0.5, -1e-9), (5.0, 5.0)] {
        let [start, end] = falling(x, y, 1.0, -1.0);
        assert_eq!(face(start, end), None, "{x} {y}");
    }
    let [start, end] = falling(0.25, 0.25, 1.0, 1e-9);
    assert_eq!(face(start, end), None);
}

#[test]
fn edges_that_cross_meet_when_they_cross() {
    let at = |z: f64| [p(-1.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.5, -1.0, z), p(0.5, 3.0, z)];
    let contact = edges(at(1.0), at(-2.0)).expect("they cross");
    assert!((contact.time - 1.0 / 3.0).abs() < 1e-12);
    assert!((contact.parameters[0] - 0.75).abs() < 1e-9 && (contact.parameters[1] - 0.25).abs() < 1e-9);
    let beside = |z: f64| [p(-1.0, 0.0, 0.0), p(0.5 - 1e-9, 0.0, 0.0), p(0.5, -1.0, z), p(0.5, 3.0, z)];
    assert_eq!(edges(beside(1.0), beside(-2.0)), None);
}

#[test]
fn the_root_of_a_rotating_triangle_is_the_first_of_three() {
    // z of the vertex over a tilting triangle: a cubic in time with roots 1/4, 1/2, 3/4 up to a factor.
    let start = [p(0.0, 0.0, -0.09375), p(-1.0, -1.0, 0.0), p(1.0, -1.0, 0.0), p(0.0, 2.0, 0.0)];
    let found = face(start, [p(0.0, 0.0, 0.09375), start[1], start[2], start[3]]).expect("through");
    assert!((found.time - 0.5).abs() < 1e-12);
    // A triangle that flips over: its normal is reversed while a vertex in the path of its plane rests.
    let flipped = [p(0.0, 0.0, -0.09375), start[1], start[2], p(0.0, 2.0, -1.0)];
    let contact = face(start, flipped).expect("the far corner sinks past the vertex");
    // The plane passes at z = -t/3 at the origin: -0.09375 = -t / 3.
    assert!((contact.time - 0.28125).abs() < 1e-12, "{contact:?}");
}

#[test]
fn parallel_edges_meet_where_they_come_together_and_not_where_they_pass() {
    let at = |z: f64, x: f64| [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(x, 0.0, z), p(x + 1.0, 0.0, z)];
    for (x, touches) in [(0.5, true), (0.0, true), (1.0, true), (-1.0, true), (1.0 + 1e-9, false)] {
        let contact = edges(at(1.0, x), at(-1.0, x));
        assert_eq!(contact.is_some(), touches, "{x}");
        assert!(contact.is_none_or(|c| (c.time - 0.5).abs() < 1e-12));
    }
    assert!(edges(at(0.0, 3.0), at(0.0, -3.0)).is_some_and(|c| (c.time - 1.0 / 3.0).abs() < 1e-12));
    assert_eq!(edges(at(1e-9, 3.0), at(1e-9, -3.0)), None, "they slide past one another");
}

#[test]
fn degenerate_features_are_points_and_lines() {
    let o = p(0.0, 0.0, 0.0);
    let [ahead, behind] = [p(0.0, 0.0, 1.0), p(0.0, 0.0, -1.0)];
    // A triangle that is a point, a triangle that is a line, an edge that is a point.
    assert!(face([ahead, o, o, o], [behind, o, o, o]).is_some_and(|c| (c.time - 0.5).abs() < 1e-12));
    let [a, b, c] = [p(-1.0, 0.0, 0.0), p(3.0, 0.0, 0.0), p(1.0, 0.0, 0.0)];
    assert!(face([ahead, a, b, c], [behind, a, b, c]).is_some_and(|c| (c.time - 0.5).abs() < 1e-12));
    assert!(
        edges([ahead, ahead, a, b], [behind, behind, a, b]).is_some_and(|c| (c.time - 0.5).abs() < 1e-12)
    );
    assert_eq!(edges([p(0.0, 1e-9, 1.0); 4], [p(0.0, 0.0, 0.0); 4]).map(|c| c.time), Some(0.0));
    // All at rest, touching and not.
    assert!(face([o, a, b, p(0.0, 1.0, 0.0)], [o, a, b, p(0.0, 1.0, 0.0)]).is_some());
    assert_eq!(face([ahead, a, b, p(0.0, 1.0, 0.0)], [ahead, a, b, p(0.0, 1.0, 0.0)]), None);
}

#[test]
fn a_triangle_that_shrinks_to_a_point_and_opens_again_is_followed() {
    // At half time the corners are on a line through the vertex's height.
    let start = [p(0.2, 0.1, 0.5), p(-1.0, -1.0, 0.0), p(1.0, -1.0, 0.0), p(0.0, 1.0, 0.0)];
    let end = [p(0.2, 0.1, 0.5), p(1.0, -1.0, 0.0), p(-1.0, -1.0, 0.0), p(0.0, 1.0, 1.0)];
    let contact = face(start, end);
    // Its distance in 10 000 samples, by a triangle so fine that it is a cloud of points.
    let mut min = f64::INFINITY;
    for step in 0..=10_000 {
        let t = f64::from(step) / 10_000.0;
        let at = |i: usize| start[i].coords * (1.0 - t) + end[i].coords * t;
        for i in 0..=20 {
            for j in 0..=20 - i {
                let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                let there = at(1) * (1.0 - u - v) + at(2) * u + at(3) * v;
                min = min.min((at(0) - there).norm());
            }
        }
    }
    assert_eq!(contact.is_none(), min > 0.1, "{contact:?} {min}");
}

#[test]
fn the_answer_does_not_depend_on_units_or_on_a_common_motion() {
    let [start, end] = falling(0.25, 0.25, 1.0, -2.0);
    let expected = face(start, end).expect("contact").time;
    for scale in [1e-300, 1e-9, 1e-3, 1.0, 1e3, 1e9, 1e300] {
        let [s, e] = [start, end].map(|points| points.map(|q| q * scale));
        let contact = vertex_face(&s, &e, &OPTIONS).expect("finite").expect("contact");
        assert!((contact.time - expected).abs() < 1e-12, "{scale}: {contact:?}");
    }
    // Powers of two are not rounded; and features that move together do not move relative to each other.
    let by = Vector3::new(1024.0, -4096.0, 512.0);
    let together = face(start.map(|q| q - by), end.map(|q| q + by)).expect("contact");
    assert!((together.time - expected).abs() < 1e-12);
}

#[test]
fn far_from_the_origin_a_contact_is_still_found_and_a_gap_that_is_left_is_still_free() {
    for far in [1e3, 1e6, 1e9, 1e12] {
        let by = Vector3::new(far, -far, far);
        let [start, end] = falling(0.25, 0.25, 1.0, -2.0).map(|points| points.map(|q| q + by));
        assert!(face(start, end).is_some_and(|c| (c.time - 1.0 / 3.0).abs() < 1e-3), "{far}");
        let [start, end] = falling(1.25, 0.25, 1.0, -2.0).map(|points| points.map(|q| q + by));
        assert_eq!(face(start, end), None, "{far}");
    }
}

#[test]
fn a_minimum_separation_is_kept() {
    let options = ElementaryOptions { minimum_separation: 0.1, ..OPTIONS };
    let [start, end] = falling(0.25, 0.25, 1.0, -1.0);
    let contact = vertex_face(&start, &end, &options).expect("finite").expect("contact");
    assert!((contact.time - 0.45).abs() < 1e-12, "{contact:?}");
    // Beside the triangle, by less and by more than the separation.
    for (x, touches) in [(-0.09, true), (-0.11, false)] {
        let [start, end] = falling(x, 0.5, 1.0, -1.0);
        assert_eq!(vertex_face(&start, &end, &options).expect("finite").is_some(), touches, "{x}");
    }
    let at = |z: f64| [p(-1.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, -1.0, z), p(0.0, 1.0, z)];
    assert!(edge_edge(&at(1.0), &at(0.099), &options).expect("finite").is_some());
    assert_eq!(edge_edge(&at(1.0), &at(0.101), &options).expect("finite"), None);
}

#[test]
fn not_a_number_is_refused_and_never_free() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..24 {
            let [mut start, mut end] = falling(5.0, 5.0, 1.0, -1.0);
            let points = if place < 12 { &mut start } else { &mut end };
            points[place / 3 % 4][place % 3] = bad;
            assert_eq!(vertex_face(&start, &end, &OPTIONS), Err(ProximityError::NotFinite));
            assert_eq!(edge_edge(&start, &end, &OPTIONS), Err(ProximityError::NotFinite));
        }
    }
    // No axis separates these, and their difference is too large.
    let [mut start, mut end] = falling(0.2, 0.2, 1.0, -1.0);
    (start[0].x, end[0].x) = (1.7e308, -1.7e308);
    start[1].x = -1.7e308;
    assert_eq!(vertex_face(&start, &end, &OPTIONS), Err(ProximityError::NotFinite));
    let [start, end] = falling(5.0, 5.0, 1.0, -1.0);
    for value in [-1.0, f64::NAN] {
        let tolerance = ElementaryOptions { relative_tolerance: value, ..OPTIONS };
        let separation = ElementaryOptions { minimum_separation: value, ..OPTIONS };
        for options in [tolerance, separation] {
            assert!(matches!(vertex_face(&start, &end, &options), Err(ProximityError::Option { .. })));
        }
    }
}

#[test]
fn a_spent_budget_is_an_uncertain_contact_not_a_proof() {
    let options = ElementaryOptions { max_iterations: 0, ..OPTIONS };
    // The paths' boxes overlap, so that the first glance does not settle it.
    let start = [p(0.6, 0.6, 1.0), p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0)];
    let end = [p(0.6, 0.6, -1.0), p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0)];
    let contact = vertex_face(&start, &end, &options).expect("finite").expect("not proved");
    assert!(!contact.certain);
    assert_eq!(face(start, end), None);
}
