//! State of the sketch panel between pictures.

use std::time::Duration;

use extricate_core::penetration::Effort;
use extricate_scene::repair::Dragged;
use extricate_scene::scene::Scene;

/// State of the sketch panel between pictures.
#[derive(Debug)]
pub(super) struct PanelMemory {
    pub(super) effort: Effort,
    /// Clearance of repairs [m].
    pub(super) clearance: f64,
    /// Robot whose joints are saved.
    pub(super) robot: Option<String>,
    /// Whether the scene file itself may be overwritten.
    pub(super) over_source: bool,
    /// Result of the current drag.
    pub(super) dragged: Option<Dragged>,
    /// Time of the last following repair.
    pub(super) time_to_follow: Option<Duration>,
    /// File to save to, as typed.
    pub(super) path: String,
    /// Filter of joint and body names.
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
