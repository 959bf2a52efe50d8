//! Vertices at which rounding hides the shape of a hull.

use nalgebra::Vector3;

use super::facets::Flat;
use super::rows::Rows;
use super::skeleton::Edge;

/// Sine of the angle by which all edges of a vertex must fall in some direction, that the vertex is not blunt. At a vertex from
/// which no edge rises by more than rounding, this bounds what is lost to 1e-10 of the hull's size, and that is lost only where a
/// direction is perpendicular to edges to within rounding. A larger sine would make vertices of fine curves blunt.
const BLUNT: f64 = 1e-5;

/// Attempts to find that direction.
const ATTEMPTS: usize = 32;

/// Which vertices are blunt: in the middle of a face that is nearly flat or of an edge that is nearly straight, where rounding may have
/// put them.
pub(super) fn blunt_vertices(points: &[Vector3<f64>], skeleton: &Rows<Edge>, flats: &[Flat]) -> Vec<bool> {
    let mut edges: Vec<Vector3<f64>> = Vec::new();
    let mut is_blunt = Vec::with_capacity(points.len());
    for (point, row) in points.iter().zip(skeleton.iter()) {
        edges.clear();
        edges.extend(row.iter().map(|edge| (points[edge.end as usize] - point).normalize()));
        let normals = row.iter().filter_map(|edge| flats.get(edge.left as usize)).map(Flat::normal);
        let up: Vector3<f64> = normals.map(|normal| normal.into_inner()).sum();
        is_blunt.push(!(falls(&edges, &up) || falls_somewhere(&edges)));
    }
    is_blunt
}

/// Whether all edges fall by more than [`BLUNT`].
fn falls(edges: &[Vector3<f64>], up: &Vector3<f64>) -> bool {
    steepest(edges, up).is_none_or(|edge| edge.dot(up) < -BLUNT * up.norm())
}

fn steepest<'a>(edges: &'a [Vector3<f64>], up: &Vector3<f64>) -> Option<&'a Vector3<f64>> {
    edges.iter().max_by(|a, b| a.dot(up).total_cmp(&b.dot(up)))
}

/// Whether a direction is found in which all edges fall. The best one is opposite to the point of the hull of the edges' directions
/// that is nearest to the origin, which is approached from their mean [Gilbert66].
fn falls_somewhere(edges: &[Vector3<f64>]) -> bool {
    let mut nearest: Vector3<f64> = edges.iter().sum::<Vector3<f64>>() / edges.len() as f64;
    for _ in 0..ATTEMPTS {
        if falls(edges, &-nearest) {
            return true;
        }
        let Some(edge) = steepest(edges, &-nearest) else { return true };
        let towards = edge - nearest;
        nearest += (-nearest.dot(&towards) / towards.norm_squared()).clamp(0.0, 1.0) * towards;
    }
    false
}
