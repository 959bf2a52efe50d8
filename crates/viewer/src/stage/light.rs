//! Light: a lamp over the left shoulder whose shadow map is fitted to what is seen, and a faint light from the other
//! side. Lengths are in view coordinates, in which the scene has a radius of one.
//!
//! The lamp is a far spot instead of a sun: one shadow map for all that is seen, where a sun has four, one behind the
//! other, into each of which the whole scene is drawn.

use kiss3d::glamx::{Pose3, Quat, Vec3};
use kiss3d::light::{Fog, Light, LightType};
use kiss3d::scene::SceneNode3d;

use super::paint::kiss_color;
use super::similarity::Similarity;
use crate::{Camera, palette};

/// Light from everywhere, as a share of white.
pub(super) const AMBIENT: f32 = 0.34;
/// Direction of the lamp's light.
const LAMP: Vec3 = Vec3::new(-0.40, 0.48, -1.0);
/// Its strength: together with the light from everywhere, what faces it has the colour it was given.
const LAMP_INTENSITY: f32 = 2.05;
/// Direction and strength of the light from the other side, which casts no shadows.
const FILL: (Vec3, f32) = (Vec3::new(0.8, 0.3, -0.25), 0.45);
/// Distance of the lamp: far enough for shadows that are nearly parallel, near enough for depths to be told apart.
const FAR: f32 = 20.0;
/// Least distance of the lamp over the radius that it lights.
const SLENDER: f32 = 2.5;
/// How far behind the camera's target things begin to fade, and where they are gone.
const FADE: [f32; 2] = [2.0, 6.0];
/// Farthest from the scene's middle that something casts a shadow: one body that falls for ever must not stretch the
/// depths of all shadows.
pub(super) const CASTS_WITHIN: f32 = 8.0;

/// The lights of a scene.
pub(super) struct Lights {
    lamp: SceneNode3d,
}

impl Lights {
    /// The lights, under `root`.
    pub(super) fn new(root: &mut SceneNode3d) -> Self {
        let lamp = root.add_light(Light::spot(0.1, 0.1, 1.0).with_intensity(LAMP_INTENSITY));
        let fill = Light::directional(FILL.0.normalize()).with_intensity(FILL.1);
        root.add_light(fill.with_casts_shadows(false));
        Self { lamp }
    }

    /// Lights all that a camera sees before it fades, in a picture of this width over height.
    pub(super) fn aim(&mut self, camera: &Camera, place: &Similarity, aspect: f32) {
        let distance = in_view(camera.distance, place);
        #[expect(clippy::cast_possible_truncation, reason = "an angle")]
        let half_height = (0.5 * camera.field_of_view).tan() as f32;
        let radius = (FADE[1] - 1.0) + distance * half_height * aspect.hypot(1.0);
        let away = FAR.max(SLENDER * radius);
        let direction = LAMP.normalize();
        let position = place.point(&camera.target) - direction * away;
        let turn = Quat::from_rotation_arc(Vec3::NEG_Z, direction);
        self.lamp.set_pose(Pose3::from_parts(position, turn));
        let cone = (radius / away).atan();
        self.lamp.modify_light(|light| {
            light.light_type = LightType::Spot {
                inner_cone_angle: cone,
                outer_cone_angle: 1.01 * cone,
                // Without end: light that grew weaker on the way would make what is lit depend on the zoom.
                attenuation_radius: 1e3 * away,
            };
        });
    }
}

/// What is far behind the target fades into the background, the ground's horizon with it.
pub(super) fn fog(camera: &Camera, place: &Similarity) -> Fog {
    let distance = in_view(camera.distance, place);
    let [from, to] = FADE.map(|behind| distance + behind);
    Fog::linear(kiss_color(palette::BACKGROUND), from, to)
}

fn in_view(length: f64, place: &Similarity) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "what the graphics card takes")]
    let length = (length * place.scale) as f32;
    length
}
