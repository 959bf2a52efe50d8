//! Comparison of rapier's joints for a robot of sixty links: impulse joints, multibodies with motors that are constraints,
//! or multibodies with motors that are springs, as the robots of this crate have them.
//!
//! A chain of rods swings as a compound pendulum, and is held out as a beam by motors. Of the pendulum: how far
//! the joints come apart and how far the energy is from its start; of the beam at rest: how far the moment of each motor
//! is from the weight that it bears. Run it with
//!
//! ```sh
//! cargo run --release --example joints_of_sixty_links
//! ```
#![expect(clippy::print_stdout, reason = "the table is the result")]

use std::time::Instant;

use rapier3d::dynamics::{
    GenericJoint, MassProperties, MotorModel, RevoluteJointBuilder, RigidBodyBuilder, RigidBodyHandle,
    SpringCoefficients,
};
use rapier3d::math::{Pose, Rotation, Vector};
use rapier3d::pipeline::PhysicsWorld;

/// Length [m] and mass [kg] of a rod, gravity [m/s²].
const LENGTH: f64 = 0.1;
const MASS: f64 = 0.1;
const GRAVITY: f64 = 9.81;
/// Length of a step [s].
const STEP: f64 = 1.0 / 240.0;
/// Stiffness [N·m/rad] and damping [N·m·s/rad] of the motors of the beam.
const STIFFNESS: f64 = 2e5;
const DAMPING: f64 = 2e4;

/// Formulation of the joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Formulation {
    Impulse,
    Constraints,
    Springs,
}

struct Chain {
    world: PhysicsWorld,
    rods: Vec<RigidBodyHandle>,
    start: f64,
}

fn main() {
    println!(
        "{:>12} {:>6} {:>12} {:>12} {:>16} {:>8}",
        "joints", "links", "apart [m]", "energy", "motor moments", "ms/step"
    );
    for links in [10, 60] {
        for formulation in [Formulation::Impulse, Formulation::Constraints, Formulation::Springs] {
            let swinging = Chain::new(links, formulation, 60_f64.to_radians(), false);
            let [apart, energy, cost] = swinging.swing(3.0);
            let imbalance = Chain::new(links, formulation, 0.0, true).imbalance(4.0);
            let name = format!("{formulation:?}").to_lowercase();
            println!("{name:>12} {links:>6} {apart:>12.1e} {energy:>12.1e} {imbalance:>16.1e} {cost:>8.2}");
        }
    }
}

