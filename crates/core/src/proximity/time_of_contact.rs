//! Time of contact of a translation: exact, over two trees [Je12 §4, eqs. 5–7; Lin17 §40.3].
//!
//! Departs from [Je12]: no conservative advancement, because the minimal directional distance of two triangles under a
//! translation is a ray cast into the intersection of slabs, and the same holds for boxes, so that one ordered
//! traversal finds the exact value.

use std::ops::ControlFlow;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::collision::intersecting_pair_at;
use super::leaf_pair::PreparedLeaf;
use super::model::Model;
use super::obstacle_tree::{ObstacleTree, Probe, Record, Slab};
use super::patch::Patch;
use super::relative_pose::{RelativePose, triangles_in_b};
use super::triangle_distance::closest_points;
use super::triangle_pair::{contact_interval, nearest_plane};
use crate::bvh::lanes::isa::{Isa, Mask, Single};
use crate::bvh::node::WIDTH;
use crate::bvh::packet::{Packet, above};
use crate::proximity::error::ProximityError;

/// Rounding of single-precision slab arithmetic, relative: a subtraction, a reciprocal and a product.
const SLAB_ROUNDING: f32 = 4e-7;
/// Rounding of a speed across a layer in single precision: a scalar product of unit vectors.
const SPEED_ROUNDING: f32 = 4e-7;
/// Speed across a layer below which the layer is ignored: far above [`SPEED_ROUNDING`]. A larger one prunes less.
const MIN_SPEED: f32 = 1e-5;
/// Widens the slab of a layer that is ignored: times the difference of two speeds it is far beyond any coordinate.
const UNBOUNDED: f32 = 1e30;
/// Hits that count as much as a visited pair of subtrees: they are sorted, and each may become a contact.
const HITS_OF_PAIR: u64 = 8;
/// Hits of a cast with a limit at which it counts as all the work that is left: coincident surfaces have as many as there are pairs of their
/// triangles.
const MAX_HITS: usize = 1 << 22;
/// Minimum component of a direction, which keeps its reciprocal finite in single precision.
const MIN_COMPONENT: f64 = 1e-30;

/// The first contact of a translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeOfContact {
    /// τ ∈ [0, 1]: fraction of the translation at which the surfaces first touch [Je12 eq. 5].
    pub time: f64,
    /// Contact points of A and of B at that time [m, world]: the same up to rounding, unless the start is a contact;
    /// then the triangles may overlap, and this is a common point.
    pub points: [Point3<f64>; 2],
    /// Unit normal of the contact in the world frame, from B to A.
    pub normal: Unit<Vector3<f64>>,
    /// A triangle of A and one of B that touch at that time.
    pub triangles: [u32; 2],
}

/// First contact of the surface of `a`, moved along `translation` [m, world], with that of the fixed `b` [Je12 eq. 5];
/// `None` when the whole translation is free of contact. A start in contact returns time 0.
///
/// ```
/// use extricate_core::geometry::Solidity;
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::{Model, translational};
/// use nalgebra::Vector3;
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(3.0, 0.0, 0.0));
/// let contact = translational(&cube, &here, &Vector3::new(4.0, 0.0, 0.0), &cube, &there)?;
/// let contact = contact.expect("the path leads through the other cube");
/// assert!((contact.time - 0.5).abs() < 1e-12);
/// assert!((contact.normal.x + 1.0).abs() < 1e-12 && (contact.points[0].x - 2.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ProximityError::NotFinite`] when a pose or the translation is not finite.
pub fn translational(
    a: &Model,
    pose_a: &Isometry3<f64>,
    translation: &Vector3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
) -> Result<Option<TimeOfContact>, ProximityError> {
    let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
    let in_b = pose_b.rotation.inverse() * translation;
    let length = in_b.norm();
    if !(a_to_b.is_finite() && length.is_finite()) {
        return Err(ProximityError::NotFinite);
    }
    Ok(first_contact([a, b], &a_to_b, &in_b).map(|(time, triangles)| {
        let at_contact = a_to_b.shifted(&(in_b * time));
        let [p, q] = triangles_in_b(a, b, &at_contact, triangles);
        // At the contact the maximum gap is zero up to rounding, on the plane of the contact.
        let plane = nearest_plane(&[p, q], &in_b);
        let points = closest_points(&p, &q).1.map(|point| pose_b * (point + b.center().coords));
        TimeOfContact { time, points, normal: pose_b.rotation * plane.normal, triangles }
    }))
}

