//! Impacts of rigid bodies at many contacts: pair after pair, the contacts of a pair at once.
//!
//! Whichever two bodies approach each other fastest collide first; their impulses make others approach, which collide
//! next. So a push runs through a row of touching balls. At the contacts of one pair Moreau's law holds,
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

/// Sweeps of the Gauss–Seidel iteration over the points of a pair.
const SWEEPS: usize = 60;
/// Share of the fastest approach below which the impulses of a pair have converged.
const CONVERGED: f64 = 1e-12;
/// Share of the first approach below which what still approaches is left to the solver.
const NEGLIGIBLE: f64 = 1e-7;
/// Impacts for each pair that takes part, after which the rest is left to the solver.
const IMPACTS_PER_PAIR: usize = 16;

/// A body that takes part in impacts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mover {
    /// Velocity of the centre of mass [m/s].
    pub(super) velocity: Vector3<f64>,
    /// Angular velocity [rad/s].
    pub(super) turning: Vector3<f64>,
    /// 1/mass [1/kg]; zero for what does not yield.
    pub(super) inverse_mass: f64,
    /// Inverse of the inertia [1/(kg·m²), world]; zero for what does not yield.
    pub(super) inverse_inertia: Matrix3<f64>,
    /// Whether the solver changed its velocity by as much as gravity would in the step, or more.
    pub(super) struck: bool,
}

impl Mover {
    fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.velocity + self.turning.cross(arm)
    }

    fn push(&mut self, impulse: &Vector3<f64>, arm: &Vector3<f64>) {
        self.velocity += impulse * self.inverse_mass;
        self.turning += self.inverse_inertia * arm.cross(impulse);
    }

    /// Velocity at `arm` that an impulse at `other_arm` gives, both from the centre of mass.
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
pub(super) struct Pair {
    /// Indices of the bodies.
    pub(super) bodies: [usize; 2],
    /// Where they touch; none if they were pushed before.
    pub(super) points: Vec<Touch>,
    /// Coefficient of restitution.
    pub(super) restitution: f64,
    /// Coefficient of friction.
    pub(super) friction: f64,
    /// Whether the solver pushed the bodies apart in the step.
    pub(super) pushed: bool,
    /// Whether it did so before they touch: what comes near enough to touch in a further substep is braked.
    pub(super) early: bool,
}

