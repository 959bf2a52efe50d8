//! ExitFace faces: the contact rows of a pair of pieces, and the faces through which overlapping pieces leave each other.
//!
//! The witness pair alone makes a descent zigzag: when a face touches, the next step rotates the body about the witness and
//! another corner becomes the witness. So where the separating plane of two pieces is a face of one of them, the plane moves
//! with that body and every vertex of the other piece near it has a row. If a plane separates all vertices of a piece from
//! the other one they are apart, so the rows are sufficient for rotations of any size.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::collision_world::CollisionWorld;
use super::part::Part;
use super::rows::ContactRow;
use super::shape::Piece;
use super::workspace::{ExitFace, Frames, ScanMemory};
use crate::geometry::convex::hull::ConvexHull;
use crate::geometry::convex::shape::Core;
use crate::penetration::convex::SignedDistance;
use crate::penetration::convex::options::ConvexOptions;

/// Cosine above which a direction counts as a face normal (a milliradian): the expanding polytope finds face normals up
/// to rounding. A looser bound takes edge contacts for faces. Half and twice change every depth by less than 0.05 % and
/// the steps by +7.1 % and +5.9 % (docs/sensitivity.md).
const FACE: f64 = 1.0 - 5e-7;
/// Fraction of a piece's radius within which its vertices above the plane have rows. Fewer rows let a rotation swing
/// other vertices into the plane; more rows cost time in the quadratic program. Half changes the mean depth by +3.4 %
/// (worst +68 %) with +6.7 % steps, twice by +0.57 % (worst +15 %; docs/sensitivity.md).
const NEAR_PLANE: f64 = 0.5;

/// Maximum number of rows of a pair of pieces: of finely tessellated round pieces hundreds of vertices are near a plane, and
/// the quadratic program costs in proportion to its rows. The deepest vertex is always among them, so that the result
/// satisfies all of them.
const MAX_ROWS: usize = 32;

/// Maximum ratio of the depth along the exit face that was nearest at first to the penetration depth. Smaller ones
/// switch exits too early, so that links separate on different sides; larger ones hold on to detours. Half and twice
/// change every depth by less than 0.05 % and the steps by +1.7 % and −1.7 % (docs/sensitivity.md).
const DETOUR: f64 = 4.0;
/// Maximum ratio of the depth along an exit face chosen for several links to the penetration depth. Half changes the
/// mean depth by +0.011 % (worst +0.3 %), twice nothing (docs/sensitivity.md).
const COMMON_DETOUR: f64 = 20.0;

/// A pair of pieces near contact, with its signed distance.
pub(crate) struct NearPair<'a> {
    pub(crate) bodies: [u32; 2],
    pub(crate) pieces: [&'a Piece; 2],
    pub(crate) poses: [&'a Isometry3<f64>; 2],
    pub(crate) found: &'a SignedDistance,
}

impl NearPair<'_> {
    /// Appends the rows of the pair and returns the gap that they represent [m].
    pub(crate) fn rows(&self, exit: &mut Option<ExitFace>, rows: &mut Vec<ContactRow>) -> f64 {
        let overlaps = self.found.value < 0.0;
        if !overlaps {
            *exit = None;
        }
        let before = rows.len();
        // An exit chosen before takes precedence over the current separating direction, see [`ExitFace`].
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
        // Smooth contacts (edges, round shapes) have no face: the witness pair is the only row.
        if rows.len() == before {
            rows.push(self.row(self.found.value, self.found.direction, self.found.witnesses));
        }
        self.found.value
    }

    fn row(&self, gap: f64, normal: Unit<Vector3<f64>>, points: [Point3<f64>; 2]) -> ContactRow {
        ContactRow { bodies: self.bodies, gap, normal, points }
    }

    /// The face that contains the separating plane, the larger one where both pieces have one.
    fn face(&self) -> Option<ExitFace> {
        let normal = self.found.direction;
        let ([a, b], [pose_a, pose_b]) = (self.pieces, self.poses);
        let (face_a, face_b) = (face_extent(a, pose_a, &-normal), face_extent(b, pose_b, &normal));
        let of_b = match (face_a, face_b) {
            (None, None) => return None,
            // On a tie the face of B is taken: B is the obstacle where there is one.
            (Some(of_a), Some(of_b)) => of_b >= of_a,
            (of_a, _) => of_a.is_none(),
        };
        let side = usize::from(of_b);
        // The direction separates A from B, so B's outward normal is the direction itself and A's is opposite.
        let outward = if of_b { normal } else { -normal };
        let witness = self.found.witnesses[side];
        let pose = self.poses[side];
        let normal = pose.rotation.inverse() * outward.into_inner();
        Some(ExitFace { of_b, normal, point: pose.inverse_transform_point(&witness), detour: DETOUR })
    }

    /// Appends rows for the vertices of the other piece near the plane of a face.
    fn rows_at(&self, face: &ExitFace, rows: &mut Vec<ContactRow>) {
        let (own, other) = (usize::from(face.of_b), usize::from(!face.of_b));
        let outward = Unit::new_unchecked(self.poses[own].rotation * face.normal);
        let normal = if face.of_b { outward } else { -outward };
        let through = self.poses[own] * face.point;
        let piece = self.pieces[other];
        if let Core::Hull(hull) = piece.shape.core() {
            let rounding = piece.shape.radius();
            // Measured from the signed distance, so that a deep overlap does not give a row to every vertex.
            let reach = self.found.value + NEAR_PLANE * piece.ball.1 + rounding;
            let before = rows.len();
            near_vertices(hull, self.poses[other], &outward, &through, reach, |height, point| {
                // A rounded vertex is nearer to the plane by its radius.
                rows.push(self.row(height - rounding, normal, [point, point]));
            });
            if rows.len() - before > MAX_ROWS {
                let spread = spread(&rows[before..]);
                rows.truncate(before);
                rows.extend(spread);
            }
        }
    }

    /// Appends the rows of an exit face that was chosen before and returns the minimum gap; `None` where it has become too deep
    /// compared with the nearest exit.
    fn rows_along(&self, exit: &ExitFace, rows: &mut Vec<ContactRow>) -> Option<f64> {
        let before = rows.len();
        self.rows_at(exit, rows);
        let gap = rows[before..].iter().map(|row| row.gap).fold(f64::INFINITY, f64::min);
        (gap.is_finite() && gap >= exit.detour * self.found.value).then_some(gap)
    }
}

