//! Translational penetration depth.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, Point3, Translation3, Unit, UnitVector3, Vector3};

use super::cache::{Cache, PairCache};
use super::collide::each_colliding;
use super::constrained::{Exit, shortest_exit};
use super::convex_mesh::center_of;
use super::error::QueryError;
use super::options::{CollideOptions, PenetrationOptions, convex, require_non_negative};
use super::pair::{ConvexMeshPair, ConvexPair, ShapePair};
use super::posed::{Part, Posed};
use crate::geometry::convex::{ConvexHull, ConvexShape, Core};
use crate::geometry::{Norm, Solidity};
use crate::penetration::convex::{ConvexCache, ConvexOptions, signed_distance};
use crate::penetration::extreme_translations::out_of_half_space;
use crate::penetration::{
    FreeConfiguration, LowerBound, Penetration, PenetrationError, TranslationalEnd, penetration_coherent,
};
use crate::proximity::{self, Distance, DistanceOptions, Model, ProximityError};

/// Fraction of the size of the shapes added to a separating translation, so that the shapes are found apart after it.
const CLEARANCE: f64 = 0.9e-10;
/// Fraction of the size by which the hull of a mesh that counts as convex may extend beyond its triangles.
const DENT: f64 = 1e-5;
/// Rounding of a signed distance, relative to sizes and positions.
const ROUNDING: f64 = 1e-14;
/// Clearances of a restricted translation that are tried, each eight times as wide as the one before.
const CLEARANCES: u32 = 8;
/// Maximum number of advancement steps back towards the contact; each advances by the whole gap.
const STEPS: u32 = 200;

/// The penetration of two shapes; `None` where they are proved apart. For several parts that of the deepest pair, whose
/// translation separates that pair.
///
/// | pair | method | bounds |
/// |---|---|---|
/// | convex and convex | certified signed distance, [`convex`](crate::penetration::convex) | 1e-9 |
/// | half-space and mesh | the lowest vertex | exact |
/// | convex and a mesh that is convex | as two convex shapes | 1e-5 of the mesh's size |
/// | box or hull and mesh, mesh and mesh | \[Je12\], [`translational`](crate::penetration::translational) | lower bound |
/// | other convex and mesh | the same with a circumscribed polyhedron, then exact along its direction | lower bound |
///
/// In the norms L1 and L∞ the depth of two convex shapes is the minimum along the rays through the vertices of the unit ball, with
/// the same bounds. For meshes it is the best of walks from the result in L2 and from gaps in other directions; its lower bound is
/// that in L2, converted.
///
/// ```
/// use extricate_core::query::{self, Posed, Shape};
/// use nalgebra::Isometry3;
///
/// let (ball, ground) = (Shape::ball(0.5), Shape::half_space());
/// let sunk = Posed::new(&ball, Isometry3::translation(0.0, 0.0, 0.3));
/// let found = query::penetration(&sunk, &Posed::at_origin(&ground), &Default::default())?;
/// let found = found.expect("it is sunk; `None` would be a proof that the shapes are apart");
/// assert!((found.depth - 0.2).abs() < 1e-12 && found.direction.z > 0.999);
/// # Ok::<(), query::QueryError>(())
/// ```
///
/// # Errors
/// [`QueryError`] when a pose or a size is invalid, when no separating translation could be verified, and when certified
/// bounds leave open whether the shapes overlap.
pub fn penetration(
    a: &Posed,
    b: &Posed,
    options: &PenetrationOptions,
) -> Result<Option<Penetration>, QueryError> {
    penetration_with(a, b, options, &mut Cache::default())
}

/// As [`penetration`], starting from the state that the last query of the same shapes left: meshes that were apart are
/// separated towards the side from which they came. Options that force [`FreeConfiguration::MotionCoherence`] take effect
/// once a free pose is stored; until then the effort chooses the starts.
///
/// # Errors
/// As [`penetration`].
pub fn penetration_with(
    a: &Posed,
    b: &Posed,
    options: &PenetrationOptions,
    cache: &mut Cache,
) -> Result<Option<Penetration>, QueryError> {
    require_non_negative("relative tolerance", options.relative_tolerance)?;
    if let (Some(first), Some(second)) = (a.single(), b.single()) {
        a.check("A")?;
        b.check("B")?;
        return of_parts(first, second, options, cache.pair([0, 0]));
    }
    let found = penetrating_parts_with(a, b, options, cache)?;
    // Of equal depths the first one.
    Ok(found.into_iter().next())
}

