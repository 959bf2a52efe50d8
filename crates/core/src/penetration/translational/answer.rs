//! Answers and errors of translational penetration.

use nalgebra::{Isometry3, Point3, Unit, Vector3};
use thiserror::Error;

use super::options::FreeConfiguration;

/// The penetration of two overlapping models or shapes; all vectors in the world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Penetration {
    /// Length of the least separating translation found [m]: an upper bound of the penetration depth.
    pub depth: f64,
    /// A proved lower bound of the penetration depth [m], as thorough as [`TranslationalOptions::lower_bound`] asks;
    /// zero for a model without an inside.
    pub lower_bound: f64,
    /// Direction in which A must move.
    pub direction: Unit<Vector3<f64>>,
    /// Translation of A after which the models are apart [m]: `depth` along `direction` and a clearance of at most
    /// 1e-10 of the models' size on every contact.
    pub translation: Vector3<f64>,
    /// A point of A and one of B [m], at the input pose, that touch when A has been moved.
    pub witnesses: [Point3<f64>; 2],
    /// Whether the search ended because nothing nearby is better, and not at its bound on work; of convex shapes, whether
    /// the bounds agree.
    pub converged: bool,
    /// In-projections made; of convex shapes, supports computed.
    pub iterations: u32,
    /// Out-projections made: translational casts. Like the next three zero where no triangles were searched.
    pub casts: u32,
    /// Marches from inside made.
    pub marches: u32,
    /// Walks made.
    pub walks: u32,
    /// Half-spaces of the contact cone at the answer.
    pub rows: usize,
    /// The source of the start that led here; `None` where no triangles were searched.
    pub start: Option<FreeConfiguration>,
    /// Where a round shape met a mesh: distance [m] by which the polyhedron that chose the direction extends beyond the
    /// shape. The depth along that direction, the translation and the lower bound are those of the shape itself.
    pub approximation: f64,
    /// The penetration of that polyhedron.
    pub polyhedron: Option<Box<Self>>,
    /// Which part of A and of B, as counted by [`Posed::parts`](crate::query::Posed::parts); the first of both where each
    /// is one shape.
    pub parts: [usize; 2],
}

/// Radii of models [m] between which squares of their lengths are numbers in single precision.
pub(super) const RADII: std::ops::RangeInclusive<f64> = 1e-26..=1e18;

/// Why a penetration query failed. A failure is never reported as "no contact".
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum PenetrationError {
    /// A pose has a component that is not finite.
    #[error("the pose of {body} is not finite: {pose}")]
    PoseNotFinite {
        /// `A` or `B`.
        body: char,
        /// The pose.
        pose: Isometry3<f64>,
    },
    /// A model is so large or so small that single precision, in which its tree is, does not tell its lengths apart.
    #[error("{body} has a radius of {radius:e} m; lengths are told apart from {least:e} to {most:e} m", least = RADII.start(), most = RADII.end())]
    SizeOutOfRange {
        /// `A` or `B`.
        body: char,
        /// Its radius [m].
        radius: f64,
    },
    /// The one source of starts that was asked for has none here.
    #[error("the source `{start}` has no free configuration to start from")]
    NoFreeConfiguration {
        /// The source.
        start: FreeConfiguration,
    },
    /// The best configuration found still overlaps by the independent check.
    #[error("the best translation found ({length} m) does not separate the models")]
    NotSeparated {
        /// Its length [m].
        length: f64,
    },
}

impl PenetrationError {
    /// The same with the roles of A and B exchanged.
    pub(super) fn exchanged(self) -> Self {
        match self {
            Self::NoFreeConfiguration { start } => Self::NoFreeConfiguration { start: start.exchanged() },
            other => other,
        }
    }
}
