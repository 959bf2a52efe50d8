//! Proximal Newton method for the rows of all islands, where sweeps converge slowly.
//!
//! In coordinates z in which the response is the identity, impulses λ at rows J move them to z = Σ Jᵀ λ. An *outer step* starts from impulses λ⁰ and takes the slip
//! s = µ ‖uₜ‖ of its contacts as given: exact Coulomb friction is then a convex problem [Acary11, a formulation of the discrete Coulomb friction problem via convex
//! optimization, § 3]. With a proximal term it is smooth as well [Castro22, an unconstrained convex formulation of compliant contact, § IV]:
//!
//! min over z of ½ ‖z‖² + Σ max over λ in the cone of −λ·(u + (s − target) n) − ½ r ‖λ − λ⁰‖² − ½ γ λₙ², u = u₀ + J z
//!
//! Its gradient is z − Σ Jᵀ λ(z), where λ(z) is a projection onto the cone in the norm of r and γ. Newton's method with a search along each step solves it. Where λ = λ⁰ and
//! s is the slip of the solution, the rows are solved exactly; Anderson's acceleration leads the slips there. Of the impulses that solve redundant rows, those are found that are near λ⁰, the ones that sweeps had reached.

use std::ops::Range;

use nalgebra::{DMatrix, DVector, Vector3};

use super::acceleration::History;
use super::cholesky;
use super::contact::Contact;
use super::sweeps::Problem;
use crate::algebra::dot;

/// r, as a fraction of the mean response of the row. Less takes more steps of Newton's method, more takes more outer steps.
const PROXIMAL: f64 = 1e-4;
/// Maximum number of outer steps, and of steps of Newton's method in each.
const OUTER: usize = 12;
const INNER: usize = 50;
/// Change of an outer step, as a fraction of that of the one before, above which it gains nothing, and the number of those in a row before they end: rows that oppose each
/// other may need impulses that no number of steps reaches.
const STALLED: f64 = 0.7;
const STALLS: usize = 1;
/// Slope along a step, as a fraction of that at its start, at which the search along it ends, and the maximum number of slopes.
const SLOPE: f64 = 0.25;
const SLOPES: usize = 12;
/// Fraction of the interval by which a length stays away from its ends.
const MARGIN: f64 = 0.1;
/// Number of steps below which the method is not tried.
const FEW: usize = 4;

impl Problem<'_> {
    /// Moves the impulses and their coordinates towards the solution, until no velocity changes by more than `tolerance` [m/s; rad/s or m/s]; returns the number of
    /// steps of Newton's method. It has about `products` products; where these are only a few steps, nothing happens.
    #[inline(always)]
    pub(super) fn approach(&mut self, tolerance: f64, products: usize) -> usize {
        let steps = products / products_of_step(self).max(1);
        if steps < FEW {
            return 0;
        }
        let mut newton = Newton::new(self);
        let (mut left, mut last, mut stalls) = (steps, f64::INFINITY, 0);
        for _ in 0..OUTER {
            newton.begin(self);
            let end = left.saturating_sub(INNER);
            while left > end && newton.step(self, tolerance) {
                left -= 1;
            }
            if left == end {
                break;
            }
            let change = newton.end(self);
            stalls = if change > STALLED * last { stalls + 1 } else { 0 };
            if change <= tolerance || stalls > STALLS {
                break;
            }
            last = change;
        }
        self.start();
        steps - left
    }
}

/// Number of products of a step of Newton's method.
fn products_of_step(problem: &Problem<'_>) -> usize {
    let square =
        |index: usize| problem.rows.spans(index).iter().flatten().map(Range::len).sum::<usize>().pow(2);
    let count = problem.rows.count();
    (0..problem.contacts.len()).map(square).sum::<usize>() + count.pow(3) / 6 + 2 * count.pow(2)
}

