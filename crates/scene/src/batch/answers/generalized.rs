//! How deep two shapes overlap when turns are allowed as well.

use std::fmt;

use std::sync::Arc;

use nalgebra::Isometry3;
use serde::Serialize;

use super::{Answered, Reply};
use crate::batch::fault::{Class, Fault};
use crate::batch::library::Library;
use crate::batch::poses::Poses;
use crate::batch::shape::ShapeArgument;
use crate::batch::text::{number, text_of};
use crate::repair::{Actor, Ensemble, Freedom, Prop, RepairError, RepairOptions, with_triangles};
use extricate_core::geometry::Solidity;
use extricate_core::penetration::generalized::{
    GeneralizedCoherence, GeneralizedOptions, GeneralizedPenetration, Obstacle, Shape, rigid, rigid_coherent,
};
use extricate_core::proximity::Model;

/// How deep two shapes overlap, if they do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    Penetrating(PenetrationAnswer),
    Separate {},
}

/// A penetration, world frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PenetrationAnswer {
    pub(crate) sigma: f64,
    pub depth: f64,
    pub pose: PoseAnswer,
    pub(crate) iterations: u32,
    pub(crate) verified_free: bool,
}

/// A pose, body → world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoseAnswer {
    pub translation: [f64; 3],
    pub rotation: [f64; 4],
}

/// The two shapes, made ready.
pub enum Pair {
    /// Unions of convex pieces, B at the origin: everything is seen from it.
    Pieces(Box<Ensemble>),
    /// At least one is known by its triangles alone.
    Models([Arc<Model>; 2]),
}

impl Pair {
    /// The pair of two shapes; `wish` says what meshes bound.
    pub fn new(
        library: &Library,
        shapes: &[ShapeArgument; 2],
        wish: Option<Solidity>,
    ) -> Result<Self, Fault> {
        let (a, b) = (made(library, &shapes[0], wish)?, made(library, &shapes[1], wish)?);
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
    pub fn search(
        &self,
        Poses { a, b }: &Poses,
        options: &RepairOptions,
        coherence: Option<&mut GeneralizedCoherence>,
    ) -> Answered<Option<PenetrationAnswer>> {
        match self {
            Self::Pieces(ensemble) => {
                let seen_from_b = [(b.inverse() * a).into()];
                let found = match coherence {
                    Some(coherence) => ensemble.repair_coherent(&seen_from_b, options, coherence),
                    None => ensemble.repair(&seen_from_b, options),
                };
                let answer = |found: crate::repair::Repair| PenetrationAnswer {
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
                let answer = |found: GeneralizedPenetration| PenetrationAnswer {
                    sigma: found.sigma,
                    depth: found.depth,
                    pose: (&found.poses[0].base).into(),
                    iterations: found.iterations,
                    verified_free: found.verified_free,
                };
                found.map(|found| found.map(answer)).map_err(|error| error.to_string())
            }
        }
    }
}

/// The shape for the search: exact where it is convex by its form.
fn made(library: &Library, shape: &ShapeArgument, wish: Option<Solidity>) -> Result<Shape, Fault> {
    if shape.is_convex() && wish != Some(Solidity::Surface) {
        return Ok(Shape::convex(library.convex(shape)?));
    }
    if !shape.has_triangles() {
        let why = "`--surface` takes the triangles of both shapes";
        return Err(Fault::new(Class::Usage, format!("`{}` has no triangles: {why}", shape.text())));
    }
    library.shape(shape, wish)
}

impl From<&Isometry3<f64>> for PoseAnswer {
    fn from(pose: &Isometry3<f64>) -> Self {
        let q = pose.rotation;
        Self { translation: pose.translation.vector.into(), rotation: [q.w, q.i, q.j, q.k] }
    }
}

impl Reply for Answer {
    fn status(&self) -> &'static str {
        match self {
            Self::Penetrating(_) => "penetrating",
            Self::Separate {} => "separate",
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self::Penetrating(found) = self else { return f.write_str("separate") };
        let [w, x, y, z] = found.pose.rotation.map(number);
        let place = text_of(&found.pose.translation);
        write!(f, "{} m deep (root mean square); A is free at ({place}), turned by ", number(found.depth))?;
        write!(f, "({w}, {x}, {y}, {z})")
    }
}
