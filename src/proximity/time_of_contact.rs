//! Time of contact of a translation: exact, over two trees [Je12 §4, eqs. 5–7].
//!
//! Departs from [Je12]: no conservative advancement. The first contact of two triangles under a translation is a ray
//! cast into the intersection of slabs, and the same holds for boxes, so one ordered descent finds the exact answer.

use std::ops::ControlFlow;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::Model;
use super::collision::PreparedLeaf;
use super::patch::Patch;
use super::placement::{MovedBox, MovedChildren, Placement, RoundedPlacement};
use super::triangle_pair::{SeparatingPlane, contact_interval, separating_planes};
use crate::bvh::lanes::{Isa, Mask, Single};
use crate::bvh::node::{Bounds, Node, Packet, WIDTH, above};
use crate::bvh::tandem::{self, Tandem};

/// Rounding of single-precision slab arithmetic, relative: a subtraction, a reciprocal and a product.
const SLAB_ROUNDING: f32 = 4e-7;
/// Keeps the reciprocal of a direction's component finite in single precision.
const FLAT: f64 = 1e-30;

/// The first contact of a translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeOfContact {
    /// When the surfaces first touch, in [0, 1] of the translation.
    pub time: f64,
    /// Unit normal of the contact in the world frame, from B to A.
    pub normal: Unit<Vector3<f64>>,
    /// One triangle of A and one of B that touch then.
    pub triangles: [u32; 2],
}

/// The first contact of the surface of `a`, moved along `translation` [m, world], with that of the resting `b`;
/// `None` when the whole translation is free of contact. A start in contact answers time 0.
///
/// ```
/// use extricate::geometry::Solidity;
/// use extricate::geometry::procedural::{Cuboid, Procedural};
/// use extricate::proximity::{Model, translational};
/// use nalgebra::Vector3;
/// use nalgebra::Isometry3;
///
/// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(3.0, 0.0, 0.0));
/// let contact = translational(&cube, &here, &Vector3::new(4.0, 0.0, 0.0), &cube, &there);
/// let contact = contact.expect("the way leads through the other cube");
/// assert!((contact.time - 0.5).abs() < 1e-12);
/// assert!((contact.normal.x + 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn translational(
    a: &Model,
    pose_a: &Isometry3<f64>,
    translation: &Vector3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
) -> Option<TimeOfContact> {
    let a_to_b = Placement::between(a, pose_a, b, pose_b);
    let in_b = pose_b.rotation.inverse() * translation;
    let length = in_b.norm();
    let direction = if length > 0.0 { in_b / length } else { Vector3::x() };
    let mut hits = Vec::new();
    let cast = Cast { from: Vector3::zeros(), direction, length, margin: 0.0, window: 0.0, worse_than: 0.0 };
    let distance = cast.run(a, b, &a_to_b, &mut hits)?;
    let first = hits.iter().min_by(|x, y| x.entry.total_cmp(&y.entry).then(x.pair.cmp(&y.pair)))?;
    let at_contact = a_to_b.shifted(&(direction * distance));
    let plane = nearest_plane(&triangles_in_b(a, b, &at_contact, first.pair), &direction);
    let time = if length > 0.0 { distance / length } else { 0.0 };
    Some(TimeOfContact { time, normal: pose_b.rotation * plane.normal, triangles: first.pair })
}

/// The separating plane with the greatest gap; of equal ones the one that most opposes the motion.
fn nearest_plane(pair: &[[Point3<f64>; 3]; 2], direction: &Vector3<f64>) -> SeparatingPlane {
    let mut best: Option<SeparatingPlane> = None;
    let size = pair.iter().flatten().map(|p| (p - pair[0][0]).norm()).fold(0.0, f64::max);
    separating_planes(&pair[0], &pair[1], |plane| {
        let better = best.is_none_or(|best| {
            let tie = 1e-9 * size;
            plane.gap > best.gap + tie
                || (plane.gap > best.gap - tie && plane.normal.dot(direction) < best.normal.dot(direction))
        });
        if better {
            best = Some(plane);
        }
    });
    best.expect("a triangle with an area has a normal")
}

