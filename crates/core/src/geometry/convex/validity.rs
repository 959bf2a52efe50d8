//! Validation of the parameters of convex shapes.

use super::shape::{ConvexShape, Core};
use crate::geometry::shape_error::ShapeError;

impl ConvexShape {
    /// Validates the parameters: constructors accept any numbers, and those from users are checked here.
    ///
    /// ```
    /// use extricate_core::geometry::convex::ConvexShape;
    ///
    /// assert!(ConvexShape::capsule(0.5, 2.0).validated().is_ok());
    /// let error = ConvexShape::sphere(-1.0).validated().unwrap_err();
    /// assert_eq!(error.to_string(), "the radius of a sphere must be positive and finite, not -1 m");
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for a radius, height or edge that is not positive and finite. Only the length of a capsule and
    /// the radius around a shape that has a volume without it may be zero.
    pub fn validated(self) -> Result<Self, ShapeError> {
        let radius = self.radius();
        match *self.core() {
            Core::Point => positive("sphere", "radius", radius)?,
            Core::Segment { half_length } => {
                positive("capsule", "radius", radius)?;
                not_negative("capsule", "length", 2.0 * half_length)?;
            }
            Core::Cuboid { half_extents } => {
                for (index, quantity) in
                    ["size along x", "size along y", "size along z"].into_iter().enumerate()
                {
                    positive("box", quantity, 2.0 * half_extents[index])?;
                }
            }
            Core::Cylinder { radius, half_height } => {
                positive("cylinder", "radius", radius)?;
                positive("cylinder", "height", 2.0 * half_height)?;
            }
            Core::Cone { radius, half_height } => {
                positive("cone", "radius", radius)?;
                positive("cone", "height", 2.0 * half_height)?;
            }
            Core::Hull(_) | Core::HalfSpace => {}
        }
        not_negative("rounded shape", "radius", radius)?;
        Ok(self)
    }
}

impl ConvexShape {
    /// Whether all sizes are finite and not negative: the precondition of all computations with the shape.
    #[inline]
    pub(crate) fn is_sound(&self) -> bool {
        let sound = |size: f64| (0.0..f64::INFINITY).contains(&size);
        let core = match *self.core() {
            Core::Segment { half_length } => sound(half_length),
            Core::Cuboid { half_extents } => half_extents.iter().all(|size| sound(*size)),
            Core::Cylinder { radius, half_height } | Core::Cone { radius, half_height } => {
                sound(radius) && sound(half_height)
            }
            Core::Point | Core::Hull(_) | Core::HalfSpace => true,
        };
        core && sound(self.radius())
    }
}

fn positive(shape: &'static str, quantity: &'static str, value: f64) -> Result<(), ShapeError> {
    check(shape, quantity, value, value > 0.0, "positive and finite")
}

fn not_negative(shape: &'static str, quantity: &'static str, value: f64) -> Result<(), ShapeError> {
    check(shape, quantity, value, value >= 0.0, "zero or above and finite")
}

fn check(
    shape: &'static str,
    quantity: &'static str,
    value: f64,
    holds: bool,
    expected: &'static str,
) -> Result<(), ShapeError> {
    let error = ShapeError::OutOfRange { shape, quantity, value, unit: " m", expected };
    if holds && value.is_finite() { Ok(()) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn every_size_is_checked_and_reported() {
        type Make = fn(f64) -> ConvexShape;
        let positive: [(Make, &str); 9] = [
            (ConvexShape::sphere, "radius of a sphere"),
            (|x| ConvexShape::capsule(x, 1.0), "radius of a capsule"),
            (|x| ConvexShape::cuboid(Vector3::new(x, 1.0, 1.0)), "size along x of a box"),
            (|x| ConvexShape::cuboid(Vector3::new(1.0, x, 1.0)), "size along y of a box"),
            (|x| ConvexShape::cuboid(Vector3::new(1.0, 1.0, x)), "size along z of a box"),
            (|x| ConvexShape::cylinder(x, 1.0), "radius of a cylinder"),
            (|x| ConvexShape::cylinder(1.0, x), "height of a cylinder"),
            (|x| ConvexShape::cone(x, 1.0), "radius of a cone"),
            (|x| ConvexShape::cone(1.0, x), "height of a cone"),
        ];
        let may_be_zero: [(Make, &str); 2] = [
            (|x| ConvexShape::capsule(1.0, x), "length of a capsule"),
            (|x| ConvexShape::half_space().rounded(x), "radius of a rounded shape"),
        ];
        for (make, what) in positive.iter().chain(&may_be_zero) {
            assert!(make(0.5).validated().is_ok());
            for value in [-1.0, f64::NAN, f64::INFINITY] {
                let error = make(value).validated().unwrap_err().to_string();
                assert!(error.contains(what) && error.contains(&value.to_string()), "{error}");
            }
        }
        assert!(positive.iter().all(|(make, _)| make(0.0).validated().is_err()));
        assert!(may_be_zero.iter().all(|(make, _)| make(0.0).validated().is_ok()));
    }
}
