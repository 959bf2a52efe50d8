//! The two shapes of a query and their poses: two convex shapes, or two triangle meshes.

use std::path::{Path, PathBuf};

use clap::Args;

use super::super::failure::{Exit, Failure};
use super::poses::{self, Motions, Poses};
use extricate_core::geometry::Solidity;
use extricate_core::geometry::convex::ConvexShape;
use extricate_core::proximity::Model;
use extricate_scene::batch::shape::ShapeArgument;

/// Two shapes, and where they are.
#[derive(Debug, Args)]
pub(super) struct PairArguments {
    /// The first shape.
    a: String,
    /// The second shape.
    b: String,
    /// File of poses, one query a line [default: both shapes where they are].
    #[arg(long, value_name = "FILE.jsonl")]
    poses: Option<PathBuf>,
    /// Folder in which what meshes are made ready with is kept from one call to the next: trees of large ones, and their
    /// maximally clear places where a penetration needs them.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    #[command(flatten)]
    solidity: SolidityArguments,
}

/// What a mesh bounds.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct SolidityArguments {
    /// Take meshes as solids; an open mesh is an error then.
    #[arg(long, conflicts_with = "surface")]
    solid: bool,
    /// Take meshes as surfaces without an inside.
    #[arg(long)]
    surface: bool,
}

impl SolidityArguments {
    /// What was asked for; nothing leaves closed meshes solid and open ones surfaces.
    pub(super) fn wish(self) -> Option<Solidity> {
        match (self.solid, self.surface) {
            (true, _) => Some(Solidity::Solid),
            (_, true) => Some(Solidity::Surface),
            _ => None,
        }
    }
}

/// Two shapes that can be asked about.
#[derive(Debug)]
pub(super) enum Pair {
    Convex([ConvexShape; 2]),
    Meshes(Box<[Model; 2]>),
}

impl PairArguments {
    /// The first shape as it was written.
    pub(super) fn first(&self) -> &str {
        &self.a
    }

    /// File of poses, if there is one.
    pub(super) fn file(&self) -> Option<&Path> {
        self.poses.as_deref()
    }

    /// Folder of what is kept between calls, if there is one.
    pub(super) fn cache(&self) -> Option<&Path> {
        self.cache.as_deref()
    }

    /// What the options say that meshes bound.
    pub(super) fn wish(&self) -> Option<Solidity> {
        self.solidity.wish()
    }

    /// Loads the second shape as triangles, which the query needs because of `why`.
    pub(super) fn load_second(&self, why: &str) -> Result<Model, Failure> {
        let [model] = self.models([&ShapeArgument::parse(&self.b)?], why)?;
        Ok(model)
    }

    /// Whether poses are given, one query a line.
    pub(super) fn is_sequence(&self) -> bool {
        self.poses.is_some()
    }

    /// The poses, in their order.
    pub(super) fn poses(&self) -> Result<Vec<Poses>, Failure> {
        self.poses
            .as_ref()
            .map_or_else(|| Ok(vec![Poses::default()]), |path| poses::read_lines(path, "poses", poses::parse))
    }

    /// The motions, in their order; without a file both shapes rest.
    pub(super) fn motions(&self) -> Result<Vec<Motions>, Failure> {
        let resting = Motions { start: Poses::default(), end: Poses::default() };
        self.poses.as_ref().map_or_else(
            || Ok(vec![resting]),
            |path| poses::read_lines(path, "motions", poses::parse_motions),
        )
    }

    /// Loads the shapes: as convex shapes, unless one is a mesh file or `--surface` takes their triangles.
    pub(super) fn load(&self) -> Result<Pair, Failure> {
        let [a, b] = self.shapes()?;
        let as_surface = self.solidity.wish() == Some(Solidity::Surface);
        if a.is_convex() && b.is_convex() && !as_surface {
            if self.cache.is_some() {
                let why = "`--cache` belongs to meshes: two convex shapes are made ready at once";
                return Err(Failure::new(Exit::Usage, why));
            }
            return Ok(Pair::Convex([a.convex()?, b.convex()?]));
        }
        let why = if as_surface {
            "`--surface` takes the triangles of both shapes"
        } else {
            "a mesh file is asked about together with another mesh file, box:X,Y,Z or hull:FILE only \
             (`hull:` makes it convex, `extricate mesh` makes meshes of round shapes)"
        };
        Ok(Pair::Meshes(Box::new(self.models([&a, &b], why)?)))
    }

    /// Loads the shapes as triangles, which the query needs because of `why`.
    pub(super) fn load_meshes(&self, why: &str) -> Result<Box<[Model; 2]>, Failure> {
        let [a, b] = self.shapes()?;
        Ok(Box::new(self.models([&a, &b], why)?))
    }

    /// The two shapes as they were written.
    pub(super) fn shapes(&self) -> Result<[ShapeArgument; 2], Failure> {
        Ok([ShapeArgument::parse(&self.a)?, ShapeArgument::parse(&self.b)?])
    }

    fn models<const N: usize>(&self, shapes: [&ShapeArgument; N], why: &str) -> Result<[Model; N], Failure> {
        if let Some(shape) = shapes.iter().find(|shape| !shape.has_triangles()) {
            return Err(Failure::new(Exit::Usage, format!("`{}` has no triangles: {why}", shape.text())));
        }
        let models = shapes
            .iter()
            .map(|shape| shape.model(self.wish(), self.cache()))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(models.try_into().expect("there are as many models as shapes"))
    }
}
