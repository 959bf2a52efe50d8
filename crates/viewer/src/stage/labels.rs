//! Texts on the picture: labels at positions, legends of colour maps, notes in a corner.

use kiss3d::egui::{
    Align2, Color32, Context, FontId, Id, LayerId, Order, Painter, Pos2, Rect, Stroke, StrokeKind, Vec2,
};
use nalgebra::Vector2;

use crate::{Camera, Color, Drawing, Legend, palette};

/// Height of labels [logical pixels].
const TEXT: f32 = 14.0;
/// Width and height of the colour bar of a legend [logical pixels].
const STRIPE: [f32; 2] = [220.0, 12.0];
/// Distance of notes and legends from the edge [logical pixels].
const MARGIN: f32 = 14.0;

/// Draws the texts of a drawing, scaled by `scale`; `size` is that of the picture [logical pixels].
pub(super) fn paint(
    context: &Context,
    drawing: &Drawing,
    camera: &Camera,
    (size, scale): (Vector2<f64>, f32),
) {
    let layer = LayerId::new(Order::Background, Id::new("texts on the picture"));
    let paper = Paper { painter: context.layer_painter(layer), scale };
    for label in &drawing.labels {
        let Some(pixel) = camera.pixel(&label.at, size) else { continue };
        #[expect(clippy::cast_possible_truncation, reason = "pixels")]
        let at = Pos2::new(pixel.x as f32, pixel.y as f32) + scale * Vec2::new(6.0, -6.0);
        paper.text(at, Align2::LEFT_BOTTOM, &label.text, label.color);
    }
    #[expect(clippy::cast_possible_truncation, reason = "pixels")]
    let bottom = size.y as f32 - MARGIN * scale;
    let mut y = bottom;
    for legend in drawing.legends.iter().rev() {
        y = paper.legend(legend, Pos2::new(MARGIN * scale, y));
    }
    for note in drawing.notes.iter().rev() {
        let at = Pos2::new(MARGIN * scale, y);
        y -= paper.text(at, Align2::LEFT_BOTTOM, note, palette::INK).height() + 4.0 * scale;
    }
}

/// Painter of texts.
struct Paper {
    painter: Painter,
    scale: f32,
}

impl Paper {
    /// Draws a text on a light background, so that it is legible before any picture. Returns its rectangle.
    fn text(&self, at: Pos2, align: Align2, text: &str, color: Color) -> Rect {
        let font = FontId::proportional(TEXT * self.scale);
        let galley = self.painter.layout_no_wrap(text.to_owned(), font, ink(color));
        let rect = align.anchor_size(at, galley.size());
        let ground = ink(palette::BACKGROUND.with_alpha(0.8));
        self.painter.rect_filled(rect.expand2(self.scale * Vec2::new(4.0, 1.0)), 3.0 * self.scale, ground);
        self.painter.galley(rect.min, galley, ink(color));
        rect
    }

    /// Draws a colour bar with its end values and title, its lower left corner at `at`. Returns the lower edge [logical pixels]
    /// of the next item above.
    fn legend(&self, legend: &Legend, at: Pos2) -> f32 {
        /// Number of segments of the colour bar.
        const PIECES: u8 = 64;
        let [width, height] = STRIPE.map(|length| length * self.scale);
        let [low, high] = legend.range.map(number);
        let low = self.text(at, Align2::LEFT_BOTTOM, &low, palette::INK);
        self.text(at + Vec2::new(width, 0.0), Align2::RIGHT_BOTTOM, &high, palette::INK);
        let top = low.min.y - 3.0 * self.scale - height;
        for piece in 0..PIECES {
            let left = at.x + width * f32::from(piece) / f32::from(PIECES);
            let size = Vec2::new(width / f32::from(PIECES) + 0.5, height);
            let color = legend.map.color((f64::from(piece) + 0.5) / f64::from(PIECES));
            self.painter.rect_filled(Rect::from_min_size(Pos2::new(left, top), size), 0.0, ink(color));
        }
        let frame = Rect::from_min_size(Pos2::new(at.x, top), Vec2::new(width, height));
        let edge = ink(palette::INK.with_alpha(0.5));
        self.painter.rect_stroke(frame, 0.0, Stroke::new(self.scale, edge), StrokeKind::Outside);
        let at = Pos2::new(at.x, top - 4.0 * self.scale);
        let title = self.text(at, Align2::LEFT_BOTTOM, &legend.title, palette::INK);
        title.min.y - 10.0 * self.scale
    }
}

/// Text of a number with about three significant digits.
fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{value:.2e}");
    }
    let digits = if size >= 100.0 {
        0
    } else if size >= 10.0 {
        1
    } else if size >= 1.0 {
        2
    } else {
        4
    };
    format!("{value:.digits$}")
}

pub(crate) fn ink(color: Color) -> Color32 {
    let [red, green, blue, alpha] = color.bytes();
    Color32::from_rgba_unmultiplied(red, green, blue, alpha)
}
