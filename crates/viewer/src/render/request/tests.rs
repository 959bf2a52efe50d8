use std::path::Path;

use super::*;
use extricate_scene::scene::Scene;

fn request(times: Times) -> RenderRequest {
    RenderRequest {
        format: Format::Png("a.png".into()),
        size: [64, 48],
        times,
        camera: None,
        orbit: 2.0,
        lens: Lens::default(),
        occlusion: false,
        annotations: Annotations::default(),
    }
}

fn film(from: f64, to: Option<f64>, speed: f64, fps: f64) -> Times {
    Times::Film { from, to, speed, fps }
}

fn source(duration: f64) -> RenderSource {
    let text = format!(
        "(title: \"t\", duration: {duration}, shapes: {{\"s\": ball(radius: 1)}}, bodies: [(name: \"a\", shape: \"s\")])"
    );
    RenderSource::of_scene(Scene::parse(Path::new("t.ron"), text).expect("a scene")).expect("a world")
}

#[test]
fn a_film_has_pictures_at_its_begin_and_end_and_at_equal_times_between() {
    let sources = [source(1.0), source(0.3)];
    let times = |times: Times| -> Vec<f64> {
        let frames = request(times).frames(&sources).expect("an order");
        frames.iter().map(|frame| frame.time).collect()
    };
    assert_eq!(
        times(film(0.0, None, 1.0, 4.0)),
        [0.0, 0.25, 0.5, 0.75, 1.0],
        "the longest determines the end"
    );
    assert_eq!(times(film(0.5, Some(2.0), 2.0, 4.0)), [0.5, 1.0, 1.5, 2.0]);
    // 0.3 is not 3 × 0.1 in floating point: the last picture must not be lost.
    assert_eq!(times(film(0.0, Some(0.3), 1.0, 10.0)).len(), 4);
    assert_eq!(times(film(0.0, Some(0.0), 1.0, 10.0)), [0.0]);
    assert_eq!(times(Times::Each(vec![0.0, 0.5, 0.5])), [0.0, 0.5, 0.5]);
    let orbit = request(film(0.0, Some(1.0), 1.0, 3.0)).frames(&sources).expect("an order");
    assert_eq!(orbit.iter().map(|frame| frame.azimuth).collect::<Vec<_>>(), [0.0, 0.5, 1.0, 1.5]);
}

#[test]
fn an_invalid_request_is_rejected() {
    for times in [
        film(1.0, Some(0.5), 1.0, 20.0),
        film(2.0, None, 1.0, 20.0),
        film(0.0, None, 1e-9, 20.0),
        film(0.0, Some(f64::NAN), 1.0, 20.0),
        Times::Each(vec![1.0, 0.5]),
        Times::Each(Vec::new()),
    ] {
        assert!(request(times.clone()).frames(&[source(1.0)]).is_err(), "{times:?}");
    }
}
