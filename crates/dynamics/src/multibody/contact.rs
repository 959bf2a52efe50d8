//! A contact with Coulomb friction between two ports.
//!
//! 0 ≤ λₙ ⊥ uₙ + γ λₙ − target ≥ 0; |λₜ| ≤ µ λₙ, and where it slides, λₜ is µ λₙ against the slip uₜ: the exact cone, without
//! the dilatation of its convex relaxation. One contact is solved exactly: with λₜ = −uₜ/ρ for a ρ ≥ 0 its equations are linear, and diagonal in the
//! directions in which its tangential velocities respond; ρ = 0 is to stick, and where the cone forbids it, ρ is the root of
//! µλₙ = |λₜ|, as a trust region has it [Bonnefon11, More83].
//!
//! | here     | meaning                                                          |
//! |----------|------------------------------------------------------------------|
//! | u        | velocity of the second side relative to the first [m/s]          |
//! | λ        | impulse on the second side [N·s]                                 |
//! | W        | response of u to λ [1/kg]                                        |
//! | γ        | softness of the contact, as a fraction of what the normal velocities of the sides alone respond: links that joints hardly let part would be pressed by far more than moves them |

use nalgebra::{Matrix3, Vector3};

/// Response across the normal, over the sum of all, below which friction is taken to move nothing: rounding.
const SINGULAR: f64 = 1e-13;

/// Maximum number of evaluations of the search for ρ, and the relative excess of friction at which it ends: some four are needed.
const SEARCH: (usize, f64) = (60, 1e-13);

/// Maximum number of steps of Newton's method for ρ, and the excess of friction below which one more step is the last, which leaves its square: two or three are
/// needed from the ρ of the last sweep. Where they do not lead there, the bracketing search does.
const NEWTON: (usize, f64) = (6, 1e-7);

/// Response of a contact, over the sum of those of its sides alone, below which its sides do not move relative to each other: rounding. Two
/// links between which no joint can separate them have such a contact; an impulse that should would be infinite.
const RIGID: f64 = 1e-10;

/// Response of a contact, over that of its sides alone, above which an overlap is recovered at full speed. Less rotates joints fast that hardly
/// move the contact.
const FREE: f64 = 0.1;

/// One side of a contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    /// Tree, by its place in the problem.
    pub(super) tree: usize,
    /// First port of the link.
    pub(super) port: usize,
    /// From the origin of the link to the contact [m, world axes].
    pub(super) arm: Vector3<f64>,
    /// The last part of the arm, from the core of a ball or a capsule to its surface [m, world axes]: the link rolls, and does not rotate it.
    pub(super) round: Vector3<f64>,
}

/// A contact as a row of a problem.
#[derive(Debug, Clone)]
pub(super) struct Contact {
    /// Sides; none for a body that does not yield.
    pub(super) sides: [Option<Side>; 2],
    /// Velocity of the contact relative to the first side that does not depend on the solution: of kinematic bodies [m/s].
    pub(super) given: Vector3<f64>,
    /// Unit normal from the first to the second side.
    pub(super) normal: Vector3<f64>,
    pub(super) friction: f64,
    /// Coefficient of restitution.
    pub(super) restitution: f64,
    /// Gap at the start of the step, negative for an overlap \[m\].
    pub(super) gap: f64,
    /// Impulse on the second side [N·s].
    pub(super) impulse: Vector3<f64>,
    pub(super) response: Response,
    /// ρ of the last solution that slid \[1/kg\]; zero before there is one. The search for the next one starts from it.
    pub(super) rho: f64,
}

/// Response of a contact to its own impulse.
#[derive(Debug, Clone, Copy)]
pub(super) struct Response {
    /// W [1/kg].
    pub(super) matrix: Matrix3<f64>,
    /// Wₙₙ [1/kg].
    pub(super) normal: f64,
    /// Sum of those of the sides alone [1/kg].
    alone: f64,
    /// With its softness, as a fraction of the sum.
    softness: f64,
    principal: Principal,
}

/// Directions across the normal in which the velocity responds along the impulse, while the normal velocity stays.
#[derive(Debug, Clone, Copy, Default)]
struct Principal {
    directions: [Vector3<f64>; 2],
    /// Responses [1/kg].
    responses: [f64; 2],
    /// Responses of the normal velocity [1/kg].
    across: [f64; 2],
}

