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
mod style;

use kiss3d::egui::{Align2, Area, Context, Frame, Id, Margin, Order, Rect, Ui, Vec2};

use super::app::{Action, PanelState};

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

/// Distance of panels from the edge, and within them.
const MARGIN: f32 = 8.0;

/// Where panels stand, and what they have asked for so far.
struct Room<'a> {
    context: &'a Context,
    scale: f32,
    /// What the bar leaves free.
    free: Rect,
    actions: Vec<Action>,
}

impl Room<'_> {
    /// A panel of this width in a corner or at an edge.
    fn panel(
        &mut self,
        name: &str,
        at: Align2,
        width: f32,
        content: impl FnOnce(&mut Self, &mut Ui),
    ) -> Rect {
        let margin = MARGIN * self.scale;
        let corner = at.pos_in_rect(&self.free.shrink(margin));
        let area = Area::new(Id::new(("panel", name))).order(Order::Middle).pivot(at).fixed_pos(corner);
        let width = width * self.scale;
        let shown = area.fade_in(false).constrain(false).show(self.context, |ui| {
            self.frame(ui).show(ui, |ui| {
                ui.set_width(width);
                content(self, ui);
            });
        });
        shown.response.rect
    }

    fn frame(&self, ui: &Ui) -> Frame {
        #[expect(clippy::cast_possible_truncation, reason = "a few pixels")]
        let margin = (MARGIN * self.scale) as i8;
        let visuals = ui.visuals();
        Frame::new()
            .inner_margin(Margin::same(margin))
            .corner_radius(4.0 * self.scale)
            .fill(visuals.panel_fill)
            .stroke(visuals.window_stroke)
    }

    /// A button that asks for something.
    fn button(&mut self, ui: &mut Ui, text: &str, hint: &str, action: Action) {
        if ui.button(text).on_hover_text(hint).clicked() {
            self.actions.push(action);
        }
    }

    fn size(&self, width: f32, height: f32) -> Vec2 {
        Vec2::new(width, height) * self.scale
    }
}

#[cfg(test)]
mod tests;
