//! Curves on the surface of a model and patches of it, whose crossings with those of another model prove overlap
//! (`penetration::translational::lower_bound::crossing`).
//!
//! Everything is in the frame of the model's tree. Curves follow edges, patches consist of triangles; of a mesh with few
//! triangles both are those of a refinement, which is the same surface up to rounding.

mod border;
mod choice;
pub(crate) mod curve_graph;
pub(crate) mod patch_field;
pub(crate) mod patches;
mod surface;

use self::curve_graph::CurveGraph;
use self::patches::Patches;
use self::surface::Surface;
use crate::bvh::tree::TriangleBvh;
use crate::geometry::triangle_mesh::TriangleMesh;

/// The curves and the patches of a model.
#[derive(Debug, Clone)]
pub(crate) struct CurvesAndPatches {
    pub(crate) graph: CurveGraph,
    pub(crate) patches: Patches,
}

impl CurvesAndPatches {
    /// Those of a mesh with this tree and `radius` [m]; `None` if its triangles are too thin for a tree over their parts.
    pub(super) fn new(mesh: &TriangleMesh, tree: &TriangleBvh, radius: f64) -> Option<Self> {
        let surface = Surface::new(mesh, &tree.center());
        let graph = CurveGraph::new(&surface);
        let patches = Patches::new(&surface, mesh, tree, radius)?;
        Some(Self { graph, patches })
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        self.graph.memory() + self.patches.memory()
    }
}
