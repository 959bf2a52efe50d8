//! Incremental collision detection: a pair of which neither body has moved retains its result.

use std::time::Instant;

use nalgebra::Isometry3;

use super::collision_world::{BodyPair, CollisionWorld};
use super::error::GeneralizedError;
use super::pairs::any_plane;
use super::part::CollidingPair;
use super::pose::Pose;
use super::workspace::{ScanClock, Workspace};
use crate::penetration::convex::options::ConvexOptions;

/// Results of the pairs of one collision world at the poses of the last query.
#[derive(Debug, Clone, Default)]
pub struct CollisionMonitor {
    /// Pose of every body, body to world.
    bodies: Vec<Isometry3<f64>>,
    /// Penetration depth of each overlapping pair of bodies with convex pieces [m]; `None` of pairs apart.
    depths: Vec<Option<f64>>,
    /// Whether each of the other pairs collides.
    collides: Vec<bool>,
}

impl CollisionWorld {
    /// Colliding pairs, in a fixed order, as [`CollisionWorld::colliding`] returns them: only pairs of which a body has moved
    /// since the monitor was last used are tested. A monitor belongs to one collision world.
    ///
    /// # Errors
    /// [`GeneralizedError`] when the poses do not suit these movable models.
    pub fn colliding_since(
        &self,
        poses: &[Pose],
        monitor: &mut CollisionMonitor,
    ) -> Result<Vec<CollidingPair>, GeneralizedError> {
        self.colliding_until(poses, monitor, None)
    }

    /// As [`CollisionWorld::colliding_since`]; the depths of pairs that are reached after the deadline are NaN.
    ///
    /// # Errors
    /// As [`CollisionWorld::colliding_since`].
    pub(super) fn colliding_until(
        &self,
        poses: &[Pose],
        monitor: &mut CollisionMonitor,
        deadline: Option<Instant>,
    ) -> Result<Vec<CollidingPair>, GeneralizedError> {
        self.check(poses)?;
        let bodies = self.body_poses(poses)?;
        // A monitor used for another world, or for one with other allowed pairs, starts afresh.
        let is_new = monitor.bodies.len() != bodies.len()
            || monitor.depths.len() != self.pairs.len()
            || monitor.collides.len() != self.mesh_pairs.len();
        if is_new {
            monitor.depths = vec![None; self.pairs.len()];
            monitor.collides = vec![false; self.mesh_pairs.len()];
        }
        // Exact comparison of poses: a body that moved by rounding counts as moved.
        let moved: Vec<bool> =
            bodies.iter().enumerate().map(|(body, pose)| is_new || monitor.bodies[body] != *pose).collect();
        let has_moved = |pair: &[u32; 2]| pair.iter().any(|&body| moved[body as usize]);
        self.with_workspace(|workspace| {
            workspace.frames.bodies.clone_from(&bodies);
            workspace.scan.forget();
            workspace.scan.place(self, &workspace.frames);
            for (pair, depth) in self.pairs.iter().zip(&mut monitor.depths) {
                if has_moved(&pair.bodies) {
                    *depth = self.depth(pair, workspace, deadline);
                }
            }
            for (at, collides) in monitor.collides.iter_mut().enumerate() {
                if has_moved(&self.mesh_pairs[at]) {
                    *collides = self.models_touch(at, &bodies, 0.0, &mut workspace.scan);
                }
            }
        });
        monitor.bodies = bodies;
        let deep =
            self.pairs.iter().zip(&monitor.depths).filter_map(|(pair, depth)| Some((pair.bodies, (*depth)?)));
        // Triangle models have no depth: NaN, not zero, so that no caller takes it for a touch.
        let met = self.mesh_pairs.iter().zip(&monitor.collides).filter(|(_, collides)| **collides);
        let all = deep.chain(met.map(|(&bodies, _)| (bodies, f64::NAN)));
        let mut found: Vec<_> = all.map(|(bodies, depth)| self.colliding_pair(bodies, depth)).collect();
        found.sort_by_key(|pair| pair.parts);
        Ok(found)
    }

    /// Penetration depth of the deepest two pieces of a pair [m], NaN where it is not known at the deadline; `None` where none overlap.
    fn depth(&self, pair: &BodyPair, workspace: &mut Workspace, deadline: Option<Instant>) -> Option<f64> {
        let mut depth = None;
        workspace.scan.clock = ScanClock::until(deadline);
        workspace.scan.clock.look();
        self.near_pieces(
            pair,
            0.0,
            &mut workspace.scan,
            |_, _, distance, _| {
                if !(distance.value > 0.0) {
                    depth = Some(depth.unwrap_or(0.0_f64).max(-distance.value));
                }
                true
            },
            &ConvexOptions::default(),
        );
        let is_late = workspace.scan.clock.is_late();
        workspace.scan.clock = ScanClock::until(None);
        if is_late { self.overlaps(pair, workspace).then_some(f64::NAN) } else { depth }
    }

    /// Whether any two pieces of a pair overlap or touch.
    fn overlaps(&self, pair: &BodyPair, workspace: &mut Workspace) -> bool {
        let mut overlaps = false;
        self.near_pieces(
            pair,
            0.0,
            &mut workspace.scan,
            |_, _, distance, _| {
                overlaps = !(distance.value > 0.0);
                !overlaps
            },
            &any_plane(),
        );
        overlaps
    }

    fn colliding_pair(&self, bodies: [u32; 2], depth: f64) -> CollidingPair {
        CollidingPair { parts: bodies.map(|body| self.bodies[body as usize].part), depth }
    }
}
