//! Meshes and height fields among the assets of an MJCF file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use super::compiler::Compiler;
use super::defaults::{Defaults, Filled, MAIN};
use super::element::Element;
use super::mass::of_mesh;
use crate::geometry::convex::ConvexHull;
use crate::geometry::limits::FILE_BYTES;
use crate::geometry::read::correction::Correction;
use crate::geometry::read::file::bytes_of;
use crate::geometry::read::read_mesh_corrected;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::kinematics::urdf::limits::TRIANGLES;
use crate::kinematics::urdf::options::File;
use crate::kinematics::urdf::{Inertial, RobotFileError};

/// Meshes by their names, read where they are used.
pub(super) struct Meshes<'a> {
    file: &'a File<'a>,
    compiler: &'a Compiler,
    elements: HashMap<(&'static str, String), Filled<'a>>,
    read: HashMap<String, Mesh>,
    /// Vertices and triangles of all meshes so far.
    size: usize,
    /// Corrections of mesh files.
    pub(super) corrections: Vec<Correction>,
}

/// A mesh with its volume, centre, and inertia of unit density; none where it has no volume.
#[derive(Clone)]
pub(super) struct Mesh {
    pub(super) mesh: Arc<TriangleMesh>,
    pub(super) inertial: Option<Inertial>,
}

/// Kinds of assets that are shapes.
const KINDS: [&str; 2] = ["mesh", "hfield"];

impl<'a> Meshes<'a> {
    pub(super) fn new(
        (root, defaults): (&'a Element, &'a Defaults<'a>),
        compiler: &'a Compiler,
        file: &'a File<'a>,
    ) -> Result<Self, RobotFileError> {
        let mut elements = HashMap::new();
        for element in root.section("asset") {
            let Some(kind) = KINDS.into_iter().find(|kind| *kind == element.name) else { continue };
            let own = defaults.fill(element, MAIN)?;
            let name = asset_name(element).ok_or_else(|| own.refused("it has neither `name` nor `file`"))?;
            if elements.insert((kind, name.clone()), own).is_some() {
                return Err(own.refused(format!("duplicate name \"{name}\"")));
            }
        }
        Ok(Self { file, compiler, elements, read: HashMap::new(), size: 0, corrections: Vec::new() })
    }

    /// The asset of a kind that a geom names.
    fn asset(&self, geom: &Filled<'_>, kind: &'static str) -> Result<(String, Filled<'a>), RobotFileError> {
        let name = geom.get(kind).ok_or_else(|| geom.refused(format!("it has no `{kind}`")))?.to_owned();
        let own = self.elements.get(&(kind, name.clone())).copied();
        let own = own.ok_or_else(|| geom.refused(format!("unknown {kind} \"{name}\"")))?;
        Ok((name, own))
    }

    /// The mesh that a geom names, in the geom's frame.
    pub(super) fn get(&mut self, geom: &Filled<'_>) -> Result<Mesh, RobotFileError> {
        let (name, own) = self.asset(geom, "mesh")?;
        if let Some(mesh) = self.read.get(&name) {
            return Ok(mesh.clone());
        }
        let mesh = self.mesh(&name, &own)?;
        self.count(&mesh, &own)?;
        let inertial = of_mesh(&mesh, own.get("inertia")).ok();
        let mesh = Mesh { mesh: Arc::new(mesh), inertial };
        self.read.insert(name, mesh.clone());
        Ok(mesh)
    }

    /// The height field that a geom names; none of one from a picture.
    pub(super) fn height_field(&mut self, geom: &Filled<'_>) -> Result<Option<TriangleMesh>, RobotFileError> {
        let (_, own) = self.asset(geom, "hfield")?;
        let mesh = height_field(&own)?;
        mesh.iter().try_for_each(|mesh| self.count(mesh, &own))?;
        Ok(mesh)
    }

    fn count(&mut self, mesh: &TriangleMesh, own: &Filled<'_>) -> Result<(), RobotFileError> {
        self.size += mesh.vertices().len() + mesh.triangles().len();
        if self.size > TRIANGLES {
            return Err(own.refused(format!("all meshes have more than {TRIANGLES} vertices and triangles")));
        }
        Ok(())
    }

    fn mesh(&mut self, name: &str, own: &Filled<'_>) -> Result<TriangleMesh, RobotFileError> {
        let mesh = match own.get("file") {
            Some(file) => self.of_file(name, file, own)?,
            None => stated(own)?,
        };
        let reference = own.numbers::<3>("refpos")?.unwrap_or_default();
        let rotation = own.numbers::<4>("refquat")?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
        let rotation = nalgebra::Quaternion::new(rotation[0], rotation[1], rotation[2], rotation[3]);
        let rotation = nalgebra::UnitQuaternion::try_new(rotation, 0.0);
        let rotation = rotation.ok_or_else(|| own.refused("`refquat` has no direction"))?;
        let moved =
            mesh.transformed(&Isometry3::from_parts(Vector3::from(reference).into(), rotation).inverse());
        let scale = own.numbers::<3>("scale")?.unwrap_or([1.0; 3]);
        let scaled = moved.scaled(&Vector3::from(scale));
        scaled.map_err(|error| own.refused(format!("scale {scale:?}: {error}")))
    }

    fn of_file(&mut self, name: &str, file: &str, own: &Filled<'_>) -> Result<TriangleMesh, RobotFileError> {
        let path = mesh_path(self.file.path, self.compiler, file);
        let (robot, line) = (own.element.path().to_owned(), Some(own.element.line));
        let link = name.to_owned();
        if let Err(source) = self.file.reach.check(&path, &robot) {
            return Err(RobotFileError::OutsideFileScope {
                path: robot,
                line,
                link,
                source: Box::new(source),
            });
        }
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("msh")) {
            let bytes = bytes_of(&path, FILE_BYTES).map_err(|error| error.to_string());
            let mesh = bytes.and_then(|bytes| of_msh(&bytes));
            return mesh.map_err(|cause| own.refused(format!("{}: {cause}", path.display())));
        }
        let read = read_mesh_corrected(&path, self.file.reach);
        let (mesh, corrections) = read.map_err(|source| RobotFileError::Mesh {
            path: robot,
            line,
            link,
            source: Box::new(source),
        })?;
        self.corrections.extend(corrections);
        Ok(mesh)
    }
}

