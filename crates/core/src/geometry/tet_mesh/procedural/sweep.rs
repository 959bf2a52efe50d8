//! Sections swept along a line or around an axis.
//!
//! The prism between a triangle and its successor is split into three tetrahedra along diagonals that start, on each side
//! face, at the corner with the lower index, so that adjacent prisms conform.

use std::f64::consts::TAU;

use nalgebra::{Point2, Point3};

use super::section::{Section, Triangles};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::tet_mesh::mesh::TetMesh;

/// Relative tolerance of the angle 2π within which a ring is closed: the rounding of the caller's 2π.
const FULL_CIRCLE_TOLERANCE: f64 = 1e-12;

/// A section swept along x from 0 to `length` \[m\], scaled by the n-th of `scales` at the n-th of as many equidistant
/// stations: a tube, a snake that tapers, a bar.
///
/// With m = n − 1 layers its volume is the sum over them of (length / 3 m) area (s₀² + s₀ s₁ + s₁²): the sides of a
/// layer are plane.
///
/// ```
/// use extricate_core::geometry::tet_mesh::procedural::{Section, rod};
///
/// let snake = rod(Section::Disc { radius: 0.5, rings: 3 }, 20.0, &[1.0; 91])?;
/// assert_eq!(snake.tets().len(), 14_580);
/// # Ok::<(), extricate_core::geometry::ShapeError>(())
/// ```
///
/// # Errors
/// [`ShapeError`] when there is no layer, or a length, radius or scale is not positive.
pub fn rod(section: Section, length: f64, scales: &[f64]) -> Result<TetMesh, ShapeError> {
    let layers = scales.len().saturating_sub(1);
    let place = |layer: usize, point: &Point2<f64>| {
        let at = length * layer as f64 / layers.max(1) as f64;
        Point3::new(at, scales[layer] * point.x, scales[layer] * point.y)
    };
    swept(&section.triangles(), &Sweep { layers, is_closed: false, place: &place, keep: &|_, _| true })
}

/// A section swept around the z axis by `angle` \[rad\] from the x axis, its centre at `radius` \[m\]: a torus of solid or
/// hollow tube if the angle is 2π, a C-ring if it is less. The first axis of the section points outwards.
///
/// Its volume is layers · sin(angle / layers) · radius · area: the sides of a layer are plane.
///
/// # Errors
/// [`ShapeError`] when there is no layer, fewer than three layers close a full circle, a length or the angle is not positive,
/// the angle exceeds 2π, or the section reaches the axis.
pub fn ring(section: Section, radius: f64, angle: f64, layers: usize) -> Result<TetMesh, ShapeError> {
    let is_full = (angle / TAU - 1.0).abs() <= FULL_CIRCLE_TOLERANCE;
    let place = |layer: usize, point: &Point2<f64>| {
        let (sin, cos) = (angle * layer as f64 / layers.max(1) as f64).sin_cos();
        let distance = radius + point.x;
        Point3::new(distance * cos, distance * sin, point.y)
    };
    if !(angle <= TAU * (1.0 + FULL_CIRCLE_TOLERANCE)) || (is_full && layers < 3) {
        return Err(ShapeError::Empty { elements: "tetrahedra", vertices: 0 });
    }
    // The section's axes (outwards, z) and the direction of the sweep are left-handed: the triangles are reversed.
    let mut flat = section.triangles();
    flat.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
    swept(&flat, &Sweep { layers, is_closed: is_full, place: &place, keep: &|_, _| true })
}

/// Sweep of a section.
pub(super) struct Sweep<'a> {
    pub(super) layers: usize,
    /// Whether the last layer ends where the first begins.
    pub(super) is_closed: bool,
    /// Position of a point of the section at a station.
    pub(super) place: &'a dyn Fn(usize, &Point2<f64>) -> Point3<f64>,
    /// Whether the prism of a layer over a triangle of the section is filled.
    pub(super) keep: &'a dyn Fn(usize, usize) -> bool,
}

/// Tetrahedral mesh of a sweep.
pub(super) fn swept(section: &Triangles, sweep: &Sweep<'_>) -> Result<TetMesh, ShapeError> {
    let &Sweep { layers, is_closed, place, keep } = sweep;
    let stride = section.points.len();
    let stations = if is_closed || layers == 0 { layers } else { layers + 1 };
    let count = stations.saturating_mul(stride);
    if u32::try_from(count).is_err() {
        return Err(ShapeError::beyond_indices(count));
    }
    let nodes: Vec<Point3<f64>> = (0..stations)
        .flat_map(|layer| section.points.iter().map(move |point| (layer, point)))
        .map(|(layer, point)| place(layer, point))
        .collect();
    let mut tets = Vec::with_capacity(3 * layers * section.triangles.len());
    for layer in 0..layers {
        // The last layer of a closed ring ends at the first station.
        let next = if layer + 1 == stations { 0 } else { layer + 1 };
        for (_, corners) in
            section.triangles.iter().enumerate().filter(|&(triangle, _)| keep(layer, triangle))
        {
            let here = corners.map(|i| (layer * stride + i) as u32);
            let there = corners.map(|i| (next * stride + i) as u32);
            tets.extend(prism(here, there, corners));
        }
    }
    let (nodes, tets) = used(nodes, tets);
    TetMesh::new(nodes, tets)
}

