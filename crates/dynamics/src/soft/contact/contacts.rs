//! The contacts of a system of soft bodies and obstacles.

use nalgebra::{Isometry3, Vector3};

use super::active_set::{ActiveEdge, ActiveSet, SAME_DEPTH};
use super::body::Body;
use super::detect::{Clearance, DetectedContacts, frozen_edge, is_near_cell, is_near_edge};
use super::folds::Folds;
use super::following::{DepthUpdate, FieldWork, FollowingField};
use super::friction::Friction;
use super::initial::InitialOverlaps;
use super::obstacle::{Motion, Obstacle, ObstaclePose};
use super::options::ContactOptions;
use super::penalty::Penalty;
use super::point::{Contact, Field};
use super::scene::Scene;
use super::search::Candidates;
use super::slips::Slips;
use crate::error::SoftError;
use crate::soft::interaction::{Interaction, OuterProducts};
use extricate_core::geometry::TetMesh;

/// Default creep speed of friction, as a fraction of the longest edge per second. Twice it: contacts slip twice as far before
/// they stick, and where slip begins anew in each step creep twice as fast; half of it: a stiffer Hessian of friction. Half and twice change the only run and the linear
/// iterations by < 0.1 % and +1.8 % (docs/sensitivity.md).
const CREEP: f64 = 1e-3;

/// Relative change of the sum of the normal forces in a step above which friction takes them anew: in an impact those of the start of
/// the step are not those of its end. Smaller: more Newton iterations; larger: bodies that land slide without friction for a step.
const LAG: f64 = 0.1;

/// All that contacts keep from step to step, beside fields that follow a deformation.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    active_set: ActiveSet,
    slips: Slips,
    initial: Option<InitialOverlaps>,
    folds: Folds,
}

/// The contacts of a system of soft bodies and obstacles.
///
/// ```
/// use extricate_dynamics::soft::contact::{ContactOptions, SoftContact, node_depths};
/// use extricate_dynamics::soft::interaction::Interaction;
/// use extricate_core::geometry::TetMesh;
/// use nalgebra::Point3;
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
/// let mesh = TetMesh::new(corners.to_vec(), vec![[0, 1, 2, 3]])?;
/// let mut contact = SoftContact::new(ContactOptions::default())?;
/// contact.add_body(&mesh, 0, &node_depths(&mesh))?;
/// contact.add_body(&mesh, 4, &node_depths(&mesh))?;
/// let shifted = corners.iter().map(|p| p.coords.add_scalar(0.2));
/// let x: Vec<_> = corners.iter().map(|p| p.coords).chain(shifted).collect();
/// assert!(contact.energy(&x) > 0.0);
/// assert_eq!(contact.overlaps(&x).len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SoftContact {
    pub(super) options: ContactOptions,
    pub(super) bodies: Vec<Body>,
    /// The fields of those bodies whose depths follow their deformation.
    pub(super) following: Vec<Option<FollowingField>>,
    /// Work of their updates since it was last taken.
    work: FieldWork,
    pub(super) obstacles: Vec<Obstacle>,
    /// Longest edge of all bodies [m].
    pub(super) longest: f64,
    pub(super) candidates: Candidates,
    pub(super) samples: Vec<Vec<Vector3<f64>>>,
    pub(super) obstacle_poses: Vec<ObstaclePose>,
    pub(super) clearances: Vec<Vec<Clearance>>,
    pub(super) detected: DetectedContacts,
    /// The blocks at which `detected` is valid; empty where it is invalid.
    pub(super) detected_at: Vec<Vector3<f64>>,
    /// Frozen pieces of the contacts.
    pub(super) active_set: ActiveSet,
    pub(super) frictions: Vec<Friction>,
    /// Slips with which the contacts began the step.
    pub(super) slips: Slips,
    /// The blocks at the start of the step.
    pub(super) start: Vec<Vector3<f64>>,
    /// The step [s].
    pub(super) dt: f64,
    /// Whether a step of Newton's method was shortened in this step, so that friction estimates its direction.
    shortened: bool,
    /// `None` before the first step.
    pub(super) initial: Option<InitialOverlaps>,
    /// Nodes and edges in elements of their own body that are excluded, at the start of the step.
    pub(super) folds: Folds,
    /// Whether the step is repeated with pairs whose pressure was made linear.
    pub(super) easing: bool,
    /// Whether the step is repeated with edges that become contacts though an end of them is one.
    pub(super) joins_beside: bool,
    /// The firm pairs before the last of them became so.
    pub(super) firm_before: Vec<([Field; 2], f64)>,
}

