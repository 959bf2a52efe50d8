//! Translational configuration-space obstacle, approximated from inside by balls: translations that surely collide and that
//! a search can skip.
//!
//! A ball inside A and one inside B overlap while their centres are closer than the sum of their radii. In the space of
//! translations that is a ball, and a ray through it is blocked from its entry to its exit: no cast that comes from
//! outside passes it, and no march from inside ends within it. Together with the rings of `search` this reduced the casts of
//! a thorough query from 436 to 165 (bumpy sphere), 313 to 254 (cup), 449 to 191 (bunny of 70k).

use nalgebra::{Point3, Vector3};

use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;

/// Balls of each model that are paired, the most useful ones, which come first. Pairs grow with the square of it. Half
/// and twice change no depth, the casts by +1.8 % and −5 %, the instructions by < 0.2 % (docs/sensitivity.md).
const MAX_BALLS: usize = 32;
/// Pairs that are retained, the largest first: every ray is intersected with all of them; fewer leave more casts and
/// marches to the trees. Half and twice change no depth, the casts by +3 % and −2.5 %, the instructions by < 0.2 %
/// (docs/sensitivity.md).
const MAX_PAIRS: usize = 128;
/// Balls intersected at once: one vector of eight floats.
const LANES: usize = 8;
/// Relative reduction of a radius for rounding in single precision. It must exceed the rounding of an intersection; a
/// larger one only blocks slightly less. A safeguard, without effect on the sets of docs/sensitivity.md.
const ROUNDING: f64 = 1e-5;

/// Eight balls of translations [m, frame of B's tree].
#[derive(Debug, Clone, Copy)]
struct BallPacket {
    center: [[f32; LANES]; 3],
    /// Squared distance of the centre from the origin, less the squared radius [m²].
    power: [f32; LANES],
}

/// Balls of translations that surely collide.
#[derive(Debug, Clone)]
pub(super) struct TranslationalObstacle {
    balls: Vec<BallPacket>,
    /// Lengths at which the last ray enters and leaves each ball [m].
    spans: Vec<[[f32; LANES]; 2]>,
}

impl TranslationalObstacle {
    /// The balls of A placed at `a_to_b` that come within `reach` [m] of the zero translation; none unless both are solids.
    pub(super) fn new(a: &Model, b: &Model, a_to_b: &RelativePose, reach: f64) -> Self {
        let mut pairs = Vec::new();
        for x in a.inner_balls().balls().iter().take(MAX_BALLS) {
            let in_b = a_to_b.point(&Point3::from(x.center)).coords;
            for y in b.inner_balls().balls().iter().take(MAX_BALLS) {
                let (center, radius) = (y.center - in_b, (x.radius + y.radius) * (1.0 - ROUNDING));
                if center.norm() - radius < reach {
                    pairs.push((center, radius));
                }
            }
        }
        if pairs.len() > MAX_PAIRS {
            pairs.select_nth_unstable_by(MAX_PAIRS, |x, y| y.1.total_cmp(&x.1));
            pairs.truncate(MAX_PAIRS);
        }
        let balls = pairs.chunks(LANES).map(BallPacket::new).collect::<Vec<_>>();
        let spans = vec![[[0.0; LANES]; 2]; balls.len()];
        Self { balls, spans }
    }

    /// Intersects a ray from the origin with all balls; returns the length at which it leaves the last one [m], zero if it
    /// meets none.
    pub(super) fn intersect_ray(&mut self, direction: &Vector3<f64>) -> f64 {
        let d: [f32; 3] = direction.map(|x| x as f32).into();
        let mut last = [0.0_f32; LANES];
        for (balls, [entry, exit]) in self.balls.iter().zip(&mut self.spans) {
            for lane in 0..LANES {
                let along = balls.center[0][lane] * d[0]
                    + balls.center[1][lane] * d[1]
                    + balls.center[2][lane] * d[2];
                let discriminant = along * along - balls.power[lane];
                let half = discriminant.max(0.0).sqrt();
                let is_met = discriminant > 0.0;
                // A ball that the ray misses gets an empty interval; a branch would prevent vectorisation.
                entry[lane] = if is_met { along - half } else { f32::INFINITY };
                exit[lane] = if is_met { along + half } else { f32::NEG_INFINITY };
                last[lane] = if exit[lane] > last[lane] { exit[lane] } else { last[lane] };
            }
        }
        f64::from(last.into_iter().fold(0.0, f32::max))
    }

    /// The minimum length not below `start` [m] at which no ball blocks the last ray.
    pub(super) fn first_unblocked(&self, start: f64) -> f64 {
        let mut length = start as f32;
        loop {
            // The blocked interval is extended until no ball contains its end.
            let mut farthest = length;
            for [entry, exit] in &self.spans {
                for lane in 0..LANES {
                    let is_in = entry[lane] <= length && exit[lane] > farthest;
                    farthest = if is_in { exit[lane] } else { farthest };
                }
            }
            if farthest <= length {
                return f64::from(length).max(start);
            }
            length = farthest;
        }
    }
}

impl BallPacket {
    fn new(pairs: &[(Vector3<f64>, f64)]) -> Self {
        // Unused lanes: a ball with this power has a negative discriminant on every ray.
        let far = f32::MAX;
        let mut balls = Self { center: [[0.0; LANES]; 3], power: [far; LANES] };
        for (lane, (center, radius)) in pairs.iter().enumerate() {
            for axis in 0..3 {
                balls.center[axis][lane] = center[axis] as f32;
            }
            balls.power[lane] = (center.norm_squared() - radius * radius) as f32;
        }
        balls
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::super::free_configuration::fibonacci;
    use super::*;
    use crate::geometry::Solidity;
    use crate::geometry::procedural::{BumpySphere, Procedural, Torus};
    use crate::proximity::collision::collide_at;

    #[test]
    fn skipped_translations_collide_and_the_last_exit_is_not_deeper_than_a_cast() {
        let ball = Model::new(BumpySphere::default().mesh().unwrap(), Solidity::Solid);
        let torus = Model::new(Torus::default().mesh().unwrap(), Solidity::Solid);
        let a_to_b = RelativePose::between(
            &ball,
            &Isometry3::translation(0.4, 0.3, 0.2),
            &torus,
            &Isometry3::identity(),
        );
        let mut obstacle = TranslationalObstacle::new(&ball, &torus, &a_to_b, 10.0);
        let mut skipped = 0;
        for i in 0..60 {
            let direction = fibonacci(i, 60);
            let last = obstacle.intersect_ray(&direction);
            let end = obstacle.first_unblocked(0.0);
            assert!(end <= last);
            skipped += usize::from(end > 0.1);
            for fraction in [0.01, 0.3, 0.7, 0.99] {
                assert!(
                    end == 0.0 || collide_at(&ball, &torus, &a_to_b.shifted(&(direction * (fraction * end))))
                );
            }
            let before_last = a_to_b.shifted(&(direction * (last * 0.9999)));
            assert!(last <= 0.0 || collide_at(&ball, &torus, &before_last), "{i}");
        }
        assert!(skipped > 30, "{skipped}");
    }

    #[test]
    fn surfaces_block_nothing() {
        let shell = Model::new(Torus::default().mesh().unwrap(), Solidity::Surface);
        let here = Isometry3::identity();
        let mut obstacle = TranslationalObstacle::new(
            &shell,
            &shell,
            &RelativePose::between(&shell, &here, &shell, &here),
            10.0,
        );
        assert_eq!((obstacle.intersect_ray(&fibonacci(3, 10)), obstacle.first_unblocked(0.0)), (0.0, 0.0));
    }
}
