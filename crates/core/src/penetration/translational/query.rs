//! Translational penetration queries.

use nalgebra::{Isometry3, Point3, Translation3, Unit, Vector3};

use super::answer::Penetration;
use super::coherence::{CoherentStarts, MotionCoherence};
use super::collision_check::{CollisionCheck, distance_from_origin};
use super::followed::Followed;
use super::in_norm::{self, NormInTree, measured};
use super::lower_bound::known::{KnownCertificate, displacement};
use super::lower_bound::{Resume, lower_bound};
use super::options::{Effort, LowerBound, TranslationalOptions, deadline};
use super::steps::Trace;
use super::walk::{ContactSpace, Optimum};
use super::{constrained, forced, free_configuration, search};
use crate::geometry::Norm;
use crate::penetration::allowed_translations::AllowedTranslations;
use crate::penetration::error::{PenetrationError, RADII};
use crate::penetration::free_configuration::FreeConfiguration;
use crate::proximity::collision::collide_within;
use crate::proximity::error::ProximityError;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;

/// The penetration of `a` and `b` \[Je12\], or `None` when they are proved separated. Poses map body to world coordinates.
///
/// Swapping the models reverses the direction and changes nothing else. At every shorter translation along the
/// returned direction the models overlap.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::penetration::{TranslationalOptions, penetration};
/// use extricate_core::proximity::Model;
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.6, 0.1, 0.0));
/// let found = penetration(&cube, &here, &cube, &there, &TranslationalOptions::default())?;
/// let found = found.expect("they overlap; `None` would mean that they are proved separated");
/// assert!((found.depth - 0.4).abs() < 1e-9);
/// assert!((found.direction.x + 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PenetrationError`] when a pose is not finite, or when no separating translation could be verified.
pub fn penetration(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    options: &TranslationalOptions,
) -> Result<Option<Penetration>, PenetrationError> {
    search((a, pose_a), (b, pose_b), (options, CoherentStarts::default()), Beside::default())
}

/// As [`penetration`], but back to the side from which the models came [Je12 §5.3]: the walk starts at their last separated
/// placement, or after a small motion where the contacts of the last result lead, and never hops, so that a thin plate is pushed
/// back and linked rings stay linked.
///
/// `coherence` belongs to this pair in this order. Without a stored placement the result is that of [`penetration`]. The
/// *last* separated placement decides the side. Options that force [`FreeConfiguration::MotionCoherence`] search for the
/// depth instead: they start from the *nearest* separated placements, may hop, and fail if there are none.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::penetration::{MotionCoherence, TranslationalOptions, penetration_coherent};
/// use extricate_core::proximity::Model;
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.0, 0.0, 1.2));
/// let (options, mut coherence) = (TranslationalOptions::default(), MotionCoherence::default());
/// // Separated, and stored as such.
/// assert!(penetration_coherent((&cube, &there), (&cube, &here), &options, &mut coherence)?.is_none());
/// // More than halfway through, and pushed back up.
/// let sunk = Isometry3::translation(0.0, 0.0, -0.1);
/// let found = penetration_coherent((&cube, &sunk), (&cube, &here), &options, &mut coherence)?;
/// assert!((found.expect("they overlap").translation.z - 1.1).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`penetration`].
pub fn penetration_coherent(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    options: &TranslationalOptions,
    coherence: &mut MotionCoherence,
) -> Result<Option<Penetration>, PenetrationError> {
    coherence.measure(a, b);
    let remembered = coherence.at(pose_a, pose_b);
    let (known, followed) = coherence.state();
    let beside = Beside { trace: None, known: Some(known), followed: Some(followed) };
    let answer = search((a, pose_a), (b, pose_b), (options, remembered), beside)?;
    match &answer {
        None => coherence.remember_free(pose_a, pose_b),
        Some(penetration) => {
            // The verified pose is the free placement from which the next query starts.
            let mut apart = *pose_a;
            apart.translation.vector += penetration.translation;
            coherence.remember_result(&apart, &penetration.direction, pose_b);
        }
    }
    Ok(answer)
}

