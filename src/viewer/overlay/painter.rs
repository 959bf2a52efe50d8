//! What the window asks for, as overlays.

use super::super::Drawing;
use super::super::app::{Coloring, Layer, Painter, Seen, Wants};
use super::{Insight, Overlays, Section, Sight, SoftQuantity};

impl Painter for Insight {
    fn paint(&mut self, seen: &Seen, wants: &Wants) -> Drawing {
        let &Seen { world, live, models, frame } = seen;
        self.draw(&Sight { world, live, models, frame }, &Overlays::from(wants))
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
            soft: match wants.coloring {
                Coloring::Own => None,
                Coloring::Stress => Some(SoftQuantity::Stress),
                Coloring::Displacement => Some(SoftQuantity::Displacement),
                Coloring::Contact => Some(SoftQuantity::ContactDepth),
                Coloring::Depth => Some(SoftQuantity::Depth),
            },
            boxes: has(Layer::Trees).then_some(wants.tree_level),
            subject: wants.subject,
            ..Self::default()
        }
    }
}
