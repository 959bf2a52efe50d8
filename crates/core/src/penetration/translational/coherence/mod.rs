//! Motion coherence: state of a pair of models from one query to the next [Je12 §5.3].
//!
//! It has two uses. A simulator needs the side on which the models were *last* separated, because they must return to it. A
//! search for the depth needs the free placements *nearest* to the present one, of whatever age. So the last placement is
//! stored, and a few others that are far from each other.
//!
//! The squared distance of two placements is the mean square displacement of the points of both bodies, each relative to
//! the other one and approximated by a ball: ‖Δc‖² + r²/5 ‖ΔR‖². It does not change when A and B are exchanged.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::followed::Followed;
use super::lower_bound::known::KnownCertificate;
use crate::proximity::model::Model;

/// Placements that are stored; a query scans them in a microsecond.
const MAX_PLACEMENTS: usize = 16;
/// Nearest placements that are starts of a query: each costs at least one collision query and a walk.
const NEAREST: usize = 4;
/// Second moment of a ball along an axis over its squared radius, exactly 1/5.
const SECOND_MOMENT: f64 = 0.2;

/// State of a pair of models from one query to the next [Je12 §5.3].
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
    /// Last placement of A in the frame of B at which they were separated.
    last: Option<Isometry3<f64>>,
    /// Separated placements of A in the frame of B, far from each other.
    spread: Vec<Isometry3<f64>>,
    /// Lower bound of the squared distances between the placements of a full `spread` [m²].
    apart: f64,
    /// Direction of the last result, in the frame of B.
    direction: Option<Unit<Vector3<f64>>>,
    balls: Option<[Ball; 2]>,
    /// Certificate of the last lower bound.
    certificate: Option<KnownCertificate>,
    /// The contacts of the last result.
    followed: Followed,
}

/// A body as the metric approximates it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ball {
    /// In the frame of the body.
    pub center: Point3<f64>,
    pub radius: f64,
}

impl MotionCoherence {
    /// Stores that the models are separated at these poses.
    ///
    /// Of more than sixteen placements the older one of the two that are closest to each other is dropped.
    pub fn remember_free(&mut self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) {
        self.followed.clear();
        self.remember(pose_b.inv_mul(pose_a));
    }

    /// Stores a separated `placement`; contacts are followed from there if it is that of the last result.
    fn remember(&mut self, placement: Isometry3<f64>) {
        self.last = Some(placement);
        if self.spread.len() < MAX_PLACEMENTS {
            self.spread.push(placement);
            return;
        }
        let mut distances = self.spread.iter().map(|other| self.distance_squared(other, &placement));
        let distances: [f64; MAX_PLACEMENTS] =
            std::array::from_fn(|_| distances.next().unwrap_or(f64::INFINITY));
        let nearest = argmin(&distances);
        // The nearest one is certainly the closest pair: no search over all pairs is needed.
        if distances[nearest] <= self.apart {
            self.spread.remove(nearest);
            let others = distances.iter().enumerate().filter(|(place, _)| *place != nearest);
            self.apart = others.map(|(_, distance)| *distance).fold(self.apart, f64::min);
            self.spread.push(placement);
        } else {
            self.spread.push(placement);
            self.drop_closest();
        }
    }

