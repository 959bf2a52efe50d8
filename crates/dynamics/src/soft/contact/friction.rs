//! Coulomb friction with lagged normal forces and a smooth potential, so that it has an energy and a positive semi-definite
//! Hessian.
//!
//! With N and the tangents t₁, t₂ lagged from an earlier state, and y = |Δ| the length of the slip, the relative tangential
//! displacement: E = µ N f(y), f' = 2y/ε − y²/ε² for y < ε and 1 beyond, the smoothing of incremental
//! potential contact (IPC). ε is the creep speed times the time step. Hessian: µN (f'' along Δ, f'/y across it), both at or above
//! zero.
//!
//! A contact that sticks, with less slip than ε, enters the next step with it ([`Slips`]): Δ is measured from where it began to stick. Slip
//! that began anew in every step would let everything creep that friction holds. One that slides begins anew, with the curvature at
//! zero: where friction is fully mobilised its Hessian is singular along the slip, and more steps do not converge.
//!
//! Without curvature along Δ a Newton step passes the slip at which the contact sticks by many ε, to where friction pulls the other way, and the
//! line search cuts it to next to nothing. After such a cut the contacts of a step have the Hessian of the primal–dual method (Chan, Golub
//! and Mulet 1999, of the same energy): with an own estimate λ, |λ| ≤ 1, of the direction of friction, the curvature along Δ is
//! f'' + (f'/y − f'') (1 − λ·Δ/y). With λ = 0 it is that of the parabola that touches the energy from above, with which no step passes the
//! point of sticking; as λ approaches Δ/y, where a contact slides for good, it is the exact one, which converges quadratically.

use nalgebra::Vector3;

use super::obstacle::ObstaclePose;
use super::point::Contact;
use super::slips::Slips;
use crate::soft::interaction::OuterProducts;

/// Friction of one contact during a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Friction {
    pub(super) contact: Contact,
    pub(super) obstacle_pose: Option<ObstaclePose>,
    /// t₁ and t₂.
    tangents: [Vector3<f64>; 2],
    /// µ N [N].
    limit: f64,
    /// ε [m].
    creep: f64,
    /// Displacement of a kinematic obstacle at the contact by the end of the step [m].
    drive: Vector3<f64>,
    /// Slip along the tangents with which the step began [m].
    carried: [f64; 2],
    /// The estimate of the primal–dual Hessian; none while steps fit.
    estimate: Option<Estimate>,
}

/// Estimate of the direction of friction, along the tangents.
#[derive(Debug, Clone, Copy)]
struct Estimate {
    /// λ.
    direction: [f64; 2],
    /// Slip Δ at which it was made [m].
    slip: [f64; 2],
}

