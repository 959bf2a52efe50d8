//! A welded triangle surface with its edges, refined where it is coarse.
//!
//! Everything is in the frame of the model's tree. Vertices of equal coordinates are one vertex. A triangle without area
//! is left out: the queries ignore it too, so that its neighbours end there.

use nalgebra::{Point3, Vector3};

use crate::geometry::triangle_mesh::TriangleMesh;
use crate::geometry::weld::Welder;

/// Triangles up to which a surface is refined: curves and patches follow edges, so that a face of two triangles offers
/// few of them.
const REFINED: usize = 1200;
/// Maximum number of rounds of refinement; each halves the longest edges. A safeguard against needles.
const ROUNDS: u32 = 12;

/// A side of a triangle along an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EdgeUse {
    ends: [u32; 2],
    triangle: u32,
    side: u8,
}

/// A welded triangle surface.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    /// Vertices [m].
    pub(super) points: Vec<Vector3<f64>>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Whether the triangles are parts of those of the mesh.
    pub(super) is_refined: bool,
    /// End points of the edges, the lower index first.
    pub(super) edges: Vec<[u32; 2]>,
    /// The edges of each triangle; side k leads from corner k to corner k + 1.
    pub(super) sides: Vec<[u32; 3]>,
    /// Offsets of the triangles at each edge in `at_edges`, compressed rows.
    offsets: Vec<u32>,
    at_edges: Vec<u32>,
}

impl Surface {
    /// The surface of a mesh about `center`, refined if it has few triangles.
    pub(super) fn new(mesh: &TriangleMesh, center: &Point3<f64>) -> Self {
        let mut welder = Welder::default();
        let place_of = mesh.vertices().iter().map(|&p| welder.add(p)).collect::<Vec<_>>();
        let mut points = welder.into_points().iter().map(|p| p - center).collect::<Vec<_>>();
        let with_area = (0..mesh.triangles().len()).filter(|&i| !mesh.is_degenerate(i));
        let corners = with_area.map(|i| mesh.triangles()[i].map(|vertex| place_of[vertex as usize]));
        let mut triangles = corners.collect::<Vec<_>>();
        let is_refined = triangles.len() < REFINED;
        if is_refined {
            refine(&mut points, &mut triangles);
            // The tree over the parts leaves out those without area, and so must their edges.
            let parts = TriangleMesh::new(points.iter().map(|&p| p.into()).collect(), triangles.clone());
            let has_area = parts.map(|parts| (0..triangles.len()).map(|i| !parts.is_degenerate(i)).collect());
            let mut has_area: std::vec::IntoIter<bool> = has_area.unwrap_or_else(|_| Vec::new()).into_iter();
            triangles.retain(|_| has_area.next().unwrap_or(false));
        }
        Self::of(points, triangles, is_refined)
    }

    fn of(points: Vec<Vector3<f64>>, triangles: Vec<[u32; 3]>, is_refined: bool) -> Self {
        let uses = edge_uses(&triangles);
        let (mut edges, mut offsets, mut at_edges) = (Vec::new(), vec![0], Vec::new());
        let mut sides = vec![[0; 3]; triangles.len()];
        for group in uses.chunk_by(|x, y| x.ends == y.ends) {
            for side in group {
                sides[side.triangle as usize][usize::from(side.side)] = edges.len() as u32;
                at_edges.push(side.triangle);
            }
            edges.push(group[0].ends);
            offsets.push(at_edges.len() as u32);
        }
        Self { points, triangles, is_refined, edges, sides, offsets, at_edges }
    }

    /// The triangles at an edge.
    pub(super) fn at_edge(&self, edge: u32) -> &[u32] {
        let [first, last] = [0, 1].map(|k| self.offsets[edge as usize + k] as usize);
        &self.at_edges[first..last]
    }

    /// Corners of a triangle [m].
    pub(super) fn corners(&self, triangle: u32) -> [Vector3<f64>; 3] {
        self.triangles[triangle as usize].map(|vertex| self.points[vertex as usize])
    }

    /// Twice the area times the normal of a triangle [m²].
    pub(super) fn area_vector(&self, triangle: u32) -> Vector3<f64> {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(&(c - a))
    }

