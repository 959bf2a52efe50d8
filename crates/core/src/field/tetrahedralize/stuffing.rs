//! Isosurface stuffing: tetrahedra with bounded dihedral angles inside the zero level of a signed distance [Labelle07].
//!
//! 1. The distance is sampled on a body-centred cubic lattice.
//! 2. Every edge that crosses the surface has a cut point there.
//! 3. A lattice point that is violated, having a cut point too near, is warped to its nearest cut point and lies on the
//!    surface from then on.
//! 4. The tetrahedra of the lattice are cut at the remaining cut points ([`super::stencil`]).
//!
//! Every tetrahedron retains a lattice point strictly inside, so none has all its nodes on the surface. With the
//! thresholds below all dihedral angles are between 10.78° and 164.74° for any surface [Labelle07, table 1].
//! Edges and corners of the surface are cut off: the mesh is smooth there on the scale of a cell.

use nalgebra::Point3;

use super::lattice::{Lattice, LatticePoint};
use super::stencil::{Side, apply_stencil, is_long};
use crate::field::error::FieldError;
use crate::geometry::tet_mesh::mesh::{TetMesh, signed_volume};
use crate::geometry::triangle_mesh::Aabb;
use crate::parallel;

/// Warping threshold α of long edges: fraction of the edge within which a cut point violates a lattice point [Labelle07, table 1].
/// The two thresholds are the paper's, and the angle bounds above hold for them only.
const NEAR_LONG: f64 = 0.24999;
/// The same for short edges.
const NEAR_SHORT: f64 = 0.41189;
/// Maximum number of steps of the search for a cut point; bisection alone gives 40 binary digits.
const STEPS: usize = 40;
/// Precision of a cut point as a fraction of its edge: far below the effect on angles.
const CUT_PRECISION: f64 = 1e-9;

/// Fills the surface on which `distance` vanishes with tetrahedra: a signed distance \[m\], negative inside, not
/// overestimated in magnitude. `bounds` contains the surface; `cell` is the length of a lattice cell \[m\].
///
/// ```
/// use extricate_core::field::tetrahedralize::stuff;
/// use extricate_core::geometry::Aabb;
/// use nalgebra::Point3;
///
/// let bounds = Aabb { min: Point3::new(-1.0, -1.0, -1.0), max: Point3::new(1.0, 1.0, 1.0) };
/// let ball = stuff(&bounds, 0.2, 1_000_000, &|p| p.coords.norm() - 1.0)?;
/// assert!((ball.volume() / 4.18879 - 1.0).abs() < 0.02);
/// # Ok::<(), extricate_core::field::FieldError>(())
/// ```
///
/// # Errors
/// [`FieldError`] when the cell is not positive, there would be more than `max_cells`, or no lattice point is
/// inside.
pub fn stuff(
    bounds: &Aabb,
    cell: f64,
    max_cells: usize,
    distance: &(dyn Fn(&Point3<f64>) -> f64 + Sync),
) -> Result<TetMesh, FieldError> {
    if !(cell > 0.0 && cell.is_finite()) {
        let (option, accepted) = ("cell", "positive and finite [m]");
        return Err(FieldError::Option { option, value: cell, accepted });
    }
    let lattice = Lattice::over(bounds.min, bounds.max, cell, max_cells)
        .ok_or(FieldError::TooFine { cell, max_cells })?;
    let values = lattice.sample(distance);
    let mut stuffing = Stuffing::new(&lattice, &values, distance);
    stuffing.warp();
    let (nodes, tets) = stuffing.fill();
    if tets.is_empty() {
        return Err(FieldError::NothingInside { cell });
    }
    Ok(TetMesh::new(nodes, tets)?)
}

/// An edge that crosses the surface.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    /// Slots of its end inside and of that outside.
    slots: [usize; 2],
    ends: [LatticePoint; 2],
    point: Point3<f64>,
}

struct Stuffing<'a> {
    lattice: &'a Lattice,
    /// Sign of each lattice point, by slot.
    sides: Vec<Side>,
    /// Sorted by slots.
    crossings: Vec<Crossing>,
    /// Lattice points that were moved: slot and new position, sorted.
    moved: Vec<(usize, Point3<f64>)>,
}

