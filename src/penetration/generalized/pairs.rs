//! Contact rows of convex pieces: certified signed distances of all pairs of pieces that are near each other.
//!
//! The witness pair alone makes a descent zigzag: when a face touches, the next step turns the body about the witness and
//! another corner becomes it. So where the plane between two pieces is that of a face of one of them, the plane moves with
//! that body and every vertex of the other one near it has a row. Where a plane separates all vertices of a piece from the other
//! one they are apart, so the rows are sufficient however far the bodies turn.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::arrangement::{Arrangement, BodyPair};
use super::chart::Frames;
use super::mesh_rows::{MeshMemory, mesh_rows};
use super::rows::ContactRow;
use super::shape::Piece;
use super::stand_in::{plane, plane_rows};
use crate::geometry::convex::{ConvexHull, Core};
use crate::penetration::convex::{ConvexCache, ConvexOptions, SignedDistance, signed_distance};

/// Cosine above which a direction counts as the normal of a face (a milliradian): the expansion of polytopes finds normals
/// of faces to rounding.
const FACE: f64 = 1.0 - 5e-7;
/// Share of a piece's radius within which its vertices next to the plane have rows.
const NEAR_PLANE: f64 = 0.5;

/// How near everything is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Nearness {
    /// Sum of what the gaps of the pieces lack of the target [m].
    pub(crate) lack: f64,
    /// Least gap of any two pieces [m]; the horizon where none is nearer.
    pub(crate) least: f64,
}

/// What a scan needs besides the frames.
#[derive(Debug, Default)]
pub(crate) struct ScanMemory {
    caches: Vec<ConvexCache>,
    /// Pose and middle of each piece [world].
    pieces: Vec<(Isometry3<f64>, Point3<f64>)>,
    centers: Vec<Point3<f64>>,
    meshes: MeshMemory,
}

/// What a scan looks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScanOptions {
    /// Gap that is wanted [m].
    pub(crate) target: f64,
    /// Pairs that are farther apart have no rows [m].
    pub(crate) horizon: f64,
    pub(crate) convex: ConvexOptions,
}

impl ScanMemory {
    pub(crate) fn new(arrangement: &Arrangement) -> Self {
        let mut memory = Self::default();
        memory.caches.resize_with(arrangement.caches, ConvexCache::default);
        memory
    }

    /// Forgets everything but memory: answers do not depend on earlier queries.
    pub(crate) fn forget(&mut self) {
        self.caches.iter_mut().for_each(ConvexCache::forget);
    }

    /// Places balls of bodies and poses of pieces.
    fn place(&mut self, arrangement: &Arrangement, frames: &Frames) {
        self.centers.clear();
        self.pieces.clear();
        for (body, pose) in arrangement.bodies.iter().zip(&frames.bodies) {
            self.centers.push(pose * body.ball.0);
            for piece in &arrangement.pieces[body.pieces.clone()] {
                let own = if piece.pose == Isometry3::identity() { *pose } else { pose * piece.pose };
                self.pieces.push((own, pose * piece.ball.0));
            }
        }
    }
}

impl Arrangement {
    /// All rows of pairs within the horizon, and how near everything is.
    pub(crate) fn scan(
        &self,
        frames: &Frames,
        options: &ScanOptions,
        memory: &mut ScanMemory,
        rows: &mut Vec<ContactRow>,
    ) -> Nearness {
        rows.clear();
        memory.place(self, frames);
        let mut nearness = Nearness { lack: 0.0, least: options.horizon };
        for pair in &self.pairs {
            self.near_pieces(
                pair,
                options.horizon,
                memory,
                |[a, b], [i, j], found, _| {
                    nearness.least = nearness.least.min(found.value);
                    nearness.lack += (options.target - found.value).max(0.0);
                    if found.value < options.horizon {
                        rows_of(pair.bodies, [&self.pieces[i], &self.pieces[j]], [a, b], found, rows);
                    }
                    true
                },
                &options.convex,
            );
        }
        for &bodies in &self.mesh_pairs {
            let value = self.scan_models(bodies, frames, options.horizon, memory, rows);
            nearness.least = nearness.least.min(value);
            nearness.lack += (options.target - value).max(0.0);
        }
        nearness
    }

    /// Adds the rows of two bodies of which one is known by its triangles alone; answers their signed distance [m], at
    /// most the horizon.
    fn scan_models(
        &self,
        bodies: [u32; 2],
        frames: &Frames,
        horizon: f64,
        memory: &mut ScanMemory,
        rows: &mut Vec<ContactRow>,
    ) -> f64 {
        /// Share of the smaller body's radius beyond which triangles have no rows: farther out they say little of what a
        /// turn brings, and cost more than what a step too far costs.
        const MESH_HORIZON: f64 = 0.2;
        let [a, b] = bodies.map(|body| body as usize);
        let [first, second] = [a, b].map(|body| self.bodies[body].ball.1);
        let near = horizon.min(MESH_HORIZON * first.min(second));
        let reach = first + second + near;
        if (memory.centers[a] - memory.centers[b]).norm_squared() > reach * reach {
            return horizon;
        }
        let posed = |body: usize| self.bodies[body].model.as_ref().map(|model| (model, &frames.bodies[body]));
        let value = match (posed(a), posed(b)) {
            (Some(one), Some(other)) => mesh_rows(bodies, one, other, near, (&mut memory.meshes, rows)),
            (Some(one), None) => match self.plane(b, frames) {
                Some(plane) => plane_rows((bodies, false), one, &plane, near, rows),
                None => near,
            },
            (None, Some(other)) => match self.plane(a, frames) {
                Some(plane) => plane_rows((bodies, true), other, &plane, near, rows),
                None => near,
            },
            (None, None) => near,
        };
        if value < near { value } else { horizon }
    }

