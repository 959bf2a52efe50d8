//! What is remembered of a pair of models from one query to the next [Je12 §5.3].
//!
//! Two things are asked of the past. A simulator asks on which side the models were *last* apart, because there they
//! must go back to. A search for the depth asks for the free placements *nearest* to the present one, however old.
//! So the last placement is kept, and beside it a few that lie far from each other.
//!
//! The distance of two placements is the root mean square displacement of the points of both bodies, each seen from
//! the other one and taken as a ball: ‖Δc‖² + r²/5 ‖ΔR‖². It does not change when A and B are exchanged.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use crate::proximity::model::Model;

/// Placements that are kept: what a query looks through in a microsecond.
const KEPT: usize = 16;
/// Placements that a query starts from.
const NEAREST: usize = 4;

/// What is remembered of a pair from one query to the next [Je12 §5.3].
///
/// ```
/// use extricate_core::penetration::MotionCoherence;
/// use nalgebra::Isometry3;
///
/// let mut coherence = MotionCoherence::default();
/// let ground = Isometry3::identity();
/// for height in [3.0, 2.0, 1.0] {
///     coherence.remember_free(&Isometry3::translation(0.0, 0.0, height), &ground);
/// }
/// assert_eq!(coherence.last_free(), Some(&Isometry3::translation(0.0, 0.0, 1.0)));
/// let nearest = coherence.nearest_free(&Isometry3::translation(0.0, 0.0, 2.2), &ground);
/// assert_eq!(nearest, Some(&Isometry3::translation(0.0, 0.0, 2.0)));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MotionCoherence {
    /// Placement of A in the frame of B when they were last known to be apart.
    last: Option<Isometry3<f64>>,
    /// Placements of A in the frame of B at which they are apart, far from each other.
    spread: Vec<Isometry3<f64>>,
    /// No two of a full `spread` are nearer to each other than this [m²]; it may be less than the least distance.
    apart: f64,
    /// Direction of the last answer, in the frame of B.
    direction: Option<Unit<Vector3<f64>>>,
    balls: Option<[Ball; 2]>,
}

/// A body as the metric sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ball {
    /// In the frame of the body.
    pub center: Point3<f64>,
    pub radius: f64,
}

impl MotionCoherence {
    /// Remembers that the models are apart at these poses.
    ///
    /// Of more than sixteen placements the one that lies closest to another one is forgotten, the older of the two.
    pub fn remember_free(&mut self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) {
        let placement = pose_b.inv_mul(pose_a);
        self.last = Some(placement);
        if self.spread.len() < KEPT {
            self.spread.push(placement);
            return;
        }
        let mut distances = self.spread.iter().map(|other| self.distance_squared(other, &placement));
        let distances: [f64; KEPT] = std::array::from_fn(|_| distances.next().unwrap_or(f64::INFINITY));
        let nearest = argmin(&distances);
        if distances[nearest] <= self.apart {
            self.spread.remove(nearest);
            let others = distances.iter().enumerate().filter(|(place, _)| *place != nearest);
            self.apart = others.map(|(_, distance)| *distance).fold(self.apart, f64::min);
            self.spread.push(placement);
        } else {
            self.spread.push(placement);
            self.forget_one();
        }
    }

