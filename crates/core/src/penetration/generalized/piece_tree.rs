//! Tree of the bounding spheres of the convex pieces of an obstacle: which of them are near a sphere.

use nalgebra::{Point3, Vector3};

use super::shape::Piece;

/// Number of pieces up to which all are compared, which is as fast.
const FEW: usize = 16;
/// Pieces of a leaf.
const LEAF: usize = 4;

/// A node: the box of its spheres [m, body frame] and its range in the order of the leaves; the children of an inner node follow
/// it, the second one at `second`.
#[derive(Debug, Clone)]
struct Node {
    low: Vector3<f64>,
    high: Vector3<f64>,
    range: [u32; 2],
    second: u32,
}

/// Tree of the bounding spheres of the pieces of a body, in its frame.
#[derive(Debug, Clone)]
pub(crate) struct PieceTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

impl PieceTree {
    /// The tree of pieces; `None` of few, and where one is unbounded.
    pub(crate) fn new(pieces: &[Piece]) -> Option<Self> {
        if pieces.len() <= FEW || !pieces.iter().all(|piece| piece.ball.1.is_finite()) {
            return None;
        }
        let mut tree = Self { nodes: Vec::new(), order: (0..pieces.len() as u32).collect() };
        tree.split(pieces, [0, pieces.len()]);
        Some(tree)
    }

    /// Adds the node of a range and those below it.
    fn split(&mut self, pieces: &[Piece], [from, to]: [usize; 2]) {
        let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        for &piece in &self.order[from..to] {
            let (center, radius) = &pieces[piece as usize].ball;
            low = low.inf(&center.coords.add_scalar(-radius));
            high = high.sup(&center.coords.add_scalar(*radius));
        }
        let own = self.nodes.len();
        self.nodes.push(Node { low, high, range: [from as u32, to as u32], second: 0 });
        if to - from <= LEAF {
            return;
        }
        let axis = (high - low).imax();
        // The stable sort by centre keeps equal pieces in their order, so that the tree is the same on every machine.
        self.order[from..to].sort_by(|&a, &b| {
            let at = |piece: u32| pieces[piece as usize].ball.0[axis];
            at(a).total_cmp(&at(b))
        });
        let middle = usize::midpoint(from, to);
        self.split(pieces, [from, middle]);
        self.nodes[own].second = self.nodes.len() as u32;
        self.split(pieces, [middle, to]);
    }

    /// Collects the pieces, in ascending order, whose spheres may be within `reach` [m] of a point of the body's frame: all that
    /// are, and some that are a little farther.
    pub(crate) fn near(&self, point: &Point3<f64>, reach: f64, found: &mut Vec<u32>) {
        /// Room for the rounding of the point's transformation.
        const ROOM: f64 = 1e-9;
        found.clear();
        let reach = reach + ROOM * (reach.abs() + point.coords.norm());
        let mut at = 0;
        let mut stack = Vec::with_capacity(32);
        loop {
            let node = &self.nodes[at];
            let outside = (node.low - point.coords).sup(&(point.coords - node.high)).sup(&Vector3::zeros());
            // Negated, so that NaN descends.
            let is_far = outside.norm_squared() > reach * reach && reach >= 0.0;
            if !is_far && node.second > 0 {
                stack.push(node.second as usize);
                at += 1;
                continue;
            }
            if !is_far {
                let [from, to] = node.range;
                found.extend(&self.order[from as usize..to as usize]);
            }
            match stack.pop() {
                Some(next) => at = next,
                None => break,
            }
        }
        found.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::*;
    use crate::geometry::convex::shape::ConvexShape;
    use crate::geometry::random::fraction;
    use crate::penetration::generalized::shape::Shape;

    #[test]
    fn the_tree_finds_every_piece_within_reach() {
        let number = |i: u64, k: u64| 2.0 * fraction([3, i, k]) - 1.0;
        let piece = |i: u64| {
            let ball = ConvexShape::sphere(0.01 + 0.1 * fraction([5, i, 0]));
            (ball, Isometry3::translation(number(i, 0), number(i, 1), number(i, 2)))
        };
        let shape = Shape::of_pieces((0..200).map(piece).collect());
        let tree = PieceTree::new(shape.pieces()).unwrap();
        for i in 0..100 {
            let point = Point3::new(number(i, 7), number(i, 8), number(i, 9));
            let reach = 0.5 * fraction([6, i, 0]);
            let mut found = Vec::new();
            tree.near(&point, reach, &mut found);
            for (index, piece) in shape.pieces().iter().enumerate() {
                let is_near = (piece.ball.0 - point).norm() <= reach + piece.ball.1;
                assert!(!is_near || found.contains(&(index as u32)), "{i} {index}");
            }
            assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
        }
        assert!(PieceTree::new(&shape.pieces()[..FEW]).is_none());
    }
}
