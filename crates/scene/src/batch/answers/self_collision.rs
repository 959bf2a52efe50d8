//! Whether a mesh meets itself at rest.

use std::fmt;

use serde::Serialize;

use super::Reply;
use extricate_core::proximity::{Model, SelfCollisionOptions, is_self_colliding, self_collisions};

/// Whether a mesh meets itself at rest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AtRest {
    pub collides: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<[u32; 2]>>,
}

/// Whether a mesh meets itself: `all` tells the pairs of triangles, `crossing` passes by those that only touch.
pub fn at_rest(model: &Model, all: bool, crossing: bool) -> AtRest {
    let options = SelfCollisionOptions { touching: !crossing, ..SelfCollisionOptions::default() };
    let pairs = all.then(|| self_collisions(model, &options));
    let collides = match &pairs {
        Some(pairs) => !pairs.is_empty(),
        None => is_self_colliding(model, &options),
    };
    AtRest { collides, pairs }
}

impl Reply for AtRest {
    fn status(&self) -> &'static str {
        if self.collides { "colliding" } else { "separate" }
    }
}

impl fmt::Display for AtRest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.collides { "collides with itself" } else { "free of self-collision" })?;
        self.pairs.iter().try_for_each(|pairs| write!(f, ", {} pairs of triangles", pairs.len()))
    }
}
