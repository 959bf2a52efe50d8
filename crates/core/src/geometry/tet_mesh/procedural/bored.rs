//! A rod with a hole from its first end to a blind end inside: a snake with a mouth and a gullet, a test tube.

use nalgebra::Point2;

use super::section::Section;
use super::sweep::{Sweep, swept};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::tet_mesh::mesh::TetMesh;

/// A hole along the axis of a rod with the section of a disc.
#[derive(Debug, Clone, PartialEq)]
pub struct Bore {
    /// How many of the disc's rings are left out, from the centre; the rest are the wall.
    pub rings: usize,
    /// How many of the rod's layers it goes through, from the first end.
    pub layers: usize,
    /// Its radius over that of the rod, at as many equidistant stations along it, linear between them. Behind its blind end
    /// the rings keep the last share.
    pub shares: Vec<f64>,
}

impl Bore {
    /// The share at a station of the rod.
    fn share(&self, station: usize) -> f64 {
        let last = self.shares.len().saturating_sub(1);
        let at = (last * station) as f64 / self.layers as f64;
        let place = (at as usize).min(last);
        let next = (place + 1).min(last);
        self.shares[place] + (at - place as f64).min(1.0) * (self.shares[next] - self.shares[place])
    }
}

/// A disc of `rings` rings and `radius` [m] swept along x from 0 to `length` [m], scaled by the n-th of `scales` at the n-th of as
/// many equidistant stations, with a hole from the first end.
///
/// ```
/// use extricate_core::geometry::tet_mesh::procedural::{Bore, bored_rod};
///
/// let bore = Bore { rings: 2, layers: 30, shares: vec![0.7, 0.6] };
/// let tube = bored_rod([0.05, 1.2], 4, &[1.0; 71], &bore)?;
/// assert_eq!(tube.tets().len(), 3 * (70 * 96 - 30 * 24));
/// # Ok::<(), extricate_core::geometry::ShapeError>(())
/// ```
///
/// # Errors
/// [`ShapeError`] when there is no layer, the hole leaves no wall, goes through all layers or has no share, a length, radius,
/// scale or share is not positive, or a share is not below 1.
pub fn bored_rod(
    [radius, length]: [f64; 2],
    rings: usize,
    scales: &[f64],
    bore: &Bore,
) -> Result<TetMesh, ShapeError> {
    let layers = scales.len().saturating_sub(1);
    let is_hole = bore.rings > 0 && bore.layers > 0 && !bore.shares.is_empty();
    if !(is_hole && bore.rings < rings && bore.layers < layers) {
        return Err(ShapeError::Empty { elements: "tetrahedra", vertices: 0 });
    }
    let section = Section::Disc { radius: 1.0, rings }.triangles();
    let place = |layer: usize, point: &Point2<f64>| {
        let ring = (point.coords.norm() * rings as f64).round() as usize;
        let share = bore.share(layer);
        let within = |ring: usize, from: usize, to: usize| (ring - from) as f64 / (to - from) as f64;
        let outwards = if ring <= bore.rings {
            share * within(ring, 0, bore.rings)
        } else {
            share + (1.0 - share) * within(ring, bore.rings, rings)
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
        let bore = Bore { rings: 2, layers: 12, shares: vec![0.75, 0.6, 0.6] };
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
            assert!(quality.least_dihedral > 10.0, "{}", quality.least_dihedral);
        }
    }

    #[test]
    fn holes_without_wall_floor_or_size_are_refused() {
        let make = |rings, layers, shares: &[f64]| {
            bored_rod([0.05, 0.5], 4, &[1.0; 25], &Bore { rings, layers, shares: shares.to_vec() })
        };
        assert!(make(2, 12, &[0.6]).is_ok());
        for (rings, layers) in [(0, 12), (4, 12), (5, 12), (2, 0), (2, 24)] {
            assert!(make(rings, layers, &[0.6]).is_err(), "{rings} {layers}");
        }
        for share in [0.0, 1.0, -0.5, 1.5, f64::NAN] {
            assert!(make(2, 12, &[0.6, share]).is_err(), "{share}");
        }
        assert!(make(2, 12, &[]).is_err());
    }
}
