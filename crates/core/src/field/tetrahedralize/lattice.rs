//! The body-centred cubic lattice: two cubic lattices, each with its points at the centres of the other one's cubes.
//!
//! Points have integer coordinates in units of half a cell, all even or all odd. A *long* edge joins neighbours of one
//! cubic lattice (2 units), a *short* one a point with a corner of its cube (√3 units). A tetrahedron consists of a long
//! edge and one of the four long edges of the other lattice around its midpoint; all are congruent, with dihedral angles
//! of 60° and 90° [Labelle07].

use nalgebra::{Point3, Vector3};

use crate::parallel;

/// Cells along an axis of the blocks in which far points are skipped together: smaller blocks need more distances at their
/// centres, larger ones are rarely far as a whole. The mesh does not depend on it.
const BLOCK: i32 = 6;

/// Fraction of a distance that is allowed for rounding of the distance and of the position.
const ROUNDING: f64 = 1e-9;

/// A lattice point, in units of half a cell.
pub(super) type LatticePoint = [i32; 3];

/// The lattice over a box.
#[derive(Debug, Clone)]
pub(super) struct Lattice {
    origin: Point3<f64>,
    half: f64,
    /// Cells along each axis.
    cells: [i32; 3],
}

impl Lattice {
    /// The lattice with cells of `cell` [m] over a box, with a margin of one cell around it. `None` when it has more than
    /// `max_cells` cells.
    pub(super) fn over(min: Point3<f64>, max: Point3<f64>, cell: f64, max_cells: usize) -> Option<Self> {
        let counts = ((max - min) / cell).map(|count| count.ceil() + 3.0);
        if !(counts.product() <= max_cells as f64) {
            return None;
        }
        let middle = nalgebra::center(&min, &max);
        Some(Self {
            origin: middle - counts * (0.5 * cell),
            half: 0.5 * cell,
            cells: [counts.x as i32, counts.y as i32, counts.z as i32],
        })
    }

    /// Position of a lattice point [m].
    pub(super) fn position(&self, place: LatticePoint) -> Point3<f64> {
        self.origin + self.half * Vector3::new(place[0].into(), place[1].into(), place[2].into())
    }

    /// Length of half a cell [m].
    pub(super) fn half(&self) -> f64 {
        self.half
    }

    /// Number of points in the arrays over the lattice, with a slot for each point of even and of odd coordinates.
    fn slots(&self) -> usize {
        2 * self.cells.iter().map(|&count| count as usize + 1).product::<usize>()
    }

    /// The slot of a lattice point.
    pub(super) fn slot(&self, place: LatticePoint) -> usize {
        let [x, y, z] = place.map(|at| (at >> 1) as usize);
        let cell = (x * (self.cells[1] as usize + 1) + y) * (self.cells[2] as usize + 1) + z;
        2 * cell + (place[0] & 1) as usize
    }

    /// Whether a point is in the lattice.
    fn contains(&self, place: LatticePoint) -> bool {
        (0..3).all(|axis| place[axis] >= 0 && place[axis] <= 2 * self.cells[axis])
    }

