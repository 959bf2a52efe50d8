//! Small plots of the last steps: where their time went, the deepest contact, and energy.

use std::collections::VecDeque;
use std::time::Duration;

use kiss3d::egui::{Align2, Color32, FontId, Painter, Pos2, Rect, RichText, Sense, Shape, Stroke, Ui, Vec2};

use super::room::Room;
use crate::interface::{PanelState, Sample};
use crate::overlay::text::with_unit;
use crate::stage::ink;
use crate::{Color, palette};

/// Width of the panel and height of a plot.
const SIZE: [f32; 2] = [258.0, 44.0];
/// Parts of a step's time, from below: names and colours.
const PARTS: [(&str, Color); 5] = [
    ("broad", palette::SKY),
    ("narrow", palette::BLUE),
    ("solver", palette::ORANGE),
    ("soft", palette::GREEN),
    ("other", palette::FIXED),
];

/// Shows the plots in the lower right corner, once there is something to plot.
pub(super) fn show(room: &mut Room<'_>, state: &PanelState<'_>) {
    let history = state.history;
    if history.len() < 2 {
        return;
    }
    room.panel("plots", Align2::RIGHT_BOTTOM, SIZE[0], |room, ui| {
        if history.iter().any(|sample| sample.seconds > 0.0) {
            times(room, ui, history);
        }
        curve(room, ui, history, &DEPTH);
        curve(room, ui, history, &ENERGY);
    });
}

/// Seconds of a step by parts, in the order of [`PARTS`].
fn parts(sample: &Sample) -> [f64; 5] {
    let timings = &sample.timings;
    let known = [timings.broad_phase, timings.narrow_phase, timings.solver, timings.soft];
    let other = timings.total.saturating_sub(known.iter().sum());
    let [broad, narrow, solver, soft] = known;
    [broad, narrow, solver, soft, other].map(|part: Duration| part.as_secs_f64())
}

fn times(room: &Room<'_>, ui: &mut Ui, history: &VecDeque<Sample>) {
    let last = history.back().map_or(0.0, |sample| sample.seconds);
    let columns = columns(history, SIZE[0], parts);
    let most = usual_most(columns.iter().map(|parts| parts.iter().sum()).collect());
    head(ui, "step", &with_unit(last, "s"), palette::INK);
    let (painter, rect) = canvas(room, ui);
    let width = rect.width() / columns.len() as f32;
    for (index, parts) in columns.iter().enumerate() {
        let left = rect.min.x + width * index as f32;
        let mut below = rect.max.y;
        for (part, (_, color)) in parts.iter().zip(PARTS) {
            let above = (below - share(*part, [0.0, most]) * rect.height()).max(rect.min.y);
            let bar = Rect::from_min_max(Pos2::new(left, above), Pos2::new(left + width, below));
            painter.rect_filled(bar, 0.0, ink(color));
            below = above;
        }
    }
    greatest(room, &painter, rect, &with_unit(most, "s"));
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x *= 0.8;
        for (part, (name, color)) in PARTS.iter().enumerate() {
            if columns.iter().any(|parts| parts[part] > 0.01 * most) {
                ui.label(RichText::new("■").small().color(ink(*color)));
                ui.label(RichText::new(*name).small());
            }
        }
    });
}

/// What all but the greatest fiftieth are below: one slow step must not flatten all others.
fn usual_most(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get((values.len().saturating_sub(1)) * 49 / 50).copied().unwrap_or(0.0)
}

/// A quantity that is plotted as a curve.
struct Quantity {
    name: &'static str,
    unit: &'static str,
    color: Color,
    value: fn(&Sample) -> f64,
    /// Whether the plot begins at zero.
    from_zero: bool,
}

const DEPTH: Quantity = Quantity {
    name: "deepest contact",
    unit: "m",
    color: palette::VERMILION,
    value: |sample| sample.max_penetration,
    from_zero: true,
};

