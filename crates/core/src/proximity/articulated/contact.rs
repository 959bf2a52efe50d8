//! The first contact of a moving articulation with obstacles and with itself.
//!
//! Conservative advancement is applied to every pair of bodies separately ([`crate::proximity::time_of_contact_rigid`]),
//! with motion bounds of the links accumulated along their chains [TMK14]. The motions of two links are expressed in the
//! frame of their nearest common ancestor, so that only the joints between them contribute. Pairs whose bounding spheres
//! cannot meet during the motion are culled. The others advance in parallel in rounds of equal time intervals, up to the
//! first round that finds a contact: results and step counts are therefore independent of the number of threads.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::link_pairs::AllowedCollisions;
use super::model::ArticulatedModel;
use crate::kinematics::articulation::link_motion::LinkMotion;
use crate::kinematics::motion::Motion;
use crate::kinematics::rigid_motion::RigidMotion;
use crate::parallel;
use crate::proximity::continuous::relative::Moving;
use crate::proximity::continuous::{Advance, ContactInTime, ContinuousOptions, MovingPair};
use crate::proximity::error::ProximityError;
use crate::proximity::model::Model;

/// Rounds of equal time intervals, after one that tests the start. More rounds waste less work beyond the first contact
/// and synchronise the threads more often; the result does not depend on it.
const ROUNDS: u32 = 8;

/// Safety margin of the culling test, relative to the sizes and positions that enter it: far above rounding, far below any
/// tolerance. A larger margin only culls fewer pairs.
const CULLING_MARGIN: f64 = 1e-9;

/// Motion of an articulation: linear interpolation between two configurations, with the root link following `base`.
#[derive(Debug, Clone, Copy)]
pub struct ArticulatedMotion<'a> {
    /// Configuration at time 0 [rad, m].
    pub from: &'a [f64],
    /// Configuration at time 1 [rad, m].
    pub to: &'a [f64],
    /// Motion of the root link.
    pub base: Motion,
}

/// Obstacle that may itself move.
#[derive(Debug, Clone, Copy)]
pub struct MovingObstacle<'a> {
    /// Collision model in the body frame.
    pub model: &'a Model,
    /// Motion of the body frame; [`Motion::still`] for a static obstacle.
    pub motion: Motion,
}

/// Body that a link is in contact with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContactPartner {
    /// The obstacle with this index.
    Obstacle(usize),
    /// The link with this index.
    Link(usize),
}

/// The first contact of a moving articulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArticulatedContact {
    /// Time of contact in [0, 1]: the motion is proved free up to here, and the first contact is not earlier.
    pub time: f64,
    /// Link in contact.
    pub link: usize,
    /// Body in contact with the link; of two links this is the one with the higher index.
    pub other: ContactPartner,
    /// Separation distance at that time \[m\]; zero when the bodies are in contact at the start.
    pub gap: f64,
    /// Witness points at that time, on the link and on the other body [m, world].
    pub points: [Point3<f64>; 2],
    /// Unit contact normal in the world frame, from the other body to the link.
    pub normal: Unit<Vector3<f64>>,
    /// Triangles in contact, of the link and of the other body; `None` when one body starts inside the other.
    pub triangles: Option<[u32; 2]>,
    /// Advancement steps of all pairs of bodies together.
    pub steps: u64,
    /// Pairs of bodies that were advanced; the others were culled because they cannot meet during the motion.
    pub pairs: usize,
}

