//! MP4 files, encoded by the program `ffmpeg`.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use image::RgbImage;

use super::draft::Draft;
use crate::ViewError;

/// Writer of an MP4.
pub struct Mp4 {
    draft: Draft,
    ffmpeg: Program,
}

/// A child process that is killed when the value is dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Constant rate factor of x264: lower is better and larger; 18 is regarded as visually lossless.
const QUALITY: &str = "20";

impl Mp4 {
    pub(super) fn begin(path: &Path, [width, height]: [u32; 2], fps: f64) -> Result<Self, ViewError> {
        let draft = Draft::of(path)?;
        let (size, rate) = (format!("{width}x{height}"), fps.to_string());
        // Chroma is subsampled in 2 × 2 pixels (yuv420p), so that an odd row or column is cropped.
        let even = "crop=trunc(iw/2)*2:trunc(ih/2)*2";
        let mut command = Command::new("ffmpeg");
        command
            .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"])
            .args(["-s", &size, "-r", &rate, "-i", "-", "-an", "-vf", even])
            .args(["-c:v", "libx264", "-crf", QUALITY, "-pix_fmt", "yuv420p", "-movflags", "+faststart"])
            .args(["-f", "mp4"])
            .arg(draft.file())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let ffmpeg = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => ViewError::NoFfmpeg,
            _ => ViewError::Ffmpeg { message: error.to_string() },
        })?;
        Ok(Self { draft, ffmpeg: Program(ffmpeg) })
    }

    pub(super) fn add(&mut self, picture: &RgbImage) -> Result<(), ViewError> {
        let input = self.ffmpeg.0.stdin.as_mut().expect("it is open until the end");
        match input.write_all(picture.as_raw()) {
            Ok(()) => Ok(()),
            // The pipe is closed: ffmpeg has ended and reports the cause.
            Err(_) => Err(self.failed()),
        }
    }

    pub(super) fn finish(mut self) -> Result<(), ViewError> {
        drop(self.ffmpeg.0.stdin.take());
        let ended = self.ffmpeg.0.wait().map_err(|error| ViewError::Ffmpeg { message: error.to_string() })?;
        if !ended.success() {
            return Err(self.failed());
        }
        self.draft.finish()
    }

    fn failed(&mut self) -> ViewError {
        drop(self.ffmpeg.0.stdin.take());
        let mut message = String::new();
        if let Some(output) = &mut self.ffmpeg.0.stderr {
            // An unreadable error output leaves the message empty.
            let _ = output.read_to_string(&mut message);
        }
        ViewError::Ffmpeg { message: message.trim().to_owned() }
    }
}
