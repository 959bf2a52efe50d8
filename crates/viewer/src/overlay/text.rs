//! Formatting of numbers with units.

/// Unit prefixes with their factors, from pico to mega.
const PREFIXES: [(f64, &str); 7] =
    [(1e-12, "p"), (1e-9, "n"), (1e-6, "µ"), (1e-3, "m"), (1.0, ""), (1e3, "k"), (1e6, "M")];

/// A value with three digits and a prefix of its unit: `1.23 mm`.
pub(crate) fn with_unit(value: f64, unit: &str) -> String {
    /// Values that round to a thousand with three digits get the next prefix.
    const ROUNDS_UP: f64 = 0.9995;
    let size = value.abs();
    if !(size > 0.0 && size.is_finite()) {
        return format!("{value} {unit}");
    }
    let fits = |(factor, _): &&(f64, &str)| size >= ROUNDS_UP * factor;
    let (factor, prefix) = PREFIXES.iter().rfind(fits).unwrap_or(&PREFIXES[0]);
    let scaled = value / factor;
    let digits = if scaled.abs() < 9.995 { 2 } else { usize::from(scaled.abs() < 99.95) };
    format!("{scaled:.digits$} {prefix}{unit}")
}
