//! The first contact of two motions.

use std::time::Instant;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::cache::PairCache;
use super::error::QueryError;
use super::options::{TimeOfContactOptions, require_non_negative};
use super::pair::ShapePair;
use super::posed::{Moving, Part};
use crate::kinematics::RigidMotion;
use crate::proximity::{
    self, ContactInTime, ContinuousOptions, Distance, DistanceOptions, Model, ProximityError,
};

/// Advancement steps as which a distance of two shapes counts: one of a mesh takes ten to fifty microseconds.
const STEPS_OF_DISTANCE: u64 = 64;

/// The first contact of two shapes while both move; `None` where the whole motion is proved free.
///
/// Two meshes are handled by a traversal of both trees ([`time_of_contact_rigid`](crate::proximity::time_of_contact_rigid)); every other pair by conservative
/// advancement of its exact distance. Up to the time returned the motion is proved free; the gap is then at most the
/// tolerance. A start in contact returns time 0. A half-space may rotate as well.
///
/// ```
/// use extricate_core::query::{self, Moving, Shape};
/// use nalgebra::Isometry3;
///
/// let (ball, ground) = (Shape::ball(0.5), Shape::half_space());
/// let (up, down) = (Isometry3::translation(0.0, 0.0, 2.5), Isometry3::translation(0.0, 0.0, -1.5));
/// let falling = Moving::linear(&ball, &up, &down);
/// let resting = Moving::still(&ground, &Isometry3::identity());
/// let contact = query::time_of_contact(&falling, &resting, &Default::default())?.expect("it falls through");
/// assert!((contact.time - 0.5).abs() < 1e-6 && contact.normal.z > 0.999);
/// # Ok::<(), query::QueryError>(())
/// ```
///
/// # Errors
/// [`QueryError::BoundMet`] with the time up to which the motion is proved free, where the bound on steps is met or the time budget is
/// spent; [`QueryError`] when a pose, a size or an
/// option is invalid.
pub fn time_of_contact(
    a: &Moving,
    b: &Moving,
    options: &TimeOfContactOptions,
) -> Result<Option<ContactInTime>, QueryError> {
    require_non_negative("relative tolerance", options.relative_tolerance)?;
    require_non_negative("absolute tolerance", options.absolute_tolerance)?;
    a.check("A")?;
    b.check("B")?;
    if let (Some(first), Some(second)) = (a.shape.model(), b.shape.model()) {
        return of_models([first, second], [a, b], options);
    }
    Advancement::new(a, b, options)?.run()
}

fn of_models(
    [first, second]: [&Model; 2],
    [a, b]: [&Moving; 2],
    options: &TimeOfContactOptions,
) -> Result<Option<ContactInTime>, QueryError> {
    let size = first.radius().min(second.radius());
    // The mesh query has a relative tolerance only: the absolute one is converted by the smaller size.
    let tolerance = options.relative_tolerance.max(options.absolute_tolerance / size);
    let TimeOfContactOptions { max_iterations, time_budget, .. } = *options;
    let options = ContinuousOptions { relative_tolerance: tolerance, max_iterations, time_budget };
    Ok(proximity::time_of_contact_rigid(first, &a.motion, second, &b.motion, &options)?)
}

/// Conservative advancement: no point of one shape approaches the other faster than a bound, so that a gap separates both
/// for the time that it takes to close it [Lin17 §40.3].
struct Advancement<'a> {
    moving: [&'a Moving<'a>; 2],
    /// Upper bound of the speed at which the shapes approach each other [m per motion].
    speed: f64,
    /// Gap that counts as contact [m].
    tolerance: f64,
    max_distances: u64,
    deadline: Option<Instant>,
}

impl<'a> Advancement<'a> {
    fn new(a: &'a Moving, b: &'a Moving, options: &TimeOfContactOptions) -> Result<Self, QueryError> {
        let balls = [a, b].map(|moving| moving.shape.bounding_sphere());
        let size = balls.iter().map(|(_, radius)| *radius).fold(f64::INFINITY, f64::min);
        if a.shape.is_half_space() && b.shape.is_half_space() {
            let reason = "half-spaces have no first contact";
            let shapes = [a, b].map(|moving| moving.shape.kind());
            return Err(QueryError::Unsupported { query: "the time of contact", shapes, reason });
        }
        let tolerance = options.absolute_tolerance.max(options.relative_tolerance * size);
        if !(tolerance > 0.0) {
            let (option, value) = ("tolerance", tolerance);
            return Err(QueryError::Option { option, value, accepted: "above zero" });
        }
        let max_distances = options.max_iterations.div_ceil(STEPS_OF_DISTANCE);
        let deadline = options.time_budget.and_then(|budget| Instant::now().checked_add(budget));
        Ok(Self { moving: [a, b], speed: speed([a, b]), tolerance, max_distances, deadline })
    }

