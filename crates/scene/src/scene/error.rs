//! What is wrong with a scene file, and where.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use thiserror::Error;

use super::limits::SUGGESTIONS;
use extricate_core::geometry::read::OutOfReach;
use extricate_core::kinematics::RobotError;
use extricate_core::penetration::generalized::GeneralizedError;

/// Why a scene cannot be loaded, or no path be planned in it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file cannot be read.
    #[error("cannot read the scene {}: {source}", .path.display())]
    Unreadable {
        /// Path as it was given.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file was read, and is wrong.
    #[error("{}", headline(.problems))]
    Invalid {
        /// Everything that is wrong, in the order of the file; never empty.
        problems: Vec<Problem>,
    },
    /// A path is asked for, and the scene has no `plan`.
    #[error("the scene has no `plan`: it does not say what is to go where")]
    NoPlan,
    /// A robot has no configuration from which a path could be planned.
    #[error("robot \"{robot}\": {source}")]
    PlanRobot {
        /// Its name.
        robot: String,
        /// What is wrong.
        source: RobotError,
    },
    /// What is to move along a path has no shape that could be moved: a half-space, or a link without volume.
    #[error("\"{mover}\": {source}")]
    PlanMover {
        /// Its name.
        mover: String,
        /// What is wrong.
        source: GeneralizedError,
    },
}

fn headline(problems: &[Problem]) -> String {
    match problems {
        [only] => only.to_string(),
        [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
        [] => String::from("the scene is wrong"),
    }
}

impl SceneError {
    /// Everything that is wrong with the contents of the file.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Invalid { problems } => problems,
            _ => &[],
        }
    }
}

/// One thing that is wrong, with its place in the file.
#[derive(Debug)]
pub struct Problem {
    fault: Fault,
    place: Range<usize>,
    earlier: Option<Range<usize>>,
    source: Arc<NamedSource<String>>,
}

impl Problem {
    pub(super) fn new(fault: Fault, place: Range<usize>, source: &Arc<NamedSource<String>>) -> Self {
        Self { fault, place, earlier: None, source: Arc::clone(source) }
    }

    /// Points also at an earlier place: the first use of a name that stands twice.
    pub(super) fn with_earlier(self, earlier: Range<usize>) -> Self {
        Self { earlier: Some(earlier), ..self }
    }

    /// Path of the scene file as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(self.source.name())
    }

    /// Line and column of the place, 1-based, the column in characters.
    #[must_use]
    pub fn line_and_column(&self) -> (usize, usize) {
        let before = self.source.inner().get(..self.place.start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    pub(super) fn offset(&self) -> usize {
        self.place.start
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (line, column) = self.line_and_column();
        write!(f, "{}:{line}:{column}: {}", self.path().display(), self.fault)
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.fault)
    }
}

impl Diagnostic for Problem {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.fault.advice().map(|advice| Box::new(advice) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self.source.as_ref())
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let here = LabeledSpan::new_primary_with_span(Some("here".into()), self.place.clone());
        let earlier =
            self.earlier.clone().map(|span| LabeledSpan::new_with_span(Some("first here".into()), span));
        Some(Box::new(std::iter::once(here).chain(earlier)))
    }
}

