//! Step of the robots and of the bodies connected with them by contacts.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::pipeline::PhysicsWorld;

use super::bound::{Recovered, bound};
use super::closed_motion::begin;
use super::contact::{Contact, Response, Side};
use super::coordinates::CoordinateRows;
use super::free_body::{StartState, free_body, show_body};
use super::impact::Impacts;
use super::islands::Islands;
use super::limit::{Limit, Limits};
use super::memory::{ContactKey, ContactMemory};
use super::midpoint::Step;
use super::motion::{MIDDLE, MovingTree};
use super::port_motion::relative;
use super::ports::Ports;
use super::rows::{Rows, apply};
use super::sweeps::Swept;
use crate::contact::round::Round;
use crate::rigid::{index_in_manifold, raw};
use crate::robot::body::RobotBody;
use crate::robot::tree::TreeEnd;
use crate::stateful::{Mismatch, Stateful};
use extricate_core::multibody::SpatialVector;

/// Maximum number of solves of a step. After [`BINDING`] of them bounds are only left, so that the sequence ends; where it has not, a motor
/// is stronger than its bound for a step.
pub(super) const MAX_SOLVES: usize = 16;
/// Number of solves after which bounds are reached.
pub(super) const BINDING: usize = 6;

/// Report of a step of the robots.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RobotReport {
    /// Number of contacts that were solved with the robots.
    pub contacts: usize,
    /// Number of limits of joints that were within reach.
    pub limits: usize,
    /// Number of sweeps over them, those for the displacement and for the velocity together.
    pub sweeps: usize,
    /// Number of steps of the proximal Newton method between them.
    pub newton_steps: usize,
    /// Largest change of a velocity in the last sweeps [m/s; rad/s or m/s of a limit]: the residual.
    pub residual: f64,
    /// Number of solves, at most 16: each after the first corrects which motors and which friction are at their bounds.
    pub solves: usize,
    /// Number of joints within which a motor or friction was stronger than its bound, because the solves ended before they agreed.
    pub exceeding: usize,
}

/// Restitution of a world.
pub(crate) struct Bounces<'a> {
    /// Coefficient of two bodies; zero where they do not bounce.
    pub(crate) coefficient: &'a dyn Fn([RigidBodyHandle; 2]) -> f64,
    /// Approach [m/s] below which nothing bounces.
    pub(crate) slow: f64,
}

/// Solver of the robots of a world.
#[derive(Debug, Default)]
pub(crate) struct MultibodySolver {
    /// By raw index of the body; none of fixed bodies.
    starts: Vec<Option<StartState>>,
    memory: ContactMemory,
    pub(crate) report: RobotReport,
}

impl Stateful for MultibodySolver {
    type State = ContactMemory;

    fn snapshot(&self) -> ContactMemory {
        self.memory.clone()
    }

    fn restore(&mut self, state: ContactMemory) -> Result<(), Mismatch> {
        self.memory = state;
        Ok(())
    }
}

impl MultibodySolver {
    /// Contacts of the last step.
    pub(crate) fn memory(&self) -> &ContactMemory {
        &self.memory
    }

    /// Stores the states of the bodies before rapier's step.
    pub(crate) fn begin(&mut self, physics: &PhysicsWorld) {
        let count = physics.bodies.iter().map(|(handle, _)| raw(handle) + 1).max().unwrap_or(0);
        self.starts.clear();
        self.starts.resize(count, None);
        for (handle, body) in physics.bodies.iter().filter(|(_, body)| !body.is_fixed()) {
            self.starts[raw(handle)] = Some(StartState {
                pose: (*body.position()).into(),
                linear: body.linvel().into(),
                angular: body.angvel().into(),
                load: SpatialVector::new(body.user_torque().into(), body.user_force().into()),
            });
        }
    }

