//! Continuous collision detection (CCD) of two moving rigid bodies: the first contact, or a proof that there is none
//! [Lin17 §40.3, conservative advancement].
//!
//! The result is conservative: up to its time the motion is proved free, and at its time the separation distance is within
//! a tolerance. Motions that come within the tolerance without touching count as contacts. The proof is a motion bound
//! for any two boxes of the trees ([`free_time`]), relative to B ([`relative`]), applied to every pair of subtrees
//! separately ([`search`]).

mod free_time;
mod leaves;
pub(crate) mod relative;
pub(crate) mod search;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use self::relative::{Moving, Relative};
use self::search::{AdvancementSearch, SearchOutcome, Touch};
use std::time::{Duration, Instant};

use super::collision::pair_within;
use super::contained_parts::{may_contain_any, shared_point};
use super::model::Model;
use super::relative_pose::{RelativePose, triangles_in_b};
use super::triangle_distance::{closest_points, common_point};
use super::triangle_pair::nearest_plane;
use super::work_limit::WorkLimit;
use crate::kinematics::rigid_motion::RigidMotion;
use crate::proximity::error::ProximityError;

/// Tolerance and limits of a continuous collision query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContinuousOptions {
    /// Separation distance that counts as contact, relative to the radius of the smaller model. It is bounded from below
    /// by rounding, about 1e-13 of the sizes and positions.
    pub relative_tolerance: f64,
    /// Maximum number of advancement steps (tests of a pair of boxes or leaves). The collision query of the start has a bound of
    /// its own.
    pub max_iterations: u64,
    /// Time after which the query ends, with the time up to which the motion is proved free: not reproducible.
    pub time_budget: Option<Duration>,
}

impl Default for ContinuousOptions {
    /// A millionth of the radius of the smaller model, and about a second of steps; no time budget.
    fn default() -> Self {
        Self { relative_tolerance: 1e-6, max_iterations: 500_000, time_budget: None }
    }
}

/// First contact of two moving bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactInTime {
    /// Time of contact in [0, 1]: the motions are proved free up to here, and the first contact is not earlier.
    pub time: f64,
    /// Separation distance of the surfaces at that time \[m\]; zero when the bodies are in contact at the start.
    pub gap: f64,
    /// Witness points at that time, on A and on B [m, world].
    pub points: [Point3<f64>; 2],
    /// Unit contact normal in the world frame, from B to A. When one body starts inside the other without touching its
    /// surface, the direction from B's centre to that of A.
    pub normal: Unit<Vector3<f64>>,
    /// Triangles of A and B in contact; `None` when one body starts inside the other.
    pub triangles: Option<[u32; 2]>,
    /// Number of advancement steps (tests of a pair of boxes or leaves).
    pub steps: u64,
}

/// First contact of `a` and `b` while both move; `None` when the whole motion is proved free of contact.
///
/// Returns time 0 when the bodies are in contact at the start (also when one solid is inside the other, as in
/// [`collide`](super::collide)). Exchanging A and B changes the result by no more than the tolerance.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::kinematics::Motion;
/// use extricate_core::proximity::{ContinuousOptions, Model, time_of_contact_rigid};
/// use nalgebra::{Isometry3, Vector3};
///
/// // A rod of length 2 rotates by 90° about z, and its end meets a cube on the y axis.
/// let rod = Model::new(Cuboid { x: 2.0, y: 0.1, z: 0.1, ..Cuboid::default() }.mesh()?, Solidity::Solid);
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let quarter = Isometry3::rotation(Vector3::z() * std::f64::consts::FRAC_PI_2);
/// let rotating = Motion::linear(&Isometry3::identity(), &quarter);
/// let resting = Motion::still(&Isometry3::translation(0.0, 1.4, 0.0));
/// let contact = time_of_contact_rigid(&rod, &rotating, &cube, &resting, &ContinuousOptions::default())?;
/// let contact = contact.expect("the end of the rod is higher than the bottom of the cube");
/// assert!(contact.time > 0.5 && contact.gap < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ProximityError`] when the iteration limit is reached or the time budget is spent, with the time up to which the motion is
/// proved free; when the tolerance is not positive, or a motion not finite.
pub fn time_of_contact_rigid(
    a: &Model,
    motion_a: &dyn RigidMotion,
    b: &Model,
    motion_b: &dyn RigidMotion,
    options: &ContinuousOptions,
) -> Result<Option<ContactInTime>, ProximityError> {
    let mut pair = MovingPair::new(
        Moving { model: a, motion: motion_a },
        Moving { model: b, motion: motion_b },
        options,
    )?;
    match pair.advance(1.0) {
        Advance::Contact(contact) => Ok(Some(*contact)),
        Advance::Free => Ok(None),
        Advance::Exhausted { free_until } => {
            Err(ProximityError::IterationsExhausted { iterations: pair.steps(), free_until })
        }
    }
}

/// Two moving models with the state of the search for their first contact.
pub(crate) struct MovingPair<'a> {
    relative: Relative<'a>,
    search: AdvancementSearch,
    /// Whether the search has the roles of A and B exchanged.
    exchanged: bool,
    deadline: Option<Instant>,
    start: Start,
}

