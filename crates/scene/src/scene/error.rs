//! Errors of scene files, with their places in the text.

use std::f64::consts::TAU;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use thiserror::Error;

use super::limits::SUGGESTIONS;
use super::locate::line_and_column;
use extricate_core::geometry::read::OutsideFileScope;
use extricate_core::kinematics::RobotError;
use extricate_core::penetration::generalized::GeneralizedError;
use extricate_core::suggestion::did_you_mean;

/// Error of loading a scene, of editing its values, or of setting up its path planning.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file cannot be read.
    #[error("cannot read the scene {}: {source}", .path.display())]
    Unreadable {
        /// Path as it was given.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The file was read and has errors.
    #[error("{}", headline(.problems))]
    Invalid {
        /// All errors, in the order of the file; never empty.
        problems: Vec<Problem>,
    },
    /// A path is to be planned, but the scene has no `plan`.
    #[error("the scene has no `plan`, which names the movable model and its goal")]
    NoPlan,
    /// A robot whose articulation or configuration does not allow planning.
    #[error("robot \"{robot}\": {source}")]
    PlanRobot {
        /// Its name.
        robot: String,
        /// The error.
        source: RobotError,
    },
    /// The movable model of the plan has no shape that can be moved: a half-space, or a link without volume.
    #[error("\"{movable}\": {source}")]
    PlanMovable {
        /// Its name.
        movable: String,
        /// The error.
        source: GeneralizedError,
    },
    /// No rigid body of the scene file has the name under which a value is read or replaced.
    #[error("the scene file has no rigid body `{name}`")]
    NoBody {
        /// The name.
        name: String,
    },
    /// The value is of one of a grid of copies.
    #[error("`{name}` is one of the copies of `{of}`, which share its values; edit `{of}` in the scene file")]
    ValueOfCopy {
        /// The name.
        name: String,
        /// Name of the entry that is copied.
        of: String,
    },
    /// The value is of a link of a robot.
    #[error("`{name}` is a link of the robot `{robot}`; edit the file of the robot")]
    ValueOfLink {
        /// The name.
        name: String,
        /// Name of the robot.
        robot: String,
    },
    /// The value is of a soft body.
    #[error(
        "`{name}` is a soft body; only values of rigid bodies can be edited here, others in the scene file"
    )]
    ValueOfSoftBody {
        /// The name.
        name: String,
    },
    /// The text of a value of a body cannot be read.
    #[error("invalid {field} `{text}`; expected {expected}")]
    Value {
        /// Name of the field.
        field: &'static str,
        /// The text.
        text: String,
        /// Description of the expected text.
        expected: &'static str,
    },
}

fn headline(problems: &[Problem]) -> String {
    match problems {
        [only] => only.to_string(),
        [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
        [] => String::from("the scene is invalid"),
    }
}

impl SceneError {
    /// All errors in the contents of the file.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Invalid { problems } => problems,
            _ => &[],
        }
    }
}

/// One error, with its place in the file.
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

    /// Adds an earlier place to point at: the first use of a duplicate name.
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
        line_and_column(self.source.inner(), self.place.start)
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
        self.fault.help().map(|help| Box::new(help) as Box<dyn fmt::Display>)
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

