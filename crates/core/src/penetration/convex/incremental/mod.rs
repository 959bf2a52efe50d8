//! Penetration depth near a guessed direction: sequential quadratic programming by portals \[Gao23\].
//!
//! The depth is the distance from the origin to the boundary of N = B − A. Along a ray from the origin, portals find
//! the point at which the ray leaves N and a plane that supports N there (Algorithm 1, `portal.rs`); the foot of the origin's
//! perpendicular on that plane gives the next ray (Algorithms 2 and 3). The shortcut (Algorithms 4 and 5) takes the
//! next ray as soon as it is sure to be better. The listings of the algorithms are reconstructed from the paper's prose.
//!
//! **The result is a local minimum**, as the paper's is: no small change of the direction gives a smaller depth. From a poor
//! guess it is not the global one for some pairs of boxes and hulls, and the result does not show it. It serves as a seed and
//! as a baseline; [`signed_distance`](super::signed_distance) computes the certified depth.
//!
//! | paper        | here                      | meaning                                             |
//! |--------------|---------------------------|-----------------------------------------------------|
//! | O₁ ⊖ O₂      | −N, `Obstacle`            | Minkowski difference                                |
//! | d            | `ray`                     | unit direction that is searched                     |
//! | n, v         | `Planes::supporting`      | portal normal, and the extreme point along it       |
//! | ‖q‖          | `Planes::reach`           | portal along the ray: lower bound of the depth on d |
//! | n · v        | `Planes::supporting.value`| upper bound of the depth along n                    |
//!
//! Departs from \[Gao23\]: a proved gap and a touch end the search, because the paper starts from an overlap that is
//! known; the tolerance is relative to the size of N; the extreme point along a new ray is the one that gave it; and the
//! portal is updated for the new ray, where the paper does not state whether Algorithm 5 finds a new one. Mean supports of an
//! icosphere and a capsule, guesses 15° off (the setting of the paper's Fig. 7):
//!
//! | vertices | shortcut, portals reused | shortcut alone | portals reused alone | neither (Algorithm 3) |
//! |---------:|-------------------------:|---------------:|---------------------:|----------------------:|
//! |       42 |                       24 |             59 |                   58 |                    84 |
//! |      162 |                       26 |             60 |                   55 |                    84 |
//! |      642 |                       29 |             66 |                   62 |                    96 |
//!
//! So the shortcut halves the supports, as the paper states, where portals are reused; without reuse it saves 30 %. For a
//! pair of icospheres it saves at most 10 %: there the reuse halves the supports (12, 15, 19 instead of 24, 33, 49).

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
    /// ε of the paper relative to the distance from the origin to the first extreme point, which is about the sum of the
    /// shapes' radii: portal and supporting plane, and the depths along two successive rays, agree to this. The mean error of
    /// the depth of smooth shapes is of this order; the depth of polytopes is that of a facet, exact to rounding where it
    /// is the global one.
    pub relative_tolerance: f64,
    /// Whether a better ray is taken before the portal is fine (Algorithm 5), or only then (Algorithm 3).
    pub shortcut: bool,
    /// Whether the portal of a ray is updated for the next one, or a new one is found.
    pub reuse_portal: bool,
    /// Maximum number of portals of one ray.
    pub max_iterations_per_ray: u32,
    /// Maximum number of rays.
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

/// A locally minimum translation that separates two overlapping shapes, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IncrementalPenetration {
    /// Distance \[m\] along `direction` after which A is free: an upper bound of the penetration depth, to rounding. Zero when
    /// a plane was found that separates the shapes to rounding: they touch, or are separated.
    pub depth: f64,
    /// Unit direction in which A moves.
    pub direction: Unit<Vector3<f64>>,
    /// The points of A and of B \[m\] that are farthest inside the other shape along `direction`.
    pub witnesses: [Point3<f64>; 2],
    /// Support evaluations of the pair.
    pub supports: u32,
    /// Rays that were searched.
    pub iterations: u32,
    /// Whether the tolerance was reached; otherwise `depth` separates the shapes, but may not be a local minimum.
    pub converged: bool,
}

/// A locally minimum translation of A that separates `a` from `b`, searched from `guess`, the direction in which A may
/// best move (world, of any length); poses map body to world coordinates. `Ok(None)` when the shapes are proved separated.
///
/// A returned depth does not prove that the shapes overlap: the paper starts from pairs that do. For a guess that leads A
/// from one side of B through B, the depth on the far side is returned.
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

/// Sequential quadratic programming [Gao23 Algorithms 2–4]: the next ray is the perpendicular on the plane that supports N
/// where the last ray leaves it.
///
/// Returns the extreme point along the best ray, the number of rays, and whether the tolerance was reached.
fn quadratic_programs(
    obstacle: &mut Obstacle<'_>,
    guess: &Vector3<f64>,
    options: &IncrementalOptions,
) -> Result<(Extreme, u32, bool), NotInside> {
    let mut along_ray = obstacle.extreme_inside(guess)?;
    // Relative to an extreme point, because the depth itself may be zero.
    let tolerance = options.relative_tolerance.max(f64::EPSILON) * along_ray.point.norm();
    let mut portal = Portal::find(obstacle, guess, &along_ray, options.max_iterations_per_ray)?;
    for iteration in 1..=options.max_iterations {
        let ray = along_ray.direction;
        let Some(planes) = follow(obstacle, &mut portal, &ray, tolerance, options)? else {
            return Ok((along_ray, iteration, false));
        };
        let next = planes.supporting;
        // The depth along the portal's normal is not below that along the ray: no neighbouring direction is better.
        let is_local_minimum = planes.reach - next.value <= tolerance;
        // Rounding may make the next depth larger: the best ray is retained.
        if next.value < along_ray.value {
            along_ray = next;
        }
        if is_local_minimum {
            return Ok((along_ray, iteration, true));
        }
        portal = if options.reuse_portal {
            portal.reused(obstacle, &along_ray, options.max_iterations_per_ray)?
        } else {
            Portal::find(obstacle, &along_ray.direction, &along_ray, options.max_iterations_per_ray)?
        };
    }
    Ok((along_ray, options.max_iterations, false))
}

/// Portal refinement along one ray [Gao23 Algorithm 1, with the shortcut Algorithm 5]: until portal and supporting plane agree,
/// or until the depth along the portal's normal is surely less than along the ray. `None` when the iterations end without
/// either.
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
