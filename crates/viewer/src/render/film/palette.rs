//! The 255 colours of a GIF, chosen for all of its pictures.

use std::collections::BTreeMap;

use color_quant::NeuQuant;
use image::RgbImage;

/// Colours of a GIF; one more says that nothing has changed.
const COLORS: usize = 255;
/// Bits of a channel by which colours are told apart when they are counted.
const BITS: u32 = 6;
/// Most often that one colour is counted: a background must not take the colours of what stands before it.
const OFTEN: u32 = 64;
/// How many of the counted colours are learnt from: all.
const SAMPLING: i32 = 1;

/// Counts the colours of pictures.
#[derive(Debug, Default)]
pub(super) struct Colors {
    /// Sums of the channels and number of the pixels, by colour.
    seen: BTreeMap<u32, [u64; 4]>,
}

impl Colors {
    /// Counts the colours of a picture.
    pub(super) fn count(&mut self, picture: &RgbImage) {
        for pixel in picture.pixels() {
            let seen = self.seen.entry(coarse(pixel.0)).or_default();
            seen.iter_mut().zip(pixel.0).for_each(|(sum, channel)| *sum += u64::from(channel));
            seen[3] += 1;
        }
    }

    /// The palette for what was counted: rare colours count more than their pixels, by the square root.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "means of bytes are bytes, and the rest are rough weights"
    )]
    pub(super) fn palette(&self) -> Palette {
        let most = self.seen.values().map(|seen| seen[3]).max().unwrap_or(1) as f64;
        let mut learnt = Vec::new();
        for &[red, green, blue, count] in self.seen.values() {
            let color = [red, green, blue].map(|sum| (sum / count) as u8);
            let weight = (f64::from(OFTEN) * (count as f64 / most).sqrt()).ceil() as usize;
            let pixel = [color[0], color[1], color[2], u8::MAX];
            learnt.extend(std::iter::repeat_n(pixel, weight.max(1)).flatten());
        }
        Palette { colors: NeuQuant::new(SAMPLING, COLORS, &learnt), known: BTreeMap::new() }
    }
}

/// A colour with the lower bits of its channels left out.
fn coarse(color: [u8; 3]) -> u32 {
    color.into_iter().fold(0, |all, channel| (all << BITS) | (u32::from(channel) >> (8 - BITS)))
}

/// Colours by number.
pub(super) struct Palette {
    colors: NeuQuant,
    /// Numbers of colours that were looked up before.
    known: BTreeMap<[u8; 3], u8>,
}

impl Palette {
    /// The number that says that nothing has changed.
    pub(super) const UNCHANGED: u8 = COLORS as u8;

    /// Number of the colour that is nearest.
    pub(super) fn index(&mut self, color: [u8; 3]) -> u8 {
        let Self { colors, known } = self;
        *known.entry(color).or_insert_with(|| {
            let [red, green, blue] = color;
            u8::try_from(colors.index_of(&[red, green, blue, u8::MAX])).unwrap_or(0)
        })
    }

    /// Red, green and blue of all colours, and black for what has not changed.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colors.color_map_rgb();
        bytes.resize(3 * (COLORS + 1), 0);
        bytes
    }
}
