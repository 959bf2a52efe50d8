//! Shapes of a scene for the dynamics: primitives, and meshes that are read or generated, with their trees.

use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::Vector3;

use super::error::Fault;
use super::files::Files;
use super::locate::Step::{self, Field};
use super::schema::ShapeEntry;
use extricate_core::geometry::convex::{ConvexHull, ConvexShape};
use extricate_core::geometry::report::MeshReport;
use extricate_core::geometry::{ShapeError, Solidity, TriangleMesh, procedural};
use extricate_core::proximity::Model;
use extricate_core::query::Shape;

/// A shape and its file: the path as written, and resolved against the folder of the scene.
#[derive(Debug, Clone)]
pub(super) struct LoadedShape {
    pub(super) shape: Shape,
    pub(super) file: Option<(String, PathBuf)>,
}

impl LoadedShape {
    /// The error of a dynamic body `body` with a density whose shape, this one, has no volume.
    pub(super) fn massless_fault(&self, body: &str, name: &str) -> Option<Fault> {
        let model = self.shape.model()?;
        (model.solidity() == Solidity::Surface).then(|| {
            let open = MeshReport::of(model.mesh()).unbalanced_edges;
            let open = if open > 0 { format!(" ({open} open edges)") } else { String::new() };
            Fault::Contradiction {
                message: format!(
                    "body `{body}` is dynamic, but its shape `{name}` is a surface{open} without volume: \
                     give the body a `mass`, or take the hull, `hull(of: …)`; `extricate convert IN OUT` lists the defects"
                ),
            }
        })
    }
}

/// An error of a shape, with the path of the field that it concerns.
type Failure = (Vec<Step>, Fault);

/// Loads a shape; an error comes with the path of its field.
pub(super) fn load(entry: &ShapeEntry, files: &Files) -> Result<LoadedShape, Failure> {
    let shape = match entry {
        ShapeEntry::Mesh { solidity, .. } | ShapeEntry::Procedural { solidity, .. } => {
            let (mesh, file) = mesh(entry, files)?;
            return Ok(LoadedShape { shape: model(mesh, *solidity)?, file });
        }
        ShapeEntry::Hull { of } => {
            let (shape, file) = hull(of, files).map_err(|failure| within("of", failure))?;
            return Ok(LoadedShape { shape, file });
        }
        ShapeEntry::Rounded { core, radius } => {
            let core = load(core, files).map_err(|failure| within("core", failure))?;
            let shape = core
                .shape
                .rounded(*radius)
                .map_err(|error| at("core", Fault::Shape { cause: error.into() }))?;
            return Ok(LoadedShape { shape, file: core.file });
        }
        entry => entry.primitive().expect("all other entries are primitives"),
    };
    Ok(LoadedShape { shape, file: None })
}

fn within(field: &'static str, (place, fault): Failure) -> Failure {
    ([&[Field(field)], place.as_slice()].concat(), fault)
}

fn at(field: &'static str, fault: Fault) -> Failure {
    (vec![Field(field)], fault)
}

/// A mesh in metres, read or generated, and its file if it has one.
pub(super) fn mesh(
    entry: &ShapeEntry,
    files: &Files,
) -> Result<(TriangleMesh, Option<(String, PathBuf)>), Failure> {
    let (mesh, scale, file) = match entry {
        ShapeEntry::Mesh { file, scale, .. } => {
            let path = files.find(file).map_err(|fault| at("file", fault))?;
            let mesh = files.read(&path).map_err(|fault| at("file", fault))?;
            (mesh, *scale, Some((file.clone(), path)))
        }
        ShapeEntry::Procedural { kind, parameters, scale, .. } => {
            let mesh = procedural::build(kind, parameters).map_err(|error| {
                let unknown = matches!(error, ShapeError::UnknownKind { .. });
                at(if unknown { "kind" } else { "parameters" }, Fault::Shape { cause: error.into() })
            })?;
            (mesh, *scale, None)
        }
        _ => {
            let message = String::from("only a `mesh` or `procedural` has a hull");
            return Err((Vec::new(), Fault::Contradiction { message }));
        }
    };
    files.count(mesh.triangles().len()).map_err(|fault| (Vec::new(), fault))?;
    let scaled = mesh
        .scaled(&Vector3::repeat(scale))
        .map_err(|error| at("scale", Fault::Shape { cause: error.into() }))?;
    Ok((scaled, file))
}

/// The convex hull of a mesh's vertices.
fn hull(of: &ShapeEntry, files: &Files) -> Result<(Shape, Option<(String, PathBuf)>), Failure> {
    let (mesh, file) = mesh(of, files)?;
    let hull = ConvexHull::new(mesh.vertices())
        .map_err(|error| (Vec::new(), Fault::Shape { cause: error.into() }))?;
    let hull = ConvexShape::hull(Arc::new(hull));
    if hull.measured_mass().is_none() {
        let message = String::from("the mesh is flat: its convex hull has no volume");
        return Err((Vec::new(), Fault::Contradiction { message }));
    }
    Ok((hull.into(), file))
}

/// The mesh with its tree, as a solid or a surface.
fn model(mesh: TriangleMesh, solidity: Option<Solidity>) -> Result<Shape, Failure> {
    match solidity {
        None => Ok(Shape::mesh(mesh)),
        Some(Solidity::Surface) => Ok(Shape::surface(mesh)),
        Some(Solidity::Solid) if Solidity::of(&mesh) == Solidity::Surface => {
            Err(at("solidity", not_a_solid(&mesh)))
        }
        Some(Solidity::Solid) => Ok(Model::new(mesh, Solidity::Solid).into()),
    }
}

/// The error of a mesh that is declared solid but is not.
fn not_a_solid(mesh: &TriangleMesh) -> Fault {
    let report = MeshReport::of(mesh);
    match report.volume {
        Some(volume) => Fault::NoVolume { volume },
        None => Fault::Contradiction {
            message: format!(
                "the mesh is open ({} of {} edges), so it has no inside; close it or make it a `surface`",
                report.unbalanced_edges, report.edges
            ),
        },
    }
}
