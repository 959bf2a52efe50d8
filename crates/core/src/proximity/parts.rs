//! Connected parts of a mesh: triangles that share a corner belong to one part.

use std::collections::HashMap;

use nalgebra::Point3;

use crate::geometry::triangle_mesh::TriangleMesh;

/// Two vertices of each connected part of the mesh: the one farthest from `center`, and the one farthest from that
/// [m, body frame].
///
/// Corners of equal coordinates are the same, whether or not they share an index, so an unwelded mesh has no more parts
/// than a welded one. The farthest vertex is the most likely to lie outside another body, and a body that contains both
/// vertices usually contains the whole part.
pub(super) fn representatives(mesh: &TriangleMesh, center: &Point3<f64>) -> Vec<[Point3<f64>; 2]> {
    let mut sets = DisjointSets::new(mesh.vertices().len());
    let mut first_at = HashMap::with_capacity(mesh.vertices().len());
    for (index, vertex) in mesh.vertices().iter().enumerate() {
        // Adding zero maps −0 to 0, so that equal coordinates have equal bits.
        let place = [vertex.x + 0.0, vertex.y + 0.0, vertex.z + 0.0].map(f64::to_bits);
        let first = *first_at.entry(place).or_insert(index as u32);
        sets.unite(first, index as u32);
    }
    let with_area =
        || (0..mesh.triangles().len()).filter(|&i| !mesh.is_degenerate(i)).map(|i| mesh.triangles()[i]);
    for [a, b, c] in with_area() {
        sets.unite(a, b);
        sets.unite(a, c);
    }
    let place = |vertex: u32| mesh.vertices()[vertex as usize];
    let farthest = farthest_of_parts(with_area().flatten(), &mut sets, |vertex, _| {
        nalgebra::distance_squared(&place(vertex), center)
    });
    let opposite = farthest_of_parts(with_area().flatten(), &mut sets, |vertex, part| {
        nalgebra::distance_squared(&place(vertex), &place(farthest[part as usize]))
    });
    let pairs = farthest.into_iter().zip(opposite).filter(|(vertex, _)| *vertex != NO_VERTEX);
    let mut vertices = pairs.map(|(vertex, opposite)| [vertex, opposite]).collect::<Vec<_>>();
    // In the order of the vertices, not of the roots.
    vertices.sort_unstable();
    vertices.into_iter().map(|pair| pair.map(place)).collect()
}

/// Stands for the vertex of an element that is not the root of a part.
const NO_VERTEX: u32 = u32::MAX;

/// The vertex of maximum distance of each part, the first among equal ones, by the root of the part; [`NO_VERTEX`] of other elements.
fn farthest_of_parts(
    vertices: impl Iterator<Item = u32>,
    sets: &mut DisjointSets,
    distance: impl Fn(u32, u32) -> f64,
) -> Vec<u32> {
    let mut farthest = vec![(0.0, NO_VERTEX); sets.parents.len()];
    for vertex in vertices {
        let part = sets.root(vertex);
        let distance = distance(vertex, part);
        let best = &mut farthest[part as usize];
        let is_first = best.1 == NO_VERTEX;
        if is_first || distance > best.0 || (distance >= best.0 && vertex < best.1) {
            *best = (distance, vertex);
        }
    }
    farthest.into_iter().map(|(_, vertex)| vertex).collect()
}

/// Union–find with path halving; the root of a set is its minimum element.
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
        let ends = [[[2.0, 0.0], [0.0, 1.0]], [[6.0, 0.0], [5.0, 1.0]]];
        assert_eq!(found, ends.map(|pair| pair.map(|[x, y]| Point3::new(x, y, 0.0))));
    }

    #[test]
    fn a_triangle_without_area_joins_nothing_and_is_no_part() {
        let points = [at(0.0), at(5.0)].concat();
        let mesh = TriangleMesh::new(points, vec![[0, 1, 2], [0, 1, 4], [3, 4, 5]]).unwrap();
        assert_eq!(representatives(&mesh, &Point3::origin()).len(), 2);
    }
}