/// A contact in an outer step.
#[derive(Debug, Clone, Copy)]
struct Proximal {
    /// λ⁰ \[N·s\].
    last: Vector3<f64>,
    /// Normal velocity \[m/s\] at which it bears no load, less the slip; −∞ where it is left out.
    target: f64,
    /// r \[1/kg\].
    r: f64,
    /// r + γ \[1/kg\].
    along_normal: f64,
    friction: f64,
    normal: Vector3<f64>,
}

/// State of a contact at a velocity.
#[derive(Debug, Clone, Copy)]
enum State {
    Open,
    Sticking {
        impulse: Vector3<f64>,
    },
    Sliding {
        /// Direction of its friction, and λₙ.
        along: Vector3<f64>,
        bearing: f64,
        /// Tangential impulse without a bound.
        size: f64,
    },
}

impl Proximal {
    fn new(contact: &Contact, target: f64) -> Self {
        let r = PROXIMAL * contact.response.matrix.trace() / 3.0;
        let (friction, normal) = (contact.friction, contact.normal);
        let along_normal = r + contact.response.compliance();
        Self { last: contact.impulse, target, r, along_normal, friction, normal }
    }

    /// Projection onto the cone at a velocity.
    #[inline(always)]
    fn state(&self, u: &Vector3<f64>) -> State {
        if self.target <= f64::NEG_INFINITY {
            return State::Open;
        }
        let n = &self.normal;
        let [speed, before] = [u.dot(n), self.last.dot(n)];
        let bearing = (self.r * before - (speed - self.target)) / self.along_normal;
        let rubbing = (self.last - n * before) - (u - n * speed) / self.r;
        let size = rubbing.norm_squared().sqrt();
        if size <= self.friction * bearing {
            return State::Sticking { impulse: n * bearing + rubbing };
        }
        let bearing = (bearing + self.lean() * size) / (1.0 + self.friction * self.lean());
        match bearing > 0.0 {
            true => State::Sliding { along: rubbing / size, bearing, size },
            false => State::Open,
        }
    }

    /// Coefficient of friction in the norm of r and γ.
    fn lean(&self) -> f64 {
        self.friction * self.r / self.along_normal
    }

    #[inline(always)]
    fn impulse(&self, u: &Vector3<f64>) -> Vector3<f64> {
        self.impulse_in(&self.state(u))
    }

    #[inline(always)]
    fn impulse_in(&self, state: &State) -> Vector3<f64> {
        match *state {
            State::Open => Vector3::zeros(),
            State::Sticking { impulse } => impulse,
            State::Sliding { along, bearing, .. } => (self.normal + along * self.friction) * bearing,
        }
    }
}

/// Limit of a joint in an outer step.
#[derive(Debug, Clone, Copy)]
struct ProximalLimit {
    last: f64,
    target: f64,
    r: f64,
}

impl ProximalLimit {
    fn impulse(&self, speed: f64) -> f64 {
        (self.last - (speed - self.target) / self.r).max(0.0)
    }
}

/// State of the method.
struct Newton {
    contacts: Vec<Proximal>,
    limits: Vec<ProximalLimit>,
    /// Hessian of the coordinates and of the contacts that stick, which depends on nothing else; its lower half.
    sticking: DMatrix<f64>,
    is_sticking: Vec<bool>,
    hessian: DMatrix<f64>,
    gradient: DVector<f64>,
    slips: Vec<f64>,
    history: History,
    /// Largest response of a row \[1/kg\].
    response: f64,
    /// Rows of a contact or of a limit, whose entries outside of its coordinates are those of others.
    rows: [Vec<f64>; 3],
}

impl Newton {
    fn new(problem: &Problem<'_>) -> Self {
        let count = problem.rows.count();
        let of_contacts = problem.contacts.iter().map(|contact| contact.response.matrix.trace());
        let of_limits = problem.limits.iter().map(|limit| limit.response);
        Self {
            contacts: Vec::with_capacity(problem.contacts.len()),
            limits: Vec::with_capacity(problem.limits.len()),
            sticking: DMatrix::identity(count, count),
            is_sticking: vec![false; problem.contacts.len()],
            hessian: DMatrix::zeros(count, count),
            gradient: DVector::zeros(count),
            slips: (0..problem.contacts.len()).map(|index| problem.slip(index)).collect(),
            history: History::default(),
            response: of_contacts.chain(of_limits).fold(0.0, f64::max),
            rows: [0; 3].map(|_| vec![0.0; count]),
        }
    }