/// τ = d_v / ‖v‖ of a translation v in the frame of B's tree [Je12 eq. 7], and the triangles that touch.
fn first_contact(
    [a, b]: [&Model; 2],
    a_to_b: &RelativePose,
    translation: &Vector3<f64>,
) -> Option<(f64, [u32; 2])> {
    let length = translation.norm();
    let direction = if length > 0.0 { translation / length } else { Vector3::x() };
    // A cast from inside would visit all pairs that overlap, since none of them costs anything.
    let at_start = intersecting_pair_at(a, b, a_to_b).map(|pair| (0.0, pair));
    let (distance, triangles) = at_start.or_else(|| {
        let mut hits = Vec::new();
        let cast =
            Cast { from: Vector3::zeros(), direction, length, margin: 0.0, window: 0.0, worse_than: 0.0 };
        let distance = cast.run(&mut ObstacleTree::new(a, b, a_to_b, 0.0), &mut hits)?;
        let first = hits.iter().min_by(|x, y| x.entry.total_cmp(&y.entry).then(x.pair.cmp(&y.pair)))?;
        Some((distance, first.pair))
    })?;
    let time = if length > 0.0 { distance / length } else { 0.0 };
    Some((time, triangles))
}

/// A pair of triangles that come into contact under a translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    pub(crate) pair: [u32; 2],
    /// Length of the translation at the contact [m]; zero if the start is a contact.
    pub(crate) entry: f64,
}

/// A translational cast of A against B; everything in the frame of B's tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cast {
    /// Translation of A at the start [m], relative to its pose in the obstacle tree.
    pub(crate) from: Vector3<f64>,
    /// Unit direction.
    pub(crate) direction: Vector3<f64>,
    /// Length [m].
    pub(crate) length: f64,
    /// Gap at which two triangles count as touching [m].
    pub(crate) margin: f64,
    /// Hits up to this much beyond the first one are reported [m].
    pub(crate) window: f64,
    /// The cast may stop once it is known to hit before this length [m]; zero to find the first contact.
    pub(crate) worse_than: f64,
}

impl Cast {
    /// Minimal directional distance d_v [Je12 §4.2]: length to the first contact, if there is one. Its pairs and those
    /// within the window are left in `hits`.
    ///
    /// When `worse_than` is positive and the first contact lies before it, some contact before it is returned. Where the
    /// limit of the obstacles is spent before the contact is known, the length is zero, and there are no hits.
    pub(crate) fn run(&self, obstacles: &mut ObstacleTree<'_>, hits: &mut Vec<Hit>) -> Option<f64> {
        self.run_between(obstacles, None, hits)
    }

    /// As [`Cast::run`], between subsets of the triangles; subtrees without any are not visited.
    pub(crate) fn run_between(
        &self,
        obstacles: &mut ObstacleTree<'_>,
        patches: Option<&[Patch; 2]>,
        hits: &mut Vec<Hit>,
    ) -> Option<f64> {
        let mut query = self.query(obstacles, patches, hits);
        // The contacts of the last casts are likely to be met again: they bound the traversal, which finds them once more.
        obstacles.visit(obstacles.recent(), &mut query);
        if !(query.found && query.best < self.worse_than) {
            query.hits.clear();
            obstacles.probe(&mut query);
        }
        let (found, best, limit, first) = (query.found, query.best, query.limit, query.first);
        let max_hits = query.max_hits;
        if hits.len() > max_hits {
            obstacles.limit.spend_many(u64::MAX);
        }
        if obstacles.limit.is_spent() {
            hits.clear();
            return Some(0.0);
        }
        // Early hits were recorded under a larger limit.
        hits.retain(|hit| hit.entry <= limit);
        // What is done with them takes longer than to find them where there are very many.
        let many = hits.len() as u64 / HITS_OF_PAIR;
        if many > 0 {
            obstacles.limit.spend_many(many);
        }
        if found {
            obstacles.remember(first);
        }
        found.then_some(best)
    }

    /// As [`Cast::run`], if no triangles but those of these pairs of leaves can be met.
    pub(crate) fn run_among(
        &self,
        obstacles: &ObstacleTree<'_>,
        leaves: &[[u32; 2]],
        hits: &mut Vec<Hit>,
    ) -> Option<f64> {
        let mut query = self.query(obstacles, None, hits);
        obstacles.visit(leaves, &mut query);
        let (found, best, limit) = (query.found, query.best, query.limit);
        hits.retain(|hit| hit.entry <= limit);
        found.then_some(best)
    }

