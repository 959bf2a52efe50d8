//! Mesh report: closedness, manifoldness, orientation, defects and measures.

use std::fmt;

use serde::Serialize;

use super::mass_properties::{MassProperties, is_negligible, signed_volume, surface_area};
use super::topology::Topology;
use super::triangle_mesh::{Solidity, TriangleMesh};

/// Properties and defects of a mesh. Lengths are in metres, in the body frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MeshReport {
    /// Vertices of the mesh.
    pub vertices: usize,
    /// Vertices that no triangle uses.
    pub unused_vertices: usize,
    /// Distinct positions among the vertices that triangles use.
    pub distinct_vertices: usize,
    /// Triangles of the mesh.
    pub triangles: usize,
    /// Triangles without area.
    pub degenerate_triangles: usize,
    /// Triangles whose three corners are those of an earlier one, in any orientation.
    pub duplicate_triangles: usize,
    /// Distinct edges.
    pub edges: usize,
    /// Edges of one triangle only.
    pub boundary_edges: usize,
    /// Edges not used equally often in both directions.
    pub unbalanced_edges: usize,
    /// Edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges at which neighbours disagree on which side is out.
    pub misoriented_edges: usize,
    /// Vertices at which more than one fan of triangles meets.
    pub non_manifold_vertices: usize,
    /// Sets of triangles connected through edges.
    pub components: usize,
    /// Vertices − edges + faces.
    pub euler_characteristic: i64,
    /// Handles over all components; none unless closed, manifold and oriented.
    pub genus: Option<i64>,
    /// Whether every edge is used equally often in both directions: the mesh then has an inside.
    pub closed: bool,
    /// Whether the triangles form a surface at every edge and vertex.
    pub manifold: bool,
    /// Whether neighbouring triangles agree on which side is out.
    pub oriented: bool,
    /// Whether the mesh is closed and its triangles face inwards.
    pub inside_out: bool,
    /// Whether it bounds a solid: closed, and with a non-zero volume.
    pub solid: bool,
    /// Minimum coordinates \[m\].
    pub min: [f64; 3],
    /// Maximum coordinates \[m\].
    pub max: [f64; 3],
    /// Area \[m²\].
    pub area: f64,
    /// Signed volume \[m³\], negative when inside out; none unless closed.
    pub volume: Option<f64>,
    /// Centre of the volume of a solid, of the area of a surface \[m\].
    pub center: [f64; 3],
    /// Inertia of a solid about its centre per unit density \[m⁵\], rows; none for a surface.
    pub inertia: Option<[[f64; 3]; 3]>,
}

impl MeshReport {
    /// Analyses a mesh. Takes O(n log n) for n triangles.
    ///
    /// ```
    /// use extricate_core::geometry::procedural::{Procedural, Torus};
    /// use extricate_core::geometry::report::MeshReport;
    ///
    /// let report = MeshReport::of(&Torus::default().mesh()?);
    /// assert!(report.closed && report.manifold && report.solid);
    /// assert_eq!(report.genus, Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of(mesh: &TriangleMesh) -> Self {
        let topology = Topology::of(mesh);
        let solidity = solidity_of(mesh, &topology);
        let volume = topology.is_closed().then(|| signed_volume(mesh));
        let solid = MassProperties::of_solid(mesh).ok().filter(|_| solidity == Solidity::Solid);
        let center = match (&solid, MassProperties::of_surface(mesh, 1.0)) {
            (Some(solid), _) => solid.center,
            (None, Ok(surface)) => surface.center,
            (None, Err(_)) => mesh.aabb().center(),
        };
        let bounds = mesh.aabb();
        Self {
            vertices: mesh.vertices().len(),
            unused_vertices: count_unused(mesh),
            distinct_vertices: topology.vertices,
            triangles: mesh.triangles().len(),
            degenerate_triangles: (0..mesh.triangles().len()).filter(|&i| mesh.is_degenerate(i)).count(),
            duplicate_triangles: topology.duplicate_triangles,
            edges: topology.edges,
            boundary_edges: topology.boundary_edges,
            unbalanced_edges: topology.unbalanced_edges,
            non_manifold_edges: topology.non_manifold_edges,
            misoriented_edges: topology.misoriented_edges,
            non_manifold_vertices: topology.non_manifold_vertices,
            components: topology.components,
            euler_characteristic: topology.euler_characteristic(),
            genus: topology.genus(),
            closed: topology.is_closed(),
            manifold: topology.is_manifold(),
            oriented: topology.is_consistently_oriented(),
            inside_out: solid.is_some() && volume.is_some_and(|volume| volume < 0.0),
            solid: solid.is_some(),
            min: bounds.min.into(),
            max: bounds.max.into(),
            area: surface_area(mesh),
            volume,
            center: center.into(),
            inertia: solid.map(|solid| solid.inertia.transpose().into()),
        }
    }

    /// Whether the mesh bounds a solid or is a surface.
    #[must_use]
    pub fn solidity(&self) -> Solidity {
        if self.solid { Solidity::Solid } else { Solidity::Surface }
    }
}

