//! Two shapes of a question, and how they are loaded: as convex shapes, or as triangles where those are needed.

use nalgebra::Isometry3;
use schemars::JsonSchema;
use serde::Deserialize;

use super::context::Context;
use super::fault::{Class, Fault};
use super::obstacles::split;
use super::shape::{ShapeArgument, is_robot, make_folder};
use crate::repair::Actor;
use extricate_core::geometry::Solidity;
use extricate_core::query::Shape;

type Shapes = [Shape; 2];

/// Two shapes of a question.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct PairFields {
    /// The first shape.
    pub a: String,
    /// The second shape.
    pub b: String,
    /// Treat meshes as solids; an open mesh is an error.
    #[serde(default)]
    pub solid: bool,
    /// Treat meshes as surfaces without an interior.
    #[serde(default)]
    pub surface: bool,
}

impl PairFields {
    /// Solidity of the meshes; without it closed ones are solids and open ones surfaces.
    pub(super) fn solidity(&self) -> Option<Solidity> {
        match (self.solid, self.surface) {
            (true, _) => Some(Solidity::Solid),
            (_, true) => Some(Solidity::Surface),
            _ => None,
        }
    }

    fn parsed(&self, context: &Context) -> Result<[ShapeArgument; 2], Fault> {
        let parse = |text: &String| {
            if is_robot(text) {
                let kinds = "collide, distance, penetration, time-of-contact and self-collision take robots";
                return Err(Fault::new(Class::Usage, format!("`{text}` is a robot: {kinds}")));
            }
            ShapeArgument::parse_in(text, context.folder)
        };
        Ok([parse(&self.a)?, parse(&self.b)?])
    }

    /// Whether A and B are robots.
    pub(super) fn robots(&self) -> [bool; 2] {
        [&self.a, &self.b].map(|text| is_robot(split(text).map_or(text, |(body, _)| body)))
    }

    /// A and B without the poses that are written behind them, and these poses.
    pub(super) fn placed(&self) -> Result<(Self, [Isometry3<f64>; 2]), Fault> {
        let ((a, pose_a), (b, pose_b)) = (split(&self.a)?, split(&self.b)?);
        Ok((Self { a: a.to_owned(), b: b.to_owned(), ..*self }, [pose_a, pose_b]))
    }

    pub(super) fn has_robots(&self) -> bool {
        self.robots() != [false; 2]
    }

    /// Loads a shape beside a robot: as a convex shape where its form is convex and `surface` does not demand triangles.
    pub(super) fn single(&self, text: &str, context: &Context) -> Result<Shape, Fault> {
        self.one_as_written(context, &ShapeArgument::parse_in(text, context.folder)?)
    }

    /// Loads the shapes: as convex shapes where their form is convex, unless both have triangles and one is a mesh file, or
    /// triangles are needed for the reason `why`.
    pub(super) fn load(&self, context: &Context, why: Option<String>) -> Result<Shapes, Fault> {
        let shapes = self.parsed(context)?;
        let are_convex = self.is_convex(&shapes);
        if why.is_some() || self.surface || !are_convex && shapes.iter().all(ShapeArgument::has_triangles) {
            return self.meshes(context, &why.unwrap_or_else(|| Self::mesh_reason(context)));
        }
        if are_convex {
            let cache = context.library.cache().map(|_| "cache");
            context.refuse(cache, "applies to meshes only: two convex shapes need no preprocessing")?;
        }
        self.as_written(context, &shapes)
    }

    /// Loads the shapes, each as a convex shape where its form is convex and `surface` does not demand triangles.
    fn as_written(&self, context: &Context, shapes: &[ShapeArgument; 2]) -> Result<Shapes, Fault> {
        Ok([self.one_as_written(context, &shapes[0])?, self.one_as_written(context, &shapes[1])?])
    }

    fn one_as_written(&self, context: &Context, shape: &ShapeArgument) -> Result<Shape, Fault> {
        if shape.is_convex() && !self.surface {
            return context.library.convex(shape);
        }
        shape.need_triangles(&Self::mesh_reason(context))?;
        context.library.mesh(shape, self.solidity())
    }

    /// Whether both shapes are treated as convex.
    fn is_convex(&self, shapes: &[ShapeArgument; 2]) -> bool {
        shapes.iter().all(ShapeArgument::is_convex) && !self.surface
    }

    /// Reason why triangles of both shapes are needed where the question itself does not need them: without `surface`, shapes
    /// without triangles are accepted.
    fn mesh_reason(context: &Context) -> String {
        format!("{} needs triangles of both shapes", context.name("surface"))
    }

    /// Loads the shapes as triangles, which are needed for the reason `why`.
    pub(super) fn meshes(&self, context: &Context, why: &str) -> Result<Shapes, Fault> {
        let shapes = self.parsed(context)?;
        shapes.iter().try_for_each(|shape| shape.need_triangles(why))?;
        let mesh = |shape| context.library.mesh(shape, self.solidity());
        Ok([mesh(&shapes[0])?, mesh(&shapes[1])?])
    }

    /// Loads the shapes as convex ones, which are needed for the reason `why`.
    pub(super) fn convex(&self, context: &Context, why: &str) -> Result<Shapes, Fault> {
        let shapes = self.parsed(context)?;
        if let Some((text, _)) =
            [&self.a, &self.b].into_iter().zip(&shapes).find(|(_, shape)| !shape.is_convex())
        {
            return Err(Fault::new(Class::Usage, format!("`{text}` is a mesh: {why}")));
        }
        context.refuse(
            self.surface.then_some("surface"),
            "makes triangles of shapes, and convex ones are needed",
        )?;
        self.as_written(context, &shapes)
    }

    /// Loads the shapes of a penetration query: with a cache, the maximally clear configurations of meshes are read or written.
    pub(super) fn with_clear_configurations(&self, context: &Context) -> Result<Shapes, Fault> {
        let shapes = self.parsed(context)?;
        let all_triangles = shapes.iter().all(ShapeArgument::has_triangles);
        let folder = context.library.cache().filter(|_| !self.is_convex(&shapes) && all_triangles);
        let Some(folder) = folder else { return self.load(context, None) };
        let bad = |error: &dyn std::error::Error| Fault::of(Class::BadFile, error);
        let cached = |shape: &ShapeArgument| {
            let mut model = shape.model(self.solidity(), context.library.access(), Some(folder))?;
            let path = folder.join(format!("{}.json", model.clear_configurations_key()));
            if path.exists() {
                model.load_clear_configurations(&path).map_err(|error| bad(&error))?;
            } else {
                make_folder(folder)?;
                model.save_clear_configurations(&path).map_err(|error| bad(&error))?;
            }
            Ok(model.into())
        };
        Ok([cached(&shapes[0])?, cached(&shapes[1])?])
    }

    /// Loads the shapes for a search with rotations: as convex shapes where their form is convex.
    pub(super) fn searched(&self, context: &Context) -> Result<Shapes, Fault> {
        let shapes = self.as_written(context, &self.parsed(context)?)?;
        // Rejects an infinite A, or one without volume, before the first query.
        let body = Actor::body(&self.a, shapes[0].searchable());
        body.map(|_| shapes).map_err(|error| Fault::of(Class::BadFile, &error))
    }
}
