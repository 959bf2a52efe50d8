//! Penetration depth near a guessed direction: sequential quadratic programming by portals [Gao23].
//!
//! The depth is the distance from the origin to the boundary of N = B − A. Along a ray from the origin, portals find
//! where the ray leaves N and a plane that supports N there (Algorithm 1, `portal.rs`); the foot of the origin's
//! perpendicular on that plane gives the next ray (Algorithms 2 and 3). The shortcut (Algorithms 4 and 5) takes the
//! next ray as soon as it is sure to be better. The listings of the algorithms are read from the paper's prose.
//!
//! **The answer is local**, as the paper's is: a direction along which no small change of direction helps. From a poor
//! guess it is the wrong one for a share of all pairs of boxes and hulls, and nothing in it tells. It is here as a seed
//! and to be compared with; [`signed_distance`](super::signed_distance) gives the certified depth.
//!
//! | paper        | here                      | meaning                                             |
//! |--------------|---------------------------|-----------------------------------------------------|
//! | O₁ ⊖ O₂      | −N, `Obstacle`            | Minkowski difference                                |
//! | d            | `ray`                     | unit direction that is searched                     |
//! | n, v         | `Planes::supporting`      | portal normal, and the extreme point along it       |
//! | ‖q‖          | `Planes::reach`           | portal along the ray: lower bound of the depth on d |
//! | n · v        | `Planes::supporting.value`| upper bound of the depth along n                    |
//!
//! Departs from [Gao23]: a proved gap and a touch end the search, because the paper starts from an overlap that is
//! known; the tolerance is relative to the size of N; the extreme point along a new ray is the one that gave it; and the
//! portal is turned to the new ray, where the paper does not say if Algorithm 5 finds a new one. Mean supports of an
//! icosphere and a capsule, guesses 15° off (the setting of the paper's Fig. 7):
//!
//! | vertices | shortcut, portals turned | shortcut alone | portals turned alone | neither (Algorithm 3) |
//! |---------:|-------------------------:|---------------:|---------------------:|----------------------:|
//! |       42 |                       24 |             59 |                   58 |                    84 |
//! |      162 |                       26 |             60 |                   55 |                    84 |
//! |      642 |                       29 |             66 |                   62 |                    96 |
//!
//! So the shortcut halves the supports, as the paper says, where portals are turned; where they are not it saves three
//! tenths. Of a pair of icospheres it saves a tenth at most: there the turned portals halve the supports (12, 15, 19 in
//! place of 24, 33, 49).

mod obstacle;
mod portal;
#[cfg(test)]
mod tests;

use self::obstacle::{Extreme, NotInside, Obstacle};
use self::portal::{Planes, Portal};
use crate::geometry::convex::shape::{ConvexShape, Core};
use crate::penetration::error::PenetrationError;
use crate::proximity::error::ProximityError;
use nalgebra::{Isometry3, Point3, Unit, Vector3};

/// Accuracy and work of [`incremental`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IncrementalOptions {
    /// ε of the paper as a share of the distance from the origin to the first extreme point, which is about the sum
    /// of the shapes' radii: portal and supporting plane, and the depths along two successive rays, agree to this. The
    /// depth of smooth shapes is as exact in the mean; that of polytopes is a facet's, to rounding, where it is right.
    pub relative_tolerance: f64,
    /// Whether a better ray is taken before the portal is fine (Algorithm 5), or only then (Algorithm 3).
    pub shortcut: bool,
    /// Whether the portal of a ray is turned to the next one, or one is found anew.
    pub reuse_portal: bool,
    /// Greatest number of portals of one ray.
    pub max_iterations_per_ray: u32,
    /// Greatest number of rays.
    pub max_iterations: u32,
}

impl Default for IncrementalOptions {
    fn default() -> Self {
        Self {
            relative_tolerance: 1e-6,
            shortcut: true,
            reuse_portal: true,
            max_iterations_per_ray: 200,
            max_iterations: 100,
        }
    }
}

/// A locally least translation that separates two overlapping shapes, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IncrementalPenetration {
    /// A moved by this [m] along `direction` is free: never less than the penetration depth, beyond rounding. Zero when
    /// a plane was found that separates the shapes to rounding: they touch, or are apart.
    pub depth: f64,
    /// Unit direction in which A moves.
    pub direction: Unit<Vector3<f64>>,
    /// The points of A and of B [m] that are farthest inside the other shape along `direction`.
    pub witnesses: [Point3<f64>; 2],
    /// Supports of the pair that were computed.
    pub supports: u32,
    /// Rays that were searched.
    pub iterations: u32,
    /// Whether the tolerance was reached; otherwise `depth` separates the shapes, but may not be a local minimum.
    pub converged: bool,
}

