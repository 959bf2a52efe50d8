//! Collision of two shapes: common points, intersecting triangles and intersection segments.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply::{Reply, coordinates};
use super::text::number;
use extricate_core::proximity::{IntersectionSegment, intersecting_pairs, intersection_segments};
use extricate_core::query::{self, CollideOptions, Posed, QueryError};

/// Collision of two shapes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["colliding", "separate"]))]
pub struct Collision {
    /// Whether they collide; touching is a collision.
    pub collides: bool,
    /// Intersecting triangles of A and B, 0-based; with `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<[u32; 2]>>,
    /// Intersections of triangles, world frame; with `segments`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<Vec<Segment>>,
}

/// Intersection of two triangles, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Segment {
    /// Triangles of A and of B, 0-based.
    pub triangles: [u32; 2],
    /// End points \[m\]; the same point twice where the triangles only touch.
    pub points: [[f64; 3]; 2],
    /// Whether the triangles are coplanar; then this is a side of their common polygon.
    pub coplanar: bool,
}

/// Request for the collision of two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct CollideRequest {
    /// Report all pairs of intersecting triangles.
    #[cfg_attr(feature = "clap", arg(long))]
    pub all: bool,
    /// Report the segments in which triangles intersect; with `--json` all of them, else their number and total length.
    #[cfg_attr(feature = "clap", arg(long))]
    pub segments: bool,
}

impl CollideRequest {
    /// The collision of two shapes, which must be meshes where triangles are reported.
    pub(super) fn answer(self, [a, b]: &[Posed; 2]) -> Result<Collision, QueryError> {
        let (mut pairs, mut segments) = (Vec::new(), Vec::new());
        let (first, second) = (a.part(0), b.part(0));
        if let (Some(model_a), Some(model_b)) = (first.shape.model(), second.shape.model()) {
            if self.all {
                intersecting_pairs(model_a, &first.pose, model_b, &second.pose, &mut pairs);
            }
            if self.segments {
                intersection_segments(model_a, &first.pose, model_b, &second.pose, &mut segments);
            }
        }
        // The lists decide where they are not empty; empty lists do not exclude that one solid contains the other.
        let touch = !pairs.is_empty() || !segments.is_empty();
        Ok(Collision {
            collides: touch || query::collide(a, b, &CollideOptions::default())?,
            pairs: self.all.then_some(pairs),
            segments: self.segments.then(|| segments.iter().map(Segment::from).collect()),
        })
    }
}

impl Segment {
    /// Its length \[m\].
    #[must_use]
    pub fn length(&self) -> f64 {
        let [p, q] = self.points.map(nalgebra::Point3::from);
        nalgebra::distance(&p, &q)
    }
}

impl From<&IntersectionSegment> for Segment {
    fn from(segment: &IntersectionSegment) -> Self {
        let points = coordinates(&segment.points);
        Self { triangles: segment.triangles, points, coplanar: segment.coplanar }
    }
}

impl Reply for Collision {
    fn status(&self) -> &'static str {
        if self.collides { "colliding" } else { "separate" }
    }
}

impl fmt::Display for Collision {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.status())?;
        if let Some(pairs) = &self.pairs {
            write!(f, ", {} pairs of triangles intersect", pairs.len())?;
        }
        if let Some(segments) = &self.segments {
            let length: f64 = segments.iter().map(Segment::length).sum();
            write!(f, ", in {} segments of together {} m", segments.len(), number(length))?;
        }
        Ok(())
    }
}
