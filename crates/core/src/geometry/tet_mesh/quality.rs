//! Quality of a tetrahedral mesh: dihedral angles, edges, volume, and topology of its surface.

use std::f64::consts::PI;
use std::fmt;

use serde::Serialize;

use super::element::TET_EDGES;
use super::mesh::TetMesh;
use crate::geometry::topology::Topology;

/// Number of bins of the histogram of dihedral angles, of 10° each.
pub const BINS: usize = 18;

/// Quality measures of a tetrahedral mesh.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TetQuality {
    /// Nodes.
    pub nodes: usize,
    /// Nodes on the surface.
    pub surface_nodes: usize,
    /// Tetrahedra.
    pub tets: usize,
    /// Triangles of the surface.
    pub surface_triangles: usize,
    /// Tetrahedra without an interior node: a linear field that vanishes on the surface vanishes in all of them.
    pub tets_on_surface: usize,
    /// Interior edges with both ends on the surface.
    pub spanning_edges: usize,
    /// Whether the surface is closed and a manifold.
    pub closed_manifold: bool,
    /// Connected components of the surface.
    pub surface_components: usize,
    /// Volume \[m³\].
    pub volume: f64,
    /// Length of the shortest edge \[m\].
    pub shortest_edge: f64,
    /// Length of the longest edge \[m\].
    pub longest_edge: f64,
    /// Minimum dihedral angle [°]; 70.5 in a regular tetrahedron.
    #[serde(rename = "least_dihedral")]
    pub min_dihedral: f64,
    /// Maximum dihedral angle [°].
    #[serde(rename = "greatest_dihedral")]
    pub max_dihedral: f64,
    /// Dihedral angles from 0° to 180° in bins of 10°, six for each tetrahedron.
    pub dihedrals: [usize; BINS],
}

impl TetQuality {
    /// Analyses a mesh. Takes O(n log n) for n tetrahedra.
    ///
    /// ```
    /// use extricate_core::geometry::tet_mesh::{procedural::block, quality::TetQuality};
    /// use nalgebra::{Point3, Vector3};
    ///
    /// let quality = TetQuality::of(&block([3, 3, 3], Vector3::repeat(1.0), Point3::origin())?);
    /// assert!((quality.min_dihedral - 45.0).abs() < 1e-9 && (quality.max_dihedral - 90.0).abs() < 1e-9);
    /// # Ok::<(), extricate_core::geometry::ShapeError>(())
    /// ```
    #[must_use]
    pub fn of(mesh: &TetMesh) -> Self {
        let boundary = mesh.boundary();
        let mut on_surface = vec![false; mesh.nodes().len()];
        boundary.nodes.iter().for_each(|&node| on_surface[node as usize] = true);
        let topology = Topology::of(&mesh.surface());
        let mut quality = Self {
            nodes: mesh.nodes().len(),
            surface_nodes: boundary.nodes.len(),
            tets: mesh.tets().len(),
            surface_triangles: boundary.faces.len(),
            tets_on_surface: mesh
                .tets()
                .iter()
                .filter(|tet| tet.iter().all(|&i| on_surface[i as usize]))
                .count(),
            spanning_edges: spanning_edges(mesh, &on_surface, &boundary.edges()),
            closed_manifold: topology.is_closed() && topology.is_manifold(),
            surface_components: topology.components,
            volume: mesh.volume(),
            shortest_edge: f64::INFINITY,
            longest_edge: 0.0,
            min_dihedral: f64::INFINITY,
            max_dihedral: 0.0,
            dihedrals: [0; BINS],
        };
        (0..mesh.tets().len()).for_each(|tet| quality.include(mesh, tet));
        quality
    }

    fn include(&mut self, mesh: &TetMesh, tet: usize) {
        let corners = mesh.tet(tet);
        for [i, j] in TET_EDGES {
            let length = (corners[i] - corners[j]).norm();
            self.shortest_edge = self.shortest_edge.min(length);
            self.longest_edge = self.longest_edge.max(length);
        }
        for angle in dihedral_angles(&corners) {
            let degrees = angle * 180.0 / PI;
            self.min_dihedral = self.min_dihedral.min(degrees);
            self.max_dihedral = self.max_dihedral.max(degrees);
            self.dihedrals[((degrees / 10.0) as usize).min(BINS - 1)] += 1;
        }
    }
}

