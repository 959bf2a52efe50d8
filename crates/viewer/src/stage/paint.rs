//! Colours and surfaces as kiss3d computes with them.

use std::sync::Arc;

use kiss3d::resource::Texture;
use kiss3d::scene::SceneNode3d;

use crate::Color;

/// A colour as kiss3d computes with it: linear light. Its pictures have the inverse of this power.
pub(super) fn kiss_color(color: Color) -> kiss3d::color::Color {
    const GAMMA: f32 = 2.2;
    let [red, green, blue] = [color.red, color.green, color.blue].map(|channel| channel.max(0.0).powf(GAMMA));
    kiss3d::color::Color::new(red, green, blue, color.alpha)
}

/// How a surface takes light.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// With a soft highlight.
    Satin,
    /// Without any.
    Dull,
}

/// Gives a node a colour.
pub(super) fn paint(node: &mut SceneNode3d, color: Color, finish: Finish) {
    node.set_color(kiss_color(color));
    let (roughness, reflectance) = match finish {
        Finish::Satin => (0.55, 0.4),
        Finish::Dull => (1.0, 0.0),
    };
    node.set_roughness(roughness);
    node.set_reflectance(reflectance);
}

/// Shows the colours of a map as they are, whatever the light: a share `own` of them shines by itself, the rest is lit.
pub(super) fn unlit(node: &mut SceneNode3d, colors: &Arc<Texture>, own: f32) {
    let lit = 1.0 - own;
    node.set_emissive(kiss3d::color::Color::new(own, own, own, 1.0));
    node.set_emissive_map(Arc::clone(colors));
    node.set_texture(Arc::clone(colors));
    node.set_color(kiss3d::color::Color::new(lit, lit, lit, 1.0));
    node.set_roughness(1.0);
    node.set_reflectance(0.0);
}

/// What leaves the colours of instances and textures as they are.
pub(super) const WHITE: Color = Color::new(1.0, 1.0, 1.0);
