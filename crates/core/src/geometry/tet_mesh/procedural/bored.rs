//! A rod with a blind bore from its first end: a snake with a mouth and a gullet, a test tube.

use nalgebra::Point2;

use super::section::Section;
use super::sweep::{Sweep, swept};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::tet_mesh::mesh::TetMesh;

/// Blind bore along the axis of a rod with a disc as section.
#[derive(Debug, Clone, PartialEq)]
pub struct Bore {
    /// Number of the disc's rings that are removed, from the centre; the others form the wall.
    pub rings: usize,
    /// Depth of the bore: number of the rod's layers, from the first end.
    pub layers: usize,
    /// Radius of the bore as fractions of that of the rod, at as many equidistant stations along it, linearly interpolated. Beyond
    /// the blind end the last fraction applies to the rings.
    pub fractions: Vec<f64>,
}

impl Bore {
    /// Interpolated fraction at a station of the rod.
    fn fraction(&self, station: usize) -> f64 {
        let last = self.fractions.len().saturating_sub(1);
        let at = (last * station) as f64 / self.layers as f64;
        let place = (at as usize).min(last);
        let next = (place + 1).min(last);
        self.fractions[place] + (at - place as f64).min(1.0) * (self.fractions[next] - self.fractions[place])
    }
}

/// A disc of `rings` rings and `radius` \[m\] swept along x from 0 to `length` \[m\], scaled by the n-th of `scales` at the n-th of as
/// many equidistant stations, with a bore from the first end.
///
/// ```
/// use extricate_core::geometry::tet_mesh::procedural::{Bore, bored_rod};
///
/// let bore = Bore { rings: 2, layers: 30, fractions: vec![0.7, 0.6] };
/// let tube = bored_rod([0.05, 1.2], 4, &[1.0; 71], &bore)?;
/// assert_eq!(tube.tets().len(), 3 * (70 * 96 - 30 * 24));
/// # Ok::<(), extricate_core::geometry::ShapeError>(())
/// ```
///
/// # Errors
/// [`ShapeError`] when there is no layer, the hole leaves no wall, goes through all layers or has no fraction, a length, radius,
/// scale or fraction is not positive, or a fraction is not below 1.
pub fn bored_rod(
    [radius, length]: [f64; 2],
    rings: usize,
    scales: &[f64],
    bore: &Bore,
) -> Result<TetMesh, ShapeError> {
    let layers = scales.len().saturating_sub(1);
    let is_hole = bore.rings > 0 && bore.layers > 0 && !bore.fractions.is_empty();
    if !(is_hole && bore.rings < rings && bore.layers < layers) {
        return Err(ShapeError::Empty { elements: "tetrahedra", vertices: 0 });
    }
    let section = Section::Disc { radius: 1.0, rings }.triangles();
    let place = |layer: usize, point: &Point2<f64>| {
        let ring = (point.coords.norm() * rings as f64).round() as usize;
        let fraction = bore.fraction(layer);
        let within = |ring: usize, from: usize, to: usize| (ring - from) as f64 / (to - from) as f64;
        // The rings inside and outside the bore are respaced such that its wall is a ring of nodes.
        let outwards = if ring <= bore.rings {
            fraction * within(ring, 0, bore.rings)
        } else {
            fraction + (1.0 - fraction) * within(ring, bore.rings, rings)
        };
        let towards = point.coords.try_normalize(0.0).unwrap_or_default();
        let at = radius * scales[layer] * outwards * towards;
        [length * layer as f64 / layers as f64, at.x, at.y].into()
    };
    // The first n rings of a disc hold 6 n² triangles.
    let hole = 6 * bore.rings * bore.rings;
    let keep = |layer: usize, triangle: usize| layer >= bore.layers || triangle >= hole;
    swept(&section, &Sweep { layers, is_closed: false, place: &place, keep: &keep })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::tet_mesh::quality::TetQuality;

    fn snake(unit: f64) -> Result<TetMesh, ShapeError> {
        let bore = Bore { rings: 2, layers: 12, fractions: vec![0.75, 0.6, 0.6] };
        bored_rod([0.05 * unit, 0.5 * unit], 4, &[1.0; 25], &bore)
    }

    #[test]
    fn a_bored_rod_has_the_volume_of_the_rod_less_that_of_the_hole() {
        for unit in [1e-3, 1.0, 1e3] {
            let mesh = snake(unit).unwrap();
            // Polygons of 24 and of 12 corners with the squares of their radii, the hole a frustum and a prism.
            let polygon = |n: f64| n / 2.0 * (std::f64::consts::TAU / n).sin();
            let hole = (0.75 * 0.75 + 0.75 * 0.6 + 0.6 * 0.6) / 3.0 * 0.125 + 0.6 * 0.6 * 0.125;
            let volume = 0.05 * 0.05 * (polygon(24.0) * 0.5 - polygon(12.0) * hole) * unit * unit * unit;
            assert!((mesh.volume() / volume - 1.0).abs() < 1e-12, "{} {volume}", mesh.volume());
            let quality = TetQuality::of(&mesh);
            assert!(quality.closed_manifold && quality.surface_components == 1);
            assert!(quality.min_dihedral > 10.0, "{}", quality.min_dihedral);
        }
    }

    #[test]
    fn holes_without_wall_floor_or_size_are_refused() {
        let make = |rings, layers, fractions: &[f64]| {
            bored_rod([0.05, 0.5], 4, &[1.0; 25], &Bore { rings, layers, fractions: fractions.to_vec() })
        };
        assert!(make(2, 12, &[0.6]).is_ok());
        for (rings, layers) in [(0, 12), (4, 12), (5, 12), (2, 0), (2, 24)] {
            assert!(make(rings, layers, &[0.6]).is_err(), "{rings} {layers}");
        }
        for fraction in [0.0, 1.0, -0.5, 1.5, f64::NAN] {
            assert!(make(2, 12, &[0.6, fraction]).is_err(), "{fraction}");
        }
        assert!(make(2, 12, &[]).is_err());
    }
}