/// The penetrations of all pairs of parts that overlap, deepest first, each with a translation that separates that pair; empty
/// where A and B are proved apart: such as the links of a robot with the obstacles they penetrate.
///
/// # Errors
/// As [`penetration`].
pub fn penetrating_parts(
    a: &Posed,
    b: &Posed,
    options: &PenetrationOptions,
) -> Result<Vec<Penetration>, QueryError> {
    penetrating_parts_with(a, b, options, &mut Cache::default())
}

/// As [`penetrating_parts`], starting from the state that the last query of the same shapes left, as [`penetration_with`].
///
/// # Errors
/// As [`penetration`].
pub fn penetrating_parts_with(
    a: &Posed,
    b: &Posed,
    options: &PenetrationOptions,
    cache: &mut Cache,
) -> Result<Vec<Penetration>, QueryError> {
    let deadline = options.time_budget.and_then(|budget| Instant::now().checked_add(budget));
    let mut colliding = Vec::new();
    let collide = CollideOptions { time_budget: options.time_budget, ..CollideOptions::default() };
    each_colliding(a, b, &collide, cache, |parts| {
        colliding.push(parts);
        false
    })?;
    // Pairs are visited by nearness; by index, the first one counts among equal depths.
    colliding.sort_unstable();
    let mut found = Vec::new();
    for (index, &parts) in colliding.iter().enumerate() {
        let time_budget = deadline.map(|deadline| part_of_time(deadline, colliding.len() - index));
        let options = PenetrationOptions { time_budget, ..*options };
        let own = of_parts(a.part(parts[0]), b.part(parts[1]), &options, cache.pair(parts))?;
        found.extend(own.map(|own| Penetration { parts, ..own }));
    }
    // Stable, so that equal depths stay in the order of the parts.
    found.sort_by(|first, second| second.depth.total_cmp(&first.depth));
    Ok(found)
}

/// The time left until the deadline, divided by the number of pairs that are still to be separated.
fn part_of_time(deadline: Instant, pairs: usize) -> Duration {
    let pairs = u32::try_from(pairs).unwrap_or(u32::MAX).max(1);
    deadline.saturating_duration_since(Instant::now()) / pairs
}

fn of_parts(
    a: &Part,
    b: &Part,
    options: &PenetrationOptions,
    cache: &mut PairCache,
) -> Result<Option<Penetration>, QueryError> {
    match ShapePair::new(a, b) {
        ShapePair::Convex(pair) => of_convex(&pair, options, cache),
        ShapePair::Mixed(mixed) if mixed.is_half_space() => of_half_space(&mixed, options),
        ShapePair::Mixed(mixed) => of_mixed(&mixed, [a, b], options, cache),
        ShapePair::Meshes(models, poses) => of_models(models, poses, options, cache),
    }
}

/// The penetration of two convex shapes, with a translation after which they are verified apart.
fn of_convex(
    pair: &ConvexPair,
    options: &PenetrationOptions,
    cache: &mut PairCache,
) -> Result<Option<Penetration>, QueryError> {
    let (given, options) = (options, convex(options));
    let found = pair.certified(&options, cache)?;
    let Some(depth) = found.depth() else { return Ok(None) };
    if given.allowed.is_some() || given.norm != Norm::L2 {
        return of_convex_within(pair, given).map(Some);
    }
    let direction = found.direction;
    let translation = direction.into_inner() * (depth + CLEARANCE * pair.size());
    let moved = Translation3::from(translation) * pair.poses[0];
    // A fresh cache makes the verification independent of the search.
    let verified = ConvexPair { poses: [&moved, pair.poses[1]], ..*pair };
    let left = verified.search(&options, &mut PairCache::default());
    // Between parallel faces a search may end with a lower bound of zero; the plane across the translation decides.
    if !left.is_ok_and(|left| left.value > 0.0) && !verified.is_separated_along(&direction) {
        return Err(QueryError::NotSeparated { length: depth });
    }
    let lower_bound = (-found.at_most).clamp(0.0, depth);
    let tolerance = options.relative_tolerance * depth + pair.rounding();
    Ok(Some(Penetration {
        depth,
        lower_bound,
        translation,
        converged: depth - lower_bound <= tolerance,
        iterations: found.supports,
        ..without_search(direction, found.witnesses)
    }))
}

