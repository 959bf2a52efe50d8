//! Assembly of rapier's sets from descriptions. Bodies and joints are inserted sorted by name.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use nalgebra::Isometry3;
use rapier3d::dynamics::{
    GenericJoint, GenericJointBuilder, JointAxesMask, JointAxis, RigidBody, RigidBodyBuilder,
    RigidBodyHandle, RigidBodyType, RopeJointBuilder,
};
use rapier3d::geometry::{ColliderBuilder, NarrowPhase as RapierNarrowPhase, SharedShape};
use rapier3d::pipeline::{ActiveHooks, PhysicsWorld};

use crate::contact::dispatcher::{ContactTally, Dispatcher};
use crate::contact::patch;
use crate::contact::shapes::Shapes;
use crate::description::{BodyDescription, BodyKind, JointDescription, JointKind};
use crate::error::BuildError;
use crate::mass::mass_properties;
use crate::multibody::MultibodySolver;
use crate::options::{NarrowPhase, WorldOptions};
use crate::passes::{Passes, rest};
use crate::rigid::moves_links_alone;
use crate::robot::body::{Engine, RobotBody};
use crate::robot::parts::Parts;
use crate::soft::bodies::Rigid;
use crate::soft::bodies::description::SoftBodyDescription;
use crate::soft::bodies::world::SoftWorld;
use crate::world::World;

/// Prediction distance [m] of a body with restitution in rapier's narrow phase: up to this motion in a step its contacts are
/// found before it overlaps, so that a bounce starts from the right speed. On all bodies a perturbed stack collapses.
const BOUNCE_PREDICTION: f64 = 0.05;

/// World with bodies, joints, robots, and soft bodies sorted by name, which have been checked one by one.
pub(super) fn assemble(
    options: WorldOptions,
    bodies: BTreeMap<String, BodyDescription>,
    joints: &BTreeMap<String, JointDescription>,
    robots: &BTreeMap<String, Parts>,
    soft: Vec<SoftBodyDescription>,
) -> Result<World, BuildError> {
    let mut physics = PhysicsWorld::new();
    physics.gravity = options.gravity.into();
    physics.integration_parameters = options.integration_parameters();
    let tally = ContactTally::default();
    let narrow_phase = options.narrow_phase;
    physics.narrow_phase = RapierNarrowPhase::with_query_dispatcher(Dispatcher::chained(&options, &tally));
    let mut handles = BTreeMap::<&str, RigidBodyHandle>::new();
    let mut shapes = SharedShapes { shapes: Shapes::new(narrow_phase), known: BTreeMap::new() };
    for body in bodies.values() {
        let handle = insert_body(&mut physics, body, &options, &mut shapes)?;
        handles.insert(&body.name, handle);
    }
    for joint in joints.values() {
        let [a, b] = [0, 1].map(|i| handles[joint.bodies[i].as_str()]);
        physics.insert_impulse_joint(a, b, rapier_joint(joint));
    }
    let engine = if joints.is_empty() { Engine::Multibody } else { Engine::Rapier };
    let insert = |parts| RobotBody::insert(&mut physics, parts, &handles, engine);
    let robots: Vec<RobotBody> = robots.values().map(insert).collect();
    spare_solver(&mut physics);
    let handles: Vec<_> = handles.into_values().collect();
    let bodies: Vec<_> = bodies.into_values().collect();
    let links: Vec<_> = robots.iter().map(RobotBody::links).collect();
    let passes = Passes::of(&physics, &bodies, &handles, (&options, &tally.profiler, &links));
    let freedoms: Vec<_> = robots.iter().map(|robot| robot.tree().map_or(0, |tree| tree.v.len())).collect();
    let rigid = Rigid { physics: &physics, bodies: &bodies, handles: &handles, freedoms: &freedoms };
    let soft = SoftWorld::assembled((&options.soft, options.gravity), soft, &rigid)?.map(Box::new);
    Ok(World {
        options,
        physics,
        tally,
        bodies,
        handles,
        robots,
        multibody: MultibodySolver::default(),
        steps: 0,
        passes,
        soft,
        pull: None,
        preparation: OnceLock::new(),
    })
}

/// Leaves rapier's solver little work where it moves links of robots alone: they are put back, and solved in generalized coordinates.
fn spare_solver(physics: &mut PhysicsWorld) {
    let is_put_back = |body: &RigidBody| body.is_fixed() || moves_links_alone([Some(body), None]);
    if physics.bodies.iter().all(|(_, body)| is_put_back(body)) {
        physics.integration_parameters.num_solver_iterations = 1;
        physics.integration_parameters.num_internal_stabilization_iterations = 0;
    }
}

