//! Numbers as a golden file writes them.

/// Share of a tolerance to which numbers are rounded.
const ROUNDING: f64 = 0.01;
/// Most digits behind the point before a number is written with an exponent.
const MOST_DECIMALS: i32 = 12;
/// Significant digits of what is not compared.
const DIGITS_OF_ANY: usize = 3;
/// Digits that tell any number apart from its neighbours.
const ALL_DIGITS: i32 = 16;

/// A number in as few digits as its tolerance asks for; all of them where nothing is tolerated.
pub(super) fn rounded(value: f64, tolerance: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if tolerance.is_infinite() {
        return short(&format!("{value:.p$e}", p = DIGITS_OF_ANY - 1));
    }
    if !(tolerance > 0.0) {
        return exact(value);
    }
    let decimals = -(ROUNDING * tolerance).log10().floor();
    let decimals = decimals.clamp(0.0, 400.0) as i32;
    if decimals <= MOST_DECIMALS {
        let text = format!("{value:.p$}", p = decimals as usize);
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        return if text.is_empty() || text == "-0" { "0".to_owned() } else { text.to_owned() };
    }
    let digits = decimals + value.abs().log10().floor() as i32;
    match digits {
        ..0 => "0".to_owned(),
        _ => short(&format!("{value:.p$e}", p = digits.min(ALL_DIGITS) as usize)),
    }
}

/// A number with all its digits.
pub(super) fn exact(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

/// Without zeros at the end of the digits.
fn short(text: &str) -> String {
    let Some((digits, exponent)) = text.split_once('e') else { return text.to_owned() };
    let digits =
        if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    if exponent == "0" { digits.to_owned() } else { format!("{digits}e{exponent}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_within_a_hundredth_of_their_tolerance_and_no_longer_than_that_needs() {
        let told = |value, tolerance| rounded(value, tolerance);
        assert_eq!(told(0.123_456_789, 1e-4), "0.123457");
        assert_eq!(told(0.5, 1e-6), "0.5");
        assert_eq!(told(-1e-17, 1e-6), "0");
        assert_eq!(told(1234.5, 1000.0), "1234");
        assert_eq!(told(1.5e-9, 1e-15), "1.5e-9");
        assert_eq!(told(1.0 / 3.0, 0.0), "0.3333333333333333");
        assert_eq!(told(12.345_678_9, f64::INFINITY), "1.23e1");
        assert_eq!(told(3e-20, 1e-15), "0");
        for exponent in -20..9 {
            let tolerance = 10_f64.powi(exponent);
            for value in [0.7, -123.456, 1.0 / 3.0, 9.999_999_999, 4e-9] {
                let read: f64 = rounded(value, tolerance).parse().unwrap();
                let most = (ROUNDING * tolerance).max(1e-15 * value.abs());
                assert!((read - value).abs() <= most, "{value} {tolerance}: {read}");
            }
        }
    }
}
