//! Conversion of the shapes of a URDF file to meshes.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use nalgebra::{Isometry3, Vector3};

use super::document::{Geometry, LinkElement};
use super::limits::TRIANGLES;
use super::options::{File, RobotFileError, UrdfOptions};
use crate::geometry::procedural::parameters::Procedural;
use crate::geometry::procedural::{Capsule, Cuboid, Cylinder, Sphere};
use crate::geometry::read::correction::Correction;
use crate::geometry::read::reach::{FileScope, OutsideFileScope};
use crate::geometry::read::read_mesh_corrected;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::kinematics::articulation::tree::Articulation;
use crate::kinematics::packages::{Packages, absolute};
use crate::suggestion::missing;

/// Segments around round primitives: their meshes are up to 0.22 % larger. Half as many: 0.86 % larger, half the triangles
/// of a cylinder, a quarter of those of a capsule.
const SEGMENTS: u32 = 48;
/// Subdivisions of an icosahedron's edge for a sphere: its mesh is up to 0.4 % larger. The excess and the number of
/// triangles go with its square.
const FREQUENCY: u32 = 10;

/// Builder of the meshes of a robot's links.
pub(super) struct LinkMeshes<'a> {
    file: &'a File<'a>,
    options: &'a UrdfOptions,
    packages: Packages<'a>,
    /// Triangles of all links so far.
    triangles: usize,
    pub(super) corrections: Vec<Correction>,
}

impl<'a> LinkMeshes<'a> {
    pub(super) fn new(file: &'a File<'a>, options: &'a UrdfOptions) -> Self {
        let packages = Packages::of(file.path, &options.packages, file.reach);
        Self { file, options, packages, triangles: 0, corrections: Vec::new() }
    }

    /// The mesh of all shapes of a link, in its frame.
    pub(super) fn mesh_of(&mut self, link: &LinkElement) -> Result<Option<TriangleMesh>, RobotFileError> {
        let mut meshes = Vec::new();
        for shape in &link.shapes {
            let refused = |cause: String| self.refused(link, shape.line, &cause);
            let mesh = match &shape.geometry {
                Geometry::Plane => continue,
                Geometry::Loaded(mesh) => TriangleMesh::clone(mesh),
                Geometry::Mesh { filename, scale } => self.mesh(filename, *scale, link, shape.line)?,
                geometry => circumscribed(geometry).map_err(|error| refused(error.to_string()))?,
            };
            let mesh = mesh.transformed(&shape.pose);
            self.triangles += mesh.triangles().len();
            if self.triangles > TRIANGLES {
                let cause = format!("its meshes have more than {TRIANGLES} triangles");
                return Err(self.file.content(Some(link.line), cause));
            }
            meshes.push(mesh);
        }
        if meshes.is_empty() {
            return Ok(None);
        }
        let made = TriangleMesh::joined(meshes);
        made.map(Some).map_err(|error| self.refused(link, link.line, &error.to_string()))
    }

    fn refused(&self, link: &LinkElement, line: usize, cause: &str) -> RobotFileError {
        self.file.content(Some(line), format!("link \"{}\": {cause}", link.name))
    }

    fn mesh(
        &mut self,
        filename: &str,
        scale: Option<[f64; 3]>,
        link: &LinkElement,
        line: usize,
    ) -> Result<TriangleMesh, RobotFileError> {
        let path = self.path_of(filename, link, line)?;
        let read = read_mesh_corrected(&path, self.file.reach);
        let (mesh, corrections) = read.map_err(|source| RobotFileError::Mesh {
            path: self.file.path.to_owned(),
            line: Some(line),
            link: link.name.clone(),
            source: Box::new(source),
        })?;
        if let Some(first) = corrections.first().filter(|_| self.options.strict) {
            return Err(self.refused(link, line, &first.to_string()));
        }
        // Several links may have the same mesh.
        let new = corrections.into_iter().filter(|correction| !self.corrections.contains(correction));
        let new: Vec<_> = new.collect();
        self.corrections.extend(new);
        let Some(scale) = scale else { return Ok(mesh) };
        let scaled = mesh.scaled(&Vector3::from(scale));
        scaled.map_err(|error| self.refused(link, line, &format!("scale {scale:?}: {error}")))
    }

