//! A system of soft bodies: state, masses, gravity, forces and prescribed motion.

use nalgebra::{Isometry3, Matrix3, Vector3};
use serde::{Deserialize, Serialize};

use super::blocks::{BlockMatrix, Connectivity, DerivativeOrder, ElementKernel};
use super::element::{Elements, Local, LocalBatch};
use super::interaction::OuterProducts;
use super::linear::LinearSolver;
use super::material::Constitutive;
use super::report::Energies;
use crate::stateful::{Mismatch, Stateful, fits};

/// A block beside the nodes: the position of a rigid body's centre of mass, or its rotation vector since the start of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExtraBlock {
    /// Mass times the identity \[kg\], or the inertia about the centre of mass in world axes [kg·m²].
    pub inertia: Matrix3<f64>,
    /// Position \[m\], or rotation vector \[rad\].
    pub position: Vector3<f64>,
    /// Velocity [m/s], or angular velocity [rad/s].
    pub velocity: Vector3<f64>,
    /// Whether gravity acts on it with its mass.
    pub falls: bool,
}

/// Several soft bodies, their nodes one after another, then the extra blocks.
#[derive(Debug, Clone)]
pub struct SoftSystem {
    pub(super) bodies: Vec<Elements>,
    /// First block of each body; then of the extra blocks.
    pub(super) first: Vec<u32>,
    /// Positions \[m\] by block.
    pub x: Vec<Vector3<f64>>,
    /// Velocities [m/s] by block.
    pub v: Vec<Vector3<f64>>,
    /// Gravity [m/s²].
    pub gravity: Vector3<f64>,
    /// Constant forces on the blocks \[N\].
    pub forces: Vec<Vector3<f64>>,
    pub(super) masses: Vec<f64>,
    extra: Vec<ExtraBlock>,
    /// 1 where a component is free, 0 where it is prescribed.
    pub(super) free: Vec<Vector3<f64>>,
    /// Positions of the prescribed components at the end of the step [m].
    pub(super) targets: Vec<Vector3<f64>>,
    /// Forces with which the prescribed components were held in the last step [N]; zero where a component is free.
    pub(super) reactions: Vec<Vector3<f64>>,
    /// Velocities at the start of the previous step, from which the initial guess is extrapolated.
    pub(super) v_before: Vec<Vector3<f64>>,
    pub(super) matrix: BlockMatrix,
    pub(super) outer: OuterProducts,
    pub(super) solver: LinearSolver,
}

/// The state of a system.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SystemState {
    x: Vec<Vector3<f64>>,
    v: Vec<Vector3<f64>>,
    v_before: Vec<Vector3<f64>>,
    targets: Vec<Vector3<f64>>,
    /// Free components, one bit each.
    free: Vec<u8>,
    /// Whether conjugate gradients failed in the last solve.
    stiff: bool,
}

impl Stateful for SoftSystem {
    type State = SystemState;

    fn snapshot(&self) -> SystemState {
        let bits = |free: &Vector3<f64>| (0..3).map(|axis| u8::from(free[axis] > 0.0) << axis).sum();
        SystemState {
            x: self.x.clone(),
            v: self.v.clone(),
            v_before: self.v_before.clone(),
            targets: self.targets.clone(),
            free: self.free.iter().map(bits).collect(),
            stiff: self.solver.stiff,
        }
    }

    fn restore(&mut self, state: SystemState) -> Result<(), Mismatch> {
        let SystemState { x, v, v_before, targets, free, stiff } = state;
        let blocks = self.block_count();
        fits([&x, &v, &v_before, &targets].iter().all(|vectors| vectors.len() == blocks))?;
        fits(free.len() == blocks)?;
        (self.x, self.v, self.v_before, self.targets) = (x, v, v_before, targets);
        let component = |bits: u8, axis: usize| f64::from(bits >> axis & 1);
        self.free = free.iter().map(|&bits| Vector3::from_fn(|axis, _| component(bits, axis))).collect();
        self.solver.stiff = stiff;
        Ok(())
    }
}

/// The elements' energies over the system's blocks.
pub(super) struct Kernel<'a> {
    pub(super) bodies: &'a [Elements],
    pub(super) first: &'a [u32],
}

