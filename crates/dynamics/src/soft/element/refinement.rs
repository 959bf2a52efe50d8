//! Quadratic meshes from linear ones: the edge midpoints, and the linear tetrahedra within the quadratic ones.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::error::SoftError;
use extricate_core::geometry::ShapeError;
use extricate_core::geometry::TetMesh;
use extricate_core::geometry::tet_mesh::TET_EDGES;

/// The eight linear tetrahedra within a quadratic one: four at the corners and four around the diagonal from the
/// midpoint of edge 01 (local node 4) to that of 23 (local node 9).
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

/// Fraction of an element's mass at local node `place`, a corner or a midpoint: the diagonal of the consistent mass matrix,
/// 6/420 V and 32/420 V, scaled to the element's mass [Hinton76].
pub(super) fn mass_fraction(place: usize) -> f64 {
    if place < 4 { 6.0 / 216.0 } else { 32.0 / 216.0 }
}

/// Appends the edge midpoints to `positions`; returns ten nodes for each element, and the linear sub-mesh.
pub(super) fn refine(
    mesh: &TetMesh,
    positions: &mut Vec<Vector3<f64>>,
) -> Result<(Vec<u32>, TetMesh), SoftError> {
    let mut midpoints: HashMap<[u32; 2], u32> = HashMap::new();
    let mut nodes = Vec::with_capacity(10 * mesh.tets().len());
    for tet in mesh.tets() {
        nodes.extend_from_slice(tet);
        for [i, j] in TET_EDGES {
            let edge = [tet[i].min(tet[j]), tet[i].max(tet[j])];
            let count = positions.len();
            let next = u32::try_from(count).map_err(|_| ShapeError::beyond_indices(count))?;
            let midpoint = *midpoints.entry(edge).or_insert(next);
            if midpoint == next {
                positions.push(0.5 * (positions[edge[0] as usize] + positions[edge[1] as usize]));
            }
            nodes.push(midpoint);
        }
    }
    let parts = nodes.chunks_exact(10).flat_map(|n| PARTS.map(|part| part.map(|place| n[place]))).collect();
    let linear = TetMesh::new(positions.iter().map(|&p| p.into()).collect(), parts)?;
    Ok((nodes, linear))
}
