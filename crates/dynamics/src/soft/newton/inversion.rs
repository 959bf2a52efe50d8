//! A barrier against inversion: an energy of the volume ratio J = det F of each linear element that is infinite where J = 0.
//!
//! b(J) = κ V B(J / Ĵ), B(s) = −(1 − s)² ln s for s < 1 and 0 beyond: the barrier of incremental potential contact, with the
//! volume ratio for the distance. It is twice continuously differentiable, and nothing acts on elements above Ĵ. With
//! g = ∂J/∂x its Hessian is b″ g gᵀ + b′ ∇²J, of which the first term, which is positive semi-definite, is used.
//!
//! No iterate of Newton's method inverts an element: the line search refuses it. An element that is inverted already, when the
//! minimisation begins, is left alone: its material alone takes it back.

use nalgebra::Vector3;

use crate::soft::element::{ElementKind, Elements};
use crate::soft::interaction::OuterProducts;
use crate::soft::material::Constitutive;
use crate::soft::system::SoftSystem;

/// Volume ratio Ĵ below which the barrier acts. Larger: it stiffens what the material allows; smaller: the Hessian of the
/// barrier is worse conditioned, and steps that compress much take more iterations.
const BARRIER_BELOW: f64 = 0.1;

/// Barrier against the inversion of the elements of a system.
#[derive(Debug, Clone, Default)]
pub(super) struct InversionBarrier {
    /// Whether each element of each body is guarded; empty for bodies without.
    guarded: Vec<Vec<bool>>,
}

/// Blocks of an element, its volume ratio and the gradient of that.
struct VolumeRatio {
    blocks: [u32; 4],
    ratio: f64,
    gradient: [Vector3<f64>; 4],
}

impl InversionBarrier {
    /// The barrier of the elements that are not inverted at `x`. Quadratic elements have none, nor have those of the linear
    /// material, whose volume ratio has no meaning under large rotations.
    pub(super) fn of(system: &SoftSystem, x: &[Vector3<f64>]) -> Self {
        let mut guarded = Vec::with_capacity(system.bodies().len());
        for (body, elements) in system.bodies().iter().enumerate() {
            let plain =
                elements.kind() == ElementKind::Linear && elements.material().model() != Constitutive::Linear;
            let count = if plain { elements.element_count() } else { 0 };
            let first = system.blocks_of(body).start;
            guarded.push((0..count).map(|e| corners(elements, e, first, x).1 > 0.0).collect());
        }
        Self { guarded }
    }

    /// Adds the barrier's gradient [N] to `gradient` and, where wanted, its Hessian to `hessian`. Returns its energy [J]; `None`
    /// where a guarded element is flat or inverted.
    pub(super) fn linearise(
        &self,
        system: &SoftSystem,
        x: &[Vector3<f64>],
        gradient: &mut [Vector3<f64>],
        mut hessian: Option<&mut OuterProducts>,
    ) -> Option<f64> {
        let mut energy = 0.0;
        self.for_each_below(system, x, |of, scale| {
            let s = of.ratio / BARRIER_BELOW;
            let ([value, slope, curvature], gap) = (barrier(s), 1.0 / BARRIER_BELOW);
            energy += scale * value;
            for (block, g) in of.blocks.iter().zip(&of.gradient) {
                gradient[*block as usize] += scale * slope * gap * g;
            }
            if let Some(hessian) = hessian.as_deref_mut() {
                hessian.push(scale * curvature * gap * gap, of.blocks.into_iter().zip(of.gradient));
            }
        })?;
        Some(energy)
    }

    /// Whether no guarded element is flat or inverted at `x`.
    pub(super) fn admits(&self, system: &SoftSystem, x: &[Vector3<f64>]) -> bool {
        self.for_each_below(system, x, |_, _| {}).is_some()
    }

