//! Errors of invalid shapes.

use nalgebra::Point3;
use thiserror::Error;

use crate::suggestion::did_you_mean;

/// Error of an invalid shape, or of a property that it does not have.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A mesh without elements.
    #[error("the mesh has no {elements} ({vertices} vertices)")]
    Empty {
        /// Its elements: `triangles` or `tetrahedra`.
        elements: &'static str,
        /// Number of vertices that were given.
        vertices: usize,
    },
    /// A convex hull of no points.
    #[error("a convex hull needs at least one point")]
    NoPoints,
    /// More elements than are accepted.
    #[error("too many {elements}: {count}, at most {limit} are accepted")]
    TooLarge {
        /// The elements.
        elements: &'static str,
        /// Their number.
        count: u64,
        /// Maximum number.
        limit: u64,
    },
    /// A coordinate is NaN or infinite.
    #[error("{element} {index} has a coordinate that is not finite: ({}, {}, {})", .point.x, .point.y, .point.z)]
    NotFinite {
        /// The element: `vertex`, `node` or `point`.
        element: &'static str,
        /// Its 0-based index.
        index: usize,
        /// Its coordinates.
        point: Point3<f64>,
    },
    /// An element references a vertex that does not exist.
    #[error("{element} {place} references vertex {index}, but there are only {vertices} vertices (0-based)")]
    IndexOutOfRange {
        /// The element: `triangle` or `tetrahedron`.
        element: &'static str,
        /// Its 0-based index.
        place: usize,
        /// The index of a vertex that is out of range.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// No triangle has an area.
    #[error("all {triangles} triangles are degenerate: none has an area")]
    AllDegenerate {
        /// Number of triangles.
        triangles: usize,
    },
    /// A tetrahedron of negative volume.
    #[error("tetrahedron {tet} is inverted: its volume is {volume:e} m³")]
    Inverted {
        /// 0-based index of the tetrahedron.
        tet: usize,
        /// Its signed volume \[m³\].
        volume: f64,
    },
    /// A tetrahedron without volume.
    #[error("tetrahedron {tet} is flat: its volume is {volume:e} m³ and its longest edge {longest_edge:e} m")]
    Flat {
        /// 0-based index of the tetrahedron.
        tet: usize,
        /// Its signed volume \[m³\].
        volume: f64,
        /// Its longest edge \[m\].
        longest_edge: f64,
    },
    /// The triangles enclose nothing: their volume is zero to within rounding.
    #[error("the mesh encloses no volume ({volume:e} m³ within {area:e} m² of surface)")]
    ZeroVolume {
        /// Signed volume \[m³\].
        volume: f64,
        /// Surface area \[m²\].
        area: f64,
    },
    /// The mesh does not separate an inside from an outside.
    #[error("the mesh is not closed: {edges} edges are not used equally often in both directions")]
    NotClosed {
        /// Number of such edges.
        edges: usize,
    },
    /// A size or parameter is out of range.
    #[error("the {quantity} of a {shape} must be {expected}, not {value}{unit}")]
    OutOfRange {
        /// The shape.
        shape: &'static str,
        /// Its size or parameter.
        quantity: &'static str,
        /// The value that was given.
        value: f64,
        /// Unit of the value after a space; empty if it has none or several are possible.
        unit: &'static str,
        /// The accepted values.
        expected: &'static str,
    },
    /// The kind of procedural mesh is unknown.
    #[error("unknown procedural mesh \"{kind}\"; known are {known}{}", did_you_mean(.kind, .known.split(", ")))]
    UnknownKind {
        /// The name that was given.
        kind: String,
        /// The known names.
        known: String,
    },
    /// The parameter of the kind of procedural mesh is unknown.
    #[error("unknown parameter \"{parameter}\" of {kind}; known are {known}{}", did_you_mean(.parameter, .known.split(", ")))]
    UnknownParameter {
        /// The kind.
        kind: &'static str,
        /// The name that was given.
        parameter: String,
        /// The known names.
        known: String,
    },
    /// The surface of a procedural mesh would intersect itself.
    #[error(
        "the {kind} would intersect itself: the radius of its tube is {radius} m, but must be below {clearance} m"
    )]
    SelfIntersecting {
        /// The kind.
        kind: &'static str,
        /// Radius of the tube \[m\].
        radius: f64,
        /// Global radius of curvature \[m\]: half the distance between strands or the radius of curvature, whichever is less.
        clearance: f64,
    },
}

impl ShapeError {
    /// Error of more vertices or elements than 32-bit indices can address.
    #[must_use]
    pub fn beyond_indices(count: usize) -> Self {
        Self::TooLarge { elements: "vertices or elements", count: count as u64, limit: u32::MAX.into() }
    }
}