    /// Begins an outer step at the impulses and the velocities of the problem.
    #[inline(always)]
    fn begin(&mut self, problem: &Problem<'_>) {
        self.contacts.clear();
        for (index, contact) in problem.contacts.iter().enumerate() {
            let target = problem.targets[0][index] - self.slips[index];
            self.contacts.push(Proximal::new(contact, target));
        }
        self.limits.clear();
        for (limit, target) in problem.limits.iter().zip(&problem.targets[1]) {
            let (last, r) = (limit.impulse, PROXIMAL * limit.response);
            self.limits.push(ProximalLimit { last, target: *target, r });
        }
    }

    /// Gives the problem the impulses at its coordinates; returns the largest change of an impulse, as a velocity, or of a slip. The next slips follow.
    #[inline(always)]
    fn end(&mut self, problem: &mut Problem<'_>) -> f64 {
        let mut change = 0.0_f64;
        let mut corrections = Vec::with_capacity(self.slips.len());
        for (index, proximal) in self.contacts.iter().enumerate() {
            let impulse = proximal.impulse(&problem.rows.velocity(index, &problem.z));
            let correction = problem.slip(index) - self.slips[index];
            let moved = proximal.r * (impulse - proximal.last).norm_squared().sqrt();
            change = change.max(moved).max(correction.abs());
            problem.contacts[index].impulse = impulse;
            corrections.push(correction);
        }
        for (index, proximal) in self.limits.iter().enumerate() {
            let impulse = proximal.impulse(problem.rows.limit_speed(index, &problem.z));
            change = change.max(proximal.r * (impulse - proximal.last).abs());
            problem.limits[index].impulse = impulse;
        }
        let residual: Vec<f64> = corrections.iter().map(|correction| -correction).collect();
        self.history.step(&mut self.slips, &corrections, &residual);
        self.slips.iter_mut().for_each(|slip| *slip = slip.max(0.0));
        change
    }

    /// A step of Newton's method; `false` where the coordinates solve the convex problem.
    #[inline(always)]
    fn step(&mut self, problem: &mut Problem<'_>, tolerance: f64) -> bool {
        self.gradient.as_mut_slice().copy_from_slice(&problem.z);
        let mut states: Vec<State> = Vec::with_capacity(self.contacts.len());
        for (index, proximal) in self.contacts.iter().enumerate() {
            states.push(proximal.state(&problem.rows.velocity(index, &problem.z)));
        }
        self.stick(problem, &states);
        self.hessian.as_mut_slice().copy_from_slice(self.sticking.as_slice());
        for (index, state) in states.iter().enumerate() {
            match *state {
                State::Open => continue,
                State::Sticking { .. } => {}
                State::Sliding { along, bearing, size } => self.slide(problem, index, (along, bearing, size)),
            }
            let impulse = self.contacts[index].impulse_in(state);
            problem.rows.push(index, &-impulse, self.gradient.as_mut_slice());
        }
        for (index, proximal) in self.limits.iter().enumerate() {
            let impulse = proximal.impulse(problem.rows.limit_speed(index, &problem.z));
            if impulse > 0.0 {
                problem.rows.push_limit(index, -impulse, self.gradient.as_mut_slice());
                let span = problem.rows.span_of_limit(index);
                self.rows[0][span.clone()].fill(0.0);
                problem.rows.push_limit(index, 1.0, &mut self.rows[0]);
                add_squares(&mut self.hessian, ([&self.rows[0]], [1.0 / proximal.r]), &[Some(span), None]);
            }
        }
        // A velocity changes by no more than this.
        let length = dot(self.gradient.as_slice(), self.gradient.as_slice()).sqrt();
        if !(length * self.response.sqrt() > tolerance) {
            return false;
        }
        if !cholesky::factorise(self.hessian.as_mut_slice(), problem.z.len()) {
            return false;
        }
        cholesky::solve(self.hessian.as_slice(), self.gradient.as_mut_slice());
        self.gradient.neg_mut();
        let direction = self.gradient.as_slice();
        let Some(length) = self.search(problem, direction, tolerance) else { return false };
        problem.z.iter_mut().zip(direction).for_each(|(z, d)| *z += length * d);
        true
    }