    /// Path of a mesh. Files out of reach are not searched; where none is found within, the error is that of the first
    /// path out of reach.
    fn path_of(
        &mut self,
        filename: &str,
        link: &LinkElement,
        line: usize,
    ) -> Result<PathBuf, RobotFileError> {
        let (mut tried, mut out_of_reach) = (Vec::new(), None);
        for path in candidate_paths(filename, self.file.path, &mut self.packages) {
            match self.file.reach.check(&path, self.file.path) {
                Ok(()) if path.exists() => return Ok(path),
                Ok(()) => {
                    let path = path.display().to_string();
                    if !tried.contains(&path) {
                        tried.push(path);
                    }
                }
                Err(error) => out_of_reach = out_of_reach.or(Some(error)),
            }
        }
        let elsewhere = || find_elsewhere(filename, self.file.path, &self.packages, self.file.reach);
        if !self.options.strict
            && let Some(path) = elsewhere()
        {
            self.corrections.push(Correction {
                path: self.file.path.to_owned(),
                line,
                part: format!("link \"{}\"", link.name),
                found: format!("the mesh \"{filename}\" is not found at its path"),
                became: format!("{} is read instead", path.display()),
            });
            return Ok(path);
        }
        let name = in_package(filename).and_then(|path| path.split('/').next());
        // Dots name no package, but a folder out of reach.
        let name = name.filter(|name| !name.starts_with('.'));
        let lost = name.and_then(|name| self.packages.missing(name));
        // Beside a given package that may not be named, folders above the robot where it is missing hardly matter.
        let is_given = |error: &OutsideFileScope| {
            self.options.packages.iter().any(|package| error.path.starts_with(absolute(package)))
        };
        let out_of_reach = out_of_reach.filter(|error| lost.is_none() || is_given(error));
        let not_found = match (lost, name) {
            (Some(lost), _) => format!("mesh \"{filename}\": {lost}"),
            (None, Some(_)) => format!("mesh \"{filename}\" not found; searched {}", tried.join(", ")),
            (None, None) => {
                format!("mesh \"{filename}\" not found: {}", missing(&mesh_path(filename, self.file.path)))
            }
        };
        match out_of_reach {
            None => Err(self.refused(link, line, &not_found)),
            Some(error) if !tried.is_empty() => {
                Err(self.refused(link, line, &format!("{not_found}; {error}")))
            }
            Some(source) => {
                let (path, link) = (self.file.path.to_owned(), link.name.clone());
                Err(RobotFileError::OutsideFileScope {
                    path,
                    line: Some(line),
                    link,
                    source: Box::new(source),
                })
            }
        }
    }
}

/// The mesh of a primitive; of a round one, a circumscribed mesh, which contains it.
pub(super) fn circumscribed(geometry: &Geometry) -> Result<TriangleMesh, ShapeError> {
    // A polygon circumscribed about a circle touches it at the midpoints of its sides.
    let around = 1.0 / (PI / f64::from(SEGMENTS)).cos();
    match *geometry {
        Geometry::Box { size: [x, y, z] } => Cuboid { x, y, z, ..Cuboid::default() }.mesh(),
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
        Geometry::Ellipsoid { radii } => {
            let sphere = Sphere { radius: 1.0, frequency: FREQUENCY }.mesh()?;
            around_sphere(&sphere, 1.0).scaled(&Vector3::from(radii))
        }
        Geometry::Mesh { .. } | Geometry::Loaded(_) | Geometry::Plane => {
            unreachable!("they are not primitives")
        }
    }
}

/// A mesh with its vertices on a sphere, scaled up until it contains the sphere.
fn around_sphere(mesh: &TriangleMesh, radius: f64) -> TriangleMesh {
    let height = |i: usize| {
        let [a, b, c] = mesh.triangle(i);
        (b - a).cross(&(c - a)).normalize().dot(&a.coords)
    };
    let min = (0..mesh.triangles().len()).map(height).fold(f64::INFINITY, f64::min);
    mesh.scaled(&Vector3::repeat(radius / min)).expect("a factor slightly above one")
}

/// Half the edge of the box below a plane, relative to the distance from the origin to the farthest point of the robot with
/// all joints at rest. Smaller, and an arm reaches beyond it; it is the largest link, whose size is the scale of tolerances.
const PLANE_HALF_EDGE: f64 = 4.0;

