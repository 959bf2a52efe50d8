//! Penetration of convex shapes by translations that are restricted to a direction, a line or a plane, and in the norms L1 and L∞.
//!
//! The translations after which two convex shapes overlap form a convex set O that contains zero. A search along a ray u from
//! zero: at a translation s u outside of O, the signed distance gives a plane with normal n that is a gap g from O, so that all
//! translations longer than s − g/(n·u) are separating; this is the next s (Newton's method on the supporting planes, which ends
//! at once on a flat face of O). Overlap slightly before the end proves the lower bound, because O is convex.
//!
//! In a plane, the ends of such rays are the vertices of a polygon inside the section of O. The edge that is nearest to zero bounds the
//! depth from below, the ray through its nearest point bounds it from above; the edge is split there until the bounds agree: the
//! expanding polytope in two dimensions, with rays in place of support points.
//!
//! In the norms L1 and L∞ a ball is in O if its vertices are: the depth is the minimum over the rays through these, and both
//! bounds of the rays are bounds of it.

use nalgebra::{Point3, Translation3, Unit, UnitVector3, Vector3};

use super::cache::PairCache;
use super::error::QueryError;
use super::options::{PenetrationOptions, convex};
use super::pair::ConvexPair;
use crate::geometry::convex::Core;
use crate::penetration::convex::SignedDistance;
use crate::penetration::extreme_translations::{extreme_translations, out_of_half_space};
use crate::penetration::{AllowedTranslations, LowerBound, PenetrationError};

/// Maximum number of Newton steps along a ray: polyhedra take one for each facet that is passed, round shapes converge quadratically.
const STEPS: u32 = 64;
/// Maximum number of rays in a plane: a smooth section to 1e-9 takes about forty.
const RAYS: u32 = 256;
/// Distance before the end of a ray, relative to its length, at which overlap proves the lower bound.
const PROVED: f64 = 1e-9;

/// End of a ray of translations in the overlap of two convex shapes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exit {
    pub(super) direction: UnitVector3<f64>,
    /// Normal of a plane that separates the shapes there, from B to A.
    pub(super) normal: UnitVector3<f64>,
    /// Euclidean length at which the shapes touch, and a proved lower bound of the one of the shortest such translation along this
    /// direction [m].
    pub(super) depth: f64,
    pub(super) lower_bound: f64,
    /// A point of A and one of B, at the input pose, that touch then.
    pub(super) witnesses: [Point3<f64>; 2],
    /// Number of support evaluations.
    pub(super) supports: u32,
    pub(super) converged: bool,
}

/// Separating translations along rays.
struct Rays<'a, 'b> {
    pair: &'a ConvexPair<'b>,
    options: &'a PenetrationOptions,
    supports: u32,
}

/// The allowed translation of A, shortest in the norm of the options, at which two overlapping shapes touch.
pub(super) fn shortest_exit(pair: &ConvexPair, options: &PenetrationOptions) -> Result<Exit, QueryError> {
    let mut rays = Rays { pair, options, supports: 0 };
    if pair.shapes.iter().any(|shape| matches!(shape.core(), Core::HalfSpace)) {
        return rays.out_of_half_space();
    }
    let found = match (extreme_translations(options.norm, options.allowed), options.allowed) {
        (Some(directions), _) => rays.nearest_exit(&directions)?,
        (None, Some(AllowedTranslations::Plane(normal))) => rays.exit_in_plane(&normal)?,
        (None, _) => unreachable!("all translations in L2 are not searched along rays"),
    };
    Ok(Exit { supports: rays.supports, ..found })
}

/// The end of the overlap of two bounded shapes along a direction of translations of A.
pub(super) fn exit_along(
    pair: &ConvexPair,
    direction: &UnitVector3<f64>,
    options: &PenetrationOptions,
) -> Result<Exit, QueryError> {
    Rays { pair, options, supports: 0 }.exit(direction)
}

impl Rays<'_, '_> {
    /// The signed distance with A translated.
    fn at(&mut self, translation: &Vector3<f64>) -> Result<SignedDistance, QueryError> {
        let moved = Translation3::from(*translation) * self.pair.poses[0];
        let pair = ConvexPair { poses: [&moved, self.pair.poses[1]], ..*self.pair };
        let found = pair.search(&convex(self.options), &mut PairCache::default())?;
        self.supports += found.supports;
        Ok(found)
    }

    /// Length along a direction at which the bounding balls are separated [m].
    fn outside(&self, direction: &Vector3<f64>) -> f64 {
        let [(a, of_a), (b, of_b)] = [0, 1].map(|side| {
            let (center, radius) = self.pair.shapes[side].bounding_sphere();
            (self.pair.poses[side] * center, radius)
        });
        let (between, reach) = (a - b, of_a + of_b);
        let along = between.dot(direction);
        (along * along - between.norm_squared() + reach * reach).max(0.0).sqrt() - along
    }

    /// The end of the overlap along a direction.
    fn exit(&mut self, direction: &UnitVector3<f64>) -> Result<Exit, QueryError> {
        let tolerance = self.pair.rounding();
        let mut depth = self.outside(direction).max(0.0) + tolerance;
        let mut touching = None;
        let mut converged = false;
        for _ in 0..STEPS {
            let found = self.at(&(direction.into_inner() * depth))?;
            let slope = found.direction.dot(direction);
            if !(found.value > -tolerance && slope > 0.0) {
                break;
            }
            let [on_a, on_b] = found.witnesses;
            touching = Some(([on_a - direction.into_inner() * depth, on_b], found.direction));
            let next = (depth - found.value / slope).max(0.0);
            converged = depth - next <= tolerance + self.options.relative_tolerance * next;
            depth = depth.min(next);
            if converged {
                break;
            }
        }
        let before = (depth * (1.0 - PROVED.max(self.options.relative_tolerance)) - tolerance).max(0.0);
        // A convex overlap that contains zero and this translation contains all shorter ones.
        let is_proved = self.at(&(direction.into_inner() * before))?.value <= 0.0;
        let lower_bound = if is_proved { before } else { 0.0 };
        let (witnesses, normal) = touching.ok_or(QueryError::NotSeparated { length: depth })?;
        let converged = converged && is_proved;
        Ok(Exit { direction: *direction, normal, depth, lower_bound, witnesses, supports: 0, converged })
    }