    /// Drops the older one of the two placements that are closest to each other.
    fn drop_closest(&mut self) {
        let pairs = (0..self.spread.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let distance = |(i, j): (usize, usize)| self.distance_squared(&self.spread[i], &self.spread[j]);
        let mut closest = (f64::INFINITY, 0);
        let mut apart = f64::INFINITY;
        for (i, j) in pairs {
            let between = distance((i, j));
            if between < closest.0 {
                // i < j, and older placements come first.
                (closest, apart) = ((between, i), between);
            }
        }
        self.spread.remove(closest.1);
        self.apart = apart;
    }

    /// Last placement of A in the frame of B at which they were separated: the side from which a simulation came.
    #[must_use]
    pub fn last_free(&self) -> Option<&Isometry3<f64>> {
        self.last.as_ref()
    }

    /// The stored free placement of A in the frame of B that is nearest to the one at these poses.
    #[must_use]
    pub fn nearest_free(&self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) -> Option<&Isometry3<f64>> {
        let placement = pose_b.inv_mul(pose_a);
        let distance = |other: &&Isometry3<f64>| self.distance_squared(other, &placement);
        self.remembered().min_by(|x, y| distance(x).total_cmp(&distance(y)))
    }

    /// Direction in which A had to move in the last result, in the frame of B.
    #[must_use]
    pub fn last_direction(&self) -> Option<&Unit<Vector3<f64>>> {
        self.direction.as_ref()
    }

    /// All placements, the last one first.
    fn remembered(&self) -> impl Iterator<Item = &Isometry3<f64>> {
        let older = self.spread.iter().rev().filter(|placement| Some(*placement) != self.last.as_ref());
        self.last.iter().chain(older)
    }

    /// Certificate of the last lower bound, and the contacts of the last result.
    pub(super) fn state(&mut self) -> (&mut Option<KnownCertificate>, &mut Followed) {
        (&mut self.certificate, &mut self.followed)
    }

    /// Sets the sizes of the models, by which the metric weights rotations.
    pub(super) fn measure(&mut self, a: &Model, b: &Model) {
        self.balls = Some([a, b].map(|model| Ball { center: model.center(), radius: model.radius() }));
    }

    /// Stores a result: the pose of A at which the models are separated, and the `direction` of the translation there [world].
    pub(super) fn remember_result(
        &mut self,
        apart: &Isometry3<f64>,
        direction: &Unit<Vector3<f64>>,
        pose_b: &Isometry3<f64>,
    ) {
        self.remember(pose_b.inv_mul(apart));
        self.direction = Some(pose_b.rotation.inverse() * direction);
    }

    /// The starts of a query at these poses.
    pub(super) fn at(&self, pose_a: &Isometry3<f64>, pose_b: &Isometry3<f64>) -> CoherentStarts {
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
        CoherentStarts {
            last: self.last,
            nearest: nearest.map(|(_, placement)| placement),
            direction: self.direction.map(Unit::into_inner),
        }
    }

    /// Mean square displacement of the points of both bodies between two placements of A in the frame of B [m²].
    fn distance_squared(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
        // Without known sizes, the radii are estimated as half the distance of the separated bodies.
        let assumed = Ball { center: Point3::origin(), radius: 0.5 * from.translation.vector.norm() };
        let [a, b] = self.balls.unwrap_or([assumed; 2]);
        displacement_squared(&a, from, to) + displacement_squared(&b, &from.inverse(), &to.inverse())
    }
}

/// ‖Δc‖² + r²/5 ‖ΔR‖² [m²], because the second moment of a ball is r²/5 along each axis.
fn displacement_squared(ball: &Ball, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
    let shift = (to * ball.center - from * ball.center).norm_squared();
    let rotation = to.rotation.to_rotation_matrix().matrix() - from.rotation.to_rotation_matrix().matrix();
    shift + SECOND_MOMENT * ball.radius * ball.radius * rotation.norm_squared()
}

fn argmin(values: &[f64]) -> usize {
    let min = values.iter().enumerate().min_by(|x, y| x.1.total_cmp(y.1));
    min.map_or(0, |(place, _)| place)
}

/// Starts of one query.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CoherentStarts {
    /// The last separated placement.
    pub(super) last: Option<Isometry3<f64>>,
    /// The nearest free placements, nearest first.
    pub(super) nearest: [Option<Isometry3<f64>>; NEAREST],
    /// Unit direction of the last result, in the frame of B.
    pub(super) direction: Option<Vector3<f64>>,
}

impl CoherentStarts {
    /// The starts with A and B exchanged. `a_in_b` is the present orientation of A in the frame of B.
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