impl SoftContact {
    /// Contact without bodies and obstacles.
    ///
    /// # Errors
    /// [`SoftError::Option`] when a number is out of its range.
    pub fn new(options: ContactOptions) -> Result<Self, SoftError> {
        options.check()?;
        Ok(Self {
            options,
            bodies: Vec::new(),
            following: Vec::new(),
            work: FieldWork::default(),
            obstacles: Vec::new(),
            longest: 0.0,
            candidates: Candidates::default(),
            samples: Vec::new(),
            obstacle_poses: Vec::new(),
            clearances: Vec::new(),
            detected: DetectedContacts::default(),
            detected_at: Vec::new(),
            active_set: ActiveSet::default(),
            frictions: Vec::new(),
            slips: Slips::default(),
            start: Vec::new(),
            dt: 0.0,
            shortened: false,
            initial: None,
            folds: Folds::default(),
            easing: false,
            joins_beside: false,
            firm_before: Vec::new(),
        })
    }

    /// Adds the soft body of `mesh` at rest, whose node i is block `first_block` + i, with the depth of each node \[m\]
    /// (`node_depths` or a sampled field; on the surface it counts as zero). Returns its number.
    ///
    /// # Errors
    /// [`SoftError`] when there is not one finite depth for each node.
    pub fn add_body(&mut self, mesh: &TetMesh, first_block: u32, depths: &[f64]) -> Result<usize, SoftError> {
        let body = Body::new(mesh, first_block, depths, self.options.near)?;
        let longest = body.longest;
        self.bodies.push(body);
        self.following.push(None);
        self.longest = self.longest.max(longest);
        self.invalidate();
        Ok(self.bodies.len() - 1)
    }

    /// Adds a soft body as [`Self::add_body`] does, with depths from a distance field that is updated as it deforms [Fisher01 §4.4].
    /// Returns its number.
    ///
    /// # Errors
    /// [`SoftError`] when an option is out of its range or the surface has no field on such a grid.
    pub fn add_following_body(
        &mut self,
        mesh: &TetMesh,
        first_block: u32,
        how: DepthUpdate,
    ) -> Result<usize, SoftError> {
        if !(how.tolerance > 0.0 && how.tolerance.is_finite()) {
            return Err(SoftError::Option { name: "update", value: how.tolerance, must: "above zero" });
        }
        let nodes = mesh.nodes().iter().map(|node| node.coords).collect();
        let field = FollowingField::at_rest(mesh.surface(), nodes, how)?;
        let number = self.add_body(mesh, first_block, &field.depths_of(mesh))?;
        self.following[number] = Some(field);
        Ok(number)
    }

    /// Depths of the nodes of a body \[m\], as contact uses them now.
    ///
    /// # Panics
    /// When there is no body of that number.
    #[must_use]
    pub fn depths_of(&self, number: usize) -> Vec<f64> {
        self.bodies[number].node_depths()
    }

    /// Takes the work of the updates of fields since the last call.
    pub fn take_field_work(&mut self) -> FieldWork {
        std::mem::take(&mut self.work)
    }

    /// Updates the fields of bodies whose depths at contacts have become wrong.
    fn follow(&mut self, x: &[Vector3<f64>]) {
        if self.following.iter().all(Option::is_none) {
            return;
        }
        self.detect(x);
        let Self { bodies, following, detected, work, .. } = self;
        let mut changed = false;
        for ((number, field), body) in (0_u32..).zip(following).zip(bodies) {
            let own = detected.contacts.iter().filter(|contact| contact.field == Field::Body(number));
            if let Some(done) = field.as_mut().and_then(|field| field.follow(body, x, own)) {
                *work += done;
                changed = true;
            }
        }
        if changed {
            self.detected_at.clear();
        }
    }

