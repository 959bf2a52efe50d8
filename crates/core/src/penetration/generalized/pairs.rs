//! Contact rows of convex pieces: certified signed distances of all pairs of pieces near each other.

use std::time::Instant;

use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::collision_world::{BodyPair, CollisionWorld};
use super::equality::Subspace;
use super::exits::NearPair;
use super::mesh_rows::{MeshExtent, mesh_rows};
use super::oriented_box::OrientedBox;
use super::part::Part;
use super::proxy_geometry::{plane, plane_rows};
use super::rows::ContactRow;
use super::work::{MODELS, SPHERES, TRIANGLES};
use super::workspace::{ConstraintMemory, ExitFace, Frames, PairCaches, ScanClock, ScanMemory, Workspace};
use crate::penetration::convex::options::ConvexOptions;
use crate::penetration::convex::{SignedDistance, signed_distance};
use crate::penetration::quadratic_program::min_norm_projection::MinNormProjection;
use crate::penetration::quadratic_program::min_norm_projection::rows::Rows;

/// Constraint violation and minimum gap of a configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GapSummary {
    /// Sum over all pairs of the target gap minus the gap, where positive [m]: the violation measure of the filter.
    pub(crate) violation: f64,
    /// Minimum gap of any two pieces [m]; the horizon where none is smaller.
    pub(crate) min: f64,
}

impl GapSummary {
    /// Of a configuration of which not all pairs were looked at: not free, and worse than any other one.
    const UNKNOWN: Self = Self { violation: f64::INFINITY, min: f64::NEG_INFINITY };
}

/// Options of a scan of all pairs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScanOptions {
    /// Target gap [m].
    pub(crate) target: f64,
    /// Gap beyond which pairs have no rows [m].
    pub(crate) horizon: f64,
    pub(crate) convex: ConvexOptions,
}

impl Workspace {
    pub(crate) fn new(collision_world: &CollisionWorld) -> Self {
        Self {
            scan: ScanMemory::new(collision_world),
            frames: Frames::default(),
            rows: Vec::new(),
            trial_rows: Vec::new(),
            trial_frames: Frames::default(),
            problem: Rows::new(0),
            solver: MinNormProjection::default(),
            derivative: Vec::new(),
            bounds: Vec::new(),
            constraints: ConstraintMemory::default(),
            subspace: Subspace::default(),
            soft: false,
        }
    }
}

impl ScanMemory {
    pub(crate) fn new(collision_world: &CollisionWorld) -> Self {
        let pairs = collision_world.caches + collision_world.mesh_pairs.len();
        Self { caches: PairCaches::new(pairs), ..Self::default() }
    }

    /// Discards warm starts but not allocations, so that results do not depend on earlier queries.
    pub(crate) fn forget(&mut self) {
        self.forget_until(None);
    }

    /// As [`Self::forget`]; scans that follow end soon after the deadline, if there is one.
    pub(super) fn forget_until(&mut self, deadline: Option<Instant>) {
        self.caches.forget();
        self.exits.clear();
        self.meshes.forget();
        self.clock = ScanClock::until(deadline);
    }

    /// Prescribes the exit faces of pairs of pieces.
    pub(crate) fn prescribe(&mut self, exits: &[(usize, ExitFace)]) {
        for &(pair, exit) in exits {
            *exit_at(&mut self.exits, self.caches.slot(pair)) = Some(exit);
        }
    }

    /// Places the bounding spheres of bodies, and the poses and boxes of pieces.
    pub(super) fn place(&mut self, collision_world: &CollisionWorld, frames: &Frames) {
        self.centers.clear();
        let origin = (Isometry3::identity(), Point3::origin());
        self.pieces.resize(collision_world.pieces.len(), origin);
        self.boxes.resize(collision_world.pieces.len(), OrientedBox::default());
        self.placed.resize(collision_world.bodies.len(), None);
        let bodies = collision_world.bodies.iter().zip(&frames.bodies).zip(&mut self.placed);
        for ((body, pose), placed) in bodies {
            self.centers.push(pose * body.ball.0);
            // Obstacles rest: their pieces, which may be many, are where they were.
            if matches!(body.part, Part::Obstacle(_)) && placed.replace(*pose) == Some(*pose) {
                continue;
            }
            for index in body.pieces.clone() {
                let piece = &collision_world.pieces[index];
                // Most pieces have the frame of their body: the product with the identity would cost as much as
                // any other.
                let own = if piece.pose == Isometry3::identity() { *pose } else { pose * piece.pose };
                self.pieces[index] = (own, pose * piece.ball.0);
                self.boxes[index] = OrientedBox::new(&piece.bounds, &own);
            }
        }
    }
}

