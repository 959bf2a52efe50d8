//! A cover of the short translations by balls of translations that leave the solids in collision.
//!
//! A bound s + r that the balls prove at a translation q holds around it: every translation that differs from q by less
//! collides as well. So does a curve that crosses a patch ([`super::crossing`]). Cubes around the origin are processed in the order
//! of their minimum length; one that lies in such a ball about its middle is covered, any other one is cut into eight. No
//! translation shorter than the minimum over the remaining cubes separates, so the bound is valid at any time and only grows.
//!
//! A small cube that is not covered is where a shorter separating translation may be: if its middle is one, the search
//! is resumed there, and the cover continues with what it finds. Search and proof meet where the answer is certified.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::time::Instant;

use nalgebra::Vector3;

use super::crossing::{Certificate, CrossingSearch, Limits};
use super::{FIRST_STEP, Resume, Solids};
use crate::proximity::collision::intersecting_pair_at;
use crate::proximity::inner_ball::Ball;
use crate::proximity::relative_pose::triangles_in_b;

/// Edge of a cube, relative to the depth, below which it is not cut and the cover ends; mostly the evaluations end
/// first. A safeguard, without effect on the sets of docs/sensitivity.md.
const MIN_EDGE: f64 = 1e-6;
/// Balls whose depth is evaluated for one cube: fewer cut cubes that a ball would cover, more spend distances on cubes that must
/// be cut.
const TRIES: usize = 3;
/// Half edge of a cube, relative to the sufficient depth, above which cutting it costs less than an ascent. Larger,
/// ascents are spent on cubes that no ball covers; smaller, cubes are cut where an ascent would cover them. Half and
/// twice change no depth and no proved bound (docs/sensitivity.md).
const SMALL: f64 = 1.0 / 64.0;
/// Distance of the best ball outside the other solid up to which an ascent is started from it, relative to the
/// sufficient depth. A safeguard, without effect on the sets of docs/sensitivity.md.
const OUTSIDE: f64 = 0.1;
/// Maximum number of balls of either solid, including those that ascents find: every cube scans all of them. No effect
/// on the sets of docs/sensitivity.md.
const MAX_BALLS: usize = 512;

/// Evaluations that a search for a certificate counts as: it finds all crossings and tries some patches.
const SEARCH: u32 = 64;
/// Patches that are tried for one cube. Fewer cut cubes that a certificate would cover, more spend time on cubes that must be
/// cut.
const PATCHES: usize = 12;
/// Margin at which a search for one cube ends, relative to the one needed: what is beyond covers its neighbours.
const GENEROUS: f64 = 2.0;
/// Certificates of neighbours that are evaluated about the middle of a cube, and curves of neighbours that a search
/// tries first.
const NEIGHBORS: usize = 4;
/// Half edge of a cube, relative to the depth, from which on the middle of an uncovered one is tested for being
/// separated: a narrower gap is found when its cube is cut further.
const PROBED: f64 = 1.0 / 6.0;

/// Likely bound of a ball [m], its owner, and its index.
type Prospect = (f64, usize, usize);

/// A cube of translations of A, in B's frame.
#[derive(Debug, Clone, Copy)]
struct Cube {
    middle: Vector3<f64>,
    /// Half the edge [m].
    half: f64,
    /// Length of its shortest translation [m].
    min: f64,
    /// Breaks ties.
    number: u32,
}

impl Cube {
    fn new(middle: Vector3<f64>, half: f64, number: u32) -> Self {
        let min = middle.map(|x| (x.abs() - half).max(0.0)).norm();
        Self { middle, half, min, number }
    }

    /// Length of its longest translation [m].
    fn max_length(&self) -> f64 {
        self.middle.map(|x| x.abs() + self.half).norm()
    }

    /// Middle of the part of the cube in which translations may be shorter than `upper` [m], and the distance from it within
    /// which that part lies.
    fn clipped(&self, upper: f64) -> (Vector3<f64>, f64) {
        let shortest = self.middle.map(|x| (x.abs() - self.half).max(0.0));
        let (mut middle, mut half) = (self.middle, Vector3::repeat(self.half));
        for axis in 0..3 {
            let others = shortest.norm_squared() - shortest[axis] * shortest[axis];
            let limit = (upper * upper - others).max(0.0).sqrt();
            let low = (self.middle[axis] - self.half).max(-limit);
            let high = (self.middle[axis] + self.half).min(limit).max(low);
            (middle[axis], half[axis]) = (0.5 * (low + high), 0.5 * (high - low));
        }
        // The product of the roundings of the limits.
        (middle, half.norm() * (1.0 + 1e-12))
    }
}