/// Adds planes, which are infinite, to the meshes: a box below each, in proportion to the other shapes.
pub(super) fn add_planes(
    links: &[LinkElement],
    articulation: &Articulation,
    meshes: &mut [Option<TriangleMesh>],
) {
    let planes = |link: &LinkElement| {
        let planes = link.shapes.iter().filter(|shape| matches!(shape.geometry, Geometry::Plane));
        planes.map(|shape| shape.pose).collect::<Vec<_>>()
    };
    if links.iter().all(|link| planes(link).is_empty()) {
        return;
    }
    let rest = articulation.configuration(&BTreeMap::new());
    let poses = rest.and_then(|rest| articulation.link_poses(&rest, &Isometry3::identity()));
    let poses = poses.expect("a configuration of the articulation's own values");
    let reach = meshes.iter().zip(&poses).filter_map(|(mesh, pose)| {
        let bounds = mesh.as_ref()?.aabb();
        Some((pose * bounds.center()).coords.norm() + bounds.extents().norm() / 2.0)
    });
    // Without another shape there is no scale: a metre is that of robots.
    let depth =
        Some(reach.fold(0.0, f64::max)).filter(|reach| *reach > 0.0 && reach.is_finite()).unwrap_or(1.0);
    let edge = 2.0 * PLANE_HALF_EDGE * depth;
    let Ok(below) = (Cuboid { x: edge, y: edge, z: depth, ..Cuboid::default() }).mesh() else { return };
    for (link, mesh) in links.iter().zip(meshes) {
        let boxes = planes(link)
            .into_iter()
            .map(|pose| below.transformed(&(pose * Isometry3::translation(0.0, 0.0, -depth / 2.0))));
        let parts: Vec<_> = boxes.chain(mesh.take()).collect();
        *mesh = TriangleMesh::joined(parts).ok();
    }
}

/// Candidate paths of a mesh that a URDF file names, best one first.
fn candidate_paths(filename: &str, robot: &Path, packages: &mut Packages<'_>) -> Vec<PathBuf> {
    let folder = robot.parent().unwrap_or(Path::new(""));
    let Some(in_package) = in_package(filename) else { return vec![mesh_path(filename, robot)] };
    let (name, rest) = in_package.split_once('/').unwrap_or((in_package, ""));
    let inside = packages.folders_of(name).into_iter().map(|package| package.join(rest));
    inside.chain([folder.join(rest)]).collect()
}

/// Path of a mesh that a URDF file names without a package.
fn mesh_path(filename: &str, robot: &Path) -> PathBuf {
    let folder = robot.parent().unwrap_or(Path::new(""));
    // A `file://` name may state its machine; all others are paths.
    let path = filename.strip_prefix("file://localhost").or_else(|| filename.strip_prefix("file://"));
    folder.join(path.unwrap_or(filename))
}

/// Path of a mesh that a URDF file names; none where it is not found, or out of reach.
pub fn locate_mesh(filename: &str, robot: &Path, packages: &[PathBuf], reach: &FileScope) -> Option<PathBuf> {
    let is_there = |place: &PathBuf| reach.check(place, robot).is_ok() && place.is_file();
    let packages = &mut Packages::of(robot, packages, reach);
    let place = candidate_paths(filename, robot, packages).into_iter().find(is_there);
    place.or_else(|| find_elsewhere(filename, robot, packages, reach))
}

/// A file within reach whose path ends as a name does, in a package or above the robot: folders of packages often have
/// other names than the packages, and paths often begin at the root of a package.
fn find_elsewhere(
    filename: &str,
    robot: &Path,
    packages: &Packages<'_>,
    reach: &FileScope,
) -> Option<PathBuf> {
    let rest = in_package(filename).unwrap_or(filename);
    let parts: Vec<_> = rest.split('/').filter(|part| !part.is_empty()).collect();
    // An absolute path or one with `..` is unambiguous and not guessed; a bare file name is too unspecific for a guess.
    if rest.contains(':') || rest.starts_with('/') || parts.contains(&"..") {
        return None;
    }
    let folders: Vec<_> = packages.searched().collect();
    let mut paths = (0..parts.len().saturating_sub(1)).flat_map(|from| {
        let end: PathBuf = parts[from..].iter().collect();
        folders.iter().map(move |folder| folder.join(&end))
    });
    paths.find(|path| path.is_file() && reach.check(path, robot).is_ok())
}

/// A `package://` name without its scheme: a package, then a path in it. Some files write three slashes.
fn in_package(filename: &str) -> Option<&str> {
    let rest = ["package://", "model://"].iter().find_map(|scheme| filename.strip_prefix(scheme));
    rest.map(|rest| rest.trim_start_matches('/'))
}
