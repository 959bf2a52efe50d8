//! Depenetration: overlaps are resolved by position, without velocity and without energy but for the work against gravity.
//!
//! A pair that overlaps at the start of a run, or deeper than contacts at rest do, is *resolving* until it is separated.
//! The solver is given its contacts as touching without overlap: it holds the bodies and does not push them apart. After
//! each step bodies are translated, by bounded displacements x, to satisfy
//!
//! n·(x_b − x_a) ≥ depth at the contacts of resolving pairs, n·(x_b − x_a) ≥ −gap at all others,
//!
//! with minimum Σ m |x|², by projected Gauss–Seidel sweeps. Bodies connected by joints move as one; fixed and kinematic
//! bodies stay, and so do robots. Where the translations make bodies overlap that bore no load on each other, these are
//! resolved, too.
//!
//! | here      | meaning                                                          |
//! |-----------|------------------------------------------------------------------|
//! | size      | bounding radius of the smaller body of a pair [m]                |
//! | x         | translation of a body after the step [m, world]                  |
//! | n         | unit normal of a contact from its first body to its second       |

use std::collections::BTreeSet;

use nalgebra::{Isometry3, Point3, Vector3};
use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::geometry::{ColliderHandle, ColliderSet, ContactPair, SolverFlags};
use rapier3d::pipeline::{ContactModificationContext, PairFilterContext, PhysicsHooks, PhysicsWorld};
use serde::{Deserialize, Serialize};

use super::awake::Awake;
use super::pair_contacts::PairContacts;
use crate::contact::patch::Patch;
use crate::description::{BodyDescription, BodyKind};
use crate::profile::Profiler;
use crate::rigid::{is_link, moves_links_alone, parents, raw, wake};
use crate::stateful::{Mismatch, Stateful, fits};

/// Depth, as a fraction of the size, beyond which an overlap is not a contact at rest: those stay below 3e-3 in all
/// shipped scenes (a mass ratio of 1000 : 1). Less resolves contacts under load, which then do not bounce; more leaves
/// deeper overlaps to the solver. No effect on the sets of docs/sensitivity.md.
const DEEP: f64 = 1e-2;
/// Depth, as a fraction of the size, beyond which an overlap is resolved that arose without a load: at the start of the
/// run, or because a body was moved. Smaller ones are left to the solver. No effect on the sets of docs/sensitivity.md.
const SHALLOW: f64 = 1e-6;
/// Depth, as a fraction of the size, that may remain where many bodies block each other: the sweeps need not converge
/// for a pair to return to the solver. A safeguard, without effect on the sets of docs/sensitivity.md.
const RESIDUAL: f64 = 1e-4;
/// Clearance of a separated pair, as a fraction of the size: above rounding, so that the solver does not see an
/// overlap. Half and twice change the only run and the work by less than 0.1 % (docs/sensitivity.md).
const CLEARANCE: f64 = 1e-9;
/// Maximum speed of the translations [sizes/s]. Slower leaves bodies overlapped for longer; faster shows as a jump.
/// Half and twice change the only run and the work by +84 % and −48 % (docs/sensitivity.md).
const SPEED: f64 = 5.0;
/// Maximum number of sweeps over the contacts: heaps that need more are separated over several steps. Half and twice
/// change the only run and the work by +0.93 % and < 0.1 % (docs/sensitivity.md).
const SWEEPS: usize = 50;
/// Maximum change of a displacement in a sweep, as a fraction of the maximum depth, at which the sweeps have converged.
/// A safeguard against sweeps that change nothing, without effect on the sets of docs/sensitivity.md.
const CONVERGED: f64 = 1e-6;

