//! The objects of a glTF text that its triangles are made of, in double precision, in which a text may hold transforms. All other
//! objects (materials, images, animations, skins) are not read, so that a defect in them is none of the mesh.
//!
//! The crate `gltf` is not used: it rounds transforms to single precision, panics on accessors that do not exist, and refuses
//! files for defects in what is not read here.

use nalgebra::{Isometry3, Matrix4, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde::Deserialize;

use crate::geometry::limits::GLTF_ITEMS;
use crate::geometry::read::error::Fault;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    asset: Asset,
    #[serde(default)]
    pub(super) extensions_required: Vec<String>,
    scene: Option<usize>,
    #[serde(default)]
    scenes: Vec<Scene>,
    #[serde(default)]
    pub(super) nodes: Vec<Node>,
    #[serde(default)]
    meshes: Vec<Mesh>,
    #[serde(default)]
    accessors: Vec<Accessor>,
    #[serde(default)]
    buffer_views: Vec<View>,
    #[serde(default)]
    pub(super) buffers: Vec<Buffer>,
}

#[derive(Deserialize)]
struct Asset {
    version: String,
}

#[derive(Deserialize)]
struct Scene {
    #[serde(default)]
    nodes: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    #[serde(default)]
    pub(super) children: Vec<usize>,
    pub(super) mesh: Option<usize>,
    /// Column by column.
    matrix: Option<[f64; 16]>,
    #[serde(default)]
    translation: [f64; 3],
    /// x, y, z, w.
    #[serde(default = "no_rotation")]
    rotation: [f64; 4],
    #[serde(default = "no_scale")]
    scale: [f64; 3],
}

fn no_rotation() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

fn no_scale() -> [f64; 3] {
    [1.0; 3]
}

#[derive(Deserialize)]
struct Mesh {
    primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    attributes: Attributes,
    /// Accessor of the vertices of corners; without it, vertices are corners.
    pub(super) indices: Option<usize>,
    mode: Option<u32>,
}

#[derive(Deserialize)]
struct Attributes {
    #[serde(rename = "POSITION")]
    positions: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    /// Of the first item in the view [bytes].
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: usize,
    /// `SCALAR`, `VEC3`, …
    #[serde(rename = "type")]
    pub(super) dimensions: String,
    pub(super) sparse: Option<Sparse>,
}

/// Items that replace some of an accessor.
#[derive(Deserialize)]
pub(super) struct Sparse {
    pub(super) count: usize,
    pub(super) indices: SparsePart,
    pub(super) values: SparsePart,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparsePart {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    /// Of indices.
    pub(super) component_type: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    /// From one item to the next [bytes]; zero and none: items are adjacent.
    pub(super) byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    #[serde(default)]
    pub(super) byte_length: usize,
    pub(super) uri: Option<String>,
}

/// Arrangement of the corners of triangles.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    Triangles,
    Strip,
    Fan,
}

/// Type of a number in a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    /// By its number in a text.
    pub(super) fn of(number: u32) -> Option<Self> {
        Some(match number {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    /// Bytes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    pub(super) fn is_index(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }
}

impl Document {
    pub(super) fn parse(json: &[u8]) -> Result<Self, Fault> {
        check_items(json)?;
        let document: Self =
            serde_json::from_slice(json).map_err(|error| Fault::Content(error.to_string()))?;
        let version = &document.asset.version;
        if version.split('.').next() != Some("2") {
            return Err(Fault::Content(format!("it has version \"{version}\" of glTF, only 2 is supported")));
        }
        Ok(document)
    }

    /// Nodes of the default scene, else of the first scene, else all nodes without a parent.
    pub(super) fn roots(&self) -> Result<Vec<usize>, Fault> {
        if self.scene.is_some() || !self.scenes.is_empty() {
            let scene = item(&self.scenes, self.scene.unwrap_or_default(), "scene")?;
            return Ok(scene.nodes.clone());
        }
        let mut is_child = vec![false; self.nodes.len()];
        for &child in self.nodes.iter().flat_map(|node| &node.children) {
            self.node(child)?;
            is_child[child] = true;
        }
        Ok((0..self.nodes.len()).filter(|&node| !is_child[node]).collect())
    }

    pub(super) fn node(&self, index: usize) -> Result<&Node, Fault> {
        item(&self.nodes, index, "node")
    }

    pub(super) fn primitives(&self, mesh: usize) -> Result<&[Primitive], Fault> {
        Ok(&item(&self.meshes, mesh, "mesh")?.primitives)
    }

    pub(super) fn accessor(&self, index: usize) -> Result<&Accessor, Fault> {
        item(&self.accessors, index, "accessor")
    }

    pub(super) fn view(&self, index: usize) -> Result<&View, Fault> {
        item(&self.buffer_views, index, "buffer view")
    }
}

impl Node {
    /// Node frame → parent frame.
    pub(super) fn to_parent(&self) -> Matrix4<f64> {
        if let Some(matrix) = &self.matrix {
            return Matrix4::from_column_slice(matrix);
        }
        let [x, y, z, w] = self.rotation;
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let rigid = Isometry3::from_parts(Translation3::from(self.translation), rotation).to_homogeneous();
        rigid.prepend_nonuniform_scaling(&Vector3::from(self.scale))
    }
}

impl Primitive {
    /// `None` for points and lines.
    pub(super) fn mode(&self) -> Result<Option<Mode>, Fault> {
        match self.mode {
            None | Some(4) => Ok(Some(Mode::Triangles)),
            Some(5) => Ok(Some(Mode::Strip)),
            Some(6) => Ok(Some(Mode::Fan)),
            Some(0..=3) => Ok(None),
            Some(mode) => Err(Fault::Content(format!("a primitive has the unknown mode {mode}"))),
        }
    }

    /// Accessor of its vertices.
    pub(super) fn positions(&self) -> Result<usize, Fault> {
        self.attributes.positions.ok_or_else(|| Fault::Content("a primitive has no positions".to_owned()))
    }
}

/// An object by its index.
pub(super) fn item<'a, T>(items: &'a [T], index: usize, kind: &str) -> Result<&'a T, Fault> {
    items.get(index).ok_or_else(|| {
        let count = items.len();
        Fault::Content(format!("{kind} {index} is referenced, but there are only {count} (0-based)"))
    })
}

/// Refuses an excessive number of objects before they are created: each takes many times the memory of its text.
fn check_items(json: &[u8]) -> Result<(), Fault> {
    // An upper bound without parsing: braces within strings count too.
    let items = json.iter().filter(|&&byte| byte == b'{').count();
    if items > GLTF_ITEMS {
        let cause = format!("it has {items} JSON objects, at most {GLTF_ITEMS} are accepted");
        return Err(Fault::Content(cause));
    }
    Ok(())
}
