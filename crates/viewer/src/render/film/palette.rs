//! Palette of 255 colours for all pictures of a GIF.

use std::collections::BTreeMap;

use color_quant::NeuQuant;
use image::RgbImage;

/// Colours of a GIF; one more index marks unchanged pixels.
const COLORS: usize = 255;
/// Bits per channel that distinguish colours in the histogram: more make it slower, fewer merge similar colours.
const COUNTED_BITS: u32 = 6;
/// Maximum weight of one colour: a large background must not take the palette entries of the objects before it.
const MAX_WEIGHT: u32 = 64;
/// Sampling factor of NeuQuant: 1 trains on all samples.
const SAMPLING: i32 = 1;

/// Colour histogram of pictures.
#[derive(Debug, Default)]
pub(super) struct Colors {
    /// Sums of the channels and number of pixels, by coarse colour.
    seen: BTreeMap<u32, [u64; 4]>,
}

impl Colors {
    /// Adds the colours of a picture.
    pub(super) fn count(&mut self, picture: &RgbImage) {
        for pixel in picture.pixels() {
            let seen = self.seen.entry(coarse(pixel.0)).or_default();
            seen.iter_mut().zip(pixel.0).for_each(|(sum, channel)| *sum += u64::from(channel));
            seen[3] += 1;
        }
    }

    /// Palette of the histogram. Weights are square roots of pixel counts, so that rare colours count more than their pixels.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "means of bytes are bytes, and the rest are rough weights"
    )]
    pub(super) fn palette(&self) -> Palette {
        let max_count = self.seen.values().map(|seen| seen[3]).max().unwrap_or(1) as f64;
        let mut samples = Vec::new();
        for &[red, green, blue, count] in self.seen.values() {
            let color = [red, green, blue].map(|sum| (sum / count) as u8);
            let weight = (f64::from(MAX_WEIGHT) * (count as f64 / max_count).sqrt()).ceil() as usize;
            let pixel = [color[0], color[1], color[2], u8::MAX];
            samples.extend(std::iter::repeat_n(pixel, weight.max(1)).flatten());
        }
        Palette { colors: NeuQuant::new(SAMPLING, COLORS, &samples), known: BTreeMap::new() }
    }
}

/// Coarse colour: the upper bits of the channels.
fn coarse(color: [u8; 3]) -> u32 {
    color
        .into_iter()
        .fold(0, |all, channel| (all << COUNTED_BITS) | (u32::from(channel) >> (8 - COUNTED_BITS)))
}

/// Palette with lookup of the nearest colour.
pub(super) struct Palette {
    colors: NeuQuant,
    /// Cache of palette indices.
    known: BTreeMap<[u8; 3], u8>,
}

impl Palette {
    /// Index of unchanged pixels.
    pub(super) const UNCHANGED: u8 = COLORS as u8;

    /// Index of the nearest palette colour.
    pub(super) fn index(&mut self, color: [u8; 3]) -> u8 {
        let Self { colors, known } = self;
        *known.entry(color).or_insert_with(|| {
            let [red, green, blue] = color;
            u8::try_from(colors.index_of(&[red, green, blue, u8::MAX])).unwrap_or(0)
        })
    }

    /// Red, green and blue of all colours, and black for unchanged pixels.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colors.color_map_rgb();
        bytes.resize(3 * (COLORS + 1), 0);
        bytes
    }
}