/// Knowledge of the start of a motion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Untested,
    Free,
    /// The limit was spent before it was known whether there is a contact.
    Unknown,
}

/// A limit was spent.
struct Spent;

/// Outcome of advancing a search to a given time.
pub(crate) enum Advance {
    Contact(Box<ContactInTime>),
    /// No contact up to the given time.
    Free,
    Exhausted {
        free_until: f64,
    },
}

impl<'a> MovingPair<'a> {
    pub(crate) fn new(
        a: Moving<'a>,
        b: Moving<'a>,
        options: &ContinuousOptions,
    ) -> Result<Self, ProximityError> {
        let tolerance = options.relative_tolerance;
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            let (option, accepted) = ("relative tolerance", "above zero");
            return Err(ProximityError::Option { option, value: tolerance, accepted });
        }
        let (plain, swapped) = (Relative::new(a, b), Relative::new(b, a));
        // The bound of the relative acceleration is not symmetric: B should be the body that rotates less.
        let exchanged = swapped.max_acceleration() < plain.max_acceleration();
        let relative = if exchanged { swapped } else { plain };
        if !relative.is_finite() {
            return Err(ProximityError::NotFinite);
        }
        // A tolerance below rounding would make the search approach the contact without ever reaching it.
        let size = a.model.radius().min(b.model.radius());
        let tolerance = (tolerance * size).max(relative.min_tolerance());
        let deadline = options.time_budget.and_then(|budget| Instant::now().checked_add(budget));
        let search = AdvancementSearch::new(&relative, tolerance, (options.max_iterations, deadline));
        Ok(Self { relative, search, exchanged, deadline, start: Start::Untested })
    }

    pub(crate) fn steps(&self) -> u64 {
        self.search.steps
    }

    /// Advances the search to the time `end`.
    pub(crate) fn advance(&mut self, end: f64) -> Advance {
        if self.start == Start::Untested {
            self.start = match self.contact_at_start() {
                Ok(Some(contact)) => return Advance::Contact(Box::new(self.oriented(contact))),
                Ok(None) => Start::Free,
                Err(Spent) => Start::Unknown,
            };
        }
        if self.start == Start::Unknown {
            return Advance::Exhausted { free_until: 0.0 };
        }
        // Containment is tested at the start only: later it cannot begin without contact of the surfaces.
        match self.search.run(&self.relative, end) {
            SearchOutcome::Touch(touch) => Advance::Contact(Box::new(self.oriented(self.contact(&touch)))),
            SearchOutcome::Free => Advance::Free,
            SearchOutcome::Exhausted(free_until) => Advance::Exhausted { free_until },
        }
    }

    /// Contact with the roles of A and B as given by the caller.
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

    /// Contact of the surfaces or of one body inside the other at time 0, if that is known before a limit is spent.
    fn contact_at_start(&self) -> Result<Option<ContactInTime>, Spent> {
        let (a, b) = (self.relative.a.model, self.relative.b.model);
        let poses = self.relative.poses_at(0.0);
        let a_to_b = RelativePose::between(a, &poses[0], b, &poses[1]);
        let in_world = |point: Point3<f64>| poses[1] * (point + b.center().coords);
        /// Pairs that the collision query visits at most, about half a second; those of meshes of other people visit some thousands.
        const MAX_PAIRS: u64 = 10_000_000;
        let mut limit = WorkLimit::new(MAX_PAIRS, self.deadline);
        let pair = pair_within(a, b, &a_to_b, 0.0, &mut limit);
        let (point, normal, triangles) = if let Some(pair) = pair {
            let corners = triangles_in_b(a, b, &a_to_b, pair);
            // The normal is that of the best separating plane; of equal ones, the one that opposes the approach.
            let closing = self.relative.at(0.0).linear.try_normalize(0.0).unwrap_or_else(Vector3::x);
            let plane = nearest_plane(&corners, &closing);
            (common_point(&corners[0], &corners[1]), plane.normal, Some(pair))
        } else {
            let may_contain = !limit.is_spent() && may_contain_any(a, b, &a_to_b, &mut limit);
            if limit.is_spent() {
                return Err(Spent);
            }
            let contained = may_contain.then(|| shared_point(a, b, &a_to_b)).flatten();
            let Some(point) = contained else { return Ok(None) };
            let between = a_to_b.translation.try_normalize(0.0).unwrap_or_else(Vector3::x);
            (point, Unit::new_unchecked(between), None)
        };
        let normal = poses[1].rotation * normal;
        let points = [in_world(point); 2];
        Ok(Some(ContactInTime { time: 0.0, gap: 0.0, points, normal, triangles, steps: self.steps() }))
    }

    /// Contact data of two triangles within the tolerance.
    fn contact(&self, touch: &Touch) -> ContactInTime {
        let (a, b) = (self.relative.a.model, self.relative.b.model);
        let poses: [Isometry3<f64>; 2] = self.relative.poses_at(touch.time);
        let a_to_b = RelativePose::between(a, &poses[0], b, &poses[1]);
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
