//! Free motion of a tree over a step by the implicit midpoint rule of [`super::midpoint`].
//!
//! The force within a joint, moment − k q − d q̇, is that at the end of the step: k and d add h d + h² k to the mass matrix. The displacement of a
//! joint is h times its mean velocity where nothing acts in it, and h times its velocity at the end where a stiff spring does: the mean of
//! both would let an overdamped spring ring.
//!
//! Where the iteration does not converge, or links of a tree with loops rotate far, the step is divided into pieces; loops are closed at the end of each.

use std::borrow::Cow;

use nalgebra::{Isometry3, Point3};

use super::coupled::synchronise;
use super::midpoint::{Forces, Midpoint, Step};
use crate::algebra::add;
use crate::robot::carried::carried_velocities;
use crate::robot::closed_rows::{Closed, Closing};
use crate::robot::coupling::Coupling;
use crate::robot::lift::{Lift, lift};
use crate::robot::limited::Limited;
use crate::robot::loops::TreeLoop;
use crate::robot::outside::OutsideForces;
use crate::robot::tree::{Drive, RobotTree, TreeEnd};
use extricate_core::multibody::factor::SolveBuffer;
use extricate_core::multibody::inverse::Recursion;
use extricate_core::multibody::{Factor, Multibody, Placement, SpatialVector};

/// Numbers of pieces that a step is divided into, one after another, until the iterations of all converge.
const PIECES: [u32; 4] = [1, 4, 16, 64];

/// Rotation of a link in a piece of a step \[rad\] above which a tree with loops moves in shorter ones. Larger, and the rows of the middle lead elsewhere
/// than the loops by more than a projection may undo: linkages that whirl gain energy.
const SWEPT: f64 = 0.1;

/// Rotation of a link in a step \[rad\] above which rows for the velocity at the end are those of the end. Larger, and heavy links on light ones that
/// spin gain energy from contacts.
const SWUNG: f64 = 0.02;
/// Rotation of a link in a step \[rad\] below which rows are those of the middle.
const STEADY: f64 = 0.002;
/// Change of the kinetic energy in a step, as a fraction of it, that no row did, above which rows for the velocity at the end are those of the end
/// as well. Larger, and links far from each other that bear each other gain or lose energy: 1e-3 leaves 5 % of a fall in a second.
const BENT: f64 = 1e-4;

/// Largest velocity of a displacement that starts from the impulses of the last step, over the largest one of the free motion, above which these are taken for those of
/// jammed contacts that oppose each other: millions of newton seconds, which a small change of the contacts leaves without balance. In the fingers of Jaco it is
/// thousands, and they are thrown by hundreds of radians per second.
const THROWN: f64 = 10.0;

/// Excess of the energy after a step, over the kinetic one, above which it is left: where links reverse, and velocities say little of the energy. A safeguard.
const EXCESSIVE: f64 = 0.1;

