//! Offscreen pictures of shipped scenes agree with those stored in `tests/pictures`.
//!
//! Drivers draw edges and shadows slightly differently, so that pictures are compared at low resolution: as mean colours of
//! blocks of 8 × 8 pixels. The *difference* is the mean over the blocks of the maximum difference of a channel, in steps of
//! 255; *outliers* is the fraction of blocks that differ by more than [`OUTLIER`]; *foreground* is the fraction of blocks
//! whose colour is not the most frequent one. Two pictures agree if difference and outliers are small and their foregrounds
//! are nearly equal.
//!
//! `EXTRICATE_PICTURES=write cargo test --release --features viewer --test pictures` rewrites the stored pictures: look at
//! them before they are committed.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use extricate::scene::Scene;
use extricate::viewer::ViewError;
use extricate::viewer::image::{Rgb, RgbImage};
use extricate::viewer::render::{
    Annotations, Format, RenderRequest, RenderSource, Renderer, Times, write_png,
};
use extricate::viewer::{Camera, Drawing, Focus, Lens};

const SIZE: [u32; 2] = [320, 180];
/// Side of a block [pixels].
const BLOCK: u32 = 8;
/// Difference from which a block counts as an outlier [steps of 255].
const OUTLIER: f64 = 16.0;
/// Maximum mean difference of the blocks [steps of 255].
const MAX_DIFFERENCE: f64 = 1.5;
/// Maximum fraction of outliers.
const MAX_OUTLIERS: f64 = 0.005;
/// Maximum difference of the foregrounds.
const MAX_FOREGROUND: f64 = 0.05;
/// Maximum size of a stored picture [bytes].
const MAX_BYTES: u64 = 40_000;

/// The scenes, the time of each picture [s], and a body whose absence must be detected.
const SCENES: [(&str, f64, &str); 6] = [
    ("rigid/ring_stack", 0.2, "ring-1"),
    ("rigid/nut_on_bolt", 0.1, "nut"),
    ("rigid/knots_into_cup", 0.05, "knot-1-0-2"),
    ("robots/gripper_lifts", 0.2, "box"),
    ("repair/figure_on_bench_repaired", 0.0, "bench"),
    ("soft/ball_through_ring", 0.05, "ring"),
];

/// Shows a scene with `camera` or its own, reusing an existing renderer.
fn show(renderer: &mut Option<Renderer>, scene: Scene, camera: Option<Camera>) {
    let source = RenderSource::of_scene(scene).expect("a world");
    match renderer {
        Some(renderer) => renderer.show(source, camera).expect("all shapes can be drawn"),
        None => {
            *renderer = Some(Renderer::new(source, SIZE, camera).expect("a software driver is installed"))
        }
    }
}

fn scene(name: &str) -> Scene {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name).with_extension("ron");
    Scene::load(path).expect("a shipped scene")
}

fn picture(renderer: &mut Option<Renderer>, time: f64) -> RgbImage {
    let renderer = renderer.as_mut().expect("a scene is shown");
    let mut nothing_else = |_: &RenderSource, _: &_, _: &_| Ok(Drawing::default());
    let mut on = |_| ControlFlow::Continue(());
    renderer.picture(time, 0.0, &mut nothing_else, &mut on).expect("a picture")
}

/// The mean colours of the blocks of a picture.
fn blocks(picture: &RgbImage) -> Vec<[f64; 3]> {
    let [columns, rows] = [picture.width().div_ceil(BLOCK), picture.height().div_ceil(BLOCK)];
    let mut sums = vec![[0.0; 4]; (columns * rows) as usize];
    for (x, y, pixel) in picture.enumerate_pixels() {
        let sum = &mut sums[((y / BLOCK) * columns + x / BLOCK) as usize];
        pixel.0.iter().zip(sum.iter_mut()).for_each(|(&channel, sum)| *sum += f64::from(channel));
        sum[3] += 1.0;
    }
    sums.into_iter().map(|[red, green, blue, count]| [red / count, green / count, blue / count]).collect()
}

/// Fraction of blocks that do not have the most frequent colour.
fn foreground(blocks: &[[f64; 3]]) -> f64 {
    let rough = |block: &[f64; 3]| block.map(|channel| (channel / OUTLIER).round() as i32);
    let mut counts = HashMap::<[i32; 3], usize>::new();
    blocks.iter().for_each(|block| *counts.entry(rough(block)).or_default() += 1);
    1.0 - counts.into_values().max().unwrap_or(0) as f64 / blocks.len() as f64
}