impl Principal {
    /// Of a response whose normal part, with its softness, is `normal`.
    fn new(matrix: &Matrix3<f64>, n: &Vector3<f64>, normal: f64) -> Self {
        let axis = Vector3::ith(n.iamin(), 1.0);
        let first = n.cross(&axis).normalize();
        let second = n.cross(&first);
        let [a, b] = [first, second].map(|t| n.dot(&(matrix * t)));
        // The tangential part that the normal leaves, and its angle.
        let part = |s: &Vector3<f64>, t: &Vector3<f64>, product: f64| s.dot(&(matrix * t)) - product / normal;
        let (p, q, r) =
            (part(&first, &first, a * a), part(&second, &second, b * b), part(&first, &second, a * b));
        let (mean, half) = (0.5 * (p + q), 0.5 * (p - q));
        let radius = (half * half + r * r).sqrt();
        let [cosine, sine] = half_angle([half, r], radius);
        let smallest = SINGULAR * matrix.trace();
        Self {
            directions: [first * cosine + second * sine, second * cosine - first * sine],
            responses: [mean + radius, mean - radius].map(|response| response.max(smallest)),
            across: [a * cosine + b * sine, b * cosine - a * sine],
        }
    }
}

impl Response {
    /// A response that is not known yet.
    pub(super) const ZERO: Self = Self {
        matrix: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        normal: 0.0,
        alone: 0.0,
        softness: 0.0,
        principal: Principal {
            directions: [Vector3::new(0.0, 0.0, 0.0); 2],
            responses: [0.0; 2],
            across: [0.0; 2],
        },
    };

    /// Response of a matrix W; `None` where an impulse moves nothing, compared with the sum of the matrices of the sides alone.
    pub(super) fn new(
        [matrix, sides]: [Matrix3<f64>; 2],
        normal: &Vector3<f64>,
        softness: f64,
    ) -> Option<Self> {
        let [own, alone] = [matrix, sides].map(|matrix| normal.dot(&(matrix * normal)));
        let yields = own > RIGID * sides.trace();
        yields.then(|| {
            let principal = Principal::new(&matrix, normal, own + softness * alone);
            Self { matrix, normal: own, alone, softness, principal }
        })
    }

    /// The response with another softness.
    pub(super) fn with_softness(self, normal: &Vector3<f64>, softness: f64) -> Self {
        let principal = Principal::new(&self.matrix, normal, self.normal + softness * self.alone);
        Self { softness, principal, ..self }
    }

    /// γ: normal velocity that the contact yields to its impulse by its softness [1/kg].
    #[inline(always)]
    pub(super) fn compliance(&self) -> f64 {
        self.softness * self.alone
    }

    /// Softness, as a fraction of the response of the sides alone.
    pub(super) fn softness(&self) -> f64 {
        self.softness
    }

    /// Fraction of the speed of recovery, from 0 to 1: an overlap is recovered as slowly as joints let the links yield.
    pub(super) fn freedom(&self) -> f64 {
        (self.normal / (FREE * self.alone)).min(1.0)
    }
}

impl Contact {
    /// Impulse that solves the contact while all others stay, at its present velocity `u`; `target` is the normal velocity
    /// [m/s] at which it bears no load.
    #[inline(always)]
    pub(super) fn solve(&mut self, u: &Vector3<f64>, target: f64) -> Vector3<f64> {
        let (n, response) = (&self.normal, &self.response);
        let free = u - response.matrix * self.impulse;
        let lacking = target - free.dot(n);
        if !(lacking > 0.0) {
            return Vector3::zeros();
        }
        let Principal { directions, responses, across } = response.principal;
        let yielding = response.normal + response.softness * response.alone;
        let yielded = 1.0 / yielding;
        let bearing = lacking * yielded;
        // Friction that ends the slip at the normal impulse that this has.
        let wanted = [0, 1].map(|i| -free.dot(&directions[i]) - across[i] * bearing);
        let across = across.map(|across| across * yielded);
        let cone = Cone { wanted, responses, across, bearing, friction: self.friction };
        let world = |(bearing, friction): (f64, [f64; 2])| {
            n * bearing + directions[0] * friction[0] + directions[1] * friction[1]
        };
        let sticking = cone.at(0.0);
        if sticking.0 >= 0.0 && length_squared(sticking.1) <= (self.friction * sticking.0).powi(2) {
            return world(sticking);
        }
        if self.friction <= 0.0 {
            return n * bearing;
        }
        let rho = cone.rho(self.rho);
        let found = cone.at(rho);
        let size = length(found.1);
        let scale = if size > 0.0 { self.friction * found.0.max(0.0) / size } else { 0.0 };
        let impulse = world((found.0.max(0.0), found.1.map(|friction| friction * scale)));
        self.rho = rho;
        impulse
    }
}

