//! Layout of the panels.

use kiss3d::egui::{Align2, Area, Context, Frame, Id, Margin, Order, Rect, Ui, Vec2};

use crate::interface::Action;

/// Distance of panels from the edge, and of their content from their frame [logical pixels].
pub(super) const MARGIN: f32 = 8.0;

/// Area of the panels, and the actions that they have requested so far.
pub(super) struct PanelLayout<'a> {
    pub(super) context: &'a Context,
    pub(super) scale: f32,
    /// Area below the toolbar.
    pub(super) free: Rect,
    pub(super) actions: Vec<Action>,
}

impl PanelLayout<'_> {
    /// Shows a panel of this width in a corner or at an edge.
    pub(super) fn panel(
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

    pub(super) fn frame(&self, ui: &Ui) -> Frame {
        #[expect(clippy::cast_possible_truncation, reason = "a few pixels")]
        let margin = (MARGIN * self.scale) as i8;
        let visuals = ui.visuals();
        Frame::new()
            .inner_margin(Margin::same(margin))
            .corner_radius(4.0 * self.scale)
            .fill(visuals.panel_fill)
            .stroke(visuals.window_stroke)
    }

    /// Shows a button that requests an action.
    pub(super) fn button(&mut self, ui: &mut Ui, text: &str, hint: &str, action: Action) {
        if ui.button(text).on_hover_text(hint).clicked() {
            self.actions.push(action);
        }
    }

    pub(super) fn size(&self, width: f32, height: f32) -> Vec2 {
        Vec2::new(width, height) * self.scale
    }
}
