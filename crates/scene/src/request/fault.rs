//! Faults of requests, classified by the exit code of a command that fails so.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use thiserror::Error;

/// Class of a failure; the number is the exit code of a command that fails so (`docs/cli.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A check or an expectation failed.
    CheckFailed = 1,
    /// The request is invalid.
    Usage = 2,
    /// A scene, mesh, robot or manifest is invalid or cannot be read.
    BadFile = 3,
    /// Bodies overlap at the start, which was not allowed.
    InitialPenetration = 4,
    /// A computation failed.
    Numerical = 5,
    /// No collision-free pose was found; the best one is written.
    NoFreePose = 6,
    /// The run was interrupted; the complete part is written.
    Interrupted = 7,
    /// Some items of a batch failed; the others are done.
    PartlyFailed = 8,
}

impl Class {
    /// Its exit code.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        self as u8
    }
}

impl JsonSchema for Class {
    fn schema_name() -> Cow<'static, str> {
        "Class".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // Classes 7 and 8 cannot occur in the result of a single item.
        json_schema!({"type": "integer", "minimum": 1, "maximum": 6})
    }
}

impl Serialize for Class {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.exit_code())
    }
}

/// Failure of a request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Fault {
    /// Class of the failure.
    pub class: Class,
    /// Message for the user.
    pub message: String,
}

impl Fault {
    /// A fault with its message.
    pub fn new(class: Class, message: impl Into<String>) -> Self {
        Self { class, message: message.into() }
    }

    /// A fault with the message of an error.
    #[must_use]
    pub fn of(class: Class, error: &dyn std::error::Error) -> Self {
        Self::new(class, error.to_string())
    }
}
