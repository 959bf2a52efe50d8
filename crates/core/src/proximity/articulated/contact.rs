//! The first contact of a moving articulation with obstacles and with itself.
//!
//! Every pair of bodies is advanced by itself ([`crate::proximity::rigid`]), with bounds of the links' motions
//! accumulated along their chains; two links of the articulation are seen from the nearest link that carries both, so
//! that only the joints between them count. Pairs whose balls cannot meet on the way are left out. The others go on
//! side by side in rounds of equal parts of the motion, which end with the first one that finds a contact: so the
//! answer and the steps are the same for any number of threads.

use nalgebra::{Isometry3, Point3, Unit, Vector3};
use rayon::prelude::*;

use super::link_pairs::AllowedCollisions;
use super::model::ArticulatedModel;
use crate::kinematics::articulation::link_motion::LinkMotion;
use crate::kinematics::motion::Motion;
use crate::kinematics::rigid_motion::RigidMotion;
use crate::proximity::continuous::relative::Moving;
use crate::proximity::continuous::{Advance, ContactInTime, ContinuousOptions, MovingPair};
use crate::proximity::error::ProximityError;
use crate::proximity::model::Model;

/// Rounds in which the motion is searched, after one that looks at its start.
const ROUNDS: u32 = 8;

/// Rounding of distances, relative to the sizes and positions that enter them: balls so far apart count as meeting.
const SPARE: f64 = 1e-9;

/// How an articulation moves: every joint's value linearly between two configurations, the root along with `base`.
#[derive(Debug, Clone, Copy)]
pub struct ArticulatedMotion<'a> {
    /// Configuration at time 0 [rad, m].
    pub from: &'a [f64],
    /// Configuration at time 1 [rad, m].
    pub to: &'a [f64],
    /// Motion of the root link.
    pub base: Motion,
}

/// A body that the articulation may run into.
#[derive(Debug, Clone, Copy)]
pub struct MovingObstacle<'a> {
    /// Its shape.
    pub model: &'a Model,
    /// How it moves, or [`Motion::still`].
    pub motion: Motion,
}

/// What a link touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Other {
    /// The obstacle with this index.
    Obstacle(usize),
    /// The link with this index.
    Link(usize),
}

/// The first contact of a moving articulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArticulatedContact {
    /// When, in [0, 1] of the motion: it is proved free up to here, and the first contact is not before.
    pub time: f64,
    /// The link that touches.
    pub link: usize,
    /// What it touches; of two links this is the one with the higher index.
    pub other: Other,
    /// What separates them then [m]; zero where the start is a contact.
    pub gap: f64,
    /// The closest points then, of the link and of the other [m, world].
    pub points: [Point3<f64>; 2],
    /// Unit normal of the contact in the world frame, from the other to the link.
    pub normal: Unit<Vector3<f64>>,
    /// The triangles that touch, of the link and of the other; `None` of a start inside a solid.
    pub triangles: Option<[u32; 2]>,
    /// Advancement steps of all pairs of bodies together.
    pub steps: u64,
    /// Pairs of bodies that were advanced; the others cannot meet on the way.
    pub pairs: usize,
}

