//! A thin lens in place of a pinhole, sampled by displaced eyes [Haeberli90].
//!
//! The mean of pictures from points of the lens, each with a projection sheared so that the plane of focus has the same place in
//! all of them, blurs a point at depth d to a disc of diameter A·|d − F| / d on the plane of focus.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | A | [`Lens::aperture`] | diameter of the lens \[m\] |
//! | F | [`LensSample::focus`] | distance of the plane of focus along the view direction \[m\] |

use std::f64::consts::TAU;

use nalgebra::{Matrix4, Point3, Vector2};

use super::Camera;

/// A lens, and the number of pictures that sample it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lens {
    /// Diameter \[m\]; zero is a pinhole, of which several samples smooth edges alone.
    pub aperture: f64,
    /// Position of the plane that is sharp.
    pub focus: Focus,
    /// Number of pictures that are averaged.
    pub samples: u32,
}

impl Default for Lens {
    /// One picture through a pinhole.
    fn default() -> Self {
        Self { aperture: 0.0, focus: Focus::Target, samples: 1 }
    }
}

/// Position of the plane that is sharp.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Focus {
    /// Through the target of the camera.
    Target,
    /// At a distance from the eye, along the view direction \[m\].
    Distance(f64),
    /// Through a point \[m, world\].
    Point(Point3<f64>),
}

/// Displacements of one picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LensSample {
    /// Displacement of the eye to the right and up \[m\].
    pub eye: Vector2<f64>,
    /// Distance of the plane of focus from the eye, along the view direction \[m\].
    pub focus: f64,
    /// Displacement of the picture to the right and up, within half a pixel \[pixels\].
    pub pixel: Vector2<f64>,
}

impl LensSample {
    /// The pinhole of a camera.
    #[must_use]
    pub fn pinhole(camera: &Camera) -> Self {
        Self { eye: Vector2::zeros(), focus: camera.distance, pixel: Vector2::zeros() }
    }

    /// Projection from the coordinates of the displaced eye, for a projection from those of the camera and a picture of this
    /// size \[pixels\].
    #[must_use]
    pub fn displaced(&self, projection: &Matrix4<f64>, size: Vector2<f64>) -> Matrix4<f64> {
        let mut shear = Matrix4::identity();
        // At z = −F this moves by the displacement of the eye, and back to where the camera sees it.
        shear[(0, 2)] = -self.eye.x / self.focus;
        shear[(1, 2)] = -self.eye.y / self.focus;
        let mut shift = Matrix4::identity();
        shift[(0, 3)] = 2.0 * self.pixel.x / size.x;
        shift[(1, 3)] = 2.0 * self.pixel.y / size.y;
        shift * projection * shear
    }
}

impl Lens {
    /// Displacements of all pictures; `None` if the plane of focus is not in front of the camera.
    #[must_use]
    pub fn sampled(&self, camera: &Camera) -> Option<Vec<LensSample>> {
        let focus = match self.focus {
            Focus::Target => camera.distance,
            Focus::Distance(distance) => distance,
            Focus::Point(point) => {
                let [_, _, back] = camera.axes();
                (camera.eye() - point).dot(&back)
            }
        };
        if !(focus > 0.0) {
            return None;
        }
        if self.samples <= 1 && self.aperture == 0.0 {
            return Some(vec![LensSample { focus, ..LensSample::pinhole(camera) }]);
        }
        let count = self.samples.max(1);
        let sample = |index: u32| LensSample {
            eye: 0.5 * self.aperture * on_disc(index, count),
            focus,
            pixel: in_square(index),
        };
        Some((0..count).map(sample).collect())
    }
}

/// Points of the unit disc, evenly spread: a spiral with the golden angle [Vogel79].
fn on_disc(index: u32, count: u32) -> Vector2<f64> {
    /// Golden angle over a full circle: 1 − 1/φ, φ the golden ratio.
    const GOLDEN_ANGLE: f64 = 0.381_966_011_250_105_15;
    let radius = ((f64::from(index) + 0.5) / f64::from(count)).sqrt();
    let (sin, cos) = (TAU * (GOLDEN_ANGLE * f64::from(index)).fract()).sin_cos();
    radius * Vector2::new(cos, sin)
}