    /// Adds an obstacle; returns its number.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> usize {
        self.obstacles.push(obstacle);
        self.invalidate();
        self.obstacles.len() - 1
    }

    /// The obstacles.
    #[must_use]
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// Sets pose and motion of obstacle `number`, at the start of a step.
    ///
    /// # Panics
    /// When there is no obstacle of that number.
    pub fn move_obstacle(&mut self, number: usize, pose: Isometry3<f64>, motion: Motion) {
        let obstacle = &mut self.obstacles[number];
        (obstacle.pose, obstacle.motion) = (pose, motion);
        self.detected_at.clear();
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &ContactOptions {
        &self.options
    }

    /// Drops everything derived from the bodies and obstacles.
    fn invalidate(&mut self) {
        let nodes = self.bodies.iter().map(|body| body.nodes.len()).sum();
        self.clearances = vec![vec![Clearance::UNKNOWN; nodes]; self.obstacles.len()];
        self.candidates = Candidates::default();
        self.clear_active_set();
    }

    /// Clears the active set, and with it the detected contacts.
    fn clear_active_set(&mut self) {
        self.active_set.clear();
        self.slips.clear();
        self.detected_at.clear();
    }

    /// Begins a step of `dt` \[s\] at the blocks `x`: slip is measured from here, and friction lags its normal forces from here.
    /// The first step records the initial overlaps; each one releases them by another `recovery · dt`.
    pub fn begin_step(&mut self, x: &[Vector3<f64>], dt: f64) {
        self.start.clear();
        self.start.extend_from_slice(x);
        (self.dt, self.shortened) = (dt, false);
        self.active_set = self.active_set_at(x);
        self.detected_at.clear();
        self.follow(x);
        self.find_folds(x);
        self.release(x);
        self.detected_at.clear();
        self.lag(x);
    }

    /// Lags friction: takes its normal forces and tangents from the contacts at the blocks `x`.
    pub fn lag(&mut self, x: &[Vector3<f64>]) {
        self.frictions.clear();
        if !(self.options.friction > 0.0 && self.dt > 0.0 && self.start.len() == x.len()) {
            return;
        }
        self.detect(x);
        let creep = self.options.creep.unwrap_or(CREEP * self.longest) * self.dt;
        for contact in &self.detected.contacts {
            let obstacle = contact.obstacle.map(|(number, _)| number as usize);
            let obstacle_pose = obstacle.map(|number| self.obstacle_poses[number]);
            let drive = obstacle.map_or_else(Vector3::zeros, |number| match self.obstacles[number].motion {
                Motion::Kinematic { linear, angular } => {
                    let arm = contact.point - self.obstacle_poses[number].origin;
                    (linear + angular.cross(&arm)) * self.dt
                }
                Motion::Fixed | Motion::Dynamic { .. } => Vector3::zeros(),
            });
            let coefficients = [self.options.friction, creep];
            self.frictions.extend(Friction::of(contact, obstacle_pose, coefficients, drive, &self.slips));
        }
        if self.shortened {
            self.frictions.iter_mut().for_each(|friction| friction.estimate(x, &self.start));
        }
    }

    /// Ends a step at the blocks `x`: the contacts enter the next one with the slip that they have, so that what sticks does not creep.
    /// For schemes that damp: friction that sticks is a stiff spring. Without a call slip begins anew in each step.
    pub fn end_step(&mut self, x: &[Vector3<f64>]) {
        let Self { frictions, start, .. } = &*self;
        let of = |friction: &Friction| {
            ((friction.contact.probe, friction.contact.field), friction.final_slip(x, start))
        };
        self.slips = Slips::new(frictions.iter().map(of));
    }

    /// Relative change of the sum of the normal forces at the blocks `x` since friction took them; `None` where friction may keep them.
    fn friction_drift(&mut self, x: &[Vector3<f64>]) -> Option<f64> {
        if !(self.options.friction > 0.0 && self.dt > 0.0 && self.start.len() == x.len()) {
            return None;
        }
        self.detect(x);
        let now: f64 = self.detected.contacts.iter().map(|contact| contact.force().norm()).sum();
        let taken: f64 = self.frictions.iter().map(|friction| friction.contact.force().norm()).sum();
        let change = (now - taken).abs() / now.max(taken).max(f64::MIN_POSITIVE);
        (change > LAG).then_some(change)
    }

    /// The contacts at the blocks `x`: after a solve in the frozen pieces of the fields, until the next step.
    pub fn contacts(&mut self, x: &[Vector3<f64>]) -> &[Contact] {
        self.detect(x);
        &self.detected.contacts
    }

    /// The active set of the contacts at `x`, which keeps the pieces of the one before where they still hold nearly.
    fn active_set_at(&mut self, x: &[Vector3<f64>]) -> ActiveSet {
        let before = std::mem::take(&mut self.active_set);
        self.detected_at.clear();
        self.detect(x);
        let mut anew = ActiveSet::default();
        self.detected.collect_active_set(&mut anew);
        if before.frozen {
            self.keep_points(&mut anew, &before, x);
            self.keep_edges(&mut anew, &before, x);
        }
        anew
    }

    /// Lets points keep the pieces that they are still in or near to, so that a point at rest on a kink does not change sides.
    fn keep_points(&self, anew: &mut ActiveSet, before: &ActiveSet, x: &[Vector3<f64>]) {
        let scene = Scene::of(&self.bodies, x, &self.samples, &self.options);
        for (key, cell) in &mut anew.points {
            let Ok(at) = before.points.binary_search_by_key(key, |entry| entry.0) else { continue };
            let old = before.points[at].1;
            if old != *cell && is_near_cell(&scene, &self.obstacles, *key, old) {
                *cell = old;
            }
        }
    }

    /// Lets edges keep the pieces in which they are about as deep; those about as deep as their ends neither appear nor vanish.
    fn keep_edges(&self, anew: &mut ActiveSet, before: &ActiveSet, x: &[Vector3<f64>]) {
        let scene = Scene::of(&self.bodies, x, &self.samples, &self.options);
        let depth = |key: [u32; 3], edge: &ActiveEdge| {
            frozen_edge(&scene, key, edge).map_or(0.0, |(deepest, _)| deepest.depth)
        };
        let old_of = |key: &[u32; 3]| {
            before.edges.binary_search_by_key(key, |entry| entry.0).ok().map(|at| before.edges[at].1)
        };
        anew.edges.retain_mut(|(key, edge)| {
            let now = depth(*key, edge);
            match old_of(key) {
                Some(old) => {
                    if (depth(*key, &old) - now).abs() <= SAME_DEPTH * now && is_near_edge(&scene, *key, &old)
                    {
                        *edge = old;
                    }
                    true
                }
                None => now > (1.0 + SAME_DEPTH) * self.detected.depth_of_ends(&scene, *key),
            }
        });
        let found = anew.edges.len();
        for (key, edge) in &before.edges {
            if anew.edges[..found].binary_search_by_key(key, |entry| entry.0).is_err() {
                let (old, ends) = (depth(*key, edge), self.detected.depth_of_ends(&scene, *key));
                if old > 0.0 && old >= (1.0 - SAME_DEPTH) * ends && is_near_edge(&scene, *key, edge) {
                    anew.edges.push((*key, *edge));
                }
            }
        }
        anew.edges.sort_unstable_by_key(|entry| entry.0);
    }

    /// All that contacts keep from step to step, to be put back by [`Self::set_memory`] when a step is repeated.
    pub(crate) fn memory(&self) -> Memory {
        let Self { active_set, slips, initial, folds, .. } = self;
        let (active_set, slips) = (active_set.clone(), slips.clone());
        Memory { active_set, slips, initial: initial.clone(), folds: folds.clone() }
    }

    /// Puts back active set, slips and initial overlaps; no pair of bodies is eased any more.
    pub(crate) fn set_memory(&mut self, Memory { active_set, slips, initial, folds }: Memory) {
        (self.active_set, self.slips, self.initial, self.folds) = (active_set, slips, initial, folds);
        self.easing = false;
        self.detected_at.clear();
    }

    /// Detects the contacts at `x`, frozen ones in their pieces.
    pub(super) fn detect(&mut self, x: &[Vector3<f64>]) {
        if !x.is_empty() && self.detected_at == x {
            return;
        }
        self.detected_at.clear();
        self.detected_at.extend_from_slice(x);
        self.obstacle_poses.clear();
        self.obstacle_poses.extend(self.obstacles.iter().map(|obstacle| obstacle.pose_at(x)));
        self.samples.resize_with(self.obstacles.len(), Vec::new);
        for ((samples, obstacle), obstacle_pose) in
            self.samples.iter_mut().zip(&self.obstacles).zip(&self.obstacle_poses)
        {
            samples.clear();
            samples.extend(obstacle.samples.iter().map(|(point, _)| obstacle_pose.to_world(point)));
        }
        self.candidates.update(&mut self.bodies, (x, &self.samples), &self.options);
        let scene = Scene::of(&self.bodies, x, &self.samples, &self.options);
        let penalty = Penalty {
            stiffness: self.options.stiffness,
            onset: self.onset(),
            releases: self.options.recovery.is_some(),
            initial: self.initial.as_ref(),
            folds: &self.folds,
            joins_beside: self.joins_beside,
        };
        self.detected.clear();
        // Points before edges: an edge takes stiffness from the contact of its deeper end.
        self.detected.detect_points(&scene, &self.candidates, &self.obstacles, &penalty, &self.active_set);
        self.detected.detect_edges(&scene, &self.candidates, &penalty, &self.active_set);
        let placed = (0_u32..).zip(&self.obstacles).zip(&self.obstacle_poses);
        for (((number, obstacle), obstacle_pose), clear) in placed.zip(&mut self.clearances) {
            let obstacle = (number, obstacle, obstacle_pose);
            self.detected.detect_nodes_in_obstacle(&self.bodies, x, obstacle, clear, &penalty);
        }
    }

    /// Pose of the obstacle of a contact, if it has one.
    pub(super) fn obstacle_pose_of(&self, contact: &Contact) -> Option<&ObstaclePose> {
        contact.obstacle.map(|(number, _)| &self.obstacle_poses[number as usize])
    }
}