impl PartialEq for Cube {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cube {}

impl PartialOrd for Cube {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cube {
    /// Reversed, so that the maximum of the heap is the cube with the shortest translation.
    fn cmp(&self, other: &Self) -> Ordering {
        other.min.total_cmp(&self.min).then_with(|| other.number.cmp(&self.number))
    }
}

/// The part of a cube that has to be covered.
#[derive(Debug, Clone, Copy)]
struct Part {
    middle: Vector3<f64>,
    /// Half the edge of the cube [m].
    half: f64,
    /// Radius of a ball of colliding translations about the middle that covers the part [m].
    needed: f64,
}

/// State of a cover.
struct Cover<'a> {
    /// Evaluations left.
    evaluations: u32,
    /// A translation that separates [m, frame of B's tree].
    separating: Vector3<f64>,
    search: Option<CrossingSearch<'a>>,
    certificates: Vec<Certificate>,
}

impl<'a> Solids<'a> {
    /// Raises the bound `proved` by a cover of all translations shorter than the sufficient depth, with at most `evaluations`,
    /// until the deadline. `resume` searches for a shorter separating translation from a given one.
    pub(super) fn by_cover(
        &mut self,
        proved: f64,
        evaluations: u32,
        separating: Vector3<f64>,
        resume: Resume,
    ) -> f64 {
        let (mut cubes, mut number) = (BinaryHeap::from([Cube::new(Vector3::zeros(), self.upper, 0)]), 0);
        let search = self.crossing_search();
        let mut cover = Cover { evaluations, separating, search, certificates: Vec::new() };
        // The bound at the origin already covers a ball of translations.
        let (around_origin, mut best) = (proved - 2.0 * self.rounding, proved);
        while let Some(cube) = cubes.pop() {
            best = best.max(cube.min);
            let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let is_spent = cover.evaluations == 0 || is_late;
            if best >= self.upper || is_spent || 2.0 * cube.half <= MIN_EDGE * self.upper {
                return best.min(self.upper);
            }
            if cube.max_length() <= around_origin || self.is_covered(&cube, &mut cover) {
                continue;
            }
            if cube.half <= PROBED * self.upper
                && let Some(shorter) = resume(&cube.middle)
            {
                self.upper = shorter.norm();
                cover.separating = shorter;
            }
            // Octants beyond the sufficient depth need no cover.
            let half = 0.5 * cube.half;
            for octant in 0..8 {
                let side = |bit: u32| if octant & bit == 0 { -half } else { half };
                number += 1;
                let child = Cube::new(cube.middle + Vector3::new(side(1), side(2), side(4)), half, number);
                if child.min < self.upper {
                    cubes.push(child);
                }
            }
        }
        self.upper
    }

    /// Whether all translations in the cube that are shorter than the sufficient depth are proved to collide.
    fn is_covered(&mut self, cube: &Cube, cover: &mut Cover<'a>) -> bool {
        let (middle, reach) = cube.clipped(self.upper);
        let needed = reach + 2.0 * self.rounding;
        // A ball of colliding translations does not hold a separating one.
        if needed >= (middle - cover.separating).norm() {
            cover.evaluations -= 1;
            return false;
        }
        let is_in = |known: &Certificate| known.margin - (middle - known.center).norm() >= needed;
        if cover.certificates.iter().any(is_in) {
            return true;
        }
        let part = Part { middle, half: cube.half, needed };
        self.is_covered_by_balls(&part, &mut cover.evaluations) || self.is_covered_by_crossings(&part, cover)
    }

    /// Whether a certificate from crossings covers the part of a cube; new ones are added.
    fn is_covered_by_crossings(&self, part: &Part, cover: &mut Cover<'a>) -> bool {
        let Some(search) = &mut cover.search else { return false };
        let Part { middle, needed, .. } = *part;
        let distance = |known: &Certificate| (known.center - middle).norm();
        let mut nearest = [(f64::INFINITY, usize::MAX); NEIGHBORS];
        for (index, known) in cover.certificates.iter().enumerate() {
            // Those whose balls end farther away come first.
            let beyond = distance(known) - known.margin;
            let place = nearest.partition_point(|other| other.0 <= beyond);
            if place < NEIGHBORS {
                nearest[place..].rotate_right(1);
                nearest[place] = (beyond, index);
            }
        }
        let enough = GENEROUS * needed;
        let neighbors = nearest.iter().filter_map(|&(_, index)| cover.certificates.get(index));
        let near = neighbors.clone().filter(|known| distance(known) < known.margin);
        let mut moved = near.map(|known| search.moved(known, &middle, enough));
        cover.evaluations = cover.evaluations.saturating_sub(NEIGHBORS as u32);
        let found = moved.find(|moved| moved.margin >= needed).or_else(|| {
            cover.evaluations = cover.evaluations.saturating_sub(SEARCH);
            let above = needed + search.shift();
            let limits = Limits { above, enough: enough.max(2.0 * above), patches: PATCHES };
            search.certificate_at(&middle, limits, neighbors)
        });
        let is_covered = found.is_some();
        cover.certificates.extend(found);
        is_covered
    }