/// First contact of the links of `model` with `obstacles` and, where `allowed` is given, with one another except for
/// the allowed pairs; `None` when the whole motion is proved free.
///
/// Returns time 0 when the bodies are in contact at the start. Simultaneous contacts are resolved in favour of obstacles,
/// then of lower indices.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural, Sphere};
/// use extricate_core::kinematics::{Articulation, Joint, JointKind, Motion};
/// use extricate_core::proximity::{
///     ArticulatedModel, ArticulatedMotion, ContinuousOptions, Model, ContactPartner, MovingObstacle, articulated,
/// };
/// use nalgebra::{Isometry3, Vector3};
///
/// // A bar of length 2 on a hinge in its middle, and a small ball in its path.
/// let bar = Cuboid { x: 2.0, y: 0.1, z: 0.1, ..Cuboid::default() }.mesh()?;
/// let hinge = Joint::new("hinge", "post", "bar", JointKind::Revolute { axis: Vector3::z() });
/// let turnstile = Articulation::new(vec!["post".into(), "bar".into()], vec![hinge])?;
/// let turnstile = ArticulatedModel::new(turnstile, vec![None, Some(bar)], Solidity::Solid);
/// let ball = Model::new(Sphere { radius: 0.05, ..Sphere::default() }.mesh()?, Solidity::Solid);
/// let at_rest = Motion::still(&Isometry3::translation(0.0, 0.9, 0.0));
/// let motion = ArticulatedMotion { from: &[0.0], to: &[2.0], base: Motion::still(&Isometry3::identity()) };
/// let obstacles = [MovingObstacle { model: &ball, motion: at_rest }];
/// let contact = articulated(&turnstile, &motion, &obstacles, None, &ContinuousOptions::default())?;
/// let contact = contact.expect("the ball is in the path of the bar");
/// assert_eq!((contact.link, contact.other), (1, ContactPartner::Obstacle(0)));
/// // The bar's side is 0.05 from its middle line, and so is the ball's surface from its centre.
/// let angle = std::f64::consts::FRAC_PI_2 - (0.1_f64 / 0.9).asin();
/// assert!((2.0 * contact.time - angle).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`time_of_contact_rigid`](crate::proximity::time_of_contact_rigid), with the iteration limit applied to each pair
/// separately; and [`ProximityError::Articulation`] when a configuration is invalid.
pub fn articulated(
    model: &ArticulatedModel,
    motion: &ArticulatedMotion<'_>,
    obstacles: &[MovingObstacle<'_>],
    allowed: Option<&AllowedCollisions>,
    options: &ContinuousOptions,
) -> Result<Option<ArticulatedContact>, ProximityError> {
    let mut candidates = with_obstacles(model, motion, obstacles)?;
    if let Some(allowed) = allowed {
        candidates.extend(between_links(model, motion, allowed)?);
    }
    earliest(&candidates, (model, motion), options)
}

/// First contact of the links of two moving articulations; `None` when both motions are proved free.
///
/// The result is that of the links of `a`: its partner [`ContactPartner::Link`] is a link of `b`. Contacts between links of
/// the same articulation are not sought.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::kinematics::{Articulation, Joint, JointKind, Motion};
/// use extricate_core::proximity::{
///     ArticulatedModel, ArticulatedMotion, ContactPartner, ContinuousOptions, articulated_pair,
/// };
/// use nalgebra::{Isometry3, Vector3};
///
/// // Two sliders, cubes of length 1 whose centres start 3 apart, drive towards each other by 2 each.
/// let cube = Cuboid::default().mesh()?;
/// let rail = Joint::new("rail", "frame", "cart", JointKind::Prismatic { axis: Vector3::x() });
/// let slider = Articulation::new(vec!["frame".into(), "cart".into()], vec![rail])?;
/// let slider = ArticulatedModel::new(slider, vec![None, Some(cube)], Solidity::Solid);
/// let at = |x: f64| Motion::still(&Isometry3::translation(x, 0.0, 0.0));
/// let left = ArticulatedMotion { from: &[0.0], to: &[2.0], base: at(0.0) };
/// let right = ArticulatedMotion { from: &[0.0], to: &[-2.0], base: at(3.0) };
/// let contact = articulated_pair((&slider, &left), (&slider, &right), &ContinuousOptions::default())?;
/// let contact = contact.expect("they meet in the middle");
/// assert_eq!((contact.link, contact.other), (1, ContactPartner::Link(1)));
/// assert!((contact.time - 0.5).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`articulated`].
pub fn articulated_pair(
    (a, motion_of_a): (&ArticulatedModel, &ArticulatedMotion<'_>),
    (b, motion_of_b): (&ArticulatedModel, &ArticulatedMotion<'_>),
    options: &ContinuousOptions,
) -> Result<Option<ArticulatedContact>, ProximityError> {
    let (first, second) = (placed_links(a, motion_of_a)?, placed_links(b, motion_of_b)?);
    let mut candidates = Vec::new();
    for (link, model, motion) in &first {
        for (other, model_of_other, motion_of_other) in &second {
            let candidate = CandidatePair {
                link: *link,
                other: ContactPartner::Link(*other),
                models: [*model, *model_of_other],
                motions: [motion.clone(), motion_of_other.clone()],
                reference_link: None,
            };
            candidates.extend(Some(candidate).filter(CandidatePair::is_possible));
        }
    }
    earliest(&candidates, (a, motion_of_a), options)
}

/// A link with a shape: its index, model and motion in the world.
type MovingLink<'a> = (usize, &'a Model, LinkMotion);

fn placed_links<'a>(
    model: &'a ArticulatedModel,
    motion: &ArticulatedMotion<'_>,
) -> Result<Vec<MovingLink<'a>>, ProximityError> {
    let shaped = model.models.iter().enumerate().filter_map(|(link, own)| Some((link, own.as_ref()?)));
    let moving = |(link, own): (usize, &'a Model)| {
        let motion = LinkMotion::new(model.articulation(), link, [motion.from, motion.to], &motion.base)?;
        Ok((link, own, motion))
    };
    shaped.map(moving).collect()
}

