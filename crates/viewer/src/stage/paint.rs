//! Conversion of colours and surface finishes to kiss3d.

use std::sync::Arc;

use kiss3d::resource::Texture;
use kiss3d::scene::SceneNode3d;

use crate::Color;

/// Colour in linear light, as kiss3d computes with it; its pictures are encoded with the inverse of this power.
pub(super) fn kiss_color(color: Color) -> kiss3d::color::Color {
    const GAMMA: f32 = 2.2;
    let [red, green, blue] = [color.red, color.green, color.blue].map(|channel| channel.max(0.0).powf(GAMMA));
    kiss3d::color::Color::new(red, green, blue, color.alpha)
}

/// Finish of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// With a soft highlight.
    Satin,
    /// Without a highlight.
    Dull,
}

/// Sets colour and finish of a node.
pub(super) fn paint(node: &mut SceneNode3d, color: Color, finish: Finish) {
    node.set_color(kiss_color(color));
    let (roughness, reflectance) = match finish {
        Finish::Satin => (0.55, 0.4),
        Finish::Dull => (1.0, 0.0),
    };
    node.set_roughness(roughness);
    node.set_reflectance(reflectance);
}

/// Shows the colours of a map independently of the light: a fraction `own` of them is emissive, the rest is lit.
pub(super) fn unlit(node: &mut SceneNode3d, colors: &Arc<Texture>, own: f32) {
    let lit = 1.0 - own;
    node.set_emissive(kiss3d::color::Color::new(own, own, own, 1.0));
    node.set_emissive_map(Arc::clone(colors));
    node.set_texture(Arc::clone(colors));
    node.set_color(kiss3d::color::Color::new(lit, lit, lit, 1.0));
    node.set_roughness(1.0);
    node.set_reflectance(0.0);
}

/// White, which leaves the colours of instances and textures unchanged.
pub(super) const WHITE: Color = Color::new(1.0, 1.0, 1.0);
