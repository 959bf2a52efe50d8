//! The joints of a robot as a multibody of rapier, in worlds whose soft bodies or joints couple with it.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use rapier3d::dynamics::{
    GenericJoint, GenericJointBuilder, IntegrationParameters, JointAxesMask, JointAxis, MassProperties,
    Multibody, MultibodyDofCoupling, MultibodyJointHandle, RigidBodyBuilder, RigidBodyHandle, RigidBodySet,
    SpringCoefficients,
};
use rapier3d::pipeline::PhysicsWorld;

use super::drive;
use super::parts::Parts;
use crate::description::BodyKind;
use crate::rigid::{inertia_times, rapier_mass};
use extricate_core::kinematics::urdf::Inertial;
use extricate_core::kinematics::{Articulation, ClosureKind, JointKind};

/// Rate at which rapier's constraint rows restore a limit that was passed, over that of the spring of [`drive`]. Above 1
/// the rows are faster than the spring and relieve it of its load, which rows in series do not bear.
const ROWS: f64 = 0.4;

/// A joint in rapier's set.
#[derive(Debug, Clone, Copy)]
pub(super) struct RapierJoint {
    pub(super) handle: MultibodyJointHandle,
    /// Index of its degree of freedom among the six of a body.
    pub(super) axis: usize,
}

/// Builds the multibody, with a joint for each of the articulation; returns them in their order.
pub(super) fn connect(
    physics: &mut PhysicsWorld,
    parts: &Parts,
    handles: &[RigidBodyHandle],
    hidden: &mut Vec<RigidBodyHandle>,
) -> Vec<RapierJoint> {
    let articulation = &parts.articulation;
    let mut made = BTreeMap::<usize, RapierJoint>::new();
    // A base without joints is an ordinary rigid body.
    if !articulation.joints().is_empty() && parts.parts[0].kind == BodyKind::Dynamic {
        hidden.push(insert_free_root(physics, handles[0]));
    }
    for &link in articulation.parents_first() {
        let (Some(joint), Some(parent)) = (articulation.parent_joint(link), articulation.parent(link)) else {
            continue;
        };
        let (mut data, axis) = rapier_joint(&articulation.joints()[joint]);
        data.softness = limit_softness(&physics.integration_parameters);
        let handle = physics.multibody_joints.insert(handles[parent], handles[link], data, true);
        let handle = handle.expect("the links of an articulation are a tree");
        made.insert(joint, RapierJoint { handle, axis });
    }
    let joints = made.into_values().collect::<Vec<_>>();
    // Couplings last: a joint may mimic one that is inserted after it.
    for follower in 0..joints.len() {
        if let Some(coupling) = coupling(physics, articulation, &joints, follower)
            && let Some((multibody, _)) = physics.multibody_joints.get_mut(joints[follower].handle)
        {
            multibody.add_dof_coupling(coupling);
        }
    }
    close_loops(physics, parts, handles);
    joints
}

/// Closes the loops of the robot by joints between its bodies.
fn close_loops(physics: &mut PhysicsWorld, parts: &Parts, handles: &[RigidBodyHandle]) {
    for closure in &parts.description.closures {
        let places = closure.links.each_ref().map(|link| parts.place(link));
        let [Some((a, first)), Some((b, second))] = places else { continue };
        if a == b {
            continue;
        }
        let locked = match closure.kind {
            ClosureKind::Point => JointAxesMask::LOCKED_SPHERICAL_AXES,
            ClosureKind::Weld => JointAxesMask::LOCKED_FIXED_AXES,
        };
        let joint = GenericJointBuilder::new(locked)
            .local_frame1((first * closure.frames[0]).into())
            .local_frame2((second * closure.frames[1]).into())
            .build();
        physics.insert_impulse_joint(handles[a], handles[b], joint);
    }
}

/// Softness of the rows for limits: stiff, and so much damped that they restore a limit at the rate ω / (2 ζ).
fn limit_softness(parameters: &IntegrationParameters) -> SpringCoefficients<f64> {
    let frequency = parameters.contact_softness.natural_frequency;
    let rate = ROWS / (drive::REGAIN * parameters.dt);
    SpringCoefficients::new(frequency, std::f64::consts::TAU * frequency / (2.0 * rate))
}

/// Coupling of a joint to the one that it mimics, if it mimics one.
fn coupling(
    physics: &PhysicsWorld,
    articulation: &Articulation,
    joints: &[RapierJoint],
    follower: usize,
) -> Option<MultibodyDofCoupling> {
    let (index, coeff, offset) = articulation.dependence(follower)?;
    articulation.joints()[follower].mimic.as_ref()?;
    let [leader, follower] = [articulation.coordinates()[index], follower].map(|joint| &joints[joint]);
    let [link1, link2] = [leader, follower].map(|joint| physics.multibody_joints.get(joint.handle));
    let (link1, link2, axis1, axis2) = (link1?.1, link2?.1, leader.axis, follower.axis);
    Some(MultibodyDofCoupling { link1, dof1: 0, axis1, link2, dof2: 0, axis2, coeff, offset })
}

