//! Bodies on the stage: instanced by shape; bodies of equal shape share a mesh on the graphics card.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use kiss3d::glamx::{Mat3, Pose3, Quat, Vec2, Vec3};
use kiss3d::resource::{GpuMesh3d, Texture};
use kiss3d::scene::{InstanceData3d, SceneNode3d};
use nalgebra::{Isometry3, Point3, Translation3};

use super::light::CASTS_WITHIN;
use super::material::dress;
use super::paint::{Finish, WHITE, kiss_color, paint, unlit};
use super::similarity::Similarity;
use crate::surface::{Surface, single};
use crate::{Color, Drawing, Models, SoftModel, VertexValues};
use extricate_core::geometry::TriangleMesh;
use extricate_scene::record::WorldState;

/// A mesh on the graphics card, and its centre in its own frame [m], which is the origin of its vertices.
type Uploaded = (Rc<RefCell<GpuMesh3d>>, Point3<f64>);

/// Meshes on the graphics card by address; a reference is stored, so that an address is not reused.
#[derive(Default)]
pub(super) struct Meshes(HashMap<*const TriangleMesh, (Arc<TriangleMesh>, Uploaded)>);

impl Meshes {
    /// Mesh on the graphics card, uploaded at the first call.
    pub(super) fn uploaded(&mut self, mesh: &Arc<TriangleMesh>, place: &Similarity) -> Uploaded {
        let (_, uploaded) = self.0.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
            let surface = Surface::of(mesh, place.scale);
            let center = surface.center;
            (Arc::clone(mesh), (Rc::new(RefCell::new(gpu_mesh(surface))), center))
        });
        uploaded.clone()
    }
}

fn gpu_mesh(surface: Surface) -> GpuMesh3d {
    let vectors = |list: Vec<[f32; 3]>| list.into_iter().map(Vec3::from).collect();
    let normals = Some(vectors(surface.normals));
    GpuMesh3d::new(vectors(surface.positions), surface.triangles, normals, None, false)
}

/// The bodies on the stage. Bodies of equal shape are drawn in one call: its fixed cost, which is high in software
/// rendering, is paid once.
#[derive(Default)]
pub(super) struct Bodies {
    shapes: Vec<InstancedShape>,
    /// Shape of each body, an index in `shapes`, and the centre of its mesh in the body's frame [m].
    rigid: Vec<Option<(usize, Point3<f64>)>>,
    soft: Vec<SoftNode>,
    ghosts: Vec<SceneNode3d>,
}

impl Bodies {
    /// Adds all bodies of a scene under `root`.
    pub(super) fn new(
        models: &Models,
        state: &WorldState,
        (root, meshes, place): (&mut SceneNode3d, &mut Meshes, &Similarity),
    ) -> Self {
        let mut shapes: Vec<InstancedShape> = Vec::new();
        let mut known = HashMap::new();
        let rigid = models.bodies.iter().map(|body| {
            let mesh = body.mesh.as_ref()?;
            let (uploaded, center) = meshes.uploaded(mesh, place);
            let shape = *known.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
                shapes.push(InstancedShape { mesh: uploaded, groups: Default::default() });
                shapes.len() - 1
            });
            Some((shape, center))
        });
        let rigid = rigid.collect();
        let soft = models.soft.iter().zip(&state.soft);
        let soft = soft.map(|(model, soft)| SoftNode::new(model, &soft.nodes, root, place)).collect();
        Self { shapes, rigid, soft, ghosts: Vec::new() }
    }

    /// Sets the poses and colours of all bodies, and adds the ghosts.
    pub(super) fn place(
        &mut self,
        models: &Models,
        state: &WorldState,
        drawing: &Drawing,
        stage: &mut StageResources,
    ) {
        let opacity = |color: Color| drawing.opacity.map_or(color, |alpha| color.with_alpha(alpha));
        for (index, body) in self.rigid.iter().enumerate() {
            let Some((shape, center)) = body else { continue };
            let own = opacity(models.bodies[index].color);
            let color = drawing.tints.get(&index).copied().unwrap_or(own);
            let pose = pose(&state.pose(index), center, stage.place);
            self.shapes[*shape].add(pose, color);
        }
        self.shapes.iter_mut().for_each(|shape| shape.show(stage.root));
        for (index, node) in self.soft.iter_mut().enumerate() {
            let model = &models.soft[index];
            node.deform(model, &state.soft[index].nodes, stage.place);
            let own = drawing.soft_tints.get(&index).copied().unwrap_or_else(|| opacity(model.color));
            node.color(model, own, drawing.soft_values.get(&index), stage);
        }
        // Ghosts are few and change with every drawing: their nodes are rebuilt, their meshes are cached.
        self.ghosts.drain(..).for_each(|mut ghost| ghost.remove());
        for ghost in &drawing.ghosts {
            let (mesh, center) = stage.meshes.uploaded(&ghost.mesh, stage.place);
            let mut node = stage.root.add_mesh(mesh, Vec3::ONE);
            node.set_pose(pose(&ghost.pose, &center, stage.place));
            node.set_casts_shadows(false);
            dress(&mut node);
            paint(&mut node, ghost.color, Finish::Dull);
            self.ghosts.push(node);
        }
    }
}

/// A shape and its instances.
struct InstancedShape {
    mesh: Rc<RefCell<GpuMesh3d>>,
    /// Opaque instances without shadow, opaque ones with shadow, and transparent ones, which cast none.
    groups: [Group; 3],
}