    /// Centroid of a triangle [m].
    pub(super) fn middle(&self, triangle: u32) -> Vector3<f64> {
        let [a, b, c] = self.corners(triangle);
        (a + b + c) / 3.0
    }

    /// Whether side `side` of a triangle leads from the lower to the higher index of its edge.
    pub(super) fn is_forwards(&self, triangle: u32, side: usize) -> bool {
        let corners = self.triangles[triangle as usize];
        corners[side] < corners[(side + 1) % 3]
    }

    /// Area of the surface [m²].
    pub(super) fn area(&self) -> f64 {
        (0..self.triangles.len() as u32).map(|triangle| 0.5 * self.area_vector(triangle).norm()).sum()
    }
}

/// All sides of the triangles, sorted by edge.
fn edge_uses(triangles: &[[u32; 3]]) -> Vec<EdgeUse> {
    let sides = triangles.iter().enumerate().flat_map(|(triangle, corners)| {
        (0..3).map(move |side| {
            let [from, to] = [corners[side], corners[(side + 1) % 3]];
            EdgeUse { ends: [from.min(to), from.max(to)], triangle: triangle as u32, side: side as u8 }
        })
    });
    let mut uses = sides.collect::<Vec<_>>();
    uses.sort_unstable();
    uses
}

/// Splits the longest edges at their middles until the surface has about [`REFINED`] triangles. Both sides of an edge
/// get the same midpoint, so that the surface stays closed where it was.
fn refine(points: &mut Vec<Vector3<f64>>, triangles: &mut Vec<[u32; 3]>) {
    let area: f64 = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|vertex| points[vertex as usize]);
            0.5 * (b - a).cross(&(c - a)).norm()
        })
        .sum();
    // The edge of an equilateral triangle of the mean area; a bisected one has edges of 0.7 to 1.4 of it.
    let length = 1.4 * (4.0 * area / (3.0_f64.sqrt() * REFINED as f64)).sqrt();
    for _ in 0..ROUNDS {
        let uses = edge_uses(triangles);
        let mut middles = vec![[u32::MAX; 3]; triangles.len()];
        let mut is_split = false;
        for group in uses.chunk_by(|x, y| x.ends == y.ends) {
            let [p, q] = group[0].ends.map(|end| points[end as usize]);
            if !((q - p).norm() > length) {
                continue;
            }
            is_split = true;
            for side in group {
                middles[side.triangle as usize][usize::from(side.side)] = points.len() as u32;
            }
            points.push(0.5 * (p + q));
        }
        if !is_split || triangles.len() > 4 * REFINED {
            return;
        }
        let old = std::mem::take(triangles);
        for (corners, middles) in old.iter().zip(&middles) {
            split(corners, middles, points, triangles);
        }
    }
}

/// The parts of a triangle whose sides have these midpoints, or `u32::MAX`; the orientation is the same.
fn split(corners: &[u32; 3], middles: &[u32; 3], points: &[Vector3<f64>], parts: &mut Vec<[u32; 3]>) {
    let has = |side: usize| middles[side] != u32::MAX;
    let count = (0..3).filter(|&side| has(side)).count();
    // Rotated so that the split sides come first.
    let first = match count {
        1 => (0..3).find(|&side| has(side)).unwrap_or(0),
        2 => (0..3).find(|&side| !has(side)).map_or(0, |side| (side + 1) % 3),
        _ => 0,
    };
    let [a, b, c] = [0, 1, 2].map(|k| corners[(first + k) % 3]);
    let [ab, bc, ca] = [0, 1, 2].map(|k| middles[(first + k) % 3]);
    match count {
        0 => parts.push([a, b, c]),
        1 => parts.extend([[a, ab, c], [ab, b, c]]),
        2 => {
            parts.push([ab, b, bc]);
            // The shorter diagonal of the quadrilateral.
            let length = |p: u32, q: u32| (points[p as usize] - points[q as usize]).norm_squared();
            if length(a, bc) <= length(ab, c) {
                parts.extend([[a, ab, bc], [a, bc, c]]);
            } else {
                parts.extend([[a, ab, c], [ab, bc, c]]);
            }
        }
        _ => parts.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]),
    }
}
