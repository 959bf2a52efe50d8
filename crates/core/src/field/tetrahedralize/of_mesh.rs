//! Tetrahedral meshing of a closed triangle mesh, by its exact signed distance.

use nalgebra::Point3;
use serde::Serialize;

use super::stuffing::stuff;
use crate::field::error::FieldError;
use crate::geometry::mass_properties::{signed_volume, surface_area};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::tet_mesh::mesh::TetMesh;
use crate::geometry::tet_mesh::quality::TetQuality;
use crate::geometry::topology::Topology;
use crate::geometry::triangle_mesh::{Solidity, TriangleMesh};
use crate::parallel;
use crate::proximity::closest_point;
use crate::proximity::closest_point::signed_distance;
use crate::proximity::model::Model;

/// First cell as a fraction of volume / area, which is a third of a ball's radius and half of a tube's: 5 cells along a
/// ball's radius. A larger one starts with fillings that miss the volume, a smaller one refines simple shapes needlessly.
const FIRST_CELL: f64 = 0.6;
/// Factor by which cells shrink while the volume is not met: about twice as many tetrahedra each time.
const SHRINK: f64 = 0.8;
/// Maximum number of times that cells shrink: up to about 55 times as many tetrahedra.
const ATTEMPTS: usize = 6;

/// Options of the tetrahedral mesher.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TetrahedralizeOptions {
    /// Length of a lattice cell \[m\]. None: derived from the volume and area of the mesh at first, and reduced until
    /// `volume_error` is met.
    pub cell: Option<f64>,
    /// Fraction of the mesh's volume by which that of the tetrahedra may differ when the cell is derived.
    pub volume_error: f64,
    /// Maximum number of lattice cells, each of which takes about 100 bytes.
    pub max_cells: usize,
}

impl Default for TetrahedralizeOptions {
    fn default() -> Self {
        Self { cell: None, volume_error: 0.02, max_cells: 20_000_000 }
    }
}

/// Tetrahedra inside a mesh, with the errors of volume and surface.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Tetrahedralization {
    /// The tetrahedra.
    #[serde(skip)]
    pub mesh: TetMesh,
    /// Length of a lattice cell \[m\].
    pub cell: f64,
    /// Volume of the tetrahedra over that of the mesh, less one.
    pub volume_error: f64,
    /// Maximum distance found between the two surfaces \[m\]: from the mesh's vertices to the tetrahedra's surface, and
    /// from corners, middles of edges and centroids of that surface's triangles to the mesh.
    pub surface_deviation: f64,
    /// Quality of the tetrahedra.
    pub quality: TetQuality,
}

/// Fills a closed mesh with tetrahedra ([`stuff`]).
///
/// ```
/// use extricate_core::field::tetrahedralize::{TetrahedralizeOptions, tetrahedralize};
/// use extricate_core::geometry::procedural::{Procedural, Torus};
///
/// let torus = Torus::default().mesh()?;
/// let filled = tetrahedralize(&torus, &TetrahedralizeOptions::default())?;
/// assert!(filled.volume_error.abs() < 0.02 && filled.quality.min_dihedral > 10.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`FieldError`] when the mesh is not closed or has no volume, or the cell is too coarse or too fine.
pub fn tetrahedralize(
    mesh: &TriangleMesh,
    options: &TetrahedralizeOptions,
) -> Result<Tetrahedralization, FieldError> {
    let topology = Topology::of(mesh);
    if !topology.is_closed() {
        return Err(ShapeError::NotClosed { edges: topology.unbalanced_edges }.into());
    }
    let volume = signed_volume(mesh).abs();
    let area = surface_area(mesh);
    let first = FIRST_CELL * volume / area;
    if !(first > 0.0) {
        return Err(ShapeError::ZeroVolume { volume, area }.into());
    }
    let model = Model::new(mesh.clone(), Solidity::Solid);
    let fill = |cell| stuff(&mesh.aabb(), cell, options.max_cells, &|point| signed_distance(&model, point));
    let error_of = |tets: &TetMesh| tets.volume() / volume - 1.0;
    let (tets, cell) = match options.cell {
        Some(cell) => (fill(cell)?, cell),
        None => derive(first, options.volume_error, fill, error_of)?,
    };
    Ok(Tetrahedralization {
        cell,
        volume_error: error_of(&tets),
        surface_deviation: deviation(&model, &tets),
        quality: TetQuality::of(&tets),
        mesh: tets,
    })
}

/// The first filling that meets the volume, or else the finest one that is not too fine.
fn derive(
    first: f64,
    allowed: f64,
    fill: impl Fn(f64) -> Result<TetMesh, FieldError>,
    error_of: impl Fn(&TetMesh) -> f64,
) -> Result<(TetMesh, f64), FieldError> {
    let mut cell = first;
    let mut best = fill(cell);
    for _ in 0..ATTEMPTS {
        if best.as_ref().is_ok_and(|tets| error_of(tets).abs() <= allowed) {
            break;
        }
        // A finer lattice may have too many cells: the last filling is better than none.
        match (fill(SHRINK * cell), &best) {
            (Err(_), Ok(_)) => break,
            (next, _) => best = next,
        }
        cell *= SHRINK;
    }
    Ok((best?, cell))
}

