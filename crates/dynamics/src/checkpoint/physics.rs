//! rapier's part of a state.
//!
//! rapier writes and reads its sets, but not shapes that are not its own. So the colliders of the world that takes on the
//! state stay as they were built: they get the poses that were saved, and their marks of change are cleared, which a
//! freshly built collider has all and one that was stepped none, but for those that were moved after the step.

use rapier3d::dynamics::{ImpulseJointSet, IslandManager, MultibodyJointSet, RigidBodySet};
use rapier3d::geometry::{BroadPhaseBvh, ColliderHandle, ColliderSet, NarrowPhase};
use rapier3d::math::Pose;
use rapier3d::pipeline::{CollisionPipeline, PhysicsWorld};
use serde::{Deserialize, Serialize};

/// What of rapier's world is written.
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

/// The same, read back.
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

/// Where the colliders are, in the order of their handles, and which were moved since the step, in the order in which they
/// were.
#[derive(Serialize, Deserialize)]
struct Colliders {
    poses: Vec<Pose>,
    moved: Vec<ColliderHandle>,
}

impl<'a> Written<'a> {
    pub(super) fn of(physics: &'a PhysicsWorld) -> Self {
        let poses = physics.colliders.iter().map(|(_, collider)| *collider.position()).collect();
        // Only a set that may be changed tells what was changed in it.
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

    /// Puts the state into a world that was just built. Its narrow phase then lacks its dispatcher.
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
    /// `built` are the bodies as they were built, of which nothing is left to be used.
    fn put_into(&self, colliders: &mut ColliderSet, built: &mut RigidBodySet) {
        let handles: Vec<ColliderHandle> = colliders.iter().map(|(handle, _)| handle).collect();
        // With its marks of one just built, a collider goes where its body is; without them it stays where it is put.
        clear_marks(colliders, built);
        for (&handle, pose) in handles.iter().zip(&self.poses) {
            put(colliders, handle, pose);
        }
        clear_marks(colliders, built);
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

/// Clears the marks of change of all colliders that have them: a detection of collisions does, whose findings are dropped.
fn clear_marks(colliders: &mut ColliderSet, bodies: &mut RigidBodySet) {
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