    /// Forgets the older one of the two placements that are closest to each other.
    fn forget_one(&mut self) {
        let pairs = (0..self.spread.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let distance = |(i, j): (usize, usize)| self.distance_squared(&self.spread[i], &self.spread[j]);
        let mut closest = (f64::INFINITY, 0);
        let mut apart = f64::INFINITY;
        for (i, j) in pairs {
            let between = distance((i, j));
            if between < closest.0 {
                (closest, apart) = ((between, i), between);
            }
        }
        self.spread.remove(closest.1);
        self.apart = apart;
    }

    /// Placement of A in the frame of B when they were last known to be apart: the side that a simulation came from.
    #[must_use]
    pub fn last_free(&self) -> Option<&Isometry3<f64>> {
        self.last.as_ref()
    }

    /// The remembered free placement of A in the frame of B that is nearest to the one at these poses.
    #[must_use]
    pub fn nearest_free(&self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) -> Option<&Isometry3<f64>> {
        let placement = pose_b.inv_mul(pose_a);
        let distance = |other: &&Isometry3<f64>| self.distance_squared(other, &placement);
        self.remembered().min_by(|x, y| distance(x).total_cmp(&distance(y)))
    }

    /// Direction in which A had to move at the last answer, in the frame of B.
    #[must_use]
    pub fn last_direction(&self) -> Option<&Unit<Vector3<f64>>> {
        self.direction.as_ref()
    }

    /// All placements, the last one first.
    fn remembered(&self) -> impl Iterator<Item = &Isometry3<f64>> {
        let older = self.spread.iter().rev().filter(|placement| Some(*placement) != self.last.as_ref());
        self.last.iter().chain(older)
    }

    /// Learns how large the models are, which the metric weighs rotations by.
    pub(super) fn measure(&mut self, a: &Model, b: &Model) {
        self.balls = Some([a, b].map(|model| Ball { center: model.center(), radius: model.radius() }));
    }

    /// Remembers the `direction` of an answer [world].
    pub(super) fn remember_direction(&mut self, direction: &Unit<Vector3<f64>>, pose_b: &Isometry3<f64>) {
        self.direction = Some(pose_b.rotation.inverse() * direction);
    }

    /// What a query at these poses starts from.
    pub(super) fn at(&self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) -> Remembered {
        let placement = pose_b.inv_mul(pose_a);
        let mut nearest: [(f64, Option<Isometry3<f64>>); NEAREST] = [(f64::INFINITY, None); NEAREST];
        for other in self.remembered() {
            let distance = self.distance_squared(other, &placement);
            let place = nearest.partition_point(|(known, _)| *known <= distance);
            if place < NEAREST {
                nearest[place..].rotate_right(1);
                nearest[place] = (distance, Some(*other));
            }
        }
        Remembered {
            last: self.last,
            nearest: nearest.map(|(_, placement)| placement),
            direction: self.direction.map(Unit::into_inner),
        }
    }

    /// Mean square displacement of the points of both bodies between two placements of A in the frame of B [m²].
    fn distance_squared(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
        // Where the sizes are not known, bodies that are apart are about as large as they are far from each other.
        let assumed = Ball { center: Point3::origin(), radius: 0.5 * from.translation.vector.norm() };
        let [a, b] = self.balls.unwrap_or([assumed; 2]);
        displacement_squared(&a, from, to) + displacement_squared(&b, &from.inverse(), &to.inverse())
    }
}

/// ‖Δc‖² + r²/5 ‖ΔR‖² [m²], because the second moment of a ball is r²/5 along each axis.
fn displacement_squared(ball: &Ball, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
    let shift = (to * ball.center - from * ball.center).norm_squared();
    let turn = to.rotation.to_rotation_matrix().matrix() - from.rotation.to_rotation_matrix().matrix();
    shift + 0.2 * ball.radius * ball.radius * turn.norm_squared()
}

fn argmin(values: &[f64]) -> usize {
    let least = values.iter().enumerate().min_by(|x, y| x.1.total_cmp(y.1));
    least.map_or(0, |(place, _)| place)
}

/// What one query starts from.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Remembered {
    /// Where the models were last apart.
    pub(super) last: Option<Isometry3<f64>>,
    /// The nearest free placements, nearest first.
    pub(super) nearest: [Option<Isometry3<f64>>; NEAREST],
    /// Direction of the last answer, unit, in the frame of B.
    pub(super) direction: Option<Vector3<f64>>,
}

impl Remembered {
    /// The same with A and B exchanged. `a_in_b` turns A's frame, as it lies now, into B's.
    pub(super) fn exchanged(&self, a_in_b: &nalgebra::UnitQuaternion<f64>) -> Self {
        let inverse = |placement: &Option<Isometry3<f64>>| placement.map(|placement| placement.inverse());
        Self {
            last: inverse(&self.last),
            nearest: self.nearest.each_ref().map(inverse),
            direction: self.direction.map(|direction| -(a_in_b.inverse() * direction)),
        }
    }
}

#[cfg(test)]
mod tests;