/// A locally least translation of A that separates `a` from `b`, searched from `guess`, the direction in which A may
/// best move (world, of any length); poses map body to world coordinates. `Ok(None)` when the shapes are proved apart.
///
/// An answer is no proof that the shapes overlap: the paper starts from pairs that do. For a guess that leads A from one
/// side of B through B, the far side is the answer.
///
/// # Errors
/// [`PenetrationError`] for half-spaces, for numbers that are not finite, and when no portal is found.
pub fn incremental(
    a: &ConvexShape,
    pose_a: &Isometry3<f64>,
    b: &ConvexShape,
    pose_b: &Isometry3<f64>,
    guess: &Vector3<f64>,
    options: &IncrementalOptions,
) -> Result<Option<IncrementalPenetration>, PenetrationError> {
    if [a.core(), b.core()].iter().any(|core| matches!(core, Core::HalfSpace)) {
        return Err(PenetrationError::Unbounded);
    }
    let b_to_a = pose_a.inv_mul(pose_b);
    let unit = guess.try_normalize(0.0).filter(|unit| unit.iter().all(|x| x.is_finite()));
    let ray = pose_a.inverse_transform_vector(&unit.ok_or(ProximityError::NotFinite)?);
    if !b_to_a.to_homogeneous().iter().chain(ray.iter()).all(|x| x.is_finite()) {
        return Err(ProximityError::NotFinite.into());
    }
    let mut obstacle = Obstacle::new(a, b, &b_to_a);
    let (found, iterations, converged) = match quadratic_programs(&mut obstacle, &ray, options) {
        Ok(found) => found,
        Err(NotInside::Apart) => return Ok(None),
        Err(NotInside::Touching(extreme)) => (*extreme, 1, true),
        Err(NotInside::Unknown) => return Err(PenetrationError::NoPortal { supports: obstacle.supports }),
    };
    let [on_a, on_b] = obstacle.witnesses(&found).map(Point3::from);
    Ok(Some(IncrementalPenetration {
        depth: found.value.max(0.0),
        direction: Unit::new_normalize(pose_a * found.direction),
        witnesses: [pose_a * on_a, pose_b * on_b],
        supports: obstacle.supports,
        iterations,
        converged,
    }))
}

/// Algorithms 2 to 4: the next ray is the perpendicular on the plane that supports N where the last ray leaves it.
///
/// Returns the extreme point along the best ray, the number of rays, and whether the tolerance was reached.
fn quadratic_programs(
    obstacle: &mut Obstacle<'_>,
    guess: &Vector3<f64>,
    options: &IncrementalOptions,
) -> Result<(Extreme, u32, bool), NotInside> {
    let mut along_ray = obstacle.extreme_inside(guess)?;
    let tolerance = options.relative_tolerance.max(f64::EPSILON) * along_ray.point.norm();
    let mut portal = Portal::find(obstacle, guess, &along_ray, options.max_iterations_per_ray)?;
    for iteration in 1..=options.max_iterations {
        let ray = along_ray.direction;
        let Some(planes) = follow(obstacle, &mut portal, &ray, tolerance, options)? else {
            return Ok((along_ray, iteration, false));
        };
        let next = planes.supporting;
        let is_local_minimum = planes.reach - next.value <= tolerance;
        if next.value < along_ray.value {
            along_ray = next;
        }
        if is_local_minimum {
            return Ok((along_ray, iteration, true));
        }
        portal = if options.reuse_portal {
            portal.turned(obstacle, &along_ray, options.max_iterations_per_ray)?
        } else {
            Portal::find(obstacle, &along_ray.direction, &along_ray, options.max_iterations_per_ray)?
        };
    }
    Ok((along_ray, options.max_iterations, false))
}

/// Algorithm 1, and with the shortcut Algorithm 5: portals until portal and supporting plane agree, or until the depth
/// along the portal's normal is surely less than along the ray. No planes when the portals end without either.
fn follow(
    obstacle: &mut Obstacle<'_>,
    portal: &mut Portal,
    ray: &Vector3<f64>,
    tolerance: f64,
    options: &IncrementalOptions,
) -> Result<Option<Planes>, NotInside> {
    for _ in 0..options.max_iterations_per_ray {
        let Some(planes) = portal.planes(obstacle, ray)? else { break };
        let is_better = options.shortcut && planes.supporting.value < planes.reach - tolerance;
        if is_better || planes.supporting.value - planes.offset <= tolerance {
            return Ok(Some(planes));
        }
        portal.update(&planes.supporting.point, ray);
    }
    Ok(None)
}
