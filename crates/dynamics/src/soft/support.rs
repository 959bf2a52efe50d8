//! Unilateral supports: points at which coupled rigid bodies meet other rigid ones.
//!
//! Two bodies may meet at a point with the normal n, of the first. The relative displacement of the second against the first during a step is
//!
//! s(x) = s₀ + Σ ± (c − c₀ + exp(θ) r − r), over the bodies that the solve moves, with centre of mass c, rotation vector θ and arm r,
//!
//! and that along the normal must not exceed the gap g at its start. With the violation d = max(0, −n·s − max(g, 0)) and the displacement t in the
//! plane of contact,
//!
//! E = k/2 d² + h(‖t‖), h(t) = k/2 t² up to t = b/k and b t − b²/(2k) beyond it,
//!
//! where b is the coefficient of friction times the normal force, which is that of the last step until the active set is refreshed, and the one found
//! there from then on.

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::attachment::left_jacobian;
use super::interaction::{Interaction, OuterProducts};

/// A body that the solve moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct SupportedBody {
    /// Block of its centre of mass; the rotation vector is the next block.
    pub(super) block: u32,
    /// Its centre of mass at the start \[m\].
    pub(super) origin: Vector3<f64>,
}

/// A body of a support that the solve moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct SupportSide {
    /// Its place among the bodies.
    pub(super) body: usize,
    /// Point of contact from the centre of mass \[m\], world axes at the start.
    pub(super) arm: Vector3<f64>,
}

/// A point at which two rigid bodies may meet.
#[derive(Debug, Clone)]
pub(super) struct Support {
    /// The bodies; `None` for one that the solve does not move.
    pub(super) sides: [Option<SupportSide>; 2],
    /// From the first to the second.
    pub(super) normal: Vector3<f64>,
    /// Gap at the start \[m\], negative for an overlap, which remains.
    pub(super) gap: f64,
    /// Relative displacement by the bodies that the solve does not move \[m\].
    pub(super) given: Vector3<f64>,
    /// k \[N/m\].
    pub(super) stiffness: f64,
    /// Coefficient of friction.
    pub(super) friction: f64,
    /// Normal force that bounds friction \[N\].
    pub(super) bearing: f64,
}

/// The supports of a step.
#[derive(Debug, Default)]
pub(super) struct Supports {
    pub(super) bodies: Vec<SupportedBody>,
    pub(super) points: Vec<Support>,
}

/// Displacement of a body.
struct Moved {
    /// c − c₀.
    shift: Vector3<f64>,
    /// exp(θ).
    rotation: Matrix3<f64>,
    /// J(θ).
    jacobian: Matrix3<f64>,
}

impl Supports {
    fn moved(&self, x: &[Vector3<f64>]) -> Vec<Moved> {
        let of = |body: &SupportedBody| {
            let (block, theta) = (body.block as usize, &x[body.block as usize + 1]);
            Moved {
                shift: x[block] - body.origin,
                rotation: Rotation3::new(*theta).into_inner(),
                jacobian: left_jacobian(theta),
            }
        };
        self.bodies.iter().map(of).collect()
    }

    /// Force and torque \[N, N·m\] on each of the bodies.
    pub(super) fn loads(&self, x: &[Vector3<f64>]) -> Vec<[Vector3<f64>; 2]> {
        let moved = self.moved(x);
        let mut loads = vec![[Vector3::zeros(); 2]; self.bodies.len()];
        for point in &self.points {
            let force = point.force(&moved);
            for (side, force) in point.sides.iter().zip([-force, force]) {
                let Some(side) = side else { continue };
                let [sum, torque] = &mut loads[side.body];
                *sum += force;
                *torque += (moved[side.body].rotation * side.arm).cross(&force);
            }
        }
        loads
    }
}

impl Support {
    /// s(x).
    fn displacement(&self, moved: &[Moved]) -> Vector3<f64> {
        let of = |side: &SupportSide| {
            let Moved { shift, rotation, .. } = &moved[side.body];
            shift + rotation * side.arm - side.arm
        };
        let [first, second] = self.sides.each_ref().map(|side| side.as_ref().map(of).unwrap_or_default());
        self.given + second - first
    }

