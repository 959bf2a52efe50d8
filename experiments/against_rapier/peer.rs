//! A scene stepped by rapier alone, with the settings of its solver that ours have.

use std::time::Instant;

use extricate::dynamics::{BodyDescription, BodyKind, BodyState, SolverSettings, WorldOptions};
use extricate::scene::Scene;
use nalgebra::{Point3, Vector3};
use rapier3d::dynamics::{
    FrictionModel, IntegrationParameters, RigidBodyBuilder, RigidBodyHandle, RigidBodyType,
    SpringCoefficients,
};
use rapier3d::pipeline::PhysicsWorld;

use crate::Result;
use crate::arm::{Arm, Step};
use crate::peer_shapes::{Meshes, PeerShapes};

/// Longest distance [m] that a body which bounces may cover in a step with its contacts still predicted.
const BOUNCE_PREDICTION: f64 = 0.05;

/// A scene in rapier.
pub(crate) struct Peer {
    physics: PhysicsWorld,
    /// Sorted by name.
    bodies: Vec<(String, RigidBodyHandle)>,
}

impl Peer {
    pub(crate) fn new(scene: &Scene, meshes: Meshes) -> Result<Self> {
        if !scene.joints.is_empty() {
            return Err(format!("{}: scenes with joints are not compared", scene.name()).into());
        }
        let mut physics = PhysicsWorld::new();
        physics.gravity = scene.options.gravity.into();
        physics.integration_parameters = parameters(&scene.options);
        let mut shapes = PeerShapes::new(meshes);
        let mut sorted = scene.bodies.iter().collect::<Vec<_>>();
        sorted.sort_by(|a, b| a.name.cmp(&b.name));
        let mut bodies = Vec::new();
        for body in sorted {
            let collider = shapes.collider(body)?.friction(body.friction).restitution(body.restitution);
            let (handle, _) = physics.insert(rigid_body(body), collider);
            bodies.push((body.name.clone(), handle));
        }
        Ok(Self { physics, bodies })
    }
}

impl Arm for Peer {
    fn step(&mut self) -> Result<Step> {
        let started = Instant::now();
        self.physics.step();
        let mut step = Step { time: started.elapsed(), ..Step::default() };
        for pair in self.physics.narrow_phase.contact_pairs() {
            let Some(rigid) = pair.rigid() else { continue };
            for manifold in rigid.solver_manifolds() {
                step.contacts += manifold.data.solver_contacts.len();
                step.manifolds += usize::from(!manifold.data.solver_contacts.is_empty());
            }
        }
        Ok(step)
    }

    fn states(&self) -> Vec<BodyState> {
        let state = |(name, handle): &(String, RigidBodyHandle)| {
            let body = &self.physics.bodies[*handle];
            BodyState {
                name: name.clone(),
                position: Point3::from(Vector3::from(body.translation())),
                rotation: (*body.rotation()).into(),
                linear_velocity: body.linvel().into(),
                angular_velocity: body.angvel().into(),
            }
        };
        self.bodies.iter().map(state).collect()
    }
}

fn rigid_body(body: &BodyDescription) -> RigidBodyBuilder {
    let kind = match body.kind {
        BodyKind::Fixed => RigidBodyType::Fixed,
        BodyKind::Dynamic => RigidBodyType::Dynamic,
        BodyKind::Kinematic => RigidBodyType::KinematicVelocityBased,
    };
    RigidBodyBuilder::new(kind)
        .pose(body.pose.into())
        .linvel(body.linear_velocity.into())
        .angvel(body.angular_velocity.into())
        .linear_damping(body.linear_damping)
        .angular_damping(body.angular_damping)
        .can_sleep(false)
        .gyroscopic_forces_enabled(true)
        .allow_fast_rotation(!body.continuous)
        .soft_ccd_prediction(if body.restitution > 0.0 { BOUNCE_PREDICTION } else { 0.0 })
        .ccd_enabled(body.continuous)
}

/// The settings of the solver that the scene asks for; of the narrow phase, rapier's own defaults but for the recycling of
/// contacts, which lets stacks creep.
fn parameters(options: &WorldOptions) -> IntegrationParameters {
    let SolverSettings { substeps, contact_frequency, contact_damping, relax_passes, .. } =
        options.solver_settings();
    let softness = SpringCoefficients::new(contact_frequency, contact_damping);
    IntegrationParameters {
        dt: options.time_step,
        min_ccd_dt: options.time_step / 100.0,
        num_solver_iterations: substeps as usize,
        num_internal_pgs_iterations: 1,
        num_internal_stabilization_iterations: relax_passes as usize,
        contact_softness: softness,
        static_contact_softness: softness,
        normalized_allowed_linear_error: 0.001,
        contact_recycling: false,
        friction_model: FrictionModel::Simplified,
        friction_in_bias_pass: false,
        ..IntegrationParameters::default()
    }
}
