//! Translational penetration depth.

use nalgebra::{Isometry3, Point3, Translation3, Unit, Vector3};

use super::cache::{Cache, PairCache};
use super::collide::each_colliding;
use super::convex_mesh::{Wanted, center_of};
use super::error::QueryError;
use super::options::{CollideOptions, PenetrationOptions, at_least_zero};
use super::pair::{ConvexPair, Mixed, Pair};
use super::posed::{Part, Posed};
use crate::geometry::Solidity;
use crate::geometry::convex::{ConvexHull, ConvexShape, Core};
use crate::penetration::convex::{ConvexCache, ConvexOptions, signed_distance};
use crate::penetration::{self, LowerBound, TranslationalOptions, penetration_coherent};
use crate::proximity::{self, Model};

/// Fraction of the size of the shapes that is added to a separating translation.
const CLEARANCE: f64 = 0.9e-10;
/// Fraction of the size by which the hull of a mesh that counts as convex may lie outside its triangles.
const DENT: f64 = 1e-5;
/// Rounding of a signed distance, relative to sizes and positions.
const ROUNDING: f64 = 1e-14;
/// Advancement steps back towards the contact; each takes all of the gap.
const STEPS: u32 = 200;

/// A translational penetration of two shapes; all vectors in the world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Penetration {
    /// Length of the least separating translation found [m]: an upper bound of the penetration depth.
    pub depth: f64,
    /// Proved lower bound of the penetration depth [m]; zero for a surface without an inside.
    pub lower_bound: f64,
    /// Direction in which A must move.
    pub direction: Unit<Vector3<f64>>,
    /// Translation of A after which the shapes are apart [m], by an independent check: `depth` along `direction` and a
    /// clearance of at most 1e-10 of the size.
    pub translation: Vector3<f64>,
    /// A point of A and one of B [m], at the input pose, that touch when A has been moved.
    pub points: [Point3<f64>; 2],
    /// Whether the search ended because nothing nearby is better, and not at a bound on work.
    pub converged: bool,
    /// In-projections among triangles, or supports of convex shapes.
    pub iterations: u32,
    /// Where a round shape met a mesh: distance [m] by which the polyhedron that chose the direction extends beyond the
    /// shape. The depth along that direction, the translation and the lower bound are those of the shape itself.
    pub approximation: f64,
    /// The result of the search, where triangles were searched.
    pub search: Option<Box<penetration::Penetration>>,
    /// Which part of A and of B, as counted by [`Posed::parts`].
    pub parts: [usize; 2],
}

/// The penetration of two shapes; `None` where they are proved apart. Of several parts that of the deepest pair, whose
/// translation separates that pair.
///
/// | pair | method | bounds |
/// |---|---|---|
/// | convex and convex | certified signed distance, [`convex`](crate::penetration::convex) | 1e-9 |
/// | half-space and mesh | the lowest vertex | exact |
/// | convex and a mesh that is convex | as two convex shapes | 1e-5 of the mesh's size |
/// | box or hull and mesh, mesh and mesh | [Je12], [`translational`](crate::penetration::translational) | lower bound |
/// | other convex and mesh | the same with a circumscribed polyhedron, then exact along its direction | lower bound |
///
/// ```
/// use extricate_core::query::{self, Posed, Shape};
/// use nalgebra::Isometry3;
///
/// let (ball, ground) = (Shape::ball(0.5), Shape::half_space());
/// let sunk = Posed::new(&ball, Isometry3::translation(0.0, 0.0, 0.3));
/// let found = query::penetration(&sunk, &Posed::at_origin(&ground), &Default::default())?;
/// let found = found.expect("it is sunk; `None` would be a proof that it is not");
/// assert!((found.depth - 0.2).abs() < 1e-12 && found.direction.z > 0.999);
/// # Ok::<(), query::QueryError>(())
/// ```
///
/// # Errors
/// [`QueryError`] when a pose or a size is none, when no separating translation could be verified, and when certified
/// bounds leave open whether the shapes overlap.
pub fn penetration(
    a: &Posed,
    b: &Posed,
    options: &PenetrationOptions,
) -> Result<Option<Penetration>, QueryError> {
    penetration_with(a, b, options, &mut Cache::default())
}