/// The penetration of two overlapping convex shapes by allowed translations or in another norm than L2, verified apart after the
/// translation that is returned.
fn of_convex_within(pair: &ConvexPair, options: &PenetrationOptions) -> Result<Penetration, QueryError> {
    let exit = shortest_exit(pair, options)?.bounded(options);
    let in_norm = options.norm.of_unit(&exit.direction);
    let clearance = CLEARANCE * pair.size();
    let mut length = exit.depth + clearance;
    // Along a face that the direction nearly touches, the clearance of the translation is less than that of the shapes.
    for _ in 0..CLEARANCES {
        let translation = exit.direction.into_inner() * length;
        let moved = Translation3::from(translation) * pair.poses[0];
        let verified = ConvexPair { poses: [&moved, pair.poses[1]], ..*pair };
        let left = verified.search(&convex(options), &mut PairCache::default());
        if left.is_ok_and(|left| left.value > 0.0 || verified.is_separated_along(&left.direction)) {
            let Exit { depth, lower_bound, converged, supports: iterations, .. } = exit;
            let found = Penetration {
                depth: depth * in_norm,
                lower_bound: lower_bound * in_norm,
                norm: options.norm,
                translation,
                converged,
                iterations,
                ..without_search(exit.direction, exit.witnesses)
            };
            return Ok(found);
        }
        length = exit.depth + 8.0 * (length - exit.depth);
    }
    Err(QueryError::NotSeparated { length: exit.depth })
}

/// The penetration of a half-space and a mesh: the depth of its lowest vertex.
fn of_half_space(
    mixed: &ConvexMeshPair,
    options: &PenetrationOptions,
) -> Result<Option<Penetration>, QueryError> {
    let (height, points) = mixed.height();
    if height > 0.0 {
        return Ok(None);
    }
    let (depth, up) = (-height, mixed.convex.1.rotation * Vector3::z());
    let away = if mixed.mesh_first { up } else { -up };
    let away = out_of_half_space((options.norm, options.allowed), depth, &away);
    let (depth, away) = away.ok_or(PenetrationError::NoAllowedExit)?;
    let translation = away * (depth + CLEARANCE * mixed.size());
    if mixed.moved(&translation, DistanceOptions::up_to(0.0))?.is_some() {
        return Err(QueryError::NotSeparated { length: depth });
    }
    let direction = Unit::new_normalize(away);
    let depth = depth * options.norm.of_unit(&direction);
    Ok(Some(Penetration {
        depth,
        lower_bound: depth,
        norm: options.norm,
        translation,
        ..without_search(direction, mixed.in_order(points))
    }))
}

/// A result without a search among triangles.
fn without_search(direction: UnitVector3<f64>, witnesses: [Point3<f64>; 2]) -> Penetration {
    Penetration {
        depth: 0.0,
        lower_bound: 0.0,
        norm: Norm::L2,
        direction,
        translation: Vector3::zeros(),
        witnesses,
        converged: true,
        ended_by: TranslationalEnd::Completed,
        iterations: 1,
        casts: 0,
        marches: 0,
        walks: 0,
        rows: 0,
        start: None,
        approximation: 0.0,
        polyhedron: None,
        parts: [0, 0],
    }
}

