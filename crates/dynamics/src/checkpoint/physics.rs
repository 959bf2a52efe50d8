//! Part of a state that rapier serializes.
//!
//! rapier writes and reads its sets, but not custom shapes. So the colliders of the world into which the state is restored
//! remain as they were built: their poses are set to the saved ones, and their change flags are cleared. A newly built
//! collider has all flags and one that was stepped has none, except those that were moved after the step.

use rapier3d::dynamics::{ImpulseJointSet, IslandManager, MultibodyJointSet, RigidBodySet};
use rapier3d::geometry::{BroadPhaseBvh, ColliderHandle, ColliderSet, NarrowPhase};
use rapier3d::math::Pose;
use rapier3d::pipeline::{CollisionPipeline, PhysicsWorld};
use serde::{Deserialize, Serialize};

/// Parts of rapier's world that are written.
#[derive(Serialize)]
pub(super) struct Written<'a> {
    islands: &'a IslandManager,
    broad_phase: &'a BroadPhaseBvh,
    narrow_phase: &'a NarrowPhase,
    bodies: &'a RigidBodySet,
    impulse_joints: &'a ImpulseJointSet,
    multibody_joints: &'a MultibodyJointSet,
    colliders: Colliders,
}

/// Parts of rapier's world as they were read.
#[derive(Deserialize)]
pub(super) struct Read {
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    bodies: RigidBodySet,
    impulse_joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
    colliders: Colliders,
}

/// Poses of the colliders, in the order of their handles, and those that were moved since the step, in the order of the
/// moves.
#[derive(Serialize, Deserialize)]
struct Colliders {
    poses: Vec<Pose>,
    moved: Vec<ColliderHandle>,
}

impl<'a> Written<'a> {
    pub(super) fn of(physics: &'a PhysicsWorld) -> Self {
        let poses = physics.colliders.iter().map(|(_, collider)| *collider.position()).collect();
        // Only a mutable set returns its changed colliders, so a copy is asked.
        let moved = physics.colliders.clone().take_modified().iter().copied().collect();
        Self {
            islands: &physics.islands,
            broad_phase: &physics.broad_phase,
            narrow_phase: &physics.narrow_phase,
            bodies: &physics.bodies,
            impulse_joints: &physics.impulse_joints,
            multibody_joints: &physics.multibody_joints,
            colliders: Colliders { poses, moved },
        }
    }
}

impl Read {
    /// Whether it has as many bodies and colliders as a world.
    pub(super) fn fits(&self, physics: &PhysicsWorld) -> bool {
        self.bodies.len() == physics.bodies.len()
            && self.colliders.poses.len() == physics.colliders.len()
            && self.impulse_joints.len() == physics.impulse_joints.len()
            && self.colliders.moved.iter().all(|&handle| physics.colliders.get(handle).is_some())
    }

    /// Moves the state into a newly built world. The narrow phase is then without our dispatcher, which must be set again.
    pub(super) fn put_into(self, physics: &mut PhysicsWorld) {
        self.colliders.put_into(&mut physics.colliders, &mut physics.bodies);
        physics.islands = self.islands;
        physics.broad_phase = self.broad_phase;
        physics.narrow_phase = self.narrow_phase;
        physics.bodies = self.bodies;
        physics.impulse_joints = self.impulse_joints;
        physics.multibody_joints = self.multibody_joints;
    }
}

impl Colliders {
    /// Moves the poses into newly built colliders; `built` are the bodies as they were built, which are used up.
    fn put_into(&self, colliders: &mut ColliderSet, built: &mut RigidBodySet) {
        let handles: Vec<ColliderHandle> = colliders.iter().map(|(handle, _)| handle).collect();
        // With the flags of a newly built one, a collider moves to its body; without them it remains at the pose that is set.
        clear_change_flags(colliders, built);
        for (&handle, pose) in handles.iter().zip(&self.poses) {
            put(colliders, handle, pose);
        }
        clear_change_flags(colliders, built);
        for &handle in &self.moved {
            let pose = *colliders[handle].position();
            put(colliders, handle, &pose);
        }
    }
}

fn put(colliders: &mut ColliderSet, handle: ColliderHandle, pose: &Pose) {
    if let Some(collider) = colliders.get_mut(handle) {
        collider.set_position(*pose);
    }
}

/// Clears the change flags of all colliders, by a collision detection whose results are dropped.
fn clear_change_flags(colliders: &mut ColliderSet, bodies: &mut RigidBodySet) {
    let (mut broad_phase, mut narrow_phase) = (BroadPhaseBvh::new(), NarrowPhase::new());
    let mut islands = IslandManager::new();
    CollisionPipeline::new().step(
        0.0,
        &mut islands,
        &mut broad_phase,
        &mut narrow_phase,
        bodies,
        colliders,
        &(),
        &(),
    );
}
