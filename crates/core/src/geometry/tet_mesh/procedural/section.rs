//! Plane sections of sweeps, triangulated.

use std::f64::consts::TAU;

use nalgebra::Point2;

/// A plane section. Lengths in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Section {
    /// A disc: `rings` rings around its centre, the n-th of 6 n edges.
    Disc {
        /// Radius of the corners of the outermost ring \[m\].
        radius: f64,
        /// Number of rings.
        rings: usize,
    },
    /// An annulus between two circles.
    Annulus {
        /// Radii of the corners on the inner and on the outer circle \[m\].
        radii: [f64; 2],
        /// Number of layers between them.
        layers: usize,
        /// Number of edges of each circle.
        around: usize,
    },
    /// A rectangle.
    Rectangle {
        /// Lengths of its edges \[m\].
        size: [f64; 2],
        /// Number of cells along each.
        counts: [usize; 2],
    },
}

/// Triangles of a section, counterclockwise.
#[derive(Debug)]
pub(super) struct Triangles {
    pub(super) points: Vec<Point2<f64>>,
    pub(super) triangles: Vec<[usize; 3]>,
}

impl Section {
    /// Area of the polygon that its triangles fill \[m²\]; its centroid is the origin.
    #[must_use]
    pub fn area(&self) -> f64 {
        let polygon = |corners: f64| corners / 2.0 * (TAU / corners).sin();
        match *self {
            Self::Disc { radius, rings } => polygon(6.0 * rings as f64) * radius * radius,
            Self::Annulus { radii: [inner, outer], around, .. } => {
                polygon(around as f64) * (outer * outer - inner * inner)
            }
            Self::Rectangle { size, .. } => size[0] * size[1],
        }
    }

    pub(super) fn triangles(&self) -> Triangles {
        match *self {
            Self::Disc { radius, rings } => disc(radius, rings),
            Self::Annulus { radii, layers, around } => annulus(radii, layers, around),
            Self::Rectangle { size, counts } => rectangle(size, counts),
        }
    }
}

/// Triangles of a disc. Ring n has 6 n points and starts at 1 + 3 n (n − 1). Each of its six sectors is a row of n triangles
/// that point inwards and n − 1 that point outwards.
fn disc(radius: f64, rings: usize) -> Triangles {
    let mut points = vec![Point2::origin()];
    let mut triangles = Vec::new();
    let start = |ring: usize| if ring == 0 { 0 } else { 1 + 3 * ring * (ring - 1) };
    for ring in 1..=rings {
        let count = 6 * ring;
        let own_radius = radius * ring as f64 / rings as f64;
        points.extend((0..count).map(|i| on_circle(own_radius, i, count)));
        let outer = |i: usize| start(ring) + i % count;
        let inner = |i: usize| start(ring - 1) + if ring == 1 { 0 } else { i % (count - 6) };
        for sector in 0..6 {
            for step in 0..ring {
                let (out, inn) = (sector * ring + step, sector * (ring - 1) + step);
                triangles.push([outer(out), outer(out + 1), inner(inn)]);
                if step + 1 < ring {
                    triangles.push([inner(inn), outer(out + 1), inner(inn + 1)]);
                }
            }
        }
    }
    Triangles { points, triangles }
}

fn annulus([inner, outer]: [f64; 2], layers: usize, around: usize) -> Triangles {
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for layer in 0..=layers {
        let radius = inner + (outer - inner) * layer as f64 / layers as f64;
        points.extend((0..around).map(|i| on_circle(radius, i, around)));
    }
    for layer in 0..layers {
        for i in 0..around {
            let [a, b] = [layer * around + i, layer * around + (i + 1) % around];
            triangles.extend([[a, a + around, b + around], [a, b + around, b]]);
        }
    }
    Triangles { points, triangles }
}

fn rectangle(size: [f64; 2], counts: [usize; 2]) -> Triangles {
    let at = |axis: usize, step: usize| size[axis] * (step as f64 / counts[axis] as f64 - 0.5);
    let [x, y] = counts;
    let points = (0..=x).flat_map(|i| (0..=y).map(move |j| Point2::new(at(0, i), at(1, j)))).collect();
    let cell = |a: usize| [[a, a + y + 1, a + y + 2], [a, a + y + 2, a + 1]];
    let triangles = (0..x).flat_map(|i| (0..y).flat_map(move |j| cell(i * (y + 1) + j))).collect();
    Triangles { points, triangles }
}

fn on_circle(radius: f64, step: usize, count: usize) -> Point2<f64> {
    let angle = TAU * step as f64 / count as f64;
    Point2::new(radius * angle.cos(), radius * angle.sin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triangles_of_a_section_are_counterclockwise_and_add_up_to_its_area() {
        for section in [
            Section::Disc { radius: 0.7, rings: 4 },
            Section::Annulus { radii: [0.2, 0.7], layers: 3, around: 11 },
            Section::Rectangle { size: [0.3, 2.0], counts: [2, 5] },
        ] {
            let Triangles { points, triangles } = section.triangles();
            let areas = triangles.iter().map(|corners| {
                let [a, b, c] = corners.map(|i| points[i]);
                (b - a).perp(&(c - a)) / 2.0
            });
            assert!(areas.clone().all(|area| area > 0.0));
            let sum: f64 = areas.sum();
            assert!((sum / section.area() - 1.0).abs() < 1e-14, "{sum} {}", section.area());
        }
    }
}
