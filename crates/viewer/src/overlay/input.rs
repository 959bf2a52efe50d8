//! Input of overlays: the scene at a time, and the options of what is drawn.

use super::shapes::SceneShapes;
use crate::Models;
use crate::soft_quantity::SoftQuantity;
use extricate_dynamics::{AnyBody, WorldContact};
use extricate_scene::record::WorldState;

/// Selection of overlays.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlays {
    /// Contacts of the last step: points, and arrows along the force on the first body of each pair, or on the second if the
    /// first is fixed.
    pub contacts: bool,
    /// Local penetrations: an arrow for each region in which two bodies overlap.
    pub local_penetrations: bool,
    /// Minimum translation that separates two overlapping bodies: an arrow, its bounds, and a separated ghost.
    pub penetrations: bool,
    /// Walk of one query up to a step, counted through all its walks and clamped to the last step.
    pub walk: Option<usize>,
    /// A slice through distance fields.
    pub section: Option<Section>,
    /// Quantity that colours soft bodies; `None` for each body's own colour.
    pub soft: Option<SoftQuantity>,
    /// Boxes of the bounding volume hierarchies at a level.
    pub boxes: Option<usize>,
    /// Body to which queries, slices and boxes are restricted; without one they cover all bodies, and the walk is that of the
    /// deepest pair.
    pub subject: Option<AnyBody>,
    /// Length of depth arrows over the depths: 1 is true to scale.
    pub depth_scale: f64,
    /// Value at the upper end of the colour map; `None` for the maximum value present.
    pub max: Option<f64>,
}

impl Default for Overlays {
    fn default() -> Self {
        Self {
            contacts: false,
            local_penetrations: false,
            penetrations: false,
            walk: None,
            section: None,
            soft: None,
            boxes: None,
            subject: None,
            depth_scale: 1.0,
            max: None,
        }
    }
}

/// Position of a slice: a plane normal to a world axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// The axis: 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// Position along the axis: 0 and 1 at the ends of the box of the sliced bodies.
    pub fraction: f64,
}

impl Default for Section {
    /// In the middle, normal to y.
    fn default() -> Self {
        Self { axis: 1, fraction: 0.5 }
    }
}

/// A scene at one time.
#[derive(Clone, Copy)]
pub struct OverlayInput<'a> {
    /// Shapes of its bodies.
    pub shapes: &'a SceneShapes,
    /// Drawable models of its bodies.
    pub models: &'a Models,
    /// Current poses.
    pub state: &'a WorldState,
    /// Contacts of the step that led to the state; `None` if they are unknown, as of a run that did not record them.
    pub contacts: Option<&'a [WorldContact]>,
    /// Depths of contacts at the nodes of each soft body \[m\]; `None` if they are unknown.
    pub contact_depths: Option<&'a [Vec<f64>]>,
}

impl OverlayInput<'_> {
    /// Half the diagonal of the bounding box of movable bodies [m]: the reference length of marks.
    pub(super) fn size(&self) -> f64 {
        let size = 0.5 * self.models.bounds(self.state, true).extents().norm();
        if size > 0.0 && size.is_finite() { size } else { 1.0 }
    }
}