/// As [`penetration`], starting from the state that the last query of the same shapes left: meshes that were apart are
/// separated towards the side from which they came.
///
/// # Errors
/// As [`penetration`].
pub fn penetration_with(
    a: &Posed,
    b: &Posed,
    options: &PenetrationOptions,
    cache: &mut Cache,
) -> Result<Option<Penetration>, QueryError> {
    at_least_zero("relative tolerance", options.relative_tolerance)?;
    if let (Some(first), Some(second)) = (a.single(), b.single()) {
        a.check("A")?;
        b.check("B")?;
        return of_parts(first, second, options, cache.pair([0, 0]));
    }
    let mut colliding = Vec::new();
    each_colliding(a, b, &CollideOptions::default(), cache, |parts| {
        colliding.push(parts);
        false
    })?;
    colliding.sort_unstable();
    let mut deepest: Option<Penetration> = None;
    for parts in colliding {
        let found = of_parts(a.part(parts[0]), b.part(parts[1]), options, cache.pair(parts))?;
        let Some(found) = found else { continue };
        if deepest.as_ref().is_none_or(|deepest| deepest.depth < found.depth) {
            deepest = Some(Penetration { parts, ..found });
        }
    }
    Ok(deepest)
}

fn of_parts(
    a: &Part,
    b: &Part,
    options: &PenetrationOptions,
    cache: &mut PairCache,
) -> Result<Option<Penetration>, QueryError> {
    match Pair::new(a, b) {
        Pair::Convex(pair) => of_convex(&pair, options, cache),
        Pair::Mixed(mixed) if mixed.is_half_space() => of_half_space(&mixed),
        Pair::Mixed(mixed) => of_mixed(&mixed, [a, b], options, cache),
        Pair::Meshes(models, poses) => Ok(of_models(models, poses, options, cache)?.map(of_search)),
    }
}

/// The penetration of two convex shapes, with a translation after which they are found apart.
fn of_convex(
    pair: &ConvexPair,
    options: &PenetrationOptions,
    cache: &mut PairCache,
) -> Result<Option<Penetration>, QueryError> {
    let PenetrationOptions { relative_tolerance, max_iterations, .. } = *options;
    let options = ConvexOptions { relative_tolerance, max_iterations: max_iterations.saturating_mul(10) };
    let found = pair.certified(&options, cache)?;
    let Some(depth) = found.depth() else { return Ok(None) };
    let direction = found.direction;
    let translation = direction.into_inner() * (depth + CLEARANCE * pair.size());
    let moved = Translation3::from(translation) * pair.poses[0];
    let verified = ConvexPair { poses: [&moved, pair.poses[1]], ..*pair };
    let left = verified.search(&options, &mut PairCache::default());
    if !left.is_ok_and(|left| left.value > 0.0) {
        return Err(QueryError::NotSeparated { length: depth });
    }
    let lower_bound = (-found.at_most).clamp(0.0, depth);
    let tolerance = relative_tolerance * depth + pair.rounding();
    Ok(Some(Penetration {
        depth,
        lower_bound,
        direction,
        translation,
        points: found.witnesses,
        converged: depth - lower_bound <= tolerance,
        iterations: found.supports,
        approximation: 0.0,
        search: None,
        parts: [0, 0],
    }))
}

/// The penetration of a half-space and a mesh: the depth of its lowest vertex.
fn of_half_space(mixed: &Mixed) -> Result<Option<Penetration>, QueryError> {
    let (height, points) = mixed.height();
    if height > 0.0 {
        return Ok(None);
    }
    let (depth, up) = (-height, mixed.convex.1.rotation * Vector3::z());
    let away = if mixed.mesh_first { up } else { -up };
    let translation = away * (depth + CLEARANCE * mixed.size());
    if mixed.gap_after(&translation).is_some() {
        return Err(QueryError::NotSeparated { length: depth });
    }
    Ok(Some(Penetration {
        depth,
        lower_bound: depth,
        direction: Unit::new_normalize(away),
        translation,
        points: mixed.in_order(points),
        converged: true,
        iterations: 1,
        approximation: 0.0,
        search: None,
        parts: [0, 0],
    }))
}

