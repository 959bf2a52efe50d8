//! Impacts of rigid bodies at many contacts: one pair after the other, the contacts of a pair simultaneously.
//!
//! The two bodies that approach each other fastest collide first; their impulses make others approach, which collide
//! next. So an impulse propagates through a row of touching balls. At the contacts of one pair Moreau's law holds,
//! 0 ≤ λ ⊥ u⁺ + e u⁻ ≥ 0 with u⁺ = u⁻ + Aλ [Moreau88], and Coulomb's law for one direction of slip a point.
//!
//! No pair gains energy: the impulses λ of a Gauss–Seidel iteration are scaled by s = −(1+e) λᵀu⁻ / λᵀAλ, one for the
//! exact solution, which leaves ΔE = ½ (1−e) s λᵀu⁻ ≤ 0; and friction takes energy at each point.
//!
//! | here       | meaning                                                      |
//! |------------|--------------------------------------------------------------|
//! | u          | separation speeds of the points of a pair [m/s]              |
//! | e          | coefficient of restitution                                   |
//! | A          | response of the separation speeds to impulses [1/kg]         |

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nalgebra::{Matrix3, Vector3};

/// Maximum number of sweeps of the Gauss–Seidel iteration over the points of a pair. Impulses that have not converged are
/// scaled like all others, so that no energy is gained.
const SWEEPS: usize = 60;
/// Change of a separation speed, as a fraction of the fastest approach, at which the impulses of a pair have converged.
const CONVERGED: f64 = 1e-12;
/// Approach, as a fraction of the first one, below which a pair is left to the solver: it ends rows of impacts that decay
/// for ever. More leaves visible approaches to the solver, which stops them without restitution.
const NEGLIGIBLE: f64 = 1e-7;
/// Maximum number of impacts for each pair that takes part; the rest is left to the solver. It bounds the time of impacts
/// within a heap, where each one makes others approach.
const IMPACTS_PER_PAIR: usize = 16;

/// A body that takes part in impacts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ImpactBody {
    /// Velocity of the centre of mass [m/s].
    pub(super) velocity: Vector3<f64>,
    /// Angular velocity [rad/s].
    pub(super) angular_velocity: Vector3<f64>,
    /// 1/mass [1/kg]; zero for a body that does not yield.
    pub(super) inverse_mass: f64,
    /// Inverse of the inertia [1/(kg·m²), world]; zero for a body that does not yield.
    pub(super) inverse_inertia: Matrix3<f64>,
    /// Whether the solver changed its velocity by as much as gravity would in the step, or more.
    pub(super) struck: bool,
}

impl ImpactBody {
    /// Velocity at `arm` from the centre of mass [m/s].
    fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.velocity + self.angular_velocity.cross(arm)
    }

    fn push(&mut self, impulse: &Vector3<f64>, arm: &Vector3<f64>) {
        self.velocity += impulse * self.inverse_mass;
        self.angular_velocity += self.inverse_inertia * arm.cross(impulse);
    }

    /// Velocity at `arm` caused by an impulse at `other_arm`, both from the centre of mass.
    fn response(&self, impulse: &Vector3<f64>, other_arm: &Vector3<f64>, arm: &Vector3<f64>) -> Vector3<f64> {
        impulse * self.inverse_mass + (self.inverse_inertia * other_arm.cross(impulse)).cross(arm)
    }
}

/// A point at which two bodies touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Touch {
    /// Unit normal from the first body to the second.
    pub(super) normal: Vector3<f64>,
    /// From the centres of mass to the point [m].
    pub(super) arms: [Vector3<f64>; 2],
}

/// Two bodies that touch, or that the solver pushed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ImpactPair {
    /// Indices of the bodies.
    pub(super) bodies: [usize; 2],
    /// Points at which they touch; empty if they were pushed before they touched.
    pub(super) points: Vec<Touch>,
    /// Coefficient of restitution.
    pub(super) restitution: f64,
    /// Coefficient of friction.
    pub(super) friction: f64,
    /// Whether the solver pushed the bodies apart in the step.
    pub(super) pushed: bool,
    /// Whether it did so before they touched: bodies that would touch in a further substep are braked.
    pub(super) early: bool,
}