impl Chain {
    /// A chain that hangs on the origin, `slope` [rad] below the horizontal.
    fn new(links: usize, formulation: Formulation, slope: f64, driven: bool) -> Self {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, 0.0, -GRAVITY);
        let parameters = &mut world.integration_parameters;
        (parameters.dt, parameters.num_solver_iterations) = (STEP, 12);
        parameters.num_internal_stabilization_iterations = 3;
        parameters.contact_softness = SpringCoefficients::new(720.0, 10.0);
        let mut rods = vec![world.bodies.insert(RigidBodyBuilder::fixed())];
        let slope_rotation = Rotation::from_axis_angle(Vector::Y, slope);
        for i in 0..links {
            #[expect(clippy::cast_precision_loss, reason = "a few dozen links")]
            let middle = slope_rotation * Vector::new((i as f64 + 0.5) * LENGTH, 0.0, 0.0);
            let across = MASS * LENGTH * LENGTH / 12.0;
            let mass = MassProperties::new(Vector::ZERO, MASS, Vector::new(1e-5, across, across));
            let rod =
                RigidBodyBuilder::dynamic().pose(Pose::from_parts(middle, slope_rotation)).can_sleep(false);
            let rod = world.bodies.insert(rod.additional_mass_properties(mass));
            let joint = joint(formulation, i == 0, driven, slope_rotation);
            if formulation == Formulation::Impulse {
                world.impulse_joints.insert(rods[i], rod, joint, true);
            } else {
                world.multibody_joints.insert(rods[i], rod, joint, true);
            }
            rods.push(rod);
        }
        let mut chain = Self { world, rods, start: 0.0 };
        chain.world.step();
        chain.set_springs(formulation, driven);
        chain.start = chain.energy();
        chain
    }

    /// Takes rapier's default damping away, and lets springs be the motors.
    fn set_springs(&mut self, formulation: Formulation, driven: bool) {
        let Some(index) =
            self.world.multibody_joints.rigid_body_link(self.rods[1]).map(|link| link.multibody)
        else {
            return;
        };
        let Some(multibody) = self.world.multibody_joints.get_multibody_mut(index) else { return };
        let springs = driven && formulation == Formulation::Springs;
        multibody.damping_mut().fill(if springs { DAMPING } else { 0.0 });
        for link in multibody.links_mut().skip(1).filter(|_| springs) {
            link.joint.set_spring(3, STIFFNESS, 0.0);
        }
    }

    /// Maximum distance of two ends that a joint holds together [m], maximum change of the energy over what the chain
    /// loses from the horizontal down, and time of a step [ms].
    fn swing(mut self, seconds: f64) -> [f64; 3] {
        let (mut apart, mut energy) = (0.0_f64, 0.0_f64);
        let steps = (seconds / STEP).round();
        let started = Instant::now();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred steps")]
        for _ in 0..steps as usize {
            self.world.step();
            energy = energy.max((self.energy() - self.start).abs());
            for pair in self.rods.windows(2) {
                let [end, begin] = [self.end_of(pair[0]), self.begin_of(pair[1])];
                apart = apart.max((end - begin).length());
            }
        }
        let cost = started.elapsed().as_secs_f64() * 1e3 / steps;
        #[expect(clippy::cast_precision_loss, reason = "a few dozen links")]
        let links = (self.rods.len() - 1) as f64;
        [apart, energy / (MASS * GRAVITY * links * links * LENGTH / 2.0), cost]
    }

    /// Maximum difference of a motor's moment and the weight that it bears, over the maximum weight's moment.
    fn imbalance(mut self, seconds: f64) -> f64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred steps")]
        for _ in 0..(seconds / STEP).round() as usize {
            self.world.step();
        }
        let (mut worst, mut max) = (0.0_f64, 0.0_f64);
        for i in 1..self.rods.len() {
            let hinge = self.begin_of(self.rods[i]).x;
            let bears = self.rods[i..]
                .iter()
                .map(|&rod| MASS * GRAVITY * (self.world.bodies[rod].translation().x - hinge));
            let bears = bears.sum::<f64>();
            let [before, after] =
                [self.rods[i - 1], self.rods[i]].map(|rod| *self.world.bodies[rod].rotation());
            let relative = before.inverse() * after;
            let exerts = STIFFNESS * 2.0 * relative.y.atan2(relative.w);
            worst = worst.max((exerts - bears).abs());
            max = max.max(bears);
        }
        worst / max
    }

    fn begin_of(&self, rod: RigidBodyHandle) -> Vector {
        *self.world.bodies[rod].position() * Vector::new(-LENGTH / 2.0, 0.0, 0.0)
    }

    fn end_of(&self, rod: RigidBodyHandle) -> Vector {
        let out = if rod == self.rods[0] { 0.0 } else { LENGTH / 2.0 };
        *self.world.bodies[rod].position() * Vector::new(out, 0.0, 0.0)
    }

    fn energy(&self) -> f64 {
        let of_rod = |&rod: &RigidBodyHandle| {
            let body = &self.world.bodies[rod];
            let across = MASS * LENGTH * LENGTH / 12.0;
            0.5 * MASS * body.linvel().length_squared()
                + 0.5 * across * body.angvel().length_squared()
                + MASS * GRAVITY * body.translation().z
        };
        self.rods[1..].iter().map(of_rod).sum()
    }
}

/// A hinge about y; a multibody starts with all of its coordinates at zero, so the first one takes the slope.
fn joint(formulation: Formulation, first: bool, driven: bool, slope_rotation: Rotation) -> GenericJoint {
    let hinge = RevoluteJointBuilder::new(Vector::Y);
    let hinge = if driven && formulation != Formulation::Springs {
        hinge.motor_model(MotorModel::ForceBased).motor_position(0.0, STIFFNESS, DAMPING)
    } else {
        hinge
    };
    let mut joint: GenericJoint = hinge.build().into();
    joint.contacts_enabled = false;
    joint.set_local_anchor1(if first { Vector::ZERO } else { Vector::new(LENGTH / 2.0, 0.0, 0.0) });
    joint.set_local_anchor2(Vector::new(-LENGTH / 2.0, 0.0, 0.0));
    if first && formulation != Formulation::Impulse {
        joint.local_frame1 = Pose::from_rotation(slope_rotation) * joint.local_frame1;
    }
    joint
}
