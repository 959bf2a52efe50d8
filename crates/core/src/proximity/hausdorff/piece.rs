//! Convex pieces of a triangle and their division.

use nalgebra::{Point3, Vector3};

use super::nearest::Near;
use super::pruning_bound::PruningBound;
use super::side::DirectedPair;
use super::triangle::{POINTS, Points, Triangle};

/// Period of the cuts at which a piece is halved, whatever the triangles near its corners, so that every piece shrinks
/// and the search terminates. A shorter one approaches the halving of [TLK09], whose pieces along a crease shrink to
/// the size of the error.
const HALVED_EVERY: u32 = 4;

/// A convex polygon, part of a triangle of one model; everything in the frame of the other model's tree.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// The triangle of which it is a part.
    from: u32,
    depth: u32,
    count: usize,
    corners: Points,
    /// A triangle near each corner: one within the target, or the closest one.
    near: [Near; POINTS],
    /// The cover, the triangle of the other model whose maximum distance from the corners is the minimum known, with
    /// that distance: an upper bound.
    pub(super) cover: Near,
    /// Distances of the corners from the cover [m].
    to_cover: [f64; POINTS],
}

/// A triangle of the other model as the cover of a part of a piece, with its distances from the piece's corners [m].
struct Candidate<'a> {
    triangle: &'a Triangle,
    distances: &'a [f64; POINTS],
}

impl Piece {
    /// The whole triangle `from`, where `cover` is some triangle near it; its corners may raise the lower bound.
    pub(super) fn whole(
        side: &DirectedPair,
        from: u32,
        corners: &[Point3<f64>; 3],
        cover: u32,
        pruning: &mut PruningBound,
    ) -> Self {
        let cover = side.triangle(cover);
        let points = Points::of(corners);
        let distances = cover.distances(&points);
        let mut piece = Self::empty(from, 0, cover.index);
        for (i, point) in corners.iter().enumerate() {
            let known = Near { triangle: cover.index, distance: distances[i] };
            piece.push(point, side.near(point, from, known, pruning), distances[i]);
        }
        piece.complete(side, pruning.target);
        piece
    }

