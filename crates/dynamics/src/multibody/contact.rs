//! A contact with Coulomb friction between two ports.
//!
//! 0 ≤ λₙ ⊥ uₙ + γ λₙ − target ≥ 0; |λₜ| ≤ µ λₙ, and where it slides, λₜ is µ λₙ against the slip uₜ: the exact cone, without
//! the dilatation of its convex relaxation. One contact is solved by trying to stick; where the cone forbids it, by projected
//! steps, whose fixed points are the solutions.
//!
//! | here     | meaning                                                          |
//! |----------|------------------------------------------------------------------|
//! | u        | velocity of the second side relative to the first [m/s]          |
//! | λ        | impulse on the second side [N·s]                                 |
//! | W        | response of u to λ [1/kg]                                        |
//! | γ        | softness of the contact, as a fraction of what the normal velocities of the sides alone respond: links that joints hardly let part would be pressed by far more than moves them |

use nalgebra::{Matrix3, Vector3};

/// Maximum number of projected steps of a contact that slides. More than needed to rotate the friction with a changing slip; the
/// sweeps repeat it.
const PROJECTIONS: usize = 4;

/// Determinant of W, over the cube of its trace, below which impulses across the normal are taken to move nothing: rounding.
const SINGULAR: f64 = 1e-13;

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
}

/// Response of a contact to its own impulse.
#[derive(Debug, Clone, Copy)]
pub(super) struct Response {
    /// W [1/kg].
    pub(super) matrix: Matrix3<f64>,
    /// Inverse of W with its softness; `None` where impulses across the normal move nothing.
    inverse: Option<Matrix3<f64>>,
    /// Wₙₙ [1/kg].
    pub(super) normal: f64,
    /// Sum of those of the sides alone [1/kg].
    alone: f64,
    /// Inverse of the largest eigenvalue of the tangential part of W \[kg\].
    tangential_step: f64,
}

impl Response {
    /// A response that is not known yet.
    pub(super) const ZERO: Self = Self {
        matrix: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        inverse: None,
        normal: 0.0,
        alone: 0.0,
        tangential_step: 0.0,
    };

    /// Response of a matrix W; `None` where an impulse moves nothing, compared with the sum of the matrices of the sides alone.
    pub(super) fn new(
        [matrix, sides]: [Matrix3<f64>; 2],
        normal: &Vector3<f64>,
        softness: f64,
    ) -> Option<Self> {
        let [own, alone] = [matrix, sides].map(|matrix| normal.dot(&(matrix * normal)));
        let soft = matrix + normal * normal.transpose() * (softness * alone);
        let across = Matrix3::identity() - normal * normal.transpose();
        let tangential = across * matrix * across;
        let minors = tangential[(0, 0)] * tangential[(1, 1)] - tangential[(0, 1)] * tangential[(1, 0)]
            + tangential[(0, 0)] * tangential[(2, 2)]
            - tangential[(0, 2)] * tangential[(2, 0)]
            + tangential[(1, 1)] * tangential[(2, 2)]
            - tangential[(1, 2)] * tangential[(2, 1)];
        let trace = tangential.trace();
        let largest = 0.5 * (trace + (trace * trace - 4.0 * minors).max(0.0).sqrt());
        let yields = own > RIGID * sides.trace();
        let is_regular = soft.determinant() > SINGULAR * soft.trace().powi(3);
        let inverse = if is_regular { soft.try_inverse() } else { None };
        let tangential_step = if largest > 0.0 { largest.recip() } else { 0.0 };
        yields.then_some(Self { matrix, inverse, normal: own, alone, tangential_step })
    }

    /// Fraction of the speed of recovery, from 0 to 1: an overlap is recovered as slowly as joints let the links yield.
    pub(super) fn freedom(&self) -> f64 {
        (self.normal / (FREE * self.alone)).min(1.0)
    }
}

impl Contact {
    /// Impulse that solves the contact while all others stay, at its present velocity `u`; `target` is the normal velocity
    /// [m/s] at which it bears no load.
    pub(super) fn solve(&self, u: &Vector3<f64>, target: f64, softness: f64) -> Vector3<f64> {
        let (n, response) = (&self.normal, &self.response);
        let soft = softness * response.alone;
        if let Some(inverse) = &response.inverse {
            let excess = u - n * (target - soft * self.impulse.dot(n));
            let sticking = self.impulse - inverse * excess;
            let bears = sticking.dot(n);
            if bears >= 0.0 && (sticking - n * bears).norm() <= self.friction * bears {
                return sticking;
            }
        }
        let (mut impulse, mut u) = (self.impulse, *u);
        for _ in 0..PROJECTIONS {
            let before = impulse;
            let bearing = impulse.dot(n);
            let wanted = bearing - (u.dot(n) - target + soft * bearing) / (response.normal + soft);
            let wanted = wanted.max(0.0);
            let slip = u - n * u.dot(n) + tangential(&(response.matrix * n), n) * (wanted - bearing);
            let along = tangential(&impulse, n) - slip * response.tangential_step;
            let bound = self.friction * wanted;
            let size = along.norm();
            let rubbing = if size > bound { along * (bound / size) } else { along };
            impulse = n * wanted + rubbing;
            u += response.matrix * (impulse - before);
        }
        impulse
    }
}

/// Part of a vector across the normal.
fn tangential(v: &Vector3<f64>, n: &Vector3<f64>) -> Vector3<f64> {
    v - n * v.dot(n)
}