/// The overlaps of a world that are being resolved.
#[derive(Debug, Default)]
pub(crate) struct Depenetration {
    /// Bounding radii [m], by the raw index of the body.
    sizes: Vec<f64>,
    /// Index of the group of bodies that move as one, by the raw index of the body; `None` for bodies that do not move.
    groups: Vec<Option<usize>>,
    /// Bodies of each group.
    members: Vec<Vec<RigidBodyHandle>>,
    /// Mass of each group [kg].
    masses: Vec<f64>,
    state: DepenetrationState,
    /// Depth [m] up to which the push of the solver grows with the depth.
    recoverable: f64,
    /// Index of the body in the order of the names, by the raw index of the body.
    indices: Vec<usize>,
    profiler: Profiler,
}

/// State of the overlaps of a world.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct DepenetrationState {
    /// Pairs of bodies that are being resolved, by raw index, in ascending order.
    resolving: BTreeSet<[usize; 2]>,
    /// Pairs that bore a load in the last step, by raw index, in ascending order; retained while bodies are moved.
    loaded: BTreeSet<[usize; 2]>,
    /// Whether each body was moved after the last step, by raw index.
    moved: Vec<bool>,
    /// Whether no step has been made.
    fresh: bool,
}

impl Stateful for Depenetration {
    type State = DepenetrationState;

    fn snapshot(&self) -> DepenetrationState {
        self.state.clone()
    }

    fn restore(&mut self, state: DepenetrationState) -> Result<(), Mismatch> {
        fits(state.moved.len() == self.sizes.len())?;
        fits(state.resolving.iter().flatten().all(|&body| body < self.sizes.len()))?;
        self.state = state;
        Ok(())
    }
}

/// Constraint row of a contact: n·(x_b − x_a) ≥ min.
#[derive(Debug, Clone, Copy)]
struct ConstraintRow {
    bodies: [usize; 2],
    groups: [Option<usize>; 2],
    normal: Vector3<f64>,
    depth: f64,
    min: f64,
    /// Multiplier of the row: mass-weighted displacement so far [kg·m].
    multiplier: f64,
}

fn bodies_of(colliders: &ColliderSet, pair: [ColliderHandle; 2]) -> Option<[usize; 2]> {
    Some(parents(colliders, pair)?.map(raw))
}

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

impl Depenetration {
    /// Depenetration of bodies with their handles, in the same order; `recoverable` is the depth [m] up to which the push of
    /// the solver grows with the depth. Pairs are announced to `profiler`.
    pub(crate) fn of(
        physics: &PhysicsWorld,
        described: &[BodyDescription],
        handles: &[RigidBodyHandle],
        (recoverable, profiler): (f64, &Profiler),
    ) -> Self {
        // Joints may tie bodies without a shape, which have no handle here.
        let count = physics.bodies.iter().map(|(handle, _)| raw(handle) + 1).max().unwrap_or(0);
        let mut this = Self {
            sizes: vec![0.0; count],
            groups: vec![None; count],
            state: DepenetrationState { moved: vec![false; count], fresh: true, ..Default::default() },
            recoverable,
            indices: vec![usize::MAX; count],
            profiler: profiler.clone(),
            ..Self::default()
        };
        for (index, (body, &handle)) in described.iter().zip(handles).enumerate() {
            this.indices[raw(handle)] = index;
            this.sizes[raw(handle)] = body.shape.bounding_radius();
            let is_free = !is_link(physics, handle);
            if body.kind == BodyKind::Dynamic && is_free {
                this.groups[raw(handle)] = Some(this.members.len());
                this.members.push(vec![handle]);
            }
        }
        for (_, joint) in physics.impulse_joints.iter() {
            this.tie([joint.body1(), joint.body2()]);
        }
        let mass =
            |group: &Vec<RigidBodyHandle>| group.iter().map(|&body| physics.bodies[body].mass()).sum::<f64>();
        this.masses = this.members.iter().map(mass).collect();
        this
    }

