//! Gauss–Seidel sweeps over the rows of all islands.

use nalgebra::Vector3;

use super::contact::Contact;
use super::coordinates::CoordinateRows;
use super::limit::Limit;
use crate::algebra::dot;

/// Maximum number of sweeps: a bound on the work of a step; what is left then is reported.
const MAX_SWEEPS: usize = 200;
/// Change of a velocity in a sweep, as a fraction of the free fall of a step and of the speeds of the ports, at which the sweeps have
/// converged. Larger leaves more slip to gripped objects.
const CONVERGED: f64 = 1e-5;

/// Number of sweeps after which the proximal Newton method takes over, once, and its tolerance over theirs.
const FIRST_SWEEPS: usize = 50;
const TIGHTER: f64 = 0.3;
/// Products of a sweep for each coordinate that moves a contact. The method has as many as the sweeps that are left would have.
const PRODUCTS: usize = 6;
/// Change of the sweep after it, over the smallest one before, above which it led away.
const AWAY: f64 = 10.0;
/// Change, as a fraction of the scale, below which sweeps after it have to gain, as they do where they took long.
const NEAR: f64 = 0.01;

/// Visits of contacts after which sweeps have to gain, and the number of sweeps in which their smallest change has to become less than the given
/// part of what it was in those before: what slower ones still gain is less than the next step does, which starts from their impulses.
const PATIENCE: usize = 20_000;
const PERIOD: usize = 20;
const GAIN: f64 = 0.8;
/// Number of times that momentum begins anew in a solve; then it is left out: friction and redundant contacts do not always follow it.
const RESTARTS: usize = 4;

/// Rows with their coordinates.
pub(super) struct Problem<'a> {
    pub(super) rows: CoordinateRows,
    /// Coordinates that the impulses cause.
    pub(super) z: Vec<f64>,
    pub(super) contacts: &'a mut [Contact],
    pub(super) limits: &'a mut [Limit],
    /// Velocities [m/s; rad/s or m/s] at which contacts and limits bear no load; −∞ of a contact that is left out.
    pub(super) targets: [Vec<f64>; 2],
    /// Speed [m/s] that counts as one.
    pub(super) scale: f64,
}

/// Result of the sweeps.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Swept {
    pub(super) sweeps: usize,
    /// Number of steps of the proximal Newton method.
    pub(super) steps: usize,
    /// Largest change of the last sweep [m/s].
    pub(super) residual: f64,
}

