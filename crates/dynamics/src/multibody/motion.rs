//! Free motion of a tree over a step by the implicit midpoint rule.
//!
//! a = H⁻¹(τ − c) at q ⊕ h/2 v̄ and v̄ = v + h/2 a, by fixed-point iteration: it contracts by about h |v| an iteration,
//! so that slow robots need few and fast tops more. The force within a joint, moment − k q − d q̇, is that at the end of the step: k and d
//! add h d + h² k to the mass matrix.
//!
//! The displacement of a joint is h times its mean velocity where nothing acts in it, and h times its velocity at the end where a
//! stiff spring does: the mean of both would let an overdamped spring ring.

use std::borrow::Cow;

use nalgebra::{Isometry3, Vector3};

use crate::robot::tree::{Action, RobotTree};
use extricate_core::multibody::factor::SolveBuffer;
use extricate_core::multibody::inverse::Recursion;
use extricate_core::multibody::{Factor, Multibody, Placement, SpatialVector};

/// Maximum number of iterations: of tops that spin by half a radian in a step. A safeguard.
const MAX_ITERATIONS: u32 = 25;
/// Relative change of the velocities at which the iteration has converged. Larger, and the energy of fast tops drifts.
const CONVERGED: f64 = 1e-11;

/// Rotation of a link in a step \[rad\] up to which gyroscopic forces are those of its velocity where the iteration does not converge. More lets
/// explicit steps gain energy.
const FAR: f64 = 0.3;
/// Rotation of a link in a step \[rad\] above which its momentum is integrated: the midpoint rule alone has an error of a twelfth of its square.
const FAST: f64 = 0.02;

/// Acceleration of the fall and duration of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) gravity: Vector3<f64>,
    /// Length \[s\].
    pub(super) h: f64,
}

/// Momenta of the links over a step.
struct Momenta {
    /// At its start: angular about the centres of mass.
    start: Vec<SpatialVector>,
    /// Forces at the middle less the changes of the momenta: references at the origins.
    loads: Vec<SpatialVector>,
    end: Placement,
    motions: Vec<SpatialVector>,
}

impl Momenta {
    /// Momenta at the start of a step of a tree.
    fn new(tree: &MovingTree<'_>) -> Self {
        let (mut end, mut motions) = (Placement::default(), Vec::new());
        tree.multibody.place(&tree.base, &tree.q, &mut end);
        tree.multibody.velocities(&end, &tree.v, &mut motions);
        let momentum = |(link, motion)| tree.multibody.momentum(&end, link, motion);
        let start: Vec<_> = motions.iter().enumerate().map(momentum).collect();
        Self { loads: vec![SpatialVector::ZERO; start.len()], start, end, motions }
    }

    /// Determines the loads for mean velocities `middle`, whose accelerations the last solve of the tree has left.
    fn update(&mut self, tree: &MovingTree<'_>, (step, middle): (&Step, &[f64]), recursion: &Recursion) {
        let v: Vec<f64> = middle.iter().zip(&tree.v).map(|(middle, v)| 2.0 * middle - v).collect();
        let mut q = tree.q.clone();
        tree.multibody.advance(&mut q, middle, step.h);
        tree.multibody.place(&tree.base, &q, &mut self.end);
        tree.multibody.velocities(&self.end, &v, &mut self.motions);
        for (link, load) in self.loads.iter_mut().enumerate() {
            let momentum = tree.multibody.momentum(&self.end, link, &self.motions[link]);
            let center = tree.placement.poses()[link].rotation * tree.multibody.links()[link].center;
            let change = ((momentum - self.start[link]) * step.h.recip()).force_from(&center);
            let mut acceleration = tree.buffer.motions()[link];
            acceleration.linear += step.gravity;
            let force = tree.placement.inertias()[link].times(&acceleration)
                + Multibody::velocity_force(&tree.placement, link, &recursion.motions[link]);
            *load = force - change;
        }
    }
}

/// A tree that moves over a step.
pub(super) struct MovingTree<'a> {
    pub(super) multibody: Cow<'a, Multibody>,
    pub(super) base: Isometry3<f64>,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// Force on each joint at the start of the step less the fall-off of springs and dampers over it.
    joint: Vec<f64>,
    /// θ h d + θ² h² k of each velocity.
    added: Vec<f64>,
    /// Forces within joints: places of the coordinate and of the velocity.
    actions: Vec<([usize; 2], Action)>,
    /// θ.
    pub(super) instant: f64,
    /// Forces on the links: at their centres of mass, world axes.
    pub(super) loads: Vec<SpatialVector>,
    wrenches: Vec<SpatialVector>,
    /// Rates at which a free body loses its velocities, linear and angular [1/s].
    pub(super) damping: [f64; 2],
    /// Velocities at the end of the step.
    pub(super) end: Vec<f64>,
    /// Velocities whose h-fold is the displacement of the step.
    pub(super) mean: Vec<f64>,
    pub(super) placement: Placement,
    pub(super) factor: Factor,
    pub(super) buffer: SolveBuffer,
}