    /// d and t.
    fn parts(&self, moved: &[Moved]) -> (f64, Vector3<f64>) {
        let s = self.displacement(moved);
        let along = self.normal.dot(&s);
        (f64::max(0.0, -along - self.gap.max(0.0)), s - along * self.normal)
    }

    /// b.
    fn bound(&self) -> f64 {
        self.friction * self.bearing
    }

    fn energy(&self, moved: &[Moved]) -> f64 {
        let (depth, slip) = self.parts(moved);
        let (k, bound, slip) = (self.stiffness, self.bound(), slip.norm());
        let held = if k * slip <= bound { 0.5 * k * slip * slip } else { bound * (slip - 0.5 * bound / k) };
        0.5 * k * depth * depth + held
    }

    /// Force on the second body \[N\].
    fn force(&self, moved: &[Moved]) -> Vector3<f64> {
        let (depth, slip) = self.parts(moved);
        let (k, bound, amount) = (self.stiffness, self.bound(), slip.norm());
        let holding = if k * amount <= bound { k } else { bound / amount };
        k * depth * self.normal - holding * slip
    }

    /// The derivative of the displacement along a `direction`, by block.
    fn column(
        &self,
        direction: Vector3<f64>,
        bodies: &[SupportedBody],
        moved: &[Moved],
    ) -> Vec<(u32, Vector3<f64>)> {
        let mut column = Vec::with_capacity(4);
        for (side, along) in self.sides.iter().zip([-direction, direction]) {
            let Some(side) = side else { continue };
            let (block, Moved { rotation, jacobian, .. }) = (bodies[side.body].block, &moved[side.body]);
            let torque = (rotation * side.arm).cross(&along);
            column.extend([(block, along), (block + 1, jacobian.tr_mul(&torque))]);
        }
        column
    }

    /// Adds the Gauss–Newton part of the Hessian.
    fn push_hessian(&self, bodies: &[SupportedBody], moved: &[Moved], hessian: &mut OuterProducts) {
        let (depth, slip) = self.parts(moved);
        if depth > 0.0 {
            hessian.push(self.stiffness, self.column(self.normal, bodies, moved));
        }
        let (amount, bound) = (slip.norm(), self.bound());
        if bound <= 0.0 {
            return;
        }
        if self.stiffness * amount <= bound {
            let first = self.normal.cross(&Vector3::ith(self.normal.iamin(), 1.0)).normalize();
            for tangent in [first, self.normal.cross(&first)] {
                hessian.push(self.stiffness, self.column(tangent, bodies, moved));
            }
        } else {
            // Across the slip alone: friction that slips does not depend on how far.
            let across = self.normal.cross(&(slip / amount));
            hessian.push(bound / amount, self.column(across, bodies, moved));
        }
    }
}

/// Supports as an interaction, added to another one.
pub(super) struct Supported<'a> {
    pub(super) supports: &'a mut Supports,
    pub(super) other: &'a mut dyn Interaction,
}

