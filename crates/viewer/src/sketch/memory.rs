//! What the panel of a sketch remembers from picture to picture.

use std::time::Duration;

use extricate_core::penetration::Effort;
use extricate_scene::repair::Dragged;
use extricate_scene::scene::Scene;

/// What the panel remembers from picture to picture.
#[derive(Debug)]
pub(super) struct PanelMemory {
    pub(super) effort: Effort,
    /// Distance that repairs keep [m].
    pub(super) clearance: f64,
    /// The robot whose joints are saved.
    pub(super) robot: Option<String>,
    /// Whether the file of the scene itself may be written over.
    pub(super) over_source: bool,
    /// Where the drag has come.
    pub(super) dragged: Option<Dragged>,
    /// How long it took to follow.
    pub(super) time_to_follow: Option<Duration>,
    /// The file to save to, as it is typed.
    pub(super) path: String,
    /// What is looked for among joints and bodies.
    pub(super) filter: String,
}

impl PanelMemory {
    pub(super) fn new(scene: &Scene) -> Self {
        Self {
            effort: Effort::Best,
            clearance: 0.0,
            robot: scene.robots.first().map(|robot| robot.name.clone()),
            over_source: false,
            dragged: None,
            time_to_follow: None,
            path: String::new(),
            filter: String::new(),
        }
    }
}