impl<'a> Stuffing<'a> {
    fn new(lattice: &'a Lattice, values: &[f64], distance: &(dyn Fn(&Point3<f64>) -> f64 + Sync)) -> Self {
        let side = |value: &f64| match value {
            v if *v < 0.0 => Side::Inside,
            v if *v == 0.0 => Side::Surface,
            _ => Side::Outside,
        };
        let sides: Vec<Side> = values.iter().map(side).collect();
        let mut edges: Vec<([usize; 2], [LatticePoint; 2])> = Vec::new();
        for place in lattice.places() {
            let slot = lattice.slot(place);
            if sides[slot] == Side::Inside {
                let others = lattice.neighbours(place).map(|other| (lattice.slot(other), other));
                let across = others.filter(|&(other, _)| sides[other] == Side::Outside);
                edges.extend(across.map(|(other, end)| ([slot, other], [place, end])));
            }
        }
        edges.sort_unstable();
        let cut = |&(slots, ends): &([usize; 2], [LatticePoint; 2])| {
            let [inside, outside] = ends.map(|end| lattice.position(end));
            let fraction = root(slots.map(|slot| values[slot]), |fraction| {
                distance(&(inside + (outside - inside) * fraction))
            });
            Crossing { slots, ends, point: inside + (outside - inside) * fraction }
        };
        Self { lattice, sides, crossings: parallel::map_slice(&edges, 1, cut), moved: Vec::new() }
    }

    /// Warps violated lattice points to their nearest cut points.
    fn warp(&mut self) {
        let mut warps: Vec<(usize, f64, Point3<f64>)> = Vec::new();
        for crossing in &self.crossings {
            let [a, b] = crossing.ends;
            let (length, near) = if is_long(a, b) { (2.0, NEAR_LONG) } else { (3.0_f64.sqrt(), NEAR_SHORT) };
            for (slot, end) in crossing.slots.into_iter().zip(crossing.ends) {
                let distance = (crossing.point - self.lattice.position(end)).norm();
                if distance < near * length * self.lattice.half() {
                    warps.push((slot, distance, crossing.point));
                }
            }
        }
        warps.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        warps.dedup_by_key(|warp| warp.0);
        warps.iter().for_each(|warp| self.sides[warp.0] = Side::Surface);
        self.moved = warps.into_iter().map(|(slot, _, point)| (slot, point)).collect();
    }

    /// Cuts the tetrahedra. Nodes are the lattice points, then the cut points in use, in order.
    fn fill(&self) -> (Vec<Point3<f64>>, Vec<[u32; 4]>) {
        let slots = self.sides.len();
        let name = |place: LatticePoint| self.lattice.slot(place);
        let mut named: Vec<[usize; 4]> = Vec::new();
        for place in self.lattice.places() {
            for places in self.lattice.tets(place) {
                let own = places.map(name);
                let sides = own.map(|slot| self.sides[slot]);
                // Global indices before numbering: slots of lattice points, then crossings behind them.
                let mut pieces: Vec<[u32; 4]> = Vec::new();
                let cut = |i: usize, j: usize| (4 + 4 * i + j) as u32;
                apply_stencil(&places, &sides, &[0, 1, 2, 3], &cut, &mut |tet| pieces.push(tet));
                let global = |local: u32| match local {
                    0..4 => own[local as usize],
                    _ => slots + self.crossing([own[(local as usize - 4) / 4], own[local as usize % 4]]),
                };
                named.extend(pieces.into_iter().map(|tet| tet.map(global)));
            }
        }
        self.number(named)
    }

    /// The crossing between two slots.
    fn crossing(&self, slots: [usize; 2]) -> usize {
        let found = self.crossings.binary_search_by(|crossing| crossing.slots.cmp(&slots));
        found.expect("an edge from inside to outside has a cut point")
    }

    /// Numbers the nodes in use consecutively, and orients every tetrahedron.
    fn number(&self, named: Vec<[usize; 4]>) -> (Vec<Point3<f64>>, Vec<[u32; 4]>) {
        let slots = self.sides.len();
        let mut numbers = vec![u32::MAX; slots + self.crossings.len()];
        named.iter().flatten().for_each(|&name| numbers[name] = 0);
        let mut nodes = Vec::new();
        for place in self.lattice.places() {
            let slot = self.lattice.slot(place);
            if numbers[slot] == 0 {
                numbers[slot] = nodes.len() as u32;
                let moved = self.moved.binary_search_by_key(&slot, |&(slot, _)| slot);
                nodes.push(moved.map_or_else(|_| self.lattice.position(place), |found| self.moved[found].1));
            }
        }
        for (number, crossing) in numbers[slots..].iter_mut().zip(&self.crossings) {
            if *number == 0 {
                *number = nodes.len() as u32;
                nodes.push(crossing.point);
            }
        }
        let oriented = |tet: [usize; 4]| {
            let [a, b, c, d] = tet.map(|name| numbers[name]);
            let corners = [a, b, c, d].map(|node| nodes[node as usize]);
            if signed_volume(&corners) < 0.0 { [a, c, b, d] } else { [a, b, c, d] }
        };
        let tets = named.into_iter().map(oriented).collect();
        (nodes, tets)
    }
}

