//! Ways out: the rows of a pair of pieces, and the faces through which pieces that overlap leave each other.
//!
//! The witness pair alone makes a descent zigzag: when a face touches, the next step turns the body about the witness and
//! another corner becomes it. So where the plane between two pieces is that of a face of one of them, the plane moves with
//! that body and every vertex of the other one near it has a row. Where a plane separates all vertices of a piece from the other
//! one they are apart, so the rows are sufficient however far the bodies turn.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::arrangement::Arrangement;
use super::part::Part;
use super::rows::ContactRow;
use super::shape::Piece;
use super::workspace::{Exit, Frames, ScanMemory};
use crate::geometry::convex::hull::ConvexHull;
use crate::geometry::convex::shape::Core;
use crate::penetration::convex::SignedDistance;
use crate::penetration::convex::options::ConvexOptions;

/// Cosine above which a direction counts as the normal of a face (a milliradian): the expansion of polytopes finds normals
/// of faces to rounding.
const FACE: f64 = 1.0 - 5e-7;
/// Share of a piece's radius within which its vertices next to the plane have rows.
const NEAR_PLANE: f64 = 0.5;

/// How many times longer than the nearest way out the way may be that was the nearest at first, or that was chosen for all.
const DETOUR: f64 = 4.0;
const COMMON_DETOUR: f64 = 20.0;

/// A pair of pieces with its signed distance.
pub(crate) struct Near<'a> {
    pub(crate) bodies: [u32; 2],
    pub(crate) pieces: [&'a Piece; 2],
    pub(crate) poses: [&'a Isometry3<f64>; 2],
    pub(crate) found: &'a SignedDistance,
}

impl Near<'_> {
    /// Adds the rows of the pair; the gap that they keep [m].
    pub(crate) fn rows(&self, exit: &mut Option<Exit>, rows: &mut Vec<ContactRow>) -> f64 {
        let overlaps = self.found.value < 0.0;
        if !overlaps {
            *exit = None;
        }
        let before = rows.len();
        if let Some(gap) = exit.and_then(|exit| self.rows_along(&exit, rows)) {
            return gap;
        }
        rows.truncate(before);
        *exit = None;
        if let Some(face) = self.face() {
            self.rows_at(&face, rows);
            if overlaps {
                *exit = Some(face);
            }
        }
        if rows.len() == before {
            rows.push(self.row(self.found.value, self.found.direction, self.found.witnesses));
        }
        self.found.value
    }

    fn row(&self, gap: f64, normal: Unit<Vector3<f64>>, points: [Point3<f64>; 2]) -> ContactRow {
        ContactRow { bodies: self.bodies, gap, normal, points }
    }

    /// The face in the plane between the pieces, the larger one where both have one.
    fn face(&self) -> Option<Exit> {
        let normal = self.found.direction;
        let ([a, b], [pose_a, pose_b]) = (self.pieces, self.poses);
        let (face_a, face_b) = (face_extent(a, pose_a, &-normal), face_extent(b, pose_b, &normal));
        let of_b = match (face_a, face_b) {
            (None, None) => return None,
            (Some(of_a), Some(of_b)) => of_b >= of_a,
            (of_a, _) => of_a.is_none(),
        };
        let side = usize::from(of_b);
        let outward = if of_b { normal } else { -normal };
        let witness = self.found.witnesses[side];
        let pose = self.poses[side];
        let normal = pose.rotation.inverse() * outward.into_inner();
        Some(Exit { of_b, normal, point: pose.inverse_transform_point(&witness), detour: DETOUR })
    }

    /// Rows of the vertices of the other piece near the plane of a face.
    fn rows_at(&self, face: &Exit, rows: &mut Vec<ContactRow>) {
        let (own, other) = (usize::from(face.of_b), usize::from(!face.of_b));
        let outward = Unit::new_unchecked(self.poses[own].rotation * face.normal);
        let normal = if face.of_b { outward } else { -outward };
        let through = self.poses[own] * face.point;
        let piece = self.pieces[other];
        if let Core::Hull(hull) = piece.shape.core() {
            let rounding = piece.shape.radius();
            let reach = self.found.value + NEAR_PLANE * piece.ball.1 + rounding;
            near_vertices(hull, self.poses[other], &outward, &through, reach, |height, point| {
                rows.push(self.row(height - rounding, normal, [point, point]));
            });
        }
    }

    /// The same along the way that was chosen before; the least gap, `None` where that way is too long by now.
    fn rows_along(&self, exit: &Exit, rows: &mut Vec<ContactRow>) -> Option<f64> {
        let before = rows.len();
        self.rows_at(exit, rows);
        let gap = rows[before..].iter().map(|row| row.gap).fold(f64::INFINITY, f64::min);
        (gap.is_finite() && gap >= exit.detour * self.found.value).then_some(gap)
    }
}

