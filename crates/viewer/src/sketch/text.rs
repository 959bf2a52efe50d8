//! Formatting of numbers of a sketch.

/// Text of a length [m] with a suitable unit.
pub(super) fn metres(length: f64) -> String {
    let (factor, unit) = match length.abs() {
        size if size >= 1.0 => (1.0, "m"),
        size if size >= 1e-3 => (1e3, "mm"),
        size if size > 0.0 => (1e6, "µm"),
        _ => (1.0, "m"),
    };
    format!("{} {unit}", three_digits(length * factor))
}

/// Text of a number with three significant digits.
pub(super) fn three_digits(number: f64) -> String {
    let size = number.abs();
    match size {
        _ if !(size > 0.0) => "0".to_owned(),
        _ if size >= 100.0 => format!("{number:.0}"),
        _ if size >= 10.0 => format!("{number:.1}"),
        _ if size >= 1.0 => format!("{number:.2}"),
        _ if size >= 0.01 => format!("{number:.3}"),
        _ => format!("{number:.1e}"),
    }
}