/// What can be wrong with a scene.
#[derive(Debug, Error)]
pub(super) enum Fault {
    /// The text is not RON, or not a scene: unknown and missing fields are told here, too.
    #[error("{message}")]
    Syntax {
        /// What is wrong.
        message: String,
        /// What would be right, where the parser knows it.
        expected: Option<String>,
    },
    /// A number is NaN or infinite.
    #[error("`{text}` is not a finite number")]
    NotFinite {
        /// The number as it is written.
        text: String,
    },
    /// A number is out of its range.
    #[error("{quantity} is {value}, but must be {requirement}")]
    OutOfRange {
        /// Which number, with its unit.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        requirement: &'static str,
    },
    /// A name stands twice.
    #[error("there are two {what} named `{name}`")]
    DuplicateName {
        /// What is named: `bodies`, `shapes`, `joints` or `robots`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name is empty.
    #[error("a name of {what} is empty")]
    EmptyName {
        /// What is named: `bodies`, `shapes`, `joints` or `robots`.
        what: &'static str,
    },
    /// A name that nothing bears.
    #[error("there is no {what} named `{name}`")]
    UnknownName {
        /// What is named: `body`, `shape`, `link` and so on.
        what: &'static str,
        /// The name.
        name: String,
        /// The names there are, of very many the first.
        known: Vec<String>,
    },
    /// A direction that must have length 1 has another one.
    #[error("{what} has length {length}, but must be a unit vector")]
    NotUnit {
        /// Which direction.
        what: &'static str,
        /// Its length.
        length: f64,
    },
    /// A lower bound lies above its upper bound.
    #[error("the limits are reversed: the lower one is {lower}, the upper one {upper}")]
    ReversedLimits {
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// Things that exclude or need one another.
    #[error("{message}")]
    Contradiction {
        /// What contradicts what.
        message: String,
    },
    /// A mesh file is missing, broken or not a mesh.
    #[error("cannot use the mesh {cause}")]
    Mesh {
        /// Its path, resolved against the folder of the scene.
        path: PathBuf,
        /// Path, line where there is one, and what is wrong.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file lies where the scene may name none.
    #[error("cannot use \"{file}\": {cause}")]
    OutOfReach {
        /// The path as the scene writes it.
        file: String,
        /// Where it leads, and where it may.
        cause: OutOfReach,
    },
    /// The scene asks for more than [`crate::scene::limits`] allow.
    #[error("{message}")]
    TooLarge {
        /// Of what there is too much.
        message: String,
    },
    /// A robot's file is missing, broken or not a robot that can move.
    #[error("cannot use the robot {cause}")]
    Robot {
        /// Path, line where there is one, and what is wrong.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A joint starts outside its limits.
    #[error("joint `{joint}` starts at {value}, outside its limits {lower} to {upper} [rad or m]")]
    OutsideLimits {
        /// The joint.
        joint: String,
        /// Where it starts [rad or m].
        value: f64,
        /// The lower limit [rad or m].
        lower: f64,
        /// The upper limit [rad or m].
        upper: f64,
    },
    /// A shape cannot be made.
    #[error("cannot make the shape: {cause}")]
    Shape {
        /// Why.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Tetrahedra cannot be made.
    #[error("cannot make the tetrahedra: {cause}")]
    Tetrahedra {
        /// Why.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A region of a soft body holds none of its nodes.
    #[error("no node of soft body `{body}` is there; its mesh is from {least:?} to {greatest:?} [m]")]
    NoNodes {
        /// The soft body.
        body: String,
        /// Least coordinates of its nodes, in its own frame [m].
        least: [f64; 3],
        /// Greatest coordinates of its nodes [m].
        greatest: [f64; 3],
    },
    /// A node that a mesh does not have.
    #[error("soft body `{body}` has no node {node}: it has {nodes}, counted from 0")]
    NoSuchNode {
        /// The soft body.
        body: String,
        /// The node that is not there.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A mesh that should be a solid encloses no volume.
    #[error("the solid has no volume ({volume} m³)")]
    NoVolume {
        /// Volume that its surface encloses [m³].
        volume: f64,
    },
}

impl Fault {
    /// A way out, where there is one to tell.
    fn advice(&self) -> Option<String> {
        match self {
            Self::Syntax { expected, .. } => expected.clone(),
            Self::UnknownName { known, .. } if known.is_empty() => Some("there are none".into()),
            Self::UnknownName { known, .. } if known.len() > SUGGESTIONS => {
                Some(format!("there are: {} and more", known[..SUGGESTIONS].join(", ")))
            }
            Self::UnknownName { known, .. } => Some(format!("there are: {}", known.join(", "))),
            Self::NotUnit { length, .. } if *length > 0.0 => {
                Some(format!("divide it by {length}; an axis is a direction and has no unit of length"))
            }
            Self::Mesh { .. } | Self::Robot { .. } => {
                Some("paths are relative to the folder of the scene".into())
            }
            Self::NoVolume { .. } => {
                Some("`solidity: surface` makes it a surface, which has no inside and needs none".into())
            }
            _ => None,
        }
    }
}
