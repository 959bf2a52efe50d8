//! Material of opaque surfaces: hemisphere light, a key light with soft shadows, a fill light and a highlight.
//!
//! On a software renderer a pixel of kiss3d's physically based material costs ten times as much. Transparent surfaces keep that
//! material, whose order-independent blending this one has no part in.

mod pipeline;
mod uniforms;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use kiss3d::camera::Camera3d;
use kiss3d::context::Context;
use kiss3d::glamx::{Pose3, Vec3};
use kiss3d::light::LightCollection;
use kiss3d::resource::vertex_index::VERTEX_INDEX_FORMAT;
use kiss3d::resource::{
    DynamicUniformBuffer, GpuData, GpuMesh3d, Material3d, MaterialManager3d, RenderContext, RenderPhase,
    Texture,
};
use kiss3d::scene::{InstancesBuffer3d, ObjectData3d, SceneNode3d};

use self::pipeline::Pipelines;
pub(super) use self::uniforms::Illumination;
use self::uniforms::{FRAME_BYTES, ObjectUniforms, frame_bytes, object_uniforms};

/// A material as kiss3d shares it.
type Shared = Rc<RefCell<Box<dyn Material3d + 'static>>>;

/// Name in kiss3d's table of materials.
const NAME: &str = "extricate opaque";

thread_local! {
    /// Light of the next picture of any stage of this thread: there is one material for all of them, since kiss3d begins a
    /// picture only for the materials in its table.
    static ILLUMINATION: Cell<Option<Illumination>> = const { Cell::new(None) };
}

/// Adds the material to kiss3d's table, from which [`dress`] takes it, unless another stage of this thread did.
pub(super) fn register() {
    MaterialManager3d::get_global_manager(|manager| {
        if manager.get(NAME).is_none() {
            let material: Box<dyn Material3d + 'static> =
                Box::new(OpaqueMaterial::new(manager.get_default()));
            manager.add(Rc::new(RefCell::new(material)), NAME);
        }
    });
}

/// Sets the light of the next picture.
pub(super) fn illuminate(light: Illumination) {
    ILLUMINATION.set(Some(light));
}

/// Gives a node the material.
pub(super) fn dress(node: &mut SceneNode3d) {
    node.set_material_with_name(NAME);
}

/// The material.
struct OpaqueMaterial {
    /// Material of transparent surfaces.
    standard: Shared,
    pipelines: Pipelines,
    frame: wgpu::Buffer,
    /// Frame and shadow map; made anew in each picture, since the map may have been.
    frame_group: Option<wgpu::BindGroup>,
    objects: DynamicUniformBuffer<ObjectUniforms>,
    objects_group: wgpu::BindGroup,
    is_prepared: bool,
}

/// Data of an object.
struct OpaqueData {
    /// Place of its uniforms.
    offset: u32,
    /// Its texture and the group that binds it.
    texture: Option<(Arc<Texture>, wgpu::BindGroup)>,
    /// Data of the standard material, once it is drawn with that.
    standard: Option<Box<dyn GpuData>>,
}