/// Corners of a triangle of each model in the frame of B's tree.
pub(crate) fn triangles_in_b(
    a: &Model,
    b: &Model,
    a_to_b: &Placement,
    [i, j]: [u32; 2],
) -> [[Point3<f64>; 3]; 2] {
    let (center_a, center_b) = (a.center(), b.center());
    let of_a = a.mesh().triangle(i as usize).map(|p| a_to_b.point(&Point3::from(p - center_a)));
    let of_b = b.mesh().triangle(j as usize).map(|p| Point3::from(p - center_b));
    [of_a, of_b]
}

/// A pair of triangles that a translation brings together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    pub(crate) pair: [u32; 2],
    /// Length of the translation at the contact [m], zero where the start is a contact.
    pub(crate) entry: f64,
}

/// A translational cast of A against B; everything in the frame of B's tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cast {
    /// Translation of A at the start [m], on top of its placement.
    pub(crate) from: Vector3<f64>,
    /// Unit direction.
    pub(crate) direction: Vector3<f64>,
    /// Length [m].
    pub(crate) length: f64,
    /// Gap at which two triangles count as touching [m].
    pub(crate) margin: f64,
    /// Hits up to this much beyond the first one are kept [m].
    pub(crate) window: f64,
    /// The cast may stop once it is known to hit before this length [m]; zero to find the first contact.
    pub(crate) worse_than: f64,
}

impl Cast {
    /// Length to the first contact, if there is one; its pairs and those within the window are left in `hits`.
    ///
    /// When `worse_than` is positive and the first contact lies before it, some contact before it is answered.
    pub(crate) fn run(&self, a: &Model, b: &Model, a_to_b: &Placement, hits: &mut Vec<Hit>) -> Option<f64> {
        self.run_between(a, b, a_to_b, None, hits)
    }

    /// As [`Cast::run`], between parts of the surfaces.
    pub(crate) fn run_between(
        &self,
        a: &Model,
        b: &Model,
        a_to_b: &Placement,
        patches: Option<&[Patch; 2]>,
        hits: &mut Vec<Hit>,
    ) -> Option<f64> {
        hits.clear();
        let start = a_to_b.shifted(&self.from);
        let back = start.inverse();
        let ray_in_a = -(start.rotation.transpose() * self.direction);
        let mut query = Descent {
            cast: self,
            patches,
            a_to_b: start,
            b_to_a: back,
            rounded_a_to_b: RoundedPlacement::new(&start, self.margin),
            rounded_b_to_a: RoundedPlacement::new(&back, self.margin),
            in_b: Ray::new(&self.direction),
            in_a: Ray::new(&ray_in_a),
            direction: self.direction.into(),
            prepared: PreparedLeaf::default(),
            best: self.length,
            limit: self.length,
            found: false,
            hits,
        };
        tandem::descend(a.bvh(), b.bvh(), &mut query);
        let (found, best, limit) = (query.found, query.best, query.limit);
        hits.retain(|hit| hit.entry <= limit);
        found.then_some(best)
    }
}

/// A direction with its reciprocals in single precision.
struct Ray {
    inverse: [f32; 3],
}

impl Ray {
    fn new(direction: &Vector3<f64>) -> Self {
        let inverse = |x: f64| (1.0 / if x.abs() < FLAT { FLAT } else { x }) as f32;
        Self { inverse: [inverse(direction.x), inverse(direction.y), inverse(direction.z)] }
    }

    /// When the moving box is level with each child, on every axis of the children's frame.
    #[inline(always)]
    fn slabs<I: Isa>(&self, node: &Node, moving: &MovedBox) -> Slabs<I::Single> {
        let single = I::Single::splat;
        let mut slabs = Slabs { entry: single(f32::NEG_INFINITY), exit: single(f32::INFINITY) };
        for axis in 0..3 {
            let inverse = single(self.inverse[axis]);
            let first = (I::Single::load(&node.min[axis]) - single(moving.max[axis])) * inverse;
            let second = (I::Single::load(&node.max[axis]) - single(moving.min[axis])) * inverse;
            slabs.narrow(first, second);
        }
        slabs
    }
}

/// Lengths of the translation at which each child is level with a box: where there is contact, if any.
struct Slabs<S> {
    entry: S,
    exit: S,
}

impl<S: Single> Slabs<S> {
    #[inline(always)]
    fn narrow(&mut self, first: S, second: S) {
        self.entry = first.min(second).max(self.entry);
        self.exit = first.max(second).min(self.exit);
    }

