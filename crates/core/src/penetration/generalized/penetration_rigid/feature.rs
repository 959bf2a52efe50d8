//! Contact features of two triangles: smooth functions of the pose that separate the pair where they are positive.
//!
//! Two triangles are apart when a plane separates them; that plane is a face of one of them, passes through an edge of
//! one of them, or is spanned by an edge of each. So a pair that is apart at one configuration yields either the heights
//! of three vertices over a plane fixed to the other triangle, or the gap of two edges: each with its own
//! normal, and exact for rotations of A of any size. Staying beyond one plane is sufficient: departs from [Tang14], whose
//! contact space intersects all planes around an edge or a vertex.

use nalgebra::{Point3, Vector3, Vector6};

use super::chart::{Configuration, RigidLocalChart};
use crate::proximity::triangle_distance::closest_points;

/// Sine of the angle between edges below which their cross product is all rounding. A safeguard against an axis of
/// rounding, without effect on the sets of docs/sensitivity.md.
const PARALLEL: f64 = 1e-12;

/// A pair of triangles: that of A relative to A's centroid in A's frame, that of B in the frame of B's tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrianglePair {
    pub(super) triangles: [u32; 2],
    pub(super) of_a: [Vector3<f64>; 3],
    pub(super) of_b: [Vector3<f64>; 3],
}

/// A gap function that must stay positive.
#[derive(Debug, Clone, Copy)]
pub(super) enum Feature {
    /// Height of a point of A over a plane of B: `normal`·x ≥ `offset`.
    OnB { point: Vector3<f64>, normal: Vector3<f64>, offset: f64 },
    /// Depth of a point of B below a plane of A, whose `normal` (A's frame) points from B to A.
    OnA { point: Vector3<f64>, normal: Vector3<f64>, offset: f64 },
    /// Gap of an edge of A and one of B along `sign` times the cross product of their directions.
    Edges { a: [Vector3<f64>; 2], b: [Vector3<f64>; 2], sign: f64 },
}

/// Value of a feature at a configuration, in the frame of B's tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    /// Signed gap [m].
    pub(super) gap: f64,
    /// Direction in which A separates from B.
    pub(super) normal: Vector3<f64>,
    /// Contact point.
    pub(super) point: Vector3<f64>,
}

impl Feature {
    /// The feature at a configuration; `None` for edges that have become parallel.
    pub(super) fn at(&self, configuration: &Configuration) -> Option<Gap> {
        let (r, c) = (&configuration.rotation, &configuration.center);
        Some(match *self {
            Self::OnB { point, normal, offset } => {
                let point = r * point + c;
                Gap { gap: normal.dot(&point) - offset, normal, point }
            }
            Self::OnA { point, normal, offset } => {
                let normal = r * normal;
                Gap { gap: offset - normal.dot(&(point - c)), normal, point }
            }
            Self::Edges { a, b, sign } => {
                let (along_a, along_b) = (r * (a[1] - a[0]), b[1] - b[0]);
                let across = along_a.cross(&along_b) * sign;
                let squared = across.norm_squared();
                // Without a cross product the edges span no plane, and another feature must separate the pair.
                if !(squared > PARALLEL * PARALLEL * along_a.norm_squared() * along_b.norm_squared()) {
                    return None;
                }
                let normal = across / squared.sqrt();
                let from = r * a[0] + c;
                let between = b[0] - from;
                let fraction = between.cross(&along_b).dot(&across) * sign / squared;
                Gap { gap: -normal.dot(&between), normal, point: from + along_a * fraction }
            }
        })
    }
}

/// A candidate for a separating plane of two triangles.
#[derive(Debug, Clone, Copy)]
enum Plane {
    OfB,
    OfA,
    Edges([usize; 2], f64),
}

/// Up to three features that separate a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Features {
    list: [Option<Feature>; 3],
}

impl Features {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Feature> {
        self.list.iter().flatten()
    }
}

impl TrianglePair {
    /// Distance of the triangles at a configuration [m].
    pub(super) fn distance(&self, at: &Configuration) -> f64 {
        let p = self.of_a.map(|corner| Point3::from(at.rotation * corner + at.center));
        closest_points(&p, &self.of_b.map(Point3::from)).0
    }

