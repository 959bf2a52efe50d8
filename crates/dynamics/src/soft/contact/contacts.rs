//! The contacts of a system of soft bodies and obstacles.

use nalgebra::{Isometry3, Vector3};

use super::body::{Body, longest_edge};
use super::detect::{Clearance, Found};
use super::friction::Friction;
use super::held::Held;
use super::obstacle::{Motion, Obstacle, Placement};
use super::options::ContactOptions;
use super::point::{Contact, Field, Probe};
use super::scene::Scene;
use super::search::Candidates;
use crate::error::SoftError;
use crate::soft::interaction::{Interaction, OuterProducts};
use extricate_core::geometry::TetMesh;

/// Default margin of the search as a share of the longest edge: smaller ones search more often, larger ones find more.
pub(super) const MARGIN: f64 = 0.05;
/// Time [s] for which the release of an overlap goes on while the point does not follow: what presses then, and the energy in
/// it, stays small; with less of it pushes that nearly balance take long.
const PATIENCE: f64 = 0.1;
/// Default creep of friction per second, as a share of the longest edge.
const CREEP: f64 = 1e-3;

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
    pub(super) obstacles: Vec<Obstacle>,
    /// Longest edge of all bodies [m].
    pub(super) longest: f64,
    pub(super) candidates: Candidates,
    pub(super) samples: Vec<Vec<Vector3<f64>>>,
    pub(super) placements: Vec<Placement>,
    pub(super) clearances: Vec<Vec<Clearance>>,
    pub(super) found: Found,
    /// The blocks that `found` is for; empty where it is for none.
    pub(super) found_at: Vec<Vector3<f64>>,
    /// The pieces that contacts are held in.
    pub(super) held: Held,
    pub(super) frictions: Vec<Friction>,
    /// The blocks at the start of the step.
    pub(super) start: Vec<Vector3<f64>>,
    /// The step [s].
    pub(super) dt: f64,
    /// What is left of initial overlaps [m], by point and field, ascending; `None` before the first step.
    pub(super) left: Option<Vec<((Probe, Field), f64)>>,
}

impl SoftContact {
    /// Contacts of nothing yet.
    ///
    /// # Errors
    /// [`SoftError::Option`] when a number is out of its range.
    pub fn new(options: ContactOptions) -> Result<Self, SoftError> {
        options.check()?;
        Ok(Self {
            options,
            bodies: Vec::new(),
            obstacles: Vec::new(),
            longest: 0.0,
            candidates: Candidates::default(),
            samples: Vec::new(),
            placements: Vec::new(),
            clearances: Vec::new(),
            found: Found::default(),
            found_at: Vec::new(),
            held: Held::default(),
            frictions: Vec::new(),
            start: Vec::new(),
            dt: 0.0,
            left: None,
        })
    }

    /// Adds the soft body of `mesh` at rest, whose node i is block `first_block` + i, with the depth of each node [m]
    /// ([`node_depths`] or a sampled field; on the surface it counts as zero). Returns its number.
    ///
    /// # Errors
    /// [`SoftError`] when there is not one finite depth for each node.
    pub fn add_body(&mut self, mesh: &TetMesh, first_block: u32, depths: &[f64]) -> Result<usize, SoftError> {
        let longest = longest_edge(mesh);
        let near = self.options.near.unwrap_or(longest);
        self.bodies.push(Body::new(mesh, first_block, depths, near)?);
        self.longest = self.longest.max(longest);
        self.forget();
        Ok(self.bodies.len() - 1)
    }