/// Root of a function on [0, 1] that is negative at 0 and positive at 1: false position, where the value at an end that
/// does not move is halved (Illinois).
fn root(values: [f64; 2], function: impl Fn(f64) -> f64) -> f64 {
    let ([mut low, mut high], [mut below, mut above]) = ([0.0, 1.0], values);
    let mut last_moved_low = None;
    for _ in 0..STEPS {
        if !(high - low > CUT_PRECISION) {
            break;
        }
        let proposed = low + (high - low) * (below / (below - above));
        let at = if proposed > low && proposed < high { proposed } else { 0.5 * (low + high) };
        let value = function(at);
        if value.abs() <= CUT_PRECISION * (values[1] - values[0]) {
            return at;
        }
        let moves_low = value < 0.0;
        let repeats = last_moved_low == Some(moves_low);
        if moves_low {
            (low, below) = (at, value);
            above *= if repeats { 0.5 } else { 1.0 };
        } else {
            (high, above) = (at, value);
            below *= if repeats { 0.5 } else { 1.0 };
        }
        last_moved_low = Some(moves_low);
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::tet_mesh::quality::TetQuality;

    /// A fixed sequence of numbers in [0, 1).
    fn noise(seed: u64) -> f64 {
        let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ (x >> 31)) as f64 / u64::MAX as f64
    }

    #[test]
    fn random_signs_and_cut_points_satisfy_the_angle_bounds_of_the_paper() {
        // No surface at all: every sign and every cut point is random, the worst case.
        let lattice = Lattice::over(Point3::origin(), Point3::new(1.0, 1.0, 1.0), 0.06, 100_000).unwrap();
        let (mut min, mut max) = (180.0_f64, 0.0_f64);
        for seed in 0..6_u64 {
            let fraction = 0.3 + 0.1 * seed as f64;
            let mut values = vec![f64::INFINITY; lattice.sample(&|_| 1.0).len()];
            for place in lattice.places() {
                let slot = lattice.slot(place);
                let p = lattice.position(place) - Point3::new(0.5, 0.5, 0.5);
                let inner = p.iter().all(|x| x.abs() < 0.5);
                let draw = noise(seed * 1_000_003 + slot as u64);
                values[slot] = if inner && draw < fraction { -1.0 } else { 1.0 };
            }
            let mut stuffing = Stuffing::new(&lattice, &values, &|_| 0.0);
            for (index, crossing) in stuffing.crossings.iter_mut().enumerate() {
                let [a, b] = crossing.ends.map(|end| lattice.position(end));
                let draw = noise(seed + 77 * index as u64);
                let at = if index % 3 == 0 {
                    draw
                } else if is_long(crossing.ends[0], crossing.ends[1]) {
                    if draw < 0.5 { NEAR_LONG } else { 1.0 - NEAR_LONG }
                } else if draw < 0.5 {
                    NEAR_SHORT
                } else {
                    1.0 - NEAR_SHORT
                };
                crossing.point = a + (b - a) * at;
            }
            stuffing.warp();
            let (nodes, tets) = stuffing.fill();
            let mesh = TetMesh::new(nodes, tets).unwrap();
            let quality = TetQuality::of(&mesh);
            assert_eq!(quality.tets_on_surface, 0);
            min = min.min(quality.min_dihedral);
            max = max.max(quality.max_dihedral);
        }
        assert!(min >= 10.78 && max <= 164.75, "{min} {max}");
    }

    #[test]
    fn a_root_is_found_where_false_position_alone_converges_slowly() {
        let found = root([-1e-3, 1.0], |x| x.powi(9) - 1e-3);
        assert!((found - 1e-3_f64.powf(1.0 / 9.0)).abs() < 1e-5, "{found}");
        assert!((root([-0.3, 0.7], |x| x - 0.3) - 0.3).abs() < 1e-12);
    }
}