impl Solidity {
    /// Solid if the mesh is closed and its volume is not zero to within rounding, otherwise a surface.
    #[must_use]
    pub fn of(mesh: &TriangleMesh) -> Self {
        solidity_of(mesh, &Topology::of(mesh))
    }
}

fn solidity_of(mesh: &TriangleMesh, topology: &Topology) -> Solidity {
    let is_solid = topology.is_closed() && !is_negligible(signed_volume(mesh), surface_area(mesh), mesh);
    if is_solid { Solidity::Solid } else { Solidity::Surface }
}

fn count_unused(mesh: &TriangleMesh) -> usize {
    let mut is_used = vec![false; mesh.vertices().len()];
    mesh.triangles().iter().flatten().for_each(|&index| is_used[index as usize] = true);
    is_used.into_iter().filter(|&used| !used).count()
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let either = |holds: bool, yes: &'static str, no: &'static str| if holds { yes } else { no };
        writeln!(
            f,
            "{}: {} triangles, {} vertices ({} distinct), {} edges, {} component(s)",
            either(self.solid, "solid", "surface"),
            self.triangles,
            self.vertices,
            self.distinct_vertices,
            self.edges,
            self.components,
        )?;
        write!(
            f,
            "{}, {}, {}{}; Euler characteristic {}",
            either(self.closed, "closed", "open"),
            either(self.manifold, "manifold", "not manifold"),
            either(self.oriented, "consistently oriented", "not consistently oriented"),
            either(self.inside_out, ", inside out", ""),
            self.euler_characteristic,
        )?;
        match self.genus {
            Some(genus) => writeln!(f, ", genus {genus}")?,
            None => writeln!(f)?,
        }
        for (count, defect) in self.defects() {
            writeln!(f, "{count} {defect}")?;
        }
        let size = [0, 1, 2].map(|k| self.max[k] - self.min[k]);
        writeln!(f, "size {} m, area {} m²", numbers(size, " x "), number(self.area))?;
        if let Some(volume) = self.volume {
            writeln!(f, "volume {} m³", number(volume))?;
        }
        let largest = size.into_iter().fold(0.0, f64::max);
        let center = self.center.map(|x| if x.abs() < NEGLIGIBLE_OFFSET * largest { 0.0 } else { x });
        write!(f, "centre ({}) m", numbers(center, ", "))?;
        if let Some(inertia) = self.inertia {
            let diagonal = [0, 1, 2].map(|k| inertia[k][k]);
            write!(f, "\ninertia per unit density about the axes through it {} m⁵", numbers(diagonal, ", "))?;
        }
        Ok(())
    }
}

/// Fraction of the size below which an offset of the centre is printed as zero: rounding of the sums.
const NEGLIGIBLE_OFFSET: f64 = 1e-12;

fn numbers(values: [f64; 3], separator: &str) -> String {
    values.map(number).join(separator)
}