    /// All lattice points, in the order of their slots.
    pub(super) fn places(&self) -> impl Iterator<Item = LatticePoint> + '_ {
        let [x, y, z] = self.cells;
        let corners =
            (0..=x).flat_map(move |i| (0..=y).flat_map(move |j| (0..=z).map(move |k| [2 * i, 2 * j, 2 * k])));
        corners.flat_map(|[i, j, k]| [[i, j, k], [i + 1, j + 1, k + 1]]).filter(|&place| self.contains(place))
    }

    /// Samples the distance at every lattice point, in slots. All points of a block that is farther from the surface than
    /// its own radius get the distance of its centre: only its sign is used there.
    pub(super) fn sample(&self, distance: &(dyn Fn(&Point3<f64>) -> f64 + Sync)) -> Vec<f64> {
        let blocks = self.cells.map(|count| count / BLOCK + 1);
        let count = blocks.iter().product::<i32>();
        let sampled = parallel::map(count as usize, 1, |block| {
            let block = block as i32;
            let at = [block / (blocks[1] * blocks[2]), block / blocks[2] % blocks[1], block % blocks[2]];
            self.sample_block(at, distance)
        });
        let mut values = vec![f64::INFINITY; self.slots()];
        sampled.into_iter().flatten().for_each(|(slot, value)| values[slot] = value);
        values
    }

    fn sample_block(&self, block: LatticePoint, distance: &dyn Fn(&Point3<f64>) -> f64) -> Vec<(usize, f64)> {
        let middle = self.position(block.map(|at| (2 * at + 1) * BLOCK));
        let radius = f64::from(BLOCK) * self.half * 3.0_f64.sqrt();
        let common = distance(&middle);
        // The margin of two cells leaves exact values at the neighbours of every edge that crosses the surface.
        let is_far = common.abs() * (1.0 - ROUNDING) > radius + 4.0 * self.half;
        let mut values = Vec::new();
        for i in 0..BLOCK * BLOCK * BLOCK {
            let step = [i / (BLOCK * BLOCK), i / BLOCK % BLOCK, i % BLOCK];
            let corner = [0, 1, 2].map(|axis| 2 * (block[axis] * BLOCK + step[axis]));
            for place in [corner, corner.map(|at| at + 1)] {
                if self.contains(place) {
                    let value = if is_far { common } else { distance(&self.position(place)) };
                    values.push((self.slot(place), value));
                }
            }
        }
        values
    }

    /// The neighbours of a lattice point, the 8 at short edges first, then the 6 at long ones.
    pub(super) fn neighbours(&self, place: LatticePoint) -> impl Iterator<Item = LatticePoint> + '_ {
        let short = (0..8).map(|bits| [0, 1, 2].map(|axis| if bits >> axis & 1 == 0 { -1 } else { 1 }));
        let long = (0..6).map(|side| {
            let mut step = [0; 3];
            step[side / 2] = if side % 2 == 0 { -2 } else { 2 };
            step
        });
        short
            .chain(long)
            .map(move |step: LatticePoint| [0, 1, 2].map(|axis| place[axis] + step[axis]))
            .filter(|&place| self.contains(place))
    }

    /// The tetrahedra at a point's three long edges in positive directions, positively oriented: each is the point, the
    /// other end of that edge, and two points of the other cubic lattice.
    pub(super) fn tets(&self, place: LatticePoint) -> impl Iterator<Item = [LatticePoint; 4]> + '_ {
        (0..3)
            .filter(move |&axis| place[axis] % 2 == 0 || place[axis] > 0)
            .flat_map(move |axis| {
                let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
                let step = move |along: i32, across: [i32; 2]| {
                    let mut other = place;
                    other[axis] += along;
                    other[u] += across[0];
                    other[v] += across[1];
                    other
                };
                let around = [[1, 1], [-1, 1], [-1, -1], [1, -1]];
                (0..4)
                    .map(move |i| [place, step(2, [0, 0]), step(1, around[i]), step(1, around[(i + 1) % 4])])
            })
            // Every tetrahedron has two long edges, one of each cubic lattice; it is counted at the one of even coordinates.
            .filter(|tet| tet[0][0] % 2 == 0)
            .filter(|tet| tet.iter().all(|&place| self.contains(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::tet_mesh::signed_volume;

    #[test]
    fn the_tetrahedra_are_positively_oriented_and_fill_the_inner_cells() {
        let lattice = Lattice::over(Point3::origin(), Point3::new(2.0, 3.0, 1.0), 0.5, 10_000).unwrap();
        let volumes: Vec<f64> = lattice
            .places()
            .flat_map(|place| lattice.tets(place).collect::<Vec<_>>())
            .map(|tet| signed_volume(&tet.map(|place| lattice.position(place))))
            .collect();
        // A cell has 12 tetrahedra: the volume of each is 1/12 cell.
        assert!(volumes.iter().all(|v| (v / (0.125 / 12.0) - 1.0).abs() < 1e-12));
        let sum: f64 = volumes.iter().sum();
        let box_of_lattice: f64 = [7.0, 9.0, 5.0].iter().product::<f64>() * 0.125;
        assert!(sum > 0.7 * box_of_lattice && sum < box_of_lattice, "{sum} of {box_of_lattice}");
    }

    #[test]
    fn far_blocks_keep_the_sign_of_every_point() {
        let lattice = Lattice::over(Point3::origin(), Point3::new(4.0, 4.0, 4.0), 0.08, 1_000_000).unwrap();
        let ball = |p: &Point3<f64>| (p - Point3::new(2.0, 2.1, 1.9)).norm() - 1.6;
        let values = lattice.sample(&ball);
        for place in lattice.places() {
            let (sampled, exact) = (values[lattice.slot(place)], ball(&lattice.position(place)));
            assert!(sampled.is_sign_negative() == exact.is_sign_negative());
            assert!(exact.abs() > 0.2 || sampled.to_bits() == exact.to_bits());
        }
    }
}
