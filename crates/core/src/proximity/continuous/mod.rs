//! Continuous collision of two rigid bodies in motion: the first contact, or a proof that there is none
//! [Lin17 §40.3, conservative advancement].
//!
//! The answer is conservative: up to its time the motion is proved free, and at its time the gap is within a tolerance.
//! Motions that come that near without touching count as contacts. What proves it is a bound of the motion between any
//! two boxes of the trees ([`free_time`]), relative to B ([`relative`]), applied to every pair by itself ([`search`]).

mod free_time;
mod leaves;
pub(crate) mod relative;
pub(crate) mod search;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use self::relative::{Moving, Relative};
use self::search::{Ending, Search, Touch};
use super::collision::intersecting_pair_at;
use super::inside::shared_point;
use super::model::Model;
use super::placement::{Placement, triangles_in_b};
use super::triangle_distance::{closest_points, common_point};
use super::triangle_pair::nearest_plane;
use crate::kinematics::rigid_motion::RigidMotion;
use crate::proximity::error::ProximityError;

/// What a continuous query is to reach, and at what cost at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContinuousOptions {
    /// Gap that counts as contact, relative to the radius of the smaller model. Below about 1e-13 of the sizes and
    /// positions rounding takes its place.
    pub relative_tolerance: f64,
    /// Looks at a pair of boxes or leaves after which the query gives up.
    pub max_iterations: u64,
}

impl Default for ContinuousOptions {
    /// A millionth of the smaller model, and steps for seconds of work.
    fn default() -> Self {
        Self { relative_tolerance: 1e-6, max_iterations: 10_000_000 }
    }
}

/// The first contact of two motions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactInTime {
    /// When, in [0, 1] of the motions: they are proved free up to here, and the first contact is not before.
    pub time: f64,
    /// What separates the surfaces then [m]; zero where the start is a contact.
    pub gap: f64,
    /// The closest points then, of A and of B [m, world].
    pub points: [Point3<f64>; 2],
    /// Unit normal of the contact in the world frame, from B to A. Of a start inside a solid, where no surfaces touch,
    /// the direction from B's centre to that of A.
    pub normal: Unit<Vector3<f64>>,
    /// The triangles of A and B that touch; `None` of a start inside a solid.
    pub triangles: Option<[u32; 2]>,
    /// Advancement steps: looks at a pair of boxes or leaves.
    pub steps: u64,
}

/// The first contact of `a` and `b` while both move; `None` when the whole motion is proved free of contact.
///
/// A start in contact (also of a solid inside another one, as in [`collide`](super::collide)) answers time 0. The answer
/// is the same, to within the tolerance, with A and B exchanged.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::kinematics::Motion;
/// use extricate_core::proximity::{ContinuousOptions, Model, rigid};
/// use nalgebra::{Isometry3, Vector3};
///
/// // A rod of length 2 turns a quarter about z, and meets a cube on the y axis with its end.
/// let rod = Model::new(Cuboid { x: 2.0, y: 0.1, z: 0.1, ..Cuboid::default() }.mesh()?, Solidity::Solid);
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let quarter = Isometry3::rotation(Vector3::z() * std::f64::consts::FRAC_PI_2);
/// let turning = Motion::linear(&Isometry3::identity(), &quarter);
/// let resting = Motion::still(&Isometry3::translation(0.0, 1.4, 0.0));
/// let contact = rigid(&rod, &turning, &cube, &resting, &ContinuousOptions::default())?;
/// let contact = contact.expect("the end of the rod is higher than the bottom of the cube");
/// assert!(contact.time > 0.5 && contact.gap < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ProximityError`] when the steps are used up, with the time up to which the motion is proved free; when the
/// tolerance is not positive, or a motion not finite.
pub fn rigid(
    a: &Model,
    motion_a: &dyn RigidMotion,
    b: &Model,
    motion_b: &dyn RigidMotion,
    options: &ContinuousOptions,
) -> Result<Option<ContactInTime>, ProximityError> {
    let mut pair = MovingPair::new(
        Moving { model: a, motion: motion_a },
        Moving { model: b, motion: motion_b },
        options.relative_tolerance,
    )?;
    match pair.advance(1.0, options.max_iterations) {
        Advance::Contact(contact) => Ok(Some(*contact)),
        Advance::Free => Ok(None),
        Advance::Exhausted { free_until } => {
            Err(ProximityError::IterationsExhausted { iterations: pair.steps(), free_until })
        }
    }
}

