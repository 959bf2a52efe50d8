//! Measure of an extent: volume, area or length.

use std::fmt;

/// What the points of a body are weighted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The volume of a solid [m³].
    Volume,
    /// The area of a surface without volume [m²].
    Area,
    /// What the caller chose, such as the length of a stick [m].
    Given,
}

impl Measure {
    /// Its name in a sentence.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Volume => "volume",
            Self::Area => "area",
            Self::Given => "what was given",
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