/// Removes the nodes that no tetrahedron uses.
fn used(nodes: Vec<Point3<f64>>, mut tets: Vec<[u32; 4]>) -> (Vec<Point3<f64>>, Vec<[u32; 4]>) {
    let mut place = vec![u32::MAX; nodes.len()];
    tets.iter().flatten().for_each(|&node| place[node as usize] = 0);
    (0_u32..).zip(place.iter_mut().filter(|place| **place == 0)).for_each(|(at, place)| *place = at);
    tets.iter_mut().flatten().for_each(|node| *node = place[*node as usize]);
    (
        nodes.into_iter().zip(place).filter(|(_, place)| *place != u32::MAX).map(|(node, _)| node).collect(),
        tets,
    )
}

/// The three tetrahedra of a prism whose side diagonals start at the corner of lower rank of the first triangle.
fn prism(here: [u32; 3], there: [u32; 3], rank: &[usize; 3]) -> [[u32; 4]; 3] {
    let mut order = [0, 1, 2];
    order.sort_unstable_by_key(|&i| rank[i]);
    let [i, j, k] = order;
    // Sorting the corners by an odd permutation mirrors the prism.
    let is_even = [[0, 1, 2], [1, 2, 0], [2, 0, 1]].contains(&order);
    let oriented = |[a, b, c, d]: [u32; 4]| if is_even { [a, b, c, d] } else { [a, c, b, d] };
    [
        oriented([here[i], here[j], here[k], there[k]]),
        oriented([here[i], here[j], there[k], there[j]]),
        oriented([here[i], there[j], there[k], there[i]]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::topology::Topology;

    fn genus(mesh: &TetMesh) -> Option<i64> {
        let topology = Topology::of(&mesh.surface());
        assert!(topology.is_closed() && topology.is_manifold(), "{topology:?}");
        topology.genus()
    }

    #[test]
    fn a_tapered_rod_has_the_volume_of_its_frusta() {
        for unit in [1e-3, 1.0, 1e3] {
            let section = Section::Disc { radius: 0.5 * unit, rings: 3 };
            let scales = [0.2, 1.0, 0.9, 0.3];
            let mesh = rod(section, 20.0 * unit, &scales).unwrap();
            let frustum = |s: &[f64]| s[0] * s[0] + s[0] * s[1] + s[1] * s[1];
            let sum: f64 = scales.windows(2).map(frustum).sum();
            let volume = 20.0 * unit / 9.0 * section.area() * sum;
            assert!((mesh.volume() / volume - 1.0).abs() < 1e-13);
            assert_eq!((mesh.tets().len(), genus(&mesh)), (3 * 3 * 54, Some(0)));
        }
    }

    #[test]
    fn rings_have_the_volumes_of_their_closed_forms() {
        let solid = Section::Disc { radius: 0.2, rings: 3 };
        let hollow = Section::Annulus { radii: [0.15, 0.2], layers: 1, around: 12 };
        let square = Section::Rectangle { size: [0.1, 0.3], counts: [2, 3] };
        // Two surfaces of genus 1 bound the hollow torus.
        for (section, angle, genus_wanted) in
            [(solid, TAU, 1), (hollow, TAU, 2), (square, 5.5, 0), (solid, 6.0, 0), (hollow, 6.0, 1)]
        {
            let mesh = ring(section, 1.0, angle, 40).unwrap();
            let volume = 40.0 * (angle / 40.0).sin() * section.area();
            assert!((mesh.volume() / volume - 1.0).abs() < 1e-12, "{section:?}");
            assert_eq!(genus(&mesh), Some(genus_wanted), "{section:?} {angle}");
        }
    }

    #[test]
    fn sweeps_without_length_or_through_the_axis_are_refused() {
        let disc = Section::Disc { radius: 0.5, rings: 2 };
        assert!(rod(disc, 1.0, &[1.0]).is_err() && rod(disc, 0.0, &[1.0, 1.0]).is_err());
        assert!(rod(disc, 1.0, &[1.0, 0.0]).is_err() && rod(disc, -1.0, &[1.0, 1.0]).is_err());
        assert!(ring(disc, 0.4, 1.0, 5).is_err() && ring(disc, 1.0, TAU, 2).is_err());
        assert!(ring(disc, 1.0, 7.0, 50).is_err() && ring(disc, 1.0, f64::NAN, 50).is_err());
    }
}
