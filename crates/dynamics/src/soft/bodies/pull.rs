//! Interactive pulling of a soft body: a spring on the mean position of the nodes around one, as a part of the implicit solve.

use nalgebra::{Point3, Vector3};

use super::description::SoftScheme;
use crate::pull::spring::{RATE, SOFT_LIMIT, max_acceleration};
use crate::soft::interaction::{Interaction, OuterProducts};
use crate::soft::{Scheme, SoftSystem};

/// Pulled nodes and their target.
#[derive(Debug, Clone)]
pub(super) struct NodePull {
    /// Their blocks, each with its weight in the mean.
    weights: Vec<(u32, f64)>,
    /// Target of their mean [m, world].
    target: Vector3<f64>,
    /// Masses of the body, and of the pulled nodes [kg].
    masses: [f64; 2],
    /// Half the diagonal of the body at rest [m].
    radius: f64,
}

/// A pull during a step, added to another interaction: E = k/2 |p − t|² + c/2h |p − p₀|² − w·(p − p₀) with p the mean of the
/// nodes, p₀ its position at the start, k = m ω², c = 2 m ω (critical damping), and the weight w of the body that it carries.
pub(super) struct Pulled<'a> {
    pull: &'a NodePull,
    /// p₀ [m].
    start: Vector3<f64>,
    /// t [m], no farther away than the limit of the force allows.
    target: Vector3<f64>,
    /// k and c/h [N/m].
    stiffness: [f64; 2],
    /// w [N].
    carried: Vector3<f64>,
    other: &'a mut dyn Interaction,
}

impl NodePull {
    /// A pull of the nodes of the elements around a node of a body towards a target [m].
    pub(super) fn new(system: &SoftSystem, body: usize, node: usize, target: Point3<f64>) -> Self {
        let elements = &system.bodies()[body];
        let around = (0..elements.element_count()).map(|e| elements.nodes_of(e));
        let around = around.filter(|nodes| nodes.iter().any(|&other| other as usize == node));
        let mut nodes: Vec<u32> = around.flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mass = |node: u32| elements.masses()[node as usize];
        let held: f64 = nodes.iter().map(|&node| mass(node)).sum();
        let first = u32::try_from(system.blocks_of(body).start).expect("blocks fit 32 bits");
        Self {
            weights: nodes.iter().map(|&node| (first + node, mass(node) / held)).collect(),
            target: target.coords,
            masses: [elements.masses().iter().sum(), held],
            radius: 0.5 * elements.linear_mesh().aabb().extents().norm(),
        }
    }

    /// Mean position of the nodes [m], weighted by mass.
    pub(super) fn mean(&self, x: &[Vector3<f64>]) -> Vector3<f64> {
        self.weights.iter().map(|&(block, weight)| weight * x[block as usize]).sum()
    }

    /// The pull during a step of `dt` [s] that starts with the blocks at `x`.
    pub(super) fn during<'a>(
        &'a self,
        (x, dt): (&[Vector3<f64>], f64),
        (gravity, scheme): (&Vector3<f64>, SoftScheme),
        other: &'a mut dyn Interaction,
    ) -> Pulled<'a> {
        // An explicit step is stable only with a stiffness in proportion to the mass of the pulled nodes themselves.
        let explicit = scheme == SoftScheme::Dynamic(Scheme::SymplecticEuler);
        let mass = self.masses[usize::from(explicit)];
        let start = self.mean(x);
        let max_distance = max_acceleration(SOFT_LIMIT, gravity, self.radius) / (RATE * RATE);
        let target = start + (self.target - start).cap_magnitude(max_distance);
        let stiffness = [mass * RATE * RATE, 2.0 * mass * RATE / dt];
        Pulled { pull: self, start, target, stiffness, carried: -self.masses[0] * gravity, other }
    }
}

impl Pulled<'_> {
    /// Energy [J] and its gradient with respect to p [N].
    fn spring(&self, x: &[Vector3<f64>]) -> (f64, Vector3<f64>) {
        let p = self.pull.mean(x);
        let (stretch, moved) = (p - self.target, p - self.start);
        let [k, drag] = self.stiffness;
        let energy =
            0.5 * (k * stretch.norm_squared() + drag * moved.norm_squared()) - self.carried.dot(&moved);
        (energy, k * stretch + drag * moved - self.carried)
    }
}

impl Interaction for Pulled<'_> {
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64 {
        self.spring(x).0 + self.other.energy(x)
    }

    fn linearise(&mut self, x: &[Vector3<f64>], g: &mut [Vector3<f64>], hessian: &mut OuterProducts) -> f64 {
        let (energy, pull) = self.spring(x);
        for &(block, weight) in &self.pull.weights {
            g[block as usize] += weight * pull;
        }
        for axis in 0..3 {
            let column = self.pull.weights.iter().map(|&(block, weight)| (block, Vector3::ith(axis, weight)));
            hessian.push(self.stiffness[0] + self.stiffness[1], column);
        }
        energy + self.other.linearise(x, g, hessian)
    }

    fn inner(&mut self) -> Option<&mut dyn Interaction> {
        Some(self.other)
    }
}
