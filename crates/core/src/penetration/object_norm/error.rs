//! Why there is no object norm.

use thiserror::Error;

use super::measure::Measure;

/// Why a shape has no extent, or an articulation no object norm.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ObjectNormError {
    /// A solid encloses nothing to within rounding.
    #[error("the shape has no volume ({volume:e} m³ within {area:e} m² of surface)")]
    ZeroVolume {
        /// Its volume [m³].
        volume: f64,
        /// Area of its surface [m²].
        area: f64,
    },
    /// A surface has no area.
    #[error("the surface has no area")]
    ZeroArea,
    /// A link has a shape without an extent.
    #[error("link \"{link}\": {source}")]
    Link {
        /// The link.
        link: String,
        /// What is wrong with its shape.
        source: Box<Self>,
    },
    /// An extent that was given by hand is none: its measure is not positive, its second moment is that of no body, or
    /// a number is not finite.
    #[error("no body has the measure {measure} and the least principal second moment {least:e} m²")]
    NoExtent {
        /// The measure.
        measure: f64,
        /// The least eigenvalue of the second moment over the measure [m²].
        least: f64,
    },
    /// A shape has no closed form here: a half-space is infinite, and the only cores that may be rounded are points and
    /// segments.
    #[error("the shape is infinite, or rounded without a closed form")]
    NoClosedForm,
    /// The extents of two links measure different things, which cannot be added.
    #[error("link \"{first}\" is measured by {}, link \"{second}\" by {}", measures[0], measures[1])]
    MixedMeasures {
        /// A link.
        first: String,
        /// Another one.
        second: String,
        /// What measures them.
        measures: [Measure; 2],
    },
    /// No link has an extent.
    #[error("none of the {links} links has a shape, so nothing tells how far the articulation moves")]
    NothingThere {
        /// Links of the articulation.
        links: usize,
    },
    /// There are more or fewer extents than links.
    #[error("{given} extents are given for {links} links")]
    Length {
        /// Extents that were given.
        given: usize,
        /// Links of the articulation.
        links: usize,
    },
}