/// State that a query takes and leaves beside its result.
#[derive(Default)]
pub(super) struct Beside<'a> {
    /// Record of its walks.
    pub(super) trace: Option<&'a mut Trace>,
    /// Certificate of the lower bound of the last query, replaced by that of this one.
    pub(super) known: Option<&'a mut Option<KnownCertificate>>,
    /// Contacts of the last result, replaced by those of this one.
    pub(super) followed: Option<&'a mut Followed>,
}

pub(super) fn search(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    (options, remembered): (&TranslationalOptions, CoherentStarts),
    Beside { mut trace, mut known, mut followed }: Beside,
) -> Result<Option<Penetration>, PenetrationError> {
    check('A', a, pose_a)?;
    check('B', b, pose_b)?;
    // Ties of the floating-point search are broken by order: both orders must run the same search.
    let is_exchanged = !is_in_order(a, pose_a, b, pose_b);
    if let Some(known) = known.as_deref_mut() {
        *known = known.take().filter(|known| known.is_exchanged == is_exchanged);
    }
    if let Some(followed) = followed.as_deref_mut() {
        followed.set_order(is_exchanged);
    }
    let beside = Beside { trace: trace.as_deref_mut(), known: known.as_deref_mut(), followed };
    if !is_exchanged {
        return separate((a, pose_a), (b, pose_b), (options, &remembered), beside);
    }
    let exchanged = options.exchanged();
    let remembered = remembered.exchanged(&pose_b.inv_mul(pose_a).rotation);
    let swapped = separate((b, pose_b), (a, pose_a), (&exchanged, &remembered), beside);
    let swapped = swapped.map_err(PenetrationError::exchanged)?;
    if let Some(Some(known)) = known {
        known.is_exchanged = true;
    }
    if let Some(trace) = trace {
        *trace = std::mem::take(trace).exchanged();
    }
    Ok(swapped.map(|found| Penetration {
        direction: -found.direction,
        translation: -found.translation,
        witnesses: [found.witnesses[1], found.witnesses[0]],
        start: found.start.map(FreeConfiguration::exchanged),
        ..found
    }))
}

/// Refuses a pose that is not finite, and a model out of the range of single precision; a point has no size.
pub(super) fn check(body: char, model: &Model, pose: &Isometry3<f64>) -> Result<(), PenetrationError> {
    let finite = pose.translation.vector.iter().chain(pose.rotation.coords.iter()).all(|x| x.is_finite());
    let radius = model.radius();
    match finite {
        false => Err(ProximityError::PoseNotFinite { body, pose: *pose }.into()),
        true if radius > 0.0 && !RADII.contains(&radius) => {
            Err(PenetrationError::SizeOutOfRange { body, radius })
        }
        true => Ok(()),
    }
}

