//! Plots of a run, as SVG: energy and penetration over time (`plots.svg`), and the times of its steps (`timing.svg`).
//!
//! Points are kept while the run proceeds, so that drawing reads no file. Of more than [`POINTS`] every second one is left out, by its
//! number alone: a run that was resumed has the same plot.

use std::io;
use std::path::Path;
use std::time::Duration;

use plotters::coord::Shift;
use plotters::prelude::*;
use serde::Deserialize;

use super::error::RecordError;
use super::index::Index;
use crate::disk::write_whole;
use crate::state::WorldState;

/// Maximum number of points of a plot. Twice as many are not seen; half of them lose peaks of a few steps.
const POINTS: usize = 2000;

/// Size of a picture [px].
const SIZE: (u32, u32) = (960, 480);

const BLUE: RGBColor = RGBColor(0, 114, 178);
const ORANGE: RGBColor = RGBColor(213, 94, 0);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const GREY: RGBColor = RGBColor(90, 90, 90);

type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Points of a plot.
#[derive(Debug, Clone)]
struct Points<T> {
    kept: Vec<T>,
    /// One point of so many is kept.
    stride: u64,
    count: u64,
}

impl<T> Default for Points<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), stride: 1, count: 0 }
    }
}

impl<T> Points<T> {
    fn push(&mut self, point: T) {
        if self.count.is_multiple_of(self.stride) {
            self.kept.push(point);
            if self.kept.len() > POINTS {
                let mut index = 0;
                self.kept.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
        }
        self.count += 1;
    }
}

/// Energy and penetration of the recorded states, and times of the steps.
#[derive(Debug, Clone, Default)]
pub(super) struct RunPlots {
    states: Points<StatePoint>,
    steps: Points<(f64, f64)>,
}

/// A recorded state.
#[derive(Debug, Clone, Copy)]
struct StatePoint {
    time: f64,
    /// Kinetic, potential and elastic energy [J].
    energy: [f64; 3],
    /// Maximum penetration [m].
    penetration: f64,
}

/// The fields of a line of `states.jsonl` that are plotted.
#[derive(Deserialize)]
struct Line {
    time: f64,
    energy: EnergyLine,
    max_penetration: f64,
}

#[derive(Deserialize)]
struct EnergyLine {
    kinetic: f64,
    potential: f64,
    elastic: f64,
}

impl RunPlots {
    /// Name of the plot of the states.
    pub(super) const STATES: &str = "plots.svg";
    /// Name of the plot of the times of the steps.
    pub(super) const TIMING: &str = "timing.svg";

    /// The points of the states that a file holds.
    pub(super) fn of_file(path: &Path) -> Result<Self, RecordError> {
        let mut plots = Self::default();
        for (number, entry) in Index::of(path)?.states.iter().enumerate() {
            let bytes = entry.line(path).map_err(|source| RecordError::unreadable(path, source))?;
            let line: Line = serde_json::from_slice(&bytes)
                .map_err(|error| RecordError::json(path, Some(number + 1), &error))?;
            let EnergyLine { kinetic, potential, elastic } = line.energy;
            let energy = [kinetic, potential, elastic];
            plots.states.push(StatePoint { time: line.time, energy, penetration: line.max_penetration });
        }
        Ok(plots)
    }

    /// Adds a state.
    pub(super) fn add(&mut self, state: &WorldState) {
        let energy = [state.energy.kinetic, state.energy.potential, state.energy.elastic];
        self.states.push(StatePoint { time: state.time, energy, penetration: state.max_penetration });
    }

    /// Adds a step that ends at a time [s], with its wall-clock time.
    pub(super) fn add_step(&mut self, time: f64, wall: Duration) {
        self.steps.push((time, 1e3 * wall.as_secs_f64()));
    }

