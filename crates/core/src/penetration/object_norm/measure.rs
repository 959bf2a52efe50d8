//! Measure of an extent: volume, area or length.

use std::fmt;

/// Measure by which the points of a body are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The volume of a solid \[m³\].
    Volume,
    /// The area of a surface without volume \[m²\].
    Area,
    /// A measure chosen by the caller, such as the length of a line segment \[m\].
    Given,
}

impl Measure {
    /// Its name in a sentence.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Volume => "volume",
            Self::Area => "area",
            Self::Given => "a given measure",
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
