//! Tolerance arguments: a length, or a percentage.

use std::str::FromStr;

/// Tolerance of a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// An absolute tolerance \[m\].
    Length(f64),
    /// A tolerance relative to the result.
    Relative(f64),
}

impl Tolerance {
    /// The relative tolerance, and the absolute one [m].
    pub(super) fn parts(self) -> (f64, f64) {
        match self {
            Self::Length(length) => (0.0, length),
            Self::Relative(fraction) => (fraction, 0.0),
        }
    }
}

impl FromStr for Tolerance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse().ok().filter(|value: &f64| *value >= 0.0 && value.is_finite());
        let tolerance = match text.strip_suffix('%') {
            Some(percent) => number(percent.trim_end()).map(|percent| Self::Relative(percent / 100.0)),
            None => number(text).map(Self::Length),
        };
        tolerance
            .ok_or_else(|| String::from("expected a length in metres or a percentage like 1%, zero or above"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_percentages_are_distinguished() {
        assert_eq!("0.25".parse(), Ok(Tolerance::Length(0.25)));
        assert_eq!("2.5%".parse(), Ok(Tolerance::Relative(0.025)));
        assert_eq!("0 %".parse(), Ok(Tolerance::Relative(0.0)));
        for bad in ["", "%", "-1", "-1%", "1e400", "NaN", "1m", "1%%"] {
            assert!(bad.parse::<Tolerance>().unwrap_err().contains("like 1%"), "{bad}");
        }
    }
}
