//! Orbit camera around a target, z up.

mod lens;

use nalgebra::{Matrix4, Perspective3, Point3, Vector2, Vector3};

use extricate_core::geometry::Aabb;
pub use lens::{Focus, Lens, LensSample};

/// An orbit camera: looks at a target from a distance, z up. World frame, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Point that it looks at \[m\].
    pub target: Point3<f64>,
    /// Distance of the eye from the target \[m\].
    pub distance: f64,
    /// Angle of the eye about z, from x towards y \[rad\].
    pub azimuth: f64,
    /// Angle of the eye above the horizontal plane \[rad\], within ±[`Camera::MAX_ELEVATION`].
    pub elevation: f64,
    /// Angle between the upper and the lower edge of the picture \[rad\].
    pub field_of_view: f64,
}

/// A ray \[world\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Origin \[m\].
    pub origin: Point3<f64>,
    /// Unit direction.
    pub direction: Vector3<f64>,
}

impl Camera {
    /// Maximum elevation \[rad\]: just below π/2, where the view direction is parallel to the up vector.
    pub const MAX_ELEVATION: f64 = 1.55;
    /// Default vertical field of view \[rad\].
    pub const FIELD_OF_VIEW: f64 = 35.0 * std::f64::consts::PI / 180.0;
    /// Default azimuth [rad].
    const AZIMUTH: f64 = -0.35 * std::f64::consts::PI;
    /// Default elevation [rad].
    const ELEVATION: f64 = 0.13 * std::f64::consts::PI;

    /// A camera with a whole box in view, for a picture of this width over height.
    #[must_use]
    pub fn fitted(bounds: &Aabb, aspect: f64) -> Self {
        /// Distance over that at which the bounding sphere of the box touches the edges of the picture.
        const MARGIN: f64 = 1.02;
        let is_empty = !(bounds.extents().norm() > 0.0);
        let (target, radius) =
            if is_empty { (Point3::origin(), 1.0) } else { (bounds.center(), 0.5 * bounds.extents().norm()) };
        let half = 0.5 * Self::FIELD_OF_VIEW;
        // In a picture that is higher than wide, the horizontal field of view is the narrower one.
        let narrow = (half.tan() * aspect.min(1.0)).atan();
        let distance = MARGIN * radius / narrow.sin();
        Self {
            target,
            distance,
            azimuth: Self::AZIMUTH,
            elevation: Self::ELEVATION,
            field_of_view: Self::FIELD_OF_VIEW,
        }
    }

    /// A camera at `eye` that looks at `target`.
    #[must_use]
    pub fn look_at(eye: &Point3<f64>, target: &Point3<f64>, field_of_view: f64) -> Self {
        let from = eye - target;
        let elevation = from.z.atan2(from.xy().norm()).clamp(-Self::MAX_ELEVATION, Self::MAX_ELEVATION);
        Self {
            target: *target,
            distance: from.norm(),
            azimuth: from.y.atan2(from.x),
            elevation,
            field_of_view,
        }
    }

    /// Position of the eye \[m\].
    #[must_use]
    pub fn eye(&self) -> Point3<f64> {
        let (sin, cos) = self.elevation.sin_cos();
        let (y, x) = self.azimuth.sin_cos();
        self.target + self.distance * Vector3::new(cos * x, cos * y, sin)
    }

    /// Unit vectors to the right, up, and towards the eye.
    #[must_use]
    pub fn axes(&self) -> [Vector3<f64>; 3] {
        let back = (self.eye() - self.target) / self.distance;
        let right = Vector3::z().cross(&back).normalize();
        [right, back.cross(&right), back]
    }

    /// Rotates about the target by angles \[rad\].
    pub fn orbit(&mut self, azimuth: f64, elevation: f64) {
        self.azimuth = (self.azimuth + azimuth) % std::f64::consts::TAU;
        self.elevation = (self.elevation + elevation).clamp(-Self::MAX_ELEVATION, Self::MAX_ELEVATION);
    }

    /// Moves eye and target so that points at the target's distance move by `pixels` in a picture of this height.
    pub fn pan(&mut self, pixels: Vector2<f64>, height: f64) {
        let [right, up, _] = self.axes();
        let metres = self.metres_per_pixel(self.distance, height);
        self.target += (up * pixels.y - right * pixels.x) * metres;
    }

    /// Multiplies the distance by a factor.
    pub fn zoom(&mut self, factor: f64) {
        /// Minimum and maximum distance [m]: well within the range of single precision.
        const RANGE: [f64; 2] = [1e-9, 1e9];
        // NaN would pass the clamp, and the camera could not recover.
        let distance = self.distance * factor;
        if distance.is_finite() {
            self.distance = distance.clamp(RANGE[0], RANGE[1]);
        }
    }

    /// Length that a pixel covers at a distance from the eye \[m\], in a picture of this height.
    #[must_use]
    pub fn metres_per_pixel(&self, distance: f64, height: f64) -> f64 {
        2.0 * distance * (0.5 * self.field_of_view).tan() / height
    }

    /// Ray through a pixel, which is counted from the top left corner of a picture of this size.
    #[must_use]
    pub fn ray(&self, pixel: Vector2<f64>, size: Vector2<f64>) -> Ray {
        let [right, up, back] = self.axes();
        let half = (0.5 * self.field_of_view).tan();
        let x = (2.0 * pixel.x / size.x - 1.0) * half * size.x / size.y;
        let y = (1.0 - 2.0 * pixel.y / size.y) * half;
        Ray { origin: self.eye(), direction: (right * x + up * y - back).normalize() }
    }

    /// Pixel of a point, from the top left corner; `None` behind the eye.
    #[must_use]
    pub fn pixel(&self, point: &Point3<f64>, size: Vector2<f64>) -> Option<Vector2<f64>> {
        let [right, up, back] = self.axes();
        let from_eye = point - self.eye();
        let depth = -from_eye.dot(&back);
        if !(depth > 0.0) {
            return None;
        }
        let half = (0.5 * self.field_of_view).tan();
        let x = from_eye.dot(&right) / (depth * half * size.x / size.y);
        let y = from_eye.dot(&up) / (depth * half);
        Some(Vector2::new(0.5 * (1.0 + x) * size.x, 0.5 * (1.0 - y) * size.y))
    }

    /// Perspective projection for clip planes at these distances \[m\], depth in [-1, 1].
    #[must_use]
    pub fn projection(&self, aspect: f64, [near, far]: [f64; 2]) -> Matrix4<f64> {
        Perspective3::new(aspect, self.field_of_view, near, far).to_homogeneous()
    }
}

#[cfg(test)]
mod tests;