/// The exit face of a pair of pieces, by the index of its cache.
fn exit_at(exits: &mut Vec<Option<ExitFace>>, slot: usize) -> &mut Option<ExitFace> {
    if exits.len() <= slot {
        exits.resize(slot + 1, None);
    }
    &mut exits[slot]
}

impl CollisionWorld {
    /// Collects the rows of all pairs within the horizon, and returns the violation and the minimum gap; where the time of the scan is
    /// over, some of the rows, and a violation without bounds.
    pub(crate) fn scan(
        &self,
        frames: &Frames,
        options: &ScanOptions,
        memory: &mut ScanMemory,
        rows: &mut Vec<ContactRow>,
    ) -> GapSummary {
        rows.clear();
        memory.place(self, frames);
        memory.work += self.pairs.len() as u64 / SPHERES;
        // Taken out because `near_pieces` borrows the rest of the memory mutably.
        let mut exits = std::mem::take(&mut memory.exits);
        let mut gaps = GapSummary { violation: 0.0, min: options.horizon };
        for pair in &self.pairs {
            let visit =
                |poses: [&Isometry3<f64>; 2], [i, j]: [usize; 2], found: &SignedDistance, at: [usize; 2]| {
                    gaps.min = gaps.min.min(found.value);
                    if found.value < options.horizon {
                        let near = NearPair {
                            bodies: pair.bodies,
                            pieces: [&self.pieces[i], &self.pieces[j]],
                            poses,
                            found,
                        };
                        let gap = near.rows(exit_at(&mut exits, at[1]), rows);
                        gaps.violation += (options.target - gap).max(0.0);
                    }
                    true
                };
            self.near_pieces(pair, options.horizon, memory, visit, &options.convex);
        }
        memory.exits = exits;
        for at in 0..self.mesh_pairs.len() {
            if memory.clock.look() {
                break;
            }
            let value = self.scan_models(at, frames, options, memory, rows);
            gaps.min = gaps.min.min(value);
            gaps.violation += (options.target - value).max(0.0);
        }
        if memory.clock.is_late() { GapSummary::UNKNOWN } else { gaps }
    }