/// The earliest contact of candidate pairs, in the world.
fn earliest(
    candidates: &[CandidatePair<'_>],
    (model, motion): (&ArticulatedModel, &ArticulatedMotion<'_>),
    options: &ContinuousOptions,
) -> Result<Option<ArticulatedContact>, ProximityError> {
    let pairs = candidates.iter().map(|candidate| candidate.pair(options)).collect::<Result<Vec<_>, _>>()?;
    // No contact in any round: all pairs are proved free.
    let Some(first) = first_contact(pairs)? else { return Ok(None) };
    let candidate = &candidates[first.candidate];
    let to_world = match candidate.reference_link {
        None => Isometry3::identity(),
        Some(link) => LinkMotion::new(model.articulation(), link, [motion.from, motion.to], &motion.base)?
            .pose_at(first.contact.time),
    };
    Ok(Some(ArticulatedContact {
        time: first.contact.time,
        link: candidate.link,
        other: candidate.other,
        gap: first.contact.gap,
        points: first.contact.points.map(|point| to_world * point),
        normal: to_world.rotation * first.contact.normal,
        triangles: first.contact.triangles,
        steps: first.steps,
        pairs: candidates.len(),
    }))
}

/// Candidate pair of bodies with their motions in a common frame.
struct CandidatePair<'a> {
    link: usize,
    other: ContactPartner,
    models: [&'a Model; 2],
    motions: [LinkMotion; 2],
    /// Link in whose frame the motions are expressed; `None` for the world.
    reference_link: Option<usize>,
}

impl<'a> CandidatePair<'a> {
    fn pair(&'a self, options: &ContinuousOptions) -> Result<MovingPair<'a>, ProximityError> {
        let [a, b] =
            [0, 1].map(|i| Moving { model: self.models[i], motion: &self.motions[i] as &dyn RigidMotion });
        MovingPair::new(a, b, options)
    }

    /// Whether the bounding spheres may meet during the motion: their distance does not exceed the distances that both
    /// travel.
    fn is_possible(&self) -> bool {
        let [a, b] = self.models;
        let [at_a, at_b] = [0, 1].map(|i| self.motions[i].pose_at(0.0) * self.models[i].center());
        let travelled = |i: usize| self.motions[i].speed_bound(&self.models[i].center(), 0.0);
        let sizes = a.radius() + b.radius() + at_a.coords.norm() + at_b.coords.norm();
        let reach = a.radius() + b.radius() + travelled(0) + travelled(1) + CULLING_MARGIN * sizes;
        // Negated, so that a pair with NaN stays a candidate; 1e-12 covers the rounding of the distance.
        !(nalgebra::distance(&at_a, &at_b) * (1.0 - 1e-12) > reach)
    }
}

fn with_obstacles<'a>(
    model: &'a ArticulatedModel,
    motion: &ArticulatedMotion<'_>,
    obstacles: &[MovingObstacle<'a>],
) -> Result<Vec<CandidatePair<'a>>, ProximityError> {
    let mut candidates = Vec::new();
    for (link, link_model, link_motion) in placed_links(model, motion)? {
        for (index, obstacle) in obstacles.iter().enumerate() {
            let candidate = CandidatePair {
                link,
                other: ContactPartner::Obstacle(index),
                models: [link_model, obstacle.model],
                motions: [link_motion.clone(), LinkMotion::from(obstacle.motion)],
                reference_link: None,
            };
            candidates.extend(Some(candidate).filter(CandidatePair::is_possible));
        }
    }
    Ok(candidates)
}

fn between_links<'a>(
    model: &'a ArticulatedModel,
    motion: &ArticulatedMotion<'_>,
    allowed: &AllowedCollisions,
) -> Result<Vec<CandidatePair<'a>>, ProximityError> {
    let articulation = model.articulation();
    let configurations = [motion.from, motion.to];
    let mut candidates = Vec::new();
    for [i, j] in model.pairs(allowed) {
        let (Some(a), Some(b)) = (model.model(i), model.model(j)) else { continue };
        // In the frame of the common ancestor the joints above it cancel, which tightens the motion bounds.
        let ancestor = articulation.common_ancestor(i, j);
        let candidate = CandidatePair {
            link: i,
            other: ContactPartner::Link(j),
            models: [a, b],
            motions: [
                LinkMotion::below(articulation, ancestor, i, configurations)?,
                LinkMotion::below(articulation, ancestor, j, configurations)?,
            ],
            reference_link: Some(ancestor),
        };
        candidates.extend(Some(candidate).filter(CandidatePair::is_possible));
    }
    Ok(candidates)
}