/// The penetration of a convex shape and a mesh.
fn of_mixed(
    mixed: &ConvexMeshPair,
    parts: [&Part; 2],
    options: &PenetrationOptions,
    cache: &mut PairCache,
) -> Result<Option<Penetration>, QueryError> {
    let deadline = options.time_budget.and_then(|budget| Instant::now().checked_add(budget));
    // Exact overlap test first: the polyhedron around a round shape may overlap where the shape does not.
    let touching = DistanceOptions { time_budget: options.time_budget, ..DistanceOptions::up_to(0.0) };
    if mixed.gap(touching)?.is_none() {
        let [pose_a, pose_b] = parts.map(|part| &part.pose);
        cache.coherence.remember_free(pose_a, pose_b);
        return Ok(None);
    }
    let mesh = parts[usize::from(!mixed.mesh_first)];
    // A mesh that is a single convex piece has a certified depth.
    if options.allowed.is_none()
        && let [piece] = mesh.shape.searchable().pieces()
    {
        let shapes = mixed.in_order([mixed.convex.0, &piece.shape]);
        let pair = ConvexPair { shapes, poses: [&parts[0].pose, &parts[1].pose] };
        if let Some(found) = of_convex(&pair, options, cache)? {
            let dent = DENT * mixed.mesh.0.radius() * options.norm.range_on_sphere()[1];
            return Ok(Some(Penetration { lower_bound: (found.lower_bound - dent).max(0.0), ..found }));
        }
    }
    let Some([first, second]) = both(parts.map(|part| part.shape.triangles())) else {
        let shapes = parts.map(|part| part.shape.kind());
        let reason = "a flat hull has no triangles that a search among triangles could take";
        return Err(QueryError::Unsupported { query: "the penetration", shapes, reason });
    };
    let approximation = first.excess.max(second.excess);
    let poses = [&parts[0].pose, &parts[1].pose];
    let time_budget = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let of_rest = PenetrationOptions { time_budget, ..*options };
    let Some(found) = of_models([&first.model, &second.model], poses, &of_rest, cache)? else {
        return Err(QueryError::NotSeparated { length: 0.0 });
    };
    if !(approximation > 0.0) {
        return Ok(Some(found));
    }
    let polyhedron = Some(Box::new(found.clone()));
    mixed.along(Penetration { approximation, polyhedron, ..found }, (options, deadline)).map(Some)
}

fn both<T>([first, second]: [Option<T>; 2]) -> Option<[T; 2]> {
    Some([first?, second?])
}

fn of_models(
    [a, b]: [&Model; 2],
    [pose_a, pose_b]: [&Isometry3<f64>; 2],
    options: &PenetrationOptions,
    cache: &mut PairCache,
) -> Result<Option<Penetration>, QueryError> {
    // Forced motion coherence without a stored pose would be an error; the option is dropped instead.
    let is_usable =
        |start: &_| *start != FreeConfiguration::MotionCoherence || cache.coherence.last_free().is_some();
    let options = PenetrationOptions { start: options.start.filter(is_usable), ..*options };
    Ok(penetration_coherent((a, pose_a), (b, pose_b), &options, &mut cache.coherence)?)
}

impl ConvexMeshPair<'_> {
    /// The distance after a translation of A.
    fn moved(
        &self,
        translation: &Vector3<f64>,
        wanted: DistanceOptions,
    ) -> Result<Option<Distance>, ProximityError> {
        let shift = Translation3::from(*translation);
        let ((shape, pose), (model, pose_of_model)) = (self.convex, self.mesh);
        let [convex, mesh] =
            if self.mesh_first { [*pose, shift * pose_of_model] } else { [shift * pose, *pose_of_model] };
        ConvexMeshPair { convex: (shape, &convex), mesh: (model, &mesh), ..*self }.gap(wanted)
    }

    /// The penetration of the shape itself along the direction found for a polyhedron around it: from a translation at which the
    /// polyhedron is free A is moved back by the gap repeatedly, until it touches (conservative advancement), or the deadline passes.
    fn along(
        &self,
        found: Penetration,
        (options, deadline): (&PenetrationOptions, Option<Instant>),
    ) -> Result<Penetration, QueryError> {
        let direction = found.direction.into_inner();
        let clearance = CLEARANCE * self.size();
        let any = DistanceOptions::default();
        let gap_at = |length: f64| -> Result<_, ProximityError> {
            Ok(self.moved(&(direction * length), any)?.filter(|gap| gap.value > 0.0))
        };
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut free = found.translation.norm();
        let Some(mut gap) = gap_at(free)? else {
            return Err(QueryError::NotSeparated { length: free });
        };
        for _ in 0..STEPS {
            if gap.value <= clearance || is_late() {
                break;
            }
            // Half of the clearance is left, so that rounding never ends in an overlap.
            let nearer = (free - (gap.value - 0.5 * clearance)).max(0.0);
            let Some(next) = gap_at(nearer)? else { break };
            (free, gap) = (nearer, next);
        }
        let depth = (free - gap.value).max(0.0) * options.norm.of_unit(&found.direction);
        let translation = direction * free;
        let witnesses = [gap.witnesses[0] - translation, gap.witnesses[1]];
        let lower_bound = match options.lower_bound {
            LowerBound::Skip => 0.0,
            _ => (self.lower_bound() * options.norm.range_on_sphere()[0]).clamp(0.0, depth),
        };
        Ok(Penetration { depth, lower_bound, translation, witnesses, ..found })
    }

    /// A proved lower bound of the length of all separating translations [m], from balls inside either shape: a ball of radius
    /// r whose centre has the signed distance s from the other shape leaves it after r − s at the earliest.
    fn lower_bound(&self) -> f64 {
        let ((shape, pose), (model, pose_of_model)) = (self.convex, self.mesh);
        if model.solidity() != Solidity::Solid || model.inner_balls().balls().is_empty() {
            return 0.0;
        }
        let to_model = pose_of_model.inv_mul(pose);
        let of_shape = inner_balls(shape)
            .into_iter()
            .map(|(center, radius)| radius - proximity::signed_distance(model, &(to_model * center)));
        let (point, options) = (ConvexShape::sphere(0.0), ConvexOptions::default());
        let mut cache = ConvexCache::default();
        let of_model = model.inner_balls().balls().iter().map(|ball| {
            let center = pose_of_model * (model.center() + ball.center);
            let at = Isometry3::from(center.coords);
            let found = signed_distance(&point, &at, shape, pose, &options, &mut cache);
            found.map_or(0.0, |found| ball.radius - found.at_most)
        });
        of_shape.chain(of_model).fold(0.0, f64::max) - ROUNDING * self.size()
    }
}