    /// Adds an obstacle; returns its number.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> usize {
        self.obstacles.push(obstacle);
        self.forget();
        self.obstacles.len() - 1
    }

    /// The obstacles.
    #[must_use]
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// Gives obstacle `number` a new pose and motion, at the start of a step.
    ///
    /// # Panics
    /// When there is none of that number.
    pub fn move_obstacle(&mut self, number: usize, pose: Isometry3<f64>, motion: Motion) {
        let obstacle = &mut self.obstacles[number];
        (obstacle.pose, obstacle.motion) = (pose, motion);
        self.found_at.clear();
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &ContactOptions {
        &self.options
    }

    fn forget(&mut self) {
        let nodes = self.bodies.iter().map(|body| body.nodes.len()).sum();
        self.clearances = vec![vec![Clearance::UNKNOWN; nodes]; self.obstacles.len()];
        self.candidates = Candidates::default();
        self.let_go();
    }

    /// Holds no contact any more.
    fn let_go(&mut self) {
        self.held.clear();
        self.found_at.clear();
    }

    /// Begins a step of `dt` [s] at the blocks `x`: friction is measured from here, and takes its normal forces from here.
    /// The first step notes the initial overlaps; each one releases them by another `recovery · dt`.
    pub fn begin_step(&mut self, x: &[Vector3<f64>], dt: f64) {
        self.start.clear();
        self.start.extend_from_slice(x);
        self.dt = dt;
        self.let_go();
        self.release(x);
        self.found_at.clear();
        self.lag(x);
    }

    /// Takes friction's normal forces and directions from the contacts at the blocks `x`.
    pub fn lag(&mut self, x: &[Vector3<f64>]) {
        self.frictions.clear();
        if !(self.options.friction > 0.0 && self.dt > 0.0 && self.start.len() == x.len()) {
            return;
        }
        self.find(x);
        let creep = self.options.creep.unwrap_or(CREEP * self.longest) * self.dt;
        for contact in &self.found.contacts {
            let obstacle = contact.obstacle.map(|(number, _)| number as usize);
            let placement = obstacle.map(|number| self.placements[number]);
            let drive = obstacle.map_or_else(Vector3::zeros, |number| match self.obstacles[number].motion {
                Motion::Kinematic { linear, angular } => {
                    let arm = contact.point - self.placements[number].origin;
                    (linear + angular.cross(&arm)) * self.dt
                }
                Motion::Fixed | Motion::Dynamic { .. } => Vector3::zeros(),
            });
            let coefficients = [self.options.friction, creep];
            self.frictions.extend(Friction::of(contact, placement, coefficients, drive));
        }
    }

    /// The contacts at the blocks `x`: after a solve in the pieces of the fields in which they were held, until the next step.
    pub fn contacts(&mut self, x: &[Vector3<f64>]) -> &[Contact] {
        self.find(x);
        &self.found.contacts
    }

    /// Notes initial overlaps at the first call, and takes off what a step releases at each.
    ///
    /// A remainder falls by v·dt a step, but not to more than v times [`PATIENCE`] below the depth: a point that goes out is not
    /// pushed to more than v, and one that is held, by pushes that contradict each other, stores little. Without the second
    /// rule the whole energy of the overlap would gather there and burst out later.
    fn release(&mut self, x: &[Vector3<f64>]) {
        let Some(speed) = self.options.recovery else { return };
        self.find(x);
        let mut now: Vec<_> = self.found.contacts.iter().map(|c| ((c.probe, c.field), c.depth)).collect();
        now.sort_unstable_by_key(|entry| entry.0);
        let step = speed * self.dt;
        let gathered = self.options.recovery_pressure.map_or(f64::INFINITY, |p| p / self.options.stiffness);
        let press = step + gathered.min(speed * PATIENCE);
        if let Some(left) = &mut self.left {
            for (key, remainder) in left.iter_mut() {
                let depth = now.binary_search_by_key(key, |entry| entry.0).map_or(0.0, |at| now[at].1);
                *remainder = (*remainder - step).max(remainder.min(depth - press));
            }
            left.retain(|(_, remainder)| *remainder > 0.0);
        } else {
            self.left = Some(now);
        }
    }

    /// What holds the contacts that are at `x`. Edges that were held stay so: what is deeper, the edge or its end, may depend on
    /// which of them is pushed.
    fn held_anew(&mut self, x: &[Vector3<f64>]) -> Held {
        let before = std::mem::take(&mut self.held);
        self.found_at.clear();
        self.find(x);
        let mut anew = Held::default();
        self.found.hold(&mut anew);
        anew.keep_edges(&before);
        anew
    }

    /// Finds the contacts at `x`, those that are held in the pieces in which they are.
    pub(super) fn find(&mut self, x: &[Vector3<f64>]) {
        if !x.is_empty() && self.found_at == x {
            return;
        }
        self.found_at.clear();
        self.found_at.extend_from_slice(x);
        self.placements.clear();
        self.placements.extend(self.obstacles.iter().map(|obstacle| obstacle.placement(x)));
        self.samples.resize_with(self.obstacles.len(), Vec::new);
        for ((samples, obstacle), placement) in
            self.samples.iter_mut().zip(&self.obstacles).zip(&self.placements)
        {
            samples.clear();
            samples.extend(obstacle.samples.iter().map(|(point, _)| placement.to_world(point)));
        }
        let margin = self.options.margin.unwrap_or(MARGIN * self.longest);
        let bodies = std::mem::take(&mut self.bodies);
        self.bodies = self.search(bodies, x, margin);
        let scene = Scene::of(&self.bodies, x, &self.samples, &self.options);
        let left = |probe: Probe, field: Field| {
            let left = self.left.as_deref().unwrap_or_default();
            left.binary_search_by_key(&(probe, field), |entry| entry.0).map_or(0.0, |at| left[at].1)
        };
        let stiffness = self.options.stiffness;
        self.found.clear();
        self.found.points(&scene, &self.candidates, &self.obstacles, (stiffness, &left), &self.held);
        self.found.edges(&scene, &self.candidates, (stiffness, &left), &self.held);
        let placed = (0_u32..).zip(&self.obstacles).zip(&self.placements);
        for (((number, obstacle), placement), clear) in placed.zip(&mut self.clearances) {
            let obstacle = (number, obstacle, placement);
            self.found.nodes_in_obstacle(&self.bodies, x, obstacle, clear, (stiffness, &left));
        }
    }

    /// Searches candidates anew if the old ones no longer hold.
    fn search(&mut self, mut bodies: Vec<Body>, x: &[Vector3<f64>], margin: f64) -> Vec<Body> {
        let (samples, options) = (&self.samples, &self.options);
        if self.candidates.hold(&Scene::of(&bodies, x, samples, options), margin) {
            return bodies;
        }
        if !self.candidates.neighbours_hold(&Scene::of(&bodies, x, samples, options), margin) {
            bodies.iter_mut().for_each(|body| body.refit(x));
            self.candidates.widen(&Scene::of(&bodies, x, samples, options), margin);
        }
        self.candidates.refresh(&Scene::of(&bodies, x, samples, options), margin);
        bodies
    }

    pub(super) fn placement_of(&self, contact: &Contact) -> Option<&Placement> {
        contact.obstacle.map(|(number, _)| &self.placements[number as usize])
    }
}

