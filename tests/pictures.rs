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
use std::path::{Path, PathBuf};

use extricate::scene::Scene;
use extricate::viewer::ViewError;
use extricate::viewer::image::{Rgb, RgbImage};
use extricate::viewer::render::{
    Annotations, Format, RenderRequest, RenderSource, Renderer, Times, write_png,
};
use extricate::viewer::{Camera, Drawing, Focus, Lens};
use nalgebra::{Point3, Vector2, Vector3};

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
        occlusion: false,
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

fn parsed(bodies: &str) -> Scene {
    let text = format!(
        "(title: \"t\", duration: 1, gravity: (0, 0, 0), time_step: 0.01, shapes: {{\"ball\": ball(radius: 0.05),
        \"slab\": cuboid(size: (0.6, 0.001, 3)), \"wide\": cuboid(size: (1.6, 0.001, 6)),
        \"floor\": cuboid(size: (24, 24, 1)), \"wall\": cuboid(size: (1, 24, 2))}}, bodies: [{bodies}])"
    );
    Scene::parse(Path::new("t.ron"), text).expect("a scene")
}

/// A camera that looks along y from 4 m.
fn ahead() -> Camera {
    Camera::look_at(&Point3::new(0.0, -4.0, 0.0), &Point3::origin(), Camera::FIELD_OF_VIEW)
}

/// Linear light of the pixels of the middle row, as a mean of the channels.
fn middle_row(picture: &RgbImage) -> Vec<f64> {
    let light = |pixel: &Rgb<u8>| {
        pixel.0.iter().map(|&value| (f64::from(value) / 255.0).powf(2.2)).sum::<f64>() / 3.0
    };
    (0..picture.width()).map(|x| light(picture.get_pixel(x, picture.height() / 2))).collect()
}

/// Width of the edge between the first and the last pixel of a part of a row: from 5 to 95 % of the difference [pixels].
fn edge_width(row: &[f64]) -> f64 {
    let (first, last) = (row[0], row[row.len() - 1]);
    assert!((first - last).abs() > 0.1, "there is no edge: {first} and {last}");
    let level: Vec<f64> = row.iter().map(|light| (light - first) / (last - first)).collect();
    let crossing = |value: f64| {
        let after = level.iter().position(|&level| level >= value).expect("it is crossed");
        after as f64 - (level[after] - value) / (level[after] - level[after - 1])
    };
    crossing(0.95) - crossing(0.05)
}

#[test]
fn a_lens_blurs_edges_as_far_as_optics_say_and_leaves_the_plane_of_focus_sharp() {
    let slabs = "(name: \"near\", shape: \"slab\", kind: fixed, position: (-0.8, -2, 0)), \
                 (name: \"mid\", shape: \"slab\", kind: fixed, position: (0.1, 0, 0)), \
                 (name: \"far\", shape: \"wide\", kind: fixed, position: (2.8, 4, 0))";
    let mut renderer = None;
    show(&mut renderer, parsed(slabs), Some(ahead()));
    let sharp = picture(&mut renderer, 0.0);
    let aperture = 0.3;
    let lens = Lens { aperture, focus: Focus::Point(Point3::new(0.3, 0.0, 0.2)), samples: 64 };
    renderer.as_mut().expect("a scene is shown").set_lens(lens);
    let blurred = picture(&mut renderer, 0.0);
    let [sharp_row, blurred_row] = [&sharp, &blurred].map(middle_row);
    let size = Vector2::new(f64::from(SIZE[0]), f64::from(SIZE[1]));
    // The right edges of the near and the middle slab, and the left edge of the far one, by their distances.
    for (edge, depth) in [(-0.5, 2.0), (0.4, 4.0), (2.0, 8.0)] {
        let at = ahead().pixel(&Point3::new(edge, depth - 4.0, 0.0), size).expect("it is in view").x as usize;
        let part = at - 16..at + 17;
        assert!(edge_width(&sharp_row[part.clone()]) < 2.0, "{depth} m is sharp through a pinhole");
        let width = edge_width(&blurred_row[part]);
        // Diameter of the disc; 80.5 % of it lie between 5 and 95 % of its area. Pixels add up to two.
        let disc = aperture * (depth - 4.0_f64).abs() / depth / ahead().metres_per_pixel(4.0, size.y);
        let expected = 0.805 * disc;
        assert!(
            width > 0.85 * expected && width < 1.15 * expected + 2.0,
            "{width} instead of {expected} at {depth} m"
        );
    }
    // Between the discs of the other two, nothing changes but edges by the smoothing.
    let middle = |picture: &RgbImage| {
        extricate::viewer::image::imageops::crop_imm(picture, 120, 0, 80, 180).to_image()
    };
    assert_eq!(difference(&middle(&sharp), &middle(&blurred)), None);
    let focus_behind = Lens { focus: Focus::Point(Point3::new(0.0, -5.0, 0.0)), ..lens };
    let renderer = renderer.as_mut().expect("a scene is shown");
    renderer.set_lens(focus_behind);
    let mut nothing_else = |_: &RenderSource, _: &_, _: &_| Ok(Drawing::default());
    let refused = renderer.picture(0.0, 0.0, &mut nothing_else, &mut |_| ControlFlow::Continue(()));
    assert!(matches!(refused, Err(ViewError::FocusBehind)), "{refused:?}");
}

