//! Whether two shapes have a point in common, which triangles intersect, and along which curves.

use std::fmt;

use serde::Serialize;

use super::{Reply, coordinates};
use crate::batch::poses::Poses;
use crate::batch::text::number;
use extricate_core::proximity::{
    IntersectionSegment, Model, collide, intersecting_pairs, intersection_segments,
};

/// Whether two shapes collide.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Collision {
    pub(crate) collides: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<[u32; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<Vec<Segment>>,
}

/// What two triangles share, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Segment {
    pub(crate) triangles: [u32; 2],
    pub(crate) points: [[f64; 3]; 2],
    pub(crate) coplanar: bool,
}

/// What is to be told of two meshes beyond whether they collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Details {
    /// All pairs of triangles that intersect.
    pub pairs: bool,
    /// The segments in which triangles intersect.
    pub segments: bool,
}

/// Whether two meshes collide.
pub fn of_meshes([a, b]: [&Model; 2], poses: &Poses, told: Details) -> Collision {
    let (mut pairs, mut segments) = (Vec::new(), Vec::new());
    if told.pairs {
        intersecting_pairs(a, &poses.a, b, &poses.b, &mut pairs);
    }
    if told.segments {
        intersection_segments(a, &poses.a, b, &poses.b, &mut segments);
    }
    let touch = !pairs.is_empty() || !segments.is_empty();
    Collision {
        collides: touch || collide(a, &poses.a, b, &poses.b),
        pairs: told.pairs.then_some(pairs),
        segments: told.segments.then(|| segments.iter().map(Segment::from).collect()),
    }
}

impl Collision {
    /// An answer without triangles.
    pub fn told(collides: bool) -> Self {
        Self { collides, pairs: None, segments: None }
    }
}

impl Segment {
    /// Its length [m].
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