/// The middle of a step, at which forces that are not stiff are taken: an error of second order.
pub(super) const MIDDLE: f64 = 0.5;

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
    /// Forces within joints, with the places of their coordinates and velocities.
    pub(super) drives: Vec<([usize; 2], Drive)>,
    /// Joints that follow others.
    pub(super) couplings: &'a [Coupling],
    /// Loops that it closes.
    pub(super) loops: &'a [TreeLoop],
    /// Joints with limits, beyond which no loop is closed.
    limited: &'a [Limited],
    /// Rows of couplings and loops that are not redundant at the start of the step, and where the tree is placed. [`super::closed_motion::begin`] determines
    /// them where there are loops; without loops all count.
    pub(super) kept: [Option<Vec<usize>>; 2],
    /// Impulses of the rows of couplings and loops over the step, by which a tree with loops holds them.
    held: Vec<f64>,
    /// Forces with which limits bear joints that rest at them in the free motion, by velocity [N·m or N]; empty where none does.
    pub(super) bearing: Vec<f64>,
    /// Whether these are other ones than those of the free motion.
    bears: bool,
    /// θ: instant of the step, from ½ to 1, at which the force within each joint is taken.
    pub(super) instants: Vec<f64>,
    /// Earliest of them. The end where soft bodies may touch the tree: they know its links there, and what balances their load must not move it.
    earliest: f64,
    /// Forces on the links: at their centres of mass, world axes.
    pub(super) loads: Vec<SpatialVector>,
    /// Forces that bear the weight of links.
    lifts: &'a [Lift],
    /// Impulses of the rows of couplings and loops on the velocities at the end, besides those by which they hold.
    pub(super) row_impulses: Vec<f64>,
    /// The tree at the start of the step, where it is known.
    pub(super) start: Option<&'a Placement>,
    /// Accelerations at which the iteration for the free motion starts, those of the last step; empty where they are not known.
    pub(super) guess: &'a [f64],
    /// Accelerations of the free motion, or of its last piece.
    pub(super) rates: Vec<f64>,
    /// The tree at the end of the step, where it is known.
    arrival: Option<Placement>,
    /// Rates at which a free body loses its velocities, linear and angular [1/s].
    pub(super) damping: [f64; 2],
    /// Velocities at the end of the step.
    pub(super) end: Vec<f64>,
    /// Velocities whose h-fold is the displacement of the step.
    pub(super) mean: Vec<f64>,
    /// Velocities of the displacement and at the end of the free motion.
    free: [Vec<f64>; 2],
    /// Largest rotation of a link in the displacement \[rad\], where it was determined.
    rotation: f64,
    /// Number of pieces that the step was divided into.
    pub(super) pieces: u32,
    pub(super) placement: Placement,
    /// Whether it is placed at the end of the step, not in its middle.
    pub(super) is_at_end: bool,
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
            drives: Vec::new(),
            couplings: &[],
            loops: &[],
            limited: &[],
            kept: [None, None],
            held: Vec::new(),
            bearing: Vec::new(),
            bears: false,
            instants: vec![MIDDLE; count],
            earliest: MIDDLE,
            loads: Vec::new(),
            lifts: &[],
            row_impulses: Vec::new(),
            start: None,
            guess: &[],
            rates: Vec::new(),
            arrival: None,
            damping: [0.0; 2],
            end: v.clone(),
            mean: v.clone(),
            free: [v.clone(), v.clone()],
            v,
            rotation: 0.0,
            pieces: 1,
            placement: Placement::default(),
            is_at_end: false,
            factor: Factor::default(),
            buffer: SolveBuffer::default(),
        }
    }

    /// A robot at the start of a step, with the forces within its joints.
    pub(super) fn of_robot(tree: &'a RobotTree, h: f64) -> Self {
        let mut this = Self::new(Cow::Borrowed(&tree.multibody), tree.base, tree.q.clone(), tree.v.clone());
        this.drives.clone_from(&tree.drives);
        this.couplings = &tree.couplings;
        this.loops = &tree.loops;
        this.limited = &tree.limited;
        this.lifts = &tree.lifts;
        this.start = Some(&tree.placement);
        this.guess = &tree.rates;
        if tree.is_beside_soft {
            this.earliest = 1.0;
            this.instants.fill(1.0);
        }
        this.choose_instants(h);
        this
    }

    /// Takes the force within each joint as late as its spring and damper are stiff; returns whether any instant changes.
    pub(super) fn choose_instants(&mut self, h: f64) -> bool {
        let before = self.instants.clone();
        for ([_, v], drive) in &self.drives {
            let (action, inertia) = (drive.action(), drive.inertia());
            let stiffness = h * (action.damping + h * action.stiffness);
            let instant =
                if stiffness > 0.0 { 1.0 - MIDDLE * inertia / (inertia + stiffness) } else { MIDDLE };
            self.instants[*v] = instant.max(self.earliest);
        }
        synchronise(self.couplings, &mut self.instants);
        before.iter().zip(&self.instants).any(|(before, now)| before.total_cmp(now).is_ne())
    }

    /// Whether the force within any joint is taken later than in the middle of the step.
    pub(super) fn is_late(&self) -> bool {
        self.instants.iter().any(|instant| *instant > MIDDLE)
    }

    /// Velocities whose h-fold is the displacement, without the impulses of rows in it: those of the free motion, and what the velocity at the end has of
    /// rows, `end` and `response` with and without couplings, as far as a joint is later than the middle. Rows whose impulse in the displacement is half
    /// of that at the end then leave at rest what is at rest.
    pub(super) fn lead(&mut self, end: &[f64], response: &[f64]) {
        let mut led = self.free[0].clone();
        for (at, mean) in led.iter_mut().enumerate() {
            *mean += self.instants[at] * (end[at] - self.end[at]) - MIDDLE * response[at];
        }
        let largest = |v: &[f64]| v.iter().fold(0.0_f64, |largest, v| largest.max(v.abs()));
        let free = largest(&self.v).max(largest(&self.free[0])).max(largest(&self.free[1]));
        if largest(&led) <= THROWN * free {
            self.mean = led;
        }
    }

    /// Corrects the forces within the joints for the motion that was found; returns whether any changes. `ends` says whether the velocities at the end count,
    /// which impacts throw, and `may` whether bounds may be reached.
    pub(super) fn correct(&mut self, h: f64, (ends, may): (bool, bool)) -> bool {
        let mut drives = std::mem::take(&mut self.drives);
        let mut changes = std::mem::take(&mut self.bears);
        for ([_, v], drive) in &mut drives {
            let speeds = self.speeds(*v);
            changes |= drive.correct(&speeds[..if ends { 2 } else { 1 }], (self.instants[*v] * h, may));
        }
        self.drives = drives;
        changes
    }

    /// Lets a limit bear a joint in the free motion with a force [N·m or N].
    pub(super) fn bear(&mut self, v: usize, force: f64) {
        self.bearing.resize(self.v.len(), 0.0);
        self.bearing[v] = force;
        self.bears = true;
    }

    /// Force with which a limit bears a joint in the free motion [N·m or N].
    pub(super) fn borne(&self, v: usize) -> f64 {
        self.bearing.get(v).copied().unwrap_or(0.0)
    }

    /// Velocities of the displacement of a free motion in pieces, which follow the loops where the middle of it does not; `None` of one piece.
    pub(super) fn free_path(&self) -> Option<&[f64]> {
        (self.pieces > 1).then_some(&self.free[0][..])
    }

    /// Velocity of the displacement of the free motion [rad/s or m/s].
    pub(super) fn free_speed(&self, v: usize) -> f64 {
        self.free[0][v]
    }

    /// Number of joints within which a motor or friction is stronger than its bound; `ends` as above.
    pub(super) fn exceeding(&self, h: f64, ends: bool) -> usize {
        let exceeds = |([_, v], drive): &&([usize; 2], Drive)| {
            drive.exceeds(&self.speeds(*v)[..if ends { 2 } else { 1 }], self.instants[*v] * h)
        };
        self.drives.iter().filter(exceeds).count()
    }

    /// Speeds of a joint in the displacement and at the end, at the instant of the forces.
    fn speeds(&self, v: usize) -> [f64; 2] {
        [self.mean[v], self.v[v] + self.instants[v] * (self.end[v] - self.v[v])]
    }

    /// Work of the forces within the joints over the displacement of a step of `h` \[s\] \[J\].
    pub(super) fn work(&self, h: f64) -> f64 {
        let of = |([q, v], drive): &([usize; 2], Drive)| {
            let (action, speed) = (drive.action(), self.mean[*v]);
            let ahead = self.q[*q] + self.instants[*v] * h * speed;
            (action.moment - action.stiffness * ahead - action.damping * speed) * speed * h
        };
        self.drives.iter().map(of).sum()
    }

    /// Whether forces besides those of joints, contacts and gravity act on its links.
    pub(super) fn is_loaded(&self) -> bool {
        !self.lifts.is_empty() || self.loads.iter().any(|load| *load != SpatialVector::ZERO)
    }

    /// Coordinates, velocities and forces within the joints at the end of a step of `h` \[s\].
    pub(super) fn into_end(mut self, h: f64) -> TreeEnd {
        let outside = OutsideForces::new(&self.loads, self.closing_forces(h));
        self.multibody.advance(&mut self.q, &self.mean, h);
        TreeEnd {
            q: self.q,
            v: self.end,
            mean: self.mean,
            drives: self.drives,
            h,
            instants: self.instants,
            limits: Vec::new(),
            outside,
            rates: self.rates,
            placement: self.arrival,
        }
    }

    /// Whether nothing acts within its joints, on its links or as a loop: it moves by gravity alone.
    fn is_limp(&self) -> bool {
        let mut acting = self.joint.iter().chain(&self.added);
        self.loops.is_empty() && !self.is_loaded() && acting.all(|force| force.abs() <= 0.0)
    }

    /// Ends the step of a tree on which rows acted or did not. Where it moved by gravity alone, on a fixed base, its energy is that at the start, and its
    /// accelerations are a guess of those in the next step.
    pub(super) fn finish(&mut self, step: &Step, has_rows: bool) {
        let links = self.multibody.links();
        let is_fixed = links.iter().all(|link| link.parent.is_some() || link.joint.freedoms() == 1);
        if !has_rows && is_fixed && self.pieces == 1 && self.is_limp() {
            self.keep_energy(step);
        } else {
            self.rates.clear();
        }
    }

    /// Scales the velocities at the end such that the energy is that at the start: of all velocities with that energy these are the nearest in kinetic energy
    /// [Hairer, Lubich & Wanner 2006, IV.4]. What the midpoint rule gains and gives back, of third order in the step, is not left to add up.
    fn keep_energy(&mut self, step: &Step) {
        let Some(start) = self.start else { return };
        let arrival = self.placed_after(&self.mean, step.h);
        let mut motions = Vec::new();
        let mut kinetic = |placement: &Placement, v: &[f64]| {
            self.multibody.velocities(placement, v, &mut motions);
            self.multibody.kinetic_energy(placement, &motions, v)
        };
        let [before, after] = [kinetic(start, &self.v), kinetic(&arrival, &self.end)];
        let poses = start.poses().iter().zip(arrival.poses());
        let lifted = self.multibody.links().iter().zip(poses).map(|(link, (from, to))| {
            let moved = to * Point3::from(link.center) - from * Point3::from(link.center);
            -link.mass * step.gravity.dot(&moved)
        });
        let excess = after - before + lifted.sum::<f64>();
        if excess.abs() < EXCESSIVE * after {
            let scale = (1.0 - excess / after).sqrt();
            self.end.iter_mut().for_each(|v| *v *= scale);
        }
        self.arrival = Some(arrival);
    }

    /// Mean forces of the loops over a step of `h` \[s\] on their second links: force, then moment.
    fn closing_forces(&self, h: f64) -> Vec<[f64; 6]> {
        let mut row = self.couplings.len();
        let mut forces = Vec::with_capacity(self.loops.len());
        for closed in self.loops {
            let mut force = [0.0; 6];
            for (component, row) in force.iter_mut().zip(row..row + closed.count()) {
                let impulses = [&self.held, &self.row_impulses].map(|of| of.get(row).copied());
                *component = impulses.iter().flatten().sum::<f64>() / h;
            }
            row += closed.count();
            forces.push(force);
        }
        forces
    }

    /// Distributes the forces within joints at a state to constant forces and to the mass matrix.
    fn act(&mut self, [position, velocity]: [&[f64]; 2], h: f64) {
        self.joint.fill(0.0);
        self.joint.iter_mut().zip(&self.bearing).for_each(|(joint, force)| *joint += force);
        for ([q, v], drive) in &self.drives {
            let ([q, v], action) = ([*q, *v], drive.action());
            let reach = self.instants[v] * h;
            // Without a change of the velocity.
            let ahead = position[q] + reach * velocity[v];
            self.joint[v] += action.moment - action.stiffness * ahead - action.damping * velocity[v];
            self.added[v] = reach * (action.damping + reach * action.stiffness);
        }
    }

    /// Moves the tree freely; its placement is then that of the middle of the step.
    pub(super) fn move_freely(&mut self, step: &Step) {
        self.row_impulses.clear();
        let [start, now] = &mut self.kept;
        now.clone_from(start);
        let mut midpoint = Midpoint::default();
        for pieces in PIECES {
            self.pieces = pieces;
            let is_last = pieces == PIECES[PIECES.len() - 1];
            if self.move_in_pieces(&mut midpoint, step, is_last) {
                break;
            }
        }
        if self.pieces > 1 {
            let mut q = self.q.clone();
            self.multibody.advance(&mut q, &self.mean, 0.5 * step.h);
            self.multibody.place(&self.base, &q, &mut midpoint.placement);
        }
        (self.placement, self.factor, self.buffer) = (midpoint.placement, midpoint.factor, midpoint.buffer);
        self.rates = midpoint.rates;
        self.is_at_end = false;
        self.damp(step.h);
        self.free = [self.mean.clone(), self.end.clone()];
    }

    /// Takes the effect of rows out again.
    pub(super) fn release(&mut self) {
        self.row_impulses.clear();
        let [mean, end] = &self.free;
        self.mean.clone_from(mean);
        self.end.clone_from(end);
    }

    /// Whether links rotate so far in the displacement that velocities at the end are others than in the middle.
    pub(super) fn swings(&mut self, h: f64) -> bool {
        let mut motions = Vec::new();
        self.multibody.velocities(&self.placement, &self.mean, &mut motions);
        self.rotation = motions.iter().map(|motion| motion.angular.norm() * h).fold(0.0, f64::max);
        !self.loops.is_empty() || self.rotation > SWUNG
    }

    /// Whether rows that were solved in the middle of the step changed the velocities at the end from `before` by what has another energy at the end:
    /// where links far from each other rotate, the mass matrix changes more than by their angle, and what their joints bear would do work.
    pub(super) fn is_bent(&self, before: &[f64], h: f64) -> bool {
        let is_single = self.multibody.links().len() < 2;
        if self.is_at_end || is_single || self.rotation < STEADY || self.end == before {
            return false;
        }
        let mut motions = Vec::new();
        let mut energy = |placement: &Placement, v: &[f64]| {
            self.multibody.velocities(placement, v, &mut motions);
            self.multibody.kinetic_energy(placement, &motions, v)
        };
        let at_end = energy(&self.placed_after(&self.mean, h), &self.end);
        let by_rows = energy(&self.placement, &self.end) - energy(&self.placement, before);
        let free = energy(&self.placed_after(&self.free[0], h), before);
        (at_end - free - by_rows).abs() > BENT * at_end
    }

    /// Placement at the end of a displacement.
    fn placed_after(&self, mean: &[f64], h: f64) -> Placement {
        let (mut q, mut placement) = (self.q.clone(), Placement::default());
        self.multibody.advance(&mut q, mean, h);
        self.multibody.place(&self.base, &q, &mut placement);
        placement
    }

    /// Places the tree at the end of its displacement. The displacement of rows led elsewhere than the free one: of the velocities there, those that are
    /// nearest in kinetic energy to what the momenta of the free motion ask for are taken, which have no more.
    pub(super) fn place_at_end(&mut self, h: f64) {
        let [free, moved] = [&self.free[0], &self.mean].map(|mean| self.placed_after(mean, h));
        let solver = (&mut self.factor, &mut self.buffer);
        self.end = carried_velocities(&self.multibody, (&free, &self.end), &moved, solver);
        self.placement = moved;
        self.is_at_end = true;
    }

    /// Factorises the mass matrix where the tree is placed, before rows are solved.
    pub(super) fn factorise(&mut self, h: f64) {
        let (q, v) = (std::mem::take(&mut self.q), std::mem::take(&mut self.v));
        self.act([&q, &v], h);
        (self.q, self.v) = (q, v);
        self.factor.update(&self.multibody, &self.placement, &self.added);
    }

    /// Forces on the tree over a piece of a step, the first one or a later one.
    fn forces(&self, is_first: bool) -> Forces<'_> {
        Forces {
            start: self.start.filter(|_| is_first),
            multibody: &self.multibody,
            base: self.base,
            joint: &self.joint,
            added: &self.added,
            couplings: self.couplings,
            instants: &self.instants,
            loops: self.loops,
            kept: self.kept[1].as_deref().unwrap_or_default(),
            loads: &self.loads,
            lifts: self.lifts,
        }
    }

    /// Moves the tree over the pieces of a step; `false` where the iteration of one does not converge, unless it `must` end.
    fn move_in_pieces(&mut self, midpoint: &mut Midpoint, step: &Step, must: bool) -> bool {
        let h = step.h / f64::from(self.pieces);
        let piece = Step { h, ..*step };
        let (mut q, mut v) = (self.q.clone(), self.v.clone());
        let mut sum = vec![0.0; v.len()];
        let mut closing = Closing::default();
        self.held.clear();
        for number in 0..self.pieces {
            self.act([&q, &v], h);
            if number == 0 || self.guess.is_empty() {
                midpoint.rates.clear();
                midpoint.rates.extend_from_slice(self.guess);
            }
            let is_solved = midpoint.solve(&self.forces(number == 0), [&q, &v], &piece);
            if is_solved && !must && !self.loops.is_empty() && midpoint.fastest() * h > SWEPT {
                return false;
            }
            let mean = if is_solved {
                let changes = self.instants.iter().zip(&midpoint.rates).map(|(instant, a)| instant * h * a);
                let mean: Vec<f64> = v.iter().zip(changes).map(|(v, change)| v + change).collect();
                self.multibody.advance(&mut q, &mean, h);
                v.iter_mut().zip(&midpoint.rates).for_each(|(v, a)| *v += h * a);
                mean
            } else if must {
                self.carry([&mut q, &mut v], midpoint, &piece)
            } else {
                return false;
            };
            sum.iter_mut().zip(&mean).for_each(|(sum, mean)| *sum += mean);
            if !self.loops.is_empty() {
                self.held.resize(midpoint.closing_forces().len(), 0.0);
                add(&mut self.held, h, midpoint.closing_forces());
                if self.pieces > 1 {
                    self.close_piece([&mut q, &mut v], &mut closing);
                }
            }
        }
        self.end = v;
        self.mean = sum.iter().map(|sum| sum / f64::from(self.pieces)).collect();
        if self.pieces > 1 {
            // The mean of velocities that rotate leads elsewhere, where those at the end have another energy.
            self.multibody.lead([&self.q, &q], step.h, &mut self.mean);
        }
        true
    }

    /// Closes the loops at the end of a piece of a step.
    fn close_piece(&mut self, [q, v]: [&mut Vec<f64>; 2], closing: &mut Closing) {
        let mut from = Placement::default();
        self.multibody.place(&self.base, q, &mut from);
        self.kept[1] = Some(closing.close_moving(&self.closed(), &from, [q, v]));
    }

    /// Closes the loops at the end of the displacement.
    pub(super) fn close(&mut self, h: f64) {
        if self.loops.is_empty() {
            return;
        }
        let mut q = self.q.clone();
        self.multibody.advance(&mut q, &self.mean, h);
        self.kept[1] = Some(Closing::default().close(&self.closed(), &self.added, &mut q));
        self.multibody.lead([&self.q, &q], h, &mut self.mean);
    }

    /// Model and loops that rows are determined from.
    fn closed(&self) -> Closed<'_> {
        Closed {
            multibody: &self.multibody,
            base: &self.base,
            couplings: self.couplings,
            loops: self.loops,
            limited: self.limited,
        }
    }

    /// Moves the tree over a piece where no iteration converges, from coordinates and velocities; returns the velocity of the displacement. Forces act
    /// on the tree at the start; then the links are moved, and keep the momenta that their joints allow: gyroscopic forces as a projection, with which
    /// the kinetic energy is no more than before, however fast the links rotate.
    fn carry(&self, [q, v]: [&mut Vec<f64>; 2], midpoint: &mut Midpoint, piece: &Step) -> Vec<f64> {
        let forces = self.forces(false);
        self.accelerate(q, midpoint, piece);
        midpoint.couple(&forces);
        midpoint.hold(&forces, v, piece.h);
        let from = midpoint.placement.clone();
        let changes = self.instants.iter().zip(&midpoint.rates).map(|(instant, a)| instant * piece.h * a);
        let mean: Vec<f64> = v.iter().zip(changes).map(|(v, change)| v + change).collect();
        v.iter_mut().zip(&midpoint.rates).for_each(|(v, a)| *v += piece.h * a);
        self.multibody.advance(q, &mean, piece.h);
        self.multibody.place(&self.base, q, &mut midpoint.placement);
        let Midpoint { placement, factor, buffer, .. } = &mut *midpoint;
        *v = carried_velocities(&self.multibody, (&from, v), placement, (factor, buffer));
        midpoint.rates.iter_mut().for_each(|rate| *rate = 0.0);
        midpoint.couple(&forces);
        midpoint.hold(&forces, v, piece.h);
        v.iter_mut().zip(&midpoint.rates).for_each(|(v, a)| *v += piece.h * a);
        mean
    }

    /// Accelerations in a configuration without gyroscopic forces.
    fn accelerate(&self, q: &[f64], midpoint: &mut Midpoint, piece: &Step) {
        let Midpoint { placement, factor, buffer, rates, .. } = midpoint;
        let mut recursion = Recursion::default();
        self.multibody.place(&self.base, q, placement);
        factor.update(&self.multibody, placement, &self.added);
        let centers = self.multibody.links().iter().zip(placement.poses()).zip(&self.loads);
        let wrenches = centers.map(|((link, pose), load)| load.force_from(&(pose.rotation * link.center)));
        let mut wrenches: Vec<SpatialVector> = wrenches.collect();
        lift(self.lifts, &piece.gravity, placement.poses(), &mut wrenches);
        factor.forward_dynamics(
            (&self.multibody, placement),
            (&vec![0.0; rates.len()], &mut recursion),
            (&self.joint, &wrenches),
            (&piece.gravity, buffer),
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
            self.mean[at] = self.v[at] + self.instants[at] * (self.end[at] - self.v[at]);
        }
    }
}
