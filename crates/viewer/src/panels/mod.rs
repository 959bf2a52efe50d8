//! Panels around the picture: time, what is shown, what is selected, plots, messages, help. They show a [`PanelState`]
//! and answer with [`Action`]s; they do nothing themselves.
//!
//! They stand along the edges, so that the middle of a picture of 1280 × 720 stays free, and leave the lower left corner
//! to legends and notes. All lengths are logical pixels times a scale that grows with the picture.

mod banner;
mod bar;
mod help;
mod inspector;
mod layers;
mod plots;
mod room;
mod style;

use self::room::Room;
use kiss3d::egui::Context;

use crate::interface::{Action, PanelState};

/// The panels of a window.
#[derive(Debug, Default)]
pub struct Panels {
    /// The scale that the style was made for.
    styled: f32,
}

impl Panels {
    /// Shows all panels, texts larger by `scale`; what they ask for.
    ///
    /// A panel that is new shows itself one picture later, when its size is known.
    pub fn show(&mut self, context: &Context, state: &PanelState<'_>, scale: f32) -> Vec<Action> {
        if self.styled.to_bits() != scale.to_bits() {
            style::set(context, scale);
            self.styled = scale;
        }
        let mut room = Room { context, scale, free: context.content_rect(), actions: Vec::new() };
        bar::show(&mut room, state);
        layers::show(&mut room, state);
        inspector::show(&mut room, state);
        plots::show(&mut room, state);
        banner::show(&mut room, state);
        if state.help {
            help::show(&mut room, state);
        }
        room.actions
    }
}

#[cfg(test)]
mod tests;
