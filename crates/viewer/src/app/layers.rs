//! Conversion of the display options into [`overlay`](crate::overlay) options.

use super::simulation::Painter;
use crate::Drawing;
use crate::interface::{DisplayOptions, Layer};
use crate::overlay::{OverlayInput, OverlayPainter, Overlays, Section};

impl Painter for OverlayPainter {
    fn paint(&mut self, input: &OverlayInput, options: &DisplayOptions) -> Drawing {
        self.draw(input, &Overlays::from(options))
    }

    fn walk_steps(&self) -> usize {
        Self::walk_steps(self)
    }
}

impl From<&DisplayOptions> for Overlays {
    fn from(options: &DisplayOptions) -> Self {
        let has = |layer| options.layers.has(layer);
        Self {
            contacts: has(Layer::Contacts),
            local_penetrations: has(Layer::Penetrations),
            penetrations: has(Layer::Depth),
            walk: has(Layer::Walk).then_some(options.walk_step),
            section: has(Layer::Field).then(|| Section { fraction: options.slice, ..Section::default() }),
            soft: options.coloring,
            boxes: has(Layer::Trees).then_some(options.tree_level),
            subject: options.subject,
            ..Self::default()
        }
    }
}