    /// Whether balls cover the part of a cube.
    fn is_covered_by_balls(&mut self, part: &Part, evaluations: &mut u32) -> bool {
        // A scan of all balls takes about as long as one distance.
        *evaluations = evaluations.saturating_sub(1);
        if self.balls.iter().all(Vec::is_empty) {
            return false;
        }
        let Part { middle, half, needed } = *part;
        // Moving A by q moves its balls by q and, in the frame of A, the balls of B by the opposite.
        let moves = [middle, -(self.to_other[1].rotation * middle)];
        let Some((promising, nearest)) = self.promising(&moves, needed) else { return true };
        for &(likely, owner, index) in &promising {
            if likely == f64::NEG_INFINITY || *evaluations == 0 {
                break;
            }
            *evaluations -= 1;
            let ball = &self.balls[owner][index];
            let floor = needed - ball.radius;
            if self.models[1 - owner].depth_above(&(ball.center + moves[owner]), floor, 0.0).is_some() {
                return true;
            }
        }
        if !(half <= SMALL * self.upper) {
            return false;
        }
        let (likely, owner, index) = nearest;
        let ball = self.balls[owner].get(index).filter(|_| likely >= -OUTSIDE * self.upper).copied();
        let from_ball = ball.map(|Ball { center, radius }| {
            let start = if owner == 0 { center + middle } else { self.in_b(owner, &center) };
            (start, FIRST_STEP * radius)
        });
        from_ball.is_some_and(|start| self.is_covered_from(start, part, evaluations)) || {
            let from_surfaces = self.between_surfaces(&middle);
            from_surfaces.is_some_and(|start| self.is_covered_from(start, part, evaluations))
        }
    }

    /// A point near the intersection of the surfaces with A translated by `q` [m, frame of B's tree], and its distance from it.
    fn between_surfaces(&self, q: &Vector3<f64>) -> Option<(Vector3<f64>, f64)> {
        let [a, b] = self.models;
        let moved = self.to_other[0].shifted(q);
        let pair = intersecting_pair_at(a, b, &moved)?;
        let middles = triangles_in_b(a, b, &moved, pair)
            .map(|corners| corners.iter().map(|corner| corner.coords).sum::<Vector3<f64>>() / 3.0);
        Some((0.5 * (middles[0] + middles[1]), 0.5 * (middles[0] - middles[1]).norm()))
    }

    /// The balls that most likely prove the bound needed for a cube, best first, and the one with the best likely bound, be it
    /// sufficient or not; `None` if the grids alone prove it.
    fn promising(&self, moves: &[Vector3<f64>; 2], needed: f64) -> Option<([Prospect; TRIES], Prospect)> {
        let mut nearest = (f64::NEG_INFINITY, 0, 0);
        let mut promising = [(f64::NEG_INFINITY, 0, 0); TRIES];
        for owner in 0..2 {
            let other = self.models[1 - owner].inner_balls();
            for (index, ball) in self.balls[owner].iter().enumerate() {
                let Some(known) = other.estimate(&(ball.center + moves[owner])) else { continue };
                // The grid alone proves it: no distance is evaluated.
                if ball.radius + known.min >= needed {
                    return None;
                }
                let likely = ball.radius + known.likely;
                if likely > nearest.0 {
                    nearest = (likely, owner, index);
                }
                if ball.radius + known.max < needed || likely <= promising[TRIES - 1].0 {
                    continue;
                }
                let place = promising.partition_point(|other| other.0 >= likely);
                promising[place..].rotate_right(1);
                promising[place] = (likely, owner, index);
            }
        }
        Some((promising, nearest))
    }

    /// Whether an ascent from a point, with a first step of some length, proves the bound needed; if so, its balls are added.
    fn is_covered_from(
        &mut self,
        (start, step): (Vector3<f64>, f64),
        &Part { middle: q, needed, .. }: &Part,
        evaluations: &mut u32,
    ) -> bool {
        let Some(start) = self.depths_at(&q, start, 0.0) else { return false };
        let mut points = 1;
        let top = self.ascend(&q, start, step, needed, &mut points);
        *evaluations = evaluations.saturating_sub(2 * points);
        if !(top.height >= needed) {
            return false;
        }
        if self.balls[0].len() < MAX_BALLS {
            self.add_balls(&q, &top);
        }
        true
    }
}
