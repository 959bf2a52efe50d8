//! Errors of constraints.

/// A constraint of a result, with its error.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintError {
    /// Name of the constraint.
    pub name: String,
    /// Error of positions \[m\].
    pub length: f64,
    /// Error of rotations \[rad\].
    pub angle: f64,
}
