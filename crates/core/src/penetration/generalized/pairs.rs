//! Contact rows of convex pieces: certified signed distances of all pairs of pieces that are near each other.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::arrangement::{Arrangement, BodyPair};
use super::exits::Near;
use super::mesh_rows::mesh_rows;
use super::rows::ContactRow;
use super::stand_in::{plane, plane_rows};
use super::workspace::{Exit, Frames, ScanMemory};
use crate::penetration::convex::cache::ConvexCache;
use crate::penetration::convex::options::ConvexOptions;
use crate::penetration::convex::{SignedDistance, signed_distance};

/// How near everything is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Nearness {
    /// Sum of what the gaps of the pieces lack of the target [m].
    pub(crate) lack: f64,
    /// Least gap of any two pieces [m]; the horizon where none is nearer.
    pub(crate) least: f64,
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
        memory.exits.resize(arrangement.caches, None);
        memory
    }

    /// Forgets everything but memory: answers do not depend on earlier queries.
    pub(crate) fn forget(&mut self) {
        self.caches.iter_mut().for_each(ConvexCache::forget);
        self.exits.fill(None);
    }

    /// Prescribes the ways out of pairs of pieces.
    pub(crate) fn prescribe(&mut self, exits: &[(usize, Exit)]) {
        exits.iter().for_each(|&(at, exit)| self.exits[at] = Some(exit));
    }

    /// Places balls of bodies and poses of pieces.
    pub(super) fn place(&mut self, arrangement: &Arrangement, frames: &Frames) {
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
        let mut exits = std::mem::take(&mut memory.exits);
        let mut nearness = Nearness { lack: 0.0, least: options.horizon };
        for pair in &self.pairs {
            let visit =
                |poses: [&Isometry3<f64>; 2], [i, j]: [usize; 2], found: &SignedDistance, at: usize| {
                    nearness.least = nearness.least.min(found.value);
                    if found.value < options.horizon {
                        let near = Near {
                            bodies: pair.bodies,
                            pieces: [&self.pieces[i], &self.pieces[j]],
                            poses,
                            found,
                        };
                        let gap = near.rows(&mut exits[at], rows);
                        nearness.lack += (options.target - gap).max(0.0);
                    }
                    true
                };
            self.near_pieces(pair, options.horizon, memory, visit, &options.convex);
        }
        memory.exits = exits;
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
        let posed =
            |body: usize| self.bodies[body].model.as_deref().map(|model| (model, &frames.bodies[body]));
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
        mut visit: impl FnMut([&Isometry3<f64>; 2], [usize; 2], &SignedDistance, usize) -> bool,
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
                    && !visit([pose_a, pose_b], [i, j], &found, own)
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
