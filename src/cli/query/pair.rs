//! The two shapes of a query and their poses: two convex shapes, or two triangle meshes.

use std::path::PathBuf;

use clap::Args;

use super::super::failure::{Exit, Failure};
use super::poses::{self, Motions, Poses};
use super::shape::ShapeArgument;
use crate::geometry::Solidity;
use crate::geometry::convex::ConvexShape;
use crate::proximity::Model;

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
            return Ok(Pair::Convex([a.convex()?, b.convex()?]));
        }
        let why = if as_surface {
            "`--surface` takes the triangles of both shapes"
        } else {
            "a mesh file is asked about together with another mesh file, box:X,Y,Z or hull:FILE only \
             (`hull:` makes it convex, `extricate mesh` makes meshes of round shapes)"
        };
        Ok(Pair::Meshes(Box::new(self.models(&[a, b], why)?)))
    }

    /// Loads the shapes as triangles, which the query needs because of `why`.
    pub(super) fn load_meshes(&self, why: &str) -> Result<Box<[Model; 2]>, Failure> {
        Ok(Box::new(self.models(&self.shapes()?, why)?))
    }

    fn shapes(&self) -> Result<[ShapeArgument; 2], Failure> {
        Ok([ShapeArgument::parse(&self.a)?, ShapeArgument::parse(&self.b)?])
    }

    fn models(&self, [a, b]: &[ShapeArgument; 2], why: &str) -> Result<[Model; 2], Failure> {
        if let Some(shape) = [a, b].into_iter().find(|shape| !shape.has_triangles()) {
            return Err(Failure::new(Exit::Usage, format!("`{}` has no triangles: {why}", shape.text())));
        }
        Ok([a.model(self.solidity.wish())?, b.model(self.solidity.wish())?])
    }
}