/// Two models in motion, with the search for their first contact.
pub(crate) struct MovingPair<'a> {
    relative: Relative<'a>,
    search: Search,
    /// The search has the roles of A and B exchanged.
    exchanged: bool,
    started: bool,
}

/// How far a search came.
pub(crate) enum Advance {
    Contact(Box<ContactInTime>),
    /// No contact up to the end that was asked for.
    Free,
    Exhausted {
        free_until: f64,
    },
}

impl<'a> MovingPair<'a> {
    pub(crate) fn new(a: Moving<'a>, b: Moving<'a>, tolerance: f64) -> Result<Self, ProximityError> {
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            let (option, accepted) = ("relative tolerance", "above zero");
            return Err(ProximityError::Option { option, value: tolerance, accepted });
        }
        let (plain, swapped) = (Relative::new(a, b), Relative::new(b, a));
        let exchanged = swapped.greatest_acceleration() < plain.greatest_acceleration();
        let relative = if exchanged { swapped } else { plain };
        if !relative.is_finite() {
            return Err(ProximityError::NotFinite);
        }
        let size = a.model.radius().min(b.model.radius());
        let search = Search::new(&relative, (tolerance * size).max(relative.least_tolerance()));
        Ok(Self { relative, search, exchanged, started: false })
    }

    pub(crate) fn steps(&self) -> u64 {
        self.search.steps
    }

    /// Goes on until `end`.
    pub(crate) fn advance(&mut self, end: f64, max_iterations: u64) -> Advance {
        if !self.started {
            self.started = true;
            if let Some(contact) = self.contact_at_start() {
                return Advance::Contact(Box::new(self.oriented(contact)));
            }
        }
        match self.search.run(&self.relative, end, max_iterations) {
            Ending::Touch(touch) => Advance::Contact(Box::new(self.oriented(self.contact(&touch)))),
            Ending::Free => Advance::Free,
            Ending::Exhausted(free_until) => Advance::Exhausted { free_until },
        }
    }

    /// The contact with the roles that the caller gave.
    fn oriented(&self, contact: ContactInTime) -> ContactInTime {
        let ContactInTime { points: [x, y], normal, triangles, .. } = contact;
        if !self.exchanged {
            return contact;
        }
        ContactInTime {
            points: [y, x],
            normal: -normal,
            triangles: triangles.map(|[i, j]| [j, i]),
            ..contact
        }
    }

    fn contact_at_start(&self) -> Option<ContactInTime> {
        let (a, b) = (self.relative.a.model, self.relative.b.model);
        let poses = self.relative.poses_at(0.0);
        let a_to_b = Placement::between(a, &poses[0], b, &poses[1]);
        let in_world = |point: Point3<f64>| poses[1] * (point + b.center().coords);
        let (point, normal, triangles) = if let Some(pair) = intersecting_pair_at(a, b, &a_to_b) {
            let corners = triangles_in_b(a, b, &a_to_b, pair);
            let closing = self.relative.at(0.0).linear.try_normalize(0.0).unwrap_or_else(Vector3::x);
            let plane = nearest_plane(&corners, &closing);
            (common_point(&corners[0], &corners[1]), plane.normal, Some(pair))
        } else {
            let point = shared_point(a, b, &a_to_b)?;
            let between = a_to_b.translation.try_normalize(0.0).unwrap_or_else(Vector3::x);
            (point, Unit::new_unchecked(between), None)
        };
        let normal = poses[1].rotation * normal;
        let points = [in_world(point); 2];
        Some(ContactInTime { time: 0.0, gap: 0.0, points, normal, triangles, steps: self.steps() })
    }

    fn contact(&self, touch: &Touch) -> ContactInTime {
        let (a, b) = (self.relative.a.model, self.relative.b.model);
        let poses: [Isometry3<f64>; 2] = self.relative.poses_at(touch.time);
        let a_to_b = Placement::between(a, &poses[0], b, &poses[1]);
        let corners = triangles_in_b(a, b, &a_to_b, touch.pair);
        let (gap, [x, y]) = closest_points(&corners[0], &corners[1]);
        let normal =
            Unit::try_new(x - y, 0.0).unwrap_or_else(|| nearest_plane(&corners, &Vector3::x()).normal);
        let points = [x, y].map(|point| poses[1] * (point + b.center().coords));
        let normal = poses[1].rotation * normal;
        ContactInTime {
            time: touch.time,
            gap,
            points,
            normal,
            triangles: Some(touch.pair),
            steps: self.steps(),
        }
    }
}

#[cfg(test)]
mod tests;
