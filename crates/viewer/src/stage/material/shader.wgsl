// Light of opaque surfaces: a hemisphere of sky and ground light, a key light with soft shadows, a fill light, a highlight, and
// fog. Lengths are in view coordinates. Colours are linear.

struct Frame {
    view_projection: mat4x4<f32>,
    // Position of the eye; distance at which fog begins.
    eye: vec4<f32>,
    // Unit vector towards the key light; its intensity.
    key: vec4<f32>,
    // Unit vector towards the fill light; its intensity.
    fill: vec4<f32>,
    // Colour of the fog; one over the depth of its transition.
    fog: vec4<f32>,
    // Plane of the ground: its normal, and the height of the origin above it. The normal is zero if there is none.
    ground: vec4<f32>,
    // Ambient light from above and from below; whether there are shadows; factor of highlights and of emitted light.
    ambient: vec4<f32>,
}

// The part of kiss3d's shadow uniforms that a single spot light needs; the rest follows it.
struct Shadow {
    view_projection: mat4x4<f32>,
}

struct Object {
    transform: mat4x4<f32>,
    // Factors of the axes; strength of the highlight.
    scale: vec4<f32>,
    color: vec4<f32>,
    emissive: vec4<f32>,
    unused: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var shadow_map: texture_depth_2d_array;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;
@group(0) @binding(3) var<uniform> shadow: Shadow;
@group(1) @binding(0) var<uniform> object: Object;
@group(2) @binding(0) var colors: texture_2d<f32>;
@group(2) @binding(1) var colors_sampler: sampler;

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) uv: vec2<f32>,
    @location(2) normal: vec3<f32>,
    @location(3) instance_position: vec3<f32>,
    @location(4) instance_color: vec4<f32>,
    @location(5) instance_x: vec3<f32>,
    @location(6) instance_y: vec3<f32>,
    @location(7) instance_z: vec3<f32>,
}

struct Varying {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) @interpolate(flat) color: vec3<f32>,
}

@vertex
fn vertex_main(vertex: Vertex) -> Varying {
    let instance = mat3x3<f32>(vertex.instance_x, vertex.instance_y, vertex.instance_z);
    let rotated = object.transform * vec4<f32>(instance * (object.scale.xyz * vertex.position), 1.0);
    let position = rotated.xyz + vertex.instance_position;
    // Normals transform with the cofactors of the matrix.
    let cofactors = mat3x3<f32>(
        cross(instance[1], instance[2]),
        cross(instance[2], instance[0]),
        cross(instance[0], instance[1]),
    );
    let rotation = mat3x3<f32>(object.transform[0].xyz, object.transform[1].xyz, object.transform[2].xyz);
    var out: Varying;
    out.clip = frame.view_projection * vec4<f32>(position, 1.0);
    out.position = position;
    out.normal = rotation * (cofactors * (vertex.normal / object.scale.xyz));
    out.uv = vertex.uv;
    out.color = object.color.rgb * vertex.instance_color.rgb;
    return out;
}

// Half the side of the kernel of shadows; how far receivers are moved towards the light.
const PENUMBRA: f32 = 0.011;
const BIAS: f32 = 0.003;
// Minimum cosine between normal and light for which the plane of the receiver is followed across the kernel.
const STEEPEST: f32 = 0.15;

// Fraction of the key light that arrives at a position: comparisons at points of the receiver's tangent plane, which neither
// shade the receiver itself nor miss what touches it.
fn visibility(position: vec3<f32>, normal: vec3<f32>) -> f32 {
    let light = frame.key.xyz;
    let facing = dot(normal, light);
    let side = normalize(cross(light, vec3<f32>(light.z, light.x, light.y)));
    let up = cross(side, light);
    let slope = PENUMBRA / max(facing, STEEPEST);
    let along_side = shadow.view_projection * vec4<f32>(PENUMBRA * side - light * (slope * dot(normal, side)), 0.0);
    let along_up = shadow.view_projection * vec4<f32>(PENUMBRA * up - light * (slope * dot(normal, up)), 0.0);
    let clip = shadow.view_projection * vec4<f32>(position + BIAS * light, 1.0);
    let device = clip.xyz / clip.w;
    let step_side = (along_side.xyz - device * along_side.w) / clip.w;
    let step_up = (along_up.xyz - device * along_up.w) / clip.w;
    let across = 0.92 * step_side + 0.38 * step_up;
    let along = 0.92 * step_up - 0.38 * step_side;
    let outer = clear_at(device + across) + clear_at(device - across) + clear_at(device + along) + clear_at(device - along);
    // Pixels away from the edges of shadows, nearly all, need no more comparisons.
    if outer < 0.001 || outer > 3.999 {
        return 0.25 * outer;
    }
    let x = 0.43 * step_side + 0.18 * step_up;
    let y = 0.43 * step_up - 0.18 * step_side;
    let inner = clear_at(device + x) + clear_at(device - x) + clear_at(device + y) + clear_at(device - y);
    return 0.125 * (outer + inner);
}

// End of the range of depths: receivers behind the farthest caster are compared with it, not lit.
const LAST: f32 = 0.99999;

// One where the shadow map has nothing before a position, else zero; interpolated between four texels.
fn clear_at(at: vec3<f32>) -> f32 {
    let uv = vec2<f32>(0.5 + 0.5 * at.x, 0.5 - 0.5 * at.y);
    return textureSampleCompareLevel(shadow_map, shadow_sampler, uv, 0, min(at.z, LAST));
}

@fragment
fn fragment_main(surface: Varying, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    var normal = normalize(surface.normal);
    normal = select(-normal, normal, is_front);
    let to_eye = frame.eye.xyz - surface.position;
    let distance = length(to_eye);
    let texel = textureSample(colors, colors_sampler, surface.uv).rgb;
    let fogged = clamp((distance - frame.eye.w) * frame.fog.w, 0.0, 1.0);
    if fogged == 1.0 {
        return vec4<f32>(frame.fog.rgb, 1.0);
    }

    var key = max(dot(normal, frame.key.xyz), 0.0);
    if frame.ambient.z > 0.5 && key > 0.0 {
        key *= visibility(surface.position, normal);
    }
    // Surfaces that face the ground receive less light from it the nearer they are to it.
    let downward = 0.5 - 0.5 * normal.z;
    let height = dot(frame.ground.xyz, surface.position) + frame.ground.w;
    let near = dot(frame.ground.xyz, frame.ground.xyz) / (1.0 + 36.0 * height * height);
    let open = 1.0 - 0.7 * near * downward;
    let ambient = mix(frame.ambient.x, frame.ambient.y, downward) * open;
    let fill = frame.fill.w * max(dot(normal, frame.fill.xyz), 0.0);
    let diffuse = ambient + frame.key.w * key + fill;

    let half_way = normalize(to_eye / distance + frame.key.xyz);
    let shine = dot(normal, half_way);
    let shine_4 = shine * shine * shine * shine;
    let shine_16 = shine_4 * shine_4 * shine_4 * shine_4;
    let highlight = object.scale.w * min(key * 4.0, 1.0) * shine_16 * shine_16;

    let lit = texel * (surface.color * diffuse + frame.ambient.w * object.emissive.rgb) + frame.ambient.w * highlight;
    return vec4<f32>(mix(lit, frame.fog.rgb, fogged), 1.0);
}
