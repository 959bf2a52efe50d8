//! Estimates of the first free interval along a line, with balls in place of the bodies.
//!
//! A ball inside A and one inside B overlap at all configurations in a ball about the difference of their centres. The part of
//! a line outside all of those balls may be free. An estimate takes two microseconds and is a lower bound: a truly free
//! interval may only be farther.
//!
//! Lengths are in units of the bodies' size.

use nalgebra::{Point3, Vector3};

use crate::penetration::translational::walk::ContactSpace;

/// Balls intersected at once: one vector of eight doubles.
const LANES: usize = 8;
/// Sweeps over all balls along a line; each leaves at least one of them. An estimate cut off by it is too small, which
/// only misorders the lines. A safeguard against an endless loop, without effect on the sets of docs/sensitivity.md.
const SWEEPS: u32 = 32;

/// Balls of configurations at which an inner ball of A and one of B overlap.
#[derive(Default)]
pub(super) struct FreeIntervals {
    /// Centres and squared radii, coordinate by coordinate.
    centers: [Vec<[f64; LANES]>; 3],
    /// |c|² − r²: what the quadratic equation of a line needs.
    powers: Vec<[f64; LANES]>,
    /// Lengths at which the current line enters and leaves each ball.
    entries: Vec<[f64; LANES]>,
    exits: Vec<[f64; LANES]>,
    /// One over the size of the bodies [1/m].
    scale: f64,
}

impl FreeIntervals {
    /// The balls that come nearer than `within` [m] to the input configuration; `None` if a body has no inner balls.
    pub(super) fn new(space: &ContactSpace, within: f64) -> Option<Self> {
        let [of_a, of_b] = [space.a, space.b].map(|model| model.clear_configurations().interior());
        if of_a.is_empty() || of_b.is_empty() {
            return None;
        }
        let mut balls = Self { scale: 1.0 / (space.a.radius() + space.b.radius()), ..Self::default() };
        // Packed by eight; the lanes that remain in the last packet are met by no line.
        let mut count = 0;
        for part in of_a {
            let p = space.a_to_b.point(&Point3::from(part.point - space.a.center())).coords;
            for other in of_b {
                let (center, radius) = (other.point - space.b.center() - p, other.clearance + part.clearance);
                if center.norm() - radius < within {
                    balls.push(count, &center, radius);
                    count += 1;
                }
            }
        }
        let lanes = vec![[0.0; LANES]; balls.powers.len()];
        (balls.entries, balls.exits) = (lanes.clone(), lanes);
        Some(balls)
    }

    fn push(&mut self, place: usize, center: &Vector3<f64>, radius: f64) {
        /// Power of an unused lane, which no line meets.
        const NOWHERE: f64 = f64::INFINITY;
        let lane = place % LANES;
        if lane == 0 {
            self.powers.push([NOWHERE; LANES]);
            self.centers.iter_mut().for_each(|centers| centers.push([0.0; LANES]));
        }
        let last = self.powers.len() - 1;
        let center = center * self.scale;
        for (axis, centers) in self.centers.iter_mut().enumerate() {
            centers[last][lane] = center[axis];
        }
        self.powers[last][lane] = center.norm_squared() - (radius * self.scale).powi(2);
    }

    /// Start of the first free interval along the unit vector `direction`, in units of the size; less if it takes too many
    /// sweeps.
    pub(super) fn first_start(&mut self, direction: &Vector3<f64>) -> f64 {
        let d = direction;
        for (packet, powers) in self.powers.iter().enumerate() {
            let centers = self.centers.each_ref().map(|centers| &centers[packet]);
            for lane in 0..LANES {
                let along = d.x * centers[0][lane] + d.y * centers[1][lane] + d.z * centers[2][lane];
                // A ball that the line misses has NaN for both, for which every comparison is false.
                let half = (along * along - powers[lane]).sqrt();
                self.entries[packet][lane] = along - half;
                self.exits[packet][lane] = along + half;
            }
        }
        let mut length = 0.0;
        for _ in 0..SWEEPS {
            let next = self.last_exit(length);
            if !(next > length) {
                break;
            }
            length = next;
        }
        length
    }

    /// The last exit of the balls that contain the point at `length`.
    fn last_exit(&self, length: f64) -> f64 {
        let mut last = [length; LANES];
        for (entries, exits) in self.entries.iter().zip(&self.exits) {
            for lane in 0..LANES {
                let contains = entries[lane] <= length && exits[lane] > last[lane];
                last[lane] = if contains { exits[lane] } else { last[lane] };
            }
        }
        last.into_iter().fold(length, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::*;
    use crate::geometry::Solidity;
    use crate::geometry::procedural::{Procedural, Torus, TorusKnot};
    use crate::proximity::Model;
    use crate::proximity::relative_pose::RelativePose;

    /// Steps along the line, each point against every ball.
    fn by_steps(space: &ContactSpace, direction: &Vector3<f64>, step: f64) -> f64 {
        let to_b = |p: Point3<f64>| space.a_to_b.point(&Point3::from(p - space.a.center())).coords;
        let overlap = |length: f64| {
            space.a.clear_configurations().interior().iter().any(|part| {
                let moved = to_b(part.point) + direction * length + space.b.center().coords;
                let others = space.b.clear_configurations().interior().iter();
                others.into_iter().any(|other| {
                    (other.point.coords - moved).norm() <= (part.clearance + other.clearance) * (1.0 - 1e-6)
                })
            })
        };
        (0..).map(|i| f64::from(i) * step).find(|&length| !overlap(length)).expect("the bodies are bounded")
    }

    #[test]
    fn the_first_free_interval_starts_at_the_first_point_in_no_ball() {
        let solid = |mesh| Model::new(mesh, Solidity::Solid);
        let ring = solid(Torus::default().mesh().unwrap());
        let knot = solid(TorusKnot::default().mesh().unwrap());
        for scale in [1.0, 0.3] {
            let pose = Isometry3::new(Vector3::new(0.9, -0.2, 0.1) * scale, Vector3::new(0.7, 0.2, -0.5));
            let placement = RelativePose::between(&knot, &pose, &ring, &Isometry3::identity());
            let space = ContactSpace::new(&knot, &ring, placement, 0.0, 100);
            let mut intervals = FreeIntervals::new(&space, f64::INFINITY).expect("both have inner balls");
            let size = knot.radius() + ring.radius();
            for i in 0..20 {
                let direction = super::super::fibonacci(i, 20);
                let (gap, step) = (intervals.first_start(&direction) * size, 2e-3);
                let expected = by_steps(&space, &direction, step);
                // A gap narrower than a step may be stepped over.
                assert!(gap <= expected + 1e-5 && gap > expected - 3.0 * step, "{gap} {expected}");
            }
        }
    }
}