/// The penetration of a convex shape and a mesh.
fn of_mixed(
    mixed: &Mixed,
    parts: [&Part; 2],
    options: &PenetrationOptions,
    cache: &mut PairCache,
) -> Result<Option<Penetration>, QueryError> {
    if mixed.gap(Wanted::up_to(0.0)).is_none() {
        let [pose_a, pose_b] = parts.map(|part| &part.pose);
        cache.coherence.remember_free(pose_a, pose_b);
        return Ok(None);
    }
    let mesh = parts[usize::from(!mixed.mesh_first)];
    if let [piece] = mesh.shape.searchable().pieces() {
        let shapes = mixed.in_order([mixed.convex.0, &piece.shape]);
        let pair = ConvexPair { shapes, poses: [&parts[0].pose, &parts[1].pose] };
        if let Some(found) = of_convex(&pair, options, cache)? {
            let dent = DENT * mixed.mesh.0.radius();
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
    let Some(found) = of_models([&first.model, &second.model], poses, options, cache)? else {
        return Err(QueryError::NotSeparated { length: 0.0 });
    };
    let found = of_search(found);
    if !(approximation > 0.0) {
        return Ok(Some(found));
    }
    mixed.along(Penetration { approximation, ..found }, options).map(Some)
}

fn both<T>([first, second]: [Option<T>; 2]) -> Option<[T; 2]> {
    Some([first?, second?])
}

fn of_models(
    [a, b]: [&Model; 2],
    [pose_a, pose_b]: [&Isometry3<f64>; 2],
    options: &PenetrationOptions,
    cache: &mut PairCache,
) -> Result<Option<penetration::Penetration>, QueryError> {
    let options = TranslationalOptions::from(options);
    Ok(penetration_coherent((a, pose_a), (b, pose_b), &options, &mut cache.coherence)?)
}

fn of_search(found: penetration::Penetration) -> Penetration {
    Penetration {
        depth: found.depth,
        lower_bound: found.lower_bound,
        direction: found.direction,
        translation: found.translation,
        points: found.witnesses,
        converged: found.converged,
        iterations: found.iterations,
        approximation: 0.0,
        search: Some(Box::new(found)),
        parts: [0, 0],
    }
}

impl Mixed<'_> {
    /// The distance after a translation of A, if the shapes are not apart then.
    fn gap_after(&self, translation: &Vector3<f64>) -> Option<super::pair::Gap> {
        self.moved(translation, Wanted::up_to(0.0))
    }

    fn moved(&self, translation: &Vector3<f64>, wanted: Wanted) -> Option<super::pair::Gap> {
        let shift = Translation3::from(*translation);
        let (convex, mesh) = (shift * self.convex.1, shift * self.mesh.1);
        let mesh_first = self.mesh_first;
        let ((shape, pose), (model, pose_of_model)) = (self.convex, self.mesh);
        let moved = if mesh_first {
            Mixed { convex: (shape, pose), mesh: (model, &mesh), mesh_first }
        } else {
            Mixed { convex: (shape, &convex), mesh: (model, pose_of_model), mesh_first }
        };
        moved.gap(wanted)
    }

    /// The penetration of the shape itself along the direction that was found for a polyhedron around it: from where the
    /// polyhedron is free A is moved back by the gap, until it touches.
    fn along(&self, found: Penetration, options: &PenetrationOptions) -> Result<Penetration, QueryError> {
        let direction = found.direction.into_inner();
        let clearance = CLEARANCE * self.size();
        let any = Wanted::up_to(f64::INFINITY);
        let gap_at = |length: f64| self.moved(&(direction * length), any).filter(|gap| gap.value > 0.0);
        let mut free = found.translation.norm();
        let Some(mut gap) = gap_at(free) else {
            return Err(QueryError::NotSeparated { length: free });
        };
        for _ in 0..STEPS {
            if gap.value <= clearance {
                break;
            }
            let nearer = (free - (gap.value - 0.5 * clearance)).max(0.0);
            let Some(next) = gap_at(nearer) else { break };
            (free, gap) = (nearer, next);
        }
        let depth = (free - gap.value).max(0.0);
        let translation = direction * free;
        let points = [gap.points[0] - translation, gap.points[1]];
        let lower_bound = match options.lower_bound {
            LowerBound::Skip => 0.0,
            _ => self.lower_bound().clamp(0.0, depth),
        };
        Ok(Penetration { depth, lower_bound, translation, points, ..found })
    }

    /// A length that no separating translation is shorter than [m], proved by balls inside either shape: a ball of radius
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
            [-1.0, -0.5, 0.0, 0.5, 1.0].map(|share| on_axis(share * half_length, 0.0)).to_vec()
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
    let least = hull.triangles().iter().filter_map(depth).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least.max(0.0) } else { 0.0 }
}