    /// Appends the rows of a pair of bodies, at least one of which has no convex decomposition; returns their signed distance [m],
    /// or a lower bound of it above the target where their hulls are apart, at most the horizon.
    fn scan_models(
        &self,
        at: usize,
        frames: &Frames,
        options: &ScanOptions,
        memory: &mut ScanMemory,
        rows: &mut Vec<ContactRow>,
    ) -> f64 {
        let bodies = self.mesh_pairs[at];
        let [a, b] = bodies.map(|body| body as usize);
        let [first, second] = [a, b].map(|body| self.bodies[body].ball.1);
        let horizon = options.horizon;
        let near = horizon.min(MESH_HORIZON * first.min(second));
        let reach = first + second + near;
        if (memory.centers[a] - memory.centers[b]).norm_squared() > reach * reach {
            return horizon;
        }
        let apart = self.apart(at, &frames.bodies, near, memory);
        if let Some(found) = &apart {
            if found.value >= near {
                return horizon;
            }
            if found.value >= (FAR_HULLS * near).max(options.target) {
                rows.push(ContactRow {
                    bodies,
                    gap: found.value,
                    normal: found.direction,
                    points: found.witnesses,
                });
                return found.value;
            }
        }
        memory.work += MODELS;
        let posed =
            |body: usize| self.bodies[body].model.as_deref().map(|model| (model, &frames.bodies[body]));
        let value = match (posed(a), posed(b)) {
            (Some(one), Some(other)) => {
                let extent = MeshExtent { horizon: near, are_apart: apart.is_some(), pair: at };
                mesh_rows(bodies, one, other, extent, (&mut memory.meshes, rows))
            }
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
        memory.work += memory.meshes.pairs() / TRIANGLES;
        // Beyond its own short horizon a pair of models counts as far away.
        if value < near { value } else { horizon }
    }

    /// The distance of the hulls of a pair of models where it is above zero, which is a lower bound of that of the models;
    /// accurate where it is below a horizon [m].
    pub(super) fn apart(
        &self,
        at: usize,
        poses: &[Isometry3<f64>],
        horizon: f64,
        memory: &mut ScanMemory,
    ) -> Option<SignedDistance> {
        let [a, b] = self.mesh_pairs[at].map(|body| body as usize);
        let (Some(first), Some(second)) = (&self.bodies[a].bound, &self.bodies[b].bound) else { return None };
        memory.work += 1;
        let slot = memory.caches.slot(self.caches + at);
        let cache = memory.caches.cache(slot);
        let options = if horizon > 0.0 { HULLS } else { any_plane() };
        let found = signed_distance(first, &poses[a], second, &poses[b], &options, cache).ok()?;
        (found.value > 0.0).then_some(found)
    }

    fn plane(&self, body: usize, frames: &Frames) -> Option<(Unit<Vector3<f64>>, Point3<f64>)> {
        plane(&self.pieces[self.bodies[body].pieces.clone()], &frames.bodies[body])
    }

    /// Whether any two pieces are at most a clearance [m] apart.
    pub(crate) fn touches(&self, frames: &Frames, clearance: f64, memory: &mut ScanMemory) -> bool {
        memory.place(self, frames);
        // Any separating plane is proof enough.
        let exact = ConvexOptions::default();
        // A clearance must be compared with the exact distance, an overlap only with its sign.
        let options = if clearance > 0.0 { exact } else { any_plane() };
        if (0..self.mesh_pairs.len()).any(|at| self.models_touch(at, &frames.bodies, clearance, memory)) {
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

    /// Visits the signed distances of the pieces of a pair whose bounding spheres and boxes are within a horizon, until `visit` returns false
    /// or the time of the scan is over; the last argument of `visit` is the index of the pair of pieces and that of its cache.
    pub(crate) fn near_pieces(
        &self,
        pair: &BodyPair,
        horizon: f64,
        memory: &mut ScanMemory,
        mut visit: impl FnMut([&Isometry3<f64>; 2], [usize; 2], &SignedDistance, [usize; 2]) -> bool,
        convex: &ConvexOptions,
    ) {
        let [a, b] = pair.bodies.map(|body| body as usize);
        let reach = self.bodies[a].ball.1 + self.bodies[b].ball.1 + horizon;
        if (memory.centers[a] - memory.centers[b]).norm_squared() > reach * reach {
            return;
        }
        if memory.clock.is_late() {
            return;
        }
        let ScanMemory { caches, pieces, boxes, work, boxes_apart, near, clock, .. } = memory;
        let (of_a, of_b) = (self.bodies[a].pieces.clone(), self.bodies[b].pieces.clone());
        for i in of_a.clone() {
            let (pose_a, at_a) = &pieces[i];
            match &self.bodies[b].tree {
                None => {
                    near.clear();
                    near.extend(0..of_b.len() as u32);
                }
                Some(tree) => {
                    // The frame of the body is that of its first piece, but for the pose of the piece in it.
                    let body = pieces[of_b.start].0 * self.pieces[of_b.start].pose.inverse();
                    let reach = self.pieces[i].ball.1 + horizon;
                    tree.near(&body.inverse_transform_point(at_a), reach, near);
                }
            }
            for &of_body in near.iter() {
                let j = of_b.start + of_body as usize;
                let reach = self.pieces[i].ball.1 + self.pieces[j].ball.1 + horizon;
                let (pose_b, at_b) = &pieces[j];
                if (at_a - at_b).norm_squared() > reach * reach {
                    continue;
                }
                if boxes[i].are_beyond(&boxes[j], horizon) {
                    *boxes_apart += 1;
                    continue;
                }
                *work += 1;
                let pair = pair.first_cache + (i - of_a.start) * of_b.len() + of_body as usize;
                let slot = caches.slot(pair);
                let [first, second] = [i, j].map(|piece| &self.pieces[piece].shape);
                let found = signed_distance(first, pose_a, second, pose_b, convex, caches.cache(slot));
                // Poses are finite and sizes validated: only two half-spaces have no distance.
                if let Ok(found) = found
                    && (!visit([pose_a, pose_b], [i, j], &found, [pair, slot]) || clock.spend(found.supports))
                {
                    return;
                }
            }
        }
    }
}

/// Fraction of the smaller body's radius beyond which triangles have no rows: farther triangles predict rotations poorly, and
/// collecting them costs more than the occasional step that goes too far.
const MESH_HORIZON: f64 = 0.2;
/// Fraction of that horizon beyond which the hulls of models that are apart have the row, instead of their triangles.
const FAR_HULLS: f64 = 0.25;
/// Accuracy of the distance of hulls, which only decides what is looked at.
const HULLS: ConvexOptions = ConvexOptions { relative_tolerance: 1e-3, max_iterations: 100 };

/// Options with which the first separating plane ends the distance descent: the distance is then between zero and twice the value
/// found.
pub(super) fn any_plane() -> ConvexOptions {
    ConvexOptions { relative_tolerance: 1.0, ..ConvexOptions::default() }
}
