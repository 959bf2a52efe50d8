//! Update of a field after its mesh has changed in some regions [Fisher01 §4.4].
//!
//! Departs from [Fisher01]: nodes downstream of the regions are marched again as well, so that the result equals a new
//! field. [`DistanceField::update_within`] is the paper's method: only the regions are marched again, continuity over
//! their border is verified, and the remedies are tried in the paper's order: blending, then a new field.

use std::ops::Range;

use super::distance_field::DistanceField;
use super::error::FieldError;
use super::log::{Box3, Log};
use super::march::FAR;
use super::options::{FieldOptions, Order, Side};
use super::{band, closed, crossings, front};
use crate::geometry::triangle_mesh::{Aabb, TriangleMesh};

/// Jump over the border of a region, in cells, up to which a field counts as continuous: below the error of the march, so
/// that a smaller one would remedy what the march itself does.
const CONTINUOUS: f64 = 1e-3;
/// Jump in cells up to which values are blended. A larger one accepts distances that are wrong by as much; above it the whole
/// field is computed, which takes longer.
const BLENDABLE: f64 = 0.1;
/// Layers of nodes along the border of a region over which old and new values are blended: with fewer the blended distance
/// changes more steeply, with more the old values reach farther inside.
const LAYERS: usize = 4;

/// Remedy for a jump over the border of the regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing: the field is continuous.
    None,
    /// Old and new values were blended along the border.
    Blended,
    /// The whole field was recomputed.
    Whole,
}

/// Result of an update.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Update {
    /// Number of nodes whose value has changed.
    pub recomputed: usize,
    /// Number of local solves, to verify nodes and to march.
    pub solved: usize,
    /// Maximum jump over the border of the regions before any remedy \[m\]; zero when nodes downstream were marched
    /// again.
    pub jump: f64,
    /// Remedy for it.
    pub remedy: Remedy,
}

impl DistanceField {
    /// Updates the field to that of `mesh`, which differs from the field's mesh only inside `regions` [body frame]: every
    /// changed triangle lies in one of them before and after. Values equal those of a new field up to a few units of
    /// rounding.
    ///
    /// # Errors
    /// [`ShapeError::NotClosed`](crate::geometry::ShapeError::NotClosed), and the field is unchanged.
    pub fn update(&mut self, mesh: &TriangleMesh, regions: &[Aabb]) -> Result<Update, FieldError> {
        closed::check(mesh)?;
        let update = self.recompute(mesh, regions, None);
        Ok(Update { jump: 0.0, ..update })
    }

    /// As [`DistanceField::update`], but only nodes in the regions are recomputed [Fisher01 §4.4.2]: the regions should
    /// contain all nodes that the change affects. When the field is not continuous over their border, old and new values
    /// are blended there, and when the jump is too large for that, the whole field is recomputed.
    ///
    /// # Errors
    /// As [`DistanceField::update`].
    pub fn update_within(&mut self, mesh: &TriangleMesh, regions: &[Aabb]) -> Result<Update, FieldError> {
        closed::check(mesh)?;
        let boxes: Vec<Box3> = regions.iter().map(|region| self.padded(region)).collect();
        let update = self.recompute(mesh, regions, Some(boxes));
        let cells = update.jump / self.grid.spacing;
        if cells <= CONTINUOUS {
            return Ok(update);
        }
        if cells <= BLENDABLE {
            return Ok(Update { remedy: Remedy::Blended, ..update });
        }
        let options = FieldOptions {
            order: self.order,
            side: self.side,
            band: self.limit.is_finite().then_some(self.limit),
            ..FieldOptions::default()
        };
        *self = Self::with_band(mesh, self.grid, &options, self.exact)?;
        Ok(Update { recomputed: self.known, remedy: Remedy::Whole, ..update })
    }

    /// The nodes whose exact distance may change with triangles in a region.
    fn padded(&self, region: &Aabb) -> Box3 {
        let room = self.exact;
        let padded = Aabb { min: region.min.map(|x| x - room), max: region.max.map(|x| x + room) };
        self.grid.nodes_in(&padded)
    }