    fn plane(&self, body: usize, frames: &Frames) -> Option<(Unit<Vector3<f64>>, Point3<f64>)> {
        plane(&self.pieces[self.bodies[body].pieces.clone()], &frames.bodies[body])
    }

    /// Whether any two pieces are not farther apart than a clearance [m].
    pub(crate) fn touches(&self, frames: &Frames, clearance: f64, memory: &mut ScanMemory) -> bool {
        memory.place(self, frames);
        // Any plane that separates is enough.
        let any_plane = ConvexOptions { relative_tolerance: ANY_PLANE, ..ConvexOptions::default() };
        let exact = ConvexOptions::default();
        let options = if clearance > 0.0 { exact } else { any_plane };
        if self.mesh_pairs.iter().any(|&pair| self.models_within(pair, &frames.bodies, clearance)) {
            return true;
        }
        self.pairs.iter().any(|pair| {
            let mut touching = false;
            self.near_pieces(
                pair,
                clearance,
                memory,
                |_, _, found, _| {
                    touching = !(found.value > clearance);
                    !touching
                },
                &options,
            );
            touching
        })
    }

    /// Visits the signed distances of pieces of a pair whose balls are within a horizon, until `visit` says no.
    pub(crate) fn near_pieces(
        &self,
        pair: &BodyPair,
        horizon: f64,
        memory: &mut ScanMemory,
        mut visit: impl FnMut([&Isometry3<f64>; 2], [usize; 2], &SignedDistance, &mut ConvexCache) -> bool,
        convex: &ConvexOptions,
    ) {
        let [a, b] = pair.bodies.map(|body| body as usize);
        let reach = self.bodies[a].ball.1 + self.bodies[b].ball.1 + horizon;
        if (memory.centers[a] - memory.centers[b]).norm_squared() > reach * reach {
            return;
        }
        let ScanMemory { caches, pieces, .. } = memory;
        let mut cache = pair.first_cache;
        for i in self.bodies[a].pieces.clone() {
            for j in self.bodies[b].pieces.clone() {
                let own = cache;
                cache += 1;
                let reach = self.pieces[i].ball.1 + self.pieces[j].ball.1 + horizon;
                let ((pose_a, at_a), (pose_b, at_b)) = (&pieces[i], &pieces[j]);
                if (at_a - at_b).norm_squared() > reach * reach {
                    continue;
                }
                let [first, second] = [i, j].map(|piece| &self.pieces[piece].shape);
                let found = signed_distance(first, pose_a, second, pose_b, convex, &mut caches[own]);
                // Poses are finite and sizes sound: what has no distance are two half-spaces.
                if let Ok(found) = found
                    && !visit([pose_a, pose_b], [i, j], &found, &mut caches[own])
                {
                    return;
                }
            }
        }
    }
}

/// Relative tolerance at which the first plane that separates ends a descent: the distance is then between zero and
/// twice what is found.
const ANY_PLANE: f64 = 1.0;

/// The rows of a pair of pieces with a signed distance.
fn rows_of(
    bodies: [u32; 2],
    [a, b]: [&Piece; 2],
    [pose_a, pose_b]: [&Isometry3<f64>; 2],
    found: &SignedDistance,
    rows: &mut Vec<ContactRow>,
) {
    let normal = found.direction;
    let [on_a, on_b] = found.witnesses;
    let row = |gap: f64, points: [Point3<f64>; 2]| ContactRow { bodies, gap, normal, points };
    let (face_a, face_b) = (face_extent(a, pose_a, &-normal), face_extent(b, pose_b, &normal));
    // The plane is that of the larger face.
    let of_b = match (face_a, face_b) {
        (None, None) => None,
        (Some(of_a), Some(of_b)) => Some(of_b >= of_a),
        (of_a, _) => Some(of_a.is_none()),
    };
    let before = rows.len();
    match (of_b, a.shape.core(), b.shape.core()) {
        (Some(true), Core::Hull(hull), _) => {
            let reach = found.value + NEAR_PLANE * a.ball.1;
            near_vertices(hull, pose_a, &normal, &on_b, reach + a.shape.radius(), |gap, point| {
                rows.push(row(gap - a.shape.radius(), [point, point]));
            });
        }
        (Some(false), _, Core::Hull(hull)) => {
            let reach = found.value + NEAR_PLANE * b.ball.1;
            near_vertices(hull, pose_b, &-normal, &on_a, reach + b.shape.radius(), |gap, point| {
                rows.push(row(gap - b.shape.radius(), [point, point]));
            });
        }
        _ => {}
    }
    if rows.len() == before {
        rows.push(row(found.value, [on_a, on_b]));
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
