//! Vertices at which rounding errors exceed the curvature of a hull.

use nalgebra::Vector3;

use super::facets::PolygonArea;
use super::rows::Rows;
use super::skeleton::Edge;

/// Sine of the angle by which all edges of a vertex must descend in some direction for the vertex not to be blunt. At a vertex from
/// which no edge ascends by more than rounding, it bounds the error of the support value to 1e-10 of the hull's size, an error that
/// occurs only where a direction is perpendicular to edges to within rounding. Halving it doubles that bound; a larger sine makes
/// vertices of finely sampled curves blunt, each of which costs a search through all vertices.
const BLUNT: f64 = 1e-5;

/// Maximum number of iterations towards that direction. A vertex for which they do not suffice counts as blunt: its supports stay
/// correct and become slower.
const MAX_ITERATIONS: usize = 32;

/// Flags of the blunt vertices: those inside a nearly flat face or a nearly straight edge, which may be vertices because of rounding
/// alone.
pub(super) fn blunt_vertices(
    points: &[Vector3<f64>],
    skeleton: &Rows<Edge>,
    areas: &[PolygonArea],
) -> Vec<bool> {
    let mut edges: Vec<Vector3<f64>> = Vec::new();
    let mut is_blunt = Vec::with_capacity(points.len());
    for (point, row) in points.iter().zip(skeleton.iter()) {
        edges.clear();
        edges.extend(row.iter().map(|edge| (points[edge.end as usize] - point).normalize()));
        let normals = row.iter().filter_map(|edge| areas.get(edge.left as usize)).map(PolygonArea::normal);
        // The sum of the adjacent normals usually settles the question; the iteration is for the rest.
        let up: Vector3<f64> = normals.map(|normal| normal.into_inner()).sum();
        is_blunt.push(!(descend(&edges, &up) || descend_in_some_direction(&edges)));
    }
    is_blunt
}

/// Whether all edges descend by more than [`BLUNT`].
fn descend(edges: &[Vector3<f64>], up: &Vector3<f64>) -> bool {
    steepest(edges, up).is_none_or(|edge| edge.dot(up) < -BLUNT * up.norm())
}

fn steepest<'a>(edges: &'a [Vector3<f64>], up: &Vector3<f64>) -> Option<&'a Vector3<f64>> {
    edges.iter().max_by(|a, b| a.dot(up).total_cmp(&b.dot(up)))
}

/// Whether a direction is found in which all edges descend. The optimal one is opposite to the minimum-norm point of the convex hull
/// of the edges' directions, to which Gilbert's algorithm converges from their mean [Gilbert66].
fn descend_in_some_direction(edges: &[Vector3<f64>]) -> bool {
    let mut nearest: Vector3<f64> = edges.iter().sum::<Vector3<f64>>() / edges.len() as f64;
    for _ in 0..MAX_ITERATIONS {
        if descend(edges, &-nearest) {
            return true;
        }
        let Some(edge) = steepest(edges, &-nearest) else { return true };
        let towards = edge - nearest;
        // Minimum-norm point of the segment from the iterate to the extreme direction.
        nearest += (-nearest.dot(&towards) / towards.norm_squared()).clamp(0.0, 1.0) * towards;
    }
    false
}