    /// Cuts them with those in the frame of the box, in which the children move along `motion`.
    #[inline(always)]
    fn cut(mut self, hulls: &MovedChildren<S>, motion: &Ray) -> Self {
        for axis in 0..3 {
            let (offset, reach) = (hulls.offsets[axis], hulls.reaches[axis]);
            let backwards = S::splat(-motion.inverse[axis]);
            self.narrow((offset - reach) * backwards, (offset + reach) * backwards);
        }
        self
    }

    /// Length at which the box enters each child, infinite where it never does.
    #[inline(always)]
    fn costs(self) -> [f32; WIDTH] {
        let near = self.entry - S::splat(SLAB_ROUNDING) * self.entry.abs();
        let far = self.exit + S::splat(SLAB_ROUNDING) * self.exit.abs();
        let zero = S::splat(0.0);
        let met = (near.less_or_equal(far) & zero.less_or_equal(far)).bits();
        let mut costs = near.max(zero).store();
        for lane in 0..WIDTH {
            if met & (1 << lane) == 0 {
                costs[lane] = f32::INFINITY;
            }
        }
        costs
    }
}

struct Descent<'a> {
    cast: &'a Cast,
    patches: Option<&'a [Patch; 2]>,
    a_to_b: Placement,
    b_to_a: Placement,
    rounded_a_to_b: RoundedPlacement,
    rounded_b_to_a: RoundedPlacement,
    /// The motion of A in the frame of B.
    in_b: Ray,
    /// The motion of B in the frame of A.
    in_a: Ray,
    direction: [f64; 3],
    prepared: PreparedLeaf,
    /// First contact so far [m].
    best: f64,
    /// Hits beyond this length do not matter [m].
    limit: f64,
    found: bool,
    hits: &'a mut Vec<Hit>,
}

impl Tandem for Descent<'_> {
    #[inline(always)]
    fn costs_in_b<I: Isa>(&self, children_of_b: &Node, box_of_a: &Bounds) -> [f32; WIDTH] {
        let slabs = self.in_b.slabs::<I>(children_of_b, &self.a_to_b.bounds(box_of_a, self.cast.margin));
        let hulls = self.rounded_b_to_a.children::<I>(children_of_b, box_of_a);
        slabs.cut(&hulls, &self.in_a).costs()
    }

    #[inline(always)]
    fn costs_in_a<I: Isa>(&self, children_of_a: &Node, box_of_b: &Bounds) -> [f32; WIDTH] {
        let slabs = self.in_a.slabs::<I>(children_of_a, &self.b_to_a.bounds(box_of_b, self.cast.margin));
        let hulls = self.rounded_a_to_b.children::<I>(children_of_a, box_of_b);
        slabs.cut(&hulls, &self.in_b).costs()
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        above(self.limit).min(f32::MAX)
    }

    #[inline(always)]
    fn leaves<I: Isa>(&mut self, a: (u32, &Packet), b: (u32, &Packet)) -> ControlFlow<()> {
        self.prepared.load(a, &self.a_to_b);
        for (lane_a, triangle_a) in a.1.lanes() {
            let p = &self.prepared.triangles[lane_a];
            let interval =
                contact_interval::<I::Double>(p, b.1, &self.direction, self.cast.margin, self.limit);
            for (lane_b, triangle_b) in b.1.lanes() {
                let (entry, exit) = (interval.entry[lane_b], interval.exit[lane_b]);
                if entry <= exit
                    && entry <= self.limit
                    && exit >= 0.0
                    && self.takes_part(triangle_a, triangle_b)
                {
                    self.hit([triangle_a, triangle_b], entry.max(0.0));
                }
            }
        }
        if self.found && self.best < self.cast.worse_than {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl Descent<'_> {
    #[inline(always)]
    fn takes_part(&self, a: u32, b: u32) -> bool {
        self.patches.is_none_or(|[of_a, of_b]| of_a.contains(a) && of_b.contains(b))
    }

    fn hit(&mut self, pair: [u32; 2], entry: f64) {
        if entry <= self.cast.length {
            self.found = true;
            self.best = self.best.min(entry);
            self.limit = self.limit.min(self.best + self.cast.window);
        }
        self.hits.push(Hit { pair, entry });
    }
}
