//! Picture of a slice through a field: colours for the distance, contour lines at round values.

use std::path::Path;

use plotters::prelude::*;

use super::distance_field::DistanceField;
use super::error::FieldError;

/// Longest edge of the picture of the slice [px].
const LONGEST: f64 = 640.0;
/// Margin around it [px].
const MARGIN: i32 = 24;
/// Height of the line of text above it [px].
const TITLE: i32 = 28;
/// Squares of one colour along the longest edge.
const SQUARES: f64 = 160.0;
/// Approximate number of contour lines between zero and the maximum distance.
const LINES: f64 = 8.0;
/// Colours from far inside over the surface to far outside: blue, white, orange, distinguishable by colour-blind readers.
const COLORS: [[f64; 3]; 3] = [[0.0, 90.0, 160.0], [250.0, 250.0, 250.0], [200.0, 90.0, 0.0]];
/// Colour of nodes without a distance.
const UNKNOWN: RGBColor = RGBColor(205, 205, 205);

/// The plane of a slice and its mapping to pixels.
struct Frame<'a> {
    field: &'a DistanceField,
    /// The axis normal to the plane, the one to the right and the one upwards.
    axes: [usize; 3],
    at: f64,
    /// Pixels per metre.
    scale: f64,
    /// Size in pixels.
    size: [f64; 2],
}

impl DistanceField {
    /// Draws the slice at coordinate `at` \[m\] of an axis (0, 1, 2 for x, y, z) to an SVG file, with contour lines of
    /// the distance; that of the surface is thick.
    ///
    /// # Errors
    /// [`FieldError::Picture`] when there is no such axis, the plane misses the grid or the file cannot be written.
    pub fn draw_slice(&self, axis: usize, at: f64, path: &Path) -> Result<(), FieldError> {
        let bounds = self.grid.bounds();
        if axis > 2 || !(bounds.min[axis] <= at && at <= bounds.max[axis]) {
            return Err(FieldError::Picture {
                why: format!("the plane {at} m of axis {axis} misses the grid"),
            });
        }
        let axes = [axis, (axis + 1) % 3, (axis + 2) % 3];
        let extents = bounds.extents();
        let scale = LONGEST / extents[axes[1]].max(extents[axes[2]]);
        let size = [scale * extents[axes[1]], scale * extents[axes[2]]];
        let frame = Frame { field: self, axes, at, scale, size };
        frame.draw(path).map_err(|error| FieldError::Picture { why: error.to_string() })
    }
}

