//! Why a picture or film was not made.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::StageError;
use extricate_core::geometry::procedural::ProceduralError;
use extricate_core::penetration::PenetrationError;
use extricate_dynamics::{BuildError, StepError};
use extricate_scene::record::{RecordingError, ResumeError};

/// Why a picture or film was not made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RenderError {
    /// Nothing can be drawn on this machine.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// A shape has no surface that can be drawn.
    #[error(transparent)]
    Shape(#[from] ProceduralError),
    /// A scene makes no world.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// How deep bodies are in each other could not be measured.
    #[error(transparent)]
    Penetration(#[from] PenetrationError),
    /// A recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A recorded run cannot go on from a checkpoint.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// Whoever watched had enough.
    #[error("stopped at {time} s")]
    Stopped {
        /// Simulated time [s].
        time: f64,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The extension names no format of pictures.
    #[error(
        "{}: pictures are .png, or frames-####.png and a folder with --frames for numbered ones; films are .gif or .mp4",
        .path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// States that were recorded do not tell which bodies overlap.
    #[error("recorded states do not tell which bodies overlap; penetrations can be shown")]
    NotOfRuns,
    /// Times of pictures fall, or there are none.
    #[error("times must not fall: a scene only runs forward")]
    TimesFall,
    /// A film ends before it begins.
    #[error("the film ends at {to} s, before it begins at {from} s")]
    NoTime {
        /// Where it begins [s].
        from: f64,
        /// Where it ends [s].
        to: f64,
    },
    /// A film has more pictures than anybody means.
    #[error("the film would have {count} pictures")]
    TooMany {
        /// How many.
        count: f64,
    },
    /// The program that makes MP4 is missing.
    #[error(
        "MP4 is made by the program ffmpeg, which is not there: on Debian and Ubuntu, install the package ffmpeg; \
         .gif needs nothing"
    )]
    NoFfmpeg,
    /// The program that makes MP4 failed.
    #[error("ffmpeg failed: {message}")]
    Ffmpeg {
        /// What it said.
        message: String,
    },
}

impl RenderError {
    pub(super) fn write(path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Write { path: path.to_owned(), source: source.into() }
    }
}
