//! Generalized penetration depth of two shapes: rotations are allowed as well.

use std::fmt;

use std::sync::Arc;

use nalgebra::Isometry3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::{Class, Fault};
use super::fields::length;
use super::library::Library;
use super::poses::Poses;
use super::reply::{Answered, PoseResponse, Reply};
use super::shape::ShapeArgument;
use super::text::{EffortArgument, number, text_of};
use crate::repair::{Actor, Ensemble, Freedom, Prop, RepairError, RepairOptions, with_triangles};
use extricate_core::geometry::Solidity;
use extricate_core::penetration::generalized::{
    GeneralizedCoherence, GeneralizedOptions, GeneralizedPenetration, Obstacle, Shape, rigid, rigid_coherent,
};
use extricate_core::proximity::Model;

/// Generalized penetration of two shapes, if they overlap.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum GeneralizedResponse {
    /// They overlap.
    #[schemars(extend("x-status" = ["penetrating"]))]
    Penetrating(FreePose),
    /// They do not overlap.
    #[schemars(extend("x-status" = ["separate"]))]
    Separate {},
}

/// The nearest free pose that was found, world frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FreePose {
    /// Mean squared displacement of the points of A [m²].
    #[schemars(range(min = 0.0))]
    pub sigma: f64,
    /// Its square root [m].
    #[schemars(range(min = 0.0))]
    pub depth: f64,
    /// Pose of A at which it is free of B.
    pub pose: PoseResponse,
    /// Steps of all descents.
    pub iterations: u32,
    /// A second collision query found A free of B there.
    #[schemars(extend("const" = true))]
    pub verified_free: bool,
}

/// Question how far A must move, rotations allowed, to be free of B.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct GeneralizedRequest {
    /// How much work a query may be.
    #[cfg_attr(feature = "clap", arg(long, value_name = "EFFORT", default_value = "best"))]
    pub effort: EffortArgument,
    /// Each pose is near the one of the line before: what was free there is where the search begins as well.
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(skip)]
    pub coherent: bool,
    /// Distance that A shall keep [m].
    #[cfg_attr(feature = "clap", arg(long, value_name = "D", default_value_t = 0.0, value_parser = super::text::length))]
    #[serde(deserialize_with = "length")]
    pub clearance: f64,
    /// Seed of the random starts.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 0))]
    pub seed: u64,
}

impl GeneralizedRequest {
    pub(super) fn options(&self, parallel: bool) -> RepairOptions {
        let Self { effort, clearance, seed, .. } = *self;
        RepairOptions { effort: effort.into(), clearance, seed, parallel, ..RepairOptions::default() }
    }
}

/// Two shapes, preprocessed for the search.
pub(super) enum SearchPair {
    /// Unions of convex pieces, B at the origin: everything is seen from it.
    Pieces(Box<Ensemble>),
    /// At least one is known by its triangles alone.
    Models([Arc<Model>; 2]),
}

impl SearchPair {
    /// The pair of two shapes; `wish` says what meshes bound.
    pub(super) fn new(
        library: &Library,
        shapes: &[ShapeArgument; 2],
        (wish, surface): (Option<Solidity>, &str),
    ) -> Result<Self, Fault> {
        let made = |shape| made(library, shape, (wish, surface));
        let (a, b) = (made(&shapes[0])?, made(&shapes[1])?);
        let bad = |error: RepairError| Fault::of(Class::BadFile, &error);
        // An infinite shape, or one without volume, is refused here.
        let actor = Actor::body(shapes[0].text(), a.clone()).map_err(bad)?;
        if a.convex_pieces().is_none() || b.convex_pieces().is_none() {
            let models = [&a, &b].map(|shape| with_triangles(shape).shared_model());
            if let [Some(a), Some(b)] = models {
                return Ok(Self::Models([a, b]));
            }
        }
        let obstacle = Obstacle { shape: b, pose: Isometry3::identity() };
        let prop = Prop { name: shapes[1].text().to_owned(), obstacle };
        let ensemble = Ensemble::new(vec![actor], vec![prop], &Freedom::default()).map_err(bad)?;
        Ok(Self::Pieces(Box::new(ensemble)))
    }

    /// The answer with the pose of A in the world.
    pub(super) fn search(
        &self,
        Poses { a, b }: &Poses,
        options: &RepairOptions,
        coherence: Option<&mut GeneralizedCoherence>,
    ) -> Answered<GeneralizedResponse> {
        let found = match self {
            Self::Pieces(ensemble) => {
                let seen_from_b = [(b.inverse() * a).into()];
                let found = match coherence {
                    Some(coherence) => ensemble.repair_coherent(&seen_from_b, options, coherence),
                    None => ensemble.repair(&seen_from_b, options),
                };
                let answer = |found: crate::repair::Repair| FreePose {
                    sigma: found.sigma,
                    depth: found.depth,
                    pose: (&(b * found.poses[0].base)).into(),
                    iterations: found.iterations,
                    verified_free: found.verified_free,
                };
                found.map(|found| found.map(answer)).map_err(|error| error.to_string())
            }
            Self::Models(models) => {
                let options = GeneralizedOptions::from(options);
                let [first, second] = models;
                let found = match coherence {
                    Some(coherence) => rigid_coherent((first, a), (second, b), &options, coherence),
                    None => rigid(first, a, second, b, &options),
                };
                let answer = |found: GeneralizedPenetration| FreePose {
                    sigma: found.sigma,
                    depth: found.depth,
                    pose: (&found.poses[0].base).into(),
                    iterations: found.iterations,
                    verified_free: found.verified_free,
                };
                found.map(|found| found.map(answer)).map_err(|error| error.to_string())
            }
        };
        Ok(found?.map_or(GeneralizedResponse::Separate {}, GeneralizedResponse::Penetrating))
    }
}

/// The shape for the search: exact where it is convex by its form.
fn made(
    library: &Library,
    shape: &ShapeArgument,
    (wish, surface): (Option<Solidity>, &str),
) -> Result<Shape, Fault> {
    if shape.is_convex() && wish != Some(Solidity::Surface) {
        return Ok(Shape::convex(library.convex(shape)?));
    }
    shape.need_triangles(&format!("{surface} takes the triangles of both shapes"))?;
    library.shape(shape, wish)
}

impl Reply for GeneralizedResponse {
    fn status(&self) -> &'static str {
        match self {
            Self::Penetrating(_) => "penetrating",
            Self::Separate {} => "separate",
        }
    }
}

impl fmt::Display for GeneralizedResponse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self::Penetrating(found) = self else { return f.write_str("separate") };
        let [w, x, y, z] = found.pose.rotation.map(number);
        let place = text_of(&found.pose.translation);
        write!(f, "{} m deep (root mean square); A is free at ({place}), turned by ", number(found.depth))?;
        write!(f, "({w}, {x}, {y}, {z})")
    }
}
