//! The shapes of a URDF file as meshes.

use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use nalgebra::{Isometry3, Vector3};
use urdf_rs::Geometry;

use super::joints::pose_of;
use super::limits::TRIANGLES;
use super::options::{File, Shapes, UrdfError, UrdfOptions};
use crate::geometry::procedural::parameters::Procedural;
use crate::geometry::procedural::{Capsule, Cuboid, Cylinder, Sphere};
use crate::geometry::read::read_mesh_within;
use crate::geometry::triangle_mesh::TriangleMesh;

/// Steps around round primitives: their meshes are up to 0.22 % larger than they are.
const SEGMENTS: u32 = 48;
/// Parts of an icosahedron's edge of a sphere: its mesh is up to 0.4 % larger.
const FREQUENCY: u32 = 10;

/// The mesh of all shapes of a link, in its frame; `total` counts the triangles of all links so far.
pub(super) fn mesh_of(
    link: &urdf_rs::Link,
    file: &File<'_>,
    options: &UrdfOptions,
    total: &mut usize,
) -> Result<Option<TriangleMesh>, UrdfError> {
    let shapes: Vec<_> = match options.shapes {
        Shapes::Collision => link.collision.iter().map(|shape| (&shape.origin, &shape.geometry)).collect(),
        Shapes::Visual => link.visual.iter().map(|shape| (&shape.origin, &shape.geometry)).collect(),
    };
    let mut meshes = Vec::new();
    for (origin, geometry) in shapes {
        let pose: Isometry3<f64> = pose_of(origin);
        let mesh = shape(geometry, &link.name, file, options)?.transformed(&pose);
        *total += mesh.triangles().len();
        if *total > TRIANGLES {
            let cause = format!("its meshes have more than {TRIANGLES} triangles");
            return Err(file.content(file.line_of(&link.name), cause));
        }
        meshes.push(mesh);
    }
    if meshes.is_empty() {
        return Ok(None);
    }
    let refused =
        |cause: String| file.content(file.line_of(&link.name), format!("link \"{}\": {cause}", link.name));
    TriangleMesh::joined(meshes).map(Some).map_err(|error| refused(error.to_string()))
}

fn shape(
    geometry: &Geometry,
    link: &str,
    file: &File<'_>,
    options: &UrdfOptions,
) -> Result<TriangleMesh, UrdfError> {
    let refused = |cause: String| file.content(file.line_of(link), format!("link \"{link}\": {cause}"));
    // A polygon around a circle touches it in the middles of its sides.
    let around = 1.0 / (PI / f64::from(SEGMENTS)).cos();
    let made = match *geometry {
        Geometry::Mesh { ref filename, scale } => {
            return mesh(filename, scale.map(|s| s.0), link, file, options);
        }
        Geometry::Box { size } => {
            let [x, y, z] = size.0;
            Cuboid { x, y, z, ..Cuboid::default() }.mesh()
        }
        Geometry::Cylinder { radius, length } => {
            Cylinder { radius: radius * around, height: length, segments: SEGMENTS }.mesh()
        }
        Geometry::Capsule { radius, length } => {
            let rings = SEGMENTS / 4;
            let radius = radius * around / (PI / f64::from(4 * rings)).cos();
            Capsule { radius, length, segments: SEGMENTS, rings }.mesh()
        }
        Geometry::Sphere { radius } => {
            Sphere { radius, frequency: FREQUENCY }.mesh().map(|mesh| around_sphere(&mesh, radius))
        }
    };
    made.map_err(|error| refused(error.to_string()))
}

/// A mesh with its vertices on a sphere, made larger until it contains the sphere.
fn around_sphere(mesh: &TriangleMesh, radius: f64) -> TriangleMesh {
    let height = |i: usize| {
        let [a, b, c] = mesh.triangle(i);
        (b - a).cross(&(c - a)).normalize().dot(&a.coords)
    };
    let least = (0..mesh.triangles().len()).map(height).fold(f64::INFINITY, f64::min);
    mesh.scaled(&Vector3::repeat(radius / least)).expect("a factor a little above one")
}

fn mesh(
    filename: &str,
    scale: Option<[f64; 3]>,
    link: &str,
    file: &File<'_>,
    options: &UrdfOptions,
) -> Result<TriangleMesh, UrdfError> {
    let path = found(filename, link, file, options)?;
    let mesh = read_mesh_within(&path, file.reach).map_err(|source| UrdfError::Mesh {
        path: file.path.to_owned(),
        line: file.line_of(filename),
        link: link.to_owned(),
        source: Box::new(source),
    })?;
    match scale {
        None => Ok(mesh),
        Some(scale) => mesh.scaled(&Vector3::from(scale)).map_err(|error| {
            file.content(file.line_of(filename), format!("link \"{link}\": scale {scale:?}: {error}"))
        }),
    }
}

/// Where a mesh is. Nothing is looked for out of reach; where it is nowhere within, the first place that is not tells why.
fn found(filename: &str, link: &str, file: &File<'_>, options: &UrdfOptions) -> Result<PathBuf, UrdfError> {
    let (mut tried, mut out_of_reach) = (Vec::new(), None);
    for path in mesh_places(filename, file.path, &options.packages) {
        match file.reach.check(&path, file.path) {
            Ok(()) if path.exists() => return Ok(path),
            Ok(()) => tried.push(path.display().to_string()),
            Err(error) => out_of_reach = out_of_reach.or(Some(error)),
        }
    }
    let line = file.line_of(filename);
    let not_there =
        || format!("link \"{link}\": the mesh \"{filename}\" is not there; looked for {}", tried.join(", "));
    match out_of_reach {
        None => Err(file.content(line, not_there())),
        Some(error) if !tried.is_empty() => Err(file.content(line, format!("{}; {error}", not_there()))),
        Some(source) => {
            let (path, link) = (file.path.to_owned(), link.to_owned());
            Err(UrdfError::OutOfReach { path, line, link, source: Box::new(source) })
        }
    }
}

/// Where a mesh that a URDF file names may be, best place first.
pub fn mesh_places(filename: &str, robot: &Path, packages: &[PathBuf]) -> Vec<PathBuf> {
    let folder = robot.parent().unwrap_or(Path::new(""));
    let in_package = ["package://", "model://"].iter().find_map(|scheme| filename.strip_prefix(scheme));
    let Some(in_package) = in_package else {
        return vec![folder.join(filename.strip_prefix("file://").unwrap_or(filename))];
    };
    let rest = in_package.split_once('/').map_or(in_package, |(_, rest)| rest);
    let name = in_package.split('/').next().unwrap_or_default();
    let of_folder = |folder: &Path| {
        let is_package = folder.file_name().is_some_and(|last| last == name);
        let inside = is_package.then(|| folder.join(rest));
        inside.into_iter().chain([folder.join(in_package)]).collect::<Vec<_>>()
    };
    let given = packages.iter().flat_map(|folder| of_folder(folder));
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let above: Vec<_> = absolute.ancestors().flat_map(of_folder).collect();
    given.chain(above).chain([folder.join(rest)]).collect()
}