impl Frame<'_> {
    fn draw(&self, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
        let [width, height] = self.size.map(|x| x.ceil() as i32);
        let whole = ((width + 2 * MARGIN) as u32, (height + 2 * MARGIN + TITLE) as u32);
        let root = SVGBackend::new(path, whole).into_drawing_area();
        root.fill(&WHITE)?;
        let (squares, values) = self.sample();
        let known = || values.iter().flatten().filter(|value| value.is_finite());
        let max = known().fold(0.0_f64, |max, value| max.max(value.abs()));
        let side = LONGEST / SQUARES;
        let corner = |column: usize, row: usize| {
            (MARGIN + (side * column as f64) as i32, MARGIN + TITLE + (side * row as f64) as i32)
        };
        for row in 0..squares[1] {
            for column in 0..squares[0] {
                let corners = [0, 1, 2, 3].map(|at| values[row + at / 2][column + at % 2]);
                let color = shade(corners.iter().sum::<f64>() / 4.0, max);
                let place = [corner(column, row), corner(column + 1, row + 1)];
                root.draw(&Rectangle::new(place, color.filled()))?;
            }
        }
        let step = round(max / LINES);
        let last = (max / step) as i32;
        for (from, to, level) in (-last..=last).flat_map(|level| self.lines(&values, f64::from(level) * step))
        {
            let place = |[x, y]: [f64; 2]| (MARGIN + x.round() as i32, MARGIN + TITLE + y.round() as i32);
            let style = BLACK.mix(if level == 0.0 { 1.0 } else { 0.45 }).stroke_width(if level == 0.0 {
                3
            } else {
                1
            });
            root.draw(&PathElement::new([place(from), place(to)], style))?;
        }
        let name = ["x", "y", "z"][self.axes[0]];
        let title = format!("{name} = {:.4} m, a contour every {step} m, {max:.4} m at most", self.at);
        root.draw(&Text::new(title, (MARGIN, 16), ("sans-serif", 16)))?;
        root.present()?;
        Ok(())
    }

    /// Number of squares to the right and downwards, and the values at their corners.
    fn sample(&self) -> ([usize; 2], Vec<Vec<f64>>) {
        let side = LONGEST / SQUARES;
        let squares = self.size.map(|length| (length / side).round().max(1.0) as usize);
        let bounds = self.field.grid.bounds();
        let value = |column: usize, row: usize| {
            let mut point = bounds.min;
            point[self.axes[0]] = self.at;
            point[self.axes[1]] += column as f64 * side / self.scale;
            point[self.axes[2]] = bounds.max[self.axes[2]] - row as f64 * side / self.scale;
            self.field.value(&point)
        };
        let row = |row: usize| (0..=squares[0]).map(|column| value(column, row)).collect();
        (squares, (0..=squares[1]).map(row).collect())
    }

    /// Segments of the contour line at `level`, by marching squares, each with the level.
    fn lines(&self, values: &[Vec<f64>], level: f64) -> Vec<([f64; 2], [f64; 2], f64)> {
        let side = LONGEST / SQUARES;
        let mut pieces = Vec::new();
        for row in 0..values.len() - 1 {
            for column in 0..values[row].len() - 1 {
                let at = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[x, y]| {
                    let place = [side * (column + x) as f64, side * (row + y) as f64];
                    (place, values[row + y][column + x] - level)
                });
                if at.iter().any(|(_, value)| !value.is_finite()) {
                    continue;
                }
                let crossings: Vec<_> = (0..4).filter_map(|i| crossing(at[i], at[(i + 1) % 4])).collect();
                pieces.extend(crossings.chunks_exact(2).map(|pair| (pair[0], pair[1], level)));
            }
        }
        pieces
    }
}

fn crossing((a, at_a): ([f64; 2], f64), (b, at_b): ([f64; 2], f64)) -> Option<[f64; 2]> {
    let fraction = at_a / (at_a - at_b);
    ((at_a < 0.0) != (at_b < 0.0)).then(|| [0, 1].map(|axis| a[axis] + fraction * (b[axis] - a[axis])))
}

fn shade(value: f64, max: f64) -> RGBColor {
    if !value.is_finite() {
        return UNKNOWN;
    }
    let far = if value < 0.0 { COLORS[0] } else { COLORS[2] };
    // The square root gives more contrast near the surface.
    let fraction = (value.abs() / max.max(f64::MIN_POSITIVE)).sqrt();
    let [r, g, b] = [0, 1, 2].map(|i| (COLORS[1][i] + fraction * (far[i] - COLORS[1][i])).round() as u8);
    RGBColor(r, g, b)
}

/// The nearest of 1, 2 and 5 times a power of ten that is not below `x`; one when `x` is not positive.
fn round(x: f64) -> f64 {
    if !(x > 0.0) {
        return 1.0;
    }
    let power = 10.0_f64.powf(x.log10().floor());
    [1.0, 2.0, 5.0].map(|digit| digit * power).into_iter().find(|&step| step >= x).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::super::FieldOptions;
    use super::*;
    use crate::geometry::procedural::{Procedural, Torus};

    #[test]
    fn a_slice_is_drawn_and_a_plane_beside_the_grid_is_refused() {
        let field = DistanceField::of(
            &Torus::default().mesh().unwrap(),
            &FieldOptions { resolution: 24, ..Default::default() },
        )
        .unwrap();
        let path = std::env::temp_dir().join(format!("extricate-slice-test-{}.svg", std::process::id()));
        field.draw_slice(2, 0.0, &path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("<svg") && text.contains("z = 0.0000 m"));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(field.draw_slice(2, 1e3, &path), Err(FieldError::Picture { .. })));
        assert!(matches!(field.draw_slice(3, 0.0, &path), Err(FieldError::Picture { .. })));
    }
}