/// Balls inside a convex shape: centres [m, frame of the shape] and radii [m].
fn inner_balls(shape: &ConvexShape) -> Vec<(Point3<f64>, f64)> {
    let on_axis = |z: f64, radius: f64| (Point3::new(0.0, 0.0, z), radius + shape.radius());
    match shape.core() {
        Core::Point => vec![on_axis(0.0, 0.0)],
        Core::Segment { half_length } => {
            [-1.0, -0.5, 0.0, 0.5, 1.0].map(|fraction| on_axis(fraction * half_length, 0.0)).to_vec()
        }
        Core::Cuboid { half_extents } => vec![on_axis(0.0, half_extents.min())],
        Core::Cylinder { radius, half_height } => vec![on_axis(0.0, radius.min(*half_height))],
        Core::Cone { radius, half_height } => {
            // The inscribed circle of the triangle through the axis.
            let (height, slant) = (2.0 * half_height, radius.hypot(2.0 * half_height));
            let inner = radius * height / (radius + slant);
            vec![on_axis(inner - half_height, inner)]
        }
        Core::Hull(hull) => vec![(center_of(shape), depth_in(hull) + shape.radius())],
        Core::HalfSpace => Vec::new(),
    }
}

/// Depth of the centre of a hull below its facets [m].
fn depth_in(hull: &ConvexHull) -> f64 {
    let vertices = hull.vertices();
    let depth = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|index| vertices[index as usize]);
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0)?;
        Some(normal.dot(&(a - hull.center())))
    };
    let min = hull.triangles().iter().filter_map(depth).fold(f64::INFINITY, f64::min);
    if min.is_finite() { min.max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::procedural::{BumpySphere, Procedural};
    use crate::query::Shape;

    #[test]
    fn pairs_of_parts_divide_the_time_that_is_left() {
        let later = Instant::now() + Duration::from_secs(1000);
        let [whole, quarter] = [1, 4].map(|pairs| part_of_time(later, pairs).as_secs_f64());
        assert!((quarter - 0.25 * whole).abs() < 0.1 * whole && whole <= 1000.0);
        assert_eq!(part_of_time(Instant::now(), 3), Duration::ZERO);
    }

    #[test]
    fn after_the_time_budget_of_all_parts_none_of_them_is_searched_for_longer() {
        let shape = Shape::mesh(BumpySphere::default().mesh().unwrap());
        let at = |x: f64| Part { shape: &shape, pose: Isometry3::translation(x, 0.0, 0.0), name: None };
        let row = Posed::of_parts([at(0.0), at(5.0), at(10.0)]).unwrap();
        let other = Posed::of_parts([at(0.3), at(5.3), at(10.3)]).unwrap();
        let options = PenetrationOptions { time_budget: Some(Duration::ZERO), ..Default::default() };
        let found = penetrating_parts(&row, &other, &options).unwrap();
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|found| found.ended_by == TranslationalEnd::TimeBudget));
    }
}
