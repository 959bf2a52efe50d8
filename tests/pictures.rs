//! Pictures of shipped scenes, drawn without a display, are like those that are stored in `tests/pictures`.
//!
//! Drivers draw edges and shadows a little differently, so that pictures are compared as one sees them from afar. Both
//! are cut into blocks of 8 × 8 pixels, and each block has its mean colour. The *difference* is the mean over the blocks of
//! the greatest difference of a channel, in steps of 255; *strayed* is the share of blocks that differ by more than
//! [`STRAYED`]; *shown* is the share of blocks whose colour is not the one that most blocks have. A picture is like
//! another one where difference and strayed are small and the two shown are alike.
//!
//! `EXTRICATE_PICTURES=write cargo test --release --features viewer --test pictures` makes the stored pictures anew: look at
//! them before they are committed.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use extricate::scene::Scene;
use extricate::viewer::ViewError;
use extricate::viewer::image::{Rgb, RgbImage};
use extricate::viewer::render::{Format, Marks, Order, Reel, Renderer, Times, write_png};
use extricate::viewer::{Camera, Drawing};

const SIZE: [u32; 2] = [320, 180];
/// Pixels of a block's side.
const BLOCK: u32 = 8;
/// Difference of a block from which on something else is seen there [steps of 255].
const STRAYED: f64 = 16.0;
/// Greatest mean difference of the blocks [steps of 255].
const DIFFERENCE: f64 = 1.5;
/// Greatest share of blocks that strayed.
const SHARE: f64 = 0.005;
/// Greatest difference of the shares of what is shown.
const SHOWN: f64 = 0.05;
/// Most bytes of a stored picture.
const MOST_BYTES: u64 = 40_000;

/// The scenes, the time of each picture [s], and the bodies that one can do without.
const SCENES: [(&str, f64, &str); 6] = [
    ("rigid/ring_stack", 0.2, "ring-1"),
    ("rigid/nut_on_bolt", 0.1, "nut"),
    ("rigid/knots_into_cup", 0.05, "knot-1-0-2"),
    ("robots/gripper_lifts", 0.2, "box"),
    ("repair/figure_on_bench_repaired", 0.0, "bench"),
    ("soft/ball_through_ring", 0.05, "ring"),
];

/// Shows a scene, seen from `camera` or its own, with the renderer that is there already.
fn show(renderer: &mut Option<Renderer>, scene: Scene, camera: Option<Camera>) {
    let reel = Reel::of_scene(scene).expect("a world");
    match renderer {
        Some(renderer) => renderer.show(reel, camera).expect("all shapes can be drawn"),
        None => *renderer = Some(Renderer::new(reel, SIZE, camera).expect("a software driver is installed")),
    }
}

fn scene(name: &str) -> Scene {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name).with_extension("ron");
    Scene::load(path).expect("a shipped scene")
}

fn picture(renderer: &mut Option<Renderer>, time: f64) -> RgbImage {
    let renderer = renderer.as_mut().expect("a scene is shown");
    let mut nothing_else = |_: &Reel, _: &_, _: &_| Ok(Drawing::default());
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

/// The share of blocks that do not have the colour that most have.
fn shown(blocks: &[[f64; 3]]) -> f64 {
    let rough = |block: &[f64; 3]| block.map(|channel| (channel / STRAYED).round() as i32);
    let mut counts = HashMap::<[i32; 3], usize>::new();
    blocks.iter().for_each(|block| *counts.entry(rough(block)).or_default() += 1);
    1.0 - counts.into_values().max().unwrap_or(0) as f64 / blocks.len() as f64
}

/// What tells two pictures apart; nothing where they are alike.
fn difference(a: &RgbImage, b: &RgbImage) -> Option<String> {
    assert_eq!(a.dimensions(), b.dimensions());
    let (a, b) = (blocks(a), blocks(b));
    let channels = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max);
    let differences: Vec<f64> = a.iter().zip(&b).map(channels).collect();
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    let strayed = differences.iter().filter(|&&by| by > STRAYED).count() as f64 / differences.len() as f64;
    let shown = (shown(&a) - shown(&b)).abs();
    let alike = mean <= DIFFERENCE && strayed <= SHARE && shown <= SHOWN;
    let told = format!("difference {mean:.2}, strayed {strayed:.4}, shown differs by {shown:.3}");
    (!alike).then_some(told)
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
        assert!(path.metadata().expect("a stored picture").len() <= MOST_BYTES, "{name} is large");
        let expected = extricate::viewer::image::open(&path).expect("a stored picture").into_rgb8();
        if let Some(told) = difference(&drawn, &expected) {
            let seen = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(path.file_name().expect("a name"));
            write_png(&drawn, &seen).expect("it can be written");
            panic!("{name}: {told}; what was drawn is in {}", seen.display());
        }
    }
}

#[test]
fn a_black_an_empty_and_an_incomplete_picture_are_told_apart_from_what_is_stored() {
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
    let order = Order {
        format: Format::Gif(path.clone()),
        size: SIZE,
        times: Times::Film { from: 0.1, to: None, speed: 1.0, fps: 10.0 },
        camera: None,
        orbit: 0.0,
        marks: Marks::default(),
    };
    let reel = Reel::of_scene(scene("rigid/ring_stack")).expect("a world");
    let stopped = order.carry_out(vec![reel], &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(ViewError::Stopped { .. })), "{stopped:?}");
    assert!(!path.exists());
}