/// Impulses of a contact with friction −uₜ/ρ, in its principal directions.
struct Cone {
    /// Friction that ends the slip, times the responses.
    wanted: [f64; 2],
    responses: [f64; 2],
    /// Normal impulse that friction takes off, each over the friction.
    across: [f64; 2],
    /// Normal impulse without friction.
    bearing: f64,
    friction: f64,
}

impl Cone {
    /// Normal impulse and friction.
    #[inline(always)]
    fn at(&self, rho: f64) -> (f64, [f64; 2]) {
        let friction = [0, 1].map(|i| self.wanted[i] / (self.responses[i] + rho));
        (self.bearing - (self.across[0] * friction[0] + self.across[1] * friction[1]), friction)
    }

    /// Bound of the cone over the friction, less one: negative where friction is more than that.
    #[inline(always)]
    fn excess(&self, rho: f64) -> f64 {
        let (bearing, friction) = self.at(rho);
        let size = length(friction);
        if size > 0.0 { self.friction * bearing / size - 1.0 } else { f64::INFINITY }
    }

    /// The excess with its derivative.
    #[inline(always)]
    fn excess_and_rise(&self, rho: f64) -> [f64; 2] {
        let yields = self.responses.map(|response| 1.0 / (response + rho));
        let friction = [self.wanted[0] * yields[0], self.wanted[1] * yields[1]];
        let falls = [friction[0] * yields[0], friction[1] * yields[1]];
        let product = |a: &[f64; 2], b: &[f64; 2]| a[0] * b[0] + a[1] * b[1];
        let bearing = self.bearing - product(&self.across, &friction);
        let per_size = 1.0 / length(friction);
        let allowed = self.friction * per_size;
        let rise =
            product(&self.across, &falls) + bearing * product(&friction, &falls) * (per_size * per_size);
        [allowed * bearing - 1.0, allowed * rise]
    }

    /// ρ at which friction is on the cone, where without it more than that sticks; `last` is that of a similar cone, or zero.
    #[inline(always)]
    fn rho(&self, last: f64) -> f64 {
        // That of equal responses, without what friction takes off.
        let whole = length(self.wanted) / (self.friction * self.bearing);
        let guess = whole - 0.5 * (self.responses[0] + self.responses[1]);
        let mut rho = if last > 0.0 {
            last
        } else if guess > 0.0 {
            guess
        } else {
            whole
        };
        for _ in 0..NEWTON.0 {
            let [excess, rise] = self.excess_and_rise(rho);
            let next = rho - excess / rise;
            if !(rise > 0.0 && next > 0.0) {
                break;
            }
            if excess.abs() < NEWTON.1 {
                return next;
            }
            rho = next;
        }
        root(|rho| self.excess(rho), whole)
    }
}

/// Cosine and sine of half the angle of a vector of a length, the cosine not negative.
fn half_angle([x, y]: [f64; 2], length: f64) -> [f64; 2] {
    if !(length > 0.0) {
        return [1.0, 0.0];
    }
    let (cosine, sine) = (x / length, y / length);
    if cosine >= 0.0 {
        let half = (0.5 * (1.0 + cosine)).sqrt();
        [half, 0.5 * sine / half]
    } else {
        let half = (0.5 * (1.0 - cosine)).sqrt();
        [0.5 * sine.abs() / half, half.copysign(sine)]
    }
}

#[inline(always)]
fn length(v: [f64; 2]) -> f64 {
    length_squared(v).sqrt()
}

#[inline(always)]
fn length_squared([x, y]: [f64; 2]) -> f64 {
    x * x + y * y
}

/// Root of a function that is negative at zero, positive beyond, and almost linear; `guess` is of its order.
#[inline(always)]
fn root(function: impl Fn(f64) -> f64, guess: f64) -> f64 {
    let mut low = (0.0, function(0.0));
    let mut high = (guess, function(guess));
    let mut left = SEARCH.0;
    while !(high.1 > 0.0) && left > 0 {
        low = high;
        high.0 *= 2.0;
        high.1 = function(high.0);
        left -= 1;
    }
    // The Illinois method: the value at the end that stays is halved.
    let mut stays_low = None;
    while left > 0 && high.1 > SEARCH.1 && low.1 < -SEARCH.1 {
        let at = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
        if !(at > low.0 && at < high.0) {
            break;
        }
        let value = function(at);
        if value > 0.0 {
            high = (at, value);
            low.1 *= if stays_low == Some(true) { 0.5 } else { 1.0 };
            stays_low = Some(true);
        } else {
            low = (at, value);
            high.1 *= if stays_low == Some(false) { 0.5 } else { 1.0 };
            stays_low = Some(false);
        }
        left -= 1;
    }
    if high.1.abs() < low.1.abs() { high.0 } else { low.0 }
}

