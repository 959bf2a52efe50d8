//! A triangle of the other model: the convex set that bounds are taken from.

use nalgebra::{Point3, Vector3};

use crate::proximity::Model;

/// A triangle and its index, in the frame of its model's tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle {
    pub(super) index: u32,
    corners: [Vector3<f64>; 3],
}

impl Triangle {
    pub(super) fn of(model: &Model, index: u32) -> Self {
        let center = model.center();
        Self { index, corners: model.mesh().triangle(index as usize).map(|p| p - center) }
    }

    /// Squared distance from `point` [m²].
    ///
    /// The plane of a needle is known badly and its edges are known well: inside the triangle the distance is less than
    /// that from the nearest edge, and by no more than the height of the triangle allows.
    pub(super) fn distance_squared(&self, point: &Point3<f64>) -> f64 {
        let [a, b, c] = &self.corners;
        let (edges, p) = ([b - a, c - b, a - c], &point.coords);
        let offsets = [p - a, p - b, p - c];
        let normal = edges[0].cross(&edges[1]);
        let (mut squared, mut least_inward, mut longest) = (f64::INFINITY, f64::INFINITY, 0.0_f64);
        for (edge, offset) in edges.iter().zip(&offsets) {
            let length = edge.norm_squared();
            longest = longest.max(length);
            let fraction = (edge.dot(offset) / length).clamp(0.0, 1.0);
            squared = squared.min((offset - fraction * edge).norm_squared());
            least_inward = least_inward.min(normal.cross(edge).dot(offset));
        }
        if least_inward >= 0.0 {
            let (height, doubled_area) = (normal.dot(&offsets[0]), normal.norm_squared());
            squared = squared.min((height * height / doubled_area).max(squared - doubled_area / longest));
        }
        squared
    }

    /// The greatest distance of any of the points, and so of all their convex combinations [m].
    pub(super) fn reach<'a>(&self, points: impl IntoIterator<Item = &'a Point3<f64>>) -> f64 {
        points.into_iter().map(|point| self.distance_squared(point)).fold(0.0, f64::max).sqrt()
    }
}