impl CollisionWorld {
    /// The common exit face for every piece of an obstacle in which several links are stuck: the one with the minimum sum of
    /// their depths along it. Some of them where `stop` returns true.
    pub(crate) fn common_exits(
        &self,
        frames: &Frames,
        memory: &mut ScanMemory,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<(usize, ExitFace)> {
        memory.place(self, frames);
        let mut stuck: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for pair in self.pairs.iter().filter(|pair| self.is_obstacle(pair.bodies[1])) {
            let visit =
                |_: [&Isometry3<f64>; 2], [i, j]: [usize; 2], found: &SignedDistance, [at, _]: [usize; 2]| {
                    if found.value < 0.0 {
                        stuck.entry(j).or_default().push((i, at));
                    }
                    true
                };
            self.near_pieces(pair, 0.0, memory, visit, &ConvexOptions::default());
        }
        let mut exits = Vec::new();
        // A single link needs no common exit.
        for (piece, links) in stuck.iter().filter(|(_, links)| links.len() > 1) {
            let Core::Hull(hull) = self.pieces[*piece].shape.core() else { continue };
            let (pose, _) = &memory.pieces[*piece];
            let depth_of = |exit: &ExitFace| -> f64 {
                let depth = |&(link, _): &(usize, usize)| self.depth_along(exit, pose, link, memory);
                links.iter().map(depth).sum()
            };
            let mut shallowest: Option<(f64, ExitFace)> = None;
            for facet in hull.facets() {
                if stop() {
                    return exits;
                }
                let exit = ExitFace {
                    of_b: true,
                    normal: facet.normal.into_inner(),
                    point: hull.vertices()[facet.corners[0] as usize],
                    detour: COMMON_DETOUR,
                };
                let depth = depth_of(&exit);
                if shallowest.is_none_or(|(before, _)| depth < before) {
                    shallowest = Some((depth, exit));
                }
            }
            let found = shallowest.into_iter();
            exits.extend(found.flat_map(|(_, exit)| links.iter().map(move |&(_, at)| (at, exit))));
        }
        exits
    }

    fn is_obstacle(&self, body: u32) -> bool {
        matches!(self.bodies[body as usize].part, Part::Obstacle(_))
    }

    /// Depth of a piece below the plane of a face [m].
    fn depth_along(&self, exit: &ExitFace, pose: &Isometry3<f64>, piece: usize, memory: &ScanMemory) -> f64 {
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

/// The deepest row, then those whose points are farthest from the ones before: few rows that bound the motion like all.
fn spread(rows: &[ContactRow]) -> Vec<ContactRow> {
    let mut distances = vec![f64::INFINITY; rows.len()];
    let deepest = (0..rows.len()).min_by(|&i, &j| rows[i].gap.total_cmp(&rows[j].gap));
    let mut next = deepest;
    let mut chosen = Vec::with_capacity(MAX_ROWS);
    while let Some(at) = next.filter(|_| chosen.len() < MAX_ROWS) {
        chosen.push(rows[at]);
        for (distance, row) in distances.iter_mut().zip(rows) {
            *distance = distance.min((row.points[0] - rows[at].points[0]).norm_squared());
        }
        // The first of equal distances, whatever the order of the comparison.
        next = (0..rows.len()).rev().max_by(|&i, &j| distances[i].total_cmp(&distances[j]));
    }
    chosen
}

/// Visits the vertices at most `reach` [m] above the plane through a point.
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

/// Squared extent [m²] of the face of a piece whose normal is a direction in the world; `None` where it has no such face.
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