impl ImpactPair {
    /// Speed [m/s] at which the bodies approach each other, at the point where it is maximum.
    pub(super) fn approach(&self, impact_bodies: &[ImpactBody]) -> f64 {
        self.points
            .iter()
            .map(|point| -self.separation(point, impact_bodies))
            .fold(f64::NEG_INFINITY, f64::max)
    }

    fn relative(&self, point: &Touch, impact_bodies: &[ImpactBody]) -> Vector3<f64> {
        let [a, b] = self.bodies;
        impact_bodies[b].at(&point.arms[1]) - impact_bodies[a].at(&point.arms[0])
    }

    /// Separation speed [m/s] at a point.
    pub(super) fn separation(&self, point: &Touch, impact_bodies: &[ImpactBody]) -> f64 {
        self.relative(point, impact_bodies).dot(&point.normal)
    }

    /// Relative velocity at the point `seen` caused by an impulse at the point `at`.
    fn response(
        &self,
        impulse: &Vector3<f64>,
        at: &Touch,
        seen: &Touch,
        impact_bodies: &[ImpactBody],
    ) -> Vector3<f64> {
        let [a, b] = self.bodies;
        impact_bodies[a].response(impulse, &at.arms[0], &seen.arms[0])
            + impact_bodies[b].response(impulse, &at.arms[1], &seen.arms[1])
    }

    fn push(&self, impulse: &Vector3<f64>, point: &Touch, impact_bodies: &mut [ImpactBody]) {
        let [a, b] = self.bodies;
        impact_bodies[a].push(&-impulse, &point.arms[0]);
        impact_bodies[b].push(impulse, &point.arms[1]);
    }

    /// Applies the impact of the two bodies with a coefficient of restitution: normal impulses of all points at once, then
    /// friction point by point.
    fn collide(&self, restitution: f64, impact_bodies: &mut [ImpactBody]) {
        let speeds: Vec<f64> =
            self.points.iter().map(|point| self.separation(point, impact_bodies)).collect();
        let impulses = self.normal_impulses(restitution, &speeds, impact_bodies);
        for (point, impulse) in self.points.iter().zip(&impulses) {
            self.push(&(point.normal * *impulse), point, impact_bodies);
        }
        for (point, impulse) in self.points.iter().zip(&impulses) {
            self.rub(point, *impulse, impact_bodies);
        }
    }

    /// Impulses [N·s] of 0 ≤ λ ⊥ u⁺ + e u⁻ ≥ 0 [Moreau88], scaled by s so that no energy is gained.
    fn normal_impulses(&self, restitution: f64, speeds: &[f64], impact_bodies: &[ImpactBody]) -> Vec<f64> {
        let count = self.points.len();
        let response = |i: usize, j: usize| {
            let (at, seen) = (&self.points[j], &self.points[i]);
            self.response(&at.normal, at, seen, impact_bodies).dot(&seen.normal)
        };
        let matrix: Vec<f64> =
            (0..count * count).map(|entry| response(entry / count, entry % count)).collect();
        let fastest = speeds.iter().fold(0.0, |fastest: f64, speed| fastest.max(-speed));
        let mut impulses = vec![0.0; count];
        // Separation speeds after the impulses.
        let mut after = speeds.to_vec();
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for i in 0..count {
                let row = &matrix[i * count..(i + 1) * count];
                // Neither body yields at this point.
                if !(row[i] > 0.0) {
                    continue;
                }
                let wanted = f64::max(0.0, impulses[i] - (after[i] + restitution * speeds[i]) / row[i]);
                let step = wanted - impulses[i];
                impulses[i] = wanted;
                for j in 0..count {
                    after[j] += matrix[j * count + i] * step;
                }
                change = change.max((step * row[i]).abs());
            }
            if change <= CONVERGED * fastest {
                break;
            }
        }
        // λᵀu⁻ and λᵀAλ = λᵀ(u⁺ − u⁻) of the factor s.
        let work: f64 = impulses.iter().zip(speeds).map(|(impulse, speed)| impulse * speed).sum();
        let gained = impulses.iter().zip(after.iter().zip(speeds));
        let quadratic: f64 = gained.map(|(impulse, (after, speed))| impulse * (after - speed)).sum();
        let scale =
            if quadratic > 0.0 { f64::max(0.0, -(1.0 + restitution) * work / quadratic) } else { 0.0 };
        impulses.iter().map(|impulse| impulse * scale).collect()
    }

    /// Applies friction at a point that bore a normal impulse: the impulse that stops the slip, at most µ times that one.
    fn rub(&self, point: &Touch, normal_impulse: f64, impact_bodies: &mut [ImpactBody]) {
        let relative = self.relative(point, impact_bodies);
        let slip = relative - point.normal * relative.dot(&point.normal);
        let Some(direction) = slip.try_normalize(0.0) else { return };
        let yields = self.response(&direction, point, point, impact_bodies).dot(&direction);
        if yields > 0.0 {
            let impulse = f64::min(slip.norm() / yields, self.friction * normal_impulse);
            self.push(&(direction * -impulse), point, impact_bodies);
        }
    }
}