    /// Merges the groups of two bodies with a joint; where one of them does not move, neither does the other.
    fn tie(&mut self, bodies: [RigidBodyHandle; 2]) {
        let [a, b] = bodies.map(|body| self.groups[raw(body)]);
        match (a, b) {
            (Some(a), Some(b)) if a != b => {
                let joining = std::mem::take(&mut self.members[b]);
                joining.iter().for_each(|&body| self.groups[raw(body)] = Some(a));
                self.members[a].extend(joining);
            }
            (Some(group), None) | (None, Some(group)) => {
                let staying = std::mem::take(&mut self.members[group]);
                staying.iter().for_each(|&body| self.groups[raw(body)] = None);
            }
            _ => {}
        }
    }

    /// Whether two bodies, by raw index, overlap and are being separated.
    pub(crate) fn is_resolving(&self, bodies: [usize; 2]) -> bool {
        self.state.resolving.contains(&sorted(bodies))
    }

    /// Number of pairs that are being resolved.
    pub(crate) fn pairs(&self) -> usize {
        self.state.resolving.len()
    }

    /// Depth [m] beyond which two bodies begin to be resolved; infinite where neither can be moved.
    fn threshold(&self, bodies: [usize; 2]) -> f64 {
        let [a, b] = bodies.map(|body| self.groups[body]);
        if a == b {
            return f64::INFINITY;
        }
        // An overlap that a translation caused is not loaded, and may be resolved at once; one under load is the
        // solver's, or resolving one pair of a heap would spread through all of it.
        let moved = || bodies.iter().any(|&body| self.state.moved[body]);
        let new = self.state.fresh || moved() && !self.state.loaded.contains(&sorted(bodies));
        (if new { SHALLOW } else { DEEP }) * self.size(bodies)
    }

    /// Bounding radius of a body [m].
    pub(crate) fn radius(&self, body: RigidBodyHandle) -> f64 {
        self.sizes[raw(body)]
    }

    /// Bounding radius of the smaller of two bodies [m], by raw index.
    pub(crate) fn size(&self, [a, b]: [usize; 2]) -> f64 {
        self.sizes[a].min(self.sizes[b])
    }

    /// Separates overlaps, as far as the bound of a step allows; `contacts` are those of the step. Returns the work against
    /// gravity [J].
    pub(crate) fn after_step(
        &mut self,
        physics: &mut PhysicsWorld,
        awake: &Awake,
        contacts: &[PairContacts],
    ) -> f64 {
        let found = self.overlapping(contacts);
        let is_asleep = |pair: &[usize; 2]| !pair.iter().any(|&body| awake.contains(body));
        // Pairs that sleep have no contacts in this step, and remain as they are.
        self.state.resolving.retain(is_asleep);
        let is_any_awake = !found.is_empty();
        self.state.resolving.extend(found);
        self.state.fresh = false;
        self.state.moved.fill(false);
        if !is_any_awake {
            return 0.0;
        }
        self.state.loaded = loaded(physics);
        let step = physics.integration_parameters.dt;
        let mut rows = self.rows(physics, step);
        let displacements = self.displacements(&mut rows, step);
        self.release(&rows, &displacements);
        let gravity: Vector3<f64> = physics.gravity.into();
        let mut work = 0.0;
        for ((members, mass), displacement) in self.members.iter().zip(&self.masses).zip(&displacements) {
            if *displacement == Vector3::zeros() {
                continue;
            }
            work -= mass * gravity.dot(displacement);
            for &body in members {
                wake(physics, body);
                let translation = Vector3::from(physics.bodies[body].translation()) + displacement;
                physics.bodies[body].set_translation(translation.into(), true);
                self.state.moved[raw(body)] = true;
            }
        }
        work
    }

