//! Animated GIFs: one palette for all pictures, and of each picture only what has changed.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use image::RgbImage;

use super::draft::Draft;
use super::palette::{Colors, Palette};
use super::spool::Spool;
use crate::ViewError;

/// A GIF that is being made.
pub struct Gif {
    draft: Draft,
    size: [u16; 2],
    fps: f64,
    colors: Colors,
    spool: Spool,
}

/// How long the last picture is seen before the animation starts again [s].
const HOLD: f64 = 1.0;
/// Greatest change of a channel that is not drawn: it is not seen, and would make the file larger by half.
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

/// How long a picture is seen [1/100 s], and `hold` [s] longer: rounded so that the lengths of all pictures add up.
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

/// What is seen.
struct Canvas {
    size: [usize; 2],
    /// The picture that was last drawn at each pixel; none at the start.
    seen: Vec<Option<[u8; 3]>>,
}

impl Canvas {
    fn new(size: [u16; 2]) -> Self {
        let size = size.map(usize::from);
        Self { size, seen: vec![None; size[0] * size[1]] }
    }

    /// The part of a picture that has changed, all else in it unchanged; one pixel where nothing has.
    fn changes(&mut self, picture: &RgbImage, palette: &mut Palette) -> Frame<'static> {
        let [width, height] = self.size;
        let mut changed = vec![false; width * height];
        let (mut least, mut greatest) = ([width, height], [0, 0]);
        for (at, (pixel, seen)) in picture.pixels().zip(&mut self.seen).enumerate() {
            let is_same = |seen: &[u8; 3]| seen.iter().zip(pixel.0).all(|(a, b)| a.abs_diff(b) <= UNSEEN);
            if seen.as_ref().is_some_and(is_same) {
                continue;
            }
            (*seen, changed[at]) = (Some(pixel.0), true);
            for (axis, place) in [at % width, at / width].into_iter().enumerate() {
                least[axis] = least[axis].min(place);
                greatest[axis] = greatest[axis].max(place + 1);
            }
        }
        if greatest == [0, 0] {
            (least, greatest) = ([0, 0], [1, 1]);
        }
        let mut buffer = Vec::with_capacity((greatest[0] - least[0]) * (greatest[1] - least[1]));
        for row in least[1]..greatest[1] {
            for at in row * width + least[0]..row * width + greatest[0] {
                buffer.push(match (changed[at], self.seen[at]) {
                    (true, Some(color)) => palette.index(color),
                    _ => Palette::UNCHANGED,
                });
            }
        }
        let [left, top, right, bottom] =
            [least[0], least[1], greatest[0], greatest[1]].map(|x| u16::try_from(x).unwrap_or(u16::MAX));
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
