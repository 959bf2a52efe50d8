//! Contacts, options and errors of elementary tests.

use crate::proximity::error::ProximityError;

/// Tolerances and iteration limit of an elementary test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementaryOptions {
    /// Distance that may count as contact, relative to the extent of the query: the maximum coordinate of the points
    /// of one feature relative to those of the other, at the start and at the end. Values below 1e-13 are below rounding.
    pub relative_tolerance: f64,
    /// Minimum separation \[m\]: distance up to which the features count as touching.
    pub minimum_separation: f64,
    /// Maximum number of steps, after which a contact is returned as uncertain. Nearly every query takes one to four.
    pub max_iterations: u32,
}

impl Default for ElementaryOptions {
    fn default() -> Self {
        Self { relative_tolerance: 1e-12, minimum_separation: 0.0, max_iterations: 100 }
    }
}

/// First contact of two moving features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementaryContact {
    /// Time in [0, 1] before which the features are proved free: at most the true time of first contact.
    pub time: f64,
    /// Distance at that time \[m\]: at most the minimum separation and the tolerance when the contact is certain.
    pub distance: f64,
    /// Parameters of the closest points at that time. For a vertex and a triangle: barycentric weights of its second and
    /// third corner. For two edges: fractions along the first and along the second one.
    pub parameters: [f64; 2],
    /// Whether the features come within the tolerance; `false` if the iteration limit was reached, or if rounding keeps
    /// the certificates from advancing. Both are rare: one in three thousand of the contacts constructed to be hard.
    pub certain: bool,
}

/// Error: a coordinate is NaN or infinite, or the points are too far apart for double precision.
#[derive(Debug)]
pub(super) struct NotFinite;

impl From<NotFinite> for ProximityError {
    fn from(NotFinite: NotFinite) -> Self {
        Self::NotFinite
    }
}

/// Reason for which the tests of a mesh cannot fail.
pub(super) const CHECKED: &str = "the coordinates of a model are finite and less than 1e37 m apart";

impl ElementaryOptions {
    /// Rejects options that are negative or NaN.
    pub(crate) fn check(&self) -> Result<(), ProximityError> {
        ProximityError::check_not_negative([
            ("relative tolerance", self.relative_tolerance),
            ("minimum separation", self.minimum_separation),
        ])
    }
}