impl Friction {
    /// Friction of `contact` with coefficient `friction` and ε = `creep` [m]; `drive` is the displacement of a kinematic obstacle
    /// at the point during the step [m], `slips` those with which the step began. `None` where there is no normal force.
    pub(super) fn of(
        contact: &Contact,
        obstacle_pose: Option<ObstaclePose>,
        [friction, creep]: [f64; 2],
        drive: Vector3<f64>,
        slips: &Slips,
    ) -> Option<Self> {
        let limit = friction * contact.force().norm();
        let normal = contact.gradient.try_normalize(0.0)?;
        let first = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).try_normalize(0.0)?;
        let tangents = [first, normal.cross(&first)];
        let before = slips.of(contact).cap_magnitude(creep);
        let carried = tangents.map(|t| t.dot(&before));
        (limit > 0.0).then_some(Self {
            contact: *contact,
            obstacle_pose,
            tangents,
            limit,
            creep,
            drive,
            carried,
            estimate: None,
        })
    }

    /// Slip at the blocks `x` as the next step begins with it [m, world]: zero where the contact slides, with ε and more.
    pub(super) fn final_slip(&self, x: &[Vector3<f64>], start: &[Vector3<f64>]) -> Vector3<f64> {
        let [a, b] = self.slip(x, start);
        let sticks = a.hypot(b) < self.creep;
        if sticks { a * self.tangents[0] + b * self.tangents[1] } else { Vector3::zeros() }
    }

    /// Derivative of the relative displacement along `v` with respect to each block.
    fn column(&self, v: Vector3<f64>) -> impl Iterator<Item = (u32, Vector3<f64>)> + Clone {
        self.contact.column(v, self.obstacle_pose.as_ref())
    }

    /// Slip Δ [m] along the tangents: the one with which the step began, and the relative displacement since.
    fn slip(&self, x: &[Vector3<f64>], start: &[Vector3<f64>]) -> [f64; 2] {
        let coefficient = self.contact.obstacle.map_or(0.0, |(_, coefficient)| coefficient);
        [0, 1].map(|axis| {
            let t = self.tangents[axis];
            let moved = |(block, j): (u32, Vector3<f64>)| j.dot(&(x[block as usize] - start[block as usize]));
            self.carried[axis] + coefficient * t.dot(&self.drive) + self.column(t).map(moved).sum::<f64>()
        })
    }

    /// f, f'/y and f'' at y.
    fn profile(&self, y: f64) -> [f64; 3] {
        let e = self.creep;
        if y < e {
            [y * y / e - y * y * y / (3.0 * e * e), 2.0 / e - y / (e * e), 2.0 * (1.0 - y / e) / e]
        } else {
            [y - e / 3.0, 1.0 / y, 0.0]
        }
    }

    /// Energy [J].
    pub(super) fn energy(&self, x: &[Vector3<f64>], start: &[Vector3<f64>]) -> f64 {
        let [a, b] = self.slip(x, start);
        self.limit * self.profile(a.hypot(b))[0]
    }

    /// Force on the contact's point [N, world].
    pub(super) fn force(&self, x: &[Vector3<f64>], start: &[Vector3<f64>]) -> Vector3<f64> {
        let [a, b] = self.slip(x, start);
        let [_, over_slip, _] = self.profile(a.hypot(b));
        -self.limit * over_slip * (a * self.tangents[0] + b * self.tangents[1])
    }

    /// Starts an estimate of the direction, zero, unless there is one.
    pub(super) fn estimate(&mut self, x: &[Vector3<f64>], start: &[Vector3<f64>]) {
        let slip = self.slip(x, start);
        self.estimate.get_or_insert(Estimate { direction: [0.0; 2], slip });
    }

    /// Carries the estimate, if there is one, over to the next iterate `x`: λ = f'(y)/y Δ, linearised at the former one.
    pub(super) fn update_estimate(&mut self, x: &[Vector3<f64>], start: &[Vector3<f64>]) {
        let Some(Estimate { direction, slip: old }) = self.estimate else { return };
        let slip = self.slip(x, start);
        let [_, over_slip, _] = self.profile(old[0].hypot(old[1]));
        let along = old[0] * (slip[0] - old[0]) + old[1] * (slip[1] - old[1]);
        let linear = [0, 1].map(|i| over_slip * slip[i] - over_slip * over_slip * along * direction[i]);
        let length = linear[0].hypot(linear[1]).max(1.0);
        self.estimate = Some(Estimate { direction: linear.map(|part| part / length), slip });
    }

    /// Curvature along the slip Δ of length `y` that the Hessian has, from f'/y and f''.
    fn curvature_along(&self, [a, b]: [f64; 2], y: f64, [over_slip, exact]: [f64; 2]) -> f64 {
        let Some(Estimate { direction, .. }) = self.estimate else { return exact };
        let agreement = if y > 0.0 { (direction[0] * a + direction[1] * b) / y } else { 1.0 };
        exact + (over_slip - exact).max(0.0) * (1.0 - agreement).clamp(0.0, 1.0)
    }

    /// Adds gradient and Hessian.
    pub(super) fn linearise(
        &self,
        x: &[Vector3<f64>],
        start: &[Vector3<f64>],
        gradient: &mut [Vector3<f64>],
        hessian: &mut OuterProducts,
    ) {
        let [a, b] = self.slip(x, start);
        let y = a.hypot(b);
        let [_, over_slip, exact] = self.profile(y);
        let curvature = self.curvature_along([a, b], y, [over_slip, exact]);
        let pull = -self.force(x, start);
        self.column(pull).for_each(|(block, j)| gradient[block as usize] += j);
        let [t1, t2] = self.tangents;
        // At rest any orthonormal pair of tangents serves: both curvatures are 2/ε.
        let (along, across) = if y > 0.0 { ((a * t1 + b * t2) / y, (a * t2 - b * t1) / y) } else { (t1, t2) };
        hessian.push(self.limit * curvature, self.column(along));
        hessian.push(self.limit * over_slip, self.column(across));
    }
}
