//! The reasons why penetration depths, and measures of motion, do not exist or are not found.

use std::ops::RangeInclusive;
use std::time::Duration;

use thiserror::Error;

use super::free_configuration::FreeConfiguration;
use crate::geometry::shape_error::ShapeError;
use crate::proximity::error::ProximityError;

/// Radii of models [m] between which squares of their lengths are numbers in single precision.
pub(crate) const RADII: RangeInclusive<f64> = 1e-26..=1e18;

/// Reasons that there is no penetration depth, or no measure of motion. A failure is never reported as "no contact".
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
    /// [`ConvexShape::validated`](crate::geometry::convex::ConvexShape::validated) names it.
    #[error("invalid convex shape: a size is negative or not finite; sizes must be finite and not below 0")]
    BadSize,
    /// A model is so large or so small that its tree, which is in single precision, cannot represent squared lengths.
    #[error(
        "model size out of range: {body} has a radius of {radius:e} m, accepted are {min:e} to {max:e} m",
        min = RADII.start(),
        max = RADII.end()
    )]
    SizeOutOfRange {
        /// `A` or `B`.
        body: char,
        /// Its radius \[m\].
        radius: f64,
    },
    /// A half-space has no extreme points, and two of them overlap without bound unless they face each other.
    #[error("no finite penetration depth: half-spaces are unbounded and have no extreme points")]
    Unbounded,
    /// No allowed translation separates: the boundary of a half-space is parallel to all of them, or they lead into it.
    #[error(
        "no allowed translation separates the shapes: all lead into the half-space, or along its boundary"
    )]
    NoAllowedExit,
    /// The requested source of starts has none for this pair.
    #[error("no free configuration: the source `{start}` found none for this pair")]
    NoFreeConfiguration {
        /// The source.
        start: FreeConfiguration,
    },
    /// No portal of a ray was found, and no proof that the shapes are separated.
    #[error("no portal along the guessed direction was found in {supports} support evaluations")]
    NoPortal {
        /// Support evaluations of the pair.
        supports: u32,
    },
    /// The time budget was spent before it was known whether the models overlap, or whether a translation separates them.
    #[error("time budget of {budget:?} spent before a collision query ended: allow more time, or none")]
    OutOfTime {
        /// The budget.
        budget: Duration,
    },
    /// The default bound on work was met before it was known whether the models overlap, or whether a translation separates them:
    /// thousands of triangles of one nearly coincide with thousands of the other.
    #[error(
        "not known whether the meshes collide after {pairs} pairs of subtrees, the bound without a time budget: thousands of their triangles nearly coincide; allow more with a time budget"
    )]
    OutOfWork {
        /// Pairs of subtrees visited.
        pairs: u64,
    },
    /// The best configuration found still overlaps by the independent check.
    #[error("the best translation found ({length} m) does not separate the models")]
    NotSeparated {
        /// Its length \[m\].
        length: f64,
    },
    /// A surface has no area.
    #[error("the surface has no area")]
    ZeroArea,
    /// An extent given by the caller is invalid: its measure is not positive, its second moment is not positive
    /// semidefinite, or a number is not finite.
    #[error(
        "invalid extent: measure {measure}, minimum principal second moment {min:e} m²; the measure must be positive, the moment not below 0"
    )]
    NoExtent {
        /// The measure.
        measure: f64,
        /// The minimum eigenvalue of the second moment over the measure \[m²\].
        min: f64,
    },
    /// A shape has no closed form here: a half-space is infinite, and the only cores that may be rounded are points and
    /// segments.
    #[error(
        "no closed form of the extent: the shape is infinite, or rounded around a core that is neither a point nor a segment"
    )]
    NoClosedForm,
    /// A link has a shape without an extent.
    #[error("link \"{link}\": {source}")]
    Link {
        /// The link.
        link: String,
        /// The error of its shape.
        source: Box<Self>,
    },
    /// The extents of two links have different measures, which cannot be added.
    #[error("link \"{}\" is measured by {}, link \"{}\" by {}", links[0], measures[0], links[1], measures[1])]
    MixedMeasures {
        /// The links.
        links: [String; 2],
        /// Their measures.
        measures: [&'static str; 2],
    },
    /// No link has an extent.
    #[error("no object norm: none of the {links} links of the articulation has a shape")]
    NoLinkShapes {
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
