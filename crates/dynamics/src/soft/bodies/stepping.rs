//! A step of the soft bodies, coupled with the rigid ones.

use std::time::Instant;

use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::pipeline::PhysicsWorld;

use super::description::{SoftOptions, SoftScheme};
use super::handle::{Holder, handle_pose};
use super::jointed::{Coordinates, Follower, Jointed, JointedMotion, JointedRobots, StepLinks};
use super::partner::{Moving, Partner, Role};
use super::state::{SoftLoad, SoftReport};
use super::supports::Touches;
use super::world::{SoftWorld, Spring, body_of};
use crate::error::SoftError;
use crate::soft::attachment::{Attached, Attachment};
use crate::soft::contact::{Memory, Motion, Pressure};
use crate::soft::interaction::{Interaction, OuterProducts};
use crate::soft::support::{Supported, Supports};
use crate::soft::{ExtraBlock, Scheme, SoftStepReport, StepOptions, Times};
use crate::state::AnyBody;

/// Maximum number of halvings of a step that does not converge: 4 substeps. Each attempt costs up to the maximum number
/// of Newton iterations, which its substeps share; those of the last one end with their best iterates. Those of `finer.rs` come after it.
pub(super) const MAX_HALVINGS: u32 = 2;

/// Relative change of the energy of contact by the last refresh of the active set above which a step that did not converge after it is
/// halved where the pressure stiffens: what is deep then was not seen before. Above it the descent of the last attempt continues.
/// Larger: contacts found late go deeper; smaller: more steps are halved.
pub(super) const MAX_DRIFT: f64 = 0.5;

/// Pressures that a jammed step is repeated with, one after another.
const EASINGS: [Pressure; 3] = [Pressure::Stiffens, Pressure::Eased, Pressure::Linear];

/// Maximum number of solves of a step in which motors or friction within joints reach or leave their bounds under the loads found: after it they are
/// at those of the solve before.
const MAX_ROUNDS: usize = 4;

/// A step that failed in all attempts.
pub(crate) struct Failure {
    pub(crate) source: SoftError,
    /// Substeps of the last attempt.
    pub(crate) parts: usize,
}

/// State at the start of a step, for its next attempt.
pub(super) struct Before {
    /// Positions and velocities of all blocks.
    nodes: [Vec<Vector3<f64>>; 2],
    contact: Memory,
}

impl SoftWorld {
    /// Advances the soft bodies by the step of the world that begins at `time` and takes `dt` [s], and applies their loads to the
    /// rigid ones; `robots` are the motions of those near soft bodies. A step that does not converge is repeated in 2 and 4 substeps, of which each is a descent that ends with its best iterate where it does
    /// not converge either; then, where these leave bodies deep or jammed, with the whole bound on iterations for each part, in finer ones ([`Self::refines`]); then, where one of them is jammed ([`SoftReport::jammed`]) and deep, with eased contacts ([`Self::ease`]). On failure, where the state is not finite, it is as before.
    pub(crate) fn step(
        &mut self,
        physics: &mut PhysicsWorld,
        options: &SoftOptions,
        (time, dt): (f64, f64),
        robots: &mut dyn JointedRobots,
    ) -> Result<(SoftReport, Times), Failure> {
        let start = Instant::now();
        let (moving, touches) = self.motions(physics, options, dt);
        let before = self.before();
        let (mut rounds, mut joining) = (1, self.joins_none());
        let (mut halvings, mut finer, mut easings) = (0, self.refines_none(), EASINGS.into_iter());
        let (moved, (mut report, mut times)) = loop {
            let mut moved = moving.clone();
            let (parts, options) = finer.parts(options, halvings);
            let mut links = self.links(robots.motions());
            let done = self.substeps((&mut moved, &mut links, &touches), &options, (time, dt), parts);
            if self.repeats(&mut joining, &before, done.is_err()) || self.refines(&mut finer, &before, &done)
            {
                continue;
            }
            match done {
                Ok((report, _))
                    if report.jammed > 0 && self.is_deep() && self.ease(&before, &mut easings) => {}
                Ok(done) => {
                    if rounds == MAX_ROUNDS || !robots.adapt(&self.link_loads(&moved)) {
                        break (moved, done);
                    }
                    rounds += 1;
                    self.put_back(&before);
                }
                Err(source) => {
                    self.put_back(&before);
                    if halvings == MAX_HALVINGS {
                        return Err(Failure { source, parts });
                    }
                    halvings += 1;
                }
            }
        };
        self.contact.end_easing();
        let looking = Instant::now();
        self.collect_loads(&moved, time + dt, &mut report);
        for (partner, moving) in self.partners.iter_mut().zip(&moved) {
            partner.apply_load(physics, moving, dt);
        }
        self.update_overlaps();
        self.report_overlaps(&mut report);
        report.fields = self.contact.take_field_work();
        if report.fields.updates > 0 {
            self.update_depths();
        }
        times.contact += looking.elapsed().as_secs_f64();
        times.total = start.elapsed().as_secs_f64();
        Ok((report, times))
    }