impl Pair {
    /// The speed [m/s] at which the bodies approach each other, at the point where they do so fastest.
    pub(super) fn approach(&self, movers: &[Mover]) -> f64 {
        self.points.iter().map(|point| -self.separation(point, movers)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn relative(&self, point: &Touch, movers: &[Mover]) -> Vector3<f64> {
        let [a, b] = self.bodies;
        movers[b].at(&point.arms[1]) - movers[a].at(&point.arms[0])
    }

    /// The speed [m/s] at which the bodies move apart at a point.
    pub(super) fn separation(&self, point: &Touch, movers: &[Mover]) -> f64 {
        self.relative(point, movers).dot(&point.normal)
    }

    /// Relative velocity at one point after an impulse at another one.
    fn response(&self, impulse: &Vector3<f64>, at: &Touch, seen: &Touch, movers: &[Mover]) -> Vector3<f64> {
        let [a, b] = self.bodies;
        movers[a].response(impulse, &at.arms[0], &seen.arms[0])
            + movers[b].response(impulse, &at.arms[1], &seen.arms[1])
    }

    fn push(&self, impulse: &Vector3<f64>, point: &Touch, movers: &mut [Mover]) {
        let [a, b] = self.bodies;
        movers[a].push(&-impulse, &point.arms[0]);
        movers[b].push(impulse, &point.arms[1]);
    }

    /// Lets the bodies collide with a coefficient of restitution.
    fn collide(&self, restitution: f64, movers: &mut [Mover]) {
        let speeds: Vec<f64> = self.points.iter().map(|point| self.separation(point, movers)).collect();
        let impulses = self.normal_impulses(restitution, &speeds, movers);
        for (point, impulse) in self.points.iter().zip(&impulses) {
            self.push(&(point.normal * *impulse), point, movers);
        }
        for (point, impulse) in self.points.iter().zip(&impulses) {
            self.rub(point, *impulse, movers);
        }
    }

    /// Moreau's impulses [N·s], scaled so that no energy is gained.
    fn normal_impulses(&self, restitution: f64, speeds: &[f64], movers: &[Mover]) -> Vec<f64> {
        let count = self.points.len();
        let response = |i: usize, j: usize| {
            let (at, seen) = (&self.points[j], &self.points[i]);
            self.response(&at.normal, at, seen, movers).dot(&seen.normal)
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
        let work: f64 = impulses.iter().zip(speeds).map(|(impulse, speed)| impulse * speed).sum();
        let gained = impulses.iter().zip(after.iter().zip(speeds));
        let quadratic: f64 = gained.map(|(impulse, (after, speed))| impulse * (after - speed)).sum();
        let scale =
            if quadratic > 0.0 { f64::max(0.0, -(1.0 + restitution) * work / quadratic) } else { 0.0 };
        impulses.iter().map(|impulse| impulse * scale).collect()
    }

    /// Friction at a point that bore a normal impulse: what stops the slip, at most µ times that impulse.
    fn rub(&self, point: &Touch, normal_impulse: f64, movers: &mut [Mover]) {
        let relative = self.relative(point, movers);
        let slip = relative - point.normal * relative.dot(&point.normal);
        let Some(direction) = slip.try_normalize(0.0) else { return };
        let yields = self.response(&direction, point, point, movers).dot(&direction);
        if yields > 0.0 {
            let impulse = f64::min(slip.norm() / yields, self.friction * normal_impulse);
            self.push(&(direction * -impulse), point, movers);
        }
    }
}

/// Lets bodies collide until none approaches another, beginning with the pairs `first`; pairs whose bodies are pushed
/// take part. What approaches slower than `slow` [m/s] does not bounce. Tells which bodies have new velocities: those
/// with an impact, and those from which the push of the solver is taken because it is from the other body of a pair.
pub(super) fn collide(pairs: &[Pair], first: &[usize], slow: f64, movers: &mut [Mover]) -> Vec<bool> {
    let mut renewed = Renewed::new(pairs, movers.len());
    let mut queue = Queue::new(pairs.len());
    for &index in first {
        queue.put(index, pairs[index].approach(movers));
    }
    let negligible = NEGLIGIBLE * queue.fastest();
    for &index in first.iter().filter(|&&index| pairs[index].early) {
        renewed.add(index, movers, &mut queue);
    }
    let mut impacts = 0;
    while let Some((worst, approach)) = queue.take(negligible) {
        if impacts >= IMPACTS_PER_PAIR * queue.members {
            break;
        }
        let pair = &pairs[worst];
        pair.collide(if approach > slow { pair.restitution } else { 0.0 }, movers);
        impacts += 1;
        renewed.add(worst, movers, &mut queue);
    }
    renewed.bodies
}

/// The bodies with new velocities. What the solver pushed is forgotten of both bodies of a pair or of none, or else
/// momentum would be lost or gained.
struct Renewed<'a> {
    pairs: &'a [Pair],
    /// The pairs of each body.
    adjacent: Vec<Vec<usize>>,
    /// Whether a body has a new velocity.
    bodies: Vec<bool>,
}

impl<'a> Renewed<'a> {
    fn new(pairs: &'a [Pair], bodies: usize) -> Self {
        let mut adjacent: Vec<Vec<usize>> = vec![Vec::new(); bodies];
        for (index, pair) in pairs.iter().enumerate() {
            pair.bodies.iter().for_each(|&body| adjacent[body].push(index));
        }
        Self { pairs, adjacent, bodies: vec![false; bodies] }
    }

    /// The bodies of a pair move anew, and all that the solver struck through them; their pairs take part.
    fn add(&mut self, pair: usize, movers: &[Mover], queue: &mut Queue) {
        let yields = |body: &usize| movers[*body].inverse_mass > 0.0;
        let mut waiting: Vec<usize> = self.pairs[pair].bodies.into_iter().filter(yields).collect();
        while let Some(body) = waiting.pop() {
            let is_new = !std::mem::replace(&mut self.bodies[body], true);
            for &index in &self.adjacent[body] {
                let pair = &self.pairs[index];
                queue.put(index, pair.approach(movers));
                let others = pair.bodies.into_iter().filter(|other| yields(other) && !self.bodies[*other]);
                waiting.extend(others.filter(|&other| is_new && pair.pushed && movers[other].struck));
            }
        }
    }
}

/// The pairs that take part, the fastest approach first; of equals the first pair, so that the answer follows the order
/// of the pairs.
struct Queue {
    /// The present approach of each pair [m/s]; none of those that do not take part.
    approaches: Vec<Option<f64>>,
    /// Bits of positive approaches, which are ordered as the numbers are. Outdated ones stay and are passed over.
    heap: BinaryHeap<(u64, Reverse<usize>)>,
    /// How many pairs take part.
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

    /// The pair that approaches fastest, if faster than a speed.
    fn take(&mut self, least: f64) -> Option<(usize, f64)> {
        while let Some((bits, Reverse(pair))) = self.heap.pop() {
            let approach = f64::from_bits(bits);
            if self.approaches[pair].is_some_and(|present| present.to_bits() == bits) {
                return (approach > least).then_some((pair, approach));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mover(mass: f64, velocity: f64) -> Mover {
        let inertia = Matrix3::identity() * (0.4 * mass);
        Mover {
            velocity: Vector3::x() * velocity,
            turning: Vector3::zeros(),
            inverse_mass: 1.0 / mass,
            inverse_inertia: inertia.try_inverse().unwrap_or_else(Matrix3::zeros),
            struck: true,
        }
    }

    fn touching(a: usize, b: usize, restitution: f64) -> Pair {
        let arms = [Vector3::x(), -Vector3::x()];
        Pair {
            bodies: [a, b],
            points: vec![Touch { normal: Vector3::x(), arms }],
            restitution,
            friction: 0.0,
            pushed: true,
            early: false,
        }
    }

    #[test]
    fn two_bodies_exchange_momentum_as_the_law_of_impact_says() {
        for restitution in [0.0, 0.3, 1.0] {
            let mut movers = [mover(2.0, 3.0), mover(1.0, -1.0)];
            let pushed = collide(&[touching(0, 1, restitution)], &[0], 0.0, &mut movers);
            let (v, w) = (movers[0].velocity.x, movers[1].velocity.x);
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
            let mut movers = [mover(1.0, 1.0), mover(1.0, 0.0), mover(1.0, 0.0), mover(1.0, 0.0)];
            let pairs = order.map(|i| touching(i, i + 1, 1.0));
            let first = order.iter().position(|&i| i == 0).into_iter().collect::<Vec<_>>();
            collide(&pairs, &first, 0.0, &mut movers);
            let speeds = movers.map(|mover| mover.velocity.x);
            let exact = [0.0, 0.0, 0.0, 1.0];
            assert!(
                speeds.iter().zip(exact).all(|(speed, exact)| (speed - exact).abs() < 1e-14),
                "{speeds:?}"
            );
        }
    }

    #[test]
    fn what_was_pushed_through_others_is_forgotten_of_all_of_them() {
        let mut open = touching(1, 2, 1.0);
        open.points.clear();
        let mut movers = [mover(1.0, 1.0), mover(1.0, 0.0), mover(1.0, 0.0), mover(1.0, 0.0)];
        let mut pairs = [touching(0, 1, 1.0), open, touching(2, 3, 1.0)];
        assert_eq!(collide(&pairs, &[0], 0.0, &mut movers), [true; 4]);
        pairs[2].pushed = false;
        pairs[1].early = true;
        assert_eq!(collide(&pairs, &[1], 0.0, &mut movers), [true, true, true, false]);
    }

    #[test]
    fn what_approaches_slowly_does_not_bounce() {
        let mut movers = [mover(1.0, 1.0), mover(1.0, 0.0)];
        collide(&[touching(0, 1, 1.0)], &[0], 2.0, &mut movers);
        assert!((movers[0].velocity.x - movers[1].velocity.x).abs() < 1e-14);
    }
}