/// Description of the difference of two pictures; `None` if they agree.
fn difference(a: &RgbImage, b: &RgbImage) -> Option<String> {
    assert_eq!(a.dimensions(), b.dimensions());
    let (a, b) = (blocks(a), blocks(b));
    let channels = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max);
    let differences: Vec<f64> = a.iter().zip(&b).map(channels).collect();
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    let outliers = differences.iter().filter(|&&by| by > OUTLIER).count() as f64 / differences.len() as f64;
    let foreground = (foreground(&a) - foreground(&b)).abs();
    let alike = mean <= MAX_DIFFERENCE && outliers <= MAX_OUTLIERS && foreground <= MAX_FOREGROUND;
    let report =
        format!("difference {mean:.2}, outliers {outliers:.4}, foregrounds differ by {foreground:.3}");
    (!alike).then_some(report)
}

fn stored(name: &str) -> PathBuf {
    let name = format!("{}.png", name.replace('/', "-"));
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(name)
}

#[test]
fn six_shipped_scenes_look_as_they_did() {
    let writes = std::env::var("EXTRICATE_PICTURES").is_ok_and(|what| what == "write");
    let mut renderer = None;
    for (name, time, _) in SCENES {
        show(&mut renderer, scene(name), None);
        let drawn = picture(&mut renderer, time);
        let path = stored(name);
        if writes {
            write_png(&drawn, &path).expect("it can be written");
        }
        assert!(path.metadata().expect("a stored picture").len() <= MAX_BYTES, "{name} is large");
        let expected = extricate::viewer::image::open(&path).expect("a stored picture").into_rgb8();
        if let Some(report) = difference(&drawn, &expected) {
            let seen = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(path.file_name().expect("a name"));
            write_png(&drawn, &seen).expect("it can be written");
            panic!("{name}: {report}; the picture drawn is in {}", seen.display());
        }
    }
}

#[test]
fn black_empty_and_incomplete_pictures_differ_from_the_stored_ones() {
    let [width, height] = SIZE;
    let mut renderer = None;
    for (name, time, body) in SCENES {
        let expected = extricate::viewer::image::open(stored(name)).expect("a stored picture").into_rgb8();
        assert_eq!(difference(&expected, &expected), None);
        let corner = *expected.get_pixel(0, 0);
        for (what, color) in [("black", Rgb([0; 3])), ("empty", corner)] {
            let frame = RgbImage::from_pixel(width, height, color);
            assert!(difference(&frame, &expected).is_some(), "{name}: {what} frame");
        }
        show(&mut renderer, scene(name), None);
        let camera = renderer.as_ref().map(Renderer::camera);
        let mut incomplete = scene(name);
        let before = incomplete.bodies.len();
        incomplete.bodies.retain(|other| other.name != body);
        assert_eq!(incomplete.bodies.len() + 1, before, "{name} has a body {body}");
        incomplete.joints.clear();
        show(&mut renderer, incomplete, camera);
        assert!(difference(&picture(&mut renderer, time), &expected).is_some(), "{name} without {body}");
    }
}

#[test]
fn a_film_that_is_stopped_leaves_no_file() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stopped.gif");
    let request = RenderRequest {
        format: Format::Gif(path.clone()),
        size: SIZE,
        times: Times::Film { from: 0.1, to: None, speed: 1.0, fps: 10.0 },
        camera: None,
        orbit: 0.0,
        lens: Lens::default(),
        annotations: Annotations::default(),
    };
    let source = RenderSource::of_scene(scene("rigid/ring_stack")).expect("a world");
    let stopped = request.execute(vec![source], &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(ViewError::Stopped { .. })), "{stopped:?}");
    assert!(!path.exists());
}

#[test]
fn two_scenes_side_by_side_look_as_each_does_alone() {
    let (mut first, mut second) = (None, None);
    show(&mut first, scene("rigid/ring_stack"), None);
    let stack = picture(&mut first, 0.0);
    show(&mut second, scene("robots/gripper_lifts"), None);
    let gripper = picture(&mut second, 0.0);
    assert_eq!(difference(&picture(&mut first, 0.0), &stack), None);
    show(&mut first, scene("robots/gripper_lifts"), None);
    assert_eq!(difference(&picture(&mut first, 0.0), &gripper), None);
}
