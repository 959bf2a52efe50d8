//! Robots in MJCF files, the models of MuJoCo.
//!
//! A model is read as [`urdf`](super::urdf) reads a robot: into the same links, joints and corrections. Of an invalid element
//! the error names file and line; elements that a robot has no counterpart of are one correction for each kind.
//!
//! | MJCF | here |
//! |---|---|
//! | world, body | the root link `world`, a link each. The world is collided with, but does not belong to the robot |
//! | joints of a body | joints, with a link without a shape between any two; their values are those of MuJoCo (`ref`) |
//! | ball and free joints | chains, as of spherical and floating joints |
//! | geoms | shapes; those without a bit in both masks are visual. A mesh is its triangles, not its convex hull |
//! | plane | a box below it, several times larger than the rest |
//! | excluded bodies, masks without a common bit | exempt pairs |
//! | equality of two joints, linear | mimic |
//! | `connect` and `weld` of two bodies | closures |
//! | actuators of joints | motors |
//! | `gravcomp` of bodies | a force against gravity at the centre of mass |
//! | keyframes | named configurations |
//! | sensors of joints, sites and bodies | sensors |
//!
//! Source: MuJoCo's XML reference, and its kinematics `mj_kinematics`; numbers of the tests by MuJoCo 4.0.0.

mod bodies;
mod closures;
mod compiler;
mod couplings;
mod defaults;
mod effective_inertia;
mod element;
mod files;
mod geom;
mod keyframes;
mod mass;
mod mesh;
mod names;
mod sensors;
mod skipped;

pub use self::files::ModelFiles;

use self::bodies::{Bodies, Model};
use self::compiler::Compiler;
use self::defaults::Defaults;
use self::element::Tree;
use self::mesh::Meshes;
use super::urdf::document::Document;
use super::urdf::options::File;
use super::urdf::{RobotFileError, UrdfOptions};
use crate::geometry::read::correction::Correction;

/// The links and joints of a model, and the corrections made.
pub(super) fn read(
    file: &File<'_>,
    options: &UrdfOptions,
) -> Result<(Document, Vec<Correction>), RobotFileError> {
    let tree = Tree::read(file)?;
    let root = &tree.root;
    let defaults = Defaults::of(root)?;
    let compiler = Compiler::of(root, &defaults)?;
    let model = Model { root, defaults: &defaults, compiler: &compiler, options };
    let meshes = Meshes::new((root, &defaults), &compiler, file)?;
    let mut bodies = Bodies::read(&model, meshes)?;
    couplings::couple(&model, &mut bodies)?;
    let exempt = couplings::exempt(&model, &mut bodies)?;
    let actuators = couplings::actuate(&model, &mut bodies)?;
    // Kinematics measures nothing.
    let sensors = match options.sound_masses {
        true => sensors::sensors(&model, &mut bodies, &actuators)?,
        false => Vec::new(),
    };
    let configurations = keyframes::keyframes(&model, &mut bodies)?;
    couplings::skip_sections(root, &mut bodies);
    let Bodies { links, joints, closures, mut corrections, skipped, meshes, .. } = bodies;
    corrections.extend(meshes.corrections);
    corrections.extend(skipped.corrections());
    if let Some(first) = corrections.first().filter(|_| options.strict) {
        let (path, line) = (first.path.clone(), Some(first.line));
        return Err(RobotFileError::Content {
            path,
            line,
            cause: format!("{}: {}", first.part, first.found),
        });
    }
    let name = root.get("model").unwrap_or("MuJoCo Model").to_owned();
    Ok((Document { name, links, joints, exempt, configurations, closures, sensors }, corrections))
}

#[cfg(test)]
mod tests;
