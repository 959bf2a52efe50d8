//! Content of a tetrahedral mesh file before validation.

use nalgebra::Point3;

use crate::geometry::read::error::Fault;
use crate::geometry::tet_mesh::mesh::{TetMesh, signed_volume};

/// A tetrahedral mesh from a file, and the corrections made to it.
#[derive(Debug, Clone, PartialEq)]
pub struct TetFile {
    /// The mesh; the coordinates are those of the file, in metres.
    pub mesh: TetMesh,
    /// Whether all tetrahedra of the file had negative volumes and were reoriented.
    pub reoriented: bool,
    /// Number of nodes of the file that no tetrahedron uses; they are removed, and the following ones move up.
    pub unused_nodes: usize,
}

/// Nodes and tetrahedra of a file; every index is in range.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) nodes: Vec<Point3<f64>>,
    pub(super) tets: Vec<[u32; 4]>,
}

impl Parts {
    pub(super) fn into_mesh(mut self) -> Result<TetFile, Fault> {
        let is_negative = |tet: &[u32; 4]| signed_volume(&tet.map(|i| self.nodes[i as usize])) < 0.0;
        let reoriented = !self.tets.is_empty() && self.tets.iter().all(is_negative);
        if reoriented {
            // Exchanging two corners reverses the orientation.
            self.tets.iter_mut().for_each(|tet| tet.swap(2, 3));
        }
        let unused_nodes = self.drop_unused();
        Ok(TetFile { mesh: TetMesh::new(self.nodes, self.tets)?, reoriented, unused_nodes })
    }

    fn drop_unused(&mut self) -> usize {
        let mut is_used = vec![false; self.nodes.len()];
        self.tets.iter().flatten().for_each(|&node| is_used[node as usize] = true);
        let mut place = Vec::with_capacity(is_used.len());
        let mut next = 0_u32;
        for &used in &is_used {
            place.push(next);
            next += u32::from(used);
        }
        self.tets.iter_mut().flatten().for_each(|node| *node = place[*node as usize]);
        let mut used = is_used.iter();
        self.nodes.retain(|_| used.next() == Some(&true));
        is_used.len() - self.nodes.len()
    }
}
