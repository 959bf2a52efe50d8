//! Collision of two shapes: common points, intersecting triangles and intersection segments.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply::{Reply, coordinates};
use super::side::Names;
use super::text::number;
use extricate_core::proximity::{IntersectionSegment, intersecting_pairs, intersection_segments};
use extricate_core::query::{self, CollideOptions, Posed, QueryError};

/// Collision of two shapes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["colliding", "separate"]))]
pub struct Collision {
    /// Whether they collide; touching is a collision.
    pub collides: bool,
    /// Colliding pairs by name, of A and of B: a link of a robot, or the shape as it is written; with robots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<[String; 2]>>,
    /// Pairs of links of the robot that collide with one another and may not; with `self_collision`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_collisions: Option<Vec<[String; 2]>>,
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
    /// Test the links of a robot for collisions with one another as well.
    #[cfg_attr(feature = "clap", arg(long))]
    pub self_collision: bool,
    /// End the query of meshes after S seconds with an error where it is not known by then whether they collide; such an end depends
    /// on the machine and is not reproducible.
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", value_parser = super::text::seconds, conflicts_with_all = ["all", "segments", "self_collision"]))]
    #[serde(skip)]
    pub time_budget: Option<Duration>,
}

impl CollideRequest {
    /// The collision of two shapes, which must be meshes where triangles are reported.
    pub(super) fn answer(self, [a, b]: &[Posed; 2], names: &Names<'_>) -> Result<Collision, QueryError> {
        let options = CollideOptions { time_budget: self.time_budget, ..CollideOptions::default() };
        if names.are_known() {
            let found = query::colliding_parts(a, b, &options)?;
            let links: Vec<_> = found.iter().filter_map(|pair| names.of(pair.parts)).collect();
            let collides = !links.is_empty();
            return Ok(Collision { collides, links: Some(links), ..Collision::default() });
        }
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
            collides: touch || query::collide(a, b, &options)?,
            pairs: self.all.then_some(pairs),
            segments: self.segments.then(|| segments.iter().map(Segment::from).collect()),
            ..Collision::default()
        })
    }
}

impl Collision {
    /// Adds the pairs of links that collide with one another.
    pub(super) fn add_self_collisions(&mut self, pairs: Vec<[String; 2]>) {
        self.collides |= !pairs.is_empty();
        self.self_collisions = Some(pairs);
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
        let listed = |pairs: &[[String; 2]]| {
            let pairs: Vec<_> = pairs.iter().map(|[a, b]| format!("{a} with {b}")).collect();
            pairs.join(", ")
        };
        let links = self.links.iter().chain(&self.self_collisions).flatten().cloned().collect::<Vec<_>>();
        if !links.is_empty() {
            write!(f, ": {}", listed(&links))?;
        }
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
