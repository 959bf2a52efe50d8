//! Convex shapes, known by their support functions: a *core* and a radius around it.

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