/// Whether A is the model that is moved: a canonical order, so that the result does not depend on that of the arguments.
fn is_in_order(a: &Model, pose_a: &Isometry3<f64>, b: &Model, pose_b: &Isometry3<f64>) -> bool {
    let (m, n) = (a.mesh().triangles().len(), b.mesh().triangles().len());
    // By the models if they differ, otherwise by the relative position, which depends on the order.
    let of_models = m.cmp(&n).then(a.radius().total_cmp(&b.radius()));
    let seen_from = |from: &Isometry3<f64>, to: &Isometry3<f64>| {
        from.rotation.inverse() * (to.translation.vector - from.translation.vector)
    };
    let (a_in_b, b_in_a) = (seen_from(pose_b, pose_a), seen_from(pose_a, pose_b));
    let of_poses = || {
        let pairs = a_in_b.iter().zip(b_in_a.iter());
        pairs.map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    of_models.then_with(of_poses).is_le()
}

fn separate(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    (options, remembered): (&TranslationalOptions, &CoherentStarts),
    Beside { trace, known, mut followed }: Beside,
) -> Result<Option<Penetration>, PenetrationError> {
    let until = deadline(options.time_budget);
    let check = CollisionCheck::new(options.time_budget);
    let may_follow = followed.as_deref().is_some_and(Followed::has_result);
    if !may_follow && !check.collide((a, pose_a), (b, pose_b))? {
        return Ok(None);
    }
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    // The margin must exceed the rounding of the poses, which grows with the distance from the world origin.
    let far = distance_from_origin([(a, pose_a), (b, pose_b)]);
    let mut space = ContactSpace::new(a, b, a_to_b, far, options.max_iterations);
    space.limit_work(until);
    space.check = check;
    space.parallel = options.parallel;
    space.gaps = options.gaps;
    space.trace = trace.is_some().then(Box::default);
    if let Some(followed) = followed.as_deref_mut().filter(|_| may_follow)
        && !followed.collide(&space)
        && !check.collide((a, pose_a), (b, pose_b))?
    {
        followed.clear();
        return Ok(None);
    }
    let beside = Beside { trace: None, known, followed };
    let poses = [pose_a, pose_b];
    let mut answer = separate_colliding(&mut space, poses, options, (remembered, beside));
    if options.norm != Norm::L2 {
        answer = answer.map(|found| measured_in_norm(&mut space, found, poses, options));
    }
    if let Some((trace, walks)) = trace.zip(space.trace.take()) {
        *trace = walks.in_world(b, pose_b);
    }
    answer.map(Some)
}

/// Relative gain that a separating translation found by a cover must have: without one, equal translations would replace each
/// other.
const SHORTER: f64 = 1e-9;

/// The penetration of models that collide.
fn separate_colliding(
    space: &mut ContactSpace,
    [pose_a, pose_b]: [&Isometry3<f64>; 2],
    options: &TranslationalOptions,
    (remembered, Beside { known, mut followed, .. }): (&CoherentStarts, Beside),
) -> Result<Penetration, PenetrationError> {
    let (a, b, until) = (space.a, space.b, space.deadline());
    let have_balls = || [a, b].iter().all(|model| !model.inner_balls().balls().is_empty());
    let bound = options.lower_bound.resolved(options.effort, have_balls);
    if let Some(followed) =
        followed.as_deref_mut().filter(|_| options.allowed.is_some() || options.start.is_some())
    {
        followed.clear();
    }
    if let Some(allowed) = options.allowed {
        let in_tree = allowed.rotated(|direction| pose_b.rotation.inverse() * direction);
        let optimum = constrained::search(space, in_tree, options.effort);
        let found = verified(space, &optimum, pose_a, pose_b)?;
        if allowed.is_exact() && bound != LowerBound::Skip {
            return Ok(Penetration { lower_bound: optimum.touching.norm(), ..found });
        }
        return Ok(bounded(space, [pose_a, pose_b], found, (bound, known, false)));
    }
    if let Some(source) = options.start {
        let given = |translation: &Vector3<f64>| pose_b.rotation.inverse() * translation;
        let optimum = forced::search(space, source, (options, remembered), given)?;
        let optimum = search::exclude_nearer_gaps(space, optimum, true);
        let found = verified(space, &optimum, pose_a, pose_b)?;
        return Ok(bounded(space, [pose_a, pose_b], found, (bound, known, false)));
    }
    // During the search the cheap bound suffices: it only decides whether to end early.
    let proved = |space: &ContactSpace, optimum: &Optimum| {
        let quick = match bound {
            LowerBound::Skip => LowerBound::Skip,
            _ => LowerBound::InnerBalls,
        };
        let found = answer(space, optimum, pose_b);
        lower_bound((a, pose_a), (b, pose_b), &found, (quick, until), (None, &mut |_| None))
    };
    // If verification finds the result of a fast walk overlapping, a thorough search follows.
    let more_thorough = (options.effort == Effort::Fast).then_some(Attempt::Search(Effort::Best));
    let attempts = [Attempt::Followed, Attempt::Coherent, Attempt::Search(options.effort)];
    let mut failure = None;
    if let Some(followed) = followed.as_deref_mut() {
        followed.begin(space);
    }
    for attempt in attempts.into_iter().chain(more_thorough) {
        let optimum = match attempt {
            Attempt::Search(Effort::Fast) => Some(search::fast(space)),
            Attempt::Search(Effort::Best) => Some(search::best(space, proved)),
            _ => coherent(space, attempt, [pose_a, pose_b], (remembered, followed.as_deref_mut())),
        };
        let Some(optimum) = optimum else { continue };
        // A coherent result must stay on its side.
        let hops = matches!(attempt, Attempt::Search(_));
        let optimum = search::exclude_nearer_gaps(space, optimum, hops);
        match verified(space, &optimum, pose_a, pose_b) {
            Ok(found) => {
                if let Some(followed) = followed {
                    followed.remember(space, &optimum, &pose_b.inv_mul(pose_a));
                }
                return Ok(bounded(space, [pose_a, pose_b], found, (bound, known, hops)));
            }
            // The results of later attempts would not be verified in time, either.
            Err(error @ PenetrationError::OutOfTime { .. }) => return Err(error),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.expect("at least one attempt was made"))
}

/// The shortest separating translation in the norm of the options that is found from `found`, a result in L2.
fn measured_in_norm(
    space: &mut ContactSpace,
    found: Penetration,
    [pose_a, pose_b]: [&Isometry3<f64>; 2],
    options: &TranslationalOptions,
) -> Penetration {
    let (norm, to_world) = (options.norm, pose_b.rotation);
    let found = measured(found, norm);
    if options.allowed.as_ref().is_some_and(AllowedTranslations::is_exact) {
        let is_bounded = options.lower_bound != LowerBound::Skip;
        return Penetration { lower_bound: if is_bounded { found.depth } else { 0.0 }, ..found };
    }
    let measure = NormInTree { norm, to_world };
    // A coherent result must stay on its side.
    let jumps = found.start != Some(FreeConfiguration::MotionCoherence);
    let start = (&(to_world.inverse() * found.translation), jumps);
    let how = (options.allowed, options.effort);
    let nearer = search::in_fresh_tree(space, |fresh| in_norm::shortest(fresh, &measure, start, how));
    let verified = nearer.and_then(|nearer| verified(space, &nearer, pose_a, pose_b).ok());
    let Some(nearer) = verified.map(|nearer| measured(nearer, norm)) else { return found };
    Penetration { lower_bound: found.lower_bound.min(nearer.depth), ..nearer }
}

/// The end of a walk on the side of the last separated placement, if there is a start for it.
fn coherent(
    space: &mut ContactSpace,
    attempt: Attempt,
    [pose_a, pose_b]: [&Isometry3<f64>; 2],
    (remembered, followed): (&CoherentStarts, Option<&mut Followed>),
) -> Option<Optimum> {
    let (last, placement) = (remembered.last?, pose_b.inv_mul(pose_a));
    space.source = FreeConfiguration::MotionCoherence;
    let optimum = if attempt == Attempt::Followed {
        followed?.walk(space, &placement, &last)?
    } else {
        let start = free_configuration::motion_coherence(space, &last, remembered.direction)?;
        space.walk(&start, false)
    };
    Some(or_from_scratch(space, optimum, displacement(space.a, &last, &placement)))
}

/// The result `found` with its lower bound. A cover may find a shorter separating translation, which then replaces it.
fn bounded(
    space: &mut ContactSpace,
    [pose_a, pose_b]: [&Isometry3<f64>; 2],
    found: Penetration,
    (effort, known, hops): (LowerBound, Option<&mut Option<KnownCertificate>>, bool),
) -> Penetration {
    let (a, b, until) = (space.a, space.b, space.deadline());
    let mut best = found.clone();
    let mut resume = |q: &Vector3<f64>| {
        // A result on a given side, or from a given source, is not replaced by another one.
        if !hops || !space.is_apart(q) {
            return None;
        }
        space.source = FreeConfiguration::Given(pose_b.rotation * q);
        let optimum = space.walk_within(q, best.depth * (1.0 - SHORTER))?;
        let optimum = search::exclude_nearer_gaps(space, optimum, true);
        let shorter = verified(space, &optimum, pose_a, pose_b).ok()?;
        let is_shorter = shorter.depth < best.depth;
        is_shorter.then(|| {
            best = shorter;
            optimum.touching
        })
    };
    let beside = (known, &mut resume as Resume);
    let lower_bound = lower_bound((a, pose_a), (b, pose_b), &found, (effort, until), beside);
    Penetration { lower_bound: lower_bound.min(best.depth), ..best }
}

/// `coherent`, or the optimum of one walk from scratch if that is shorter and `coherent` is longer than the models have `moved`
/// [m] since they were separated: a motion of that length cannot explain such a depth.
fn or_from_scratch(space: &mut ContactSpace, coherent: Optimum, moved: f64) -> Optimum {
    /// Maximum plausible ratio of the depth to the motion since the last separation: a rotation may drive a body deeper
    /// than its points have moved. Nearer to 1, bodies are released to the wrong side. A safeguard against stale
    /// placements, which would push bodies far, without effect on the sets of docs/sensitivity.md.
    const PLAUSIBLE: f64 = 2.0;
    let depth = coherent.touching.norm();
    if depth <= PLAUSIBLE * moved {
        return coherent;
    }
    let fresh = search::from_outside(space);
    if fresh.touching.norm() < depth { fresh } else { coherent }
}

/// A search for a separating translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// A walk from where the contacts of the last result lead.
    Followed,
    /// A walk from the configuration at which the models were last separated.
    Coherent,
    /// From scratch.
    Search(Effort),
}

/// Pairs of subtrees that the check of a result visits before it is moved farther away: eight times what the pairs of the experiments need at most, 7746.
const STRAINED: u64 = 1 << 16;
/// Length by which it is then, relative to the size: above the rounding of boxes in single precision, by which all of thousands of
/// coincident faces of one model touch all of those of the other one.
const FARTHER: f64 = 4e-6;

/// The penetration at an optimum, if an independent query finds the models separated with A translated; at one that is a little
/// farther away where the query strains.
pub(super) fn verified(
    space: &ContactSpace,
    optimum: &Optimum,
    pose_a: &Isometry3<f64>,
    pose_b: &Isometry3<f64>,
) -> Result<Penetration, PenetrationError> {
    let moved = |optimum: &Optimum| Translation3::from(pose_b.rotation * optimum.q) * pose_a;
    let of = |optimum: &Optimum, collides: bool| match collides {
        true => Err(PenetrationError::NotSeparated { length: optimum.q.norm() }),
        false => Ok(answer(space, optimum, pose_b)),
    };
    if let Some(collides) = space
        .check
        .decide_within(STRAINED, |limit| collide_within((space.a, &moved(optimum)), (space.b, pose_b), limit))
    {
        return of(optimum, collides);
    }
    let along = optimum.q.normalize() * (FARTHER * (space.a.radius() + space.b.radius()));
    let farther = Optimum { q: optimum.q + along, touching: optimum.touching + along, ..*optimum };
    of(&farther, space.check.collide((space.a, &moved(&farther)), (space.b, pose_b))?)
}

fn answer(space: &ContactSpace, optimum: &Optimum, pose_b: &Isometry3<f64>) -> Penetration {
    let translation = pose_b.rotation * optimum.q;
    let to_world = |point: Point3<f64>| pose_b * (space.b.center() + point.coords);
    Penetration {
        depth: optimum.touching.norm(),
        norm: Norm::L2,
        direction: Unit::new_normalize(translation),
        translation,
        witnesses: optimum.witnesses.map(to_world),
        converged: optimum.converged,
        ended_by: space.end(),
        iterations: space.iterations,
        lower_bound: 0.0,
        casts: space.casts,
        marches: space.marches,
        walks: space.walks,
        rows: optimum.rows,
        start: Some(optimum.source),
        approximation: 0.0,
        polyhedron: None,
        parts: [0, 0],
    }
}