    /// Solves the islands of the robots over a step of `h` \[s\], after rapier's step.
    pub(crate) fn step(
        &mut self,
        physics: &mut PhysicsWorld,
        robots: &mut [RobotBody],
        (h, bounces): (f64, &Bounces<'_>),
    ) {
        let (ends, bodies) = {
            let islands = Islands::new(physics, robots);
            let step = Step { gravity: physics.gravity.into(), h };
            let mut posed = Posed::new(&self.starts, (physics, robots), &islands, &step);
            let solved = posed.solve(&islands, (&self.memory, bounces));
            posed.bound(&solved);
            posed.remember(&solved, &mut self.memory);
            self.report = solved.report;
            (posed.into_ends(&solved), islands.bodies)
        };
        let mut ends = ends.into_iter();
        for (robot, end) in robots.iter_mut().filter(|robot| robot.tree().is_some()).zip(&mut ends) {
            robot.finish(physics, end);
        }
        for (body, end) in bodies.into_iter().zip(ends) {
            show_body(physics, body, &end.q, &end.v);
        }
    }
}

/// Place of a body in the trees.
#[derive(Debug, Clone, Copy)]
struct InTree {
    tree: usize,
    link: usize,
    /// Body → link.
    to_link: Isometry3<f64>,
}

/// The trees of all islands, at the start of a step.
struct Posed<'a> {
    starts: &'a [Option<StartState>],
    physics: &'a PhysicsWorld,
    robots: Vec<&'a RobotBody>,
    trees: Vec<MovingTree<'a>>,
    /// By raw index of the body.
    places: Vec<Option<InTree>>,
    step: Step,
    limits: Limits,
}

/// Rows after a solve.
struct Solved {
    /// With the impulses of the velocity.
    limits: Vec<Limit>,
    contacts: Vec<Contact>,
    keys: Vec<ContactKey>,
    /// Impulses of the displacement and of the velocity.
    impulses: [Vec<Vector3<f64>>; 2],
    /// Impulses of the impacts; empty where there are none.
    impacts: Vec<Vector3<f64>>,
    report: RobotReport,
}

impl<'a> Posed<'a> {
    fn new(
        starts: &'a [Option<StartState>],
        (physics, robots): (&'a PhysicsWorld, &'a [RobotBody]),
        islands: &Islands<'_>,
        step: &Step,
    ) -> Self {
        let robots: Vec<&RobotBody> = robots.iter().filter(|robot| robot.tree().is_some()).collect();
        let mut this = Self {
            starts,
            physics,
            robots,
            trees: Vec::new(),
            places: vec![None; starts.len()],
            step: *step,
            limits: Limits::default(),
        };
        let load = |body: RigidBodyHandle| starts[raw(body)].map_or(SpatialVector::ZERO, |start| start.load);
        for tree in this.robots.iter().filter_map(|robot| robot.tree()) {
            let mut moving = MovingTree::of_robot(tree, step.h);
            moving.loads = tree.links.iter().map(|link| load(link.body)).collect();
            for (index, link) in tree.links.iter().enumerate() {
                this.places[raw(link.body)] =
                    Some(InTree { tree: this.trees.len(), link: index, to_link: link.part });
            }
            this.trees.push(moving);
        }
        this.limits = Limits::new(this.robots.iter().filter_map(|robot| robot.tree()));
        for &body in &islands.bodies {
            let rigid = &physics.bodies[body];
            let Some(start) = &starts[raw(body)] else { continue };
            let center: Vector3<f64> = rigid.mass_properties().local_mprops.local_com.into();
            this.places[raw(body)] =
                Some(InTree { tree: this.trees.len(), link: 0, to_link: Translation3::from(-center).into() });
            this.trees.push(free_body(rigid, start));
        }
        for tree in &mut this.trees {
            begin(tree, step);
            tree.move_freely(step);
        }
        this
    }

