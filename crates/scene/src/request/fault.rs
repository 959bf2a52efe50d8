//! Why something could not be done, and with which exit code a command of its own would end for it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use thiserror::Error;

/// What kind of failure it is; the number is the exit code of a command that fails so (`docs/cli.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A check or an expectation failed.
    CheckFailed = 1,
    /// What is asked for makes no sense.
    Usage = 2,
    /// A scene, mesh, robot or manifest is bad.
    BadFile = 3,
    /// Bodies overlap at the start, and that was not allowed.
    InitialPenetration = 4,
    /// A computation failed.
    Numerical = 5,
    /// No collision-free pose was found; the best one is written.
    NoFreePose = 6,
    /// The run was interrupted; what is complete is written.
    Interrupted = 7,
    /// Part of a batch failed; the rest is done.
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
        // An item is neither interrupted nor a batch.
        json_schema!({"type": "integer", "minimum": 1, "maximum": 6})
    }
}

impl Serialize for Class {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.exit_code())
    }
}

/// Why something could not be done.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Fault {
    /// What kind of failure it is.
    pub class: Class,
    /// What went wrong, for people.
    pub message: String,
}

impl Fault {
    /// A failure with its explanation.
    pub fn new(class: Class, message: impl Into<String>) -> Self {
        Self { class, message: message.into() }
    }

    /// A failure that an error explains.
    #[must_use]
    pub fn of(class: Class, error: &dyn std::error::Error) -> Self {
        Self::new(class, error.to_string())
    }
}
