//! Line charts as SVG: panels side by side, each with axes, series and a legend beside them.
//!
//! Colours are distinguishable for colour-blind readers (Okabe–Ito); dashes distinguish what colours do not.

use std::error::Error;
use std::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Okabe and Ito's palette without its yellow, which is faint on white.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(60, 60, 60),
];
/// Width and height of a panel without its legend [px].
const PANEL: [u32; 2] = [500, 400];
/// Width of a legend [px].
const LEGEND: u32 = 190;
/// Top of a legend and height of its lines [px].
const LINES: [i32; 2] = [48, 22];
/// Length of a dash and of the gap behind it [px].
const DASH: u32 = 5;
/// Room left on either side of the points on a logarithmic axis, and above them on a linear one; factors.
const MARGINS: [f64; 2] = [1.3, 1.05];

/// Points joined by a line.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) label: String,
    pub(crate) points: Vec<[f64; 2]>,
    /// Place in the palette.
    pub(crate) color: usize,
    pub(crate) dashed: bool,
    /// Whether each point is marked.
    pub(crate) marked: bool,
}

impl Series {
    fn style(&self) -> ShapeStyle {
        PALETTE[self.color % PALETTE.len()].stroke_width(2)
    }
}

/// One pair of axes.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub(crate) title: String,
    /// Labels of the horizontal and the vertical axis, with units.
    pub(crate) axes: [String; 2],
    /// Both axes logarithmic, or both linear.
    pub(crate) logarithmic: bool,
    pub(crate) series: Vec<Series>,
}

/// Writes the panels as an SVG file, with a given number in a row.
pub(crate) fn draw(path: &Path, columns: u32, panels: &[Panel]) -> Result<()> {
    let count = u32::try_from(panels.len())?;
    let rows = count.div_ceil(columns);
    let size = (columns * (PANEL[0] + LEGEND), rows * PANEL[1]);
    let root = SVGBackend::new(path, size).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, panel) in root.split_evenly((rows as usize, columns as usize)).iter().zip(panels) {
        let (area, beside) = area.split_horizontally(PANEL[0]);
        let [x, y] = [0, 1].map(|axis| bounds(panel, axis));
        if panel.logarithmic {
            fill(builder(&area, panel).build_cartesian_2d(x.log_scale(), y.log_scale())?, panel)?;
        } else {
            fill(builder(&area, panel).build_cartesian_2d(x, y)?, panel)?;
        }
        legend(&beside, panel)?;
    }
    root.present()?;
    Ok(())
}

fn builder<'a, 'b>(area: &'a Area<'b>, panel: &Panel) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut builder = ChartBuilder::on(area);
    builder.caption(&panel.title, ("sans-serif", 17)).margin(12).x_label_area_size(44).y_label_area_size(62);
    builder
}

/// Range of all points along an axis; on a logarithmic axis with a margin, on a linear one down to zero.
fn bounds(panel: &Panel, axis: usize) -> Range<f64> {
    let values = panel.series.iter().flat_map(|series| &series.points).map(|point| point[axis]);
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if panel.logarithmic {
        return low / MARGINS[0]..high * MARGINS[0];
    }
    // A line along the bottom needs an axis of some height all the same.
    low.min(0.0)..if high > 0.0 { high * MARGINS[1] } else { 1.0 }
}

/// Names of the series, each beside a piece of its line.
fn legend(area: &Area, panel: &Panel) -> Result<()> {
    for (series, line) in panel.series.iter().zip(0..) {
        let y = LINES[0] + LINES[1] * line;
        let style = series.style();
        let dashes = if series.dashed { vec![[0, 8], [14, 22]] } else { vec![[0, 22]] };
        for [from, to] in dashes {
            area.draw(&PathElement::new([(from, y), (to, y)], style))?;
        }
        area.draw(&Text::new(series.label.clone(), (28, y - 6), ("sans-serif", 13)))?;
    }
    Ok(())
}

fn fill<'a, 'b: 'a, X, Y>(
    mut chart: ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, Y>>,
    panel: &Panel,
) -> Result<()>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .x_desc(&panel.axes[0])
        .y_desc(&panel.axes[1])
        .x_label_formatter(&number)
        .y_label_formatter(&number)
        .light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 13))
        .draw()?;
    for series in &panel.series {
        let style = series.style();
        let points = series.points.iter().map(|&[x, y]| (x, y));
        if series.dashed {
            chart.draw_series(DashedLineSeries::new(points.clone(), DASH, DASH, style))?;
        } else {
            chart.draw_series(LineSeries::new(points.clone(), style))?;
        }
        if series.marked {
            chart.draw_series(points.map(|point| Circle::new(point, 3, style.color.filled())))?;
        }
    }
    Ok(())
}

/// A number as a label: with many thousands and millions by letter.
fn number(value: &f64) -> String {
    let (scaled, letter) = match value.abs() {
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (*value, ""),
    };
    // Six digits hide what rounding leaves of a tick.
    format!("{}{letter}", (scaled * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(logarithmic: bool, points: Vec<[f64; 2]>) -> Panel {
        let series = Series { label: "s".into(), points, color: 0, dashed: false, marked: true };
        let axes = ["x".to_owned(), "y".to_owned()];
        Panel { title: "t".into(), axes, logarithmic, series: vec![series] }
    }

    #[test]
    fn the_points_of_a_logarithmic_axis_lie_within_it() {
        let found = bounds(&panel(true, vec![[20.0, 0.3], [4000.0, 7.0]]), 0);
        assert!(found.start > 10.0 && found.start < 20.0 && found.end > 4000.0, "{found:?}");
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(
            [1e-3, 0.1 + 0.2, 1e3, 1e5, 2e6].map(|x| number(&x)),
            ["0.001", "0.3", "1000", "100k", "2M"]
        );
    }

    #[test]
    fn a_chart_names_its_axes_and_series() {
        let path = std::env::temp_dir().join(format!("extricate_chart_{}.svg", std::process::id()));
        draw(&path, 1, &[panel(false, vec![[0.0, 0.0], [1.0, 0.0]])]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(["x", "y", "s", "t"].iter().all(|name| text.contains(&format!("\n{name}\n"))), "{text}");
    }
}
