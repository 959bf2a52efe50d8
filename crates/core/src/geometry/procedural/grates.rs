//! Grates: a frame with parallel bars, and a lattice of two crossing layers. Each is one connected solid.

use super::cells::{boundary, centered, subdivided};
use super::parameters::Checks;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "grate"
    /// A rectangular frame with straight bars along y between evenly spaced slots, all of one thickness.
    pub struct Grate {
        /// Full size along x, frame included [m].
        width: f64 = 2.0,
        /// Full size along y, frame included [m].
        depth: f64 = 2.0,
        /// Thickness along z [m].
        thickness: f64 = 0.15,
        /// Width of the frame [m].
        frame: f64 = 0.15,
        /// Number of bars.
        bars: u32 = 5,
        /// Width of a bar [m].
        bar: f64 = 0.15,
        /// Parts into which every straight piece is cut.
        subdivisions: u32 = 1,
    }
    mesh = Grate::build
}

impl Grate {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("thickness", self.thickness), ("frame", self.frame), ("bar", self.bar)])?;
        checks.require("depth", self.depth, self.depth > 2.0 * self.frame, "more than twice the frame")?;
        let slots = f64::from(self.bars) + 1.0;
        let open = self.width - 2.0 * self.frame - f64::from(self.bars) * self.bar;
        checks.require("width", self.width, open > 0.0, "more than frame and bars together")?;
        checks.at_least("subdivisions", self.subdivisions, 1, "at least 1")?;
        checks.triangles([self.bars.saturating_add(2), 32, self.subdivisions, self.subdivisions])?;
        let lines = [
            centered(alternating(self.frame, open / slots, self.bar, self.bars)),
            centered([self.frame, self.depth - 2.0 * self.frame, self.frame]),
            centered([self.thickness]),
        ];
        let parts = self.subdivisions as usize;
        boundary(&subdivided(&lines, self.subdivisions), |cell| {
            let [x, y, _] = cell.map(|i| i / parts);
            y != 1 || x % 2 == 0
        })
    }
}

procedural! { "lattice"
    /// Two layers of parallel bars, the lower along x and the upper along y, fused where they cross. The outermost
    /// bars of each layer form its frame.
    pub struct Lattice {
        /// Full size along x [m].
        width: f64 = 2.0,
        /// Full size along y [m].
        depth: f64 = 2.0,
        /// Thickness of both layers together along z [m].
        thickness: f64 = 0.3,
        /// Bars in each layer, the outermost included.
        bars: u32 = 5,
        /// Width of a bar [m].
        bar: f64 = 0.15,
        /// Parts into which every straight piece is cut.
        subdivisions: u32 = 1,
    }
    mesh = Lattice::build
}

impl Lattice {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("thickness", self.thickness), ("bar", self.bar)])?;
        checks.at_least("bars", self.bars, 2, "at least 2")?;
        let solid = f64::from(self.bars) * self.bar;
        for (name, size) in [("width", self.width), ("depth", self.depth)] {
            checks.require(name, size, size > solid, "more than all bars together")?;
        }
        checks.at_least("subdivisions", self.subdivisions, 1, "at least 1")?;
        checks.triangles([self.bars, self.bars, 48, self.subdivisions, self.subdivisions])?;
        let across = |size: f64| {
            let gap = (size - solid) / f64::from(self.bars - 1);
            centered(alternating(self.bar, gap, self.bar, self.bars - 2))
        };
        let half = 0.5 * self.thickness;
        let lines = [across(self.width), across(self.depth), centered([half, half])];
        let parts = self.subdivisions as usize;
        boundary(&subdivided(&lines, self.subdivisions), |cell| {
            let [x, y, z] = cell.map(|i| i / parts);
            if z == 0 { y % 2 == 0 } else { x % 2 == 0 }
        })
    }
}

/// Interval lengths: an end, then `bars` bars between equal gaps, then the other end.
fn alternating(end: f64, gap: f64, bar: f64, bars: u32) -> impl Iterator<Item = f64> {
    let inner = (0..bars).flat_map(move |_| [gap, bar]);
    [end].into_iter().chain(inner).chain([gap, end])
}
