//! Drawing of a sketch and what it was made from.

use std::sync::Arc;

use crate::{Color, Drawing, Models};
use extricate_core::geometry::TriangleMesh;
use extricate_scene::record::WorldState;

/// Drawing of a sketch and what it was made from.
#[derive(Debug)]
pub(super) struct SketchView {
    pub(super) state: WorldState,
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
            drawing: Drawing::default(),
            meshes: models.bodies.iter().map(|body| body.mesh.clone()).collect(),
            colors: models.bodies.iter().map(|body| body.color).collect(),
            key: None,
        }
    }
}