    fn query<'a>(
        &'a self,
        obstacles: &ObstacleTree<'_>,
        patches: Option<&'a [Patch; 2]>,
        hits: &'a mut Vec<Hit>,
    ) -> CastQuery<'a> {
        hits.clear();
        let (from, direction) = (obstacles.motions(&self.from), obstacles.motions(&self.direction));
        CastQuery {
            cast: self,
            patches,
            a_to_b: obstacles.a_to_b().shifted(&self.from),
            rays: [Ray::new(&from[0], &direction[0]), Ray::new(&from[1], &direction[1])],
            direction: self.direction.into(),
            prepared: PreparedLeaf::default(),
            best: self.length,
            limit: self.length,
            bound: rounded_up(self.length),
            found: false,
            first: [0; 2],
            max_hits: if obstacles.limit.is_limit() { MAX_HITS } else { usize::MAX },
            hits,
        }
    }
}

/// The minimum number in single precision that is not below `x`, and finite.
fn rounded_up(x: f64) -> f32 {
    above(x).min(f32::MAX)
}

/// A ray in single precision: origin, direction and reciprocals of the direction's components.
pub(super) struct Ray {
    from: [f32; 3],
    direction: [f32; 3],
    inverse: [f32; 3],
}

impl Ray {
    pub(super) fn new(from: &Vector3<f64>, direction: &Vector3<f64>) -> Self {
        let inverse = |x: f64| (1.0 / if x.abs() < MIN_COMPONENT { MIN_COMPONENT } else { x }) as f32;
        Self {
            from: [from.x as f32, from.y as f32, from.z as f32],
            direction: [direction.x as f32, direction.y as f32, direction.z as f32],
            inverse: [inverse(direction.x), inverse(direction.y), inverse(direction.z)],
        }
    }
}

/// Interval of lengths along a ray in which it may be inside each obstacle of a record.
pub(super) struct RayInterval<S> {
    entry: S,
    exit: S,
}

impl<S: Single> RayInterval<S> {
    /// Clips by a slab along an axis; `from` is the ray's coordinate and `inverse` the reciprocal of its direction
    /// there.
    #[inline(always)]
    fn clip(&mut self, slab: &Slab, from: f32, inverse: f32) {
        let (from, inverse) = (S::splat(from), S::splat(inverse));
        let first = (S::load(&slab.low) - from) * inverse;
        let second = (S::load(&slab.high) - from) * inverse;
        self.entry = first.min(second).max(self.entry);
        self.exit = first.max(second).min(self.exit);
    }

    /// Clips by a slab across a layer; `from` is the height of the ray's origin and `speed` that of its direction.
    #[inline(always)]
    fn clip_across(&mut self, slab: &Slab, from: S, speed: S) {
        // Where the ray hardly crosses the layer the slab is widened to exclude nothing.
        let widening = (S::splat(MIN_SPEED) - speed.abs()).max(S::splat(0.0)) * S::splat(UNBOUNDED);
        let inverse = speed.away_from_zero(MIN_SPEED).recip();
        let first = (S::load(&slab.low) - widening - from) * inverse;
        let second = (S::load(&slab.high) + widening - from) * inverse;
        let (low, high) = (first.min(second), first.max(second));
        let rounding = S::splat(SPEED_ROUNDING) * inverse.abs();
        self.entry = (low - rounding * low.abs()).max(self.entry);
        self.exit = (high + rounding * high.abs()).min(self.exit);
    }

    /// The interval of each obstacle of `record`.
    #[inline(always)]
    pub(super) fn of(record: &Record, rays: &[Ray; 2]) -> Self {
        let mut interval = Self { entry: S::splat(f32::NEG_INFINITY), exit: S::splat(f32::INFINITY) };
        // The children's own frame comes first: its ray also serves the layers.
        let (ray, other) = if record.side == 0 { (&rays[0], &rays[1]) } else { (&rays[1], &rays[0]) };
        for axis in 0..3 {
            interval.clip(&record.own[axis], ray.from[axis], ray.inverse[axis]);
        }
        for axis in 0..3 {
            interval.clip(&record.other[axis], other.from[axis], other.inverse[axis]);
        }
        let (p, d) = (&ray.from, &ray.direction);
        if record.has_layer {
            let n = &record.normal;
            let from = n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
            let speed = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
            interval.clip_across(&record.layer, S::splat(from), S::splat(speed));
        }
        let n = [S::load(&record.normals[0]), S::load(&record.normals[1]), S::load(&record.normals[2])];
        let from = n[0] * S::splat(p[0]) + n[1] * S::splat(p[1]) + n[2] * S::splat(p[2]);
        let speed = n[0] * S::splat(d[0]) + n[1] * S::splat(d[1]) + n[2] * S::splat(d[2]);
        interval.clip_across(&record.layers, from, speed);
        interval
    }

