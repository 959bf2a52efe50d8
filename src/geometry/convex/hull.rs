//! Convex hulls of points.

use nalgebra::{Point3, Vector3};
use thiserror::Error;

use super::Support;

/// The convex hull of points.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexHull {
    vertices: Vec<Point3<f64>>,
}

/// Why there is no hull.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum HullError {
    /// There are no points.
    #[error("a convex hull needs at least one point")]
    Empty,
    /// A coordinate is no finite number.
    #[error("point {index} is not finite")]
    NotFinite {
        /// The point, counted from 0.
        index: usize,
    },
}

impl ConvexHull {
    /// The hull of points [m].
    ///
    /// # Errors
    /// [`HullError`] without points and for coordinates that are not finite.
    pub fn new(points: &[Point3<f64>]) -> Result<Self, HullError> {
        if points.is_empty() {
            return Err(HullError::Empty);
        }
        if let Some(index) = points.iter().position(|point| !point.iter().all(|x| x.is_finite())) {
            return Err(HullError::NotFinite { index });
        }
        Ok(Self { vertices: points.to_vec() })
    }

    /// The extreme points [m].
    #[must_use]
    pub fn vertices(&self) -> &[Point3<f64>] {
        &self.vertices
    }

    pub(super) fn reach(&self) -> f64 {
        self.vertices.iter().map(|v| v.coords.norm()).fold(0.0, f64::max)
    }

    pub(super) fn center(&self) -> Point3<f64> {
        let sum = self.vertices.iter().fold(Vector3::zeros(), |sum, v| sum + v.coords);
        (sum / self.vertices.len() as f64).into()
    }

    pub(super) fn support(&self, direction: &Vector3<f64>, _start: u32) -> Support {
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, vertex) in self.vertices.iter().enumerate() {
            let value = vertex.coords.dot(direction);
            if value > best.0 {
                best = (value, index);
            }
        }
        Support { point: self.vertices[best.1].coords, vertex: best.1 as u32 }
    }
}
