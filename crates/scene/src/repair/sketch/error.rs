//! Why something cannot be done to a sketch.

use extricate_core::kinematics::RobotError;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::super::RepairError;
use crate::scene::SceneError;

/// Why something cannot be done to a sketch.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SketchError {
    /// A name that nothing bears.
    #[error("there is no {what} named `{name}`; there are: {}", .known.join(", "))]
    UnknownName {
        /// What it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Something is tied to what it cannot be moved with.
    #[error("`{name}` stays where it is: a joint between bodies ties it")]
    Tied {
        /// Its name.
        name: String,
    },
    /// A number is NaN or infinite.
    #[error("the {what} of `{name}` is not finite")]
    NotFinite {
        /// What it is.
        what: &'static str,
        /// What it is meant for.
        name: String,
    },
    /// The scene cannot be posed or repaired; with the best effort where no free pose was found.
    #[error(transparent)]
    Repair(#[from] RepairError),
    /// A configuration is none.
    #[error(transparent)]
    Articulation(#[from] RobotError),
    /// The text of the scene is no scene.
    #[error("{}: {source}", path.display())]
    Scene {
        /// The file of the scene.
        path: PathBuf,
        /// Why not.
        source: Box<SceneError>,
    },
    /// A file is there that must not be written over without being told.
    #[error("{} is there already and is not written over", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}
