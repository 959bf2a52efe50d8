//! Shapes as the command line names them: a mesh file, or a primitive such as `box:1,2,3`.

use std::path::PathBuf;

use super::super::failure::{Exit, Failure};
use crate::geometry::procedural::{Cuboid, Procedural};
use crate::geometry::read::read_mesh;
use crate::geometry::report::MeshReport;
use crate::geometry::{Solidity, TriangleMesh};
use crate::proximity::Model;

/// A shape by name.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ShapeArgument {
    /// A mesh file.
    File(PathBuf),
    /// A box of full edge lengths [m].
    Cuboid([f64; 3]),
}

/// Primitives that have no exact triangle mesh, so that queries cannot take them.
const WITHOUT_MESH: [&str; 7] = ["sphere", "capsule", "cylinder", "cone", "halfspace", "hull", "rounded"];

impl ShapeArgument {
    /// The shape that the text names.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let usage = |message: String| Failure::new(Exit::Usage, message);
        let (form, numbers) = text.split_once(':').unwrap_or((text, ""));
        if form == "box" {
            let sizes: Result<Vec<f64>, _> = numbers.split(',').map(|n| n.trim().parse::<f64>()).collect();
            return match sizes.as_deref() {
                Ok(&[x, y, z]) if [x, y, z].iter().all(|size| size.is_finite() && *size > 0.0) => {
                    Ok(Self::Cuboid([x, y, z]))
                }
                _ => Err(usage(format!(
                    "`{text}` is no box: write box:X,Y,Z with three full sizes above zero"
                ))),
            };
        }
        if WITHOUT_MESH.contains(&form) {
            return Err(usage(format!(
                "`{text}`: queries take mesh files and box:X,Y,Z so far; `extricate mesh` makes meshes of other shapes"
            )));
        }
        Ok(Self::File(PathBuf::from(text)))
    }

    /// The shape with its tree; closed meshes are solid unless `solidity` says otherwise.
    pub(super) fn load(&self, solidity: Option<Solidity>) -> Result<Model, Failure> {
        let mesh = self.mesh()?;
        let report = MeshReport::of(&mesh);
        if solidity == Some(Solidity::Solid) && !report.solid {
            let why = match report.volume {
                Some(volume) => format!("it has a volume of {volume} m³"),
                None => format!("it is open ({} of {} edges)", report.unbalanced_edges, report.edges),
            };
            return Err(Failure::new(Exit::BadFile, format!("{} is no solid: {why}", self.name())));
        }
        let derived = if report.solid { Solidity::Solid } else { Solidity::Surface };
        Ok(Model::new(mesh, solidity.unwrap_or(derived)))
    }

    fn mesh(&self) -> Result<TriangleMesh, Failure> {
        match self {
            Self::File(path) => read_mesh(path).map_err(|error| Failure::of(Exit::BadFile, &error)),
            Self::Cuboid([x, y, z]) => {
                let cuboid = Cuboid { x: *x, y: *y, z: *z, ..Cuboid::default() };
                cuboid.mesh().map_err(|error| Failure::of(Exit::Usage, &error))
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Cuboid([x, y, z]) => format!("box:{x},{y},{z}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_boxes_are_told_apart() {
        assert_eq!(ShapeArgument::parse("box:1,2.5,3").unwrap(), ShapeArgument::Cuboid([1.0, 2.5, 3.0]));
        for path in ["cup.obj", "C:\\meshes\\cup.obj", "./box"] {
            assert_eq!(ShapeArgument::parse(path).unwrap(), ShapeArgument::File(path.into()));
        }
    }

    #[test]
    fn a_form_that_cannot_be_a_mesh_is_refused_and_so_is_a_box_without_three_sizes() {
        for text in ["sphere:1", "halfspace", "hull:cup.obj", "box:1,2", "box:1,2,0", "box:1,2,NaN", "box"] {
            assert!(matches!(ShapeArgument::parse(text), Err(Failure::Told(Exit::Usage, _))), "{text}");
        }
    }
}
