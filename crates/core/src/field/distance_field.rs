//! A signed distance field: exact near the surface, marched elsewhere.

use nalgebra::Point3;

use super::error::FieldError;
use super::grid::Grid;
use super::march::{FAR, Stencil};
use super::options::{FieldOptions, Order, Side};
use super::{band, closed, crossings, front};
use crate::geometry::triangle_mesh::{Aabb, TriangleMesh};

/// Difference of distances in cells up to which two neighbours of a node count as equal: far above rounding, so that planes
/// of symmetry get symmetric values, and far below the error of the march.
const TIE: f64 = 1e-9;

/// Distances to a closed mesh at the nodes of a grid [m, body frame], positive outside and negative inside.
#[derive(Debug, Clone)]
pub struct DistanceField {
    pub(super) grid: Grid,
    /// Signed distances, with the border of the grid; [`FAR`] in magnitude where there is none.
    pub(super) values: Vec<f64>,
    pub(super) order: Order,
    pub(super) side: Side,
    /// Distance up to which values are computed [m].
    pub(super) limit: f64,
    /// Distance up to which values are exact [m].
    pub(super) exact: f64,
    /// Number of nodes with a value.
    pub(super) known: usize,
}

impl DistanceField {
    /// The distance field of a closed mesh, on a grid around it.
    ///
    /// The distance is that to the nearest triangle, even one inside another part of the mesh; a point is inside where
    /// the winding number of the mesh is not zero.
    ///
    /// ```
    /// use extricate_core::field::{DistanceField, FieldOptions};
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural};
    /// use nalgebra::Point3;
    ///
    /// let cube = Cuboid::default().mesh()?;
    /// let field = DistanceField::of(&cube, &FieldOptions { resolution: 41, ..Default::default() })?;
    /// assert!((field.value(&Point3::new(0.4, 0.1, 0.0)) + 0.1).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`FieldError`] when the mesh is not closed, an option is out of its range, or the grid has too few or too many
    /// nodes.
    pub fn of(mesh: &TriangleMesh, options: &FieldOptions) -> Result<Self, FieldError> {
        if !(options.padding >= 0.0 && options.padding.is_finite()) {
            let (option, value) = ("padding", options.padding);
            return Err(FieldError::Option { option, value, accepted: "zero or above" });
        }
        let bounds = mesh.aabb();
        let room = options.padding * bounds.extents().max();
        let padded = Aabb { min: bounds.min.map(|x| x - room), max: bounds.max.map(|x| x + room) };
        let grid = match options.spacing {
            Some(spacing) => Grid::covering(&padded, spacing)?,
            None => Grid::over(&padded, options.resolution)?,
        };
        Self::on(mesh, grid, options)
    }

    /// The distance field of a closed mesh on a given grid. Parts of the mesh farther outside the grid than a cell
    /// contribute to the sign of the distances, but not to their magnitude.
    ///
    /// # Errors
    /// As [`DistanceField::of`].
    pub fn on(mesh: &TriangleMesh, grid: Grid, options: &FieldOptions) -> Result<Self, FieldError> {
        grid.check()?;
        let limit = options.band.unwrap_or(f64::INFINITY);
        if !(limit >= 0.0) {
            let (option, value) = ("band", limit);
            return Err(FieldError::Option { option, value, accepted: "zero or above" });
        }
        if let Some(cells) = options.exact.filter(|cells| !(*cells >= 1.0 && cells.is_finite())) {
            let (option, accepted) = ("width of the exact band", "at least 1 cell");
            return Err(FieldError::Option { option, value: cells, accepted });
        }
        Self::with_band(mesh, grid, options, band::width(&grid, options.exact))
    }

    /// A field that is exact up to the distance `exact` [m].
    pub(super) fn with_band(
        mesh: &TriangleMesh,
        grid: Grid,
        options: &FieldOptions,
        exact: f64,
    ) -> Result<Self, FieldError> {
        closed::check(mesh)?;
        let (values, limit) = (empty(&grid)?, options.band.unwrap_or(f64::INFINITY));
        let mut field =
            Self { grid, values, order: options.order, side: options.side, limit, exact, known: 0 };
        let seeds = field.initialise(mesh);
        field.known = seeds.len();
        let stencil = field.stencil();
        for side in [Side::Inside, Side::Outside] {
            if field.side.includes(side) {
                field.known += front::march(&stencil, side, field.order, &mut field.values, &seeds);
            }
        }
        Ok(field)
    }

    /// Sets exact distances near the surface and signs everywhere; returns the memory indices of the nodes near it.
    fn initialise(&mut self, mesh: &TriangleMesh) -> Vec<u32> {
        let [nx, ny, nz] = self.grid.counts;
        let seeds = band::distances(mesh, &self.grid, self.exact, &[0..nx, 0..ny, 0..nz], &mut self.values);
        for range in crossings::inside(mesh, &self.grid, [0..ny, 0..nz]) {
            self.values[range].iter_mut().for_each(|value| *value = -*value);
        }
        seeds
    }

    pub(super) fn stencil(&self) -> Stencil {
        Stencil {
            strides: self.grid.strides(),
            spacing: self.grid.spacing,
            band: self.exact,
            floor: self.exact.next_up(),
            tie: TIE * self.grid.spacing,
            limit: self.limit,
        }
    }

    /// The grid.
    #[must_use]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Number of nodes with a finite distance.
    #[must_use]
    pub fn known(&self) -> usize {
        self.known
    }

    /// Memory of the values \[bytes\].
    #[must_use]
    pub fn memory(&self) -> usize {
        std::mem::size_of_val(&*self.values)
    }

    /// Signed distance at a node \[m\]: infinite, with the sign of its side, where none was computed.
    ///
    /// # Panics
    /// When the grid has no such node.
    #[must_use]
    pub fn at(&self, node: [usize; 3]) -> f64 {
        assert!((0..3).all(|axis| node[axis] < self.grid.counts[axis]), "node {node:?} is not on the grid");
        shown(self.values[self.grid.place(node)])
    }

    /// Signed distances at all nodes \[m\], x running fastest and z slowest; infinite where none was computed.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let [nx, ny, nz] = self.grid.counts;
        let lines = (0..nz).flat_map(move |k| (0..ny).map(move |j| self.grid.place([0, j, k])));
        lines.flat_map(move |line| self.values[line..line + nx].iter().map(|&value| shown(value)))
    }

    /// Positions of the nodes [m, body frame], in the order of [`DistanceField::values`].
    pub fn nodes(&self) -> impl Iterator<Item = Point3<f64>> + '_ {
        let [nx, ny, nz] = self.grid.counts;
        let lines = (0..nz).flat_map(move |k| (0..ny).map(move |j| (j, k)));
        lines.flat_map(move |(j, k)| (0..nx).map(move |i| self.grid.node([i, j, k])))
    }
}

/// The public form of a stored value: infinite, with its sign, where there is none.
pub(super) fn shown(value: f64) -> f64 {
    if value.abs() >= FAR { f64::INFINITY.copysign(value) } else { value }
}

/// Values of a grid without any known distance, surrounded by a border of NaN.
pub(super) fn empty(grid: &Grid) -> Result<Vec<f64>, FieldError> {
    let [nx, ny, nz] = grid.counts;
    let [_, line, plane] = grid.strides();
    let len = grid.padded_len();
    let mut values = Vec::new();
    let too_large =
        |_| FieldError::TooLarge { nodes: len as f64, memory: 8.0 * len as f64 / f64::from(1 << 30) };
    values.try_reserve_exact(len).map_err(too_large)?;
    let border = |values: &mut Vec<f64>, count: usize| values.resize(values.len() + count, f64::NAN);
    border(&mut values, plane);
    for _ in 0..nz {
        border(&mut values, line);
        for _ in 0..ny {
            border(&mut values, 1);
            values.resize(values.len() + nx, FAR);
            border(&mut values, 1);
        }
        border(&mut values, line);
    }
    border(&mut values, plane);
    Ok(values)
}
