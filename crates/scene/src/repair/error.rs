//! Errors of repairs and of sketches.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::answer::Repair;
use super::parts::Collision;
use crate::scene::SceneError;
use extricate_core::kinematics::RobotError;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::generalized::{GeneralizedError, immobilised};
use extricate_core::suggestion::did_you_mean;

/// Reason why there is no repair, or why a sketch cannot be changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RepairError {
    /// A name to be fixed, weighted or allowed to collide is unknown.
    #[error("there is no {what} named `{name}`; there are: {}{}", .known.join(", "), did_you_mean(.name, .known))]
    UnknownName {
        /// Expected kind of part.
        what: &'static str,
        /// The name.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// A weight is not finite and positive.
    #[error("the weight of `{name}` is {weight}, but must be finite and above 0")]
    BadWeight {
        /// Name of the weighted part.
        name: String,
        /// The weight.
        weight: f64,
    },
    /// The measure of a movable shape cannot be computed.
    #[error("`{name}`: {source}")]
    Norm {
        /// Its name.
        name: String,
        /// Cause.
        source: PenetrationError,
    },
    /// Links and joints do not form a tree, or a configuration is invalid.
    #[error(transparent)]
    Articulation(#[from] RobotError),
    /// The search failed for another reason than a missing solution.
    #[error(transparent)]
    Search(Box<GeneralizedError>),
    /// No poses without overlaps were found.
    #[error("no collision-free pose was found: {} still collide{}", listed(.still), because(.best))]
    NotFound {
        /// The best effort.
        best: Box<Repair>,
        /// Pairs that still collide in it.
        still: Vec<Collision>,
    },
    /// A part would have to move farther than allowed.
    #[error("`{name}` would move {distance} m, farther than {limit} m")]
    TooFar {
        /// Name of the part that moves farthest.
        name: String,
        /// Displacement of its farthest point \[m\].
        distance: f64,
        /// Maximum displacement \[m\].
        limit: f64,
        /// The repair, which is free.
        best: Box<Repair>,
    },
    /// A joint attaches the part to one that cannot move with it, or a handle or another body holds a soft body.
    #[error("`{name}` cannot be moved: a joint, a handle or another body holds it")]
    Tied {
        /// Its name.
        name: String,
    },
    /// A number is NaN or infinite.
    #[error("the {what} of `{name}` is not finite")]
    NotFinite {
        /// The quantity.
        what: &'static str,
        /// Name of the part that it is for.
        name: String,
    },
    /// The text of the scene of a sketch is not a valid scene.
    #[error("{}: {source}", path.display())]
    Scene {
        /// The file of the scene.
        path: PathBuf,
        /// Cause.
        source: Box<SceneError>,
    },
    /// A file exists, and overwriting was not requested.
    #[error("{} already exists and is not overwritten", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
}

fn listed(pairs: &[Collision]) -> String {
    let listed: Vec<_> =
        pairs.iter().map(|Collision { names: [a, b], .. }| format!("`{a}` and `{b}`")).collect();
    listed.join(", ")
}

/// The constraints that leave no freedom, as the end of a message.
fn because(best: &Repair) -> String {
    immobilised(&best.immobilised_by).map(|why| format!("; {why}")).unwrap_or_default()
}