impl Problem<'_> {
    /// Determines the coordinates that the impulses cause.
    #[inline(always)]
    pub(super) fn start(&mut self) {
        self.z.clear();
        self.z.resize(self.rows.count(), 0.0);
        for (index, contact) in self.contacts.iter().enumerate() {
            self.rows.push(index, &contact.impulse, &mut self.z);
        }
        for (index, limit) in self.limits.iter().enumerate() {
            self.rows.push_limit(index, limit.impulse, &mut self.z);
        }
    }

    /// Sweeps until nothing changes, forwards and backwards in turn, with momentum from one pair of sweeps to the next. Where that takes long, the proximal Newton method
    /// of [`super::proximal`] leads most of the rest, and sweeps end it.
    pub(super) fn solve(&mut self) -> Swept {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is there.
            return unsafe { self.solve_avx2() };
        }
        self.solve_as_compiled()
    }

    /// The same loops compiled for AVX2. Without fused multiply-add, so that the bits are those of the baseline.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn solve_avx2(&mut self) -> Swept {
        self.solve_as_compiled()
    }

    #[inline(always)]
    fn solve_as_compiled(&mut self) -> Swept {
        let mut swept = Swept::default();
        let mut momentum = Momentum::new(self);
        let mut smallest = [f64::INFINITY; 2];
        let mut best = Best::new();
        while swept.sweeps < MAX_SWEEPS {
            let change = self.sweep(swept.sweeps % 2 == 0);
            swept = Swept { sweeps: swept.sweeps + 1, residual: change, ..swept };
            smallest[1] = smallest[1].min(change);
            if !(change > CONVERGED * self.scale) {
                return swept;
            }
            best.take(self, change);
            if swept.sweeps == FIRST_SWEEPS {
                let tolerance = TIGHTER * CONVERGED * self.scale;
                swept.steps = self.approach(tolerance, self.products_left(swept.sweeps));
                if swept.steps > 0 {
                    (momentum, smallest) = (Momentum::new(self), [f64::INFINITY; 2]);
                    continue;
                }
            }
            if swept.steps > 0 && swept.sweeps == FIRST_SWEEPS + 1 && change > AWAY * best.change {
                best.restore(self);
                momentum = Momentum::new(self);
            }
            if swept.sweeps % PERIOD == 0 {
                let visits = swept.sweeps * self.contacts.len();
                let is_near = swept.steps > 0 && best.change < NEAR * self.scale;
                let is_long = is_near || visits > PATIENCE;
                if is_long && smallest[1] > GAIN * smallest[0] {
                    break;
                }
                smallest = [smallest[1], f64::INFINITY];
            }
            if swept.sweeps % 2 == 0 {
                momentum.add(self, change);
            }
        }
        best.restore(self);
        self.restrain();
        self.hold_limits();
        Swept { residual: best.change, ..swept }
    }

    /// Number of products that the sweeps would have after some.
    fn products_left(&self, sweeps: usize) -> usize {
        let coordinates = (0..self.contacts.len()).flat_map(|index| self.rows.spans(index)).flatten();
        PRODUCTS * coordinates.map(|span| span.len()).sum::<usize>() * (MAX_SWEEPS - sweeps)
    }

    /// Slip of a contact, times its friction \[m/s\].
    #[inline(always)]
    pub(super) fn slip(&self, contact: usize) -> f64 {
        let u = self.rows.velocity(contact, &self.z);
        let Contact { normal, friction, .. } = &self.contacts[contact];
        friction * (u - normal * u.dot(normal)).norm_squared().sqrt()
    }

    /// Scales impulses down that have not converged where they would do work, Σ λ·(u⁺ + u⁻)/2 > Σ λₙ target, which those that have never do: to the
    /// fraction at which they take the most energy out.
    pub(super) fn restrain(&mut self) {
        let of_contact = |(index, contact): (usize, &Contact)| {
            let target = self.targets[0][index];
            match contact.impulse == Vector3::zeros() {
                true => 0.0,
                false => contact.impulse.dot(&(self.rows.free(index) - contact.normal * target)),
            }
        };
        let of_limit = |(index, limit): (usize, &Limit)| {
            limit.impulse * (self.rows.free_limit_speed(index) - self.targets[1][index])
        };
        let work = self.contacts.iter().enumerate().map(of_contact).sum::<f64>()
            + self.limits.iter().enumerate().map(of_limit).sum::<f64>();
        let response = dot(&self.z, &self.z);
        if !(work + 0.5 * response > 0.0) {
            return;
        }
        let fraction = (-work / response).clamp(0.0, 1.0);
        self.contacts.iter_mut().for_each(|contact| contact.impulse *= fraction);
        self.limits.iter_mut().for_each(|limit| limit.impulse *= fraction);
        self.start();
    }

    /// Makes limits that are passed hold, with contacts as they are: the energy is then no more than before, and what does not converge
    /// leaves an overlap, which is recovered, in place of a joint that is bent.
    #[inline(always)]
    fn hold_limits(&mut self) {
        let passes = |(index, target): (usize, &f64)| {
            target - self.rows.limit_speed(index, &self.z) > NEAR * self.scale
        };
        if !self.targets[1].iter().enumerate().any(passes) {
            return;
        }
        for _ in 0..MAX_SWEEPS {
            if !(self.sweep_limits() > CONVERGED * self.scale) {
                return;
            }
        }
    }

    /// A sweep; returns the largest change of a velocity [m/s; rad/s or m/s].
    #[inline(always)]
    pub(super) fn sweep(&mut self, forwards: bool) -> f64 {
        let count = self.contacts.len();
        let mut change = self.sweep_limits();
        for index in 0..count {
            let index = if forwards { index } else { count - 1 - index };
            change = change.max(self.sweep_contact(index));
        }
        change
    }

    #[inline(always)]
    fn sweep_limits(&mut self) -> f64 {
        let mut change = 0.0_f64;
        for (index, (limit, target)) in self.limits.iter_mut().zip(&self.targets[1]).enumerate() {
            let speed = self.rows.limit_speed(index, &self.z);
            let wanted = (limit.impulse - (speed - target) / limit.response).max(0.0);
            let added = wanted - limit.impulse;
            limit.impulse = wanted;
            self.rows.push_limit(index, added, &mut self.z);
            change = change.max((added * limit.response).abs());
        }
        change
    }

    #[inline(always)]
    fn sweep_contact(&mut self, index: usize) -> f64 {
        let contact = &mut self.contacts[index];
        if self.targets[0][index] <= f64::NEG_INFINITY {
            return 0.0;
        }
        let u = self.rows.velocity(index, &self.z);
        let wanted = contact.solve(&u, self.targets[0][index]);
        let added = wanted - contact.impulse;
        if added == Vector3::zeros() {
            return 0.0;
        }
        contact.impulse = wanted;
        self.rows.push(index, &added, &mut self.z);
        // The square root of nalgebra is that of the baseline, which processors take long to get to from AVX2.
        (contact.response.matrix * added).norm_squared().sqrt()
    }
}

