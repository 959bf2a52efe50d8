//! Arrows, points, lines and patches on the stage.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use kiss3d::glamx::{Mat3, Quat, Vec2, Vec3};
use kiss3d::renderer::Polyline3d;
use kiss3d::resource::{GpuMesh3d, Texture};
use kiss3d::scene::{InstanceData3d, SceneNode3d};
use kiss3d::window::Window;
use nalgebra::Point3;

use super::bodies::texel;
use super::material::dress;
use super::paint::{Finish, WHITE, kiss_color, paint, unlit};
use super::similarity::Similarity;
use crate::surface::single;
use crate::{Arrow, Drawing, Line, Patch, Point};

/// Radius of an arrow's shaft over the scene's radius.
const SHAFT: f32 = 0.006;
/// Radius and length of its head over the shaft's radius.
const HEAD: [f32; 2] = [2.6, 6.5];
/// Radius of a point over the scene's radius.
const POINT: f32 = 0.011;

/// Nodes with the marks as instances.
pub(super) struct Marks {
    shafts: SceneNode3d,
    heads: SceneNode3d,
    points: SceneNode3d,
    patches: Vec<SceneNode3d>,
}

impl Marks {
    pub(super) fn new(root: &mut SceneNode3d) -> Self {
        let mark = |mut node: SceneNode3d| {
            node.set_casts_shadows(false);
            dress(&mut node);
            paint(&mut node, WHITE, Finish::Dull);
            node
        };
        Self {
            shafts: mark(root.add_cylinder_with_subdiv(1.0, 1.0, 12)),
            heads: mark(root.add_cone_with_subdiv(1.0, 1.0, 16)),
            points: mark(root.add_sphere_with_subdiv(1.0, 12, 8)),
            patches: Vec::new(),
        }
    }

    /// Shows the marks of a drawing.
    pub(super) fn place(
        &mut self,
        drawing: &Drawing,
        root: &mut SceneNode3d,
        place: &Similarity,
        colors: &Arc<Texture>,
    ) {
        let (mut shafts, mut heads) = (Vec::new(), Vec::new());
        for arrow in &drawing.arrows {
            if let Some([shaft, head]) = instances_of(arrow, place) {
                shafts.push(shaft);
                heads.push(head);
            }
        }
        let points: Vec<_> = drawing.points.iter().map(|point| ball(point, place)).collect();
        for (node, instances) in
            [(&mut self.shafts, shafts), (&mut self.heads, heads), (&mut self.points, points)]
        {
            node.set_visible(!instances.is_empty());
            node.set_instances(&instances);
        }
        self.patches.drain(..).for_each(|mut patch| patch.remove());
        for patch in &drawing.patches {
            self.patches.push(patch_node(patch, root, place, colors));
        }
    }
}

fn ball(point: &Point, place: &Similarity) -> InstanceData3d {
    InstanceData3d {
        position: place.point(&point.at),
        deformation: Mat3::from_diagonal(Vec3::splat(POINT * point.size)),
        color: kiss_color(point.color),
        ..InstanceData3d::default()
    }
}

/// Shaft and head of an arrow; `None` if it has no length. Cylinders and cones have their axis along y.
fn instances_of(arrow: &Arrow, place: &Similarity) -> Option<[InstanceData3d; 2]> {
    let from = place.point(&arrow.from);
    let along = Vec3::from(single(&(arrow.along * place.scale)));
    let length = along.length();
    if !(length > 0.0) {
        return None;
    }
    let radius = SHAFT * arrow.thickness;
    let head = (HEAD[1] * radius).min(0.6 * length);
    let rotation = Mat3::from_quat(Quat::from_rotation_arc(Vec3::Y, along / length));
    let piece = |middle: f32, radius: f32, length_of: f32| InstanceData3d {
        position: from + along * (middle / length),
        deformation: rotation * Mat3::from_diagonal(Vec3::new(radius, length_of, radius)),
        color: kiss_color(arrow.color),
        ..InstanceData3d::default()
    };
    let shaft = length - head;
    Some([piece(0.5 * shaft, radius, shaft), piece(shaft + 0.5 * head, HEAD[0] * radius, head)])
}

fn patch_node(
    patch: &Patch,
    root: &mut SceneNode3d,
    place: &Similarity,
    colors: &Arc<Texture>,
) -> SceneNode3d {
    let vertices = patch.vertices.iter().map(|p: &Point3<f64>| place.point(p)).collect();
    let uvs: Vec<Vec2> = patch.values.iter().map(|&value| texel(value)).collect();
    // Patches are not lit, but normals that cancel, as of triangles of unlike orientation, would make them black.
    let normals = vec![Vec3::Z; patch.vertices.len()];
    let mesh = GpuMesh3d::new(vertices, patch.triangles.clone(), Some(normals), Some(uvs), false);
    let mut node = root.add_mesh(Rc::new(RefCell::new(mesh)), Vec3::ONE).enable_backface_culling(false);
    node.set_casts_shadows(false);
    dress(&mut node);
    unlit(&mut node, colors, 1.0);
    node
}

/// Draws lines in the next picture.
pub(super) fn draw_lines(
    window: &mut Window,
    lines: impl Iterator<Item = Line>,
    place: &Similarity,
    pixels_per_point: f32,
) {
    /// Depth bias of a line on top, in normalised depth: the whole range.
    const ON_TOP: f32 = 1.0;
    /// Depth bias of all other lines, in normalised depth: they stay visible on the surface on which they lie.
    const ON_SURFACE: f32 = 1e-5;
    let mut polyline = Polyline3d::new(Vec::with_capacity(2));
    for line in lines {
        polyline.vertices.clear();
        polyline.vertices.extend(line.ends.iter().map(|end| place.point(end)));
        polyline.color = kiss_color(line.color);
        polyline.width = line.width * pixels_per_point;
        polyline.depth_bias = if line.on_top { ON_TOP } else { ON_SURFACE };
        window.draw_polyline(&polyline);
    }
}
