//! The error type of the viewer: windows, scripts, pictures and films.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use extricate_core::geometry::ShapeError;
use extricate_core::penetration::PenetrationError;
use extricate_dynamics::{BuildError, StepError};
use extricate_scene::record::RecordError;

/// Error of the viewer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// There is no graphics driver, not even one in software.
    #[error(
        "no Vulkan or OpenGL driver found; for software rendering on Debian and Ubuntu, \
         install the packages libvulkan1 and mesa-vulkan-drivers"
    )]
    NoDriver,
    /// There is no display for a window.
    #[error(
        "no display to open a window on: neither WAYLAND_DISPLAY nor DISPLAY is set; \
         `extricate render` needs no display, and `xvfb-run` (package xvfb) provides a virtual one"
    )]
    NoDisplay,
    /// A library that windows need is missing.
    #[error(
        "missing library {library}, which windows need; on Debian and Ubuntu, install the package {package}"
    )]
    NoLibrary {
        /// The missing library.
        library: &'static str,
        /// The package that provides it.
        package: &'static str,
    },
    /// The picture is too large or has no size.
    #[error("unsupported picture size {width} × {height} pixels; width and height must be 16 to {limit}")]
    Size {
        /// Its width \[pixels\].
        width: u32,
        /// Its height \[pixels\].
        height: u32,
        /// Maximum of this graphics driver \[pixels\].
        limit: u32,
    },
    /// A shape has no surface that can be drawn.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The world of a scene cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A penetration depth could not be computed.
    #[error(transparent)]
    Penetration(#[from] PenetrationError),
    /// A recording cannot be read, or a recorded run cannot be resumed from a checkpoint.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The monitor stopped the rendering.
    #[error("stopped at {time} s")]
    Stopped {
        /// Simulated time \[s\].
        time: f64,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The extension is not that of a supported picture or film format.
    #[error(
        "unsupported format of {}; pictures are .png, or frames-####.png or a folder with --frames for numbered ones; films are .gif or .mp4",
        .path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// Recorded contacts cannot be read, or are not those of the scene of the run.
    #[error("{reason}")]
    Contacts {
        /// A message for the user.
        reason: String,
    },
    /// Overlaps of a recorded run were requested; recorded states do not contain them.
    #[error("recorded states do not contain overlaps; penetrations can be shown instead")]
    NoRecordedOverlaps,
    /// The times of pictures decrease, or there are none.
    #[error("missing or decreasing times; a scene only runs forward")]
    DecreasingTimes,
    /// The plane of focus is not in front of the camera.
    #[error("the focus is not in front of the camera; expected a point or a distance [m] in front of it")]
    FocusBehind,
    /// A film ends before it begins.
    #[error("the film ends at {to} s, before it begins at {from} s")]
    EmptyInterval {
        /// Begin \[s\].
        from: f64,
        /// End \[s\].
        to: f64,
    },
    /// A film has too many pictures.
    #[error("too many pictures in the film: {count}; at most 1000000 are accepted")]
    TooManyFrames {
        /// Number of pictures.
        count: f64,
    },
    /// The program `ffmpeg` is missing.
    #[error(
        "MP4 needs the program ffmpeg, which was not found; on Debian and Ubuntu, install the package ffmpeg, \
         or write a .gif"
    )]
    NoFfmpeg,
    /// The program `ffmpeg` failed.
    #[error("ffmpeg failed: {message}")]
    Ffmpeg {
        /// Its error output.
        message: String,
    },
    /// The first snapshot of a session cannot be made.
    #[error("{reason}")]
    Start {
        /// A message for the user.
        reason: String,
    },
    /// An offscreen viewer was requested without a script.
    #[error("missing script: a viewer without a window needs one (--script)")]
    NothingToDo,
    /// A script cannot be read.
    #[error("cannot read the script {}: {source}", .path.display())]
    Script {
        /// Its path.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A line of a script is invalid, or its command failed.
    #[error("{}:{line}: {message}", .path.display())]
    ScriptLine {
        /// The script.
        path: PathBuf,
        /// The line, 1-based.
        line: usize,
        /// The error of the line.
        message: String,
    },
}

impl ViewError {
    pub(crate) fn write(path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Write { path: path.to_owned(), source: source.into() }
    }
}
