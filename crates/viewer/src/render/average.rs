//! Mean of pictures, in linear light.

use image::RgbImage;

/// Exponent from the channels of a picture to linear light, as `paint` has it.
const GAMMA: f32 = 2.2;

/// Sums of the linear channels of pictures of equal size.
pub(super) struct Average {
    sums: Vec<f32>,
    size: [u32; 2],
    count: f32,
    /// Linear light of each value of a channel.
    linear: [f32; 256],
}

impl Average {
    /// The sum of no pictures, of the size of this one.
    pub(super) fn new(first: &RgbImage) -> Self {
        let mut linear = [0.0; 256];
        for (value, light) in (0_u8..=255).zip(&mut linear) {
            *light = (f32::from(value) / 255.0).powf(GAMMA);
        }
        let size = [first.width(), first.height()];
        Self { sums: vec![0.0; first.as_raw().len()], size, count: 0.0, linear }
    }

    /// Adds a picture of the same size.
    pub(super) fn add(&mut self, picture: &RgbImage) {
        self.count += 1.0;
        for (sum, &value) in self.sums.iter_mut().zip(picture.as_raw()) {
            *sum += self.linear[usize::from(value)];
        }
    }

    /// The sum of two means.
    pub(super) fn plus(&self, other: &Self) -> Self {
        let sums = self.sums.iter().zip(&other.sums);
        let sums = sums.map(|(a, b)| a / self.count + b / other.count).collect();
        Self { sums, count: 1.0, ..*self }
    }

    /// The mean; light above that of white is cut off.
    pub(super) fn picture(&self) -> RgbImage {
        let [width, height] = self.size;
        let mut picture = RgbImage::new(width, height);
        for (value, &sum) in picture.iter_mut().zip(&self.sums) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 0 and 255")]
            let encoded = (255.0 * (sum / self.count).min(1.0).powf(GAMMA.recip())).round() as u8;
            *value = encoded;
        }
        picture
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pictures_have_themselves_as_their_mean() {
        let picture =
            RgbImage::from_fn(256, 3, |x, y| image::Rgb([x as u8, (x / 2) as u8, (x * y / 4) as u8]));
        let mut average = Average::new(&picture);
        (0..300).for_each(|_| average.add(&picture));
        assert_eq!(average.picture(), picture);
    }

    #[test]
    fn sums_of_means_add_light_and_end_at_white() {
        let of = |value: u8| {
            let picture = RgbImage::from_pixel(2, 1, image::Rgb([value; 3]));
            let mut average = Average::new(&picture);
            (0..3).for_each(|_| average.add(&picture));
            average
        };
        let one = of(186);
        assert_eq!(one.plus(&of(0)).picture(), one.picture());
        let value = |average: Average| average.picture().as_raw()[0];
        // Twice 0.4995 of the light is 0.999 of it: 255 · 0.999^(1/2.2) = 254.9.
        assert_eq!(value(one.plus(&of(186))), 255);
        assert_eq!(value(one.plus(&of(255))), 255);
        // 0.25 + 0.25: each is 255 · 0.25^(1/2.2) = 135.8.
        assert!(value(of(136).plus(&of(136))).abs_diff(186) <= 1);
    }

    #[test]
    fn light_is_averaged_not_its_encoding() {
        let of = |value: u8| RgbImage::from_pixel(2, 1, image::Rgb([value; 3]));
        let mut average = Average::new(&of(255));
        average.add(&of(255));
        average.add(&of(0));
        // Half the light: 255 · 0.5^(1/2.2) = 186.08.
        assert_eq!(average.picture(), of(186));
    }
}
