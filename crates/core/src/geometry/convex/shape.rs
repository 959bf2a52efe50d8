//! Convex shapes: a core, rounded by a radius.

use std::sync::Arc;

use nalgebra::Vector3;

use super::hull::ConvexHull;

/// The core of a convex shape, in the shape's own frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Core {
    /// The origin.
    Point,
    /// The segment from (0, 0, −h) to (0, 0, h).
    Segment {
        /// h \[m\].
        half_length: f64,
    },
    /// The box of all points with |x|, |y|, |z| at most these \[m\].
    Cuboid {
        /// Half the edge lengths \[m\].
        half_extents: Vector3<f64>,
    },
    /// The cylinder around the z axis.
    Cylinder {
        /// Its radius \[m\].
        radius: f64,
        /// Half its height \[m\].
        half_height: f64,
    },
    /// The cone around the z axis, its apex at (0, 0, h), its base in the plane z = −h.
    Cone {
        /// Radius of the base \[m\].
        radius: f64,
        /// h \[m\].
        half_height: f64,
    },
    /// The convex hull of points.
    Hull(Arc<ConvexHull>),
    /// Everything at z ≤ 0.
    HalfSpace,
}

/// A convex shape: all points at most `radius` away from its core.
///
/// Constructors accept any numbers; [`ConvexShape::validated`] rejects invalid ones.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexShape {
    core: Core,
    radius: f64,
}

impl ConvexShape {
    /// The ball of a radius \[m\] around the origin.
    #[must_use]
    pub fn sphere(radius: f64) -> Self {
        Self { core: Core::Point, radius }
    }

    /// All points at most `radius` \[m\] from a segment of a length \[m\] along z, centred at the origin.
    #[must_use]
    pub fn capsule(radius: f64, length: f64) -> Self {
        Self { core: Core::Segment { half_length: length / 2.0 }, radius }
    }

    /// The box of full edge lengths \[m\] around the origin.
    #[must_use]
    pub fn cuboid(size: Vector3<f64>) -> Self {
        Self { core: Core::Cuboid { half_extents: size / 2.0 }, radius: 0.0 }
    }

    /// The cylinder of a radius and a full height \[m\] around the z axis, centred at the origin.
    #[must_use]
    pub fn cylinder(radius: f64, height: f64) -> Self {
        Self { core: Core::Cylinder { radius, half_height: height / 2.0 }, radius: 0.0 }
    }

    /// The cone of a base radius and a full height \[m\], its apex towards +z, centred at half height.
    #[must_use]
    pub fn cone(radius: f64, height: f64) -> Self {
        Self { core: Core::Cone { radius, half_height: height / 2.0 }, radius: 0.0 }
    }

    /// A convex hull.
    #[must_use]
    pub fn hull(hull: Arc<ConvexHull>) -> Self {
        Self { core: Core::Hull(hull), radius: 0.0 }
    }

    /// Everything at z ≤ 0.
    #[must_use]
    pub fn half_space() -> Self {
        Self { core: Core::HalfSpace, radius: 0.0 }
    }

    /// The shape with all points at most `radius` \[m\] away from it.
    #[must_use]
    pub fn rounded(self, radius: f64) -> Self {
        Self { radius: self.radius + radius, ..self }
    }

    /// The shape scaled by a factor above zero about the origin of its frame.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        let core = match &self.core {
            Core::Point => Core::Point,
            Core::Segment { half_length } => Core::Segment { half_length: factor * half_length },
            Core::Cuboid { half_extents } => Core::Cuboid { half_extents: half_extents * factor },
            Core::Cylinder { radius, half_height } => {
                Core::Cylinder { radius: factor * radius, half_height: factor * half_height }
            }
            Core::Cone { radius, half_height } => {
                Core::Cone { radius: factor * radius, half_height: factor * half_height }
            }
            Core::Hull(hull) => Core::Hull(Arc::new(hull.scaled(factor))),
            Core::HalfSpace => Core::HalfSpace,
        };
        Self { core, radius: factor * self.radius }
    }

    /// The core, without the radius around it.
    #[must_use]
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Rounding radius \[m\]: distance by which the shape extends beyond its core.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Core {
    /// Upper bound of the distance [m] of the core's points from the origin of its frame; infinite for a half-space.
    #[inline]
    pub(crate) fn reach(&self) -> f64 {
        match self {
            Self::Hull(hull) => hull.center().coords.norm() + hull.radius(),
            _ => self.radius(),
        }
    }

    /// Maximum distance [m] of the core's points from its centre; infinite for a half-space.
    #[inline]
    pub(crate) fn radius(&self) -> f64 {
        match self {
            Self::Point => 0.0,
            Self::Segment { half_length } => *half_length,
            Self::Cuboid { half_extents } => half_extents.norm(),
            Self::Cylinder { radius, half_height } | Self::Cone { radius, half_height } => {
                (radius * radius + half_height * half_height).sqrt()
            }
            Self::Hull(hull) => hull.radius(),
            Self::HalfSpace => f64::INFINITY,
        }
    }

    /// A point inside [m].
    pub(crate) fn center(&self) -> Vector3<f64> {
        match self {
            Self::Hull(hull) => hull.center().coords,
            _ => Vector3::zeros(),
        }
    }

    /// Whether two cores are the same; hulls are compared by identity.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Hull(one), Self::Hull(other)) => Arc::ptr_eq(one, other),
            (Self::Hull(_), _) | (_, Self::Hull(_)) => false,
            (one, other) => one == other,
        }
    }
}
