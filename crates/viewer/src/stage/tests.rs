use nalgebra::Isometry3;

use super::*;
use crate::Patch;
use extricate_dynamics::{BodyDescription, BodyKind, Shape, World, WorldOptions};
use extricate_scene::record::WorldState;
use nalgebra::Vector3;

const SIZE: [u32; 2] = [320, 180];

/// A ball and a box over the ground, lengths times `unit`.
fn scene(unit: f64) -> (Models, WorldState) {
    let mut builder = World::builder(WorldOptions::default());
    let at = |x: f64, z: f64| Isometry3::translation(x * unit, 0.3 * x * unit, z * unit);
    let bodies = [
        ("ball", BodyKind::Dynamic, Shape::ball(0.5 * unit), at(0.0, 0.5)),
        ("box", BodyKind::Dynamic, Shape::cuboid(Vector3::new(1.0, 0.6, 0.8) * unit), at(1.5, 0.4)),
        ("ground", BodyKind::Fixed, Shape::half_space(), at(0.0, 0.0)),
    ];
    for (name, kind, shape, pose) in bodies {
        builder.add_body(BodyDescription::new(name, kind, shape, pose)).expect("a body");
    }
    let world = builder.build().expect("a world");
    (Models::of(&world).expect("shapes that are drawn"), WorldState::of(&world))
}

fn picture(stage: &mut Stage, unit: f64, drawing: &Drawing) -> RgbImage {
    let (models, state) = scene(unit);
    stage.set(&models, &state);
    let camera = Camera::fitted(&models.bounds(&state, true), f64::from(SIZE[0]) / f64::from(SIZE[1]));
    stage.draw(&state, drawing, &camera, |_| ());
    stage.picture()
}

/// Fraction of the channels of pixels that differ by more than a few levels.
fn difference(a: &RgbImage, b: &RgbImage) -> f64 {
    let differ = a.as_raw().iter().zip(b.as_raw()).filter(|(a, b)| a.abs_diff(**b) > 3).count();
    differ as f64 / a.as_raw().len() as f64
}

/// Fraction of the pixels whose channels are all within a few levels of a colour.
fn fraction_of_color(picture: &RgbImage, color: Color) -> f64 {
    let [red, green, blue, _] = color.bytes();
    let is_it =
        |pixel: &&image::Rgb<u8>| pixel.0.iter().zip([red, green, blue]).all(|(a, b)| a.abs_diff(b) <= 4);
    picture.pixels().filter(is_it).count() as f64 / f64::from(picture.width() * picture.height())
}

/// One test for everything, since only one stage may exist at a time per thread. Passes without a driver.
#[test]
fn pictures_are_the_same_again_and_in_all_units_and_have_the_palettes_colours() {
    let Ok(mut stage) = Stage::offscreen(SIZE[0], SIZE[1], Quality::default()) else { return };
    let plain = Drawing::default();
    let metres = picture(&mut stage, 1.0, &plain);
    assert_eq!(metres.as_raw(), picture(&mut stage, 1.0, &plain).as_raw(), "the same again");
    for unit in [1e-3, 1e3] {
        let other = difference(&metres, &picture(&mut stage, unit, &plain));
        assert!(other < 2e-3, "{other} of it differs in units of {unit} m");
    }
    let sky = fraction_of_color(&metres, palette::BACKGROUND);
    assert!(sky > 0.02, "{sky} of the picture has the colour of the background");
    // A patch has the colours of its map independently of the light.
    let (models, state) = scene(1.0);
    let bounds = models.bounds(&state, true);
    let corner = |x: f64, z: f64| Point3::new(bounds.min.x + x, bounds.min.y - 0.5, z);
    let patch = |value: f64| Patch {
        vertices: vec![corner(0.0, 0.0), corner(2.0, 0.0), corner(2.0, 1.0), corner(0.0, 1.0)],
        // Of unlike orientation: the normals of two corners cancel.
        triangles: vec![[0, 1, 2], [0, 3, 2]],
        values: vec![value; 4],
        map: ColorMap::Cividis,
    };
    for value in [0.0, 0.3, 1.0] {
        let drawing = Drawing { patches: vec![patch(value)], ..Drawing::default() };
        let seen = fraction_of_color(&picture(&mut stage, 1.0, &drawing), ColorMap::Cividis.color(value));
        assert!(seen > 0.05, "{seen} of the picture has the colour of {value}");
    }
    let tinted = Drawing { tints: [(0, palette::VERMILION)].into(), ..Drawing::default() };
    assert!(difference(&metres, &picture(&mut stage, 1.0, &tinted)) > 0.01, "a tint is seen");
}