    /// Makes the contacts that stick in the Hessian those of the states.
    #[inline(always)]
    fn stick(&mut self, problem: &Problem<'_>, states: &[State]) {
        for (index, state) in states.iter().enumerate() {
            let sticks = matches!(state, State::Sticking { .. });
            if std::mem::replace(&mut self.is_sticking[index], sticks) == sticks {
                continue;
            }
            let spans = problem.rows.spans(index);
            let proximal = &self.contacts[index];
            let sign = if sticks { 1.0 } else { -1.0 };
            let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
            fill(problem, index, self.rows.iter_mut().zip(axes));
            let [x, y, z] = &self.rows;
            add_squares(&mut self.sticking, ([x, y, z], [sign / proximal.r; 3]), &spans);
            if proximal.along_normal > proximal.r {
                fill(problem, index, self.rows.iter_mut().zip([proximal.normal]));
                let weight = sign * (1.0 / proximal.along_normal - 1.0 / proximal.r);
                add_squares(&mut self.sticking, ([&self.rows[0]], [weight]), &spans);
            }
        }
    }

    /// Adds a contact that slides to the Hessian.
    #[inline(always)]
    fn slide(
        &mut self,
        problem: &Problem<'_>,
        index: usize,
        (along, bearing, size): (Vector3<f64>, f64, f64),
    ) {
        let proximal = &self.contacts[index];
        let directions = [proximal.normal + along * proximal.friction, proximal.normal.cross(&along)];
        let weights = [
            1.0 / (proximal.along_normal * (1.0 + proximal.friction * proximal.lean())),
            proximal.friction * bearing / (size * proximal.r),
        ];
        fill(problem, index, self.rows.iter_mut().zip(directions));
        let [a, b, _] = &self.rows;
        add_squares(&mut self.hessian, ([a, b], weights), &problem.rows.spans(index));
    }

    /// Length along a direction at which the slope, which rises with it, has become small; `None` where no velocity changes by more than `tolerance`, or rounding leaves
    /// no descent.
    #[inline(always)]
    fn search(&self, problem: &Problem<'_>, direction: &[f64], tolerance: f64) -> Option<f64> {
        let rows = &problem.rows;
        // Loops, not iterators that are collected: those are compiled without AVX2.
        let mut contacts: Vec<[Vector3<f64>; 2]> = Vec::with_capacity(self.contacts.len());
        for index in 0..self.contacts.len() {
            let change = rows.velocity(index, direction) - rows.free(index);
            contacts.push([rows.velocity(index, &problem.z), change]);
        }
        let mut limits: Vec<[f64; 2]> = Vec::with_capacity(self.limits.len());
        for index in 0..self.limits.len() {
            let change = rows.limit_speed(index, direction) - rows.free_limit_speed(index);
            limits.push([rows.limit_speed(index, &problem.z), change]);
        }
        let moves = contacts.iter().any(|[_, change]| change.amax() > tolerance)
            || limits.iter().any(|[_, change]| change.abs() > tolerance);
        let own = [dot(&problem.z, direction), dot(direction, direction)];
        let slope = |length: f64| {
            let mut slope = own[0] + length * own[1];
            for (proximal, [u, change]) in self.contacts.iter().zip(&contacts) {
                slope -= proximal.impulse(&(u + change * length)).dot(change);
            }
            for (proximal, [speed, change]) in self.limits.iter().zip(&limits) {
                slope -= proximal.impulse(speed + length * change) * change;
            }
            slope
        };
        let start = slope(0.0);
        if !(moves && start < 0.0) {
            return None;
        }
        let (mut low, mut high) = ((0.0, start), None);
        let mut length = 1.0;
        for _ in 0..SLOPES {
            let now = slope(length);
            if now.abs() <= SLOPE * start.abs() {
                break;
            }
            if now > 0.0 {
                high = Some((length, now));
            } else {
                low = (length, now);
            }
            length = high.map_or(2.0 * length, |(end, at_end)| {
                let margin = MARGIN * (end - low.0);
                (low.0 - low.1 * (end - low.0) / (at_end - low.1)).clamp(low.0 + margin, end - margin)
            });
        }
        Some(length)
    }
}