/// The first contact of the links of `model` with `obstacles` and, where `allowed` is given, with one another but for
/// the pairs that it allows; `None` when the whole motion is proved free.
///
/// A start in contact answers time 0. Of contacts at the same time it is that of the obstacle or link that comes first.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural, Sphere};
/// use extricate_core::kinematics::{Articulation, Joint, JointKind, Motion};
/// use extricate_core::proximity::{
///     ArticulatedModel, ArticulatedMotion, ContinuousOptions, Model, MovingObstacle, Other, articulated,
/// };
/// use nalgebra::{Isometry3, Vector3};
///
/// // A bar of length 2 on a hinge in its middle, and a small ball in its way.
/// let bar = Cuboid { x: 2.0, y: 0.1, z: 0.1, ..Cuboid::default() }.mesh()?;
/// let hinge = Joint::new("hinge", "post", "bar", JointKind::Revolute { axis: Vector3::z() });
/// let turnstile = Articulation::new(vec!["post".into(), "bar".into()], vec![hinge])?;
/// let turnstile = ArticulatedModel::new(turnstile, vec![None, Some(bar)], Solidity::Solid);
/// let ball = Model::new(Sphere { radius: 0.05, ..Sphere::default() }.mesh()?, Solidity::Solid);
/// let place = Motion::still(&Isometry3::translation(0.0, 0.9, 0.0));
/// let motion = ArticulatedMotion { from: &[0.0], to: &[2.0], base: Motion::still(&Isometry3::identity()) };
/// let obstacles = [MovingObstacle { model: &ball, motion: place }];
/// let contact = articulated(&turnstile, &motion, &obstacles, None, &ContinuousOptions::default())?;
/// let contact = contact.expect("the ball is in the way");
/// assert_eq!((contact.link, contact.other), (1, Other::Obstacle(0)));
/// // The bar's side is 0.05 from its middle line, and so is the ball's surface from its centre.
/// let angle = std::f64::consts::FRAC_PI_2 - (0.1_f64 / 0.9).asin();
/// assert!((2.0 * contact.time - angle).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`rigid`](crate::proximity::rigid), with the steps of each pair bounded by themselves; and
/// [`ProximityError::Articulation`] when a configuration is none.
pub fn articulated(
    model: &ArticulatedModel,
    motion: &ArticulatedMotion<'_>,
    obstacles: &[MovingObstacle<'_>],
    allowed: Option<&AllowedCollisions>,
    options: &ContinuousOptions,
) -> Result<Option<ArticulatedContact>, ProximityError> {
    let mut meetings = with_obstacles(model, motion, obstacles)?;
    if let Some(allowed) = allowed {
        meetings.extend(between_links(model, motion, allowed)?);
    }
    let pairs = meetings.iter().map(|meeting| meeting.pair(options)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = first_contact(pairs, options.max_iterations)? else { return Ok(None) };
    let meeting = &meetings[first.meeting];
    let to_world = match meeting.seen_from {
        None => Isometry3::identity(),
        Some(link) => LinkMotion::new(model.articulation(), link, [motion.from, motion.to], &motion.base)?
            .pose_at(first.contact.time),
    };
    Ok(Some(ArticulatedContact {
        time: first.contact.time,
        link: meeting.link,
        other: meeting.other,
        gap: first.contact.gap,
        points: first.contact.points.map(|point| to_world * point),
        normal: to_world.rotation * first.contact.normal,
        triangles: first.contact.triangles,
        steps: first.steps,
        pairs: meetings.len(),
    }))
}

/// A link and what it may touch, with their motions.
struct Meeting<'a> {
    link: usize,
    other: Other,
    models: [&'a Model; 2],
    motions: [LinkMotion; 2],
    /// The link in whose frame the motions are; the world, where none.
    seen_from: Option<usize>,
}

impl<'a> Meeting<'a> {
    fn pair(&'a self, options: &ContinuousOptions) -> Result<MovingPair<'a>, ProximityError> {
        let [a, b] =
            [0, 1].map(|i| Moving { model: self.models[i], motion: &self.motions[i] as &dyn RigidMotion });
        MovingPair::new(a, b, options.relative_tolerance)
    }

    /// Whether the balls around the bodies may meet on the way: they are no farther apart than both travel. NaN
    /// passes for meeting.
    fn is_possible(&self) -> bool {
        let [a, b] = self.models;
        let [at_a, at_b] = [0, 1].map(|i| self.motions[i].pose_at(0.0) * self.models[i].center());
        let travelled = |i: usize| self.motions[i].speed_bound(&self.models[i].center(), 0.0);
        let sizes = a.radius() + b.radius() + at_a.coords.norm() + at_b.coords.norm();
        let reach = a.radius() + b.radius() + travelled(0) + travelled(1) + SPARE * sizes;
        !(nalgebra::distance(&at_a, &at_b) * (1.0 - 1e-12) > reach)
    }
}

fn with_obstacles<'a>(
    model: &'a ArticulatedModel,
    motion: &ArticulatedMotion<'_>,
    obstacles: &[MovingObstacle<'a>],
) -> Result<Vec<Meeting<'a>>, ProximityError> {
    let articulation = model.articulation();
    let mut meetings = Vec::new();
    for (link, of_link) in model.models.iter().enumerate() {
        let Some(of_link) = of_link else { continue };
        let moved = LinkMotion::new(articulation, link, [motion.from, motion.to], &motion.base)?;
        for (index, obstacle) in obstacles.iter().enumerate() {
            let meeting = Meeting {
                link,
                other: Other::Obstacle(index),
                models: [of_link, obstacle.model],
                motions: [moved.clone(), LinkMotion::from(obstacle.motion)],
                seen_from: None,
            };
            meetings.extend(Some(meeting).filter(Meeting::is_possible));
        }
    }
    Ok(meetings)
}

fn between_links<'a>(
    model: &'a ArticulatedModel,
    motion: &ArticulatedMotion<'_>,
    allowed: &AllowedCollisions,
) -> Result<Vec<Meeting<'a>>, ProximityError> {
    let articulation = model.articulation();
    let configurations = [motion.from, motion.to];
    let mut meetings = Vec::new();
    for [i, j] in model.pairs(allowed) {
        let (Some(a), Some(b)) = (model.model(i), model.model(j)) else { continue };
        let ancestor = articulation.common_ancestor(i, j);
        let meeting = Meeting {
            link: i,
            other: Other::Link(j),
            models: [a, b],
            motions: [
                LinkMotion::below(articulation, ancestor, i, configurations)?,
                LinkMotion::below(articulation, ancestor, j, configurations)?,
            ],
            seen_from: Some(ancestor),
        };
        meetings.extend(Some(meeting).filter(Meeting::is_possible));
    }
    Ok(meetings)
}

/// A contact with the pair that found it and the steps of all.
struct First {
    meeting: usize,
    contact: ContactInTime,
    steps: u64,
}

fn first_contact(
    mut pairs: Vec<MovingPair<'_>>,
    max_iterations: u64,
) -> Result<Option<First>, ProximityError> {
    for round in 0..=ROUNDS {
        let end = f64::from(round) / f64::from(ROUNDS);
        let advances: Vec<_> = pairs.par_iter_mut().map(|pair| pair.advance(end, max_iterations)).collect();
        let steps = pairs.iter().map(MovingPair::steps).sum();
        let (mut first, mut free_until): (Option<First>, f64) = (None, f64::INFINITY);
        for (meeting, advance) in advances.into_iter().enumerate() {
            match advance {
                Advance::Contact(contact) => {
                    if first.as_ref().is_none_or(|first| contact.time < first.contact.time) {
                        first = Some(First { meeting, contact: *contact, steps });
                    }
                }
                Advance::Free => {}
                Advance::Exhausted { free_until: until } => free_until = free_until.min(until),
            }
        }
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
