//! Test that a mesh is closed, in one pass over its triangles.

use crate::geometry::shape_error::ShapeError;
use crate::geometry::topology::Topology;
use crate::geometry::triangle_mesh::TriangleMesh;

/// Checks that every edge is used equally often in both directions.
///
/// Each use of an edge adds a hash of its ends, or subtracts it when the edge is used backwards. The sum is zero when the
/// mesh is closed, and zero for an open one with probability 2⁻⁶⁴. Coincident vertices with several indices leave a sum as
/// well: only then are positions compared.
pub(super) fn check(mesh: &TriangleMesh) -> Result<(), ShapeError> {
    let mut sum = 0_u64;
    for &[a, b, c] in mesh.triangles() {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let value = hash(u64::from(from.min(to)) << 32 | u64::from(from.max(to)));
            sum = if from < to { sum.wrapping_add(value) } else { sum.wrapping_sub(value) };
        }
    }
    if sum == 0 {
        return Ok(());
    }
    let topology = Topology::of(mesh);
    if topology.is_closed() {
        Ok(())
    } else {
        Err(ShapeError::NotClosed { edges: topology.unbalanced_edges })
    }
}

/// The finaliser of SplitMix64: every bit of the result depends on every bit of the number.
fn hash(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
