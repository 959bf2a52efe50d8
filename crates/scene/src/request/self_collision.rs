//! Self-collision of a mesh at rest, of a deforming mesh, and of the links of a robot.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::deforming::FeatureContact;
use super::reply::Reply;
use super::text::{number, text_of};
use extricate_core::proximity::{Model, SelfCollisionOptions, is_self_colliding, self_collisions};

/// Request for the self-collision of a mesh or a robot.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct SelfCollisionRequest {
    /// Report all pairs of colliding triangles.
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "end"))]
    pub all: bool,
    /// Ignore triangles that touch without crossing.
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "end"))]
    pub crossing: bool,
    /// Deform the mesh: its vertices move to those of FILE, which must have the same triangles.
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub end: Option<PathBuf>,
}

/// Self-collision of a mesh at rest.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["colliding", "separate"]))]
pub struct MeshAtRest {
    /// Whether any two triangles collide that should not.
    pub collides: bool,
    /// All colliding pairs of triangles, 0-based, the lower index first; with `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<[u32; 2]>>,
}

/// Self-collision of a mesh while it deforms, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["colliding", "separate"]))]
pub struct MeshInMotion {
    /// Whether the mesh collides with itself during the motion.
    pub collides: bool,
    /// The first contact; null where the motion is proved free.
    pub contact: Option<FeatureContact>,
}

/// Self-collision of a robot at rest.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["colliding", "separate"]))]
pub struct LinksAtRest {
    /// Whether any two links collide that may not.
    pub collides: bool,
    /// The colliding pairs of links.
    pub links: Vec<[String; 2]>,
}

/// Self-collision of a mesh at rest, with the options of the request.
pub(super) fn at_rest(model: &Model, request: &SelfCollisionRequest) -> MeshAtRest {
    let options = SelfCollisionOptions { touching: !request.crossing, ..SelfCollisionOptions::default() };
    let pairs = request.all.then(|| self_collisions(model, &options));
    let collides = match &pairs {
        Some(pairs) => !pairs.is_empty(),
        None => is_self_colliding(model, &options),
    };
    MeshAtRest { collides, pairs }
}

fn word(collides: bool) -> &'static str {
    if collides { "colliding" } else { "separate" }
}

impl Reply for MeshAtRest {
    fn status(&self) -> &'static str {
        word(self.collides)
    }
}

impl Reply for MeshInMotion {
    fn status(&self) -> &'static str {
        word(self.collides)
    }
}

impl Reply for LinksAtRest {
    fn status(&self) -> &'static str {
        word(self.collides)
    }
}

impl fmt::Display for MeshAtRest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.collides { "collides with itself" } else { "free of self-collision" })?;
        self.pairs.iter().try_for_each(|pairs| write!(f, ", {} pairs of triangles", pairs.len()))
    }
}

impl fmt::Display for MeshInMotion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(found) = &self.contact else {
            return f.write_str("free of self-collision during the whole motion");
        };
        let ([first, second], [p, _]) = (found.feature_names(), &found.points);
        write!(f, "collides with itself at time {}: ", number(found.time))?;
        write!(f, "{first} and {second} at ({})", text_of(p))
    }
}

impl fmt::Display for LinksAtRest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.links.is_empty() {
            return f.write_str("free of self-collision");
        }
        let pairs: Vec<String> =
            self.links.iter().map(|[first, second]| format!("{first} with {second}")).collect();
        write!(f, "collides with itself: {}", pairs.join(", "))
    }
}