/// The impulses after the sweep that changed the velocities by the smallest amount.
struct Best {
    change: f64,
    contacts: Vec<Vector3<f64>>,
    limits: Vec<f64>,
}

impl Best {
    /// None yet.
    fn new() -> Self {
        Self { change: f64::INFINITY, contacts: Vec::new(), limits: Vec::new() }
    }

    /// Takes the present impulses if their change is smaller.
    fn take(&mut self, problem: &Problem<'_>, change: f64) {
        if change < self.change {
            self.change = change;
            self.contacts.clear();
            self.contacts.extend(problem.contacts.iter().map(|contact| contact.impulse));
            self.limits.clear();
            self.limits.extend(problem.limits.iter().map(|limit| limit.impulse));
        }
    }

    /// Sets the impulses to these, if there are any.
    fn restore(&self, problem: &mut Problem<'_>) {
        problem.contacts.iter_mut().zip(&self.contacts).for_each(|(contact, best)| contact.impulse = *best);
        problem.limits.iter_mut().zip(&self.limits).for_each(|(limit, best)| limit.impulse = *best);
        problem.start();
    }
}

/// Momentum of the impulses: Nesterov's, begun anew where the sweeps change more than before.
///
/// A sweep forwards and one backwards are a symmetric step, which it accelerates as it does a gradient step [ODonoghue15].
struct Momentum {
    contacts: Vec<Vector3<f64>>,
    limits: Vec<f64>,
    /// Nesterov's t.
    weight: f64,
    last_change: f64,
    restarts: usize,
}

impl Momentum {
    fn new(problem: &Problem<'_>) -> Self {
        Self {
            contacts: problem.contacts.iter().map(|contact| contact.impulse).collect(),
            limits: problem.limits.iter().map(|limit| limit.impulse).collect(),
            weight: 1.0,
            last_change: f64::INFINITY,
            restarts: 0,
        }
    }