    /// Length at which each obstacle is entered; infinite where the ray misses it.
    #[inline(always)]
    pub(super) fn entries(self) -> [f32; WIDTH] {
        let near = self.entry - S::splat(SLAB_ROUNDING) * self.entry.abs();
        let far = self.exit + S::splat(SLAB_ROUNDING) * self.exit.abs();
        let zero = S::splat(0.0);
        // Intervals are widened by their rounding, and those that end before the start are misses.
        let met = (near.less_or_equal(far) & zero.less_or_equal(far)).bits();
        let mut entries = near.max(zero).store();
        for lane in 0..WIDTH {
            if met & (1 << lane) == 0 {
                entries[lane] = f32::INFINITY;
            }
        }
        entries
    }
}

impl<S: Single> RayInterval<S> {
    /// Negative depth of the ray's origin in each obstacle along the ray [m], so that the obstacle in which it is
    /// deepest is the cheapest; infinite where the origin is outside.
    #[inline(always)]
    pub(super) fn costs_of_depths(self) -> [f32; WIDTH] {
        let near = self.entry - S::splat(SLAB_ROUNDING) * self.entry.abs();
        let far = self.exit + S::splat(SLAB_ROUNDING) * self.exit.abs();
        let zero = S::splat(0.0);
        let inside = (near.less_or_equal(zero) & zero.less_or_equal(far)).bits();
        let mut costs = near.max(zero - far).store();
        for lane in 0..WIDTH {
            if inside & (1 << lane) == 0 {
                costs[lane] = f32::INFINITY;
            }
        }
        costs
    }
}

/// Query of the obstacle tree for the first hits of a cast.
struct CastQuery<'a> {
    cast: &'a Cast,
    patches: Option<&'a [Patch; 2]>,
    a_to_b: RelativePose,
    /// The relative motion in the frames of A and of B.
    rays: [Ray; 2],
    direction: [f64; 3],
    prepared: PreparedLeaf,
    /// Length to the first contact so far [m].
    best: f64,
    /// Hits beyond this length do not matter [m].
    limit: f64,
    /// The same, rounded up.
    bound: f32,
    found: bool,
    /// The pair of leaves with that contact.
    first: [u32; 2],
    /// Hits beyond which the cast is given up, where it has a limit.
    max_hits: usize,
    hits: &'a mut Vec<Hit>,
}

impl Probe for CastQuery<'_> {
    #[inline(always)]
    fn costs<I: Isa>(&self, obstacles: &Record) -> [f32; WIDTH] {
        let mut entries = RayInterval::<I::Single>::of(obstacles, &self.rays).entries();
        if let Some([of_a, of_b]) = self.patches {
            for (lane, entry) in entries.iter_mut().enumerate() {
                let [a, b] = obstacles.subtrees(lane);
                if !(of_a.reaches(a) && of_b.reaches(b)) {
                    *entry = f32::INFINITY;
                }
            }
        }
        entries
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.bound
    }

    #[inline(always)]
    fn leaves<I: Isa>(&mut self, a: (u32, &Packet), b: (u32, &Packet)) -> ControlFlow<()> {
        self.prepared.load::<I>(a, &self.a_to_b);
        let slack = self.cast.margin + self.a_to_b.slack();
        if !self.prepared.may_meet::<I>(b.1, &self.direction, slack, self.limit) {
            return ControlFlow::Continue(());
        }
        for (lane_a, triangle_a) in a.1.lanes() {
            let p = &self.prepared.triangles[lane_a];
            let interval =
                contact_interval::<I::Double>(p, b.1, &self.direction, self.cast.margin, self.limit);
            for (lane_b, triangle_b) in b.1.lanes() {
                let (entry, exit) = (interval.entry[lane_b], interval.exit[lane_b]);
                // The patches are tested last: most pairs fail the intervals.
                if entry <= exit
                    && entry <= self.limit
                    && exit >= 0.0
                    && self.takes_part(triangle_a, triangle_b)
                {
                    self.hit([triangle_a, triangle_b], entry.max(0.0), [a.0, b.0]);
                }
            }
        }
        // The caller discards this direction whatever the first contact is, or the cast is given up.
        if self.found && self.best < self.cast.worse_than || self.hits.len() > self.max_hits {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl CastQuery<'_> {
    #[inline(always)]
    fn takes_part(&self, a: u32, b: u32) -> bool {
        self.patches.is_none_or(|[of_a, of_b]| of_a.contains(a) && of_b.contains(b))
    }

    fn hit(&mut self, pair: [u32; 2], entry: f64, leaves: [u32; 2]) {
        if entry <= self.cast.length {
            if !self.found || entry < self.best {
                self.first = leaves;
            }
            self.found = true;
            self.best = self.best.min(entry);
            self.limit = self.limit.min(self.best + self.cast.window);
            self.bound = rounded_up(self.limit);
        }
        self.hits.push(Hit { pair, entry });
    }
}