const ENERGY: Quantity = Quantity {
    name: "energy",
    unit: "J",
    color: palette::BLUE,
    value: |sample| sample.energy,
    from_zero: false,
};

fn curve(room: &Room<'_>, ui: &mut Ui, history: &VecDeque<Sample>, quantity: &Quantity) {
    let last = history.back().map_or(0.0, quantity.value);
    head(ui, quantity.name, &with_unit(last, quantity.unit), quantity.color);
    let columns = columns(history, SIZE[0], |sample| [(quantity.value)(sample)]);
    let values = || columns.iter().map(|&[value]| value);
    let most = values().fold(f64::NEG_INFINITY, f64::max);
    let least = if quantity.from_zero { 0.0 } else { values().fold(f64::INFINITY, f64::min) };
    let (painter, rect) = canvas(room, ui);
    let points = values().enumerate().map(|(index, value)| {
        let along = index as f32 / (columns.len() - 1).max(1) as f32;
        let inside = rect.shrink2(Vec2::new(0.0, 2.0 * room.scale));
        let up = share(value, [least, most]) * inside.height();
        Pos2::new(inside.min.x + along * inside.width(), inside.max.y - up)
    });
    painter.add(Shape::line(points.collect(), Stroke::new(1.5 * room.scale, ink(quantity.color))));
    let range = if quantity.from_zero {
        with_unit(most, quantity.unit)
    } else {
        [least, most].map(|end| with_unit(end, quantity.unit)).join(" … ")
    };
    greatest(room, &painter, rect, &range);
}

/// Means over as many samples as share a column, from the oldest to the newest; at most `most` columns.
fn columns<const N: usize>(
    history: &VecDeque<Sample>,
    most: f32,
    values: impl Fn(&Sample) -> [f64; N],
) -> Vec<[f64; N]> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred")]
    let most = most as usize;
    let group = history.len().div_ceil(most).max(1);
    let mut columns: Vec<[f64; N]> = Vec::with_capacity(history.len() / group + 1);
    let mut counts: Vec<f64> = Vec::with_capacity(history.len() / group + 1);
    for sample in history {
        // Groups begin at multiples of the step, so that columns do not flicker as steps come in.
        if sample.step % group as u64 == 0 || columns.is_empty() {
            columns.push([0.0; N]);
            counts.push(0.0);
        }
        if let (Some(column), Some(count)) = (columns.last_mut(), counts.last_mut()) {
            column.iter_mut().zip(values(sample)).for_each(|(sum, value)| *sum += value);
            *count += 1.0;
        }
    }
    for (column, count) in columns.iter_mut().zip(counts) {
        column.iter_mut().for_each(|sum| *sum /= count);
    }
    columns
}

/// Where a value is between two others, 0 to 1; 0 where they are the same or one is not a number.
fn share(value: f64, [least, most]: [f64; 2]) -> f32 {
    let range = most - least;
    #[expect(clippy::cast_possible_truncation, reason = "a share")]
    let share = ((value - least) / range) as f32;
    if range > 0.0 && share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

fn head(ui: &mut Ui, name: &str, value: &str, color: Color) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).small());
        ui.label(RichText::new(value).monospace().color(ink(color)));
    });
}

fn canvas(room: &Room<'_>, ui: &mut Ui) -> (Painter, Rect) {
    let size = Vec2::new(ui.available_width(), SIZE[1] * room.scale);
    let (response, painter) = ui.allocate_painter(size, Sense::hover());
    painter.rect_filled(response.rect, 0.0, Color32::from_black_alpha(10));
    (painter, response.rect)
}

/// Says what the upper edge means.
fn greatest(room: &Room<'_>, painter: &Painter, rect: Rect, text: &str) {
    let font = FontId::proportional(10.5 * room.scale);
    let at = rect.right_top() + Vec2::new(-3.0, 1.0) * room.scale;
    painter.text(at, Align2::RIGHT_TOP, text, font, ink(palette::INK.with_alpha(0.7)));
}

#[cfg(test)]
mod tests;
