//! Stencils: the tetrahedra that fill the inner part of a lattice tetrahedron, from the signs of its corners and the cut
//! points of its edges [Labelle07 §3].
//!
//! A corner is inside (+), on the surface (0) or outside (−). A corner outside is cut off at the cut points of its
//! edges to corners inside. The rest is a tetrahedron, a pyramid or a prism. Its quadrilaterals on faces of the lattice
//! are split by rules that depend on that face alone, so that the adjacent tetrahedron agrees:
//!
//! - where one of the two cut edges is long, the diagonal ends at its cut point;
//! - where both are short, the parity rule: the diagonal ends at the lattice corner of which an even number of
//!   coordinates exceed those of the corner that is cut off. The two ends of a long edge differ in parity.

use super::lattice::LatticePoint;

/// Sign of a corner: its position relative to the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    Surface,
    Outside,
}

/// Calls `emit` with each tetrahedron of the inner part of a lattice tetrahedron. `nodes` are the
/// indices of the corners, `cut(i, j)` is that of the cut point between corners i (inside) and j (outside). The orientation
/// is left to the caller.
pub(super) fn apply_stencil(
    places: &[LatticePoint; 4],
    sides: &[Side; 4],
    nodes: &[u32; 4],
    cut: &dyn Fn(usize, usize) -> u32,
    emit: &mut dyn FnMut([u32; 4]),
) {
    let of = |side: Side| (0..4).filter(move |&i| sides[i] == side);
    let mut inside = [0; 4];
    let mut count = 0;
    for i in of(Side::Inside) {
        inside[count] = i;
        count += 1;
    }
    let mut outside = of(Side::Outside);
    let (first, second) = (outside.next(), outside.next());
    let diagonal = |a: usize, b: usize, c: usize| leaves_first(places[a], places[b], places[c]);
    match (count, first, second) {
        (0, ..) => {}
        (_, None, _) => emit(*nodes),
        (1, ..) => {
            let a = inside[0];
            emit([0, 1, 2, 3].map(|i| if sides[i] == Side::Outside { cut(a, i) } else { nodes[i] }));
        }
        (2, Some(c), None) => {
            let [a, b] = [inside[0], inside[1]];
            let apex = nodes[6 - a - b - c];
            let [ac, bc] = [cut(a, c), cut(b, c)];
            let (from, to, left, right) =
                if diagonal(a, b, c) { (nodes[a], bc, nodes[b], ac) } else { (nodes[b], ac, nodes[a], bc) };
            emit([from, to, left, apex]);
            emit([from, to, right, apex]);
        }
        (2, Some(c), Some(d)) => {
            let [a, b] = [inside[0], inside[1]];
            let is_first = [diagonal(a, b, c), diagonal(a, b, d)];
            // The quadrilateral of four cut points is on the surface: its diagonal is free.
            prism(
                [nodes[a], cut(a, c), cut(a, d)],
                [nodes[b], cut(b, c), cut(b, d)],
                [is_first[0], is_first[1], !is_first[0]],
                emit,
            );
        }
        (_, Some(d), _) => {
            let [a, b, c] = [inside[0], inside[1], inside[2]];
            let sides = [diagonal(a, b, d), diagonal(a, c, d), diagonal(b, c, d)];
            prism([a, b, c].map(|i| nodes[i]), [a, b, c].map(|i| cut(i, d)), sides, emit);
        }
    }
}

/// The three tetrahedra of a prism between two triangles. `leaves` states, for the sides between corners 0 and 1, 0 and
/// 2, 1 and 2, whether the diagonal leaves the first triangle at the former one; they must not be cyclic.
fn prism(near: [u32; 3], far: [u32; 3], leaves: [bool; 3], emit: &mut dyn FnMut([u32; 4])) {
    let [ab, ac, bc] = leaves.map(usize::from);
    // Sorted by the number of diagonals that end at a corner: each tetrahedron replaces one near corner by its far one.
    let mut order = [0, 1, 2];
    let later = [2 - ab - ac, 1 + ab - bc, ac + bc];
    order.sort_unstable_by_key(|&i| later[i]);
    let [i, j, k] = order;
    emit([near[i], near[j], near[k], far[k]]);
    emit([near[i], near[j], far[j], far[k]]);
    emit([near[i], far[i], far[j], far[k]]);
}

/// Whether the diagonal of the quadrilateral between corners a, b (inside) and the cut points of their edges to c
/// leaves the lattice at a, and so ends at the cut point of b.
fn leaves_first(a: LatticePoint, b: LatticePoint, c: LatticePoint) -> bool {
    match (is_long(a, c), is_long(b, c)) {
        (true, _) => false,
        (_, true) => true,
        _ => (0..3).filter(|&axis| a[axis] > c[axis]).count() % 2 == 0,
    }
}

/// Whether an edge joins two points of one cubic lattice.
pub(super) fn is_long(a: LatticePoint, b: LatticePoint) -> bool {
    (a[0] - b[0]) % 2 == 0
}