impl Contact {
    /// Sets its softness, as a fraction of what its sides alone respond.
    pub(super) fn soften(&mut self, softness: f64) {
        if self.response.softness().total_cmp(&softness).is_ne() {
            self.response = self.response.with_softness(&self.normal, softness);
        }
    }

    /// The impulse of the cone that has the same normal part, or none.
    #[inline(always)]
    pub(super) fn within_cone(&self, impulse: &Vector3<f64>) -> Vector3<f64> {
        let bearing = impulse.dot(&self.normal);
        if bearing <= 0.0 {
            return Vector3::zeros();
        }
        let along = tangential(impulse, &self.normal);
        let (size, bound) = (along.norm_squared().sqrt(), self.friction * bearing);
        let along = if size > bound { along * (bound / size) } else { along };
        self.normal * bearing + along
    }
}

/// Part of a vector across the normal.
#[inline(always)]
fn tangential(v: &Vector3<f64>, n: &Vector3<f64>) -> Vector3<f64> {
    v - n * v.dot(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_test_support::Noise;

    /// A positive definite response, by its factor, with directions and velocities of a sequence of numbers.
    fn contact(number: &mut impl FnMut() -> f64) -> Contact {
        let normal = Vector3::from_fn(|_, _| number()).normalize();
        // Of every second one impulses in one direction move ten thousand times as much as in another.
        let factor = Matrix3::from_fn(|_, column| number() * [1.0, 0.1, 0.01][column]);
        let alike = if number() > 0.0 { Matrix3::identity() } else { normal * normal.transpose() };
        let matrix = factor * factor.transpose() + alike * 0.5;
        Contact {
            sides: [None, None],
            given: Vector3::zeros(),
            normal,
            friction: 0.1 + 2.0 * number().abs(),
            restitution: 0.0,
            gap: 0.0,
            impulse: Vector3::zeros(),
            response: Response::new([matrix, matrix], &normal, 0.1 * number().abs()).expect("it yields"),
            rho: 0.0,
        }
    }

    #[test]
    fn the_impulse_of_one_contact_meets_the_law_of_coulomb() {
        let mut noise = Noise(1);
        let mut number = || noise.signed();
        let mut kinds = [0; 3];
        for _ in 0..2000 {
            let mut contact = contact(&mut number);
            let n = contact.normal;
            // From any impulse of the cone; the velocity without it is what the answer depends on.
            let start = Vector3::from_fn(|_, _| number());
            contact.impulse = contact.within_cone(&start);
            let (u, target) = (Vector3::from_fn(|_, _| number()), 0.5 + number());
            let impulse = contact.solve(&u, target);
            let response = &contact.response;
            let after = u + response.matrix * (impulse - contact.impulse);
            let soft = response.softness * response.alone * impulse.dot(&n);
            let (bearing, gap) = (impulse.dot(&n), after.dot(&n) + soft - target);
            let scale = 1.0 + impulse.norm();
            assert!(bearing >= 0.0 && gap > -1e-11 * scale, "{contact:?} {u} {target}: {impulse}, {gap}");
            assert!((bearing * gap).abs() < 1e-11 * scale, "{contact:?} {u} {target}: {impulse}, {gap}");
            let (rubbing, slip) = (tangential(&impulse, &n), tangential(&after, &n));
            let left = contact.friction * bearing - rubbing.norm();
            assert!(left > -1e-11 * scale, "{contact:?} {u} {target}: {impulse}");
            if bearing <= 0.0 {
                kinds[0] += 1;
            } else if left > 1e-9 * scale {
                kinds[1] += 1;
                assert!(slip.norm() < 1e-9 * scale, "{contact:?} {u} {target}: {impulse}, {slip}");
            } else {
                kinds[2] += 1;
                let opposed = rubbing.dot(&slip) + rubbing.norm() * slip.norm();
                assert!(opposed < 1e-9 * scale, "{contact:?} {u} {target}: {impulse}, {slip}");
            }
        }
        assert!(kinds.iter().all(|&count| count > 100), "{kinds:?}");
    }
}