/// Applies impacts until no two bodies approach each other, beginning with the pairs `first`; pairs whose bodies are pushed
/// take part. Approaches slower than `slow` [m/s] do not bounce. Returns for each body whether it has a new velocity: those
/// with an impact, and those whose push by the solver is revoked because it is revoked of the other body of the pair.
pub(super) fn collide(
    pairs: &[ImpactPair],
    first: &[usize],
    slow: f64,
    impact_bodies: &mut [ImpactBody],
) -> Vec<bool> {
    let mut renewed = Renewed::new(pairs, impact_bodies.len());
    let mut queue = Queue::new(pairs.len());
    for &index in first {
        queue.put(index, pairs[index].approach(impact_bodies));
    }
    let negligible = NEGLIGIBLE * queue.fastest();
    // Braked pairs have no impact yet, but get their speeds back.
    for &index in first.iter().filter(|&&index| pairs[index].early) {
        renewed.add(index, impact_bodies, &mut queue);
    }
    let mut impacts = 0;
    while let Some((worst, approach)) = queue.take(negligible) {
        if impacts >= IMPACTS_PER_PAIR * queue.members {
            break;
        }
        let pair = &pairs[worst];
        pair.collide(if approach > slow { pair.restitution } else { 0.0 }, impact_bodies);
        impacts += 1;
        renewed.add(worst, impact_bodies, &mut queue);
    }
    renewed.bodies
}

/// The bodies with new velocities. A push of the solver is revoked of both bodies of a pair or of none, or else momentum
/// would be lost or gained.
struct Renewed<'a> {
    pairs: &'a [ImpactPair],
    /// The pairs of each body.
    adjacent: Vec<Vec<usize>>,
    /// Whether a body has a new velocity.
    bodies: Vec<bool>,
}

impl<'a> Renewed<'a> {
    fn new(pairs: &'a [ImpactPair], bodies: usize) -> Self {
        let mut adjacent: Vec<Vec<usize>> = vec![Vec::new(); bodies];
        for (index, pair) in pairs.iter().enumerate() {
            pair.bodies.iter().for_each(|&body| adjacent[body].push(index));
        }
        Self { pairs, adjacent, bodies: vec![false; bodies] }
    }

    /// Adds the bodies of a pair, and all that the solver struck through them; their pairs take part.
    fn add(&mut self, pair: usize, impact_bodies: &[ImpactBody], queue: &mut Queue) {
        let yields = |body: &usize| impact_bodies[*body].inverse_mass > 0.0;
        let mut waiting: Vec<usize> = self.pairs[pair].bodies.into_iter().filter(yields).collect();
        while let Some(body) = waiting.pop() {
            let is_new = !std::mem::replace(&mut self.bodies[body], true);
            for &index in &self.adjacent[body] {
                let pair = &self.pairs[index];
                queue.put(index, pair.approach(impact_bodies));
                let others = pair.bodies.into_iter().filter(|other| yields(other) && !self.bodies[*other]);
                // Only a push that the solver passed on, to a body that it struck, has to be revoked there, too.
                waiting.extend(others.filter(|&other| is_new && pair.pushed && impact_bodies[other].struck));
            }
        }
    }
}

/// The pairs that take part, the fastest approach first; of equals the first pair, so that the result is determined by the
/// order of the pairs.
struct Queue {
    /// Present approach of each pair [m/s]; `None` for those that do not take part.
    approaches: Vec<Option<f64>>,
    /// Bits of positive approaches, which are ordered as the numbers are. Outdated entries remain and are skipped.
    heap: BinaryHeap<(u64, Reverse<usize>)>,
    /// Number of pairs that take part.
    members: usize,
}

impl Queue {
    fn new(pairs: usize) -> Self {
        Self { approaches: vec![None; pairs], heap: BinaryHeap::new(), members: 0 }
    }