    /// Motions of the rigid bodies in a step of `dt` \[s\] without the soft ones, and where they may meet each other.
    fn motions(&self, physics: &PhysicsWorld, options: &SoftOptions, dt: f64) -> (Vec<Moving>, Touches) {
        let mut moving: Vec<_> = self.partners.iter().map(|partner| partner.moving(physics, dt)).collect();
        if !options.scheme.damps() {
            moving.iter_mut().for_each(|moving| moving.lag = Default::default());
            return (moving, Touches::default());
        }
        let touches = self.touches(physics, dt);
        for (index, moving) in moving.iter_mut().enumerate() {
            if touches.support(index) {
                moving.acceleration = [physics.gravity.into(), Vector3::zeros()];
            }
        }
        (moving, touches)
    }

    /// The links of robots with the present motions of these.
    fn links<'a>(&self, motions: &'a [JointedMotion]) -> StepLinks<'a> {
        let leaders = motions.iter().map(|motion| self.coordinates[motion.robot].0).collect();
        StepLinks::new(motions, leaders, self.partners.iter().map(|partner| partner.handle))
    }

    /// Mean loads in the step on the links that yield.
    fn link_loads(&self, moving: &[Moving]) -> Vec<(RigidBodyHandle, SoftLoad)> {
        let of = self.partners.iter().zip(moving);
        of.filter_map(|(partner, moving)| Some((partner.handle, moving.load?))).collect()
    }

    /// Prepares the repetition of a step that is jammed: the pairs of bodies that are deep in each other at its start or
    /// its end get the next of the `easings` that changes their pressure until they have parted. Returns whether there is one, and puts
    /// back the start if so.
    fn ease(&mut self, before: &Before, easings: &mut impl Iterator<Item = Pressure>) -> bool {
        let deep = self.contact.deep_pairs_at(&before.nodes[0], &self.system.x);
        let Some(to) = easings.find(|to| self.contact.can_ease(&deep, *to)) else { return false };
        self.put_back(before);
        self.contact.ease(&deep, to);
        true
    }

    /// The state at the start of a step.
    pub(super) fn before(&self) -> Before {
        Before { nodes: [self.system.x.clone(), self.system.v.clone()], contact: self.contact.memory() }
    }

    /// Puts back the state at the start of a step.
    pub(super) fn put_back(&mut self, before: &Before) {
        self.system.x.clone_from(&before.nodes[0]);
        self.system.v.clone_from(&before.nodes[1]);
        self.contact.set_memory(before.contact.clone());
    }

    /// The step in `parts` equal substeps.
    fn substeps(
        &mut self,
        (moving, links, touches): (&mut [Moving], &mut StepLinks<'_>, &Touches),
        options: &SoftOptions,
        (time, dt): (f64, f64),
        parts: usize,
    ) -> Result<(SoftReport, Times), SoftError> {
        links.restart();
        let mut report = SoftReport { parts, ..SoftReport::default() };
        let mut times = Times::default();
        let length = dt / parts as f64;
        for part in 1..=parts {
            let end = time + dt * (part as f64 / parts as f64);
            let done = self.substep((moving, links, touches), options, (end, length, parts))?;
            report.newton_iterations += done.newton_iterations;
            report.linear_iterations += done.linear_iterations;
            report.residual = done.residual;
            report.relative_residual = done.relative_residual;
            report.unconverged += usize::from(done.unconverged);
            let spent = done.newton_iterations >= options.newton.max_iterations;
            let is_jammed = done.unconverged && (!spent || self.contact.has_deep_at(&self.system.x));
            report.jammed += usize::from(is_jammed);
            times.assembly += done.times.assembly;
            times.solve += done.times.solve;
            times.contact += done.times.contact;
        }
        Ok((report, times))
    }

    /// A substep that ends at `end` and takes `dt` [s].
    fn substep(
        &mut self,
        (moving, links, touches): (&mut [Moving], &mut StepLinks<'_>, &Touches),
        options: &SoftOptions,
        (end, dt, parts): (f64, f64, usize),
    ) -> Result<SoftStepReport, SoftError> {
        self.place_rigid_bodies((moving, links), options.scheme, dt);
        self.place_coordinates(links, (dt, 1.0 / parts as f64));
        let followers = self.followers((moving, links), parts);
        let poses: Vec<Isometry3<f64>> = moving.iter().map(|moving| moving.pose_after(dt)).collect();
        self.prescribed
            .iter()
            .for_each(|hold| hold.prescribe(&mut self.system, (end, dt), &|index| poses[index]));
        let attachments = self.attachments(moving);
        let mut supports = self.supports(touches, moving, dt);
        let starting = Instant::now();
        self.contact.begin_step(&self.system.x, dt);
        let began = starting.elapsed().as_secs_f64();
        let mut attached = Attached { attachments: &attachments, other: &mut self.contact };
        let mut supported;
        let supporting: &mut dyn Interaction = if supports.bodies.is_empty() {
            &mut attached
        } else {
            supported = Supported { supports: &mut supports, other: &mut attached };
            &mut supported
        };
        let mut jointed;
        let attached: &mut dyn Interaction = if links.is_empty() {
            supporting
        } else {
            jointed = Jointed::new(&followers, supporting);
            &mut jointed
        };
        let mut pulled;
        let acts: &mut dyn Interaction = match &self.pull {
            Some(pull) => {
                let (state, how) = ((&self.system.x[..], dt), (&self.system.gravity, options.scheme));
                pulled = pull.during(state, how, attached);
                &mut pulled
            }
            None => attached,
        };
        let mut step = StepOptions { newton: options.newton, linear: options.linear, ..Default::default() };
        let mut report = match options.scheme {
            SoftScheme::Dynamic(scheme) => {
                step.scheme = scheme;
                self.system.step(dt, &step, acts)?
            }
            SoftScheme::QuasiStatic => self.system.solve_beside_extra(dt, &step, acts)?,
        };
        report.times.contact += began;
        for follower in &followers {
            let at = follower.at(&self.system.x);
            (self.system.x[follower.block], self.system.x[follower.block + 1]) = (at[0], at[1]);
        }
        links.advance(&self.system.x, dt);
        if options.scheme.damps() {
            self.contact.end_step(&self.system.x);
        }
        self.advance_rigid_bodies((moving, links, &supports), options.scheme, dt);
        if !links.is_empty() {
            self.add_link_loads((moving, links), 1.0 / parts as f64);
        }
        Ok(report)
    }

    /// Sets obstacles and extra blocks to the poses and predicted velocities of the rigid bodies.
    fn place_rigid_bodies(
        &mut self,
        (moving, links): (&[Moving], &StepLinks<'_>),
        scheme: SoftScheme,
        dt: f64,
    ) {
        for (index, (partner, moving)) in self.partners.iter().zip(moving).enumerate() {
            let is_solved = partner.role == Role::Free || links.follows(index);
            let motion = match partner.role {
                Role::Fixed => Motion::Fixed,
                // The block replaces the pose during the solve.
                _ if is_solved => Motion::Dynamic {
                    block: u32::try_from(self.system.extra_block(partner.extra.unwrap_or_default()))
                        .expect("blocks fit 32 bits"),
                },
                _ => moving.driven(),
            };
            let pose = if is_solved { moving.pose } else { moving.pose_after(dt) };
            self.contact.move_obstacle(index, pose, motion);
            let Some(extra) = partner.extra else { continue };
            let mut blocks = moving.blocks(moving.velocity_with_drift(start_fraction(scheme), dt));
            // Blocks of links without springs that lead are held where they are: the first iteration is not judged where any moves.
            let is_lifted = partner.role == Role::Link
                && !links.follows(index)
                && self.springs.iter().any(|spring| spring.partner == index);
            let targets = if is_lifted {
                [moving.pose_after(dt).translation.vector, dt * moving.velocity[1]]
            } else {
                [moving.pose.translation.vector, Vector3::zeros()]
            };
            if partner.role == Role::Link && !is_lifted {
                // The inertia of what follows is that of the coordinates.
                blocks.iter_mut().for_each(|block| block.inertia = Matrix3::zeros());
            }
            for place in 0..2 {
                self.system.set_extra(extra + place, blocks[place]);
                if partner.role == Role::Link {
                    let block = self.system.extra_block(extra + place);
                    self.system.prescribe(block, [true; 3], targets[place]);
                }
            }
        }
    }

    /// Sets the coordinates of the robots that yield to the start of a substep; those of others are held.
    fn place_coordinates(&mut self, links: &StepLinks<'_>, (dt, part): (f64, f64)) {
        let block = |inertia: f64, [position, velocity]: [Vector3<f64>; 2]| ExtraBlock {
            inertia: Matrix3::from_diagonal_element(inertia),
            position,
            velocity,
            falls: false,
        };
        let nodes = self.system.node_blocks().end;
        for place in self.coordinates.iter().flat_map(|&(first, count)| first..first + count) {
            self.system.set_extra(place - nodes, block(0.0, Default::default()));
            self.system.prescribe(place, [true; 3], Vector3::zeros());
        }
        for Coordinates { block: place, inertia, rate, expected, held } in links.coordinates(part) {
            // The solve sets out from where the expected loads lead, and inertia leads to where none do.
            self.system.set_extra(place - nodes, block(inertia, [dt * expected, rate - expected]));
            self.system.prescribe(place, held, Vector3::zeros());
        }
    }

    /// The blocks of links that follow the coordinates of their robots in a substep, one of `parts`, at whose start the bodies are at `moving`.
    fn followers<'a>(&self, (moving, links): (&[Moving], &StepLinks<'a>), parts: usize) -> Vec<Follower<'a>> {
        let part = 1.0 / parts as f64;
        let of = |(index, (partner, moving)): (usize, (&Partner, &Moving))| {
            let block = self.system.extra_block(partner.extra?);
            links.follower(index, block, (moving.pose.translation.vector, part))
        };
        self.partners.iter().zip(moving).enumerate().filter_map(of).collect()
    }

    /// Adds the loads on links that follow at the end of a substep, the `part` of them that it is of the step.
    fn add_link_loads(&mut self, (moving, links): (&mut [Moving], &StepLinks<'_>), part: f64) {
        let wrenches = self.contact.wrenches(&self.system.x);
        for (index, (wrench, moving)) in wrenches.iter().zip(&mut *moving).enumerate() {
            if links.follows(index) {
                let load = moving.load.get_or_insert_default();
                load.force += part * wrench.force;
                load.torque += part * wrench.torque;
            }
        }
        for spring in &self.springs {
            let [force, torque] = self.spring_load(spring, &moving[spring.partner].pose);
            if let Some(load) = &mut moving[spring.partner].load {
                load.force += part * force;
                load.torque += part * torque;
            }
        }
    }

    /// Force and torque of the spring of an attachment on its rigid body at a pose.
    fn spring_load(&self, spring: &Spring, pose: &Isometry3<f64>) -> [Vector3<f64>; 2] {
        let arm = pose.rotation * spring.place.coords;
        let force = spring.stiffness * (self.system.x[spring.node] - pose.translation.vector - arm);
        [force, arm.cross(&force)]
    }

    /// The springs of attachments at the current poses of the rigid bodies.
    fn attachments(&self, moving: &[Moving]) -> Vec<Attachment> {
        let narrow = |block: usize| u32::try_from(block).expect("blocks fit 32 bits");
        let springs = self.springs.iter().map(|spring| Attachment {
            node: narrow(spring.node),
            body: narrow(self.system.extra_block(self.partners[spring.partner].extra.unwrap_or_default())),
            arm: moving[spring.partner].pose.rotation * spring.place.coords,
            stiffness: spring.stiffness,
        });
        springs.collect()
    }

    /// Advances the rigid bodies: free ones to their solution, others along their velocities.
    fn advance_rigid_bodies(
        &self,
        (moving, links, supports): (&mut [Moving], &StepLinks<'_>, &Supports),
        scheme: SoftScheme,
        dt: f64,
    ) {
        let held = supports.loads(&self.system.x);
        for (index, (partner, moving)) in self.partners.iter().zip(moving).enumerate() {
            let solved = partner.extra.filter(|_| partner.role == Role::Free || links.follows(index));
            let Some(extra) = solved else {
                moving.pose = moving.pose_after(dt);
                continue;
            };
            let [position, rotation] = [0, 1].map(|place| self.system.extra_block(extra + place));
            if links.follows(index) {
                let rotated =
                    UnitQuaternion::from_scaled_axis(self.system.x[rotation]) * moving.pose.rotation;
                moving.pose = Isometry3::from_parts(self.system.x[position].into(), rotated);
                continue;
            }
            let expected = moving.velocity_with_drift(start_fraction(scheme), dt);
            let solved = [self.system.v[position], self.system.v[rotation]];
            let coordinate = [self.system.x[position].norm(), self.system.x[rotation].norm()];
            let support = supports.bodies.iter().position(|body| body.block as usize == position);
            let held = support.map(|at| moving.response(held[at], dt));
            // Where no soft body acts, the difference of both is what the solve left of its residual.
            let is_pressed = held.is_none() || self.is_pressed(index);
            for i in 0..2 {
                let change = solved[i] - expected[i];
                // Rounding must not change a body without contact.
                let rounding = ROUNDING * (coordinate[i] / dt + expected[i].norm());
                let change = if change.norm() > rounding { change } else { Vector3::zeros() };
                if is_pressed {
                    let held = held.map_or(Vector3::zeros(), |held| held[i]);
                    moving.change[i] += change - held;
                    moving.held[i] += held;
                }
                moving.velocity[i] += dt * moving.acceleration[i] + change;
            }
            let orientation =
                UnitQuaternion::from_scaled_axis(self.system.x[rotation]) * moving.pose.rotation;
            moving.pose = Isometry3::from_parts(self.system.x[position].into(), orientation);
            moving.lag = Default::default();
        }
    }

    /// Whether a soft body acts on a rigid one.
    fn is_pressed(&self, index: usize) -> bool {
        let mut contacts = self.contact.last_contacts().iter();
        let body = AnyBody::Rigid(index);
        contacts.any(|contact| {
            body_of(contact.field) == body || body_of(self.contact.owner(contact.probe)) == body
        }) || self.springs.iter().any(|spring| spring.partner == index)
    }

    /// Collects the loads at the end of the step, at `time` \[s\], on bodies without blocks of their own and of handles, and the imbalance of
    /// all contact forces.
    fn collect_loads(&mut self, moving: &[Moving], time: f64, report: &mut SoftReport) {
        let x = &self.system.x;
        let wrenches = self.contact.wrenches(x);
        let mut gradient = vec![Vector3::zeros(); x.len()];
        self.contact.linearise(x, &mut gradient, &mut OuterProducts::default());
        let on_nodes: Vector3<f64> = self.system.node_blocks().map(|block| -gradient[block]).sum();
        let on_rigid: Vector3<f64> = wrenches.iter().map(|wrench| wrench.force).sum();
        report.imbalance = (on_nodes + on_rigid).norm();
        report.contact_force = self.contact.contacts(x).iter().map(|contact| contact.force().norm()).sum();
        for (partner, wrench) in self.partners.iter_mut().zip(&wrenches) {
            (partner.state.load.force, partner.state.load.torque) = (wrench.force, wrench.torque);
        }
        for spring in &self.springs {
            let [force, torque] = self.spring_load(spring, &moving[spring.partner].pose);
            let load = &mut self.partners[spring.partner].state.load;
            load.force += force;
            load.torque += torque;
        }
        for hold in &mut self.prescribed {
            let center = match &hold.by {
                Holder::Handle(handle) => (handle_pose(handle, time) * handle.pivot).coords,
                Holder::Body(index) => moving[*index].pose.translation.vector,
            };
            hold.collect_load(&self.system, &center);
            if let Holder::Body(index) = hold.by {
                let load = &mut self.partners[index].state.load;
                load.force -= hold.load.force;
                load.torque -= hold.load.torque;
            }
        }
        for (partner, moving) in self.partners.iter_mut().zip(moving) {
            partner.state.load = moving.load.unwrap_or(partner.state.load);
        }
    }
}

/// Change of velocity over the velocities involved that is indistinguishable from rounding. A safeguard against changes
/// of bodies that have no contact, without effect on the sets of docs/sensitivity.md.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Fraction of a step's velocity change by a constant acceleration to be added to a block's initial velocity, so that the scheme
/// moves the block as that acceleration would.
fn start_fraction(scheme: SoftScheme) -> f64 {
    match scheme {
        SoftScheme::Dynamic(Scheme::ImplicitMidpoint | Scheme::Newmark) => 0.5,
        SoftScheme::Dynamic(Scheme::ImplicitEuler | Scheme::SymplecticEuler) | SoftScheme::QuasiStatic => 1.0,
    }
}
