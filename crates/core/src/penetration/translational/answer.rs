//! Results of translational penetration queries.

use nalgebra::{Point3, Unit, Vector3};

use crate::geometry::Norm;
use crate::penetration::free_configuration::FreeConfiguration;

/// Reason for the end of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TranslationalEnd {
    /// All that the effort asks for was searched.
    #[default]
    Completed,
    /// The bound on work, which depends on the numbers of triangles and only pathological meshes reach: nearer separating
    /// translations may exist. The result is reproducible.
    WorkBound,
    /// The time budget: the result is not reproducible.
    TimeBudget,
}

impl TranslationalEnd {
    /// Name of the bound that ended the search, if one did.
    #[must_use]
    pub fn bound(self) -> Option<&'static str> {
        match self {
            Self::Completed => None,
            Self::WorkBound => Some("work bound"),
            Self::TimeBudget => Some("time budget"),
        }
    }
}

/// The penetration of two overlapping models or shapes; all vectors in the world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Penetration {
    /// Length of the minimum separating translation found \[m\], in `norm`: an upper bound of the penetration depth.
    pub depth: f64,
    /// A proved lower bound of the penetration depth \[m\], in `norm`, as thorough as `TranslationalOptions::lower_bound` asks;
    /// zero for a model without an inside.
    pub lower_bound: f64,
    /// The norm of the two.
    pub norm: Norm,
    /// Direction in which A must move.
    pub direction: Unit<Vector3<f64>>,
    /// Translation of A after which the models are separated \[m\]: `length()` along `direction` and a clearance of at most
    /// 1e-10 of the models' size on every contact.
    pub translation: Vector3<f64>,
    /// A point of A and one of B \[m\], at the input pose, that touch when A has been moved.
    pub witnesses: [Point3<f64>; 2],
    /// Whether the search ended at a local optimum, and not at its bound on work; for convex shapes, whether the bounds
    /// agree.
    pub converged: bool,
    /// Reason for the end of the search.
    pub ended_by: TranslationalEnd,
    /// Number of in-projections; for convex shapes, support evaluations.
    pub iterations: u32,
    /// Number of out-projections (translational casts). Zero, as the next three, if no triangles were searched.
    pub casts: u32,
    /// Number of marches from inside.
    pub marches: u32,
    /// Number of walks.
    pub walks: u32,
    /// Half-spaces of the local contact space at the result.
    pub rows: usize,
    /// The source of the start that led to the result; `None` if no triangles were searched.
    pub start: Option<FreeConfiguration>,
    /// For a round shape against a mesh: distance \[m\] by which the polyhedron that chose the direction extends beyond the
    /// shape. The depth along that direction, the translation and the lower bound are those of the shape itself.
    pub approximation: f64,
    /// The penetration of that polyhedron.
    pub polyhedron: Option<Box<Self>>,
    /// Indices of the parts of A and of B, as counted by [`Posed::parts`](crate::query::Posed::parts); zero for a single
    /// shape.
    pub parts: [usize; 2],
}

impl Penetration {
    /// Euclidean length of the translation after which the models touch \[m\]: the depth, if that is measured in L2.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.depth / self.norm.of_unit(&self.direction)
    }
}
