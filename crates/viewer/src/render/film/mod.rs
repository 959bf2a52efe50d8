//! Writers of films: numbered files, GIF, MP4.
//!
//! An unfinished GIF or MP4 leaves no file.

mod draft;
mod gif;
mod mp4;
mod palette;
mod spool;

use std::fs;
use std::path::{Path, PathBuf};

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, RgbImage};

use self::draft::Draft;
use self::gif::Gif;
use self::mp4::Mp4;
use crate::ViewError;

/// Output format of pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// One picture.
    Png(PathBuf),
    /// Numbered pictures: path before the number, minimum number of digits, and name after the number.
    Numbered(PathBuf, usize, String),
    /// A repeating animation.
    Gif(PathBuf),
    /// A film.
    Mp4(PathBuf),
}

/// Digits of the numbers in a folder of numbered pictures.
const DIGITS: usize = 4;

impl Format {
    /// Format of a path by its extension; with `frames`, a path without extension is a folder of numbered pictures.
    ///
    /// # Errors
    /// [`ViewError::UnknownFormat`] if the extension is not supported.
    pub fn of(path: &Path, frames: bool) -> Result<Self, ViewError> {
        let unknown = || ViewError::UnknownFormat { path: path.to_owned() };
        if frames && path.extension().is_none() {
            return Ok(Self::Numbered(path.join("frame-"), DIGITS, String::from(".png")));
        }
        let extension = path.extension().ok_or_else(unknown)?.to_string_lossy().to_lowercase();
        let name = path.file_name().ok_or_else(unknown)?.to_string_lossy();
        match (extension.as_str(), name.split_once('#')) {
            ("png", Some((before, rest))) => {
                let after = rest.trim_start_matches('#');
                let digits = rest.len() - after.len() + 1;
                if after.contains('#') {
                    return Err(unknown());
                }
                Ok(Self::Numbered(path.with_file_name(before), digits, after.to_owned()))
            }
            _ if frames => Err(unknown()),
            ("png", None) => Ok(Self::Png(path.to_owned())),
            ("gif", None) => Ok(Self::Gif(path.to_owned())),
            ("mp4", None) => Ok(Self::Mp4(path.to_owned())),
            _ => Err(unknown()),
        }
    }

    /// Whether it consists of several pictures.
    #[must_use]
    pub fn is_film(&self) -> bool {
        !matches!(self, Self::Png(_))
    }
}

/// Writer of a film. If it is dropped before it is finished, only numbered pictures remain.
pub enum Film {
    /// One picture, or numbered ones.
    Pictures {
        /// Format with their names.
        format: Format,
        /// Number of pictures so far.
        count: usize,
    },
    /// An animation.
    Gif(Gif),
    /// A film.
    Mp4(Mp4),
}

impl Film {
    /// Begins a film of pictures of this size \[pixels\], with `fps` pictures per second.
    ///
    /// # Errors
    /// [`ViewError`] when a file or program cannot be started.
    pub fn begin(format: &Format, size: [u32; 2], fps: f64) -> Result<Self, ViewError> {
        match format {
            Format::Gif(path) => Ok(Self::Gif(Gif::begin(path, size, fps)?)),
            Format::Mp4(path) => Ok(Self::Mp4(Mp4::begin(path, size, fps)?)),
            Format::Png(_) | Format::Numbered(..) => Ok(Self::Pictures { format: format.clone(), count: 0 }),
        }
    }

    /// Adds the next picture.
    ///
    /// # Errors
    /// [`ViewError`] when it cannot be written.
    pub fn add(&mut self, picture: &RgbImage) -> Result<(), ViewError> {
        match self {
            Self::Gif(gif) => gif.add(picture),
            Self::Mp4(mp4) => mp4.add(picture),
            Self::Pictures { format, count } => {
                let path = match format {
                    Format::Numbered(before, digits, after) => {
                        let (mut name, digits) = (before.as_os_str().to_owned(), *digits);
                        name.push(format!("{count:0digits$}{after}"));
                        PathBuf::from(name)
                    }
                    Format::Png(path) | Format::Gif(path) | Format::Mp4(path) => path.clone(),
                };
                *count += 1;
                write_png(picture, &path)
            }
        }
    }

    /// Finishes the film and gives its file the final name.
    ///
    /// # Errors
    /// [`ViewError`] when it cannot be written.
    pub fn finish(self) -> Result<(), ViewError> {
        match self {
            Self::Gif(gif) => gif.finish(),
            Self::Mp4(mp4) => mp4.finish(),
            Self::Pictures { .. } => Ok(()),
        }
    }
}

/// Writes a picture as PNG, atomically. Missing parent folders are created.
///
/// # Errors
/// [`ViewError::Write`] when it cannot be written.
pub fn write_png(picture: &RgbImage, path: &Path) -> Result<(), ViewError> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, FilterType::Adaptive);
    encoder
        .write_image(picture, picture.width(), picture.height(), ExtendedColorType::Rgb8)
        .map_err(|error| ViewError::write(path, std::io::Error::other(error.to_string())))?;
    let draft = Draft::of(path)?;
    fs::write(draft.file(), bytes).map_err(|source| ViewError::write(path, source))?;
    draft.finish()
}

#[cfg(test)]
mod tests;
