//! Recorded runs in formats of other programs: glTF animations, MCAP recordings, USD states, and tables.
//!
//! | format | holds | frame |
//! |---|---|---|
//! | `.glb` | all recorded states as one animation, every mesh once | y up, as glTF demands: the node `z_up` rotates z up to y up |
//! | `.mcap` | all recorded states as messages in JSON with their contacts, every mesh once | z up |
//! | `.usda` | one state | z up |
//! | `.csv` | energies, joints and sensors of robots in all recorded states | |
//!
//! Half-spaces have no surface and are left out. Numbers of glTF files have single precision; those of the others are as recorded.

mod csv;
mod gltf;
mod mcap;
pub mod messages;
pub mod subject;
pub mod surface;
mod usda;

pub use mcap::attached::unpack;

use std::path::Path;

use super::error::RecordError;
use super::source::StateSource;
use subject::Subject;

/// A format of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// Animated glTF, binary.
    Glb,
    /// Messages for Foxglove, PlotJuggler, Rerun and ROS tools.
    Mcap,
    /// A state as text for USD.
    Usda,
    /// A table of numbers for spreadsheets, pandas and the like.
    Csv,
}

impl ExportFormat {
    /// The formats.
    pub const ALL: [Self; 4] = [Self::Glb, Self::Mcap, Self::Usda, Self::Csv];

    /// Extension of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Mcap => "mcap",
            Self::Usda => "usda",
            Self::Csv => "csv",
        }
    }

    /// Format of a file with that extension, if it is one.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        Self::ALL.into_iter().find(|format| format.extension() == extension)
    }
}

/// Content of an exported file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Number of states.
    pub states: usize,
    /// Number of rigid bodies, those of robots among them.
    pub bodies: usize,
    /// Number of meshes, each of which is written once.
    pub meshes: usize,
    /// Content of the run that the format does not hold.
    pub left_out: Vec<String>,
}

/// Writes a recorded run, complete or not. A format that holds one state takes `state`, or the last one.
///
/// # Errors
/// [`RecordError`] when a state cannot be read, or the file cannot be written.
///
/// # Panics
/// When there is no such state.
pub fn export(
    recording: &dyn StateSource,
    path: &Path,
    format: ExportFormat,
    state: Option<usize>,
) -> Result<Exported, RecordError> {
    let world = recording.scene().world()?;
    let mut subject = Subject::of(&world).map_err(|error| RecordError::damaged(path, None, error))?;
    let states = match format {
        ExportFormat::Glb => gltf::write(recording, &mut subject, path)?,
        ExportFormat::Mcap => mcap::write(recording, &mut subject, path)?,
        ExportFormat::Usda => {
            let state = state.unwrap_or(recording.state_count() - 1);
            usda::write(recording, (&subject, state), path)?
        }
        ExportFormat::Csv => csv::write(recording, &mut subject, path)?,
    };
    let (bodies, meshes) = (subject.bodies.len(), subject.meshes.len());
    Ok(Exported { states, bodies, meshes, left_out: subject.left_out })
}
