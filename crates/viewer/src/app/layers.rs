//! What is painted on demand, in the terms of [`overlay`](crate::overlay).

use super::simulation::Painter;
use crate::Drawing;
use crate::interface::{Layer, Wants};
use crate::overlay::{Insight, Overlays, Section, Sight};

impl Painter for Insight {
    fn paint(&mut self, sight: &Sight, wants: &Wants) -> Drawing {
        self.draw(sight, &Overlays::from(wants))
    }

    fn walk_steps(&self) -> usize {
        Self::walk_steps(self)
    }
}

impl From<&Wants> for Overlays {
    fn from(wants: &Wants) -> Self {
        let has = |layer| wants.layers.has(layer);
        Self {
            contacts: has(Layer::Contacts),
            local_penetrations: has(Layer::Penetrations),
            penetrations: has(Layer::Depth),
            walk: has(Layer::Walk).then_some(wants.walk_step),
            section: has(Layer::Field).then(|| Section { share: wants.slice, ..Section::default() }),
            soft: wants.coloring,
            boxes: has(Layer::Trees).then_some(wants.tree_level),
            subject: wants.subject,
            ..Self::default()
        }
    }
}
