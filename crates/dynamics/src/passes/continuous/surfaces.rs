//! Time of contact of two moving meshes at which they must stop.
//!
//! Contact of the whole surfaces does not stop bodies: those that roll touch all the time. One body less its skin is swept
//! against the other as it is; where that has no contact, neither body gets deeper into the other than the skin.

use nalgebra::{Point3, Vector3};

use super::path::{Path, relative_motion};
use super::swept::{CORES, MovingShape};
use crate::contact::clearance::Clearance;
use extricate_core::kinematics::Motion;
use extricate_core::proximity::ProximityError;
use extricate_core::proximity::{
    ContinuousOptions, Model, collide, surfaces_collide, time_of_contact_rigid, translational,
};

/// Gap at which meshes count as touching, as a fraction of the radius of the smaller one. Less costs more steps of the
/// sweep; more stops bodies farther from each other. Half and twice change none of 3 runs and the work by less than
/// 0.1 % (docs/sensitivity.md).
const TOUCHING: f64 = 1e-5;
/// Maximum number of tests of pairs of boxes, after which a sweep ends and the bodies stop at the time that is proved
/// to be free. A safeguard against unbounded steps, without effect on the sets of docs/sensitivity.md.
const MAX_STEPS: u64 = 300_000;
/// Distance, as a fraction of the size, by which surfaces without an inside must pass through each other to be stopped.
/// Less stops sheets that only rub; more lets them pass through each other slowly. No effect on the sets of
/// docs/sensitivity.md.
const THROUGH: f64 = 5e-3;

/// A model with its motion.
#[derive(Clone, Copy)]
struct MovingModel<'a> {
    model: &'a Model,
    path: &'a Path,
    /// Maximum distance of a point from the path's centre [m].
    reach: f64,
}

/// First contact of two moving models.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Contact {
    /// They touch at the start of the sweep.
    AtStart,
    /// They touch at a time, with a closing speed [m per step].
    Later { time: f64, speed: f64 },
}

