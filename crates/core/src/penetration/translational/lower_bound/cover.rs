//! A cover of the short translations by balls of translations that leave the solids in collision.
//!
//! What the balls prove at a translation q holds around it: if s + r is proved there, then every translation less
//! than that away from q collides as well. Cubes around the origin are looked at in the order of their least length;
//! one that lies in such a ball about its middle is done with, another one is cut into eight. No translation shorter
//! than the least cube left separates, so the bound is there at any time and only grows.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nalgebra::Vector3;

use super::Solids;
use crate::proximity::collision::intersecting_pair_at;
use crate::proximity::inner_ball::Ball;
use crate::proximity::placement::triangles_in_b;

/// A cube's edge, relative to the depth, below which it is not cut any more.
const LEAST_EDGE: f64 = 1e-6;
/// Balls of which the depth is evaluated for one cube.
const TRIES: usize = 3;
/// Half of a cube's edge, relative to the depth that suffices, above which cutting it costs less than a climb.
const SMALL: f64 = 1.0 / 64.0;
/// How far outside the best ball may be for a climb to be worth while, relative to the depth that suffices.
const OUTSIDE: f64 = 0.1;
/// Balls that are kept of either solid, with those that the climbs find.
const KEPT: usize = 512;

/// What a ball is likely to prove [m], whose it is, and which.
type Prospect = (f64, usize, usize);

/// A cube of translations of A, in B's frame.
#[derive(Debug, Clone, Copy)]
struct Cube {
    middle: Vector3<f64>,
    /// Half the edge [m].
    half: f64,
    /// Length of its shortest translation [m].
    least: f64,
    /// Settles ties.
    number: u32,
}

impl Cube {
    fn new(middle: Vector3<f64>, half: f64, number: u32) -> Self {
        let least = middle.map(|x| (x.abs() - half).max(0.0)).norm();
        Self { middle, half, least, number }
    }

    /// From the middle to a corner [m].
    fn reach(&self) -> f64 {
        3.0_f64.sqrt() * self.half
    }

    /// Length of its longest translation [m].
    fn most(&self) -> f64 {
        self.middle.map(|x| x.abs() + self.half).norm()
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
    /// The greatest is the one of the shortest translations.
    fn cmp(&self, other: &Self) -> Ordering {
        other.least.total_cmp(&self.least).then_with(|| other.number.cmp(&self.number))
    }
}

impl Solids<'_> {
    /// Grows the bound `proved` by a cover of the shorter translations than suffice, with at most so many evaluations.
    pub(super) fn by_cover(&mut self, proved: f64, mut evaluations: u32) -> f64 {
        let upper = self.upper;
        let (mut cubes, mut number) = (BinaryHeap::from([Cube::new(Vector3::zeros(), upper, 0)]), 0);
        let (around_origin, mut best) = (proved - 2.0 * self.rounding, proved);
        while let Some(cube) = cubes.pop() {
            best = best.max(cube.least);
            if best >= upper || evaluations == 0 || 2.0 * cube.half <= LEAST_EDGE * upper {
                return best.min(upper);
            }
            if cube.most() <= around_origin || self.is_covered(&cube, &mut evaluations) {
                continue;
            }
            let half = 0.5 * cube.half;
            for octant in 0..8 {
                let side = |bit: u32| if octant & bit == 0 { -half } else { half };
                number += 1;
                let child = Cube::new(cube.middle + Vector3::new(side(1), side(2), side(4)), half, number);
                if child.least < upper {
                    cubes.push(child);
                }
            }
        }
        upper
    }

    /// Whether all translations in the cube are proved to leave the solids in collision.
    fn is_covered(&mut self, cube: &Cube, evaluations: &mut u32) -> bool {
        // To go through all balls takes about as long as one distance.
        *evaluations = evaluations.saturating_sub(1);
        let needed = cube.reach() + 2.0 * self.rounding;
        let moves = [cube.middle, -(self.to_other[1].rotation * cube.middle)];
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
        if !(cube.half <= SMALL * self.upper) {
            return false;
        }
        let (likely, owner, index) = nearest;
        let ball = self.balls[owner].get(index).filter(|_| likely >= -OUTSIDE * self.upper).copied();
        let from_ball = ball.map(|Ball { center, radius }| {
            let start = if owner == 0 { center + cube.middle } else { self.in_b(owner, &center) };
            (start, 0.25 * radius)
        });
        let is_covered =
            from_ball.is_some_and(|start| self.is_covered_from(start, cube, needed, evaluations));
        is_covered || {
            let from_surfaces = self.between_surfaces(&cube.middle);
            from_surfaces.is_some_and(|start| self.is_covered_from(start, cube, needed, evaluations))
        }
    }

    /// A point near where the surfaces intersect with A moved by `q` [m, frame of B's tree], and how near.
    fn between_surfaces(&self, q: &Vector3<f64>) -> Option<(Vector3<f64>, f64)> {
        let [a, b] = self.models;
        let moved = self.to_other[0].shifted(q);
        let pair = intersecting_pair_at(a, b, &moved)?;
        let middles = triangles_in_b(a, b, &moved, pair)
            .map(|corners| corners.iter().map(|corner| corner.coords).sum::<Vector3<f64>>() / 3.0);
        Some((0.5 * (middles[0] + middles[1]), 0.5 * (middles[0] - middles[1]).norm()))
    }

    /// The balls that most likely prove as much as is needed of a cube, best first, and the one that most likely
    /// proves most, if not enough; `None` when the grids alone prove it.
    fn promising(&self, moves: &[Vector3<f64>; 2], needed: f64) -> Option<([Prospect; TRIES], Prospect)> {
        let mut nearest = (f64::NEG_INFINITY, 0, 0);
        let mut promising = [(f64::NEG_INFINITY, 0, 0); TRIES];
        for owner in 0..2 {
            let other = self.models[1 - owner].inner_balls();
            for (index, ball) in self.balls[owner].iter().enumerate() {
                let Some(known) = other.estimate(&(ball.center + moves[owner])) else { continue };
                if ball.radius + known.least >= needed {
                    return None;
                }
                let likely = ball.radius + known.likely;
                if likely > nearest.0 {
                    nearest = (likely, owner, index);
                }
                if ball.radius + known.most < needed || likely <= promising[TRIES - 1].0 {
                    continue;
                }
                let place = promising.partition_point(|other| other.0 >= likely);
                promising[place..].rotate_right(1);
                promising[place] = (likely, owner, index);
            }
        }
        Some((promising, nearest))
    }

    /// Whether a climb from a point, by a first step of some length, proves what is needed; what it finds joins the
    /// balls.
    fn is_covered_from(
        &mut self,
        (start, step): (Vector3<f64>, f64),
        cube: &Cube,
        needed: f64,
        evaluations: &mut u32,
    ) -> bool {
        let q = cube.middle;
        let Some(start) = self.look(&q, start, 0.0) else { return false };
        let mut looks = 1;
        let top = self.climb(&q, start, step, needed, &mut looks);
        *evaluations = evaluations.saturating_sub(2 * looks);
        if !(top.height >= needed) {
            return false;
        }
        if self.balls[0].len() < KEPT {
            self.keep(&q, &top);
        }
        true
    }
}
