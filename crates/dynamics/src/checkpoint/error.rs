//! Errors of saving and restoring a state.

use thiserror::Error;

/// Error of saving or restoring the state of a world.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The bytes are not a checkpoint.
    #[error("not a checkpoint of this program ({length} bytes)")]
    Foreign {
        /// Number of bytes.
        length: usize,
    },
    /// The format is another one.
    #[error("the checkpoint has format {found}, and this program reads format {known}")]
    Format {
        /// Format of the checkpoint.
        found: u32,
        /// Format of this program.
        known: u32,
    },
    /// The content has changed since it was written.
    #[error(
        "the checkpoint is damaged: its {length} bytes do not have the hash with which they were written"
    )]
    Damaged {
        /// Number of bytes.
        length: usize,
    },
    /// It was written by another version, which would continue differently.
    #[error("the checkpoint was written with {what} {found}, and this is {what} {own}")]
    Version {
        /// `extricate` or `rapier`.
        what: &'static str,
        /// The version that wrote it.
        found: String,
        /// This version.
        own: &'static str,
    },
    /// A part cannot be decoded.
    #[error("the checkpoint's {part} cannot be read: {reason}")]
    Decode {
        /// The part.
        part: &'static str,
        /// Cause.
        reason: String,
    },
    /// The state could not be encoded.
    #[error("the state cannot be written: {reason}")]
    Encode {
        /// Cause.
        reason: String,
    },
    /// The state is that of a world with other bodies, joints or options.
    #[error("the checkpoint is that of another world: bodies, joints, soft bodies or options differ")]
    OtherWorld,
    /// A state can only be restored into a newly built world.
    #[error("the world has taken {steps} steps; a state can only be restored into a newly built world")]
    Stepped {
        /// Number of steps that it has taken.
        steps: u64,
    },
}

impl CheckpointError {
    pub(super) fn encode(error: &postcard::Error) -> Self {
        Self::Encode { reason: error.to_string() }
    }

    pub(super) fn decode(part: &'static str, error: &postcard::Error) -> Self {
        Self::Decode { part, reason: error.to_string() }
    }
}