impl GpuData for OpaqueData {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl OpaqueMaterial {
    fn new(standard: Shared) -> Self {
        let pipelines = Pipelines::new();
        let frame = Context::get().create_buffer(&wgpu::BufferDescriptor {
            label: Some("extricate frame"),
            size: FRAME_BYTES,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let objects = DynamicUniformBuffer::new("extricate objects");
        let objects_group = pipelines.objects_group(&objects);
        Self { standard, pipelines, frame, frame_group: None, objects, objects_group, is_prepared: false }
    }
}

/// Whether kiss3d draws an object in its pass of transparent surfaces.
fn is_seen_through(data: &ObjectData3d) -> bool {
    data.color().a < 1.0
}

fn own_data(data: &mut dyn GpuData) -> &mut OpaqueData {
    // Invariant: an object has the data that its material made.
    #[expect(clippy::expect_used, reason = "kiss3d gives an object's data to the material that made it")]
    data.as_any_mut().downcast_mut().expect("data of this material")
}

impl Material3d for OpaqueMaterial {
    fn create_gpu_data(&self) -> Box<dyn GpuData> {
        Box::new(OpaqueData { offset: 0, texture: None, standard: None })
    }

    fn begin_frame(&mut self) {
        self.objects.clear();
        self.frame_group = None;
        self.is_prepared = false;
    }

    fn prepare(
        &mut self,
        pass: usize,
        transform: Pose3,
        scale: Vec3,
        camera: &mut dyn Camera3d,
        lights: &LightCollection,
        data: &ObjectData3d,
        gpu_data: &mut dyn GpuData,
        width: u32,
        height: u32,
    ) {
        let own = own_data(gpu_data);
        if is_seen_through(data) {
            let mut standard = self.standard.borrow_mut();
            let inner = own.standard.get_or_insert_with(|| standard.create_gpu_data());
            standard.prepare(pass, transform, scale, camera, lights, data, &mut **inner, width, height);
            return;
        }
        if !std::mem::replace(&mut self.is_prepared, true)
            && let Some(light) = ILLUMINATION.get()
        {
            Context::get().write_buffer(&self.frame, 0, &frame_bytes(camera, pass, &light));
        }
        own.offset = self.objects.push(&object_uniforms(transform, scale, data));
    }

    fn flush(&mut self) {
        if self.objects.flush() {
            self.objects_group = self.pipelines.objects_group(&self.objects);
        }
    }

    fn renders_in_transparent_phase(&self) -> bool {
        true
    }

    fn render(
        &mut self,
        pass: usize,
        transform: Pose3,
        scale: Vec3,
        camera: &mut dyn Camera3d,
        lights: &LightCollection,
        data: &ObjectData3d,
        mesh: &mut GpuMesh3d,
        instances: &mut InstancesBuffer3d,
        gpu_data: &mut dyn GpuData,
        render_pass: &mut wgpu::RenderPass<'_>,
        context: &RenderContext,
    ) {
        let own = own_data(gpu_data);
        if is_seen_through(data) {
            if let Some(inner) = &mut own.standard {
                let mut standard = self.standard.borrow_mut();
                standard.render(
                    pass,
                    transform,
                    scale,
                    camera,
                    lights,
                    data,
                    mesh,
                    instances,
                    &mut **inner,
                    render_pass,
                    context,
                );
            }
            return;
        }
        if context.phase != RenderPhase::Opaque || !data.surface_rendering_active() {
            return;
        }
        let Some(shadow) = &context.shadow else { return };
        let pipelines = &self.pipelines;
        let frame_group = self.frame_group.get_or_insert_with(|| pipelines.frame_group(&self.frame, shadow));
        let texture = data.texture();
        if own.texture.as_ref().is_none_or(|(known, _)| !Arc::ptr_eq(known, texture)) {
            own.texture = Some((Arc::clone(texture), pipelines.texture_group(texture)));
        }
        let Some((_, texture_group)) = &own.texture else { return };
        let pipeline = pipelines.get(data.backface_culling_enabled(), context.sample_count);
        render_pass.set_pipeline(&pipeline);
        render_pass.set_bind_group(0, &*frame_group, &[]);
        render_pass.set_bind_group(1, &self.objects_group, &[own.offset]);
        render_pass.set_bind_group(2, texture_group, &[]);
        draw(mesh, instances, render_pass);
    }
}

/// Draws all instances of a mesh.
fn draw(mesh: &mut GpuMesh3d, instances: &mut InstancesBuffer3d, render_pass: &mut wgpu::RenderPass<'_>) {
    instances.positions.load_to_gpu();
    instances.colors.load_to_gpu();
    instances.deformations.load_to_gpu();
    // Before the faces are locked, which this locks too.
    let indices = 0..mesh.num_indices();
    let count = u32::try_from(instances.len()).unwrap_or(u32::MAX);
    let (Ok(mut coords), Ok(mut uvs), Ok(mut normals), Ok(mut faces)) =
        (mesh.coords().write(), mesh.uvs().write(), mesh.normals().write(), mesh.faces().write())
    else {
        return;
    };
    coords.load_to_gpu();
    uvs.load_to_gpu();
    normals.load_to_gpu();
    faces.load_to_gpu();
    let buffers = [
        coords.buffer(),
        uvs.buffer(),
        normals.buffer(),
        instances.positions.buffer(),
        instances.colors.buffer(),
        instances.deformations.buffer(),
    ];
    for (slot, buffer) in (0_u32..).zip(buffers) {
        let Some(buffer) = buffer else { return };
        render_pass.set_vertex_buffer(slot, buffer.slice(..));
    }
    let Some(faces) = faces.buffer() else { return };
    render_pass.set_index_buffer(faces.slice(..), VERTEX_INDEX_FORMAT);
    render_pass.draw_indexed(indices, 0, 0..count);
}
