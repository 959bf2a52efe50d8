//! Two triangles: separating axes, their gap, and the interval of a translation in which they intersect.
//!
//! Two triangles are disjoint exactly when one of eleven axes separates their projections: the two normals and the nine
//! cross products of edges; six axes within the planes are added when the planes are parallel. Under a translation
//! along `u` every axis is a slab of contact, so that the first contact of two triangles is a ray cast into the
//! intersection of those slabs: exact, without iteration [Je12 §4.2 obtains it by conservative advancement].
//!
//! Every projection uses the same computed axis for all six corners. A computed cross product of nearly parallel edges
//! may point anywhere, yet projections that are disjoint on it prove separation; and with the corners taken relative to
//! one of them, a gap has an error of a few units of rounding of the triangles' size.

use crate::bvh::lanes::isa::{Double, LaneVector, Mask, cross, dot, load, norm_l1, splat, sub};
use crate::bvh::packet::Packet;
use nalgebra::{Point3, Unit, Vector3};

/// Squared sine of the angle between planes below which the axes within the planes are tested.
///
/// They are redundant where the planes cross; at 1e-4 rad the gap that they could add is below the rounding of the
/// other axes.
const PARALLEL_PLANES: f64 = 1e-8;
/// Minimum speed along an axis: one that vanishes then gives no constraint. Far from products of lengths and from
/// overflow.
const VANISHING: f64 = 1e-250;
/// Widens the interval on an axis that vanishes, so that it excludes nothing.
const WIDENING: f64 = 1e-200;

/// A triangle of A with the products that do not depend on B; everything in the frame of B's tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prepared {
    first: [f64; 3],
    edges: [[f64; 3]; 3],
    normal: [f64; 3],
}

