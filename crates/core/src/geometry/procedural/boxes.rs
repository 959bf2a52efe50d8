//! Solids with right angles: box, L-shape, tub.

use super::cells::{boundary, centered, subdivided};
use super::parameters::Checks;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "box"
    /// A box, its faces cut into rectangles of two triangles each.
    pub struct Cuboid {
        /// Full size along x [m].
        x: f64 = 1.0,
        /// Full size along y [m].
        y: f64 = 1.0,
        /// Full size along z [m].
        z: f64 = 1.0,
        /// Parts along every edge; there are 12 n² triangles.
        subdivisions: u32 = 1,
    }
    mesh = Cuboid::build
}

impl Cuboid {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("x", self.x), ("y", self.y), ("z", self.z)])?;
        checks.at_least("subdivisions", self.subdivisions, 1, "at least 1")?;
        checks.triangles([12, self.subdivisions, self.subdivisions])?;
        let lines = [self.x, self.y, self.z].map(|size| centered([size]));
        boundary(&subdivided(&lines, self.subdivisions), |_| true)
    }
}

procedural! { "l_shape"
    /// An L: a foot along x and a stem along z of the same thickness, joined at the corner of minimum x and z.
    pub struct LShape {
        /// Length of the foot along x, corner included [m].
        foot: f64 = 1.0,
        /// Length of the stem along z, corner included [m].
        stem: f64 = 1.0,
        /// Thickness of foot and stem [m].
        thickness: f64 = 0.3,
        /// Depth along y [m].
        depth: f64 = 0.3,
        /// Parts into which every straight piece is cut.
        subdivisions: u32 = 1,
    }
    mesh = LShape::build
}

impl LShape {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("thickness", self.thickness), ("depth", self.depth)])?;
        checks.require("foot", self.foot, self.foot > self.thickness, "longer than the thickness")?;
        checks.require("stem", self.stem, self.stem > self.thickness, "longer than the thickness")?;
        checks.at_least("subdivisions", self.subdivisions, 1, "at least 1")?;
        checks.triangles([28, self.subdivisions, self.subdivisions])?;
        let lines = [
            centered([self.thickness, self.foot - self.thickness]),
            centered([self.depth]),
            centered([self.thickness, self.stem - self.thickness]),
        ];
        let parts = self.subdivisions as usize;
        boundary(&subdivided(&lines, self.subdivisions), |[x, _, z]| x < parts || z < parts)
    }
}

procedural! { "tub"
    /// A box-shaped tub, open above: a floor and four walls.
    pub struct Tub {
        /// Full size along x, walls included [m].
        width: f64 = 3.0,
        /// Full size along y, walls included [m].
        depth: f64 = 3.0,
        /// Full size along z, floor included [m].
        height: f64 = 1.5,
        /// Thickness of walls and floor [m].
        wall: f64 = 0.15,
        /// Parts into which every straight piece is cut.
        subdivisions: u32 = 1,
    }
    mesh = Tub::build
}

impl Tub {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("wall", self.wall)])?;
        for (name, size) in [("width", self.width), ("depth", self.depth)] {
            checks.require(name, size, size > 2.0 * self.wall, "more than two walls")?;
        }
        checks.require("height", self.height, self.height > self.wall, "more than the floor")?;
        checks.at_least("subdivisions", self.subdivisions, 1, "at least 1")?;
        checks.triangles([92, self.subdivisions, self.subdivisions])?;
        let lines = [
            centered([self.wall, self.width - 2.0 * self.wall, self.wall]),
            centered([self.wall, self.depth - 2.0 * self.wall, self.wall]),
            centered([self.wall, self.height - self.wall]),
        ];
        let parts = self.subdivisions as usize;
        boundary(&subdivided(&lines, self.subdivisions), |cell| {
            let [x, y, z] = cell.map(|i| i / parts);
            z == 0 || x != 1 || y != 1
        })
    }
}