/// The name of an asset: as stated, or that of its file.
pub(super) fn asset_name(asset: &Element) -> Option<String> {
    let stem = asset.get("file").and_then(|file| Path::new(file).file_stem());
    let name = asset.get("name").map(str::to_owned);
    name.or_else(|| stem.map(|stem| stem.to_string_lossy().into_owned()))
}

/// The mesh of MuJoCo's own binary format: the numbers of vertices, normals, texture coordinates and faces, then the vertices
/// as three floats each, the normals, the texture coordinates (two floats), and the faces, all little-endian.
fn of_msh(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let words: Vec<[u8; 4]> =
        bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]).collect();
    let count = |at: usize| words.get(at).map_or(usize::MAX, |word| u32::from_le_bytes(*word) as usize);
    let sizes = [(0, 3), (1, 3), (2, 2), (3, 3)].map(|(at, width)| count(at).saturating_mul(width));
    let total = sizes.iter().fold(4_usize, |sum, size| sum.saturating_add(*size));
    if total.saturating_mul(4) != bytes.len() {
        return Err("not a mesh of MuJoCo: its counts do not fit its length".to_owned());
    }
    let vertex =
        |at: &[[u8; 4]]| Point3::from([at[0], at[1], at[2]].map(|word| f64::from(f32::from_le_bytes(word))));
    let vertices = words[4..4 + sizes[0]].chunks_exact(3).map(vertex).collect();
    let face = |at: &[[u8; 4]]| [at[0], at[1], at[2]].map(u32::from_le_bytes);
    let faces = words[total - sizes[3]..].chunks_exact(3).map(face).collect();
    TriangleMesh::new(vertices, faces).map_err(|error| error.to_string())
}

/// The path of a mesh that a model names.
pub(super) fn mesh_path(model: &Path, compiler: &Compiler, file: &str) -> PathBuf {
    let name = Path::new(file);
    let name = if compiler.strip_path { name.file_name().map_or(name, Path::new) } else { name };
    model.with_file_name("").join(&compiler.mesh_folder).join(name)
}