/// Shapes in rapier's form; bodies that share a shape share that, too.
struct SharedShapes {
    shapes: Shapes,
    /// By the address of the shape, and whether the bodies bounce.
    known: BTreeMap<(usize, bool), (SharedShape, Isometry3<f64>)>,
}

impl SharedShapes {
    /// The shape of a body in rapier's own frame, and the pose of that frame in the body.
    fn of(&mut self, body: &BodyDescription) -> Result<(SharedShape, Isometry3<f64>), BuildError> {
        let key = (body.shape.address(), body.restitution > 0.0);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let made = self.shapes.of(body)?;
        self.known.insert(key, made.clone());
        Ok(made)
    }
}

fn insert_body(
    physics: &mut PhysicsWorld,
    body: &BodyDescription,
    options: &WorldOptions,
    shapes: &mut SharedShapes,
) -> Result<RigidBodyHandle, BuildError> {
    let kind = match body.kind {
        BodyKind::Fixed => RigidBodyType::Fixed,
        BodyKind::Dynamic => RigidBodyType::Dynamic,
        BodyKind::Kinematic => RigidBodyType::KinematicVelocityBased,
    };
    let rigid_body = RigidBodyBuilder::new(kind)
        .pose(body.pose.into())
        .linvel(body.linear_velocity.into())
        .angvel(body.angular_velocity.into())
        .linear_damping(body.linear_damping)
        .angular_damping(body.angular_damping)
        .can_sleep(options.sleep.is_some())
        // Free rotation is a pass of its own.
        .gyroscopic_forces_enabled(false)
        .allow_fast_rotation(true)
        .soft_ccd_prediction(prediction(body, options.narrow_phase));
    let mut rigid_body = rigid_body.build();
    if let Some(sleep) = &options.sleep {
        let activation = rigid_body.activation_mut();
        activation.normalized_linear_threshold = rest::threshold(sleep, options, body);
        activation.time_until_sleep = sleep.time;
    }
    let (shape, shape_to_body) = shapes.of(body)?;
    let mut collider = ColliderBuilder::new(shape)
        .position(shape_to_body.into())
        .friction(body.friction)
        .user_data(patch::stored(body.rolling_friction))
        // Restitution, too.
        .restitution(0.0)
        .active_hooks(ActiveHooks::MODIFY_SOLVER_CONTACTS | ActiveHooks::FILTER_CONTACT_PAIRS);
    if body.kind == BodyKind::Dynamic {
        let properties = mass_properties(body)?.transform_by(&shape_to_body.inverse().into());
        collider = collider.mass_properties(properties);
    }
    Ok(physics.insert(rigid_body, collider).0)
}

/// Maximum motion in a step [m] by which contacts of the body are predicted, on top of rapier's prediction distance.
///
/// It is the size of the body: our contacts use no more of it than their speculative margin. rapier's own use all of it,
/// which stacks do not tolerate, so only bodies that bounce have some.
fn prediction(body: &BodyDescription, narrow_phase: NarrowPhase) -> f64 {
    match &body.shape {
        shape if shape.is_half_space() => 0.0,
        shape if shape.model().is_some() || narrow_phase == NarrowPhase::Extricate => shape.bounding_radius(),
        _ if body.restitution > 0.0 => BOUNCE_PREDICTION,
        _ => 0.0,
    }
}

fn rapier_joint(joint: &JointDescription) -> GenericJoint {
    let mut data: GenericJoint = match joint.kind {
        JointKind::Fixed => GenericJointBuilder::new(JointAxesMask::LOCKED_FIXED_AXES).build(),
        JointKind::Spherical => GenericJointBuilder::new(JointAxesMask::LOCKED_SPHERICAL_AXES).build(),
        JointKind::Revolute { limits } => {
            limited(JointAxesMask::LOCKED_REVOLUTE_AXES, JointAxis::AngX, limits)
        }
        JointKind::Prismatic { limits } => {
            limited(JointAxesMask::LOCKED_PRISMATIC_AXES, JointAxis::LinX, limits)
        }
        JointKind::Rope { length } => RopeJointBuilder::new(length).build().into(),
    };
    data.set_local_frame1(joint.anchors[0].into());
    data.set_local_frame2(joint.anchors[1].into());
    data.set_contacts_enabled(joint.contacts);
    data
}

fn limited(locked: JointAxesMask, free: JointAxis, limits: Option<[f64; 2]>) -> GenericJoint {
    let builder = GenericJointBuilder::new(locked);
    limits.map_or(builder, |limits| builder.limits(free, limits)).build()
}
