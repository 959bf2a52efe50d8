//! Numbers, counts and overlaps as text, and common arguments of requests.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use extricate_core::penetration::Effort;
use extricate_dynamics::BodyPenetration;

/// Bound on the work of a search; unlike a bound on time, it leaves results reproducible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum EffortArgument {
    /// One search, further ones only where it fails.
    Fast,
    /// A thorough search from many starts.
    #[default]
    Best,
}

impl From<EffortArgument> for Effort {
    fn from(argument: EffortArgument) -> Self {
        match argument {
            EffortArgument::Fast => Self::Fast,
            EffortArgument::Best => Self::Best,
        }
    }
}

/// Parses a length \[m\], zero or above.
///
/// # Errors
/// A message with the accepted form.
pub fn length(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err(String::from("expected a length in metres, zero or above")),
    }
}

/// A count with its noun, in the plural unless the count is one.
#[must_use]
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A number with up to six decimals, or in scientific notation where it is very small or large.
#[must_use]
pub fn number(value: f64) -> String {
    let plain = format!("{value:.6}");
    let is_readable = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if is_readable {
        plain.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.3e}")
    }
}

/// Coordinates as text.
#[must_use]
pub fn text_of(coordinates: &[f64; 3]) -> String {
    coordinates.map(number).join(", ")
}

/// An overlapping pair as text.
#[must_use]
pub fn overlap(pair: &BodyPenetration) -> String {
    let [a, b] = &pair.bodies;
    let pair_name = if a == b { format!("{a} and itself") } else { format!("{a} and {b}") };
    format!("{pair_name}: {} m deep, {:.2e} of the smaller body", number(pair.depth), pair.depth / pair.size)
}

/// Parses a time in seconds, above zero.
#[cfg_attr(
    not(any(test, feature = "clap")),
    expect(dead_code, reason = "used by options of the command line only")
)]
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let positive = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let budget = positive.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    budget.ok_or_else(|| String::from("expected a time in seconds above zero"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_with_few_digits() {
        let printed = [0.0, 1.0, 0.25, 1.6e-7, 12_345_678.0, -0.5].map(number);
        assert_eq!(printed, ["0", "1", "0.25", "1.600e-7", "1.235e7", "-0.5"]);
        assert_eq!(number(f64::NAN), "NaN");
    }

    #[test]
    fn time_budgets_are_parsed_and_errors_name_the_unit() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for bad in ["", "0", "-1", "inf", "NaN", "1e300", "2s"] {
            assert!(seconds(bad).unwrap_err().contains("seconds"), "{bad}");
        }
    }
}