#[test]
fn a_trail_is_drawn_where_the_body_was() {
    let ball = "(name: \"ball\", shape: \"ball\", position: (-1, 0, -0.3), linear_velocity: (2, 0.5, 0.8))";
    let mut renderer = None;
    show(&mut renderer, parsed(ball), Some(ahead()));
    let without = picture(&mut renderer, 0.8);
    let mut renderer = None;
    show(&mut renderer, parsed(ball), Some(ahead()));
    renderer.as_mut().expect("a scene is shown").leave_trails(0.4);
    let with = picture(&mut renderer, 0.8);
    let size = Vector2::new(f64::from(SIZE[0]), f64::from(SIZE[1]));
    let seen = |time: f64| {
        let at = Point3::new(-1.0, 0.0, -0.3) + time * Vector3::new(2.0, 0.5, 0.8);
        ahead().pixel(&at, size).expect("it is in view")
    };
    // The path as it is seen, over the last 0.4 s.
    let path: Vec<Vector2<f64>> = (0..=400).map(|ms| seen(0.4 + 1e-3 * f64::from(ms))).collect();
    let differing: Vec<Vector2<f64>> = without
        .enumerate_pixels()
        .filter(|(x, y, pixel)| *pixel != with.get_pixel(*x, *y))
        .map(|(x, y, _)| Vector2::new(f64::from(x) + 0.5, f64::from(y) + 0.5))
        .collect();
    for pixel in &differing {
        let off = path.iter().map(|at| (at - pixel).norm()).fold(f64::INFINITY, f64::min);
        assert!(off < 2.5, "{pixel} is {off} pixels off the path");
    }
    // All but the oldest part, which has faded, and that within the ball is drawn.
    for at in path.iter().skip(80).take(250) {
        assert!(differing.iter().any(|pixel| (pixel - at).norm() < 2.0), "nothing is drawn at {at}");
    }
}

#[test]
fn a_wall_takes_as_much_light_of_the_sky_from_the_floor_as_its_view_factor() {
    /// Ambient light from above, and the colour of fixed bodies.
    const SKY: f64 = 0.43;
    const GREY: f64 = 0.71;
    let height: f64 = 2.0;
    let room = "(name: \"floor\", shape: \"floor\", kind: fixed, position: (0, 0, -0.5)), \
                (name: \"wall\", shape: \"wall\", kind: fixed, position: (4.5, 0, 1))";
    let mut renderer = None;
    // The key light comes from the left, so that the wall casts no shadow of it on the floor.
    let camera = Camera::look_at(&Point3::new(0.0, -0.6, 14.0), &Point3::new(1.0, 0.0, 0.0), 0.6);
    show(&mut renderer, parsed(room), Some(camera));
    let open = picture(&mut renderer, 0.0);
    let shown = renderer.as_mut().expect("a scene is shown");
    shown.set_lens(Lens { samples: 128, ..Lens::default() });
    shown.set_occlusion(true);
    let occluded = picture(&mut renderer, 0.0);
    let size = Vector2::new(f64::from(SIZE[0]), f64::from(SIZE[1]));
    let light = |picture: &RgbImage, x: f64| {
        let pixel = camera.pixel(&Point3::new(x, 0.0, 0.0), size).expect("it is in view");
        let pixel = picture.get_pixel(pixel.x as u32, pixel.y as u32);
        (f64::from(pixel.0[1]) / 255.0).powf(2.2)
    };
    for distance in [0.7, 1.5, 3.0, 6.0] {
        let x = 4.0 - distance;
        let taken = (light(&open, x) - light(&occluded, x)) / (SKY * GREY.powf(2.2));
        // View factor of an infinitely long wall, from a point of the floor at this distance.
        let factor = 0.5 * (1.0 - distance / distance.hypot(height));
        assert!((taken - factor).abs() < 0.03, "{taken} instead of {factor} at {distance} m");
    }
}
