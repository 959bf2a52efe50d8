//! The one error of the viewer: of windows, scripts, pictures and films.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use extricate_core::geometry::ShapeError;
use extricate_core::penetration::PenetrationError;
use extricate_dynamics::{BuildError, StepError};
use extricate_scene::record::RecordError;

/// Why nothing is shown, or a picture or film was not made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// There is no graphics driver, not even one in software.
    #[error(
        "no Vulkan or OpenGL driver was found. Without a graphics card, software does it: \
         on Debian and Ubuntu, install the packages libvulkan1 and mesa-vulkan-drivers"
    )]
    NoDriver,
    /// There is no display for a window.
    #[error(
        "there is no display to open a window on (neither WAYLAND_DISPLAY nor DISPLAY is set). \
         `extricate render` makes pictures without one; `xvfb-run` (package xvfb) gives a window a virtual one"
    )]
    NoDisplay,
    /// A library that windows need is missing.
    #[error("a window needs {library}: on Debian and Ubuntu, install the package {package}")]
    NoLibrary {
        /// What is missing.
        library: &'static str,
        /// Where it is.
        package: &'static str,
    },
    /// The picture is too large or has no size.
    #[error("pictures are 16 to {limit} pixels wide and high, not {width} × {height}")]
    Size {
        /// Its width [pixels].
        width: u32,
        /// Its height [pixels].
        height: u32,
        /// The greatest this graphics driver can do.
        limit: u32,
    },
    /// A shape has no surface that can be drawn.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A scene makes no world.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// How deep bodies are in each other could not be measured.
    #[error(transparent)]
    Penetration(#[from] PenetrationError),
    /// A recording cannot be read, or a recorded run not go on from a checkpoint.
    #[error(transparent)]
    Record(#[from] RecordError),
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
        /// Answer of the system.
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
    /// The first picture of a window cannot be made.
    #[error("{why}")]
    Start {
        /// What is wrong.
        why: String,
    },
    /// Without a window and a script nothing would happen.
    #[error("without a window there must be a script that says what is to happen")]
    NothingToDo,
    /// A script cannot be read.
    #[error("cannot read the script {}: {source}", .path.display())]
    Script {
        /// Its path.
        path: PathBuf,
        /// Answer of the system.
        source: io::Error,
    },
    /// A line of a script makes no sense, or could not be done.
    #[error("{}:{line}: {message}", .path.display())]
    ScriptLine {
        /// The script.
        path: PathBuf,
        /// The line, 1-based.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

impl ViewError {
    pub(crate) fn write(path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Write { path: path.to_owned(), source: source.into() }
    }
}
