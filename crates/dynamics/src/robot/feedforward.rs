//! Forces that motors exert besides their own law: gravity compensation and computed torque, by inverse dynamics.
//!
//! With the mass matrix H and the bias c of \[Featherstone08\], gravity compensation is the fraction γ of g(q) = H 0 + c(q, 0), the forces
//! that hold the robot; computed torque is H(q) a + c(q, v) for the acceleration a that the motor asks for.
//! Both are taken where the implicit midpoint rule ([`crate::multibody`]) takes the forces of the motion: in the middle of the step, at q + h/2 (v + h/2 a) and
//! v + h/2 a. So a compensated robot that moves freely keeps its speed, and one with computed torque has the acceleration that was asked for.
//! Joints that mimic others transmit their forces to those. Where loops are closed, both are those of [`super::closed_feedforward`].

use nalgebra::Vector3;

use super::description::RobotJoint;
use super::lift::lift;
use super::motor::Motor;
use super::tree::RobotTree;
use extricate_core::multibody::Placement;
use extricate_core::multibody::inverse::Recursion;

/// Start and length of a step \[s\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Interval {
    pub(super) start: f64,
    pub(super) h: f64,
}

impl Interval {
    /// Instant of the step, from 0 to 1, at which an action that resists velocities with h d + h² k = `ratio` times the inertia is taken: from
    /// the middle for a weak one to the end for a stiff one.
    pub(super) fn instant(ratio: f64) -> f64 {
        1.0 - 0.5 / (1.0 + ratio)
    }

    /// Time \[s\] at an instant.
    pub(super) fn at(&self, instant: f64) -> f64 {
        self.start + instant * self.h
    }
}

/// Target of a motor at a time \[s\], with its first and second derivative.
pub(super) fn target_at(joint: &RobotJoint, motor: &Motor, time: f64) -> [f64; 3] {
    joint.targets.as_ref().map_or([motor.target(), 0.0, 0.0], |curve| curve.at(time))
}

/// Acceleration that computed torque asks for over a step; `None` of other motors. It is the one that the oscillator has there: stable
/// for any frequency.
fn acceleration(joint: &RobotJoint, [position, speed]: [f64; 2], step: &Interval) -> Option<f64> {
    let motor = joint.motor?;
    let Motor::ComputedTorque { stiffness, damping, .. } = motor else { return None };
    let instant = Interval::instant(step.h * (damping + step.h * stiffness));
    let reach = instant * step.h;
    let [target, rate, wanted] = target_at(joint, &motor, step.at(instant));
    let free = wanted + damping * (rate - speed) + stiffness * (target - position - reach * speed);
    Some(free / (1.0 + reach * (damping + reach * stiffness)))
}

impl RobotTree {
    /// Forces of the motors besides their own law, by joint; none where no motor has any. `gravity` [m/s²] is compensated by a fraction.
    pub(super) fn feedforward(
        &self,
        joints: &[&RobotJoint],
        (gravity, fraction): (&Vector3<f64>, f64),
        step: &Interval,
    ) -> Vec<f64> {
        let own = |joint: usize| self.own_velocity(joint);
        let accelerations: Vec<Option<f64>> = joints
            .iter()
            .enumerate()
            .map(|(index, joint)| own(index).and_then(|_| acceleration(joint, self.value(index), step)))
            .collect();
        let computes = accelerations.iter().any(Option::is_some);
        let compensates = fraction > 0.0 && joints.iter().any(|joint| joint.motor.is_some());
        if !computes && !compensates {
            return Vec::new();
        }
        let still = vec![0.0; self.v.len()];
        let compensation = match compensates {
            true => self.compensation(joints, gravity, step.h),
            false => still.clone(),
        };
        let mut wanted = vec![None; self.v.len()];
        for (index, acceleration) in accelerations.iter().enumerate() {
            if let (Some(v), Some(acceleration)) = (own(index), acceleration) {
                wanted[v] = Some(*acceleration);
            }
        }
        let computed = if computes { self.computed(&wanted, gravity, step.h) } else { Vec::new() };
        let of_joint = |(index, joint): (usize, &&RobotJoint)| match (own(index), joint.motor) {
            (Some(v), Some(Motor::ComputedTorque { .. })) => computed[v],
            (Some(v), Some(_)) => fraction * compensation[v],
            _ => 0.0,
        };
        joints.iter().enumerate().map(of_joint).collect()
    }

    /// Forces of the motors that hold the robot where it is in the middle of a step, by velocity.
    fn compensation(&self, joints: &[&RobotJoint], gravity: &Vector3<f64>, h: f64) -> Vec<f64> {
        let still = vec![0.0; self.v.len()];
        if self.loops.is_empty() {
            return self.bias(&still, &still, gravity, h);
        }
        let with_motor = joints.iter().enumerate().filter(|(_, joint)| joint.motor.is_some());
        let actuated: Vec<usize> = with_motor.filter_map(|(index, _)| self.own_velocity(index)).collect();
        let (weights, placement) = self.forces_of_motion(&still, &still, gravity, h);
        self.closed_balance(&placement, &weights, &actuated)
    }

    /// Forces of the motors that cause the accelerations that some of the velocities have, in the middle of a step, by velocity.
    fn computed(&self, wanted: &[Option<f64>], gravity: &Vector3<f64>, h: f64) -> Vec<f64> {
        if !self.loops.is_empty() {
            let all = self.closed_accelerations(wanted, h);
            let (forces, placement) = self.forces_of_motion(&self.v, &all, gravity, h);
            let actuated: Vec<usize> = (0..wanted.len()).filter(|&at| wanted[at].is_some()).collect();
            return self.closed_balance(&placement, &forces, &actuated);
        }
        let mut all: Vec<f64> = wanted.iter().map(|wanted| wanted.unwrap_or(0.0)).collect();
        for coupling in &self.couplings {
            all[coupling.v[0]] = coupling.factor * all[coupling.v[1]];
        }
        self.bias(&self.v, &all, gravity, h)
    }

    /// Forces of the joints at velocities and accelerations in the middle of a step from the present state, those of joints that mimic others as
    /// they bear on these.
    fn bias(&self, v: &[f64], acceleration: &[f64], gravity: &Vector3<f64>, h: f64) -> Vec<f64> {
        let (mut forces, _) = self.forces_of_motion(v, acceleration, gravity, h);
        for coupling in &self.couplings {
            forces[coupling.v[1]] += coupling.factor * forces[coupling.v[0]];
        }
        forces
    }

    /// Forces of the joints as above, each of its own, and the links in the middle of the step.
    fn forces_of_motion(
        &self,
        v: &[f64],
        acceleration: &[f64],
        gravity: &Vector3<f64>,
        h: f64,
    ) -> (Vec<f64>, Placement) {
        let at_middle =
            |v: &[f64]| -> Vec<f64> { v.iter().zip(acceleration).map(|(v, a)| v + 0.5 * h * a).collect() };
        let (mut q, mut placement) = (self.q.clone(), Placement::default());
        self.multibody.advance(&mut q, &at_middle(&self.v), 0.5 * h);
        self.multibody.place(&self.base, &q, &mut placement);
        let (mut forces, mut lifts) = (vec![0.0; v.len()], Vec::new());
        lift(&self.lifts, gravity, placement.poses(), &mut lifts);
        self.multibody.inverse_dynamics(
            &placement,
            [&at_middle(v), acceleration],
            (gravity, &lifts),
            &mut Recursion::default(),
            &mut forces,
        );
        (forces, placement)
    }
}
