//! Regular grids of cubic cells, and the memory layout of their nodes.
//!
//! Nodes are stored with one layer of border around them, so that a stencil may access one node past the grid without
//! testing its position.

use nalgebra::{Point3, Vector3};

use super::error::FieldError;
use super::march::MAX_SPACING;
use crate::geometry::triangle_mesh::Aabb;

/// Maximum number of nodes of a grid, border included: an index and one more bit fit into 32 bits.
const MAX_NODES: u64 = 1 << 31;

/// A regular grid of cubic cells. Node (i, j, k) is at `origin + spacing · (i, j, k)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Position of node (0, 0, 0) [m, body frame].
    pub origin: Point3<f64>,
    /// Distance between neighbouring nodes \[m\].
    pub spacing: f64,
    /// Number of nodes along x, y and z.
    pub counts: [usize; 3],
}

impl Grid {
    /// The grid with `resolution` nodes along the longest edge of `bounds`, the first and the last on its faces, and along
    /// the other axes as few as cover the box; centred.
    ///
    /// ```
    /// use extricate_core::field::Grid;
    /// use extricate_core::geometry::Aabb;
    /// use nalgebra::Point3;
    ///
    /// let bounds = Aabb { min: Point3::origin(), max: Point3::new(4.0, 2.0, 1.5) };
    /// let grid = Grid::over(&bounds, 5)?;
    /// assert_eq!(grid.counts, [5, 3, 3]);
    /// assert_eq!(grid.node([4, 2, 0]), Point3::new(4.0, 2.0, -0.25));
    /// # Ok::<(), extricate_core::field::FieldError>(())
    /// ```
    ///
    /// # Errors
    /// [`FieldError`] when the box is empty or not finite, or when the grid has too few or too many nodes.
    pub fn over(bounds: &Aabb, resolution: usize) -> Result<Self, FieldError> {
        let longest = bounds.extents().max();
        if resolution < 2 {
            return Err(FieldError::TooCoarse { nodes: resolution });
        }
        Self::covering(bounds, longest / (resolution - 1) as f64)
    }

    /// The grid of cells of size `spacing` \[m\] that covers `bounds`, centred.
    ///
    /// # Errors
    /// [`FieldError`] when the box is empty or not finite, the spacing is not a positive number, or the grid has too
    /// many nodes.
    pub fn covering(bounds: &Aabb, spacing: f64) -> Result<Self, FieldError> {
        /// Fraction of a cell by which a length may exceed a whole number of cells through rounding; without it `over` could get
        /// one node more than was asked for.
        const ROUNDING: f64 = 1e-9;
        let extents = bounds.extents();
        if !extents.iter().all(|&x| x >= 0.0 && x.is_finite()) {
            return Err(FieldError::NoBox);
        }
        check_spacing(spacing)?;
        let cells = extents.map(|x| (x / spacing - ROUNDING).ceil().max(1.0));
        check_size(cells.map(|x| x + 3.0).product())?;
        let origin = bounds.center() - 0.5 * spacing * cells;
        let counts = [0, 1, 2].map(|axis| cells[axis] as usize + 1);
        Ok(Self { origin, spacing, counts })
    }

    /// Checks that the grid is valid: finite, with at least two nodes along each axis, and not too many in total.
    pub(super) fn check(&self) -> Result<(), FieldError> {
        if !self.origin.iter().all(|x| x.is_finite()) {
            return Err(FieldError::NoBox);
        }
        check_spacing(self.spacing)?;
        if let Some(&nodes) = self.counts.iter().find(|&&n| n < 2) {
            return Err(FieldError::TooCoarse { nodes });
        }
        check_size(self.counts.iter().map(|&n| n as f64 + 2.0).product())
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// Whether the grid has no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Position of a node [m, body frame].
    #[must_use]
    pub fn node(&self, [i, j, k]: [usize; 3]) -> Point3<f64> {
        self.origin + self.spacing * Vector3::new(i as f64, j as f64, k as f64)
    }

    /// The box whose corners are nodes [m, body frame].
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb { min: self.origin, max: self.node(self.counts.map(|n| n - 1)) }
    }

    /// Distance in memory between neighbours along x, y and z.
    pub(super) fn strides(&self) -> [usize; 3] {
        let [x, y, _] = self.counts;
        [1, x + 2, (x + 2) * (y + 2)]
    }

    /// Number of nodes with their border.
    pub(super) fn padded_len(&self) -> usize {
        self.counts.iter().map(|n| n + 2).product()
    }

    /// Index of a node in memory.
    pub(super) fn place(&self, [i, j, k]: [usize; 3]) -> usize {
        let [_, y, z] = self.strides();
        (i + 1) + y * (j + 1) + z * (k + 1)
    }

    /// The first node along an axis whose coordinate is at least `x`, else the number of nodes.
    #[inline(always)]
    pub(super) fn first_at(&self, axis: usize, x: f64) -> usize {
        let at = |node: usize| self.origin[axis] + self.spacing * node as f64;
        let mut node = self.guess(axis, x);
        // The quotient is only a guess: its rounding must not decide.
        while node > 0 && at(node - 1) >= x {
            node -= 1;
        }
        while node < self.counts[axis] && at(node) < x {
            node += 1;
        }
        node
    }

    /// The first node along an axis whose coordinate is above `x`, else the number of nodes.
    #[inline(always)]
    pub(super) fn first_above(&self, axis: usize, x: f64) -> usize {
        let mut node = self.first_at(axis, x);
        while node < self.counts[axis] && self.origin[axis] + self.spacing * node as f64 <= x {
            node += 1;
        }
        node
    }

    #[inline(always)]
    fn guess(&self, axis: usize, x: f64) -> usize {
        // The cast saturates where `x` lies far behind the last node, and so must the sum.
        let nodes = ((x - self.origin[axis]) * (1.0 / self.spacing)) as usize;
        nodes.saturating_add(1).min(self.counts[axis])
    }

    /// Half-open ranges along each axis of the nodes in a box; empty when there are none.
    pub(super) fn nodes_in(&self, bounds: &Aabb) -> [std::ops::Range<usize>; 3] {
        [0, 1, 2].map(|axis| {
            let from = self.first_at(axis, bounds.min[axis]);
            from..self.first_above(axis, bounds.max[axis]).max(from)
        })
    }
}

fn check_spacing(spacing: f64) -> Result<(), FieldError> {
    let fits = (1.0 / MAX_SPACING..=MAX_SPACING).contains(&spacing);
    let (option, accepted) = ("grid's spacing", "positive and finite [m]");
    fits.then_some(()).ok_or(FieldError::Option { option, value: spacing, accepted })
}

fn check_size(nodes: f64) -> Result<(), FieldError> {
    let fits = nodes <= MAX_NODES as f64;
    fits.then_some(()).ok_or(FieldError::TooLarge { nodes, memory: 8.0 * nodes / f64::from(1 << 30) })
}
