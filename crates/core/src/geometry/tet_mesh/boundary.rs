//! Surface of a tetrahedral mesh: the faces that belong to one tetrahedron only.

use nalgebra::Point3;

use super::element::TET_FACES;

/// Faces and nodes on the surface of a tetrahedral mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    /// Faces, #F × 3 node indices, counterclockwise seen from outside, in the order of their tetrahedra.
    pub faces: Vec<[u32; 3]>,
    /// Tetrahedron of each face.
    pub tets: Vec<u32>,
    /// Nodes on the surface, ascending.
    pub nodes: Vec<u32>,
}

impl Boundary {
    /// Extracts the surface of tetrahedra over `nodes` nodes. Takes O(n log n) for n tetrahedra.
    #[must_use]
    pub fn of(nodes: usize, tets: &[[u32; 4]]) -> Self {
        let mut sides: Vec<([u32; 3], u32, u8)> = Vec::with_capacity(4 * tets.len());
        for (tet, corners) in (0_u32..).zip(tets) {
            for (place, face) in (0_u8..).zip(&TET_FACES) {
                let mut key = face.map(|i| corners[i]);
                key.sort_unstable();
                sides.push((key, tet, place));
            }
        }
        sides.sort_unstable();
        // An interior face occurs twice with the same sorted corners, once in each of its tetrahedra.
        let alone = sides.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1);
        // Back to the order of the tetrahedra, from that of the sorted faces.
        let mut outer: Vec<(u32, u8)> = alone.map(|same| (same[0].1, same[0].2)).collect();
        outer.sort_unstable();
        let corners =
            |&(tet, place): &(u32, u8)| TET_FACES[usize::from(place)].map(|i| tets[tet as usize][i]);
        let faces: Vec<[u32; 3]> = outer.iter().map(corners).collect();
        let mut on_surface = vec![false; nodes];
        faces.iter().flatten().for_each(|&node| on_surface[node as usize] = true);
        let nodes = (0_u32..).zip(&on_surface).filter_map(|(node, &on)| on.then_some(node)).collect();
        Self { faces, tets: outer.into_iter().map(|(tet, _)| tet).collect(), nodes }
    }

    /// Edges of the faces, each once, ascending.
    #[must_use]
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let sides = self.faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Lumped areas of the nodes \[m²\], a third of the area of the adjacent faces, for all nodes of the mesh; zero for
    /// interior nodes.
    #[must_use]
    pub fn node_areas(&self, nodes: &[Point3<f64>]) -> Vec<f64> {
        let mut areas = vec![0.0; nodes.len()];
        for face in &self.faces {
            let [a, b, c] = face.map(|i| nodes[i as usize]);
            let third = (b - a).cross(&(c - a)).norm() / 6.0;
            face.iter().for_each(|&node| areas[node as usize] += third);
        }
        areas
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::TetMesh;

    #[test]
    fn two_tetrahedra_share_one_face_and_show_six() {
        let mesh = TetMesh::new(five(), vec![[0, 1, 2, 3], [1, 2, 3, 4]]).unwrap();
        let boundary = mesh.boundary();
        assert_eq!((boundary.faces.len(), boundary.nodes.len(), boundary.edges().len()), (6, 5, 9));
        let surface = mesh.surface();
        let flux: f64 = (0..surface.triangles().len())
            .map(|i| {
                let [a, b, c] = surface.triangle(i);
                a.coords.dot(&b.coords.cross(&c.coords)) / 6.0
            })
            .sum();
        assert!((flux - mesh.volume()).abs() < 1e-15, "{flux} {}", mesh.volume());
        let area: f64 =
            (0..6).map(|i| surface.triangle(i)).map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0).sum();
        assert!((boundary.node_areas(mesh.nodes()).iter().sum::<f64>() - area).abs() < 1e-14);
    }

    fn five() -> Vec<Point3<f64>> {
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
            .map(Point3::from)
            .to_vec()
    }
}
