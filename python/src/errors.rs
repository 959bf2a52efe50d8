//! Errors as Python exceptions, which `extricate._errors` defines; panics are exceptions as well.

use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use extricate::dynamics::BuildError;
use extricate::field::FieldError;
use extricate::geometry::{FileError, ShapeError};
use extricate::kinematics::RobotError;
use extricate::kinematics::urdf::RobotFileError;
use extricate::penetration::PenetrationError;
use extricate::penetration::generalized::GeneralizedError;
use extricate::plan::PlanError;
use extricate::query::QueryError;
use extricate::record::RecordError;
use extricate::repair::RepairError;
use extricate::request::{Class, Fault};
use extricate::scene::SceneError;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Module that defines the exceptions.
const MODULE: &str = "extricate._errors";

/// An exception of [`MODULE`]: its class and the arguments of its constructor.
pub(crate) fn raised<'py>(py: Python<'py>, class: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let made = || py.import(MODULE)?.getattr(class)?.call1(arguments);
    made().map_or_else(|error| error, PyErr::from_value)
}

/// A failure that is not the caller's fault.
pub(crate) fn failed(py: Python<'_>, why: impl Display) -> PyErr {
    raised(py, "ExtricateError", (why.to_string(),))
}

/// A bad argument.
pub(crate) fn bad(why: impl Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// A file that is missing, damaged or cannot be written.
pub(crate) fn of_file(py: Python<'_>, path: &Path, line: Option<usize>, why: impl Display) -> PyErr {
    raised(py, "FileError", (why.to_string(), path.display().to_string(), line))
}

/// A panic, which is a defect of this library.
pub(crate) fn internal(py: Python<'_>, why: &str) -> PyErr {
    raised(py, "InternalError", (format!("internal error: {why}"),))
}

/// The message of a panic.
pub(crate) fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| String::from("unknown panic"))
}

/// Runs `work`; its panic is an `InternalError`, because a panic of `PyO3` is not an `Exception` and passes `except Exception`.
pub(crate) fn guarded<T>(py: Python<'_>, work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| internal(py, &message(&*payload)))
}

/// A failure of the library, independent of the interpreter, so that threads of the pool can return it.
#[derive(Debug, Clone)]
pub(crate) enum Failure {
    /// A bad argument: `ValueError`.
    Bad(String),
    /// No separating motion was found or verified: `NotSeparatedError`.
    NotSeparated(String),
    /// Any other failure: `ExtricateError`.
    Failed(String),
    /// A file: `FileError`.
    File { why: String, path: String, line: Option<usize> },
    /// A panic: `InternalError`.
    Internal(String),
}

impl Failure {
    /// Its message.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Bad(why) | Self::NotSeparated(why) | Self::Failed(why) | Self::File { why, .. } => why,
            Self::Internal(why) => format!("internal error: {why}"),
        }
    }

    /// The exception.
    pub(crate) fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Bad(why) => bad(why),
            Self::NotSeparated(why) => raised(py, "NotSeparatedError", (why,)),
            Self::Failed(why) => failed(py, why),
            Self::File { why, path, line } => of_file(py, Path::new(&path), line, why),
            Self::Internal(why) => internal(py, &why),
        }
    }

    fn at(path: &Path, line: Option<usize>, why: impl Display) -> Self {
        Self::File { why: why.to_string(), path: path.display().to_string(), line }
    }

    /// A failure to read or write a file, whose path is known to the caller.
    pub(crate) fn of_file_error(path: &Path, error: &FileError) -> Self {
        let line = match error {
            FileError::Content { line, .. } => *line,
            _ => None,
        };
        Self::at(path, line, error)
    }

    /// A failure to read a robot.
    pub(crate) fn of_robot_file(path: &Path, error: &RobotFileError) -> Self {
        let line = match error {
            RobotFileError::Content { line, .. }
            | RobotFileError::Articulation { line, .. }
            | RobotFileError::Inertial { line, .. }
            | RobotFileError::OutsideFileScope { line, .. } => *line,
            _ => None,
        };
        Self::at(path, line, error)
    }

    /// A failure to load a scene.
    pub(crate) fn of_scene(path: &Path, error: &SceneError) -> Self {
        let line = error.problems().first().map(|problem| problem.line_and_column().0);
        Self::at(path, line, error)
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        let why = error.to_string();
        match &error {
            QueryError::PoseNotFinite { .. }
            | QueryError::Shape(_)
            | QueryError::OutOfRange { .. }
            | QueryError::OpenMesh { .. }
            | QueryError::Unsupported { .. }
            | QueryError::Option { .. }
            | QueryError::Configuration(_)
            | QueryError::NoShape { .. } => Self::Bad(why),
            QueryError::NotSeparated { .. } | QueryError::Penetration(PenetrationError::NoAllowedExit) => {
                Self::NotSeparated(why)
            }
            QueryError::PenetrationRigid(error) if is_not_found(error) => Self::NotSeparated(why),
            _ => Self::Failed(why),
        }
    }
}

fn is_not_found(error: &GeneralizedError) -> bool {
    matches!(error, GeneralizedError::NotFound { .. } | GeneralizedError::TooFar { .. })
}

impl From<ShapeError> for Failure {
    fn from(error: ShapeError) -> Self {
        Self::Bad(error.to_string())
    }
}

impl From<FieldError> for Failure {
    fn from(error: FieldError) -> Self {
        Self::Bad(error.to_string())
    }
}

impl From<RobotError> for Failure {
    fn from(error: RobotError) -> Self {
        Self::Bad(error.to_string())
    }
}

impl From<RepairError> for Failure {
    fn from(error: RepairError) -> Self {
        let why = error.to_string();
        match &error {
            RepairError::UnknownName { .. }
            | RepairError::BadWeight { .. }
            | RepairError::Norm { .. }
            | RepairError::Articulation(_)
            | RepairError::NotFinite { .. } => Self::Bad(why),
            RepairError::Search(source) if matches!(**source, GeneralizedError::Proximity(_)) => {
                Self::Bad(why)
            }
            _ => Self::Failed(why),
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        let why = error.to_string();
        match error {
            PlanError::NotFree { .. } | PlanError::OutsideLimits { .. } | PlanError::Unmoved { .. } => {
                Self::Bad(why)
            }
            _ => Self::Failed(why),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        let why = error.to_string();
        match error {
            BuildError::NotSeparated { .. } | BuildError::TooFar { .. } => Self::NotSeparated(why),
            BuildError::Pair { .. } => Self::Failed(why),
            _ => Self::Bad(why),
        }
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        let why = error.to_string();
        match &error {
            RecordError::File { path, .. } | RecordError::Unreadable { path, .. } => {
                Self::at(path, None, why)
            }
            RecordError::Damaged { path, line, .. } => Self::at(path, *line, why),
            RecordError::NoRun { folder } => Self::at(folder, None, why),
            RecordError::Scene(source) => Self::of_scene(Path::new(""), source),
            _ => Self::Failed(why),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault.class {
            Class::Usage => Self::Bad(fault.message),
            Class::InitialPenetration | Class::NoFreePose => Self::NotSeparated(fault.message),
            _ => Self::Failed(fault.message),
        }
    }
}