    /// Solves for the motion, with the forces that belong to it: where a solve shows that a bound of a motor or of friction is
    /// left or reached, or that contacts lead a joint beyond a limit, it is repeated with that.
    fn solve(&mut self, islands: &Islands<'_>, (memory, bounces): (&ContactMemory, &Bounces<'_>)) -> Solved {
        let mut solves = 0;
        let mut last: Option<ContactMemory> = None;
        loop {
            let mut solved = self.solve_once(islands, (last.as_ref().unwrap_or(memory), bounces));
            solves += 1;
            let ends = solved.impacts.is_empty();
            let may = solves <= BINDING;
            let passes = self.pass_limits(&solved.limits, may);
            if solves == MAX_SOLVES || !self.correct((ends, may), passes) {
                solved.report.solves = solves;
                solved.report.exceeding =
                    self.trees.iter().map(|tree| tree.exceeding(self.step.h, ends)).sum();
                return solved;
            }
            self.remember(&solved, last.get_or_insert_default());
        }
    }

    /// Finds limits that were passed without a row, and what others bear in the free motion where that `may` change; returns whether there are any.
    fn pass_limits(&mut self, rows: &[Limit], may: bool) -> bool {
        let h = self.step.h;
        let passes = self.limits.pass(rows, &self.trees, h);
        may && self.limits.bear(rows, &mut self.trees, h) || passes
    }

    /// Corrects the forces within the joints for the motion that was found; returns whether any changes, or other rows do, and all trees are then
    /// those of the free motion again.
    fn correct(&mut self, how: (bool, bool), passes: bool) -> bool {
        let h = self.step.h;
        let changes: Vec<bool> = self.trees.iter_mut().map(|tree| tree.correct(h, how)).collect();
        if !passes && !changes.contains(&true) {
            return false;
        }
        for (tree, changes) in self.trees.iter_mut().zip(changes) {
            if changes || tree.is_at_end {
                tree.choose_instants(h);
                tree.move_freely(&self.step);
            } else {
                tree.release();
            }
        }
        true
    }

    /// Solves all rows, and applies their impulses to the trees.
    fn solve_once(
        &mut self,
        islands: &Islands<'_>,
        (memory, bounces): (&ContactMemory, &Bounces<'_>),
    ) -> Solved {
        let (contacts, keys) = self.contacts(islands, bounces);
        let limits = self.limits.within_reach(&self.trees, self.step.h);
        let ports = self.ports(&contacts, &limits);
        let softness = self.physics.integration_parameters.contact_softness.cfm_coeff(self.step.h);
        let rows = Rows::new(ports, (contacts, keys, limits), softness);
        self.solve_rows(rows, (memory, bounces.slow))
    }

    /// The two solves: of the displacement, then of the velocity at the end.
    fn solve_rows(&mut self, mut rows: Rows, (memory, slow): (&ContactMemory, f64)) -> Solved {
        let h = self.step.h;
        let mut report = RobotReport {
            contacts: rows.contacts.len(),
            limits: rows.limits.len(),
            ..RobotReport::default()
        };
        let targets = self.displacement_targets(&rows);
        rows.lead(&mut self.trees, memory);
        self.solve_phase(&mut rows, (&targets, 0), (memory, slow), &mut report);
        let displacement: Vec<_> = rows.contacts.iter().map(|contact| contact.impulse).collect();
        let targets = rows.remaining_gaps(h, slow);
        let moves = |(tree, ports): (&mut MovingTree<'_>, &Ports)| ports.count() > 0 && tree.swings(h);
        let swings: Vec<bool> = self.trees.iter_mut().zip(&rows.ports).map(moves).collect();
        rows.swing(&mut self.trees, &swings, h);
        let ends: Vec<Vec<f64>> = self.trees.iter().map(|tree| tree.end.clone()).collect();
        let mut impacts = self.solve_phase(&mut rows, (&targets, 1), (memory, slow), &mut report);
        let bends = |(tree, end): (&MovingTree<'_>, &Vec<f64>)| impacts.is_empty() && tree.is_bent(end, h);
        let bent: Vec<bool> = self.trees.iter().zip(&ends).map(bends).collect();
        if bent.contains(&true) {
            for (tree, end) in self.trees.iter_mut().zip(ends) {
                tree.end = end;
                tree.row_impulses.clear();
            }
            rows.contacts.iter_mut().zip(&displacement).for_each(|(contact, last)| contact.impulse = *last);
            rows.swing(&mut self.trees, &bent, h);
            impacts = self.solve_phase(&mut rows, (&targets, 1), (memory, slow), &mut report);
        }
        let velocity = rows.contacts.iter().map(|contact| contact.impulse).collect();
        let Rows { contacts, keys, limits, .. } = rows;
        Solved { limits, contacts, keys, impulses: [displacement, velocity], impacts, report }
    }

    /// Solves for the impulses of a phase, 0 of the displacement or 1 of the velocity at the end, at targets, and applies them; returns those of the
    /// impacts.
    fn solve_phase(
        &mut self,
        rows: &mut Rows,
        (targets, phase): (&[Vec<f64>; 2], usize),
        (memory, slow): (&ContactMemory, f64),
        report: &mut RobotReport,
    ) -> Vec<Vector3<f64>> {
        let is_displacement = phase == 0;
        rows.read(&self.trees, is_displacement);
        let impacts = if is_displacement { Vec::new() } else { self.collide(rows, slow) };
        rows.warm_start(&targets[0], (memory, phase), &impacts);
        Limits::start(
            &mut rows.limits,
            &self.trees,
            self.step.h * if is_displacement { MIDDLE } else { 1.0 },
        );
        let scale = self.step.h * self.step.gravity.norm() + 0.01 * rows.fastest();
        let softness = if is_displacement { rows.softness } else { 0.0 };
        let Swept { sweeps, steps, residual } = rows.sweep(targets.clone(), softness, scale);
        report.sweeps += sweeps;
        report.newton_steps += steps;
        report.residual = report.residual.max(residual);
        rows.apply(&mut self.trees, is_displacement);
        impacts
    }

    /// Applies the impacts of the step to the velocities at the end of the trees, and of the ports; returns their impulses, if there are any.
    /// The contacts have the impulses of the displacement.
    fn collide(&mut self, rows: &mut Rows, slow: f64) -> Vec<Vector3<f64>> {
        if rows.contacts.iter().all(|contact| contact.restitution <= 0.0) {
            return Vec::new();
        }
        let touching: Vec<bool> = rows
            .contacts
            .iter()
            .map(|contact| contact.gap <= 0.0 || contact.impulse.dot(&contact.normal) > 0.0)
            .collect();
        let Some(at_touch) = self.velocities_at_touch(rows, &touching, slow) else {
            return Vec::new();
        };
        for (tree, at_touch) in self.trees.iter_mut().zip(at_touch) {
            tree.end = at_touch;
        }
        rows.read(&self.trees, false);
        let mut pairs: Vec<Vec<usize>> = Vec::new();
        for index in (0..touching.len()).filter(|&index| touching[index]) {
            match pairs.last_mut().filter(|pair| rows.keys[pair[0]].bodies == rows.keys[index].bodies) {
                Some(pair) => pair.push(index),
                None => pairs.push(vec![index]),
            }
        }
        let coordinates = CoordinateRows::new(&rows.ports, (&rows.contacts, &[]), &rows.velocities);
        let impulses = Impacts { rows: &coordinates, contacts: &rows.contacts, pairs, slow }.collide();
        let mut pushed = rows.contacts.clone();
        pushed.iter_mut().zip(&impulses).for_each(|(contact, impulse)| contact.impulse = *impulse);
        apply(&rows.ports, &mut self.trees, (&pushed, &[]), false);
        rows.read(&self.trees, false);
        impulses
    }

    /// Velocities of the trees when the fastest of their contacts with restitution touches; at the end of the step of trees without; `None`
    /// where no contact touches faster than `slow`. Times are those of the free motion.
    fn velocities_at_touch(&self, rows: &Rows, touching: &[bool], slow: f64) -> Option<Vec<Vec<f64>>> {
        let (contacts, ends) = (&rows.contacts, &rows.velocities[..]);
        let mut starts = vec![0.0; ends.len()];
        for (tree, ports) in self.trees.iter().zip(&rows.ports) {
            ports.read(tree, &tree.v, &mut starts[ports.first..ports.first + ports.count()]);
        }
        let mut fastest = vec![(0.0, 1.0); self.trees.len()];
        for contact in
            contacts.iter().zip(touching).filter(|(_, touches)| **touches).map(|(contact, _)| contact)
        {
            let [start, end] =
                [&starts[..], ends].map(|velocities| relative(contact, velocities).dot(&contact.normal));
            let closed = -self.step.h * 0.5 * (start + end);
            let time = if contact.gap <= 0.0 { 0.0 } else { (contact.gap / closed).clamp(0.0, 1.0) };
            let time = if closed > 0.0 { time } else { 1.0 };
            let approach = -(start + time * (end - start));
            if contact.restitution > 0.0 && approach > slow {
                for side in contact.sides.iter().flatten() {
                    if approach > fastest[side.tree].0 {
                        fastest[side.tree] = (approach, time);
                    }
                }
            }
        }
        let moved = |(tree, (_, time)): (&MovingTree<'_>, &(f64, f64))| {
            tree.v.iter().zip(&tree.end).map(|(start, end)| start + time * (end - start)).collect()
        };
        let any = fastest.iter().any(|(approach, _)| *approach > 0.0);
        any.then(|| self.trees.iter().zip(&fastest).map(moved).collect())
    }

    /// Velocities of the displacement [m/s of normals of contacts; rad/s or m/s of limits] at which rows bear no load: those that close a gap, or
    /// recover an overlap.
    fn displacement_targets(&self, rows: &Rows) -> [Vec<f64>; 2] {
        let h = self.step.h;
        let of_contact = |contact: &Contact| match contact.gap {
            gap if gap < 0.0 => self.recovery(contact),
            gap => -gap / h,
        };
        let of_limit = |limit: &Limit| -limit.gap / h;
        [rows.contacts.iter().map(of_contact).collect(), rows.limits.iter().map(of_limit).collect()]
    }

    /// Speed \[m/s\] at which the overlap of a contact is recovered.
    fn recovery(&self, contact: &Contact) -> f64 {
        let parameters = &self.physics.integration_parameters;
        let rate = parameters.contact_softness.erp_inv_dt(self.step.h);
        (-contact.gap * rate).min(parameters.max_corrective_velocity()) * contact.response.freedom()
    }

    /// Bounds the energy of islands with overlaps that are recovered; impacts have their own bound.
    fn bound(&mut self, solved: &Solved) {
        if solved.impacts.is_empty() {
            let of = |(contact, impulse): (_, &Vector3<f64>)| Recovered {
                contact,
                impulse: *impulse,
                speed: self.recovery(contact),
            };
            let rows: Vec<_> = solved.contacts.iter().zip(&solved.impulses[0]).map(of).collect();
            bound(&mut self.trees, &rows, &self.step);
        }
    }

    /// Contacts of the islands; the ports of their sides are still links.
    fn contacts(&self, islands: &Islands<'_>, bounces: &Bounces<'_>) -> (Vec<Contact>, Vec<ContactKey>) {
        let (mut contacts, mut keys) = (Vec::new(), Vec::new());
        let mut numbers = BTreeMap::new();
        for (pair, bodies) in &islands.pairs {
            let poses = bodies.map(|body| self.pose(body));
            let restitution = (bounces.coefficient)(*bodies);
            let colliders =
                [pair.collider1, pair.collider2].map(|collider| &self.physics.colliders[collider]);
            let in_world = [0, 1].map(|i| {
                let in_body =
                    colliders[i].position_wrt_parent().map_or(Isometry3::identity(), |pose| (*pose).into());
                poses[i] * in_body
            });
            let radii = colliders.map(|collider| Round::radius(collider.shape()));
            for manifold in pair.solver_manifolds() {
                let normal: Vector3<f64> = manifold.data.normal.into();
                let rounds = [radii[0] * normal, -radii[1] * normal];
                for solved in &manifold.data.solver_contacts {
                    let Some(point) = manifold.points.get(index_in_manifold(solved)) else { continue };
                    let ends = [
                        in_world[0] * Point3::from(Vector3::from(point.local_p1)),
                        in_world[1] * Point3::from(Vector3::from(point.local_p2)),
                    ];
                    let point_in_world = nalgebra::center(&ends[0], &ends[1]);
                    let mut key = ContactKey {
                        bodies: bodies.map(raw),
                        features: [point.fid1.0, point.fid2.0],
                        number: 0,
                    };
                    let number: &mut u32 = numbers.entry(key).or_default();
                    key.number = std::mem::replace(number, *number + 1);
                    let (sides, given) = self.sides(*bodies, &poses, (&point_in_world, &rounds));
                    contacts.push(Contact {
                        sides,
                        given,
                        normal,
                        friction: manifold.data.friction,
                        restitution,
                        gap: solved.dist,
                        impulse: Vector3::zeros(),
                        response: Response::ZERO,
                        rho: 0.0,
                    });
                    keys.push(key);
                }
            }
        }
        (contacts, keys)
    }

    /// Pose of a body at the start of the step.
    fn pose(&self, body: RigidBodyHandle) -> Isometry3<f64> {
        self.starts[raw(body)]
            .map_or_else(|| (*self.physics.bodies[body].position()).into(), |start| start.pose)
    }

    /// Sides of a contact at a point \[m\], and the relative velocity of those that do not yield.
    fn sides(
        &self,
        bodies: [RigidBodyHandle; 2],
        poses: &[Isometry3<f64>; 2],
        (point, rounds): (&Point3<f64>, &[Vector3<f64>; 2]),
    ) -> ([Option<Side>; 2], Vector3<f64>) {
        let mut given = Vector3::zeros();
        let sides = [0, 1].map(|i| {
            let body = raw(bodies[i]);
            if let Some(InTree { tree, link, to_link }) = self.places[body] {
                // The trees are in the middle of the step. Cores of round bodies have rotated until then, and their surfaces have rolled.
                let core = to_link * (poses[i].inverse() * (point - rounds[i]));
                let arm = self.trees[tree].placement.poses()[link].rotation * core.coords + rounds[i];
                return Some(Side { tree, port: link, arm, round: rounds[i] });
            }
            if let Some(start) = self.starts[body].filter(|_| self.physics.bodies[bodies[i]].is_kinematic()) {
                let center = poses[i]
                    * Point3::from(Vector3::from(
                        self.physics.bodies[bodies[i]].mass_properties().local_mprops.local_com,
                    ));
                let velocity = start.linear + start.angular.cross(&(point - center));
                given += velocity * if i == 0 { -1.0 } else { 1.0 };
            }
            None
        });
        (sides, given)
    }

    /// Ports of all trees at their contacts and limits.
    fn ports(&mut self, contacts: &[Contact], limits: &[Limit]) -> Vec<Ports> {
        let mut links = vec![Vec::new(); self.trees.len()];
        let mut freedoms = vec![Vec::new(); self.trees.len()];
        for side in contacts.iter().flat_map(|contact| contact.sides.iter().flatten()) {
            links[side.tree].push(side.port);
        }
        for limit in limits {
            freedoms[limit.tree].push(limit.port);
        }
        let mut first = 0;
        let mut ports = Vec::with_capacity(self.trees.len());
        for (index, tree) in self.trees.iter_mut().enumerate() {
            let mut own = std::mem::take(&mut links[index]);
            own.sort_unstable();
            own.dedup();
            let made = Ports::new(tree, (own, std::mem::take(&mut freedoms[index])), (first, self.step.h));
            first += made.count();
            ports.push(made);
        }
        ports
    }

    fn remember(&self, solved: &Solved, memory: &mut ContactMemory) {
        let bodies =
            self.places.iter().enumerate().filter(|(_, place)| place.is_some()).map(|(body, _)| body);
        memory.begin(bodies.collect());
        for (index, (contact, key)) in solved.contacts.iter().zip(&solved.keys).enumerate() {
            let impulses = [0, 1].map(|phase| solved.impulses[phase][index]);
            let impact = solved.impacts.get(index).copied().unwrap_or_default();
            let total = impulses[1] + impact;
            memory.remember(*key, impulses, (total, total.dot(&contact.normal)));
        }
        memory.end();
    }

    /// The trees at the end of the step, with the impulses of limits.
    fn into_ends(mut self, Solved { limits, contacts, .. }: &Solved) -> Vec<TreeEnd> {
        let h = self.step.h;
        let mut has_rows = vec![false; self.trees.len()];
        contacts
            .iter()
            .flat_map(|contact| contact.sides.iter().flatten())
            .for_each(|side| has_rows[side.tree] = true);
        limits.iter().for_each(|limit| has_rows[limit.tree] = true);
        self.trees.iter_mut().zip(has_rows).for_each(|(tree, has_rows)| tree.finish(&self.step, has_rows));
        let mut ends: Vec<TreeEnd> = self.trees.into_iter().map(|tree| tree.into_end(h)).collect();
        for limit in limits {
            ends[limit.tree].limits.push((limit.freedom, limit.sign * limit.impulse));
        }
        ends
    }
}
