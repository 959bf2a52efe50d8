//! Why a state was not saved or taken on.

use thiserror::Error;

/// Why a world's state was not saved, or one that was saved not taken on.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The bytes are no checkpoint.
    #[error("{length} bytes that are no checkpoint of this program")]
    Foreign {
        /// Their number.
        length: usize,
    },
    /// The form is another one.
    #[error("a checkpoint of format {found}, where this program knows format {known}")]
    Format {
        /// Its format.
        found: u32,
        /// The one that is read.
        known: u32,
    },
    /// The content is not what was written.
    #[error("the checkpoint is damaged: its {length} bytes do not have the hash that they were written with")]
    Damaged {
        /// Their number.
        length: usize,
    },
    /// It was written by another version, which would go on differently.
    #[error("the checkpoint was written with {what} {found}, and this is {what} {own}")]
    Version {
        /// `extricate` or `rapier`.
        what: &'static str,
        /// The version that wrote it.
        found: String,
        /// This version.
        own: &'static str,
    },
    /// A part does not have its form.
    #[error("the checkpoint's {part} cannot be read: {reason}")]
    Decode {
        /// The part.
        part: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The state could not be written.
    #[error("the state cannot be written: {reason}")]
    Encode {
        /// What is wrong.
        reason: String,
    },
    /// The state is that of a world with other bodies, joints or options.
    #[error("the checkpoint is that of another world: bodies, joints, soft bodies or options differ")]
    OtherWorld,
    /// Only a world that was just built takes on a state.
    #[error("the world has taken {steps} steps; only one that was just built takes on a saved state")]
    Stepped {
        /// Steps that it has taken.
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
