//! Drawing of a sketch and what it was made from.

use std::sync::Arc;

use nalgebra::Point3;

use crate::{Color, Drawing, Models};
use extricate_core::geometry::TriangleMesh;
use extricate_scene::record::WorldState;

/// Drawing of a sketch and what it was made from.
#[derive(Debug)]
pub(super) struct SketchView {
    pub(super) state: WorldState,
    /// Nodes of the soft bodies when the sketch began [m, world].
    pub(super) nodes: Vec<Vec<Point3<f64>>>,
    pub(super) drawing: Drawing,
    pub(super) meshes: Vec<Option<Arc<TriangleMesh>>>,
    pub(super) colors: Vec<Color>,
    /// Key of the drawing: revisions of the sketch, of the following pose and of the repair.
    pub(super) key: Option<[u64; 3]>,
}

impl SketchView {
    pub(super) fn new(models: &Models, state: &WorldState) -> Self {
        Self {
            state: state.clone(),
            nodes: state.soft.iter().map(|soft| soft.nodes.clone()).collect(),
            drawing: Drawing::default(),
            meshes: models.bodies.iter().map(|body| body.mesh.clone()).collect(),
            colors: models.bodies.iter().map(|body| body.color).collect(),
            key: None,
        }
    }
}