/// First contact, the index of its pair, and the total number of steps.
struct First {
    candidate: usize,
    contact: ContactInTime,
    steps: u64,
}

fn first_contact(mut pairs: Vec<MovingPair<'_>>) -> Result<Option<First>, ProximityError> {
    // Round 0 ends at time 0: it only tests the start, so that contact there is found before any pair is advanced.
    for round in 0..=ROUNDS {
        let end = f64::from(round) / f64::from(ROUNDS);
        let advances = parallel::map_mut(&mut pairs, 1, |_, pair| pair.advance(end));
        let steps = pairs.iter().map(MovingPair::steps).sum();
        let (mut first, mut free_until): (Option<First>, f64) = (None, f64::INFINITY);
        for (candidate, advance) in advances.into_iter().enumerate() {
            match advance {
                Advance::Contact(contact) => {
                    // Strictly earlier: of equal times the pair that was listed first is reported.
                    if first.as_ref().is_none_or(|first| contact.time < first.contact.time) {
                        first = Some(First { candidate, contact: *contact, steps });
                    }
                }
                Advance::Free => {}
                Advance::Exhausted { free_until: until } => free_until = free_until.min(until),
            }
        }
        // A pair that ran out of iterations earlier might have touched before the contact that was found.
        match first {
            Some(first) if first.contact.time <= free_until => return Ok(Some(first)),
            _ if free_until.is_finite() => {
                return Err(ProximityError::IterationsExhausted { iterations: steps, free_until });
            }
            _ => {}
        }
    }
    Ok(None)
}
