//! Convex shapes, represented by support functions: a *core* and a rounding radius.

mod bounds;
pub(crate) mod extreme;
pub(crate) mod hull;
mod inscribed;
mod mass;
pub(crate) mod polyhedron;
pub(crate) mod shape;
pub(crate) mod support;
mod validity;

pub use self::shape::{ConvexShape, Core};

pub use extreme::{START_ANYWHERE, Support};
pub use hull::{ConvexHull, Facet};
