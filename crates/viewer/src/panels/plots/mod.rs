//! Small plots of the last steps: time by part of the step, deepest contact, and energy.

use std::collections::VecDeque;
use std::time::Duration;

use kiss3d::egui::{Align2, Color32, FontId, Painter, Pos2, Rect, RichText, Sense, Shape, Stroke, Ui, Vec2};

use super::layout::PanelLayout;
use crate::interface::{PanelState, Sample};
use crate::overlay::text::with_unit;
use crate::stage::ink;
use crate::{Color, palette};

/// Width of the panel and height of a plot [logical pixels].
const SIZE: [f32; 2] = [258.0, 44.0];
/// Parts of a step's time, from the bottom: names and colours.
const PARTS: [(&str, Color); 5] = [
    ("Broad", palette::SKY),
    ("Narrow", palette::BLUE),
    ("Solver", palette::ORANGE),
    ("Soft", palette::GREEN),
    ("Other", palette::FIXED),
];

/// Shows the plots in the lower right corner, from two samples on; returns their area.
pub(super) fn show(layout: &mut PanelLayout<'_>, state: &PanelState<'_>) -> Option<Rect> {
    let history = state.history;
    if history.len() < 2 {
        return None;
    }
    let area = layout.panel("plots", Align2::RIGHT_BOTTOM, SIZE[0], |layout, ui| {
        if history.iter().any(|sample| sample.seconds > 0.0) {
            times(layout, ui, history);
        }
        curve(layout, ui, history, &DEPTH);
        curve(layout, ui, history, &ENERGY);
    });
    Some(area)
}

/// Wall-clock time of a step by parts [s], in the order of [`PARTS`].
fn parts(sample: &Sample) -> [f64; 5] {
    let timings = &sample.timings;
    let known = [timings.broad_phase, timings.narrow_phase, timings.solver, timings.soft];
    let other = timings.total.saturating_sub(known.iter().sum());
    let [broad, narrow, solver, soft] = known;
    [broad, narrow, solver, soft, other].map(|part: Duration| part.as_secs_f64())
}

fn times(layout: &PanelLayout<'_>, ui: &mut Ui, history: &VecDeque<Sample>) {
    let last = history.back().map_or(0.0, |sample| sample.seconds);
    let columns = columns(history, SIZE[0], parts);
    let max = robust_max(columns.iter().map(|parts| parts.iter().sum()).collect());
    head(ui, "Step", &with_unit(last, "s"), palette::INK);
    let (painter, rect) = canvas(layout, ui);
    let width = rect.width() / columns.len() as f32;
    for (index, parts) in columns.iter().enumerate() {
        let left = rect.min.x + width * index as f32;
        let mut below = rect.max.y;
        for (part, (_, color)) in parts.iter().zip(PARTS) {
            let above = (below - normalized(*part, [0.0, max]) * rect.height()).max(rect.min.y);
            let segment = Rect::from_min_max(Pos2::new(left, above), Pos2::new(left + width, below));
            painter.rect_filled(segment, 0.0, ink(color));
            below = above;
        }
    }
    upper_label(layout, &painter, rect, &with_unit(max, "s"));
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x *= 0.8;
        for (part, (name, color)) in PARTS.iter().enumerate() {
            if columns.iter().any(|parts| parts[part] > 0.01 * max) {
                ui.label(RichText::new("■").small().color(ink(*color)));
                ui.label(RichText::new(*name).small());
            }
        }
    });
}

/// The 98th percentile: one slow step must not flatten all others.
fn robust_max(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get((values.len().saturating_sub(1)) * 49 / 50).copied().unwrap_or(0.0)
}

/// A quantity that is plotted as a curve.
struct Quantity {
    name: &'static str,
    unit: &'static str,
    color: Color,
    value: fn(&Sample) -> f64,
    /// Whether the lower end of the plot is zero.
    from_zero: bool,
}

