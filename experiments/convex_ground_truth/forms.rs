//! Convex forms and their support functions, written once more without the library: the oracle.

use std::sync::Arc;

use extricate::geometry::ShapeError;
use extricate::geometry::convex::{ConvexHull, ConvexShape};
use nalgebra::{Isometry3, Point3, Vector3};

/// Definition of a shape: full sizes, axis z, centred at half height.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Sphere(f64),
    Capsule {
        radius: f64,
        length: f64,
    },
    Cuboid(Vector3<f64>),
    Cylinder {
        radius: f64,
        height: f64,
    },
    Cone {
        radius: f64,
        height: f64,
    },
    Hull(Vec<Point3<f64>>),
    /// Everything at z ≤ 0.
    HalfSpace,
    /// All points this near to another form.
    Rounded(Box<Form>, f64),
}

/// Sine of the angle up to which a direction is the normal of a half-space: rounding of a rotation.
const ALONG: f64 = 4e-15;

impl Form {
    /// The library's shape of this form.
    ///
    /// # Errors
    /// Where the points have no hull.
    pub(crate) fn shape(&self) -> Result<ConvexShape, ShapeError> {
        Ok(match self {
            Self::Sphere(radius) => ConvexShape::sphere(*radius),
            Self::Capsule { radius, length } => ConvexShape::capsule(*radius, *length),
            Self::Cuboid(size) => ConvexShape::cuboid(*size),
            Self::Cylinder { radius, height } => ConvexShape::cylinder(*radius, *height),
            Self::Cone { radius, height } => ConvexShape::cone(*radius, *height),
            Self::Hull(points) => ConvexShape::hull(Arc::new(ConvexHull::new(points)?)),
            Self::HalfSpace => ConvexShape::half_space(),
            Self::Rounded(inner, radius) => inner.shape()?.rounded(*radius),
        })
    }

    /// The form with all lengths multiplied.
    pub(crate) fn scaled(&self, by: f64) -> Self {
        match self {
            Self::Sphere(radius) => Self::Sphere(by * radius),
            Self::Capsule { radius, length } => Self::Capsule { radius: by * radius, length: by * length },
            Self::Cuboid(size) => Self::Cuboid(by * size),
            Self::Cylinder { radius, height } => Self::Cylinder { radius: by * radius, height: by * height },
            Self::Cone { radius, height } => Self::Cone { radius: by * radius, height: by * height },
            Self::Hull(points) => Self::Hull(points.iter().map(|point| point * by).collect()),
            Self::HalfSpace => Self::HalfSpace,
            Self::Rounded(inner, radius) => Self::Rounded(Box::new(inner.scaled(by)), by * radius),
        }
    }

    /// Its name.
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::Sphere(_) => "sphere".into(),
            Self::Capsule { .. } => "capsule".into(),
            Self::Cuboid(_) => "box".into(),
            Self::Cylinder { .. } => "cylinder".into(),
            Self::Cone { .. } => "cone".into(),
            Self::Hull(points) => format!("hull of {}", points.len()),
            Self::HalfSpace => "half-space".into(),
            Self::Rounded(inner, _) => format!("rounded {}", inner.kind()),
        }
    }

    /// Whether its core is curved, so that no finite number of planes is its boundary.
    pub(crate) fn is_curved(&self) -> bool {
        match self {
            Self::Cylinder { .. } | Self::Cone { .. } => true,
            Self::Rounded(inner, _) => inner.is_curved(),
            _ => false,
        }
    }

    /// Distance up to which all points around the core belong to the shape [m].
    pub(crate) fn radius(&self) -> f64 {
        match self {
            Self::Sphere(radius) | Self::Capsule { radius, .. } => *radius,
            Self::Rounded(inner, radius) => inner.radius() + radius,
            _ => 0.0,
        }
    }

    /// h(d) = max d·x over the form [m], for a unit direction.
    pub(crate) fn support(&self, d: &Vector3<f64>) -> f64 {
        let across = d.x.hypot(d.y);
        match self {
            Self::Sphere(radius) => *radius,
            Self::Capsule { radius, length } => radius + 0.5 * length * d.z.abs(),
            Self::Cuboid(size) => 0.5 * size.dot(&d.abs()),
            Self::Cylinder { radius, height } => radius * across + 0.5 * height * d.z.abs(),
            Self::Cone { radius, height } => (0.5 * height * d.z).max(radius * across - 0.5 * height * d.z),
            Self::Hull(points) => points.iter().map(|p| p.coords.dot(d)).fold(f64::NEG_INFINITY, f64::max),
            Self::HalfSpace if d.z > 0.0 && across <= ALONG => 0.0,
            Self::HalfSpace => f64::INFINITY,
            Self::Rounded(inner, radius) => inner.support(d) + radius,
        }
    }

    /// Maximum distance of a point from the origin [m]; zero for a half-space, whose points are not counted.
    pub(crate) fn reach(&self) -> f64 {
        match self {
            Self::Sphere(radius) => *radius,
            Self::Capsule { radius, length } => radius + 0.5 * length,
            Self::Cuboid(size) => 0.5 * size.norm(),
            Self::Cylinder { radius, height } | Self::Cone { radius, height } => radius.hypot(0.5 * height),
            Self::Hull(points) => points.iter().map(|p| p.coords.norm()).fold(0.0, f64::max),
            Self::HalfSpace => 0.0,
            Self::Rounded(inner, radius) => inner.reach() + radius,
        }
    }
}

/// Distance by which A moves along a unit direction until it is free of B [m].
pub(crate) fn free_after(
    (a, pose_a): (&Form, &Isometry3<f64>),
    (b, pose_b): (&Form, &Isometry3<f64>),
    direction: &Vector3<f64>,
) -> f64 {
    let in_a = pose_a.inverse_transform_vector(direction);
    let in_b = pose_b.inverse_transform_vector(direction);
    let between = pose_b.translation.vector - pose_a.translation.vector;
    b.support(&in_b) + direction.dot(&between) + a.support(&-in_a)
}
