//! Pipelines and bind groups of the material.

use std::rc::Rc;

use kiss3d::context::Context;
use kiss3d::resource::{DynamicUniformBuffer, PipelineCache, ShadowResources, Texture, multisample_state};
use wgpu::{
    BindGroupLayoutEntry, BindingResource, BindingType, BufferBindingType, SamplerBindingType, ShaderStages,
    TextureSampleType, TextureViewDimension, VertexFormat, VertexStepMode,
};

use super::uniforms::ObjectUniforms;

/// Pipelines by culling and number of samples, and the layouts of their bind groups.
pub(super) struct Pipelines {
    culled: PipelineCache,
    two_sided: PipelineCache,
    /// Frame, object, texture.
    layouts: [wgpu::BindGroupLayout; 3],
}

impl Pipelines {
    pub(super) fn new() -> Self {
        let context = Context::get();
        let layouts = layouts(&context);
        let layout = context.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("extricate opaque"),
            bind_group_layouts: &[Some(&layouts[0]), Some(&layouts[1]), Some(&layouts[2])],
            immediate_size: 0,
        });
        let shader = context.create_shader_module(Some("extricate opaque"), include_str!("shader.wgsl"));
        let parts = Rc::new((layout, shader));
        let cache = |culls: bool| {
            let parts = Rc::clone(&parts);
            PipelineCache::new(move |samples| pipeline(&parts.0, &parts.1, culls, samples))
        };
        Self { culled: cache(true), two_sided: cache(false), layouts }
    }

    /// The pipeline with or without culling of back faces.
    pub(super) fn get(&self, culls: bool, samples: u32) -> Rc<wgpu::RenderPipeline> {
        if culls { self.culled.get(samples) } else { self.two_sided.get(samples) }
    }

    /// Bind group of a picture.
    pub(super) fn frame_group(&self, frame: &wgpu::Buffer, shadow: &ShadowResources) -> wgpu::BindGroup {
        let resources = [
            frame.as_entire_binding(),
            BindingResource::TextureView(&shadow.atlas),
            BindingResource::Sampler(&shadow.compare_sampler),
            shadow.uniform.as_entire_binding(),
        ];
        bind_group("extricate frame", &self.layouts[0], resources)
    }

    /// Bind group of all objects, used with the offset of one.
    pub(super) fn objects_group(&self, objects: &DynamicUniformBuffer<ObjectUniforms>) -> wgpu::BindGroup {
        let buffer = wgpu::BufferBinding {
            buffer: objects.buffer(),
            offset: 0,
            size: std::num::NonZeroU64::new(objects.aligned_size()),
        };
        bind_group("extricate objects", &self.layouts[1], [BindingResource::Buffer(buffer)])
    }

    /// Bind group of a texture.
    pub(super) fn texture_group(&self, texture: &Texture) -> wgpu::BindGroup {
        let resources =
            [BindingResource::TextureView(&texture.view), BindingResource::Sampler(&texture.sampler)];
        bind_group("extricate texture", &self.layouts[2], resources)
    }
}

fn bind_group<const N: usize>(
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: [BindingResource<'_>; N],
) -> wgpu::BindGroup {
    let entries: Vec<_> =
        (0..).zip(resources).map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
    Context::get().create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(label),
        layout,
        entries: &entries,
    })
}

fn layouts(context: &Context) -> [wgpu::BindGroupLayout; 3] {
    let uniform = |has_dynamic_offset| BindingType::Buffer {
        ty: BufferBindingType::Uniform,
        has_dynamic_offset,
        min_binding_size: None,
    };
    let texture = |sample_type, view_dimension| BindingType::Texture {
        sample_type,
        view_dimension,
        multisampled: false,
    };
    let layout = |label, types: &[BindingType]| {
        let entries: Vec<_> = (0..)
            .zip(types)
            .map(|(binding, &ty)| BindGroupLayoutEntry {
                binding,
                visibility: ShaderStages::VERTEX_FRAGMENT,
                ty,
                count: None,
            })
            .collect();
        context.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        })
    };
    let color = TextureSampleType::Float { filterable: true };
    [
        layout(
            "extricate frame",
            &[
                uniform(false),
                texture(TextureSampleType::Depth, TextureViewDimension::D2Array),
                BindingType::Sampler(SamplerBindingType::Comparison),
                uniform(false),
            ],
        ),
        layout("extricate objects", &[uniform(true)]),
        layout(
            "extricate texture",
            &[texture(color, TextureViewDimension::D2), BindingType::Sampler(SamplerBindingType::Filtering)],
        ),
    ]
}

fn pipeline(
    layout: &wgpu::PipelineLayout,
    shader: &wgpu::ShaderModule,
    culls: bool,
    samples: u32,
) -> wgpu::RenderPipeline {
    let attribute = |format: VertexFormat, offset, shader_location| wgpu::VertexAttribute {
        format,
        offset,
        shader_location,
    };
    let three = VertexFormat::Float32x3;
    let [position, uv, normal, place, color] = [
        attribute(three, 0, 0),
        attribute(VertexFormat::Float32x2, 0, 1),
        attribute(three, 0, 2),
        attribute(three, 0, 3),
        attribute(VertexFormat::Float32x4, 0, 4),
    ]
    .map(|attribute| [attribute]);
    let columns = [attribute(three, 0, 5), attribute(three, 12, 6), attribute(three, 24, 7)];
    let buffer = |array_stride, step_mode, attributes| {
        Some(wgpu::VertexBufferLayout { array_stride, step_mode, attributes })
    };
    let (vertex, instance) = (VertexStepMode::Vertex, VertexStepMode::Instance);
    Context::get().create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("extricate opaque"),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some("vertex_main"),
            buffers: &[
                buffer(12, vertex, &position),
                buffer(8, vertex, &uv),
                buffer(12, vertex, &normal),
                buffer(12, instance, &place),
                buffer(16, instance, &color),
                buffer(36, instance, &columns),
            ],
            compilation_options: wgpu::PipelineCompilationOptions::default(),
        },
        fragment: Some(wgpu::FragmentState {
            module: shader,
            entry_point: Some("fragment_main"),
            targets: &[Some(wgpu::ColorTargetState {
                format: Context::render_format(),
                blend: None,
                write_mask: wgpu::ColorWrites::ALL,
            })],
            compilation_options: wgpu::PipelineCompilationOptions::default(),
        }),
        primitive: wgpu::PrimitiveState {
            cull_mode: culls.then_some(wgpu::Face::Back),
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: Context::depth_format(),
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: multisample_state(samples),
        multiview_mask: None,
        cache: None,
    })
}