    /// Pairs of bodies that have to be separated, by raw index, in ascending order, from the depths at the start of the last
    /// step.
    fn overlapping(&self, contacts: &[PairContacts]) -> BTreeSet<[usize; 2]> {
        let mut found = BTreeSet::new();
        for &PairContacts { bodies, depth, .. } in contacts {
            // A pair that is resolving stays so down to the smaller threshold.
            let is_resolving = self.is_resolving(bodies);
            let min = if is_resolving { SHALLOW * self.size(bodies) } else { self.threshold(bodies) };
            if depth > min {
                found.insert(sorted(bodies));
            }
        }
        found
    }

    /// Those of `pairs`, indices in `handles`, that overlapped at the start of the last step and are being separated.
    pub(crate) fn being_separated(
        &self,
        contacts: &[PairContacts],
        handles: &[RigidBodyHandle],
        pairs: &[[usize; 2]],
    ) -> BTreeSet<[usize; 2]> {
        let overlapping = self.overlapping(contacts);
        let is_one = |pair: &[usize; 2]| overlapping.contains(&sorted(pair.map(|body| raw(handles[body]))));
        pairs.iter().copied().filter(is_one).collect()
    }

    /// Constraint rows of the contacts, at the poses at the end of the step.
    fn rows(&self, physics: &PhysicsWorld, step: f64) -> Vec<ConstraintRow> {
        let mut rows = Vec::new();
        for pair in physics.narrow_phase.contact_pairs() {
            let handles = [pair.collider1, pair.collider2];
            let Some(bodies) = bodies_of(&physics.colliders, handles) else { continue };
            let groups = bodies.map(|body| self.groups[body]);
            if groups[0] == groups[1] {
                continue;
            }
            let size = self.size(bodies);
            let resolving = self.is_resolving(bodies);
            let poses: [Isometry3<f64>; 2] =
                handles.map(|handle| (*physics.colliders[handle].position()).into());
            for manifold in pair.solver_manifolds() {
                let normal = poses[0].rotation * Vector3::from(manifold.local_n1);
                for contact in &manifold.points {
                    let on_first = poses[0] * Point3::from(Vector3::from(contact.local_p1));
                    let on_second = poses[1] * Point3::from(Vector3::from(contact.local_p2));
                    let depth = -(on_second - on_first).dot(&normal);
                    let min = match resolving {
                        true => f64::min(depth + CLEARANCE * size, SPEED * step * size),
                        false => f64::min(depth, 0.0),
                    };
                    rows.push(ConstraintRow { bodies, groups, normal, depth, min, multiplier: 0.0 });
                }
            }
        }
        // The result of the sweeps depends on the order of the rows, which must not be that of rapier's pairs.
        rows.sort_by_key(|row| row.bodies);
        rows
    }

    /// Returns pairs that are now separated to the solver.
    fn release(&mut self, rows: &[ConstraintRow], displacements: &[Vector3<f64>]) {
        let displacement =
            |group: Option<usize>| group.map_or(Vector3::zeros(), |group| displacements[group]);
        let remaining = rows.iter().filter(|row| {
            let [a, b] = row.groups.map(displacement);
            row.depth - (b - a).dot(&row.normal) > RESIDUAL * self.size(row.bodies)
        });
        let remaining: BTreeSet<_> = remaining.map(|row| sorted(row.bodies)).collect();
        self.state.resolving.retain(|pair| remaining.contains(pair));
    }