/// A joint in rapier's form, and the index of its degree of freedom.
fn rapier_joint(joint: &extricate_core::kinematics::Joint) -> (GenericJoint, usize) {
    let (locked, free, axis) = match joint.kind {
        JointKind::Prismatic { axis } => (JointAxesMask::LOCKED_PRISMATIC_AXES, JointAxis::LinX, axis),
        JointKind::Revolute { axis } => (JointAxesMask::LOCKED_REVOLUTE_AXES, JointAxis::AngX, axis),
        JointKind::Fixed => (JointAxesMask::LOCKED_FIXED_AXES, JointAxis::LinX, Vector3::x()),
    };
    let along = Isometry3::from_parts(Vector3::zeros().into(), x_to(&axis));
    let builder = GenericJointBuilder::new(locked)
        .local_frame1((joint.origin * along).into())
        .local_frame2(along.into());
    let data = joint.limits.map_or(builder, |limits| builder.limits(free, limits)).build();
    (data, free as usize)
}

/// Rotation of the x axis to a unit vector.
fn x_to(axis: &Vector3<f64>) -> UnitQuaternion<f64> {
    // Between opposite vectors there is no shortest rotation.
    UnitQuaternion::rotation_between(&Vector3::x(), axis)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI))
}

/// Inserts a body without shape.
pub(super) fn insert_hidden(
    physics: &mut PhysicsWorld,
    pose: &Isometry3<f64>,
    kind: BodyKind,
    inertial: Option<&Inertial>,
) -> RigidBodyHandle {
    let builder = match kind {
        BodyKind::Dynamic => RigidBodyBuilder::dynamic(),
        BodyKind::Fixed | BodyKind::Kinematic => RigidBodyBuilder::fixed(),
    };
    let mass = inertial.map_or(MassProperties::default(), rapier_mass);
    let builder = builder.pose((*pose).into()).can_sleep(false).additional_mass_properties(mass);
    let handle = physics.insert_body(builder);
    physics.bodies[handle].recompute_mass_properties_from_colliders(&physics.colliders);
    handle
}

/// Inserts a massless body at the centre of mass of the base, as its parent: rapier moves the origin of a free root with the
/// velocity of its centre of mass, so the two must coincide.
fn insert_free_root(physics: &mut PhysicsWorld, base: RigidBodyHandle) -> RigidBodyHandle {
    let body = &physics.bodies[base];
    let pose: Isometry3<f64> = (*body.position()).into();
    let center = body.mass_properties().local_mprops.local_com;
    let center: Isometry3<f64> =
        Isometry3::from_parts(Vector3::from(center).into(), UnitQuaternion::identity());
    let root = insert_hidden(physics, &(pose * center), BodyKind::Dynamic, None);
    let weld = GenericJointBuilder::new(JointAxesMask::LOCKED_FIXED_AXES).local_frame2(center.into()).build();
    physics.multibody_joints.insert(root, base, weld, true).expect("both bodies are new");
    root
}

/// Inertia of a generalized coordinate while all others are fixed [kg·m² or kg].
pub(super) fn carried_inertia(multibody: &Multibody, bodies: &RigidBodySet, coordinate: usize) -> f64 {
    let of_link = |(index, link): (usize, &rapier3d::dynamics::MultibodyLink)| {
        let body = &bodies[link.rigid_body_handle()];
        let column = multibody.body_jacobian(index).column(coordinate).into_owned();
        let (linear, angular) = (column.fixed_rows::<3>(0), column.fixed_rows::<3>(3));
        let angular: Vector3<f64> = Vector3::new(angular[0], angular[1], angular[2]);
        body.mass() * linear.norm_squared() + angular.dot(&inertia_times(body, &angular))
    };
    multibody
        .links()
        .enumerate()
        .filter(|(_, link)| bodies[link.rigid_body_handle()].is_dynamic())
        .map(of_link)
        .sum()
}

/// Sets the velocities of the bodies of the links to those that follow from the generalized velocities.
pub(super) fn update_link_velocities(multibody: &Multibody, bodies: &mut RigidBodySet) {
    let velocities = multibody.generalized_velocity().into_owned();
    for (index, link) in multibody.links().enumerate() {
        let body = &mut bodies[link.rigid_body_handle()];
        if body.is_dynamic() {
            let twist = multibody.body_jacobian(index) * &velocities;
            body.set_linvel(Vector3::new(twist[0], twist[1], twist[2]).into(), true);
            body.set_angvel(Vector3::new(twist[3], twist[4], twist[5]).into(), true);
        }
    }
}
