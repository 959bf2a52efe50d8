//! Clearance of separated shapes where none is requested.

/// Fraction of the size of the largest moving part. Half of it would still pass the libraries below for parts of a metre and
/// larger; ten times as much is visible, and closes gaps that parts are meant to pass.
const FRACTION: f64 = 1e-4;
/// Minimum [m]. Of poses free by 1e-8 m coal at its default tolerances refused 28 of 35, and none with this minimum.
const MINIMUM: f64 = 1e-5;

/// Clearance of a repair whose options state none \[m\], for parts of a size (diameter) \[m\]: 1e-4 of the size, at least 1e-5.
/// Other collision libraries at their default tolerances take smaller gaps for contact. Depths are not increased by it.
#[must_use]
pub fn default_clearance(size: f64) -> f64 {
    (FRACTION * size).max(MINIMUM)
}
