//! Random scenes: a number of a seed gives the text of a scene, always the same.
//!
//! Lengths are drawn in units of about a body, and times in units of what such a body needs to fall by its size; the unit of
//! length is a millimetre, 5 cm, a metre or a kilometre, and the unit of time goes with its root, so that scenes of
//! all sizes are alike. The requirements on a scene are in its `expect`, so that `extricate run` judges it too.

mod bodies;
mod containers;
mod draft;
mod joints;
mod machines;
mod mixture;
mod shapes;
mod soft;

pub(crate) use draft::{Draft, Generated, Kind};

use super::random::Random;
use mixture::Mixture;

/// Scene `index` of `seed`. Files that it names are relative to the folder `assets`.
pub(crate) fn scene(seed: u64, index: u64) -> Generated {
    let mut random = Random::of(seed, index);
    let mixture = Mixture::draw(&mut random);
    let mut draft = Draft::new(mixture, random);
    containers::add(&mut draft);
    bodies::add(&mut draft);
    joints::add(&mut draft);
    machines::add(&mut draft);
    soft::add(&mut draft);
    draft.finish(&format!("soak scene {index} of seed {seed}"))
}
