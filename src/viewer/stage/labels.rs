//! Texts on the picture: labels at places, legends of colours, notes in a corner.

use kiss3d::egui::{
    Align2, Color32, Context, FontId, Id, LayerId, Order, Painter, Pos2, Rect, Stroke, StrokeKind, Vec2,
};
use nalgebra::Vector2;

use crate::viewer::{Camera, Color, Drawing, Legend, palette};

/// Height of labels [logical pixels].
const TEXT: f32 = 14.0;
/// Width and height of a legend's stripe [logical pixels].
const STRIPE: [f32; 2] = [220.0, 12.0];
/// Distance of notes and legends from the edge [logical pixels].
const MARGIN: f32 = 14.0;

/// Draws the texts of a drawing; `size` of the picture in logical pixels.
pub(super) fn paint(context: &Context, drawing: &Drawing, camera: &Camera, size: Vector2<f64>) {
    let layer = LayerId::new(Order::Background, Id::new("texts on the picture"));
    let painter = context.layer_painter(layer);
    for label in &drawing.labels {
        let Some(pixel) = camera.pixel(&label.at, size) else { continue };
        #[expect(clippy::cast_possible_truncation, reason = "pixels")]
        let at = Pos2::new(pixel.x as f32 + 6.0, pixel.y as f32 - 6.0);
        text(&painter, at, Align2::LEFT_BOTTOM, &label.text, label.color);
    }
    #[expect(clippy::cast_possible_truncation, reason = "pixels")]
    let bottom = size.y as f32 - MARGIN;
    let mut y = bottom;
    for legend in drawing.legends.iter().rev() {
        y = paint_legend(&painter, legend, Pos2::new(MARGIN, y));
    }
    for note in drawing.notes.iter().rev() {
        y -= text(&painter, Pos2::new(MARGIN, y), Align2::LEFT_BOTTOM, note, palette::INK).height() + 4.0;
    }
}

/// A text on a light ground, so that it is read on whatever is behind it.
fn text(painter: &Painter, at: Pos2, align: Align2, text: &str, color: Color) -> Rect {
    let galley = painter.layout_no_wrap(text.to_owned(), FontId::proportional(TEXT), ink(color));
    let rect = align.anchor_size(at, galley.size());
    let ground = ink(palette::BACKGROUND.with_alpha(0.75));
    painter.rect_filled(rect.expand2(Vec2::new(4.0, 1.0)), 3.0, ground);
    painter.galley(rect.min, galley, ink(color));
    rect
}

/// A stripe of colours with its ends and title, its lower left corner at `at`; where the next thing may stand.
fn paint_legend(painter: &Painter, legend: &Legend, at: Pos2) -> f32 {
    /// Pieces of the stripe.
    const PIECES: u8 = 64;
    let [width, height] = STRIPE;
    let ends = legend.range.map(number);
    let low = text(painter, at, Align2::LEFT_BOTTOM, &ends[0], palette::INK);
    text(painter, at + Vec2::new(width, 0.0), Align2::RIGHT_BOTTOM, &ends[1], palette::INK);
    let top = low.min.y - 3.0 - height;
    for piece in 0..PIECES {
        let left = at.x + width * f32::from(piece) / f32::from(PIECES);
        let size = Vec2::new(width / f32::from(PIECES) + 0.5, height);
        let color = legend.map.color((f64::from(piece) + 0.5) / f64::from(PIECES));
        painter.rect_filled(Rect::from_min_size(Pos2::new(left, top), size), 0.0, ink(color));
    }
    let frame = Rect::from_min_size(Pos2::new(at.x, top), Vec2::new(width, height));
    painter.rect_stroke(frame, 0.0, Stroke::new(1.0, ink(palette::GRID)), StrokeKind::Outside);
    let title = text(painter, Pos2::new(at.x, top - 4.0), Align2::LEFT_BOTTOM, &legend.title, palette::INK);
    title.min.y - 10.0
}

/// A number in three figures.
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

fn ink(color: Color) -> Color32 {
    let [red, green, blue, alpha] = color.bytes();
    Color32::from_rgba_unmultiplied(red, green, blue, alpha)
}
