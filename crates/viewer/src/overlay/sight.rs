//! What overlays are drawn of, and which.

use crate::Models;
use crate::soft_quantity::SoftQuantity;
use extricate_dynamics::{AnyBody, World};
use extricate_scene::record::WorldState;

/// Which overlays are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlays {
    /// Contacts of the last step: points, and arrows along the forces on the first body of each that
    /// is not fixed.
    pub contacts: bool,
    /// An arrow for each region in which two bodies overlap.
    pub local_penetrations: bool,
    /// The least translation that takes two overlapping bodies apart: an arrow, its bounds, and a ghost that is apart.
    pub penetrations: bool,
    /// The walk of one query up to a step, counted through all its walks; beyond the last step is the last one.
    pub walk: Option<usize>,
    /// A slice through distance fields.
    pub section: Option<Section>,
    /// What the colours of soft bodies mean, if not which body it is.
    pub soft: Option<SoftQuantity>,
    /// The boxes of the trees at a level.
    pub boxes: Option<usize>,
    /// The body that queries, slices and boxes are of; without one they are of all bodies, and the walk is of the pair
    /// that overlaps most.
    pub subject: Option<AnyBody>,
    /// Lengths of arrows for depths over the depths: 1 is true to scale.
    pub depth_scale: f64,
    /// The value at the upper end of the colours, if not the greatest one there is.
    pub greatest: Option<f64>,
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
            greatest: None,
        }
    }
}

/// Where a slice is: a plane across a world axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// The axis: 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// Its place along the axis: 0 and 1 at the ends of the box of what is sliced.
    pub share: f64,
}

impl Default for Section {
    /// In the middle, across y.
    fn default() -> Self {
        Self { axis: 1, share: 0.5 }
    }
}

/// A scene at a time.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    /// Its world; of a recorded run that at the start, which tells shapes but not where they are.
    pub world: &'a World,
    /// Whether the world is as it is now.
    pub live: bool,
    /// What it is made of.
    pub models: &'a Models,
    /// Where everything is.
    pub state: &'a WorldState,
}

impl Sight<'_> {
    /// Half the diagonal of the box around what moves [m]: what lengths of marks go by.
    pub(super) fn size(&self) -> f64 {
        let size = 0.5 * self.models.bounds(self.state, true).extents().norm();
        if size > 0.0 && size.is_finite() { size } else { 1.0 }
    }
}
