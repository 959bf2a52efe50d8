//! Whether a mesh is closed, in one pass over its triangles.

use crate::geometry::shape_error::ShapeError;
use crate::geometry::topology::Topology;
use crate::geometry::triangle_mesh::TriangleMesh;

/// Checks that every edge is used equally often in both directions.
///
/// Each use of an edge adds a scrambled number of its ends, or takes it away when the edge is used backwards. The sum
/// is zero when the mesh is closed, and of an open one it is zero once in 2⁶⁴. Vertices at one place with several
/// indices leave a sum as well: only then are places compared.
pub(super) fn check(mesh: &TriangleMesh) -> Result<(), ShapeError> {
    let mut sum = 0_u64;
    for &[a, b, c] in mesh.triangles() {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let number = scrambled(u64::from(from.min(to)) << 32 | u64::from(from.max(to)));
            sum = if from < to { sum.wrapping_add(number) } else { sum.wrapping_sub(number) };
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

/// The finaliser of SplitMix64: every bit of the answer depends on every bit of the number.
fn scrambled(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
