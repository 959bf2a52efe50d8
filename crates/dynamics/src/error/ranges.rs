//! Checks of numbers against the ranges that a world accepts.

use super::build::BuildError;

/// Checks of numbers against their ranges; the function makes the error from a quantity, its value and the requirement.
pub(crate) struct Ranges<F>(pub(crate) F);

impl<F: Fn(&'static str, f64, &'static str) -> BuildError> Ranges<F> {
    pub(crate) fn within(
        &self,
        quantity: &'static str,
        value: f64,
        range: std::ops::RangeInclusive<f64>,
        requirement: &'static str,
    ) -> Result<(), BuildError> {
        if range.contains(&value) { Ok(()) } else { Err((self.0)(quantity, value, requirement)) }
    }

    pub(crate) fn positive(&self, quantity: &'static str, value: f64) -> Result<(), BuildError> {
        self.within(quantity, value, f64::MIN_POSITIVE..=f64::MAX, "finite and above 0")
    }

    pub(crate) fn not_negative(&self, quantity: &'static str, value: f64) -> Result<(), BuildError> {
        self.within(quantity, value, 0.0..=f64::MAX, "finite and not below 0")
    }

    pub(crate) fn finite<'a>(
        &self,
        quantity: &'static str,
        values: impl IntoIterator<Item = &'a f64>,
    ) -> Result<(), BuildError> {
        values.into_iter().try_for_each(|&value| self.within(quantity, value, f64::MIN..=f64::MAX, "finite"))
    }
}

/// Checks of the numbers of a body, of a joint or of the options.
pub(crate) fn ranges_of(name: &str) -> Ranges<impl Fn(&'static str, f64, &'static str) -> BuildError> {
    Ranges(move |quantity, value, requirement| BuildError::OutOfRange {
        name: name.to_owned(),
        quantity,
        value,
        requirement,
    })
}

/// Checks of the numbers of a robot, of one of its joints or of a motor, which `part` describes.
pub(crate) fn ranges_of_part(
    part: impl Fn() -> String,
) -> Ranges<impl Fn(&'static str, f64, &'static str) -> BuildError> {
    Ranges(move |quantity, value, requirement| BuildError::PartOutOfRange {
        part: part(),
        quantity,
        value,
        requirement,
    })
}
