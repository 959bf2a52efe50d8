//! Quadratic meshes from linear ones: the middles of the edges, and the linear tetrahedra within the quadratic ones.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::error::SoftError;
use extricate_core::geometry::ShapeError;
use extricate_core::geometry::TetMesh;
use extricate_core::geometry::tet_mesh::TET_EDGES;

/// The eight linear tetrahedra within a quadratic one: four at the corners and four around the diagonal from the
/// middle of edge 01 (place 4) to that of 23 (place 9).
const PARTS: [[usize; 4]; 8] = [
    [0, 4, 5, 6],
    [4, 1, 7, 8],
    [5, 7, 2, 9],
    [6, 8, 9, 3],
    [4, 9, 5, 6],
    [4, 9, 6, 8],
    [4, 9, 8, 7],
    [4, 9, 7, 5],
];

/// Part of an element's mass at each corner and middle: the diagonal of the consistent mass matrix, scaled to the
/// element's mass [Hinton76]. The diagonal is 6/420 V and 32/420 V.
pub(super) fn mass_share(place: usize) -> f64 {
    if place < 4 { 6.0 / 216.0 } else { 32.0 / 216.0 }
}

/// Appends the middles of the edges to `positions`; returns ten nodes for each element, and the linear sub-mesh.
pub(super) fn refine(
    mesh: &TetMesh,
    positions: &mut Vec<Vector3<f64>>,
) -> Result<(Vec<u32>, TetMesh), SoftError> {
    let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
    let mut nodes = Vec::with_capacity(10 * mesh.tets().len());
    for tet in mesh.tets() {
        nodes.extend_from_slice(tet);
        for [i, j] in TET_EDGES {
            let edge = [tet[i].min(tet[j]), tet[i].max(tet[j])];
            let count = positions.len();
            let next = u32::try_from(count).map_err(|_| ShapeError::beyond_indices(count))?;
            let middle = *middles.entry(edge).or_insert(next);
            if middle == next {
                positions.push(0.5 * (positions[edge[0] as usize] + positions[edge[1] as usize]));
            }
            nodes.push(middle);
        }
    }
    let parts = nodes.chunks_exact(10).flat_map(|n| PARTS.map(|part| part.map(|place| n[place]))).collect();
    let linear = TetMesh::new(positions.iter().map(|&p| p.into()).collect(), parts)?;
    Ok((nodes, linear))
}
