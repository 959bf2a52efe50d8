//! A field made to follow a mesh that has changed in some regions [Fisher01 §4.4].
//!
//! Departs from [Fisher01]: what lies downstream of the regions is marched again as well, so that the result is that of
//! a new field. [`DistanceField::update_within`] is theirs: only the regions are marched again, continuity over their
//! border is verified, and the remedies follow in their order: blending, then a new field.

use std::ops::Range;

use super::again::{Again, Box3};
use super::distance_field::DistanceField;
use super::march::FAR;
use super::{FieldError, FieldOptions, Order, Side, band, closed, crossings};
use crate::geometry::{Aabb, TriangleMesh};

/// Difference of distances, as a share of the grid's longest edge, that counts as none: some fifty units of rounding.
/// With a larger one an update strays from a new field, with a smaller one it marches again what rounding has changed.
const SAME: f64 = 1e-14;
/// Jump over the border of a region, in cells, up to which a field counts as continuous: less than the error of the
/// march.
const CONTINUOUS: f64 = 1e-3;
/// Jump in cells up to which blending helps.
const BLENDABLE: f64 = 0.1;
/// Layers of nodes along the border of a region over which old and new values are blended.
const LAYERS: usize = 4;

/// What was done about a jump over the border of the regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing: the field is continuous.
    None,
    /// Old and new values were blended along the border.
    Blended,
    /// The whole field was computed anew.
    Whole,
}

/// What an update did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Update {
    /// Number of nodes whose value was computed again.
    pub recomputed: usize,
    /// Greatest jump over the border of the regions before any remedy [m]; zero when what lies downstream was marched
    /// again.
    pub jump: f64,
    /// What was done about it.
    pub remedy: Remedy,
}

impl DistanceField {
    /// Makes the field that of `mesh`, which differs from the mesh it was made of only inside `regions` [body frame]:
    /// every triangle that has changed lies in one of them before and after. Values are those of a new field to
    /// within some units of rounding.
    ///
    /// # Errors
    /// [`FieldError::NotClosed`], and then the field is as it was.
    pub fn update(&mut self, mesh: &TriangleMesh, regions: &[Aabb]) -> Result<Update, FieldError> {
        closed::check(mesh)?;
        let (recomputed, _) = self.again(mesh, regions, None);
        Ok(Update { recomputed, jump: 0.0, remedy: Remedy::None })
    }

    /// As [`DistanceField::update`], but only nodes in the regions are computed again [Fisher01 §4.4.2]: the regions
    /// are to hold all nodes that the change concerns. When the field is not continuous over their border, old and new
    /// values are blended there, and when the jump is too large for that, the whole field is computed anew.
    ///
    /// # Errors
    /// As [`DistanceField::update`].
    pub fn update_within(&mut self, mesh: &TriangleMesh, regions: &[Aabb]) -> Result<Update, FieldError> {
        closed::check(mesh)?;
        let boxes: Vec<Box3> = regions.iter().map(|region| self.padded(region)).collect();
        let (recomputed, jump) = self.again(mesh, regions, Some(boxes));
        let cells = jump / self.grid.spacing;
        if cells <= CONTINUOUS {
            return Ok(Update { recomputed, jump, remedy: Remedy::None });
        }
        if cells <= BLENDABLE {
            return Ok(Update { recomputed, jump, remedy: Remedy::Blended });
        }
        let options = FieldOptions {
            order: self.order,
            side: self.side,
            band: self.limit.is_finite().then_some(self.limit),
            ..FieldOptions::default()
        };
        *self = Self::on(mesh, self.grid, &options)?;
        Ok(Update { recomputed: self.known, jump, remedy: Remedy::Whole })
    }

    /// The nodes whose exact distance may change with triangles in a region.
    fn padded(&self, region: &Aabb) -> Box3 {
        let room = self.band();
        let padded = Aabb { min: region.min.map(|x| x - room), max: region.max.map(|x| x + room) };
        self.grid.nodes_in(&padded)
    }

