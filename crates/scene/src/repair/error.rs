//! The reasons why there is no repair, and why something cannot be done to a sketch.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::answer::Repair;
use super::parts::Collision;
use crate::scene::SceneError;
use extricate_core::kinematics::RobotError;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::generalized::GeneralizedError;

/// Why there is no repair, or why something cannot be done to a sketch.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RepairError {
    /// A name that nothing bears is to be fixed, weighed or allowed to collide.
    #[error("there is no {what} named `{name}`; there are: {}", .known.join(", "))]
    UnknownName {
        /// What it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A weight is no weight.
    #[error("the weight of `{name}` is {weight}, but must be finite and above 0")]
    BadWeight {
        /// Name of what is weighed.
        name: String,
        /// The weight.
        weight: f64,
    },
    /// A shape that should move cannot be measured.
    #[error("`{name}`: {source}")]
    Norm {
        /// Its name.
        name: String,
        /// Why not.
        source: PenetrationError,
    },
    /// Links and joints make no tree, or a configuration is none.
    #[error(transparent)]
    Articulation(#[from] RobotError),
    /// The search failed for another reason than that there is no answer.
    #[error(transparent)]
    Search(Box<GeneralizedError>),
    /// No poses without overlaps were found.
    #[error("no collision-free pose was found: {} still collide", told(.still))]
    NotFound {
        /// The best effort.
        best: Box<Repair>,
        /// What collides in it.
        still: Vec<Collision>,
    },
    /// Something would have to move farther than allowed.
    #[error("`{name}` would move {distance} m, farther than {limit} m")]
    TooFar {
        /// What moves farthest.
        name: String,
        /// How far its farthest point moves [m].
        distance: f64,
        /// How far it may [m].
        limit: f64,
        /// The repair, which is free.
        best: Box<Repair>,
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
    /// The text of the scene of a sketch is no scene.
    #[error("{}: {source}", path.display())]
    Scene {
        /// The file of the scene.
        path: PathBuf,
        /// Why not.
        source: Box<SceneError>,
    },
    /// A file exists that must not be overwritten without being told.
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

fn told(pairs: &[Collision]) -> String {
    let told: Vec<_> =
        pairs.iter().map(|Collision { names: [a, b], .. }| format!("`{a}` and `{b}`")).collect();
    told.join(", ")
}