    /// Moves the impulses on along their change since the last call, within their cones.
    #[inline(always)]
    fn add(&mut self, problem: &mut Problem<'_>, change: f64) {
        if self.restarts > RESTARTS {
            return;
        }
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.weight * self.weight).sqrt());
        let leads_away = change > self.last_change;
        let ahead = if leads_away { 0.0 } else { (self.weight - 1.0) / next };
        self.weight = if leads_away { 1.0 } else { next };
        self.restarts += usize::from(leads_away);
        self.last_change = change;
        for (contact, last) in problem.contacts.iter_mut().zip(&mut self.contacts) {
            let now = contact.impulse;
            contact.impulse = contact.within_cone(&(now + (now - *last) * ahead));
            *last = now;
        }
        for (limit, last) in problem.limits.iter_mut().zip(&mut self.limits) {
            let now = limit.impulse;
            limit.impulse = (now + (now - *last) * ahead).max(0.0);
            *last = now;
        }
        if ahead > 0.0 {
            problem.start();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multibody::contact::Response;
    use extricate_test_support::Noise;
    use nalgebra::Matrix3;

    const COUNT: usize = 7;

    fn contact(rows: &[Vec<f64>; 3]) -> Contact {
        let matrix = Matrix3::from_fn(|a, b| dot(&rows[a], &rows[b]));
        Contact {
            sides: [None, None],
            given: Vector3::zeros(),
            normal: Vector3::z(),
            friction: 0.5,
            restitution: 0.0,
            gap: -0.01,
            impulse: Vector3::zeros(),
            response: Response::new([matrix, matrix], &Vector3::z(), 0.0).expect("it yields"),
            rho: 0.0,
        }
    }

    fn limit(row: &[f64]) -> Limit {
        let response = dot(row, row);
        Limit { tree: 0, freedom: 0, port: 0, sign: 1.0, gap: 0.0, response, impulse: 0.0, borne: 0.0 }
    }

    /// Speed beyond limits \[rad/s\], and work of the impulses less that of what the targets ask for \[J\], where contacts that oppose each other recover their overlaps.
    fn jammed(noise: &mut Noise) -> [f64; 2] {
        let mut row = |scale: f64| -> Vec<f64> { (0..COUNT).map(|_| scale * noise.signed()).collect() };
        let shared = [0; 3].map(|_| row(1.0));
        let entries: Vec<[Vec<f64>; 3]> = [1.0, -1.0, 1.0, -1.0]
            .map(|side| {
                shared.each_ref().map(|shared| {
                    shared.iter().zip(row(0.01)).map(|(shared, own)| side * shared + own).collect()
                })
            })
            .to_vec();
        let (free, moved) = (row(1.0), [row(0.5), row(0.5)]);
        let of_limits = moved.map(|own| -> Vec<f64> {
            shared[2].iter().zip(own).map(|(shared, own)| 0.3 * shared + own).collect()
        });
        let along = |row: &[f64]| dot(row, &free);
        let velocities = entries.iter().map(|[x, y, z]| Vector3::new(along(x), along(y), along(z))).collect();
        let speeds: Vec<_> = of_limits.iter().map(|row| (row.clone(), along(row))).collect();
        let rows = CoordinateRows::of_contacts(&entries, velocities).with_limits(&speeds);
        let mut contacts: Vec<Contact> = entries.iter().map(contact).collect();
        let mut limits: Vec<Limit> = of_limits.iter().map(|row| limit(row)).collect();
        let targets = [vec![1.0; 4], vec![-0.1; 2]];
        let (contacts, limits) = (&mut contacts[..], &mut limits[..]);
        let mut problem = Problem { rows, z: Vec::new(), contacts, limits, targets, scale: 1.0 };
        problem.start();
        problem.solve();
        let z = &problem.z;
        let beyond = of_limits.iter().map(|row| -0.1 - along(row) - dot(row, z)).fold(0.0, f64::max);
        let asked: f64 = problem.contacts.iter().map(|contact| contact.impulse.z).sum::<f64>()
            - problem.limits.iter().map(|limit| 0.1 * limit.impulse).sum::<f64>();
        [beyond, dot(&free, z) + 0.5 * dot(z, z) - asked]
    }

    #[test]
    fn limits_hold_where_contacts_cannot_and_nothing_gains_energy() {
        let mut noise = Noise(7);
        for case in 0..200 {
            let [beyond, work] = jammed(&mut noise);
            assert!(beyond < 0.02, "{case}: {beyond} rad/s");
            assert!(work < 1e-6, "{case}: {work} J");
        }
    }
}