const DEPTH: Quantity = Quantity {
    name: "Deepest contact",
    unit: "m",
    color: palette::VERMILION,
    value: |sample| sample.max_penetration,
    from_zero: true,
};

const ENERGY: Quantity = Quantity {
    name: "Energy",
    unit: "J",
    color: palette::BLUE,
    value: |sample| sample.energy,
    from_zero: false,
};

fn curve(layout: &PanelLayout<'_>, ui: &mut Ui, history: &VecDeque<Sample>, quantity: &Quantity) {
    let last = history.back().map_or(0.0, quantity.value);
    head(ui, quantity.name, &with_unit(last, quantity.unit), quantity.color);
    let columns = columns(history, SIZE[0], |sample| [(quantity.value)(sample)]);
    let values = || columns.iter().map(|&[value]| value);
    let max = values().fold(f64::NEG_INFINITY, f64::max);
    let min = if quantity.from_zero { 0.0 } else { values().fold(f64::INFINITY, f64::min) };
    let (painter, rect) = canvas(layout, ui);
    let points = values().enumerate().map(|(index, value)| {
        let along = index as f32 / (columns.len() - 1).max(1) as f32;
        let inside = rect.shrink2(Vec2::new(0.0, 2.0 * layout.scale));
        let up = normalized(value, [min, max]) * inside.height();
        Pos2::new(inside.min.x + along * inside.width(), inside.max.y - up)
    });
    painter.add(Shape::line(points.collect(), Stroke::new(1.5 * layout.scale, ink(quantity.color))));
    let range = if quantity.from_zero {
        with_unit(max, quantity.unit)
    } else {
        [min, max].map(|end| with_unit(end, quantity.unit)).join(" … ")
    };
    upper_label(layout, &painter, rect, &range);
}

/// Means over equal numbers of samples per column, from the oldest to the newest; at most about `max` columns.
fn columns<const N: usize>(
    history: &VecDeque<Sample>,
    max: f32,
    values: impl Fn(&Sample) -> [f64; N],
) -> Vec<[f64; N]> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred")]
    let max = max as usize;
    let group = history.len().div_ceil(max).max(1);
    let mut columns: Vec<[f64; N]> = Vec::with_capacity(history.len() / group + 1);
    let mut counts: Vec<f64> = Vec::with_capacity(history.len() / group + 1);
    for sample in history {
        // Groups start at multiples of the step number, so that columns do not flicker as steps come in.
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

/// Position of a value between two others, clamped to [0, 1]; 0 if they are equal or one is not a number.
fn normalized(value: f64, [min, max]: [f64; 2]) -> f32 {
    let range = max - min;
    #[expect(clippy::cast_possible_truncation, reason = "a fraction")]
    let normalized = ((value - min) / range) as f32;
    if range > 0.0 && normalized.is_finite() { normalized.clamp(0.0, 1.0) } else { 0.0 }
}

fn head(ui: &mut Ui, name: &str, value: &str, color: Color) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).small());
        ui.label(RichText::new(value).monospace().color(ink(color)));
    });
}

fn canvas(layout: &PanelLayout<'_>, ui: &mut Ui) -> (Painter, Rect) {
    let size = Vec2::new(ui.available_width(), SIZE[1] * layout.scale);
    let (response, painter) = ui.allocate_painter(size, Sense::hover());
    painter.rect_filled(response.rect, 0.0, Color32::from_black_alpha(10));
    (painter, response.rect)
}

/// Labels the upper edge with its value.
fn upper_label(layout: &PanelLayout<'_>, painter: &Painter, rect: Rect, text: &str) {
    let font = FontId::proportional(10.5 * layout.scale);
    let at = rect.right_top() + Vec2::new(-3.0, 1.0) * layout.scale;
    painter.text(at, Align2::RIGHT_TOP, text, font, ink(palette::INK.with_alpha(0.7)));
}

#[cfg(test)]
mod tests;
