//! When two moving meshes meet so that they must stop.
//!
//! That the whole surfaces touch says little: what rolls does so all the time. One body less its skin is swept against
//! the other as it is; where that meets nothing, neither body gets deeper into the other than the skin.

use nalgebra::{Point3, Vector3};

use super::path::Path;
use super::swept::{CORES, Moving};
use extricate_core::kinematics::Motion;
use extricate_core::proximity::ProximityError;
use extricate_core::proximity::{ContinuousOptions, Model, collide, rigid, surfaces_collide, translational};

/// Gap at which meshes count as touching, as a share of the radius of the smaller one.
const TOUCHING: f64 = 1e-5;
/// Looks at pairs of boxes after which a sweep gives up, and the bodies stop as far as it got.
const MOST_STEPS: u64 = 300_000;
/// Share of the size by which surfaces without an inside would have to pass through each other to be stopped.
const THROUGH: f64 = 5e-3;

/// A model on its way.
#[derive(Clone, Copy)]
struct MovingModel<'a> {
    model: &'a Model,
    path: &'a Path,
    /// Farthest distance of a point from the path's centre [m].
    reach: f64,
}

/// The first contact of two models on their ways.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Contact {
    /// They touch when the sweep begins.
    AtStart,
    /// They touch at a time, and close in with a speed there [m per step].
    Later { time: f64, speed: f64 },
}

/// The time from `from` on at which two bodies must stop, if they must.
pub(super) fn meeting(pair: [Moving<'_>; 2], from: f64) -> Option<f64> {
    let [(shape_a, path_a), (shape_b, path_b)] = pair;
    let part = |(shape, path): Moving<'_>| shape.reach_from(&path.center);
    let reaches = pair.map(part);
    let whole_a = MovingModel { model: shape_a.surface()?, path: path_a, reach: reaches[0] };
    let whole_b = MovingModel { model: shape_b.surface()?, path: path_b, reach: reaches[1] };
    let touch = first_contact(whole_a, whole_b, from)?;
    // The body with the lesser skin gives its own up.
    let of_a = shape_a.skin > 0.0 && !(shape_b.skin > 0.0 && shape_b.skin < shape_a.skin);
    let (shape, thin, other) = if of_a { (shape_a, whole_a, whole_b) } else { (shape_b, whole_b, whole_a) };
    if shape.core(0).is_none() {
        return through(touch, whole_a, whole_b);
    }
    for level in 0..CORES {
        let core = MovingModel { model: shape.core(level)?, ..thin };
        match first_contact(core, other, from)? {
            Contact::Later { time, speed } if level == 0 => {
                return Some(latest_touch(touch, time, shape.skin / speed, from));
            }
            // It is a skin deep already: half of what is left is enough.
            Contact::Later { time, .. } => return Some(f64::midpoint(from, time)),
            Contact::AtStart => {}
        }
    }
    // As deep as that, the way out may be on any side.
    None
}

/// When the contact began that is a skin deep at the time `deep`: at the first touch, unless that was another one, long
/// before; `crossing` is the time that the skin takes.
fn latest_touch(touch: Contact, deep: f64, crossing: f64, from: f64) -> f64 {
    /// The way through the skin may be slanted.
    const SLANTED: f64 = 2.0;
    let before = deep - SLANTED * crossing;
    match touch {
        Contact::Later { time, .. } => time.max(before),
        // Half of what is free is gone in any case, so that nothing is held for ever.
        Contact::AtStart => before.max(f64::midpoint(from, deep)),
    }
}

/// Surfaces without an inside stop where they touch, if the rest of the step would take one through the other.
fn through(touch: Contact, a: MovingModel<'_>, b: MovingModel<'_>) -> Option<f64> {
    let Contact::Later { time, speed } = touch else { return None };
    let size = a.model.radius().min(b.model.radius());
    (speed * (1.0 - time) > THROUGH * size).then_some(time)
}

/// The first contact from the time `from` on; none where the rest of the step is proved to be free.
fn first_contact(a: MovingModel<'_>, b: MovingModel<'_>, from: f64) -> Option<Contact> {
    let [pose_a, pose_b] = [a.path.pose_at(from), b.path.pose_at(from)];
    let (rest, size) = (1.0 - from, a.model.radius().min(b.model.radius()));
    let turning = |body: &MovingModel<'_>| body.path.angular.norm() * body.reach;
    let found = if turning(&a) + turning(&b) <= TOUCHING * size {
        if !surfaces_collide(a.model, &pose_a, b.model, &pose_b)
            && collide(a.model, &pose_a, b.model, &pose_b)
        {
            return Some(Contact::AtStart);
        }
        let way = (a.path.linear - b.path.linear) * rest;
        let found = translational(a.model, &pose_a, &way, b.model, &pose_b);
        // A little before, so that the bodies are apart.
        let back = TOUCHING * size / way.norm().max(f64::MIN_POSITIVE);
        found.map(|found| {
            found.map(|found| (found.time, (found.time - back).max(0.0), found.points[0], *found.normal))
        })
    } else {
        let motion = |path: &Path| -> Motion { path.motion(from, 1.0) };
        let options = ContinuousOptions { relative_tolerance: TOUCHING, max_iterations: MOST_STEPS };
        let found = rigid(a.model, &motion(a.path), b.model, &motion(b.path), &options);
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
        // What is not a number stops the world after the step.
        Err(_) => Some(Contact::AtStart),
    }
}

/// Speed at which A and B close in at a point, along the normal from B to A [m per step]; not negative.
fn closing(a: &Path, b: &Path, time: f64, point: &Point3<f64>, normal: &Vector3<f64>) -> f64 {
    (b.velocity_at(time, point) - a.velocity_at(time, point)).dot(normal).max(0.0)
}
