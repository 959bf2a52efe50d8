//! Plot of the drift between two runs.

use std::io;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::series::Series;
use super::{ComparisonReport, Quantity};
use crate::record::{RecordError, write_whole};

/// Size of the picture [px].
const SIZE: (u32, u32) = (960, 720);
/// Lower end of the plotted ratios: smaller ones are drawn there, so that equal states are visible as well.
const MIN_RATIO: f64 = 1e-6;
/// Upper end of the plotted ratios: larger ones are drawn there.
const MAX_RATIO: f64 = 1e9;
/// Number of plotted bodies: those that drift farthest.
const MAX_BODIES: usize = 8;
/// Colours that colour-blind readers can distinguish [Okabe and Ito].
const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(100, 100, 100),
    RGBColor(180, 160, 0),
];

type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Draws the drift as SVG: ratio of every difference to its threshold over time, by quantity (of the farthest body) and by body (of the
/// farthest quantity). Above the line at one a difference is beyond its tolerance.
///
/// # Errors
/// [`RecordError`] when the file cannot be written.
pub fn draw(report: &ComparisonReport, title: &str, path: &Path) -> Result<(), RecordError> {
    let text = drift(report, title).map_err(|error| RecordError::write(path, error))?;
    write_whole(path, text.as_bytes())
}

/// The drift as the text of an SVG file, as [`draw`] writes it.
///
/// # Errors
/// An [`io::Error`] when it cannot be drawn.
pub fn drift(report: &ComparisonReport, title: &str) -> io::Result<String> {
    let mut text = String::new();
    panels(report, title, &mut text).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(text)
}

fn panels(report: &ComparisonReport, title: &str, text: &mut String) -> Drawn {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.titled(title, ("sans-serif", 20))?;
    let (upper, lower) = root.split_vertically(SIZE.1 as i32 / 2 - 20);
    let of_quantity = |(quantity, series)| (Quantity::name(quantity).to_owned(), series);
    let quantities = report.quantities().map(of_quantity).filter(|(_, series)| series.max() > 0.0);
    let times = report.quantities().flat_map(|(_, series)| series.points()).map(|point| point.0);
    let end = Some(times.fold(0.0, f64::max)).filter(|end| *end > 0.0).unwrap_or(1.0);
    panel(&upper, ("by quantity", end), &farthest(quantities.collect()))?;
    let bodies = report.bodies().map(|(name, series)| (name.to_owned(), series));
    let bodies = bodies.filter(|(_, series)| series.max() > 0.0);
    panel(&lower, ("by body", end), &farthest(bodies.collect()))?;
    root.present()?;
    Ok(())
}

/// The series with the largest maxima, largest first.
fn farthest(mut series: Vec<(String, &Series)>) -> Vec<(String, &Series)> {
    series.sort_by(|a, b| b.1.max().total_cmp(&a.1.max()).then_with(|| a.0.cmp(&b.0)));
    series.truncate(MAX_BODIES);
    series
}

/// Draws the lines over the times up to `end` [s].
fn panel(
    area: &DrawingArea<SVGBackend, Shift>,
    (what, end): (&str, f64),
    lines: &[(String, &Series)],
) -> Drawn {
    let points = lines.iter().flat_map(|(_, series)| series.points());
    // At least a decade above the line of the tolerance, so that this is in the plot.
    let top = points.map(|point| point.1).fold(10.0, f64::max).clamp(10.0, MAX_RATIO) * 2.0;
    let mut chart = ChartBuilder::on(area)
        .caption(what, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(34)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..end, (MIN_RATIO..top).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("time [s]")
        .y_desc("difference / tolerance")
        .y_label_formatter(&|ratio| format!("{ratio:.0e}"))
        .bold_line_style(BLACK.mix(0.15))
        .light_line_style(WHITE)
        .draw()?;
    let tolerance = chart.draw_series(LineSeries::new([(0.0, 1.0), (end, 1.0)], BLACK.stroke_width(2)))?;
    let key = |(x, y)| PathElement::new([(x, y), (x + 16, y)], BLACK.stroke_width(2));
    tolerance.label("tolerance").legend(key);
    for ((name, series), color) in lines.iter().zip(COLORS) {
        let points = series.points().iter().map(|&(time, ratio)| (time, ratio.clamp(MIN_RATIO, MAX_RATIO)));
        let drawn = chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
        let key = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2));
        drawn.label(name.as_str()).legend(key);
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .position(SeriesLabelPosition::LowerRight)
        .draw()?;
    Ok(())
}