impl ElementKernel for Kernel<'_> {
    fn local(
        &self,
        body: usize,
        element: usize,
        x: &[Vector3<f64>],
        local: &mut Local,
        order: DerivativeOrder,
    ) -> f64 {
        let x = &x[self.first[body] as usize..self.first[body + 1] as usize];
        // Single elements have no warped form: the projected Hessian replaces it.
        let (hessian, exact) = (order != DerivativeOrder::Gradient, order == DerivativeOrder::ExactHessian);
        self.bodies[body].local(element, x, local, hessian, !exact)
    }

    fn local_four(
        &self,
        body: usize,
        elements: [u32; 4],
        x: &[Vector3<f64>],
        batch: &mut LocalBatch<4>,
        order: DerivativeOrder,
    ) -> bool {
        let x = &x[self.first[body] as usize..self.first[body + 1] as usize];
        let hessian = match (order, self.bodies[body].material().model()) {
            (DerivativeOrder::Gradient, _) => false,
            (DerivativeOrder::WarpedHessian, Constitutive::Corotational)
            | (DerivativeOrder::ExactHessian, Constitutive::NeoHookean) => true,
            // Every other combination of model and Hessian is evaluated element by element.
            _ => return false,
        };
        self.bodies[body].closed_form_of_four(elements, x, hessian, batch)
    }
}

impl SoftSystem {
    /// The bodies at rest where their meshes are, without gravity, and `extra` further blocks without mass at zero.
    ///
    /// # Panics
    /// When there are more nodes than 32 bits can count.
    #[must_use]
    pub fn new(bodies: Vec<Elements>, extra: usize) -> Self {
        let mut first = vec![0_u32];
        let (mut x, mut masses): (Vec<Vector3<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut parts = Vec::new();
        for body in &bodies {
            parts.push(connectivity(body, first.last().copied().unwrap_or(0)));
            x.extend(body.rest_positions());
            masses.extend(body.masses());
            first.push(u32::try_from(x.len()).expect("nodes fit 32 bits"));
        }
        let none = ExtraBlock {
            inertia: Matrix3::zeros(),
            position: Vector3::zeros(),
            velocity: Vector3::zeros(),
            falls: false,
        };
        let blocks = x.len() + extra;
        x.resize(blocks, Vector3::zeros());
        let zeros = vec![Vector3::zeros(); blocks];
        Self {
            matrix: BlockMatrix::new(blocks, &parts),
            bodies,
            first,
            targets: x.clone(),
            x,
            v: zeros.clone(),
            v_before: zeros.clone(),
            reactions: zeros.clone(),
            forces: zeros,
            gravity: Vector3::zeros(),
            masses,
            extra: vec![none; extra],
            free: vec![Vector3::repeat(1.0); blocks],
            outer: OuterProducts::default(),
            solver: LinearSolver::default(),
        }
    }

    /// The bodies.
    #[must_use]
    pub fn bodies(&self) -> &[Elements] {
        &self.bodies
    }

    /// Blocks of a body's nodes.
    #[must_use]
    pub fn blocks_of(&self, body: usize) -> std::ops::Range<usize> {
        self.first[body] as usize..self.first[body + 1] as usize
    }

    /// Positions of a body's nodes \[m\].
    #[must_use]
    pub fn positions_of(&self, body: usize) -> &[Vector3<f64>] {
        &self.x[self.blocks_of(body)]
    }

    /// Blocks of all nodes.
    #[must_use]
    pub fn node_blocks(&self) -> std::ops::Range<usize> {
        0..self.masses.len()
    }

    /// Index of an extra block among all blocks.
    #[must_use]
    pub fn extra_block(&self, index: usize) -> usize {
        self.masses.len() + index
    }

    /// Number of blocks: nodes of all bodies, and extra ones.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.x.len()
    }

    /// Applies a rigid motion to the current positions and velocities of a body.
    pub fn transform(&mut self, body: usize, pose: &Isometry3<f64>) {
        for block in self.blocks_of(body) {
            self.x[block] = pose * nalgebra::Point3::from(self.x[block]) - nalgebra::Point3::origin();
            self.v[block] = pose.rotation * self.v[block];
        }
    }

    /// Sets the inertia and the state of an extra block, as before each step.
    pub fn set_extra(&mut self, index: usize, block: ExtraBlock) {
        let place = self.extra_block(index);
        self.x[place] = block.position;
        self.v[place] = block.velocity;
        // The caller overwrites the state each step, so an extrapolation over two steps would mix unrelated velocities.
        self.v_before[place] = block.velocity;
        self.extra[index] = block;
    }

    /// Prescribes the components `axes` of a block (a Dirichlet condition): at the end of the next step, or of the quasi-static
    /// solve, they equal those of `target` \[m\], and they stay there until released or prescribed again.
    pub fn prescribe(&mut self, block: usize, axes: [bool; 3], target: Vector3<f64>) {
        self.free[block] = Vector3::from_fn(|axis, _| if axes[axis] { 0.0 } else { 1.0 });
        self.targets[block] = target;
    }

    /// Prescribes nodes of a body as parts of a rigid handle or of a driven rigid body: at the end of the next step they are at
    /// their rest positions transformed by `pose`.
    pub fn prescribe_rigidly(&mut self, body: usize, nodes: &[u32], pose: &Isometry3<f64>) {
        for &node in nodes {
            let rest = nalgebra::Point3::from(self.bodies[body].rest_positions()[node as usize]);
            self.prescribe((self.first[body] + node) as usize, [true; 3], (pose * rest).coords);
        }
    }

