//! Contacts of elementary tests, their options and errors.

use crate::proximity::error::ProximityError;

/// How closely an elementary test looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementaryOptions {
    /// Distance that may count as contact, relative to the extent of the query: the greatest coordinate of the points
    /// of one feature relative to those of the other, at the start and at the end. Below 1e-13 it is lost in rounding.
    pub relative_tolerance: f64,
    /// Distance up to which the features count as touching [m].
    pub minimum_separation: f64,
    /// Steps after which the answer is a contact that is not certain. Nearly every query takes one to four of them.
    pub max_iterations: u32,
}

impl Default for ElementaryOptions {
    fn default() -> Self {
        Self { relative_tolerance: 1e-12, minimum_separation: 0.0, max_iterations: 100 }
    }
}

/// The first contact of two moving features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementaryContact {
    /// Proved free before this time, in [0, 1]: at most the true time of first contact.
    pub time: f64,
    /// Distance at that time [m]: at most the minimum separation and the tolerance when the contact is certain.
    pub distance: f64,
    /// Where the features are closest then. Of a vertex and a triangle: weights of its second and third corner. Of two
    /// edges: the fractions along the first and along the second one.
    pub parameters: [f64; 2],
    /// Whether the features come within the tolerance; `false` where the steps were used up, or where rounding keeps
    /// the certificates from seeing further. Both are rare: one contact in three thousand of those made to be hard.
    pub certain: bool,
}

/// A coordinate is NaN or infinite, or the points are too far apart for double precision.
#[derive(Debug)]
pub(super) struct NotFinite;

impl From<NotFinite> for ProximityError {
    fn from(NotFinite: NotFinite) -> Self {
        Self::NotFinite
    }
}

/// Why the tests of a mesh cannot fail.
pub(super) const CHECKED: &str = "the coordinates of a model are finite and less than 1e37 m apart";

impl ElementaryOptions {
    /// Refuses options that are negative or NaN.
    pub(crate) fn check(&self) -> Result<(), ProximityError> {
        ProximityError::check_not_negative([
            ("relative tolerance", self.relative_tolerance),
            ("minimum separation", self.minimum_separation),
        ])
    }
}