    /// Visits the guarded elements below the bound, with κ V [J]; `None` where one is flat or inverted.
    fn for_each_below(
        &self,
        system: &SoftSystem,
        x: &[Vector3<f64>],
        mut visit: impl FnMut(&VolumeRatio, f64),
    ) -> Option<()> {
        for (body, guarded) in self.guarded.iter().enumerate() {
            let (elements, first) = (&system.bodies()[body], system.blocks_of(body).start);
            for e in (0..guarded.len()).filter(|&e| guarded[e]) {
                let ([a, b, c, d], ratio) = corners(elements, e, first, x);
                if !(ratio > 0.0) {
                    return None;
                }
                if ratio < BARRIER_BELOW {
                    let (ab, ac, ad) = (b - a, c - a, d - a);
                    let six = 1.0 / (6.0 * elements.rest_volume(e));
                    let of = [ac.cross(&ad), ad.cross(&ab), ab.cross(&ac)].map(|g| six * g);
                    let blocks = std::array::from_fn(|i| to_block(elements.nodes_of(e)[i], first));
                    let gradient = [-(of[0] + of[1] + of[2]), of[0], of[1], of[2]];
                    let scale = elements.material().youngs_modulus() * elements.rest_volume(e);
                    visit(&VolumeRatio { blocks, ratio, gradient }, scale);
                }
            }
        }
        Some(())
    }
}

/// B, B′ and B″ at 0 < s < 1.
fn barrier(s: f64) -> [f64; 3] {
    let (rest, log) = (1.0 - s, s.ln());
    let value = -rest * rest * log;
    let slope = 2.0 * rest * log - rest * rest / s;
    let curvature = -2.0 * log + 4.0 * rest / s + rest * rest / (s * s);
    [value, slope, curvature]
}

/// Corners of an element, and its volume over that at rest.
#[inline]
fn corners(elements: &Elements, e: usize, first: usize, x: &[Vector3<f64>]) -> ([Vector3<f64>; 4], f64) {
    let nodes = elements.nodes_of(e);
    let [a, b, c, d] = std::array::from_fn(|i| x[first + nodes[i] as usize]);
    let ratio = (b - a).dot(&(c - a).cross(&(d - a))) / (6.0 * elements.rest_volume(e));
    ([a, b, c, d], ratio)
}

fn to_block(node: u32, first: usize) -> u32 {
    u32::try_from(first + node as usize).expect("blocks fit 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soft::samples::{block, material};

    fn system() -> SoftSystem {
        let mesh = block([1, 1, 1], |p| p);
        let elements =
            Elements::new(&mesh, material(Constitutive::NeoHookean, 1e4, 0.3), ElementKind::Linear);
        SoftSystem::new(vec![elements.unwrap()], 0)
    }

    #[test]
    fn the_gradient_is_the_difference_quotient_and_nothing_acts_on_plump_elements() {
        let system = system();
        let barrier = InversionBarrier::of(&system, &system.x);
        let mut none = vec![Vector3::zeros(); 8];
        let at_rest = barrier.linearise(&system, &system.x, &mut none, None).unwrap();
        assert!(at_rest.to_bits() == 0 && none.iter().all(|g| g.norm() <= 0.0));
        let mut x: Vec<_> = system.x.iter().map(|p| Vector3::new(p.x, p.y, 0.05 * p.z)).collect();
        x[3] += Vector3::new(0.1, -0.05, 0.004);
        let mut gradient = vec![Vector3::zeros(); 8];
        let energy = barrier.linearise(&system, &x, &mut gradient, None).unwrap();
        assert!(energy > 0.0 && gradient.iter().sum::<Vector3<f64>>().norm() < 1e-9 * energy);
        for (block, axis) in (0..8).flat_map(|block| (0..3).map(move |axis| (block, axis))) {
            let at = |shift: f64| {
                let mut moved = x.clone();
                moved[block][axis] += shift;
                barrier.linearise(&system, &moved, &mut [Vector3::zeros(); 8], None).unwrap()
            };
            let slope = (at(1e-7) - at(-1e-7)) / 2e-7;
            let scale = gradient.iter().map(|g| g.amax()).fold(0.0, f64::max);
            assert!((slope - gradient[block][axis]).abs() < 1e-5 * scale, "{block} {axis}");
        }
    }

    #[test]
    fn flat_elements_are_refused_unless_they_were_inverted_at_the_start() {
        let system = system();
        let barrier = InversionBarrier::of(&system, &system.x);
        let flat: Vec<_> = system.x.iter().map(|p| Vector3::new(p.x, p.y, -0.1 * p.z)).collect();
        assert!(!barrier.admits(&system, &flat) && barrier.admits(&system, &system.x));
        assert!(InversionBarrier::of(&system, &flat).admits(&system, &flat));
    }
}