    /// Displacements of the groups [m]: minimum of Σ m |x|² subject to the rows, by projected Gauss–Seidel.
    fn displacements(&self, rows: &mut [ConstraintRow], step: f64) -> Vec<Vector3<f64>> {
        let mut displacements = vec![Vector3::zeros(); self.members.len()];
        let weight = |group: Option<usize>| group.map_or(0.0, |group| 1.0 / self.masses[group]);
        let max = rows.iter().map(|row| row.min).fold(0.0, f64::max);
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for row in rows.iter_mut() {
                let [a, b] = row.groups;
                let compliance = weight(a) + weight(b);
                if !(compliance > 0.0) {
                    continue;
                }
                let displacement =
                    |group: Option<usize>| group.map_or(Vector3::zeros(), |group| displacements[group]);
                let separation = (displacement(b) - displacement(a)).dot(&row.normal);
                // Clamped in total, not by increment: a later sweep may reduce what an earlier one moved too far.
                let multiplier = f64::max(0.0, row.multiplier + (row.min - separation) / compliance);
                let increment = multiplier - row.multiplier;
                row.multiplier = multiplier;
                change = change.max((increment * compliance).abs());
                for (group, sign) in [(a, -1.0), (b, 1.0)] {
                    if let Some(group) = group {
                        displacements[group] += row.normal * (sign * increment / self.masses[group]);
                    }
                }
            }
            if change <= CONVERGED * max {
                break;
            }
        }
        // A body between two others may be pushed farther than any single row is.
        for (displacement, members) in displacements.iter_mut().zip(&self.members) {
            let max = members.iter().map(|&body| SPEED * step * self.sizes[raw(body)]).fold(0.0, f64::max);
            if displacement.norm() > max {
                *displacement *= max / displacement.norm();
            }
        }
        displacements
    }
}

/// Pairs of bodies, by raw index, that bore a load in the step.
fn loaded(physics: &PhysicsWorld) -> BTreeSet<[usize; 2]> {
    let bears = |pair: &&ContactPair| {
        let mut points = pair.solver_manifolds().iter().flat_map(|manifold| &manifold.points);
        points.any(|contact| contact.data.impulse > 0.0)
    };
    let pairs = physics.narrow_phase.contact_pairs().filter(bears);
    pairs
        .filter_map(|pair| bodies_of(&physics.colliders, [pair.collider1, pair.collider2]))
        .map(sorted)
        .collect()
}

/// Hides the depth of overlaps that are being resolved from the solver.
///
/// Overlaps that cannot be resolved because joints hold the bodies in place are left to the solver. It pushes bodies apart
/// no faster than a bound, which depths beyond `recoverable` reach; four corners beyond it would be pushed alike however
/// much they differ, and the body would rotate at random. So the depths of a manifold are reduced by the same amount.
impl PhysicsHooks for Depenetration {
    /// Accepts every pair, and announces it to the profile and its rolling friction to the contacts. Contacts of links are found, but not solved, here: all that they would move is put
    /// back to the start of the step and solved in generalized coordinates.
    fn filter_contact_pair(&self, context: &PairFilterContext) -> Option<SolverFlags> {
        if let Some(pair) = bodies_of(context.colliders, [context.collider1, context.collider2])
            && let [Some(&a), Some(&b)] = pair.map(|body| self.indices.get(body))
        {
            self.profiler.announce([a, b]);
        }
        let colliders = [context.collider1, context.collider2].map(|collider| &context.colliders[collider]);
        let bodies = [context.rigid_body1, context.rigid_body2].map(|body| Some(&context.bodies[body?]));
        Patch::announce(colliders, bodies);
        Some(if moves_links_alone(bodies) { SolverFlags::empty() } else { SolverFlags::default() })
    }

    fn modify_solver_contacts(&self, context: &mut ContactModificationContext) {
        let Some(bodies) = bodies_of(context.colliders, [context.collider1, context.collider2]) else {
            return;
        };
        let (resolving, threshold) = (self.is_resolving(bodies), self.threshold(bodies));
        let Some(rigid) = context.rigid_mut() else { return };
        let deepest = rigid.manifold.points.iter().map(|contact| -contact.dist).fold(0.0, f64::max);
        let contacts = rigid.solver_contacts.iter_mut();
        if resolving || deepest > threshold {
            // With a small clearance, so that rounding pushes nothing.
            let apart = CLEARANCE * self.size(bodies);
            contacts.for_each(|contact| contact.dist = contact.dist.max(apart));
        } else if deepest > self.recoverable {
            contacts.for_each(|contact| contact.dist += deepest - self.recoverable);
        }
    }
}