    /// Recomputes changed values; nothing is marched outside of `within`.
    fn recompute(&mut self, mesh: &TriangleMesh, regions: &[Aabb], within: Option<Vec<Box3>>) -> Update {
        let stencil = self.stencil();
        let boxes: Vec<Box3> = regions.iter().map(|region| self.padded(region)).collect();
        let mut log = Log::new(self.values.len(), within);
        let mut changed = Vec::new();
        for nodes in boxes.iter().filter(|nodes| !nodes.iter().any(Range::is_empty)) {
            let old = self.initialise_again(mesh, nodes);
            self.settle(nodes, &old, &mut changed, &mut log);
        }
        for side in [Side::Inside, Side::Outside].into_iter().filter(|&side| self.side.includes(side)) {
            front::march_again(&stencil, side, self.order, &mut self.values, &changed, &mut log);
        }
        let jump = self.jump(&log.beyond);
        if jump > CONTINUOUS * self.grid.spacing && jump <= BLENDABLE * self.grid.spacing {
            self.blend(&log.old, &boxes);
        }
        let known = |value: f64| usize::from(value.abs() < FAR);
        let before: usize = log.old.iter().map(|&(_, old)| known(old)).sum();
        let after: usize = log.old.iter().map(|&(node, _)| known(self.values[node as usize])).sum();
        self.known = self.known + after - before;
        Update { recomputed: log.old.len(), solved: log.solved, jump, remedy: Remedy::None }
    }

    /// Sets exact distances and signs of the nodes of a box; nodes away from the surface become far. Returns the old
    /// values, line by line.
    fn initialise_again(&mut self, mesh: &TriangleMesh, nodes: &Box3) -> Vec<f64> {
        let [xs, ys, zs] = nodes.clone();
        let mut old = Vec::with_capacity(nodes.iter().map(Range::len).product());
        for (j, k) in zs.clone().flat_map(|k| ys.clone().map(move |j| (j, k))) {
            let line = self.grid.place([0, j, k]);
            let values = &mut self.values[line + xs.start..line + xs.end];
            old.extend_from_slice(values);
            values.fill(FAR);
        }
        band::distances(mesh, &self.grid, self.exact, nodes, &mut self.values);
        for range in crossings::inside(mesh, &self.grid, [ys, zs]) {
            // The range lies in one line, whose other nodes may be outside the box.
            let line = range.start - (range.start % self.grid.strides()[1] - 1);
            let part = range.start.max(line + xs.start)..range.end.min(line + xs.end);
            if !part.is_empty() {
                self.values[part].iter_mut().for_each(|value| *value = -*value);
            }
        }
        old
    }

    /// Adds the nodes of a box whose exact distance or side has changed to `changed`. Far nodes on an unchanged side get
    /// their old value back.
    fn settle(&mut self, nodes: &Box3, old: &[f64], changed: &mut Vec<u32>, log: &mut Log) {
        let [xs, ys, zs] = nodes.clone();
        let band = self.exact;
        let lines = zs.flat_map(|k| ys.clone().map(move |j| (j, k)));
        for ((j, k), old) in lines.zip(old.chunks_exact(xs.len())) {
            let line = self.grid.place([0, j, k]) + xs.start;
            for (place, &old) in (line..).zip(old) {
                let value = self.values[place];
                let same_side = value.is_sign_negative() == old.is_sign_negative();
                if value.abs() >= FAR && old.abs() > band && same_side {
                    self.values[place] = old;
                } else if value.to_bits() != old.to_bits() {
                    log.note(place, old);
                    changed.push(place as u32);
                }
            }
        }
    }

    /// Maximum difference between the value of a node and the local solution for those around it [m].
    fn jump(&self, nodes: &[u32]) -> f64 {
        let (stencil, values) = (self.stencil(), &self.values);
        let gap = |&node: &u32| {
            let (node, value) = (node as usize, values[node as usize]);
            let t = match (value < 0.0, self.order) {
                (true, Order::First) => stencil.solve::<true, false>(values, node),
                (true, Order::Second) => stencil.solve::<true, true>(values, node),
                (false, Order::First) => stencil.solve::<false, false>(values, node),
                (false, Order::Second) => stencil.solve::<false, true>(values, node),
            };
            (t - value.abs()).abs()
        };
        nodes.iter().map(gap).fold(0.0, f64::max)
    }

    /// Blends new values with old ones near the faces of the boxes: the nearer, the larger the weight of the old [Fisher01 §4.4.2].
    fn blend(&mut self, changed: &[(u32, f64)], boxes: &[Box3]) {
        let [_, line, plane] = self.grid.strides();
        let band = self.exact;
        for &(node, old) in changed {
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
            let new = self.values[place];
            let is_marched = |value: f64| value.abs() > band && value.abs() < FAR;
            if is_marched(new) && is_marched(old) && new.is_sign_negative() == old.is_sign_negative() {
                let weight = layer as f64 / LAYERS as f64;
                self.values[place] = weight * new + (1.0 - weight) * old;
            }
        }
    }
}