/// Points of the square of side 1 around the origin, evenly spread and independent of those of the disc: Halton's sequence in
/// bases 2 and 3.
fn in_square(index: u32) -> Vector2<f64> {
    let inverse = |base: u32| {
        let (mut rest, mut digit, mut value) = (index + 1, 1.0, 0.0);
        while rest > 0 {
            digit /= f64::from(base);
            value += digit * f64::from(rest % base);
            rest /= base;
        }
        value - 0.5
    };
    Vector2::new(inverse(2), inverse(3))
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix2;

    use super::*;

    const SIZE: Vector2<f64> = Vector2::new(640.0, 480.0);

    /// Pixel of a point in a picture with these displacements.
    fn pixel(camera: &Camera, sample: &LensSample, point: &Point3<f64>) -> Vector2<f64> {
        let [right, up, back] = camera.axes();
        let eye = camera.eye() + right * sample.eye.x + up * sample.eye.y;
        let from_eye = point - eye;
        let seen = Point3::new(from_eye.dot(&right), from_eye.dot(&up), from_eye.dot(&back));
        let projection = sample.displaced(&camera.projection(SIZE.x / SIZE.y, [0.1, 100.0]), SIZE);
        let device = projection.transform_point(&seen);
        Vector2::new(0.5 * (1.0 + device.x) * SIZE.x, 0.5 * (1.0 - device.y) * SIZE.y)
    }

    #[test]
    fn the_plane_of_focus_stays_and_other_points_move_on_discs_of_the_thin_lens() {
        let camera = Camera::look_at(&Point3::new(1.0, -4.0, 2.0), &Point3::new(0.0, 0.3, 0.5), 0.6);
        let [right, up, back] = camera.axes();
        let aperture = 0.3;
        for focus in [2.0, camera.distance, 9.0] {
            let lens = Lens { aperture, focus: Focus::Distance(focus), samples: 64 };
            let samples = lens.sampled(&camera).expect("it is in front of the camera");
            assert_eq!(samples.len(), 64);
            for depth in [1.0, 2.0, 5.0, 9.0, 30.0] {
                let point = camera.eye() - back * depth + 0.1 * depth * right - 0.05 * depth * up;
                let still = camera.pixel(&point, SIZE).expect("it is in view");
                // Diameter of the disc on the plane of focus over the length of a pixel there.
                let diameter =
                    aperture * (depth - focus).abs() / depth / camera.metres_per_pixel(focus, SIZE.y);
                let mut farthest = 0.0_f64;
                for sample in &samples {
                    let jitter = Vector2::new(sample.pixel.x, -sample.pixel.y);
                    assert!(jitter.amax() <= 0.5);
                    farthest = farthest.max((pixel(&camera, sample, &point) - jitter - still).norm());
                }
                assert!(farthest <= 0.5 * diameter + 1e-9, "{farthest} of {diameter} at {depth}");
                assert!(farthest >= 0.49 * diameter - 1e-9, "{farthest} of {diameter} at {depth}");
            }
        }
    }

    #[test]
    fn a_focused_point_determines_the_distance_and_must_be_in_front() {
        let camera = Camera::look_at(&Point3::new(0.0, -5.0, 0.0), &Point3::origin(), 0.6);
        let focus = |focus: Focus| {
            let samples = Lens { aperture: 0.1, focus, samples: 4 }.sampled(&camera)?;
            Some(samples[0].focus)
        };
        assert!((focus(Focus::Target).expect("in front") - 5.0).abs() < 1e-12);
        let point = Point3::new(3.0, -2.0, 1.0);
        assert!(
            (focus(Focus::Point(point)).expect("in front") - 3.0).abs() < 1e-12,
            "not the distance of the point"
        );
        assert_eq!(focus(Focus::Point(Point3::new(0.0, -6.0, 0.0))), None);
        assert_eq!(focus(Focus::Distance(0.0)), None);
    }

    #[test]
    fn one_sample_of_a_pinhole_is_the_camera() {
        let camera = Camera::look_at(&Point3::new(0.0, -5.0, 1.0), &Point3::origin(), 0.6);
        let samples = Lens::default().sampled(&camera).expect("in front");
        assert_eq!(samples, [LensSample::pinhole(&camera)]);
        let projection = camera.projection(1.5, [0.1, 100.0]);
        assert_eq!(samples[0].displaced(&projection, SIZE), projection);
    }

    #[test]
    fn samples_are_spread_evenly() {
        for count in [16, 64, 256] {
            let points: Vec<_> = (0..count).map(|index| on_disc(index, count)).collect();
            let mean = points.iter().sum::<Vector2<f64>>() / f64::from(count);
            // Of a disc the mean square of a coordinate is a quarter.
            let square = points.iter().map(|point| point.component_mul(point)).sum::<Vector2<f64>>()
                / f64::from(count);
            assert!(mean.norm() < 1.0 / f64::from(count).sqrt() / 3.0, "{mean}");
            assert!((square - Vector2::repeat(0.25)).norm() < 0.25 / f64::from(count).sqrt(), "{square}");
            let pixels: Vec<_> = (0..count).map(in_square).collect();
            let mean = pixels.iter().sum::<Vector2<f64>>() / f64::from(count);
            assert!(mean.norm() < 0.1, "{mean}");
            let product = points.iter().zip(&pixels).map(|(a, b)| a * b.transpose()).sum::<Matrix2<f64>>();
            assert!(product.norm() < 0.4 * f64::from(count).sqrt(), "{product}");
        }
    }
}