/// The mesh of the vertices and faces of an element; the convex hull of the vertices where it has no faces.
fn stated(own: &Filled<'_>) -> Result<TriangleMesh, RobotFileError> {
    let vertices = own.list("vertex", usize::MAX)?;
    let vertices = vertices.ok_or_else(|| own.refused("it has neither `file` nor `vertex`"))?;
    let vertices: Vec<_> = vertices.chunks_exact(3).map(Point3::from_slice).collect();
    let refused = |error: ShapeError| own.refused(error.to_string());
    let Some(faces) = own.list("face", usize::MAX)? else {
        return ConvexHull::new(&vertices).and_then(|hull| hull.mesh()).map_err(refused);
    };
    // A negative or fractional index becomes one that no mesh has.
    let index = |&corner: &f64| if corner >= 0.0 && corner.fract() == 0.0 { corner as u32 } else { u32::MAX };
    let corners: Vec<u32> = faces.iter().map(index).collect();
    let faces = corners.chunks_exact(3).map(|face| [face[0], face[1], face[2]]).collect();
    TriangleMesh::new(vertices, faces).map_err(refused)
}

/// The solid below a height field: from the depth of its base, at zero, up to its elevations.
///
/// # Errors
/// As for the element; a height field from a file has none.
fn height_field(own: &Filled<'_>) -> Result<Option<TriangleMesh>, RobotFileError> {
    if own.get("file").is_some() {
        return Ok(None);
    }
    let [rx, ry, top, base] = own.numbers("size")?.ok_or_else(|| own.refused("it has no `size`"))?;
    let count = |name| own.integer(name, 0).map(|count| usize::try_from(count).unwrap_or(0));
    let (rows, columns) = (count("nrow")?, count("ncol")?);
    let is_counted = rows >= 2 && columns >= 2 && rows.saturating_mul(columns) <= TRIANGLES / 8;
    if !is_counted {
        return Err(own.refused(format!("it has {rows} rows of {columns} elevations")));
    }
    let elevations = own.list("elevation", usize::MAX)?.unwrap_or_else(|| vec![0.0; rows * columns]);
    if elevations.len() != rows * columns {
        let cause = format!("`elevation` has {} numbers, but must have {}", elevations.len(), rows * columns);
        return Err(own.refused(cause));
    }
    let (low, high) =
        elevations.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), e| (e.min(l), e.max(h)));
    // Elevations are scaled to 0 … 1; the first row is that of the largest y, as in a picture.
    let height = |at: usize| top * (elevations[at] - low) / (high - low).max(f64::MIN_POSITIVE);
    let point = |at: usize, z: f64| {
        let [x, y] = [(at % columns, columns), (rows - 1 - at / columns, rows)]
            .map(|(at, count)| 2.0 * at as f64 / (count - 1) as f64 - 1.0);
        Point3::new(rx * x, ry * y, z)
    };
    let cells = rows * columns;
    let vertices = (0..cells).map(|at| point(at, height(at))).chain((0..cells).map(|at| point(at, -base)));
    let mut triangles = Vec::new();
    let mut quad = |[a, b, c, d]: [usize; 4]| {
        triangles.extend([[a, b, c], [a, c, d]].map(|corners| corners.map(|corner| corner as u32)));
    };
    for (row, column) in (0..rows - 1).flat_map(|row| (0..columns - 1).map(move |column| (row, column))) {
        let [a, b] = [row * columns + column, (row + 1) * columns + column];
        quad([a, b, b + 1, a + 1]);
        quad([a, a + 1, b + 1, b].map(|corner| corner + cells));
    }
    // The sides: from each edge of the border down to its copy.
    let mut side = |a: usize, b: usize| quad([a, a + cells, b + cells, b]);
    for column in 0..columns - 1 {
        side(column + 1, column);
        side((rows - 1) * columns + column, (rows - 1) * columns + column + 1);
    }
    for row in 0..rows - 1 {
        side(row * columns, (row + 1) * columns);
        side((row + 2) * columns - 1, (row + 1) * columns - 1);
    }
    TriangleMesh::new(vertices.collect(), triangles).map(Some).map_err(|error| own.refused(error.to_string()))
}