    /// Prescribes all components of a block at its current position.
    pub fn pin(&mut self, block: usize) {
        self.prescribe(block, [true; 3], self.x[block]);
    }

    /// Force with which the prescribed components of a block were held in the last step \[N\], at its end, with explicit schemes at
    /// its start; zero in free components.
    #[must_use]
    pub fn reaction(&self, block: usize) -> Vector3<f64> {
        self.reactions[block]
    }

    /// Whether any component is prescribed.
    pub(super) fn holds_any(&self) -> bool {
        self.free.iter().any(|free| free.min() <= 0.0)
    }

    /// Takes the reactions from the forces that are missing for balance, in all components [N].
    pub(super) fn set_reactions(&mut self, missing: &[Vector3<f64>]) {
        for ((reaction, missing), free) in self.reactions.iter_mut().zip(missing).zip(&self.free) {
            *reaction = missing.component_mul(&free.map(|free| 1.0 - free));
        }
    }

    /// Frees all components of a block.
    pub fn release(&mut self, block: usize) {
        self.free[block] = Vector3::repeat(1.0);
    }

    /// Energies of the state.
    #[must_use]
    pub fn energies(&self) -> Energies {
        let elastic = self.bodies.iter().enumerate().map(|(body, elements)| {
            let x = self.positions_of(body);
            (0..elements.element_count()).map(|e| elements.energy_of(e, x)).sum::<f64>()
        });
        Energies { elastic: elastic.sum(), ..self.energies_of_motion() }
    }

    /// First inverted element: body and element.
    #[must_use]
    pub fn first_inverted(&self) -> Option<(usize, usize)> {
        self.bodies.iter().enumerate().find_map(|(body, elements)| {
            let x = self.positions_of(body);
            (0..elements.element_count()).find(|&e| elements.is_inverted(e, x)).map(|e| (body, e))
        })
    }

    pub(super) fn energies_of_motion(&self) -> Energies {
        let mut energies = Energies::default();
        for (block, v) in self.v.iter().enumerate() {
            energies.kinetic += 0.5 * v.dot(&self.inertia_times(block, v));
            energies.gravity -= self.weight(block).dot(&self.x[block]);
        }
        energies
    }

    /// Inertia of a block times `v`.
    pub(super) fn inertia_times(&self, block: usize, v: &Vector3<f64>) -> Vector3<f64> {
        match self.masses.get(block) {
            Some(mass) => *mass * v,
            None => self.extra[block - self.masses.len()].inertia * v,
        }
    }

    /// Inertia of a block.
    pub(super) fn inertia(&self, block: usize) -> Matrix3<f64> {
        match self.masses.get(block) {
            Some(mass) => Matrix3::from_diagonal_element(*mass),
            None => self.extra[block - self.masses.len()].inertia,
        }
    }

    /// Gravitational force on a block [N].
    pub(super) fn weight(&self, block: usize) -> Vector3<f64> {
        match self.masses.get(block) {
            Some(mass) => *mass * self.gravity,
            None => {
                let extra = &self.extra[block - self.masses.len()];
                if extra.falls { extra.inertia * self.gravity } else { Vector3::zeros() }
            }
        }
    }

    /// Maximum over the bodies of Young's modulus × size × largest coordinate [N]: forces are rounded in proportion to it.
    pub(super) fn stiffness_times_area(&self) -> f64 {
        let of = |(body, elements): (usize, &Elements)| {
            let bounds = elements.linear_mesh().aabb();
            let reach = self.positions_of(body).iter().map(|x| x.amax()).fold(0.0, f64::max);
            elements.material().youngs_modulus() * reach * (bounds.max - bounds.min).norm()
        };
        self.bodies.iter().enumerate().map(of).fold(0.0, f64::max)
    }

    /// Mass-proportional damping α of a body's material [1/s]; zero for the extra blocks.
    pub(super) fn mass_damping(&self, body: usize) -> f64 {
        self.bodies.get(body).map_or(0.0, |elements| elements.material().mass_damping())
    }
}

/// Connectivity of a body whose nodes start at block `first`; `centres` are the centroids of the corners.
fn connectivity(body: &Elements, first: u32) -> Connectivity {
    let rest = body.rest_positions();
    let centre = |e: usize| {
        let corners = body.nodes_of(e)[..4].iter();
        corners.map(|&node| rest[node as usize]).sum::<Vector3<f64>>() / 4.0
    };
    Connectivity {
        first,
        width: body.nodes_per_element(),
        nodes: (0..body.element_count()).flat_map(|e| body.nodes_of(e)).copied().collect(),
        centres: (0..body.element_count()).map(centre).collect(),
    }
}
