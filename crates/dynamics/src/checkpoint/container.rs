//! Binary form of a checkpoint: a header that identifies the world, and two parts.
//!
//! | bytes      | meaning                                                                         |
//! |------------|---------------------------------------------------------------------------------|
//! | 8          | [`MAGIC`]                                                                       |
//! | 4          | [`FORMAT`], little endian                                                       |
//! | 8          | FNV-1a over all bytes behind it, little endian                                  |
//! | the rest   | header and parts in the postcard format: versions, scene, step, world, run      |

use serde::{Deserialize, Serialize};

use super::error::CheckpointError;
use crate::state::StateHash;

/// The first bytes of every checkpoint.
const MAGIC: [u8; 8] = *b"extrckpt";
/// Version of the format. Others are rejected: the content of a checkpoint changes with the program.
const FORMAT: u32 = 11;
/// Bytes before the content.
const PREFIX: usize = 20;

/// State of a world, and of its run, after a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Version of this program.
    program: String,
    /// Version of rapier.
    rapier: String,
    /// Hash of the scene of the world, set by the writer of the checkpoint; zero where it was not set.
    pub scene: u64,
    /// Number of steps taken.
    step: u64,
    /// Hash of the build of the world: names, shapes, joints, options.
    pub(super) build: u64,
    pub(super) world: Vec<u8>,
    /// State of the run besides its world; empty where there is no run.
    pub run: Vec<u8>,
}

impl Checkpoint {
    /// Checkpoint of a world of a build after a step.
    pub(super) fn of(step: u64, build: u64, world: Vec<u8>) -> Self {
        let program = String::from(env!("CARGO_PKG_VERSION"));
        Self { program, rapier: rapier3d::VERSION.to_owned(), scene: 0, step, build, world, run: Vec::new() }
    }

    /// Number of steps that the world had taken.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// [`CheckpointError::Encode`] when the state cannot be encoded.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT.to_le_bytes());
        bytes.extend([0; 8]);
        let mut bytes = postcard::to_extend(self, bytes).map_err(|error| CheckpointError::encode(&error))?;
        let hash = StateHash::of_bytes(&bytes[PREFIX..]);
        bytes[PREFIX - 8..PREFIX].copy_from_slice(&hash.to_le_bytes());
        Ok(bytes)
    }

    /// Reads a checkpoint from the bytes of a file. Allocates no more than their length.
    ///
    /// # Errors
    /// [`CheckpointError`] when they are not a checkpoint, one of another version, or a damaged one.
    pub fn read(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let foreign = || CheckpointError::Foreign { length: bytes.len() };
        let rest = bytes.strip_prefix(&MAGIC).ok_or_else(foreign)?;
        let (format, rest) = rest.split_first_chunk().ok_or_else(foreign)?;
        let format = u32::from_le_bytes(*format);
        if format != FORMAT {
            return Err(CheckpointError::Format { found: format, known: FORMAT });
        }
        let (hash, content) = rest.split_first_chunk().ok_or_else(foreign)?;
        if u64::from_le_bytes(*hash) != StateHash::of_bytes(content) {
            return Err(CheckpointError::Damaged { length: bytes.len() });
        }
        let (checkpoint, rest) = postcard::take_from_bytes::<Self>(content)
            .map_err(|error| CheckpointError::decode("header", &error))?;
        // The hash does not exclude a forged file with bytes behind the content.
        if !rest.is_empty() {
            return Err(CheckpointError::Damaged { length: bytes.len() });
        }
        checkpoint.same_versions()?;
        Ok(checkpoint)
    }

    /// Checks the versions: another one of this program or of rapier would continue with other bits.
    fn same_versions(&self) -> Result<(), CheckpointError> {
        let own = [env!("CARGO_PKG_VERSION"), rapier3d::VERSION];
        let found = [&self.program, &self.rapier];
        for ((what, own), found) in ["extricate", "rapier"].into_iter().zip(own).zip(found) {
            if found != own {
                return Err(CheckpointError::Version { what, found: found.clone(), own });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        Checkpoint { scene: 7, run: vec![1, 2], ..Checkpoint::of(12, 34, vec![5; 300]) }
    }

    #[test]
    fn a_checkpoint_is_read_as_it_was_written() {
        let bytes = checkpoint().to_bytes().unwrap();
        assert_eq!(Checkpoint::read(&bytes).unwrap(), checkpoint());
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_a_named_error() {
        let bytes = checkpoint().to_bytes().unwrap();
        for cut in 0..bytes.len() {
            assert!(Checkpoint::read(&bytes[..cut]).is_err(), "{cut}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x40;
            assert!(Checkpoint::read(&changed).is_err(), "{at}");
        }
        assert!(matches!(Checkpoint::read(b"something else"), Err(CheckpointError::Foreign { length: 14 })));
        let longer = [&bytes[..], &[0]].concat();
        assert!(matches!(Checkpoint::read(&longer), Err(CheckpointError::Damaged { .. })));
    }

    #[test]
    fn another_format_and_another_program_are_refused_by_name() {
        let mut bytes = checkpoint().to_bytes().unwrap();
        bytes[8] = 99;
        assert!(matches!(Checkpoint::read(&bytes), Err(CheckpointError::Format { found: 99, .. })));
        let other = Checkpoint { rapier: "0.1.0".into(), ..checkpoint() };
        let error = Checkpoint::read(&other.to_bytes().unwrap()).unwrap_err();
        assert!(error.to_string().contains("rapier 0.1.0"), "{error}");
    }

    #[test]
    fn a_length_beyond_the_bytes_allocates_nothing() {
        // A world of 2⁶⁰ bytes is announced where a few follow.
        let mut content = postcard::to_allocvec(&("", "", 0_u64, 0_u64, 0_u64)).unwrap();
        content.extend(postcard::to_allocvec(&(1_u64 << 60)).unwrap());
        let mut bytes = [&MAGIC[..], &FORMAT.to_le_bytes()].concat();
        bytes.extend(StateHash::of_bytes(&content).to_le_bytes());
        bytes.extend(content);
        assert!(matches!(Checkpoint::read(&bytes), Err(CheckpointError::Decode { .. })));
    }
}