impl Interaction for SoftContact {
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64 {
        self.detect(x);
        let pressed: f64 = self.detected.contacts.iter().map(Contact::energy).sum();
        pressed + self.frictions.iter().map(|friction| friction.energy(x, &self.start)).sum::<f64>()
    }

    fn linearise(
        &mut self,
        x: &[Vector3<f64>],
        gradient: &mut [Vector3<f64>],
        hessian: &mut OuterProducts,
    ) -> f64 {
        let energy = self.energy(x);
        for contact in &self.detected.contacts {
            contact.linearise(self.obstacle_pose_of(contact), gradient, hessian);
            if self.options.stiffens() && hessian.takes_indefinite() {
                self.add_curvature(contact, x, hessian);
            }
        }
        self.frictions.iter().for_each(|friction| friction.linearise(x, &self.start, gradient, hessian));
        energy
    }

    fn freeze_active_set(&mut self, x: &[Vector3<f64>]) {
        self.active_set = self.active_set_at(x);
        self.detected_at.clear();
    }

    fn refresh_active_set(&mut self, x: &[Vector3<f64>]) {
        self.freeze_active_set(x);
        self.lag(x);
    }

    fn firm_up(&mut self, x: &[Vector3<f64>]) -> bool {
        self.firm_pairs(x)
    }

