//! The connected parts of a mesh: triangles that share a corner belong together.

use std::collections::HashMap;

use nalgebra::Point3;

use crate::geometry::TriangleMesh;

/// One vertex of each connected part of the mesh, the one farthest from `center` [m, body frame].
///
/// Corners at the same place are the same, whether or not they share an index; so an unwelded mesh has no more parts
/// than a welded one. The farthest vertex is the likeliest to lie outside of whatever it is asked about.
pub(super) fn representatives(mesh: &TriangleMesh, center: &Point3<f64>) -> Vec<Point3<f64>> {
    let mut sets = DisjointSets::new(mesh.vertices().len());
    let mut first_at = HashMap::with_capacity(mesh.vertices().len());
    for (index, vertex) in mesh.vertices().iter().enumerate() {
        // Adding zero turns −0 into 0.
        let place = [vertex.x + 0.0, vertex.y + 0.0, vertex.z + 0.0].map(f64::to_bits);
        let first = *first_at.entry(place).or_insert(index as u32);
        sets.unite(first, index as u32);
    }
    let kept =
        || (0..mesh.triangles().len()).filter(|&i| !mesh.is_degenerate(i)).map(|i| mesh.triangles()[i]);
    for [a, b, c] in kept() {
        sets.unite(a, b);
        sets.unite(a, c);
    }
    let mut farthest = HashMap::<u32, (f64, u32)>::new();
    for vertex in kept().flatten() {
        let distance = nalgebra::distance_squared(&mesh.vertices()[vertex as usize], center);
        let best = farthest.entry(sets.root(vertex)).or_insert((distance, vertex));
        if distance > best.0 || (distance >= best.0 && vertex < best.1) {
            *best = (distance, vertex);
        }
    }
    let mut vertices = farthest.into_values().map(|(_, vertex)| vertex).collect::<Vec<_>>();
    vertices.sort_unstable();
    vertices.into_iter().map(|vertex| mesh.vertices()[vertex as usize]).collect()
}

/// Union–find with path halving; the root of a set is its least element.
#[derive(Debug)]
pub(crate) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    pub(crate) fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    pub(crate) fn root(&mut self, mut element: u32) -> u32 {
        while self.parents[element as usize] != element {
            let grandparent = self.parents[self.parents[element as usize] as usize];
            self.parents[element as usize] = grandparent;
            element = grandparent;
        }
        element
    }

    pub(crate) fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64) -> [Point3<f64>; 3] {
        [Point3::new(x, 0.0, 0.0), Point3::new(x + 1.0, 0.0, 0.0), Point3::new(x, 1.0, 0.0)]
    }

    #[test]
    fn parts_are_joined_by_shared_indices_and_by_shared_places() {
        let points = [at(0.0), at(1.0), at(5.0), at(-9.0)].concat();
        // The first two touch at (1, 0, 0) without sharing an index; the third shares one with itself only.
        let triangles = vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [7, 8, 6]];
        let mesh = TriangleMesh::new(points, triangles).unwrap();
        let found = representatives(&mesh, &Point3::origin());
        assert_eq!(found, [Point3::new(2.0, 0.0, 0.0), Point3::new(6.0, 0.0, 0.0)]);
    }

    #[test]
    fn a_triangle_without_area_joins_nothing_and_is_no_part() {
        let points = [at(0.0), at(5.0)].concat();
        let mesh = TriangleMesh::new(points, vec![[0, 1, 2], [0, 1, 4], [3, 4, 5]]).unwrap();
        assert_eq!(representatives(&mesh, &Point3::origin()).len(), 2);
    }
}