    /// Writes both plots of a run.
    pub(super) fn write(&self, title: &str, folder: &Path) -> Result<(), RecordError> {
        let files = [(Self::STATES, self.of_states(title)), (Self::TIMING, self.of_steps(title))];
        for (name, drawn) in files {
            let path = folder.join(name);
            let text =
                drawn.map_err(|error| RecordError::write(&path, io::Error::other(error.to_string())))?;
            write_whole(&path, text.as_bytes()).map_err(|source| RecordError::write(&path, source))?;
        }
        Ok(())
    }

    /// Energy, and penetration below it.
    fn of_states(&self, title: &str) -> Result<String, Box<dyn std::error::Error>> {
        let points = &self.states.kept;
        let of = |value: &dyn Fn(&StatePoint) -> f64| -> Vec<(f64, f64)> {
            points.iter().map(|point| (point.time, value(point))).collect()
        };
        let mut energies = vec![
            ("total", GREY, of(&|point| point.energy.iter().sum())),
            ("kinetic", BLUE, of(&|point| point.energy[0])),
            ("potential", ORANGE, of(&|point| point.energy[1])),
        ];
        if points.iter().any(|point| point.energy[2] != 0.0) {
            energies.push(("elastic", GREEN, of(&|point| point.energy[2])));
        }
        let depth = [("max. penetration", ORANGE, of(&|point| point.penetration))];
        picture(title, &[("energy [J]", &energies), ("penetration [m]", &depth)])
    }

    fn of_steps(&self, title: &str) -> Result<String, Box<dyn std::error::Error>> {
        picture(title, &[("time of a step [ms]", &[("step", BLUE, self.steps.kept.clone())])])
    }
}

type Curve = (&'static str, RGBColor, Vec<(f64, f64)>);

/// Panels below each other, each with its curves over time.
fn picture(title: &str, panels: &[(&str, &[Curve])]) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let root = root.titled(title, ("sans-serif", 17))?;
        for (area, (what, curves)) in root.split_evenly((panels.len(), 1)).iter().zip(panels) {
            panel(area, what, curves)?;
        }
        root.present()?;
    }
    Ok(text)
}

/// A range with a margin, wider than nothing.
fn range(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    if !(low.is_finite() && high.is_finite()) {
        return 0.0..1.0;
    }
    let margin = if high > low { 0.04 * (high - low) } else { 0.5 * high.abs().max(1e-9) };
    low - margin..high + margin
}

fn panel(area: &DrawingArea<SVGBackend, Shift>, what: &str, curves: &[Curve]) -> Drawn {
    let points = || curves.iter().flat_map(|(_, _, points)| points);
    let end = points().map(|point| point.0).fold(0.0, f64::max);
    let end = if end > 0.0 { end } else { 1.0 };
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_right(16)
        .x_label_area_size(32)
        .y_label_area_size(78)
        .build_cartesian_2d(0.0..end, range(points().map(|point| point.1)))?;
    chart
        .configure_mesh()
        .x_desc("time [s]")
        .y_desc(what)
        .y_labels(6)
        .y_label_formatter(&|value| label(*value))
        .bold_line_style(BLACK.mix(0.12))
        .light_line_style(WHITE)
        .draw()?;
    for (name, color, points) in curves {
        let color = *color;
        let drawn = chart.draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?;
        drawn
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    if curves.len() > 1 {
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.25))
            .position(SeriesLabelPosition::UpperRight)
            .draw()?;
    }
    Ok(())
}

/// A value at an axis, in few digits.
fn label(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-2..1e5).contains(&size) {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_points_are_those_of_one_run_and_keep_their_order() {
        let mut points = Points::default();
        (0..9000).for_each(|index| points.push(index));
        assert!(points.kept.len() <= POINTS && points.kept.len() > POINTS / 2);
        assert!(points.kept.iter().zip(points.kept.iter().skip(1)).all(|(a, b)| b - a == 8), "every eighth");
        let mut plots = RunPlots::default();
        plots.add_step(0.1, Duration::from_millis(2));
        let text = plots.of_steps("<title>").unwrap();
        assert!(text.starts_with("<svg") && text.contains("&lt;title&gt;"), "{text}");
        assert!(plots.of_states("empty").is_ok());
    }
}