impl<'a> MovingTree<'a> {
    /// A tree at the start of a step without forces.
    pub(super) fn new(multibody: Cow<'a, Multibody>, base: Isometry3<f64>, q: Vec<f64>, v: Vec<f64>) -> Self {
        let count = v.len();
        Self {
            multibody,
            base,
            q,
            joint: vec![0.0; count],
            added: vec![0.0; count],
            actions: Vec::new(),
            instant: 0.5,
            loads: Vec::new(),
            wrenches: Vec::new(),
            damping: [0.0; 2],
            end: v.clone(),
            mean: v.clone(),
            v,
            placement: Placement::default(),
            factor: Factor::default(),
            buffer: SolveBuffer::default(),
        }
    }

    /// A robot at the start of a step, with the forces within its joints.
    pub(super) fn of_robot(tree: &'a RobotTree) -> Self {
        let mut this = Self::new(Cow::Borrowed(&tree.multibody), tree.base, tree.q.clone(), tree.v.clone());
        this.actions.extend(tree.driven().map(|[q, v]| ([q, v], tree.actions[v])));
        this.instant = tree.instant;
        this
    }

    /// Distributes the forces within joints to constant forces and to the mass matrix.
    fn act(&mut self, h: f64) {
        let reach = self.instant * h;
        for &([q, v], action) in &self.actions {
            // Without a change of the velocity.
            let ahead = self.q[q] + reach * self.v[v];
            self.joint[v] = action.moment - action.stiffness * ahead - action.damping * self.v[v];
            self.added[v] = reach * (action.damping + reach * action.stiffness);
        }
    }

    /// Moves the tree freely; its placement and factor are then those of the middle of the step.
    pub(super) fn move_freely(&mut self, step: &Step) {
        self.act(step.h);
        let count = self.v.len();
        let mut recursion = Recursion::default();
        let mut rates = vec![0.0; count];
        let mut middle = self.v.clone();
        let mut q = self.q.clone();
        let mut momenta = None;
        let mut converged = false;
        for _ in 0..MAX_ITERATIONS {
            q.copy_from_slice(&self.q);
            self.multibody.advance(&mut q, &middle, 0.5 * step.h);
            self.multibody.place(&self.base, &q, &mut self.placement);
            self.factor.update(&self.multibody, &self.placement, &self.added);
            self.place_loads();
            if let Some(Momenta { loads, .. }) = &momenta {
                self.wrenches.resize(loads.len(), SpatialVector::ZERO);
                self.wrenches.iter_mut().zip(loads).for_each(|(wrench, load)| *wrench += *load);
            }
            self.factor.forward_dynamics(
                (&self.multibody, &self.placement),
                (&middle, &mut recursion),
                (&self.joint, &self.wrenches),
                (&step.gravity, &mut self.buffer),
                &mut rates,
            );
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for ((middle, v), rate) in middle.iter_mut().zip(&self.v).zip(&rates) {
                let next = v + 0.5 * step.h * rate;
                change = change.max((next - *middle).abs());
                size = size.max(next.abs());
                *middle = next;
            }
            if change <= CONVERGED * size {
                converged = true;
                break;
            }
            let is_fast = recursion.motions.iter().any(|motion| motion.angular.norm() * step.h > FAST);
            if is_fast {
                let momenta = momenta.get_or_insert_with(|| Momenta::new(self));
                momenta.update(self, (step, &middle), &recursion);
            }
        }
        if !converged {
            self.accelerate(step, &mut recursion, &mut rates);
        }
        for at in 0..count {
            self.end[at] = self.v[at] + step.h * rates[at];
            self.mean[at] = self.v[at] + self.instant * step.h * rates[at];
        }
        self.damp(step.h);
    }

    /// Accelerations at the start of the step, where the iteration does not converge: steps in which a link rotates far. Gyroscopic forces are
    /// those of velocities at which no link rotates by more than [`FAR`].
    fn accelerate(&mut self, step: &Step, recursion: &mut Recursion, rates: &mut [f64]) {
        self.multibody.place(&self.base, &self.q, &mut self.placement);
        self.factor.update(&self.multibody, &self.placement, &self.added);
        self.place_loads();
        self.multibody.velocities(&self.placement, &self.v, &mut recursion.motions);
        let angle =
            recursion.motions.iter().map(|motion| motion.angular.norm() * step.h).fold(0.0_f64, f64::max);
        let fraction = if angle > FAR { FAR / angle } else { 1.0 };
        let slowed: Vec<f64> = self.v.iter().map(|v| fraction * v).collect();
        self.factor.forward_dynamics(
            (&self.multibody, &self.placement),
            (&slowed, recursion),
            (&self.joint, &self.wrenches),
            (&step.gravity, &mut self.buffer),
            rates,
        );
    }

    /// Damps the velocities of a free body.
    fn damp(&mut self, h: f64) {
        if self.damping.iter().all(|rate| *rate <= 0.0) {
            return;
        }
        for at in 0..self.v.len() {
            self.end[at] /= 1.0 + h * self.damping[usize::from(at >= 3)];
            self.mean[at] = self.v[at] + self.instant * (self.end[at] - self.v[at]);
        }
    }

    /// Forces on the links with their origins as reference.
    fn place_loads(&mut self) {
        self.wrenches.clear();
        let centers = self.multibody.links().iter().zip(self.placement.poses()).zip(&self.loads);
        self.wrenches
            .extend(centers.map(|((link, pose), load)| load.force_from(&(pose.rotation * link.center))));
    }
}
