//! The two shapes of a query, in the form in which they are asked: two convex shapes, or two triangle meshes.

use super::super::failure::{Exit, Failure};
use super::shape::ShapeArgument;
use crate::geometry::Solidity;
use crate::geometry::convex::ConvexShape;
use crate::proximity::Model;

/// Two shapes that can be asked about.
#[derive(Debug)]
pub(super) enum Pair {
    Convex([ConvexShape; 2]),
    Meshes(Box<[Model; 2]>),
}

/// What only triangles have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish {
    /// Whether triangles are named in the answer.
    pub(super) triangles: bool,
    pub(super) solidity: Option<Solidity>,
}

impl Pair {
    /// Loads two shapes: as convex shapes, unless one is a mesh file or triangles are asked for.
    pub(super) fn load(shapes: &[ShapeArgument; 2], wish: Wish) -> Result<Self, Failure> {
        let as_surface = wish.solidity == Some(Solidity::Surface);
        let [a, b] = shapes;
        if a.is_convex() && b.is_convex() && !wish.triangles && !as_surface {
            return Ok(Self::Convex([a.convex()?, b.convex()?]));
        }
        if let Some(shape) = shapes.iter().find(|shape| !shape.has_triangles()) {
            let why = if wish.triangles {
                "`--all` names triangles"
            } else if as_surface {
                "`--surface` takes the triangles of both shapes"
            } else {
                "a mesh file is asked about together with another mesh file, box:X,Y,Z or hull:FILE only \
                 (`hull:` makes it convex, `extricate mesh` makes meshes of round shapes)"
            };
            return Err(Failure::new(Exit::Usage, format!("`{}` has no triangles: {why}", shape.text())));
        }
        Ok(Self::Meshes(Box::new([a.model(wish.solidity)?, b.model(wish.solidity)?])))
    }
}