/// Fills rows with those of a contact along directions.
#[inline(always)]
fn fill<'a>(
    problem: &Problem<'_>,
    contact: usize,
    rows: impl Iterator<Item = (&'a mut Vec<f64>, Vector3<f64>)>,
) {
    for (row, direction) in rows {
        problem.rows.spans(contact).into_iter().flatten().for_each(|span| row[span].fill(0.0));
        problem.rows.push(contact, &direction, row);
    }
}

/// Adds the weighted squares of rows, whose entries outside of their spans do not count, to the lower half of a matrix.
#[inline(always)]
fn add_squares<const N: usize>(
    matrix: &mut DMatrix<f64>,
    (rows, weights): ([&Vec<f64>; N], [f64; N]),
    spans: &[Option<Range<usize>>; 2],
) {
    let count = matrix.nrows();
    let spans = || spans.iter().flatten();
    for column in spans().flat_map(Clone::clone) {
        let factors: [f64; N] = std::array::from_fn(|row| weights[row] * rows[row][column]);
        let entries = &mut matrix.as_mut_slice()[column * count..(column + 1) * count];
        for span in spans() {
            let span = span.start.max(column)..span.end.max(column);
            let rows: [&[f64]; N] = std::array::from_fn(|row| &rows[row][span.clone()]);
            for (at, entry) in entries[span].iter_mut().enumerate() {
                // In the order, and with the zero, of a sum over an iterator.
                let mut sum = -0.0;
                for row in 0..N {
                    sum += factors[row] * rows[row][at];
                }
                *entry += sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multibody::contact::Response;
    use crate::multibody::coordinates::CoordinateRows;
    use extricate_test_support::Noise;
    use nalgebra::Matrix3;

    /// Six contacts of a body of seven coordinates.
    struct Case {
        entries: Vec<[Vec<f64>; 3]>,
        free: Vec<Vector3<f64>>,
        contacts: Vec<Contact>,
    }

    impl Case {
        /// Contacts from sides, 1 or −1, whose rows differ by a part of what they share.
        fn new(noise: &mut Noise, sides: [f64; 6], part: f64) -> Self {
            let mut number = || noise.signed();
            let shared: [Vec<f64>; 3] = [0; 3].map(|_| (0..7).map(|_| number()).collect());
            let motion: Vec<f64> = (0..7).map(|_| number()).collect();
            let (mut entries, mut free, mut contacts) = (Vec::new(), Vec::new(), Vec::new());
            for side in sides {
                let rows: [Vec<f64>; 3] = [0, 1, 2].map(|axis: usize| {
                    shared[axis].iter().map(|row| side * (row + part * number())).collect()
                });
                let matrix = Matrix3::from_fn(|a, b| dot(&rows[a], &rows[b]));
                let normal = (Vector3::z() + Vector3::from_fn(|_, _| 0.1 * number())).normalize();
                free.push(Vector3::from_fn(|axis, _| dot(&rows[axis], &motion)));
                contacts.push(Contact {
                    sides: [None, None],
                    given: Vector3::zeros(),
                    normal,
                    friction: 0.1 + 0.2 * number().abs(),
                    restitution: 0.0,
                    gap: 0.0,
                    impulse: Vector3::zeros(),
                    response: Response::new([matrix, matrix], &normal, 0.0).expect("it yields"),
                    rho: 0.0,
                });
                entries.push(rows);
            }
            Self { entries, free, contacts }
        }

        fn problem<'a>(&self, contacts: &'a mut [Contact]) -> Problem<'a> {
            let rows = CoordinateRows::of_contacts(&self.entries, self.free.clone());
            let targets = [vec![0.0; contacts.len()], Vec::new()];
            Problem { rows, z: vec![0.0; 7], contacts, limits: &mut [], targets, scale: 1.0 }
        }
    }

    /// Largest violation of the law of Coulomb [m/s]: of normal velocities below zero or above it where a contact bears, and of the slip that is not against the friction
    /// of its whole bound.
    fn violation(problem: &Problem<'_>) -> f64 {
        let of = |(index, contact): (usize, &Contact)| {
            let (u, n) = (problem.rows.velocity(index, &problem.z), contact.normal);
            let bearing = contact.impulse.dot(&n);
            let rubbing = contact.impulse - n * bearing;
            let slip = u - n * u.dot(&n);
            let left = contact.friction * bearing - rubbing.norm();
            assert!(left >= -1e-9 * contact.impulse.norm(), "outside of its cone: {contact:?}");
            let normal = if bearing > 0.0 { u.dot(&n).abs() } else { (-u.dot(&n)).max(0.0) };
            let is_bound = left < 1e-6 * bearing;
            let along = if is_bound && rubbing.norm() > 0.0 {
                (slip + rubbing.normalize() * slip.norm()).norm()
            } else {
                slip.norm()
            };
            normal.max(if bearing > 0.0 { along } else { 0.0 })
        };
        problem.contacts.iter().enumerate().map(of).fold(0.0, f64::max)
    }

    /// Violations of two hundred cases, sorted: of this method, and of two hundred sweeps.
    fn violations(sides: [f64; 6], part: f64) -> [Vec<f64>; 2] {
        let mut noise = Noise(3);
        let mut all = [Vec::new(), Vec::new()];
        for _ in 0..200 {
            let case = Case::new(&mut noise, sides, part);
            let mut contacts = case.contacts.clone();
            let mut problem = case.problem(&mut contacts);
            assert!(problem.approach(1e-9, usize::MAX) <= OUTER * INNER);
            all[0].push(violation(&problem));
            let mut contacts = case.contacts.clone();
            let mut problem = case.problem(&mut contacts);
            problem.start();
            (0..200).for_each(|_| _ = problem.sweep(true));
            all[1].push(violation(&problem));
        }
        all.iter_mut().for_each(|all| all.sort_by(f64::total_cmp));
        all
    }

    #[test]
    fn all_but_a_few_almost_redundant_contacts_meet_the_law_of_coulomb() {
        let [newton, _] = violations([1.0; 6], 0.03);
        assert!(newton[180] < 1e-8 && newton[195] < 1e-4, "{:e} {:e}", newton[180], newton[195]);
    }

    #[test]
    fn opposed_contacts_mostly_meet_the_law_of_coulomb_where_sweeps_do_not() {
        let [newton, sweeps] = violations([1.0, 1.0, 1.0, -1.0, -1.0, -1.0], 0.2);
        assert!(newton[100] < 1e-5, "{:e}", newton[100]);
        assert!(sweeps[100] > 1e-3, "sweeps would do: {:e}", sweeps[100]);
    }

    #[test]
    fn nothing_happens_where_it_would_cost_more_than_a_few_steps() {
        let case = Case::new(&mut Noise(5), [1.0; 6], 0.1);
        let mut contacts = case.contacts.clone();
        let mut problem = case.problem(&mut contacts);
        assert_eq!(problem.approach(1e-9, 100), 0);
        assert!(problem.contacts.iter().all(|contact| contact.impulse == Vector3::zeros()));
    }
}