    fn run(&self) -> Result<Option<ContactInTime>, QueryError> {
        let mut cache = PairCache::default();
        let (mut time, mut steps) = (0.0, 0);
        loop {
            steps += 1;
            let spent = || Err(QueryError::BoundMet { iterations: steps, free_until: time });
            let gap = match self.gap(time, &mut cache) {
                Err(QueryError::Proximity(
                    ProximityError::OutOfTime { .. } | ProximityError::OutOfWork { .. },
                )) => return spent(),
                gap => gap?,
            };
            if gap.value <= self.tolerance {
                return Ok(Some(self.contact(time, &gap, steps)));
            }
            // Half of the tolerance is left, so that rounding never advances beyond a contact.
            let free = gap.lower_bound - 0.5 * self.tolerance;
            // Of a distance whose time or work was spent hardly more than zero may be proved.
            if !(free > 0.0) {
                return spent();
            }
            time += free / self.speed;
            if !(time <= 1.0) {
                return Ok(None);
            }
            let is_late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if steps >= self.max_distances || is_late() {
                return Err(QueryError::BoundMet { iterations: steps, free_until: time });
            }
        }
    }

    fn parts(&self, time: f64) -> [Part<'a>; 2] {
        self.moving.map(|moving| Part { name: None, shape: moving.shape, pose: moving.motion.pose_at(time) })
    }

    fn gap(&self, time: f64, cache: &mut PairCache) -> Result<Distance, QueryError> {
        let [a, b] = self.parts(time);
        let time_budget = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let wanted = DistanceOptions { time_budget, ..DistanceOptions::default() };
        let found = ShapePair::new(&a, &b).gap(wanted, cache)?;
        Ok(found.expect("nothing is farther than infinity"))
    }

    fn contact(&self, time: f64, gap: &Distance, steps: u64) -> ContactInTime {
        let [a, b] = self.parts(time);
        let [on_a, on_b] = gap.witnesses;
        let up = |part: &Part| part.shape.is_half_space().then(|| part.pose.rotation * Vector3::z());
        let centers = || center(&a) - center(&b);
        // The normal of a half-space is exact even in contact, where witnesses coincide and have no direction.
        let along = up(&b).or_else(|| up(&a).map(|normal| -normal));
        let along = along.or_else(|| (gap.value > 0.0).then_some(on_a - on_b)).unwrap_or_else(centers);
        let normal = Unit::try_new(along, 0.0).unwrap_or_else(Vector3::z_axis);
        ContactInTime { time, gap: gap.value, points: gap.witnesses, normal, triangles: None, steps }
    }
}

fn center(part: &Part) -> Point3<f64> {
    part.pose * part.shape.bounding_sphere().0
}

/// Upper bound of the speed at which two shapes approach each other at any time [m per motion].
///
/// Of a half-space, which is unbounded, only the points that the other shape may reach count: those as far from its origin as
/// the farthest point of the other shape ever is.
fn speed([a, b]: [&Moving; 2]) -> f64 {
    let ball = |moving: &Moving, other: &Moving| {
        let (center, radius) = moving.shape.bounding_sphere();
        if radius.is_finite() {
            return (center, radius);
        }
        let (center_of_other, radius_of_other) = other.shape.bounding_sphere();
        let at = |moving: &Moving| -> Isometry3<f64> { *moving.motion.start() };
        let path = moving.motion.bounds().speed + other.motion.speed_bound(&center_of_other, 0.0);
        let apart = nalgebra::distance(&(at(moving) * Point3::origin()), &(at(other) * center_of_other));
        (Point3::origin(), apart + path + radius_of_other)
    };
    let of = |moving: &Moving, other: &Moving| {
        let (center, radius) = ball(moving, other);
        moving.motion.speed_bound(&center, radius)
    };
    of(a, b) + of(b, a)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::geometry::procedural::{BumpySphere, Procedural};
    use crate::query::Shape;

    #[test]
    fn a_convex_shape_and_a_mesh_end_at_their_bounds_with_the_time_that_is_proved_free() {
        let (ball, bumpy) = (Shape::ball(0.5), Shape::mesh(BumpySphere::default().mesh().unwrap()));
        let [from, to] = [4.0, 0.0].map(|x| Isometry3::translation(x, 0.3, 0.0));
        let (moving, resting) =
            (Moving::linear(&ball, &from, &to), Moving::still(&bumpy, &Isometry3::identity()));
        let exact = time_of_contact(&moving, &resting, &TimeOfContactOptions::default()).unwrap().unwrap();
        let default = TimeOfContactOptions::default();
        let late = TimeOfContactOptions { time_budget: Some(Duration::ZERO), ..default };
        let few = TimeOfContactOptions { max_iterations: 2 * STEPS_OF_DISTANCE, ..default };
        for (options, expected) in [(late, 1), (few, 2)] {
            match time_of_contact(&moving, &resting, &options) {
                Err(QueryError::BoundMet { iterations, free_until }) => {
                    assert!(iterations == expected && free_until > 0.0 && free_until <= exact.time);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