    /// The end of the overlap that is nearest in the norm, along one of these directions.
    fn nearest_exit(&mut self, directions: &[UnitVector3<f64>]) -> Result<Exit, QueryError> {
        let norm = self.options.norm;
        let (mut nearest, mut lower_bound, mut converged) = (None, f64::INFINITY, true);
        for direction in directions {
            let (exit, scale) = (self.exit(direction)?, norm.of_unit(direction));
            lower_bound = lower_bound.min(exit.lower_bound * scale);
            converged &= exit.converged;
            nearest = match nearest {
                Some((depth, nearest)) if depth <= exit.depth * scale => Some((depth, nearest)),
                _ => Some((exit.depth * scale, exit)),
            };
        }
        let (_, nearest) = nearest.expect("a ball has vertices, and so has its section");
        let exit = if self.options.allowed.is_none() { self.straightened(nearest)? } else { nearest };
        Ok(Exit { lower_bound: lower_bound / norm.of_unit(&exit.direction), converged, ..exit })
    }

    /// The same end without components along the separating plane that make it no shorter in the norm.
    fn straightened(&mut self, exit: Exit) -> Result<Exit, QueryError> {
        let norm = self.options.norm;
        let along = norm.shortest_equal(&exit.direction, &exit.normal);
        let Some(direction) = Unit::try_new(along, 0.0).filter(|direction| *direction != exit.direction)
        else {
            return Ok(exit);
        };
        let depth = exit.depth * norm.of_unit(&exit.direction) / norm.of_unit(&direction);
        let translation = direction.into_inner() * depth;
        let found = self.at(&translation)?;
        if !(found.value >= -self.pair.rounding()) {
            return Ok(exit);
        }
        let [on_a, on_b] = found.witnesses;
        Ok(Exit { direction, depth, witnesses: [on_a - translation, on_b], ..exit })
    }

    /// The shortest end of the overlap in a plane.
    fn exit_in_plane(&mut self, normal: &UnitVector3<f64>) -> Result<Exit, QueryError> {
        let along = Unit::new_normalize(normal.cross(&Vector3::ith(normal.iamin(), 1.0)));
        let across = Unit::new_normalize(normal.cross(&along));
        let mut vertices = Vec::new();
        for direction in [along, across, -along, -across] {
            vertices.push(self.exit(&direction)?);
        }
        let tolerance = self.pair.rounding();
        let mut best = vertices.iter().copied().min_by(|x, y| x.depth.total_cmp(&y.depth)).expect("four");
        for _ in 0..RAYS {
            let edges = (0..vertices.len()).map(|i| {
                let ends = [i, (i + 1) % vertices.len()].map(|k| vertices[k].end());
                (i, nearest_on_segment(&ends))
            });
            let (first, nearest) =
                edges.min_by(|x, y| x.1.norm().total_cmp(&y.1.norm())).expect("at least four edges");
            best.lower_bound = nearest.norm().min(best.depth);
            best.converged = best.depth - best.lower_bound <= tolerance + 4.0 * PROVED * best.depth;
            let Some(direction) = Unit::try_new(nearest, 0.0).filter(|_| !best.converged) else { break };
            let vertex = self.exit(&direction)?;
            if vertex.depth < best.depth {
                best = Exit { lower_bound: best.lower_bound, ..vertex };
            }
            vertices.insert(first + 1, vertex);
        }
        Ok(best)
    }

    /// The shortest allowed translation out of a half-space, or of a half-space.
    fn out_of_half_space(&mut self) -> Result<Exit, QueryError> {
        let found = self.at(&Vector3::zeros())?;
        let depth = (-found.value).max(0.0);
        let measured = (self.options.norm, self.options.allowed);
        let exit = out_of_half_space(measured, depth, &found.direction);
        let (depth, direction) = exit.ok_or(PenetrationError::NoAllowedExit)?;
        let direction = Unit::new_normalize(direction);
        let [on_a, on_b] = found.witnesses;
        // The contact slides on the plane.
        let slid = direction.into_inner() * depth + (on_a - on_b);
        let (witnesses, normal) = ([on_a, on_b + slid], found.direction);
        Ok(Exit { direction, normal, depth, lower_bound: depth, witnesses, supports: 0, converged: true })
    }
}

impl Exit {
    /// The translation of the lower bound, which is in the overlap.
    fn end(&self) -> Vector3<f64> {
        self.direction.into_inner() * self.lower_bound
    }

    /// The lower bound that options ask for.
    pub(super) fn bounded(self, options: &PenetrationOptions) -> Self {
        let skip = options.lower_bound == LowerBound::Skip;
        Self { lower_bound: if skip { 0.0 } else { self.lower_bound }, ..self }
    }
}

/// The point of a segment that is nearest to the origin.
fn nearest_on_segment([from, to]: &[Vector3<f64>; 2]) -> Vector3<f64> {
    let along = to - from;
    let square = along.norm_squared();
    let fraction = if square > 0.0 { (-from.dot(&along) / square).clamp(0.0, 1.0) } else { 0.0 };
    from + along * fraction
}
