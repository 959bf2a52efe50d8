//! The vertices and edges of a mesh, each in the charge of one of its triangles [CTM08].
//!
//! A pair of triangles tests only the features that are in their charge: so every pair of features that could touch is
//! tested in exactly one pair of triangles.

use rayon::prelude::*;

/// Which features of a triangle are in its charge: bits 0–2 its corners, bits 3–5 the sides that leave them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Charge(u8);

impl Charge {
    /// One bit for each corner in its charge.
    #[inline(always)]
    pub(super) fn corners(self) -> u32 {
        u32::from(self.0) & 7
    }

    /// One bit for each side in its charge.
    #[inline(always)]
    pub(super) fn sides(self) -> u32 {
        u32::from(self.0) >> 3
    }
}

/// The features of a mesh.
#[derive(Debug, Clone)]
pub(super) struct MeshFeatures {
    /// Vertices with the lower one first, sorted.
    pub(super) edges: Vec<[u32; 2]>,
    /// Edge of each side of each triangle: side k leads from corner k to the next one.
    pub(super) sides: Vec<[u32; 3]>,
    pub(super) charges: Vec<Charge>,
}

impl MeshFeatures {
    /// The features of `triangles`, whose indices are below `vertices`. The lowest triangle is in charge.
    pub(super) fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        let mut uses = Vec::with_capacity(3 * triangles.len());
        for (triangle, corners) in triangles.iter().enumerate() {
            for side in 0..3 {
                let [a, b] = [corners[side], corners[(side + 1) % 3]];
                let ends = (u64::from(a.min(b)) << 32) | u64::from(a.max(b));
                uses.push((ends, 3 * triangle as u64 + side as u64));
            }
        }
        uses.par_sort_unstable();
        let mut charges = vec![Charge::default(); triangles.len()];
        let mut sides = vec![[0; 3]; triangles.len()];
        let mut edges: Vec<[u32; 2]> = Vec::new();
        for same in uses.chunk_by(|a, b| a.0 == b.0) {
            for &(_, place) in same {
                sides[(place / 3) as usize][(place % 3) as usize] = edges.len() as u32;
            }
            let first = same[0].1;
            charges[(first / 3) as usize].0 |= 8 << (first % 3);
            edges.push([(same[0].0 >> 32) as u32, same[0].0 as u32]);
        }
        let mut seen = vec![false; vertices];
        for (triangle, corners) in triangles.iter().enumerate() {
            for (corner, &vertex) in corners.iter().enumerate() {
                if !std::mem::replace(&mut seen[vertex as usize], true) {
                    charges[triangle].0 |= 1 << corner;
                }
            }
        }
        Self { edges, sides, charges }
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.edges) + size_of_val(&*self.sides) + size_of_val(&*self.charges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_in_the_charge_of_one_triangle() {
        // A tetrahedron, one of its faces twice.
        let triangles = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0], [2, 1, 0]];
        let features = MeshFeatures::new(4, &triangles);
        assert_eq!(features.edges, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        let (mut corners, mut sides) = ([0; 4], [0; 6]);
        for (triangle, charge) in features.charges.iter().enumerate() {
            for k in 0..3 {
                corners[triangles[triangle][k] as usize] += charge.corners() >> k & 1;
                sides[features.sides[triangle][k] as usize] += charge.sides() >> k & 1;
            }
        }
        assert_eq!(corners, [1; 4]);
        assert_eq!(sides, [1; 6]);
    }
}
