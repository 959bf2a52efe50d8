//! Input of an elementary test.

/// Four points at the start and at the end, `[start or end][point][axis]`.
pub(crate) type Query = [[[f64; 3]; 4]; 2];

/// Kinds of the two features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A vertex and the three corners of a triangle.
    VertexFace,
    /// Two ends of an edge and two of another one.
    EdgeEdge,
}