/// Instances drawn in one call.
#[derive(Default)]
struct Group {
    node: Option<SceneNode3d>,
    instances: Vec<InstanceData3d>,
}

impl InstancedShape {
    /// Adds an instance to the next picture.
    fn add(&mut self, pose: Pose3, color: Color) {
        let is_seen_through = color.alpha < 1.0;
        let casts_shadow = pose.translation.length() < CASTS_WITHIN;
        let group = &mut self.groups[if is_seen_through { 2 } else { usize::from(casts_shadow) }];
        group.instances.push(InstanceData3d {
            position: pose.translation,
            deformation: Mat3::from_quat(pose.rotation),
            color: kiss_color(color),
            ..InstanceData3d::default()
        });
    }

    /// Shows the instances added since the last call.
    fn show(&mut self, root: &mut SceneNode3d) {
        /// Opacity of the group's colour: kiss3d decides by it whether the group is drawn as transparent.
        const NEARLY_OPAQUE: f32 = 0.999;
        for (index, group) in self.groups.iter_mut().enumerate() {
            if group.node.is_none() && !group.instances.is_empty() {
                let mut node = root.add_mesh(Rc::clone(&self.mesh), Vec3::ONE);
                dress(&mut node);
                let alpha = if index < 2 { 1.0 } else { NEARLY_OPAQUE };
                paint(&mut node, WHITE.with_alpha(alpha), Finish::Satin);
                node.set_casts_shadows(index == 1);
                group.node = Some(node);
            }
            if let Some(node) = &mut group.node {
                node.set_visible(!group.instances.is_empty());
                node.set_instances(&group.instances);
                group.instances.clear();
            }
        }
    }
}

/// Shared resources for adding nodes to the stage.
pub(super) struct StageResources<'a> {
    pub(super) root: &'a mut SceneNode3d,
    pub(super) meshes: &'a mut Meshes,
    pub(super) place: &'a Similarity,
    pub(super) colors: &'a Arc<Texture>,
    pub(super) white: &'a Arc<Texture>,
}

/// Pose body → view of a mesh with vertices about its own centre.
fn pose(body: &Isometry3<f64>, center: &Point3<f64>, place: &Similarity) -> Pose3 {
    let whole = body * Translation3::from(center.coords);
    #[expect(clippy::cast_possible_truncation, reason = "what the graphics card takes")]
    let [x, y, z, w] =
        [whole.rotation.i, whole.rotation.j, whole.rotation.k, whole.rotation.w].map(|q| q as f32);
    Pose3::from_parts(place.point(&whole.translation.vector.into()), Quat::from_xyzw(x, y, z, w).normalize())
}

/// Emissive fraction of the colours of values: larger hides the shape, smaller shades the colours away from the legend.
const OWN_LIGHT: f32 = 0.6;

/// A soft body on the stage, with a mesh that changes with every state.
struct SoftNode {
    node: SceneNode3d,
    mesh: Rc<RefCell<GpuMesh3d>>,
    shows_values: bool,
}

impl SoftNode {
    fn new(model: &SoftModel, nodes: &[Point3<f64>], root: &mut SceneNode3d, place: &Similarity) -> Self {
        let positions = positions(model, nodes, place).collect();
        let mesh = GpuMesh3d::new(positions, model.triangles.clone(), None, None, true);
        let mesh = Rc::new(RefCell::new(mesh));
        let mut node = root.add_mesh(Rc::clone(&mesh), Vec3::ONE).enable_backface_culling(false);
        dress(&mut node);
        Self { node, mesh, shows_values: false }
    }

    fn deform(&mut self, model: &SoftModel, nodes: &[Point3<f64>], place: &Similarity) {
        self.node.modify_vertices(&mut |vertices| {
            vertices.clear();
            vertices.extend(positions(model, nodes, place));
        });
        self.node.recompute_normals();
    }

    /// Sets its own colour, or the colours of values on its nodes.
    fn color(
        &mut self,
        model: &SoftModel,
        own: Color,
        values: Option<&VertexValues>,
        stage: &StageResources,
    ) {
        let Some(values) = values else {
            if std::mem::take(&mut self.shows_values) {
                self.node.set_texture(Arc::clone(stage.white));
                self.node.set_emissive(kiss3d::color::BLACK);
            }
            paint(&mut self.node, own, Finish::Satin);
            return;
        };
        self.node.modify_uvs(&mut |uvs| {
            uvs.clear();
            uvs.extend(model.nodes.iter().map(|&node| texel(values.values[node as usize])));
        });
        if !std::mem::replace(&mut self.shows_values, true) {
            unlit(&mut self.node, stage.colors, OWN_LIGHT);
        }
        debug_assert_eq!(self.mesh.borrow().num_pts(), 3 * model.triangles.len());
    }
}

fn positions<'a>(
    model: &'a SoftModel,
    nodes: &'a [Point3<f64>],
    place: &'a Similarity,
) -> impl Iterator<Item = Vec3> + 'a {
    model.nodes.iter().map(|&node| Vec3::from(single(&place.vector(&nodes[node as usize]))))
}

/// Texture coordinates of a value in the colour-map texture.
pub(super) fn texel(value: f64) -> Vec2 {
    /// Half a texel: the texture repeats, and values at the ends must not be filtered with the other end.
    const EDGE: f64 = 0.5 / 256.0;
    let inside = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
    #[expect(clippy::cast_possible_truncation, reason = "what the graphics card takes")]
    Vec2::new((EDGE + (1.0 - 2.0 * EDGE) * inside) as f32, 0.5)
}