/// Dihedral angles of a tetrahedron at its edges \[rad\], in the order of [`TET_EDGES`].
#[must_use]
pub fn dihedral_angles(corners: &[nalgebra::Point3<f64>; 4]) -> [f64; 6] {
    TET_EDGES.map(|[i, j]| {
        let others: Vec<usize> = (0..4).filter(|k| ![i, j].contains(k)).collect();
        let axis = corners[j] - corners[i];
        let [a, b] = [others[0], others[1]].map(|k| axis.cross(&(corners[k] - corners[i])));
        // Unlike the arc cosine, accurate for angles near 0 and π.
        a.cross(&b).norm().atan2(a.dot(&b))
    })
}

/// Number of interior edges with both ends on the surface.
fn spanning_edges(mesh: &TetMesh, on_surface: &[bool], surface_edges: &[[u32; 2]]) -> usize {
    let all =
        mesh.tets().iter().flat_map(|tet| TET_EDGES.map(|[i, j]| [tet[i].min(tet[j]), tet[i].max(tet[j])]));
    let mut edges: Vec<[u32; 2]> = all.filter(|edge| edge.iter().all(|&i| on_surface[i as usize])).collect();
    edges.sort_unstable();
    edges.dedup();
    edges.len() - surface_edges.len()
}

impl fmt::Display for TetQuality {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "  tetrahedra       {} over {} nodes", self.tets, self.nodes)?;
        writeln!(f, "  surface          {} triangles, {} nodes", self.surface_triangles, self.surface_nodes)?;
        let state = if self.closed_manifold { "closed, a manifold" } else { "NOT a closed manifold" };
        writeln!(f, "                   {state}, {} component(s)", self.surface_components)?;
        writeln!(f, "  volume           {:.6e} m³", self.volume)?;
        writeln!(f, "  edges            {:.4e} to {:.4e} m", self.shortest_edge, self.longest_edge)?;
        writeln!(f, "  dihedral angles  {:.2}° to {:.2}°", self.min_dihedral, self.max_dihedral)?;
        let total: usize = self.dihedrals.iter().sum();
        for (bin, &count) in self.dihedrals.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let percent = 100.0 * count as f64 / total as f64;
            writeln!(f, "    {:3}°–{:3}°  {percent:5.1} %", 10 * bin, 10 * (bin + 1))?;
        }
        write!(
            f,
            "  without an interior node: {} tetrahedra, {} edges",
            self.tets_on_surface, self.spanning_edges
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    #[test]
    fn a_regular_tetrahedron_has_six_angles_of_arccos_one_third() {
        let corners =
            [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(Point3::from);
        let mesh = TetMesh::new(corners.to_vec(), vec![[0, 1, 3, 2]]).unwrap();
        let quality = TetQuality::of(&mesh);
        let wanted = (1.0_f64 / 3.0).acos() * 180.0 / PI;
        assert!(
            (quality.min_dihedral - wanted).abs() < 1e-12 && (quality.max_dihedral - wanted).abs() < 1e-12
        );
        assert_eq!((quality.dihedrals[7], quality.tets_on_surface, quality.spanning_edges), (6, 1, 0));
        assert!((quality.longest_edge - 8.0_f64.sqrt()).abs() < 1e-15 && quality.closed_manifold);
    }

    #[test]
    fn an_edge_through_the_inside_is_counted() {
        // Six tetrahedra around the diagonal of one cube.
        let cube = super::super::procedural::block([1; 3], nalgebra::Vector3::repeat(1.0), Point3::origin());
        let quality = TetQuality::of(&cube.unwrap());
        assert_eq!((quality.spanning_edges, quality.tets_on_surface), (1, 6));
    }
}