/// A number with six significant digits.
fn number(x: f64) -> String {
    let size = x.abs();
    if (1e-3..1e6).contains(&size) {
        let decimals = (5.0 - size.log10().floor()).max(0.0) as usize;
        let text = format!("{x:.decimals$}");
        if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else if size > 0.0 {
        format!("{x:.5e}")
    } else {
        "0".to_owned()
    }
}

impl MeshReport {
    /// Defects with their counts, for all counts above zero.
    pub fn defects(&self) -> impl Iterator<Item = (usize, &'static str)> {
        [
            (self.boundary_edges, "boundary edge(s)"),
            (self.unbalanced_edges, "edge(s) not used equally often in both directions"),
            (self.non_manifold_edges, "edge(s) of more than two triangles"),
            (self.misoriented_edges, "edge(s) between triangles of opposite orientation"),
            (self.non_manifold_vertices, "vertices where separate fans of triangles meet"),
            (self.degenerate_triangles, "triangle(s) without area"),
            (self.duplicate_triangles, "duplicate triangle(s)"),
            (self.unused_vertices, "vertices that no triangle uses"),
        ]
        .into_iter()
        .filter(|&(count, _)| count > 0)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;
    use crate::geometry::procedural::{Cuboid, Procedural as _, Torus};

    #[test]
    fn a_torus_is_a_solid_without_defects() {
        let report = MeshReport::of(&Torus::default().mesh().unwrap());
        assert_eq!((report.solidity(), report.genus, report.components), (Solidity::Solid, Some(1), 1));
        assert_eq!(report.defects().count(), 0);
        assert!(!report.inside_out && report.volume.is_some_and(|volume| volume > 0.0));
    }

    #[test]
    fn an_inside_out_box_is_a_solid_of_negative_volume() {
        let report = MeshReport::of(&Cuboid::default().mesh().unwrap().reversed());
        assert!(report.inside_out && report.solid);
        assert!((report.volume.unwrap() + 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_open_box_is_a_surface_without_volume_or_inertia() {
        let cuboid = Cuboid::default().mesh().unwrap();
        let open = TriangleMesh::new(cuboid.vertices().to_vec(), cuboid.triangles()[2..].to_vec()).unwrap();
        let report = MeshReport::of(&open);
        assert_eq!((report.solidity(), report.boundary_edges, report.closed), (Solidity::Surface, 4, false));
        assert_eq!((report.volume, report.inertia), (None, None));
    }

    #[test]
    fn a_folded_sheet_is_closed_but_a_surface() {
        let points = vec![Point3::origin(), Point3::new(1.0, 0.0, 3.0), Point3::new(0.0, 1.0, 0.1)];
        let sheet = TriangleMesh::new(points, vec![[0, 1, 2], [2, 1, 0]]).unwrap();
        let report = MeshReport::of(&sheet);
        assert!(report.closed && !report.solid && !report.inside_out);
        assert_eq!((Solidity::of(&sheet), report.duplicate_triangles), (Solidity::Surface, 1));
    }

    #[test]
    fn numbers_are_printed_with_six_significant_digits() {
        let printed =
            [0.0, -0.0, 2.4, 1.0 / 3.0, -1234.5678, 0.001_234_567_8, 1.234_567_8e-5, 7e9, 123_456.7]
                .map(number);
        let expected =
            ["0", "0", "2.4", "0.333333", "-1234.57", "0.00123457", "1.23457e-5", "7.00000e9", "123457"];
        assert_eq!(printed, expected);
    }

    #[test]
    fn unused_vertices_and_degenerate_triangles_are_counted() {
        let cuboid = Cuboid::default().mesh().unwrap();
        let vertices = [cuboid.vertices(), &[Point3::new(9.0, 9.0, 9.0)]].concat();
        let triangles = [cuboid.triangles(), &[[0, 1, 1]]].concat();
        let report = MeshReport::of(&TriangleMesh::new(vertices, triangles).unwrap());
        assert_eq!((report.unused_vertices, report.degenerate_triangles), (1, 1));
        assert!(report.solid && report.max[0] < 1.0);
    }
}