/// Maximum distance between samples of either surface and the other one [m].
fn deviation(model: &Model, tets: &TetMesh) -> f64 {
    let surface = tets.surface();
    let from_tets = parallel::map(surface.triangles().len(), 1, |index| {
        let [a, b, c] = surface.triangle(index);
        let center = Point3::from((a.coords + b.coords + c.coords) / 3.0);
        let middle = |p: &Point3<f64>, q: &Point3<f64>| nalgebra::center(p, q);
        let samples = [a, b, c, center, middle(&a, &b), middle(&b, &c), middle(&c, &a)];
        samples.iter().map(|point| closest_point(model, point).distance).fold(0.0, f64::max)
    });
    let there = from_tets.into_iter().fold(0.0, f64::max);
    let other = Model::new(surface.clone(), Solidity::Solid);
    let vertices = model.mesh().triangles().as_flattened();
    let from_vertices = parallel::map_slice(vertices, 1, |&vertex| {
        closest_point(&other, &model.mesh().vertices()[vertex as usize]).distance
    });
    let back = from_vertices.into_iter().fold(0.0, f64::max);
    there.max(back)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use nalgebra::Vector3;

    use super::*;
    use crate::geometry::procedural::{BumpySphere, Cuboid, Procedural, Sphere, Torus, TorusKnot};
    use crate::geometry::tet_mesh::TET_FACES;

    fn fill(mesh: &TriangleMesh) -> Tetrahedralization {
        tetrahedralize(mesh, &TetrahedralizeOptions::default()).unwrap()
    }

    #[test]
    fn solids_are_filled_with_good_angles_their_volume_and_a_closed_surface() {
        let shapes = [
            ("sphere", Sphere::default().mesh(), 0),
            ("torus", Torus::default().mesh(), 1),
            ("box", Cuboid::default().mesh(), 0),
            ("bumpy sphere", BumpySphere::default().mesh(), 0),
            ("torus knot", TorusKnot::default().mesh(), 1),
        ];
        for (name, mesh, genus) in shapes {
            let mesh = mesh.unwrap();
            let filled = fill(&mesh);
            let quality = &filled.quality;
            assert!(quality.min_dihedral >= 10.78 && quality.max_dihedral <= 164.75, "{name}: {quality}");
            assert!(filled.volume_error.abs() <= 0.02, "{name}: {}", filled.volume_error);
            assert!(quality.closed_manifold && quality.tets_on_surface == 0, "{name}: {quality}");
            assert_eq!(Topology::of(&filled.mesh.surface()).genus(), Some(genus), "{name}");
            assert!(filled.surface_deviation < filled.cell, "{name}: {}", filled.surface_deviation);
            assert_conforms(&filled.mesh);
        }
    }

    /// Every face is used once, or by two tetrahedra that see it from both sides.
    fn assert_conforms(mesh: &TetMesh) {
        let mut uses: BTreeMap<[u32; 3], Vec<bool>> = BTreeMap::new();
        for tet in mesh.tets() {
            for face in TET_FACES {
                let mut key = face.map(|i| tet[i]);
                let inversions = [[0, 1], [0, 2], [1, 2]].iter().filter(|&&[i, j]| key[i] > key[j]).count();
                key.sort_unstable();
                uses.entry(key).or_default().push(inversions % 2 == 0);
            }
        }
        assert!(uses.values().all(|sides| sides.len() == 1 || (sides.len() == 2 && sides[0] != sides[1])));
        // No face leaves a slit: the surface alone encloses the volume.
        let enclosed = signed_volume(&mesh.surface());
        assert!((enclosed / mesh.volume() - 1.0).abs() < 1e-10, "{enclosed} {}", mesh.volume());
    }

    #[test]
    fn a_mesh_is_filled_alike_in_any_unit_and_on_any_number_of_threads() {
        let mesh = Torus::default().mesh().unwrap();
        let filled = fill(&mesh);
        for unit in [1.0 / 1024.0, 1024.0] {
            let other = fill(&mesh.scaled(&Vector3::repeat(unit)).unwrap());
            assert_eq!(other.mesh.tets(), filled.mesh.tets());
            let same = |(a, b): (&Point3<f64>, &Point3<f64>)| (a - b * unit).norm() <= 1e-6 * unit;
            assert!(other.mesh.nodes().iter().zip(filled.mesh.nodes()).all(same));
        }
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(alone.install(|| fill(&mesh)), filled);
    }

    #[test]
    fn meshes_and_cells_that_cannot_be_filled_are_refused() {
        let cube = Cuboid::default().mesh().unwrap();
        let open = TriangleMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec()).unwrap();
        let with = |cell| TetrahedralizeOptions { cell: Some(cell), ..Default::default() };
        let refused = |mesh, cell| tetrahedralize(mesh, &with(cell)).unwrap_err();
        assert!(matches!(refused(&open, 0.1), FieldError::Shape(ShapeError::NotClosed { edges: 3 })));
        assert!(matches!(refused(&cube, f64::NAN), FieldError::Option { .. }));
        assert!(matches!(refused(&cube, 1e-5), FieldError::TooFine { .. }));
        let plate = cube.scaled(&Vector3::new(1.0, 1.0, 1e-3)).unwrap();
        assert!(matches!(refused(&plate, 0.31), FieldError::NothingInside { .. }));
    }
}
