use std::path::Path;

use super::*;
use extricate_scene::scene::Scene;

fn order(times: Times) -> Order {
    Order {
        format: Format::Png("a.png".into()),
        size: [64, 48],
        times,
        camera: None,
        orbit: 2.0,
        marks: Marks::default(),
    }
}

fn film(from: f64, to: Option<f64>, speed: f64, fps: f64) -> Times {
    Times::Film { from, to, speed, fps }
}

fn reel(duration: f64) -> Reel {
    let text = format!(
        "(title: \"t\", duration: {duration}, shapes: {{\"s\": ball(radius: 1)}}, bodies: [(name: \"a\", shape: \"s\")])"
    );
    Reel::of_scene(Scene::parse(Path::new("t.ron"), text).expect("a scene")).expect("a world")
}

#[test]
fn a_film_has_a_picture_at_its_begin_and_end_and_at_equal_times_between() {
    let reels = [reel(1.0), reel(0.3)];
    let times = |times: Times| -> Vec<f64> {
        let takes = order(times).takes(&reels).expect("an order");
        takes.iter().map(|take| take.time).collect()
    };
    assert_eq!(times(film(0.0, None, 1.0, 4.0)), [0.0, 0.25, 0.5, 0.75, 1.0], "the longest tells the end");
    assert_eq!(times(film(0.5, Some(2.0), 2.0, 4.0)), [0.5, 1.0, 1.5, 2.0]);
    // Three tenths of a second are not three times a tenth: the last picture must not be lost to it.
    assert_eq!(times(film(0.0, Some(0.3), 1.0, 10.0)).len(), 4);
    assert_eq!(times(film(0.0, Some(0.0), 1.0, 10.0)), [0.0]);
    assert_eq!(times(Times::Each(vec![0.0, 0.5, 0.5])), [0.0, 0.5, 0.5]);
    let turns = order(film(0.0, Some(1.0), 1.0, 3.0)).takes(&reels).expect("an order");
    assert_eq!(turns.iter().map(|take| take.turn).collect::<Vec<_>>(), [0.0, 0.5, 1.0, 1.5]);
}

#[test]
fn an_order_that_makes_no_sense_is_refused() {
    for times in [
        film(1.0, Some(0.5), 1.0, 20.0),
        film(2.0, None, 1.0, 20.0),
        film(0.0, None, 1e-9, 20.0),
        film(0.0, Some(f64::NAN), 1.0, 20.0),
        Times::Each(vec![1.0, 0.5]),
        Times::Each(Vec::new()),
    ] {
        assert!(order(times.clone()).takes(&[reel(1.0)]).is_err(), "{times:?}");
    }
}