    fn undo_firming(&mut self) {
        self.undo_firmness();
    }

    fn note_shortened_step(&mut self, x: &[Vector3<f64>]) {
        self.shortened = true;
        self.frictions.iter_mut().for_each(|friction| friction.estimate(x, &self.start));
    }

    fn extend_active_set(&mut self, x: &[Vector3<f64>]) {
        self.frictions.iter_mut().for_each(|friction| friction.update_estimate(x, &self.start));
        self.detect(x);
        let before = std::mem::take(&mut self.active_set);
        self.detected.collect_active_set(&mut self.active_set);
        // Nothing is removed during a minimisation: a contact that has separated for the moment may press again.
        self.active_set.retain_all(&before);
    }

    fn drift(&mut self, x: &[Vector3<f64>]) -> Option<f64> {
        let before = self.energy(x);
        let held = self.active_set.clone();
        let anew = self.active_set_at(x);
        let agree = anew.agrees(&held);
        (self.active_set, self.detected_at) = (anew, Vec::new());
        // Evaluated with the refreshed set; the frozen one is put back, since the caller decides on the refresh.
        let now = if agree { before } else { self.energy(x) };
        (self.active_set, self.detected_at) = (held, Vec::new());
        let changed = (now - before).abs() / now.max(before).max(f64::MIN_POSITIVE);
        let lagged = self.friction_drift(x);
        let drift = if agree { 0.0 } else { changed }.max(lagged.unwrap_or(0.0));
        (!agree || lagged.is_some()).then_some(drift)
    }
}
