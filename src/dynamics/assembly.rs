//! From descriptions to rapier's sets. Bodies and joints go in sorted by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use rapier3d::dynamics::{
    GenericJoint, GenericJointBuilder, JointAxesMask, JointAxis, MassProperties as RapierMassProperties,
    RigidBodyBuilder, RigidBodyHandle, RigidBodyType, RopeJointBuilder,
};
use rapier3d::geometry::{ColliderBuilder, NarrowPhase, SharedShape};
use rapier3d::math::{Matrix, Vector};
use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher};
use rapier3d::pipeline::PhysicsWorld;

use super::contact::{ContactTally, Dispatcher, MeshShape};
use super::{
    BodyDescription, BodyKind, BuildError, JointDescription, JointKind, Mass, Shape, World, WorldOptions,
};
use crate::geometry::Solidity;
use crate::geometry::mass_properties::{MassProperties, signed_volume};
use crate::proximity::Model;
use crate::proximity::contacts::Adjacency;

/// Longest distance [m] a body with restitution may cover in a step with its contacts still foreseen: a bounce
/// then starts from the right speed.
const BOUNCE_PREDICTION: f64 = 0.05;

/// Thickness [m] of a surface in the computation of its inertia; it cancels against the mass.
const SHELL: f64 = 1.0;

/// Adjacencies of models, so that bodies of one model share one.
type Adjacencies = BTreeMap<*const Model, Arc<Adjacency>>;

/// A world with the bodies and joints, which have been checked one by one.
pub(super) fn assemble(
    options: WorldOptions,
    bodies: BTreeMap<String, BodyDescription>,
    joints: &BTreeMap<String, JointDescription>,
) -> Result<World, BuildError> {
    let mut physics = PhysicsWorld::new();
    physics.gravity = options.gravity.into();
    physics.integration_parameters = options.integration_parameters();
    let tally = ContactTally::default();
    let fall = options.gravity.norm() * options.time_step.powi(2);
    let recoverable = options.recoverable_depth();
    let dispatcher = Dispatcher { tally: tally.clone(), fall, recoverable };
    physics.narrow_phase = NarrowPhase::with_query_dispatcher(dispatcher.chain(DefaultQueryDispatcher));
    let mut handles = BTreeMap::<&str, RigidBodyHandle>::new();
    let mut adjacencies = Adjacencies::new();
    for body in bodies.values() {
        let handle = insert_body(&mut physics, body, options.sleeping, &mut adjacencies)?;
        handles.insert(&body.name, handle);
    }
    for joint in joints.values() {
        let [a, b] = [0, 1].map(|i| handles[joint.bodies[i].as_str()]);
        physics.insert_impulse_joint(a, b, rapier_joint(joint));
    }
    let handles = handles.into_values().collect();
    Ok(World::assembled(options, physics, tally, bodies.into_values().collect(), handles))
}

fn insert_body(
    physics: &mut PhysicsWorld,
    body: &BodyDescription,
    sleeping: bool,
    adjacencies: &mut Adjacencies,
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
        .can_sleep(sleeping)
        .gyroscopic_forces_enabled(true)
        .allow_fast_rotation(!body.continuous)
        .soft_ccd_prediction(prediction(body))
        .ccd_enabled(body.continuous);
    let (shape, shape_to_body) = rapier_shape(&body.shape, adjacencies);
    let mut collider = ColliderBuilder::new(shape)
        .position(shape_to_body.into())
        .friction(body.friction)
        .restitution(body.restitution);
    if body.kind == BodyKind::Dynamic {
        let properties = mass_properties(body)?.transform_by(&shape_to_body.inverse().into());
        collider = collider.mass_properties(properties);
    }
    Ok(physics.insert(rigid_body, collider).0)
}

/// Greatest motion in a step [m] that contacts of the body foresee on top of rapier's prediction distance.
///
/// Meshes foresee any motion up to their size; our contacts take no more of it than they need. For primitives
/// rapier takes it all, and stacks suffer, so only those that bounce get some.
fn prediction(body: &BodyDescription) -> f64 {
    match &body.shape {
        Shape::Mesh(model) => model.radius(),
        _ if body.restitution > 0.0 => BOUNCE_PREDICTION,
        _ => 0.0,
    }
}

/// The shape in rapier's own frame, and the pose of that frame in the body. rapier's cylinders and cones stand
/// along y.
fn rapier_shape(shape: &Shape, adjacencies: &mut Adjacencies) -> (SharedShape, Isometry3<f64>) {
    let upright = Isometry3::identity();
    let y_to_z = Isometry3::from_parts(
        nalgebra::Translation3::identity(),
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2),
    );
    match shape {
        Shape::Mesh(model) => {
            let adjacency = adjacencies
                .entry(Arc::as_ptr(model))
                .or_insert_with(|| Arc::new(Adjacency::new(model.mesh())))
                .clone();
            (SharedShape::new(MeshShape::new(model.clone(), adjacency)), upright)
        }
        Shape::Ball { radius } => (SharedShape::ball(*radius), upright),
        Shape::Cuboid { size } => (SharedShape::cuboid(size.x / 2.0, size.y / 2.0, size.z / 2.0), upright),
        Shape::Capsule { radius, length } => (SharedShape::capsule_z(length / 2.0, *radius), upright),
        Shape::Cylinder { radius, height } => (SharedShape::cylinder(height / 2.0, *radius), y_to_z),
        Shape::Cone { radius, height } => (SharedShape::cone(height / 2.0, *radius), y_to_z),
        Shape::HalfSpace { normal } => (SharedShape::halfspace(normal.into_inner().into()), upright),
    }
}

/// Mass, centre and inertia of a dynamic body, in its own frame.
pub(super) fn mass_properties(body: &BodyDescription) -> Result<RapierMassProperties, BuildError> {
    let no_volume = |volume| BuildError::NoVolume { name: body.name.clone(), volume };
    let unit = match (&body.shape, body.mass) {
        (Shape::HalfSpace { .. }, _) => return Err(no_volume(f64::INFINITY)),
        (Shape::Mesh(model), Mass::Total(_)) if model.solidity() == Solidity::Surface => {
            MassProperties::of_surface(model.mesh(), SHELL).map_err(|_| no_volume(0.0))?
        }
        (Shape::Mesh(model), Mass::Density(_)) if model.solidity() == Solidity::Surface => {
            return Err(BuildError::SurfaceDensity { name: body.name.clone() });
        }
        (Shape::Mesh(model), _) => {
            MassProperties::of_solid(model.mesh()).map_err(|_| no_volume(signed_volume(model.mesh())))?
        }
        (primitive, mass) => {
            let (shape, shape_to_body) = rapier_shape(primitive, &mut BTreeMap::new());
            let unit = shape.mass_properties(1.0);
            let density = density(mass, unit.mass());
            return Ok(shape.mass_properties(density).transform_by(&shape_to_body.into()));
        }
    };
    let density = density(body.mass, unit.volume);
    let center: Vector = unit.center.coords.into();
    let inertia: Matrix = (unit.inertia * density).into();
    Ok(RapierMassProperties::with_inertia_matrix(center, unit.volume * density, inertia))
}

fn density(mass: Mass, volume: f64) -> f64 {
    match mass {
        Mass::Density(density) => density,
        Mass::Total(mass) => mass / volume,
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