    /// The features of the separating plane of the pair at a configuration with the largest predicted gap at `target`.
    ///
    /// Planes with a gap below `min` [m] count only where no plane has more; then the one with the maximum gap is taken.
    pub(super) fn features(
        &self,
        chart: &RigidLocalChart,
        at: &Configuration,
        target: &Vector6<f64>,
        min: f64,
    ) -> Option<Features> {
        let p = self.of_a.map(|corner| at.rotation * corner + at.center);
        let to_target = target - at.y;
        let mut best: Option<(f64, f64, Plane, Vector3<f64>)> = None;
        self.each_plane(&p, |plane, normal, gap, point| {
            // All planes with a sufficient gap are equivalent here; among them the predicted gap at the target decides.
            let (gap_counts, asked) = if gap >= min {
                (min, gap + chart.row(at, &normal, &point).dot(&to_target))
            } else {
                (gap, gap)
            };
            if best.is_none_or(|(g, a, _, _)| gap_counts > g || (gap_counts >= g && asked > a)) {
                best = Some((gap_counts, asked, plane, normal));
            }
        });
        best.map(|(_, _, plane, normal)| self.of_plane(plane, &normal, at))
    }

    /// Visits every candidate plane with its normal from B to A, its gap and a contact point.
    fn each_plane(
        &self,
        p: &[Vector3<f64>; 3],
        mut visit: impl FnMut(Plane, Vector3<f64>, f64, Vector3<f64>),
    ) {
        let q = &self.of_b;
        let edges = |t: &[Vector3<f64>; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        let (e, f) = (edges(p), edges(q));
        let (n, m) = (e[0].cross(&e[1]), f[0].cross(&f[1]));
        let mut axis = |axis: Vector3<f64>, scale: f64, plane: Plane| {
            let length = axis.norm();
            if !(length > PARALLEL * scale) {
                return;
            }
            let unit = axis / length;
            let heights = |t: &[Vector3<f64>; 3]| t.map(|corner| corner.dot(&unit));
            let (hp, hq) = (heights(p), heights(q));
            for (sign, normal) in [(1.0, unit), (-1.0, -unit)] {
                let lowest = extreme(&hp, -sign);
                let highest = extreme(&hq, sign);
                let gap = sign * (hp[lowest] - hq[highest]);
                let (plane, point) = match plane {
                    Plane::OfB => (plane, p[lowest]),
                    Plane::OfA => (plane, q[highest]),
                    // The plane must contain both edges: their third corners may not be the extreme ones.
                    Plane::Edges([i, j], _) if lowest == (i + 2) % 3 || highest == (j + 2) % 3 => continue,
                    Plane::Edges(pair, _) => (Plane::Edges(pair, sign), p[lowest]),
                };
                visit(plane, normal, gap, point);
            }
        };
        axis(n, e[0].norm() * e[1].norm(), Plane::OfA);
        axis(m, f[0].norm() * f[1].norm(), Plane::OfB);
        for i in 0..3 {
            for j in 0..3 {
                axis(e[i].cross(&f[j]), e[i].norm() * f[j].norm(), Plane::Edges([i, j], 1.0));
            }
        }
        // Planes through an edge, perpendicular to its triangle's plane, separate coplanar triangles.
        for k in 0..3 {
            axis(n.cross(&e[k]), n.norm() * e[k].norm(), Plane::OfA);
            axis(m.cross(&f[k]), m.norm() * f[k].norm(), Plane::OfB);
        }
    }

    fn of_plane(&self, plane: Plane, normal: &Vector3<f64>, at: &Configuration) -> Features {
        let list = match plane {
            Plane::OfB => {
                let offset = self.of_b.iter().map(|q| q.dot(normal)).fold(f64::NEG_INFINITY, f64::max);
                self.of_a.map(|point| Some(Feature::OnB { point, normal: *normal, offset }))
            }
            Plane::OfA => {
                let normal = at.rotation.tr_mul(normal);
                let offset = self.of_a.iter().map(|p| p.dot(&normal)).fold(f64::INFINITY, f64::min);
                self.of_b.map(|point| Some(Feature::OnA { point, normal, offset }))
            }
            Plane::Edges([i, j], sign) => {
                let a = [self.of_a[i], self.of_a[(i + 1) % 3]];
                let b = [self.of_b[j], self.of_b[(j + 1) % 3]];
                [Some(Feature::Edges { a, b, sign }), None, None]
            }
        };
        Features { list }
    }
}

/// Index of the maximum of three numbers times `sign`.
fn extreme(values: &[f64; 3], sign: f64) -> usize {
    (1..3).fold(0, |best, k| if sign * values[k] > sign * values[best] { k } else { best })
}
