//! Animated GIFs: one palette for all pictures, and only the changed pixels of each picture.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use image::RgbImage;

use super::draft::Draft;
use super::palette::{Colors, Palette};
use super::spool::Spool;
use crate::ViewError;

/// Writer of an animated GIF.
pub struct Gif {
    draft: Draft,
    size: [u16; 2],
    fps: f64,
    colors: Colors,
    spool: Spool,
}

/// Additional duration of the last picture before the animation repeats [s].
const HOLD: f64 = 1.0;
/// Maximum change of a channel that is not encoded: it is invisible, and encoding it would make files larger by half.
const UNSEEN: u8 = 3;

impl Gif {
    pub(super) fn begin(path: &Path, size: [u32; 2], fps: f64) -> Result<Self, ViewError> {
        let too_large = |_| ViewError::write(path, io::Error::other("a GIF has at most 65535 pixels a side"));
        let [width, height] = size.map(u16::try_from);
        let size_in_file = [width.map_err(too_large)?, height.map_err(too_large)?];
        let spool = Spool::new(Draft::of(&path.with_extension("pictures"))?, size)?;
        Ok(Self { draft: Draft::of(path)?, size: size_in_file, fps, colors: Colors::default(), spool })
    }

    pub(super) fn add(&mut self, picture: &RgbImage) -> Result<(), ViewError> {
        self.colors.count(picture);
        self.spool.add(picture)
    }

    pub(super) fn finish(self) -> Result<(), ViewError> {
        let Self { draft, size, fps, colors, mut spool } = self;
        let path = draft.target().to_owned();
        let wrong = |error: EncodingError| ViewError::write(&path, io::Error::other(error.to_string()));
        let mut palette = colors.palette();
        let file = File::create(draft.file()).map_err(|source| ViewError::write(&path, source))?;
        let mut encoder =
            Encoder::new(BufWriter::new(file), size[0], size[1], &palette.bytes()).map_err(wrong)?;
        encoder.set_repeat(Repeat::Infinite).map_err(wrong)?;
        let count = spool.count();
        let mut canvas = Canvas::new(size);
        spool.each(|index, picture| {
            let mut frame = canvas.changes(picture, &mut palette);
            frame.delay = delay(index, fps, if index + 1 == count { HOLD } else { 0.0 });
            encoder.write_frame(&frame).map_err(wrong)
        })?;
        let mut file = encoder.into_inner().map_err(wrong)?;
        file.flush().map_err(|source| ViewError::write(&path, source))?;
        draft.finish()
    }
}

/// Duration of a picture [1/100 s] plus `hold` [s], rounded so that the durations of all pictures add up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a number of pictures, and a few hundredths of a second"
)]
fn delay(picture: usize, fps: f64, hold: f64) -> u16 {
    let [begin, end] = [picture, picture + 1].map(|picture| (100.0 * picture as f64 / fps).round());
    (end - begin + 100.0 * hold) as u16
}

/// Current content of the animation.
struct Canvas {
    size: [usize; 2],
    /// Colour last encoded at each pixel; `None` at the start.
    seen: Vec<Option<[u8; 3]>>,
}

impl Canvas {
    fn new(size: [u16; 2]) -> Self {
        let size = size.map(usize::from);
        Self { size, seen: vec![None; size[0] * size[1]] }
    }

    /// Frame of the bounding rectangle of the changed pixels, unchanged ones transparent; one pixel if nothing has changed.
    fn changes(&mut self, picture: &RgbImage, palette: &mut Palette) -> Frame<'static> {
        let [width, height] = self.size;
        let mut changed = vec![false; width * height];
        let (mut min, mut max) = ([width, height], [0, 0]);
        for (at, (pixel, seen)) in picture.pixels().zip(&mut self.seen).enumerate() {
            let is_same = |seen: &[u8; 3]| seen.iter().zip(pixel.0).all(|(a, b)| a.abs_diff(b) <= UNSEEN);
            // `seen` keeps the colour that was encoded, so that slow changes add up until they are encoded.
            if seen.as_ref().is_some_and(is_same) {
                continue;
            }
            (*seen, changed[at]) = (Some(pixel.0), true);
            for (axis, place) in [at % width, at / width].into_iter().enumerate() {
                min[axis] = min[axis].min(place);
                max[axis] = max[axis].max(place + 1);
            }
        }
        // The format needs at least one pixel, which carries the delay.
        if max == [0, 0] {
            (min, max) = ([0, 0], [1, 1]);
        }
        let mut buffer = Vec::with_capacity((max[0] - min[0]) * (max[1] - min[1]));
        for row in min[1]..max[1] {
            for at in row * width + min[0]..row * width + max[0] {
                buffer.push(match (changed[at], self.seen[at]) {
                    (true, Some(color)) => palette.index(color),
                    _ => Palette::UNCHANGED,
                });
            }
        }
        let [left, top, right, bottom] =
            [min[0], min[1], max[0], max[1]].map(|x| u16::try_from(x).unwrap_or(u16::MAX));
        Frame {
            left,
            top,
            width: right - left,
            height: bottom - top,
            transparent: Some(Palette::UNCHANGED),
            dispose: DisposalMethod::Keep,
            buffer: buffer.into(),
            ..Frame::default()
        }
    }
}