    /// Number of cuts that led to it.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    fn empty(from: u32, depth: u32, cover: u32) -> Self {
        let cover = Near { triangle: cover, distance: 0.0 };
        let corners = Points::all(&Point3::origin());
        Self { from, depth, count: 0, corners, near: [cover; POINTS], cover, to_cover: [0.0; POINTS] }
    }

    fn push(&mut self, point: &Point3<f64>, near: Near, to_cover: f64) {
        self.corners.set(self.count, point);
        (self.near[self.count], self.to_cover[self.count]) = (near, to_cover);
        self.count += 1;
    }

    /// Finds the cover when the piece has all its corners: if the present one is not good enough, the best of the
    /// triangles near the corners.
    fn complete(&mut self, side: &DirectedPair, enough: f64) {
        // Unused slots repeat the first corner, so that they change no maximum.
        for i in self.count..POINTS {
            self.corners.set(i, &self.corners.get(0));
            (self.near[i], self.to_cover[i]) = (self.near[0], self.to_cover[0]);
        }
        self.cover.distance = self.to_cover.into_iter().fold(0.0, f64::max);
        let first = self.cover.triangle;
        for i in 0..self.count {
            if self.cover.distance <= enough {
                return;
            }
            let triangle = self.near[i].triangle;
            if triangle != first && self.near[..i].iter().all(|near| near.triangle != triangle) {
                let to_cover = side.triangle(triangle).distances(&self.corners);
                let distance = to_cover.into_iter().fold(0.0, f64::max);
                if distance < self.cover.distance {
                    (self.cover, self.to_cover) = (Near { triangle, distance }, to_cover);
                }
            }
        }
    }

    /// Cuts the piece in two; new corners may raise the lower bound.
    ///
    /// The corner that is farthest from the cover is near another triangle. The cut is where both triangles are equally
    /// far away, interpolated along the edges, so that each part has a cover of its own.
    pub(super) fn cut(&self, side: &DirectedPair, pruning: &mut PruningBound) -> [Self; 2] {
        let cover = side.triangle(self.cover.triangle);
        let own = Candidate { triangle: &cover, distances: &self.to_cover };
        if self.depth % HALVED_EVERY != HALVED_EVERY - 1 {
            let farthest =
                (1..self.count).fold(0, |far, i| if self.to_cover[i] > self.to_cover[far] { i } else { far });
            let other = side.triangle(self.near[farthest].triangle);
            let to_other = other.distances(&self.corners);
            let values = std::array::from_fn(|i| self.to_cover[i] - to_other[i]);
            if self.is_cut_by(&values) {
                let other = Candidate { triangle: &other, distances: &to_other };
                return self.cut_at_zero(&values, [&own, &other], side, pruning);
            }
        }
        let across = self.heights_along_largest_extent();
        // A diagonal divides the corners evenly where halving would leave a part with too many, or where the piece has
        // no extent.
        let values = if self.is_cut_by(&across) { across } else { self.sides_of_a_diagonal() };
        self.cut_at_zero(&values, [&own, &own], side, pruning)
    }

    /// Heights of the corners over the bisecting plane of the longest diagonal or edge, times its length.
    fn heights_along_largest_extent(&self) -> [f64; POINTS] {
        let (mut longest, mut middle) = (Vector3::zeros(), Point3::origin());
        for i in 0..self.count {
            for j in 0..i {
                let (p, q) = (self.corners.get(i), self.corners.get(j));
                if (p - q).norm_squared() >= longest.norm_squared() {
                    (longest, middle) = (p - q, nalgebra::center(&p, &q));
                }
            }
        }
        std::array::from_fn(|i| longest.dot(&(self.corners.get(i) - middle)))
    }

    /// Values that are zero at two opposite corners and of opposite signs on both sides of them.
    fn sides_of_a_diagonal(&self) -> [f64; POINTS] {
        let opposite = self.count / 2;
        std::array::from_fn(|i| {
            if i == 0 || i == opposite {
                0.0
            } else if i < opposite {
                -1.0
            } else {
                1.0
            }
        })
    }

    /// The first corners of the edges at whose ends the values have opposite signs.
    fn crossings(&self, values: &[f64; POINTS]) -> impl Iterator<Item = usize> {
        let (values, count) = (*values, self.count);
        (0..count).filter(move |&i| {
            let (here, there) = (values[i], values[(i + 1) % count]);
            here < 0.0 && there > 0.0 || here > 0.0 && there < 0.0
        })
    }

    /// Whether neither part would be the whole piece or have more than [`POINTS`] corners.
    fn is_cut_by(&self, values: &[f64; POINTS]) -> bool {
        let crossings = self.crossings(values).count();
        let values = &values[..self.count];
        let (below, above) =
            (values.iter().filter(|&&x| x <= 0.0).count(), values.iter().filter(|&&x| x >= 0.0).count());
        let is_on_both_sides = below < self.count && above < self.count;
        is_on_both_sides && below.max(above) + crossings <= POINTS
    }

    /// The parts in which `values`, one per corner, are not positive and not negative, covered by the first and the
    /// second triangle.
    fn cut_at_zero(
        &self,
        values: &[f64; POINTS],
        covers: [&Candidate; 2],
        side: &DirectedPair,
        pruning: &mut PruningBound,
    ) -> [Self; 2] {
        let mut cuts = Points::all(&self.corners.get(0));
        for (slot, i) in self.crossings(values).enumerate() {
            let (j, p) = ((i + 1) % self.count, self.corners.get(i));
            // Opposite signs, so the divisor is not zero.
            let fraction = values[i] / (values[i] - values[j]);
            cuts.set(slot, &(p + fraction * (self.corners.get(j) - p)));
        }
        let to_cuts = covers.map(|cover| cover.triangle.distances(&cuts));
        let mut parts = covers.map(|cover| Self::empty(self.from, self.depth + 1, cover.triangle.index));
        let mut slot = 0;
        for i in 0..self.count {
            let (point, near) = (self.corners.get(i), self.near[i]);
            for (part, sign) in [(0, -1.0), (1, 1.0)] {
                if values[i] * sign >= 0.0 {
                    parts[part].push(&point, near, covers[part].distances[i]);
                }
            }
            let there = values[(i + 1) % self.count];
            if values[i] < 0.0 && there > 0.0 || values[i] > 0.0 && there < 0.0 {
                let point = cuts.get(slot);
                let closer = usize::from(to_cuts[1][slot] < to_cuts[0][slot]);
                let known = Near { triangle: covers[closer].triangle.index, distance: to_cuts[closer][slot] };
                let near = side.near(&point, self.from, known, pruning);
                for part in 0..2 {
                    parts[part].push(&point, near, to_cuts[part][slot]);
                }
                slot += 1;
            }
        }
        for part in &mut parts {
            part.complete(side, pruning.target);
        }
        parts
    }
}
