//! Elementary measures of points and numbers.

use nalgebra::{Point3, Vector3};

use crate::scene::placement::vector;
use crate::scene::schema::Region;

/// The greater one; NaN is worse than any number.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// Distance of a point from the region [m]; zero inside.
pub(super) fn distance_outside(region: &Region, at: &Point3<f64>) -> f64 {
    let (below, above) = (vector(region.min) - at.coords, at.coords - vector(region.max));
    below.sup(&above).sup(&Vector3::zeros()).norm()
}
