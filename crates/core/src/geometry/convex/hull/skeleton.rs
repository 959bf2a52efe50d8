//! Edge graph of a polytope.

use super::rows::Rows;

/// A directed edge, seen from its start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    /// Vertex where it ends.
    pub(super) end: u32,
    /// Polygon on its left, seen from outside.
    pub(super) left: u32,
}

/// Edges of the polygons of a closed surface, by the vertex where they start, sorted by the vertex where they end.
pub(super) fn skeleton(polygons: &Rows<u32>, vertices: usize) -> Rows<Edge> {
    let mut all: Vec<(u32, Edge)> = Vec::with_capacity(polygons.items().len());
    for (left, polygon) in polygons.iter().enumerate() {
        all.extend(sides(polygon).map(|[from, end]| (from, Edge { end, left: left as u32 })));
    }
    all.sort_unstable_by_key(|(from, edge)| (*from, edge.end));
    let mut rows = Rows::new();
    let mut rest = all.as_slice();
    for vertex in 0..vertices as u32 {
        let (row, others) = rest.split_at(rest.partition_point(|(from, _)| *from == vertex));
        rows.push(row.iter().map(|(_, edge)| *edge));
        rest = others;
    }
    rows
}

/// Sides of a polygon, from each corner to the next.
pub(super) fn sides(polygon: &[u32]) -> impl Iterator<Item = [u32; 2]> + '_ {
    polygon.iter().zip(polygon.iter().cycle().skip(1)).map(|(&from, &to)| [from, to])
}

/// Polygon on the left of an edge.
pub(super) fn left_of(skeleton: &Rows<Edge>, [from, to]: [u32; 2]) -> u32 {
    let row = skeleton.row(from as usize);
    let place = row.partition_point(|edge| edge.end < to);
    row[place].left
}

/// Triangle fans of the polygons.
pub(super) fn triangles(polygons: &Rows<u32>) -> Vec<[u32; 3]> {
    let fan = |polygon: &[u32]| -> Vec<[u32; 3]> {
        let Some((&first, others)) = polygon.split_first() else { return Vec::new() };
        others.windows(2).map(|side| [first, side[0], side[1]]).collect()
    };
    polygons.iter().flat_map(fan).collect()
}