    fn put(&mut self, pair: usize, approach: f64) {
        self.members += usize::from(self.approaches[pair].replace(approach).is_none());
        if approach > 0.0 {
            self.heap.push((approach.to_bits(), Reverse(pair)));
        }
    }

    fn fastest(&self) -> f64 {
        self.heap.peek().map_or(0.0, |(bits, _)| f64::from_bits(*bits))
    }

    /// Removes and returns the pair that approaches fastest, if faster than a speed.
    fn take(&mut self, min: f64) -> Option<(usize, f64)> {
        while let Some((bits, Reverse(pair))) = self.heap.pop() {
            let approach = f64::from_bits(bits);
            // An entry is outdated if the approach of its pair has changed since.
            if self.approaches[pair].is_some_and(|present| present.to_bits() == bits) {
                return (approach > min).then_some((pair, approach));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn impact_body(mass: f64, velocity: f64) -> ImpactBody {
        let inertia = Matrix3::identity() * (0.4 * mass);
        ImpactBody {
            velocity: Vector3::x() * velocity,
            angular_velocity: Vector3::zeros(),
            inverse_mass: 1.0 / mass,
            inverse_inertia: inertia.try_inverse().unwrap_or_else(Matrix3::zeros),
            struck: true,
        }
    }

    fn touching(a: usize, b: usize, restitution: f64) -> ImpactPair {
        let arms = [Vector3::x(), -Vector3::x()];
        ImpactPair {
            bodies: [a, b],
            points: vec![Touch { normal: Vector3::x(), arms }],
            restitution,
            friction: 0.0,
            pushed: true,
            early: false,
        }
    }

    #[test]
    fn two_bodies_exchange_momentum_by_the_law_of_impact() {
        for restitution in [0.0, 0.3, 1.0] {
            let mut impact_bodies = [impact_body(2.0, 3.0), impact_body(1.0, -1.0)];
            let pushed = collide(&[touching(0, 1, restitution)], &[0], 0.0, &mut impact_bodies);
            let (v, w) = (impact_bodies[0].velocity.x, impact_bodies[1].velocity.x);
            assert!(
                (2.0 * v + w - 5.0).abs() < 1e-14 && (w - v - 4.0 * restitution).abs() < 1e-13,
                "{v} {w}"
            );
            assert_eq!(pushed, [true, true]);
        }
    }

    #[test]
    fn a_push_runs_through_a_row_whatever_the_order_of_its_pairs() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut impact_bodies =
                [impact_body(1.0, 1.0), impact_body(1.0, 0.0), impact_body(1.0, 0.0), impact_body(1.0, 0.0)];
            let pairs = order.map(|i| touching(i, i + 1, 1.0));
            let first = order.iter().position(|&i| i == 0).into_iter().collect::<Vec<_>>();
            collide(&pairs, &first, 0.0, &mut impact_bodies);
            let speeds = impact_bodies.map(|impact_body| impact_body.velocity.x);
            let exact = [0.0, 0.0, 0.0, 1.0];
            assert!(
                speeds.iter().zip(exact).all(|(speed, exact)| (speed - exact).abs() < 1e-14),
                "{speeds:?}"
            );
        }
    }

    #[test]
    fn a_push_through_others_is_revoked_of_all_of_them() {
        let mut open = touching(1, 2, 1.0);
        open.points.clear();
        let mut impact_bodies =
            [impact_body(1.0, 1.0), impact_body(1.0, 0.0), impact_body(1.0, 0.0), impact_body(1.0, 0.0)];
        let mut pairs = [touching(0, 1, 1.0), open, touching(2, 3, 1.0)];
        assert_eq!(collide(&pairs, &[0], 0.0, &mut impact_bodies), [true; 4]);
        pairs[2].pushed = false;
        pairs[1].early = true;
        assert_eq!(collide(&pairs, &[1], 0.0, &mut impact_bodies), [true, true, true, false]);
    }

    #[test]
    fn slow_approaches_do_not_bounce() {
        let mut impact_bodies = [impact_body(1.0, 1.0), impact_body(1.0, 0.0)];
        collide(&[touching(0, 1, 1.0)], &[0], 2.0, &mut impact_bodies);
        assert!((impact_bodies[0].velocity.x - impact_bodies[1].velocity.x).abs() < 1e-14);
    }
}