#[inline(always)]
fn difference(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn cross_product(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl Prepared {
    #[inline(always)]
    pub(crate) fn new(corners: &[[f64; 3]; 3]) -> Self {
        let [p0, p1, p2] = corners;
        let edges = [difference(p1, p0), difference(p2, p1), difference(p0, p2)];
        Self { first: *p0, edges, normal: cross_product(&edges[0], &edges[1]) }
    }
}

/// Projections of both triangles on one axis in every lane, `[min, max]` of P and of Q, and the axis itself; corners
/// relative to P's first.
struct Projection<D> {
    axis: LaneVector<D>,
    p: [D; 2],
    q: [D; 2],
}

/// Visitor of the candidate axes; a trait and not a closure, so that its methods are compiled for the instruction set
/// of the kernel, see [`crate::bvh::lanes`].
trait AxisVisitor<D> {
    /// Visits one axis and returns whether to continue.
    fn visit(&mut self, on: &Projection<D>) -> bool;
}

/// A packet's triangles relative to P's first corner.
struct Relative<D> {
    p_edges: [LaneVector<D>; 3],
    corners: [LaneVector<D>; 3],
    q_edges: [LaneVector<D>; 3],
}

impl<D: Double> Relative<D> {
    #[inline(always)]
    fn new(p: &Prepared, q: &Packet) -> Self {
        let first = splat(&p.first);
        let corners = [
            sub(&load(&q.corners[0]), &first),
            sub(&load(&q.corners[1]), &first),
            sub(&load(&q.corners[2]), &first),
        ];
        Self {
            p_edges: [splat(&p.edges[0]), splat(&p.edges[1]), splat(&p.edges[2])],
            q_edges: [
                sub(&corners[1], &corners[0]),
                sub(&corners[2], &corners[1]),
                sub(&corners[0], &corners[2]),
            ],
            corners,
        }
    }

    #[inline(always)]
    fn project(&self, axis: LaneVector<D>) -> Projection<D> {
        let zero = D::splat(0.0);
        // P's corners relative to its first: 0, e₀, −e₂.
        let (p1, p2) = (dot(&axis, &self.p_edges[0]), -dot(&axis, &self.p_edges[2]));
        let q0 = dot(&axis, &self.corners[0]);
        let q1 = dot(&axis, &self.corners[1]);
        let q2 = dot(&axis, &self.corners[2]);
        Projection {
            axis,
            p: [zero.min(p1).min(p2), zero.max(p1).max(p2)],
            q: [q0.min(q1).min(q2), q0.max(q1).max(q2)],
        }
    }
}

/// Visits the candidate axes until the visitor returns false.
#[inline(always)]
fn each_axis<D: Double, V: AxisVisitor<D>>(p: &Prepared, q: &Packet, visitor: &mut V) {
    let relative = Relative::<D>::new(p, q);
    let p_normal = splat(&p.normal);
    if !visitor.visit(&relative.project(p_normal)) {
        return;
    }
    let q_normal = cross(&relative.q_edges[0], &relative.q_edges[1]);
    if !visitor.visit(&relative.project(q_normal)) {
        return;
    }
    for i in 0..3 {
        for j in 0..3 {
            if !visitor.visit(&relative.project(cross(&relative.p_edges[i], &relative.q_edges[j]))) {
                return;
            }
        }
    }
    // The six axes within the planes are needed where any lane's planes are parallel.
    let c = cross(&p_normal, &q_normal);
    let limit = D::splat(PARALLEL_PLANES) * dot(&p_normal, &p_normal) * dot(&q_normal, &q_normal);
    if dot(&c, &c).less_or_equal(limit).bits() != 0 {
        for k in 0..3 {
            if !visitor.visit(&relative.project(cross(&p_normal, &relative.p_edges[k])))
                || !visitor.visit(&relative.project(cross(&q_normal, &relative.q_edges[k])))
            {
                return;
            }
        }
    }
}

/// Lanes whose gap is at most a margin on every axis so far.
struct Within<D: Double> {
    margin: D,
    near: D::Mask,
}

impl<D: Double> AxisVisitor<D> for Within<D> {
    #[inline(always)]
    fn visit(&mut self, on: &Projection<D>) -> bool {
        let gap = (on.q[0] - on.p[1]).max(on.p[0] - on.q[1]);
        self.near = self.near & (gap - self.margin * norm_l1(&on.axis)).less_or_equal(D::splat(0.0));
        self.near.bits() != 0
    }
}

/// Bits of the lanes whose triangle is within `margin` [m] of P on every axis: with a margin of zero, those that
/// intersect P (touching counts); else all whose distance to P is at most `margin`, and possibly some a little farther.
#[inline(always)]
pub(crate) fn within<D: Double>(p: &Prepared, q: &Packet, margin: f64) -> u32 {
    let mut visitor =
        Within::<D> { margin: D::splat(margin), near: D::splat(0.0).less_or_equal(D::splat(0.0)) };
    each_axis(p, q, &mut visitor);
    visitor.near.bits()
}

/// The interval of lengths along a translation of P in which P and each lane's triangle are closer than a margin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interval {
    /// Start [m]; greater than `exit` where there is no contact.
    pub(crate) entry: [f64; 4],
    /// End [m].
    pub(crate) exit: [f64; 4],
}

/// The intersection of the slabs of the axes so far, as intervals of lengths.
struct Slabs<D> {
    direction: LaneVector<D>,
    margin: D,
    cutoff: D,
    entry: D,
    exit: D,
}

impl<D: Double> AxisVisitor<D> for Slabs<D> {
    #[inline(always)]
    fn visit(&mut self, on: &Projection<D>) -> bool {
        let slack = self.margin * norm_l1(&on.axis) + D::splat(WIDENING);
        let per_speed = dot(&on.axis, &self.direction).away_from_zero(VANISHING).recip();
        let first = (on.q[0] - on.p[1] - slack) * per_speed;
        let second = (on.q[1] - on.p[0] + slack) * per_speed;
        self.entry = self.entry.max(first.min(second));
        self.exit = self.exit.min(first.max(second));
        // A lane is open while its interval is not empty, begins by the cutoff and does not end before the start.
        let open =
            self.entry.less_or_equal(self.exit.min(self.cutoff)) & D::splat(0.0).less_or_equal(self.exit);
        open.bits() != 0
    }
}

/// The contact interval of P moving along the unit vector `direction` against each lane's triangle: its entry is the
/// minimal directional distance of two triangles [Je12 §4.2].
///
/// Contact is a gap of at most `margin` [m] (up to √3 times it on oblique axes). Stops early once every lane is known
/// to begin after `cutoff` or to have ended before the start.
#[inline(always)]
pub(crate) fn contact_interval<D: Double>(
    p: &Prepared,
    q: &Packet,
    direction: &[f64; 3],
    margin: f64,
    cutoff: f64,
) -> Interval {
    let mut slabs = Slabs::<D> {
        direction: splat(direction),
        margin: D::splat(margin),
        cutoff: D::splat(cutoff),
        entry: D::splat(f64::NEG_INFINITY),
        exit: D::splat(f64::INFINITY),
    };
    each_axis(p, q, &mut slabs);
    Interval { entry: slabs.entry.store(), exit: slabs.exit.store() }
}

/// A plane that separates two triangles, or nearly does.
#[derive(Debug, Clone, Copy)]
pub struct SeparatingPlane {
    /// Unit normal, from the second triangle to the first.
    pub(crate) normal: Unit<Vector3<f64>>,
    /// Signed gap along the normal \[m\]: negative where the projections overlap.
    pub gap: f64,
}

/// All candidate separating planes of two triangles, both directions of every axis, with their gaps.
pub fn separating_planes(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3], mut visit: impl FnMut(SeparatingPlane)) {
    let origin = p[0];
    let (p, q) = (p.map(|x| x - origin), q.map(|x| x - origin));
    let edges = |t: &[Vector3<f64>; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (e, f) = (edges(&p), edges(&q));
    let (n, m) = (e[0].cross(&e[1]), f[0].cross(&f[1]));
    let mut axis = |axis: Vector3<f64>, scale: f64| {
        // An axis that consists of rounding alone separates nothing reliably.
        let length = axis.norm();
        if !(length > 1e-12 * scale) {
            return;
        }
        let normal = axis / length;
        let range = |t: &[Vector3<f64>; 3]| {
            let [x, y, z] = t.map(|corner| corner.dot(&normal));
            (x.min(y).min(z), x.max(y).max(z))
        };
        let ((p_min, p_max), (q_min, q_max)) = (range(&p), range(&q));
        visit(SeparatingPlane { normal: Unit::new_unchecked(normal), gap: p_min - q_max });
        visit(SeparatingPlane { normal: Unit::new_unchecked(-normal), gap: q_min - p_max });
    };
    axis(n, e[0].norm() * e[1].norm());
    axis(m, f[0].norm() * f[1].norm());
    for edge in &e {
        for other in &f {
            axis(edge.cross(other), edge.norm() * other.norm());
        }
    }
    for k in 0..3 {
        axis(n.cross(&e[k]), n.norm() * e[k].norm());
        axis(m.cross(&f[k]), m.norm() * f[k].norm());
    }
}

/// The separating plane with the maximum gap; among equal ones the one whose normal most opposes the motion.
pub(super) fn nearest_plane(pair: &[[Point3<f64>; 3]; 2], direction: &Vector3<f64>) -> SeparatingPlane {
    let mut best: Option<SeparatingPlane> = None;
    let size = pair.iter().flatten().map(|p| (p - pair[0][0]).norm()).fold(0.0, f64::max);
    separating_planes(&pair[0], &pair[1], |plane| {
        let better = best.is_none_or(|best| {
            // Gaps that differ by less than a nanometre per metre are equal, so that rounding does not choose the
            // normal.
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
