//! Panels around the picture: toolbar, layers, inspector, plots, messages, help. They show a [`PanelState`] and return
//! [`Action`]s; they change nothing themselves.
//!
//! They lie along the edges, so that the middle of a picture of 1280 × 720 stays free, and leave the lower left corner to
//! legends and notes. All lengths are logical pixels times a scale that grows with the picture.

mod banner;
mod help;
mod inspector;
mod layers;
mod layout;
mod plots;
mod style;
mod toolbar;
mod values;

use self::layout::PanelLayout;
use kiss3d::egui::Context;

use crate::interface::{Action, PanelState};

/// The panels of a window.
#[derive(Debug, Default)]
pub struct Panels {
    /// Scale of the current style.
    styled: f32,
}

impl Panels {
    /// Shows all panels, scaled by `scale`, and returns the actions that they request.
    ///
    /// A new panel appears one picture later, when its size is known.
    pub fn show(&mut self, context: &Context, state: &PanelState<'_>, scale: f32) -> Vec<Action> {
        if self.styled.to_bits() != scale.to_bits() {
            style::set(context, scale);
            self.styled = scale;
        }
        let mut layout = PanelLayout { context, scale, free: context.content_rect(), actions: Vec::new() };
        toolbar::show(&mut layout, state);
        layers::show(&mut layout, state);
        let plots = plots::show(&mut layout, state);
        inspector::show(&mut layout, state, plots);
        banner::show(&mut layout, state);
        if state.help {
            help::show(&mut layout, state);
        }
        layout.actions
    }
}

#[cfg(test)]
mod tests;
