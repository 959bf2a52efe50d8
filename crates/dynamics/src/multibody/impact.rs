//! Impacts of trees: one pair of bodies after the other, the contacts of a pair simultaneously.
//!
//! The two bodies that approach each other fastest collide first; their impulses run through the joints of both trees at once and make
//! others approach, which collide next: so an impulse propagates through a row of pendulums that touch. At the contacts of a pair
//! Moreau's law holds, 0 ≤ λ ⊥ u⁺ + e u⁻ ≥ 0 with u⁺ = u⁻ + Wλ [Moreau88], with Coulomb's cone. The impulses of a pair are scaled down
//! where they would add energy, λᵀ(u⁻ + u⁺) > 0, which Newton's e allows with friction.
//!
//! [`crate::passes`] has the same law for free bodies that touch no robot.

use nalgebra::Vector3;

use super::contact::Contact;
use super::coordinates::CoordinateRows;

/// Maximum number of sweeps over the contacts of a pair. Impulses that have not converged are scaled like all others.
const SWEEPS: usize = 60;
/// Change of a velocity, as a fraction of the fastest approach of the pair, at which its impulses have converged. More leaves spin to
/// boxes that land flat.
const CONVERGED: f64 = 1e-12;
/// Approach, as a fraction of the first one, below which a pair is left to the contact solve. More leaves visible approaches to it,
/// which it stops without restitution.
const NEGLIGIBLE: f64 = 1e-7;
/// Maximum number of impacts for each pair; the rest is left to the contact solve. It bounds the work within heaps.
const IMPACTS_PER_PAIR: usize = 16;

/// Contacts that may collide in a step.
pub(super) struct Impacts<'a> {
    pub(super) rows: &'a CoordinateRows,
    pub(super) contacts: &'a [Contact],
    /// Contacts that touch, by pair of bodies.
    pub(super) pairs: Vec<Vec<usize>>,
    /// Approach [m/s] below which nothing bounces.
    pub(super) slow: f64,
}

impl Impacts<'_> {
    /// The impulses of the impacts of all contacts [N·s, on the second body].
    pub(super) fn collide(&self) -> Vec<Vector3<f64>> {
        let mut total = vec![Vector3::zeros(); self.contacts.len()];
        let z = &mut vec![0.0; self.rows.count()][..];
        let mut first = 0.0;
        for _ in 0..IMPACTS_PER_PAIR * self.pairs.len() {
            let approaches = self.pairs.iter().map(|pair| self.approach(pair, z));
            let fastest =
                approaches.enumerate().fold(
                    (0, 0.0),
                    |best: (usize, f64), (index, speed)| {
                        if speed > best.1 { (index, speed) } else { best }
                    },
                );
            let (pair, speed) = (&self.pairs[fastest.0], fastest.1);
            first = f64::max(first, speed);
            if !(speed > NEGLIGIBLE * first) {
                break;
            }
            let bounces = speed > self.slow;
            for (&contact, impulse) in pair.iter().zip(self.collide_pair(pair, (bounces, speed), z)) {
                total[contact] += impulse;
            }
        }
        total
    }

    /// Speed [m/s] at which the bodies of a pair approach each other, at the contact where it is largest.
    fn approach(&self, pair: &[usize], z: &[f64]) -> f64 {
        let speeds = pair.iter().map(|&index| self.rows.velocity(index, z).dot(&self.contacts[index].normal));
        speeds.fold(0.0, |approach, speed| f64::max(approach, -speed))
    }

    fn collide_pair(
        &self,
        pair: &[usize],
        (bounces, speed): (bool, f64),
        z: &mut [f64],
    ) -> Vec<Vector3<f64>> {
        let mut contacts: Vec<Contact> = pair.iter().map(|&index| self.contacts[index].clone()).collect();
        contacts.iter_mut().for_each(|contact| contact.soften(0.0));
        let before: Vec<_> = pair.iter().map(|&index| self.rows.velocity(index, z)).collect();
        contacts.iter_mut().for_each(|contact| contact.impulse = Vector3::zeros());
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for ((contact, &index), before) in contacts.iter_mut().zip(pair).zip(&before) {
                let restitution = if bounces { contact.restitution } else { 0.0 };
                let target = -restitution * before.dot(&contact.normal);
                let wanted = contact.solve(&self.rows.velocity(index, z), target);
                let added = wanted - contact.impulse;
                contact.impulse = wanted;
                self.rows.push(index, &added, z);
                change = change.max(added.norm() * contact.response.normal);
            }
            if !(change > CONVERGED * speed) {
                break;
            }
        }
        let (mut work, mut response) = (0.0, 0.0);
        for ((contact, &index), before) in contacts.iter().zip(pair).zip(&before) {
            work += contact.impulse.dot(before);
            response += contact.impulse.dot(&(self.rows.velocity(index, z) - before));
        }
        let excess =
            if work + 0.5 * response > 0.0 { (-2.0 * work / response).clamp(0.0, 1.0) - 1.0 } else { 0.0 };
        for (contact, &index) in contacts.iter_mut().zip(pair) {
            let correction = contact.impulse * excess;
            contact.impulse += correction;
            self.rows.push(index, &correction, z);
        }
        contacts.iter().map(|contact| contact.impulse).collect()
    }
}
