//! Uniforms of the material, in the layout of `shader.wgsl`.

use kiss3d::camera::Camera3d;
use kiss3d::glamx::{Mat4, Pose3, Vec3};
use kiss3d::scene::ObjectData3d;

/// Light of a picture, in view coordinates.
#[derive(Debug, Clone, Copy)]
pub(in crate::stage) struct Illumination {
    /// Unit vector towards the key light, and its intensity.
    pub(in crate::stage) key: (Vec3, f32),
    /// Unit vector towards the fill light, and its intensity.
    pub(in crate::stage) fill: (Vec3, f32),
    /// Ambient light from above and from below.
    pub(in crate::stage) ambient: [f32; 2],
    /// Factor of highlights and of emitted light.
    pub(in crate::stage) own_light: f32,
    /// Whether the key light casts shadows.
    pub(in crate::stage) has_shadows: bool,
    /// Colour of the fog, linear.
    pub(in crate::stage) fog: [f32; 3],
    /// Distances from the eye at which fog begins and at which it hides everything.
    pub(in crate::stage) fog_range: [f32; 2],
    /// Normal of the ground, zero if there is none, and height of the origin above it.
    pub(in crate::stage) ground: (Vec3, f32),
}

/// Size of the uniforms of a picture [bytes].
pub(super) const FRAME_BYTES: u64 = 160;

/// Uniforms of an object: `Object` of the shader.
pub(super) type ObjectUniforms = [f32; 32];

/// Uniforms of a picture: `Frame` of the shader.
pub(super) fn frame_bytes(camera: &dyn Camera3d, pass: usize, light: &Illumination) -> Vec<u8> {
    let (view, projection) = camera.view_transform_pair(pass);
    let view_projection: Mat4 = projection * view.to_mat4();
    let eye = camera.eye();
    let [near, far] = light.fog_range;
    let four = |(vector, last): (Vec3, f32)| [vector.x, vector.y, vector.z, last];
    let shadows = if light.has_shadows { 1.0 } else { 0.0 };
    let rows = [
        four((eye, near)),
        four(light.key),
        four(light.fill),
        four((Vec3::from(light.fog), (far - near).recip())),
        four(light.ground),
        [light.ambient[0], light.ambient[1], shadows, light.own_light],
    ];
    let numbers = view_projection.to_cols_array().into_iter().chain(rows.into_iter().flatten());
    let bytes: Vec<u8> = numbers.flat_map(f32::to_ne_bytes).collect();
    debug_assert_eq!(bytes.len() as u64, FRAME_BYTES);
    bytes
}

/// Uniforms of an object at a pose, scaled before.
pub(super) fn object_uniforms(transform: Pose3, scale: Vec3, data: &ObjectData3d) -> ObjectUniforms {
    /// Strength of a highlight on a surface of full reflectance and no roughness.
    const SHINE: f32 = 0.9;
    let highlight = SHINE * data.reflectance() * (1.0 - data.roughness());
    let (color, emissive) = (data.color(), data.emissive());
    let mut uniforms = [0.0; 32];
    uniforms[..16].copy_from_slice(&transform.to_mat4().to_cols_array());
    uniforms[16..20].copy_from_slice(&[scale.x, scale.y, scale.z, highlight]);
    uniforms[20..24].copy_from_slice(&[color.r, color.g, color.b, 1.0]);
    uniforms[24..28].copy_from_slice(&[emissive.r, emissive.g, emissive.b, 0.0]);
    uniforms
}
