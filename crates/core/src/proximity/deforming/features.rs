//! Features (vertices and edges) of a mesh, each assigned to one representative triangle [CTM08].
//!
//! A pair of triangles tests only the features assigned to them: every pair of features that could touch is thus tested in
//! exactly one pair of triangles.

use rayon::prelude::*;

/// Features assigned to a triangle: bits 0–2 its corners, bits 3–5 the sides that start at them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct AssignedFeatures(u8);

impl AssignedFeatures {
    /// Mask of the assigned corners.
    #[inline(always)]
    pub(super) fn corners(self) -> u32 {
        u32::from(self.0) & 7
    }

    /// Mask of the assigned sides.
    #[inline(always)]
    pub(super) fn sides(self) -> u32 {
        u32::from(self.0) >> 3
    }
}

/// Features of a mesh with their assignment to triangles.
#[derive(Debug, Clone)]
pub(super) struct MeshFeatures {
    /// Vertices of each edge, the lower one first; sorted.
    pub(super) edges: Vec<[u32; 2]>,
    /// Edge of each side of each triangle: side k connects corner k to the next one.
    pub(super) sides: Vec<[u32; 3]>,
    pub(super) assigned: Vec<AssignedFeatures>,
}

impl MeshFeatures {
    /// Computes the features of `triangles`, whose vertex indices are below `vertices`. Each is assigned to its lowest
    /// triangle.
    pub(super) fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        let mut uses = Vec::with_capacity(3 * triangles.len());
        for (triangle, corners) in triangles.iter().enumerate() {
            for side in 0..3 {
                let [a, b] = [corners[side], corners[(side + 1) % 3]];
                // Both ends in one number, so that equal edges become adjacent by one sort of integers.
                let ends = (u64::from(a.min(b)) << 32) | u64::from(a.max(b));
                uses.push((ends, 3 * triangle as u64 + side as u64));
            }
        }
        uses.par_sort_unstable();
        let mut assigned = vec![AssignedFeatures::default(); triangles.len()];
        let mut sides = vec![[0; 3]; triangles.len()];
        let mut edges: Vec<[u32; 2]> = Vec::new();
        for same in uses.chunk_by(|a, b| a.0 == b.0) {
            for &(_, side) in same {
                sides[(side / 3) as usize][(side % 3) as usize] = edges.len() as u32;
            }
            // Uses are sorted, so that the first one is that of the lowest triangle.
            let first = same[0].1;
            assigned[(first / 3) as usize].0 |= 8 << (first % 3);
            edges.push([(same[0].0 >> 32) as u32, same[0].0 as u32]);
        }
        let mut seen = vec![false; vertices];
        for (triangle, corners) in triangles.iter().enumerate() {
            for (corner, &vertex) in corners.iter().enumerate() {
                if !std::mem::replace(&mut seen[vertex as usize], true) {
                    assigned[triangle].0 |= 1 << corner;
                }
            }
        }
        Self { edges, sides, assigned }
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.edges) + size_of_val(&*self.sides) + size_of_val(&*self.assigned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_assigned_to_exactly_one_triangle() {
        // A tetrahedron, one of its faces twice.
        let triangles = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0], [2, 1, 0]];
        let features = MeshFeatures::new(4, &triangles);
        assert_eq!(features.edges, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        let (mut corners, mut sides) = ([0; 4], [0; 6]);
        for (triangle, assigned) in features.assigned.iter().enumerate() {
            for k in 0..3 {
                corners[triangles[triangle][k] as usize] += assigned.corners() >> k & 1;
                sides[features.sides[triangle][k] as usize] += assigned.sides() >> k & 1;
            }
        }
        assert_eq!(corners, [1; 4]);
        assert_eq!(sides, [1; 6]);
    }
}
