//! The shapes of bodies.

use std::sync::Arc;

use nalgebra::{Unit, Vector3};

use super::rounded::mesh_of;

use extricate_core::geometry::TriangleMesh;
use extricate_core::geometry::convex::{ConvexHull, ConvexShape, Core};
use extricate_core::proximity::Model;

/// The shape of a body in its own frame. Primitives are centred at the origin, their axis is z.
#[derive(Debug, Clone)]
pub enum Shape {
    /// A triangle mesh with its tree.
    Mesh(Arc<Model>),
    /// A ball.
    Ball {
        /// Radius [m].
        radius: f64,
    },
    /// A box along the axes.
    Cuboid {
        /// Full edge lengths [m].
        size: Vector3<f64>,
    },
    /// A cylinder with half a ball at each end.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Length of the cylinder, without the caps [m].
        length: f64,
    },
    /// A cylinder.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Height [m].
        height: f64,
    },
    /// A cone, apex up, centred at half its height.
    Cone {
        /// Radius of the base [m].
        radius: f64,
        /// Height [m].
        height: f64,
    },
    /// A convex hull.
    Hull(Arc<ConvexHull>),
    /// All points near a cuboid, a cylinder, a cone or a hull.
    Rounded {
        /// The shape around which it is.
        core: Arc<Shape>,
        /// How near [m].
        radius: f64,
    },
    /// Everything below the plane through the body's origin.
    HalfSpace {
        /// Outward normal of the plane, body frame.
        normal: Unit<Vector3<f64>>,
    },
}

impl Shape {
    /// Radius [m] of a ball around the shape, centred in its middle; infinite for a half-space.
    #[must_use]
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Mesh(model) => model.radius(),
            Self::Ball { radius } => *radius,
            Self::Cuboid { size } => size.norm() / 2.0,
            Self::Capsule { radius, length } => radius + length / 2.0,
            Self::Cylinder { radius, height } | Self::Cone { radius, height } => radius.hypot(height / 2.0),
            Self::Hull(hull) => hull.radius(),
            Self::Rounded { core, radius } => core.bounding_radius() + radius,
            Self::HalfSpace { .. } => f64::INFINITY,
        }
    }

    /// A closed mesh of a hull or a rounded shape: exact for a hull, inside a rounded shape by up to 0.5 % of its radius.
    /// None for the others, which are meshes already or have a procedural one, and for hulls without area.
    #[must_use]
    pub fn surface(&self) -> Option<TriangleMesh> {
        match self {
            Self::Hull(_) | Self::Rounded { .. } => mesh_of(&self.convex()?).ok(),
            _ => None,
        }
    }

    /// The shape as a core and a radius: none for meshes, half-spaces, and what cannot be rounded.
    #[must_use]
    pub fn convex(&self) -> Option<ConvexShape> {
        match self {
            Self::Ball { radius } => Some(ConvexShape::sphere(*radius)),
            Self::Cuboid { size } => Some(ConvexShape::cuboid(*size)),
            Self::Capsule { radius, length } => Some(ConvexShape::capsule(*radius, *length)),
            Self::Cylinder { radius, height } => Some(ConvexShape::cylinder(*radius, *height)),
            Self::Cone { radius, height } => Some(ConvexShape::cone(*radius, *height)),
            Self::Hull(hull) => Some(ConvexShape::hull(Arc::clone(hull))),
            Self::Rounded { core, radius } => {
                let has_edges = |core: &Core| !matches!(core, Core::Point | Core::Segment { .. });
                let sharp = core.convex().filter(|core| core.radius() == 0.0 && has_edges(core.core()));
                Some(sharp?.rounded(*radius))
            }
            Self::Mesh(_) | Self::HalfSpace { .. } => None,
        }
    }
}
