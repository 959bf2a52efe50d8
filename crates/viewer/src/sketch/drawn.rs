//! What is drawn of a sketch.

use std::sync::Arc;

use crate::{Color, Drawing, Models};
use extricate_core::geometry::TriangleMesh;
use extricate_scene::record::WorldState;

/// What is drawn.
#[derive(Debug)]
pub(super) struct Drawn {
    pub(super) state: WorldState,
    pub(super) drawing: Drawing,
    pub(super) meshes: Vec<Option<Arc<TriangleMesh>>>,
    pub(super) colors: Vec<Color>,
    /// For what the drawing was made: the revision of the sketch, that of what follows it, and the repair.
    pub(super) of: Option<[u64; 3]>,
}

impl Drawn {
    pub(super) fn new(models: &Models, state: &WorldState) -> Self {
        Self {
            state: state.clone(),
            drawing: Drawing::default(),
            meshes: models.bodies.iter().map(|body| body.mesh.clone()).collect(),
            colors: models.bodies.iter().map(|body| body.color).collect(),
            of: None,
        }
    }
}