impl Interaction for Supported<'_> {
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64 {
        let moved = self.supports.moved(x);
        let energies = self.supports.points.iter().map(|support| support.energy(&moved));
        energies.sum::<f64>() + self.other.energy(x)
    }

    fn linearise(&mut self, x: &[Vector3<f64>], g: &mut [Vector3<f64>], hessian: &mut OuterProducts) -> f64 {
        let (moved, bodies) = (self.supports.moved(x), &self.supports.bodies);
        let mut energy = 0.0;
        for support in &self.supports.points {
            energy += support.energy(&moved);
            let force = support.force(&moved);
            if force != Vector3::zeros() {
                for (block, slope) in support.column(-force, bodies, &moved) {
                    g[block as usize] += slope;
                }
            }
            support.push_hessian(bodies, &moved, hessian);
        }
        energy + self.other.linearise(x, g, hessian)
    }

    fn inner(&mut self) -> Option<&mut dyn Interaction> {
        Some(self.other)
    }

    fn refresh_active_set(&mut self, x: &[Vector3<f64>]) {
        let moved = self.supports.moved(x);
        for support in &mut self.supports.points {
            support.bearing = support.stiffness * support.parts(&moved).0;
        }
        self.other.refresh_active_set(x);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Nothing;
    use super::*;

    /// A point between two bodies, and one between a body and one that is given.
    fn supports(bearing: f64) -> Supports {
        let body = |block: u32, x: f64| SupportedBody { block, origin: Vector3::new(x, 0.2, 0.1) };
        let side = |body: usize, z: f64| Some(SupportSide { body, arm: Vector3::new(0.3, -0.2, z) });
        let point = |sides: [Option<SupportSide>; 2], gap: f64| Support {
            sides,
            normal: Vector3::new(0.48, -0.6, 0.64),
            gap,
            given: Vector3::new(-0.02, 0.01, 0.0),
            stiffness: 50.0,
            friction: 0.4,
            bearing,
        };
        Supports {
            bodies: vec![body(0, 0.0), body(2, 0.7)],
            points: vec![point([side(0, 0.1), side(1, -0.4)], 0.01), point([None, side(1, 0.6)], -0.03)],
        }
    }

    fn places(angle: f64) -> Vec<Vector3<f64>> {
        let theta = angle * Vector3::new(0.6, -0.3, 0.9);
        // Both approach what they meet along the normal, and slip.
        vec![Vector3::new(0.1, 0.1, 0.2), 0.5 * theta, Vector3::new(0.6, 0.45, -0.1), theta]
    }

    #[test]
    fn the_gradient_is_the_difference_quotient_of_the_energy_where_friction_sticks_and_where_it_slips() {
        for (angle, bearing) in [(0.0, 1e3), (0.01, 1e3), (0.7, 1e3), (0.0, 2.0), (0.7, 2.0), (0.7, 0.0)] {
            let (mut supports, mut x, mut nothing) = (supports(bearing), places(angle), Nothing);
            let mut supported = Supported { supports: &mut supports, other: &mut nothing };
            let mut g = vec![Vector3::zeros(); 4];
            let energy = supported.linearise(&x, &mut g, &mut OuterProducts::default());
            assert!(energy > 0.1, "nothing meets: {energy}");
            for (block, axis) in (0..4).flat_map(|block| (0..3).map(move |axis| (block, axis))) {
                let before = x[block][axis];
                let mut at = |shift: f64| {
                    x[block][axis] = before + shift;
                    supported.energy(&x)
                };
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                x[block][axis] = before;
                assert!((slope - g[block][axis]).abs() < 1e-7 * 50.0, "{angle} {bearing} {block} {axis}");
            }
        }
    }

    #[test]
    fn forces_between_two_bodies_balance_and_friction_keeps_its_bound() {
        let mut supports = supports(2.0);
        supports.points.truncate(1);
        let x = places(0.3);
        let loads = supports.loads(&x);
        let about = |body: usize| x[2 * body].cross(&loads[body][0]) + loads[body][1];
        assert!((loads[0][0] + loads[1][0]).norm() < 1e-12);
        // At the start the ends of the arms need not coincide: the torque is that of the force between them.
        let end = |body: usize| {
            let arm: Vector3<f64> =
                Rotation3::new(x[2 * body + 1]) * supports.points[0].sides[body].unwrap().arm;
            x[2 * body] + arm
        };
        let apart = (end(1) - end(0)).cross(&loads[1][0]);
        assert!((about(0) + about(1) - apart).norm() < 1e-12);
        let normal = supports.points[0].normal;
        let force = loads[1][0];
        assert!(force.dot(&normal) > 1.0 && (force - force.dot(&normal) * normal).norm() < 0.8 + 1e-12);
        // A refresh takes the normal force found for the bound.
        let mut nothing = Nothing;
        Supported { supports: &mut supports, other: &mut nothing }.refresh_active_set(&x);
        assert!((supports.points[0].bearing - force.dot(&normal)).abs() < 1e-12);
    }

    #[test]
    fn bodies_that_part_have_no_load() {
        let mut supports = supports(0.0);
        let mut x = places(0.0);
        let normal = supports.points[0].normal;
        x[2] += 2.0 * normal;
        x[0] -= 2.0 * normal;
        supports.points.iter_mut().for_each(|point| point.bearing = 0.0);
        assert!(supports.loads(&x).iter().all(|load| *load == [Vector3::zeros(); 2]));
    }
}