impl Arrangement {
    /// For every piece of an obstacle in which several links are stuck the one face through which all of them leave it with
    /// the shortest ways in sum.
    pub(crate) fn common_exits(&self, frames: &Frames, memory: &mut ScanMemory) -> Vec<(usize, Exit)> {
        memory.place(self, frames);
        let mut stuck: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for pair in self.pairs.iter().filter(|pair| self.is_obstacle(pair.bodies[1])) {
            let visit = |_: [&Isometry3<f64>; 2], [i, j]: [usize; 2], found: &SignedDistance, at: usize| {
                if found.value < 0.0 {
                    stuck.entry(j).or_default().push((i, at));
                }
                true
            };
            self.near_pieces(pair, 0.0, memory, visit, &ConvexOptions::default());
        }
        let mut exits = Vec::new();
        for (piece, links) in stuck.iter().filter(|(_, links)| links.len() > 1) {
            let Core::Hull(hull) = self.pieces[*piece].shape.core() else { continue };
            let (pose, _) = &memory.pieces[*piece];
            let depth_of = |exit: &Exit| -> f64 {
                let depth = |&(link, _): &(usize, usize)| self.depth_along(exit, pose, link, memory);
                links.iter().map(depth).sum()
            };
            let ways = hull.facets().map(|facet| Exit {
                of_b: true,
                normal: facet.normal.into_inner(),
                point: hull.vertices()[facet.corners[0] as usize],
                detour: COMMON_DETOUR,
            });
            let shortest = ways.min_by(|a, b| depth_of(a).total_cmp(&depth_of(b)));
            exits.extend(shortest.into_iter().flat_map(|exit| links.iter().map(move |&(_, at)| (at, exit))));
        }
        exits
    }

    fn is_obstacle(&self, body: u32) -> bool {
        matches!(self.bodies[body as usize].part, Part::Obstacle(_))
    }

    /// How deep a piece is below the plane of a face [m].
    fn depth_along(&self, exit: &Exit, pose: &Isometry3<f64>, piece: usize, memory: &ScanMemory) -> f64 {
        let outward = Unit::new_unchecked(pose.rotation * exit.normal);
        let mut deepest = 0.0_f64;
        if let Core::Hull(hull) = self.pieces[piece].shape.core() {
            near_vertices(hull, &memory.pieces[piece].0, &outward, &(pose * exit.point), 0.0, |height, _| {
                deepest = deepest.max(-height);
            });
        }
        deepest
    }
}

/// Visits the vertices that are no higher than `reach` [m] above the plane through a point.
fn near_vertices(
    hull: &ConvexHull,
    pose: &Isometry3<f64>,
    normal: &Unit<Vector3<f64>>,
    through: &Point3<f64>,
    reach: f64,
    mut visit: impl FnMut(f64, Point3<f64>),
) {
    let local = pose.rotation.inverse() * normal.into_inner();
    let offset = normal.dot(&(pose.translation.vector - through.coords));
    for vertex in hull.vertices() {
        let height = local.dot(&vertex.coords) + offset;
        if height <= reach {
            visit(height, pose * vertex);
        }
    }
}

/// The reach [m] of the face of a piece that faces a direction in the world, if one does.
fn face_extent(piece: &Piece, pose: &Isometry3<f64>, direction: &Unit<Vector3<f64>>) -> Option<f64> {
    match piece.shape.core() {
        Core::HalfSpace => Some(f64::INFINITY),
        Core::Hull(hull) => {
            let local = pose.rotation.inverse() * direction.into_inner();
            let facet = hull.facet_towards(&local)?;
            if !(facet.normal.dot(&local) >= FACE) {
                return None;
            }
            let first = hull.vertices()[*facet.corners.first()? as usize];
            let far = |&corner: &u32| (hull.vertices()[corner as usize] - first).norm_squared();
            Some(facet.corners.iter().map(far).fold(0.0, f64::max))
        }
        _ => None,
    }
}