/// Kinds of errors in a scene.
#[derive(Debug, Error)]
pub(super) enum Fault {
    /// The text is not RON or does not fit the schema: this includes unknown and missing fields.
    #[error("{message}")]
    Syntax {
        /// The error.
        message: String,
        /// The accepted names, where the parser knows them.
        expected: Option<String>,
    },
    /// A number is NaN or infinite.
    #[error("`{text}` is not a finite number")]
    NotFinite {
        /// The number as written.
        text: String,
    },
    /// A number is out of its range.
    #[error("{quantity} is {value}, but must be {requirement}")]
    OutOfRange {
        /// Name of the quantity, with its unit.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        requirement: &'static str,
    },
    /// A name is used twice.
    #[error("duplicate name `{name}`: the names of {what} must be unique")]
    DuplicateName {
        /// Kind of the named things: `bodies`, `shapes`, `joints`, `robots`, `sensors` or `handles`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name is empty.
    #[error("empty name: {what} must have non-empty names")]
    EmptyName {
        /// Kind of the named things: `bodies`, `shapes`, `joints`, `robots`, `sensors` or `handles`.
        what: &'static str,
    },
    /// A name that nothing in the scene has.
    #[error("unknown {what} `{name}`{meant}")]
    UnknownName {
        /// Kind of the thing that the name should refer to: `body`, `shape`, `link` and so on.
        what: &'static str,
        /// The name.
        name: String,
        /// The name that was probably meant, as the end of the message.
        meant: String,
        /// The known names; of very many the first.
        known: Vec<String>,
    },
    /// A direction that must have length 1 has another length.
    #[error("{what} has length {length}, but must be a unit vector")]
    NotUnit {
        /// Name of the direction.
        what: &'static str,
        /// Its length.
        length: f64,
    },
    /// A lower bound is above its upper bound.
    #[error("the limits are reversed: the lower one is {lower}, the upper one {upper}")]
    ReversedLimits {
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// Fields that exclude or require one another.
    #[error("{message}")]
    Contradiction {
        /// The contradiction, and what is accepted.
        message: String,
    },
    /// A mesh file is missing, broken or not a mesh.
    #[error("cannot use the mesh {cause}")]
    Mesh {
        /// Its path, resolved against the folder of the scene.
        path: PathBuf,
        /// Path, line where there is one, and error.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file outside the folders whose files the scene may name.
    #[error("cannot use \"{file}\": {cause}")]
    OutsideFileScope {
        /// The path as the scene writes it.
        file: String,
        /// The resolved path, and the folders that are allowed.
        cause: OutsideFileScope,
    },
    /// The scene exceeds one of [`crate::scene::limits`].
    #[error("{message}")]
    TooLarge {
        /// The count that is too large, and its limit.
        message: String,
    },
    /// A robot file is missing, broken, or does not describe a robot that can be simulated.
    #[error("cannot use the robot {cause}")]
    Robot {
        /// Its path, resolved against the folder of the scene.
        path: PathBuf,
        /// Path, line where there is one, and error.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A joint starts outside its limits.
    #[error("joint `{joint}` starts at {value}, outside its limits {lower} to {upper} [{unit}]")]
    OutsideLimits {
        /// The joint.
        joint: String,
        /// Its start value [rad or m].
        value: f64,
        /// The lower limit [rad or m].
        lower: f64,
        /// The upper limit [rad or m].
        upper: f64,
        /// `rad` or `m`.
        unit: &'static str,
    },
    /// A shape cannot be built.
    #[error("invalid shape: {cause}")]
    Shape {
        /// The reason.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A tetrahedral mesh cannot be built.
    #[error("cannot build the tetrahedral mesh: {cause}")]
    Tetrahedra {
        /// The reason.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A region contains none of the nodes of a soft body.
    #[error("no node of soft body `{body}` is in the region; its mesh extends from {min:?} to {max:?} [m]")]
    NoNodes {
        /// The soft body.
        body: String,
        /// Minimum coordinates of its nodes, in its own frame [m].
        min: [f64; 3],
        /// Maximum coordinates of its nodes [m].
        max: [f64; 3],
    },
    /// A node that a mesh does not have.
    #[error("soft body `{body}` has no node {node}: it has {nodes}, counted from 0")]
    NoSuchNode {
        /// The soft body.
        body: String,
        /// The index of the missing node, 0-based.
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
    /// An unknown name, with those that `known` gives.
    pub(super) fn unknown_name<S: AsRef<str>>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = S, IntoIter: Clone>,
    ) -> Self {
        let known = known.into_iter();
        let first = known.clone().take(SUGGESTIONS + 1).map(|name| name.as_ref().to_owned()).collect();
        Self::UnknownName { what, name: name.to_owned(), meant: did_you_mean(name, known), known: first }
    }

    /// A hint how to correct the error, where there is one.
    fn help(&self) -> Option<String> {
        match self {
            Self::Syntax { expected, .. } => expected.clone(),
            Self::UnknownName { known, .. } if known.is_empty() => Some("no names are defined".into()),
            Self::UnknownName { known, .. } if known.len() > SUGGESTIONS => {
                Some(format!("known names: {} and more", known[..SUGGESTIONS].join(", ")))
            }
            Self::UnknownName { known, .. } => Some(format!("known names: {}", known.join(", "))),
            Self::NotUnit { length, .. } if *length > 0.0 => {
                Some(format!("divide it by {length}: a direction or rotation has no unit of length"))
            }
            Self::NotUnit { .. } => Some("zero has no direction; no rotation is `identity`".into()),
            Self::OutsideLimits { value, lower, upper, unit: "rad", .. }
                if value.abs() > TAU && (lower..=upper).contains(&&value.to_radians()) =>
            {
                Some(format!("if it is meant in degrees, write `degrees({value})`"))
            }
            Self::Mesh { path, .. } | Self::Robot { path, .. } if !path.exists() => {
                Some("paths are relative to the folder of the scene".into())
            }
            Self::OutOfRange { quantity: "the mass [kg]", .. } => {
                Some("a body that does not move is `kind: fixed`".into())
            }
            Self::NoVolume { .. } => {
                Some("`solidity: surface` makes it a surface, which needs no volume".into())
            }
            _ => None,
        }
    }
}
