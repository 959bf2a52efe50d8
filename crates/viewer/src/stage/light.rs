//! Lights: a key light from the left whose shadow map is fitted to the view, and a faint fill light from the other
//! side. Lengths are in view coordinates, in which the scene has a radius of one.
//!
//! The key light is a distant spot light instead of a directional one: one shadow map covers the view, where a directional
//! light has four cascades, into each of which the whole scene is drawn.

use std::f32::consts::FRAC_1_PI;

use kiss3d::glamx::{Pose3, Quat, Vec3};
use kiss3d::light::{Fog, Light, LightType};
use kiss3d::scene::SceneNode3d;
use nalgebra::Vector3;

use super::material::Illumination;
use super::paint::kiss_color;
use super::similarity::Similarity;
use crate::surface::single;
use crate::{Camera, Color, palette};

/// Ambient light as a fraction of white, on transparent surfaces, whose material has no light from below.
pub(super) const AMBIENT: f32 = 0.34;
/// Ambient light from above and from below on opaque surfaces.
const HEMISPHERE: [f32; 2] = [0.43, 0.27];
/// Direction of the key light.
const LAMP: Vec3 = Vec3::new(0.46, 0.42, -1.0);
/// Intensity of the key light: together with the ambient light, surfaces that face it have their own colour.
const LAMP_INTENSITY: f32 = 2.05;
/// Direction and intensity of the fill light, which casts no shadows.
const FILL: (Vec3, f32) = (Vec3::new(-0.8, 0.25, -0.25), 0.45);
/// Distance of the key light: larger makes shadows more parallel, smaller gives the shadow map more depth resolution.
const FAR: f32 = 20.0;
/// Minimum distance of the key light over the radius that it lights: bounds the angle of its cone.
const SLENDER: f32 = 2.5;
/// Distances behind the camera's target at which fog begins and at which it hides everything.
const FADE: [f32; 2] = [2.0, 6.0];
/// Maximum distance from the scene's centre at which bodies cast shadows: a body in free fall must not stretch the depth
/// range of the shadow map.
pub(super) const CASTS_WITHIN: f32 = 8.0;

/// Light of a picture. The light of opaque surfaces is the sum of [`LightPart::WithoutSky`] and the mean of [`LightPart::Sky`] over all
/// directions above the horizon, which is that of [`LightPart::Whole`] where nothing is between a surface and the sky.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum LightPart {
    /// All light, that of the sky without shadows.
    #[default]
    Whole,
    /// All but the light of the sky.
    WithoutSky,
    /// The light of the sky as if all of it came from a direction, with shadows; whatever is not lit by it is black. Unit vector
    /// towards it \[world\].
    Sky(Vector3<f64>),
}

/// The lights of a scene.
pub(super) struct Lights {
    lamp: SceneNode3d,
    fill: SceneNode3d,
}

impl Lights {
    /// Adds the lights under `root`.
    pub(super) fn new(root: &mut SceneNode3d) -> Self {
        let lamp = root.add_light(Light::spot(0.1, 0.1, 1.0).with_intensity(LAMP_INTENSITY));
        let fill = Light::directional(FILL.0.normalize()).with_intensity(FILL.1);
        let fill = root.add_light(fill.with_casts_shadows(false));
        Self { lamp, fill }
    }

    /// Aims the key light at the part of the view in front of the fog, for a picture of this width over height, or that of the sky
    /// instead, which does not light transparent surfaces.
    pub(super) fn aim(&mut self, camera: &Camera, place: &Similarity, aspect: f32, light: LightPart) {
        let distance = in_view(camera.distance, place);
        #[expect(clippy::cast_possible_truncation, reason = "an angle")]
        let half_height = (0.5 * camera.field_of_view).tan() as f32;
        // Half the diagonal of the view at the target, plus the depth behind it up to the fog.
        let radius = (FADE[1] - 1.0) + distance * half_height * aspect.hypot(1.0);
        let away = FAR.max(SLENDER * radius);
        let direction = match light {
            LightPart::Whole | LightPart::WithoutSky => LAMP.normalize(),
            LightPart::Sky(towards) => -Vec3::from(single(&towards)),
        };
        let intensities =
            if matches!(light, LightPart::Sky(_)) { [0.0; 2] } else { [LAMP_INTENSITY, FILL.1] };
        self.fill.modify_light(|light| light.intensity = intensities[1]);
        let position = place.point(&camera.target) - direction * away;
        let rotation = Quat::from_rotation_arc(Vec3::NEG_Z, direction);
        self.lamp.set_pose(Pose3::from_parts(position, rotation));
        let cone = (radius / away).atan();
        self.lamp.modify_light(|light| {
            light.intensity = intensities[0];
            light.light_type = LightType::Spot {
                inner_cone_angle: cone,
                outer_cone_angle: 1.01 * cone,
                // Practically no attenuation: otherwise the brightness would depend on the zoom.
                attenuation_radius: 1e3 * away,
            };
        });
    }
}

/// Distances from the eye at which fog begins, and at which it hides everything.
pub(super) fn fade(camera: &Camera, place: &Similarity) -> [f32; 2] {
    let distance = in_view(camera.distance, place);
    FADE.map(|behind| distance + behind)
}

/// Fog that fades distant objects and the horizon of the ground into a background.
pub(super) fn fog([from, to]: [f32; 2], background: Color) -> Fog {
    Fog::linear(kiss_color(background), from, to)
}

/// The same lights for opaque surfaces, before the first picture. kiss3d's diffuse surfaces reflect one πth of an intensity.
pub(super) fn illumination(has_shadows: bool) -> Illumination {
    let background = kiss_color(palette::BACKGROUND);
    Illumination {
        key: (-LAMP.normalize(), LAMP_INTENSITY * FRAC_1_PI),
        fill: (-FILL.0.normalize(), FILL.1 * FRAC_1_PI),
        ambient: HEMISPHERE,
        own_light: 1.0,
        has_shadows,
        fog: [background.r, background.g, background.b],
        fog_range: FADE,
        ground: (Vec3::ZERO, 0.0),
    }
}

/// The part of an illumination in a picture of this light.
pub(super) fn part(whole: Illumination, light: LightPart) -> Illumination {
    match light {
        LightPart::Whole => whole,
        LightPart::WithoutSky => Illumination { ambient: [0.0, HEMISPHERE[1]], ..whole },
        // The mean cosine over the hemisphere is a half.
        LightPart::Sky(towards) => Illumination {
            key: (Vec3::from(single(&towards)), 2.0 * HEMISPHERE[0]),
            fill: (whole.fill.0, 0.0),
            ambient: [0.0; 2],
            own_light: 0.0,
            fog: [0.0; 3],
            ..whole
        },
    }
}

fn in_view(length: f64, place: &Similarity) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "what the graphics card takes")]
    let length = (length * place.scale) as f32;
    length
}
