//! The reasons why penetration depths, and measures of motion, do not exist or are not found.

use std::ops::RangeInclusive;

use thiserror::Error;

use super::free_configuration::FreeConfiguration;
use crate::geometry::shape_error::ShapeError;
use crate::proximity::error::ProximityError;

/// Radii of models [m] between which squares of their lengths are numbers in single precision.
pub(crate) const RADII: RangeInclusive<f64> = 1e-26..=1e18;

/// Why there is no penetration depth, or no measure of motion. A failure is never reported as "no contact".
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum PenetrationError {
    /// A pose or an option is refused, or a list has not as many entries as it needs.
    #[error(transparent)]
    Proximity(#[from] ProximityError),
    /// A solid encloses nothing to within rounding.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A size of a convex shape is negative or not finite;
    /// [`ConvexShape::validated`](crate::geometry::convex::ConvexShape::validated) tells which.
    #[error("a size of a shape of the pair is negative or not finite")]
    BadSize,
    /// A model is so large or so small that single precision, in which its tree is, does not tell its lengths apart.
    #[error("{body} has a radius of {radius:e} m; lengths are told apart from {least:e} to {most:e} m", least = RADII.start(), most = RADII.end())]
    SizeOutOfRange {
        /// `A` or `B`.
        body: char,
        /// Its radius [m].
        radius: f64,
    },
    /// A half-space has no extreme points, and two of them overlap without end unless they face each other.
    #[error("half-spaces have no extreme points, and two of them no finite penetration depth")]
    Unbounded,
    /// The one source of starts that was asked for has none here.
    #[error("the source `{start}` has no free configuration to start from")]
    NoFreeConfiguration {
        /// The source.
        start: FreeConfiguration,
    },
    /// No portal of a ray was found, and no proof that the shapes are apart.
    #[error("no portal of the guessed direction after {supports} supports")]
    NoPortal {
        /// Supports of the pair that were computed.
        supports: u32,
    },
    /// The best configuration found still overlaps by the independent check.
    #[error("the best translation found ({length} m) does not separate the models")]
    NotSeparated {
        /// Its length [m].
        length: f64,
    },
    /// A surface has no area.
    #[error("the surface has no area")]
    ZeroArea,
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
    /// A link has a shape without an extent.
    #[error("link \"{link}\": {source}")]
    Link {
        /// The link.
        link: String,
        /// What is wrong with its shape.
        source: Box<Self>,
    },
    /// The extents of two links measure different things, which cannot be added.
    #[error("link \"{}\" is measured by {}, link \"{}\" by {}", links[0], measures[0], links[1], measures[1])]
    MixedMeasures {
        /// The links.
        links: [String; 2],
        /// What measures them.
        measures: [&'static str; 2],
    },
    /// No link has an extent.
    #[error("none of the {links} links has a shape, so nothing tells how far the articulation moves")]
    NothingThere {
        /// Links of the articulation.
        links: usize,
    },
}

impl PenetrationError {
    /// The same with the roles of A and B exchanged.
    pub(crate) fn exchanged(self) -> Self {
        match self {
            Self::NoFreeConfiguration { start } => Self::NoFreeConfiguration { start: start.exchanged() },
            other => other,
        }
    }

    /// The error of the shape of a link.
    pub(crate) fn of_link(self, link: &str) -> Self {
        Self::Link { link: link.to_owned(), source: Box::new(self) }
    }
}