/// Time from `from` on at which two bodies must stop, if they must. A clearance by which they are proved to be apart saves the work, and is determined where they were found to be.
pub(super) fn time_of_contact(
    pair: [MovingShape<'_>; 2],
    from: f64,
    clearance: &mut Clearance,
) -> Option<f64> {
    let [(shape_a, path_a), (shape_b, path_b)] = pair;
    let part = |(shape, path): MovingShape<'_>| shape.reach_from(&path.center);
    let reaches = pair.map(part);
    let whole_a = MovingModel { model: shape_a.surface()?, path: path_a, reach: reaches[0] };
    let whole_b = MovingModel { model: shape_b.surface()?, path: path_b, reach: reaches[1] };
    let b_to_a = path_a.pose_at(from).inv_mul(&path_b.pose_at(from));
    let motion = relative_motion([path_a, path_b], reaches);
    let needed = motion + 2.0 * TOUCHING * whole_a.model.radius().min(whole_b.model.radius());
    if clearance.exceeds(whole_b.model, &b_to_a, needed) {
        return None;
    }
    let Some(touch) = first_contact(whole_a, whole_b, from) else {
        clearance.determine([whole_a.model, whole_b.model], &b_to_a, [needed, motion]);
        return None;
    };
    // The body with the smaller skin is the one that is eroded.
    let of_a = shape_a.skin > 0.0 && !(shape_b.skin > 0.0 && shape_b.skin < shape_a.skin);
    let (shape, thin, other) = if of_a { (shape_a, whole_a, whole_b) } else { (shape_b, whole_b, whole_a) };
    if shape.core(0).is_none() {
        return through(touch, whole_a, whole_b);
    }
    // A body that is deeper than its skin already is tested with ever smaller cores.
    for level in 0..CORES {
        let core = MovingModel { model: shape.core(level)?, ..thin };
        match first_contact(core, other, from)? {
            Contact::Later { time, speed } if level == 0 => {
                return Some(latest_touch(touch, time, shape.skin / speed, from));
            }
            // It is a skin deep already: half of the remaining time is enough.
            Contact::Later { time, .. } => return Some(f64::midpoint(from, time)),
            Contact::AtStart => {}
        }
    }
    // At such a depth the bodies may be leaving each other on any side, and are not stopped.
    None
}

/// Time at which the contact began that is a skin deep at the time `deep`: the first touch, unless that was another one,
/// long before; `crossing` is the time that it takes to cross the skin.
fn latest_touch(touch: Contact, deep: f64, crossing: f64, from: f64) -> f64 {
    /// Factor on the time, as the path through the skin may be oblique: up to 60° off the normal.
    const OBLIQUE: f64 = 2.0;
    let before = deep - OBLIQUE * crossing;
    match touch {
        Contact::Later { time, .. } => time.max(before),
        // At least half of the free time passes, so that nothing is held for ever.
        Contact::AtStart => before.max(f64::midpoint(from, deep)),
    }
}

/// Time at which surfaces without an inside stop: where they touch, if the rest of the step would take one through the
/// other.
fn through(touch: Contact, a: MovingModel<'_>, b: MovingModel<'_>) -> Option<f64> {
    let Contact::Later { time, speed } = touch else { return None };
    let size = a.model.radius().min(b.model.radius());
    (speed * (1.0 - time) > THROUGH * size).then_some(time)
}

/// First contact from the time `from` on; `None` where the rest of the step is proved to be free.
fn first_contact(a: MovingModel<'_>, b: MovingModel<'_>, from: f64) -> Option<Contact> {
    let [pose_a, pose_b] = [a.path.pose_at(from), b.path.pose_at(from)];
    let (rest, size) = (1.0 - from, a.model.radius().min(b.model.radius()));
    let rotational = |body: &MovingModel<'_>| body.path.angular.norm() * body.reach;
    // Rotations too small to matter are left out: the sweep of a translation is exact, and faster.
    let found = if rotational(&a) + rotational(&b) <= TOUCHING * size {
        if !surfaces_collide(a.model, &pose_a, b.model, &pose_b)
            && collide(a.model, &pose_a, b.model, &pose_b)
        {
            return Some(Contact::AtStart);
        }
        let displacement = (a.path.linear - b.path.linear) * rest;
        let found = translational(a.model, &pose_a, &displacement, b.model, &pose_b);
        // Slightly before the contact, so that the bodies are disjoint.
        let back = TOUCHING * size / displacement.norm().max(f64::MIN_POSITIVE);
        found.map(|found| {
            found.map(|found| (found.time, (found.time - back).max(0.0), found.points[0], *found.normal))
        })
    } else {
        let motion = |path: &Path| -> Motion { path.motion(from, 1.0) };
        let options =
            ContinuousOptions { relative_tolerance: TOUCHING, max_iterations: MAX_STEPS, time_budget: None };
        let found = time_of_contact_rigid(a.model, &motion(a.path), b.model, &motion(b.path), &options);
        found.map(|found| found.map(|found| (found.time, found.time, found.points[0], *found.normal)))
    };
    match found {
        Ok(None) => None,
        Ok(Some((first, time, point, normal))) if first > 0.0 => {
            let time = from + time * rest;
            Some(Contact::Later { time, speed: closing(a.path, b.path, time, &point, &normal) })
        }
        Ok(Some(_)) => Some(Contact::AtStart),
        Err(ProximityError::IterationsExhausted { free_until, .. }) => {
            Some(Contact::Later { time: from + free_until * rest, speed: f64::INFINITY })
        }
        // A pose that is not finite is reported after the step.
        Err(_) => Some(Contact::AtStart),
    }
}

/// Closing speed of A and B at a point, along the normal from B to A [m per step]; not negative.
fn closing(a: &Path, b: &Path, time: f64, point: &Point3<f64>, normal: &Vector3<f64>) -> f64 {
    (b.velocity_at(time, point) - a.velocity_at(time, point)).dot(normal).max(0.0)
}