    /// The number of nodes computed again, and the greatest jump over the border of `within` [m].
    fn again(&mut self, mesh: &TriangleMesh, regions: &[Aabb], within: Option<Vec<Box3>>) -> (usize, f64) {
        let (stencil, grid, order, side) = (self.stencil(), self.grid, self.order, self.side);
        let longest = grid.bounds().extents().max();
        let boxes: Vec<Box3> = regions.iter().map(|region| self.padded(region)).collect();
        let mut again = Again::new(stencil, &mut self.values, SAME * longest, within);
        for nodes in &boxes {
            initialise(&mut again, mesh, &grid, nodes);
        }
        let changed = settle(&mut again);
        if side.includes(Side::Inside) {
            match order {
                Order::First => again.march::<true, false>(&changed),
                Order::Second => again.march::<true, true>(&changed),
            }
        }
        if side.includes(Side::Outside) {
            match order {
                Order::First => again.march::<false, false>(&changed),
                Order::Second => again.march::<false, true>(&changed),
            }
        }
        let jump = again.jump(order);
        if jump > CONTINUOUS * grid.spacing && jump <= BLENDABLE * grid.spacing {
            blend(&mut again, &boxes);
        }
        let known = |value: f64| usize::from(value.abs() < FAR);
        let (mut before, mut after) = (0, 0);
        for &node in &again.touched {
            before += known(again.old[node as usize]);
            after += known(again.values[node as usize]);
        }
        let recomputed = again.touched.len();
        self.known = self.known + after - before;
        (recomputed, jump)
    }
}

/// Exact distances and signs of the nodes of a box, all others of which become far.
fn initialise(again: &mut Again, mesh: &TriangleMesh, grid: &super::Grid, nodes: &Box3) {
    let [xs, ys, zs] = nodes.clone();
    if nodes.iter().any(std::ops::Range::is_empty) {
        return;
    }
    for (j, k) in zs.clone().flat_map(|k| ys.clone().map(move |j| (j, k))) {
        let line = grid.place([0, j, k]);
        (line + xs.start..line + xs.end).for_each(|node| again.touch(node));
        again.values[line + xs.start..line + xs.end].fill(FAR);
    }
    band::distances(mesh, grid, again.stencil.band, nodes, again.values);
    for range in crossings::inside(mesh, grid, [ys, zs]) {
        // The range lies in one line.
        let line = range.start - (range.start % grid.strides()[1] - 1);
        let part = range.start.max(line + xs.start)..range.end.min(line + xs.end);
        if !part.is_empty() {
            again.values[part].iter_mut().for_each(|value| *value = -*value);
        }
    }
}

/// The nodes whose exact distance or side has changed. Far nodes whose side has not get their old value back.
fn settle(again: &mut Again) -> Vec<u32> {
    let band = again.stencil.band;
    let mut changed = Vec::new();
    let mut touched = std::mem::take(&mut again.touched);
    touched.retain(|&node| {
        let (value, old) = (again.values[node as usize], again.old[node as usize]);
        let same_side = value.is_sign_negative() == old.is_sign_negative();
        let was_marched = old.abs() > band;
        if value.abs() >= FAR && was_marched && same_side {
            again.values[node as usize] = old;
            again.forget(node as usize);
            return false;
        }
        if value.to_bits() == old.to_bits() {
            again.forget(node as usize);
            return false;
        }
        changed.push(node);
        true
    });
    again.touched = touched;
    changed
}

/// Mixes new values with old ones near the faces of the boxes, the more of the old the nearer.
fn blend(again: &mut Again, boxes: &[Box3]) {
    let [_, line, plane] = again.stencil.strides;
    let band = again.stencil.band;
    for &node in &again.touched {
        let place = node as usize;
        let at = [place % line - 1, place % plane / line - 1, place / plane - 1];
        let depth = |nodes: &Box3| {
            let inwards = |axis: usize| {
                let (at, Range { start, end }) = (at[axis], nodes[axis].clone());
                if (start..end).contains(&at) { (at - start + 1).min(end - at) } else { 0 }
            };
            inwards(0).min(inwards(1)).min(inwards(2))
        };
        let layer = boxes.iter().map(depth).max().unwrap_or(0).min(LAYERS);
        let (new, old) = (again.values[place], again.old[place]);
        let is_marched = |value: f64| value.abs() > band && value.abs() < FAR;
        if is_marched(new) && is_marched(old) && new.is_sign_negative() == old.is_sign_negative() {
            let share = layer as f64 / LAYERS as f64;
            again.values[place] = share * new + (1.0 - share) * old;
        }
    }
}