impl Interaction for SoftContact {
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64 {
        self.find(x);
        let pressed: f64 = self.found.contacts.iter().map(Contact::energy).sum();
        pressed + self.frictions.iter().map(|friction| friction.energy(x, &self.start)).sum::<f64>()
    }

    fn linearise(
        &mut self,
        x: &[Vector3<f64>],
        gradient: &mut [Vector3<f64>],
        hessian: &mut OuterProducts,
    ) -> f64 {
        let energy = self.energy(x);
        for contact in &self.found.contacts {
            contact.linearise(self.placement_of(contact), gradient, hessian);
        }
        self.frictions.iter().for_each(|friction| friction.linearise(x, &self.start, gradient, hessian));
        energy
    }
    fn hold(&mut self, x: &[Vector3<f64>]) {
        self.let_go();
        self.hold_again(x);
    }

    fn hold_again(&mut self, x: &[Vector3<f64>]) {
        self.held = self.held_anew(x);
        self.found_at.clear();
    }

    fn hold_appeared(&mut self, x: &[Vector3<f64>]) {
        self.find(x);
        let before = std::mem::take(&mut self.held);
        self.found.hold(&mut self.held);
        self.held.keep_all(&before);
    }

    fn drift(&mut self, x: &[Vector3<f64>]) -> Option<f64> {
        let before = self.energy(x);
        let held = self.held.clone();
        let anew = self.held_anew(x);
        let agree = anew.agrees(&held);
        (self.held, self.found_at) = (anew, Vec::new());
        let now = if agree { before } else { self.energy(x) };
        (self.held, self.found_at) = (held, Vec::new());
        (!agree).then(|| (now - before).abs() / now.max(before).max(f64::MIN_POSITIVE))
    }
}
